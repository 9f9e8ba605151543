"""What every engine can do with records, and the part of it that is written once.

An engine has three operations of its own: run a query (`sql`), count by a key (`count`) and
pass every record through a function (`transform`). All else (describing, recoding, sampling,
attaching, writing) is made of these, here, for one machine and for a cluster alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    Bools,
    Floats,
    Fraction,
    InputError,
    Ints,
    Variables,
    above,
    check_number,
    held_kind,
    holds_numbers,
    progress,
)
from indistinct.engine.tally import Approach, Tally
from indistinct.files import Source

__all__ = ["WEIGHT_UNIT", "Change", "ColumnFacts", "Engine", "EngineName", "weight_units"]

EngineName = Literal["duckdb", "spark"]

Change = Callable[[pa.RecordBatch, Ints], pa.RecordBatch]
"""A function of a batch and the numbers of its records. It must treat every record by itself
(batches differ between engines), and may leave records out or put others after one, never
reorder them."""

WEIGHT_UNIT = 1 << 28
"""Weights are added as whole multiples of 2⁻²⁸, so that a sum does not depend on the order in
which an engine adds; good for totals up to 34 thousand million people."""

CELLS_AT_ONCE = 1_000_000
"""Cells of which distinct values are counted in one query: more gain nothing and take memory."""


@dataclass(frozen=True)
class ColumnFacts:
    """What the records say about one column."""

    name: str
    kind: str
    distinct: int
    missing: int
    smallest: Any
    largest: Any


class Engine(ABC):
    """Reads records, counts them, changes copies of them; never the user's own file.

    Parameters
    ----------
    workspace
        A private directory for what the engine writes on the way.
    memory
        Bytes it may use before it spills to the workspace.
    threads
        Threads of this process (a cluster has its own).
    """

    name: EngineName

    def __init__(self, workspace: Path, *, memory: int, threads: int) -> None:
        self.workspace = workspace
        self.memory = memory
        self.threads = threads
        self._made = 0

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds."""

    @abstractmethod
    def sql(self, query: str, **sources: Source) -> pa.Table:
        """Run a query over sources by name; the text must mean the same on every engine."""

    @abstractmethod
    def count(
        self, source: Source, key: Sequence[str], *, approach: Approach | None = None
    ) -> Tally:
        """Count the records by a key. Without an approach the engine takes the cheapest."""

    @abstractmethod
    def transform(
        self, source: Source, change: Change, *, schema: pa.Schema, variables: Variables
    ) -> Source:
        """Pass every record through a function into a new source, in record order."""

    def new_path(self) -> Path:
        """Name a file in the workspace that does not exist yet."""
        self._made += 1
        return self.workspace / f"{self.name}-{self._made}.parquet"

    def describe(self, source: Source, columns: Sequence[str] | None = None) -> list[ColumnFacts]:
        """Return distinct values, missing values, smallest and largest of each column."""
        names = list(columns) if columns is not None else list(source.variables)
        source.check_columns(names)
        kinds = source.schema
        # wide files are opened once for many columns; of long ones few are counted at once
        at_once = max(1, min(200, CELLS_AT_ONCE // max(source.records, 1)))
        facts = []
        with progress.task("describing variables", total=len(names), unit="variables") as task:
            for start in range(0, len(names), at_once):
                some = names[start : start + at_once]
                facts += self._describe(source, {name: kinds.field(name).type for name in some})
                task.advance(len(some))
        return facts

    def _describe(self, source: Source, kinds: Mapping[str, pa.DataType]) -> list[ColumnFacts]:
        asked = []
        for i, (name, kind) in enumerate(kinds.items()):
            value = quote(name)
            if pa.types.is_floating(kind):
                # as in counting, a not-a-number is a missing value
                value = f"CASE WHEN isnan({value}) THEN NULL ELSE {value} END"
            asked.append(
                f"count(DISTINCT {value}) AS d{i}, count({value}) AS n{i}, "
                f"min({value}) AS low{i}, max({value}) AS high{i}"
            )
        found = self.sql(f"SELECT {', '.join(asked)} FROM records", records=source)
        facts = []
        for i, (name, kind) in enumerate(kinds.items()):
            distinct, present = (found.column(f"{c}{i}")[0].as_py() for c in ("d", "n"))
            # engines have other types for the same values: unsigned numbers, time zones
            low, high = (
                found.column(f"{c}{i}").cast(held_kind(kind))[0].as_py() if present else None
                for c in ("low", "high")
            )
            missing = source.records - present
            facts.append(ColumnFacts(name, str(kind), distinct, missing, low, high))
        return facts

    def class_weights(self, source: Source, tally: Tally, weight: str) -> Floats:
        """Add up the weights of each class, in the order of its sorted keys."""
        source.check_columns([weight])
        amounts = (
            weight_units(batch.column(0), source=source, column=weight, start=start)
            for batch, start in numbered(source.batches([weight]))
        )
        return tally.sums(amounts) / float(WEIGHT_UNIT)

    def recode(
        self, source: Source, column: str, mapping: Mapping[Any, Any], *, kind: pa.DataType
    ) -> Source:
        """Replace every value of a column by its image; a missing value stays missing.

        A value without an image is refused, with its record number.
        """
        source.check_columns([column])
        schema = source.schema
        position = schema.get_field_index(column)
        old = pa.array(list(mapping), type=schema.field(column).type)
        new = pa.array(list(mapping.values()), type=kind)

        def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
            values = batch.column(position)
            found = pc.index_in(values, value_set=old, skip_nulls=True)
            unknown = pc.and_(pc.is_null(found), pc.is_valid(values)).to_numpy(zero_copy_only=False)
            if unknown.any():
                record = int(records[np.argmax(unknown)]) + 1
                raise InputError(
                    f"{source.origin}: the value of '{column}' in record {record:,} is not in the "
                    "recoding. Add it, or correct the record."
                )
            return batch.set_column(position, pa.field(column, kind), new.take(found))

        target = schema.set(position, pa.field(column, kind))
        return self.transform(source, change, schema=target, variables=source.variables)

    def sample(
        self,
        source: Source,
        *,
        size: int | None = None,
        fraction: Fraction | None = None,
        rng: np.random.Generator,
    ) -> Source:
        """Draw records without replacement, kept in file order."""
        if (size is None) == (fraction is None):
            raise InputError("A sample needs either a size or a fraction.")
        if fraction is not None:
            check_number("The fraction", fraction, above(0, 1))
            size = round(source.records * fraction)
        if size is None or not 0 <= size <= source.records:
            raise InputError(
                f"The sample's size must be between 0 and {source.records:,}. Got {size}."
            )
        chosen = rng.choice(source.records, size=size, replace=False, shuffle=False)
        keep = np.zeros(source.records, dtype=bool)
        keep[chosen] = True
        return self.keep(source, keep)

    def keep(self, source: Source, keep: Bools) -> Source:
        """Leave out the records whose entry in `keep` is false."""

        def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
            return batch.filter(pa.array(keep[records]))

        return self.transform(source, change, schema=source.schema, variables=source.variables)


def weight_units(weights: pa.Array, *, source: Source, column: str, start: int = 0) -> Ints:
    """Return weights as multiples of 1/`WEIGHT_UNIT`; they must be positive numbers."""
    kind = weights.type
    if not holds_numbers(kind):
        raise InputError(
            f"{source.origin}: the weight '{column}' must be a number column. Got {kind}."
        )
    values = weights.cast(pa.float64()).fill_null(np.nan).to_numpy()
    bad = ~(values > 0) | np.isinf(values)
    if bad.any():
        record = start + int(np.argmax(bad)) + 1
        raise InputError(
            f"{source.origin}: the weight '{column}' in record {record:,} is missing, zero, "
            "negative or infinite. Weights must be positive: correct it or leave the record out."
        )
    units: Ints = np.floor(values * WEIGHT_UNIT + 0.5).astype(np.int64)
    return units


def numbered(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Give each batch with the number of its first record."""
    start = 0
    for batch in batches:
        yield batch, start
        start += batch.num_rows


def quote(name: str) -> str:
    """Quote a column name for a query; engines are set to take double quotes."""
    return '"' + name.replace('"', '""') + '"'
