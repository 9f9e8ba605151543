"""The loops of local recoding: which records form classes at given levels, and releasing them."""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array, mix_word

__all__ = ["release", "saving"]


@njit(cache=True, nogil=True)
def _same(leaves: Array, a: int, b: int, nodes: Array, levels: Array) -> bool:
    for j in range(leaves.shape[1]):
        if nodes[j, levels[j], leaves[a, j]] != nodes[j, levels[j], leaves[b, j]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _table(rows: int) -> int:
    size = 2
    while size < 2 * rows:
        size *= 2
    return size


@njit(cache=True, nogil=True)
def _tally(
    leaves: Array,
    counts: Array,
    nodes: Array,
    words: Array,
    exact: bool,
    levels: Array,
    rest: Array,
    left: int,
    key: Array,
    first: Array,
    total: Array,
    slot: Array,
) -> None:
    """Count the first `left` rows of `rest` by their class at these levels, in a hash table.

    Fills for each slot its word, its first row (-1: empty) and its records; for each row its slot.
    """
    size = _table(left)
    mask = np.uint64(size - 1)
    first[:size] = -1
    total[:size] = 0
    for t in range(left):
        i = rest[t]
        word = np.uint64(0)
        for j in range(leaves.shape[1]):
            word += words[j, levels[j], leaves[i, j]]
        s = np.int64(mix_word(word) & mask)
        while first[s] >= 0 and (
            key[s] != word or not (exact or _same(leaves, first[s], i, nodes, levels))
        ):
            s = (s + 1) & (size - 1)
        if first[s] < 0:
            first[s] = i
            key[s] = word
        total[s] += counts[i]
        slot[t] = s


@njit(cache=True, nogil=True)
def _price(leaves: Array, prices: Array, levels: Array, i: int) -> float:
    price = 0.0
    for j in range(leaves.shape[1]):
        price += prices[j, levels[j], leaves[i, j]]
    return price


@njit(cache=True, nogil=True)
def release(
    leaves: Array,
    counts: Array,
    nodes: Array,
    words: Array,
    prices: Array,
    exact: bool,
    vectors: Array,
    dearest: Array,
    k: int,
    rest: Array,
    left: int,
    group: Array,
    paid: Array,
    groups: int,
    work: int,
) -> tuple[int, int, int]:
    """At one vector of levels after the other, release the classes of at least k records.

    A class that costs more than its vector's `dearest` waits. `rest` holds the rows not yet
    released, in order; `group` and `paid` are filled for those that are. Stops when `work` row
    visits are used up. Returns the rows left, the groups so far and the visits left.
    """
    size = _table(left)
    key = np.empty(size, dtype=np.uint64)
    first = np.empty(size, dtype=np.int64)
    total = np.empty(size, dtype=np.int64)
    price = np.empty(size, dtype=np.float64)
    number = np.empty(size, dtype=np.int64)
    slot = np.empty(left, dtype=np.int64)
    for a in range(vectors.shape[0]):
        if left == 0 or work < left:
            break
        work -= left
        levels = vectors[a]
        _tally(leaves, counts, nodes, words, exact, levels, rest, left, key, first, total, slot)
        kept = 0
        for t in range(left):
            i = rest[t]
            s = slot[t]
            if total[s] >= k and first[s] == i:
                price[s] = _price(leaves, prices, levels, i)
                number[s] = -1
                if price[s] <= dearest[a]:
                    number[s] = groups
                    groups += 1
            if total[s] >= k and number[s] >= 0:
                group[i] = number[s]
                paid[i] = price[s]
            else:
                rest[kept] = i
                kept += 1
        left = kept
    return left, groups, work


@njit(cache=True, nogil=True)
def saving(
    leaves: Array,
    counts: Array,
    nodes: Array,
    words: Array,
    prices: Array,
    exact: bool,
    levels: Array,
    ceiling: Array,
    k: int,
    rest: Array,
) -> float:
    """Return what the classes of at least k records at `levels` save against the ceiling."""
    left = len(rest)
    size = _table(left)
    key = np.empty(size, dtype=np.uint64)
    first = np.empty(size, dtype=np.int64)
    total = np.empty(size, dtype=np.int64)
    slot = np.empty(left, dtype=np.int64)
    _tally(leaves, counts, nodes, words, exact, levels, rest, left, key, first, total, slot)
    saved = 0.0
    for t in range(left):
        i = rest[t]
        if total[slot[t]] >= k:
            saved += counts[i] * (
                _price(leaves, prices, ceiling, i) - _price(leaves, prices, levels, i)
            )
    return saved
