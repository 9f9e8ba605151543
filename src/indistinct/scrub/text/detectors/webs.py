"""Web addresses, handles of social media, and user names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._number_cues import words
from indistinct.scrub.text.detectors._numbers import scan
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_URL = re.compile(
    r"(?:\b(?:https?|ftps?|sftp|file|hxxps?):/{1,2}|\bwww\.)[^\s<>\"'|\\^`{}\[\]]{2,500}", re.I
)
_ENDING = re.compile(
    r"\.(?=[A-Za-z]{2})(?:com|org|net|edu|gov|mil|info|biz|io|app|dev|health|clinic|care|hospital"
    r"|online|site|me|tv|ai|eu|uk|de|fr|es|nl|ch|at|be|ca|au|nz|se|dk|no|fi|pl|pt|ru|jp|cn|br|mx|in|us|it"
    r"|COM|ORG|NET|EDU|GOV)(?![\w@-]|\.[A-Za-z])(?:[/?#][^\s<>\"']{0,300})?"
)
_HOST = re.compile(r"(?<![\w@.%+-])(?:[A-Za-z0-9][A-Za-z0-9-]{0,40}\.){0,3}[A-Za-z0-9-]{1,41}$")
# Endings that are words or initials too: believed only with a path, or three parts.
_ALSO_WORDS = words(
    "me in us it at be no de es se app care health clinic hospital site online ai ch ca"
)
_HANDLE = re.compile(r"@(?<![\w@./]@)[A-Za-z_][\w.]{1,29}(?<![.])(?![\w@])")
_USER = re.compile(
    r"(?<![^\W_])(?:user\s?-?_?(?:name|id)?|login|handle|screen\s?name|skype|instagram|twitter"
    r"|snapchat|facebook|tiktok|telegram|wechat|discord|linkedin|reddit|github|alias|account name"
    r"|portal id|uname|mychart|password|passcode)(?![^\W_])"
    r"(?P<said>(?:\s{0,2}(?:[:=\"'(#>]|\b(?:is|was|as|id|name|account|handle)\b)){1,4})?\s{0,2}"
    r"@?(?P<name>[A-Za-z][\w.-]{1,40}\w)",
    re.IGNORECASE,
)
_USER_WORDS = words(
    "user username userid login handle screen screenname skype instagram twitter snapchat facebook "
    "tiktok password passcode telegram wechat discord linkedin reddit github "
    "alias account portal uname mychart"
)
_NAMED = re.compile(r"[a-z]{1,20}(?:[._][a-z]{1,20})?\d{1,4}$")


def detect(page: Page) -> Iterator[Span]:
    """Web addresses, domains, handles and user names."""
    text, known = page.text, scan(page)
    if ":/" in text or "www." in text or "WWW." in text:
        for match in _URL.finditer(text):
            yield Span(match.start(), _trimmed(match), Kind.WEB, 0.97, "webs", "url")
    for match in _ENDING.finditer(text):
        yield from _domain(text, match)
    if "@" in text:
        for match in _HANDLE.finditer(text):
            yield Span(match.start(), match.end(), Kind.WEB, 0.88, "webs", "handle")
    if not _USER_WORDS.isdisjoint(known.words):
        for match in _USER.finditer(text):
            signs = "0123456789._" if match["said"] else "0123456789"
            if not set(signs).isdisjoint(match["name"]):
                yield Span(*match.span("name"), Kind.WEB, 0.9, "webs", "user name")
    for code in known.codes:
        if code.text[0].islower() and _NAMED.match(code.text) and _from_a_name(page, code.text):
            yield Span(code.start, code.end, Kind.WEB, 0.75, "webs", "name with digits")


def _trimmed(match: re.Match[str]) -> int:
    """End of an address without the marks of the sentence around it."""
    return match.start() + len(match.group().rstrip(".,;:!?)*"))


def _domain(text: str, ending: re.Match[str]) -> Iterator[Span]:
    host = _HOST.search(text, max(0, ending.start() - 130), ending.start())
    if host is None:
        return
    last = re.split(r"[/?#]", ending.group()[1:])[0].lower()
    parts = host.group().split(".")
    path = len(ending.group()) > len(last) + 1
    if parts[-1].isdigit() or all(len(part) < 2 for part in parts):
        return
    if last in _ALSO_WORDS and len(parts) < 2 and not path:
        return
    rule, certainty = ("domain of a word", 0.75) if last in _ALSO_WORDS else ("domain", 0.9)
    yield Span(host.start(), _trimmed(ending), Kind.WEB, certainty, "webs", rule)


def _from_a_name(page: Page, text: str) -> bool:
    """Whether the letters are a first or last name, alone or after an initial ("jsmith42")."""
    letters = text.rstrip("0123456789")
    if len(letters) < 5 or page.knowledge.word(letters).zipf > 3:
        return False
    parts = re.split(r"[._]", letters)
    candidates = parts if len(parts) > 1 else [letters, letters[1:]]
    known = [page.knowledge.word(part) for part in candidates]
    return any(max(word.first, word.surname) > 5 for word in known)
