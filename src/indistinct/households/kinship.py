"""Who lives with whom: households, heads, couples, mothers and fathers, as record numbers."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOBODY", "Couples", "Kinship", "Records"]

Records = NDArray[np.int64]
"""Record numbers, from 0."""

NOBODY = -1


@dataclass(frozen=True, eq=False, repr=False)
class Kinship:
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

    def couples(self, woman: NDArray[np.bool_]) -> Couples:
        """Pair husbands with wives; unions of the same sex, or of unknown sex, are set apart."""
        first = np.flatnonzero(self.spouse > np.arange(self.records))
        second = self.spouse[first]
        mixed = woman[first] != woman[second]
        wife = np.where(woman[first], first, second)
        husband = np.where(woman[first], second, first)
        return Couples(husband[mixed], wife[mixed], np.stack([first, second], 1)[~mixed])

    def __repr__(self) -> str:
        facts = {
            "households": self.households,
            "with a spouse": int((self.spouse != NOBODY).sum()),
            "with a mother": int((self.mother != NOBODY).sum()),
            "with a father": int((self.father != NOBODY).sum()),
        }
        lines = [f"Kinship of {self.records:,} people"]
        lines += [f"  {name:<14} {number:>12,}" for name, number in facts.items()]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


@dataclass(frozen=True, eq=False)
class Couples:
    """Couples as records of husband and wife, and the unions of the same sex beside them."""

    husband: Records
    wife: Records
    same_sex: Records = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.husband)
