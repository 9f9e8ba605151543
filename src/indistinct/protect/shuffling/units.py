"""What is shuffled as one row: a person, or husband and wife."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from indistinct.core import InputError, Ints
from indistinct.files import Source
from indistinct.households import HouseholdColumns, Kinship, read_columns, read_kinship
from indistinct.rules import Rule, Rules

__all__ = ["Of", "Units", "find_units"]

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
