"""How numbers and verdicts are written, for people and for other programs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

__all__ = ["direction", "number", "numbers", "percent", "verdict"]


def number(value: Any) -> float | None:
    """Return a plain number; None for what is not a number, which JSON has no word for.

    >>> number(float("nan")) is None, number(2.0)
    (True, 2.0)
    """
    found = float(value)
    return found if math.isfinite(found) else None


def numbers(values: Iterable[Any]) -> list[float | None]:
    """Return plain numbers."""
    return [number(value) for value in values]


def verdict(passed: bool | None) -> str:
    """Return the verdict in words.

    >>> verdict(True), verdict(None)
    ('passed', 'cannot say')
    """
    return "cannot say" if passed is None else "passed" if passed else "FAILED"


def percent(share: float) -> str:
    """Return a share in per cent with one decimal, a dash where there is none.

    >>> percent(0.435), percent(float("nan"))
    ('43.5%', '–')
    """
    return f"{100 * share:.1f}%" if math.isfinite(share) else "–"


def direction(slope: float, error: float) -> str:
    """Return the direction of a trend: flat where it is within two standard errors of none.

    >>> direction(-0.02, 0.004), direction(0.001, 0.004)
    ('falling', 'flat')
    """
    if not abs(slope) > 2 * error:
        return "flat"
    return "rising" if slope > 0 else "falling"
