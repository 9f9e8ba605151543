"""Pairs of records of two releases of which the first certainly fits the second.

Meeting is enough to link. Counting people without knowing them needs more: a record of one release
is a second person for a record of another only if its person certainly fits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.core import Ints
from indistinct.hierarchy import Nesting
from indistinct.prove.together.join import Layer, listed_pairs

__all__ = ["nested_pairs"]


def nested_pairs(
    inner: Ints,
    outer: Ints,
    layers: Sequence[Sequence[Layer]],
    nestings: Sequence[Nesting],
    *,
    limit: int,
) -> tuple[Ints, Ints]:
    """Return pairs of rows of which the first lies within the second in every attribute.

    Beyond `limit` pairs that meet, some are left out.
    """
    weight = np.ones(len(outer), dtype=np.int64)
    left, right, _ = listed_pairs(inner, outer, layers, weight=weight, limit=limit)
    keep = np.ones(len(left), dtype=bool)
    for j, nesting in enumerate(nestings):
        at = np.flatnonzero(keep)
        keep[at] = nesting.of_pairs(inner[left[at], j], outer[right[at], j])
    return left[keep], right[keep]
