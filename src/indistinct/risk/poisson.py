"""How many people in the population share a key that is rare in the sample.

The population count is F ~ Poisson(λ), the sample count f ~ Poisson(pλ), and F - f, the people who
share the key and were not sampled, is Poisson((1-p)λ), independent of f given λ (Skinner and Holmes
1998, section 3). The mean of λ is μ/p, where μ is the fitted mean of the *sample* count. About that
mean λ is certain (plain Poisson), lognormal, or gamma:

- everything is first written for a known λ, as a function of a = (1-p)λ;
- the mixtures are means of that function over λ given f. On the scale of log λ that density is
  exp[-A(e^δ - 1 - δ) - δ²/2σ²] about its mode, whose place and curvature are in closed form (by
  the Wright omega function). It is analytic and falls off on both sides, so the trapezoidal rule
  converges exponentially; the step taken gives 1e-12.

All functions take arrays, and are finite for means from 1e-12 to 1e9 and fractions from 1e-6 to 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import vectorize
from numpy.typing import ArrayLike
from scipy import special

from indistinct.core import Floats, Ints

__all__ = [
    "expected_inverse",
    "gamma_dispersion",
    "log_moment",
    "population_unique",
    "probability_of_count",
    "sigma2",
]


NEGLIGIBLE = 37.0
"""Where the density has fallen by this exponent, the integral ends."""

AT_ONCE = 1 << 16
"""Points of integration held at a time: what fits a processor's cache."""

NO_SPREAD = 1e-14
"""A σ² below this changes nothing."""

TINY, HUGE = 1e-300, 1e300


def sigma2(counts: ArrayLike, means: ArrayLike) -> float:
    """Return the variance of log λ, equation (9); negative where there is no overdispersion.

    σ̂² = log{[Σ (f² - f)/μ̂²] / [Σ f/μ̂]}. The sums may run over observed cells only, both terms
    vanish at f = 0. Minus infinity where no class has two records. The estimate rests on the few
    cells with the smallest means and varies much between samples.

    >>> round(sigma2([1, 2, 3], [0.5, 1.0, 2.0]), 6)  # log(3.5/5.5)
    -0.451985
    """
    f, mean = _floats(counts), np.clip(_floats(means), TINY, HUGE)
    pairs = special.logsumexp(-2 * np.log(mean), b=f * f - f)
    return float(pairs - special.logsumexp(-np.log(mean), b=f))


def gamma_dispersion(counts: ArrayLike, means: ArrayLike) -> float:
    """Return the squared coefficient of variation of λ; negative where there is no overdispersion.

    For λ of mean μ/p and squared coefficient of variation c, E(f² - f) = μ²(1 + c), whether or not
    it is taken over cells with f ≥ 1 only, relative to E(f) = μ. Hence 1 + ĉ = [Σ (f² - f)/μ̂] /
    [Σ f]: the weights 1/μ̂ rather than the 1/μ̂² of equation (9), as they are for a gamma λ (the
    prior of Bethlehem, Keller and Pannekoek 1990), whose shape is 1/c.

    >>> gamma_dispersion([1, 2, 3], [0.5, 1.0, 2.0])
    -0.16666666666666663
    """
    f, mean = _floats(counts), np.clip(_floats(means), TINY, HUGE)
    return float(((f * f - f) / mean).sum() / f.sum() - 1)


def population_unique(
    means: ArrayLike, fraction: ArrayLike, sigma2: float = 0.0, *, dispersion: float = 0.0
) -> Floats:
    """Return Pr(F = 1 | f = 1), the risk that a sample unique is unique in the population.

    Equation (10), the mean of exp[-(1-p)λ] over λ given f = 1, for lognormal λ; equation (11),
    exp[-(1-p)μ̂/p], without spread; [(β+p)/(β+1)]^(1/c+1), β = p/(cμ̂), for gamma λ.

    Parameters
    ----------
    means
        Fitted means of the sample counts.
    fraction
        The sampling fraction p, one for all or one for each.
    sigma2
        Variance of log λ, for the lognormal.
    dispersion
        Squared coefficient of variation c of λ, for the gamma.

    >>> population_unique([0.05, 0.5], 0.1, 3.49).round(9)
    array([0.37712288, 0.15041747])
    >>> population_unique([0.05, 0.5], 0.1).round(9)
    array([0.63762815, 0.011109  ])
    """
    return _average(lambda a, _: np.exp(-a), 0.0, means, fraction, 1, sigma2, dispersion)


