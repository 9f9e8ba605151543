"""What merging areas can do for the full record tabular uniques of a set of tables.

A person stays a full record tabular unique of a merged area exactly as long as none of the areas
merged with their own has somebody in one of their cells. So only those who are uniques now matter,
and all that has to be known of each is one set: the areas that hold somebody in one of their cells.
It is found in one look at the people for each table; no table is counted again while areas merge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numba import njit
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay, QhullError

from indistinct.core import (
    Bools,
    Floats,
    InputError,
    Ints,
    SmallInts,
    Words,
    did_you_mean,
    progress,
)
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Grouping

__all__ = ["Geography", "MergeProblem", "Neighbours", "geography_of", "helping_areas"]

Neighbours = Sequence[tuple[str, str]] | Mapping[str, tuple[float, float]]
"""Pairs of areas that touch, or the coordinates of every area."""

MOST_BYTES = 4 << 30
"""Memory for the sets of helping areas."""


@dataclass(frozen=True, eq=False)
class Geography:
    """Which areas may merge.

    Parameters
    ----------
    part
        The part of the country of every area: no merged area reaches beyond one.
    places
        Where every area lies, to prefer the nearest: coordinates, or its place in code order.
    neighbours
        The areas that touch each area; None where any two of a part may merge.
    """

    part: Ints
    places: Floats
    neighbours: tuple[Ints, ...] | None = None


@dataclass(frozen=True, eq=False)
class MergeProblem:
    """The uniques that merging has to resolve, area by area.

    Parameters
    ----------
    geography
        Which areas may merge.
    sizes
        People in each area.
    starts
        Where the uniques of each area begin; one more for the end.
    helps
        For every unique the areas that hold somebody in one of their cells, as bits.
    least_people
        People that an area must have.
    """

    geography: Geography
    sizes: Ints
    starts: Ints = field(repr=False)
    helps: Words = field(repr=False)
    least_people: int

    @property
    def areas(self) -> int:
        """The number of areas."""
        return len(self.sizes)

    def rows(self, area: int) -> Ints:
        """Return the uniques of an area."""
        return np.arange(self.starts[area], self.starts[area + 1])

    def bits(self, areas: Sequence[int]) -> Words:
        """Return areas as bits."""
        found = np.zeros(self.helps.shape[1], dtype=np.uint64)
        for area in areas:
            found[area >> 6] |= np.uint64(1 << (area & 63))
        return found

    def left(self, rows: Ints, bits: Words) -> Ints:
        """Return the uniques whom none of these areas helps."""
        return rows[~(self.helps[rows] & bits).any(axis=1)]

    def deficient(self) -> Bools:
        """Say of every area whether it must merge: it has uniques, or too few people."""
        return (np.diff(self.starts) > 0) | (self.sizes < self.least_people)


def helping_areas(counted: Counted, full: Bools, part: Ints) -> Words:
    """Return for every full unique the other areas of its part that share one of its cells.

    Parameters
    ----------
    full
        Of every class whether it is a full record tabular unique.
    part
        The part of the country of every area.
    """
    rows = np.flatnonzero(full)
    areas = len(counted.areas)
    words = (areas + 63) // 64
    if len(rows) * words * 8 > MOST_BYTES:
        raise InputError(
            f"{len(rows):,} people are full uniques of {areas:,} areas: too many to look for the "
            "best merges at once. Take coarser recodes or fewer tables, or merge in parts of the "
            "country."
        )
    helps = np.zeros((len(rows), words), dtype=np.uint64)
    positions = list(range(len(counted.layouts)))
    for position in progress.each(positions, "looking where uniques are not alone", unit="tables"):
        cell = counted.cell_of(position)
        wanted = np.unique(cell[rows])
        wanted = wanted[wanted >= 0]
        number = np.full(counted.layouts[position].cells + 1, -1, dtype=np.int64)
        number[wanted] = np.arange(len(wanted))
        there = np.zeros((len(wanted), words), dtype=np.uint64)
        _mark(number, cell, counted.area, there)
        _join(number, cell[rows], there, helps)
    own = counted.area[rows].astype(np.int64)
    masks = np.zeros((int(part.max(initial=0)) + 1, words), dtype=np.uint64)
    _set_bits(masks, part, np.arange(areas))
    helps &= masks[part[own]]
    _clear_bits(helps, own)
    return helps


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _mark(number: Ints, cell: Ints, area: SmallInts, there: Words) -> None:
    for row in range(len(cell)):
        if cell[row] >= 0 and number[cell[row]] >= 0:
            there[number[cell[row]], area[row] >> 6] |= np.uint64(1) << np.uint64(area[row] & 63)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _join(number: Ints, cell: Ints, there: Words, helps: Words) -> None:
    for row in range(len(cell)):
        if cell[row] >= 0:
            for word in range(helps.shape[1]):
                helps[row, word] |= there[number[cell[row]], word]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _set_bits(bits: Words, row: Ints, area: Ints) -> None:
    for n in range(len(area)):
        bits[row[n], area[n] >> 6] |= np.uint64(1) << np.uint64(area[n] & 63)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _clear_bits(bits: Words, area: Ints) -> None:
    for row in range(len(area)):
        bits[row, area[row] >> 6] &= ~(np.uint64(1) << np.uint64(area[row] & 63))


def geography_of(
    counted: Counted, *, neighbours: Neighbours | None, within: Grouping | None
) -> Geography:
    """Say which areas may merge.

    Parameters
    ----------
    neighbours
        Pairs of areas that touch, or coordinates of every area (those touch that share an edge of
        the Delaunay triangulation); None where any two may merge.
    within
        A coarser geography that no merged area may reach beyond.
    """
    areas = len(counted.areas)
    parent = _parents(counted, within)
    index = np.arange(areas, dtype=np.float64)[:, None]
    if neighbours is None:
        return Geography(parent, index)
    if isinstance(neighbours, Mapping):
        places = _places(counted, neighbours)
        edges = _triangulated(places)
    else:
        places = index
        edges = _pairs(counted, neighbours)
    edges = edges[parent[edges[:, 0]] == parent[edges[:, 1]]]
    graph = coo_matrix(
        (np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(areas, areas)
    ).tocsr()
    graph = (graph + graph.T).tocsr()
    part = connected_components(graph, directed=False)[1].astype(np.int64)
    touching = tuple(
        graph.indices[graph.indptr[n] : graph.indptr[n + 1]].astype(np.int64) for n in range(areas)
    )
    return Geography(part, places, touching)


def _parents(counted: Counted, within: Grouping | None) -> Ints:
    areas = len(counted.areas)
    if within is None or within.variable is None:
        return np.zeros(areas, dtype=np.int64)
    if within.variable not in counted.codes:
        raise InputError(
            f"'{within.variable}' was not counted. Name it as a geography when counting (also)."
        )
    categories = within.categories(counted.values[within.variable])
    of_class = categories.codes[counted.codes[within.variable]]
    parent: Ints = np.full(areas, -1, dtype=np.int64)
    parent[counted.area] = of_class
    astray = len(np.unique(counted.area[parent[counted.area] != of_class]))
    if astray:
        raise InputError(
            f"{astray:,} of the {areas:,} areas lie in more than one of '{within.name}'. Areas "
            "merge within a geography of which each is a part."
        )
    return parent


def _position(counted: Counted) -> dict[str, int]:
    return {label: n for n, label in enumerate(counted.areas)}


def _pairs(counted: Counted, neighbours: Sequence[tuple[str, str]]) -> Ints:
    position = _position(counted)
    for label in (label for pair in neighbours for label in pair):
        if str(label) not in position:
            raise InputError(
                f"The neighbours name an area '{label}' that is not in the data. "
                f"{did_you_mean(str(label), counted.areas)}"
            )
    edges = [(position[str(a)], position[str(b)]) for a, b in neighbours if str(a) != str(b)]
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def _places(counted: Counted, neighbours: Mapping[str, tuple[float, float]]) -> Floats:
    known = {str(label): place for label, place in neighbours.items()}
    without = [label for label in counted.areas if label not in known]
    if without:
        raise InputError(
            f"{len(without):,} areas have no coordinates, '{without[0]}' first. Give every area a "
            "pair of numbers."
        )
    places = np.array([known[label] for label in counted.areas], dtype=np.float64)
    if places.shape != (len(counted.areas), 2) or not np.isfinite(places).all():
        raise InputError("The coordinates of an area must be two numbers.")
    return places


def _triangulated(places: Floats) -> Ints:
    try:
        corners = Delaunay(places).simplices
    except (QhullError, ValueError):
        # fewer than three areas, or all on one line: each touches the next along it
        spread = places - places.mean(axis=0)
        axis = np.linalg.svd(spread, full_matrices=False)[2][0]
        order = np.argsort(spread @ axis, kind="stable")
        return np.column_stack([order[:-1], order[1:]]).astype(np.int64)
    edges = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    return np.unique(np.sort(edges, axis=1), axis=0).astype(np.int64)
