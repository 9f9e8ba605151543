"""The parts of published tables: cells and totals of every table, for every geography.

A part is worked out when it is looked at, from the classes of people: all parts of a hundred tables
together would fill memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from indistinct.core import InputError, Ints
from indistinct.tables import kernels
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import belongs

__all__ = [
    "AtomCells",
    "Geography",
    "Margin",
    "Summed",
    "atom_cells",
    "check_counts",
    "geographies",
    "margins",
    "summed",
]


@dataclass(frozen=True)
class Margin:
    """One part of a table: its cells, or the totals over some of its dimensions.

    Parameters
    ----------
    position
        The table, as a position in the set.
    kept
        The dimensions that are not added up; all of them for the table's own cells.
    geography
        0 for the areas, then the further geographies of the set.
    """

    position: int
    kept: tuple[int, ...]
    geography: int = 0

    def shape(self, counted: Counted) -> tuple[int, ...]:
        """Return the number of categories of each kept dimension."""
        whole = counted.layouts[self.position].shape
        return tuple(whole[n] for n in self.kept)

    def size(self, counted: Counted) -> int:
        """Return the number of its cells, for one area."""
        return int(np.prod(self.shape(counted), dtype=np.int64))

    def identity(self, counted: Counted) -> tuple[object, ...]:
        """Return what its cells count: parts of two tables that are the same have the same."""
        table = counted.layouts[self.position].table
        dimensions = [table.dimensions[n] for n in self.kept]
        parts = tuple(sorted(repr(d) for d in dimensions if d.variable is not None))
        return (self.geography, table.universe, parts)

    def cell_of(self, counted: Counted, rows: slice = slice(None)) -> Ints:
        """Return the cell of every class in this part; -1 outside the universe."""
        layout = counted.layouts[self.position]
        cell = np.zeros(len(counted.counts[rows]), dtype=np.int64)
        for n in self.kept:
            categories, variable = layout.categories[n], layout.table.dimensions[n].variable
            cell *= categories.size
            if variable is not None:
                cell += categories.codes[counted.codes[variable][rows]]
        for name, items in layout.table.universe:
            cell[~belongs(counted.values[name], items)[counted.codes[name][rows]]] = -1
        return cell


def margins(counted: Counted, *, once: bool = False, inner_only: bool = False) -> Iterator[Margin]:
    """Yield every published part, a table's cells first, the areas before other geographies.

    Parameters
    ----------
    once
        Leave out parts that count the same people as one before.
    inner_only
        Leave out totals.
    """
    known = set()
    for geography in range(1 + len(counted.tables.also)):
        for position, layout in enumerate(counted.layouts):
            dimensions = layout.table.dimensions
            every = tuple(range(len(dimensions)))
            real = tuple(n for n in every if dimensions[n].variable is not None)
            kept = [every]
            if layout.table.margins and not inner_only:
                kept += [k for n in range(len(real) - 1, -1, -1) for k in combinations(real, n)]
            for which in kept:
                margin = Margin(position, which, geography)
                identity = margin.identity(counted)
                if once and identity in known:
                    continue
                known.add(identity)
                yield margin


@dataclass(frozen=True, eq=False)
class Geography:
    """The places of one geography, and the classes in the order of their places."""

    name: str
    labels: tuple[str, ...]
    place: Ints = field(repr=False)
    """The place of every class."""
    order: Ints | None = field(repr=False)
    """The classes by place; None where they are in that order already."""
    starts: Ints = field(repr=False)


def geographies(counted: Counted) -> tuple[Geography, ...]:
    """Return the geographies for which the tables are published, the areas first."""
    first = Geography(
        counted.tables.area.name,
        counted.areas,
        counted.area.astype(np.int64),
        None,
        counted.starts,
    )
    found = [first]
    for grouping in counted.tables.also:
        if grouping.variable is None:
            labels: tuple[str, ...] = ("everybody",)
            place = np.zeros(counted.classes, dtype=np.int64)
        else:
            categories = grouping.categories(counted.values[grouping.variable])
            labels, place = categories.labels, counted.category_of(categories, grouping)
        order = np.argsort(place, kind="stable").astype(np.int64)
        starts = np.searchsorted(place[order], np.arange(len(labels) + 1)).astype(np.int64)
        found.append(Geography(grouping.name, labels, place, order, starts))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Summed:
    """Cells of one part that somebody is in, sorted by place and cell, with sums over people."""

    area: Ints
    cell: Ints
    sums: tuple[Ints, ...]


def summed(counted: Counted, margin: Margin, geography: Geography, *amounts: Ints) -> Summed:
    """Add up whole numbers of classes by the cells of one part; sums wrap around at 2⁶⁴."""
    cell_of = margin.cell_of(counted)
    order = geography.order
    if order is not None:
        cell_of = cell_of[order]
    area = np.empty(counted.classes, dtype=np.int64)
    cell, sums = np.empty_like(area), []
    number = 0
    for amount in amounts:
        total = np.empty_like(area)
        number = kernels.count_cells(
            geography.starts,
            cell_of,
            amount if order is None else amount[order],
            margin.size(counted),
            area,
            cell,
            total,
        )
        sums.append(total)
    sort = np.lexsort((cell[:number], area[:number]))
    return Summed(area[:number][sort], cell[:number][sort], tuple(s[:number][sort] for s in sums))


@dataclass(frozen=True, eq=False)
class AtomCells:
    """A table's own cells that somebody is in, for the pieces into which all geographies cut.

    Noise that is drawn for these and added up keeps every table and geography additive.
    """

    first: Ints
    """The first class of each, where its noise is put."""
    atom: Ints
    cell: Ints
    sums: tuple[Ints, ...]

    def on_classes(self, counted: Counted, amounts: Ints) -> Ints:
        """Return amounts of these cells as amounts of classes."""
        out = np.zeros(counted.classes, dtype=np.int64)
        out[self.first] = amounts
        return out


def atom_cells(counted: Counted, position: int, *amounts: Ints) -> AtomCells:
    """Add up whole numbers of classes by a table's own cells in every piece of the geographies."""
    layout = counted.layouts[position]
    cell = Margin(position, tuple(range(len(layout.shape)))).cell_of(counted)
    atom = counted.area.astype(np.int64)
    for grouping in counted.tables.also:
        if grouping.variable is not None:
            categories = grouping.categories(counted.values[grouping.variable])
            place = counted.category_of(categories, grouping)
            atom = np.unique(atom * categories.size + place, return_inverse=True)[1].ravel()
    inside = np.flatnonzero(cell >= 0)
    order = inside[np.lexsort((inside, cell[inside], atom[inside]))]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(cell[order]) != 0) | (np.diff(atom[order]) != 0)
    starts = np.flatnonzero(new)
    first = order[starts]
    # sums of signed 64-bit numbers wrap around, as keys must
    sums = tuple(np.add.reduceat(a[order], starts) if len(starts) else a[:0] for a in amounts)
    return AtomCells(first, atom[first], cell[first], sums)


def check_counts(counted: Counted, method: str) -> None:
    """Refuse tables of weights or values."""
    for layout in counted.layouts:
        if not layout.table.is_count or layout.table.weight is not None:
            raise InputError(
                f"{method} is for counts of people, and the table '{layout.name}' adds up "
                "values or weights. Protect it by suppression, or leave it out."
            )
