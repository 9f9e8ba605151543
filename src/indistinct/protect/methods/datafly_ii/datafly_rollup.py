"""The key table of a search that only ever generalises: it shrinks with every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Array, Bools, Ints, SmallInts
from indistinct.keys import Generalisable, group_rows

__all__ = ["Bins", "Rollup", "outliers", "settled"]


class Rollup:
    """Classes of some variables at levels that rise one at a time.

    Raising a variable merges the classes of the step before, which are fewer than the file's.
    Every row is a class of its own, and rows are in the sorted order of their nodes.
    """

    def __init__(self, keys: Generalisable, variables: Sequence[int]) -> None:
        self._keys = keys
        self.variables = tuple(variables)
        self.levels = [0] * len(self.variables)
        nodes = keys.nodes([0] * len(keys.names))[:, list(self.variables)]
        self.codes, self.counts = merged(nodes, keys.counts)
        self.distinct = [_distinct(self.codes[:, at]) for at in range(len(self.variables))]

    def climb(self, at: int) -> None:
        """Raise one variable, by its place among `variables`, by a level."""
        climb = self._keys.climb(self.variables[at])
        level = self.levels[at]
        parents = np.empty(int(climb.max()) + 1, dtype=np.int32)
        parents[climb[level]] = climb[level + 1]
        self.codes[:, at] = parents[self.codes[:, at]]
        self.codes, self.counts = merged(self.codes, self.counts)
        self.levels[at] = level + 1
        self.distinct[at] = _distinct(self.codes[:, at])

    def bins(self, variables: Sequence[int]) -> Bins:
        """Return the classes of some variables, by their places among `variables`."""
        if len(variables) == len(self.variables):
            return Bins(np.arange(len(self.counts)), self.counts)
        return Bins.by(self.codes, self.counts, variables)


def merged(codes: SmallInts, counts: Ints) -> tuple[SmallInts, Ints]:
    """Return the distinct rows and the counts that belong to them, added up."""
    if not len(codes):
        return codes, counts
    groups = group_rows(codes.astype(np.int64))
    number = int(groups.max()) + 1
    some = np.empty(number, dtype=np.int64)
    some[groups] = np.arange(len(groups))
    totals = np.bincount(groups, weights=counts, minlength=number).astype(np.int64)
    return codes[some], totals


def outliers(
    codes: Array,
    counts: Ints,
    quasi_identifiers: Sequence[Sequence[int]],
    k: int,
) -> Bools:
    """Return the rows that must go so that k holds for every quasi-identifier in what stays.

    Leaving out a row for one quasi-identifier makes the classes of another smaller, so this is
    repeated until nothing more must go. What stays is the largest set of rows that fulfils all
    quasi-identifiers, whatever the order in which rows are taken.

    Parameters
    ----------
    quasi_identifiers
        Columns of `codes`.

    >>> pairs = np.array([[0, 0], [0, 1], [1, 1], [2, 2]], dtype=np.int32)
    >>> outliers(pairs, np.array([2, 1, 1, 2]), [[0], [1]], 2).tolist()
    [False, True, True, False]
    """
    return settled([Bins.by(codes, counts, each) for each in quasi_identifiers], k)


def settled(bins: Sequence[Bins], k: int) -> Bools:
    """Return the rows that must go, as `outliers` does, for classes that are known already."""
    kept = np.ones(len(bins[0].counts), dtype=bool)
    while True:
        before = int(kept.sum())
        for each in bins:
            kept &= ~each.smaller_than(k, kept)
        if int(kept.sum()) == before:
            return ~kept


@dataclass(frozen=True, eq=False)
class Bins:
    """The class of each row by some columns; their sizes are asked for again as rows go."""

    groups: Ints
    counts: Ints

    @classmethod
    def by(cls, codes: Array, counts: Ints, variables: Sequence[int]) -> Bins:
        """Group rows by some columns."""
        return cls(group_rows(codes[:, list(variables)].astype(np.int64)), counts)

    def smaller_than(self, k: int, kept: Bools | None = None) -> Bools:
        """Say of each row that is kept whether its class has fewer than k kept records."""
        here = np.ones(len(self.counts), dtype=bool) if kept is None else kept
        sizes = np.bincount(self.groups, weights=np.where(here, self.counts, 0))
        return np.asarray(here & (sizes[self.groups] < k))


def _distinct(column: SmallInts) -> int:
    return int(np.count_nonzero(np.bincount(column))) if len(column) else 0
