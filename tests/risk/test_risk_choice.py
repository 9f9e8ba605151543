"""The search for a model, its criteria and its shrinkage."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from scipy import stats

import indistinct
from indistinct.census import MCCAA_KEY, SKINNER_HOLMES_KEY, census_table
from indistinct.core.errors import InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import KeyTable
from indistinct.risk.choice import choose_model, criteria
from indistinct.risk.shrinkage import ShrunkenModel, dispersion_shape, full_support
from indistinct.risk.validating import draw_sample


def table_of(cells: np.ndarray) -> KeyTable:
    codes = np.argwhere(cells > 0)
    coding = KeyCoding(tuple(Coding(f"v{j}", size, False) for j, size in enumerate(cells.shape)))
    return KeyTable(coding, codes, cells[cells > 0])


def population(rng: np.random.Generator, shape=(12, 8, 6, 10), people=60_000, pairs=()):
    """A population with main effects, and with the interactions named."""
    means = np.ones(shape)
    for axis, size in enumerate(shape):
        shares = rng.gamma(0.7, size=size) + 0.01
        means *= shares.reshape([-1 if a == axis else 1 for a in range(len(shape))])
    for i, j in pairs:
        factor = rng.gamma(0.6, 1 / 0.6, size=(shape[i], shape[j]))
        means *= factor.reshape([s if a in (i, j) else 1 for a, s in enumerate(shape)])
    return table_of(rng.poisson(people * means / means.sum()))


@pytest.fixture(scope="module")
def census() -> KeyTable:
    with indistinct.open_data(census_table(100_000, seed=4, names=False)) as data:
        return data.key_table(SKINNER_HOLMES_KEY)


def test_first_criterion_equals_the_published_formula():
    rng = np.random.default_rng(1)
    p, f = 0.1, rng.poisson(0.4, 500).astype(float)
    mean = rng.gamma(1.0, 0.4, 500)
    lam, off = mean / p, f - mean
    scale = lam * np.exp(-lam) * (1 - p)
    bias = (scale * (off + (1 - p) * (off**2 - f) / (2 * p))).sum()
    variance = (scale**2 * (p * lam + (1 - p) ** 2 * lam**2 / 2)).sum()
    found = criteria(f, mean, np.ones(500), p)
    assert found.bias1 == pytest.approx(bias, rel=1e-10)
    assert found.error1 == pytest.approx(np.sqrt(variance), rel=1e-10)


def test_second_criterion_equals_numeric_derivatives():
    p, f, mean = 0.2, 2.0, 0.3
    lam, step = mean / p, 1e-3

    def h(x):
        a = (1 - p) * x
        return (1 - np.exp(-a)) / a

    slope = (h(lam + step) - h(lam - step)) / (2 * step)
    bend = (h(lam + step) - 2 * h(lam) + h(lam - step)) / step**2
    off = (f - mean) / p
    square = ((f - mean) ** 2 - f) / p**2
    bias = mean * np.exp(-mean) * (-slope * off + 0.5 * bend * square)
    found = criteria(np.array([f]), np.array([mean]), np.ones(1), p)
    assert found.bias2 == pytest.approx(bias, rel=1e-5)


def test_criteria_of_a_true_model_are_standard_normal():
    rng = np.random.default_rng(2)
    mean = rng.gamma(0.5, 0.5, 5000)
    z = [
        (c.z1, c.z2)
        for c in (
            criteria(rng.poisson(mean).astype(float), mean, np.ones(5000), 0.2) for _ in range(400)
        )
    ]
    assert np.abs(np.mean(z, axis=0)).max() < 0.2
    assert np.std(z, axis=0) == pytest.approx([1, 1], abs=0.12)


def test_criteria_are_positive_under_and_negative_over(census):
    sample, _ = draw_sample(census, fraction=0.1, rng=np.random.default_rng(1))
    support = full_support(sample, draws=1000, seed=1)
    main = ShrunkenModel(sample, support)
    under = criteria(support.counts, main.means, support.weights, 0.1)
    saturated = ShrunkenModel(sample, support, shrink=False)
    saturated.add([(0, 2, 4), (0, 3, 4), (1, 2, 4), (2, 3, 5), (0, 4, 5), (0, 2, 3)])
    over = criteria(support.counts, saturated.means, support.weights, 0.1)
    assert min(under.z1, under.z2) > 10
    assert max(over.z1, over.z2) < -1.96


def test_shape_of_plain_poisson_counts_is_infinite():
    rng = np.random.default_rng(3)
    expected = rng.gamma(1.0, 5.0, 400)
    found = [dispersion_shape(rng.poisson(expected).astype(float), expected) for _ in range(40)]
    assert sum(np.isinf(shape) for shape, _ in found) >= 36


def test_gain_of_dispersion_equals_the_difference_of_log_likelihoods():
    counts, expected = np.array([0.0, 9.0, 1.0, 14.0, 2.0]), np.array([3.0, 4.0, 5.0, 6.0, 2.0])
    shape, gain = dispersion_shape(counts, expected)
    negative = stats.nbinom.logpmf(counts, shape, shape / (shape + expected)).sum()
    assert gain == pytest.approx(negative - stats.poisson.logpmf(counts, expected).sum())


@pytest.mark.heavy
def test_risks_equal_integrals_over_the_uncertain_mean(census):
    sample, _ = draw_sample(census, fraction=0.02, rng=np.random.default_rng(1))
    fitted = ShrunkenModel(sample, full_support(sample, draws=1000, seed=1))
    fitted.add([(0, 3), (0, 4), (2, 5)])
    unique, match = fitted.risks(0.02)
    at = np.flatnonzero(sample.counts == 1)[:5]
    a, s = 49 * fitted.means[at], fitted.uncertainty()[at]
    for j in range(5):
        density = stats.gamma(1 / s[j], scale=a[j] * s[j])
        grid = density.ppf(np.linspace(0, 1, 200_001)[1:-1])
        assert unique[at[j]] == pytest.approx(np.exp(-grid).mean(), rel=2e-3)
        assert match[at[j]] == pytest.approx(((1 - np.exp(-grid)) / grid).mean(), rel=2e-3)


def test_main_effects_alone_are_found_where_there_is_nothing_else():
    rng = np.random.default_rng(5)
    sample, _ = draw_sample(population(rng), fraction=0.1, rng=rng)
    path = choose_model(sample, fraction=0.1)
    assert len(path.path) <= 2


def test_interactions_that_exist_are_found():
    rng = np.random.default_rng(6)
    sample, _ = draw_sample(population(rng, pairs=[(0, 1), (2, 3)]), fraction=0.2, rng=rng)
    path = choose_model(sample, fraction=0.2)
    assert {(0, 1), (2, 3)} <= set(path.model.margins)
    assert abs(path.step.criteria.z1) < 3
    assert path.path[0].criteria.z1 > path.step.criteria.z1


@pytest.mark.heavy
@pytest.mark.parametrize("shrink", [True, False])
def test_the_answer_is_near_the_truth_where_main_effects_are_far(census, shrink):
    rng = np.random.default_rng(7)
    said, plain, true = 0.0, 0.0, 0
    for _ in range(5):
        sample, known = draw_sample(census, fraction=0.1, rng=rng)
        path = choose_model(sample, fraction=0.1, shrink=shrink)
        said += path.expected_population_uniques
        plain += path.path[0].expected_population_uniques
        true += int((known[sample.counts == 1] == 1).sum())
    assert plain / true > 1.2
    assert said / true == pytest.approx(1, abs=0.1)


def test_twelve_keys_are_searched_on_drawn_cells():
    with indistinct.open_data(census_table(2_000, seed=1, names=False)) as data:
        table = data.key_table(MCCAA_KEY)
    path = choose_model(table, fraction=0.1, draws=10_000)
    assert path.fit.how == "drawn"
    assert 0 < path.expected_population_uniques < (table.counts == 1).sum()


def test_the_path_shows_itself(census):
    sample, _ = draw_sample(census, fraction=0.1, rng=np.random.default_rng(1))
    path = choose_model(sample, fraction=0.1)
    assert "main effects" in repr(path)
    assert ElementTree.fromstring(path.plot()).tag.endswith("svg")
    facts = path.to_dict()
    assert facts["path"][path.chosen]["model"] == facts["model"]
    low, high = facts["expected_population_uniques_interval"]
    assert low < path.expected_population_uniques < high
    assert len(path.to_frame()) == len(path.path)
    assert path.risk.population_unique.shape == sample.counts.shape


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"fraction": 0}, "above 0 and at most 1. Got 0"),
        ({"fraction": 1}, "between 0 and 1. Got 1"),
        ({"fraction": 0.1, "max_order": 4}, "2 or 3. Got 4"),
    ],
)
def test_bad_options_are_refused(census, options, word):
    with pytest.raises(InputError, match=word):
        choose_model(census, **options)


def test_one_variable_is_no_model(census):
    alone, _ = census.rollup(["sex"])
    with pytest.raises(InputError, match="at least two key variables"):
        choose_model(alone, fraction=0.1)


def test_a_model_that_does_not_hold_is_said_not_to():
    rng = np.random.default_rng(8)
    # a population of copies: every occupied cell holds forty people
    copies = np.where(rng.random((15, 10, 10, 8)) < 0.05, 40, 0)
    sample, _ = draw_sample(table_of(copies), fraction=0.1, rng=rng)
    path = choose_model(sample, fraction=0.1)
    assert path.step.criteria.z1 > 3.5
    assert any("fits too little" in note for note in path.risk.notes)
    assert "overstated" in repr(path)
