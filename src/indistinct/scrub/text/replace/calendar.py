"""Dates as people write them, read into their fields with the place of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from indistinct.knowledge import MONTHS, WEEKDAYS

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_DAY = r"(?P<day>[0-3]?\d)(?P<ordinal>\s?(?:st|nd|rd|th))?"
_YEAR = r"(?P<year>\d{4}|'?\d{2})"
_TIME = (
    r"(?:(?:[,\s]{1,3}(?:at\s|@\s?)?|T)\d{1,2}(?::?\d{2}){1,2}(?:[.,]\d{1,9})?"
    r"(?:\s?[ap]\.?m\.?)?(?:\s?(?:hrs?|hours|h)\b)?(?:\s?(?:Z|UTC|GMT|[ECMP][SD]T|[+-]\d\d:?\d\d))?"
    r"|\s(?:[ap]\.?m\.?\b))"
)
_WEEKDAY_FIRST = rf"(?P<weekday>\(?(?:{_WEEKDAY})\b\.?\)?[,\s]{{0,3}})"
_UNTIL = r"(?:\s?(?:-|to|and)\s?(?P<until>[0-3]?\d)(?P<last>st|nd|rd|th)?(?![\d/.]))?"
_NAMED = rf"(?P<name>{_MONTH})(?![^\W\d_])\.?"
_BY_MONTH = (
    rf"{_NAMED}(?P<s1>[\s/-]{{0,3}}(?:the\s)?){_DAY}(?!\d){_UNTIL}"
    rf"(?:(?P<s2>\s?,?[\s/-]{{0,3}}(?:of\s)?){_YEAR}(?![\d:]))?"
)
_BY_DAY = (
    rf"{_DAY}(?!\d){_UNTIL}(?P<s1>\.?[\s/-]{{0,3}}(?:day\s)?(?:of\s)?){_NAMED}"
    rf"(?:(?P<s2>[\s,/-]{{0,3}}(?:of\s)?){_YEAR}(?![\d:]))?"
)
_IN_FIGURES = (
    r"(?P<a>[0-3]?\d)(?P<s1>\s?[-/.]\s?)(?P<b>[0-3]?\d)(?P<s2>\s?[-/.]\s?)"
    r"(?P<year>\d{4}|\d{2})(?!\d)"
)
_WITHOUT_YEAR = r"(?P<a>[0-3]?\d)(?P<s1>[-/.])(?P<b>\d\d?)(?!\d)"
_FROM_DIGIT = (
    r"(?P<year>\d{4})(?P<s1>[-/.])(?P<month>[01]?\d)(?P<s2>[-/.])(?P<day>[0-3]?\d)(?!\d)",
    r"(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)",
    _BY_DAY,
    _IN_FIGURES,
    r"(?P<a>[01]\d)(?P<b>[0-3]\d)(?P<year>(?:19|20)\d\d)(?!\d)",
    r"(?P<month>0?[1-9]|1[0-2])(?P<s2>[/.-])(?P<year>\d{4}|'\d{2})(?!\d)",
    _WITHOUT_YEAR,
    r"(?P<year>(?:19|20)\d\d)(?!\d)",
)
_FROM_LETTER = (
    f"{_WEEKDAY_FIRST}?{_BY_MONTH}",
    rf"{_WEEKDAY_FIRST}?(?:the\s)?{_BY_DAY}",
    _WEEKDAY_FIRST + _IN_FIGURES,
    _WEEKDAY_FIRST + _WITHOUT_YEAR,
    rf"{_NAMED}(?P<s2>[\s,/-]{{0,3}}(?:of\s)?){_YEAR}(?![\d:])",
    _NAMED,
)


def _compiled(forms: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"(?:{form})(?P<time>{_TIME})?", re.IGNORECASE) for form in forms)


_DIGIT_FORMS, _LETTER_FORMS = _compiled(_FROM_DIGIT), _compiled(_FROM_LETTER)


@dataclass(frozen=True)
class Written:
    """A date within a text: its fields (None where it has none) and the match that found them."""

    year: int | None
    month: int | None
    day: int | None
    found: re.Match[str]
    a_is_day: bool = False

    def group(self, name: str) -> str:
        """A part of the date as written; empty where there is none."""
        return self.found.groupdict().get(name) or ""


def dates_in(text: str, *, latest: int | None = None) -> Iterator[Written | str]:
    """The dates of a text and, as strings, what stands between them.

    >>> [(date.year, date.month, date.day) for date in dates_in("May 3, 2021 to 5/12")
    ...     if isinstance(date, Written)]
    [(2021, 5, 3), (None, 5, 12)]
    """
    place = 0
    while place < len(text):
        char = text[place]
        if char.isalnum() and (place == 0 or not text[place - 1].isalnum()):
            date = _date_at(text, place, latest)
            if date is not None:
                yield date
                place = date.found.end()
                continue
        end = place + 1
        while end < len(text) and char.isalnum() and text[end].isalnum():
            end += 1
        yield text[place:end]
        place = end


def _date_at(text: str, place: int, latest: int | None) -> Written | None:
    for form in _DIGIT_FORMS if text[place].isdigit() else _LETTER_FORMS:
        found = form.match(text, place)
        if found:
            date = _fields(found, latest)
            if date is not None:
                return date
    return None


def _fields(found: re.Match[str], latest: int | None) -> Written | None:
    parts = found.groupdict()
    year = century(parts["year"], latest) if parts.get("year") else None
    month = int(parts["month"]) if parts.get("month") else None
    day = int(parts["day"]) if parts.get("day") else None
    turned = False
    if parts.get("name"):
        month = MONTHS[parts["name"].lower()]
    if parts.get("a"):
        month, day = int(parts["a"]), int(parts["b"])
        if month > 12 >= day:  # 25/12: only the other order is a date
            month, day, turned = day, month, True
        elif day > 31 and year is None:  # 05/86: month and year
            year, day = century(parts["b"], latest), None
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    return Written(year, month, day, found, turned)


def century(digits: str, latest: int | None = None) -> int:
    """A year from two or four digits: two are of the last hundred years up to `latest`.

    >>> century("86"), century("'23", 2024), century("23", 1999), century("1911")
    (1986, 2023, 1923, 1911)
    """
    year = int(digits.lstrip("'"))
    if len(digits.lstrip("'")) == 4:
        return year
    last = latest if latest is not None else 2029
    year += last // 100 * 100
    return year if year <= last else year - 100
