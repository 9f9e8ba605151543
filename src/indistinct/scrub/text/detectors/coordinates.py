"""Places by latitude and longitude."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._number_cues import words
from indistinct.scrub.text.detectors._numbers import matches, scan
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_PART = r"\d{1,2}(?:\.\d{1,4})?\s?"
_DEGREES = rf"\d{{1,3}}(?:\.\d{{1,8}})?\s?°(?:\s?{_PART}')?(?:\s?{_PART}(?:\"|''))?"
_MARKED = re.compile(
    rf"(?<![\w.])[-+]?{_DEGREES}\s?[NSns](?:orth|outh)?,?\s{{0,3}}(?:and\s)?[-+]?{_DEGREES}"
    r"\s?[EWewOo](?:ast|est)?(?!\w)"
    r"|(?<![\w.])\d{1,2}\.\d{3,8}\s?[NS],?\s{1,3}\d{1,3}\.\d{3,8}\s?[EWO](?!\w)"
)
_PAIR = re.compile(r"(?<![\w.])\(?[-+]?\d{1,2}\.\d{4,8}\s?[,;/]\s?[-+]?\d{1,3}\.\d{4,8}(?!\w)")
_NAMED = re.compile(
    r"(?<![^\W_])(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng)[\"']?\s?[:=]?\s{0,2}[\"']?"
    r"([-+]?\d{1,3}\.\d{2,8}(?:\s?°)?(?:\s?[nsew]\b)?)"
)
_DECIMALS = re.compile(r"\.\d{3}")
_NAMES = words("lat latitude lon long longitude lng")


def detect(page: Page) -> Iterator[Span]:
    """Coordinates with compass letters, in pairs of many decimals, and after their names."""
    text, known = page.text, scan(page)
    if "°" in text or _DECIMALS.search(text):
        for match in matches(_MARKED, text, known.places):
            yield Span(match.start(), match.end(), Kind.PLACE, 0.95, "coordinates", "compass")
        for match in matches(_PAIR, text, known.places):
            yield Span(match.start(), match.end(), Kind.PLACE, 0.88, "coordinates", "pair")
    if not _NAMES.isdisjoint(known.words):
        for match in _NAMED.finditer(known.lower):
            yield Span(match.start(1), match.end(1), Kind.PLACE, 0.93, "coordinates", "named")
