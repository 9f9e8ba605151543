"""Where households live, at every level of a geography, and who stands out there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.steps.columns import class_numbers
from indistinct.protect.steps.households.groups import Households, Ints

__all__ = ["Places", "rarest_in_place", "read_places"]


@dataclass(frozen=True, eq=False)
class Places:
    """The place of every household at each level, the broadest first.

    A place is told by its code and those of the places that hold it: the same code of a county in
    two regions is two counties. A missing code is a place like any other.
    """

    names: tuple[str, ...]
    codes: Ints = field(repr=False)
    """The code of each household (rows) in each column of the geography."""
    at: tuple[Ints, ...] = field(repr=False)
    """The number of each household's place, by level."""

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return len(self.names)

    def number(self, level: int) -> int:
        """Return how many places there are at a level."""
        return int(self.at[level].max(initial=-1)) + 1


def read_places(
    engine: Engine, source: Source, households: Households, hierarchy: Sequence[str]
) -> Places:
    """Read where each household lives; one that lives in two places is refused."""
    tally = engine.count(source, hierarchy)
    table, classes = KeyTable.from_tally(tally), class_numbers(tally)
    own = households.one_value(classes, f"its place ({', '.join(hierarchy)})")
    at = tuple(
        table.rollup(hierarchy[: level + 1])[1][own].astype(np.int64)
        for level in range(len(hierarchy))
    )
    return Places(tuple(hierarchy), table.codes[own], at)


def rarest_in_place(
    engine: Engine,
    source: Source,
    households: Households,
    hierarchy: Sequence[str],
    variables: Sequence[str],
) -> list[Ints]:
    """Return how many people of the place share the combination of a household's rarest person.

    One array for each level: min over persons p of the household of
    #{q in the same place: q has the combination of p}. A missing value is a value like others.
    """
    key = (*hierarchy, *variables)
    tally = engine.count(source, key)
    table, classes = KeyTable.from_tally(tally), class_numbers(tally)
    found = []
    for level in range(len(hierarchy)):
        coarser, rows = table.rollup((*hierarchy[: level + 1], *variables))
        found.append(_smallest(households, coarser.counts[rows][classes]))
    return found


def _smallest(households: Households, counts: NDArray[np.int64]) -> Ints:
    smallest = np.full(len(households), np.iinfo(np.int64).max)
    np.minimum.at(smallest, households.of_record, counts)
    return smallest
