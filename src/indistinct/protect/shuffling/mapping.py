"""Reverse mapping: the values of a variable are dealt out again in the order of masked scores.

Every value is used exactly as often as before, within every stratum.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from indistinct.core import Bools, Floats, Ints
from indistinct.protect.shuffling.margins import Coded, Codes, Margin

__all__ = ["deal_values"]


def deal_values(coded: Coded, margin: Margin, scores: Floats) -> Codes:
    """Return the new codes of a variable; rows without a value stay without."""
    if coded.columns == 1:
        return _deal_ordered(coded, margin, scores[0])
    return _deal_nominal(coded, scores)


def _deal_ordered(coded: Coded, margin: Margin, scores: Floats) -> Codes:
    """Give the smallest scores of each stratum its smallest value, and so on."""
    strata, present = coded.strata, coded.present
    whole = bool(present.all())
    place = scores if whole else scores[present]
    if strata is not None:
        # one number that sorts by stratum and then by score; the margin keeps the next stratum
        # out of reach of rounding, up to millions of strata
        place = (strata if whole else strata[present]) + np.minimum(ndtr(place), 1 - 1e-9)
    new = margin.values[_dealt(place, margin.counts)] if len(place) else np.empty(0, np.int32)
    if whole:
        return new
    codes = np.full(len(present), -1, dtype=np.int32)
    codes[present] = new
    return codes


def _dealt(place: Floats, counts: Ints) -> Ints:
    """Return the cell of every row when cells are filled in the order of the rows' places."""
    ends = np.cumsum(counts)
    if len(counts) <= max(1000, len(place) // 16):
        # where one cell ends and the next begins can be seen in the sorted places
        first = np.sort(place)[ends[:-1]]
        cells = np.searchsorted(first, place, side="right")
        if np.array_equal(np.bincount(cells, minlength=len(counts)), counts):
            return np.asarray(cells)
    cells = np.empty(len(place), dtype=np.int64)
    cells[np.argsort(place, kind="stable")] = np.repeat(np.arange(len(counts)), counts)
    return cells


def _deal_nominal(coded: Coded, scores: Floats) -> Codes:
    """Fill one value after the other, the rarest first, with the rows whose scores are highest."""
    rows = len(coded.codes)
    strata = np.zeros(rows, dtype=np.int32) if coded.strata is None else coded.strata
    group = strata.astype(np.int64)
    groups = int(group.max()) + 1 if rows else 0
    codes = np.full(rows, -1, dtype=np.int32)
    free = np.flatnonzero(coded.present)
    sizes = np.bincount(coded.codes[free], minlength=coded.size)
    for code in np.argsort(sizes, kind="stable"):
        wanted = np.bincount(group[coded.codes == code], minlength=groups)
        taken = _highest(scores[code][free], group[free], wanted)
        codes[free[taken]] = code
        free = free[~taken]
    return codes


def _highest(scores: Floats, group: Ints, wanted: Ints) -> Bools:
    """Say which rows have the highest scores of their group, as many as it wants."""
    if not wanted.any():
        return np.zeros(len(scores), dtype=bool)
    if len(wanted) == 1:
        if wanted[0] == len(scores):
            return np.ones(len(scores), dtype=bool)
        place = len(scores) - int(wanted[0])
        taken = scores >= np.partition(scores, place)[place]
        if int(taken.sum()) == wanted[0]:
            return np.asarray(taken)
    order = np.lexsort((-scores, group))
    sorted_group = group[order]
    starts = np.searchsorted(sorted_group, np.arange(len(wanted)))
    taken = np.zeros(len(scores), dtype=bool)
    taken[order] = np.arange(len(order)) - starts[sorted_group] < wanted[sorted_group]
    return taken
