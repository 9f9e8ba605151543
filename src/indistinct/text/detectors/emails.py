"""E-mail addresses, also as they stand in web requests (%40) and as people hide them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.text.detectors._numbers import lowered
from indistinct.text.page import Page
from indistinct.text.spans import Kind, Span

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|%40|&#64;)[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}(?<![.-])"
)
_NO_ENDING = re.compile(r"(?<![\w.+-])[A-Za-z][\w.+-]{1,63}@[A-Za-z][\w-]{2,62}(?![\w@]|\.\w)")
_SPACED = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}\s{0,2}@\s{0,2}[\w-]{1,63}(?:\s?\.\s?[\w-]{2,63}){0,3}\s?\.\s?"
    r"(?:com|org|net|edu|gov|io|info|co|uk|de|fr|es|it|ca|us|au)(?!\w)",
    re.IGNORECASE,
)
# "joan.berg [at] clinic dot org": a marked "at", or a plain one with a spoken dot.
_HIDDEN = re.compile(
    r"(?<![\w.+-])[\w+-]{1,40}(?:(?:\.|\s?[\[({<]\s?dot\s?[\])}>]\s?|\sdot\s|\s?[\[({<]\.[\])}>]\s?)[\w+-]{1,40}){0,4}"
    r"(?:\s?[\[({<]\s?(?:at|@)\s?[\])}>]\s?|\s(?:at|AT|At)\s|_at_|-at-)"
    r"[\w-]{1,40}(?:(?P<dot>\.|\s?[\[({<]\s?(?:dot|\.)\s?[\])}>]\s?|\s(?:dot|DOT|Dot)\s|_dot_|-dot-)[\w-]{2,40}){1,4}(?<![-_])",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[\[({<]\s?(?:at|@)\s?[\])}>]|[_-]at[_-]", re.IGNORECASE)
_SPOKEN_DOT = re.compile(r"(?:\sdot\s|[\[({<]\s?(?:dot|\.)\s?[\])}>])", re.IGNORECASE)

_ENDING = re.compile(r"(?:com|org|net|edu|gov|io|info|co|uk|de|fr|es|it|ca|us|au|ch|nl)$", re.I)
_HINTS = ("[at", "(at", "[ at", "( at", "{at", "<at", "_at_", "-at-", "[@", "(@")


def detect(page: Page) -> Iterator[Span]:
    """E-mail addresses, plain and hidden."""
    text = page.text
    if "@" in text or "%40" in text or "&#64;" in text:
        for match in _EMAIL.finditer(text):
            yield Span(match.start(), match.end(), Kind.EMAIL, 0.98, "emails", "address")
        for match in _NO_ENDING.finditer(text):
            yield Span(match.start(), match.end(), Kind.EMAIL, 0.8, "emails", "no ending")
        for match in _SPACED.finditer(text):
            if any(c.isspace() for c in match.group()):
                yield Span(match.start(), match.end(), Kind.EMAIL, 0.9, "emails", "spaced")
    lower = lowered(text)
    if "dot" in page.lower or any(mark in lower for mark in _HINTS):
        for match in _HIDDEN.finditer(text):
            if _MARKED.search(match.group()):
                yield Span(match.start(), match.end(), Kind.EMAIL, 0.92, "emails", "marked at")
            elif _SPOKEN_DOT.search(match.group()) and _ENDING.search(match.group()):
                yield Span(match.start(), match.end(), Kind.EMAIL, 0.88, "emails", "spoken")
