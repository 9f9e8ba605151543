"""Published cells and the sums that hold among them: what an attacker calculates with.

Cells of different tables that count the same people are one cell here, so that linked tables are
one system. A sum holds wherever two ways of dividing a variable, or the geography, divide the same
people: a total and its categories, stages of life and the five-year groups they are made of, or
groups of two codings that meet at a common boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from indistinct.core import Floats, InputError, Ints, progress
from indistinct.results import Fact, Result, facts, result
from indistinct.tables.axes import Axis
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Grouping
from indistinct.tables.places import published_places, with_totals

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


@result
class CellSystem(Result):
    """Cells with their true values, and the sums that hold among them.

    Parameters
    ----------
    values
        The true value of every cell.
    relations
        One row for each sum that holds, +1 on one side and -1 on the other (rarely another whole
        number, where three codings overlap): ``relations @ values`` is zero.
    names
        What each cell counts; empty for a system made by hand.
    places
        For each table the system's cell of every area and category combination, totals included:
        an array with one axis for the geography and one for each dimension, the totals last.
    areas
        The labels along the first axis of `places`.
    """

    values: Floats
    relations: sparse.csr_matrix
    names: tuple[CellName, ...] = ()
    places: dict[str, Ints] = field(default_factory=dict)
    areas: tuple[str, ...] = ()

    FACTS = facts(
        Fact("cells", lambda found: len(found)),
        Fact("sums", lambda found: int(found.relations.shape[0])),
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells and sums there are."""
        return f"CellSystem({len(self):,} cells, {self.relations.shape[0]:,} sums)"

    def __post_init__(self) -> None:
        if self.relations.shape[1] != len(self.values):
            raise InputError(
                f"The sums are over {self.relations.shape[1]} cells, and there are "
                f"{len(self.values)} values."
            )
        left = np.abs(self.relations @ self.values)
        if len(left) and left.max() > 1e-6 * max(1.0, float(np.abs(self.values).max())):
            raise InputError("The values do not add up: a total differs from the sum of its parts.")

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def of_cell(self) -> sparse.csc_matrix:
        """The relations by column: in which sums a cell stands."""
        return self.relations.tocsc()

    def name(self, cell: int) -> str:
        """Return what a cell counts, for people who may see it."""
        return str(self.names[cell]) if self.names else f"cell {cell + 1}"


def cell_system(counted: Counted, *, amounts: dict[str, Floats] | None = None) -> CellSystem:
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
    geography = published_places(counted)
    axes: dict[str, Axis] = {GEOGRAPHY: geography.axis}
    index: dict[tuple[Any, ...], int] = {}
    names: list[CellName] = []
    values: list[Floats] = []
    places: dict[str, Ints] = {}
    bare: list[tuple[Any, list[tuple[str, list[int]]], Ints]] = []
    for layout in counted.layouts:
        for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True):
            if grouping.variable is not None:
                axis = axes.setdefault(
                    grouping.variable, Axis(len(counted.values[grouping.variable]))
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
        sums = with_totals(counted, layout.name, geography, amounts)
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
        axes_of = [(variable, nodes) for variable, nodes, _ in sides]
        for at in product(*spans):
            if not table.margins and any(
                n == len(side[1]) - 1 for n, side in zip(at[1:], sides[1:], strict=True)
            ):
                continue
            identity = _identity(kind, at, axes_of)
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
        if not table.margins:
            bare.append((kind, axes_of, place))
    relations = _relations(index, axes, _unpublished(bare, index))
    areas = geography.labels
    return CellSystem(np.concatenate(values), relations, tuple(names), places, areas)


def _division_name(grouping: Grouping) -> str:
    return repr(grouping)


def _identity(
    kind: Any, at: tuple[int, ...], sides: list[tuple[str, list[int]]]
) -> tuple[Any, ...]:
    """Return whom a cell counts: cells of different tables that count the same are one."""
    named = zip(at, sides, strict=True)
    coordinates = ((variable, nodes[n]) for n, (variable, nodes) in named if nodes[n] != 0)
    return kind, tuple(sorted(coordinates))


def _unpublished(
    bare: list[tuple[Any, list[tuple[str, list[int]]], Ints]],
    index: dict[tuple[Any, ...], int],
) -> dict[tuple[Any, ...], Ints]:
    """Return the totals that no table shows, and the cells of one table that add up to each.

    Whoever reads two tables without margins adds up both, and knows that they agree.
    """
    found: dict[tuple[Any, ...], Ints] = {}
    for kind, sides, place in bare:
        for at in product(*(range(len(nodes)) for _, nodes in sides)):
            identity = _identity(kind, at, sides)
            if identity not in index and identity not in found:
                inner = [
                    slice(0, -1) if n == len(nodes) - 1 else slice(n, n + 1)
                    for n, (_, nodes) in zip(at[1:], sides[1:], strict=True)
                ]
                where: tuple[Any, ...] = (at[0], *inner)
                found[identity] = place[where].ravel()
    return found


def _joint(
    index: dict[tuple[Any, ...], int], axes: dict[str, Axis]
) -> Iterator[tuple[tuple[Any, tuple[tuple[str, int], ...], str], list[dict[int, int]]]]:
    """Yield where three or more divisions of a variable meet, and the sums they have together."""
    many = {variable for variable, axis in axes.items() if len(axis.divisions) > 2}
    there: dict[tuple[Any, tuple[tuple[str, int], ...], str], set[int]] = {}
    for kind, coordinates in index if many else ():
        for variable, node in coordinates:
            if variable in many:
                others = tuple(pair for pair in coordinates if pair[0] != variable)
                there.setdefault((kind, others, variable), set()).add(node)
    found: dict[tuple[str, tuple[str, ...]], list[dict[int, int]]] = {}
    for context, nodes in there.items():
        variable = context[2]
        axis = axes[variable]
        names = tuple(
            name for name, division in axis.divisions.items() if nodes.issuperset(division.nodes)
        )
        if len(names) > 2:
            if (variable, names) not in found:
                found[variable, names] = axis.joint_sums(names)
            yield context, found[variable, names]


def _relations(
    index: dict[tuple[Any, ...], int],
    axes: dict[str, Axis],
    unpublished: dict[tuple[Any, ...], Ints],
) -> sparse.csr_matrix:
    """Return every sum that holds among cells which differ in one variable only.

    Totals that nobody publishes take part, and are then written as the cells they are made of.
    """
    published = len(index)
    index = index | {identity: published + n for n, identity in enumerate(unpublished)}
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
    for (kind, others, variable), vectors in _joint(index, axes):
        for vector in vectors:
            nodes = tuple(vector)
            known = cells(kind, others, variable, nodes)
            if known is not None:
                rows += [number] * len(known)
                columns += known
                signs += [float(vector[node]) for node in nodes]
                number += 1
    relations = sparse.csr_matrix((signs, (rows, columns)), shape=(number, len(index)))
    if not unpublished:
        return relations
    parts = list(unpublished.values())
    made_of = sparse.csr_matrix(
        (
            np.ones(sum(map(len, parts))),
            np.concatenate(parts),
            np.concatenate([[0], np.cumsum([len(part) for part in parts])]),
        ),
        shape=(len(parts), published),
    )
    relations = sparse.csr_matrix(
        relations @ sparse.vstack([sparse.identity(published, format="csr"), made_of])
    )
    relations.eliminate_zeros()
    return relations[np.flatnonzero(np.diff(relations.indptr))]
