"""Linear and integer programs over the sums of published cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import sparse

from indistinct.core import Ended, Floats, LinearProgram

__all__ = ["Program", "Solved", "WholeProgram"]


SEARCH_WORK = 200_000
"""Nodes times columns of a search in whole numbers: work is limited by counts, never by time."""

LARGE = 2_000
"""Columns above which a search branches without trying branches first."""

_WHOLE = 1e-6


@dataclass(frozen=True)
class Solved:
    """What was found; no values where nothing satisfies the sums.

    Parameters
    ----------
    best
        Whether nothing better exists, or nothing at all; not known where the search reached its
        limit.
    searched
        Whether the linear program was not enough.
    """

    values: Floats | None
    objective: float
    best: bool
    searched: bool = False


class Program:
    """Values within bounds for which sums hold: asked for the least or most of a combination."""

    def __init__(self, sums: sparse.csr_matrix, right: Floats, low: Floats, high: Floats) -> None:
        self._program = LinearProgram(
            low=low, high=high, rows=sums, right=(right, right), options={"parallel": "off"}
        )
        self.columns = int(sums.shape[1])

    def cost(self, cost: Floats) -> None:
        """Set what each value costs."""
        self._program.change_cost(np.arange(self.columns), cost)

    def extreme(self, column: int, which: Literal["least", "most"]) -> float | None:
        """Return the least or the most that one value can be; None where nothing fits."""
        sign = 1.0 if which == "least" else -1.0
        self._program.change_one_cost(column, sign)
        ended, solved = self._solved()
        self._program.change_one_cost(column, 0.0)
        if ended == "no limit":
            return -sign * np.inf
        return None if solved.values is None else sign * solved.objective

    def solve(self) -> Solved:
        """Find the values of least cost."""
        return self._solved()[1]

    def _solved(self) -> tuple[Ended, Solved]:
        ended = self._program.solve()
        gave_up = ended == "gave up"
        if ended == "solved" or (gave_up and self._program.has_values):
            return ended, Solved(self._program.values, self._program.objective, not gave_up)
        return ended, Solved(None, np.inf, not gave_up)


class WholeProgram(Program):
    """The same with whole numbers.

    The linear program is tried first: its corners are whole where the sums form a network, as those
    of a two-way table or a hierarchy do, and only otherwise a search is needed.
    """

    def solve_whole(
        self, *, gap: float, share: float = 0.0, nodes: int | None = None, first: int | None = None
    ) -> Solved:
        """Find whole values whose cost is at most `gap` above the least.

        Parameters
        ----------
        share
            Or at most this share of the cost above it.
        nodes
            How many nodes are searched.
        first
            How many values must be whole, from the first on: all, where it is not said.
        """
        whole = self.columns if first is None else first
        linear = self.solve()
        if linear.values is None:
            return linear
        if np.abs(linear.values[:whole] - np.rint(linear.values[:whole])).max(initial=0) < _WHOLE:
            return linear
        self._program.make_whole(whole)
        most = max(1, SEARCH_WORK // self.columns) if nodes is None else nodes
        self._program.tell({"mip_abs_gap": gap, "mip_rel_gap": share, "mip_max_nodes": most})
        if self.columns > LARGE:
            self._program.tell({"mip_pscost_minreliable": 0})
        return replace(self.solve(), searched=True)
