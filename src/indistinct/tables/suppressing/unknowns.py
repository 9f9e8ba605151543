"""What an attacker does not know: the suppressed cells, and the sums that bind them.

Everything is written in deviations from the true values, ``d = x - values``: what is published
leaves ``A d = 0`` for the suppressed columns of the sums, and the true table is ``d = 0``, so that
large amounts lose no digits to subtraction.

Who is alone in a cell: one person may be, in a category and in the groups around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numba import njit
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct.core import MAY_BE_NAN, Array, Bools, Floats, InputError, Ints
from indistinct.tables.system import CellSystem

__all__ = ["Alone", "Edge", "Unknowns", "bounds_of", "find_unknowns", "people_alone"]

Edge = Annotated[float, MAY_BE_NAN] | Floats
"""Where the values of all cells, or of each, begin or end as an attacker knows; ∞ is no end."""

ROUNDS = 30
"""Rounds of propagating bounds: they stop by themselves in most tables, and need not."""


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Suppressed cells in connected components, with bounds on their deviations.

    Parameters
    ----------
    cells
        The suppressed cells that no sum determines, as positions in the system, one component
        after another.
    sums
        The sums among them: `sums` @ deviations is zero. A row for each sum that still holds two
        unknown cells or more.
    low, high
        Bounds on the deviations, at most 0 and at least 0.
    component
        The component of every unknown cell, from 0.
    exact
        Of every component, whether `low` and `high` are the exact ends for all its cells, reached
        by all of them at once: it has a single degree of freedom.
    place
        Of every cell of the system its position among the unknown cells, or -1.
    starts, row_starts
        Where each component starts among the unknown cells, and among the sums.
    """

    cells: Ints = field(repr=False)
    sums: sparse.csr_matrix = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    component: Ints = field(repr=False)
    exact: Bools = field(repr=False)

    place: Ints = field(repr=False)
    starts: Ints = field(repr=False)
    row_starts: Ints = field(repr=False)

    def members(self, component: int) -> Ints:
        """Return the unknown cells of a component, as positions among the unknown cells."""
        return np.arange(self.starts[component], self.starts[component + 1])

    def sums_within(self, component: int) -> sparse.csr_matrix:
        """Return the sums of a component, over its members."""
        first, last = self.row_starts[component], self.row_starts[component + 1]
        start = self.sums.indptr[first : last + 1]
        inside = slice(start[0], start[-1])
        return sparse.csr_matrix(
            (
                self.sums.data[inside],
                self.sums.indices[inside] - self.starts[component],
                start - start[0],
            ),
            shape=(last - first, self.starts[component + 1] - self.starts[component]),
        )


def bounds_of(system: CellSystem, lowest: Edge, highest: Edge) -> tuple[Floats, Floats]:
    """Return what everybody knows of the cells beforehand, as bounds on the deviations."""
    low = np.broadcast_to(np.asarray(lowest, dtype=np.float64), len(system)) - system.values
    high = np.broadcast_to(np.asarray(highest, dtype=np.float64), len(system)) - system.values
    slack = 1e-9 * np.maximum(1.0, np.abs(system.values))
    outside = (low > slack) | (high < -slack)
    if outside.any():
        raise InputError(
            "The bounds that an attacker knows must hold the true values. Of "
            f"{int(outside.sum()):,} cells they do not ({system.name(int(outside.argmax()))} is "
            "the first). Give lowest and highest that hold for every cell."
        )
    return np.minimum(low, 0.0), np.maximum(high, 0.0)


def find_unknowns(
    system: CellSystem,
    suppressed: Bools,
    *,
    lowest: Edge = 0.0,
    highest: Edge = np.inf,
    whole: bool = False,
) -> Unknowns:
    """Return what is unknown when some cells are suppressed and all others are published.

    A sum with one unknown cell determines it, which may leave one unknown in another sum, and so
    on. What remains falls into components that share no sum; bounds are propagated along the sums.
    """
    low, high = bounds_of(system, lowest, highest)
    if len(suppressed) != len(system):
        raise InputError(
            f"'suppressed' must say of each of the {len(system):,} cells whether it is suppressed. "
            f"Got {len(suppressed):,}."
        )
    cells = np.flatnonzero(suppressed)
    sums = sparse.csr_matrix(system.relations[:, cells])
    sums.eliminate_zeros()
    by_cell = sums.tocsc()
    known = np.zeros(len(cells), dtype=np.bool_)
    _determine(sums.indptr, sums.indices, by_cell.indptr, by_cell.indices, known)
    cells = cells[~known]
    sums = sparse.csr_matrix(sums[:, ~known])
    sums = sums[np.diff(sums.indptr) > 0]
    number, component, row_component = _components(sums)
    order = np.argsort(component, kind="stable")
    row_order = np.argsort(row_component, kind="stable")
    cells, component = cells[order], component[order]
    sums = sparse.csr_matrix(sums[row_order][:, order])
    sums.sort_indices()
    place = np.full(len(system), -1, dtype=np.int64)
    place[cells] = np.arange(len(cells))
    low, high = low[cells], high[cells]
    if whole:
        low, high = np.ceil(low - 1e-9), np.floor(high + 1e-9)
    _propagate(sums.indptr, sums.indices, sums.data, low, high, ROUNDS)
    if whole:
        low, high = np.ceil(low - 1e-9), np.floor(high + 1e-9)
    exact = np.ones(number, dtype=np.bool_)
    pairs = np.diff(sums.indptr) == 2
    if sums.shape[0]:
        exact[component[sums.indices[sums.indptr[:-1]][~pairs]]] = False
        units = np.abs(sums.data) == 1.0
        exact[component[sums.indices[~units]]] = False
        by_cell = sums.tocsc()
        _follow_pairs(
            sums.indptr,
            sums.indices,
            sums.data,
            by_cell.indptr,
            by_cell.indices,
            component,
            exact,
            low,
            high,
        )
    numbers = np.arange(number + 1)
    starts = np.searchsorted(component, numbers)
    row_starts = np.searchsorted(row_component[row_order], numbers)
    return Unknowns(cells, sums, low, high, component, exact, place, starts, row_starts)


