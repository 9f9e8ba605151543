"""A distribution in a few numbers: how many, the mean, and some quantiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import Floats
from indistinct.results import Fact, Part, facts

__all__ = ["QUANTILES", "Spread", "measure_spread"]

QUANTILES = (0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True)
class Spread(Part):
    """How many numbers, their mean, their quantiles at `QUANTILES`; NaN where there are none."""

    records: int
    mean: float
    quantiles: tuple[float, ...]

    FACTS = facts(
        "records",
        Fact("mean", lambda found: found.mean if found.records else None),
        Fact(
            "quantiles",
            lambda found: {
                str(q): value if found.records else None
                for q, value in zip(QUANTILES, found.quantiles, strict=True)
            },
        ),
    )

    @property
    def median(self) -> float:
        """The middle of the numbers."""
        return self.quantiles[QUANTILES.index(0.5)]

    @property
    def largest(self) -> float:
        """The largest number."""
        return self.quantiles[-1]


def measure_spread(numbers: Floats) -> Spread:
    """Summarise numbers.

    >>> found = measure_spread(np.array([1.0, 2.0, 3.0, 10.0]))
    >>> found.mean, found.median, found.largest
    (4.0, 2.5, 10.0)
    """
    if not len(numbers):
        return Spread(0, float("nan"), (float("nan"),) * len(QUANTILES))
    quantiles = np.quantile(numbers, QUANTILES)
    return Spread(len(numbers), float(numbers.mean()), tuple(float(q) for q in quantiles))
