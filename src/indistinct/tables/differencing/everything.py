"""Everything that a set of tables publishes, against itself.

What two tables of the same variables reveal: other groupings of a variable, other universes.

The zones are cells: an area with a category of every variable that both tables have. Two groupings
of age that do not nest (0–15 and 16+, five-year groups) tell the fifteen-year-olds by subtraction;
all residents minus the employed ones tell the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from indistinct.core import Bools, InputError, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import Counted
from indistinct.tables.differencing.differences import (
    Differencing,
    classes_in_zones,
    counted_in,
    difference_geographies,
)
from indistinct.tables.differencing.joint import Joint, joint_atoms
from indistinct.tables.differencing.overlapping import Ints, Overlap, overlap, zone_of
from indistinct.tables.differencing.revealing import reveal
from indistinct.tables.uniques import TabularUniques, tabular_uniques

__all__ = [
    "Comparison",
    "Differences",
    "comparison",
    "difference_cells",
    "difference_recodings",
    "differences",
]


@result
class Differences(Result):
    """What the tables of a set reveal when they are subtracted from each other.

    Parameters
    ----------
    pairs
        What every pair of geographies, and every pair of tables that group or count differently,
        reveals.
    joint
        What three or more geographies determine together and no two reveal; None for fewer.
    """

    pairs: tuple[Differencing, ...]
    joint: Joint | None

    FACTS = facts(
        "revealed",
        Fact("newly_frtu", lambda found: sum(pair.newly for pair in found.pairs)),
        "pairs",
        "joint",
    )

    def sentence(self) -> str:
        """Say how many pairs were compared."""
        together = "" if self.joint is None else f", {self.joint.number:,} of them by all together"
        return (
            f"Differences({len(self.pairs):,} pairs compared, {self.revealed:,} revealed{together})"
        )

    @property
    def revealed(self) -> int:
        """Revealed zones and cells, over all pairs, and sets that are determined jointly."""
        return sum(pair.zones for pair in self.pairs) + (self.joint.number if self.joint else 0)

    @property
    def is_safe(self) -> bool:
        """Whether nothing below the thresholds is revealed."""
        return self.revealed == 0

    def _row_tables(self) -> list[Table]:
        found = [pair.to_dict() for pair in self.pairs]
        headings = ("kind", "first", "second", "threshold", "revealed", "people", "frtu", "new")
        names = (*headings[:-1], "newly_frtu")
        rows = [tuple(one[name] for name in names) for one in found]
        return [Table("What is revealed by subtraction", headings, rows)]

    def plot(self) -> str:
        """Return a figure: the zones and cells that each pair reveals."""
        labels = [" and ".join(pair.revealed.overlap.names) for pair in self.pairs]
        return bars("Zones and cells revealed", labels, [pair.zones for pair in self.pairs])


def differences(
    counted: Counted,
    *,
    threshold: int = 10,
    cell_threshold: int = 3,
    uniques: TabularUniques | None = None,
) -> Differences:
    """Find what a set of tables reveals when its parts are subtracted from each other.

    Geographies are compared in pairs, and jointly where there are three or more. Tables are
    compared on the variables that they share, where they group these differently or count
    different people; tables that compare the same are compared once, and groupings that nest,
    which leave nothing to subtract, not at all.

    Parameters
    ----------
    threshold
        Revealed zones of geographies with fewer people count.
    cell_threshold
        Revealed cells of tables with fewer people count.
    uniques
        The uniques of the published tables, if they are known already.
    """
    geographies = [counted.tables.area, *counted.tables.also]
    pairs = [
        difference_geographies(counted, first, second, threshold=threshold)
        for first, second in combinations(geographies, 2)
    ]
    joint = None
    if len(geographies) > 2:
        joint = joint_atoms(
            [zone_of(counted, g)[0] for g in geographies],
            counted.counts,
            threshold,
            names=[g.name for g in geographies],
        )
        joint = joint.without(_known(joint, pairs))
    compared = list(_comparisons(counted))
    if compared and uniques is None:
        uniques = tabular_uniques(counted)
    for one in progress.each(compared, "comparing tables", unit="pairs"):
        pairs.append(difference_cells(one, threshold=cell_threshold, uniques=uniques))
    return Differences(tuple(pairs), joint)


def _known(joint: Joint, pairs: list[Differencing]) -> Any:
    """Return the people in the smallest set that a pair reveals around every atom; 0 for none."""
    rows = np.flatnonzero(joint.atom_of >= 0)
    large = np.iinfo(np.int64).max
    known = np.full(len(joint.people), large)
    for pair in pairs:
        atom = pair.revealed.overlap.atom_of[rows]
        least = np.where(atom >= 0, pair.revealed.least_people[atom], 0)
        np.minimum.at(known, joint.atom_of[rows], np.where(least > 0, least, large))
    return np.where(known == large, 0, known)


def _comparisons(counted: Counted) -> Iterator[Comparison]:
    """Yield the pairs of tables that may reveal something, each comparison once."""
    seen = set()
    for first, second in combinations(range(len(counted.layouts)), 2):
        one = comparison(counted, first, second)
        if one.identity in seen or not one.kind or one.is_nested:
            continue
        seen.add(one.identity)
        yield one


# What two tables of the same variables reveal ----------------------------------------------------


__all__ += ["difference_universes"]


@dataclass(frozen=True)
class Comparison:
    """Two tables, compared on the variables that both have.

    Parameters
    ----------
    first, second
        The positions of the tables in the set.
    variables
        The variables that both have; the other dimensions are added up.
    """

    counted: Counted
    first: int
    second: int
    variables: tuple[str, ...]

    def maps(self, variable: str) -> tuple[Ints, Ints]:
        """Return the categories of a variable's values in each of the two."""
        found = []
        for position in (self.first, self.second):
            layout = self.counted.layouts[position]
            at = [d.variable for d in layout.table.dimensions].index(variable)
            found.append(layout.categories[at].codes)
        return found[0], found[1]

    @cached_property
    def recoded(self) -> tuple[str, ...]:
        """The variables that the two group differently."""
        return tuple(v for v in self.variables if not _same_partition(*self.maps(v)))

    @cached_property
    def other_universe(self) -> bool:
        """Whether the two count different people."""
        first, second = (self.counted.layouts[n].table for n in (self.first, self.second))
        if first.universe == second.universe:
            return False
        return bool((self.counted.inside(first) != self.counted.inside(second)).any())

    @property
    def kind(self) -> str:
        """What makes them differ; empty where nothing does."""
        parts = ["recodings"] * bool(self.recoded) + ["universes"] * self.other_universe
        return " and ".join(parts)

    @cached_property
    def is_nested(self) -> bool:
        """Whether every cell of one is a union of cells of the other: nothing to subtract."""
        if self.other_universe:
            return False
        maps = [self.maps(v) for v in self.recoded]
        return all(_refines(a, b) for a, b in maps) or all(_refines(b, a) for a, b in maps)

    @property
    def identity(self) -> tuple[Any, ...]:
        """What it compares, so that tables that compare the same are compared once."""
        sides = []
        for side, position in enumerate((self.first, self.second)):
            table = self.counted.layouts[position].table
            codes = tuple(self.maps(v)[side].tobytes() for v in self.variables)
            sides.append((codes, table.universe))
        return (self.variables, tuple(sides))

    def overlap(self) -> Overlap:
        """Lay the cells of the two over each other, in every area."""
        sides = [self._cells(side) for side in (0, 1)]
        layouts = self.counted.layouts
        return overlap(
            sides[0][0],
            sides[1][0],
            self.counted.counts,
            first_labels=sides[0][1],
            second_labels=sides[1][1],
            names=(layouts[self.first].name, layouts[self.second].name),
        )

    def _cells(self, side: int) -> tuple[Ints, Sequence[str]]:
        """Return the cell of every class, numbered among those that somebody is in, and labels."""
        counted = self.counted
        layout = counted.layouts[(self.first, self.second)[side]]
        groupings = {
            d.variable: (d, c)
            for d, c in zip(layout.table.dimensions, layout.categories, strict=True)
        }
        cell = counted.area.astype(np.int64)
        for variable in self.variables:
            grouping, categories = groupings[variable]
            cell = cell * categories.size + counted.category_of(categories, grouping)
        inside = counted.inside(layout.table)
        used, number = np.unique(cell[inside], return_inverse=True)
        codes = np.full(counted.classes, -1, dtype=np.int64)
        codes[inside] = number
        labels = [groupings[v][1].labels for v in self.variables]
        return codes, CellLabels(used, counted.areas, tuple(labels))


