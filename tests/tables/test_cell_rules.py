"""Rules for sensitive cells: by hand, and against what an attacker could work out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, persons
from indistinct.tables.cell_rules import (
    combined,
    dominance_rule,
    p_percent_rule,
    pq_rule,
    threshold_rule,
)
from indistinct.tables.few_people import small_cells
from indistinct.tables.magnitudes.totals import (
    SystemContributions,
    magnitude_system,
    system_contributions,
)
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.system import CellSystem


def _cells(*cells: list[float], top: int = 6) -> tuple[CellSystem, SystemContributions]:
    """Cells of magnitudes that stand in no sum, each with its contributions."""
    total = np.array([sum(cell) for cell in cells], dtype=float)
    largest = np.zeros((len(cells), top))
    for n, cell in enumerate(cells):
        most = sorted(cell, reverse=True)[:top]
        largest[n, : len(most)] = most
    number = np.array([len(cell) for cell in cells])
    squares = np.array([sum(x * x for x in cell) for cell in cells])
    all_of_them = np.ones(len(cells), dtype=bool)
    system = CellSystem(total, sparse.csr_matrix((0, len(cells))))
    return system, SystemContributions(total, number, largest, squares, ~all_of_them, all_of_them)


# 50 + 30 + 12 + 8 = 100: the largest has half, the two largest have 80, 20 are left beside them
EVEN, UNEVEN, ALONE, PAIR = [50, 30, 12, 8], [80, 15, 3, 2], [40], [60, 40]


def test_dominance_by_hand() -> None:
    system, given = _cells(EVEN, UNEVEN, ALONE, PAIR)
    found = dominance_rule(system, given, n=1, k=75)
    assert found.cells.tolist() == [1, 2]
    # 100/75 · 80 − 100 and 100/75 · 40 − 40
    assert found.upper == pytest.approx([20 / 3, 40 / 3])
    assert found.lower == pytest.approx(found.upper)
    assert found.sliding.tolist() == [0, 0]
    assert found.why == ("dominance (1, 75)",) * 2
    assert dominance_rule(system, given, n=2, k=90).cells.tolist() == [1, 2, 3]


def test_a_rule_that_is_met_exactly_leaves_the_cell_alone() -> None:
    system, given = _cells(EVEN)
    assert dominance_rule(system, given, n=2, k=80).cells.tolist() == []
    assert dominance_rule(system, given, n=2, k=79.9).cells.tolist() == [0]
    assert p_percent_rule(system, given, p=40).cells.tolist() == []
    assert p_percent_rule(system, given, p=40.1).cells.tolist() == [0]
    # 0.1 + 0.2 is not 0.3 in floating numbers
    system, given = _cells([0.7, 0.1, 0.1, 0.1])
    assert dominance_rule(system, given, n=1, k=70).cells.tolist() == []


def test_p_percent_by_hand() -> None:
    system, given = _cells(EVEN, UNEVEN, ALONE, PAIR)
    found = p_percent_rule(system, given, p=10)
    # remainders 20, 5, 0, 0 against 5, 8, 4, 6
    assert found.cells.tolist() == [1, 2, 3]
    assert found.upper == pytest.approx([3, 4, 6])
    coalition = p_percent_rule(system, given, p=20, coalition=2)
    # remainders 8, 2, 0, 0 against 10, 16, 8, 12
    assert coalition.cells.tolist() == [0, 1, 2, 3]
    assert coalition.upper == pytest.approx([2, 14, 8, 12])
    assert coalition.why[0] == "p% 20, coalition of 2"


def test_pq_by_hand() -> None:
    system, given = _cells(EVEN, UNEVEN)
    found = pq_rule(system, given, p=10, q=50)
    # p/q · x₁ is 10 and 16, remainders are 20 and 5
    assert found.cells.tolist() == [1]
    assert found.upper == pytest.approx([11])
    all_known = pq_rule(system, given, p=10, q=100)
    assert all_known.upper == pytest.approx(p_percent_rule(system, given, p=10).upper)


def test_protection_to_one_side_or_sliding() -> None:
    system, given = _cells(UNEVEN)
    one_side = p_percent_rule(system, given, p=10, lower=False)
    assert (one_side.lower[0], one_side.upper[0]) == (0, pytest.approx(3))
    sliding = p_percent_rule(system, given, p=10, sliding=True)
    assert (sliding.lower[0], sliding.upper[0], sliding.sliding[0]) == (0, 0, pytest.approx(6))


@pytest.mark.parametrize("coalition", [1, 2, 3])
def test_p_percent_against_every_coalition(coalition: int) -> None:
    """A coalition's upper bound for anybody else is the total less what the coalition gave."""
    draw = np.random.default_rng(coalition)
    cells = [
        np.sort(draw.pareto(1, draw.integers(1, 7)))[::-1].round(3).tolist() for _ in range(150)
    ]
    system, given = _cells(*cells)
    expected = []
    for n, cell in enumerate(cells):
        told = False
        for target in range(len(cell)):
            others = [m for m in range(len(cell)) if m != target]
            for size in range(min(coalition, len(others)) + 1):
                for members in combinations(others, size):
                    bound = sum(cell) - sum(cell[m] for m in members)
                    told |= bound - cell[target] < 0.15 * cell[target] - 1e-9
        if told:
            expected.append(n)
    found = p_percent_rule(system, given, p=15, coalition=coalition)
    assert found.cells.tolist() == expected
    assert 0 < len(expected) < len(cells)


