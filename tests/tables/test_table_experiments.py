"""Experiments with tables: every point equals what counting the tables afresh gives."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tabulated import PAPER_A, PAPER_TABLES, STAGE, random_tables, tabulated

from indistinct.core.errors import InputError
from indistinct.tables.counting import Counted
from indistinct.tables.experiments import (
    risk_by_area_size,
    risk_by_recodes,
    risk_by_tables,
    risk_in_zones,
    smallest_safe_size,
    with_width,
)
from indistinct.tables.experiments import zones as zoning
from indistinct.tables.grouping import Grouping, persons
from indistinct.tables.specification import TableSet, TableSpec
from indistinct.tables.uniques import tabular_uniques


@pytest.fixture(scope="module")
def town() -> Counted:
    rng = np.random.default_rng(8)
    people = 600
    columns = {
        "area": np.sort(rng.integers(0, 12, people)).tolist(),
        "age": rng.integers(0, 80, people).tolist(),
        "sex": rng.integers(0, 2, people).tolist(),
        "job": rng.choice(6, people, p=[0.5, 0.3, 0.1, 0.06, 0.03, 0.01]).tolist(),
    }
    age = Grouping("age:5", "age", width=5.0)
    sex, job = Grouping("sex", "sex"), Grouping("job", "job")
    tables = (
        TableSpec("age by sex", (age, sex)),
        TableSpec("stage by job", (STAGE, job)),
        TableSpec("sex by job", (sex, job)),
        TableSpec("age by job", (age, job), (("job", (1, 2, 3, 4, 5)),)),
    )
    return tabulated(columns, TableSet(tables, Grouping("area", "area")))


@pytest.mark.parametrize("seed", range(8))
def test_risk_by_tables_equals_counting_the_first_tables(seed: int) -> None:
    counted = tabulated(*random_tables(np.random.default_rng(seed)))
    found = risk_by_tables(counted, orders=3, seed=seed)
    for n, point in enumerate(found.points, 1):
        firsts = [
            tabular_uniques(counted.with_tables(counted.tables.only(order[:n])))
            for order in found.orders
        ]
        frtu = [uniques.frtu for uniques in firsts]
        assert point.frtu == pytest.approx(np.mean(frtu))
        assert (point.lowest, point.highest) == (min(frtu), max(frtu))
        assert point.prtu == pytest.approx(np.mean([uniques.prtu for uniques in firsts]))
        assert point.cells == pytest.approx(np.mean([u.counted.cells for u in firsts]))


def test_a_given_order_of_the_papers_tables_and_its_false_matches() -> None:
    counted = tabulated(PAPER_A, PAPER_TABLES)
    order = ["age by sex", "stage by ethnic", "sex by ethnic"]
    found = risk_by_tables(counted, orders=[order], matches=[2, 3])
    # six people are alone by age and sex; 1, 2, 6, 7 and 9 of them also by stage and ethnic group
    assert [point.frtu for point in found.points] == [6, 5, 3]
    # ones by stage of life: 1, 1, 3, 1 in the first table and 1, 1, 3, 1 in the second
    assert [point.feasible for point in found.points] == [None, 1 + 1 + 3 * 3 + 1, 6]
    assert found.points[1].log10_combinations == pytest.approx(np.log10(36))
    assert [point.success for point in found.points] == [None, 5 / 12, 0.5]


def test_with_tables_for_everybody_full_uniques_only_become_fewer() -> None:
    for seed in range(10):
        columns, tables = random_tables(np.random.default_rng(seed), universes=False)
        found = risk_by_tables(tabulated(columns, tables), orders=2)
        assert all(b.frtu <= a.frtu for a, b in pairwise(found.points))


@pytest.mark.parametrize("kind", ["random", "neighbours", "alike", "areas"])
def test_full_uniques_in_zones_equal_counting_tables_for_the_zones(
    town: Counted, kind: zoning.Kind
) -> None:
    names = ["age", "job"] if kind == "alike" else []
    people, starts = zoning._zones(town, 40, kind, names, np.random.default_rng(1))
    zone = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    columns = {
        name: [town.values[name][code] for code in town.codes[name][people].tolist()]
        for name in ("age", "sex", "job")
    }
    afresh = tabulated(
        {**columns, "zone": zone.tolist()},
        TableSet(town.tables.tables, Grouping("zone", "zone")),
    )
    full = zoning._full(town, people, starts)
    assert full.sum() == tabular_uniques(afresh).frtu
    assert sorted(people.tolist()) == np.repeat(np.arange(town.classes), town.counts).tolist()
    if kind != "areas":
        assert set(np.diff(starts).tolist()) <= {40}
    else:
        assert (np.diff(starts) >= 40).all()


def test_zones_of_whole_areas_are_the_areas(town: Counted) -> None:
    found = risk_in_zones(town, 1, kind="areas", draws=2)
    uniques = tabular_uniques(town)
    assert uniques.frtu > 0
    assert (found.frtu, found.zones, found.people) == (uniques.frtu, 12, 600)
    assert found.risk == uniques.risk
    assert found.zones_hit == (uniques.frtu_per_area > 0).mean()
    everybody = risk_in_zones(town, 600, kind="areas", draws=1)
    assert everybody.zones == 1
    assert everybody.frtu == tabular_uniques(town.regrouped(persons())).frtu


def test_some_of_the_zones_are_looked_at_in_a_large_file(town: Counted) -> None:
    found = risk_in_zones(town, 20, draws=1, most_people=200)
    assert (found.zones, found.people, found.mean_size) == (10, 200, 20)
    rng = np.random.default_rng(3)
    people, starts = np.arange(30), np.array([0, 10, 13, 30])
    chosen, begins = zoning._some(people, starts, 20, rng)
    parts = [chosen[a:b].tolist() for a, b in pairwise(begins.tolist())]
    whole = [people[a:b].tolist() for a, b in pairwise(starts.tolist())]
    assert len(parts) == 2
    assert all(part in whole for part in parts)


def test_risk_falls_with_size_and_depends_on_who_lives_together(town: Counted) -> None:
    found = risk_by_area_size(
        town, sizes=(10, 50, 200), zones=("random", "alike"), by="age", draws=4
    )
    assert found.kinds == ("random", "alike")
    risks = {kind: [p.risk for p in found.points if p.kind == kind] for kind in found.kinds}
    assert all(a > b for a, b in pairwise(risks["random"]))
    # whoever lives among people of their age is not alone by age
    assert risks["alike"][0] < risks["random"][0]
    again = risk_by_area_size(town, sizes=(50,), draws=4)
    assert again.points[0] == found.points[1]


def test_safe_size_is_the_first_that_is_safe_in_every_draw(town: Counted) -> None:
    found = smallest_safe_size(town, at_most=0.01, draws=3, precision=0.1)
    assert found.size is not None
    assert found.rests_on is not None
    assert found.rests_on.highest <= 0.01
    by_size = {point.size: point for point in found.tried}
    assert by_size[found.unsafe].highest > 0.01
    assert found.unsafe < found.size <= found.unsafe * 1.12 + 1
    assert all(p.highest > 0.01 for p in found.tried if p.size <= found.unsafe)
    # one of 600 has a job of their own in the whole town
    nobody = smallest_safe_size(town.with_tables(_with_a_unique(town)), draws=1)
    assert nobody.size is None
    assert nobody.tried[-1].size == 600


def _with_a_unique(town: Counted) -> TableSet:
    single = Grouping("age", "age")
    finest = TableSpec("all", (single, Grouping("sex", "sex"), Grouping("job", "job")))
    return replace(town.tables, tables=(finest,))


def test_coarser_codings_have_fewer_full_uniques(town: Counted) -> None:
    found = risk_by_recodes(town, variable="age", widths=(10, 40), sizes=(50,), draws=2)
    assert [recode.name for recode in found.recodes] == ["as it is", "age:10", "age:40"]
    assert found.recodes[0].frtu == tabular_uniques(town).frtu
    for recode, width in zip(found.recodes[1:], (10, 40), strict=True):
        other = town.with_tables(with_width(town.tables, "age", width))
        assert recode.frtu == tabular_uniques(other).frtu
        assert recode.cells == other.cells
        assert recode.by_size == (risk_in_zones(other, 50, draws=2),)
    assert found.recodes[0].by_size[0].risk > found.recodes[2].by_size[0].risk
    given = risk_by_recodes(town, {"one table": town.tables.only(["sex by job"])})
    assert given.recodes[1].cells == 12


def test_what_is_asked_wrongly_is_refused(town: Counted) -> None:
    with pytest.raises(InputError, match=r"zones must be .* Got 'randm'\. Did you mean 'random'"):
        risk_by_area_size(town, zones="randm")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="need variables"):
        risk_by_area_size(town, zones="alike")
    with pytest.raises(InputError, match="at least one size"):
        risk_by_area_size(town, sizes=())
    with pytest.raises(InputError, match="'wage' was not counted"):
        risk_by_area_size(town, zones="alike", by="wage")
    with pytest.raises(InputError, match="each of the 4 tables once"):
        risk_by_tables(town, orders=[["age by sex"]])
    with pytest.raises(InputError, match="There is no table 'x'"):
        risk_by_tables(town, orders=[["x"]])
    with pytest.raises(InputError, match="There are 4 tables"):
        risk_by_tables(town, matches=[5])
    with pytest.raises(InputError, match="together with the widths"):
        risk_by_recodes(town, widths=(5,))
    with pytest.raises(InputError, match="No table has the variable 'wage'"):
        risk_by_recodes(town, variable="wage", widths=(5,))
    with pytest.raises(InputError, match="at_most must be a number"):
        smallest_safe_size(town, at_most=1.5)
    with pytest.raises(InputError, match="precision"):
        smallest_safe_size(town, precision=0)
