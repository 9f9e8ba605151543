"""Who is alone in a cell: one person may be, in a category and in the groups around it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct.core import Ints

__all__ = ["Alone", "people_alone"]


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
