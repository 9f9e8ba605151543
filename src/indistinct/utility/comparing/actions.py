"""The four actions side by side: what each costs and what it leaves (section 6.5)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from indistinct.core import AtMost, ClassSize, GuaranteeError, Seed, progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import threshold, uniques
from indistinct.protect import ACTIONS, Action, ReleaseKey, protect_uniques
from indistinct.results import Fact, Result, Table, as_lines, facts, result
from indistinct.results.figures import bars

__all__ = ["ActionCost", "Comparison", "compare_actions"]


@dataclass(frozen=True)
class ActionCost:
    """What one action costs. `residual` is None when the action refused, and `why` says so."""

    action: Action
    records_lost: int
    records_changed: int
    cells_changed: int
    reversible: bool
    residual: int | None
    guaranteed: bool
    seconds: float
    why: str = ""


@result(eq=True)
class Comparison(Result):
    """The actions on the same records, the same key and the same k."""

    key: tuple[str, ...]
    k: int
    records: int
    at_risk: int
    rows: tuple[ActionCost, ...]

    FACTS = facts(
        "key k records at_risk", Fact("actions", lambda found: [asdict(row) for row in found.rows])
    )

    def __getitem__(self, action: str) -> ActionCost:
        return next(row for row in self.rows if row.action == action)

    def to_frame(self) -> Any:
        """Return the table as a pandas frame (pandas must be installed)."""
        table = pa.Table.from_pylist([asdict(row) for row in self.rows])
        return table.to_pandas().set_index("action")

    def plot(self) -> str:
        """Draw the records lost and the cells changed by each action, as SVG."""
        return bars(
            "What each action costs",
            [row.action for row in self.rows],
            [row.records_lost for row in self.rows],
            beside=[row.cells_changed for row in self.rows],
            names=("records lost", "cells changed"),
        )

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (
                row.action,
                f"{row.records_lost:,}",
                f"{row.cells_changed:,}",
                "with the key" if row.reversible else "no",
                "refused" if row.residual is None else f"{row.residual:,}",
                "yes" if row.guaranteed else "no",
                f"{row.seconds:.2f}",
            )
            for row in self.rows
        ]

    def _lines(self) -> list[str]:
        lines = [
            f"{self.at_risk:,} of {self.records:,} records in classes smaller than {self.k} "
            f"by {', '.join(self.key)}"
        ]
        lines += as_lines((_HEADINGS, *self._cells()), (9, 14, 14, 13, 10, 8, 8))
        lines += [f"  {row.action}: {row.why}" for row in self.rows if row.why]
        return lines

    def _tables(self) -> list[Table]:
        caption = f"What each action costs at k = {self.k}, by {', '.join(self.key)}"
        return [Table(caption, _HEADINGS, self._cells())]

    def _notes(self) -> list[str]:
        return [f"{row.action}: {row.why}" for row in self.rows if row.why]


_HEADINGS = (
    "action",
    "records lost",
    "cells changed",
    "reversible",
    "residual",
    "k holds",
    "seconds",
)


def compare_actions(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    seed: Seed,
    k: ClassSize | None = None,
    at_most: AtMost | None = None,
    actions: Sequence[Action] = ACTIONS,
) -> Comparison:
    """Take every action on a copy of the records, and compare.

    Encryption is reversible, which is its advantage over perturbation, and "may, however, prove
    more expensive": the seconds tell. It is tried with a key that is thrown away.
    """
    safe_from = threshold(k, at_most)
    found = uniques(engine, source, key, k=safe_from)
    rows = []
    for action in progress.each(actions, "comparing Dalenius' actions", unit="actions"):
        began = time.perf_counter()
        secrets = ReleaseKey.fresh() if action == "encrypt" else None
        try:
            result = protect_uniques(
                engine, source, key, action=action, k=safe_from, seed=seed, secrets=secrets
            )
        except GuaranteeError as error:
            seconds = time.perf_counter() - began
            rows.append(ActionCost(action, 0, 0, 0, False, None, False, seconds, str(error)))
            continue
        rows.append(
            ActionCost(
                action,
                sum(receipt.records_lost for receipt in result.receipts),
                sum(receipt.records_changed for receipt in result.receipts),
                sum(receipt.cells for receipt in result.receipts),
                action == "encrypt",
                result.residual,
                result.guaranteed,
                time.perf_counter() - began,
            )
        )
    return Comparison(tuple(key), safe_from, source.records, found.at_risk, tuple(rows))
