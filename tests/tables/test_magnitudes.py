"""What contributors give to each cell, against sums and sorts record by record."""

from __future__ import annotations

import dataclasses
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.flow.session import Data
from indistinct.tables import Counted, Grouping, TableSet, TableSpec, count_tables, persons
from indistinct.tables.magnitudes.totals import (
    class_amounts,
    contributions,
    magnitude_system,
    system_contributions,
)

PEOPLE = 400


def _people(seed: int = 5) -> pa.Table:
    draw = np.random.default_rng(seed)
    turnover = draw.integers(0, 900, PEOPLE).astype(float)
    turnover[draw.random(PEOPLE) < 0.05] = np.nan
    return pa.table(
        {
            "area": draw.integers(0, 6, PEOPLE),
            "branch": draw.integers(0, 4, PEOPLE),
            "size": draw.integers(0, 3, PEOPLE),
            "turnover": pa.array(turnover, from_pandas=True),
            "weight": draw.integers(1, 4, PEOPLE),
            "firm": [f"f{n}" if n % 9 else None for n in draw.integers(0, 120, PEOPLE).tolist()],
        }
    )


AREA = Grouping("area", "area")
DISTRICT = Grouping("district", "area", bands=(0, 2, 4))
BRANCH, SIZE = Grouping("branch", "branch"), Grouping("size", "size")
SECTOR = Grouping("sector", "branch", bands=(0, 2))


def _tables(weight: str | None) -> TableSet:
    return TableSet(
        (
            TableSpec("by branch", (BRANCH, SIZE), value="turnover", weight=weight),
            TableSpec("by sector", (SECTOR,), value="turnover", weight=weight),
            TableSpec("large", (BRANCH,), (("size", (1, 2)),), value="turnover", weight=weight),
            TableSpec("people", (BRANCH, persons()), weight=weight),
        ),
        AREA,
        (DISTRICT, persons()),
    )


@pytest.fixture(scope="module")
def people() -> pa.Table:
    return _people()


@pytest.fixture(scope="module")
def opened(people: pa.Table):
    with open_small(people) as data:
        yield (
            data,
            {
                weight: count_tables(data.source, data.engine, _tables(weight))
                for weight in (None, "weight")
            },
        )


def _brute(rows: list[dict], value: str | None, weight: str | None, owner: str | None, top: int):
    """Total, contributors, largest units and sum of squares of the records of one cell."""
    owners: dict[object, list[tuple[float, float]]] = {}
    for n, row in enumerate(rows):
        x = 1.0 if value is None else row[value]
        w = 1.0 if weight is None else row[weight]
        if x is None or w is None:
            continue
        name = n if owner is None or row[owner] is None else row[owner]
        owners.setdefault(name, []).append((x, w))
    units: list[tuple[float, float]] = []
    for given in owners.values():
        mean = sum(w for _, w in given) / len(given)
        units.append((sum(x * w for x, w in given) / mean, mean))
    units.sort(reverse=True)
    flat, fine = [], 12
    for x, w in units[: top + 1]:
        # weights are multiples of 1/12 here: a mean of at most four whole numbers
        flat += [x] * round(w * fine)
    largest = [sum(flat[n * fine : (n + 1) * fine]) / fine for n in range(top)]
    total = sum(x * w for x, w in units)
    return total, len(units), largest, sum(w * x * x for x, w in units)


def _check(found, at, expected) -> None:
    total, number, largest, squares = expected
    assert found.contributors[at] == number
    assert found.total[at] == pytest.approx(total)
    assert found.squares[at] == pytest.approx(squares)
    assert found.largest[at] == pytest.approx(largest)


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("owner", [None, "firm"])
def test_contributions_of_cells_against_brute_force(opened, people, weight, owner) -> None:
    data, counted = opened
    rows = people.to_pylist()
    found = contributions(
        data.source, data.engine, counted[weight], "by branch", contributor=owner, top=3
    )
    places = {}
    for n, (area, cell) in enumerate(zip(found.area.tolist(), found.cell.tolist(), strict=True)):
        branch, size = divmod(cell, 3)
        mine = [r for r in rows if (r["area"], r["branch"], r["size"]) == (area, branch, size)]
        _check(found, n, _brute(mine, "turnover", weight, owner, 3))
        places[area, branch, size] = n
    given = {(r["area"], r["branch"], r["size"]) for r in rows if r["turnover"] is not None}
    assert places.keys() == given
    assert found.missing == sum(r["turnover"] is None for r in rows) > 0


