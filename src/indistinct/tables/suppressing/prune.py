"""Patterns within one component of a system: adding what is missing, taking what is not needed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Floats, Ints
from indistinct.tables.suppressing.attack import Needs, protects, protects_from
from indistinct.tables.suppressing.people import Alone
from indistinct.tables.suppressing.solver import Component

__all__ = ["Pruning"]


class Pruning:
    """The cells of a component that may be suppressed, and what is required of them.

    Parameters
    ----------
    sums
        The sums among the cells.
    low, high
        Bounds on their deviations.
    needs
        What is required of them.
    person
        Of every cell who is alone in it and knows its value, or -1.
    """

    def __init__(
        self, sums: sparse.csr_matrix, low: Floats, high: Floats, needs: Needs, person: Ints
    ) -> None:
        self.sums, self.low, self.high = sums, low, high
        self.needs, self.person = needs, person
        self._everything: Component | None = None

    def within(self, cells: Ints, *, sparing: bool) -> tuple[Component, sparse.csr_matrix]:
        """Return the model of some of the cells, the others published, and their sums."""
        sums = sparse.csr_matrix(self.sums[:, cells])
        sums = sums[np.diff(sums.indptr) > 0]
        return Component(sums, self.low[cells], self.high[cells], sparing=sparing), sums

    def unprotected(self, pattern: Bools) -> list[int]:
        """Return the sensitive cells that a pattern does not protect."""
        cells = np.flatnonzero(pattern)
        component, sums = self.within(cells, sparing=False)
        needs, alone = self.needs.of(cells), Alone(sums, self.person[cells])
        return [
            int(cells[k])
            for k in np.flatnonzero(needs.sensitive).tolist()
            if not protects_from(component, needs, k, alone.beside(k))
        ]

    def repaired(self, pattern: Bools, cost: Floats) -> Bools:
        """Return a safe pattern that holds a given one: cells are added until it protects.

        For each sensitive cell that is not protected a solution is looked for that moves it and
        little else, where moving cells that are suppressed already costs nearly nothing.
        """
        pattern = pattern.copy()
        if self._everything is None:
            self._everything = Component(self.sums, self.low, self.high, sparing=True)
        component = self._everything
        price = cost / max(float(cost.max()), 1e-300)
        alone = Alone(self.sums, self.person)
        while missing := self.unprotected(pattern):
            for cell in missing:
                component.spare(np.where(pattern, 1e-3, np.maximum(price, 1e-2)))
                component.forget_all()
                for known in [(), *alone.beside(cell)]:
                    for n in known:
                        component.fix(n)
                    protects(component, self.needs, cell)
                    pattern |= _support(component.moves(), self.needs, cell)
                    for n in known:
                        component.free(n)
        return pattern

    def reduced(self, pattern: Bools, tries: Ints, *, most: int) -> tuple[Bools, int]:
        """Return what is left when cells are published one after another while all holds.

        Also returns how many linear programs were solved, of which there are `most` at most, not
        counting those that find how cells are protected at first.
        """
        cells = np.flatnonzero(pattern)
        component, sums = self.within(cells, sparing=True)
        alone = Alone(sums, self.person[cells])
        task = _Witnesses(component, self.needs.of(cells), alone)
        place = np.full(len(pattern), -1)
        place[cells] = np.arange(len(cells))
        left = pattern.copy()
        for cell in tries.tolist():
            if component.runs >= most:
                break
            if place[cell] >= 0 and task.can_publish(int(place[cell])):
                left[cell] = False
        return left, component.runs


class _Witnesses:
    """Which cells the protection of each sensitive cell moves."""

    def __init__(self, component: Component, needs: Needs, alone: Alone) -> None:
        self.component, self.needs = component, needs
        self._knowing: dict[int, list[tuple[int, ...]]] = {}
        self._users: list[set[int]] = [set() for _ in range(component.size)]
        self._used: dict[int, Ints] = {}
        for cell in np.flatnonzero(needs.sensitive).tolist():
            self._knowing[cell] = []
            if not protects(component, needs, cell):
                continue
            for known in alone.beside(cell):
                # an insider who already gets too near is no reason to keep anything
                if protects_from(component, needs, cell, [known]):
                    self._knowing[cell].append(known)
            self._note(cell)

    def can_publish(self, cell: int) -> bool:
        """Publish a cell if everything holds without it, and say so."""
        component = self.component
        component.fix(cell)
        touched = sorted(self._users[cell])
        if not all(
            protects_from(component, self.needs, one, self._knowing[one]) for one in touched
        ):
            component.free(cell)
            return False
        component.forget()
        for one in touched:
            self._note(one)
        return True

    def _note(self, cell: int) -> None:
        """Note which cells the solutions move that show a cell to be protected."""
        for n in self._used.get(cell, np.zeros(0, dtype=np.int64)).tolist():
            self._users[n].discard(cell)
        moves = self.component.moves()
        used = np.zeros(self.component.size, dtype=np.bool_)
        for known in [(), *self._knowing[cell]]:
            allowed = moves[(moves[:, list(known)] == 0.0).all(axis=1)]
            used |= _support(allowed, self.needs, cell)
        self._used[cell] = np.flatnonzero(used)
        for n in self._used[cell].tolist():
            self._users[n].add(cell)


def _support(moves: Floats, needs: Needs, cell: int) -> Bools:
    """Return the cells moved by solutions, few, that show a cell's requirement to be met.

    All cells, where the solutions that showed it are no longer kept.
    """
    if not len(moves):
        return np.ones(moves.shape[1], dtype=np.bool_)
    column = moves[:, cell]
    size = np.count_nonzero(moves, axis=1).astype(np.float64)
    slack = needs.slack[cell]
    required = max(needs.upper[cell], needs.lower[cell], needs.sliding[cell], 2 * slack)
    if needs.lower[cell] == 0 or needs.upper[cell] == 0:
        alone = (
            column >= required - slack if needs.lower[cell] == 0 else np.zeros(len(column), bool)
        )
        if needs.upper[cell] == 0:
            alone = alone | (column <= slack - required)
        if alone.any():
            return np.asarray(moves[np.where(alone, size, np.inf).argmin()] != 0.0)
    above = np.where(column >= needs.upper[cell] - slack, size, np.inf).argmin()
    below = np.where(column <= slack - needs.lower[cell], size, np.inf).argmin()
    if not needs.met_by(cell, min(0.0, column[below]), max(0.0, column[above])):
        above, below = column.argmax(), column.argmin()
    if not needs.met_by(cell, min(0.0, column[below]), max(0.0, column[above])):
        return np.ones(moves.shape[1], dtype=np.bool_)
    return np.asarray((moves[above] != 0.0) | (moves[below] != 0.0))
