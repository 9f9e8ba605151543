"""Poisson, Poisson-lognormal and Poisson-gamma risks against simulation and exact sums."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import nbinom

from indistinct.core.errors import InputError
from indistinct.risk import constant_risk
from indistinct.risk.poisson import (
    expected_inverse,
    gamma_dispersion,
    population_unique,
    probability_of_count,
    sigma2,
)

relaxed = settings(deadline=None, max_examples=150)
means = st.floats(-12, 9).map(lambda e: 10.0**e)
fractions = st.floats(-6, 0).map(lambda e: 10.0**e)
spreads = st.one_of(st.just(0.0), st.floats(-16, 1.6).map(lambda e: 10.0**e))
small = st.integers(1, 2_000_000)


def exact_inverse(a: float, f: int) -> float:
    """Sum the series of positive terms e^-a a^k / [k! (f+k)] with sixty digits."""
    with localcontext() as context:
        context.prec = 60
        rate = Decimal(a)
        term, total = Decimal(1), Decimal(0)
        for k in range(int(a + 60 * (a + 1) ** 0.5 + 80)):
            total += term / (f + k)
            term *= rate / (k + 1)
        return float(total * (-rate).exp())


@pytest.mark.parametrize("f", [1, 2, 3, 7, 19, 20, 21, 60, 400])
@pytest.mark.parametrize("a", [1e-9, 0.01, 0.7, 1.9, 2.0, 6.0, 19.9, 20.1, 55.0, 700.0])
def test_plain_poisson_inverse_equals_its_series_in_sixty_digits(a, f):
    assert_allclose(expected_inverse(a, 0.5, f=f), exact_inverse(a, f), rtol=1e-12)


def test_closed_form_of_one_record():
    a = 0.9 * np.array([0.3, 2.0, 40.0]) / 0.1
    assert_allclose(expected_inverse([0.3, 2.0, 40.0], 0.1), (1 - np.exp(-a)) / a, rtol=1e-12)


@relaxed
@given(means, fractions, spreads, small)
def test_lognormal_risks_are_finite_and_within_their_bounds(mean, p, spread, f):
    inverse = float(expected_inverse(mean, p, spread, f=f))
    unique = float(population_unique(mean, p, spread))
    assert 0 <= inverse <= (1 + 1e-9) / f
    assert 0 <= unique <= 1 + 1e-12
    assert unique <= float(expected_inverse(mean, p, spread)) + 1e-12
    assert 0 <= float(probability_of_count(f + 2, mean, p, spread, f=f)) <= 1 + 1e-9


@relaxed
@given(means, fractions, st.floats(-8, 8).map(lambda e: 10.0**e), small)
def test_gamma_risks_are_finite_and_within_their_bounds(mean, p, spread, f):
    inverse = float(expected_inverse(mean, p, f=f, dispersion=spread))
    assert 0 <= inverse <= (1 + 1e-9) / f
    assert 0 <= float(population_unique(mean, p, dispersion=spread)) <= 1 + 1e-12


@pytest.mark.parametrize("f", [1, 2, 5])
@pytest.mark.parametrize("options", [{}, {"sigma2": 1.2}, {"dispersion": 1.7}])
def test_chances_sum_to_one_and_give_the_expected_inverse(f, options):
    j = np.arange(f, 5000)
    chances = probability_of_count(j, 0.4, 0.2, f=f, **options)
    assert_allclose(chances.sum(), 1, rtol=1e-9)
    assert_allclose((chances / j).sum(), expected_inverse(0.4, 0.2, f=f, **options), rtol=1e-9)
    assert_allclose(probability_of_count(f - 1, 0.4, 0.2, f=f, **options), 0)


@pytest.mark.heavy
@pytest.mark.parametrize("f", [1, 3])
def test_lognormal_chances_equal_a_simulation(f):
    """Draw λ, F and f; keep the draws with that f; count."""
    rng = np.random.default_rng(11)
    mean, p, spread = 0.8, 0.25, 1.5
    rates = mean / p * np.exp(rng.normal(-spread / 2, spread**0.5, 4_000_000))
    population = rng.poisson(rates)
    kept = population[rng.binomial(population, p) == f]
    error = 4 / len(kept) ** 0.5
    for j in (f, f + 1, f + 4):
        chance = probability_of_count(j, mean, p, spread, f=f)
        assert_allclose(chance, (kept == j).mean(), atol=error)
    assert_allclose(expected_inverse(mean, p, spread, f=f), (1 / kept).mean(), atol=error)


@pytest.mark.parametrize("f", [1, 2, 30])
def test_gamma_chances_equal_the_negative_binomial(f):
    mean, p, c = 0.7, 0.15, 2.5
    shape, rate = 1 / c, p / (c * mean)
    j = np.arange(f, f + 30)
    expected = nbinom.pmf(j - f, shape + f, (rate + p) / (rate + 1))
    assert_allclose(
        probability_of_count(j, mean, p, f=f, dispersion=c), expected, rtol=1e-9, atol=1e-14
    )


@pytest.mark.parametrize("name", ["sigma2", "dispersion"])
def test_little_spread_approaches_plain_poisson(name):
    grid = np.geomspace(1e-6, 30, 40)
    for measure in (population_unique, expected_inverse):
        assert_allclose(measure(grid, 0.1, **{name: 1e-9}), measure(grid, 0.1), atol=1e-6)
        assert_allclose(measure(grid, 0.1, **{name: 1e-15}), measure(grid, 0.1), atol=1e-12)


def test_everybody_sampled_means_nobody_else():
    grid = np.geomspace(1e-6, 1e6, 13)
    for options in ({}, {"sigma2": 3.0}, {"dispersion": 3.0}):
        assert_allclose(population_unique(grid, 1.0, **options), 1.0)
        assert_allclose(expected_inverse(grid, 1.0, f=4, **options), 0.25)


def test_many_rows_equal_one_at_a_time():
    rng = np.random.default_rng(12)
    grid = 10.0 ** rng.uniform(-12, 9, 300)
    p = 10.0 ** rng.uniform(-6, 0, 300)
    f = rng.integers(1, 50, 300)
    together = expected_inverse(grid, p, 3.0, f=f)
    single = [
        float(expected_inverse(*one[:2], 3.0, f=one[2])) for one in zip(grid, p, f, strict=True)
    ]
    assert_allclose(together, single, rtol=1e-10)


def test_sigma2_by_hand_and_without_pairs():
    counts, fitted = np.array([1, 2, 3]), np.array([0.5, 1.0, 2.0])
    by_hand = np.log((2 / 1.0 + 6 / 4.0) / (1 / 0.5 + 2 / 1.0 + 3 / 2.0))
    assert_allclose(sigma2(counts, fitted), by_hand)
    assert sigma2([1, 1], [0.1, 0.2]) == -np.inf
    assert np.isfinite(sigma2([2, 1], [1e-200, 1e5]))


def test_gamma_dispersion_finds_what_was_put_in():
    rng = np.random.default_rng(13)
    fitted = rng.uniform(0.02, 3.0, 1_000_000)
    counts = rng.poisson(fitted * rng.gamma(0.5, 2.0, len(fitted)))
    assert_allclose(gamma_dispersion(counts, fitted), 2.0, atol=0.05)


@pytest.mark.parametrize("distribution", ["lognormal", "gamma"])
def test_constant_risk_finds_a_simulated_population(distribution):
    """Equation (4) and the marginal probability against a simulation with impossible key values."""
    rng = np.random.default_rng(14)
    possible, p = 400_000, 0.2
    if distribution == "lognormal":
        rates = np.exp(rng.normal(-0.5, 1.3, possible))
    else:
        rates = rng.gamma(0.5, 3.0, possible)
    population = rng.poisson(rates)
    sample = rng.binomial(population, p)
    sizes, numbers = np.unique(sample[sample > 0], return_counts=True)
    found = constant_risk(
        dict(zip(sizes.tolist(), numbers.tolist(), strict=True)),
        fraction=p,
        distribution=distribution,
        last=12,
    )
    assert_allclose(found.population_unique, (population[sample == 1] == 1).mean(), rtol=0.05)
    assert_allclose(found.marginal, (population == 1).sum() / population.sum(), rtol=0.08)
    assert_allclose(found.possible, possible, rtol=0.15)
    assert_allclose(found.expected_values(1), (sample == 1).sum(), rtol=0.02)
    assert found.point_mass(800_000) == pytest.approx(0.5, abs=0.08)


def test_constant_risk_needs_uniques_and_others():
    with pytest.raises(InputError, match="key values with one record and others"):
        constant_risk({1: 5}, fraction=0.1)
    with pytest.raises(InputError, match="fraction must be a number above 0"):
        constant_risk({1: 5, 2: 2}, fraction=1.5)
