"""Small areas of a few hundred people, nested in counties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.census.places import COUNTIES, COUNTY_WEIGHT
from indistinct.census.sampling import AliasTable, Array

__all__ = ["AREA_FACTOR", "CHUNK_PEOPLE", "PEOPLE_PER_AREA", "Areas", "area_counts", "chunk_sizes"]

CHUNK_PEOPLE = 1 << 18
"""The most people made at once: the memory needed does not grow with the census."""

PEOPLE_PER_AREA = 350

AREA_FACTOR = 100_000
"""An area's code is its county's code times this plus a running number."""

# How much more or less common minorities are in a region than in the whole country.
_MINORITY_TILT = (2.1, 0.5, 0.75, 0.6, 0.7, 0.3, 0.9, 0.8)
_STANDING = (0.25, 0.0, -0.1, -0.25, 0.0, -0.15, 0.1, -0.1)


@dataclass(frozen=True)
class Areas:
    """The areas of one chunk: code, county, region, and what makes them differ."""

    code: Array
    county: Array
    region: Array
    standing: Array
    minority_tilt: Array
    size: AliasTable

    @classmethod
    def make(cls, rng: np.random.Generator, *, people: int, chunk: int) -> Areas:
        """Lay out the areas of chunk number `chunk` (from 0), which holds `people` people."""
        counts = area_counts(people)
        county = np.repeat(np.array(list(COUNTIES), dtype=np.uint8), counts)
        running = np.concatenate([np.arange(count) for count in counts])
        start = chunk * np.repeat(area_counts(CHUNK_PEOPLE), counts)
        region = county // 10
        weight = np.repeat([COUNTY_WEIGHT[c] for c in COUNTIES] / counts, counts)
        total = len(county)
        return cls(
            code=(county.astype(np.int32) * AREA_FACTOR + start + running + 1).astype(np.int32),
            county=county,
            region=region,
            standing=np.array(_STANDING)[region - 1] + rng.normal(0, 0.45, total),
            minority_tilt=np.array(_MINORITY_TILT)[region - 1]
            * np.exp(rng.normal(-0.18, 0.6, total)),
            size=AliasTable(weight * np.exp(rng.normal(0, 0.25, total)), np.arange(total)),
        )


def chunk_sizes(people: int) -> list[int]:
    """Split a census into chunks of nearly equal size, none larger than `CHUNK_PEOPLE`.

    >>> chunk_sizes(1_000_000)
    [250000, 250000, 250000, 250000]
    """
    chunks = -(-people // CHUNK_PEOPLE)
    share, rest = divmod(people, chunks)
    return [share + (number < rest) for number in range(chunks)]


def area_counts(people: int) -> Array:
    """Return the number of areas in each county for a chunk of `people` people.

    >>> int(area_counts(100).sum()), int(area_counts(200_000).sum())
    (35, 575)
    """
    share = np.array([COUNTY_WEIGHT[c] for c in COUNTIES])
    counts: Array = np.rint(share / share.sum() * people / PEOPLE_PER_AREA).astype(int)
    counts[counts == 0] = 1
    return counts