def test_the_protection_of_dominance_is_what_makes_the_cell_safe() -> None:
    draw = np.random.default_rng(3)
    cells = [draw.pareto(1, 5).tolist() for _ in range(100)]
    system, given = _cells(*cells)
    found = dominance_rule(system, given, n=2, k=70)
    dominated = given.largest[:, :2].sum(axis=1)
    assert found.cells.tolist() == np.flatnonzero(dominated > 0.7 * given.total).tolist()
    raised = given.total[found.cells] + found.upper
    assert 0.7 * raised == pytest.approx(dominated[found.cells])


def test_threshold_of_counts() -> None:
    system = CellSystem(
        np.array([0.0, 1, 2, 3, 6]), sparse.csr_matrix(np.array([[1.0, 1, 1, 1, -1]]))
    )
    found = threshold_rule(system, 3)
    assert found.cells.tolist() == [1, 2]
    assert found.sliding.tolist() == [3, 3]
    assert found.contributors is not None
    assert found.contributors.tolist() == [0, 1, 2, 3, 6]
    assert threshold_rule(system, 3, zeros=True, width=5).cells.tolist() == [0, 1, 2]
    assert threshold_rule(system, 3, width=5).sliding.tolist() == [5, 5]


def test_threshold_of_contributors() -> None:
    system, given = _cells(EVEN, ALONE, PAIR)
    found = threshold_rule(system, 3, contributions=given, percent=10)
    assert found.cells.tolist() == [1, 2]
    assert found.upper.tolist() == found.lower.tolist() == [4, 10]


def test_rules_together_ask_for_the_greatest_protection() -> None:
    system, given = _cells(EVEN, UNEVEN, ALONE, PAIR)
    one = p_percent_rule(system, given, p=10)
    two = threshold_rule(system, 2, contributions=given, percent=50)
    both = combined(one, two)
    assert both.cells.tolist() == [1, 2, 3]
    assert both.upper == pytest.approx([3, 20, 6])
    assert both.why == ("p% 10", "p% 10 and threshold 2", "p% 10")
    assert both.contributors is not None
    bare = combined(Sensitive.of_width(np.array([2]), 4.0))
    assert (bare.why, bare.sliding.tolist(), bare.contributors) == (("given",), [4], None)


def test_rules_on_a_table_of_firms() -> None:
    """Two records of one firm are one contributor; counts in the same system are left alone."""
    table = pa.table(
        {
            "branch": [1, 1, 1, 1, 2, 2, 2, 2],
            "firm": [1, 1, 2, 3, 4, 5, 6, 7],
            "turnover": [40.0, 40.0, 15.0, 5.0, 25.0, 25.0, 25.0, 25.0],
        }
    )
    branch = Grouping("branch", "branch")
    tables = TableSet(
        (TableSpec("sum", (branch,), value="turnover"), TableSpec("number", (branch,))), persons()
    )
    with open_small(table) as data:
        counted = count_tables(data.source, data.engine, tables)
        system = magnitude_system(data.source, counted)
        given = system_contributions(data.source, data.engine, counted, system, contributor="firm")
        alone = system_contributions(data.source, data.engine, counted, system)
    place = system.places["sum"][0]
    found = p_percent_rule(system, given, p=10)
    assert found.cells.tolist() == [place[0]]
    assert found.upper == pytest.approx([8 - 5])
    assert p_percent_rule(system, alone, p=10).cells.tolist() == []
    assert threshold_rule(system, 4, contributions=given).cells.tolist() == sorted(
        [place[0], system.places["number"][0, 0]]
    )


