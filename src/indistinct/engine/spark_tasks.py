"""What a Spark task does with its row group, in plain Arrow and NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.core import Array, Ints, Words
from indistinct.engine import kernels
from indistinct.engine.coding import KeyCoding
from indistinct.engine.tally import BLOCK_RECORDS
from indistinct.files import Source, reading_records

__all__ = [
    "Part",
    "class_numbers",
    "packed",
    "parts_of",
    "ranking",
    "serialised",
    "stream",
    "tallied",
]


@dataclass(frozen=True)
class Part:
    """One row group of a source: what a task reads."""

    path: Path
    number: int
    start: int
    """The number of its first record."""

    def batches(
        self, columns: Sequence[str] | None = None, *, records: int, text: Sequence[str] = ()
    ) -> Iterator[pa.RecordBatch]:
        """Stream its records, some columns or all."""
        with (
            reading_records(str(self.path)),
            pq.ParquetFile(self.path, read_dictionary=list(text)) as file,
        ):
            yield from file.iter_batches(records, row_groups=[self.number], columns=columns)


def parts_of(source: Source) -> list[Part]:
    """Return the parts of a source in record order."""
    metadata = pq.read_metadata(source.path)
    sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    starts = np.cumsum([0, *sizes])
    path = source.path.resolve()
    return [Part(path, number, int(starts[number])) for number in range(len(sizes))]


def ranking(table: Words) -> list[Words]:
    """Return what `class_numbers` needs to find words in a sorted table of distinct words.

    The words of a row become one number: its rank in the first column, then with each further
    column the rank so far times the number of words there plus the rank there, ranked again. No
    rank exceeds the number of rows, so the products fit in 64 bits.
    """
    if table.shape[1] == 1:
        return [table[:, 0]]
    arrays = [np.unique(table[:, 0])]
    ranks = np.searchsorted(arrays[0], table[:, 0]).astype(np.uint64)
    for j in range(1, table.shape[1]):
        column = np.unique(table[:, j])
        both = _combined(ranks, column, table[:, j])
        pairs = np.unique(both)
        ranks = np.searchsorted(pairs, both).astype(np.uint64)
        arrays += [column, pairs]
    return arrays


def class_numbers(arrays: Sequence[Words], words: Words) -> Ints:
    """Return the rows in which words stand in a sorted table, given its `ranking`.

    >>> table = np.array([[1, 7], [2, 5], [2, 9]], dtype=np.uint64)
    >>> class_numbers(ranking(table), table[[2, 0, 1]])
    array([2, 0, 1])
    """
    ranks = np.searchsorted(arrays[0], words[:, 0])
    for j in range(1, words.shape[1]):
        column, pairs = arrays[2 * j - 1], arrays[2 * j]
        ranks = np.searchsorted(pairs, _combined(ranks, column, words[:, j]))
    return ranks


def _combined(ranks: Array, column: Words, words: Words) -> Words:
    own = np.searchsorted(column, words).astype(np.uint64)
    return ranks.astype(np.uint64) * np.uint64(len(column)) + own


def packed(part: Part, coding: KeyCoding, text: Sequence[str]) -> Iterator[Words]:
    """Stream the words of a part's records; the columns named in `text` are read as lists."""
    for batch in part.batches(coding.names, records=BLOCK_RECORDS, text=text):
        yield coding.pack([batch.column(name) for name in coding.names])


def tallied(words: Words) -> tuple[Words, Ints]:
    """Return the distinct words of a block and how often each occurs."""
    records = len(words)
    slots = np.zeros(1 << (2 * records - 1).bit_length(), dtype=np.uint32)
    keys, counts = np.empty_like(words), np.empty(records, dtype=np.int64)
    members = np.empty(records, dtype=np.uint32)
    classes = kernels.count_words(words, slots, keys, counts, members)
    return keys[:classes], counts[:classes]


def serialised(batch: pa.RecordBatch) -> bytes:
    """Write a batch as bytes that `pyarrow.ipc.open_stream` reads."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def stream(path: Path) -> Iterator[pa.RecordBatch]:
    """Read the batches that a task wrote; a part without records left an empty file."""
    if path.stat().st_size:
        with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
            yield from reader
