"""Sweeney's Figure 20: techniques in the order of the entropy they cost, by exhaustive search."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from sweeney_releases import NAMES, keys

from indistinct.keys import Recoding
from indistinct.keys.losses import entropy

TABLE = keys()
EVERYONE = (1 << 12) - 1


def clustered(members: tuple[int, ...], *, suppress: bool):
    """Bits lost in the cells of a cluster whose cells climb until they agree, or are blanked."""
    levels = []
    for j in range(len(NAMES)):
        climb, leaves = TABLE.climb(j), TABLE.leaves[list(members), j]
        level = next(i for i, row in enumerate(climb) if len(set(row[leaves].tolist())) == 1)
        levels.append(TABLE.heights[j] if suppress and level else level)
    rows = np.zeros((12, len(NAMES)), dtype=np.int16)
    rows[list(members)] = levels
    return entropy(Recoding(TABLE, np.arange(12), rows, TABLE.counts))


def least_by_cells(*, suppress: bool) -> float:
    """Split the records into clusters of 2 or 3 at the least cost (dynamic programme on subsets).

    A cluster of four or more can be split into such clusters, which never cost more.
    """
    cost = {}
    for size in (2, 3):
        for members in itertools.combinations(range(12), size):
            mask = sum(1 << i for i in members)
            cost[mask] = clustered(members, suppress=suppress)

    @cache
    def least(left: int) -> float:
        if not left:
            return 0.0
        first = left & -left
        return min(
            (c + least(left ^ m) for m, c in cost.items() if m & first and m & left == m),
            default=float("inf"),
        )

    return least(EVERYONE)


def least_by_attributes(choices) -> float:
    releases = (Recoding.full_domain(TABLE, levels) for levels in itertools.product(*choices))
    return min(entropy(release) for release in releases if release.smallest >= 2)


@pytest.fixture(scope="module")
def bits():
    tops = TABLE.heights
    return {
        "identity release": entropy(Recoding.full_domain(TABLE, [0, 0, 0, 0])),
        "cell generalization": least_by_cells(suppress=False),
        "cell suppression": least_by_cells(suppress=True),
        "attribute generalization": least_by_attributes([range(top + 1) for top in tops]),
        "attribute suppression": least_by_attributes([(0, top) for top in tops]),
        "complete suppression": entropy(Recoding.full_domain(TABLE, tops)),
    }


def test_least_entropy_of_each_technique(bits):
    expected = [0, 32.0375, 45.8378, 46.0322, 54.778, 83.3912]
    assert list(bits.values()) == pytest.approx(expected, abs=1e-3)


def test_order_of_figure_20(bits):
    assert sorted(bits, key=bits.get) == list(bits)
