"""Writing records in another order, without holding them all in memory."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa

from indistinct.engine import Engine
from indistinct.files import Source, dialect_of, parquet_writer
from indistinct.protect.steps.households.groups import Ints

__all__ = ["in_order"]

HEAP_CELLS = 1 << 24
"""Cells in a heap: a hundred megabytes or so, in memory one at a time."""


def in_order(engine: Engine, source: Source, order: Ints) -> Source:
    """Write the records in an order, given as record numbers.

    Records are dealt into heaps by where they will stand, on disk in the engine's workspace, and
    each heap is put in order by itself.
    """
    path = engine.new_path()
    folder = path.with_suffix(".heaps")
    folder.mkdir()
    try:
        target = np.empty(len(order), dtype=np.int64)
        target[order] = np.arange(len(order))
        heaps = _dealt(source, target, folder)
        with parquet_writer(
            path, source.schema, source.variables, dialect=dialect_of(source)
        ) as writer:
            for heap in heaps:
                table = _sorted(heap)
                if table.num_rows:
                    writer.write(table)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Source(path, source.origin, source.variables, source.records, source.notes)


def _dealt(source: Source, target: Ints, folder: Path) -> list[Path]:
    width = max(1, HEAP_CELLS // (len(source.variables) + 1))
    paths = [folder / f"{i:04}" for i in range(-(-len(target) // width))]
    # beside the columns, by position: their names may be any
    schema = source.schema.remove_metadata().append(pa.field("target", pa.int64()))
    with ExitStack() as stack:
        writers = [
            stack.enter_context(pa.ipc.new_stream(stack.enter_context(path.open("wb")), schema))
            for path in paths
        ]
        start = 0
        for batch in source.batches():
            at = target[start : start + batch.num_rows]
            start += batch.num_rows
            whole = pa.record_batch([*batch.columns, pa.array(at)], schema=schema)
            order = np.argsort(at // width, kind="stable")
            ends = np.cumsum(np.bincount(at // width, minlength=len(paths)))
            for writer, first, last in zip(writers, [0, *ends[:-1]], ends, strict=True):
                if last > first:
                    writer.write_batch(whole.take(pa.array(order[first:last])))
    return paths


def _sorted(path: Path) -> pa.Table:
    with path.open("rb") as file, pa.ipc.open_stream(file) as reader:
        table = reader.read_all()
    last = table.num_columns - 1
    order = np.argsort(table.column(last).to_numpy())
    return table.select(list(range(last))).take(pa.array(order))
