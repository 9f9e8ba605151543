"""Blanking what a class tells: the sensitive cells of classes in which there is one value alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.engine import Engine
from indistinct.errors import InputError
from indistinct.files.source import Source
from indistinct.keys import KeyTable
from indistinct.protect.cells import NewCells, replace_cells
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.techniques.columns import check_share, filled
from indistinct.risk.folding import split_told, telling_classes

__all__ = ["BlankTold", "told_records"]


def told_records(
    engine: Engine, source: Source, key: tuple[str, ...], sensitive: str, *, confidence: float = 1.0
) -> NDArray[np.int64]:
    """Return the records in classes of the key that tell the value of a sensitive variable.

    A file in which everybody has one value tells it of everybody; its classes add nothing.
    """
    tally = engine.count(source, [*key, sensitive])
    if not source.records:
        return np.zeros(0, dtype=np.int64)
    split = split_told(KeyTable.from_tally(tally), key, sensitive, source.variables[sensitive])
    telling = telling_classes(split, confidence=confidence)
    return np.flatnonzero(np.concatenate(list(tally.per_record(telling[split.class_of]))))


@dataclass(frozen=True)
class BlankTold(Step, kind="blank-told"):
    """Blank a sensitive variable in the classes that would tell its value, and nowhere else.

    Whoever sees the blanks learns that the class had one value, and not which.

    Parameters
    ----------
    key
        The variables that make the classes, as they are when the step comes.
    sensitive
        The variables to blank.
    confidence
        From which share of a class's values on one counts as told; 1 is for certain.
    """

    key: tuple[str, ...]
    sensitive: tuple[str, ...]
    confidence: float = 1.0

    truthful = True

    def __post_init__(self) -> None:
        """Refuse no key, no sensitive variable, and one that is both."""
        if not self.key or not self.sensitive or set(self.key) & set(self.sensitive):
            raise InputError(
                "Blanking what is told needs a key and sensitive variables that are not in it."
            )
        check_share(self.confidence, "confidence")

    def describe(self) -> str:
        """Say what is done."""
        how = "" if self.confidence >= 1 else f" to {self.confidence:.0%}"
        return (
            f"blank {', '.join(self.sensitive)} in classes of {', '.join(self.key)} that would "
            f"tell it{how}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Find the classes, and blank the cells."""
        source.check_columns([*self.key, *self.sensitive])
        changed: set[int] = set()
        cells, result = {}, source
        for name in self.sensitive:
            records = told_records(engine, source, self.key, name, confidence=self.confidence)
            held = filled(source.table([name]).column(0).take(pa.array(records)))
            cells[name] = int(held.sum())
            changed.update(records[held].tolist())
            if cells[name]:
                empty = pa.nulls(1, type=source.schema.field(name).type)
                blank = {name: NewCells(np.zeros(len(records), dtype=np.int64), empty)}
                result = replace_cells(engine, result, records, blank)
        return result, Receipt(
            self.kind,
            source.records,
            result.records,
            records_changed=len(changed),
            cells_changed=cells,
        )