def test_negative_values_are_refused_by_variable_and_record() -> None:
    table = pa.table({"g": [1, 1, 1], "x": [5.0, 7.5, -3.25]})
    spec = TableSet((TableSpec("t", (Grouping("g", "g"),), value="x"),), persons())
    with open_small(table) as data:
        counted = count_tables(data.source, data.engine, spec)
        system = magnitude_system(data.source, counted)
        given = system_contributions(data.source, data.engine, counted, system)
    with pytest.raises(InputError, match="'x' of the table 't' is below zero in record 3") as error:
        dominance_rule(system, given, n=1, k=50)
    assert "3.25" not in str(error.value)
    assert len(threshold_rule(system, 5, contributions=given)) == 1


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda s, c: threshold_rule(s, 1),
            "threshold must be a whole number of at least 2. Got 1",
        ),
        (lambda s, c: dominance_rule(s, c, n=0, k=50), "n must be a whole number of at least 1"),
        (lambda s, c: dominance_rule(s, c, n=1, k=100), "k must be a number above 0 and below 100"),
        (lambda s, c: dominance_rule(s, c, n=7, k=90), "needs the 7 largest .* 6 were kept"),
        (lambda s, c: p_percent_rule(s, c, p=0), "p must be a number above 0"),
        (lambda s, c: p_percent_rule(s, c, p=5, coalition=6), "needs the 7 largest"),
        (lambda s, c: pq_rule(s, c, p=20, q=10), "p must be a number above 0 and below 10. Got 20"),
        (lambda s, c: pq_rule(s, c, p=20, q=150), "q must be at most 100"),
        (lambda s, c: combined(), "no rule to combine"),
        (lambda s, c: p_percent_rule(_cells(PAIR, PAIR)[0], c, p=5), "2 cells, and contributions"),
    ],
)
def test_rules_that_make_no_sense_are_refused(ask, said: str) -> None:
    system, given = _cells(EVEN)
    with pytest.raises(InputError, match=said):
        ask(system, given)


def test_small_cells_against_whole_tables() -> None:
    draw = np.random.default_rng(9)
    people = {
        "area": draw.integers(0, 9, 300).tolist(),
        "a": draw.integers(0, 4, 300).tolist(),
        "b": draw.integers(0, 3, 300).tolist(),
        "c": draw.integers(0, 3, 300).tolist(),
    }
    shapes = {"ab": (4, 3), "abc": (4, 3, 3), "c": (3,)}
    tables = TableSet(
        tuple(
            TableSpec(name, tuple(Grouping(v, v) for v in name), (("b", (0, 1)),) * (name == "c"))
            for name in shapes
        ),
        Grouping("area", "area"),
    )
    with open_small(pa.table(people)) as data:
        found = small_cells(count_tables(data.source, data.engine, tables), threshold=4)
    rows = list(zip(*people.values(), strict=True))
    for n, (name, shape) in enumerate(shapes.items()):
        for area in range(9):
            table = np.zeros(shape, dtype=int)
            for where, *values in rows:
                if where == area and (name != "c" or values[1] in (0, 1)):
                    table[tuple(values["abc".index(v)] for v in name)] += 1
            full = np.zeros(shape, dtype=bool)
            for axis in range(len(shape)):
                full |= table == table.sum(axis=axis, keepdims=True)
            full &= table > 1
            assert found.ones[n, area] == (table == 1).sum()
            assert found.twos[n, area] == (table == 2).sum()
            assert found.below[n, area] == ((table > 0) & (table < 4)).sum()
            assert found.zeros[n, area] == (table == 0).sum()
            assert found.full[n, area] == full.sum()
    assert found.full.sum() > 0
    assert found.to_dict()["tables"][1]["ones"] == found.ones[1].sum()
