"""Counting keys on one machine: the three approaches of Dalenius (1986, section 3.2) on T2 words.

- *sort* (approach 1): sort the words and number the runs;
- *tally* (approach 2): a running table of the words met so far. To keep the table in cache, and
  to work when the words do not fit in memory, records are first dealt into parts by a hash of
  their word; each part is tallied on its own, and equal keys always share a part;
- *catalogue* (approach 3): one counter for every possible word.

All give the same classes; the order in which they find them differs, and `Tally` hides it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.engine import kernels
from indistinct.engine.coding import KeyCoding, text_columns
from indistinct.files.source import Source

__all__ = ["Approach", "LocalTally", "Tally", "count_words"]

Approach = Literal["sort", "tally", "catalogue"]

BLOCK_RECORDS = 1 << 20
PART_RECORDS = 1 << 14
"""Records per part: the part's words, counters and table then fit in a core's own cache."""

MOST_PARTS = 1 << 12

Array = NDArray[Any]


class Tally:
    """What counting by a key gives: the classes, their counts, and each record's class.

    Class numbers follow the sorted order of the keys, on every engine and for every approach.
    """

    coding: KeyCoding
    records: int
    counts: NDArray[np.int64]
    """Records in each class, in the engine's own order: for statistics of counts only."""
    approach: str
    """How they were counted, for people."""

    @property
    def classes(self) -> int:
        """The number of distinct keys."""
        return len(self.counts)

    def sorted_words(self) -> NDArray[np.uint64]:
        """The words of the classes, sorted."""
        raise TypeError("An engine's tally says how.")

    def sorted_counts(self) -> NDArray[np.int64]:
        """The counts of the classes, in the order of `sorted_words`."""
        raise TypeError("An engine's tally says how.")

    def per_record(self, values: Array) -> Iterator[Array]:
        """Give every record the value of its class, in record order, a batch at a time.

        `values` has one entry for each class, in the order of `sorted_words`.
        """
        raise TypeError("An engine's tally says how.")

    def frequencies(self) -> Iterator[NDArray[np.int64]]:
        """The number of records with the same key, for every record, a batch at a time."""
        return self.per_record(self.sorted_counts())

    def sums(self, amounts: Iterator[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Add up a whole number per record by class, in the order of `sorted_words`."""
        totals = np.zeros(self.classes, dtype=np.int64)
        numbers = self.per_record(np.arange(self.classes, dtype=np.int64))
        for classes, amount in aligned(numbers, amounts):
            kernels.add_by_class(classes, amount, totals)
        return totals


def aligned(first: Iterator[Array], second: Iterator[Array]) -> Iterator[tuple[Array, Array]]:
    """Pair two streams of arrays whose batches end at different records."""
    left = right = np.empty(0)
    while True:
        if not len(left):
            left = next(first, left)
        if not len(right):
            right = next(second, right)
        both = min(len(left), len(right))
        if not both:
            return
        yield left[:both], right[:both]
        left, right = left[both:], right[both:]


@dataclass(frozen=True, eq=False)
class LocalTally(Tally):
    """Classes found on this machine, in the order in which the approach found them.

    `members` holds each record's class: within its part where there are parts (`parts`,
    `offsets`, `bases`), and in record order where there are none.
    """

    coding: KeyCoding
    records: int
    counts: NDArray[np.int64]
    words: NDArray[np.uint64]
    members: NDArray[np.uint32]
    approach: str
    parts: NDArray[np.uint16] | None = None
    offsets: NDArray[np.int64] | None = None
    bases: NDArray[np.int64] | None = None

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        if self.words.shape[1] == 1:
            return np.argsort(self.words[:, 0])
        return np.lexsort(self.words.T[::-1])

    def sorted_words(self) -> NDArray[np.uint64]:
        """The words of the classes, sorted."""
        return self.words[self._order]

    def sorted_counts(self) -> NDArray[np.int64]:
        """The counts of the classes, in the order of `sorted_words`."""
        return self.counts[self._order]

    def per_record(self, values: Array) -> Iterator[Array]:
        """Give every record the value of its class, in record order, a batch at a time."""
        own = np.empty_like(values)
        own[self._order] = values
        return self._spread(own)

    def frequencies(self) -> Iterator[NDArray[np.int64]]:
        """The number of records with the same key, for every record; needs no sorting."""
        return self._spread(self.counts)

    def _spread(self, own: Array) -> Iterator[Array]:
        if self.parts is None or self.offsets is None or self.bases is None:
            for start in range(0, self.records, BLOCK_RECORDS):
                yield own[self.members[start : start + BLOCK_RECORDS]]
            return
        found = np.empty(self.records, dtype=own.dtype)
        kernels.gather(self.members, self.offsets, self.bases, own, found)
        for block in self.offsets:
            start, end = block[0], block[-1]
            out = np.empty(end - start, dtype=own.dtype)
            kernels.to_record_order(self.parts[start:end], block - start, found[start:end], out)
            yield out


def count_words(
    source: Source,
    coding: KeyCoding,
    *,
    approach: Approach,
    threads: int,
    memory: int,
    scratch: Path,
) -> LocalTally:
    """Count the keys of a source by one of the approaches."""
    if approach == "catalogue":
        return _by_catalogue(source, coding)
    if approach == "sort":
        return _by_sorting(source, coding)
    return _by_parts(source, coding, threads=threads, memory=memory, scratch=scratch)


def _packed(source: Source, coding: KeyCoding) -> Iterator[NDArray[np.uint64]]:
    for columns in _key_columns(source, coding):
        yield coding.pack(columns)


def _key_columns(source: Source, coding: KeyCoding) -> Iterator[Sequence[pa.Array]]:
    text = text_columns(source.schema, coding.names)
    for batch in source.batches(coding.names, batch_records=BLOCK_RECORDS, as_dictionary=text):
        yield [batch.column(name) for name in coding.names]


def _by_catalogue(source: Source, coding: KeyCoding) -> LocalTally:
    cells = np.zeros(coding.cells, dtype=np.uint32)
    members = np.empty(source.records, dtype=np.uint32)
    at = 0
    for words in _packed(source, coding):
        kernels.count_cells(words, cells)
        members[at : at + len(words)] = words[:, 0]
        at += len(words)
    filled = np.flatnonzero(cells)
    # the cell of a record becomes the number of the class that the cell holds
    rank = np.cumsum(cells != 0, dtype=np.uint32) - np.uint32(1)
    np.take(rank, members, out=members, mode="clip")
    return LocalTally(
        coding,
        at,
        counts=cells[filled].astype(np.int64),
        words=filled.astype(np.uint64).reshape(-1, 1),
        members=members,
        approach="catalogue",
    )


def _by_sorting(source: Source, coding: KeyCoding) -> LocalTally:
    words = np.empty((source.records, len(coding.groups)), dtype=np.uint64)
    at = 0
    for block in _packed(source, coding):
        words[at : at + len(block)] = block
        at += len(block)
    order = np.argsort(words[:, 0]) if words.shape[1] == 1 else np.lexsort(words.T[::-1])
    members = np.empty(at, dtype=np.uint32)
    counts = np.empty(at, dtype=np.int64)
    classes = kernels.number_runs(words, order, members, counts)
    counts = counts[:classes].copy()
    starts = np.cumsum(counts) - counts
    return LocalTally(
        coding, at, counts=counts, words=words[order[starts]], members=members, approach="sort"
    )


def _by_parts(
    source: Source, coding: KeyCoding, *, threads: int, memory: int, scratch: Path
) -> LocalTally:
    records, width = source.records, len(coding.groups)
    bits = max(0, min(MOST_PARTS, records // PART_RECORDS).bit_length() - 1)
    members = np.empty(records, dtype=np.uint32)
    parts = np.empty(records, dtype=np.uint16)
    offsets: list[Array] = []
    # members, parts and the counters stay; the words go to disk when they would take more than
    # half of the memory
    on_disk = records * width * 8 > memory // 2
    with _WordStore(records, width, scratch=scratch, on_disk=on_disk) as store:
        at = 0
        for words in _packed(source, coding):
            bounds = np.empty((1 << bits) + 1, dtype=np.int64)
            end = at + len(words)
            kernels.partition(words, bits, parts[at:end], bounds, store.block(at, end))
            store.done(at, end)
            offsets.append(bounds + at)
            at = end
        bounds_by_block = np.array(offsets)

        def tally(part: int) -> tuple[Array, Array]:
            spans = [(int(b[part]), int(b[part + 1])) for b in bounds_by_block]
            words = store.read(spans)
            slots = np.zeros(1 << (max(2, 2 * len(words)) - 1).bit_length(), dtype=np.uint32)
            keys = np.empty_like(words)
            counts = np.empty(len(words), dtype=np.int64)
            member = np.empty(len(words), dtype=np.uint32)
            classes = kernels.count_words(words, slots, keys, counts, member)
            taken = 0
            for start, end in spans:
                members[start:end] = member[taken : taken + end - start]
                taken += end - start
            return keys[:classes].copy(), counts[:classes].copy()

        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(tally, range(1 << bits)))
    sizes = np.array([len(counts) for _, counts in found], dtype=np.int64)
    return LocalTally(
        coding,
        at,
        counts=np.concatenate([counts for _, counts in found]),
        words=np.concatenate([keys for keys, _ in found]),
        members=members,
        approach="tally",
        parts=parts,
        offsets=bounds_by_block,
        bases=np.cumsum(sizes) - sizes,
    )


class _WordStore:
    """The words of all records, in memory or in an unnamed file that vanishes with the process."""

    def __init__(self, records: int, width: int, *, scratch: Path, on_disk: bool) -> None:
        self._width = width
        self._file: BinaryIO | None = None
        if on_disk:
            self._file = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 - closed by __exit__
            self._buffer = np.empty((BLOCK_RECORDS, width), dtype=np.uint64)
        else:
            self._buffer = np.empty((records, width), dtype=np.uint64)

    def __enter__(self) -> _WordStore:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
        self._buffer = np.empty((0, self._width), dtype=np.uint64)

    def block(self, start: int, end: int) -> NDArray[np.uint64]:
        """The place to put a block's words."""
        return self._buffer[start:end] if self._file is None else self._buffer[: end - start]

    def done(self, start: int, end: int) -> None:
        """Keep the block just filled."""
        if self._file is not None:
            self._file.write(self._buffer[: end - start].data)

    def read(self, spans: Sequence[tuple[int, int]]) -> NDArray[np.uint64]:
        """The words of one part, which lies in one span of every block."""
        if self._file is None:
            return np.concatenate([self._buffer[start:end] for start, end in spans])
        self._file.flush()
        row = 8 * self._width
        out = np.empty((sum(e - s for s, e in spans), self._width), dtype=np.uint64)
        view = out.reshape(-1).view(np.uint8)
        at = 0
        for start, end in spans:
            size = (end - start) * row
            if size:
                os.preadv(self._file.fileno(), [view[at : at + size].data], start * row)
                at += size
        return out