def probability_of_count(
    j: ArrayLike,
    means: ArrayLike,
    fraction: ArrayLike,
    sigma2: float = 0.0,
    *,
    f: ArrayLike = 1,
    dispersion: float = 0.0,
) -> Floats:
    """Return Pr(F = j | f) for any j; zero where j is less than f.

    >>> probability_of_count([1, 2, 3], 0.05, 0.1, 3.49).round(4)
    array([0.3771, 0.2053, 0.1214])
    """
    others = _floats(j) - _floats(f)

    def chance(a: Floats, k: Floats) -> Floats:
        logarithm: Floats = special.xlogy(k, a) - a - special.gammaln(k + 1)
        return np.exp(logarithm)

    number = np.maximum(others, 0)
    found = _average(chance, number, means, fraction, f, sigma2, dispersion, sharpness=number)
    return np.where(others >= 0, found, 0.0)


def expected_inverse(
    means: ArrayLike,
    fraction: ArrayLike,
    sigma2: float = 0.0,
    *,
    f: ArrayLike = 1,
    dispersion: float = 0.0,
) -> Floats:
    """Return E(1/F | f), equation (1): the chance that a match with the record is correct.

    For known λ it is the integral of t^(f-1) exp[-a(1-t)] over t from 0 to 1, a = (1-p)λ, which
    is (1 - e^-a)/a for f = 1.

    >>> expected_inverse([0.05], 0.1, 3.49).round(8)
    array([0.56970873])
    >>> expected_inverse([0.05, 0.05], 0.1, f=[1, 2]).round(6)
    array([0.805271, 0.432732])
    """
    return _average(_inverse, f, means, fraction, f, sigma2, dispersion)