def _components(sums: sparse.csr_matrix) -> tuple[int, Ints, Ints]:
    """Return the number of components, and the component of every cell and of every sum."""
    rows, cells = sums.shape
    entries = sums.tocoo()
    size = rows + cells
    links = sparse.coo_matrix(
        (np.ones(len(entries.data)), (entries.col, cells + entries.row)), shape=(size, size)
    )
    number, component = connected_components(links, directed=False)
    component = component.astype(np.int64)
    return number, component[:cells], component[cells:]


@njit(cache=True, nogil=True)
def _determine(start: Array, column: Array, cell_start: Array, row: Array, known: Array) -> None:
    """Mark the cells that are the only unknown of a sum, until none is left."""
    rows = len(start) - 1
    left = np.empty(rows, dtype=np.int64)
    total = np.zeros(rows, dtype=np.int64)  # of the unknown columns: the last one is the total
    waiting = np.empty(rows, dtype=np.int64)
    end = 0
    for r in range(rows):
        left[r] = start[r + 1] - start[r]
        for e in range(start[r], start[r + 1]):
            total[r] += column[e]
        if left[r] == 1:
            waiting[end] = r
            end += 1
    at = 0
    while at < end:
        r = waiting[at]
        at += 1
        if left[r] != 1:
            continue
        cell = total[r]
        known[cell] = True
        for e in range(cell_start[cell], cell_start[cell + 1]):
            other = row[e]
            left[other] -= 1
            total[other] -= cell
            if left[other] == 1:
                waiting[end] = other
                end += 1


@njit(cache=True, nogil=True)
def _propagate(
    start: Array, column: Array, weight: Array, low: Array, high: Array, rounds: int
) -> None:
    """Tighten bounds: what a sum leaves to a cell when all its others are at their ends."""
    for _ in range(rounds):
        changed = False
        for r in range(len(start) - 1):
            least, most = 0.0, 0.0
            open_below, open_above = 0, 0
            for e in range(start[r], start[r + 1]):
                c, w = column[e], weight[e]
                below = w * low[c] if w > 0 else w * high[c]
                above = w * high[c] if w > 0 else w * low[c]
                if below == -np.inf:
                    open_below += 1
                else:
                    least += below
                if above == np.inf:
                    open_above += 1
                else:
                    most += above
            for e in range(start[r], start[r + 1]):
                c, w = column[e], weight[e]
                below = w * low[c] if w > 0 else w * high[c]
                above = w * high[c] if w > 0 else w * low[c]
                new_above, new_below = np.inf, -np.inf
                if below == -np.inf:
                    if open_below == 1:
                        new_above = -least
                elif open_below == 0:
                    new_above = -(least - below)
                if above == np.inf:
                    if open_above == 1:
                        new_below = -most
                elif open_above == 0:
                    new_below = -(most - above)
                new_high = new_above / w if w > 0 else new_below / w
                new_low = new_below / w if w > 0 else new_above / w
                gap = 1e-9 * max(1.0, min(abs(low[c]), abs(high[c])))
                if new_high < high[c] - gap:
                    before = high[c]
                    high[c] = max(new_high, 0.0)
                    changed = True
                    if w > 0:
                        if before == np.inf:
                            open_above -= 1
                            most += w * high[c]
                        else:
                            most += w * (high[c] - before)
                    elif before == np.inf:
                        open_below -= 1
                        least += w * high[c]
                    else:
                        least += w * (high[c] - before)
                if new_low > low[c] + gap:
                    before = low[c]
                    low[c] = min(new_low, 0.0)
                    changed = True
                    if w > 0:
                        if before == -np.inf:
                            open_below -= 1
                            least += w * low[c]
                        else:
                            least += w * (low[c] - before)
                    elif before == -np.inf:
                        open_above -= 1
                        most += w * low[c]
                    else:
                        most += w * (low[c] - before)
        if not changed:
            return


