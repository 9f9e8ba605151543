"""The places for which tables are published, and tables for all of them, with totals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from indistinct.core import Floats, Ints
from indistinct.tables.axes import Axis
from indistinct.tables.counting import Counted

__all__ = ["Places", "published_places", "with_totals"]


@dataclass(frozen=True, eq=False)
class Places:
    """The places for which tables are published, over the smallest pieces that they are made of.

    Places of different geographies that hold the same pieces are one place.

    Parameters
    ----------
    axis
        The pieces, and how each geography divides them.
    nodes
        The place's node on the axis, for each place.
    labels
        The name of each place.
    shown
        What is published, in order: the geography, the place's name in it, and which place it is.
    members
        Which pieces (columns) each place (row) holds.
    piece
        The piece of every class of people.
    """

    axis: Axis
    nodes: list[int]
    labels: tuple[str, ...]
    shown: tuple[tuple[str, str, int], ...]
    members: sparse.csr_matrix
    piece: Ints


def published_places(counted: Counted) -> Places:
    """Return the places for which a set of tables is published."""
    groupings = (counted.tables.area, *counted.tables.also)
    columns: list[Ints] = []
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
    axis = Axis(len(atoms))
    place_of: dict[int, int] = {}
    labels: list[str] = []
    shown: list[tuple[str, str, int]] = []
    pieces: list[Ints] = []
    for n, (grouping, names) in enumerate(zip(groupings, found, strict=True)):
        division = axis.add(f"{n}:{grouping.name}", atoms[:, n], names)
        for label, node, members in zip(names, division.nodes, division.members, strict=True):
            if node not in place_of:
                place_of[node] = len(labels)
                labels.append(label)
                pieces.append(members)
            shown.append((grouping.name, label, place_of[node]))
    held = np.concatenate(pieces)
    rows = np.repeat(np.arange(len(pieces)), [len(one) for one in pieces])
    holding = sparse.csr_matrix((np.ones(len(held)), (rows, held)), (len(pieces), len(atoms)))
    piece = atom.ravel().astype(np.int64)
    return Places(axis, list(place_of), tuple(labels), tuple(shown), holding, piece)


def with_totals(
    counted: Counted,
    name: str,
    geography: Places,
    amounts: dict[str, Floats] | None = None,
) -> Floats:
    """Return a table for every place, with totals as the last entry along every dimension."""
    position = counted.position(name)
    layout = counted.layouts[position]
    cell = counted.cell_of(position)
    inside = cell >= 0
    amount = counted.counts if amounts is None or name not in amounts else amounts[name]
    atoms = geography.axis.size
    flat = np.bincount(
        geography.piece[inside] * layout.cells + cell[inside],
        weights=amount[inside],
        minlength=atoms * layout.cells,
    )
    table = geography.members @ flat.reshape(atoms, layout.cells)
    table = np.asarray(table).reshape(len(geography.nodes), *layout.shape)
    for axis in range(1, table.ndim):
        table = np.concatenate([table, table.sum(axis=axis, keepdims=True)], axis=axis)
    return table
