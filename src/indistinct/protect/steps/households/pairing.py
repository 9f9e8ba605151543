"""Which households are swapped with which: targeted record swapping on arrays.

Households at risk first, from the broadest level of the geography to the finest, then others at
random until the share is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Bools, Floats
from indistinct.protect.randomness import Draws
from indistinct.protect.steps.households.groups import Ints
from indistinct.protect.steps.households.matching import (
    FREE,
    Pool,
    cover_left_over,
    make_pool,
    pair_up,
)
from indistinct.protect.steps.households.places import Places
from indistinct.protect.steps.households.similarity import combined

__all__ = ["NOT_AT_RISK", "Pairing", "level_at_risk", "pair_households", "pairs_for"]

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
