"""The risk that all sample uniques have in common, without a model of the key variables.

Equations (3)-(5) of Skinner and Holmes (1998): the means λ of all possible key values come from one
distribution, lognormal or gamma, and the impossible ones are a point mass at zero. All that is used
is how many key values have one record, two records, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, lgamma, log, log1p
from typing import Literal

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from indistinct.core import Fraction, InputError
from indistinct.results import Fact, Result, facts, result
from indistinct.risk.poisson import log_moment

__all__ = ["ConstantRisk", "constant_risk"]

ASSUMPTIONS = (
    "All key values are alike: each possible one has a mean drawn from the same distribution.",
    "Each person was sampled with the same probability.",
    "The key has no measurement error.",
)


@result(eq=True)
class ConstantRisk(Result):
    """One distribution for the means of all possible key values, and the risk that follows.

    Parameters
    ----------
    distribution
        ``lognormal`` or ``gamma``.
    location, spread
        Of the population means λ: mean and variance of log λ for the lognormal; logarithm of the
        mean, and the squared coefficient of variation, for the gamma.
    possible
        The number of key values that are possible, those with λ above zero.
    fraction
        The sampling fraction p.
    """

    distribution: Literal["lognormal", "gamma"]
    location: float
    spread: float
    possible: float
    fraction: float
    assumptions: tuple[str, ...] = ASSUMPTIONS

    FACTS = facts(
        Fact("distribution", shown="distribution"),
        Fact("location", shown="location", form=".2f"),
        Fact("spread", shown="spread", form=".2f"),
        Fact("possible", shown="possible key values", form=",.0f"),
        Fact("fraction", shown="fraction"),
        Fact("population_unique", shown="probability of being unique in the population"),
        Fact("marginal", shown="probability for anybody"),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say the probability that holds for every sample unique."""
        return (
            f"Constant risk of a sample unique: {self.population_unique:.3f} "
            f"(fraction {self.fraction:g})"
        )

    def expected_values(self, j: int, *, in_population: bool = False) -> float:
        """Return how many key values are expected to have j records (or people), j at least 1."""
        rate = 1.0 if in_population else self.fraction
        return self.possible * _probability(j, rate, self.distribution, self.location, self.spread)

    @property
    def population_unique(self) -> float:
        """Pr(F = 1 | f = 1), equation (4): of a sample unique."""
        one = _log_moment(1, 1.0, self.distribution, self.location, self.spread)
        return exp(
            one - _log_moment(1, self.fraction, self.distribution, self.location, self.spread)
        )

    @property
    def marginal(self) -> float:
        """Pr(F = 1) of anybody in the population, P_1 / sum of j P_j."""
        one = _log_moment(1, 1.0, self.distribution, self.location, self.spread)
        return exp(one - _log_moment(1, 0.0, self.distribution, self.location, self.spread))

    def point_mass(self, key_values: int) -> float:
        """Return the share of impossible ones among all key values of the cross-product."""
        return max(0.0, 1 - self.possible / key_values)


def constant_risk(
    frequencies: Mapping[int, int],
    *,
    fraction: Fraction,
    records: int | None = None,
    counted_fraction: Fraction | None = None,
    distribution: Literal["lognormal", "gamma"] = "lognormal",
    last: int = 5,
) -> ConstantRisk:
    """Fit one distribution to frequencies of frequencies; return the constant risk, equation (4).

    By maximum likelihood of the numbers of key values with 1, 2, … `last` and with more records,
    given that they have any (the point mass at zero drops out), subject to the number of records:
    without that constraint location, spread and point mass are barely identified.

    Parameters
    ----------
    frequencies
        How many key values have one record, two records, …
        (`KeyTable.frequencies_of_frequencies`).
    fraction
        The sampling fraction of the sample whose uniques are spoken of.
    records
        The number of records, where `frequencies` does not list all of them: it may have the key
        values with more than `last` records under ``last + 1``.
    counted_fraction
        The fraction at which the frequencies were counted, 1 for those of a population; by default
        the sample's own.

    >>> population = {1: 3232, 2: 1263, 3: 618, 4: 433, 5: 336, 6: 3651}  # their Table 1
    >>> found = constant_risk(population, fraction=0.1, counted_fraction=1, records=450_060)
    >>> print(found.sentence())
    Constant risk of a sample unique: 0.170 (fraction 0.1)
    >>> print(f"{found.location:.1f} {found.spread:.1f} {found.possible:,.0f}")
    -1.9 9.3 27,5...
    """
    rate = fraction if counted_fraction is None else counted_fraction
    seen = np.array([frequencies.get(j, 0) for j in range(1, last + 1)], dtype=np.float64)
    more = float(sum(number for j, number in frequencies.items() if j > last))
    values = float(seen.sum() + more)
    n = records if records is not None else sum(j * number for j, number in frequencies.items())
    if values < 1 or n <= values or seen[0] == 0:
        raise InputError(
            "The constant risk needs key values with one record and others with more. "
            f"Got {int(values):,} key values of {n:,} records, {int(seen[0]):,} of one record."
        )

    def location(spread: float) -> float:
        """Solve E(f | f ≥ 1) = records per occurring key value, at the rate counted."""

        def excess(at: float) -> float:
            some = _some(rate, distribution, at, spread)
            return _log_mean(distribution, at, spread) + log(rate) - log(some) - log(n / values)

        top = log(n / values / rate)
        return float(brentq(excess, top - 200.0 - 4 * spread, top + 1.0, xtol=1e-12))

    def loss(log_spread: float) -> float:
        spread = exp(log_spread)
        at = location(spread)
        chances = np.array(
            [_probability(j, rate, distribution, at, spread) for j in range(1, last + 1)]
        ) / _some(rate, distribution, at, spread)
        rest = max(1.0 - float(chances.sum()), 1e-300)
        return -float((seen * np.log(np.maximum(chances, 1e-300))).sum() + more * log(rest))

    bounds = (log(1e-3), log(60.0) if distribution == "lognormal" else log(1e5))
    best = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    spread = exp(float(best.x))
    at = location(spread)
    possible = values / _some(rate, distribution, at, spread)
    return ConstantRisk(distribution, at, spread, possible, fraction)


def _log_moment(s: int, q: float, distribution: str, location: float, spread: float) -> float:
    """log ∫ λ^s e^(-qλ) g(λ) dλ, for the gamma with shape α = 1/spread in closed form."""
    if distribution == "lognormal":
        return log_moment(s, q, location, spread)
    alpha = 1 / spread
    beta = alpha * exp(-location)
    return lgamma(alpha + s) - lgamma(alpha) - s * log(beta) - (alpha + s) * log1p(q / beta)


def _log_mean(distribution: str, location: float, spread: float) -> float:
    return location + spread / 2 if distribution == "lognormal" else location


def _probability(j: int, rate: float, distribution: str, location: float, spread: float) -> float:
    """Pr(f = j) for f ~ Poisson(rate λ)."""
    moment = _log_moment(j, rate, distribution, location, spread)
    return exp(moment + j * log(rate) - lgamma(j + 1))


def _some(rate: float, distribution: str, location: float, spread: float) -> float:
    """Pr(f ≥ 1), kept from cancelling where nearly all key values are empty."""
    none = _log_moment(0, rate, distribution, location, spread)
    if none < -1e-6:
        return -float(np.expm1(none))
    return rate * exp(_log_mean(distribution, location, spread))
