"""Who lives with whom: households, heads, couples, mothers and fathers, as record numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import bars

__all__ = ["NOBODY", "Couples", "Kinship", "Records"]

Records = Ints
"""Record numbers, from 0."""

NOBODY = -1


@result
class Kinship(Result):
    """The household of every record, and the records of its head, spouse, mother and father.

    Parameters
    ----------
    household
        The number of the household, counted from 0 in the order in which households are met.
    head, spouse, mother, father
        The record of that relative in the same household; `NOBODY` (-1) where there is none.
        Spouses point at each other.
    notes
        Sentences for people: what could not be told, without any value of a cell.
    """

    household: Records
    head: Records
    spouse: Records
    mother: Records
    father: Records
    notes: tuple[str, ...] = ()

    FACTS = facts(
        Fact("people", "records", shown="people"),
        Fact("households", shown="households"),
        Fact("with_a_spouse", lambda found: (found.spouse != NOBODY).sum(), shown="with a spouse"),
        Fact("with_a_mother", lambda found: (found.mother != NOBODY).sum(), shown="with a mother"),
        Fact("with_a_father", lambda found: (found.father != NOBODY).sum(), shown="with a father"),
        "notes",
    )

    def sentence(self) -> str:
        """Say how many people there are."""
        return f"Kinship of {self.records:,} people"

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.household)

    @property
    def households(self) -> int:
        """The number of households."""
        return int(self.household.max()) + 1 if len(self.household) else 0

    def of(self, relative: str) -> Records:
        """Return the records of everybody's head, spouse, mother or father."""
        found: Records = getattr(self, relative)
        return found

    def couples(self, woman: Bools) -> Couples:
        """Pair husbands with wives; unions of the same sex, or of unknown sex, are set apart."""
        first = np.flatnonzero(self.spouse > np.arange(self.records))
        second = self.spouse[first]
        mixed = woman[first] != woman[second]
        wife = np.where(woman[first], first, second)
        husband = np.where(woman[first], second, first)
        return Couples(husband[mixed], wife[mixed], np.stack([first, second], 1)[~mixed])

    def plot(self) -> str:
        """Draw how many people have which relative in their household, as SVG."""
        names = ("with a spouse", "with a mother", "with a father")
        counts = [int((of != NOBODY).sum()) for of in (self.spouse, self.mother, self.father)]
        return bars(f"Of {self.records:,} people", names, counts)


@dataclass(frozen=True, eq=False)
class Couples:
    """Couples as records of husband and wife, and the unions of the same sex beside them."""

    husband: Records
    wife: Records
    same_sex: Records = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.husband)
