"""Minimal local suppression as a step of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from indistinct.core import InputError, did_you_mean
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchies, Hierarchy
from indistinct.keys import Generalisable, KeyTable, Recoding
from indistinct.protect.blank import TRACKERS
from indistinct.protect.methods.local_suppression.suppress import (
    Meaning,
    Suppression,
    suppress,
    suppression_keys,
)
from indistinct.protect.receipt import Receipt
from indistinct.protect.recode import RecodingStep, apply_recoding
from indistinct.protect.step import Context, check_key

__all__ = ["Suppress"]


@dataclass(frozen=True)
class Suppress(RecodingStep, kind="suppress"):
    """Suppress few cells so that k-anonymity holds; a suppressed cell is released as no value.

    Parameters
    ----------
    key, k, meaning, weights, limits, optimal, alpha, against_elimination
        As in `suppress`.
    hierarchies
        None are needed; without any, those that know nothing but suppression are made from the
        records.
    """

    truthful = True

    key: tuple[str, ...]
    k: int
    meaning: Meaning = "strict"
    weights: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    optimal: bool | None = None
    alpha: float = 1.0
    hierarchies: tuple[Hierarchy, ...] = ()
    against_elimination: bool = True

    blanks = True

    def __post_init__(self) -> None:
        """Refuse a wrong key or k, and options of other variables."""
        if self.hierarchies:
            super().__post_init__()
        check_key(self.key, self.k)
        for name in (*self.weights, *self.limits):
            if name not in self.key:
                raise InputError(f"'{name}' is not in the key. {did_you_mean(name, self.key)}")

    def describe(self) -> str:
        """Say what is done."""
        how = "" if self.meaning == "strict" else ", a blank agreeing with anything"
        locked = [name for name in self.key if self.limits.get(name) == 0]
        apart = f" (none of {', '.join(locked)})" if locked else ""
        return f"suppress few cells of {', '.join(self.key)}{apart} until k={self.k} holds{how}"

    def suppression(self, keys: Generalisable) -> Suppression:
        """Decide which cells are suppressed."""
        return suppress(
            keys,
            k=self.k,
            meaning=self.meaning,
            weights=self.weights,
            limits=self.limits,
            optimal=self.optimal,
            alpha=self.alpha,
            against_elimination=self.against_elimination,
        )

    def recoding(self, keys: Generalisable) -> Recoding:
        """Decide which cells are suppressed."""
        return self.suppression(keys).recoding

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Count, decide, and blank the cells."""
        tally = engine.count(source, self.key)
        table = KeyTable.from_tally(tally)
        keys = (
            Generalisable.of(table, Hierarchies(self.hierarchies))
            if self.hierarchies
            else suppression_keys(table)
        )
        found = self.suppression(keys)
        draws = context.draws() if context.seed is not None else None
        recoding = found.recoding
        if found.total:
            source_after = apply_recoding(
                engine, source, tally, recoding, draws=draws, blank=self.blanks
            )
        else:
            source_after = source
        return source_after, Receipt(
            self.kind,
            source.records,
            source_after.records,
            records_changed=found.records_changed,
            cells_changed=found.cells,
            residual=0,
            warnings=_warnings(found),
            private=found,
        )


def _warnings(found: Suppression) -> tuple[str, ...]:
    if not found.total:
        return ()
    if found.meaning == "strict" or not found.strictly_at_risk:
        return (TRACKERS,)
    number = found.strictly_at_risk
    what = "1 record is" if number == 1 else f"{number:,} records are"
    return (
        f"k={found.k} holds if a blank agrees with anything. Counted with a blank as a value of "
        f"its own, {what} in a class smaller than {found.k}.",
        TRACKERS,
    )
