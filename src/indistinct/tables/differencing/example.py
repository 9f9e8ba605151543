"""Two geographies of a made-up country, for tests, benchmarks and demonstrations."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from indistinct.core import Floats, Ints

__all__ = ["TwoGeographies", "two_geographies"]


@dataclass(frozen=True, eq=False)
class TwoGeographies:
    """People on a map, and the zone of each in two geographies.

    Parameters
    ----------
    first, second
        The zone of every person.
    x, y
        Where they live, between 0 and 1.
    """

    first: Ints = field(repr=False)
    second: Ints = field(repr=False)
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)


def two_geographies(
    rng: np.random.Generator, *, people: int = 100_000, zones: int = 1_000, shift: float = 0.1
) -> TwoGeographies:
    """Make two geographies of zones that nearly agree: boundaries are drawn twice.

    People live anywhere in a square, everybody in the zone of the nearest of the zones' centres. In
    the second geography every centre has moved by about `shift` times the distance between
    centres, so that boundaries differ by slivers.

    >>> two = two_geographies(np.random.default_rng(1), people=1000, zones=10)
    >>> len(np.unique(two.first)), bool((two.first == two.second).mean() > 0.8)
    (10, True)
    """
    at = rng.random((people, 2))
    centres = rng.random((zones, 2))
    moved = centres + rng.normal(0.0, shift / np.sqrt(zones), (zones, 2))
    first, second = (cKDTree(places).query(at)[1].astype(np.int64) for places in (centres, moved))
    return TwoGeographies(first, second, at[:, 0], at[:, 1])
