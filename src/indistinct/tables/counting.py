"""Counting a set of tables: people are counted once, by everything the tables ask for.

The engine counts by the geographies and all variables of the tables; what comes back are classes of
people who stand in the same cell of every table. Tables, uniques, differences and protection are
made from these classes. The cell of a class is worked out when a table is looked at: for a hundred
tables of a million people the cells of all would fill memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from indistinct.core import Array, Bools, InputError, Ints, SmallInts, progress
from indistinct.engine import Engine, KeyCoding, Tally
from indistinct.files import Source
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables import kernels
from indistinct.tables.grouping import Categories, Grouping, belongs
from indistinct.tables.specification import TableSet, TableSpec

__all__ = ["CellCounts", "Counted", "Layout", "count_tables"]


@dataclass(frozen=True)
class Layout:
    """One table laid out: its categories, and where its cells begin among those of the set.

    Cells are numbered as in Openshaw et al. (1997), section 5.3, row variable first:
    (row − 1) · columns + column, and tables one after the other. Here they count from 0.
    """

    table: TableSpec
    categories: tuple[Categories, ...]
    offset: int

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of categories of each dimension."""
        return tuple(c.size for c in self.categories)

    @property
    def cells(self) -> int:
        """The number of its cells, for one area."""
        return int(np.prod(self.shape, dtype=np.int64))

    def labels(self, cell: int) -> tuple[str, ...]:
        """Return the categories of a cell, counted from 0 within the table."""
        at = np.unravel_index(cell, self.shape)
        return tuple(c.labels[int(n)] for c, n in zip(self.categories, at, strict=True))

    def all_labels(self) -> Iterator[tuple[str, ...]]:
        """Yield the categories of every cell, in order."""
        yield from product(*(c.labels for c in self.categories))


@dataclass(frozen=True, eq=False)
class CellCounts:
    """The cells of one table that somebody is in, sorted by area and cell.

    Parameters
    ----------
    area
        The area of each, as a position in `Counted.areas`.
    cell
        Its number within the table, from 0.
    count
        The people in it.
    """

    area: Ints
    cell: Ints
    count: Ints

    def __len__(self) -> int:
        return len(self.count)


