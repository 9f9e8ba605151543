"""Ages over 89, which few people reach; all other ages stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._number_cues import words
from indistinct.scrub.text.detectors._numbers import matches, scan
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_NUMBER = re.compile(r"(?<![\w.,/$-])(?:9\d|1[01]\d|12[0-5])(?!\d|[.,/:%]\d|\s?%)")
_OLD = re.compile(
    r"[\s-]{0,2}(?:years?|yrs?)[\s-]{0,2}(?:old|of[\s-]age|young)"
    r"|[\s-]?(?:y\.?[\s/]?o\.?|yrs?\.?|y)(?![^\W_])"
    r"|\s(?:male|female|lady|gentleman|woman|man)(?![^\W_])"
    # "94F with": 94 degrees have no history
    r"|\s?[fm]\s(?:with|w/|who|present(?:s|ing|ed)|h/o|hx|s/p|admitted|c/o|here for)(?!\w)"
)
_NTH = re.compile(r"(?:st|nd|rd|th)(?=\s(?:birthday|year of life))")
_AGED = re.compile(
    r"(?<![^\W_])(?:aged?|ages|turn(?:ed|ing|s))(?:\s(?:of|is|was))?[\"']?\s?[:=]?\s{0,2}[\"']?$"
)
_UNIT = re.compile(r"\s?(?:mg|kg|lbs?|degrees|around|points|cm|m)\b|-\d")
_ONES = "one|two|three|four|five|six|seven|eight|nine"
_TENS = (
    rf"(?:ninety(?:[\s-](?:{_ONES}))?"
    rf"|(?:a |one )?hundred(?:(?:[\s-]and)?[\s-](?:{_ONES}|ten))?)"
)
_IN_WORDS = re.compile(
    rf"\b(?:({_TENS})[\s-](?:years?|yrs?)[\s-](?:old|of[\s-]age)"
    rf"|aged?\s({_TENS})\b(?!\s(?:percent|days|hours|pounds)))"
)
_WORDS = words("ninety hundred")


def detect(page: Page) -> Iterator[Span]:
    """Ages of 90 and more, in digits and in words: the number alone."""
    known = scan(page)
    lower = known.lower
    for match in matches(_NUMBER, page.text, known.places):
        start, end = match.span()
        if _OLD.match(lower, end):
            yield Span(start, end, Kind.AGE, 0.92, "ages", "old")
        elif nth := _NTH.match(lower, end):
            yield Span(start, nth.end(), Kind.AGE, 0.9, "ages", "birthday")
        elif _AGED.search(lower, max(0, start - 16), start) and not _UNIT.match(lower, end):
            yield Span(start, end, Kind.AGE, 0.9, "ages", "aged")
    if not _WORDS.isdisjoint(known.words):
        for match in _IN_WORDS.finditer(lower):
            part = match.lastindex or 1
            yield Span(*match.span(part), Kind.AGE, 0.9, "ages", "in words")
