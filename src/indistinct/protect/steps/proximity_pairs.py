"""Pairs of records that are near each other in value, on one variable or on several.

On one variable the records are sorted, and each free one takes a free one of its window
(`pairing`). Values are no ranks: a window may hold few records, and a draw may leave two alone that
could have been paired. So the pairs are mended: where u and v are alone, x–y is a pair, u is near
x and y near v, the pairs become u–x and y–v (an augmenting path of length three).

On several variables near means near on each. A grid is laid over them whose cells are as wide as
the bounds: two records in a cell are near. Its origin is drawn at random, records of a cell are
paired at random, and those left over try again with another origin; at last, by search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from indistinct.core import Floats, Ints
from indistinct.protect.randomness import Draws
from indistinct.protect.steps.pairing import ALONE, pairs_in_windows, windows_by_distance

__all__ = ["near_pairs"]

_GRIDS = 12
_FINE = 1e-9
_LOOKS = 512
"""Candidates that are looked at for one record that is still alone."""

Array = Any


def near_pairs(
    places: Sequence[Floats],
    bounds: Sequence[float],
    strata: Ints,
    records: Ints,
    draws: Draws,
    stream: str,
) -> Ints:
    """Return pairs (rows of positions) whose places differ by at most the bounds, in a stratum.

    >>> draws = Draws.from_generator(np.random.default_rng(1))
    >>> x = np.array([1.0, 9.0, 2.0, 5.0])
    >>> one = np.zeros(4, dtype=np.int64)
    >>> near_pairs([x], [2.0], one, np.arange(4), draws, "x").tolist()
    [[0, 2]]
    """
    if len(places) == 1:
        return _on_one(places[0], bounds[0], strata, records, draws, stream)
    return _on_several(places, bounds, strata, records, draws, stream)


def _on_one(
    x: Floats, bound: float, strata: Ints, records: Ints, draws: Draws, stream: str
) -> Ints:
    words = draws.words(f"{stream}/ties", records)
    order = np.lexsort((records, words, x, strata))
    sorted_x, sorted_strata = x[order], strata[order]
    last = windows_by_distance(sorted_x, sorted_strata, bound)
    words = draws.words(f"{stream}/pairs", records[order])
    partner = pairs_in_windows(last, words, np.empty(0, dtype=np.int64))
    _mend(sorted_x, sorted_strata, bound, partner)
    first = np.flatnonzero(partner > np.arange(len(partner)))
    return np.stack([order[first], order[partner[first]]], axis=1)


def _on_several(
    places: Sequence[Floats],
    bounds: Sequence[float],
    strata: Ints,
    records: Ints,
    draws: Draws,
    stream: str,
) -> Ints:
    free = np.arange(len(records))
    widths = [_cell(x, bound) for x, bound in zip(places, bounds, strict=True)]
    found = [np.empty((0, 2), dtype=np.int64)]
    axes = np.arange(len(places))
    for turn in range(_GRIDS):
        if len(free) < 2:
            break
        origin = draws.uniform(f"{stream}/grid", axes, turn=turn)
        cells = [
            np.floor(x[free] / width + shift) if width else x[free]
            for x, width, shift in zip(places, widths, origin, strict=True)
        ]
        cells.append(strata[free].astype(np.float64))
        words = draws.words(f"{stream}/cells", records[free], turn=turn)
        order = np.lexsort((records[free], words, *cells))
        same = np.ones(len(order) - 1, dtype=bool)
        for cell in cells:
            same &= cell[order][1:] == cell[order][:-1]
        starts = np.concatenate([[0], np.flatnonzero(~same) + 1])
        rank = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
        first = np.flatnonzero(same & (rank[:-1] % 2 == 0))
        pairs = np.stack([free[order[first]], free[order[first + 1]]], axis=1)
        # the quotient is rounded, and gaps may differ: a cell may be wider than the bound
        for x, bound in zip(places, bounds, strict=True):
            pairs = pairs[np.abs(x[pairs[:, 0]] - x[pairs[:, 1]]) <= bound]
        found.append(pairs)
        taken = np.zeros(len(records), dtype=bool)
        taken[pairs.reshape(-1)] = True
        free = free[~taken[free]]
    found.append(_searched(places, bounds, strata, free))
    return np.concatenate(found)


def _cell(x: Floats, bound: float) -> float:
    """Return how wide cells are: values as far apart as the bound may fall into one.

    A cell holds differences below its width. For values that are multiples of a gap, the least
    difference that is too large is that of the next multiple.
    """
    gaps = np.diff(np.unique(x))
    gap = float(gaps.min()) if len(gaps) else 0.0
    if not bound or gap < _FINE * bound:
        return bound
    return gap * (float(np.floor(bound / gap * (1 + _FINE))) + 1)


def _searched(places: Sequence[Floats], bounds: Sequence[float], strata: Ints, free: Ints) -> Ints:
    order = free[np.lexsort((free, places[0][free], strata[free]))]
    points = np.stack([x[order] for x in places], axis=1)
    partner = _first_near(points, np.asarray(bounds, dtype=np.float64), strata[order])
    first = np.flatnonzero(partner > np.arange(len(partner)))
    return np.stack([order[first], order[partner[first]]], axis=1)


@njit(cache=True, nogil=True)
def _first_near(points: Array, bounds: Array, strata: Array) -> Array:
    """Pair each point, sorted on the first axis, with the first near one after it."""
    n, width = points.shape
    partner = np.full(n, ALONE, dtype=np.int64)
    for i in range(n):
        if partner[i] != ALONE:
            continue
        for j in range(i + 1, min(n, i + 1 + _LOOKS)):
            if strata[j] != strata[i] or points[j, 0] - points[i, 0] > bounds[0]:
                break
            near = partner[j] == ALONE
            for a in range(1, width):
                near = near and abs(points[j, a] - points[i, a]) <= bounds[a]
            if near:
                partner[i], partner[j] = j, i
                break
    return partner


@njit(cache=True, nogil=True)
def _mend(x: Array, strata: Array, bound: float, partner: Array) -> None:
    """Find partners for records that are alone by opening one pair each."""
    loose = np.flatnonzero(partner == ALONE)
    for u in loose:
        if partner[u] != ALONE:
            continue
        done = False
        for step in (-1, 1):
            p, looks = u + step, 0
            while (
                not done
                and looks < _LOOKS
                and 0 <= p < len(x)
                and strata[p] == strata[u]
                and abs(x[p] - x[u]) <= bound
            ):
                q = partner[p]
                if q != ALONE:
                    v = _loose_near(x, strata, bound, partner, loose, q, u)
                    if v != ALONE:
                        partner[u], partner[p] = p, u
                        partner[q], partner[v] = v, q
                        done = True
                p += step
                looks += 1
            if done:
                break


@njit(cache=True, nogil=True)
def _loose_near(
    x: Array, strata: Array, bound: float, partner: Array, loose: Array, q: Any, u: Any
) -> int:
    """Return a record that is alone and near q, but not u; -1 if there is none."""
    start = np.searchsorted(loose, q)
    for step in (-1, 1):
        at = start - 1 if step < 0 else start
        while (
            0 <= at < len(loose)
            and strata[loose[at]] == strata[q]
            and abs(x[loose[at]] - x[q]) <= bound
        ):
            if partner[loose[at]] == ALONE and loose[at] != u:
                return int(loose[at])
            at += step
    return ALONE
