"""Who lives with whom: households, heads, couples, mothers and fathers, as record numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.results import Shown, Table
from indistinct.results.figures import bars

__all__ = ["NOBODY", "Couples", "Kinship", "Records"]

Records = Ints
"""Record numbers, from 0."""

NOBODY = -1


@dataclass(frozen=True, eq=False, repr=False)
class Kinship(Shown):
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

    def __repr__(self) -> str:
        return self._short()

    def _lines(self) -> list[str]:
        lines = [f"Kinship of {self.records:,} people"]
        lines += [f"  {name:<14} {number:>12,}" for name, number in self._facts().items()]
        return [*lines, *(f"  note: {note}" for note in self.notes)]

    def _facts(self) -> dict[str, int]:
        return {
            "households": self.households,
            "with a spouse": int((self.spouse != NOBODY).sum()),
            "with a mother": int((self.mother != NOBODY).sum()),
            "with a father": int((self.father != NOBODY).sum()),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name; nobody's record."""
        facts = {name.replace(" ", "_"): number for name, number in self._facts().items()}
        return {"people": self.records, **facts, "notes": list(self.notes)}

    def plot(self) -> str:
        """Draw how many people have which relative in their household, as SVG."""
        _, *rows = self._facts().items()
        return bars(
            f"Of {self.records:,} people", [name for name, _ in rows], [count for _, count in rows]
        )

    def _tables(self) -> list[Table]:
        return [Table.facts("Who lives with whom", {"people": self.records, **self._facts()})]


@dataclass(frozen=True, eq=False)
class Couples:
    """Couples as records of husband and wife, and the unions of the same sex beside them."""

    husband: Records
    wife: Records
    same_sex: Records = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.husband)
