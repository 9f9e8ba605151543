"""Skinner and Holmes (1998), Estimating the Re-identification Risk Per Record in Microdata.

Journal of Official Statistics 14(4), 361-372. Their census extract is not public: what they
print is checked for what follows from it, the formulas against values computed independently
to twelve digits, and the conduct of the method on the synthetic census, whose shape is theirs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from indistinct.census import SKINNER_HOLMES_KEY, census_table, skinner_holmes_key
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import KeyTable
from indistinct.risk.constant import constant_risk
from indistinct.risk.formula import parse_model
from indistinct.risk.loglinear import fit
from indistinct.risk.poisson import (
    expected_inverse,
    log_moment,
    population_unique,
    probability_of_count,
    sigma2,
)
from indistinct.risk.skinner_holmes import known_population_risk, record_risk, score

LEVELS = {"age": 19, "sex": 2, "ethnic": 10, "marital": 5, "economic": 11, "geography": 4}
SIZES = tuple(LEVELS.values())
KEY_VALUES = 83_600

TABLE_1 = {0: 74_067, 1: 3_232, 2: 1_263, 3: 618, 4: 433, 5: 336}
TABLE_2 = {0: 79_603, 1: 1_585, 2: 531, 3: 339, 4: 220, 5: 156}
SAMPLE = 45_006

# bands of 0.1: sample uniques, printed percentage population unique, the counts they come from
TABLE_3_EQ_10 = (
    [416, 473, 232, 194, 119, 81, 49, 11, 9, 1],
    [6.7, 11.4, 14.2, 25.8, 41.2, 48.1, 61.2, 63.6, 100.0, 100.0],
    [28, 54, 33, 50, 49, 39, 30, 7, 9, 1],
)
TABLE_3_EQ_11 = (
    [893, 65, 76, 66, 62, 71, 95, 76, 89, 92],
    [9.2, 9.2, 10.5, 18.2, 21.0, 28.2, 32.6, 34.2, 50.6, 62.0],
    [82, 6, 8, 12, 13, 20, 31, 26, 45, 57],
)
TABLE_4 = (
    [945, 137, 86, 52, 61, 57, 52, 71, 46, 78],
    [3.2, 15.3, 29.1, 19.2, 31.1, 43.9, 55.8, 60.6, 63.0, 88.5],
    [30, 21, 25, 10, 19, 25, 29, 43, 29, 69],
)
TABLES = {"(10) main": TABLE_3_EQ_10, "(11) main": TABLE_3_EQ_11, "(11) two-way": TABLE_4}

# p, σ², μ̂, equation (10), equation (11): by adaptive quadrature outside this project
EQUATIONS_10_11 = [
    (0.1, 3.49, 0.0001, 0.976604648378, 0.999100404879),
    (0.1, 3.49, 0.001, 0.869743034208, 0.991040378773),
    (0.1, 3.49, 0.01, 0.600452503099, 0.913931185271),
    (0.1, 3.49, 0.05, 0.377122878072, 0.637628151622),
    (0.1, 3.49, 0.1, 0.293958986122, 0.406569659741),
    (0.1, 3.49, 0.5, 0.150417475383, 0.0111089965382),
    (0.1, 3.49, 1.0, 0.109173267879, 0.000123409804087),
    (0.1, 3.49, 5.0, 0.0491091222405, 2.86251858055e-20),
    (0.1, 0.5, 0.05, 0.548721682009, 0.637628151622),
    (0.02, 3.49, 0.05, 0.112066080411, 0.0862935864994),
    (0.5, 3.49, 0.05, 0.807954868458, 0.951229424501),
    (0.999, 3.49, 0.05, 0.999734829369, 0.999949951202),
    (0.1, 1e-06, 0.05, 0.637627943596, 0.637628151622),
]

# Populations of the shape of Tables 1-2 by another program: sample uniques, of them population
# unique, σ̂² of main effects and of all two-way, sums of (10), (11) and (11) two-way
OTHER_PROGRAM = [
    (1548, 365, 2.097, 0.977, 385.2, 425.5, 399.0),
    (1533, 328, 3.767, 0.283, 367.4, 397.3, 374.0),
    (1508, 360, 1.424, 0.574, 372.9, 403.1, 376.3),
]
# The same three populations: key values with 0 … 5 people and with 0 … 5 records, and by bands
# of (10), (11) and (11) two-way the sample uniques and those of them that are population unique
OTHER_PROGRAM_COUNTS = [
    ([74247, 3515, 1165, 626, 404, 312], [79798, 1548, 521, 280, 207, 152]),
    ([74370, 3510, 1159, 649, 391, 273], [79880, 1533, 506, 239, 173, 148]),
    ([74356, 3473, 1176, 612, 403, 319], [79883, 1508, 480, 274, 175, 152]),
]
OTHER_PROGRAM_BANDS = [
    [
        [603, 16],
        [248, 31],
        [225, 70],
        [145, 57],
        [56, 20],
        [93, 55],
        [74, 44],
        [47, 30],
        [32, 25],
        [25, 17],
    ],
    [
        [783, 36],
        [131, 27],
        [87, 20],
        [75, 34],
        [71, 28],
        [73, 29],
        [28, 7],
        [72, 36],
        [104, 63],
        [124, 85],
    ],
    [
        [817, 48],
        [119, 21],
        [99, 40],
        [55, 15],
        [72, 19],
        [68, 21],
        [69, 36],
        [72, 38],
        [75, 46],
        [102, 81],
    ],
    [
        [300, 0],
        [485, 29],
        [345, 83],
        [133, 57],
        [113, 49],
        [87, 60],
        [35, 24],
        [19, 13],
        [14, 11],
        [2, 2],
    ],
    [
        [798, 31],
        [129, 24],
        [84, 19],
        [93, 26],
        [66, 30],
        [57, 21],
        [37, 18],
        [59, 26],
        [113, 65],
        [97, 68],
    ],
    [
        [855, 41],
        [105, 20],
        [82, 21],
        [65, 18],
        [68, 29],
        [58, 25],
        [63, 27],
        [76, 36],
        [78, 45],
        [83, 66],
    ],
    [
        [667, 19],
        [191, 32],
        [207, 61],
        [99, 31],
        [63, 25],
        [60, 31],
        [77, 43],
        [53, 39],
        [47, 42],
        [44, 37],
    ],
    [
        [773, 32],
        [114, 27],
        [119, 31],
        [73, 24],
        [54, 19],
        [55, 19],
        [43, 19],
        [57, 29],
        [105, 65],
        [115, 95],
    ],
    [
        [829, 63],
        [96, 16],
        [87, 24],
        [65, 18],
        [74, 26],
        [72, 25],
        [59, 33],
        [56, 25],
        [74, 51],
        [96, 79],
    ],
]
# … and of populations of a pure two-way model: σ̂² of main effects and of all two-way
OTHER_PROGRAM_TWO_WAY = [(2.33, -1.552), (1.99, -1.302), (3.73, -1.862)]


def key_table(counts: np.ndarray) -> KeyTable:
    names = list(LEVELS)
    coding = KeyCoding(
        tuple(Coding(name, size, False) for name, size in zip(names, counts.shape, strict=False))
    )
    cells = np.nonzero(counts)
    return KeyTable(coding, np.stack(cells, axis=1), counts[cells].astype(np.int64))


def two_way_population(seed: int, people: int = 450_000) -> np.ndarray:
    """Draw from a log-linear model with all two-way interactions and nothing else."""
    rng = np.random.default_rng(seed)
    eta = np.zeros(SIZES)
    for i, size in enumerate(SIZES):
        eta += np.expand_dims(rng.normal(0, 1.2, size), tuple(a for a in range(6) if a != i))
        for j in range(i):
            effect = rng.normal(0, 0.35, (SIZES[j], size))
            eta += np.expand_dims(effect, tuple(a for a in range(6) if a not in (i, j)))
    means = np.exp(eta)
    return rng.poisson(means * (people / means.sum()))


@cache
def census() -> np.ndarray:
    key = skinner_holmes_key(census_table(450_000, seed=5, names=False))
    columns = [np.unique(key[name].to_numpy(), return_inverse=True)[1] for name in key.column_names]
    flat = np.ravel_multi_index(columns, SIZES)
    return np.bincount(flat, minlength=KEY_VALUES).reshape(SIZES)


# --- section 2: scores -------------------------------------------------------------------


def test_section_2_scores_with_the_upper_end_closed():
    assert score([0.51, 0.5, 0.11, 0.1, 0.09]).tolist() == [2, 1, 1, 0, 0]


# --- section 4: the key, its model, its counts ---------------------------------------------


def test_number_of_key_values():
    assert np.prod(SIZES) == KEY_VALUES
    assert len(SKINNER_HOLMES_KEY) == len(LEVELS) == 6
    assert sum(TABLE_1.values()) < KEY_VALUES
    assert sum(TABLE_2.values()) < KEY_VALUES


def test_parameters_and_margins():
    names = list(LEVELS)
    assert parse_model("main", names).parameters(SIZES) == 46
    assert parse_model("two-way", names).parameters(SIZES) == 793
    assert parse_model("two-way", names).margin_cells(SIZES) == 987


def test_tables_1_and_2_give_the_percentages_of_the_text():
    listed_1, listed_2 = sum(TABLE_1.values()), sum(TABLE_2.values())
    assert (KEY_VALUES - TABLE_1[0], KEY_VALUES - listed_1) == (9_533, 3_651)
    assert (KEY_VALUES - TABLE_2[0], KEY_VALUES - listed_2) == (3_997, 1_166)
    assert round(100 * TABLE_1[1] / 450_000, 2) == 0.72
    assert round(100 * TABLE_2[1] / SAMPLE, 2) == 3.52
    assert round(100 * 300 / TABLE_2[1], 1) == 18.9


@pytest.mark.parametrize("printed", TABLES.values(), ids=TABLES)
def test_tables_3_and_4_add_up_and_their_bands_are_ours(printed):
    """A record put at each band's upper end falls in that band, and the table comes back."""
    uniques, percentages, population = printed
    assert (sum(uniques), sum(population)) == (1_585, 300)
    assert_allclose(100 * np.array(population) / uniques, percentages, atol=0.0501)
    counts = np.ones(len(uniques), dtype=np.int64).repeat(uniques)
    risk = ((np.arange(10) + 1) / 10).repeat(uniques)
    truth = np.concatenate(
        [np.where(np.arange(n) < k, 1, 2) for n, k in zip(uniques, population, strict=True)]
    )
    table = KeyTable(
        KeyCoding((Coding("a", len(counts), False), Coding("b", 1, False))),
        np.stack([np.arange(len(counts)), np.zeros(len(counts), dtype=np.int64)], axis=1),
        counts,
    )
    placed = record_risk(table, fraction=0.1, model="main", distribution="poisson")
    bands = replace(placed, population_unique=risk).bands(truth)
    assert [band.sample_uniques for band in bands] == uniques
    assert [band.population_uniques for band in bands] == population