def log_moment(power: float, rate: float, location: float, sigma2: float) -> float:
    """Return log ∫ λ^s e^(-qλ) g(λ) dλ for lognormal λ, log λ ~ N(location, sigma2).

    With s = j and q = 1 it is log(j! P_j), P_j the Poisson-lognormal probability of j.

    >>> float(np.exp(log_moment(1, 0.0, 0.0, 1.0)))  # the mean of a lognormal
    1.6487212707001...
    """
    peak, mode = _mode(np.array(location), np.array(power), rate, sigma2)
    left, right, number = _reach(peak[None], np.zeros(1), sigma2)
    _, weight = _points(peak[None], left, right, int(number[0]), sigma2)
    integral = float(weight.sum() * (left + right)[0] / (number[0] - 1))
    at_mode = power * mode - peak - sigma2 * (power - peak) ** 2 / 2
    return float(at_mode + np.log(integral / np.sqrt(2 * np.pi * sigma2)))


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _average(
    function: Callable[[Floats, Floats], Floats],
    argument: ArrayLike,
    means: ArrayLike,
    fraction: ArrayLike,
    f: ArrayLike,
    sigma2: float,
    dispersion: float,
    sharpness: ArrayLike = 0.0,
) -> Floats:
    """Return the mean, over λ given f, of a function of a = (1-p)λ and of its own argument.

    `sharpness` is the curvature that the function itself has in log λ, at most: k for a^k e^-a.
    """
    given = (argument, means, fraction, f, sharpness)
    spread_out = np.broadcast_arrays(*(_floats(values) for values in given))
    shape = spread_out[0].shape
    own, mean, p, count, sharp = (values.ravel() for values in spread_out)
    mean = np.clip(mean, TINY, HUGE)
    if max(sigma2, dispersion) <= NO_SPREAD:
        return function((1 - p) * (mean / p), own).reshape(shape)
    if dispersion > 0:
        spread, alpha = np.inf, 1 / dispersion
        peak = alpha + count
        mode = np.log(peak / (alpha + mean)) + np.log(mean / p)
    else:
        spread = sigma2
        peak, mode = _mode(np.log(mean / p) - sigma2 / 2, count, p, sigma2)
    out = np.empty(len(mean))
    left, right, number = _reach(peak, sharp, spread)
    # those that need many points first, and those alike together: few points serve most
    order = np.argsort(-number, kind="stable")
    while len(order):
        most = int(number[order[0]])
        rows, order = np.split(order, [max(1, AT_ONCE // most)])
        growth, weight = _points(peak[rows], left[rows], right[rows], most, spread)
        at_mode = (1 - p[rows]) * np.exp(np.minimum(mode[rows], 690.0))
        a = at_mode[:, None] * (1 + growth)
        out[rows] = (weight * function(a, own[rows, None])).sum(axis=1) / weight.sum(axis=1)
    return out.reshape(shape)


def _mode(location: Floats, power: Floats, rate: ArrayLike, sigma2: float) -> tuple[Floats, Floats]:
    """Return A and the mode of y = log λ for the density exp[sy - q e^y - (y - location)²/2σ²].

    The mode solves s - q e^y = (y - location)/σ²: y = location + sσ² - ω, where
    ω = W(qσ² exp(location + sσ²)) = σ²A and A = q e^y.
    """
    shifted = location + power * sigma2
    with np.errstate(divide="ignore"):
        omega = special.wrightomega(np.log(np.asarray(rate) * sigma2) + shifted)
    return omega / sigma2, shifted - omega


def _reach(peak: Floats, sharp: Floats, spread: float) -> tuple[Floats, Floats, Ints]:
    """Return how far the density reaches left and right of its mode, and the points it needs."""
    with np.errstate(divide="ignore"):
        c = NEGLIGIBLE / peak
    # e^-x - 1 + x >= x²/(2 + x) on the left; e^x - 1 - x >= x²/2 and grows like e^x on the right
    gaussian = np.sqrt(2 * NEGLIGIBLE * spread)
    left = np.minimum(gaussian, c / 2 + np.sqrt(c * c / 4 + 2 * c))
    right = np.sqrt(2 * NEGLIGIBLE / (peak + 1 / spread))
    right = np.minimum(right, np.log1p(2 * c) + 1.5)
    step = np.minimum(0.25, 0.5 / np.sqrt(peak + sharp + 1 / spread))
    return left, right, np.ceil((left + right) / step).astype(np.int64) + 1


def _points(
    peak: Floats, left: Floats, right: Floats, number: int, spread: float
) -> tuple[Floats, Floats]:
    """Return e^δ - 1 at evenly spaced points δ about the mode, and the density there."""
    delta = -left[:, None] + ((left + right) / (number - 1))[:, None] * np.arange(number)
    growth = np.expm1(delta)
    bend = growth - delta
    if peak.max() > 1e4:
        # e^δ - 1 - δ by its series where the difference would lose digits
        series = delta * delta / 2 * (1 + delta / 3 * (1 + delta / 4 * (1 + delta / 5)))
        bend = np.where(np.abs(delta) < 1e-3, series, bend)
    return growth, np.exp(-peak[:, None] * bend - delta * delta / (2 * spread))


_NODES, _WEIGHTS = (values.astype(np.float64) for values in np.polynomial.legendre.leggauss(64))


# without a signature it is compiled, or taken from the cache, at its first call, not at import
@vectorize(cache=True)  # type: ignore[no-untyped-call]
def _inverse(a, f):  # type: ignore[no-untyped-def]
    """E(1/(f + X)) for X ~ Poisson(a): the integral of t^(f-1) exp(-a(1-t)) from 0 to 1."""
    if a == 0.0:
        return 1.0 / f
    if f == 1.0:
        return -np.expm1(-a) / a
    if f <= 20.0 and a < f:
        # (1/f) Σ (-a)^k / [(f+1)...(f+k)]: alternating with falling terms
        term, total, k = 1.0, 1.0, 1.0
        while abs(term) > 1e-17:
            term *= -a / (f + k)
            total += term
            k += 1.0
        return total / f
    if f <= 20.0:
        # D(i+1) = (1 - i D(i))/a; no error grows as long as i < a
        value, i = -np.expm1(-a) / a, 1.0
        while i < f:
            value = (1.0 - i * value) / a
            i += 1.0
        return value
    # t = exp(-x/(f+a)): the integrand is nearly e^-x, and below 1e-17 from x = 80 on
    total = 0.0
    for m in range(64):
        x = 40.0 * (1.0 + _NODES[m])
        v = x / (f + a)
        total += _WEIGHTS[m] * np.exp(-f * v + a * np.expm1(-v))
    return total * 40.0 / (f + a)
