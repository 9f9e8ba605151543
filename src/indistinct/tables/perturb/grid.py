"""A system of cells as places × cells of a place: the same sums in every place, and among places.

Tables for areas have this form: what holds among the cells of one place holds in each, and what
holds among places (a county is the sum of its areas) holds for each cell of a place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from indistinct.core import Floats, Ints
from indistinct.tables.system import CellSystem

__all__ = ["Grid", "grid_of"]


@dataclass(frozen=True, eq=False)
class Grid:
    """Places (rows) × cells of a place (columns).

    Parameters
    ----------
    cells
        The system's cell at each place and column.
    within
        Sums among the cells of a place.
    among
        Sums among places, none of which follows from others, those with large places first: the
        places of each, with +1 on one side and −1 on the other.
    made_of
        Places that follow from others: place → (other place → how often it counts).
    """

    cells: Ints = field(repr=False)
    within: sparse.csr_matrix = field(repr=False)
    among: tuple[dict[int, int], ...] = field(repr=False)
    made_of: dict[int, dict[int, int]] = field(repr=False)

    @property
    def own(self) -> list[int]:
        """The places that follow from no others."""
        return [place for place in range(len(self.cells)) if place not in self.made_of]

    def above(self) -> dict[int, list[tuple[int, int]]]:
        """Return for each place of its own the places it is part of, with how often it counts."""
        found: dict[int, list[tuple[int, int]]] = {place: [] for place in self.own}
        for place, parts in sorted(self.made_of.items()):
            for part, times in parts.items():
                found[part].append((place, times))
        return found


def grid_of(system: CellSystem) -> Grid | None:
    """Return a system as a grid; None where it has one place only, or another form."""
    number = len(system.areas)
    if number < 2 or not system.places:
        return None
    tables = [table.reshape(number, -1) for table in system.places.values()]
    cells = np.unique(np.concatenate(tables, axis=1), axis=1)
    cells = cells[:, (cells >= 0).all(axis=0)]
    if cells.size != len(system) or len(np.unique(cells)) != len(system):
        return None
    place, column = np.empty(len(system), dtype=np.int64), np.empty(len(system), dtype=np.int64)
    place[cells] = np.arange(number)[:, None]
    column[cells] = np.arange(cells.shape[1])[None]
    relations = system.relations.tocsr()
    starts = relations.indptr[:-1]
    if not len(starts) or (np.diff(relations.indptr) == 0).any():
        return None
    places, columns = place[relations.indices], column[relations.indices]
    one_place = np.minimum.reduceat(places, starts) == np.maximum.reduceat(places, starts)
    one_column = np.minimum.reduceat(columns, starts) == np.maximum.reduceat(columns, starts)
    within = relations[np.flatnonzero(one_place & (places[starts] == 0))][:, cells[0]].tocsr()
    across = np.flatnonzero(~one_place & one_column & (columns[starts] == 0))
    chosen = relations[across][:, cells[:, 0]].tocsr()
    among = [_row(chosen, n) for n in range(chosen.shape[0])]
    if not among or (np.abs(chosen.data) != 1).any():
        return None
    weight = system.values[cells].max(axis=1)
    # short sums first: that of all areas says nothing new when those of counties are known
    followed = _follow(sorted(among, key=len), weight)
    if followed is None or not _holds(system, cells, within, followed[0]):
        return None
    order = sorted(followed[1], key=lambda row: -max(float(weight[p]) for p in row))
    return Grid(cells, within, tuple(order), followed[0])


def _row(matrix: sparse.csr_matrix, n: int) -> dict[int, int]:
    at = slice(matrix.indptr[n], matrix.indptr[n + 1])
    entries = zip(matrix.indices[at].tolist(), matrix.data[at].tolist(), strict=True)
    return {int(p): int(sign) for p, sign in entries}


def _follow(
    among: list[dict[int, int]], weight: Floats
) -> tuple[dict[int, dict[int, int]], list[dict[int, int]]] | None:
    """Write in each sum the largest place by the others: elimination with pivots of ±1.

    Returns these places, and the sums that said something new.
    """
    found: dict[int, dict[int, int]] = {}
    used: list[dict[int, int]] = []
    holders: dict[int, set[int]] = {}
    for sum_ in among:
        row: dict[int, int] = {}
        for place, sign in sum_.items():
            for other, times in found.get(place, {place: 1}).items():
                row[other] = row.get(other, 0) + sign * times
        row = {place: times for place, times in row.items() if times}
        if not row:
            continue
        used.append(sum_)
        pivots = [place for place, times in row.items() if abs(times) == 1]
        if not pivots:
            return None
        pivot = max(pivots, key=lambda place: (weight[place], -place))
        sign = row.pop(pivot)
        solved = {place: -sign * times for place, times in row.items()}
        for holder in holders.pop(pivot, set()):
            factor = found[holder].pop(pivot)
            for place, times in solved.items():
                found[holder][place] = found[holder].get(place, 0) + factor * times
                holders.setdefault(place, set()).add(holder)
        found[pivot] = solved
        for place in solved:
            holders.setdefault(place, set()).add(pivot)
    made_of = {
        place: {other: times for other, times in parts.items() if times}
        for place, parts in found.items()
    }
    return made_of, used


def _holds(
    system: CellSystem,
    cells: Ints,
    within: sparse.csr_matrix,
    made_of: dict[int, dict[int, int]],
) -> bool:
    """Try the form on numbers at random: places that add up within, and others made of them.

    All sums of the system must hold for them, which shows that none was overlooked (but for an
    unlikely accident).
    """
    rng = np.random.default_rng(0)
    directions = rng.standard_normal((4, within.shape[1]))
    if within.shape[0]:
        # less what does not add up: the projection on W x = 0
        directions -= [lsqr(within, within @ one, atol=1e-13, btol=1e-13)[0] for one in directions]
    tried = rng.standard_normal((len(cells), 4)) @ directions
    for place, parts in made_of.items():
        tried[place] = sum(times * tried[part] for part, times in parts.items())
    values = np.empty(len(system))
    values[cells] = tried
    left = np.abs(system.relations @ values)
    return bool(left.max(initial=0.0) < 1e-6 * max(1.0, float(np.abs(values).max())))
