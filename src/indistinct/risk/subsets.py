"""The risk of every subset of a key: which variables, together, make people stand out.

McCaa et al. (2013, section 2) removed variables from their key one after another. Here every
subset is counted, by roll-up from the smallest superset at hand, without reading a record again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import AtMost, ClassSize, InputError, Ints
from indistinct.keys import KeyTable, threshold
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.packed import (
    PackedTable,
    drop_variable,
    pack_table,
    small_after_last,
    small_classes,
)

__all__ = ["MOST_VARIABLES", "SubsetRisk", "SubsetRow", "risk_by_subset"]

MOST_VARIABLES = 16
"""2¹⁶ subsets are 65,536 counts; beyond, the answer is too long to be read."""


@dataclass(frozen=True)
class SubsetRow:
    """One subset of the key: what it leaves out, and who stands out by what it keeps."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    classes: int
    at_risk: int
    unique: int


@result
class SubsetRisk(Result):
    """Records at risk under every subset of a key.

    Arrays have one entry per subset. Bit j of the position is set when the subset holds variable
    j of the key: entry 0 is the empty key, the last entry the whole key.
    """

    names: tuple[str, ...]
    k: int
    records: int
    classes: Ints
    at_risk: Ints
    unique: Ints
    assumptions: tuple[str, ...] = (
        "The intruder knows exactly the variables of the subset, without error.",
        "The file itself is where people must not stand out: sampling is not taken into account.",
        "A missing value is a category of its own.",
    )

    FACTS = facts(
        Fact("key", "names"),
        "k",
        "records",
        Fact("subsets", lambda found: len(found.at_risk) - 1),
        Fact("at_risk", "whole.at_risk"),
        Fact("unique", "whole.unique"),
        "shares",
        "unique_shares",
        Fact(
            "best_to_drop",
            lambda found: [
                {"dropped": row.dropped, "at_risk": row.at_risk, "unique": row.unique}
                for row in found.best_to_drop
            ],
        ),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say how many records stand out by the whole key."""
        whole = self.whole
        return (
            f"{len(self.at_risk) - 1:,} subsets of {len(self.names)} variables: "
            f"{whole.at_risk:,} of {self.records:,} records in classes smaller than {self.k}"
        )

    def position(self, kept: Sequence[str]) -> int:
        """Return the position of a subset in the arrays."""
        unknown = [name for name in kept if name not in self.names]
        if unknown:
            raise InputError(
                f"The key holds {', '.join(self.names)}. Got also {', '.join(unknown)}."
            )
        return sum(1 << self.names.index(name) for name in set(kept))

    def row(self, position: int) -> SubsetRow:
        """Return one subset by its position."""
        inside = [bool(position >> j & 1) for j in range(len(self.names))]
        return SubsetRow(
            tuple(n for n, there in zip(self.names, inside, strict=True) if there),
            tuple(n for n, there in zip(self.names, inside, strict=True) if not there),
            int(self.classes[position]),
            int(self.at_risk[position]),
            int(self.unique[position]),
        )

    def of(self, kept: Sequence[str]) -> SubsetRow:
        """Return the subset with these variables."""
        return self.row(self.position(kept))

    @property
    def whole(self) -> SubsetRow:
        """The whole key."""
        return self.row(len(self.at_risk) - 1)

    @cached_property
    def shares(self) -> dict[str, float]:
        """Records at risk, shared out among the variables (Shapley 1953).

        With v(S) the records at risk under the subset S of P variables,

            φ_i = Σ_{S ∌ i}  |S|! (P − |S| − 1)! / P!  ·  (v(S ∪ i) − v(S)),

        the mean of what variable i adds over all orders in which an intruder may learn the key.
        The shares add up to v(all) − v(∅); v(∅) is 0 unless the file has fewer than k records.
        """
        return self._shapley(self.at_risk)

    @cached_property
    def unique_shares(self) -> dict[str, float]:
        """The same for the records that are alone."""
        return self._shapley(self.unique)

    def _shapley(self, worth: Ints) -> dict[str, float]:
        count = len(self.names)
        position = np.arange(len(worth))
        size = np.bitwise_count(position.astype(np.uint32)).astype(np.int64)
        factor = np.array([1 / (count * comb(count - 1, s)) for s in range(count)])
        shares = {}
        for j, name in enumerate(self.names):
            without = position[position >> j & 1 == 0]
            added = (worth[without | 1 << j] - worth[without]).astype(np.float64)
            shares[name] = float(factor[size[without]] @ added)
        return shares

    @cached_property
    def best_to_drop(self) -> tuple[SubsetRow, ...]:
        """For every number of variables dropped, the choice that leaves the fewest at risk.

        Ties go to fewer unique records, then to fewer classes, then to keeping the variables
        that come first in the key.
        """
        position = np.arange(len(self.at_risk))
        size = np.bitwise_count(position.astype(np.uint32))
        # the key's first variable is the lowest bit; reversed, keeping it makes a larger number
        first = np.zeros_like(position)
        for j in range(len(self.names)):
            first = first << 1 | position >> j & 1
        order = np.lexsort((-first, self.classes, self.unique, self.at_risk))
        best = []
        for kept in range(len(self.names), -1, -1):
            best.append(self.row(int(order[np.flatnonzero(size[order] == kept)[0]])))
        return tuple(best)

    def rows(self) -> Iterator[SubsetRow]:
        """Return every subset but the empty one, the most at risk first."""
        size = np.bitwise_count(np.arange(len(self.at_risk)).astype(np.uint32))
        for position in np.lexsort((size, -self.unique, -self.at_risk)):
            if position:
                yield self.row(int(position))

    def to_frame(self) -> Any:
        """Return one row per subset, the most at risk first (pandas must be installed)."""
        rows = [
            {
                "key": ", ".join(row.kept),
                "variables": len(row.kept),
                "dropped": ", ".join(row.dropped),
                "classes": row.classes,
                "at_risk": row.at_risk,
                "unique": row.unique,
                "share_at_risk": row.at_risk / max(1, self.records),
            }
            for row in self.rows()
        ]
        return pa.Table.from_pylist(rows).to_pandas()

    def plot(self) -> str:
        """Draw each variable's share of the records at risk, as SVG."""
        ranked = sorted(self.shares.items(), key=lambda item: -item[1])
        return bars(
            "Records at risk, shared out among the variables",
            [name for name, _ in ranked],
            [records for _, records in ranked],
        )

    def _row_tables(self) -> list[Table]:
        whole = self.whole
        return [
            Table(
                f"Each variable's share of the {whole.at_risk:,} records in classes smaller than "
                f"{self.k}, over all {len(self.at_risk) - 1:,} subsets",
                ("variable", "records", "share"),
                [
                    (name, records, records / max(1, whole.at_risk))
                    for name, records in sorted(self.shares.items(), key=lambda item: -item[1])
                ],
                {"records": ",.1f", "share": ".1%"},
            ),
            Table(
                "Best to drop",
                ("dropped", "at risk", "alone"),
                [
                    (", ".join(r.dropped) or "nothing", r.at_risk, r.unique)
                    for r in self.best_to_drop
                ],
            ),
        ]


def risk_by_subset(
    table: KeyTable, *, k: ClassSize | None = None, at_most: AtMost | None = None
) -> SubsetRisk:
    """Count the records in classes smaller than k for every subset of the key.

    Subsets are visited depth first, dropping one variable at a time, so that each is rolled up
    from a table with one variable more. The variable with the most categories is dropped first:
    half of all subsets lie below that single step, on a table which it has shrunk already. At
    most P tables are held at a time.

    Parameters
    ----------
    table
        The key table of at most 16 variables.
    k, at_most
        A class is safe with at least k records, by default 3; or Dalenius' way of saying it.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 41, 41], "sex": [1, 1, 1, 2], "town": [7, 7, 7, 7]})
    >>> with indistinct.open_data(people) as data:
    ...     found = risk_by_subset(data.key_table(["age", "sex", "town"]), k=2)
    >>> found.of(["age"]).at_risk, found.of(["age", "sex"]).at_risk
    (0, 2)
    >>> found.shares
    {'age': 0.5, 'sex': 1.5, 'town': 0.0}
    """
    k = threshold(k, at_most)
    count = len(table.names)
    if not count:
        raise InputError("The key is empty. Name at least one variable with --key.")
    if count > MOST_VARIABLES:
        raise InputError(
            f"Every subset can be counted for at most {MOST_VARIABLES} key variables. Got {count}. "
            "Leave out some, or remove variables one at a time."
        )
    found = np.zeros((3, 1 << count), dtype=np.int64)
    if table.records:
        categories = [len(np.unique(table.codes[:, j])) for j in range(count)]
        order = sorted(range(count), key=lambda j: (-categories[j], j))
        _Walk(pack_table(table, order), k, found).below_root()
    return SubsetRisk(table.names, k, table.records, *found)


class _Walk:
    """The walk over all subsets, with the memory for the tables on the way down.

    The tables from the root to the present subset stand one behind the other in two arrays; the
    system gives memory to those parts only that are written to.
    """

    def __init__(self, packed: PackedTable, k: int, found: Ints) -> None:
        self.packed, self.k, self.found = packed, k, found
        rows, width = packed.words.shape
        depth = len(packed.order)
        self.words = np.empty((rows * depth, width), dtype=np.uint64)
        self.counts = np.empty(rows * depth, dtype=np.int64)
        self.spare = (np.empty((rows, width), np.uint64), np.empty(rows, np.int64))
        self.starts = np.empty(rows + 1, dtype=np.int64)

    def below_root(self) -> None:
        """Fill in all subsets; the empty one has one class."""
        rows = len(self.packed.counts)
        self.words[:rows], self.counts[:rows] = self.packed.words, self.packed.counts
        subset = (1 << len(self.packed.order)) - 1
        self.found[:, subset] = rows, *small_classes(self.counts[:rows], self.k)
        self.visit(subset, 0, rows, 0)

    def visit(self, subset: int, start: int, end: int, first: int) -> None:
        """Drop, in turn, every variable from the place `first` of the order on."""
        packed, last = self.packed, len(self.packed.order) - 1
        words, counts = self.words[start:end], self.counts[start:end]
        for j in range(first, last):
            smaller = subset & ~(1 << packed.order[j])
            made = drop_variable(
                words,
                counts,
                packed.keep[j],
                packed.before[j],
                self.words[end : 2 * end - start],
                self.counts[end : 2 * end - start],
                *self.spare,
                self.starts,
            )
            small = small_classes(self.counts[end : end + made], self.k)
            self.found[:, smaller] = made, *small
            self.visit(smaller, end, end + made, j + 1)
        smaller = subset & ~(1 << packed.order[last])
        self.found[:, smaller] = small_after_last(words, counts, packed.keep[last], self.k)