@njit(cache=True, nogil=True)
def _follow_pairs(
    start: Array,
    column: Array,
    weight: Array,
    cell_start: Array,
    row: Array,
    component: Array,
    exact: Array,
    low: Array,
    high: Array,
) -> None:
    """Set the exact bounds in components whose sums all hold two unknown cells.

    All its cells move together, each by t or -t; or not at all where a cell would have to move
    by both.
    """
    cells = len(component)
    sign = np.zeros(cells, dtype=np.float64)
    queue = np.empty(cells, dtype=np.int64)
    for first in range(cells):
        if not exact[component[first]] or sign[first] != 0.0:
            continue
        sign[first] = 1.0
        queue[0] = first
        at, end = 0, 1
        consistent = True
        least, most = -np.inf, np.inf
        while at < end:
            c = queue[at]
            at += 1
            if sign[c] > 0:
                least, most = max(least, low[c]), min(most, high[c])
            else:
                least, most = max(least, -high[c]), min(most, -low[c])
            for e in range(cell_start[c], cell_start[c + 1]):
                r = row[e]
                own = start[r] if column[start[r]] == c else start[r] + 1
                other = start[r] + 1 if own == start[r] else start[r]
                moved = -sign[c] * weight[own] * weight[other]
                if sign[column[other]] == 0.0:
                    sign[column[other]] = moved
                    queue[end] = column[other]
                    end += 1
                elif sign[column[other]] != moved:
                    consistent = False
        if not consistent:
            least, most = 0.0, 0.0
        for at in range(end):
            c = queue[at]
            low[c] = least if sign[c] > 0 else -most
            high[c] = most if sign[c] > 0 else -least


# Who is alone in a cell --------------------------------------------------------------------------


def people_alone(relations: sparse.csr_matrix, contributors: Ints | None) -> Ints:
    """Return for every cell with a single contributor who that is, and -1 for all others.

    A sum over one person has the same person on both sides: alone in a category, and in the group
    of categories around it.

    >>> sums = sparse.csr_matrix([[1.0, 1, -1, 0], [0, 0, 1, -1]])
    >>> people_alone(sums, np.array([1, 0, 1, 1])).tolist()
    [0, -1, 0, 0]
    >>> people_alone(sums, np.array([1, 1, 2, 2])).tolist()
    [0, 1, -1, -1]
    """
    person = np.full(relations.shape[1], -1, dtype=np.int64)
    if contributors is None:
        return person
    alone = np.flatnonzero(contributors == 1)
    behind = relations.maximum(0) @ contributors
    own = abs(relations[np.flatnonzero(behind == 1)][:, alone])
    person[alone] = connected_components(own.T @ own, directed=False)[1] if len(alone) else 0
    return person


class Alone:
    """The people who are alone in cells of one component.

    Parameters
    ----------
    sums
        The sums among the cells.
    person
        Of every cell who is alone in it, or -1.

    >>> sums = sparse.csr_matrix([[1.0, 1, 1, 0, -1], [0, 0, 1, -1, 0]])
    >>> Alone(sums, np.array([0, 1, 2, 2, -1])).beside(0)
    [(1,), (2, 3)]
    >>> Alone(sums, np.array([0, 1, 2, 2, -1])).beside(3)
    []
    """

    def __init__(self, sums: sparse.csr_matrix, person: Ints) -> None:
        self._sums, self._by_cell, self._person = sums, sums.tocsc(), person
        known = np.flatnonzero(person >= 0)
        self.own: dict[int, tuple[int, ...]] = {}
        for cell, who in zip(known.tolist(), person[known].tolist(), strict=True):
            self.own[who] = (*self.own.get(who, ()), cell)

    def __bool__(self) -> bool:
        return bool(self.own)

    def beside(self, cell: int) -> list[tuple[int, ...]]:
        """Return what each other person knows who is alone in a cell of a sum with this one."""
        if not self.own:
            return []
        near = np.unique(self._person[self._near(cell)])
        return [self.own[who] for who in near.tolist() if who not in (-1, self._person[cell])]

    def _near(self, cell: int) -> Ints:
        sums, by_cell = self._sums, self._by_cell
        rows = by_cell.indices[by_cell.indptr[cell] : by_cell.indptr[cell + 1]]
        near = [sums.indices[sums.indptr[r] : sums.indptr[r + 1]] for r in rows.tolist()]
        return np.concatenate(near) if near else np.zeros(0, dtype=np.int64)

    def knowing(self, cells: Ints) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
        """Yield those of some cells that have such a person beside them, and what each knows."""
        for cell in cells.tolist():
            groups = self.beside(cell)
            if groups:
                yield cell, groups
