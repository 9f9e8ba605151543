"""Statistics of single shares: integer percentages and the signed chi-square."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import Bools, InputError
from indistinct.tables.derived.inferring import (
    finest_step,
    least_denominator,
    rounded_percentages,
)
from indistinct.tables.derived.shares import Floats, Ints, ShareCounts

__all__ = [
    "Direct",
    "chi_squares",
    "largest_remainders",
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
