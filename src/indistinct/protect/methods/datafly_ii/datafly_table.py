"""What each anonymity level costs: the table of Figure 27 (Sweeney 2001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indistinct.core import InputError
from indistinct.keys import Generalisable
from indistinct.protect.methods.datafly_ii.datafly import DataflyResult, datafly
from indistinct.protect.methods.datafly_ii.datafly_profile import (
    AnonymityMapping,
    percent_of_records,
)
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["AnonymityRow", "AnonymityTable", "Ladder", "anonymity_table"]


@dataclass(frozen=True)
class Ladder:
    """A key table with names for the levels of its attributes.

    Windows of 4 and of 6 months do not nest, so a table that offers both has two ladders: one
    by 2, 4, 12 and 24 months, one by 2, 6, 12 and 24.

    Parameters
    ----------
    keys
        The classes and their hierarchies.
    steps
        For some attributes what each level is called: ``{"birth": ("day", "2 months", …)}``.
    """

    keys: Generalisable
    steps: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def called(self, name: str, level: int) -> str:
        """Return what a level of an attribute is called."""
        named = self.steps.get(name, ())
        return named[level] if level < len(named) else f"level {level}"


@dataclass(frozen=True)
class AnonymityRow:
    """One anonymity level: its k, the recoding it took, and the share of records dropped."""

    anonymity: float
    k: int | None
    recoding: Mapping[str, str]
    dropped: float
    result: DataflyResult = field(repr=False)


@result(eq=True)
class AnonymityTable(Result):
    """Anonymity levels in falling order, as in Figure 27."""

    rows: tuple[AnonymityRow, ...]

    FACTS = facts(
        Fact(
            "rows",
            lambda found: [
                {
                    "anonymity": row.anonymity,
                    "k": row.k,
                    "recoding": dict(row.recoding),
                    "dropped": row.dropped,
                }
                for row in found.rows
            ],
        )
    )

    def plot(self) -> str:
        """Draw the per cent of records dropped at each anonymity level, as SVG."""
        return bars(
            "Records dropped, per cent, by anonymity",
            [f"{row.anonymity:.2f}" for row in self.rows],
            [100 * row.dropped for row in self.rows],
        )

    def _row_tables(self) -> list[Table]:
        names = list(self.rows[0].recoding) if self.rows else []
        return [
            Table(
                "Anonymity levels and what they take",
                ("anonymity", "k", *names, "dropped"),
                [(r.anonymity, r.k, *(r.recoding[n] for n in names), r.dropped) for r in self.rows],
                {"anonymity": ".2f", "dropped": ".1%"},
            )
        ]

    def sentence(self) -> str:
        """Say how many levels there are."""
        return f"{len(self.rows)} levels of anonymity"


def anonymity_table(
    keys: Generalisable | Ladder | Sequence[Ladder],
    *,
    levels: Sequence[float] = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1),
    mapping: AnonymityMapping = percent_of_records,
    **options: Any,
) -> AnonymityTable:
    """Run Datafly at several anonymity levels and say what each takes.

    Parameters
    ----------
    keys
        A key table, or several ladders over the same records. Of several, each anonymity level
        takes the one that keeps the most distinct keys, then the one that drops fewest records.
    levels
        Anonymity levels from 0 to 1.
    **options
        Of `datafly`: max_drop, profile, quasi_identifiers and so on.
    """
    if isinstance(keys, Generalisable):
        ladders = [Ladder(keys)]
    else:
        ladders = [keys] if isinstance(keys, Ladder) else list(keys)
    if not ladders:
        raise InputError("An anonymity table needs at least one key table. Got none.")
    rows = []
    for level in levels:
        tried = [datafly(x.keys, anonymity=level, mapping=mapping, **options) for x in ladders]
        best = max(
            range(len(tried)),
            key=lambda i: (
                len(tried[i].recoding.group_counts),
                -tried[i].records_dropped,
                -i,
            ),
        )
        result, ladder = tried[best], ladders[best]
        called = {name: ladder.called(name, at) for name, at in result.levels.items()}
        share = result.records_dropped / max(1, ladder.keys.records)
        rows.append(AnonymityRow(level, result.k, called, share, result))
    return AnonymityTable(tuple(rows))
