"""What a released statistic tells about the counts it was made from.

All rules here take everything but one count for known: the number among whom a share is taken, the
other shares, means, loadings. A statistic may be released for an area when at least t counts lead
to the same released value. The paper speaks of "an encrypted form that cannot be decomposed"; an
integer percentage of forty people is no such thing, because one count fits it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numba import njit

from indistinct.core import Array, Bools, Floats, Ints

__all__ = ["MOST_AREAS", "finest_step", "inferable", "least_denominator", "leaves_open"]


MOST_AREAS = 0.9
"""The share of areas that a step must let be released, where none is asked for."""


def inferable(
    percentage: float, whole: int | Iterable[int], *, step: float = 1.0
) -> tuple[int, ...]:
    """Return the counts that may stand behind a rounded percentage.

    Parameters
    ----------
    whole
        The people among whom, where that is published; or all numbers that it may be.
    step
        The steps in which percentages are released.

    Thirty per cent of forty people are twelve; of 401 people they may be four numbers.

    >>> inferable(30, 40), inferable(30, 401), inferable(0, 401)
    ((12,), (119, 120, 121, 122), (0, 1, 2))
    """
    found: set[int] = set()
    for n in (whole,) if isinstance(whole, int) else whole:
        low = math.ceil((percentage - step / 2) * n / 100)
        high = math.floor((percentage + step / 2) * n / 100)
        for part in range(max(low, 0), min(high, n) + 1):
            if float(rounded_percentages(np.array([part]), np.array([n]), step)[0]) == percentage:
                found.add(part)
    return tuple(sorted(found))


def rounded_percentages(part: Array, whole: Array, step: float) -> Floats:
    """Return percentages rounded to whole steps, halves up."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rounded: Floats = np.floor(100.0 * part / (whole * step) + 0.5) * step
    return rounded


def least_denominator(possible: int, *, step: float = 1.0) -> int:
    """Return how many people a percentage needs so that t counts always lead to it.

    Between the ends a step holds n·s/100 counts. At 0 and at 100 it is half as wide, and holds t
    counts from n = 200·(t − 1)/s + 1 on. The same number is enough for parts that are made to add
    up by largest remainders. It is a rule about n alone, so what is withheld tells nothing.

    >>> least_denominator(3), least_denominator(3, step=5), least_denominator(3, step=10)
    (401, 81, 41)
    """
    return math.floor(200 * (possible - 1) / step) + 1


def finest_step(steps: Sequence[float], releasable: Sequence[Bools]) -> int:
    """Return the position of the finest step that most areas allow; the coarsest if none does."""
    for n in range(len(steps)):
        if len(releasable[n]) and releasable[n].mean() >= MOST_AREAS:
            return n
    return len(steps) - 1


def leaves_open(
    scores: Floats, slopes: Floats, steps: Floats, low: Ints, count: Ints, high: Ints, possible: int
) -> Bools:
    """Say of every area whether its scores leave every count open.

    Scores are sums over shares, slope times count, and are rounded. For each share at least
    `possible` counts must be shown to lead to the same rounded scores, with at most one other share
    changing by at most two people, and within what is known of it. Near an end (nobody has it, or
    everybody) this can fail although the steps are wide.

    Parameters
    ----------
    scores
        Areas × scores, before rounding.
    slopes
        Areas × shares × scores: what one person more changes.
    steps
        Of each score.
    low, count, high
        Areas × shares: the counts, and what is known about them.
    """
    passed = np.zeros(len(scores), dtype=np.bool_)
    _leaves_open(scores, slopes, steps, low, count, high, possible, passed)
    return passed


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _leaves_open(
    scores: Floats,
    slopes: Floats,
    steps: Floats,
    low: Ints,
    count: Ints,
    high: Ints,
    possible: int,
    passed: Bools,
) -> None:
    areas, shares, number = slopes.shape
    released = np.floor(scores / steps + 0.5)
    for area in range(areas):
        good = True
        for k in range(shares):
            found = 1
            for size in range(1, 2 * possible + 1):
                for way in (-1, 1):
                    shift = way * size
                    if not low[area, k] <= count[area, k] + shift <= high[area, k]:
                        continue
                    same = _same(scores, slopes, steps, released, area, k, shift, k, 0, number)
                    for j in range(shares):
                        if same:
                            break
                        if j == k:
                            continue
                        for other in (-2, -1, 1, 2):
                            if not low[area, j] <= count[area, j] + other <= high[area, j]:
                                continue
                            if _same(
                                scores, slopes, steps, released, area, k, shift, j, other, number
                            ):
                                same = True
                                break
                    if same:
                        found += 1
                if found >= possible:
                    break
            if found < possible:
                good = False
                break
        passed[area] = good


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _same(
    scores: Floats,
    slopes: Floats,
    steps: Floats,
    released: Floats,
    area: int,
    k: int,
    shift: int,
    j: int,
    other: int,
    number: int,
) -> bool:
    for q in range(number):
        changed = scores[area, q] + shift * slopes[area, k, q] + other * slopes[area, j, q]
        if np.floor(changed / steps[q] + 0.5) != released[area, q]:
            return False
    return True