@dataclass(frozen=True, eq=False)
class CellLabels(Sequence[str]):
    """The names of cells, written when they are asked for: there may be millions."""

    cells: Ints
    areas: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        shape = (len(self.areas), *(len(one) for one in self.labels))
        area, *at = np.unravel_index(int(self.cells[number]), shape)
        parts = [one[int(n)] for one, n in zip(self.labels, at, strict=True)]
        return " / ".join([self.areas[int(area)], *parts])


def comparison(counted: Counted, first: str | int, second: str | int) -> Comparison:
    """Set two tables side by side."""
    one, two = (n if isinstance(n, int) else counted.position(n) for n in (first, second))
    tables = counted.layouts[one].table, counted.layouts[two].table
    shared = tuple(v for v in tables[0].variables if v in tables[1].variables)
    return Comparison(counted, one, two, shared)


def difference_cells(
    compared: Comparison, *, threshold: int = 3, uniques: TabularUniques | None = None
) -> Differencing:
    """Find what two tables reveal by subtraction, and who can be found by it.

    A revealed cell takes the place of those cells of the two tables that it is a part of. So a
    full unique here is somebody who is alone in a revealed cell and in every other table; a part
    unique is alone in a revealed cell, and not in some other table.

    Parameters
    ----------
    uniques
        The uniques of the published tables, if they are known already.
    """
    counted = compared.counted
    with progress.task("looking for cells that a difference reveals"):
        revealed = reveal(compared.overlap(), threshold)
    classes, zone = classes_in_zones(revealed, revealed.number)
    labels = tuple(f"revealed {n + 1}" for n in range(revealed.number))
    inside = counted_in(counted, classes, zone, labels)
    alone = revealed.people[: revealed.number][zone] == 1
    if not alone.any():
        no = np.zeros(len(classes), dtype=bool)
        return Differencing(compared.kind, revealed, inside, classes, no, no, no)
    uniques = uniques or tabular_uniques(counted)
    others = (uniques.tables_in - uniques.ones)[classes].astype(np.int64)
    for position in {compared.first, compared.second}:
        table = counted.layouts[position].table
        if set(table.variables) == set(compared.variables):
            # the revealed cell says more than this table's own, whoever else is in that
            others -= counted.own_counts(position)[classes] > 1
    full: Bools = alone & (others == 0)
    before = uniques.full[classes]
    return Differencing(compared.kind, revealed, inside, classes, full, alone & ~full, before)


