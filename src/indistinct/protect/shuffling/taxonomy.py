"""Numbers for the codes of a taxonomy (Domingo-Ferrer, Muralidhar and Rufian-Torrell 2012).

The marginality of a code is the sum of its semantic distances to the codes of all records: the
more a code lies at the margin of the sample, the larger. Distance is a function of the ancestors
that two codes do not share, log₂(1 + |A Δ B| / |A ∪ B|). Codes are placed so that those of one
branch are neighbours, and branches and codes within a branch follow each other by marginality.
"""

from __future__ import annotations

import numpy as np

from indistinct.core import Array, Floats, Ints
from indistinct.hierarchy import Hierarchy

__all__ = ["MANY_INDICATORS", "marginality", "taxonomic_order"]

MANY_INDICATORS = 90
"""A nominal variable with so many values should be given its hierarchy."""


def marginality(hierarchy: Hierarchy, counts: Ints) -> Floats:
    """Return the marginality of every value of a hierarchy, given how many records have it.

    >>> from indistinct.hierarchy import table_hierarchy
    >>> tree = table_hierarchy([("11", "1", "*"), ("12", "1", "*"), ("21", "2", "*")], name="x")
    >>> marginality(tree, np.array([5, 5, 1])).round(2).tolist()
    [3.77, 3.77, 8.48]
    """
    leaves = len(hierarchy.values)
    paths = np.stack([hierarchy.level_codes(level)[:leaves] for level in hierarchy.levels])
    found = np.zeros(leaves)
    for leaf in range(leaves):
        shared = (paths == paths[:, [leaf]]).sum(axis=0)
        union = 2 * len(paths) - shared
        found[leaf] = counts @ np.log2(1.0 + (union - shared) / union)
    return found


def taxonomic_order(hierarchy: Hierarchy, counts: Ints) -> Ints:
    """Return the place of every value in an order that keeps each branch together."""
    leaves = len(hierarchy.values)
    margin = marginality(hierarchy, counts)
    keys: list[Array] = [np.arange(leaves), margin]
    for level in list(hierarchy.levels)[1:-1]:
        nodes = hierarchy.level_codes(level)[:leaves]
        weight = np.bincount(nodes, weights=counts)
        total = np.bincount(nodes, weights=counts * margin)
        plain = np.bincount(nodes, weights=margin) / np.maximum(1, np.bincount(nodes))
        mean = np.where(weight > 0, total / np.maximum(weight, 1), plain)
        keys += [nodes, mean[nodes]]
    # the last key sorts first: the branches of the highest level
    place = np.empty(leaves, dtype=np.int64)
    place[np.lexsort(keys)] = np.arange(leaves)
    return place
