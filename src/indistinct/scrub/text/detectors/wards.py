"""Wards, rooms and beds that are named or numbered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import cues
from indistinct.scrub.text.detectors._places import UPPER, has, matches
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_WINGS = cues("Ward Pavilion Wing Tower")
_SIDES = cues("North South East West Central Main Tower")
_CODE = r"(?:[A-Z]{0,2}-?\d{1,4}-?[A-Z]{0,2}|[A-Z]\b)"
_WARD = re.compile(
    rf"\b(?:[Ww]ard|WARD) (?:No\. ?)?(?:{_CODE}(?![\w.]?\d|[a-z])|[{UPPER}][a-z]{{3,15}}\b)"
)
_NAMED = re.compile(
    rf"(?<!\w)(?:[{UPPER}][a-z]{{3,15}} ){{1,2}}{_WINGS.pattern}(?: "
    r"\d{1,3}[A-Z]?\b)?"
)
_ROOM = re.compile(
    rf"\b(?:[Rr]oom|ROOM|[Rr]m\.?|RM) (?:#|[Nn]o\.? ?)?({_CODE})(?![\w.]?\d|[a-z]| ?(?:%|mg|L\b))"
)
_BED = re.compile(
    r"\b(?:[Bb]ed|BED|[Bb]ay) (?:#|[Nn]o\.? ?)?(\d{1,3}-?[A-Z]?)(?![\w.]?\d|[a-z]| ?%| "
    r"(?:days|hours|weeks))"
)
_UNIT = re.compile(r"\b(?:Unit|UNIT|Floor|Pod) (\d{1,2}-?[A-Z]{1,2}|[A-Z]\d{1,2})(?![\w.])")
_COMPASS = re.compile(
    rf"([0-9](?<![\w.][0-9])\d?[A-Z]? {_SIDES.any})(?= ?[.,;)\n]| "
    r"(?:for|at|on|unit|ward|nurse|with|from|under|in)\b|$)"
)
_NUMBERED = re.compile(
    rf"(?:on|to|from) ([{UPPER}][a-z]{{4,14}} \d{{1,2}}[A-Z]?)(?= ?[.,;)\n]|$| (?:for|with|"
    rf"where|under|at|nurse|nursing|today)\b)"
)
_WARDS = frozenset(("ward",))
_ROOMS, _BEDS = frozenset(("room", "rm")), frozenset(("bed", "bay"))
_UNITS = frozenset(("unit", "floor", "pod"))
_NOT = frozenset(
    "January February March April May June July August September October November December "
    "Stage Grade Type Class Level Page Table Figure Phase Day Step Part Week Group Score Chapter "
    "Section Version Category Factor Gravida Monday Tuesday Wednesday Thursday Friday Saturday "
    "Sunday Visit Cycle Dose Covid Protocol Vitamin Line Item Question Appendix Article".split()
)


def detect(page: Page) -> Iterator[Span]:
    """Named wards, rooms and beds."""
    text = page.text
    for match in matches(page, _WARDS, _WARD):
        yield _span(*match.span(), 0.78, "ward")
    for match in _NAMED.finditer(text) if has(page, _WINGS.words) else ():
        words = match.group().split()
        meaning = page.knowledge.word(words[-2].lower())
        if meaning.zipf < 4 or meaning.surname > 20:
            yield _span(*match.span(), 0.78, "pavilion")
    for words_of, pattern, rule in (
        (_ROOMS, _ROOM, "room"),
        (_BEDS, _BED, "bed"),
        (_UNITS, _UNIT, "unit"),
    ):
        for match in matches(page, words_of, pattern):
            long = len(match.group(1)) > 1
            yield _span(*match.span(), 0.74 if long else 0.6, f"{rule}{' of several' * long}")
    for match in _COMPASS.finditer(text) if has(page, _SIDES.words) else ():
        yield _span(*match.span(1), 0.74, "floor and side")
    for match in _NUMBERED.finditer(text):
        if match.start() and text[match.start() - 1].isalnum():
            continue
        word = match.group(1).split()[0]
        meaning = page.knowledge.word(word)
        if word not in _NOT and meaning.zipf < 3.8 and not page.knowledge.is_medical(word):
            yield _span(*match.span(1), 0.72, "name and number")


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.WARD, certainty, "wards", rule)
