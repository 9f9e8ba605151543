"""Dates as they are written, damaged ones too, brought to year, month and day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

__all__ = ["Order", "date_order", "dates_as_digits"]

Order = Literal["ymd", "mdy", "dmy"]
"""The order in which year, month and day are written."""

ORDERS: tuple[Order, ...] = get_args(Order)

_SEPARATED = re.compile(r"^(\w{1,4})[-/. ](\w{1,3})[-/. ](\w{1,4})(?:[T ]\d\d:.*)?$")
_YEAR = re.compile(r"^(1[6-9]|20)\d\d$")
_YEAR_MONTH = re.compile(r"^((?:1[6-9]|20)\d\d)-(0[1-9]|1[0-2])$")


def date_order(values: Sequence[str]) -> Order | None:
    """Find the order of day, month and year in which most values can be dates; None if none.

    >>> date_order(["05/06/1994", "09/29/1994"]), date_order(["1961-05-03"]), date_order(["3 km"])
    ('mdy', 'ymd', None)
    """
    best, dated = _best_order(values)
    dated += sum(1 for value in values if _YEAR_MONTH.match(value))
    return best if values and dated >= 0.6 * len(values) else None


def dates_as_digits(values: Sequence[str]) -> list[str]:
    """Write dates as ``YYYYMMDD``, shorter where only the year or month is known.

    The order of the parts is found from all values together. Where a character is wrong the
    others keep their places.

    >>> dates_as_digits(["05/06/1994", "09/2q/1994", "1994", "*"])
    ['19940506', '1994092q', '1994', '']
    """
    order, _ = _best_order(values)
    return [_digits(value.strip().lower(), order) for value in values]


def _best_order(values: Sequence[str]) -> tuple[Order, int]:
    """Return the order in which most values are dates, and how many are."""
    fits = {order: sum(1 for value in values if _is_date(_parts(value, order))) for order in ORDERS}
    best = max(ORDERS, key=lambda order: fits[order])
    return best, fits[best]


def _digits(value: str, order: str) -> str:
    if not value.strip("*"):
        return ""
    if _YEAR.match(value):
        return value
    month = _YEAR_MONTH.match(value)
    if month:
        return month[1] + month[2]
    parts = _parts(value, order)
    return "".join(parts) if parts else "".join(c for c in value if c.isalnum())


def _parts(value: str, order: str) -> tuple[str, str, str] | None:
    """Return year, month and day as written, padded with zeros."""
    found = _SEPARATED.match(value)
    if found:
        pieces = dict(zip(order, found.groups(), strict=True))
    elif len(value) == 8 and value.isalnum():
        at = {"ymd": (0, 4, 6), "mdy": (0, 2, 4), "dmy": (0, 2, 4)}[order]
        ends = (*at[1:], 8)
        pieces = {part: value[a:b] for part, a, b in zip(order, at, ends, strict=True)}
    else:
        return None
    return pieces["y"].zfill(4), pieces["m"].zfill(2), pieces["d"].zfill(2)


def _is_date(parts: tuple[str, str, str] | None) -> bool:
    if parts is None or not all(p.isdigit() for p in parts):
        return False
    year, month, day = (int(p) for p in parts)
    return 1600 <= year <= 2200 and 1 <= month <= 12 and 1 <= day <= 31
