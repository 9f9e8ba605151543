"""One builder of linear programs, solved by HiGHS: given once, changed and solved again and again.

    least (or most) cost @ x   where   low <= x <= high   and   right_low <= rows @ x <= right_high

It runs on one thread with a fixed seed, says nothing, and what it may spend is counted in nodes,
never in time: the same program has the same answer everywhere. How it ended is told in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from indistinct.core.arrays import Array, Floats

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["Ended", "LinearProgram"]

Ended = Literal["solved", "no limit", "no limit or no solution", "no solution", "gave up", "failed"]
"""How a program ended; one that gave up reached what it was given to spend."""

_ENDED: dict[str, Ended] = {
    "kOptimal": "solved",
    "kUnbounded": "no limit",
    "kUnboundedOrInfeasible": "no limit or no solution",
    "kInfeasible": "no solution",
    "kSolutionLimit": "gave up",
    "kIterationLimit": "gave up",
}


class LinearProgram:
    """Values within bounds for which sums hold; least or most of what they cost.

    >>> from scipy import sparse
    >>> rows = sparse.csr_matrix([[1.0, 1.0]])
    >>> program = LinearProgram(rows=rows, right=(3.0, 3.0), low=np.zeros(2), high=np.full(2, 2.0))
    >>> program.change_cost(np.array([0]), np.ones(1))
    >>> program.solve(), program.values.tolist(), program.objective
    ('solved', [1.0, 2.0], 1.0)

    Parameters
    ----------
    low, high
        Bounds of the values, infinite where there is none.
    cost
        What each value costs; nothing where it is not said.
    rows
        The coefficients of the sums, by row or by column; there may be none at first.
    right
        What the sums are, at least and at most.
    most
        Whether the most is asked for.
    whole
        Whether values must be whole numbers.
    simplex
        Whether each solve goes on from the last one's corner.
    options
        What HiGHS is told besides.
    """

    def __init__(
        self,
        *,
        low: Floats,
        high: Floats,
        cost: Floats | None = None,
        rows: sparse.csr_matrix | sparse.csc_matrix | None = None,
        right: tuple[Floats | float, Floats | float] = (0.0, 0.0),
        most: bool = False,
        whole: bool = False,
        simplex: bool = False,
        options: Mapping[str, str | int | float] | None = None,
    ) -> None:
        import highspy

        self.size = len(low)
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call,unused-ignore]
        self._highs.silent()
        going_on = {"presolve": "off", "solver": "simplex"} if simplex else {}
        self.tell({"threads": 1, "random_seed": 0, **going_on, **(options or {})})
        number = 0 if rows is None else int(rows.shape[0])
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = self.size, number
        model.col_cost_ = np.zeros(self.size) if cost is None else cost
        model.col_lower_, model.col_upper_ = low, high
        model.row_lower_, model.row_upper_ = (np.full(number, end) for end in right)
        model.sense_ = highspy.ObjSense.kMaximize if most else highspy.ObjSense.kMinimize
        if rows is not None:
            by_row = rows.format == "csr"
            form = highspy.MatrixFormat
            model.a_matrix_.format_ = form.kRowwise if by_row else form.kColwise
            model.a_matrix_.start_ = rows.indptr.astype(np.int32)
            model.a_matrix_.index_ = rows.indices.astype(np.int32)
            model.a_matrix_.value_ = rows.data.astype(np.float64)
        if whole:
            model.integrality_ = [highspy.HighsVarType.kInteger] * self.size
        self._highs.passModel(model)

    def tell(self, options: Mapping[str, str | int | float]) -> None:
        """Set options of HiGHS."""
        for name, value in options.items():
            self._highs.setOptionValue(name, value)

    def change_cost(self, columns: Array, cost: Floats) -> None:
        """Set what some values cost."""
        self._highs.changeColsCost(len(columns), columns.astype(np.int32), cost)

    def change_one_cost(self, column: int, cost: float) -> None:
        """Set what one value costs."""
        self._highs.changeColCost(column, cost)

    def change_bounds(self, columns: Array, low: Floats, high: Floats) -> None:
        """Set the bounds of some values."""
        self._highs.changeColsBounds(len(columns), columns.astype(np.int32), low, high)

    def change_one_bound(self, column: int, low: float, high: float) -> None:
        """Set the bounds of one value."""
        self._highs.changeColBounds(column, low, high)

    def make_whole(self, number: int) -> None:
        """Let so many values, from the first on, be whole numbers alone."""
        import highspy

        kinds = np.full(number, highspy.HighsVarType.kInteger)
        self._highs.changeColsIntegrality(number, np.arange(number, dtype=np.int32), kinds)

    def add_row(self, columns: Array, weights: Floats, *, least: float) -> None:
        """Ask that a sum is at least so much."""
        self._highs.addRow(least, np.inf, len(columns), columns.astype(np.int32), weights)

    def delete_rows(self, rows: Array) -> None:
        """Ask no longer what some sums are."""
        self._highs.deleteRows(len(rows), rows.astype(np.int32))

    def solve(self, *, afresh: bool = False) -> Ended:
        """Solve, from where the last one ended or afresh, and say how it ended."""
        if afresh:
            self._highs.clearSolver()
        self._highs.run()
        return _ENDED.get(self._highs.getModelStatus().name, "failed")

    @property
    def status(self) -> str:
        """What HiGHS itself says, for a message."""
        return str(self._highs.getModelStatus())

    @property
    def has_values(self) -> bool:
        """Whether values were found for which the sums hold, the best or not."""
        import highspy

        found: Any = self._highs.getInfo().primal_solution_status
        return bool(found == highspy.SolutionStatus.kSolutionStatusFeasible)

    @property
    def values(self) -> Floats:
        """The values found."""
        return np.array(self._highs.getSolution().col_value, dtype=np.float64)

    @property
    def objective(self) -> float:
        """What they cost."""
        return float(self._highs.getInfo().objective_function_value)

    @property
    def proved_bound(self) -> float:
        """What no whole values can cost less than, if the least is asked for."""
        return float(self._highs.getInfo().mip_dual_bound)

    @property
    def reduced_costs(self) -> Floats:
        """What each value would cost beyond what it saves."""
        return np.array(self._highs.getSolution().col_dual, dtype=np.float64)

    @property
    def prices(self) -> Floats:
        """What a sum that is larger by one would cost."""
        return np.array(self._highs.getSolution().row_dual, dtype=np.float64)

    def ray(self) -> Floats | None:
        """Return a direction in which values go without limit, where there is one."""
        _, found, ray = self._highs.getPrimalRay()
        return np.array(ray, dtype=np.float64) if found else None
