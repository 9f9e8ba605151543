"""A step's shuffles in their order: one for all variables, or one after the other for couples.

What is shuffled as one row: a person, or husband and wife.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from indistinct.core import InputError, Ints
from indistinct.files import Source
from indistinct.households import HouseholdColumns, Kinship, read_columns, read_kinship
from indistinct.protect.randomness import Draws
from indistinct.protect.shuffling.copula import Shuffled, Ties, Worksheet
from indistinct.protect.shuffling.levels import shuffle_to_risk, shuffle_to_shares
from indistinct.protect.shuffling.margins import Coded, Codes, strata_of
from indistinct.protect.shuffling.reading import ShuffledColumn
from indistinct.rules import Rule, Rules

__all__ = ["Of", "Turn", "Units", "find_units", "take_turns"]


@dataclass(frozen=True, eq=False)
class Place:
    """A column of one member of the rows: the husband's age."""

    column: ShuffledColumn
    member: str
    records: Ints

    @property
    def name(self) -> str:
        """The name, for people."""
        return f"{self.column.name} of the {self.member}" if self.member else self.column.name

    def codes(self) -> Codes:
        """Return the codes as they are now."""
        return self.column.codes[self.records]

    def kinds(self) -> tuple[Codes, int]:
        """Return a number for every row's value, also where it stays."""
        return self.column.kinds(self.records)

    def left(self) -> tuple[Codes, int] | None:
        """Return a number for every row's value that stays, where there are several."""
        left = self.column.left
        return None if left is None else (left[self.records], int(left.max()) + 1)

    def coded(self, within: Sequence[Place] = ()) -> Coded:
        """Return it as a variable of the copula, in strata by other places."""
        codes = self.codes()
        columns = [place.kinds() for place in within]
        if self.column.groups is not None:
            branch = np.append(self.column.groups, -1)[codes].astype(np.int32)
            columns.append((branch, int(self.column.groups.max()) + 1))
        return Coded(self.name, codes, self.column.size, self.column.nominal, strata_of(columns))


@dataclass(frozen=True, eq=False)
class Turn:
    """One shuffle: X, S, and what the strata are made of."""

    confidential: Sequence[Place]
    given: Sequence[Place]
    within: Sequence[Place]
    levels: Mapping[str, float]
    shares: Mapping[str, float]
    max_risk: float | None
    ties: Ties
    diagonal: bool

    def shuffle(self, rng: np.random.Generator) -> Shuffled:
        """Shuffle, and give the columns their new codes."""
        own = [place.coded(self.within) for place in self.confidential]
        sheet = Worksheet(
            own,
            [place.coded(self.within) for place in self.given],
            self.confidential[0].records,
            Draws.from_generator(rng),
            self.ties,
            self.diagonal,
        )
        if self.max_risk is not None:
            key = [place.kinds() for place in (*self.given, *self.within)]
            key += [left for place in self.confidential if (left := place.left()) is not None]
            done = shuffle_to_risk(sheet, most=self.max_risk, key=key)
        else:
            done = shuffle_to_shares(sheet, levels=self.levels, shares=self.shares)
        for place in self.confidential:
            codes = place.column.codes.copy()
            codes[place.records] = done.codes[place.name]
            place.column.codes = codes
        return done


def take_turns(
    columns: Mapping[str, ShuffledColumn],
    units: Units,
    *,
    variables: Sequence[str],
    given: Sequence[str],
    within: Sequence[str],
    apart: Sequence[str],
    table: bool,
    levels: Mapping[str, float],
    shares: Mapping[str, float],
    max_risk: float | None,
    ties: Ties,
    diagonal: bool,
) -> Iterator[Turn]:
    """Yield the shuffles in their order; each sees what the ones before have done.

    With `table`, every variable of every member is shuffled by itself, between rows whose other
    member has the same value, so that the joint table of the two stays.
    """
    for rows in _groups(columns, units, apart):

        def places(names: Sequence[str], rows: Mapping[str, Ints] = rows) -> list[Place]:
            return [Place(columns[n], member, r) for n in names for member, r in rows.items()]

        def turn(own: Sequence[Place], also: Sequence[Place], alike: Sequence[Place]) -> Turn:
            mine = {place.name: place.column.name for place in own}
            return Turn(
                own,
                [*also, *places(given)],
                [*alike, *places(within)],
                {name: levels[v] for name, v in mine.items() if v in levels},
                {name: shares[v] for name, v in mine.items() if v in shares},
                max_risk,
                ties,
                diagonal,
            )

        if not any(len(records) for records in rows.values()):
            continue
        if not table:
            yield turn(places(variables), [], [])
            continue
        for variable in variables:
            for member in rows:
                own = [Place(columns[variable], member, rows[member])]
                partner = [p for p in places([variable]) if p.member != member]
                others = places([name for name in variables if name != variable])
                yield turn(own, others, partner)


def _groups(
    columns: Mapping[str, ShuffledColumn], units: Units, apart: Sequence[str]
) -> Iterator[dict[str, Ints]]:
    """Yield the rows of every group that is shuffled apart, by its first member's values."""
    if not apart:
        yield units.members
        return
    first = next(iter(units.members.values()))
    group = strata_of([columns[name].kinds(first) for name in apart])
    if group is None or not len(group):
        return
    for number in range(int(group.max()) + 1):
        rows = np.flatnonzero(group == number)
        yield {member: records[rows] for member, records in units.members.items()}


# What is shuffled as one row ---------------------------------------------------------------------


Of = Literal["people", "couples", "singles"]


@dataclass(frozen=True, eq=False)
class Units:
    """The rows, as records of each of their members.

    Parameters
    ----------
    members
        By the member's name (nothing for a person who is a row alone; husband and wife), the
        record of every row's member.
    """

    members: dict[str, Ints]
    notes: tuple[str, ...] = field(default=())

    @property
    def people(self) -> int:
        """The number of people in all rows."""
        return sum(len(records) for records in self.members.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """A word where there is nobody to shuffle."""
        return () if self.people else ("nobody is chosen, so nothing was shuffled",)


def find_units(
    source: Source, *, of: Of, where: str | None, columns: HouseholdColumns | None
) -> Units:
    """Return the rows to shuffle; a couple takes part when `where` holds for both."""
    rules = Rules((Rule("where", where),)) if where is not None else None
    needs_kin = of != "people" or (rules is not None and rules.needs_kinship)
    kinship: Kinship | None = None
    if needs_kin:
        if columns is None:
            raise InputError("Relatives are found from households. Say which columns these are.")
        kinship = read_kinship(source, columns)
    chosen = np.ones(source.records, dtype=bool)
    if rules is not None:
        chosen = rules.violations(rules.read(source), kinship).any
    if of == "people" or kinship is None or columns is None:
        return Units({"": np.flatnonzero(chosen)})
    if columns.sex is None or not columns.female:
        raise InputError("Husband and wife are told apart by sex. Say which column and codes.")
    sexes = read_columns(source, [columns.sex])[columns.sex]
    woman = sexes.recoded(dict.fromkeys(columns.female, 1)) == 1
    couples = kinship.couples(woman)
    same = couples.same_sex
    notes: tuple[str, ...] = ()
    if len(same):
        notes = (f"{len(same):,} unions of the same sex are too few to shuffle and were left",)
    if of == "couples":
        both = chosen[couples.husband] & chosen[couples.wife]
        return Units({"husband": couples.husband[both], "wife": couples.wife[both]}, notes)
    chosen[couples.husband] = chosen[couples.wife] = False
    chosen[same.ravel()] = False
    return Units({"": np.flatnonzero(chosen)}, notes)
