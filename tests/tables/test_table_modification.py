"""Random modification by one and random rounding: limits, means, variances, totals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, grouping_from_text
from indistinct.tables.perturb import (
    Margin,
    RandomRounding,
    perturbed_risk,
    random_modification,
    random_rounding,
    uncertainty,
)


@pytest.fixture(scope="module")
def counted():
    rng = np.random.default_rng(21)
    area = rng.integers(0, 50, 4000)
    frame = pd.DataFrame(
        {
            "area": area,
            "county": rng.integers(0, 4, 4000),
            "age": rng.integers(0, 80, 4000),
            "sex": rng.integers(1, 3, 4000),
        }
    )
    age, sex = grouping_from_text("age:10"), Grouping("sex", "sex")
    tables = TableSet(
        (TableSpec("first", (age, sex)), TableSpec("second", (sex, age))),
        Grouping("area", "area"),
        (Grouping("county", "county"),),
    )
    with open_small(frame) as data:
        yield count_tables(data.source, data.engine, tables)


def drawn(counted, make) -> tuple[np.ndarray, np.ndarray]:
    true, change = [], []
    for seed in range(10):
        cells = make(seed).cells(Margin(0, (0, 1)))
        true.append(cells.true)
        change.append(cells.published - cells.true)
    return np.concatenate(true), np.concatenate(change)


class TestModification:
    def test_changes_are_by_one_right_on_average_and_never_below_zero(self, counted):
        # the county cuts areas, so that a cell of an area would be made of modified pieces
        only = replace(counted, tables=replace(counted.tables, also=()))
        true, change = drawn(only, lambda s: random_modification(only, seed=s, probability=0.2))
        assert set(np.unique(change)) == {-1, 0, 1}
        assert (true + change >= 0).all()
        assert abs(change.mean()) < 5 * np.sqrt(0.4 / len(change))
        assert abs((change**2).mean() - 0.4) < 0.03

    @pytest.mark.parametrize("times", [1, 2])
    def test_everything_adds_up(self, counted, times):
        found = random_modification(counted, seed=1, times=times)
        for name in ("first", "second"):
            table = found.table(name)
            assert (table >= 0).all()
            assert (table[:, :-1].sum(axis=1) == table[:, -1]).all()
            assert (table[..., :-1].sum(axis=2) == table[..., -1]).all()
            assert (table.sum(axis=0) == found.table(name, geography=1).sum(axis=0)).all()

    def test_area_totals_are_kept_where_that_is_asked_for(self, counted):
        found = random_modification(counted, seed=1, keep_area_totals=True)
        for geography in (0, 1):
            totals = found.table("first", geography=geography)[:, -1, -1]
            assert (totals == found.cells(Margin(0, (), geography)).true).all()
        moved = found.cells(Margin(0, (0, 1)))
        assert (moved.published != moved.true).any()

    def test_tables_are_modified_by_themselves(self, counted):
        found = random_modification(counted, seed=1)
        assert (found.table("first") != found.table("second").transpose(0, 2, 1)).any()

    def test_variances_are_those_of_the_draws(self, counted):
        once = random_modification(counted, seed=1, probability=0.3).perturbation
        assert once.published_variance(0) == 0
        assert once.published_variance(1) == pytest.approx(0.6)
        twice = random_modification(counted, seed=1, probability=0.3, times=2).perturbation
        assert twice.published_variance(7) == pytest.approx(1.2)
        # a one that became zero stays: 0.3 to 0, else another draw
        assert twice.published_variance(1) == pytest.approx(0.6 + 0.7 * 0.6)
        left = uncertainty(twice, 2)
        assert (left.lowest, left.highest) == (1, 4)
        assert twice.interval(0) == (0, 2)

    def test_some_ones_are_false_afterwards(self, counted):
        risk = perturbed_risk(random_modification(counted, seed=1))
        assert 0 < risk.confirmed_ones < risk.apparent_ones
        assert 0 < risk.false_match_share < 1

    @pytest.mark.parametrize("wrong", [{"probability": 0.6}, {"probability": 0}, {"times": 0}])
    def test_wrong_settings_are_refused(self, counted, wrong):
        with pytest.raises(InputError):
            random_modification(counted, seed=1, **wrong)


class TestRandomRounding:
    @pytest.mark.parametrize("base", [2, 3, 5, 10])
    def test_every_count_goes_to_an_adjacent_multiple(self, counted, base):
        found = random_rounding(counted, seed=4, base=base)
        table, true = found.table("first"), random_modification(counted, seed=1)
        cells = found.cells(Margin(0, (0, 1)))
        assert not (table % base).any()
        assert (np.abs(cells.published - cells.true) < base).all()
        assert true.cells(Margin(0, (0, 1))).true.tolist() == cells.true.tolist()

    def test_it_is_right_on_average_for_every_remainder(self, counted):
        true, change = drawn(counted, lambda s: random_rounding(counted, seed=s, base=3))
        for left in (1, 2):
            some = change[true % 3 == left]
            assert abs(some.mean()) < 5 * np.sqrt(2 / len(some))
            assert abs((some**2).mean() - RandomRounding(3).published_variance(left)) < 0.15
        assert not change[true % 3 == 0].any()

    def test_the_same_people_are_rounded_alike_in_every_table(self, counted):
        found = random_rounding(counted, seed=4)
        assert (found.table("first") == found.table("second").transpose(0, 2, 1)).all()
        assert not found.perturbation.additive
        assert perturbed_risk(found).apparent_ones == 0
