"""Statistics of single shares: integer percentages and the signed chi-square.

What a released statistic tells about the counts it was made from.

All rules here take everything but one count for known: the number among whom a share is taken, the
other shares, means, loadings. A statistic may be released for an area when at least t counts lead
to the same released value. The paper speaks of "an encrypted form that cannot be decomposed"; an
integer percentage of forty people is no such thing, because one count fits it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from indistinct.core import Array, Bools, Floats, InputError, Ints
from indistinct.tables.derived.specification import ShareCounts

__all__ = [
    "Direct",
    "chi_squares",
    "finest_step",
    "inferable",
    "largest_remainders",
    "least_denominator",
    "leaves_open",
    "percentages",
]

PERCENT_STEPS = (1.0, 2.0, 5.0, 10.0)
ROOT_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0)


@dataclass(frozen=True, eq=False)
class Direct:
    """Released values of one statistic, and what they tell about each count behind it.

    Parameters
    ----------
    values
        Areas × columns; not a number where withheld.
    step
        The steps in which it is released.
    low, high
        Areas × shares: the least and the largest count that leads to the released value.
    """

    columns: tuple[str, ...]
    values: Floats
    step: float
    low: Ints
    high: Ints


def percentages(
    name: str,
    counts: ShareCounts,
    *,
    possible: int,
    eligible: Bools,
    step: float | None = None,
    parts: bool = False,
) -> Direct:
    """Return percentages in whole steps, where at least `possible` counts lead to each.

    Parts of a whole are rounded by largest remainders and add up to 100.
    """
    if parts and (
        (counts.whole != counts.whole[:, :1]).any()
        or (counts.part.sum(axis=1) != counts.whole[:, 0]).any()
    ):
        raise InputError(
            f"The shares of '{name}' are not the parts of one whole: in some area they do not add "
            "up to it. Give all parts, among the same people, or take parts=False."
        )
    steps = PERCENT_STEPS if step is None else (step,)
    enough = [
        eligible & (counts.whole >= least_denominator(possible, step=s)).all(axis=1) for s in steps
    ]
    chosen = finest_step(steps, [e[eligible] for e in enough])
    width, released = steps[chosen], enough[chosen]
    if parts:
        values = largest_remainders(counts.part, round(100 / width)) * width
        low, high = counts.part.copy(), counts.part.copy()
    else:
        values = rounded_percentages(counts.part, counts.whole, width)
        # counts with the same rounded value; integers keep halves exact
        top = np.rint(values / width).astype(np.int64)
        units = round(200 / width)
        low = np.maximum(-((-(2 * top - 1) * counts.whole) // units), 0)
        high = np.minimum(-((-(2 * top + 1) * counts.whole) // units) - 1, counts.whole)
    values[~released] = np.nan
    if not parts:
        low[~released], high[~released] = 0, counts.whole[~released]
    columns = (name,) if len(counts.names) == 1 else tuple(f"{name}: {n}" for n in counts.names)
    return Direct(columns, values, width, low, high)


def largest_remainders(counts: Ints, units: int = 100) -> Floats:
    """Share units out among counts so that they add up: what is left goes to largest remainders.

    >>> largest_remainders(np.array([[1, 1, 1], [2, 1, 0]])).tolist()
    [[34.0, 33.0, 33.0], [67.0, 33.0, 0.0]]
    """
    whole = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    floors, rest = np.divmod(counts * units, whole)
    order = np.argsort(-rest, axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(counts.shape[1])[None, :], axis=1)
    left = units - floors.sum(axis=1, keepdims=True)
    shared: Floats = (floors + (rank < left)).astype(np.float64)
    return shared


def chi_squares(
    name: str,
    counts: ShareCounts,
    *,
    possible: int,
    eligible: Bools,
    step: float | None = None,
) -> Direct:
    """Return the signed chi-square of each area against the whole, summed over the shares.

    The statistic is steep far from what is expected, so it is its root (O − E)/√E that is rounded
    to whole steps, and squared again. A step of the root holds step·√E counts; a step at an end
    with too few of them takes the value of the next one.
    """
    overall = counts.part[eligible].sum(axis=0) / np.maximum(counts.whole[eligible].sum(axis=0), 1)
    expected = counts.whole * overall
    steps = ROOT_STEPS if step is None else (step,)
    enough = [eligible & (s * np.sqrt(expected) >= possible).all(axis=1) for s in steps]
    chosen = finest_step(steps, [e[eligible] for e in enough])
    width, released = steps[chosen], enough[chosen]
    total = np.zeros((len(expected), 1))
    low, high = np.zeros_like(counts.part), counts.whole.copy()
    for k in range(len(counts.names)):
        for area in np.flatnonzero(released).tolist():
            bands = _bands(int(counts.whole[area, k]), float(expected[area, k]), width, possible)
            if bands is None:
                released[area] = False
                continue
            band = bands[counts.part[area, k]]
            same = np.flatnonzero(bands == band)
            low[area, k], high[area, k] = same[0], same[-1]
            total[area, 0] += np.sign(band) * (band * width) ** 2
    total[~released] = np.nan
    low[~released], high[~released] = 0, counts.whole[~released]
    return Direct((name,), np.round(total, 10), width, low, high)


def _bands(whole: int, expected: float, step: float, possible: int) -> Ints | None:
    """Return the rounded root of every count from 0 on, ends with too few counts joined.

    None where some value would still have too few counts: that depends on the area's size alone.
    """
    root = (np.arange(whole + 1) - expected) / np.sqrt(expected)
    bands = np.floor(root / step + 0.5).astype(np.int64)
    first, last = bands[0], bands[-1]
    if (bands == first).sum() < possible:
        bands[bands == first] = first + 1
    if (bands == last).sum() < possible:
        bands[bands == last] = last - 1
    sizes = np.unique(bands, return_counts=True)[1]
    return bands if sizes.min() >= possible else None


# What a released statistic tells about the counts it was made from -------------------------------


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