def test_top_records_of_tables_3_and_4():
    uniques, _, population = TABLE_3_EQ_10
    assert sum(uniques[6:]) == 70
    assert round(100 * sum(population[6:]) / 70) == 67
    assert round(100 * sum(uniques[:3]) / 1_585) == 71
    uniques, _, population = TABLE_4
    assert (population[9], uniques[9], round(100 * 69 / 78)) == (69, 78, 88)
    assert round(100 * 78 / SAMPLE, 1) == 0.2


def test_percentages_rise_over_bands_except_in_table_4():
    rising = [all(a <= b for a, b in pairwise(table[1])) for table in TABLES.values()]
    assert rising == [True, True, False]


def test_predicted_against_actual_by_midpoints():
    middle = np.arange(10) / 10 + 0.05
    predicted = [float(np.array(table[0]) @ middle) for table in TABLES.values()]
    assert_allclose(predicted, [364.5, 445.3, 366.6], atol=0.3)
    assert_allclose(np.array(predicted) / 300, [1.21, 1.48, 1.22], atol=0.006)


# --- section 3: the formulas ---------------------------------------------------------------


@pytest.mark.parametrize(("p", "spread", "mean", "eq_10", "eq_11"), EQUATIONS_10_11)
def test_equations_10_and_11_to_ten_digits(p, spread, mean, eq_10, eq_11):
    assert_allclose(population_unique(mean, p, spread), eq_10, rtol=0, atol=1e-10)
    assert_allclose(population_unique(mean, p), eq_11, rtol=1e-10)


