"""E-mail addresses, also as they stand in web requests (%40) and as people hide them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._numbers import scan
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_ATS = ("@", "%40", "&#64;")
_AT = re.compile("|".join(_ATS))
_BEFORE = re.compile(r"(?<![\w.+-])(?<!\w')[\w.+-]{1,64}(?:'[\w.+-]{1,20})?\s{0,2}$")
_QUOTED = re.compile(r"\"[\w.+ -]{1,40}\"$")
_HOST = re.compile(r"(?:[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}|\[\d{1,3}(?:\.\d{1,3}){3}\])(?<![.-])")
_NO_ENDING = re.compile(r"[A-Za-z][\w-]{2,62}(?![\w@]|\.\w)")
_SPACED = re.compile(
    r"\s{0,2}[\w-]{1,63}(?:\s?\.\s?[\w-]{2,63}){0,3}(?:\s?[.,]\s?|\sdot\s)"
    r"(?:com|org|net|edu|gov|io|info|co|uk|de|fr|es|it|ca|us|au)(?!\w)",
    re.IGNORECASE,
)
_PLAIN = frozenset(" \n,")
# "joan.berg [at] clinic dot org": a marked "at", or a plain one with a spoken dot.
_DOT = r"(?:\.|\s?[\[({<]\s?(?:dot|\.)\s?[\])}>]\s?|\sdot\s|[_*|-]dot[_*|-])"
_HIDDEN = re.compile(
    rf"(?<![\w.+-])[\w+-]{{1,40}}(?:(?:{_DOT}|\s(?:underscore|dash)\s)[\w+-]{{1,40}}){{0,4}}"
    r"(?:\s?[\[({<]\s?(?:at|@)\s?[\])}>]\s?|\s(?:at|@)\s|[_*|-]at[_*|-])"
    rf"[\w-]{{1,40}}(?:{_DOT}[\w-]{{2,40}}){{1,4}}(?<![-_])",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[\[({<]\s?(?:at|@)\s?[\])}>]|[_*|-]at[_*|-]", re.IGNORECASE)
# "joan.berg at clinic.org": a name that no word of a sentence looks like, and a host.
_AT_HOST = re.compile(
    r" at [A-Za-z][\w-]{1,40}(?:\.[\w-]{2,40}){0,3}\.(?:com|org|net|edu|gov|info)(?!\w)"
)
_TELLING = re.compile(r"(?<![\w.+/-])[A-Za-z][\w+-]{0,40}[._\d][\w.+-]{0,40}(?<!\.)$")
_SPOKEN_DOT = re.compile(r"(?:\sdot\s|[\[({<]\s?(?:dot|\.)\s?[\])}>])", re.IGNORECASE)

_ENDING = re.compile(r"(?:com|org|net|edu|gov|io|info|co|uk|de|fr|es|it|ca|us|au|ch|nl)$", re.I)
_HINTS = (
    "[at", "(at", "[ at", "( at", "{at", "<at", "_at_", "-at-", "*at*", "|at|", "[@", "(@",
)  # fmt: skip


def detect(page: Page) -> Iterator[Span]:
    """E-mail addresses, plain and hidden."""
    text = page.text
    for at in _AT.finditer(text) if any(map(text.__contains__, _ATS)) else ():
        pattern = _QUOTED if text[at.start() - 1] == '"' else _BEFORE
        if before := pattern.search(text, max(0, at.start() - 66), at.start()):
            yield from _around(text, at, before)
    known = scan(page)
    if "dot" in known.words or any(map(known.lower.__contains__, _HINTS)):
        for match in _HIDDEN.finditer(text):
            if _MARKED.search(match.group()):
                yield Span(match.start(), match.end(), Kind.EMAIL, 0.92, "emails", "marked at")
            elif _SPOKEN_DOT.search(match.group()) and _ENDING.search(match.group()):
                yield Span(match.start(), match.end(), Kind.EMAIL, 0.88, "emails", "spoken")
    for host in _AT_HOST.finditer(text):
        if name := _TELLING.search(text, max(0, host.start() - 82), host.start()):
            yield Span(name.start(), host.end(), Kind.EMAIL, 0.85, "emails", "plain at")


def _around(text: str, at: re.Match[str], before: re.Match[str]) -> Iterator[Span]:
    """Addresses around an "at", by what stands on its right."""
    start, after = before.start(), at.end()
    tight = not text[at.start() - 1].isspace()
    if tight and (host := _HOST.match(text, after)):
        yield Span(start, host.end(), Kind.EMAIL, 0.98, "emails", "address")
        if _ENDING.search(host.group()):
            return
    if at.group() != "@":
        return
    if (
        tight
        and text[start].isalpha()
        and at.start() - start > 1
        and (host := _NO_ENDING.match(text, after))
    ):
        yield Span(start, host.end(), Kind.EMAIL, 0.8, "emails", "no ending")
    host = _SPACED.match(text, after)
    if host and (not tight or not _PLAIN.isdisjoint(host.group())):
        yield Span(start, host.end(), Kind.EMAIL, 0.9, "emails", "spaced")
