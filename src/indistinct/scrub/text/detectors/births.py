"""Dates of birth: a date, or a year alone, after the words that announce one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._dates import date_at
from indistinct.scrub.text.detectors._number_cues import words
from indistinct.scrub.text.detectors._numbers import scan, standing
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_CUE = re.compile(
    r"(?<![^\W_])(?:d\.?\s?o\.?\s?b\.?|(?:date|day) of birth|birth\s?date|birth_?date|birthday"
    r"|dateofbirth|date_of_birth|bdate|geb(?:oren|\.)?(?: am)?|geburtsdatum"
    r"|n[ée]e? le|date de naissance|fecha de nacimiento|fecha nac\.?|nacid[oa] el|data di nascita"
    r"|nat[oa] il|data de nascimento|(?P<born>born|birth|b\.))(?![^\W_])"
    r"(?:[ ](?:in|at)[ ][^\d\n]{2,60}?[ ,](?=on\s))?"
    r"(?:\s{0,3}(?:[:=#\"'(?>,/-]|\b(?:is|was|of|on|a|am|the)\b)){0,5}\s{0,14}",
    re.IGNORECASE,
)
_YEAR_ONLY = re.compile(r"\d{8}(?!\w)|(?:18|19|20)\d\d(?![\w-]|[./]\d)|\d\d(?=\s*(?:[,;)\n]|$))")
_MONTH_DAY = re.compile(r"\d{1,2}/\d{1,2}(?![\w/]|\.\d)")

# The words with which a cue may begin.
_FIRST = words(
    "dob d date day birth born birthdate birthday dateofbirth bdate geb geboren geburtsdatum né "
    "née ne nee fecha nacido nacida data nato nata b"
)


def detect(page: Page) -> Iterator[Span]:
    """Dates of birth after their cues."""
    if _FIRST.isdisjoint(scan(page).words):
        return
    text, starts, reached = page.text, page.starts, 0
    for place in standing(page, _FIRST):
        match = _CUE.match(text, starts[place]) if starts[place] >= reached else None
        if match is None:
            continue
        start = reached = match.end()
        if start >= len(text):
            continue
        end = date_at(text, start)
        born = match["born"] is not None
        if end is not None:
            rule, certainty = ("born", 0.98) if born else ("date", 0.99)
        elif born:
            continue
        elif year := _MONTH_DAY.match(text, start) or _YEAR_ONLY.match(text, start):
            end, rule, certainty = year.end(), "year", 0.9
        else:
            continue
        yield Span(start, end, Kind.BIRTH_DATE, certainty, "births", rule)