def difference_recodings(
    counted: Counted, first: str, second: str, *, threshold: int = 3
) -> Differencing:
    """Find what two tables reveal that group a variable differently.

    Parameters
    ----------
    first, second
        The names of the tables. Dimensions that only one of them has are added up.
    threshold
        Revealed cells with fewer people count.
    """
    compared = comparison(counted, first, second)
    if not compared.recoded:
        raise InputError(
            f"The tables '{first}' and '{second}' group no variable differently. Name two tables "
            "with different groupings of one variable."
        )
    return difference_cells(compared, threshold=threshold)


def difference_universes(
    counted: Counted, first: str, second: str, *, threshold: int = 3
) -> Differencing:
    """Find what two tables of the same dimensions reveal that count different people.

    The first universe minus the second, and the other way round.
    """
    compared = comparison(counted, first, second)
    if not compared.other_universe:
        raise InputError(
            f"The tables '{first}' and '{second}' count the same people. Name two tables with "
            "different universes."
        )
    return difference_cells(compared, threshold=threshold)


def _refines(fine: Ints, coarse: Ints) -> bool:
    """Whether values of one fine category are always in one coarse category."""
    pairs = np.unique(np.stack([fine, coarse]), axis=1)
    return bool(pairs.shape[1] == len(np.unique(fine)))


def _same_partition(one: Ints, two: Ints) -> bool:
    return _refines(one, two) and _refines(two, one)