@pytest.mark.parametrize(("weight", "owner"), [(None, None), ("weight", None), (None, "firm")])
def test_contributions_of_totals_and_places_against_brute_force(
    opened, people, weight, owner
) -> None:
    data, all_counted = opened
    counted: Counted = all_counted[weight]
    rows = people.to_pylist()
    system = magnitude_system(data.source, counted)
    found = system_contributions(
        data.source, data.engine, counted, system, contributor=owner, top=2
    )
    grouped = {
        "branch": [{n} for n in range(4)] + [set(range(4))],
        "sector": [{0, 1}, {2, 3}, set(range(4))],
        "size": [{n} for n in range(3)] + [set(range(3))],
    }
    areas = [*({n} for n in range(6)), {0, 1}, {2, 3}, {4, 5}, set(range(6))]
    for spec in counted.tables:
        place = system.places[spec.name]
        kinds = [d.name for d in spec.dimensions]
        for at in product(*(range(s) for s in place.shape)):
            mine = [r for r in rows if r["area"] in areas[at[0]]]
            if spec.universe:
                mine = [r for r in mine if r["size"] in (1, 2)]
            for kind, n in zip(kinds, at[1:], strict=True):
                if kind != "persons":
                    name = "branch" if kind == "sector" else kind
                    mine = [r for r in mine if r[name] in grouped[kind][n]]
            expected = _brute(mine, spec.value, weight, owner, 2)
            _check(found, place[at], expected)
            assert system.values[place[at]] == pytest.approx(expected[0])
            assert found.magnitude[place[at]] == (spec.value is not None)
            assert found.counts[place[at]] == (spec.value is None and weight is None)


def test_class_amounts_add_up_to_the_column(opened, people) -> None:
    data, counted = opened
    amounts = class_amounts(data.source, counted["weight"], "by branch")
    expected = sum((r["turnover"] or 0) * r["weight"] for r in people.to_pylist())
    assert amounts.sum() == pytest.approx(expected)
    assert class_amounts(data.source, counted[None], "people").sum() == PEOPLE


def test_a_weight_says_how_often_a_contribution_stands() -> None:
    """100 with weight 4 and 10 with weight 7: the two largest of the population are both 100."""
    table = pa.table({"g": [1, 1], "x": [100.0, 10.0], "w": [4.0, 7.0]})
    spec = TableSet((TableSpec("t", (Grouping("g", "g"),), value="x", weight="w"),), persons())
    with open_small(table) as data:
        counted = count_tables(data.source, data.engine, spec)
        found = contributions(data.source, data.engine, counted, "t", top=5)
    assert found.total.tolist() == [470]
    assert found.largest.tolist() == [[100, 100, 100, 100, 10]]
    assert found.contributors.tolist() == [2]


def test_a_fractional_weight_fills_a_unit_and_one_below_1_is_a_unit() -> None:
    table = pa.table({"g": [1, 1, 1], "x": [100.0, 10.0, 8.0], "w": [1.5, 1.0, 0.5]})
    spec = TableSet((TableSpec("t", (Grouping("g", "g"),), value="x", weight="w"),), persons())
    with open_small(table) as data:
        counted = count_tables(data.source, data.engine, spec)
        found = contributions(data.source, data.engine, counted, "t", top=4)
    assert found.total.tolist() == [164]
    assert found.largest.tolist() == [[100, 55, 7, 2]]


def test_codes_that_mean_missing_are_left_out(opened, people) -> None:
    data, counted = opened
    variables = data.source.variables.updated({"turnover": {"user_missing": ((0, 450),)}})
    source = dataclasses.replace(data.source, variables=variables)
    found = contributions(source, data.engine, counted[None], "by branch")
    kept = [r["turnover"] for r in people.to_pylist() if (r["turnover"] or 0) > 450]
    assert found.total.sum() == pytest.approx(sum(kept))
    assert found.missing == PEOPLE - len(kept)


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("x", [1.0, float("inf")], "'x' is infinite in record 2"),
        ("x", ["1", "2"], "'x' must hold numbers"),
        ("w", [1.0, -2.0], "'w' is negative in record 2"),
    ],
)
def test_what_cannot_be_added_up_is_refused(column: str, values: list, said: str) -> None:
    columns = {"g": [1, 1], "x": [1.0, 2.0], "w": [1.0, 1.0]} | {column: values}
    spec = TableSet((TableSpec("t", (Grouping("g", "g"),), value="x", weight="w"),), persons())
    with open_small(pa.table(columns)) as data:
        counted = count_tables(data.source, data.engine, spec)
        with pytest.raises(InputError, match=said):
            class_amounts(data.source, counted, "t")


def test_no_place_for_the_largest_is_refused(opened: tuple[Data, dict]) -> None:
    data, counted = opened
    with pytest.raises(InputError, match="At least one contribution"):
        contributions(data.source, data.engine, counted[None], "by branch", top=0)