@result
class Counted(Result):
    """A set of tables, counted: classes of people who share every cell, sorted by area.

    Parameters
    ----------
    tables
        What was counted.
    layouts
        The tables laid out, in the set's order.
    areas
        The labels of the areas.
    area
        The area of every class, rising.
    counts
        People in every class.
    codes
        For every variable the code of its value in every class.
    values
        For every variable its values, by code; None is a missing value.
    sorted_as
        The class, as the engine numbers them, at each position here.
    tally
        What the engine counted: gives people the results of their classes.
    """

    tables: TableSet
    layouts: tuple[Layout, ...]
    areas: tuple[str, ...]
    area: SmallInts
    counts: Ints
    codes: dict[str, Array]
    values: dict[str, list[Any]]
    sorted_as: Ints
    tally: Tally

    FACTS = facts(
        Fact("areas", lambda found: len(found.areas)),
        Fact("tables", lambda found: {layout.name: layout.cells for layout in found.layouts}),
        "cells",
        "records",
        "classes",
    )

    def sentence(self) -> str:
        """Say how much was counted."""
        return (
            f"Counted({len(self.layouts)} tables, {self.cells:,} cells for each of "
            f"{len(self.areas):,} areas, {self.records:,} people in {self.classes:,} classes)"
        )

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.counts)

    @cached_property
    def records(self) -> int:
        """The number of people."""
        return int(self.counts.sum())

    @property
    def cells(self) -> int:
        """Cells per area, of all tables together."""
        return sum(layout.cells for layout in self.layouts)

    @cached_property
    def starts(self) -> Ints:
        """Where the classes of each area begin; one more for the end."""
        return np.searchsorted(self.area, np.arange(len(self.areas) + 1)).astype(np.int64)

    @cached_property
    def area_sizes(self) -> Ints:
        """People in each area."""
        return np.bincount(self.area, weights=self.counts, minlength=len(self.areas)).astype(
            np.int64
        )

    def position(self, name: str) -> int:
        """Return the position of a table in the set."""
        return self.tables.tables.index(self.tables[name])

    def inside(self, table: TableSpec) -> Bools:
        """Say of every class whether a table's universe holds it."""
        inside = np.ones(self.classes, dtype=bool)
        for name, items in table.universe:
            inside &= belongs(self.values[name], items)[self.codes[name]]
        return inside

    def category_of(self, categories: Categories, grouping: Grouping) -> Ints:
        """Return the category of every class in one grouping."""
        if grouping.variable is None:
            return np.zeros(self.classes, dtype=np.int64)
        found: Ints = categories.codes[self.codes[grouping.variable]]
        return found

    def cell_of(self, position: int) -> Ints:
        """Return the cell of every class in one table, from 0; -1 outside its universe."""
        layout = self.layouts[position]
        cell = np.zeros(self.classes, dtype=np.int64)
        for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True):
            cell *= categories.size
            cell += self.category_of(categories, grouping)
        if layout.table.universe:
            cell[~self.inside(layout.table)] = -1
        return cell

    def own_counts(self, position: int) -> Ints:
        """Return the people in the cell of every class, in one table; 0 outside its universe."""
        out = np.empty(self.classes, dtype=np.int64)
        kernels.own_counts(
            self.starts, self.cell_of(position), self.counts, self.layouts[position].cells, out
        )
        return out

    def cell_counts(self, position: int) -> CellCounts:
        """Return the cells of one table that somebody is in."""
        area = np.empty(self.classes, dtype=np.int64)
        cell, count = np.empty_like(area), np.empty_like(area)
        number = kernels.count_cells(
            self.starts,
            self.cell_of(position),
            self.counts,
            self.layouts[position].cells,
            area,
            cell,
            count,
        )
        area, cell, count = area[:number], cell[:number], count[:number]
        order = np.lexsort((cell, area))
        return CellCounts(area[order], cell[order], count[order])

    def area_vector(self, area: int) -> Ints:
        """Return all counts of one area, tables one after the other: Y of equation (8)."""
        rows = slice(int(self.starts[area]), int(self.starts[area + 1]))
        parts = []
        for position, layout in enumerate(self.layouts):
            cell = self.cell_of(position)[rows]
            seen = cell >= 0
            parts.append(
                np.bincount(
                    cell[seen], weights=self.counts[rows][seen], minlength=layout.cells
                ).astype(np.int64)
            )
        return np.concatenate(parts)

    def per_person(self, of_class: Array) -> Iterator[Array]:
        """Give every person the value of their class, in record order, a batch at a time."""
        sorted_values = np.empty_like(of_class)
        sorted_values[self.sorted_as] = of_class
        return self.tally.per_record(sorted_values)

    def regrouped(self, area: Grouping) -> Counted:
        """Return the same tables for another geography, without counting again."""
        if area.variable is not None and area.variable not in self.codes:
            raise InputError(
                f"'{area.variable}' was not counted. Name it as a geography when counting."
            )
        tables = TableSet(self.tables.tables, area, self.tables.also)
        return _arranged(
            tables, self.layouts, self.codes, self.values, self.counts, self.sorted_as, self.tally
        )

    def with_tables(self, tables: TableSet) -> Counted:
        """Return other tables of the same people and areas, without counting again."""
        missing = [name for name in tables.variables if name not in self.codes]
        if missing:
            raise InputError(f"'{missing[0]}' was not counted. Name it in a table when counting.")
        layouts = _laid_out(tables, self.values)
        return _arranged(
            tables, layouts, self.codes, self.values, self.counts, self.sorted_as, self.tally
        )

    def _row_tables(self) -> list[Table]:
        rows = [
            (one.name, " × ".join(d.name for d in one.table.dimensions), one.cells, one.offset + 1)
            for one in self.layouts
        ]
        headings = ("table", "dimensions", "cells", "first cell")
        return [Table("The tables", headings, rows)]


