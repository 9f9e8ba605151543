"""Pairs of households that are alike and live in different places.

Households of a *group* may be paired with each other unless they live in the same *place*. Each has
a random key (smaller is earlier); households of a group and place form a *run* in the order of
keys, and the runs of a group a heap by the key of their first free household. A donor is the free
household with the smallest key in another place than the one that wants to be swapped: the top of
the heap, or, where that is its own run, the top of the heap without it. So a pair costs the
logarithm of the number of places.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["Pool", "cover_left_over", "make_pool", "pair_up"]

FREE = -1


@dataclass(frozen=True, eq=False)
class Pool:
    """Households that may be paired, in groups, by place and random key.

    `run_of` is the run of each household (-1 outside the pool); `heads`, `heaps` and `left`
    change as households are taken.
    """

    slots: Array = field(repr=False)
    keys: Array = field(repr=False)
    run_of: Array = field(repr=False)
    run_starts: Array = field(repr=False)
    group_of_run: Array = field(repr=False)
    group_starts: Array = field(repr=False)
    heads: Array = field(repr=False)
    heaps: Array = field(repr=False)
    left: Array = field(repr=False)


def make_pool(members: Array, group: Array, place: Array, key: Array) -> Pool:
    """Arrange some households; `group`, `place` and `key` are those of all households."""
    places = int(place.max(initial=0)) + 1
    run = group[members] * places + place[members]
    order = np.lexsort((members, key[members], run))
    slots, run = members[order], run[order]
    fresh = np.ones(len(run), dtype=bool)
    fresh[1:] = run[1:] != run[:-1]
    starts = np.flatnonzero(fresh)
    run_of = np.full(len(group), -1, dtype=np.int64)
    run_of[slots] = np.cumsum(fresh) - 1
    keys = key[slots]
    of_run = run[starts] // places
    fresh_group = np.ones(len(of_run), dtype=bool)
    fresh_group[1:] = of_run[1:] != of_run[:-1]
    group_starts = np.append(np.flatnonzero(fresh_group), len(of_run)).astype(np.int64)
    # a sorted list is a heap
    heaps = np.lexsort((keys[starts], of_run))
    return Pool(
        slots,
        keys,
        run_of,
        np.append(starts, len(slots)).astype(np.int64),
        np.cumsum(fresh_group) - 1,
        group_starts,
        starts.astype(np.int64),
        heaps.astype(np.int64),
        np.diff(group_starts),
    )


def pair_up(pool: Pool, wanting: Array, partner: Array, *, limit: int) -> int:
    """Give each household that wants one a partner, in turn, and return how many pairs there are.

    `partner` holds the partner of every household, `FREE` where it has none; those are changed.
    """
    made = _pair_up(
        wanting,
        limit,
        partner,
        pool.slots,
        pool.keys,
        pool.run_of,
        pool.run_starts,
        pool.group_of_run,
        pool.group_starts,
        pool.heads,
        pool.heaps,
        pool.left,
    )
    return int(made)


def cover_left_over(pool: Pool, wanted: Array, partner: Array) -> None:
    """Rearrange the pairs of a pool so that as many as can be of those wanted have a partner.

    `wanted` says it of every household. All pairs among the pool's households must have been made
    with this pool, so that each holds a household that is wanted.
    """
    _cover_left_over(
        wanted, partner, pool.slots, pool.run_of, pool.run_starts, pool.group_of_run,
        pool.group_starts,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _sift_down(heaps: Array, low: int, size: int, heads: Array, keys: Array) -> None:
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        other = child + 1
        if other < size and keys[heads[heaps[low + other]]] < keys[heads[heaps[low + child]]]:
            child = other
        if keys[heads[heaps[low + at]]] <= keys[heads[heaps[low + child]]]:
            return
        heaps[low + at], heaps[low + child] = heaps[low + child], heaps[low + at]
        at = child


@njit(cache=True, nogil=True)
def _sift_up(heaps: Array, low: int, at: int, heads: Array, keys: Array) -> None:
    while at:
        parent = (at - 1) // 2
        if keys[heads[heaps[low + parent]]] <= keys[heads[heaps[low + at]]]:
            return
        heaps[low + at], heaps[low + parent] = heaps[low + parent], heaps[low + at]
        at = parent


@njit(cache=True, nogil=True)
def _with_free_top(
    heaps: Array,
    low: int,
    size: int,
    heads: Array,
    keys: Array,
    slots: Array,
    ends: Array,
    partner: Array,
) -> int:
    """Move on from households that are taken until the top is free; return the heap's size."""
    while size:
        run = heaps[low]
        head, end = heads[run], ends[run + 1]
        if partner[slots[head]] == FREE:
            return size
        while head < end and partner[slots[head]] != FREE:
            head += 1
        if head == end:
            size -= 1
            heaps[low], heaps[low + size] = heaps[low + size], heaps[low]
        else:
            heads[run] = head
        _sift_down(heaps, low, size, heads, keys)
    return 0


