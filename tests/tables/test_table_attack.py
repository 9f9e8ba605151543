"""What an attacker works out, against another solver and against enumeration of all tables."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from indistinct.core.errors import InputError
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing import attacker_intervals, audit, improve
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


def by_linprog(system, suppressed, cell, *, lowest=0.0, highest=np.inf, known=()):
    """The ends of one cell's interval by scipy, all cells and sums written out."""
    low = np.broadcast_to(lowest, len(system)).copy()
    high = np.broadcast_to(highest, len(system)).copy()
    told = ~suppressed
    told[list(known)] = True
    low[told] = high[told] = system.values[told]
    sums = system.relations.toarray()
    bounds = list(zip(low, high, strict=True))
    ends = []
    for sign in (1.0, -1.0):
        goal = np.zeros(len(system))
        goal[cell] = sign
        found = linprog(goal, A_eq=sums, b_eq=np.zeros(len(sums)), bounds=bounds)
        ends.append(-sign * np.inf if found.status == 3 else sign * found.fun)
    return ends


def by_enumeration(inner, hidden):
    """The ends of suppressed inner cells over all tables of counts with the same totals."""
    inner = np.asarray(inner)
    axes = range(inner.ndim)
    places = list(zip(*np.nonzero(hidden), strict=True))
    low, high = {p: np.inf for p in places}, {p: -np.inf for p in places}
    largest = [
        min(
            inner[tuple(slice(None) if a == b else at for b, at in enumerate(p))].sum()
            for a in axes
        )
        for p in places
    ]
    for values in product(*(range(int(most) + 1) for most in largest)):
        trial = inner.copy()
        for place, value in zip(places, values, strict=True):
            trial[place] = value
        if all((trial.sum(axis=a) == inner.sum(axis=a)).all() for a in axes):
            for place, value in zip(places, values, strict=True):
                low[place], high[place] = min(low[place], value), max(high[place], value)
    return low, high


tables = st.sampled_from([(3, 4), (4, 4), (3, 3, 3), (2, 3, 4), (6,)]).flatmap(
    lambda shape: st.tuples(
        st.lists(st.integers(0, 9), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))).map(
            lambda values: np.array(values).reshape(shape)
        ),
        st.integers(0, 2**32 - 1),
        st.sampled_from([0.3, 0.6, 0.9]),
    )
)


@settings(max_examples=5, deadline=None)
@given(tables)
def test_intervals_are_those_of_another_solver(case):
    inner, seed, share = case
    system = with_totals(inner)
    suppressed = np.random.default_rng(seed).random(len(system)) < share
    cells = np.flatnonzero(suppressed)[:8]
    low, high = attacker_intervals(system, suppressed, cells)
    for cell, a, b in zip(cells, low, high, strict=True):
        assert (a, b) == pytest.approx(by_linprog(system, suppressed, cell), abs=1e-6)


@settings(max_examples=5, deadline=None)
@given(tables)
def test_intervals_within_known_bounds_are_those_of_another_solver(case):
    inner, seed, share = case
    system = with_totals(inner * 1e7 + 0.25)
    suppressed = np.random.default_rng(seed).random(len(system)) < share
    lowest, highest = 0.5 * system.values, 1.5 * system.values
    cells = np.flatnonzero(suppressed)[-6:]
    low, high = attacker_intervals(system, suppressed, cells, lowest=lowest, highest=highest)
    for cell, a, b in zip(cells, low, high, strict=True):
        ends = by_linprog(system, suppressed, cell, lowest=lowest, highest=highest)
        assert (a, b) == pytest.approx(ends, rel=1e-6)


@pytest.mark.parametrize("whole", [False, True])
def test_intervals_of_counts_in_two_ways_are_those_of_all_tables(whole):
    """The ends of two-way tables are whole numbers: the matrix is totally unimodular."""
    rng = np.random.default_rng(3)
    for _ in range(4):
        inner = rng.integers(0, 3, (3, 3))
        hidden = np.zeros((3, 3), dtype=bool)
        hidden.ravel()[rng.choice(9, 5, replace=False)] = True
        system = with_totals(inner)
        places = list(zip(*np.nonzero(hidden), strict=True))
        cells = np.array([r * 4 + c for r, c in places])
        suppressed = np.zeros(16, dtype=bool)
        suppressed[cells] = True
        low, high = attacker_intervals(system, suppressed, cells, whole=whole)
        expected_low, expected_high = by_enumeration(inner, hidden)
        assert low.tolist() == [expected_low[p] for p in places]
        assert high.tolist() == [expected_high[p] for p in places]


