"""The key table: every distinct combination of key values, with its count and its weight.

All reasoning happens on this table; it is the sparse contingency table of the key. Rolling up to
fewer variables or to coarser categories needs no record to be read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, Floats, InputError, Ints, Words, did_you_mean
from indistinct.engine import Coding, KeyCoding, Tally, word_groups
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["KeyTable", "Recode", "pack_columns"]


@dataclass(frozen=True)
class Recode:
    """A coarser coding of one variable: the new code of every old one, and the new values."""

    codes: Ints
    values: Sequence[Any]


@result
class KeyTable(Result):
    """Classes of records that share their key, sorted by key.

    Parameters
    ----------
    coding
        The variables and their categories.
    codes
        The code of every variable (rows: classes, columns: variables).
    counts
        Records in each class.
    weights
        Sum of sampling weights in each class, where there are weights.
    """

    coding: KeyCoding
    codes: Ints
    counts: Ints
    weights: Floats | None = None

    FACTS = facts(
        Fact("key", "names"),
        "records",
        "classes",
        Fact(
            "sizes",
            lambda found: {
                name: {"classes": classes, "records": records}
                for name, classes, records in size_bands(found.counts)
            },
        ),
    )

    def sentence(self) -> str:
        """Say the size of the table."""
        return (
            f"KeyTable({', '.join(self.names)}: {self.classes:,} classes, {self.records:,} records)"
        )

    @classmethod
    def from_tally(cls, tally: Tally, *, weights: Floats | None = None) -> KeyTable:
        """Make the table of what an engine has counted."""
        codes = np.stack(tally.coding.unpack(tally.sorted_words()), axis=1)
        return cls(tally.coding, codes, tally.sorted_counts(), weights)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def names(self) -> tuple[str, ...]:
        """The key variables."""
        return self.coding.names

    @property
    def classes(self) -> int:
        """The number of distinct keys."""
        return len(self.counts)

    @cached_property
    def records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def position(self, name: str) -> int:
        """Return the position of a variable in the key."""
        if name not in self.names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, self.names)}")
        return self.names.index(name)

    def values(self, name: str) -> list[Any]:
        """Return the value of a variable in every class, None where it is missing."""
        at = self.position(name)
        return self.coding.variables[at].decode(self.codes[:, at])

    def smaller_than(self, k: int) -> Bools:
        """Say of every class whether it has fewer than k records."""
        return self.counts < k

    def rollup(
        self,
        keep: Sequence[str] | None = None,
        *,
        recodes: Mapping[str, Recode] | None = None,
    ) -> tuple[KeyTable, Ints]:
        """Merge classes that agree on fewer variables, or on coarser categories.

        Returns the smaller table, and for every class of this table its row there.

        Parameters
        ----------
        keep
            The variables to keep, all by default.
        recodes
            Coarser codings by variable name.
        """
        names = tuple(keep) if keep is not None else self.names
        recodes = recodes or {}
        columns, codings = [], []
        for name in names:
            at = self.position(name)
            column, coding = self.codes[:, at], self.coding.variables[at]
            if name in recodes:
                recode = recodes[name]
                if len(recode.codes) != coding.size:
                    raise InputError(
                        f"The recoding of '{name}' must give a code to each of its {coding.size} "
                        f"categories. Got {len(recode.codes)}."
                    )
                column = recode.codes[column]
                values = pa.array(list(recode.values))
                coding = Coding(name, len(values), missing=False, values=values)
            columns.append(column)
            codings.append(coding)
        coarser = KeyCoding(tuple(codings))
        if not columns:
            return self._all_in_one()
        words = pack_columns(coarser.sizes, columns)
        order = np.lexsort(words.T[::-1]) if words.shape[1] > 1 else np.argsort(words[:, 0])
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
        starts = np.flatnonzero(fresh)
        rows = np.empty(len(order), dtype=np.int64)
        rows[order] = np.cumsum(fresh) - 1
        codes = np.empty((len(starts), len(columns)), dtype=np.int64)
        for j, column in enumerate(columns):
            codes[:, j] = column[order[starts]]
        counts = np.add.reduceat(self.counts[order], starts) if len(starts) else self.counts
        weights = self.weights
        if weights is not None and len(starts):
            # added in key order, so that the result does not depend on how the sort breaks ties
            weights = np.bincount(rows, weights=weights, minlength=len(starts)).astype(np.float64)
        return KeyTable(coarser, codes, counts, weights), rows

    def _all_in_one(self) -> tuple[KeyTable, Ints]:
        """Return the table of no variable at all, a single class."""
        weights = None if self.weights is None else self.weights.sum(keepdims=True)
        single = KeyTable(
            KeyCoding(()), np.empty((1, 0), np.int64), self.counts.sum(keepdims=True), weights
        )
        return single, np.zeros(self.classes, dtype=np.int64)

    def frequencies_of_frequencies(self) -> dict[int, int]:
        """Return how many classes have one record, two records, and so on."""
        sizes, numbers = np.unique(self.counts, return_counts=True)
        return dict(zip(sizes.tolist(), numbers.tolist(), strict=True))

    def to_arrow(self) -> pa.Table:
        """Return the table with its values spelt out."""
        columns: dict[str, Any] = {name: self.values(name) for name in self.names}
        columns["count"] = self.counts
        if self.weights is not None:
            columns["weight"] = self.weights
        return pa.table(columns)

    def to_frame(self) -> Any:
        """Return the table as a pandas frame (pandas must be installed)."""
        return self.to_arrow().to_pandas()

    def plot(self) -> str:
        """Draw the records by the size of their class, as SVG."""
        rows = size_bands(self.counts)
        return bars(
            "Records by the size of their class", [r[0] for r in rows], [r[2] for r in rows]
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Classes by {', '.join(self.names)}",
                ("class size", "classes", "records"),
                size_bands(self.counts),
            )
        ]


def pack_columns(sizes: Sequence[int], columns: Sequence[Ints]) -> Words:
    """Pack columns of codes into words, as `KeyCoding.pack` packs columns of values."""
    groups = word_groups(sizes)
    words = np.zeros((len(columns[0]), len(groups)), dtype=np.uint64)
    for j, group in enumerate(groups):
        for position in group:
            words[:, j] *= np.uint64(sizes[position])
            words[:, j] += columns[position].astype(np.uint64)
    return words


def size_bands(
    counts: Ints, shared: Ints | None = None, *, k: int | None = None
) -> list[tuple[str, int, int]]:
    """Return bands of class size with the classes and the records in each.

    Parameters
    ----------
    shared
        The records that agree with each class, where that is not the size of the class.
    k
        A band begins here, so that those below can be added up.
    """
    sizes = counts if shared is None else shared
    bounds = sorted({1, 2, 3, 5, 10, 20, 100, *([k] if k else [])})
    rows = []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        inside = counts[(sizes >= low) & (sizes < high if high else True)]
        name = str(low) if high == low + 1 else f"{low}–{high - 1}" if high else f"{low}+"
        rows.append((name, len(inside), int(inside.sum())))
    return rows
