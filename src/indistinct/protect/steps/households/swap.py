"""Targeted record swapping: whole households change places with households that are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, InputError, between, check_number, check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_variables, class_numbers, with_columns
from indistinct.protect.steps.households.groups import Households, Ints, read_households
from indistinct.protect.steps.households.pairing import (
    NOT_AT_RISK,
    Pairing,
    level_at_risk,
    pair_households,
    pairs_for,
)
from indistinct.protect.steps.households.places import Places, rarest_in_place, read_places
from indistinct.protect.steps.households.similarity import SIZE, check_profiles, profile_classes

__all__ = [
    "Dependent",
    "Depending",
    "Donors",
    "SwapHouseholds",
    "SwappedPairs",
    "what_goes_with_places",
]


# What goes with the place of a household: whoever moves and keeps it tells where they came from.
#
# An area below a county, a county's name beside its code, or whether it is urban: variables that
# tell the place, or that follow from it. They are found by counting, as the judge finds copies.


_SAMPLE = 5_000
_AT_ONCE = 8
"""Columns that are read together."""

_EVIDENCE = 8.0
"""Households that would disagree by chance; with fewer, agreeing means nothing."""

_TELLS = 0.9
"""How much better than chance a place must be told, from 0 to 1: that of the judge of copies."""


@dataclass(frozen=True)
class Depending:
    """Variables that belong to the place, by what can be done.

    Parameters
    ----------
    with_place
        Those that all of a household share, and that tell the place exactly or follow from it.
    telling
        Others that tell the place, exactly or nearly.
    """

    with_place: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()


def what_goes_with_places(
    engine: Engine,
    source: Source,
    households: Households,
    places: Places,
    *,
    without: Sequence[str],
) -> Depending:
    """Find the variables that belong to the place, all but some.

    >>> import indistinct
    >>> from indistinct.protect.steps.households.groups import read_households
    >>> from indistinct.protect.steps.households.places import read_places
    >>> people = {"home": [*range(24)], "county": ["n", "s"] * 12,
    ...           "area": ["n1", "s1", "n2", "s2"] * 6, "rooms": [1, 2, 2, 1, 3, 1] * 4}
    >>> with indistinct.open_data(people) as data:
    ...     homes = read_households(data.engine, data.source, "home")
    ...     where = read_places(data.engine, data.source, homes, ["county"])
    ...     what_goes_with_places(data.engine, data.source, homes, where, without=["home"])
    Depending(with_place=('area',), telling=())
    """
    apart = {*places.names, *without, *source.variables.names(role="identifier")}
    names = [name for name in source.variables if name not in apart]
    with_place, telling = [], []
    for name in _candidates(source, households, places, names):
        codes = class_numbers(engine.count(source, [name]))
        own = codes[households.first]
        shared = bool((own[households.of_record] == codes).all())
        tells = max(_told(level, own) for level in places.at)
        if shared and (tells == 1 or _told(own, places.at[-1]) == 1):
            with_place.append(name)
        elif tells >= _TELLS or max(_in_order(level, source, name, households)
                                    for level in places.at) >= _TELLS:  # fmt: skip
            telling.append(name)
    return Depending(tuple(with_place), tuple(telling))


def _candidates(
    source: Source, households: Households, places: Places, names: Sequence[str]
) -> list[str]:
    """Return the variables that some households, drawn at random, do not rule out."""
    number = len(households)
    drawn = np.arange(number)
    if number > _SAMPLE:
        drawn = np.sort(np.random.default_rng(number).choice(number, _SAMPLE, replace=False))
    rows, found = pa.array(households.first[drawn]), []
    at = [level[drawn] for level in places.at]
    for start in range(0, len(names), _AT_ONCE):
        some = list(names[start : start + _AT_ONCE])
        table = source.table(some).take(rows)
        for name in some:
            own = _ordered(table.column(name))
            if any(max(_told(level, own), _told(own, level), _unbroken(level, own)) >= _TELLS
                   for level in at):  # fmt: skip
                found.append(name)
    return found


def _told(told: Ints, by: Ints) -> float:
    """Return how much better than chance households with one value agree in another, up to 1."""
    order = np.argsort(by, kind="stable")
    same = by[order][1:] == by[order][:-1]
    agree = (told[order][1:] == told[order][:-1])[same]
    return _beyond_chance(agree, told)


def _unbroken(told: Ints, by: Ints) -> float:
    """Return the same of households that stand side by side in the order of a value."""
    inside = told[np.argsort(by, kind="stable")]
    return _beyond_chance(inside[1:] == inside[:-1], told)


def _in_order(level: Ints, source: Source, name: str, households: Households) -> float:
    own = _ordered(source.table([name]).column(0).take(pa.array(households.first)))
    return _unbroken(level, own)


def _beyond_chance(agree: np.ndarray[tuple[int], np.dtype[np.bool_]], told: Ints) -> float:
    shares = np.bincount(told - told.min(initial=0)) / max(1, len(told))
    chance = float(shares @ shares)
    if len(agree) * (1 - chance) < _EVIDENCE:
        return 0.0
    return (float(agree.mean()) - chance) / (1 - chance)


def _ordered(column: pa.ChunkedArray) -> Ints:
    """Return values as places in their order; a missing one is a value."""
    column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = column.dictionary_encode(null_encoding="encode")
    place = np.empty(len(coded.dictionary), dtype=np.int64)
    place[pc.sort_indices(coded.dictionary).to_numpy()] = np.arange(len(place))
    return np.asarray(place[coded.indices.to_numpy()])


Donors = Literal["near", "anywhere"]
Dependent = Literal["carry", "leave"]


@dataclass(frozen=True, eq=False, repr=False)
class SwappedPairs:
    """Which households changed places: for the holder alone, since it undoes the swapping.

    Parameters
    ----------
    records
        Pairs of record numbers, from 0: the first record of either household.
    level
        The position in the hierarchy of the level at which the pair was swapped.
    profile
        The position of the similarity profile by which it was found.
    forced
        Whether it was made because a household was at risk.
    carried
        The variables that were exchanged because they go with the place.
    """

    records: Ints = field(repr=False)
    level: Ints = field(repr=False)
    profile: Ints = field(repr=False)
    forced: Bools = field(repr=False)
    carried: tuple[str, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"SwappedPairs({len(self):,} pairs of households, {int(self.forced.sum()):,} forced)"


@dataclass(frozen=True)
class SwapHouseholds(Step, kind="swap-households"):
    """Exchange the places of pairs of households that are alike.

    A household is *at risk* at a level of the geography when one of its people has a combination
    of the risk variables that fewer than k people of the place have. It is swapped with a
    household of another place at the broadest level at which it is at risk; others are swapped at
    random, at the finest level, until the share is reached. Nobody is swapped twice. Households
    by place and by what all profiles have in common are as many as before.

    Parameters
    ----------
    household
        The variable that groups people. A record without one is a household by itself.
    hierarchy
        The geography's variables, the broadest first. All of them are exchanged.
    similar
        Similarity profiles, tried in turn: variables (of the household; of a person, compared as
        numbers of people by value), ``(size)``, or numbers of people such as ``(age 0..14)``.
    share
        The share of households that are swapped, at least; households at risk may be more.
    risk
        The variables by which people may stand out in their place.
    k
        How many must share a combination; 0 takes nobody for being at risk.
    carry_along
        Further variables of the household that go with the place (urban or rural, say).
    by_risk
        Draw households and partners with probabilities in proportion to 1/(people who share the
        rarest combination). False draws all alike.
    donors
        ``near`` looks for a partner within the same place of the next broader level first, then
        further away; ``anywhere`` does not care.
    dependent
        ``carry`` exchanges with the place every variable that tells it or follows from it, such as
        an area below the county; ``leave`` leaves them, and the receipt warns of those that tell.

    Notes
    -----
    Targeted record swapping as of the European censuses: Shlomo, Tudor and Groom (2010), "Data
    swapping for protecting census tables"; Gussenbauer's `recordSwap` in sdcMicro. See
    ``docs/methods/record-swapping.md`` for what is different.
    """

    household: str
    hierarchy: tuple[str, ...]
    similar: tuple[tuple[str, ...], ...] = ((SIZE,),)
    share: float = 0.05
    risk: tuple[str, ...] = ()
    k: int = 0
    carry_along: tuple[str, ...] = ()
    by_risk: bool = True
    donors: Donors = "near"
    dependent: Dependent = "carry"

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse variables with two tasks, a share that is none, and k without risk variables."""
        check_variables(self.hierarchy, "the hierarchy of places")
        check_variables(self.risk, "risk", some=False)
        check_variables(self.carry_along, "being carried along", some=False)
        check_profiles(self.similar)
        object.__setattr__(self, "hierarchy", tuple(self.hierarchy))
        object.__setattr__(self, "risk", tuple(self.risk))
        object.__setattr__(self, "carry_along", tuple(self.carry_along))
        object.__setattr__(self, "similar", tuple(tuple(p) for p in self.similar))
        check_number("The share of households to swap", self.share, between(0, 1))
        check_whole("k", self.k, 0)
        if self.k > 1 and not self.risk:
            raise InputError("With k the step needs risk variables. Name them, or use k=0.")
        if self.share == 0 and self.k < 2:
            raise InputError("With a share of 0 and no k nothing would be swapped. Give either.")
        if self.donors not in ("near", "anywhere"):
            raise InputError(f"donors must be near or anywhere. Got '{self.donors}'.")
        if self.dependent not in ("carry", "leave"):
            raise InputError(f"dependent must be carry or leave. Got '{self.dependent}'.")
        moved = (*self.hierarchy, *self.carry_along)
        used = [*self.risk, *(term for profile in self.similar for term in profile)]
        twice = [n for n in moved if n in used or n == self.household]
        if twice or len(set(moved)) < len(moved):
            named = twice[0] if twice else next(n for n in moved if moved.count(n) > 1)
            raise InputError(
                f"'{named}' is exchanged with the place, so it has no other task in this step."
            )

    def describe(self) -> str:
        """Say what is done, without who was."""
        alike = "; else ".join(" and ".join(profile) for profile in self.similar)
        who = f"{self.share:.2%} of the households" if self.share else "households"
        if self.k > 1:
            rare = (
                f"with a combination of {', '.join(self.risk)} that fewer than {self.k} people of "
                "the place have"
            )
            who += f" and all those {rare}" if self.share else f" {rare}"
        return (
            f"swap whole households (by {self.household}) between places "
            f"({', '.join((*self.hierarchy, *self.carry_along))}"
            f"{', and what goes with them' if self.dependent == 'carry' else ''}): {who}, "
            f"each with one that agrees on {alike}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Find the pairs, and exchange their places."""
        source.check_columns([self.household, *self.hierarchy, *self.carry_along, *self.risk])
        households = read_households(engine, source, self.household)
        places = read_places(engine, source, households, self.hierarchy)
        pairing = self._pairing(engine, source, households, places, context)
        depending = self._depending(engine, source, households, places)
        carried = depending.with_place if self.dependent == "carry" else ()
        codes = self._codes(engine, source, households, places, carried)
        changed = {
            name: pairing.swapped & (column != column[pairing.partner])
            for name, column in codes.items()
        }
        result = _exchanged(engine, source, households, pairing.partner, changed)
        either = np.zeros(len(households), dtype=bool)
        for column in changed.values():
            either |= column
        notes, warnings = self._told(households, places, pairing)
        if pairing.swapped.any():
            notes, warnings = self._told_of_depending(depending, notes, warnings)
        return self.with_receipt(
            source,
            result,
            records_changed=int(households.sizes[either].sum()),
            cells_changed={n: int(households.sizes[c].sum()) for n, c in changed.items()},
            notes=notes,
            warnings=warnings,
            private=_private(households, pairing, carried),
        )

    def undo(self, engine: Engine, source: Source, pairs: SwappedPairs) -> Source:
        """Swap the pairs back; the records must be in the order in which they were swapped."""
        source.check_columns([self.household, *self.hierarchy, *self.carry_along, *pairs.carried])
        households = read_households(engine, source, self.household)
        known = pairs.records.reshape(-1)
        if (known >= source.records).any() or (
            households.first[households.of_record[known]] != known
        ).any():
            raise InputError(
                f"{source.origin}: the pairs are not those of these records. Undo the swapping on "
                "the file it gave, its records in the same order."
            )
        partner = np.full(len(households), -1, dtype=np.int64)
        numbers = households.of_record[pairs.records]
        partner[numbers[:, 0]], partner[numbers[:, 1]] = numbers[:, 1], numbers[:, 0]
        moved = (*self.hierarchy, *self.carry_along, *pairs.carried)
        every = {name: partner >= 0 for name in moved}
        return _exchanged(engine, source, households, partner, every)

    def _pairing(
        self,
        engine: Engine,
        source: Source,
        households: Households,
        places: Places,
        context: Context,
    ) -> Pairing:
        number = len(households)
        rarest: list[Ints] = []
        if self.risk:
            rarest = rarest_in_place(engine, source, households, self.hierarchy, self.risk)

        def weights(level: int) -> Floats:
            return 1.0 / rarest[level] if rarest and self.by_risk else np.ones(number)

        return pair_households(
            places,
            profile_classes(engine, source, households, self.similar),
            share=self.share,
            at_risk=level_at_risk(rarest, self.k, number),
            weights=weights,
            numbers=households.first,
            near=self.donors == "near",
            draws=context.draws(),
        )

    def _codes(
        self,
        engine: Engine,
        source: Source,
        households: Households,
        places: Places,
        carried: tuple[str, ...],
    ) -> dict[str, Ints]:
        """Return the code of every household in each variable that is exchanged."""
        codes = {name: places.codes[:, j] for j, name in enumerate(self.hierarchy)}
        for name in (*self.carry_along, *carried):
            own = class_numbers(engine.count(source, [name]))
            codes[name] = households.one_value(own, f"'{name}'")
        return codes

    def _depending(
        self, engine: Engine, source: Source, households: Households, places: Places
    ) -> Depending:
        """Return what goes with the place; what has a task here stays, and is told of."""
        away = (self.household, *self.carry_along)
        found = what_goes_with_places(engine, source, households, places, without=away)
        tasks = {*self.risk, *(term for profile in self.similar for term in profile)}
        return Depending(
            tuple(name for name in found.with_place if name not in tasks),
            (*found.telling, *(name for name in found.with_place if name in tasks)),
        )

    def _told_of_depending(
        self, depending: Depending, notes: tuple[str, ...], warnings: tuple[str, ...]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        left = depending.telling
        if self.dependent == "leave":
            left = (*depending.with_place, *left)
        elif depending.with_place:
            notes = (*notes, f"exchanged with the place: {', '.join(depending.with_place)}")
        if left:
            one = len(left) == 1
            warnings = (
                *warnings,
                f"{', '.join(left)} {'goes' if one else 'go'} with the place and "
                f"{'is' if one else 'are'} not exchanged: whoever reads "
                f"{'it' if one else 'them'} may tell where households lived before. Name "
                f"{'it' if one else 'them'} in carry_along or the hierarchy, or leave "
                f"{'it' if one else 'them'} out",
            )
        return notes, warnings

    def _told(
        self, households: Households, places: Places, pairing: Pairing
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        swapped, number = pairing.swapped, len(households)
        share = swapped.sum() / max(1, number)
        notes = [f"{int(swapped.sum()):,} of {number:,} households ({share:.2%}) were swapped"]
        warnings = []
        for level, name in enumerate(places.names):
            here = swapped & (pairing.level == level)
            forced = int((here & pairing.forced).sum())
            if here.any() or self.k > 1:
                risky = int((pairing.at_risk == level).sum())
                told = f"between places by {name}: {int(here.sum()):,} households"
                if self.k > 1:
                    told += f", {forced:,} of them in pairs with one at risk ({risky:,} at risk)"
                notes.append(told)
        if len(self.similar) > 1:
            by_profile = np.bincount(pairing.profile[swapped], minlength=len(self.similar))
            counts = ", ".join(f"{n:,}" for n in by_profile.tolist())
            notes.append(f"households by the similarity profile that was used: {counts}")
        at_risk = pairing.at_risk < NOT_AT_RISK
        below = int((at_risk & swapped & (pairing.level > pairing.at_risk)).sum())
        left = int((at_risk & ~swapped).sum())
        if below:
            warnings.append(
                f"{below:,} households at risk had no partner at the level at which they are, and "
                "were swapped at a finer one"
            )
        if left:
            warnings.append(
                f"{left:,} households at risk are where they were: no household that is alike was "
                "left in another place. Add a looser similarity profile, or protect them otherwise"
            )
        if pairing.pairs < pairs_for(self.share, number):
            warnings.append(
                f"the share asked for, {self.share:.2%}, was not reached: no more households that "
                "are alike live in different places"
            )
        if places.number(places.levels - 1) < 2:
            warnings.append("all households live in one place, so nothing can be swapped")
        return tuple(notes), tuple(warnings)


def _private(households: Households, pairing: Pairing, carried: tuple[str, ...]) -> SwappedPairs:
    first = np.flatnonzero(pairing.partner > np.arange(len(households)))
    both = np.stack([households.first[first], households.first[pairing.partner[first]]], axis=1)
    return SwappedPairs(
        both, pairing.level[first], pairing.profile[first], pairing.forced[first], carried
    )


def _exchanged(
    engine: Engine,
    source: Source,
    households: Households,
    partner: Ints,
    changed: Mapping[str, Bools],
) -> Source:
    """Give the records of each household that changes what its partner's first record has."""
    names = [name for name, households_changed in changed.items() if households_changed.any()]
    if not names:
        return source
    giver = np.where(partner >= 0, households.first[partner], households.first)
    rows = np.arange(source.records)
    moves = (partner >= 0)[households.of_record]
    rows[moves] = giver[households.of_record[moves]]
    table, taken = source.table(names), pa.array(rows)
    new = {name: table.column(name).combine_chunks().take(taken) for name in names}
    return with_columns(engine, source, new)
