"""The inner loops of k-Similar: rolling up, and the arithmetic of clusters that climb together.

Nodes are numbered through all variables and levels: a cell's node at a level, its parent, and what
a record pays for it. A cluster is described by one node per variable, the lowest that stands for
all its members. Costs are whole numbers, so that sums do not depend on their order.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array, hash_word

__all__ = ["form_groups", "grow_greedily", "note_groups"]


@njit(cache=True, nogil=True)
def form_groups(
    leaves: Array,
    packed: Array,
    starts: Array,
    counts: Array,
    k: int,
    active: Array,
    number: int,
    slots: Array,
    totals: Array,
    place: Array,
    clusters: Array,
    made: int,
) -> tuple[int, int]:
    """Make a cluster of each group of at least k free records that agree at one level vector.

    `packed[starts[j] + leaf]` is what variable j adds to the group's word at its level. The first
    `number` of `active` are the free classes; those that stay free are moved to the front. Returns
    how many stay free, and how many clusters there are now.
    """
    width = leaves.shape[0]
    size = 1
    while size < 2 * number:
        size *= 2
    mask = np.uint64(size - 1)
    for i in range(size):
        totals[i] = 0
    for i in range(number):
        unit = active[i]
        key = np.uint64(0)
        for j in range(width):
            key += packed[starts[j] + leaves[j, unit]]
        at = hash_word(key) & mask
        while totals[at] != 0 and slots[at] != key:
            at = (at + np.uint64(1)) & mask
        slots[at] = key
        totals[at] += counts[unit]
        place[i] = at
    free = 0
    for i in range(number):
        at = place[i]
        total = totals[at]
        if total < 0:
            clusters[active[i]] = -total - 1
        elif total >= k:
            clusters[active[i]] = made
            # from here on the place holds the cluster instead of the sum
            totals[at] = -made - 1
            made += 1
        else:
            active[free] = active[i]
            free += 1
    return free, made


@njit(cache=True, nogil=True)
def note_groups(
    leaves: Array,
    packed: Array,
    prices: Array,
    starts: Array,
    counts: Array,
    k: int,
    active: Array,
    number: int,
    least: int,
    slots: Array,
    totals: Array,
    place: Array,
    cheapest: Array,
) -> int:
    """Lower `cheapest` of each active class that agrees with k records, of all, at one vector.

    `prices` has, beside `packed`, what a record pays for its cell. Classes that no vector can
    serve for less than `least` are done; the others are moved to the front of `active`. Returns
    how many those are.
    """
    width, every = leaves.shape
    size = 1
    while size < 2 * number:
        size *= 2
    mask = np.uint64(size - 1)
    for i in range(size):
        totals[i] = -1
    for i in range(number):
        unit = active[i]
        key = np.uint64(0)
        for j in range(width):
            key += packed[starts[j] + leaves[j, unit]]
        at = hash_word(key) & mask
        while totals[at] != -1 and slots[at] != key:
            at = (at + np.uint64(1)) & mask
        slots[at] = key
        totals[at] = 0
        place[i] = at
    for unit in range(every):
        key = np.uint64(0)
        for j in range(width):
            key += packed[starts[j] + leaves[j, unit]]
        at = hash_word(key) & mask
        while totals[at] != -1 and slots[at] != key:
            at = (at + np.uint64(1)) & mask
        if totals[at] != -1:
            totals[at] += counts[unit]
    left = 0
    for i in range(number):
        unit = active[i]
        if totals[place[i]] >= k:
            paid = 0
            for j in range(width):
                paid += prices[starts[j] + leaves[j, unit]]
            cheapest[unit] = min(cheapest[unit], paid)
        if cheapest[unit] > least:
            active[left] = unit
            left += 1
    return left


@njit(cache=True, nogil=True)
def _distance(node: Array, a: int, b: int, parents: Array, levels: Array, costs: Array) -> int:
    """Return what a record pays once two clusters have become one."""
    total = 0
    for j in range(node.shape[1]):
        x, y = node[a, j], node[b, j]
        while levels[x] < levels[y]:
            x = parents[x]
        while levels[y] < levels[x]:
            y = parents[y]
        while x != y:
            x, y = parents[x], parents[y]
        total += costs[x]
    return total


@njit(cache=True, nogil=True)
def grow_greedily(
    node: Array, size: Array, k: int, parents: Array, levels: Array, costs: Array, forbidden: int
) -> Array:
    """Join the two clusters nearest to their common ancestor until all have k records.

    At least one of the two is smaller than k; among equally near pairs the first counts.
    `node` and `size` are overwritten. Returns for each first class the one it was joined to.
    """
    number = node.shape[0]
    joined = np.arange(number)
    alive = np.ones(number, dtype=np.bool_)
    near = np.full(number, -1)
    far = np.full(number, forbidden)
    for a in range(number):
        for b in range(a + 1, number):
            if size[a] < k or size[b] < k:
                d = _distance(node, a, b, parents, levels, costs)
                if d < far[a]:
                    far[a], near[a] = d, b
    while True:
        # near[a] looks to later clusters only, so that each pair is held once
        best = -1
        for a in range(number):
            if alive[a] and near[a] >= 0 and (best < 0 or far[a] < far[best]):
                best = a
        if best < 0:
            return joined
        other = near[best]
        for j in range(node.shape[1]):
            x, y = node[best, j], node[other, j]
            while levels[x] < levels[y]:
                x = parents[x]
            while levels[y] < levels[x]:
                y = parents[y]
            while x != y:
                x, y = parents[x], parents[y]
            node[best, j] = x
        size[best] += size[other]
        alive[other] = False
        joined[other] = best
        for a in range(number):
            if not alive[a] or a > other:
                continue
            if a == best or near[a] == best or near[a] == other:
                near[a], far[a] = -1, forbidden
                for b in range(a + 1, number):
                    if alive[b] and (size[a] < k or size[b] < k):
                        d = _distance(node, a, b, parents, levels, costs)
                        if d < far[a]:
                            far[a], near[a] = d, b
            elif a < best and (size[a] < k or size[best] < k):
                d = _distance(node, a, best, parents, levels, costs)
                if d < far[a] or (d == far[a] and best < near[a]):
                    far[a], near[a] = d, best
