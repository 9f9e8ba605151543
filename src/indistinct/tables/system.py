"""Published cells and the sums that hold among them: what an attacker calculates with.

Cells of different tables that count the same people are one cell here, so that linked tables are
one system. A sum holds wherever two ways of dividing a variable, or the geography, divide the same
people: a total and its categories, stages of life and the five-year groups they are made of, or
groups of two codings that meet at a common boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct import progress
from indistinct.errors import InputError
from indistinct.showing import Shown, Table
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Grouping

__all__ = ["CellName", "CellSystem", "cell_system"]

GEOGRAPHY = " area"
"""Stands for the geography among the variables of a cell; no column has this name."""

MOST_CELLS = 5_000_000
"""Cells in one system: each has a name in memory."""


@dataclass(frozen=True)
class CellName:
    """What a cell counts: the category of every dimension, and the table it was first met in."""

    table: str
    categories: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        inside = ", ".join(f"{name} {label}" for name, label in self.categories)
        return f"{self.table}: {inside or 'everybody'}"


@dataclass(frozen=True, eq=False)
class CellSystem(Shown):
    """Cells with their true values, and the sums that hold among them.

    Parameters
    ----------
    values
        The true value of every cell.
    relations
        One row for each sum that holds, +1 on one side and -1 on the other:
        ``relations @ values`` is zero.
    names
        What each cell counts; empty for a system made by hand.
    places
        For each table the system's cell of every area and category combination, totals included:
        an array with one axis for the geography and one for each dimension, the totals last.
    areas
        The labels along the first axis of `places`.
    """

    values: NDArray[np.float64] = field(repr=False)
    relations: sparse.csr_matrix = field(repr=False)
    names: tuple[CellName, ...] = field(default=(), repr=False)
    places: dict[str, NDArray[np.int64]] = field(default_factory=dict, repr=False)
    areas: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.relations.shape[1] != len(self.values):
            raise InputError(
                f"The sums are over {self.relations.shape[1]} cells, and there are "
                f"{len(self.values)} values."
            )
        left = np.abs(self.relations @ self.values)
        if len(left) and left.max() > 1e-6 * max(1.0, float(np.abs(self.values).max())):
            raise InputError("The values do not add up: a total differs from the sum of its parts.")

    def __repr__(self) -> str:
        return self._short()

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def of_cell(self) -> sparse.csc_matrix:
        """The relations by column: in which sums a cell stands."""
        return self.relations.tocsc()

    def name(self, cell: int) -> str:
        """Return what a cell counts, for people who may see it."""
        return str(self.names[cell]) if self.names else f"cell {cell + 1}"

    def _lines(self) -> list[str]:
        return [f"CellSystem({len(self):,} cells, {self.relations.shape[0]:,} sums)"]

    def _tables(self) -> list[Table]:
        found = {"cells": len(self), "sums": self.relations.shape[0]}
        return [Table.facts("Published cells", found)]


@dataclass
class _Division:
    """One way of dividing a variable: for every value its part, and the parts' names."""

    name: str
    part_of: NDArray[np.int64]
    labels: tuple[str, ...]
    nodes: list[int] = field(default_factory=list)


