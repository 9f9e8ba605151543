"""Changing cells of some records: what several steps need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable, Uniques

__all__ = ["LEAVE", "NewCells", "blank_codes", "members", "replace_cells"]

LEAVE = -1


@dataclass(frozen=True, eq=False)
class NewCells:
    """New values of one variable for some records: positions in `values`, -1 to leave one."""

    choice: Ints
    values: pa.Array


def replace_cells(
    engine: Engine,
    source: Source,
    records: Ints,
    new: Mapping[str, NewCells],
) -> Source:
    """Give some cells of some records (sorted by number) new values; leave all else as it is."""
    schema = source.schema
    columns = []
    for name, cells in new.items():
        position = schema.get_field_index(name)
        field = schema.field(position).with_nullable(True)
        schema = schema.set(position, field)
        columns.append((position, field, cells.choice, cells.values))

    def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
        at = np.searchsorted(records, numbers)
        at[at == len(records)] = 0
        rows = np.flatnonzero(records[at] == numbers)
        for position, field, choice, values in columns:
            chosen = choice[at[rows]]
            mask = np.zeros(batch.num_rows, dtype=bool)
            mask[rows[chosen >= 0]] = True
            replacement = values.take(pa.array(chosen[chosen >= 0]))
            column = pc.replace_with_mask(batch.column(position), pa.array(mask), replacement)
            batch = batch.set_column(position, field, column)
        return batch

    if not len(records):
        return source
    return engine.transform(source, change, schema=schema, variables=source.variables)


def members(found: Uniques, chosen: Bools) -> tuple[Ints, Ints]:
    """Return the numbers of the records in some classes, and the class of each."""
    records, classes, start = [], [], 0
    for numbers in found.tally.per_record(np.arange(len(chosen), dtype=np.int64)):
        inside = np.flatnonzero(chosen[numbers])
        records.append(inside + start)
        classes.append(numbers[inside])
        start += len(numbers)
    if not records:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return np.concatenate(records), np.concatenate(classes)


def blank_codes(table: KeyTable) -> Ints:
    """Return the code of *no value* for every variable; new where all records have one."""
    return np.array([v.size - int(v.missing) for v in table.coding.variables], dtype=np.int64)
