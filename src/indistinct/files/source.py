"""A data set as the engines see it: Parquet on disk, with what is known about its variables.

Every other format is turned into Parquet once, in a private workspace (see `workspace`), so
that engines have one format to read and the user's own file is never touched.

A file that is damaged inside is a matter of the file, and said so.

Footers are checked when a file is opened; what a page holds is only seen when it is read. Messages
of Arrow may show a value, so none of them is passed on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.core import InputError, Variables

__all__ = ["BATCH_RECORDS", "Source", "reading_records"]

BATCH_RECORDS = 1 << 18
"""Records per batch when a source is streamed: a few megabytes a column set, so it stays in
cache, and many enough that the cost of starting a batch does not show."""

_RUNS = 10
"""Places of a file from which records are looked at."""

_READ_AT_ONCE = 1 << 14

LARGEST_GROUP = 1 << 21
"""Records in a row group, on average, up to which row groups are read whole."""


@dataclass(frozen=True)
class Source:
    """Records to be read, never changed.

    Parameters
    ----------
    path
        The Parquet file that engines read.
    origin
        What the user named, for messages: a file path, or a query.
    variables
        Name, role, level and labels of every column, in file order.
    records
        The number of records.
    notes
        What was found out while reading, for people: delimiter, encoding, decimal sign.
    """

    path: Path
    origin: str
    variables: Variables
    records: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Source({self.origin!r}, {self.records:,} records, {len(self.variables)} variables)"

    @property
    def identity(self) -> tuple[object, ...]:
        """What is another if the records are: what is known of a file holds for this alone."""
        seen = self.path.stat()
        return self.path, seen.st_ino, seen.st_size, seen.st_mtime_ns, self.records

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the records."""
        return pq.read_schema(self.path)

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse names that are not columns, with a hint."""
        for name in names:
            try:
                self.variables[name]
            except InputError as error:
                raise InputError(f"{self.origin}: {error}") from None

    def batches(
        self,
        columns: Sequence[str] | None = None,
        *,
        batch_records: int = BATCH_RECORDS,
        as_dictionary: Sequence[str] = (),
    ) -> Iterator[pa.RecordBatch]:
        """Stream the records in file order, some columns or all.

        Text columns named in `as_dictionary` come as the file stores them, as indices into a
        short list of values.
        """
        if columns is not None:
            self.check_columns(columns)
        with (
            reading_records(self.origin),
            pq.ParquetFile(self.path, read_dictionary=list(as_dictionary), pre_buffer=True) as file,
        ):
            groups = file.metadata.num_row_groups
            if self.records > groups * LARGEST_GROUP:
                yield from file.iter_batches(batch_size=batch_records, columns=columns)
                return
            # a row group at once is read in three quarters of the time
            for group in range(groups):
                table = file.read_row_group(group, columns=columns)
                yield from table.combine_chunks().to_batches(max_chunksize=batch_records)

    def check_readable(self) -> None:
        """Read everything, and refuse a file that is damaged somewhere."""
        for _ in self.batches():
            pass

    def first(self, records: int) -> pa.Table:
        """Return the first records, and read no more than them."""
        with reading_records(self.origin), pq.ParquetFile(self.path) as file:
            batch = next(file.iter_batches(batch_size=max(records, 1)), None)
        return self.schema.empty_table() if batch is None else pa.Table.from_batches([batch])

    def spread(self, records: int) -> pa.Table:
        """Return some records from all over the file, in runs that stand together there.

        A file in some order begins with what is not like the rest. Of a file of many row groups
        runs begin where groups do, so that little of it is read.
        """
        if self.records <= records:
            return self.first(records)
        each = -(-records // _RUNS)
        with reading_records(self.origin), pq.ParquetFile(self.path) as file:
            sizes = [
                file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)
            ]
            runs: list[pa.RecordBatch] = []
            for group, starts in _runs(sizes, each).items():
                batches = file.iter_batches(batch_size=_READ_AT_ONCE, row_groups=[group])
                runs += _cut(batches, starts, each)
        return pa.Table.from_batches(runs)

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the records as one Arrow table: for small files and tests."""
        with reading_records(self.origin):
            return pq.read_table(self.path, columns=columns)

    def to_pandas(self, columns: Sequence[str] | None = None) -> Any:
        """Return the records as a pandas frame (pandas must be installed)."""
        return self.table(columns).to_pandas()


def _runs(sizes: Sequence[int], each: int) -> dict[int, list[int]]:
    """Return for row groups where in them runs of records begin, spread over the file.

    >>> _runs([100], 2), list(_runs([10] * 40, 2))
    ({0: [0, 10, 21, 32, 43, 54, 65, 76, 87, 98]}, [0, 4, 8, 13, 17, 21, 26, 30, 34, 39])
    """
    last = len(sizes) - 1
    if len(sizes) >= _RUNS:
        return {n * last // (_RUNS - 1): [0] for n in range(_RUNS)}
    of_each = -(-_RUNS // len(sizes))
    return {
        group: [n * max(size - each, 0) // max(of_each - 1, 1) for n in range(of_each)]
        for group, size in enumerate(sizes)
    }


def _cut(
    batches: Iterator[pa.RecordBatch], starts: Sequence[int], each: int
) -> Iterator[pa.RecordBatch]:
    """Give so many records from each start on, and read no further than the last; none twice."""
    at, seen, wanted = 0, 0, list(starts)
    for batch in batches:
        while wanted and wanted[0] < at + batch.num_rows:
            start = max(wanted[0], seen)
            piece = batch.slice(max(start - at, 0), wanted[0] + each - max(start, at))
            if piece.num_rows:
                seen = max(start, at) + piece.num_rows
                yield piece
            if wanted[0] + each > at + batch.num_rows:
                break
            del wanted[0]
        at += batch.num_rows
        if not wanted:
            return


# A file that is damaged inside is a matter of the file -------------------------------------------


@contextmanager
def reading_records(origin: str) -> Iterator[None]:
    """Read records inside; what cannot be read is told as a damage of the file.

    >>> with reading_records("people.parquet"):
    ...     raise OSError("Unexpected end of stream")
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: people.parquet is damaged: some of its records cannot be ...
    """
    try:
        yield
    except (
        pa.ArrowInvalid,
        pa.ArrowNotImplementedError,
        pa.ArrowSerializationError,
        OSError,
    ) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the disk, not of the file
        raise InputError(
            f"{origin} is damaged: some of its records cannot be read. Get a whole copy of the "
            "file, or write it anew."
        ) from None
