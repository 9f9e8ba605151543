"""Controlled rounding of tables for many places, against the exact rounding of the same tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from indistinct.core.errors import InputError
from indistinct.tables.perturb import controlled_rounding, rounded_intervals, rounding
from indistinct.tables.perturb.grid import grid_of
from indistinct.tables.system import CellSystem


def for_places(tables: np.ndarray, sums: np.ndarray, among: list[dict[int, int]]) -> CellSystem:
    """Tables of places × cells with sums among the cells of a place and among places."""
    number, width = tables.shape
    cells = np.arange(tables.size).reshape(number, width)
    rows = []
    for place in range(number):
        for line in sums:
            row = np.zeros(tables.size)
            row[cells[place]] = line
            rows.append(row)
    for relation in among:
        for column in range(width):
            row = np.zeros(tables.size)
            for place, sign in relation.items():
                row[cells[place, column]] = sign
            rows.append(row)
    labels = tuple(f"place {n}" for n in range(number))
    relations = sparse.csr_matrix(np.array(rows))
    return CellSystem(tables.ravel().astype(float), relations, places={"t": cells}, areas=labels)


def two_way(rows: int, columns: int) -> np.ndarray:
    """The sums of a two-way table with totals, its cells line by line."""
    number = np.arange((rows + 1) * (columns + 1)).reshape(rows + 1, columns + 1)
    found = []
    for line in [*number, *number.T]:
        row = np.zeros(number.size)
        row[line[:-1]], row[line[-1]] = 1, -1
        found.append(row)
    return np.array(found)


def full(inner: np.ndarray) -> np.ndarray:
    """Tables of areas × rows × columns, with totals, one line an area."""
    inner = np.concatenate([inner, inner.sum(axis=1, keepdims=True)], axis=1)
    inner = np.concatenate([inner, inner.sum(axis=2, keepdims=True)], axis=2)
    return inner.reshape(len(inner), -1)


def counties(rng: np.random.Generator, sizes: list[int], rows: int, columns: int) -> CellSystem:
    """Areas in counties in a country, and a two-way table for each."""
    areas = full(rng.poisson(rng.uniform(0.3, 4, (rows, columns)), (sum(sizes), rows, columns)))
    ends = np.cumsum(sizes)
    groups = [list(range(end - size, end)) for end, size in zip(ends, sizes, strict=True)]
    above = [areas[group].sum(axis=0) for group in groups]
    tables = np.vstack([areas, *above, areas.sum(axis=0)])
    first, last = len(areas), len(tables) - 1
    among = [{first + n: -1, **dict.fromkeys(group, 1)} for n, group in enumerate(groups)]
    among.append({last: -1, **dict.fromkeys(range(first, last), 1)})
    among.append({last: -1, **dict.fromkeys(range(first), 1)})
    return for_places(tables, two_way(rows, columns), among)


def check(system: CellSystem, rounded) -> None:
    assert not (rounded.values % rounded.base).any()
    assert not (system.relations @ rounded.values).any()
    assert rounded.values.min() >= 0
    assert not rounded.values[system.values == 0].any()
    assert np.abs(rounded.deviation).max() <= rounded.reach
    outside = np.abs(rounded.deviation) >= rounded.base
    moved = (np.mod(system.values, rounded.base) == 0) & (rounded.deviation != 0)
    assert rounded.beyond == (outside | moved).sum()


@pytest.fixture
def by_place(monkeypatch):
    monkeypatch.setattr(rounding, "AT_ONCE", 0)


def test_a_grid_knows_which_places_are_made_of_which():
    grid = grid_of(counties(np.random.default_rng(0), [2, 3], 2, 2))
    assert grid.own == [0, 1, 2, 3, 4]
    assert grid.made_of[5] == {0: 1, 1: 1}
    assert grid.made_of[6] == {2: 1, 3: 1, 4: 1}
    assert grid.made_of[7] == dict.fromkeys(range(5), 1)
    assert len(grid.among) == 3, "the sum over all areas follows from the others"


def test_systems_of_another_form_are_no_grid():
    system = counties(np.random.default_rng(0), [2, 3], 2, 2)
    assert grid_of(CellSystem(system.values, system.relations)) is None
    extra = np.zeros((1, len(system)))
    extra[0, 0], extra[0, 12] = 1, -1
    values = system.values.copy()
    values[:] = 0
    more = sparse.vstack([system.relations, sparse.csr_matrix(extra)], format="csr")
    assert grid_of(CellSystem(values, more, (), system.places, system.areas)) is None


@pytest.mark.parametrize("base", [3, 5])
def test_the_deviation_is_near_that_of_the_exact_rounding(base, monkeypatch):
    system = counties(np.random.default_rng(base), [3, 4], 3, 2)
    best = controlled_rounding(system, base)
    assert best.best
    monkeypatch.setattr(rounding, "AT_ONCE", 0)
    rounded = controlled_rounding(system, base)
    check(system, rounded)
    assert not rounded.best
    assert (rounded.steps, rounded.beyond) == (1, 0)
    least = np.abs(best.deviation).sum()
    assert least <= np.abs(rounded.deviation).sum() <= 1.1 * least
    assert (controlled_rounding(system, base).values == rounded.values).all()


@pytest.mark.usefixtures("by_place")
def test_long_sums_are_met_by_way_of_groups(monkeypatch):
    from indistinct.tables.perturb import rounding_places

    monkeypatch.setattr(rounding_places, "TOGETHER", 3)
    system = counties(np.random.default_rng(2), [11, 1], 2, 2)
    rounded = controlled_rounding(system, 3)
    check(system, rounded)
    assert rounded.steps == 1


@pytest.mark.usefixtures("by_place")
def test_geographies_that_overlap():
    rng = np.random.default_rng(3)
    pieces = full(rng.poisson(2, (6, 3, 3)))
    one = [pieces[:2].sum(axis=0), pieces[2:4].sum(axis=0), pieces[4:].sum(axis=0)]
    other = [pieces[:3].sum(axis=0), pieces[3:].sum(axis=0)]
    among = [{0: 1, 1: 1, 2: 1, 3: -1, 4: -1}]
    system = for_places(np.array([*one, *other]), two_way(3, 3), among)
    rounded = controlled_rounding(system, 3)
    check(system, rounded)


@pytest.mark.usefixtures("by_place")
def test_multiples_may_move_in_many_places_too():
    system = counties(np.random.default_rng(4), [3, 3], 2, 3)
    rounded = controlled_rounding(system, 4, zero_restricted=False)
    assert not (rounded.values % 4).any()
    assert not (system.relations @ rounded.values).any()
    assert np.abs(rounded.deviation).max() <= rounded.reach


@pytest.mark.usefixtures("by_place")
def test_a_place_without_a_rounding_goes_further_or_is_refused():
    pairs = np.array([[1, 1, 0, -1, 0, 0], [0, 1, 1, 0, -1, 0], [1, 0, 1, 0, 0, -1]])
    triangle, other = np.array([1, 1, 1, 2, 2, 2]), np.array([4, 2, 1, 6, 3, 5])
    tables = np.array([triangle, other, triangle + other])
    system = for_places(tables, pairs, [{0: 1, 1: 1, 2: -1}])
    rounded = controlled_rounding(system, 2)
    check(system, rounded)
    assert rounded.steps > 1
    with pytest.raises(InputError, match=r"infeasible rounding base 2.*most_steps=2"):
        controlled_rounding(system, 2, most_steps=1)


def test_a_second_value_is_found_without_the_ends_of_intervals():
    system = counties(np.random.default_rng(1), [2, 2], 2, 2)
    rounded = controlled_rounding(system, 2)
    every = np.arange(len(system))
    exact = rounded_intervals(rounded, every)
    quick = rounded_intervals(rounded, every, exact=False)
    assert (exact.exact, quick.exact) == (True, False)
    assert (quick.low >= exact.low).all()
    assert (quick.high <= exact.high).all()
    assert (quick.disclosed == exact.disclosed).all()
    assert (rounded.deviation == 0).any(), "some cells are not seen to move by what is published"


@pytest.mark.parametrize("exact", [True, False])
def test_cells_that_can_be_worked_out_are_found_either_way(exact):
    """1 + 1 + 1 = 3 published as 0, 0, 0 and 4, which does not add up: at most 3, at least 3."""
    inner = np.array([[1, 1, 1, 3], [5, 1, 1, 7], [6, 2, 2, 10]])
    system = for_places(inner, np.array([[1, 1, 1, -1]]), [{0: 1, 1: 1, 2: -1}])
    published = np.array([0, 0, 0, 4, 4, 2, 2, 8, 6, 2, 2, 10])
    rounded = rounding.Rounded(system, 2, published, 1, 0, 0, False, True)
    found = rounded_intervals(rounded, np.arange(12), exact=exact)
    assert {0, 1, 2, 3} <= set(found.disclosed.tolist()) < set(range(12))
    assert (found.low <= system.values).all()
    assert (found.high >= system.values).all()


@pytest.mark.heavy
def test_many_places_are_rounded_to_adjacent_multiples():
    system = counties(np.random.default_rng(7), [20, 12, 3, 2, 25], 6, 5)
    rounded = controlled_rounding(system, 3)
    check(system, rounded)
    assert rounded.steps == 1
    assert not rounded.best
    assert not len(rounded_intervals(rounded).disclosed)
