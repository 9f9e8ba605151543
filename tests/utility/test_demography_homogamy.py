"""Homogamy: the paper's figures, standard errors against drawn tables, and what must be flagged."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indistinct.core.errors import InputError
from indistinct.households import NOBODY, Kinship
from indistinct.utility.demography import (
    CoupleEducation,
    couple_education,
    homogamy,
    log_odds,
    mating,
)

LEVELS = tuple("1234567")
TABLES = arrays(np.float64, (4, 4), elements=st.integers(0, 60).map(float))


def file_of(*tables, levels=LEVELS):
    """Couples by education, each table at another age of the wife: 30, 40, 50, …"""
    counts = np.zeros((131, len(levels), len(levels)))
    for i, table in enumerate(tables):
        counts[30 + 10 * i] = table
    return CoupleEducation(counts, tuple(levels))


def one_level(observed, husbands, wives, couples):
    """A table of two levels, the second of which has these numbers."""
    return np.array(
        [
            [couples - husbands - wives + observed, wives - observed],
            [husbands - observed, observed],
        ],
        dtype=float,
    )


def test_mccaa_2013_twice_as_many_is_a_log_odds_of_0_7():
    """mcc.logodds: ln 2 = .7 for 122 couples, ln 1.2 = .2 for 93 (women of 25–34, level 4)."""
    before = log_odds(one_level(122, 247, 247, 1000))
    after = log_odds(one_level(93, 290, 267, 1000))
    assert (before.observed[1], after.observed[1]) == (122, 93)
    assert round(math.exp(before.ratio[1]), 1) == 2.0
    assert round(math.exp(after.ratio[1]), 1) == 1.2
    assert [round(float(odds.ratio[1]), 1) for odds in (before, after)] == [0.7, 0.2]


def test_mccaa_2013_the_margin_cannot_have_been_kept():
    """mcc.logodds.inconsistent: with margins kept 122 → 93 would be a ratio of 1.5, ln .42."""
    after = log_odds(one_level(93, 247, 247, 1000))
    assert math.exp(after.ratio[1]) == pytest.approx(1.52, abs=0.01)
    assert after.ratio[1] == pytest.approx(0.42, abs=0.005)


def test_mccaa_2013_level_four_is_flagged_and_joint_shuffling_suggested():
    before = file_of(one_level(122, 247, 247, 1000), levels=("other", "4"))
    after = file_of(one_level(93, 290, 267, 1000), levels=("other", "4"))
    found = homogamy(before, after, groups=[(25, 34)])
    assert found.failing == (("25–34", "4"),)
    assert found.passed is False
    assert found.difference == pytest.approx(math.log(2.0 / 1.2), abs=0.01)
    assert "level 4" in found.suggestion
    assert "husband and wife as one vector" in found.suggestion


def test_mccaa_2013_shares_that_marry_down():
    """43.5 and 22.3 per cent of women and men with a degree; after masking 44.8 and 26.5."""
    for women, men, ratio in ((435, 223, 1.95), (448, 265, 1.69)):
        both = 5000
        table = np.array(
            [[9000.0, women / (1000 - women) * both], [men / (1000 - men) * both, both]]
        )
        found = mating(table, at_least=1)
        assert found.women_down == pytest.approx(women / 1000)
        assert found.men_down == pytest.approx(men / 1000)
        assert round(found.women_down / found.men_down, 2) == ratio  # mcc.down.ratio


def test_marrying_down_from_a_level_counts_every_spouse_who_has_less():
    table = np.array([[5.0, 4, 3], [6, 7, 2], [1, 8, 9]])  # rows are husbands
    found = mating(table, at_least=1)
    assert found.women_down == pytest.approx((4 + 3 + 2) / (4 + 7 + 8 + 3 + 2 + 9))
    assert found.men_down == pytest.approx((6 + 1 + 8) / (6 + 7 + 2 + 1 + 8 + 9))
    assert found.hypogamy == pytest.approx((4 + 3 + 2) / 45)
    assert found.hypergamy == pytest.approx((6 + 1 + 8) / 45)


@given(TABLES)
def test_shares_add_up_to_one(table):
    found = mating(table, at_least=3)
    if table.sum():
        assert found.homogamy + found.hypergamy + found.hypogamy == pytest.approx(1)
    else:
        assert math.isnan(found.homogamy)


@given(TABLES)
def test_log_odds_equal_a_loop_over_levels(table):
    found = log_odds(table)
    n = table.sum()
    for i in range(4):
        row, column, cell = table[i].sum(), table[:, i].sum(), table[i, i]
        if row == 0 or column == 0:
            assert math.isnan(found.ratio[i])
            assert math.isnan(found.odds[i])
            continue
        if cell:
            assert found.ratio[i] == pytest.approx(math.log(cell * n / (row * column)))
        four = [cell, row - cell, column - cell, n - row - column + cell]
        if min(four) == 0:
            four = [c + 0.5 for c in four]
        assert found.odds[i] == pytest.approx(math.log(four[0] * four[3] / (four[1] * four[2])))
        assert found.odds_error[i] == pytest.approx(math.sqrt(sum(1 / c for c in four)))


@pytest.mark.heavy
def test_standard_errors_are_those_of_drawn_tables():
    rng = np.random.default_rng(7)
    shares = np.array([[0.20, 0.08, 0.02], [0.10, 0.25, 0.05], [0.03, 0.07, 0.20]])
    n = 2000
    drawn = rng.multinomial(n, shares.ravel(), size=6000).reshape(-1, 3, 3)
    found = [log_odds(table.astype(float)) for table in drawn]
    exact = log_odds(shares * n)
    for values, errors in (
        (np.array([f.ratio for f in found]), exact.ratio_error),
        (np.array([f.odds for f in found]), exact.odds_error),
    ):
        assert values.std(axis=0) == pytest.approx(errors, rel=0.04)


@pytest.fixture(scope="module")
def couples():
    """20,000 couples whose education correlates, as a file: husbands first."""
    rng = np.random.default_rng(1)
    n = 20_000
    latent = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], n)
    level = np.digitize(latent, [-1.5, -0.8, -0.2, 0.4, 1.0, 1.7])
    age = rng.integers(25, 65, n)
    spouse = np.concatenate([np.arange(n) + n, np.arange(n)])
    nobody = np.full(2 * n, NOBODY)
    kin = Kinship(np.concatenate([np.arange(n)] * 2), nobody, spouse, nobody, nobody)
    return kin, level[:, 0], level[:, 1], age


def counted(couples, husband, wife):
    kin, _, _, age = couples
    n = len(age)
    return couple_education(
        kin,
        np.concatenate([husband, wife]),
        np.concatenate([age, age]),
        np.arange(2 * n) >= n,
        levels=LEVELS,
    )


def test_education_shuffled_without_the_spouse_fails_and_jointly_passes(couples):
    _, husband, wife, age = couples
    rng = np.random.default_rng(2)
    original = counted(couples, husband, wife)
    alone = counted(couples, husband, rng.permutation(wife))
    found = homogamy(original, alone)
    assert found.passed is False
    assert "one vector" in found.suggestion
    assert found.released.homogamy < found.original.homogamy
    order = np.lexsort((rng.random(len(age)), age // 10))
    place = np.argsort(age // 10, kind="stable")
    h, w = husband.copy(), wife.copy()
    h[place], w[place] = husband[order], wife[order]
    jointly = homogamy(original, counted(couples, h, w), groups=[(20, 29), (30, 39)])
    assert jointly.passed is True
    assert jointly.difference == pytest.approx(0, abs=1e-12)
    assert jointly.suggestion == ""


def test_spouses_made_more_alike_are_told_otherwise(couples):
    _, husband, wife, _ = couples
    found = homogamy(counted(couples, husband, wife), counted(couples, wife, wife))
    assert found.passed is False
    assert "more alike" in found.suggestion


def test_couples_of_unknown_education_are_left_out(couples):
    _, husband, wife, _ = couples
    some = wife.copy()
    some[:100] = -1
    file = counted(couples, husband, some)
    assert file.left_out == 100
    assert file.counts.sum() == len(wife) - 100
    assert file.counts[:, 3, 5].sum() == ((husband == 3) & (some == 5)).sum()


def test_small_levels_are_set_apart():
    table = np.array([[400.0, 100], [100, 400]])
    small = np.array([[400.0, 100, 3], [100, 400, 2], [1, 2, 4]])
    other = small.copy()
    other[2, 2] = 49
    levels = ("a", "b", "c")
    found = homogamy(file_of(small, levels=levels), file_of(other, levels=levels))
    assert ("all ages", "c") in found.too_small
    assert all(level != "c" for _, level in found.failing)
    sized = homogamy(file_of(small, levels=levels), file_of(other, levels=levels), least=4)
    assert ("all ages", "c") in sized.failing
    sample = homogamy(file_of(table, levels="ab"), file_of(table / 20, levels="ab"))
    assert sample.passed is None
    assert "least" in sample.suggestion


def test_a_level_that_nobody_has_any_more_fails():
    before = np.array([[400.0, 100], [100, 400]])
    after = np.array([[1000.0, 0], [0, 0]])
    found = homogamy(file_of(before, levels="ab"), file_of(after, levels="ab"))
    assert ("all ages", "b") in found.failing
    assert found.passed is False
    json.dumps(found.to_dict(), allow_nan=False)
    none = homogamy(file_of(before, levels="ab"), file_of(0 * after, levels="ab"))
    assert none.passed is False
    assert "kinship" in none.suggestion


def test_no_couple_left_of_a_level_is_taken_as_half_of_one():
    before = np.array([[400.0, 100], [100, 400]])
    after = np.array([[300.0, 200], [200, 0]])
    found = homogamy(file_of(before, levels="ab"), file_of(after, levels="ab"), groups=[(25, 34)])
    expected = math.log(0.5 / (200 * 200 / 700)) - math.log(400 / (500 * 500 / 1000))
    assert found.groups[0].difference[1] == pytest.approx(expected)
    assert found.passed is False


def test_verdict_can_be_about_the_odds_ratio():
    before, after = np.array([[400.0, 100], [100, 400]]), np.array([[380.0, 120], [120, 380]])
    files = file_of(before, levels="ab"), file_of(after, levels="ab")
    ratio, odds = homogamy(*files), homogamy(*files, statistic="odds ratio")
    assert ratio.difference == pytest.approx(math.log(400 / 380))
    assert odds.difference == pytest.approx(2 * math.log(4) - 2 * math.log(380 / 120))
    assert ratio.passed is True
    assert odds.passed is False


def test_groups_of_ages_are_those_of_the_wife():
    young, old = np.array([[90.0, 10], [10, 90]]), np.array([[60.0, 40], [40, 60]])
    file = file_of(young, old, levels="ab")
    found = homogamy(file, file, groups=[(25, 34), (35, 44), (0, 130), (65, 130)])
    assert [g.name for g in found.groups] == ["25–34", "35–44", "all ages", "65+"]
    assert found.group((25, 34)).original.observed.tolist() == [90, 90]
    assert found.group((35, 44)).original.observed.tolist() == [60, 60]
    assert found.group((0, 130)).original.observed.tolist() == [150, 150]
    with pytest.raises(InputError, match="There are: 25–34"):
        found.group((15, 24))


def test_result_is_plain_json_and_prints_and_draws_itself(couples):
    _, husband, wife, _ = couples
    rng = np.random.default_rng(3)
    found = homogamy(
        counted(couples, husband, wife),
        counted(couples, husband, rng.permutation(wife)),
        down_from="6",
    )
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"original", "released", "difference", "threshold", "passed"} <= set(told)
    assert told["difference"]["homogamy"] == pytest.approx(
        told["released"]["homogamy"] - told["original"]["homogamy"]
    )
    assert told["statistic"] == "observed/expected"
    assert "marrying down from level 6" in repr(found)
    assert "25–34" in found.plot((25, 34))
    assert "<svg" in found._repr_html_()


def test_settings_are_checked(couples):
    _, husband, wife, _ = couples
    file = counted(couples, husband, wife)
    with pytest.raises(InputError, match="no level '8'"):
        homogamy(file, file, down_from="8")
    with pytest.raises(InputError, match="statistic"):
        homogamy(file, file, statistic="odds")
    with pytest.raises(InputError, match="least"):
        homogamy(file, file, least=0)
    with pytest.raises(InputError, match="from low to high"):
        homogamy(file, file, groups=[(30, 20)])
    with pytest.raises(InputError, match="same levels"):
        homogamy(file, CoupleEducation(file.counts, tuple("abcdefg")))
    with pytest.raises(InputError, match="among 7 levels"):
        counted(couples, husband + 1, wife)
