"""One connected component of unknown cells as a linear program that is solved again and again.

The model stays in HiGHS; between solves only the objective and a few bounds change, so that a
solve starts from the last basis, or from the true table where that is nearer. Each solution is a
table that agrees with everything published, so all are kept: a requirement that one of them shows
to be met needs no solve of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Ended, Floats, Ints, LinearProgram
from indistinct.tables.suppressing.unknowns import Unknowns

__all__ = ["Component"]


LARGEST = 2.0**20
"""Bounds are scaled to at most this, so that the solver's tolerance of 1e-7 is far below them."""

MOST_KEPT = 20_000_000
"""Numbers kept of solutions; the oldest give way."""

SPARING = 2.0**14
"""What moving the cell is worth, where moving any other by as much costs one.

More in large components. Were it ever too little, a cell would be taken for less protected than it
is.
"""


class Component:
    """Deviations that agree with what is published, within one component.

    Parameters
    ----------
    sums
        The sums that hold: `sums` @ deviations is zero.
    low, high
        Bounds on the deviations.
    whole
        Whether deviations are whole numbers.
    sparing
        Whether solutions move few other cells, which is slower for one solve and saves many where
        it matters which cells a solution needs: deviations are split into those up and those down,
        and what others move costs a little.
    """

    def __init__(
        self,
        sums: sparse.csr_matrix,
        low: Floats,
        high: Floats,
        *,
        whole: bool = False,
        sparing: bool = False,
    ) -> None:
        self.size = len(low)
        finite = np.abs(np.concatenate([low, high]))
        finite = finite[np.isfinite(finite)]
        most = float(finite.max()) if len(finite) else 1.0
        self.scale = 1.0 if whole else 2.0 ** max(0.0, np.ceil(np.log2(max(most, 1.0) / LARGEST)))
        self.low, self.high = low / self.scale, high / self.scale
        self.seen_low, self.seen_high = np.zeros(self.size), np.zeros(self.size)
        self.runs = 0
        self._moves = np.zeros((8, self.size))
        self._found = 0
        self._whole = whole
        self.fixed: set[int] = set()
        self._sparing = sparing
        least, up_to, every = self.low, self.high, sums
        if sparing:
            every = sparse.csr_matrix(sparse.hstack([sums, -sums]))
            least, up_to = np.zeros(2 * self.size), np.concatenate([self.high, -self.low])
        self._rest = np.full(self.size, -1.0 if sparing else 0.0)
        self._program = LinearProgram(
            low=least,
            high=up_to,
            cost=np.full(len(least), self._rest[0]),
            rows=every,
            most=True,
            whole=whole,
            simplex=not whole,
            options={"mip_rel_gap": 0.0, "mip_abs_gap": 0.5},
        )

    @classmethod
    def of(
        cls, found: Unknowns, component: int, *, whole: bool = False, sparing: bool = False
    ) -> Component:
        """Return the model of a component of what is unknown."""
        members = found.members(component)
        low, high = found.low[members], found.high[members]
        return cls(found.sums_within(component), low, high, whole=whole, sparing=sparing)

    def fix(self, cell: int) -> None:
        """Hold a cell at its true value, as one who knows it does."""
        self.fixed.add(cell)
        self._bound(cell, 0.0, 0.0)

    def free(self, cell: int) -> None:
        """Let a cell move again."""
        self.fixed.discard(cell)
        self._bound(cell, self.low[cell], self.high[cell])

    def spare(self, price: Floats) -> None:
        """Set what moving each cell costs, where it is not the cell asked about."""
        self._rest = -price
        self._program.change_cost(np.arange(2 * self.size), np.tile(self._rest, 2))

    def forget_all(self) -> None:
        """Leave out all solutions."""
        self._found = 0
        self.seen_low, self.seen_high = np.zeros(self.size), np.zeros(self.size)

    def forget(self) -> None:
        """Leave out the solutions that the fixed cells do not allow."""
        kept = self._moves[: self._kept][self._allowed()]
        self._moves = np.vstack([kept, np.zeros((max(8, len(kept)), self.size))])
        self._found = len(kept)
        self.seen_low, self.seen_high = kept.min(axis=0, initial=0.0), kept.max(axis=0, initial=0.0)

    def moves(self) -> Floats:
        """Return the deviations found so far that the cells held fixed allow, one a row.

        An end without limit is infinite.
        """
        found: Floats = self._moves[: self._kept][self._allowed()] * self.scale
        return found

    def _allowed(self) -> Bools:
        allowed: Bools = (self._moves[: self._kept, sorted(self.fixed)] == 0.0).all(axis=1)
        return allowed

    def shown(self, cell: int) -> tuple[float, float]:
        """Return how far solutions that the fixed cells allow have moved a cell down and up."""
        if not self.fixed:
            low, high = float(self.seen_low[cell]), float(self.seen_high[cell])
        else:
            column = self._moves[: self._kept][self._allowed(), cell]
            low, high = float(column.min(initial=0.0)), float(column.max(initial=0.0))
        return low * self.scale, high * self.scale

    @property
    def _kept(self) -> int:
        return min(self._found, len(self._moves))

    def _keep(self, move: Floats) -> None:
        if self._found == len(self._moves) and len(self._moves) < max(8, MOST_KEPT // self.size):
            self._moves = np.vstack([self._moves, np.zeros_like(self._moves)])
        self._moves[self._found % len(self._moves)] = move
        self._found += 1
        self.seen_low = np.minimum(self.seen_low, move)
        self.seen_high = np.maximum(self.seen_high, move)

    def reach(self, cell: int, *, up: bool, enough: float = np.inf) -> float:
        """Return how far a cell can move up (or down, below zero), up to what is enough."""
        if cell in self.fixed:
            return 0.0
        least, most = self.low[cell], self.high[cell]
        if up:
            most = min(most, enough / self.scale)
        else:
            least = max(least, -enough / self.scale)
        move = self._solve([cell], [1.0 if up else -1.0], [least], [most])
        return float(move[cell]) * self.scale

    def push(self, cells: Ints, signs: Floats, *, down: Floats, up: Floats) -> None:
        """Move many cells at once, each no further than asked, and keep what was found."""
        least = np.maximum(self.low[cells], -down / self.scale)
        most = np.minimum(self.high[cells], up / self.scale)
        self._solve(cells.tolist(), signs.tolist(), least.tolist(), most.tolist())

    def _solve(
        self,
        cells: Sequence[int],
        costs: Sequence[float],
        least: Sequence[float],
        most: Sequence[float],
    ) -> Floats:
        for cell, cost, a, b in zip(cells, costs, least, most, strict=True):
            if cell not in self.fixed:
                self._cost(cell, cost)
                self._bound(cell, a, b)
        # from the true table, a vertex of the split program, a short way leads to what is asked
        ended = self._program.solve(afresh=self._sparing)
        self.runs += 1
        if ended == "solved":
            move = self._joined(self._program.values)
            move[np.abs(move) < 1e-9] = 0.0
        else:
            move = self._without_limit(ended, cells, costs)
        for cell in cells:
            self._cost(cell, 0.0)
            if cell not in self.fixed:
                self._bound(cell, self.low[cell], self.high[cell])
        self._keep(move)
        return move

    def _without_limit(self, ended: Ended, cells: Sequence[int], costs: Sequence[float]) -> Floats:
        """Return the direction in which cells go without limit."""
        move = np.zeros(self.size)
        if self._whole and ended.startswith("no limit"):
            move[list(cells)] = np.inf * np.asarray(costs)
        else:
            ray = self._program.ray()
            if ray is None:
                raise RuntimeError(f"The solver stopped with {self._program.status}.")
            ray = self._joined(ray)
            move[ray > 1e-9] = np.inf
            move[ray < -1e-9] = -np.inf
        return move

    def _joined(self, found: Floats) -> Floats:
        return found[: self.size] - found[self.size :] if self._sparing else found

    def _cost(self, cell: int, cost: float) -> None:
        price = SPARING * max(1, self.size // 512) if self._sparing else 1.0
        self._program.change_one_cost(cell, self._rest[cell] + price * cost)
        if self._sparing:
            self._program.change_one_cost(self.size + cell, self._rest[cell] - price * cost)

    def _bound(self, cell: int, least: float, most: float) -> None:
        if self._sparing:
            self._program.change_one_bound(cell, 0.0, most)
            self._program.change_one_bound(self.size + cell, 0.0, -least)
        else:
            self._program.change_one_bound(cell, least, most)