@pytest.mark.parametrize("mean", [1e-4, 0.05, 2.0, 60.0])
@pytest.mark.parametrize("spread", [0.05, 3.49, 9.0])
def test_equation_10_equals_a_trapezoid_of_400001_points(mean, spread):
    p = 0.1
    eta = np.log(mean / p) - spread / 2
    y = np.linspace(eta - 45, eta + 45, 400_001)
    # exp(-λ - …) dλ and exp(-pλ - …) dλ with λ = e^y
    lambdas, bell = np.exp(np.minimum(y, 300)), -((y - eta) ** 2) / (2 * spread)
    scale = (y - p * lambdas + bell).max()
    top, bottom = (np.exp(y - q * lambdas + bell - scale).sum() for q in (1.0, p))
    assert_allclose(population_unique(mean, p, spread), top / bottom, rtol=0, atol=1e-9)


def test_limits_of_equation_10():
    means = np.geomspace(1e-4, 10, 30)
    assert population_unique(0.05, 0.999, 3.49) > 0.999
    assert_allclose(population_unique(means, 1.0, 3.49), 1.0)
    assert_allclose(population_unique(means, 0.1, 1e-10), population_unique(means, 0.1), atol=1e-7)
    assert (np.diff(population_unique(means, 0.1, 3.49)) < 0).all()
    fractions = np.linspace(0.01, 1, 30)
    assert (np.diff(population_unique(0.05, fractions, 3.49)) > 0).all()


