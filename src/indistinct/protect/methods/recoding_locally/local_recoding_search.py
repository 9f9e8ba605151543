"""Cheapest levels first: the search behind local recoding.

The loops of local recoding: which records form classes at given levels, and releasing them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from indistinct.core import Array, Floats, Ints, mix_word
from indistinct.keys import Generalisable, Recoding, group_rows
from indistinct.protect.methods.recoding_locally.local_recoding_costs import Ladders

__all__ = ["Schedule", "Search", "schedule"]

VECTORS = 30_000
"""So many combinations of levels are looked at, the cheapest; beyond, the search descends."""

WORK = 4_000_000_000
"""So many visits of a class at a combination are made before the search descends."""

_STEP, _STEPS = 0.02, 50
"""Classes are released in the order of their cost, up to this width of a price band."""

_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class Schedule:
    """Combinations of levels in the order in which they are tried, with a highest price each."""

    vectors: Ints
    dearest: Floats
    complete: bool


def schedule(
    keys: Generalisable, ladders: Ladders, ceiling: tuple[int, ...], *, most: int = VECTORS
) -> Schedule:
    """Order the combinations of levels up to the ceiling by their mean price.

    The nodes of one level may stand for different numbers of values, so that one combination has
    classes of different prices. It is tried once for every band of prices in which it has some.
    """
    vectors = np.zeros((1, 0), dtype=np.int64)
    mean, low, high = np.zeros(1), np.zeros(1), np.zeros(1)
    complete = True
    for j, top in enumerate(ceiling):
        leaves = keys.leaves[:, j]
        present = np.unique(leaves)
        prices = ladders.prices[j, : top + 1]
        share = np.bincount(leaves, weights=keys.counts, minlength=prices.shape[1])
        here = prices @ share / keys.records
        tried = np.arange(top + 1)
        vectors = np.column_stack(
            [np.repeat(vectors, top + 1, axis=0), np.tile(tried, len(vectors))]
        )
        mean = (mean[:, None] + here).ravel()
        low = (low[:, None] + prices[:, present].min(axis=1)).ravel()
        high = (high[:, None] + prices[:, present].max(axis=1)).ravel()
        # of a sum of prices the cheapest so many are made of the cheapest so many parts
        best = np.argsort(mean, kind="stable")[:most]
        complete &= len(best) == len(mean)
        vectors, mean, low, high = vectors[best], mean[best], low[best], high[best]
    edges = np.arange(1, _STEPS + 1) * _STEP
    edges[-1] = np.inf
    order, dearest = [], []
    below = -np.inf
    for edge in edges:
        chosen = np.flatnonzero((low <= edge) & (high > below))
        order.append(chosen)
        dearest.append(np.full(len(chosen), edge))
        below = edge
    return Schedule(vectors[np.concatenate(order)], np.concatenate(dearest), complete)


class Search:
    """Classes are given to groups, the cheapest groups first; every group ends with k records."""

    def __init__(
        self, keys: Generalisable, ladders: Ladders, ceiling: tuple[int, ...], *, k: int
    ) -> None:
        self.keys, self.ladders, self.k = keys, ladders, k
        self.ceiling = np.array(ceiling, dtype=np.int64)
        self.leaves = np.ascontiguousarray(keys.leaves)
        self.group = np.full(keys.classes, -1, dtype=np.int64)
        self.paid = np.zeros(keys.classes)
        self.rest = np.arange(keys.classes, dtype=np.int64)
        self.groups = 0

    def sweep(self, plan: Schedule, *, work: int = WORK) -> bool:
        """Release at every vector what has k records there; say if the work sufficed for all."""
        return self._release(plan.vectors, plan.dearest, work) >= len(self.rest)

    def descend(self) -> None:
        """Release the rest in rounds, each at levels found by climbing down from the ceiling.

        One variable at a time goes down one level, that which saves most, as long as it saves
        anything: records whose class gets too small for k then wait for the next round.
        """
        for _ in range(_ROUNDS):
            levels = self._lowest()
            before = len(self.rest)
            self._release(levels[None, :], np.array([np.inf]), before)
            if not len(self.rest) or len(self.rest) == before:
                break
        if len(self.rest):
            self._release(self.ceiling[None, :], np.array([np.inf]), len(self.rest))

    def finished(self) -> Recoding:
        """Return the recoding; records left over at the ceiling are lent others to reach k."""
        rows = np.arange(self.keys.classes, dtype=np.int64)
        counts, group = self.keys.counts.copy(), self.group.copy()
        if len(self.rest):
            rows, counts, group = self._lent(rows, counts, group)
        clusters = np.unique(group, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return Recoding.of_clusters(self.keys, clusters, rows=rows, counts=counts)

    def _release(self, vectors: Ints, dearest: Floats, work: int) -> int:
        ladders = self.ladders
        left, self.groups, unused = release(
            self.leaves,
            self.keys.counts,
            ladders.nodes,
            ladders.words,
            ladders.prices,
            ladders.exact,
            vectors,
            dearest,
            self.k,
            self.rest,
            len(self.rest),
            self.group,
            self.paid,
            self.groups,
            work,
        )
        self.rest = self.rest[:left].copy()
        return int(unused)

    def _lowest(self) -> Ints:
        levels, saved = self.ceiling.copy(), 0.0
        while True:
            tried = []
            for j in np.flatnonzero(levels > 0):
                lower = levels.copy()
                lower[j] -= 1
                tried.append((self._saving(lower), -int(j), lower))
            if not tried:
                return levels
            best = max(tried, key=lambda entry: entry[:2])
            if best[0] <= saved + 1e-12:
                return levels
            saved, levels = best[0], best[2]

    def _saving(self, levels: Ints) -> float:
        ladders = self.ladders
        return float(
            saving(
                self.leaves,
                self.keys.counts,
                ladders.nodes,
                ladders.words,
                ladders.prices,
                ladders.exact,
                levels,
                self.ceiling,
                self.k,
                self.rest,
            )
        )

    def _lent(self, rows: Ints, counts: Ints, group: Ints) -> tuple[Ints, Ints, Ints]:
        """Give every class at the ceiling that has too few records left some of its released ones.

        Those that pay most already are taken first, from groups that stay at k; where these do
        not suffice, the dearest group of the class is joined as a whole.
        """
        above = group_rows(self.keys.nodes(self.ceiling).astype(np.int64))
        sizes = np.bincount(
            group[group >= 0], weights=counts[group >= 0], minlength=self.groups
        ).astype(np.int64)
        order = np.argsort(above, kind="stable")
        starts = np.searchsorted(above[order], np.arange(int(above.max()) + 2))
        lent_rows, lent_counts, lent_groups = [], [], []
        for number, place in enumerate(np.unique(above[self.rest])):
            own = self.groups + number
            members = order[starts[place] : starts[place + 1]]
            waiting = members[group[members] < 0]
            lenders = members[group[members] >= 0]
            lenders = lenders[np.argsort(-self.paid[lenders], kind="stable")]
            need = self.k - int(counts[waiting].sum())
            group[waiting] = own
            for i in lenders.tolist():
                take = min(int(counts[i]), int(sizes[group[i]]) - self.k, need)
                if take <= 0:
                    continue
                need -= take
                sizes[group[i]] -= take
                if take == counts[i]:
                    group[i] = own
                else:
                    counts[i] -= take
                    lent_rows.append(i)
                    lent_counts.append(take)
                    lent_groups.append(own)
                if not need:
                    break
            if need > 0:
                dearest = next(i for i in lenders.tolist() if group[i] != own)
                group[members[group[members] == group[dearest]]] = own
        rows = np.append(rows, np.array(lent_rows, dtype=np.int64))
        counts = np.append(counts, np.array(lent_counts, dtype=np.int64))
        group = np.append(group, np.array(lent_groups, dtype=np.int64))
        # a class may have lent a part of itself to a group that it later joined as a whole
        pairs = group_rows(np.column_stack([rows, group]))
        _, first = np.unique(pairs, return_index=True)
        added = np.bincount(pairs, weights=counts).astype(np.int64)
        return rows[first], added, group[first]


# The loops of local recoding ---------------------------------------------------------------------


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
