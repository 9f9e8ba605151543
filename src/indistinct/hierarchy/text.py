"""Values as text, in one place, so that data and hierarchies meet on the same spelling."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from decimal import Decimal

import numpy as np

__all__ = ["as_text", "as_texts"]

_EXACT_INTEGERS = 1e16
"""Above this a float no longer holds every integer, and its digits would pretend to more."""

_PANDAS_MISSING = {"NAType", "NaTType"}


def as_text(value: object) -> str | None:
    """Return the canonical text of a value, or None for a missing one.

    Integers are written plainly, whole floats as integers (a column of integers becomes one of
    floats as soon as a value is missing), other floats in their shortest exact form, dates in
    ISO form, moments at midnight as dates. None, NaN, NaT and empty text are missing.

    >>> as_text(12), as_text(12.0), as_text(0.1), as_text("02138")
    ('12', '12', '0.1', '02138')
    >>> as_text(datetime.date(1965, 3, 12)), as_text(True), as_text(float("nan"))
    ('1965-03-12', 'true', None)
    """
    if isinstance(value, str):
        return str(value) or None
    if value is None or type(value).__name__ in _PANDAS_MISSING:
        return None
    if isinstance(value, np.datetime64):
        return as_text(value.astype("datetime64[us]").item())
    if isinstance(value, np.generic):
        return as_text(value.item())
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return None
        whole = abs(value) < _EXACT_INTEGERS and value == int(value)
        return str(int(value)) if whole else repr(value)
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time() and value.tzinfo is None
        return value.date().isoformat() if midnight else value.isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value) or None


def as_texts(values: Iterable[object]) -> list[str | None]:
    """Return the canonical text of each value of a list, NumPy, Arrow or pandas column.

    >>> as_texts(np.array([1.0, 2.5, np.nan]))
    ['1', '2.5', None]
    """
    if isinstance(values, np.ndarray):
        # tolist() of nanosecond moments would give bare integers
        values = values.astype("datetime64[us]") if values.dtype.kind == "M" else values
        values = values.tolist()
    elif hasattr(values, "to_pylist"):
        values = values.to_pylist()
    return [as_text(value) for value in values]


def _decimal_text(value: Decimal) -> str | None:
    if value.is_nan():
        return None
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