def test_whole_numbers_narrow_what_a_linear_program_leaves():
    """Three pairs of cells that add up to 1: x + y, y + z, x + z leave halves only."""
    sums = sparse.csr_matrix(
        np.array([[1.0, 1, 0, 1, -1, 0, 0], [0, 1.0, 1, 1, 0, -1, 0], [1.0, 0, 1, 1, 0, 0, -1]])
    )
    system = CellSystem(np.array([0.0, 0, 0, 1, 1, 1, 1]), sums)
    suppressed = np.array([True] * 4 + [False] * 3)
    cells = np.arange(4)
    low, high = attacker_intervals(system, suppressed, cells)
    assert (low.tolist(), high.tolist()) == ([0, 0, 0, 0], [0.5, 0.5, 0.5, 1])
    low, high = attacker_intervals(system, suppressed, cells, whole=True)
    assert (low.tolist(), high.tolist()) == ([0, 0, 0, 1], [0, 0, 0, 1])


def test_a_cell_without_limit_and_one_that_is_published():
    system = CellSystem(np.array([2.0, 3, 5]), sparse.csr_matrix([[1.0, 1, -1]]))
    low, high = attacker_intervals(system, np.array([True, False, True]), np.arange(3))
    assert (low.tolist(), high.tolist()) == ([0, 3, 3], [np.inf, 3, np.inf])
    three = CellSystem(np.array([2.0, 3, 4, 9]), sparse.csr_matrix([[1.0, 1, 1, -1]]))
    low, high = attacker_intervals(three, np.array([True, True, False, True]), np.arange(4))
    assert (low.tolist(), high.tolist()) == ([0, 0, 4, 4], [np.inf, np.inf, 4, np.inf])
    low, high = attacker_intervals(
        three, np.array([True, True, False, True]), np.arange(4), lowest=-np.inf
    )
    assert (low.tolist(), high.tolist()) == (
        [-np.inf] * 2 + [4, -np.inf],
        [np.inf] * 2 + [4, np.inf],
    )


def sensitive_of(system, seed, *, share=0.25, contributors=True):
    rng = np.random.default_rng(seed)
    cells = np.flatnonzero((rng.random(len(system)) < share) & (system.values > 0))
    need = rng.integers(0, 3, (3, len(cells))).astype(float)
    people = system.values.astype(np.int64) if contributors else None
    return Sensitive(cells, np.minimum(need[0], system.values[cells]), need[1], 2 * need[2], people)


def who_is_alone(inner):
    """For every cell of a table with totals the inner cell of the only person in it, or -1."""
    person = np.full(np.array(inner.shape) + 1, -1)
    for place in np.ndindex(person.shape):
        inside = tuple(
            slice(None) if n == size else slice(n, n + 1)
            for n, size in zip(place, inner.shape, strict=True)
        )
        if inner[inside].sum() == 1:
            numbers = np.arange(inner.size).reshape(inner.shape)[inside]
            person[place] = int(numbers[inner[inside] == 1][0])
    return person.ravel()


def audited_by_linprog(system, suppressed, sensitive, person):
    """The definition, one program for each cell and for each insider."""
    safe = []
    by_cell = abs(system.relations).toarray()
    for n, cell in enumerate(sensitive.cells):
        one = Sensitive(
            sensitive.cells[[n]], sensitive.lower[[n]], sensitive.upper[[n]], sensitive.sliding[[n]]
        )
        near = by_cell[by_cell[:, cell] > 0].sum(axis=0) > 0
        groups = [()]
        if sensitive.contributors is not None:
            others = set(person[suppressed & near].tolist()) - {-1, person[cell]}
            groups += [np.flatnonzero(suppressed & (person == who)) for who in others]
        held = []
        for known in groups:
            low, high = by_linprog(system, suppressed, cell, known=known)
            held.append(one.holds(system.values[[cell]], np.array([low]), np.array([high]))[0])
        safe.append(all(held))
    return safe


@settings(max_examples=5, deadline=None)
@given(tables, st.booleans())
def test_audit_is_the_definition_and_exact_ends_do_not_change_it(case, insiders):
    inner, seed, share = case
    system = with_totals(inner % 4)
    sensitive = sensitive_of(system, seed, contributors=insiders)
    suppressed = np.random.default_rng(seed).random(len(system)) < share
    found = audit(system, suppressed, sensitive)
    exact = audit(system, suppressed, sensitive, exact=True)
    person = who_is_alone(inner % 4)
    assert found.holds.tolist() == audited_by_linprog(system, suppressed, sensitive, person)
    assert exact.holds.tolist() == found.holds.tolist()
    low, high = attacker_intervals(system, suppressed, sensitive.cells)
    assert exact.low == pytest.approx(low, abs=1e-6)
    assert exact.high == pytest.approx(high, abs=1e-6)
    assert (found.low >= low - 1e-6).all()
    assert (found.high <= high + 1e-6).all()


