"""Households in another order, their people together and in the order they were."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from indistinct.engine import Engine
from indistinct.files import Source, dialect_of, parquet_writer
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.households.groups import Ints, read_households, shuffled

__all__ = ["ScrambleHouseholds", "in_order"]


# Writing records in another order, without holding them all in memory.


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


@dataclass(frozen=True)
class ScrambleHouseholds(Step, kind="scramble-households"):
    """Put the households in an order drawn at random; every order is equally likely.

    People of a household stand together afterwards, in the order in which they were. A record
    without a household is one by itself. No cell changes; record numbers mean other records
    afterwards, so steps that name records by number come before.
    """

    truthful = True

    household: str

    draws_at_random = True

    def describe(self) -> str:
        """Say what is done."""
        return f"put the households (by {self.household}) in an order drawn at random"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Draw the order, and write the records in it."""
        households = read_households(engine, source, self.household)
        rank = np.empty(len(households), dtype=np.int64)
        rank[shuffled(context.draws(), "order", households.first)] = np.arange(len(households))
        order = np.argsort(rank[households.of_record], kind="stable")
        result = in_order(engine, source, order)
        return self.with_receipt(
            source,
            result,
            notes=(
                f"{len(households):,} households stand in a new order; record numbers before and "
                "after have nothing to do with each other",
            ),
            rows=order,
        )
