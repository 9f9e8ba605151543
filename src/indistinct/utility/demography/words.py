"""How shares, trends and verdicts are written for people."""

from __future__ import annotations

import math

__all__ = ["direction", "percent", "verdict"]


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
