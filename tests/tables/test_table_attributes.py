"""What tables tell about groups of people, against looking at every group and coalition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, persons
from indistinct.tables.attributes import attribute_disclosure

AREA = Grouping("area", "area")
NAMES = ("sex", "age", "job", "ill")


def _tables() -> TableSet:
    def table(name: str, *variables: str, **options: object) -> TableSpec:
        groupings = tuple(persons() if v == "persons" else Grouping(v, v) for v in variables)
        return TableSpec(name, groupings, **options)  # type: ignore[arg-type]

    return TableSet(
        (
            table("work", "sex", "job", "age"),
            table("health", "ill", "age", universe=(("job", (0, 1)),)),
            table("ill", "ill", "persons"),
            table("known", "sex", "age"),
            table("income", "sex", "job", value="income"),
        ),
        AREA,
    )


@pytest.fixture(scope="module")
def people() -> list[dict[str, int]]:
    draw = np.random.default_rng(2)
    sizes = {"area": 12, "sex": 2, "age": 3, "job": 4, "ill": 3}
    columns = {name: draw.integers(0, size, 150).tolist() for name, size in sizes.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.fixture(scope="module")
def counted(people):
    with open_small(pa.Table.from_pylist(people)) as data:
        yield count_tables(data.source, data.engine, _tables())


def _told(members: list[dict[str, int]], target: str, coalition: int) -> set[int]:
    """Members whose target is learned when others of the group subtract themselves, by identity."""
    told = set()
    for size in range(1, coalition + 1):
        for who in combinations(range(len(members)), size):
            rest = [n for n in range(len(members)) if n not in who]
            if rest and len({members[n][target] for n in rest}) == 1:
                told |= {id(members[n]) for n in rest}
    return told


@pytest.mark.parametrize("coalition", [1, 2])
@pytest.mark.parametrize("known", [("sex", "age"), ("age",), ()])
def test_every_group_and_coalition_by_brute_force(people, counted, known, coalition) -> None:
    found = attribute_disclosure(counted, known=known, coalition=coalition)
    alone, alike, undone = set(), set(), set()
    specs = {t.name: t for t in counted.tables}
    seen = set()
    for one in found.targets:
        spec = specs[one.table]
        seen.add((one.table, one.target))
        names = [v for v in spec.variables if v in known]
        assert one.known == tuple(names)
        inside = [p for p in people if not spec.universe or p["job"] in (0, 1)]
        somewhere = {(tuple(p[v] for v in names), p[one.target]) for p in inside}
        for area in range(12):
            groups: dict[tuple[int, ...], list[dict[str, int]]] = {}
            for person in inside:
                if person["area"] == area:
                    groups.setdefault(tuple(person[v] for v in names), []).append(person)
            singles = [g for g in groups.values() if len(g) == 1]
            same = [
                g for g in groups.values() if len(g) > 1 and len({p[one.target] for p in g}) == 1
            ]
            mixed = [g for g in groups.values() if g not in singles and g not in same]
            told = [_told(g, one.target, coalition) for g in mixed]
            lacking = {
                key: {c for k, c in somewhere if k == key} - {p[one.target] for p in g}
                for key, g in groups.items()
            }
            assert one.groups[area] == len(groups)
            assert one.individual[area] == len(singles)
            assert one.group[area] == len(same)
            assert one.group_people[area] == sum(map(len, same))
            assert one.coalition[area] == sum(bool(t) for t in told)
            assert one.coalition_people[area] == sum(map(len, told))
            assert one.negative[area] == sum(map(len, lacking.values()))
            assert one.negative_people[area] == sum(
                len(g) for key, g in groups.items() if lacking[key]
            )
            alone |= {id(g[0]) for g in singles}
            alike |= {id(p) for g in same for p in g}
            undone |= set().union(*told) if told else set()
    expected = {
        (t.name, v) for t in counted.tables for v in t.variables if v not in known and t.is_count
    }
    assert seen == expected
    numbers = found.to_dict()
    assert numbers["individual"] == len(alone)
    assert numbers["group"] == len(alike)
    assert numbers["individual_or_group"] == len(alone | alike)
    assert numbers["coalition"] == len(undone)
    assert found.people_per_area.sum() == len(alone | alike)


def test_two_people_tell_each_other_apart() -> None:
    """In a group of two, each is the coalition that finds out about the other."""
    table = pa.table({"sex": [1, 1], "job": ["nurse", "baker"]})
    tables = TableSet(
        (TableSpec("t", (Grouping("sex", "sex"), Grouping("job", "job"))),), persons()
    )
    with open_small(table) as data:
        found = attribute_disclosure(count_tables(data.source, data.engine, tables), known=["sex"])
    (one,) = found.targets
    assert (one.coalition.tolist(), one.coalition_people.tolist()) == ([1], [2])
    assert not found.group.any()
    assert not found.individual.any()


def test_only_the_targets_that_are_asked_for(counted) -> None:
    found = attribute_disclosure(counted, known=["sex"], targets=["ill"])
    assert [(one.table, one.target) for one in found.targets] == [("health", "ill"), ("ill", "ill")]


def test_it_prints_itself(counted) -> None:
    found = attribute_disclosure(counted, known=["sex", "age"], coalition=2)
    assert "known: sex, age" in repr(found)
    assert "largest coalition" in repr(found)
    assert "the area alone" in repr(attribute_disclosure(counted, known=[]))
    assert found.plot().startswith("<svg")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"known": ["sx"]}, "No table has a dimension of 'sx'. Did you mean 'sex'?"),
        ({"known": ["sex"], "targets": ["sex"]}, "'sex' is known and a target"),
        ({"known": list(NAMES)}, "No table of counts has a dimension that is not known"),
        (
            {"known": ["sex"], "coalition": 0},
            "coalition must be a whole number of at least 1. Got 0",
        ),
    ],
)
def test_questions_that_make_no_sense_are_refused(counted, options, said: str) -> None:
    with pytest.raises(InputError) as error:
        attribute_disclosure(counted, **options)
    assert said in str(error.value)
