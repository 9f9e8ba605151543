"""False matches: the paper's numbers, and brute force over every possible person."""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pytest
from tabulated import PAPER_A, PAPER_B, PAPER_TABLES, random_tables, tabulated

from indistinct.core.errors import InputError
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Grouping, belongs, persons
from indistinct.tables.matching import atoms
from indistinct.tables.matching.matches import false_matches
from indistinct.tables.specification import TableSet, TableSpec
from indistinct.tables.uniques import tabular_uniques


def by_brute_force(counted: Counted) -> list[int]:
    """Send every person that could exist through the tables; gather where they come out."""
    names = list(
        dict.fromkeys(
            name
            for table in counted.tables
            for name in (*table.variables, *(n for n, _ in table.universe))
        )
    )
    inside = [
        {name: belongs(counted.values[name], items).tolist() for name, items in table.universe}
        for table in counted.tables
    ]
    found = []
    for area in range(len(counted.areas)):
        vector = counted.area_vector(area).tolist()
        seen = set()
        for person in product(*(range(len(counted.values[name])) for name in names)):
            value = dict(zip(names, person, strict=True))
            where: list[int] = []
            for layout, universe in zip(counted.layouts, inside, strict=True):
                if not all(of[value[name]] for name, of in universe.items()):
                    where.append(-1)
                    continue
                cell = 0
                for d, c in zip(layout.table.dimensions, layout.categories, strict=True):
                    cell = cell * c.size + (int(c.codes[value[d.variable]]) if d.variable else 0)
                where.append(layout.offset + cell)
            if max(where) >= 0 and all(vector[at] == 1 for at in where if at >= 0):
                seen.add(tuple(where))
        found.append(len(seen))
    return found


def check_against_brute_force(seed: int) -> int:
    columns, tables = random_tables(np.random.default_rng(seed))
    counted = tabulated(columns, tables)
    found = false_matches(counted)
    assert list(found.feasible_per_area) == by_brute_force(counted), seed
    assert found.false is not None
    assert found.false >= 0
    per_area = zip(found.feasible_per_area, found.combinations_per_area, strict=True)
    assert all(feasible is not None and feasible <= every for feasible, every in per_area)
    return found.false


def test_equals_brute_force() -> None:
    assert sum(check_against_brute_force(n) for n in range(40)) > 15


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(0, 1000, 50))
def test_equals_brute_force_in_many_cases(seed: int) -> None:
    for n in range(seed, seed + 50):
        check_against_brute_force(n)


@pytest.mark.parametrize(
    ("people", "ones", "combinations"),
    [(PAPER_A, [6, 6, 4], 144), (PAPER_B, [6, 5, 3], 90)],
    ids=["A", "B"],
)
def test_openshaw_1997_section_5_3(
    people: dict[str, list[int]], ones: list[int], combinations: int
) -> None:
    found = false_matches(tabulated(people, PAPER_TABLES))
    assert found.ones_per_table[:, 0].tolist() == ones
    assert found.combinations == combinations
    assert (found.feasible, found.true, found.false) == (6, 3, 3)
    assert found.success == 0.5
    assert found.success_by_chance == 3 / combinations


def test_modified_records_make_ones_but_no_true_match() -> None:
    people = {**PAPER_A, "imputed": [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]}
    counted = tabulated(people, PAPER_TABLES)
    uniques = tabular_uniques(counted, modified=("imputed", (1,)))
    assert uniques.risk == pytest.approx(0.2)
    found = false_matches(counted, uniques)
    assert (found.feasible, found.true, found.false) == (6, 2, 4)


def test_the_same_values_cannot_be_in_two_tables_at_once() -> None:
    """With one coding in all tables every possible match is a person with these values."""
    people = {"age": [17, 30, 30, 41], "sex": [1, 1, 2, 2], "job": [1, 2, 3, 3]}
    age, sex, job = (Grouping(name, name) for name in people)
    tables = TableSet((TableSpec("1", (age, sex)), TableSpec("2", (age, job))), persons())
    found = false_matches(tabulated(people, tables))
    assert found.ones_per_table[:, 0].tolist() == [4, 4]
    # for the age of 30 two by sex and two by job, for the others one
    assert (found.combinations, found.feasible, found.true) == (16, 1 + 4 + 1, 4)


def chain(length: int, people: int) -> Counted:
    """Tables that share nothing, in each of which everybody is alone."""
    names = [f"v{n:03}" for n in range(length)]
    columns = {name: list(range(people)) for name in names}
    tables = tuple(TableSpec(name, (Grouping(name, name),)) for name in names)
    return tabulated(columns, TableSet(tables, persons()))


def test_numbers_beyond_all_words_are_exact() -> None:
    found = false_matches(chain(40, 9))
    assert found.feasible == found.combinations == 9**40
    assert found.false == 9**40 - 9
    told = found.to_dict()
    assert (told["combinations"], told["feasible"]) == (None, None)
    assert told["log10_feasible"] == pytest.approx(40 * math.log10(9))
    assert "10^38.2" in repr(found)


def all_alone(people: int) -> Counted:
    """Two tables that share a variable, in which everybody is alone; the last lives elsewhere."""
    rng = np.random.default_rng(1)
    columns = {name: rng.permutation(people).tolist() for name in ("a", "b", "c")}
    a, b, c = (Grouping(name, name) for name in columns)
    columns["area"] = [0] * (people - 1) + [1]
    tables = (TableSpec("ab", (a, b)), TableSpec("bc", (b, c)))
    return tabulated(columns, TableSet(tables, Grouping("area", "area")))


def test_an_area_with_too_many_states_is_not_counted_and_said_not_to_be() -> None:
    counted = all_alone(40)
    found = false_matches(counted, most_states=10)
    assert found.feasible_per_area == (None, 1)
    assert (found.feasible, found.false, found.not_counted) == (None, None, 1)
    assert (found.feasible_where_counted, found.true_where_counted) == (1, 1)
    assert found.success == 1
    assert "not counted" in repr(found)
    every = false_matches(counted, most_states=100)
    assert every.feasible_per_area == (39, 1)
    assert every.true == 40


def test_universes_that_join_too_many_values_are_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(atoms, "MOST_ATOMS", 3)
    people = {"a": [0, 1, 2, 3], "b": [0, 1, 2, 3]}
    table = TableSpec("t", (Grouping("a", "a"),), (("a", (0, 1)), ("b", (0, 2))))
    other = TableSpec("s", (Grouping("b", "b"),))
    found = false_matches(tabulated(people, TableSet((table, other), persons())))
    assert found.feasible is None
    # a table with a universe may also not count the person
    assert found.combinations == (1 + 1) * 4


def test_results_show_themselves() -> None:
    found = false_matches(tabulated(PAPER_A, PAPER_TABLES))
    assert re.search(r"an intruder is right +50.0%", repr(found))
    assert found.to_frame()["feasible"].tolist() == [6]
    assert found.plot().startswith("<svg")


def test_uniques_of_other_tables_are_refused() -> None:
    counted = tabulated(PAPER_A, PAPER_TABLES)
    with pytest.raises(InputError, match="other tables"):
        false_matches(counted, tabular_uniques(tabulated(PAPER_B, PAPER_TABLES)))
    with pytest.raises(InputError, match="most_states must be a whole number of at least 1"):
        false_matches(counted, most_states=0)
