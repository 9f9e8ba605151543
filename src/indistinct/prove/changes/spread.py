"""A distribution in a few numbers: how many, the mean, and some quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from indistinct.core import Floats

__all__ = ["QUANTILES", "Spread", "spread"]

QUANTILES = (0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True)
class Spread:
    """How many numbers, their mean, their quantiles at `QUANTILES`; NaN where there are none."""

    records: int
    mean: float
    quantiles: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle of the numbers."""
        return self.quantiles[QUANTILES.index(0.5)]

    @property
    def largest(self) -> float:
        """The largest number."""
        return self.quantiles[-1]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers; None where there are none."""
        known = self.records > 0
        return {
            "records": self.records,
            "mean": self.mean if known else None,
            "quantiles": {
                str(q): value if known else None
                for q, value in zip(QUANTILES, self.quantiles, strict=True)
            },
        }


def spread(numbers: Floats) -> Spread:
    """Summarise numbers.

    >>> found = spread(np.array([1.0, 2.0, 3.0, 10.0]))
    >>> found.mean, found.median, found.largest
    (4.0, 2.5, 10.0)
    """
    if not len(numbers):
        return Spread(0, float("nan"), (float("nan"),) * len(QUANTILES))
    quantiles = np.quantile(numbers, QUANTILES)
    return Spread(len(numbers), float(numbers.mean()), tuple(float(q) for q in quantiles))
