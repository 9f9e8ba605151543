"""Own-child fertility: known rates come back, and a loop over children gives the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.households import NOBODY, Kinship
from indistinct.utility.demography import (
    FertilityTrend,
    OwnChildren,
    fertility_series,
    own_child_fertility,
    own_children,
)


def schedule(scale=1.0):
    """Rates by age at birth that are nothing at 15 and 49 and at the ages beside them."""
    ages = np.arange(131)
    bell = np.exp(-(((ages - 29) / 6) ** 2) / 2)
    bell[(ages < 17) | (ages > 47)] = 0
    return scale * 2.1 * bell / bell.sum()


def constructed(rates, *, years=15, survive=None, with_mother=None, women=1000.0):
    """A population with rates f_x(α) in which mother's birthdays are spread over the year.

    Of the women aged a at the census, half of the year's births of x years ago came at age a - x,
    half at a - x - 1.
    """
    matched, children = np.zeros((years, 131)), np.zeros(years)
    for x in range(years):
        f = rates(x)
        for a in range(x + 1, 131):
            born = women * (f[a - x] + f[a - x - 1]) / 2
            alive = born * (1 if survive is None else survive[x])
            children[x] += alive
            matched[x, a] = alive * (1 if with_mother is None else with_mother[x])
    return OwnChildren(matched, children, np.full(131, women))


def test_constant_rates_return_their_total():
    series = fertility_series(constructed(lambda x: schedule()))
    assert series.total == pytest.approx(np.full(15, 2.1), abs=1e-12)
    assert series.ages.tolist() == list(range(15, 50))


def test_children_without_mother_and_children_who_died_are_made_up_for():
    survive = 0.99 - 0.004 * np.arange(15)
    with_mother = 0.98 - 0.02 * np.arange(15)
    counted = constructed(lambda x: schedule(), survive=survive, with_mother=with_mother)
    series = fertility_series(counted, child_survival=survive)
    assert series.total == pytest.approx(np.full(15, 2.1), abs=1e-12)
    assert series.matched == pytest.approx(with_mother)
    as_function = fertility_series(counted, child_survival=lambda x: survive[x])
    assert np.array_equal(as_function.total, series.total)
    assert fertility_series(counted).total == pytest.approx(2.1 * survive, abs=1e-12)


def test_women_who_died_are_brought_back():
    # all mothers of a child live; of the women without one, some have died
    alive = 0.995 ** np.arange(131)
    counted = constructed(lambda x: schedule())
    counted = OwnChildren(counted.matched, counted.children, counted.women * alive)
    series = fertility_series(counted, women_survival=alive)
    x, i = 10, 12
    back = 1000 * alive[27 + x] * alive[27] / alive[27 + x]
    assert series.exposed[x, i] == pytest.approx((back + 1000 * alive[27]) / 2)
    assert series.exposed == pytest.approx(np.tile(1000 * alive[15:50], (15, 1)))


def test_births_at_random_times_return_the_rates_they_were_drawn_with():
    rng = np.random.default_rng(5)
    women = 60_000
    age = rng.uniform(15, 66, women)
    mothers, ago = [], []
    for years_ago in np.arange(0, 15, 0.05):
        then = age - years_ago - 0.025
        fertile = np.flatnonzero((then >= 20) & (then < 40))
        gave = fertile[rng.random(len(fertile)) < 0.1 * 0.05]
        mothers.append(gave)
        ago.append(np.full(len(gave), years_ago + 0.025))
    mother = np.concatenate([np.full(women, NOBODY), *mothers])
    ages = np.concatenate([age, *ago])
    woman = np.arange(len(ages)) < women
    nobody = np.full(len(ages), NOBODY)
    counted = own_children(
        Kinship(np.arange(len(ages)), nobody, nobody, mother, nobody), ages, woman
    )
    series = fertility_series(counted)
    off = (series.total - 2.0) / series.error
    assert np.abs(off).max() < 4
    assert abs(series.total.mean() - 2.0) < 4 * float(np.sqrt((series.error**2).mean() / 15))
    assert 0.5 < float(np.sqrt((off**2).mean())) < 1.7


def loop(age, woman, mother, survive, alive):
    """The formula, child by child and woman by woman."""
    total = []
    for x in range(15):
        children = [i for i in range(len(age)) if age[i] == x]
        matched = [i for i in children if mother[i] != NOBODY and age[mother[i]] >= 0]
        if children and not matched:
            total.append(None)
            continue
        rate = 0.0
        for alpha in range(15, 50):
            births = sum(age[mother[i]] in (alpha + x, alpha + x + 1) for i in matched) / 2
            exposed = sum(
                alive[alpha] / alive[age[i]]
                for i in range(len(age))
                if woman[i] and age[i] in (alpha + x, alpha + x + 1)
            )
            if exposed:
                rate += births / (exposed / 2) * len(children) / len(matched or [1]) / survive[x]
        total.append(rate)
    return total


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_series_equals_a_loop_over_people(seed):
    rng = np.random.default_rng(seed)
    n = 80
    age = np.where(rng.random(n) < 0.4, rng.integers(0, 15, n), rng.integers(15, 70, n))
    age[rng.random(n) < 0.05] = -1
    woman = rng.random(n) < 0.6
    mother = np.where(rng.random(n) < 0.8, rng.integers(0, n, n), NOBODY)
    survive, alive = 0.99 ** np.arange(1, 16), 0.99 ** np.arange(66)
    nobody = np.full(n, NOBODY)
    kin = Kinship(np.arange(n), nobody, nobody, mother, nobody)
    counted = own_children(kin, np.where(age < 0, np.nan, age), woman)
    series = fertility_series(counted, child_survival=survive, women_survival=alive)
    expected = [np.nan if t is None else t for t in loop(age, woman, mother, survive, alive)]
    assert series.total == pytest.approx(expected, nan_ok=True)
    assert counted.left_out == (age < 0).sum()


def test_a_top_code_of_age_does_no_harm():
    rng = np.random.default_rng(3)
    n = 4000
    age = np.concatenate([rng.integers(0, 15, n), rng.integers(15, 100, n)])
    mother = np.concatenate([rng.integers(n, 2 * n, n), np.full(n, NOBODY)])
    nobody = np.full(2 * n, NOBODY)
    kin = Kinship(np.arange(2 * n), nobody, nobody, mother, nobody)
    woman = np.arange(2 * n) >= n
    full, coded = (own_children(kin, ages, woman) for ages in (age, np.minimum(age, 85)))
    assert np.array_equal(fertility_series(full).rates, fertility_series(coded).rates)
    assert own_child_fertility(full, coded).largest == 0


def postponed(x):
    """Births were earlier, the longer ago: they fall at 15–29 and rise at 30–49."""
    young, old = schedule(1 + 0.02 * x), schedule(1 - 0.02 * x)
    return np.where(np.arange(131) < 30, young, old)


def test_trends_are_slopes_by_least_squares_and_agree():
    counted = constructed(postponed)
    found = own_child_fertility(counted, counted, census_year=2011)
    assert [t.directions for t in found.trends] == [("falling",) * 2, ("rising",) * 2]
    for trend in found.trends:
        rates = found.original.group(*trend.ages)
        slope = np.polyfit(-np.arange(15), rates, 1)[0]
        assert trend.original == pytest.approx(slope)
        assert trend.agree
    assert found.years[0] == 2011
    assert found.years[14] == 1997


def test_a_trend_that_turned_fails_though_totals_are_near():
    flat = constructed(lambda x: schedule())
    slow = constructed(lambda x: schedule(1 + 0.001 * x))
    quick = constructed(lambda x: schedule(1 - 0.001 * x))
    found = own_child_fertility(slow, quick, threshold=0.1)
    assert found.largest < 0.1
    assert not any(t.agree for t in found.trends)
    assert found.passed is False
    assert "mothers" in found.suggestion
    assert own_child_fertility(flat, flat).passed is True


def test_trends_of_other_sign_agree_within_two_standard_errors_only():
    near = FertilityTrend((15, 29), 0.002, -0.002, (0.0015, 0.0015))
    far = FertilityTrend((15, 29), 0.004, -0.004, (0.0015, 0.0015))
    assert near.agree
    assert not far.agree
    assert near.directions == ("flat", "flat")
    assert far.directions == ("rising", "falling")
    assert FertilityTrend((15, 29), 0.004, 0.0001, (0.001, 0.001)).agree


def test_verdict_is_about_the_largest_difference_of_a_year():
    before, after = constructed(lambda x: schedule()), constructed(lambda x: schedule(1.02))
    found = own_child_fertility(before, after)
    assert found.largest == pytest.approx(0.042)
    assert found.passed is True
    assert own_child_fertility(before, after, threshold=0.04).passed is False


def test_children_nobody_can_be_matched_with_leave_a_year_unknown():
    before = constructed(lambda x: schedule())
    matched = before.matched.copy()
    matched[3] = 0
    after = OwnChildren(matched, before.children, before.women)
    found = own_child_fertility(before, after)
    assert np.flatnonzero(np.isnan(found.released.total)).tolist() == [3]
    assert found.passed is False
    assert "kinship" in found.suggestion
    nothing = OwnChildren(np.zeros((15, 131)), before.children, before.women)
    assert own_child_fertility(nothing, nothing).passed is None
    assert "cannot say" in repr(own_child_fertility(nothing, nothing))
    empty = OwnChildren(np.zeros((15, 131)), np.zeros(15), np.zeros(131))
    assert own_child_fertility(empty, empty).passed is None


def test_result_is_plain_json_and_prints_and_draws_itself():
    counted = constructed(postponed)
    found = own_child_fertility(counted, constructed(lambda x: schedule()), census_year=2011)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"original", "released", "difference", "threshold", "passed"} <= set(told)
    assert told["difference"] == pytest.approx(
        [b - a for a, b in zip(told["original"], told["released"], strict=True)]
    )
    assert sum(told["rates_original"][4]) == pytest.approx(told["original"][4])
    assert "2011" in repr(found)
    assert "children a woman" in found.plot()


def test_settings_are_checked():
    counted = constructed(lambda x: schedule())
    for survival in ([0.9] * 3, [1.2] * 15, np.linspace(0.5, 0.9, 15), [100_000] * 15):
        with pytest.raises(InputError, match="child_survival"):
            fertility_series(counted, child_survival=survival)
    with pytest.raises(InputError, match="Ages at birth"):
        fertility_series(counted, ages=(50, 40))
    with pytest.raises(InputError, match="same age of children"):
        own_child_fertility(counted, constructed(lambda x: schedule(), years=5))
    with pytest.raises(InputError, match="threshold"):
        own_child_fertility(counted, counted, threshold=float("nan"))
