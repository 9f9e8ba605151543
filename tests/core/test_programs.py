"""Linear programs: the same answers as another solver, and every way in which one may end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import indistinct
from indistinct.core import LinearProgram

SUM = sparse.csr_matrix([[1.0, 1.0]])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_as_scipy_solves_it(seed, form):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, (3, 6)).astype(float)
    inside = rng.integers(0, 4, 6).astype(float)
    cost, high = rng.integers(-5, 6, 6).astype(float), np.full(6, 5.0)
    program = LinearProgram(
        low=np.zeros(6),
        high=high,
        cost=cost,
        rows=sparse.csr_matrix(rows).asformat(form),
        right=(rows @ inside, rows @ inside),
    )
    expected = linprog(cost, A_eq=rows, b_eq=rows @ inside, bounds=[(0, 5)] * 6)
    assert program.solve() == "solved"
    assert program.objective == pytest.approx(expected.fun)
    assert rows @ program.values == pytest.approx(rows @ inside)


def test_every_way_to_end():
    free = np.array([-np.inf, -np.inf])
    up = LinearProgram(low=free, high=-free, cost=np.ones(2), rows=SUM, right=(-np.inf, np.inf))
    assert up.solve() in ("no limit", "no limit or no solution")
    cell = LinearProgram(low=np.zeros(2), high=np.ones(2), rows=SUM, right=(3.0, 3.0))
    assert cell.solve() == "no solution"
    assert not cell.has_values
    assert "nfeasible" in cell.status


def test_whole_numbers_and_what_may_be_spent():
    rng = np.random.default_rng(3)
    weights = rng.integers(200, 900, 40).astype(float)
    program = LinearProgram(
        low=np.zeros(40),
        high=np.ones(40),
        cost=weights + rng.random(40),
        rows=sparse.csr_matrix(np.vstack([weights, weights[::-1]])),
        right=(-np.inf, np.full(2, weights.sum() / 3)),
        most=True,
        options={"presolve": "off", "mip_max_nodes": 1, "mip_rel_gap": 0.0},
    )
    program.make_whole(40)
    assert program.solve() == "gave up"
    program.tell({"mip_max_nodes": 100_000, "mip_rel_gap": 0.01})
    assert program.solve() == "solved"
    assert program.values == pytest.approx(np.rint(program.values), abs=1e-6)


def test_what_changes_between_solves():
    program = LinearProgram(low=np.zeros(2), high=np.full(2, 4.0), cost=np.ones(2), simplex=True)
    assert (program.solve(), program.objective) == ("solved", 0.0)
    program.add_row(np.array([0, 1]), np.array([1.0, 1.0]), least=3.0)
    program.change_one_cost(0, 2.0)
    assert (program.solve(), program.values.tolist()) == ("solved", [0.0, 3.0])
    assert program.prices.tolist() == [1.0]
    assert program.reduced_costs.tolist() == [1.0, 0.0]
    program.change_one_bound(1, 0.0, 1.0)
    assert (program.solve(), program.values.tolist()) == ("solved", [2.0, 1.0])
    program.change_bounds(np.arange(2), np.ones(2), np.full(2, 2.0))
    program.change_cost(np.arange(2), np.array([1.0, 3.0]))
    assert (program.solve(afresh=True), program.values.tolist()) == ("solved", [2.0, 1.0])
    program.delete_rows(np.array([0]))
    assert (program.solve(), program.values.tolist()) == ("solved", [1.0, 1.0])


def test_a_way_without_limit():
    program = LinearProgram(
        low=np.zeros(2),
        high=np.full(2, np.inf),
        cost=np.ones(2),
        most=True,
        simplex=True,
        rows=sparse.csr_matrix([[1.0, -1.0]]),
    )
    assert program.solve() == "no limit"
    way = program.ray()
    assert way is not None
    assert way[0] == way[1] > 0


def test_nobody_builds_one_by_hand():
    root = Path(indistinct.__file__).parent
    found = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if "highspy" in path.read_text(encoding="utf-8")
    ]
    assert found == ["core/programs.py"]
