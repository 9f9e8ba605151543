"""Attribute disclosure in tables of counts: what is learned about people who are known to be in it.

An intruder knows a person's area and some dimensions of a table (the *known* ones), which places
the person in a group, and reads the others (the *targets*) from the table. For a group of n people
of whom n_c are in category c of a target:

- *individual*: n = 1. Whoever recognises the person learns everything the table has.
- *group*: n ≥ 2 and n_c = n. Nobody must be recognised: all are in c.
- *by a coalition* of up to K members of the group, who know what they are themselves: 1 ≤ n − n_c ≤
  K. They subtract everybody outside c, and the n_c others are seen to be in c. With K = 1 a single
  member finds out.
- *negative*: n_c = 0 where it need not be. Nobody in the group is in c.

See Hundepool et al. (2012), "Statistical disclosure control", chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from indistinct.core import Array, Bools, InputError, Ints, check_whole, did_you_mean, progress
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables import kernels
from indistinct.tables.counting import Counted

__all__ = ["AttributeDisclosure", "TargetDisclosure", "attribute_disclosure"]


@dataclass(frozen=True, eq=False)
class TargetDisclosure(Part):
    """What one table tells about one target; every array has an entry for each area.

    Parameters
    ----------
    table, known, target
        The table, the dimensions that are known, and the one that is learned.
    groups
        Groups of people who share what is known.
    individual
        Groups of one person.
    group, group_people
        Groups of two or more who are all in one category, and the people in them.
    coalition, coalition_people
        Groups that a coalition can undo, and the people about whom one learns.
    negative, negative_people
        Empty categories of groups which others in the same group, elsewhere, are in; and the people
        of these groups.
    """

    table: str
    known: tuple[str, ...]
    target: str
    groups: Ints = field(repr=False)
    individual: Ints = field(repr=False)
    group: Ints = field(repr=False)
    group_people: Ints = field(repr=False)
    coalition: Ints = field(repr=False)
    coalition_people: Ints = field(repr=False)
    negative: Ints = field(repr=False)
    negative_people: Ints = field(repr=False)

    FACTS = facts(
        "table",
        "known",
        "target",
        Fact(
            "numbers",
            lambda found: {name: int(getattr(found, name).sum()) for name in _NUMBERS},
            spread=True,
        ),
    )


_NUMBERS: tuple[str, ...] = (
    "groups",
    "individual",
    "group",
    "group_people",
    "coalition",
    "coalition_people",
    "negative",
    "negative_people",
)


@result
class AttributeDisclosure(Result):
    """What a set of tables tells about people of whom some dimensions are known.

    Parameters
    ----------
    counted
        The tables.
    known
        The variables that the intruder knows, beside the area.
    largest_coalition
        How many members of a group may tell each other what they are.
    targets
        What was found, for every table and target.
    individual, group, coalition
        For every class of people whether it happens to them in some table.
    """

    counted: Counted
    known: tuple[str, ...]
    largest_coalition: int
    targets: tuple[TargetDisclosure, ...]
    individual: Bools
    group: Bools
    coalition: Bools

    FACTS = facts(
        Fact("records", "counted.records"),
        Fact("areas", lambda found: len(found.counted.areas)),
        "known",
        Fact("individual", lambda found: found._people(found.individual)),
        Fact("group", lambda found: found._people(found.group)),
        Fact("individual_or_group", lambda found: found._people(found.individual | found.group)),
        "largest_coalition",
        Fact("coalition", lambda found: found._people(found.coalition)),
        Fact("tables", "targets", shown=""),
        shown=True,
    )

    def sentence(self) -> str:
        """Say of whom, and what is known."""
        return (
            f"AttributeDisclosure({self.counted.records:,} people in {len(self.counted.areas):,} "
            f"areas; known: {', '.join(self.known) or 'the area alone'})"
        )

    def _people(self, found: Bools) -> int:
        return int(self.counted.counts[found].sum())

    @cached_property
    def people_per_area(self) -> Ints:
        """People in each area about whom a table tells something, without a coalition."""
        found = self.individual | self.group
        areas = len(self.counted.areas)
        return np.bincount(
            self.counted.area[found], weights=self.counted.counts[found], minlength=areas
        ).astype(np.int64)

    def _row_tables(self) -> list[Table]:
        headings = (
            "table",
            "target",
            "groups",
            "individual",
            "alike",
            "people alike",
            "by coalition",
            "people by coalition",
            "empty categories",
        )
        rows = [
            (one.table, one.target, *(int(getattr(one, name).sum()) for name in _NUMBERS[:-1]))
            for one in self.targets
        ]
        order = np.argsort(-self.people_per_area, kind="stable").tolist()
        sizes = self.counted.area_sizes
        areas = [
            (self.counted.areas[n], int(sizes[n]), int(self.people_per_area[n])) for n in order
        ]
        return [
            Table("Tables and targets", headings, rows),
            Table("Areas, most people first", ("area", "people", "told about"), areas),
        ]

    def plot(self) -> str:
        """Return a figure: people about whom each table tells its target, without a coalition."""
        labels = [f"{one.table}: {one.target}" for one in self.targets]
        people = [int(one.individual.sum() + one.group_people.sum()) for one in self.targets]
        return bars("People about whom a target is told", labels, people)


def attribute_disclosure(
    counted: Counted,
    *,
    known: Sequence[str],
    targets: Sequence[str] | None = None,
    coalition: int = 1,
) -> AttributeDisclosure:
    """Find what tables of counts tell about people whose known dimensions place them in a group.

    Every table of counts is looked at with each of its target dimensions in turn. Tables without a
    target are left out; in one without a known dimension, the group is everybody in the area whom
    the table counts. An empty category counts as negative disclosure only if somebody in the same
    group is in it in another area: what is impossible tells nothing. Linear in classes × tables ×
    targets.

    Parameters
    ----------
    known
        The variables that an intruder knows of a person.
    targets
        The variables that are learned; all others if not given.
    coalition
        How many members of a group may tell each other what they are: K.
    """
    check_whole("coalition", coalition, 1)
    _check(counted, known, targets)
    found: list[TargetDisclosure] = []
    individual, group, undone = (np.zeros(counted.classes, dtype=bool) for _ in range(3))
    positions = list(range(len(counted.layouts)))
    for position in progress.each(positions, "looking for attributes", unit="tables"):
        table = counted.layouts[position].table
        if not table.is_count:
            continue
        for n, dimension in enumerate(table.dimensions):
            variable = dimension.variable
            if variable is None or variable in known:
                continue
            if targets is None or variable in targets:
                grouped = _Grouped.of(counted, position, n, known)
                found.append(grouped.disclosure(coalition))
                size, alike = grouped.of_class()
                individual |= size == 1
                group |= (size > 1) & (alike == size)
                undone |= (alike < size) & (size - alike <= coalition)
    if not found:
        raise InputError(
            "No table of counts has a dimension that is not known. Name fewer variables as known."
        )
    return AttributeDisclosure(
        counted, tuple(known), coalition, tuple(found), individual, group, undone
    )


def _check(counted: Counted, known: Sequence[str], targets: Sequence[str] | None) -> None:
    variables = [name for table in counted.tables for name in table.variables]
    for name in (*known, *(targets or ())):
        if name not in variables:
            hint = did_you_mean(name, dict.fromkeys(variables))
            raise InputError(f"No table has a dimension of '{name}'. {hint}")
    both = set(known) & set(targets or ())
    if both:
        raise InputError(f"'{min(both)}' is known and a target. It is one of the two.")


@dataclass(frozen=True, eq=False)
class _Grouped:
    """One table, added up over everything but what is known and one target."""

    counted: Counted
    table: str
    known: tuple[str, ...]
    target: str
    groups: int
    categories: int
    cell: Ints
    """Of every class its group × categories + its category; -1 outside the universe."""

    @classmethod
    def of(cls, counted: Counted, position: int, target: int, known: Sequence[str]) -> _Grouped:
        layout = counted.layouts[position]
        cell = np.zeros(counted.classes, dtype=np.int64)
        names, groups = [], 1
        sides = list(zip(layout.table.dimensions, layout.categories, strict=True))
        for grouping, categories in sides:
            if grouping.variable in known:
                cell = cell * categories.size + counted.category_of(categories, grouping)
                groups *= categories.size
                names.append(grouping.name)
        grouping, categories = sides[target]
        cell = cell * categories.size + counted.category_of(categories, grouping)
        if layout.table.universe:
            cell[~counted.inside(layout.table)] = -1
        return cls(counted, layout.name, tuple(names), grouping.name, groups, categories.size, cell)

    def of_class(self) -> tuple[Ints, Ints]:
        """Return, for every class, the people in its group, and those in the same category."""
        counted = self.counted
        size, alike = (np.empty(counted.classes, dtype=np.int64) for _ in range(2))
        group = np.where(self.cell < 0, -1, self.cell // self.categories)
        kernels.own_counts(counted.starts, group, counted.counts, self.groups, size)
        cells = self.groups * self.categories
        kernels.own_counts(counted.starts, self.cell, counted.counts, cells, alike)
        return size, alike

    def disclosure(self, coalition: int) -> TargetDisclosure:
        """Count groups and people, area by area."""
        area, cell, count = self._cells()
        areas = len(self.counted.areas)
        group = cell // self.categories
        first = np.ones(len(count), dtype=bool)
        first[1:] = (area[1:] != area[:-1]) | (group[1:] != group[:-1])
        starts = np.flatnonzero(first)
        if not len(starts):
            nobody = np.zeros(areas, dtype=np.int64)
            return TargetDisclosure(self.table, self.known, self.target, *([nobody] * 8))
        size = np.add.reduceat(count, starts)
        held = np.diff(np.append(starts, len(count)))
        where = area[starts]
        size_of_cell = np.repeat(size, held)
        undone = (count < size_of_cell) & (size_of_cell - count <= coalition)
        alike = (size > 1) & (held == 1)
        # categories that the group is in somewhere: the others may be impossible
        possible = np.bincount(np.unique(cell) // self.categories, minlength=self.groups)[
            group[starts]
        ]

        def summed(at: Ints, amounts: Array) -> Ints:
            return np.bincount(at, weights=amounts, minlength=areas).astype(np.int64)

        return TargetDisclosure(
            self.table,
            self.known,
            self.target,
            summed(where, np.ones(len(where))),
            summed(where, size == 1),
            summed(where, alike),
            summed(where, size * alike),
            summed(where, np.logical_or.reduceat(undone, starts)),
            summed(area, count * undone),
            summed(where, possible - held),
            summed(where, size * (possible > held)),
        )

    def _cells(self) -> tuple[Ints, Ints, Ints]:
        """Return the cells that somebody is in, by area, group and category."""
        counted = self.counted
        area, cell, count = (np.empty(counted.classes, dtype=np.int64) for _ in range(3))
        number = kernels.count_cells(
            counted.starts,
            self.cell,
            counted.counts,
            self.groups * self.categories,
            area,
            cell,
            count,
        )
        area, cell, count = area[:number], cell[:number], count[:number]
        order = np.lexsort((cell, area))
        return area[order], cell[order], count[order]
