"""How unsure a published count leaves its reader: variance and interval, for every method alike.

A table that is found by subtracting one published table from another is as unsure as both together
(Openshaw et al. 1997, section 4): variances of independent noise add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from indistinct.core import Array, Floats
from indistinct.results import Result, facts, result

__all__ = [
    "Exact",
    "Noise",
    "PublishedVariance",
    "Uncertainty",
    "summed_variance",
    "uncertainty",
    "variances",
]


@runtime_checkable
class PublishedVariance(Protocol):
    """Anything that says how far a published count varies about the true one."""

    def published_variance(self, count: float) -> float:
        """Return the variance of what is published for a cell whose true count is `count`."""
        ...


@runtime_checkable
class Noise(PublishedVariance, Protocol):
    """Published counts that also bound what the true one can have been."""

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        ...


@dataclass(frozen=True)
class Exact:
    """No noise: counts are published as they are."""

    def published_variance(self, count: float) -> float:
        """Return 0."""
        return 0.0

    def interval(self, published: float) -> tuple[float, float]:
        """Return the count itself."""
        return published, published


@result(eq=True)
class Uncertainty(Result):
    """What remains open about one cell.

    Parameters
    ----------
    count
        The count that was asked about.
    variance
        The variance of what is published for a true count of `count`.
    lowest, highest
        The true counts that can stand behind a published count of `count`.
    """

    count: float
    variance: float
    lowest: float
    highest: float

    FACTS = facts(
        "count",
        "variance",
        "lowest",
        "highest",
        shown=True,
    )

    def sentence(self) -> str:
        """Say between which counts the true one lies."""
        return (
            f"Uncertainty({self.count:g}: {self.lowest:g} to {self.highest:g}, "
            f"standard deviation {self.deviation:.4g})"
        )

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)


def uncertainty(noise: Noise, count: float) -> Uncertainty:
    """Return variance and interval of one published count.

    >>> uncertainty(Exact(), 7)
    Uncertainty(7: 7 to 7, standard deviation 0)
      count     7
      variance  0
      lowest    7
      highest   7
    """
    low, high = noise.interval(count)
    return Uncertainty(count, noise.published_variance(count), low, high)


def summed_variance(sources: Iterable[tuple[PublishedVariance, float]]) -> float:
    """Return the variance of a sum or difference of counts that were published independently.

    >>> from indistinct.tables.perturb import RandomRounding
    >>> rounding = RandomRounding(3)
    >>> summed_variance([(rounding, 10), (rounding, 8)])
    4.0
    """
    return float(sum(noise.published_variance(count) for noise, count in sources))


def variances(noise: PublishedVariance, counts: Array) -> Floats:
    """Return the variance for every one of many true counts."""
    distinct, place = np.unique(counts, return_inverse=True)
    found = np.array([noise.published_variance(float(c)) for c in distinct], dtype=np.float64)
    return found[place].reshape(np.shape(counts))
