"""The optimal pattern against all patterns of small systems."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from indistinct.core.errors import InputError
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing import audit, improve, optimal_suppression
from indistinct.tables.system import CellSystem


def with_totals(inner):
    """A table with all its totals as a system of cells."""
    full = np.asarray(inner, dtype=float)
    for axis in range(full.ndim):
        full = np.concatenate([full, full.sum(axis=axis, keepdims=True)], axis=axis)
    cells = np.arange(full.size).reshape(full.shape)
    rows = []
    for axis in range(full.ndim):
        for line in np.moveaxis(cells, axis, -1).reshape(-1, full.shape[axis]):
            row = np.zeros(full.size)
            row[line[:-1]], row[line[-1]] = 1.0, -1.0
            rows.append(row)
    return CellSystem(full.ravel(), sparse.csr_matrix(np.array(rows)))


def inner_cells(shape):
    inside = np.zeros(tuple(n + 1 for n in shape), dtype=bool)
    inside[tuple(slice(n) for n in shape)] = True
    return inside.ravel()


def cheapest_of_all(system, sensitive, cost, allowed):
    """The least cost of a safe pattern, every pattern audited."""
    optional = [c for c in np.flatnonzero(allowed) if c not in sensitive.cells]
    fixed = float(cost[sensitive.cells].sum())
    best = np.inf
    patterns = sorted(product((0, 1), repeat=len(optional)), key=lambda p: cost[optional] @ p)
    for pattern in patterns:
        suppressed = np.zeros(len(system), dtype=bool)
        suppressed[sensitive.cells] = True
        suppressed[np.array(optional)[np.array(pattern, dtype=bool)]] = True
        if audit(system, suppressed, sensitive).safe:
            best = fixed + float(cost[optional] @ pattern)
            break
    return best


@pytest.mark.parametrize(
    "shape",
    [(2, 3), *(pytest.param(s, marks=pytest.mark.heavy) for s in [(2, 2, 2), (3, 3), (2, 5)])],
)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_optimum_is_the_cheapest_of_all_patterns(shape, seed):
    rng = np.random.default_rng(seed)
    inside = inner_cells(shape)
    system = with_totals(rng.integers(1, 9, shape))
    cells = rng.choice(np.flatnonzero(inside), 2, replace=False)
    need = rng.integers(0, 4, (3, 2)).astype(float)
    sensitive = Sensitive(
        np.sort(cells),
        np.minimum(need[0], system.values[np.sort(cells)]),
        need[1],
        need[2],
        np.where(system.values == 1, 1, 9),
    )
    cost = rng.integers(1, 5, len(system)).astype(float)
    expected = cheapest_of_all(system, sensitive, cost, inside)
    if np.isinf(expected):
        with pytest.raises(InputError, match="No suppression pattern can be safe"):
            optimal_suppression(system, sensitive, cost=cost, candidates=inside)
        return
    found = optimal_suppression(system, sensitive, cost=cost, candidates=inside)
    assert found.proven
    assert found.cost == pytest.approx(expected)
    assert audit(system, found.suppressed, sensitive).safe


def test_totals_may_be_suppressed_where_that_is_cheapest():
    system = with_totals([[1, 50], [60, 70]])
    sensitive = Sensitive.of_width(np.array([0]), 2.0)
    cost = np.array([1.0, 100, 1, 100, 100, 100, 1, 100, 1])
    found = optimal_suppression(system, sensitive, cost=cost)
    assert (np.flatnonzero(found.suppressed).tolist(), found.cost) == ([0, 2, 6, 8], 4.0)


def test_zeros_are_suppressed_only_when_asked():
    system = with_totals([[1, 0, 4], [0, 5, 6], [3, 2, 7]])
    inside = inner_cells((3, 3))
    sensitive = Sensitive.of_width(np.array([0]), 1.0)
    cost = np.ones(16)
    cost[[2, 8, 10]] = 10.0
    without = optimal_suppression(system, sensitive, cost=cost, candidates=inside)
    assert not without.suppressed[system.values == 0].any()
    # the zero cells close a square that is cheaper
    with_zeros = optimal_suppression(system, sensitive, cost=cost, candidates=inside, zeros=True)
    assert np.flatnonzero(with_zeros.suppressed).tolist() == [0, 1, 4, 5]


def test_what_cannot_be_safe_is_refused_with_what_would_help():
    system = with_totals([[7, 0], [0, 5]])
    sensitive = Sensitive.of_width(np.array([0]), 2.0)
    inside = inner_cells((2, 2))
    with pytest.raises(InputError, match=r"1 sensitive cells.*zeros.*more candidates") as refused:
        optimal_suppression(system, sensitive, candidates=inside)
    assert "7" not in str(refused.value)
    found = optimal_suppression(system, sensitive, candidates=inside, zeros=True)
    assert int(found.suppressed.sum()) == 4


def counts(shape, seed):
    rng = np.random.default_rng(seed)
    system = with_totals(rng.poisson(6, shape))
    small = inner_cells(shape) & (system.values > 0) & (system.values < 3)
    contributors = system.values.astype(np.int64)
    return system, Sensitive.of_width(np.flatnonzero(small), 2.0, contributors=contributors)


def test_a_table_of_counts_is_proven_optimal_and_no_worse_than_pruning():
    system, sensitive = counts((12, 12), 1)
    found = optimal_suppression(system, sensitive)
    assert found.proven
    assert audit(system, found.suppressed, sensitive).safe
    pruned = improve(system, sensitive, system.values > 0)
    assert found.cost <= pruned.sum()
    again = optimal_suppression(system, sensitive)
    assert (again.suppressed == found.suppressed).all()


def test_a_search_that_is_cut_short_is_safe_and_says_what_it_knows():
    system, sensitive = counts((4, 4, 4), 2)
    best = optimal_suppression(system, sensitive)
    short = optimal_suppression(system, sensitive, rounds=1, nodes=0)
    assert best.proven
    assert audit(system, short.suppressed, sensitive).safe
    assert short.lower_bound <= best.cost <= short.cost


@pytest.mark.heavy
def test_a_three_way_table_is_proven_optimal():
    system, sensitive = counts((5, 5, 5), 1)
    found = optimal_suppression(system, sensitive)
    assert found.proven
    assert audit(system, found.suppressed, sensitive).safe
