"""Controlled rounding against brute force, on tables of every kind, and what an attacker gets."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from indistinct.core.errors import InputError
from indistinct.tables.perturb import (
    controlled_rounding,
    rounded_intervals,
    small_count_rounding_of_system,
    uncertainty,
)
from indistinct.tables.system import CellSystem


def with_totals(inner: np.ndarray) -> CellSystem:
    """A table of any number of dimensions with all its totals, written out axis by axis."""
    full = inner.astype(float)
    for axis in range(full.ndim):
        full = np.concatenate([full, full.sum(axis=axis, keepdims=True)], axis=axis)
    number = np.arange(full.size).reshape(full.shape)
    rows = []
    for axis in range(full.ndim):
        lines = np.moveaxis(number, axis, -1).reshape(-1, full.shape[axis])
        for line in lines:
            row = np.zeros(full.size)
            row[line[:-1]], row[line[-1]] = 1, -1
            rows.append(row)
    return CellSystem(full.ravel(), sparse.csr_matrix(np.array(rows)))


def with_hierarchy(inner: np.ndarray, groups: list[int]) -> CellSystem:
    """A two-way table with totals, whose rows also form groups with subtotals."""
    groups_of = np.array(groups)
    number = groups_of.max() + 1
    subtotals = np.stack([inner[groups_of == g].sum(axis=0) for g in range(number)])
    full = np.concatenate([inner, subtotals, inner.sum(axis=0, keepdims=True)]).astype(float)
    full = np.concatenate([full, full.sum(axis=1, keepdims=True)], axis=1)
    cells = np.arange(full.size).reshape(full.shape)
    rows = []

    def add(parts: np.ndarray, whole: int) -> None:
        row = np.zeros(full.size)
        row[parts], row[whole] = 1, -1
        rows.append(row)

    for line in cells:
        add(line[:-1], line[-1])
    for column in cells.T:
        for g in range(number):
            add(column[: len(inner)][groups_of == g], column[len(inner) + g])
        add(column[len(inner) : -1], column[-1])
    return CellSystem(full.ravel(), sparse.csr_matrix(np.array(rows)))


def least_deviation(system: CellSystem, base: int) -> float:
    """Try every combination of adjacent multiples; infinite where none adds up."""
    values = system.values
    ways = [(v,) if v % base == 0 else (v - v % base, v - v % base + base) for v in values.tolist()]
    sums = system.relations.toarray()
    every = np.array(list(product(*ways)))
    good = every[(np.abs(every @ sums.T) < 1e-9).all(axis=1)]
    return float(np.abs(good - values).sum(axis=1).min()) if len(good) else np.inf


def check(system: CellSystem, base: int, values: np.ndarray) -> None:
    assert (values % base == 0).all()
    assert (np.abs(values - system.values) < base).all()
    assert (values >= 0).all()
    assert not (system.relations @ values).any()


@pytest.mark.parametrize("base", [2, 3, 5])
def test_brute_force_finds_nothing_better_in_small_tables(base):
    rng = np.random.default_rng(base)
    for _ in range(8):
        system = with_totals(rng.poisson(3, (2, 3)))
        rounded = controlled_rounding(system, base)
        check(system, base, rounded.values)
        assert rounded.best
        assert np.abs(rounded.deviation).sum() == least_deviation(system, base)


def test_brute_force_agrees_in_three_dimensions():
    rng = np.random.default_rng(4)
    tried = 0
    while tried < 6:
        inner = rng.integers(0, 4, (2, 2, 2))
        inner[rng.random(inner.shape) < 0.35] = 0
        system = with_totals(inner)
        if (system.values % 3 != 0).sum() > 13:
            continue
        least = least_deviation(system, 3)
        if np.isinf(least):
            with pytest.raises(InputError, match="infeasible"):
                controlled_rounding(system, 3, most_steps=1)
        else:
            assert np.abs(controlled_rounding(system, 3).deviation).sum() == least
        tried += 1


def _triangle() -> CellSystem:
    """Three cells of one, and all sums of two of them, which are multiples of 2 and stay.

    x + y = y + z = x + z = 2 has the one solution 1, 1, 1.
    """
    sums = np.array([[1, 1, 0, -1, 0, 0], [0, 1, 1, 0, -1, 0], [1, 0, 1, 0, 0, -1]], dtype=float)
    return CellSystem(np.array([1.0, 1, 1, 2, 2, 2]), sparse.csr_matrix(sums))


def test_a_system_without_a_zero_restricted_rounding_is_refused_with_what_helps():
    with pytest.raises(InputError, match=r"infeasible rounding base 2.*most_steps=2"):
        controlled_rounding(_triangle(), 2, most_steps=1)


def test_cells_go_as_many_steps_as_are_needed_where_nothing_is_asked_for():
    rounded = controlled_rounding(_triangle(), 2)
    assert (
        rounded.values.tolist() == controlled_rounding(_triangle(), 2, most_steps=2).values.tolist()
    )
    assert (rounded.steps, rounded.beyond) == (2, 1)


def test_more_steps_round_what_adjacent_multiples_cannot():
    system = _triangle()
    rounded = controlled_rounding(system, 2, most_steps=2)
    assert rounded.steps == 2
    assert rounded.wider == 6
    assert not (rounded.values % 2).any()
    assert not (system.relations @ rounded.values).any()
    assert np.abs(rounded.deviation).max() <= rounded.reach
    # brute force over all multiples within two steps
    every = np.array(list(product((0, 2, 4), repeat=6)))
    good = every[(every @ system.relations.toarray().T == 0).all(axis=1)]
    best = np.abs(good - system.values).sum(axis=1).min()
    assert np.abs(rounded.deviation).sum() == best


def test_multiples_may_move_where_the_rounding_is_not_zero_restricted():
    rounded = controlled_rounding(_triangle(), 2, zero_restricted=False)
    assert rounded.steps == 1
    assert not (rounded.system.relations @ rounded.values).any()
    assert np.abs(rounded.deviation).max() <= 2


def test_parts_that_fail_do_not_change_the_others():
    one, other = _triangle(), with_totals(np.array([[1, 5], [2, 2]]))
    both = CellSystem(
        np.concatenate([one.values, other.values]),
        sparse.block_diag([one.relations, other.relations], format="csr"),
    )
    rounded = controlled_rounding(both, 2, most_steps=2, seed=3)
    check(other, 2, rounded.values[6:])
    assert rounded.wider == 6


def test_the_seed_chooses_among_roundings_that_are_equally_good():
    system = with_totals(np.full((3, 3), 2))
    totals, seen = set(), set()
    for seed in range(12):
        rounded = controlled_rounding(system, 4, seed=seed)
        check(system, 4, rounded.values)
        totals.add(int(np.abs(rounded.deviation).sum()))
        seen.add(tuple(rounded.values.tolist()))
    assert len(totals) == 1
    assert len(seen) > 3
    again = controlled_rounding(system, 4, seed=5)
    assert again.values.tolist() == controlled_rounding(system, 4, seed=5).values.tolist()


@pytest.mark.parametrize("base", [1, 0, -3, 2.5, True])
def test_a_base_that_is_none_is_refused(base):
    with pytest.raises(InputError, match="at least 2"):
        controlled_rounding(with_totals(np.eye(2)), base)


def test_values_that_are_no_counts_are_refused():
    system = CellSystem(np.array([0.5, 0.5, 1.0]), sparse.csr_matrix([[1, 1, -1]]))
    with pytest.raises(InputError, match="whole numbers"):
        controlled_rounding(system, 3)


@pytest.mark.heavy
def test_two_hundred_random_tables_are_adjacent_and_add_up():
    rng = np.random.default_rng(200)
    searched = 0
    for n in range(200):
        base = int(rng.integers(2, 8))
        if n % 3 == 0:
            system = with_totals(rng.poisson(rng.uniform(1, 20), rng.integers(2, 8, 2)))
        elif n % 3 == 1:
            system = with_totals(rng.poisson(rng.uniform(2, 9), rng.integers(2, 5, 3)))
        else:
            rows = int(rng.integers(4, 9))
            groups = [0, 1, *rng.integers(0, 2, rows - 2).tolist()]
            system = with_hierarchy(rng.poisson(5, (rows, int(rng.integers(2, 6)))), groups)
        rounded = controlled_rounding(system, base, most_steps=3, seed=n)
        searched += rounded.searched
        assert not (rounded.values % base).any()
        assert not (system.relations @ rounded.values).any()
        assert np.abs(rounded.deviation).max(initial=0) <= rounded.reach
        if rounded.steps == 1:
            check(system, base, rounded.values)
        else:
            assert n % 3 == 1, "networks always have a rounding"
    assert searched > 0, "some tables need whole numbers to be searched"


def test_an_attacker_who_uses_the_sums_gets_what_brute_force_gets():
    system = with_totals(np.array([[1, 4], [2, 6]]))
    rounded = controlled_rounding(system, 3)
    found = rounded_intervals(rounded, np.arange(len(system)))
    low = np.maximum(0, rounded.values - 2)
    spans = [range(int(a), int(b) + 3) for a, b in zip(low, rounded.values, strict=True)]
    possible = []
    for a, b, c, d in product(spans[0], spans[1], spans[3], spans[4]):
        full = np.array([a, b, a + b, c, d, c + d, a + c, b + d, a + b + c + d])
        if all(full[n] in spans[n] for n in range(9)):
            possible.append(full)
    assert found.low.tolist() == np.min(possible, axis=0).tolist()
    assert found.high.tolist() == np.max(possible, axis=0).tolist()
    assert (found.low <= system.values).all()
    assert (found.high >= system.values).all()
    assert found.to_dict()["disclosed"] == 0


def test_what_a_rounded_count_leaves_open():
    rounded = controlled_rounding(with_totals(np.array([[1, 4], [2, 6]])), 3)
    left = uncertainty(rounded, 6)
    assert (left.lowest, left.highest, left.variance) == (4, 8, 0)
    assert rounded.published_variance(7) == 2


def test_results_tell_themselves():
    rounded = controlled_rounding(with_totals(np.array([[1, 4], [2, 6]])), 3)
    assert "base 3" in repr(rounded)
    assert rounded.to_dict()["apparent_ones"] == 0
    assert rounded.plot().startswith("<svg")


class TestSmallCountsOfASystem:
    def test_the_published_example_of_langsrud_and_heldal(self):
        """Table 1 of the introduction to the R package SmallCountRounding, base 5.

        Its Table 2 has Σ (published − true)² = 68 over the 24 cells that are published.
        """
        inner = np.array([[6, 0, 1, 3, 4], [1, 2, 3, 1, 2], [0, 1, 1, 0, 2]])
        theirs = np.array([[6, 0, 0, 5, 5], [0, 0, 5, 0, 0], [0, 0, 0, 0, 5]])
        system, target = with_totals(inner), with_totals(theirs)
        rounded = small_count_rounding_of_system(system, 5)
        assert not ((rounded.values > 0) & (rounded.values < 5)).any()
        assert not (system.relations @ rounded.values).any()
        ours = int((rounded.deviation**2).sum())
        assert int(((target.values - system.values) ** 2).sum()) == 68
        assert ours <= 68

    def test_brute_force_is_little_better(self):
        rng = np.random.default_rng(9)
        ours = best = 0
        for _ in range(12):
            inner = rng.integers(0, 4, (3, 3))
            system = with_totals(inner)
            found = small_count_rounding_of_system(system, 3)
            ours += int((found.deviation**2).sum())
            ways = [(v,) if v % 3 == 0 else (0, 3) for v in inner.ravel().tolist()]
            best += min(
                int(((with_totals(np.reshape(w, (3, 3))).values - system.values) ** 2).sum())
                for w in product(*ways)
            )
        assert best <= ours <= 1.05 * best

    def test_linked_cells_that_are_no_sums_are_refused(self):
        sums = sparse.csr_matrix([[1, 1, -1, -1]])
        with pytest.raises(InputError, match="linked tables"):
            small_count_rounding_of_system(CellSystem(np.array([1.0, 2, 2, 1]), sums), 3)
