"""Scrambling: tuples in another order, where the order tells something (section 4.1).

The order is that of a random number drawn for each record, ties by record number: a function of
the seed and the records' numbers, whatever the engine. An engine's `transform` keeps the order, so
the records are dealt here into heaps by the first bits of their numbers, on disk in the engine's
workspace, and each heap is sorted by itself: memory holds one heap at a time.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from indistinct.core import Ints, Words
from indistinct.engine import Engine
from indistinct.files import Source, dialect_of, parquet_writer
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step

__all__ = ["ScrambleOrder"]

HEAP_CELLS = 1 << 24
"""Cells in a heap, on average: a hundred megabytes or so, in memory one at a time."""

MOST_HEAPS = 256


@dataclass(frozen=True)
class ScrambleOrder(Step, kind="scramble-order"):
    """Put the records in an order drawn at random; every order is equally likely.

    No cell changes. Record numbers mean other records afterwards, so steps that name records by
    number come before.
    """

    truthful = True

    draws_at_random = True

    def describe(self) -> str:
        """Say what is done."""
        return "put the records in an order drawn at random"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Deal the records into heaps, and write each in its order."""
        path = engine.new_path()
        folder = path.with_suffix(".heaps")
        folder.mkdir()
        try:
            heaps = _dealt(source, context.draws(), folder)
            with parquet_writer(
                path, source.schema, source.variables, dialect=dialect_of(source)
            ) as writer:
                for heap in heaps:
                    for table in _in_order(heap):
                        writer.write(table)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        result = Source(path, source.origin, source.variables, source.records, source.notes)
        return self.with_receipt(
            source,
            result,
            notes=("record numbers before and after have nothing to do with each other",),
            rows=_order(source.records, context.draws()),
        )


def _order(records: int, draws: Draws) -> Ints:
    """Return the order in which the records stand afterwards, by their numbers before."""
    numbers = np.arange(records)
    return np.lexsort((numbers, draws.words("order", numbers))).astype(np.int64)


def _dealt(source: Source, draws: Draws, folder: Path) -> list[Path]:
    """Deal the records into files, by the random number of each."""
    cells = source.records * (len(source.variables) + 2)
    bits = min(MOST_HEAPS, -(-cells // HEAP_CELLS) or 1).bit_length() - 1
    paths = [folder / f"{i:03}" for i in range(1 << bits)]
    schema = source.schema.remove_metadata()
    # beside the columns, by position: their names may be any
    schema = schema.append(pa.field("word", pa.uint64())).append(pa.field("number", pa.int64()))
    with ExitStack() as stack:
        writers = [
            stack.enter_context(pa.ipc.new_stream(stack.enter_context(path.open("wb")), schema))
            for path in paths
        ]
        start = 0
        for batch in source.batches():
            numbers = np.arange(start, start + batch.num_rows)
            start += batch.num_rows
            words = draws.words("order", numbers)
            columns = [*batch.columns, pa.array(words), pa.array(numbers)]
            whole = pa.record_batch(columns, schema=schema)
            heap = words >> np.uint64(64 - bits) if bits else np.zeros_like(words)
            order = np.argsort(heap, kind="stable")
            ends = np.cumsum(np.bincount(heap.astype(np.int64), minlength=len(paths)))
            for writer, first, last in zip(writers, [0, *ends[:-1]], ends, strict=True):
                if last > first:
                    writer.write_batch(whole.take(pa.array(order[first:last])))
    return paths


def _in_order(path: Path) -> list[pa.Table]:
    with path.open("rb") as file, pa.ipc.open_stream(file) as reader:
        table = reader.read_all()
    words: Words = table.column(table.num_columns - 2).to_numpy()
    numbers: Ints = table.column(table.num_columns - 1).to_numpy()
    order = np.lexsort((numbers, words))
    kept = list(range(table.num_columns - 2))
    return [table.select(kept).take(pa.array(order))] if len(order) else []
