"""Numbers that must not be told exactly: counts of few people, and shares that rest on them."""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = [
    "Below",
    "Few",
    "added",
    "drawable",
    "lowered",
    "raised",
    "raised_count",
    "rounded",
    "rounding_base",
    "share",
]


class Few(int):
    """A number of people above 0 that is not told: fewer than `below`.

    It counts as 0 in sums, but is true: somebody is there.
    """

    below: int

    def __new__(cls, below: int) -> Few:
        """Make one."""
        made = super().__new__(cls, 0)
        made.below = below
        return made

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self.below}"


class Below(float):
    """A share above 0 that is not told: less than `limit`. Counts as 0, but is true."""

    limit: float

    def __new__(cls, limit: float) -> Below:
        """Make one."""
        made = super().__new__(cls, 0.0)
        made.limit = limit
        return made

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self.limit:g}"


def rounding_base(k: int) -> int:
    """Return the number to whose multiples counts are rounded: 5, or the next ten from k on.

    >>> rounding_base(3), rounding_base(5), rounding_base(7), rounding_base(25)
    (5, 5, 10, 30)
    """
    return 5 if k <= 5 else -(-k // 10) * 10


def rounded(count: int, base: int) -> int:
    """Round a count of people to a multiple of the base; a small one becomes `Few`.

    >>> rounded(0, 5), rounded(2, 5), rounded(4, 5), rounded(2126, 5)
    (0, <5, <5, 2125)
    """
    if count <= 0:
        return 0
    if count < base:
        return Few(base)
    return base * ((count + base // 2) // base)


def raised_count(count: float, base: int) -> int:
    """Round up what is told to be at most so many; a small number becomes `Few`.

    >>> raised_count(0, 5), raised_count(2.4, 5), raised_count(5.2, 5), raised_count(15.0, 5)
    (0, <5, 10, 15)
    """
    if 0 < count < base:
        return Few(base)
    return max(0, base * math.ceil(count / base - 1e-9))


def share(part: int | float | None, whole: int | float | None) -> float | None:
    """Return a share, which is not told where its count is not.

    >>> share(3, 12), share(Few(5), 1000), share(1, 0), share(1, Few(5))
    (0.25, <0.005, None, None)
    """
    if part is None or not whole or isinstance(whole, Few):
        return None
    if isinstance(part, Few):
        return Below(part.below / whole)
    return part / whole


def added(counts: Iterable[int]) -> int:
    """Add counts up; where all that are not 0 are untold, so is the sum.

    >>> added([0, 10, Few(5)]), added([0, Few(5), Few(5)]), added([0, 0])
    (10, <10, 0)
    """
    parts = list(counts)
    untold = sum(part.below for part in parts if isinstance(part, Few))
    return sum(parts) or (Few(untold) if untold else 0)


def drawable(values: Iterable[float | None]) -> list[float | None]:
    """Return numbers for a figure, None for those that are not told exactly.

    >>> drawable([3, Few(5), None])
    [3, None, None]
    """
    return [None if isinstance(value, (Few, Below)) else value for value in values]


def raised(value: float, unit: float) -> float:
    """Round a share up to a multiple of a unit, so that what is above 0 never becomes 0.

    >>> raised(0.0, 0.005), raised(0.001, 0.005), raised(0.0102, 0.005), raised(0.2, 0.005)
    (0.0, 0.005, 0.015, 0.2)
    """
    return min(1.0, float(f"{math.ceil(value / unit - 1e-9) * unit:.12g}"))


def lowered(value: float, unit: float) -> float:
    """Round a share down to a multiple of a unit, so that what is below 1 never becomes 1.

    >>> lowered(1.0, 0.005), lowered(0.999, 0.005), lowered(0.995, 0.005)
    (1.0, 0.995, 0.995)
    """
    return 1.0 - raised(1.0 - value, unit) if value < 1 else value
