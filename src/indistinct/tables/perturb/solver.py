"""Linear and integer programs over the sums of published cells, solved by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy import sparse

from indistinct.core import Floats

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
        import highspy

        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call,unused-ignore]
        self._highs.silent()
        for name, value in (("threads", 1), ("random_seed", 0), ("parallel", "off")):
            self._highs.setOptionValue(name, value)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = sums.shape[1], sums.shape[0]
        program.col_cost_ = np.zeros(sums.shape[1])
        program.col_lower_, program.col_upper_ = low, high
        program.row_lower_ = program.row_upper_ = right
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = sums.indptr
        program.a_matrix_.index_ = sums.indices
        program.a_matrix_.value_ = sums.data
        self._highs.passModel(program)
        self.columns = int(sums.shape[1])

    def cost(self, cost: Floats) -> None:
        """Set what each value costs."""
        at = np.arange(self.columns, dtype=np.int32)
        self._highs.changeColsCost(self.columns, at, cost)

    def extreme(self, column: int, which: Literal["least", "most"]) -> float | None:
        """Return the least or the most that one value can be; None where nothing fits."""
        import highspy

        sign = 1.0 if which == "least" else -1.0
        self._highs.changeColCost(column, sign)
        solved = self.solve()
        self._highs.changeColCost(column, 0.0)
        if self._highs.getModelStatus() == highspy.HighsModelStatus.kUnbounded:
            return -sign * np.inf
        return None if solved.values is None else sign * solved.objective

    def solve(self) -> Solved:
        """Find the values of least cost."""
        import highspy

        self._highs.run()
        status = self._highs.getModelStatus()
        known = highspy.HighsModelStatus
        limited = status in (known.kSolutionLimit, known.kIterationLimit)
        if status == known.kOptimal or (limited and self._has_solution()):
            values = np.array(self._highs.getSolution().col_value, dtype=np.float64)
            objective = float(self._highs.getInfo().objective_function_value)
            return Solved(values, objective, status == known.kOptimal)
        return Solved(None, np.inf, not limited)

    def _has_solution(self) -> bool:
        import highspy

        found: Any = self._highs.getInfo().primal_solution_status
        return bool(found == highspy.SolutionStatus.kSolutionStatusFeasible)


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
        import highspy

        whole = self.columns if first is None else first
        linear = self.solve()
        if linear.values is None:
            return linear
        if np.abs(linear.values[:whole] - np.rint(linear.values[:whole])).max(initial=0) < _WHOLE:
            return linear
        at = np.arange(whole, dtype=np.int32)
        kinds = np.full(whole, highspy.HighsVarType.kInteger)
        self._highs.changeColsIntegrality(whole, at, kinds)
        self._highs.setOptionValue("mip_abs_gap", gap)
        self._highs.setOptionValue("mip_rel_gap", share)
        most = max(1, SEARCH_WORK // self.columns) if nodes is None else nodes
        self._highs.setOptionValue("mip_max_nodes", most)
        if self.columns > LARGE:
            self._highs.setOptionValue("mip_pscost_minreliable", 0)
        return replace(self.solve(), searched=True)
