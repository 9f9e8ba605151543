"""Mondrian's recursion without recursion: parts of a permutation, cut in place.

A *part* is a stretch of `order`. Rows are classes with counts where equal records stay together,
or single records where they may be parted.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["cut_all"]


_APART = np.int64(1) << np.int64(40)


@njit(cache=True, nogil=True)
def _common_level(leaves: Array, nodes: Array, j: int, order: Array, low: int, high: int) -> int:
    """Return the lowest level at which all rows of a part have one node."""
    level = 0
    one = leaves[order[low], j]
    for t in range(low + 1, high):
        other = leaves[order[t], j]
        while nodes[j, level, other] != nodes[j, level, one]:
            level += 1
    return level


@njit(cache=True, nogil=True)
def _width(
    leaves: Array,
    nodes: Array,
    prices: Array,
    ranges: Array,
    j: int,
    order: Array,
    low: int,
    high: int,
) -> tuple[int, float]:
    """Return the common level of a part and its width: a share of the variable's whole."""
    level = _common_level(leaves, nodes, j, order, low, high)
    if level == 0 or ranges[j] == 0.0:
        return level, prices[j, level, leaves[order[low], j]]
    least = greatest = leaves[order[low], j]
    for t in range(low + 1, high):
        least = min(least, leaves[order[t], j])
        greatest = max(greatest, leaves[order[t], j])
    return level, (greatest - least) * ranges[j]


@njit(cache=True, nogil=True)
def _sort(order: Array, low: int, high: int, rank: Array, target: Array) -> None:
    """Order a part by the ranks of its rows, equal ranks as they stand."""
    by = np.argsort(rank[low:high], kind="mergesort")
    for t in range(high - low):
        target[t] = order[low + by[t]]
    for t in range(high - low):
        order[low + t] = target[t]
    ranks = rank[low:high][by]
    rank[low:high] = ranks


@njit(cache=True, nogil=True)
def _halve(counts: Array, order: Array, low: int, high: int, rank: Array, k: int) -> int:
    """Return where to cut a sorted part between unequal ranks, nearest its middle; -1 if nowhere.

    Both sides have at least k records. Of two cuts equally near the lower one is taken.
    """
    total = 0
    for t in range(low, high):
        total += counts[order[t]]
    found, off, left = -1, total + 1, 0
    for t in range(low, high - 1):
        left += counts[order[t]]
        if rank[t] == rank[t + 1] or left < k or total - left < k:
            continue
        distance = abs(2 * left - total)
        if distance < off:
            found, off = t + 1, distance
    return found


@njit(cache=True, nogil=True)
def _gather(
    counts: Array, order: Array, low: int, high: int, rank: Array, k: int, relaxed: bool
) -> bool:
    """Decide how an unordered part, sorted by child, is cut; its ranks become its new parts.

    Strict: into all its children, if each has k records. Relaxed: children of fewer than k stay
    together, and if they are fewer than k, large children lend them records.
    """
    few, spare, large = 0, 0, 0
    t = low
    while t < high:
        u, size = t, 0
        while u < high and rank[u] == rank[t]:
            size += counts[order[u]]
            u += 1
        if size < k:
            few += size
        else:
            large += 1
            spare += size - k
        t = u
    if not relaxed:
        return few == 0
    if large == 0 or (few == 0 and large < 2) or (few > 0 and few + spare < k):
        return False
    need = max(k - few, 0) if few > 0 else 0
    t = low
    while t < high:
        u, size = t, 0
        while u < high and rank[u] == rank[t]:
            size += counts[order[u]]
            u += 1
        lend = min(need, max(size - k, 0))
        if size < k:
            lend = u - t
        else:
            need -= lend
        for x in range(t, t + lend):
            rank[x] = _APART
        t = u
    return True


