"""Does a log-linear model fit too little or too much for the risk measures taken from it?

With f ~ Poisson(πλ), a file measure Σ I(f=1) h(λ) and its estimate Σ I(f=1) h(λ̂), the expected
error is B = Σ E[I(f=1)] {h(λ̂) - h(λ)}. Expanded to the second order, with (f - πλ̂)/π for λ - λ̂
and [(f - πλ̂)² - f]/π² for its square,

    B̂ = Σ g(λ̂) { -h'(λ̂) (f - πλ̂)/π + ½ h''(λ̂) [(f - πλ̂)² - f]/π² },   g(λ) = πλ e^(-πλ),

over all cells. Under a model that holds, the two brackets are uncorrelated with variances πλ and
2(πλ)², which gives the variance v̂ of B̂; B̂/√v̂ is then about standard normal. Far above zero the
model fits too little and the measure is overstated, far below it fits too much.

For the expected population uniques, h(λ) = exp[-(1-π)λ], this is the criterion of Skinner and
Shlomo (2008, JASA 103, 989-1001); for the expected correct matches, h(λ) = (1 - e^-a)/a with
a = (1-π)λ, it follows in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numba import njit

from indistinct.core import Floats

__all__ = ["Criteria", "criteria"]


@dataclass(frozen=True)
class Criteria:
    """The expected errors of the two file measures, and their standard errors.

    `bias1` and `error1` are of the expected population uniques, `bias2` and `error2` of the
    expected correct matches.
    """

    bias1: float
    error1: float
    bias2: float
    error2: float

    @property
    def z1(self) -> float:
        """The standardised criterion for expected population uniques."""
        return self.bias1 / self.error1 if self.error1 > 0 else 0.0

    @property
    def z2(self) -> float:
        """The standardised criterion for expected correct matches."""
        return self.bias2 / self.error2 if self.error2 > 0 else 0.0

    @property
    def distance(self) -> float:
        """How far the two are from what a model that holds would give."""
        return float(np.hypot(self.z1, self.z2))


def criteria(counts: Floats, means: Floats, weights: Floats, fraction: float) -> Criteria:
    """Compute both criteria over cells, each standing for `weights` cells.

    >>> counts, means = np.array([1.0, 0.0, 3.0]), np.array([0.5, 0.5, 3.0])
    >>> found = criteria(counts, means, np.ones(3), 0.5)
    >>> round(found.bias1, 4), round(found.error1, 4)
    (-0.0571, 0.2067)
    """
    bias1, variance1, bias2, variance2 = _sums(counts, means, weights, fraction)
    return Criteria(float(bias1), sqrt(variance1), float(bias2), sqrt(variance2))


@njit(cache=True, nogil=True)
def _sums(counts, means, weights, fraction):  # type: ignore[no-untyped-def]
    one = variance1 = two = variance2 = 0.0
    rest = 1.0 - fraction
    for x in range(len(counts)):
        mean, f, w = means[x], counts[x], weights[x]
        # beyond this g(λ) is nothing to any number of cells
        if mean <= 0.0 or mean > 200.0:
            continue
        a = rest * mean / fraction
        off = f - mean
        square = off * off - f
        share = mean * np.exp(-mean)
        e = np.exp(-a)
        if a < 1e-3:
            first = -0.5 + a / 3.0
            second = 1.0 / 3.0 - a / 4.0
        else:
            first = (e * (a + 1.0) - 1.0) / (a * a)
            second = (2.0 - e * (a * a + 2.0 * a + 2.0)) / (a * a * a)
        ratio = rest / fraction
        line, bend = share * e * ratio, 0.5 * share * e * ratio * ratio
        one += w * (line * off + bend * square)
        variance1 += w * (line * line * mean + bend * bend * 2.0 * mean * mean)
        line, bend = -share * first * ratio, 0.5 * share * second * ratio * ratio
        two += w * (line * off + bend * square)
        variance2 += w * (line * line * mean + bend * bend * 2.0 * mean * mean)
    return one, variance1, two, variance2
