"""Leaving out the records whose quasi-identifiers are still too rare: Datafly's last act.

The key table of a search that only ever generalises: it shrinks with every step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Array, Bools, GuaranteeError, InputError, Ints, SmallInts
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import Generalisable, KeyTable, group_rows
from indistinct.protect.methods.datafly_ii.datafly_profile import exact_share
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step, check_key

__all__ = ["DropOutliers", "Rollup", "allowed_drop", "outliers", "settled"]


@dataclass(frozen=True)
class DropOutliers(Step, kind="drop-outliers"):
    """Leave out the records in classes smaller than k by any of several quasi-identifiers.

    Leaving out a record for one quasi-identifier may bring a class of another below k, so the
    search is repeated until all hold at once. More than `max_drop` records are never left out:
    on other data, where that would be needed, the step refuses.

    Parameters
    ----------
    quasi_identifiers
        Lists of variables; in what stays, the values of each list together occur k times.
    k
        A class is safe with at least k records.
    max_drop
        The most records that may go.
    max_share
        The most records that may go, as a share of the file. It goes before `max_drop`.
    """

    truthful = True

    quasi_identifiers: tuple[tuple[str, ...], ...]
    k: int
    max_drop: int = 0
    max_share: float | None = None

    finds_uniques = True

    def __post_init__(self) -> None:
        """Refuse wrong quasi-identifiers, k or limits."""
        if not self.quasi_identifiers:
            raise InputError("Name at least one quasi-identifier.")
        for key in self.quasi_identifiers:
            check_key(key, self.k)
        allowed_drop(self.max_drop if self.max_share is None else self.max_share, 0)

    def describe(self) -> str:
        """Say what is done."""
        names = " and by ".join(", ".join(key) for key in self.quasi_identifiers)
        most = f"{self.max_drop:,}" if self.max_share is None else f"{self.max_share:.4%}"
        return f"leave out the records in classes smaller than {self.k} by {names}, at most {most}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Leave the records out."""
        names = list(dict.fromkeys(name for key in self.quasi_identifiers for name in key))
        tally = engine.count(source, names)
        table = KeyTable.from_tally(tally)
        columns = [[names.index(name) for name in key] for key in self.quasi_identifiers]
        gone = outliers(table.codes, table.counts, columns, self.k)
        number = int(table.counts[gone].sum())
        limit = self.max_drop if self.max_share is None else self.max_share
        most = allowed_drop(limit, source.records)
        if number > most:
            raise GuaranteeError(
                f"{number:,} of {source.records:,} records are in classes smaller than {self.k}, "
                f"and at most {most:,} may be left out. Generalise further, or allow {number:,}."
            )
        if number and number == source.records:
            raise GuaranteeError(
                f"All {number:,} records are in classes smaller than {self.k}, so none would be "
                "left. Generalise further, or ask for a smaller k."
            )
        result, rows = source, None
        if number:
            keep = np.concatenate([~part for part in tally.per_record(gone)])
            result, rows = engine.keep(source, keep), np.flatnonzero(keep)
        return result, Receipt(self.kind, source.records, result.records, residual=0, rows=rows)


def allowed_drop(max_drop: float, records: int) -> int:
    """Return how many records may go: a count as it is, a share times the records, rounded down.

    >>> allowed_drop(3, 12), allowed_drop(0.29, 100)
    (3, 29)
    """
    if isinstance(max_drop, bool) or not isinstance(max_drop, int | float):
        raise InputError(f"max_drop must be a number of records or a share. Got {max_drop!r}.")
    if isinstance(max_drop, int):
        if max_drop < 0:
            raise InputError(f"max_drop must not be negative. Got {max_drop}.")
        return max_drop
    if not 0 <= max_drop <= 1:
        raise InputError(
            f"max_drop as a share must be from 0 to 1. Got {max_drop}. "
            "A number of records is given as a whole number."
        )
    return math.floor(exact_share(max_drop) * records)


# The key table of a search that only ever generalises --------------------------------------------


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