@njit(cache=True, nogil=True)
def _cut(
    leaves: Array,
    counts: Array,
    nodes: Array,
    ordered: Array,
    ranges: Array,
    missing: Array,
    j: int,
    level: int,
    k: int,
    relaxed: bool,
    order: Array,
    low: int,
    high: int,
    rank: Array,
    target: Array,
) -> bool:
    """Cut a part by one variable if that is allowed; `rank` then tells its new parts apart."""
    if not ordered[j] or (relaxed and ranges[j] == 0.0):
        for t in range(low, high):
            rank[t] = nodes[j, level - 1, leaves[order[t], j]]
        _sort(order, low, high, rank, target)
        if not _gather(counts, order, low, high, rank, k, relaxed):
            return False
        _sort(order, low, high, rank, target)
        return True
    holes = False
    for t in range(low, high):
        leaf = leaves[order[t], j]
        rank[t] = leaf
        holes |= leaf == missing[j]
    _sort(order, low, high, rank, target)
    if ranges[j] > 0.0 and holes:
        # a range holds no missing value: that is parted from the others first, or not at all
        for t in range(low, high):
            rank[t] = np.int64(rank[t] == missing[j])
    elif ranges[j] == 0.0:
        for t in range(low, high):
            rank[t] = nodes[j, level - 1, leaves[order[t], j]]
    at = _halve(counts, order, low, high, rank, k)
    if at < 0 and relaxed and not (holes and ranges[j] > 0.0):
        at = low + (high - low) // 2
    if at < 0:
        return False
    for t in range(low, high):
        rank[t] = np.int64(t >= at)
    return True


@njit(cache=True, nogil=True)
def cut_all(
    leaves: Array,
    counts: Array,
    nodes: Array,
    prices: Array,
    ordered: Array,
    ranges: Array,
    missing: Array,
    k: int,
    relaxed: bool,
    order: Array,
    begins: Array,
    part: Array,
) -> int:
    """Cut every part until no variable allows a cut; returns how many parts there are.

    Parameters
    ----------
    ordered, ranges, missing
        For each variable: whether its values have an order, what one step of the order weighs if
        the order itself is released (else 0), and the leaf of the missing value.
    order, begins
        The rows, and where each of the first parts begins, with the end of the last.
    part
        Filled: the part of each row.
    """
    n, width = leaves.shape
    rank = np.empty(n, dtype=np.int64)
    target = np.empty(n, dtype=np.int64)
    lows = np.empty(n + 1, dtype=np.int64)
    highs = np.empty(n + 1, dtype=np.int64)
    widths = np.empty(width, dtype=np.float64)
    levels = np.empty(width, dtype=np.int64)
    parts = waiting = 0
    for b in range(len(begins) - 1, 0, -1):
        lows[waiting], highs[waiting] = begins[b - 1], begins[b]
        waiting += 1
    while waiting:
        waiting -= 1
        low, high = lows[waiting], highs[waiting]
        records = 0
        for t in range(low, high):
            records += counts[order[t]]
            if records >= 2 * k:
                break
        cut = False
        if records >= 2 * k:
            for j in range(width):
                levels[j], widths[j] = _width(leaves, nodes, prices, ranges, j, order, low, high)
                if levels[j] == 0:
                    widths[j] = -1.0
            for _ in range(width):
                j = int(np.argmax(widths))
                if widths[j] < 0.0:
                    break
                widths[j] = -1.0
                cut = _cut(
                    leaves,
                    counts,
                    nodes,
                    ordered,
                    ranges,
                    missing,
                    j,
                    levels[j],
                    k,
                    relaxed,
                    order,
                    low,
                    high,
                    rank,
                    target,
                )
                if cut:
                    break
        if not cut:
            for t in range(low, high):
                part[order[t]] = parts
            parts += 1
            continue
        end = high
        for t in range(high - 1, low - 1, -1):
            if t == low or rank[t] != rank[t - 1]:
                lows[waiting], highs[waiting] = t, end
                waiting += 1
                end = t
    return parts