def test_equations_1_and_2():
    j = np.arange(1, 401)
    chances = probability_of_count(j, 0.05, 0.1, 3.49)
    assert_allclose(chances.sum(), 1, atol=1e-6)
    assert_allclose(chances[0], 0.3771228781, atol=1e-10)
    assert_allclose((chances / j).sum(), 0.56970873, atol=1e-8)
    assert_allclose(expected_inverse(0.05, 0.1, 3.49), 0.56970873, atol=1e-8)
    assert expected_inverse(0.05, 0.1, 3.49) >= population_unique(0.05, 0.1, 3.49)


def test_equation_8_is_a_density_with_the_mean_that_equation_10_uses():
    assert_allclose(np.exp(log_moment(0, 0.0, -1.0, 3.49)), 1, rtol=1e-12)
    assert_allclose(log_moment(1, 0.0, -1.0, 3.49), -1.0 + 3.49 / 2, rtol=1e-12)


@pytest.mark.heavy
def test_equation_9_finds_the_variance_that_was_put_in():
    rng = np.random.default_rng(98)
    means = rng.uniform(0.05, 3.0, 1_000_000)
    factor = np.exp(rng.normal(-0.3, np.sqrt(0.6), len(means)))
    counts = rng.poisson(means * factor)
    some = counts > 0
    assert_allclose(sigma2(counts, means), 0.6, atol=0.03)
    assert_allclose(sigma2(counts, means), sigma2(counts[some], means[some]), rtol=1e-12)


def test_register_known():
    table = key_table(np.ones((2, 2), dtype=np.int64))
    known = known_population_risk(table, [1, 2, 4, 5])
    assert known.risk.tolist() == [1.0, 0.5, 0.25, 0.2]


# --- equations 3 to 5: the constant risk ----------------------------------------------------


def test_table_1_fitted_by_poisson_lognormal_with_point_mass_at_zero():
    frequencies = {j: TABLE_1[j] for j in range(1, 6)} | {6: 3_651}
    found = constant_risk(frequencies, fraction=0.1, counted_fraction=1.0, records=450_060)
    assert_allclose([found.location, found.spread], [-1.85, 9.29], atol=0.03)
    assert_allclose(found.possible, 27_500, rtol=0.01)
    fitted = [found.expected_values(j, in_population=True) for j in range(1, 6)]
    assert_allclose(fitted, [3064, 1339, 790, 536, 394], atol=1.5)
    assert_allclose(found.population_unique, 0.17, atol=0.005)
    assert_allclose(found.expected_values(1), 1807, atol=2)
    # the truth of the paper: .189 and 1,585
    assert abs(found.population_unique - 0.189) < 0.03


