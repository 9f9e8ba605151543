"""Parts of a large system that few sums bind together: places, each with all its tables.

A pattern that is not safe within a part, where an attacker has fewer sums, is safe nowhere; one
that is may need some cells more because of the sums between the parts. So parts are chosen one by
one, and what fails is mended with all sums.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct.core import Bools, Ints
from indistinct.tables.system import CellSystem

__all__ = ["Parts", "joined", "parts_of"]


MOST = 400
"""Cells of a part, where there are no places to go by."""

FEWEST = 20
"""Cells of a part on average: where sums of all lengths bind a system, it has no parts."""


class Parts:
    """Cells of a component in parts, and the sums within and between them.

    Parameters
    ----------
    sums
        The sums of the component.
    part
        Of every cell the part it belongs to, from 0.
    """

    def __init__(self, sums: sparse.csr_matrix, part: Ints) -> None:
        self.part = part
        self.number = int(part.max(initial=-1)) + 1
        entries = np.diff(sums.indptr)
        of_entry = part[sums.indices]
        rows = np.repeat(np.arange(sums.shape[0]), entries)
        first = np.full(sums.shape[0], -1, dtype=np.int64)
        first[entries > 0] = of_entry[sums.indptr[:-1][entries > 0]]
        between = np.zeros(sums.shape[0], dtype=np.bool_)
        between[rows[of_entry != first[rows]]] = True
        self.within = sparse.csr_matrix(sums[~between])
        self._row_part = first[~between]
        self._between = sparse.csr_matrix(sums[between])

    def of(self, cell: int) -> int:
        """Return the part of a cell."""
        return int(self.part[cell])

    def cells(self, part: int) -> Ints:
        """Return the cells of a part."""
        return np.flatnonzero(self.part == part)

    def sums(self, part: int) -> sparse.csr_matrix:
        """Return the sums within a part, over its cells."""
        own = self.within[np.flatnonzero(self._row_part == part)]
        return sparse.csr_matrix(own[:, self.cells(part)])

    def around(self, part: int, chosen: Bools, most: int) -> Ints:
        """Return chosen cells of a part, and of those that share most sums with it over such cells.

        At most `most` cells in all, or those of the part.
        """
        sizes = np.bincount(self.part[chosen], minlength=self.number)
        own = abs(self._between[:, np.flatnonzero(chosen & (self.part == part))])
        rows = np.asarray(own.sum(axis=1)).ravel() > 0
        shared = rows.astype(np.float64) @ abs(self._between[:, np.flatnonzero(chosen)])
        closeness = np.bincount(
            self.part[chosen], weights=np.asarray(shared).ravel(), minlength=self.number
        )
        near = np.lexsort((np.arange(self.number), -closeness))
        near = near[(near != part) & (closeness[near] > 0)]
        near = near[sizes[part] + np.cumsum(sizes[near]) <= most]
        inside = np.zeros(self.number, dtype=np.bool_)
        inside[part] = True
        inside[near] = True
        return np.flatnonzero(chosen & inside[self.part])


def parts_of(system: CellSystem, cells: Ints, sums: sparse.csr_matrix) -> Parts | None:
    """Return the parts of a component: its places, or else what is left without the longest sums.

    None where it does not fall into parts.
    """
    place = np.full(len(system), -1, dtype=np.int64)
    for where in system.places.values():
        areas = np.broadcast_to(
            np.arange(len(where)).reshape(-1, *[1] * (where.ndim - 1)), where.shape
        )
        place[where[where >= 0]] = areas[where >= 0]
    own = place[cells]
    if (own >= 0).all() and np.bincount(own).max(initial=0) <= max(MOST, len(cells) // 4):
        return Parts(sums, np.unique(own, return_inverse=True)[1].astype(np.int64))
    lengths = np.diff(sums.indptr)
    part = np.zeros(len(cells), dtype=np.int64)
    for longest in np.unique(lengths)[::-1].tolist():
        if np.bincount(part).max(initial=0) <= MOST:
            break
        part = joined(sums[lengths < longest], np.ones(len(cells), dtype=np.bool_))
    found = Parts(sums, part)
    return found if 1 < found.number <= len(cells) / FEWEST else None


def joined(sums: sparse.csr_matrix, chosen: Bools) -> Ints:
    """Return a number for every chosen cell: cells that sums of such cells join have the same.

    Other cells have -1.

    >>> joined(sparse.csr_matrix([[1.0, 1, 0, 1], [0, 0, 1, 1]]), np.array([1, 1, 1, 0]) > 0)
    array([ 0,  0,  1, -1])
    """
    cells = np.flatnonzero(chosen)
    own = sparse.csr_matrix(sums[:, cells])
    size = own.shape[0] + len(cells)
    entries = own.tocoo()
    links = sparse.coo_matrix(
        (np.ones(len(entries.data)), (entries.col, len(cells) + entries.row)), shape=(size, size)
    )
    found = np.full(len(chosen), -1, dtype=np.int64)
    found[cells] = connected_components(links, directed=False)[1][: len(cells)]
    return found
