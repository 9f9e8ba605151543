"""A coarser copy of a variable says no more than the variable's own released labels do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, InputError, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import group_rows
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step

__all__ = ["FollowLabel"]


@dataclass(frozen=True)
class FollowLabel(Step, kind="follow-label"):
    """Blank a variable wherever another's label leaves more than one of its values open.

    An age group beside ages some of which are 20-39 would tell which half. Where all records with
    a label have one age group, it is told by the label, and stays.

    What only some values tell, as a number of births tells the sex, is blanked beside the labels
    that are given: those that leave the other open.

    Parameters
    ----------
    variable
        The copy.
    of
        What it is a coarser code of.
    labels
        The labels beside which it is blanked whatever it holds; an empty one is a blank cell.
        Without them, those that leave more than one of its values open.

    >>> import indistinct
    >>> ages = {"age": ["20-39", "20-39", "41"], "decade": [20, 30, 40]}
    >>> with indistinct.open_data(ages) as data:
    ...     kept, _ = FollowLabel("decade", ("age",)).apply(data.engine, data.source, Context())
    ...     kept.table().column("decade").to_pylist()
    [None, None, 40]
    >>> births = {"sex": ["*", "*", "f"], "born": [0, 2, 1]}
    >>> with indistinct.open_data(births) as data:
    ...     step = FollowLabel("born", ("sex",), labels=("*",))
    ...     kept, _ = step.apply(data.engine, data.source, Context())
    ...     kept.table().column("born").to_pylist()
    [None, None, 1]
    """

    variable: str
    of: tuple[str, ...]
    labels: tuple[str, ...] = ()

    truthful = True

    def __post_init__(self) -> None:
        """Refuse a copy of nothing, or of itself."""
        if isinstance(self.of, str) or not self.of or self.variable in self.of:
            raise InputError("Name the variables that the copy follows, and not itself.")
        if isinstance(self.labels, str):
            raise InputError("Name the labels as a list of texts.")
        if self.labels and len(self.of) != 1:
            raise InputError("Labels are those of one variable: name one that the copy follows.")

    def describe(self) -> str:
        """Say what is done."""
        if self.labels:
            return f"blank {self.variable} where {self.of[0]} is not told exactly"
        return f"blank {self.variable} where {', '.join(self.of)} leaves more than one of it open"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """See which labels leave one value open, and blank beside the others."""
        source.check_columns([self.variable, *self.of])
        codes = _codes(source, self.variable)
        present = codes > 0
        blanked = (self._beside(source) if self.labels else self._open(source, codes)) & present
        position = source.schema.get_field_index(self.variable)
        field = source.schema.field(position).with_nullable(True)

        def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
            column = batch.column(position)
            empty = pa.nulls(1, column.type)[0]
            new = pc.if_else(pa.array(blanked[records]), empty, column)
            return batch.set_column(position, field, new)

        cells = int(blanked.sum())
        if not cells:
            return source, Receipt(self.kind, source.records, source.records)
        result = engine.transform(
            source, change, schema=source.schema.set(position, field), variables=source.variables
        )
        return self.with_receipt(
            source, result, records_changed=cells, cells_changed={self.variable: cells}
        )

    def _beside(self, source: Source) -> Bools:
        """Say of every record whether its label is one of those given."""
        column = source.table(list(self.of)).column(0).combine_chunks()
        texts = column.cast(pa.string()).fill_null("")
        found = pc.is_in(texts, value_set=pa.array(self.labels, pa.string()))
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)

    def _open(self, source: Source, codes: Ints) -> Bools:
        """Say of every record whether its labels leave more than one value open."""
        labels = group_rows(np.stack([_codes(source, name) for name in self.of], axis=1))
        present = codes > 0
        lowest = np.full(int(labels.max(initial=-1)) + 1, np.iinfo(np.int64).max)
        highest = np.zeros_like(lowest)
        np.minimum.at(lowest, labels[present], codes[present])
        np.maximum.at(highest, labels[present], codes[present])
        return np.asarray((lowest < highest)[labels])


def _codes(source: Source, name: str) -> Ints:
    """Return a column as codes from 1; 0 is missing."""
    column = source.table([name]).column(0).combine_chunks()
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return np.asarray(
        coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    )