# --- the conduct of the method ---------------------------------------------------------------


def test_other_program_and_this_one_agree_on_what_the_models_do():
    for uniques, true, main, two_way, eq_10, eq_11, eq_11_two_way in OTHER_PROGRAM:
        assert main > two_way
        assert abs(eq_10 / true - 1) < abs(eq_11 / true - 1)
        assert eq_11_two_way < eq_11
        assert abs(uniques / TABLE_2[1] - 1) < 0.15
        assert abs(true / uniques - 0.189) < 0.05
    for main, two_way in OTHER_PROGRAM_TWO_WAY:
        assert main > 1 > 0 > two_way


def test_bands_of_the_other_program_hold_its_sample_uniques_and_its_shape():
    for i, bands in enumerate(OTHER_PROGRAM_BANDS):
        uniques, true, *_ = OTHER_PROGRAM[i // 3]
        assert np.sum(bands, axis=0).tolist() == [uniques, true]
    for (people, records), (uniques, *_) in zip(OTHER_PROGRAM_COUNTS, OTHER_PROGRAM, strict=True):
        assert_allclose(people[0], TABLE_1[0], rtol=0.03)
        assert_allclose(people[1], TABLE_1[1], rtol=0.15)
        assert records[1] == uniques


def test_negative_variance_under_the_true_two_way_model_and_positive_under_main_effects():
    found = []
    for seed in (1, 2, 3):
        sample = np.random.default_rng(seed).binomial(two_way_population(seed), 0.1)
        table = key_table(sample)
        by_model = [record_risk(table, fraction=0.1, model=m) for m in ("main", "two-way")]
        found.append([risk.sigma2 for risk in by_model])
        if by_model[1].sigma2 <= 0:
            assert by_model[1].distribution == "poisson"
            assert any("equation (11)" in note for note in by_model[1].notes)
    main, two_way = np.array(found).T
    assert (main > 1).all()
    assert (two_way < 0.6).all()
    assert two_way.mean() < 0


@pytest.mark.heavy
def test_census_has_the_shape_of_tables_1_and_2():
    population = census()
    sample = np.random.default_rng(1).binomial(population, 0.1)
    assert_allclose((population == 0).sum(), TABLE_1[0], rtol=0.03)
    assert_allclose((population == 1).sum(), TABLE_1[1], rtol=0.15)
    assert_allclose((sample == 1).sum(), TABLE_2[1], rtol=0.15)
    assert abs((population[sample == 1] == 1).mean() - 0.189) < 0.05


@pytest.mark.heavy
def test_census_gives_tables_3_and_4_of_the_same_kind():
    """Main effects: (10) overstates less than (11); two-way: σ̂² negative, well calibrated."""
    population = census()
    ratios = []
    high, low = np.zeros(2), np.zeros(2)
    for seed in range(6):
        table = key_table(np.random.default_rng(seed).binomial(population, 0.1))
        truth = population[tuple(table.codes.T)]
        true = int((truth[table.counts == 1] == 1).sum())
        main = fit(table, parse_model("main", table.names))
        eq_10 = record_risk(table, fraction=0.1, fit=main)
        eq_11 = record_risk(table, fraction=0.1, fit=main, distribution="poisson")
        two_way = record_risk(table, fraction=0.1, model="two-way")
        assert eq_10.distribution == "lognormal"
        assert two_way.distribution == "poisson"
        estimates = [r.expected_population_uniques for r in (eq_10, eq_11, two_way)]
        ratios.append(np.array(estimates) / true)
        assert abs(ratios[-1][0] - 1) < abs(ratios[-1][1] - 1)
        bands = two_way.bands(truth)
        high += [bands[9].population_uniques, bands[9].sample_uniques]
        low += [bands[0].population_uniques, bands[0].sample_uniques]
    mean = np.mean(ratios, axis=0)
    assert mean[1] > mean[0] > 1.1
    assert abs(mean[2] - 1) < 0.1
    assert high[0] / high[1] >= 0.8
    assert low[0] / low[1] <= 0.06
