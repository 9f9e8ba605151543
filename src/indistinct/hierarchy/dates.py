"""Dates in nested windows of months and years."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from indistinct.core import InputError
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.special import distinct_texts, rule_hierarchy

__all__ = ["date_hierarchy", "is_date"]

_YEAR = 12
_UNITS = {"month": 1, "months": 1, "quarter": 3, "year": _YEAR, "years": _YEAR}
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)([T ].+)?)?)?")


def date_hierarchy(
    values: Iterable[object],
    *,
    name: str = "",
    windows: Sequence[int | str] = ("month", "6 months", "year", "5 years", "10 years"),
    special: Iterable[object] = (),
    root: str = SUPPRESSED,
) -> Hierarchy:
    """Return the hierarchy of ever longer windows of time.

    Window i of m months holds the months with ⌊(12 · year + month − 1) / m⌋ = i, so windows of
    months begin in January and windows of n years in years divisible by n, whatever the data.
    Sweeney's Datafly (2001, Figure 27) uses windows of 2, 4, 6, 12 and 24 months.

    Parameters
    ----------
    values
        ISO dates (1965-03-12, 1965-03 or 1965), `datetime.date` objects, moments. A date
        without a month or day keeps its form until a window holds it.
    windows
        Their lengths at levels 1, 2, …: months as a number, or ``"month"``, ``"2 months"``,
        ``"quarter"``, ``"year"``, ``"5 years"``. Each must hold the one before a whole number
        of times: 2, 4, 12, 24 months do; 4 and 6 do not, for May to August lies in both
        half-years.
    special
        Values that are no dates (``"unknown"``): they stay as they are.
    root
        The label of the root.

    >>> birth = date_hierarchy(["1965-03-12", "1966-11-01"], windows=(1, 2, "year", "5 years"))
    >>> birth.ancestors("1965-03-12")
    ('1965-03-12', '1965-03', '1965-03/04', '1965', '1965-1969', '*')
    """
    ordinary, apart = distinct_texts(values, special=special, root=root)
    dates = {text: date for text in ordinary if (date := _parsed(text)) is not None}
    if len(dates) < len(ordinary):
        of = f" of '{name}'" if name else ""
        others = len(ordinary) - len(dates)
        raise InputError(
            f"The date windows{of} need ISO dates such as 1965-03-12. {others:,} of "
            f"{len(ordinary):,} distinct values are none. Convert them, or name codes such as "
            "'unknown' in special."
        )
    ordinary.sort()
    months = _checked(windows, name)
    with_time = any(len(text) > len("1965-03-12") for text in ordinary)

    def ladder(text: str) -> list[str]:
        day = [text[: len("1965-03-12")]] if with_time else []
        return day + [_label(text, dates[text], m) for m in months]

    return rule_hierarchy(
        ordinary,
        apart,
        ladder,
        steps=len(months) + with_time,
        root=root,
        name=name,
        ordered=not apart,
    )


def is_date(text: str) -> bool:
    """Say whether a text is an ISO date with at least year and month.

    >>> is_date("1965-03-12"), is_date("1965-03"), is_date("1965"), is_date("1965-13-01")
    (True, True, False, False)
    """
    date = _parsed(text)
    return date is not None and date[1] is not None


def _parsed(text: str) -> tuple[int, int | None] | None:
    """Return year and month (None where only the year is known), or None for no date."""
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, month, day, moment = match.groups()
    try:
        datetime.date(int(year), int(month or 1), int(day or 1))
        if moment:
            datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return int(year), int(month) if month else None


def _label(text: str, date: tuple[int, int | None], months: int) -> str:
    year, month = date
    if months >= _YEAR:
        span = months // _YEAR
        first = year - year % span
        return f"{first:04}" if span == 1 else f"{first:04}-{first + span - 1:04}"
    if month is None:
        return text
    first = month - (month - 1) % months
    if months == 1:
        return f"{year:04}-{first:02}"
    return f"{year:04}-{first:02}/{first + months - 1:02}"


def _checked(windows: Sequence[int | str], name: str) -> list[int]:
    of = f" of '{name}'" if name else ""
    months = [_months(window, of) for window in windows]
    if not months:
        raise InputError(f"windows{of} must name at least one length, as 'month' or 12. Got none.")
    for a, b in pairwise(months):
        if b <= a or b % a:
            raise InputError(
                f"windows{of} must each hold the one before a whole number of times. Windows of "
                f"{a} and {b} months do not nest. Leave one of them out, or choose among "
                "1, 2, 4, 12, 24 or 1, 3, 6, 12, 60, 120."
            )
    return months


def _months(window: int | str, of: str) -> int:
    if isinstance(window, str):
        count, _, unit = window.strip().rpartition(" ")
        known = unit in _UNITS and (not count or count.isdecimal())
        months = int(count or 1) * _UNITS[unit] if known else 0
    else:
        months = window
    if months > 0 and (_YEAR % months == 0 or months % _YEAR == 0):
        return months
    raise InputError(
        f"A window{of} must be 1, 2, 3, 4, 6 or 12 months or whole years, as 'month', '6 months', "
        f"'year', '5 years'. Got {window!r}."
    )