@njit(cache=True, nogil=True)
def _pair_up(
    wanting: Array,
    limit: int,
    partner: Array,
    slots: Array,
    keys: Array,
    run_of: Array,
    run_starts: Array,
    group_of_run: Array,
    group_starts: Array,
    heads: Array,
    heaps: Array,
    left: Array,
) -> int:
    made = 0
    for i in range(wanting.shape[0]):
        if made == limit:
            break
        one = wanting[i]
        own = run_of[one]
        if own < 0 or partner[one] != FREE:
            continue
        group = group_of_run[own]
        low = group_starts[group]
        size = _with_free_top(heaps, low, left[group], heads, keys, slots, run_starts, partner)
        if size and heaps[low] == own:
            size -= 1
            heaps[low] = heaps[low + size]
            _sift_down(heaps, low, size, heads, keys)
            size = _with_free_top(heaps, low, size, heads, keys, slots, run_starts, partner)
            other = slots[heads[heaps[low]]] if size else FREE
            heaps[low + size] = own
            _sift_up(heaps, low, size, heads, keys)
            size += 1
        else:
            other = slots[heads[heaps[low]]] if size else FREE
        left[group] = size
        if other != FREE:
            partner[one], partner[other] = other, one
            made += 1
    return made


@njit(cache=True, nogil=True)
def _next_pair(at: int, end: int, slots: Array, partner: Array, run_of: Array, place: int) -> int:
    """Return the next slot whose household has a partner, neither of them in the place."""
    while at < end:
        one = slots[at]
        other = partner[one]
        if other > one and run_of[one] != place and run_of[other] != place:
            return at
        at += 1
    return end


@njit(cache=True, nogil=True)
def _cover_left_over(
    wanted: Array,
    partner: Array,
    slots: Array,
    run_of: Array,
    run_starts: Array,
    group_of_run: Array,
    group_starts: Array,
) -> None:
    """Cover those left over in each group.

    With no donor left, all free households of a group live in one place, p. There, in this order:

    1. a pair (x, y), x in p and not wanted: x gives its partner to one left over;
    2. two left over take a pair (a, b) that has nobody of p: (u, a), (v, b);
    3. the last one left over takes a of such a pair; b is set free where it is not wanted,
    4. or taken by a free household of p that is not wanted,
    5. or by x of a pair (x, y), x in p, y not wanted, which sets y free.

    If one is left over then, either every household outside p is with one of p that is wanted,
    or all who have a partner are wanted and their number is even: no pairing covers more.
    """
    for group in range(group_starts.shape[0] - 1):
        start = run_starts[group_starts[group]]
        end = run_starts[group_starts[group + 1]]
        number = 0
        for at in range(start, end):
            if wanted[slots[at]] and partner[slots[at]] == FREE:
                number += 1
        if not number:
            continue
        waiting = np.empty(number, dtype=np.int64)
        number = 0
        for at in range(start, end):
            if wanted[slots[at]] and partner[slots[at]] == FREE:
                waiting[number] = slots[at]
                number += 1
        place = run_of[waiting[0]]
        for at in range(run_starts[place], run_starts[place + 1]):
            x = slots[at]
            if number and partner[x] != FREE and not wanted[x]:
                number -= 1
                u, y = waiting[number], partner[x]
                partner[u], partner[y], partner[x] = y, u, FREE
        at = start
        while number >= 2:
            at = _next_pair(at, end, slots, partner, run_of, place)
            if at == end:
                break
            a = slots[at]
            b, u, v = partner[a], waiting[number - 1], waiting[number - 2]
            partner[u], partner[a], partner[v], partner[b] = a, u, b, v
            number -= 2
        if number != 1:
            continue
        u = waiting[0]
        a = FREE
        at = _next_pair(start, end, slots, partner, run_of, place)
        while at < end:
            a = slots[at]
            if not wanted[a] or not wanted[partner[a]]:
                break
            at = _next_pair(at + 1, end, slots, partner, run_of, place)
        if a == FREE:
            continue
        b = partner[a]
        if not wanted[a]:
            a, b = b, a
        if not wanted[b]:
            partner[u], partner[a], partner[b] = a, u, FREE
            continue
        for at in range(run_starts[place], run_starts[place + 1]):
            x = slots[at]
            if x == u:
                continue
            y = partner[x]
            if y == FREE or not wanted[y]:
                partner[u], partner[a], partner[x], partner[b] = a, u, b, x
                if y != FREE:
                    partner[y] = FREE
                break
