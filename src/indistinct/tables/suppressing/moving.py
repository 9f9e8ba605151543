"""The cheapest way to move a cell while all sums hold: one linear programme, solved many times.

    minimise    sum of charge(i) |y(i)|
    subject to  sums @ y = 0,  -down <= y <= up,  y(cell) = amount

(Kelly, Golden and Assad 1992, *Networks* 22, 397–417). The cells that move must be unknown to an
attacker for the one cell to be unknown by the amount.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import sparse

from indistinct.core import Array, Floats, Ints, LinearProgram

__all__ = ["Mover", "determines"]


class Mover:
    """Movements of some cells of a component, the others standing still.

    Parameters
    ----------
    sums
        The sums, by column; those without any of the cells are left out.
    cells
        The cells that may move.
    down, up
        How far each cell of the component may move.
    """

    def __init__(self, sums: sparse.csc_matrix, cells: Ints, down: Floats, up: Floats) -> None:
        self.cells = cells
        self.size = len(cells)
        self.place = np.full(sums.shape[1], -1, dtype=np.int64)
        self.place[cells] = np.arange(self.size)
        self.solved = 0
        self._limits = np.concatenate([up[cells], down[cells]])
        self._limits[~np.isfinite(self._limits)] = np.inf
        self._costs = np.ones(2 * self.size)
        self._open = np.ones(self.size, dtype=np.bool_)
        own = sums[:, cells]
        rows, inside = np.unique(own.indices, return_inverse=True)
        one_way = sparse.csc_matrix(
            (own.data, inside.astype(np.int32), own.indptr), shape=(len(rows), self.size)
        )
        # from a start in which nothing moves, charges keep the dual simplex feasible, and the few
        # sums around the cell are all it has to mend
        self._program = LinearProgram(
            low=np.zeros(2 * self.size),
            high=self._limits,
            cost=self._costs,
            rows=sparse.csc_matrix(sparse.hstack([one_way, -one_way])),
            simplex=True,
            options={"simplex_strategy": 1},
        )

    def let(self, cells: Ints, *, move: bool) -> None:
        """Let cells move, or stand still; cells that this model does not have stand still."""
        places = self.place[cells]
        places = places[places >= 0]
        number = 2 * len(places)
        if number:
            self._open[places] = move
            columns = np.concatenate([places, places + self.size])
            upper = self._limits[columns] if move else np.zeros(number)
            self._program.change_bounds(columns, np.zeros(number), upper)

    def move(
        self, cell: int, amount: float, up: Floats, down: Floats
    ) -> tuple[Ints, Floats] | None:
        """Return the cells that move, and how far, when one is moved at the least charge.

        `up` and `down` are the charges of moving each of the cells by one.
        """
        costs = np.concatenate([up, down])
        found = self._solve(cell, amount, costs, fixed=True)
        if found is None:
            return None
        moved = found[: self.size] - found[self.size :]
        # what is smaller is the solver's tolerance
        places = np.flatnonzero(np.abs(moved) > 1e-6 * max(1.0, abs(amount)))
        return self.cells[places], moved[places]

    def furthest(self, cell: int, direction: float) -> float:
        """Return how far a cell can be moved at all; infinite where there is no limit."""
        place = int(self.place[cell]) + (0 if direction > 0 else self.size)
        costs = np.zeros(2 * self.size)
        costs[place] = -1.0
        found = self._solve(cell, direction, costs, fixed=False)
        return np.inf if found is None else float(found[place])

    def _solve(self, cell: int, amount: float, costs: Floats, *, fixed: bool) -> Floats | None:
        place = int(self.place[cell])
        there, back = (place, place + self.size) if amount > 0 else (place + self.size, place)
        size = abs(amount)
        if fixed and size > self._limits[there] + 2e-7 * max(1.0, size):
            return None
        changed = np.flatnonzero(costs != self._costs)
        if len(changed):
            self._program.change_cost(changed, costs[changed])
            self._costs = costs
        if fixed:
            self._program.change_one_bound(there, size, size)
        self._program.change_one_bound(back, 0.0, 0.0)
        ended = self._program.solve(afresh=True)
        self.solved += 1
        found = None
        if ended == "solved":
            found = self._program.values
        elif not fixed and not ended.startswith("no limit"):
            raise RuntimeError(f"The solver stopped with {self._program.status}.")
        self.let(np.array([cell]), move=True)
        return found


@njit(cache=True, nogil=True)
def determines(
    start: Array,
    column: Array,
    cell_start: Array,
    row: Array,
    left: Array,
    total: Array,
    gone: Array,
    wanted: Array,
) -> bool:
    """Say whether publishing cells lets a wanted one be worked out, one sum after the other.

    `left` and `total` are the number of unknown cells of every sum, and the sum of their
    positions: where one is left, it is the total. Both are as before when this returns.
    """
    known = np.empty(len(cell_start), dtype=np.int64)
    end = len(gone)
    known[:end] = gone
    at = 0
    found = False
    while at < end and not found:
        cell = known[at]
        at += 1
        for e in range(cell_start[cell], cell_start[cell + 1]):
            r = row[e]
            left[r] -= 1
            total[r] -= cell
            if left[r] == 1:
                last = total[r]
                fresh = True
                for k in range(at, end):
                    if known[k] == last:
                        fresh = False
                if fresh:
                    known[end] = last
                    end += 1
                    found = found or wanted[last]
    for k in range(at):
        cell = known[k]
        for e in range(cell_start[cell], cell_start[cell + 1]):
            left[row[e]] += 1
            total[row[e]] += cell
    return found
