"""Which households are swapped with which: targeted record swapping on arrays.

Households at risk first, from the broadest level of the geography to the finest, then others at
random until the share is reached.

Pairs of households that are alike and live in different places.

Households of a *group* may be paired with each other unless they live in the same *place*. Each has
a random key (smaller is earlier); households of a group and place form a *run* in the order of
keys, and the runs of a group a heap by the key of their first free household. A donor is the free
household with the smallest key in another place than the one that wants to be swapped: the top of
the heap, or, where that is its own run, the top of the heap without it. So a pair costs the
logarithm of the number of places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from indistinct.core import Array, Bools, Floats
from indistinct.protect.randomness import Draws
from indistinct.protect.steps.households.groups import Ints
from indistinct.protect.steps.households.places import Places
from indistinct.protect.steps.households.similarity import combined

__all__ = [
    "NOT_AT_RISK",
    "Pairing",
    "cover_left_over",
    "level_at_risk",
    "make_pool",
    "pair_households",
    "pair_up",
    "pairs_for",
]

NOT_AT_RISK = 1 << 16


@dataclass(frozen=True, eq=False)
class Pairing:
    """The partner of every household, and how each pair came about.

    Parameters
    ----------
    partner
        The household with which each is swapped; -1 where it stays.
    level
        The level of the geography at which it was swapped.
    profile
        The similarity profile by which the partner was found.
    forced
        Whether the pair was made because one of the two is at risk.
    at_risk
        The broadest level at which the household is at risk; `NOT_AT_RISK` where at none.
    """

    partner: Ints = field(repr=False)
    level: Ints = field(repr=False)
    profile: Ints = field(repr=False)
    forced: Bools = field(repr=False)
    at_risk: Ints = field(repr=False)

    @property
    def swapped(self) -> Bools:
        """Whether each household is swapped."""
        return np.asarray(self.partner != FREE)

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return int(self.swapped.sum()) // 2


def level_at_risk(rarest: Sequence[Ints], k: int, households: int) -> Ints:
    """Return the broadest level at which a household has a person with fewer than k alike.

    >>> level_at_risk([np.array([9, 2, 5]), np.array([1, 1, 4])], 3, 3).tolist()
    [1, 0, 65536]
    """
    found = np.full(households, NOT_AT_RISK, dtype=np.int64)
    for level in range(len(rarest) - 1, -1, -1):
        found[rarest[level] < k] = level
    return found


def pairs_for(share: float, households: int) -> int:
    """Return how many pairs make up a share of the households, at least.

    >>> pairs_for(0.05, 5000), pairs_for(0.1, 101), pairs_for(1.0, 3)
    (125, 6, 1)
    """
    # a share such as 0.1 is no binary fraction, and a product a hair above 1 is 1
    return min(households // 2, int(np.ceil(share * households / 2 - 1e-9)))


@dataclass(eq=False)
class _Maker:
    """Pairs in the making."""

    places: Places
    classes: Sequence[Ints]
    near: bool
    partner: Ints
    level: Ints
    profile: Ints
    forced: Bools
    groups: dict[tuple[int, int], Ints]

    def reaches(self, level: int) -> list[int]:
        """Levels of the place in which both must live, the nearest first; -1 is anywhere."""
        return list(range(level - 1, -2, -1)) if self.near else [-1]

    def group(self, profile: int, reach: int) -> Ints:
        """Number the groups of households that are alike and in the same place of a level."""
        if reach < 0:
            return self.classes[profile]
        if (profile, reach) not in self.groups:
            self.groups[profile, reach] = combined([self.classes[profile], self.places.at[reach]])
        return self.groups[profile, reach]

    def note(self, members: Ints, level: int, profile: int, *, forced: bool) -> None:
        """Write down how the pairs came about that were made just now."""
        new = members[(self.partner[members] != FREE) & (self.level[members] < 0)]
        self.level[new], self.profile[new], self.forced[new] = level, profile, forced


def pair_households(
    places: Places,
    classes: Sequence[Ints],
    *,
    share: float,
    at_risk: Ints,
    weights: Callable[[int], Floats],
    numbers: Ints,
    near: bool,
    draws: Draws,
) -> Pairing:
    """Pair households for swapping.

    Parameters
    ----------
    places
        Where each household lives.
    classes
        The class of each household in each similarity profile, the strictest profile first.
    share
        The share of households that are to be swapped, at least.
    at_risk
        The broadest level at which each household is at risk.
    weights
        The weight with which each household is drawn, at a level.
    numbers
        The number by which each household's random numbers are drawn.
    near
        Whether a partner is looked for in the same place of the next broader level first.
    """
    number = len(numbers)
    made = _Maker(
        places,
        classes,
        near,
        np.full(number, FREE, dtype=np.int64),
        np.full(number, -1, dtype=np.int64),
        np.full(number, -1, dtype=np.int64),
        np.zeros(number, dtype=bool),
        {},
    )
    for level in range(places.levels):
        if (at_risk <= level).any():
            # with one key for both, partners would be neighbours in the order of drawing, and
            # those at risk would run out long before the others
            chosen = _random_keys(draws, f"chosen at {level}", numbers, weights(level))
            donors = _random_keys(draws, f"donors at {level}", numbers, weights(level))
            _swap_those_at_risk(made, level, at_risk <= level, chosen, donors)
    finest = places.levels - 1
    if share > 0 and number:
        chosen = _random_keys(draws, "chosen at random", numbers, weights(finest))
        donors = _random_keys(draws, "donors at random", numbers, weights(finest))
        _swap_at_random(made, finest, share, chosen, donors, draws)
    return Pairing(made.partner, made.level, made.profile, made.forced, at_risk)


def _random_keys(draws: Draws, stream: str, numbers: Ints, weights: Floats) -> Floats:
    """Return keys whose order is that of drawing by weight without replacement.

    −ln(U)/w, smallest first (Efraimidis and Spirakis 2006).
    """
    uniform = 1.0 - draws.uniform(stream, numbers)
    return np.asarray(-np.log(uniform) / weights)


def _swap_those_at_risk(
    made: _Maker,
    level: int,
    wanted: Bools,
    chosen: Floats,
    donors: Floats,
) -> None:
    for profile in range(len(made.classes)):
        for reach in made.reaches(level):
            waiting = np.flatnonzero(wanted & (made.partner == FREE))
            if not len(waiting):
                return
            group = made.group(profile, reach)
            concerned = np.zeros(int(group.max()) + 1, dtype=bool)
            concerned[group[waiting]] = True
            members = np.flatnonzero((made.partner == FREE) & concerned[group])
            pool = make_pool(members, group, made.places.at[level], donors)
            in_turn = waiting[np.lexsort((waiting, chosen[waiting]))]
            pair_up(pool, in_turn, made.partner, limit=len(wanted))
            cover_left_over(pool, wanted, made.partner)
            made.note(members, level, profile, forced=True)


def _swap_at_random(
    made: _Maker,
    level: int,
    share: float,
    chosen: Floats,
    donors: Floats,
    draws: Draws,
) -> None:
    number = len(chosen)
    left = pairs_for(share, number) - int((made.partner != FREE).sum()) // 2
    if left <= 0:
        return
    in_turn = _by_place_in_turn(made, level, share, chosen, draws)
    free = np.flatnonzero(made.partner == FREE)
    pools: dict[tuple[int, int], Pool] = {}
    start, block = 0, 0
    while left > 0 and start < len(in_turn):
        # partners are often among those chosen, so fewer pairs come about than are wanted
        block = max(left, 2 * block)
        waiting = in_turn[start : start + block]
        start += block
        for profile in range(len(made.classes)):
            for reach in made.reaches(level):
                waiting = waiting[made.partner[waiting] == FREE]
                if not len(waiting) or not left:
                    break
                if (profile, reach) not in pools:
                    group = made.group(profile, reach)
                    pools[profile, reach] = make_pool(free, group, made.places.at[level], donors)
                left -= pair_up(pools[profile, reach], waiting, made.partner, limit=left)
                made.note(free, level, profile, forced=False)


def _by_place_in_turn(made: _Maker, level: int, share: float, chosen: Floats, draws: Draws) -> Ints:
    """Order the free households so that every beginning has its share of each place.

    Household r of a place that lacks d swapped ones comes at (r + u)/d, u the same for all of the
    place: the first n have n·d/Σd of each place, up to one.
    """
    place = made.places.at[level]
    number = made.places.number(level)
    swapped = np.bincount(place[made.partner != FREE], minlength=number)
    lacking = np.maximum(0.0, share * np.bincount(place, minlength=number) - swapped)
    free = np.flatnonzero(made.partner == FREE)
    order = free[np.lexsort((free, chosen[free], place[free]))]
    sizes = np.bincount(place[free], minlength=number)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shift = draws.uniform("places", np.arange(number))
    with np.errstate(divide="ignore"):
        turn = (rank + shift[place[order]]) / lacking[place[order]]
    return np.asarray(order[np.lexsort((order, chosen[order], turn))], dtype=np.int64)


# Pairs of households that are alike and live in different places ---------------------------------


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
