"""Microaggregation: numbers become the means of small clusters of records.

Domingo-Ferrer and Mateo-Sanz (2002); MDAV, *maximum distance to average vector*, in the generic
form of Domingo-Ferrer and Torra (2005). While at least 3k records are left, take the record
farthest from their centroid and the record farthest from that one, and make a cluster of each with
its k − 1 nearest; of 2k to 3k − 1 records make one more such cluster; the rest is the last. Every
cluster has k to 2k − 1 records, and all of them get its mean.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from indistinct.core import ClassSize, Floats, GuaranteeError, InputError, Ints, check_whole
from indistinct.protect.methods.microaggregating.mdav_kernels import mdav_clusters, optimal_groups
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import bars

__all__ = ["Method", "Microaggregation", "mdav", "microaggregation", "optimal_1d"]

Method = Literal["mdav", "optimal-1d"]


@result
class Microaggregation(Result):
    """Clusters of records and their means.

    Parameters
    ----------
    clusters
        The cluster of each record, numbered from 0.
    centroids
        The mean of each cluster (rows) in each variable, in the unit of the data.
    information_loss
        SSE / SST in percent: the part of the records' variation around the overall mean that is
        within clusters and is lost. 0 for the original values, 100 for a single cluster. Each
        variable is divided by its standard deviation first, unless `standardise` was off.
    """

    clusters: Ints = field(repr=False)
    centroids: Floats = field(repr=False)
    information_loss: float

    FACTS = facts(
        Fact("records", lambda found: len(found.clusters), shown="records"),
        Fact("variables", lambda found: found.centroids.shape[1], shown="variables"),
        Fact("clusters", lambda found: len(found.centroids), shown="clusters"),
        Fact("smallest", lambda found: int(found.sizes.min()), shown="smallest"),
        Fact("largest", lambda found: int(found.sizes.max()), shown="largest"),
        Fact("information_loss", shown="information loss", form=".3f"),
    )

    @cached_property
    def sizes(self) -> Ints:
        """The records in each cluster."""
        return np.bincount(self.clusters, minlength=len(self.centroids))

    @property
    def values(self) -> Floats:
        """The released values: for each record the mean of its cluster."""
        return np.asarray(self.centroids[self.clusters])

    def plot(self) -> str:
        """Draw how many clusters there are of each size, as SVG."""
        sizes, numbers = np.unique(self.sizes, return_counts=True)
        return bars("Clusters by size", [str(s) for s in sizes.tolist()], numbers.tolist())

    def sentence(self) -> str:
        """Say how many clusters there are and what is lost."""
        return "Clusters of records; the information loss is in per cent"


def mdav(values: ArrayLike, k: ClassSize, *, standardise: bool = True) -> Microaggregation:
    """Cluster records of numbers by MDAV.

    The clusters are those of an exhaustive search in double precision, found without one. Records
    are taken in the order of their values, and of records that are equally far or near the one
    that comes first in that order: the released table does not depend on the order of the
    records, except that of records with equal values it is the first in the file that goes to the
    cluster made first.

    Parameters
    ----------
    values
        One row for each record, one column for each variable; finite numbers.
    k
        The least number of records in a cluster.
    standardise
        Whether each variable is divided by its standard deviation before distances are taken.

    >>> found = mdav([[1, 10], [2, 11], [3, 12], [7, 50], [8, 51], [9, 52]], k=3)
    >>> found
    Clusters of records; the information loss is in per cent
      records               6
      variables             2
      clusters              2
      smallest              3
      largest               3
      information loss  3.531
    >>> found.values.tolist()
    [[2.0, 11.0], [2.0, 11.0], [2.0, 11.0], [8.0, 51.0], [8.0, 51.0], [8.0, 51.0]]
    """
    given = _checked(values, k)
    order = np.lexsort(given.T[::-1])
    ordered = given[order]
    scaled = _scaled(ordered, standardise)
    return _result(given, ordered, scaled, order, mdav_clusters(scaled, k))


def optimal_1d(values: ArrayLike, k: int) -> Microaggregation:
    """Cluster the records of one variable such that the information loss is the least.

    Hansen and Mukherjee (2003): the shortest path over runs of k to 2k − 1 ordered values.

    >>> optimal_1d([1, 2, 3, 100, 101, 7, 8], k=2).values.ravel().tolist()
    [2.0, 2.0, 2.0, 100.5, 100.5, 7.5, 7.5]
    """
    given = _checked(values, k)
    if given.shape[1] != 1:
        raise InputError(
            f"Optimal microaggregation takes one variable. Got {given.shape[1]}. Use MDAV for "
            "several together, or one at a time."
        )
    order = np.argsort(given[:, 0], kind="stable")
    ordered = given[order]
    groups = optimal_groups(ordered[:, 0] - ordered[:, 0].mean(), k)
    return _result(given, ordered, _scaled(ordered, True), order, groups)


def microaggregation(
    values: ArrayLike, k: ClassSize, *, method: Method = "mdav", standardise: bool = True
) -> Microaggregation:
    """Cluster records by a method of the given name."""
    if method == "mdav":
        return mdav(values, k, standardise=standardise)
    if method == "optimal-1d":
        return optimal_1d(values, k)
    raise InputError(f"method must be mdav or optimal-1d. Got '{method}'.")


def check_size(k: int) -> None:
    """Refuse a k that is not a whole number of at least 2."""
    check_whole("k", k, 2)


def _checked(values: ArrayLike, k: int) -> Floats:
    check_size(k)
    try:
        given = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("Microaggregation takes numbers only.") from None
    if given.ndim == 1:
        given = given[:, None]
    if given.ndim != 2 or not given.shape[1]:
        raise InputError("The values must be a table of records and at least one variable.")
    bad = ~np.isfinite(given)
    if bad.any():
        record, variable = (int(at) + 1 for at in np.argwhere(bad)[0])
        raise InputError(
            f"Variable {variable} of record {record:,} is missing or infinite, as are "
            f"{int(bad.any(axis=1).sum()):,} records in all. A mean needs all values: impute "
            "them, or leave those records out."
        )
    if len(given) < k:
        raise GuaranteeError(
            f"A cluster needs {k} records, and there are {len(given):,}. Take a smaller k or "
            "more records."
        )
    # minus zero would be another value than zero in the order of records
    return given + 0.0


def _scaled(ordered: Floats, standardise: bool) -> Floats:
    centred = ordered - ordered.mean(axis=0)
    if not standardise:
        return np.ascontiguousarray(ordered)
    spread = ordered.std(axis=0)
    constant = (ordered == ordered[0]).all(axis=0)
    centred[:, constant] = 0.0
    return np.ascontiguousarray(centred / np.where(constant | (spread == 0), 1.0, spread))


def _result(
    given: Floats,
    ordered: Floats,
    scaled: Floats,
    order: NDArray[np.intp],
    found: Ints,
) -> Microaggregation:
    means = _means(ordered, found)
    within = scaled - _means(scaled, found)[found]
    around = scaled - scaled.mean(axis=0)
    total = float((around * around).sum())
    lost = 100.0 * float((within * within).sum()) / total if total > 0 else 0.0
    clusters = np.empty(len(given), dtype=np.int64)
    clusters[order] = found
    return Microaggregation(clusters, means, lost)


def _means(values: Floats, clusters: Ints) -> Floats:
    """Return the mean of each cluster, added up as distances from its first member.

    So the mean of equal values is that very value, and large values lose no digits.
    """
    _, firsts, sizes = np.unique(clusters, return_index=True, return_counts=True)
    start = values[firsts]
    away = values - start[clusters]
    means = np.empty_like(start)
    for j in range(values.shape[1]):
        means[:, j] = start[:, j] + np.bincount(clusters, weights=away[:, j]) / sizes
    return means
