"""The age gap between spouses, against a loop over couples; the error of USA 2000 is found."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.census import census_table
from indistinct.core.errors import InputError
from indistinct.households import NOBODY, Kinship
from indistinct.results.figures import Line
from indistinct.utility.demography import CoupleAges, age_gap, couple_ages, find_break


def kinship_of(spouse):
    spouse = np.asarray(spouse, dtype=np.int64)
    nobody = np.full(len(spouse), NOBODY)
    return Kinship(np.arange(len(spouse)), nobody, spouse, nobody, nobody)


def couples_of(husband, wife):
    """Couples as a file: all husbands first, then all wives."""
    n = len(husband)
    spouse = np.concatenate([np.arange(n) + n, np.arange(n)])
    woman = np.arange(2 * n) >= n
    return couple_ages(kinship_of(spouse), np.concatenate([husband, wife]), woman)


@pytest.fixture(scope="module")
def married():
    """Ages of the husbands and wives of 70,000 people, about 17,000 couples."""
    census = census_table(70_000, seed=11, names=False)
    home, kin, sex, age = (
        census[name].to_numpy() for name in ("household", "relationship", "sex", "age")
    )
    head = np.full(home.max() + 1, -1)
    head[home[kin == 1]] = np.flatnonzero(kin == 1)
    other = np.flatnonzero((kin == 2) | (kin == 3))
    first = head[home[other]]
    mixed = sex[first] != sex[other]
    first, other = first[mixed], other[mixed]
    wife = np.where(sex[first] == 2, first, other)
    husband = np.where(sex[first] == 2, other, first)
    return age[husband].astype(int), age[wife].astype(int)


def redrawn(husband, wife, chosen, rng):
    """Draw the ages of some people anew, without regard to their spouses."""
    ages = np.concatenate([husband, wife])
    at = np.flatnonzero(chosen(ages))
    ages[at] = rng.permutation(ages[at])
    return ages[: len(husband)], ages[len(husband) :]


def shuffled(ages, years, rng, share=1.0):
    """Put ages anew in the order of age plus noise: the same ages, other people."""
    noisy = ages + rng.normal(0, years, len(ages)) * (rng.random(len(ages)) < share)
    found = np.empty_like(ages)
    found[np.argsort(noisy, kind="stable")] = np.sort(ages)
    return found


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.integers(18, 24), st.integers(18, 24)), min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(18, 24), st.integers(18, 24)), min_size=1, max_size=60),
)
def test_curves_equal_a_loop_over_couples(before, after):
    found = age_gap(
        *(couples_of(*np.array(file).T) for file in (before, after)),
        references=("wife", "husband", "older"),
        least=2,
    )
    pick = {"wife": lambda h, w: w, "husband": lambda h, w: h, "older": max}
    for curve in found.curves:
        gaps = [defaultdict(list), defaultdict(list)]
        for file, by_age in zip((before, after), gaps, strict=True):
            for h, w in file:
                by_age[pick[curve.reference](h, w)].append(h - w)
        assert curve.ages.tolist() == sorted({*gaps[0], *gaps[1]})
        off, couples = [], []
        for i, a in enumerate(curve.ages.tolist()):
            for values, by_age in ((curve.original, gaps[0]), (curve.released, gaps[1])):
                assert np.isnan(values[i]) == (a not in by_age)
                if a in by_age:
                    assert values[i] == pytest.approx(np.mean(by_age[a]))
            assert curve.couples_original[i] == len(gaps[0][a])
            assert curve.couples_released[i] == len(gaps[1][a])
            if len(gaps[0][a]) >= 2 and len(gaps[1][a]) >= 2:
                off.append(abs(np.mean(gaps[1][a]) - np.mean(gaps[0][a])))
                couples.append(len(gaps[0][a]))
        assert curve.judged.sum() == len(off)
        if off:
            assert curve.largest == pytest.approx(max(off))
            assert curve.mean == pytest.approx(np.mean(off))
            assert curve.weighted_mean == pytest.approx(np.average(off, weights=couples))


def test_identical_files_differ_by_nothing_and_have_no_break(married):
    file = couples_of(*married)
    found = age_gap(file, file)
    assert found.difference == 0
    assert found.passed is True
    assert found.broken is None
    assert found.suggestion == ""
    assert file.correlation == pytest.approx(np.corrcoef(*married)[0, 1])


@pytest.mark.parametrize("cut", [60, 65, 70])
def test_ages_redrawn_from_an_age_on_are_a_break_at_that_age(married, cut):
    original = couples_of(*married)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        released = couples_of(*redrawn(*married, lambda ages: ages >= cut, rng))
        found = age_gap(original, released)
        assert (found.broken.age, found.broken.side) == (cut, "and over")
        assert found.broken.years_kept == 0
        assert found.passed is False
        assert f"ages from {cut} on" in found.suggestion


def test_a_break_is_found_under_a_gentle_shuffle_of_all_ages(married):
    husband, wife = married
    for seed in range(5):
        rng = np.random.default_rng(seed)
        moved = shuffled(husband, 1, rng), shuffled(wife, 1, rng)
        released = couples_of(*redrawn(*moved, lambda ages: ages >= 65, rng))
        assert find_break(couples_of(*married), released).age == 65


def test_a_break_is_found_where_wives_alone_were_redrawn(married):
    husband, wife = married
    rng = np.random.default_rng(1)
    wives, _ = redrawn(wife, np.zeros(0, int), lambda ages: ages >= 65, rng)
    assert find_break(couples_of(*married), couples_of(husband, wives)).age == 65


def test_ages_redrawn_below_an_age_are_a_break_too(married):
    rng = np.random.default_rng(2)
    released = couples_of(*redrawn(*married, lambda ages: ages < 35, rng))
    found = find_break(couples_of(*married), released)
    assert (found.age, found.side) == (35, "below")
    assert "below 35" in age_gap(couples_of(*married), released).suggestion


@pytest.mark.parametrize("seeds", [8, pytest.param(80, marks=pytest.mark.heavy)])
def test_no_break_is_reported_for_other_samples_and_for_shuffles_of_all_ages(married, seeds):
    husband, wife = married
    original = couples_of(husband, wife)
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        again = rng.integers(0, len(wife), len(wife))
        few = rng.choice(len(wife), 6000, replace=False)
        for released in (
            (husband[again], wife[again]),
            (husband[few], wife[few]),
            (shuffled(husband, 1, rng, 0.5), shuffled(wife, 1, rng, 0.5)),
            (shuffled(husband, 1, rng), shuffled(wife, 1, rng)),
            (shuffled(husband, 2, rng), shuffled(wife, 2, rng)),
        ):
            assert find_break(original, couples_of(*released)) is None


@pytest.mark.parametrize(("years", "bend"), [(6, 1), (6, 3), (12, 2)])
def test_a_difference_that_grows_with_age_is_no_break(married, years, bend):
    husband, wife = married
    rng = np.random.default_rng(3)
    spread = years * ((husband - 18) / 60) ** bend
    blurred = husband + np.round(rng.normal(0, 1, len(wife)) * spread).astype(int)
    released = couples_of(np.clip(blurred, 18, 90), wife)
    assert find_break(couples_of(*married), released) is None
    assert age_gap(couples_of(*married), released).passed is False


def test_couples_of_unknown_age_or_one_sex_are_left_out():
    kin = kinship_of([1, 0, 3, 2, 5, 4, NOBODY])
    woman = np.array([False, True, False, True, True, True, False])
    found = couple_ages(kin, [40.0, 38.5, np.nan, 30, 50, 51, 20], woman)
    assert found.couples == 1
    assert found.left_out == 1
    assert found.counts[40, 38] == 1


def test_an_age_that_is_a_code_is_refused_without_being_told():
    with pytest.raises(InputError, match=r"Record 2 has more\.") as told:
        couple_ages(kinship_of([1, 0]), [40, 999], np.array([False, True]))
    assert "999" not in str(told.value)
    with pytest.raises(InputError, match="2 records"):
        couple_ages(kinship_of([1, 0]), [40], np.array([False, True]))


def test_verdict_is_about_the_largest_difference_of_ages_with_enough_couples():
    before, after = np.zeros((131, 131)), np.zeros((131, 131))
    before[40, 38] = after[40, 38] = after[41, 38] = 400
    before[60, 30], after[50, 30] = 199, 199
    found = age_gap(CoupleAges(before), CoupleAges(after), references=("wife",))
    assert found.difference == 0.5
    assert found.passed is True
    strict = age_gap(CoupleAges(before), CoupleAges(after), references=("wife",), threshold=0.49)
    assert strict.passed is False
    assert "one vector" in strict.suggestion
    few = age_gap(CoupleAges(before), CoupleAges(after), references=("wife",), least=2)
    assert few.difference == 10


def test_a_difference_within_chance_is_told_as_such():
    before, after = np.zeros((131, 131)), np.zeros((131, 131))
    before[30, 38] = before[50, 38] = after[30, 38] = 100
    after[50, 38] = 120
    found = age_gap(CoupleAges(before), CoupleAges(after), references=("wife",), least=150)
    assert found.passed is False
    assert "two standard errors" in found.suggestion


def test_too_few_couples_no_couples_and_coarse_ages_are_told_apart(married):
    original = couples_of(*married)
    few = couples_of(*(ages[:500] for ages in married))
    assert age_gap(original, few).passed is None
    assert "least" in age_gap(original, few).suggestion
    none = age_gap(original, CoupleAges(np.zeros((131, 131))))
    assert none.passed is False
    assert "kinship" in none.suggestion
    coarse = couples_of(*(ages // 5 * 5 for ages in married))
    found = age_gap(original, coarse)
    assert found.passed is False
    assert "no couple any more" in found.suggestion


def test_result_is_plain_json_and_prints_and_draws_itself(married):
    original = couples_of(*married)
    released = couples_of(*redrawn(*married, lambda a: a >= 65, np.random.default_rng(0)))
    found = age_gap(original, released)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"original", "released", "difference", "threshold", "passed"} <= set(told)
    assert told["break"]["age"] == 65
    at = told["curves"]["wife"]["ages"].index(70)
    assert told["difference"]["wife"][at] == pytest.approx(
        told["released"]["wife"][at] - told["original"]["wife"][at]
    )
    assert "break at 65" in repr(found)
    assert "break at 65" in found.plot("husband")
    assert "<svg" in found._repr_html_()
    with pytest.raises(InputError, match="no curve"):
        found.plot("older")


def test_settings_are_checked():
    file = CoupleAges(np.zeros((131, 131)))
    with pytest.raises(InputError, match="reference"):
        age_gap(file, file, references=("cousin",))
    with pytest.raises(InputError, match="threshold"):
        age_gap(file, file, threshold=-1)


def test_figure_shows_judged_ages_only(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "indistinct.utility.demography.figures.lines",
        lambda title, found, **kw: drawn.append(found) or "<svg/>",
    )
    counts = np.zeros((131, 131))
    counts[40, 38], counts[60, 30] = 200, 3
    age_gap(CoupleAges(counts), CoupleAges(counts)).plot()
    line: Line = drawn[0][0]
    assert [a for a, y in zip(line.x, line.y, strict=True) if y == y] == [38]
