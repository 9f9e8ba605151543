"""What a step did, in numbers that may be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from indistinct.core import Ints
from indistinct.results import Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Receipt", "origin_of"]


@result(eq=True)
class Receipt(Result):
    """What one step did to the records.

    Parameters
    ----------
    kind
        The step's kind.
    records_before, records_after
        The number of records.
    records_changed
        Records of which at least one cell was changed.
    cells_changed
        Changed cells by variable.
    residual
        Records that are still in classes smaller than k, where the step has a k.
    notes, warnings
        Sentences for people, without any value of a cell.
    private
        What only the holder may see (values of categories with few records, for instance). It
        is neither printed nor part of `to_dict`.
    rows
        For each record after the step the number of the record that it was before, -1 for one
        that was made up; None where every record stayed where it was. It is the holder's alone.
    """

    kind: str
    records_before: int
    records_after: int
    records_changed: int = 0
    cells_changed: Mapping[str, int] = field(default_factory=dict)
    residual: int | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    private: Any = field(default=None, repr=False, compare=False)
    rows: Ints | None = field(default=None, repr=False, compare=False)

    FACTS = facts(
        "kind records_before records_after records_changed cells_changed residual notes", "warnings"
    )

    @property
    def records_lost(self) -> int:
        """Records that are no longer there."""
        return self.records_before - self.records_after

    @property
    def cells(self) -> int:
        """Changed cells of all variables."""
        return sum(self.cells_changed.values())

    def plot(self) -> str:
        """Draw the changed cells of each variable, as SVG."""
        return bars(
            f"Cells changed by {self.kind}",
            list(self.cells_changed),
            list(self.cells_changed.values()),
        )

    def _lines(self) -> list[str]:
        share = self.records_lost / max(1, self.records_before)
        lines = [f"{self.kind}: {self.records_before:,} records, {self.records_after:,} after"]
        if self.records_lost > 0:
            lines.append(f"  left out       {self.records_lost:>12,}  {share:6.1%}")
        if self.records_changed:
            share = self.records_changed / max(1, self.records_before)
            lines.append(f"  changed        {self.records_changed:>12,}  {share:6.1%}")
        for name, cells in self.cells_changed.items():
            lines.append(f"    {name:<13}{cells:>12,}")
        if self.residual is not None:
            lines.append(f"  still at risk  {self.residual:>12,}")
        # what matters first: notes can be many
        lines += [f"  warning: {warning}" for warning in self.warnings]
        lines += [f"  note: {note}" for note in self.notes]
        return lines

    def _tables(self) -> list[Table]:
        facts: dict[str, object] = {
            "records before": self.records_before,
            "records after": self.records_after,
            "records changed": self.records_changed,
            **{f"cells of {name}": cells for name, cells in self.cells_changed.items()},
        }
        if self.residual is not None:
            facts["still at risk"] = self.residual
        return [Table.facts(f"What the step '{self.kind}' did", facts)]


def origin_of(receipts: Sequence[Receipt], records: int) -> Ints | None:
    """Return for each record after some steps the number of the record it was before them.

    -1 stands for a record that was made up; None is returned where a step does not tell.

    >>> left_out = Receipt("sample", 3, 2, rows=np.array([0, 2]))
    >>> turned = Receipt("scramble-order", 2, 2, rows=np.array([1, 0]))
    >>> origin_of([left_out, turned], 3)
    array([2, 0])
    """
    origin = np.arange(records)
    for receipt in receipts:
        if receipt.records_before != len(origin):
            return None
        if receipt.rows is not None:
            origin = np.where(receipt.rows >= 0, np.append(origin, -1)[receipt.rows], -1)
        elif receipt.records_after != len(origin):
            return None
    return origin