def test_one_person_in_a_category_and_in_its_total_is_no_insider_to_themselves():
    """Alone in a row: the row's total is the same person, and knows nothing new."""
    system = with_totals([[1, 0, 0], [0, 1, 6], [5, 7, 9]])
    suppressed = np.ones(16, dtype=bool)
    people = system.values.astype(np.int64)
    own = Sensitive.of_width(np.array([0, 3]), 1.0, contributors=people)
    assert who_is_alone(np.array([[1, 0, 0], [0, 1, 6], [5, 7, 9]]))[[0, 3]].tolist() == [0, 0]
    assert audit(system, suppressed, own).safe
    two = Sensitive.of_width(np.array([0, 3]), 1.0, contributors=np.where(people == 1, 1, 5))
    suppressed[:] = False
    suppressed[[0, 3, 12, 15]] = True
    assert audit(system, suppressed, own).safe
    # with strangers in the empty cells the total is somebody else's, who knows the cell
    assert audit(system, suppressed, two).insider.all()


def test_audit_counts_what_is_disclosed_and_what_is_suppressed_in_vain():
    system = with_totals([[1, 5, 4], [7, 2, 9], [3, 8, 6]])
    suppressed = np.zeros(16, dtype=bool)
    suppressed[[0, 1, 4, 5, 10]] = True  # a square, and a cell alone in its row and column
    sensitive = Sensitive.of_width(np.array([0]), 2.0)
    found = audit(system, suppressed, sensitive, exact=True)
    assert (found.safe, found.low[0], found.high[0]) == (True, 0.0, 6.0)
    assert (found.disclosed, found.wasted, found.narrowest) == (0, 1, 6.0)
    bare = audit(system, np.zeros(16, dtype=bool), sensitive)
    assert (bare.safe, bare.disclosed, bare.unsafe.tolist()) == (False, 1, [0])
    known = Sensitive.of_width(np.array([0, 1]), 2.0, contributors=system.values.astype(np.int64))
    inside = audit(system, suppressed, known)
    assert inside.insider.tolist() == [False, True]
    assert audit(system, suppressed, known, coalition=False).safe


@settings(max_examples=3, deadline=None)
@given(tables)
def test_improved_patterns_are_safe_and_minimal(case):
    inner, seed, _ = case
    system = with_totals(inner % 5 + 1)
    sensitive = sensitive_of(system, seed, share=0.15)
    everything = np.ones(len(system), dtype=bool)
    before = audit(system, everything, sensitive)
    left = improve(system, sensitive, everything)
    after = audit(system, left, sensitive)
    assert (after.holds >= before.holds).all()
    if not before.safe:
        return
    others = set(np.flatnonzero(left).tolist()) - set(sensitive.cells.tolist())
    for cell in others:
        fewer = left.copy()
        fewer[cell] = False
        assert not audit(system, fewer, sensitive).safe


def test_improving_publishes_the_dearest_cells_first():
    system = CellSystem(np.array([2.0, 3, 4, 9]), sparse.csr_matrix([[1.0, 1, 1, -1]]))
    sensitive = Sensitive.of_width(np.array([0]), 2.0)
    pattern = np.array([True, True, True, False])
    for cost, expected in (([1, 5, 2, 9], [0, 2]), ([1, 2, 5, 9], [0, 1])):
        left = improve(system, sensitive, pattern, cost=np.array(cost, dtype=float))
        assert np.flatnonzero(left).tolist() == expected
    left = improve(system, sensitive, pattern, order=np.array([2]))
    assert np.flatnonzero(left).tolist() == [0, 1]


def test_cells_in_no_sum_that_nobody_asks_about_are_published():
    system = CellSystem(np.array([2.0, 3]), sparse.csr_matrix((0, 2)))
    left = improve(system, Sensitive.of_width(np.array([0]), 1.0), np.array([True, True]))
    assert left.tolist() == [True, False]


def test_wrong_questions_are_refused_without_naming_values():
    system = with_totals([[17, 2], [3, 4]])
    nothing = np.zeros(9, dtype=bool)
    with pytest.raises(InputError, match="must hold the true values") as refused:
        attacker_intervals(system, nothing, np.array([0]), lowest=3.0)
    assert "17" not in str(refused.value)
    with pytest.raises(InputError, match="each of the 9 cells"):
        attacker_intervals(system, np.zeros(4, dtype=bool), np.array([0]))
    with pytest.raises(InputError, match="'cost' needs"):
        improve(system, Sensitive.of_width(np.array([0]), 1.0), ~nothing, cost=np.ones(3))


def test_every_pair_of_cells_in_a_row_is_enough_or_not():
    """Two suppressed cells of one sum share what is left of it: all pairs by hand."""
    values = np.array([1.0, 2, 3, 6])
    system = CellSystem(values, sparse.csr_matrix([[1.0, 1, 1, -1]]))
    for a, b in combinations(range(3), 2):
        suppressed = np.zeros(4, dtype=bool)
        suppressed[[a, b]] = True
        low, high = attacker_intervals(system, suppressed, np.array([a, b]))
        assert (low.tolist(), high.tolist()) == ([0, 0], [values[a] + values[b]] * 2)