def count_tables(
    source: Source, engine: Engine, tables: TableSet, *, besides: Sequence[str] = ()
) -> Counted:
    """Count a set of tables.

    Parameters
    ----------
    source
        The records, one for each person.
    besides
        Variables that are to be counted with those of the tables: a flag of modified records, a
        geography within which areas are to be merged.
    """
    names = list(dict.fromkeys((*tables.variables, *besides)))
    source.check_columns(names)
    if source.records == 0:
        raise InputError(f"{source.origin}: there are no people to count.")
    with progress.task("counting people by area and variables"):
        tally = engine.count(source, names or [next(iter(source.variables))])
    coding, codes = _decoded(tally)
    values = {one.name: one.decode(np.arange(one.size)) for one in coding.variables}
    used = {name: np.bincount(codes[name], minlength=len(values[name])) > 0 for name in codes}
    for name, seen in used.items():
        # a coding may have room for values between the smallest and the largest that nobody has
        if not seen.all():
            codes[name] = _smallest(np.cumsum(seen) - 1)[codes[name]]
            values[name] = [v for v, there in zip(values[name], seen, strict=True) if there]
    layouts = _laid_out(tables, values)
    counts = tally.sorted_counts().astype(np.int64)
    order = np.arange(len(counts), dtype=np.int64)
    return _arranged(tables, layouts, codes, values, counts, order, tally)


def _laid_out(tables: TableSet, values: dict[str, list[Any]]) -> tuple[Layout, ...]:
    layouts: list[Layout] = []
    offset = 0
    for table in tables:
        categories = tuple(
            d.categories(values[d.variable] if d.variable is not None else [])
            for d in table.dimensions
        )
        layouts.append(Layout(table, categories, offset))
        offset += layouts[-1].cells
    return tuple(layouts)


def _decoded(tally: Tally) -> tuple[KeyCoding, dict[str, Array]]:
    coding = tally.coding
    columns = coding.unpack(tally.sorted_words())
    return coding, {
        one.name: _smallest(column) for one, column in zip(coding.variables, columns, strict=True)
    }


def _smallest(codes: Array) -> Array:
    """Codes in the smallest type that holds them: a hundred tables look at them."""
    return codes.astype(np.min_scalar_type(int(codes.max(initial=0))))


def _arranged(
    tables: TableSet,
    layouts: tuple[Layout, ...],
    codes: dict[str, Array],
    values: dict[str, list[Any]],
    counts: Ints,
    sorted_as: Ints,
    tally: Tally,
) -> Counted:
    """Put the classes in the order of their areas."""
    grouping = tables.area
    if grouping.variable is None:
        labels: tuple[str, ...] = ("everybody",)
        area = np.zeros(len(counts), dtype=np.int32)
    else:
        known = values[grouping.variable]
        if None in known:
            without = int(counts[codes[grouping.variable] == known.index(None)].sum())
            raise InputError(
                f"{without:,} people have no value in the area variable '{grouping.variable}'. "
                "Give everybody an area, or leave them out first."
            )
        categories = grouping.categories(known)
        area = categories.codes[codes[grouping.variable]].astype(np.int32)
        labels = categories.labels
        empty = categories.size - len(np.unique(area))
        if empty:
            raise InputError(
                f"{empty:,} of the {categories.size:,} areas of '{grouping.name}' have no people. "
                "Leave them out of the geography."
            )
    if (np.diff(area) < 0).any():
        order = np.argsort(area, kind="stable")
        area, counts, sorted_as = area[order], counts[order], sorted_as[order]
        codes = {name: column[order] for name, column in codes.items()}
    return Counted(tables, layouts, labels, area, counts, codes, values, sorted_as, tally)
