"""Tracing people by published counts: what is learned is true, and the same for one and for all."""

from __future__ import annotations

import numpy as np
import pytest
from tabulated import PAPER_A, PAPER_TABLES, random_tables, tabulated

from indistinct.core.errors import InputError
from indistinct.tables.grouping import Grouping, persons
from indistinct.tables.matching.tracing import trace, traceable
from indistinct.tables.specification import TableSet, TableSpec


def one_by_one(seed: int, *, alone: bool) -> int:
    """Trace every class by itself, and compare with the truth and with tracing all at once."""
    rng = np.random.default_rng(seed)
    counted = tabulated(*random_tables(rng))
    used = [
        name
        for name in ("a", "b", "c", "d")
        if any(name in table.variables or name in dict(table.universe) for table in counted.tables)
    ]
    known = [name for name in used if rng.random() < 0.5]
    at_once = traceable(counted, known, alone=alone)
    learned = 0
    for row in range(counted.classes):
        value = {name: counted.values[name][counted.codes[name][row]] for name in counted.codes}
        area = counted.areas[counted.area[row]]
        start = {name: value[name] for name in known}
        found = trace(counted, start, area=area, alone=alone)
        possible = dict(found.possible)
        assert all(value[name] in possible[name] for name in used), (seed, row)
        for position, view in enumerate(counted.layouts):
            cell = int(counted.cell_of(position)[row])
            if view.name in found.placed and cell >= 0:
                titles = [d.name for d in view.table.dimensions]
                labels = dict(zip(titles, view.labels(cell), strict=True))
                told = {d: found.record[d] for d in labels if d in found.record}
                assert told.items() <= labels.items()
        assert found.complete == bool(at_once.complete[row]), (seed, row)
        for name in used:
            narrower = name not in known and len(possible[name]) < len(counted.values[name])
            if name not in known:
                assert narrower == bool(at_once.learned[name][row]), (seed, row, name)
        learned += len(found.steps)
    return learned


@pytest.mark.parametrize("alone", [True, False])
def test_one_person_and_all_at_once_agree_and_nothing_learned_is_wrong(alone: bool) -> None:
    assert sum(one_by_one(seed, alone=alone) for seed in range(40)) > 20


@pytest.mark.heavy
@pytest.mark.parametrize("alone", [True, False])
def test_many_more_cases_agree(alone: bool) -> None:
    for seed in range(40, 200):
        one_by_one(seed, alone=alone)


def test_the_only_17_year_old_is_tracked_and_the_record_is_theirs() -> None:
    people = {
        "age": [17, 30, 30, 41, 41, 64],
        "sex": ["f", "f", "m", "m", "f", "m"],
        "work": ["school", "clerk", "clerk", "smith", "smith", "none"],
        "car": ["no", "yes", "yes", "no", "yes", "yes"],
    }
    age, band = Grouping("age", "age"), Grouping("band", "age", bands=(0.0, 18.0, 60.0))
    sex, work, car = (Grouping(name, name) for name in ("sex", "work", "car"))
    tables = TableSet(
        (
            TableSpec("by car", (work, car)),
            TableSpec("by sex", (age, sex)),
            TableSpec("by work", (band, work)),
        ),
        persons(),
    )
    counted = tabulated(people, tables)
    found = trace(counted, {"age": 17})
    assert found.record == {"sex": "f", "work": "school", "car": "no"}
    assert [step.table for step in found.steps] == ["by sex", "by work", "by car"]
    assert {name: values for name, values in found.possible if name != "age"} == {
        "sex": ("f",),
        "work": ("school",),
        "car": ("no",),
    }
    assert found.complete
    # two people of 30, one of each sex: nothing tells which is meant
    assert trace(counted, {"age": 30}).steps == ()
    # both are clerks with a car, which everybody like that is
    both = trace(counted, {"age": 30}, alone=False)
    assert dict(both.possible)["sex"] == ("f", "m")
    everybody = traceable(counted, ["age"])
    assert (everybody.traced_in_full, everybody.traced_in_part) == (2, 0)
    assert everybody.to_dict()["learned"] == {"work": 2, "car": 2, "age": 0, "sex": 2}


def test_tables_that_share_nothing_tell_nothing() -> None:
    people = {"age": [17, 30, 41], "car": ["no", "yes", "no"]}
    tables = TableSet(tuple(TableSpec(name, (Grouping(name, name),)) for name in people), persons())
    counted = tabulated(people, tables)
    assert trace(counted, {"age": 17}).steps == ()
    assert traceable(counted, ["age"]).to_dict()["share"] == 0


def test_only_published_counts_are_used() -> None:
    """Other people with the same tables are traced alike: here two have exchanged their age."""
    people = {"age": [1, 2, 2, 1, 3], "sex": [1, 1, 2, 2, 1], "job": [1, 2, 1, 2, 3]}
    others = {"age": [1, 2, 2, 1, 3], "sex": [1, 1, 2, 2, 1], "job": [2, 1, 2, 1, 3]}
    pairs = (("age", "sex"), ("sex", "job"), ("age", "job"))
    tables = TableSet(
        tuple(TableSpec(f"{a}{b}", (Grouping(a, a), Grouping(b, b))) for a, b in pairs), persons()
    )
    one, other = tabulated(people, tables), tabulated(others, tables)
    assert one.area_vector(0).tolist() == other.area_vector(0).tolist()
    for age, sex in ((1, 1), (2, 1), (3, 1)):
        known = {"age": age, "sex": sex}
        assert trace(one, known) == trace(other, known)


def test_a_universe_that_has_nobody_like_that_does_not_count_the_person() -> None:
    people = {"age": [10, 40, 50], "work": ["none", "yes", "yes"], "sex": [1, 1, 2]}
    workers = TableSpec("workers", (Grouping("age", "age"),), (("work", ("yes",)),))
    counted = tabulated(people, TableSet((workers,), persons()))
    child = trace(counted, {"age": 10})
    assert dict(child.possible)["work"] == ("none",)
    assert child.steps[0].count == 0
    assert child.complete
    # a person of 40 may be one whom the table does not count
    assert trace(counted, {"age": 40}).steps == ()


def test_persons_of_the_paper_found_by_age_and_sex() -> None:
    counted = tabulated(PAPER_A, PAPER_TABLES)
    found = traceable(counted, ["age", "sex"])
    traced = []
    for person in range(10):
        start = {"age": PAPER_A["age"][person], "sex": PAPER_A["sex"][person]}
        if trace(counted, start).complete:
            traced.append(person + 1)
    # part uniques both; none of the full uniques 2, 6 and 7 is found this way
    assert traced == [1, 9]
    assert (found.traced_in_full, found.traced_in_part) == (2, 0)


def test_what_cannot_be_is_refused_without_naming_values() -> None:
    counted = tabulated(PAPER_A, PAPER_TABLES)
    with pytest.raises(InputError, match="No table has the variable 'aeg'"):
        trace(counted, {"aeg": 3})
    with pytest.raises(InputError, match="No table has the variable 'aeg'"):
        traceable(counted, ["aeg"])
    with pytest.raises(InputError, match="Nobody in the file has such a value of 'age'") as refused:
        trace(counted, {"age": 99})
    assert "99" not in str(refused.value)
    with pytest.raises(InputError, match="nobody who agrees with what is known"):
        trace(counted, {"age": 27, "ethnic": 4})
    with pytest.raises(InputError, match="There is no such area"):
        trace(counted, {"age": 27}, area="x")
    columns, tables = random_tables(np.random.default_rng(3))
    with pytest.raises(InputError, match="Say in which one"):
        trace(tabulated(columns, tables), {})
