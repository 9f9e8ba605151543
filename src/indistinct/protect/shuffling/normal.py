"""The normal distribution and random numbers by record, compiled, for the kernels of shuffling.

`quantile` is Wichura's algorithm AS 241 (1988), exact to about sixteen digits.
"""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from indistinct.core import GOLDEN, mix_word

__all__ = ["FARTHEST", "probability", "quantile", "uniform"]

FARTHEST = 8.2
"""Scores stop here: beyond, a probability cannot be told from 0 or 1."""


@nb.njit(cache=True)
def uniform(first: np.uint64, second: np.uint64, record: int, stream: int) -> float:
    """Return a number within (0, 1) that belongs to a record and a stream, as `Draws` does."""
    word = mix_word(np.uint64(record) * GOLDEN + first)
    word = mix_word((word ^ (np.uint64(stream) * GOLDEN)) + second)
    # the middle of one of 2⁵² intervals: neither 0 nor 1
    return (float(word >> np.uint64(12)) + 0.5) * 2.0**-52


@nb.njit(cache=True)
def probability(z: float) -> float:
    """Return Φ(z)."""
    return 0.5 * math.erfc(-z * 0.7071067811865476)


# numerator and denominator of the three rational functions, highest power first
_CENTRE = np.array(
    [
        [
            2.5090809287301226727e3,
            3.3430575583588128105e4,
            6.7265770927008700853e4,
            4.5921953931549871457e4,
            1.3731693765509461125e4,
            1.9715909503065514427e3,
            1.3314166789178437745e2,
            3.3871328727963666080,
        ],
        [
            5.2264952788528545610e3,
            2.8729085735721942674e4,
            3.9307895800092710610e4,
            2.1213794301586595867e4,
            5.3941960214247511077e3,
            6.8718700749205790830e2,
            4.2313330701600911252e1,
            1.0,
        ],
    ]
)
_MIDDLE = np.array(
    [
        [
            7.74545014278341407640e-4,
            2.27238449892691845833e-2,
            2.41780725177450611770e-1,
            1.27045825245236838258,
            3.64784832476320460504,
            5.76949722146069140550,
            4.63033784615654529590,
            1.42343711074968357734,
        ],
        [
            1.05075007164441684324e-9,
            5.47593808499534494600e-4,
            1.51986665636164571966e-2,
            1.48103976427480074590e-1,
            6.89767334985100004550e-1,
            1.67638483018380384940,
            2.05319162663775882187,
            1.0,
        ],
    ]
)
_FAR = np.array(
    [
        [
            2.01033439929228813265e-7,
            2.71155556874348757815e-5,
            1.24266094738807843860e-3,
            2.65321895265761230930e-2,
            2.96560571828504891230e-1,
            1.78482653991729133580,
            5.46378491116411436990,
            6.65790464350110377720,
        ],
        [
            2.04426310338993978564e-15,
            1.42151175831644588870e-7,
            1.84631831751005468180e-5,
            7.86869131145613259100e-4,
            1.48753612908506148525e-2,
            1.36929880922735805310e-1,
            5.99832206555887937690e-1,
            1.0,
        ],
    ]
)


@nb.njit(cache=True)
def _ratio(coefficients: np.ndarray, r: float) -> float:
    above = below = 0.0
    for power in range(8):
        above = above * r + coefficients[0, power]
        below = below * r + coefficients[1, power]
    return above / below


@nb.njit(cache=True)
def quantile(p: float) -> float:
    """Return Φ⁻¹(p), stopped at ±`FARTHEST`.

    >>> round(quantile(0.975), 12), round(quantile(1e-10), 9)
    (1.95996398454, -6.361340902)
    """
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * _ratio(_CENTRE, 0.180625 - q * q)
    tail = p if q < 0 else 1.0 - p
    if tail <= 1e-16:
        return -FARTHEST if q < 0 else FARTHEST
    r = math.sqrt(-math.log(tail))
    z = _ratio(_MIDDLE, r - 1.6) if r <= 5.0 else _ratio(_FAR, r - 5.0)
    return -z if q < 0 else z
