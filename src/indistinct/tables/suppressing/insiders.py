"""People who are alone in a suppressed cell: they know its value, and may subtract it.

An insider must not get too near to a sensitive cell that stands in a sum with one of their own, and
must not be able to work out any sensitive cell exactly, however far off. Their own cells are not
protected from them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from indistinct.core import Floats, Ints
from indistinct.tables.suppressing.elimination import mutual
from indistinct.tables.suppressing.people import Alone
from indistinct.tables.suppressing.repair import Pattern, Target

__all__ = ["Insiders"]


class Insiders:
    """The people who are alone in cells of one component, and what is asked because of them.

    Parameters
    ----------
    sums
        The sums among its cells.
    person
        Of every cell of the component who is alone in it, or -1.
    least
        Of every cell, how little movement is enough for it not to be known exactly.
    """

    def __init__(self, sums: sparse.csr_matrix, person: Ints, least: Floats) -> None:
        self.person, self.least = person, least
        self._alone = Alone(sums, person)
        self._asked: set[tuple[int, int]] = set()

    def among(self, sums: sparse.csr_matrix, cells: Ints) -> Insiders:
        """Return those of some of the cells, with the sums among these."""
        return Insiders(sums, self.person[cells], self.least[cells])

    def ask(self, pattern: Pattern) -> bool:
        """Add what the pattern must keep to because of insiders; say whether it does not yet."""
        known = np.flatnonzero((self.person >= 0) & pattern.suppressed)
        if not len(known):
            return False
        plain = {t.cell: t for t in pattern.targets if not t.still}
        cells = np.array(sorted(plain), dtype=np.int64)
        near = [
            replace(plain[cell], still=self._own(who))
            for cell, who in self._fresh(*_beside(pattern, cells, known))
        ]
        classes = mutual(pattern.sums, pattern.suppressed)
        far = [
            Target(cell, 0.0, 0.0, float(self.least[cell]), still=self._own(who))
            for cell, who in self._fresh(*_same(classes, cells, known))
        ]
        return bool(list(pattern.unproved(pattern.add(near + far))))

    def _own(self, who: int) -> tuple[int, ...]:
        return self._alone.own[who]

    def _fresh(self, cells: Ints, known: Ints) -> list[tuple[int, int]]:
        """Return the pairs of a cell and a person that were not asked about before."""
        pairs = set(zip(cells.tolist(), self.person[known].tolist(), strict=True))
        fresh = {(c, who) for c, who in pairs if self.person[c] != who} - self._asked
        self._asked |= fresh
        return sorted(fresh)


def _beside(pattern: Pattern, cells: Ints, known: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of one of the cells and a known cell that stand in a sum."""
    sums = abs(pattern.sums)
    pairs = sparse.coo_matrix(sums[:, cells].T @ sums[:, known])
    return cells[pairs.row], known[pairs.col]


def _same(classes: Ints, cells: Ints, known: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of one of the cells and a known cell of one class."""
    cells, known = cells[classes[cells] >= 0], known[classes[known] >= 0]
    number = int(classes.max(initial=-1)) + 1

    def belonging(some: Ints) -> sparse.csr_matrix:
        entries = (np.ones(len(some)), (np.arange(len(some)), classes[some]))
        return sparse.csr_matrix(entries, shape=(len(some), number))

    pairs = sparse.coo_matrix(belonging(cells) @ belonging(known).T)
    return cells[pairs.row], known[pairs.col]