@dataclass
class _Axis:
    """A variable and all ways in which the tables divide it.

    A node is a set of values; divisions that have a part in common share its node. Node 0 is the
    whole.
    """

    size: int
    divisions: dict[str, _Division] = field(default_factory=dict)
    node_of: dict[bytes, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.node_of[np.ones(self.size, dtype=bool).tobytes()] = 0

    def add(self, name: str, part_of: NDArray[np.int64], labels: Sequence[str]) -> _Division:
        """Note a division; one that is known under this name is returned as it is."""
        if name not in self.divisions:
            division = _Division(name, part_of, tuple(labels))
            for part in range(len(labels)):
                members = part_of == part
                # an empty part is a node of its own, so that its cells exist and are zero
                key = members.tobytes() if members.any() else f"{name}:{part}".encode()
                division.nodes.append(self.node_of.setdefault(key, len(self.node_of)))
            self.divisions[name] = division
        return self.divisions[name]

    def sums(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Return the pairs of lists of nodes that hold the same values."""
        divisions = list(self.divisions.values())
        found: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for n, one in enumerate(divisions):
            if one.nodes != [0]:
                # parts without values are in this sum alone: nothing says where else they belong
                found[tuple(one.nodes), (0,)] = None
            for other in divisions[n + 1 :]:
                found |= dict.fromkeys(_common_sums(one, other))
        return list(found)


def _common_sums(one: _Division, other: _Division) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the smallest unions of parts that two divisions have in common, as nodes of each."""
    shift = len(one.nodes)
    size = shift + len(other.nodes)
    links = sparse.coo_matrix(
        (np.ones(len(one.part_of)), (one.part_of, shift + other.part_of)), shape=(size, size)
    )
    number, component = connected_components(links, directed=False)
    left: list[list[int]] = [[] for _ in range(number)]
    right: list[list[int]] = [[] for _ in range(number)]
    for position, place in enumerate(component.tolist()):
        if position < shift:
            left[place].append(one.nodes[position])
        else:
            right[place].append(other.nodes[position - shift])
    sides = zip(map(tuple, left), map(tuple, right), strict=True)
    return [(a, b) for a, b in sides if a and b and a != b]


def cell_system(
    counted: Counted, *, amounts: dict[str, NDArray[np.float64]] | None = None
) -> CellSystem:
    """Return the cells that a set of tables publishes, for all areas, as one system.

    Tables with different universes, or which add up different things, are not linked.

    Parameters
    ----------
    counted
        The tables. Its further geographies (`TableSet.also`) are published too, ``persons`` among
        them for totals over all areas.
    amounts
        What is added up instead of people, for each class, by the name of the table.
    """
    geography = _geography(counted)
    axes: dict[str, _Axis] = {GEOGRAPHY: geography.axis}
    index: dict[tuple[Any, ...], int] = {}
    names: list[CellName] = []
    values: list[NDArray[np.float64]] = []
    places: dict[str, NDArray[np.int64]] = {}
    for layout in counted.layouts:
        for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True):
            if grouping.variable is not None:
                axis = axes.setdefault(
                    grouping.variable, _Axis(len(counted.values[grouping.variable]))
                )
                axis.add(_division_name(grouping), categories.codes, categories.labels)
    expected = sum(
        len(geography.nodes) * int(np.prod([s + 1 for s in one.shape])) for one in counted.layouts
    )
    if expected > MOST_CELLS:
        raise InputError(
            f"The tables have {expected:,} cells over all areas, more than the {MOST_CELLS:,} "
            "that are protected as one system. Protect fewer tables or areas at once, or use a "
            "method that treats each cell by itself (cell-key)."
        )
    for layout in progress.each(counted.layouts, "collecting cells", unit="tables"):
        table = layout.table
        sums = _with_totals(counted, layout.name, geography, amounts)
        kind = (table.universe, table.value, table.weight)
        sides: list[tuple[str, list[int], list[str]]] = [
            (GEOGRAPHY, geography.nodes, list(geography.labels))
        ]
        for grouping, categories in zip(table.dimensions, layout.categories, strict=True):
            if grouping.variable is None:
                sides.append((grouping.name, [0, 0], [grouping.name, grouping.name]))
                continue
            division = axes[grouping.variable].divisions[_division_name(grouping)]
            sides.append((grouping.variable, [*division.nodes, 0], [*categories.labels, ""]))
        place = np.full(sums.shape, -1, dtype=np.int64)
        fresh: list[float] = []
        spans = [range(len(nodes)) for _, nodes, _ in sides]
        for at in product(*spans):
            if not table.margins and any(
                n == len(side[1]) - 1 for n, side in zip(at[1:], sides[1:], strict=True)
            ):
                continue
            coordinates = tuple(
                sorted(
                    (variable, nodes[n])
                    for n, (variable, nodes, _) in zip(at, sides, strict=True)
                    if nodes[n] != 0
                )
            )
            identity = (kind, coordinates)
            known = index.get(identity)
            if known is None:
                known = index[identity] = len(index)
                fresh.append(float(sums[at]))
                names.append(
                    CellName(
                        layout.name,
                        tuple(
                            (variable.strip(), labels[n])
                            for n, (variable, _, labels) in zip(at, sides, strict=True)
                            if labels[n]
                        ),
                    )
                )
            place[at] = known
        values.append(np.array(fresh, dtype=np.float64))
        places[layout.name] = place
    relations = _relations(index, axes)
    areas = geography.labels
    return CellSystem(np.concatenate(values), relations, tuple(names), places, areas)


@dataclass
class _Geography:
    axis: _Axis
    nodes: list[int]
    labels: tuple[str, ...]
    members: sparse.csr_matrix
    """Which atoms (rows of the axis) each node (row) holds."""
    atom: NDArray[np.int64]
    """The atom of every class."""


def _geography(counted: Counted) -> _Geography:
    """Return the places for which tables are published, as nodes over their common atoms."""
    groupings = (counted.tables.area, *counted.tables.also)
    columns: list[NDArray[np.int64]] = []
    found: list[tuple[str, ...]] = []
    for grouping in groupings:
        if grouping.variable is None:
            columns.append(np.zeros(counted.classes, dtype=np.int64))
            found.append(("everybody",))
            continue
        categories = grouping.categories(counted.values[grouping.variable])
        columns.append(counted.category_of(categories, grouping))
        found.append(categories.labels)
    atoms, atom = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    axis = _Axis(len(atoms))
    nodes: list[int] = []
    labels: list[str] = []
    rows, columns_of = [], []
    for n, (grouping, names) in enumerate(zip(groupings, found, strict=True)):
        division = axis.add(f"{n}:{grouping.name}", atoms[:, n], names)
        for part, node in enumerate(division.nodes):
            if node in nodes:
                continue
            members = np.flatnonzero(atoms[:, n] == part)
            rows.append(np.full(len(members), len(nodes)))
            columns_of.append(members)
            nodes.append(node)
            labels.append(names[part])
    held = np.concatenate(columns_of)
    members = sparse.csr_matrix(
        (np.ones(len(held)), (np.concatenate(rows), held)), shape=(len(nodes), len(atoms))
    )
    return _Geography(axis, nodes, tuple(labels), members, atom.ravel().astype(np.int64))


def _with_totals(
    counted: Counted,
    name: str,
    geography: _Geography,
    amounts: dict[str, NDArray[np.float64]] | None,
) -> NDArray[np.float64]:
    """Return a table for every place, with totals as the last entry along every dimension."""
    position = counted.position(name)
    layout = counted.layouts[position]
    cell = counted.cell_of(position)
    inside = cell >= 0
    amount = counted.counts if amounts is None or name not in amounts else amounts[name]
    atoms = geography.axis.size
    flat = np.bincount(
        geography.atom[inside] * layout.cells + cell[inside],
        weights=amount[inside],
        minlength=atoms * layout.cells,
    )
    table = geography.members @ flat.reshape(atoms, layout.cells)
    table = np.asarray(table).reshape(len(geography.nodes), *layout.shape)
    for axis in range(1, table.ndim):
        table = np.concatenate([table, table.sum(axis=axis, keepdims=True)], axis=axis)
    return table


def _division_name(grouping: Grouping) -> str:
    return repr(grouping)


def _relations(index: dict[tuple[Any, ...], int], axes: dict[str, _Axis]) -> sparse.csr_matrix:
    """Return every sum that holds among cells which differ in one variable only."""
    sums = {variable: axis.sums() for variable, axis in axes.items()}
    starting: dict[tuple[str, int], list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    for variable, pairs in sums.items():
        for left, right in pairs:
            starting.setdefault((variable, left[0]), []).append((left, right))
    rows: list[int] = []
    columns: list[int] = []
    signs: list[float] = []
    number = 0

    def cells(
        kind: Any, others: tuple[tuple[str, int], ...], variable: str, nodes: tuple[int, ...]
    ) -> list[int] | None:
        found = []
        for node in nodes:
            coordinates = others if node == 0 else tuple(sorted((*others, (variable, node))))
            known = index.get((kind, coordinates))
            if known is None:
                return None
            found.append(known)
        return found

    for kind, coordinates in list(index):
        for variable, node in coordinates:
            for left, right in starting.get((variable, node), ()):
                others = tuple(pair for pair in coordinates if pair[0] != variable)
                one = cells(kind, others, variable, left)
                two = cells(kind, others, variable, right)
                if one is None or two is None:
                    continue
                rows += [number] * (len(one) + len(two))
                columns += one + two
                signs += [1.0] * len(one) + [-1.0] * len(two)
                number += 1
    return sparse.csr_matrix((signs, (rows, columns)), shape=(number, len(index)))
