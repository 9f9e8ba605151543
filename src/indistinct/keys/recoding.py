"""What a generalising method decides: for every class of records, how far each cell climbs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Bools, InputError, Ints, SmallInts
from indistinct.keys.generalisable import Generalisable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["DROPPED", "Recoding", "counts_by_row", "group_rows"]


# Equal rows of codes: numbering them, and adding up what belongs to them.


def group_rows(codes: Ints) -> Ints:
    """Number equal rows equally, in the sorted order of the rows.

    >>> group_rows(np.array([[1, 5], [0, 7], [1, 5]])).tolist()
    [1, 0, 1]
    """
    numbers = np.zeros(len(codes), dtype=np.int64)
    if not len(codes):
        return numbers
    room = 1
    for column in codes.T:
        size = int(column.max()) + 1
        if room * size >= 1 << 62:
            numbers = _ranked(numbers)
            room = int(numbers.max()) + 1
        numbers = numbers * size + column
        room *= size
    return _ranked(numbers)


def counts_by_row(codes: Ints, counts: Ints) -> Ints:
    """Return for every row the counts of all rows equal to it, added up."""
    groups = group_rows(codes)
    totals = np.zeros(len(codes), dtype=np.int64)
    np.add.at(totals, groups, counts)
    return totals[groups]


def _ranked(numbers: Ints) -> Ints:
    ranks: Ints = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    return ranks.astype(np.int64)


DROPPED = -1
"""The level, in every variable, of records that are left out."""


@result
class Recoding(Result):
    """The level to which each cell climbs, for all records.

    A row says of some records of one class which levels their cells climb to. Most classes have
    one row; a class whose records go different ways has several, and it does not matter which of
    its equal records goes which way.

    Parameters
    ----------
    keys
        The classes and their hierarchies.
    classes
        The class of each row, in ascending order; every class has at least one row.
    levels
        The level of each cell (columns: variables); `DROPPED` throughout for records left out.
    counts
        How many records of the class the row is about.
    """

    keys: Generalisable
    classes: Ints
    levels: NDArray[np.int16]
    counts: Ints

    FACTS = facts(
        Fact("records", "keys.records"),
        Fact("classes", lambda found: len(found.group_counts)),
        "smallest",
        "records_dropped",
        Fact("levels", lambda found: found.full_domain_levels()),
        Fact("cells_changed", lambda found: found.cells_changed()),
        Fact("cells_suppressed", lambda found: found.cells_suppressed()),
    )

    def sentence(self) -> str:
        """Say how many classes there are, and who is left out."""
        return (
            f"Recoding of {self.keys.records:,} records: {len(self.group_counts):,} classes, "
            f"the smallest of {self.smallest:,}; {self.records_dropped:,} records left out"
        )

    def __post_init__(self) -> None:
        """Refuse rows that do not add up to the key table."""
        totals = np.bincount(self.classes, weights=self.counts, minlength=self.keys.classes)
        whole = len(totals) == self.keys.classes and (totals == self.keys.counts).all()
        if not whole or (np.diff(self.classes) < 0).any() or (self.counts < 1).any():
            raise InputError("The rows of a recoding must be the classes' records, each once.")
        dropped = (self.levels == DROPPED).any(axis=1)
        if (self.levels[dropped] != DROPPED).any():
            raise InputError("Records are left out as a whole: every level must be DROPPED.")

    @classmethod
    def full_domain(
        cls,
        keys: Generalisable,
        levels: Sequence[int],
        *,
        dropped: Bools | None = None,
    ) -> Recoding:
        """Return the recoding in which all cells of a variable climb to one level.

        Parameters
        ----------
        dropped
            The classes (of the original table) that are left out.
        """
        rows = np.tile(np.asarray(levels, dtype=np.int16), (keys.classes, 1))
        if dropped is not None:
            rows[dropped] = DROPPED
        return cls(keys, np.arange(keys.classes), rows, keys.counts)

    @classmethod
    def of_clusters(
        cls,
        keys: Generalisable,
        clusters: Ints,
        *,
        rows: Ints,
        counts: Ints,
    ) -> Recoding:
        """Return the recoding in which each cluster climbs to its lowest common ancestors.

        Parameters
        ----------
        clusters
            For each row its cluster, numbered from 0 without gaps.
        rows
            For each row its class, ascending.
        counts
            For each row its number of records.
        """
        number = int(clusters.max(initial=-1)) + 1
        order = np.argsort(clusters, kind="stable")
        starts = np.searchsorted(clusters[order], np.arange(number))
        levels = np.empty((len(rows), len(keys.names)), dtype=np.int16)
        for j, height in enumerate(keys.heights):
            climb = keys.climb(j)
            leaves = keys.leaves[rows, j]
            needed = np.full(number, height, dtype=np.int16)
            for level in range(height - 1, -1, -1):
                node = climb[level][leaves][order]
                same = np.minimum.reduceat(node, starts) == np.maximum.reduceat(node, starts)
                needed[same] = level
            levels[:, j] = needed[clusters]
        return cls(keys, rows, levels, counts)

    @cached_property
    def dropped(self) -> Bools:
        """Whether each row's records are left out."""
        return np.asarray((self.levels == DROPPED).any(axis=1))

    @cached_property
    def nodes(self) -> SmallInts:
        """The node of every cell of every row; -1 for records left out."""
        result = np.empty(self.levels.shape, dtype=np.int32)
        for j in range(len(self.keys.names)):
            leaves = self.keys.leaves[self.classes, j]
            result[:, j] = self.keys.climb(j)[self.levels[:, j], leaves]
        result[self.dropped] = -1
        return result

    @cached_property
    def groups(self) -> Ints:
        """For each row the number of its class in the release, from 0; -1 if left out."""
        result = np.full(len(self.classes), -1, dtype=np.int64)
        kept = ~self.dropped
        result[kept] = group_rows(self.nodes[kept].astype(np.int64))
        return result

    @cached_property
    def group_counts(self) -> Ints:
        """Records in each class of the release."""
        kept = ~self.dropped
        sizes = np.bincount(self.groups[kept], weights=self.counts[kept])
        return np.asarray(sizes.astype(np.int64))

    @property
    def smallest(self) -> int:
        """The size of the smallest class of the release; 0 if nothing is released."""
        return (
            int(self.group_counts.min(initial=self.keys.records)) if len(self.group_counts) else 0
        )

    @property
    def records_dropped(self) -> int:
        """Records left out."""
        return int(self.counts[self.dropped].sum())

    def cells_changed(self) -> dict[str, int]:
        """Return for each variable the cells of kept records whose label changes."""
        kept = ~self.dropped
        changed = {}
        for j, name in enumerate(self.keys.names):
            own = self.keys.climb(j)[0][self.keys.leaves[self.classes, j]]
            changed[name] = int(self.counts[kept & (self.nodes[:, j] != own)].sum())
        return changed

    def cells_suppressed(self) -> dict[str, int]:
        """Return for each variable the cells of kept records that have become the root."""
        kept = ~self.dropped
        found = {}
        for j, name in enumerate(self.keys.names):
            root = self.keys.climb(j)[-1, 0]
            own = self.keys.climb(j)[0][self.keys.leaves[self.classes, j]]
            gone = kept & (self.nodes[:, j] == root) & (own != root)
            found[name] = int(self.counts[gone].sum())
        return found

    def full_domain_levels(self) -> dict[str, int] | None:
        """Return the level of each variable if it is the same for all kept cells, else None."""
        kept = self.levels[~self.dropped]
        if not len(kept) or (kept != kept[0]).any():
            return None
        return dict(zip(self.keys.names, kept[0].tolist(), strict=True))

    def plot(self) -> str:
        """Draw the cells of each variable that are changed, and those suppressed, as SVG."""
        changed, suppressed = self.cells_changed(), self.cells_suppressed()
        return bars(
            "Cells changed and suppressed",
            list(self.keys.names),
            list(changed.values()),
            beside=list(suppressed.values()),
            names=("changed", "of them suppressed"),
        )

    def _row_tables(self) -> list[Table]:
        changed, suppressed = self.cells_changed(), self.cells_suppressed()
        return [
            Table(
                "Cells of the records that are kept",
                ("variable", "changed", "suppressed"),
                [(name, changed[name], suppressed[name]) for name in self.keys.names],
            )
        ]
