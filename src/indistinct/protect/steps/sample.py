"""Sampling: fewer tuples are released (Sweeney 2001, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import InputError, Ints, check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_share, class_numbers

__all__ = ["Sample"]


@dataclass(frozen=True)
class Sample(Step, kind="sample"):
    """Keep records drawn without replacement, in file order.

    Parameters
    ----------
    size
        How many records (or households) stay; or
    fraction
        what share of them, rounded to a whole number.
    household
        The variable that groups people: whole households are drawn. A record without one is a
        household by itself.
    """

    truthful = True

    size: int | None = None
    fraction: float | None = None
    household: str | None = None

    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse both size and fraction, and neither."""
        if (self.size is None) == (self.fraction is None):
            raise InputError("A sample needs either a size or a fraction.")
        if self.fraction is not None:
            check_share(self.fraction, "fraction")
        if self.size is not None:
            check_whole("The sample's size", self.size, 1)

    def describe(self) -> str:
        """Say what is done."""
        what = "records" if self.household is None else f"whole households (by {self.household})"
        if self.size is not None:
            return f"keep a random sample of {self.size:,} {what}"
        return f"keep a random sample of {self.fraction:.2%} of the {what}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Draw, and leave out the others."""
        units = np.arange(source.records)
        if self.household is not None:
            units = _households(engine, source, self.household)
        there = units if self.household is None else np.unique(units)
        what = "records" if self.household is None else "households"
        size = self.size
        if size is None:
            size = round(len(there) * (self.fraction or 0.0))
            if not size and len(there):
                raise InputError(
                    f"{source.origin}: {self.fraction:.2%} of {len(there):,} {what} is none. "
                    "Take a larger fraction."
                )
        if size > len(there):
            raise InputError(
                f"{source.origin}: a sample of {size:,} cannot be drawn from {len(there):,} {what}."
            )
        order = np.lexsort((there, context.draws().words("sample", there)))
        chosen = np.zeros(int(units.max(initial=-1)) + 1, dtype=bool)
        chosen[there[order[:size]]] = True
        keep = chosen[units]
        result = engine.keep(source, keep)
        return self.with_receipt(
            source,
            result,
            notes=(f"{size:,} of {len(there):,} {what} were drawn",),
            rows=np.flatnonzero(keep),
        )


def _households(engine: Engine, source: Source, name: str) -> Ints:
    source.check_columns([name])
    tally = engine.count(source, [name])
    table, classes = KeyTable.from_tally(tally), class_numbers(tally)
    coding = table.coding.variables[0]
    if not coding.missing:
        return classes
    alone = table.codes[classes, 0] == coding.size - 1
    return np.where(alone, table.classes + np.arange(source.records), classes)
