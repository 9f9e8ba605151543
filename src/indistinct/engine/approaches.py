"""Counting keys on one machine: the three approaches of Dalenius (1986, section 3.2) on T2 words.

- *sort* (approach 1): sort the words and number the runs;
- *tally* (approach 2): a running table of the words met so far. To keep the table in cache, and
  to work when the words do not fit in memory, records are first dealt into parts by a hash of
  their word; each part is tallied on its own, and equal keys always share a part;
- *catalogue* (approach 3): one counter for every possible word.

All give the same classes; the order in which they find them differs, and `LocalTally` hides it.

Memory that is touched for the first time costs as much as the counting itself, so buffers are
used again and nothing is copied that can be found again when it is wanted.

The words of all records while they are counted, in memory or on disk.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import numpy as np

from indistinct.core import Array, Ints, Words, progress, systems
from indistinct.engine import kernels
from indistinct.engine.coding import KeyCoding, text_columns
from indistinct.engine.tally import BLOCK_RECORDS, Approach, Dealt, LocalTally, sorting_order
from indistinct.files import Source

__all__ = ["count_words"]

PART_RECORDS = 1 << 14
"""Records per part: the part's words, counters and table then fit in a core's own cache."""

MOST_PARTS = 1 << 12

PROGRAM_MEMORY = 400 * 10**6
"""What the program and its libraries take before they count."""


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
    words = f"counting by {', '.join(coding.names)}"
    with progress.task(words, total=source.records, unit="records") as counting:
        if approach == "catalogue":
            return _by_catalogue(source, coding, counting)
        if approach == "sort":
            return _by_sorting(source, coding, counting)
        return _by_parts(source, coding, counting, threads=threads, memory=memory, scratch=scratch)


def _packed(source: Source, coding: KeyCoding) -> Iterator[Words]:
    """Give the words of a block of records at a time, in a buffer that is used again."""
    text = text_columns(source.schema, coding.names)
    room = min(source.records, BLOCK_RECORDS), len(coding.groups)
    buffer = np.empty(room, dtype=np.uint64, order="F")
    for batch in source.batches(coding.names, batch_records=BLOCK_RECORDS, as_dictionary=text):
        columns = [batch.column(name) for name in coding.names]
        yield coding.pack(columns, out=buffer[: batch.num_rows])


def _by_catalogue(source: Source, coding: KeyCoding, counting: progress.Task) -> LocalTally:
    cells = np.zeros(coding.cells, dtype=np.uint32)
    members = np.empty(source.records, dtype=np.uint32)
    at = 0
    for words in _packed(source, coding):
        kernels.count_cells(words, cells, members[at : at + len(words)])
        at += len(words)
        counting.advance(len(words))
    filled = np.flatnonzero(cells)
    # the cell of a record becomes the number of the class that the cell holds
    rank = np.cumsum(cells != 0, dtype=np.uint32) - np.uint32(1)
    kernels.look_up(members, rank, members)
    return LocalTally(
        coding,
        at,
        counts=cells[filled].astype(np.int64),
        members=members,
        approach="catalogue",
        find_words=lambda: filled.astype(np.uint64).reshape(-1, 1),
    )


def _by_sorting(source: Source, coding: KeyCoding, counting: progress.Task) -> LocalTally:
    words = np.empty((source.records, len(coding.groups)), dtype=np.uint64)
    at = 0
    for block in _packed(source, coding):
        words[at : at + len(block)] = block
        at += len(block)
        counting.advance(len(block) // 2)  # the other half of the work is sorting
    order = sorting_order(words)
    members = np.empty(at, dtype=np.uint32)
    counts = np.empty(at, dtype=np.int64)
    classes = kernels.number_runs(words, order, members, counts)
    counts = counts[:classes].copy()
    first = order[np.cumsum(counts) - counts]
    return LocalTally(
        coding,
        at,
        counts=counts,
        members=members,
        approach="sort",
        find_words=lambda: words[first],
    )


def _by_parts(
    source: Source,
    coding: KeyCoding,
    counting: progress.Task,
    *,
    threads: int,
    memory: int,
    scratch: Path,
) -> LocalTally:
    records, width = source.records, len(coding.groups)
    bits = max(0, min(MOST_PARTS, records // PART_RECORDS).bit_length() - 1)
    # members (4 bytes), parts (2) and at most one counter (4) a record stay in memory; the words
    # go to disk when they would not fit beside them
    on_disk = PROGRAM_MEMORY + records * (4 + 2 + 4 + 8 * width) > memory
    store = WordStore(records, width, scratch=scratch, on_disk=on_disk)
    parts = np.empty(records, dtype=np.uint16)
    blocks: list[Array] = []
    at = 0
    for words in _packed(source, coding):
        end = at + len(words)
        bounds = np.empty((1 << bits) + 1, dtype=np.int64)
        kernels.partition(words, bits, parts[at:end], bounds, store.block(at, end))
        store.keep(at, end)
        blocks.append(bounds + at)
        at = end
        counting.advance(len(words) // 2)  # the other half of the work is the tally
    offsets = np.array(blocks)
    members = np.empty(records, dtype=np.uint32)
    largest = int(np.diff(offsets, axis=1).sum(axis=0).max(initial=0))
    rooms = _PerThread(largest, width)

    def tally(part: int) -> Array:
        spans = store.spans(offsets, part)
        words = store.read(spans, rooms.words)
        slots, keys, counts, member = rooms.emptied(len(words))
        classes = kernels.count_words(words, slots, keys, counts, member)
        taken = 0
        for start, end in spans:
            members[start:end] = member[taken : taken + end - start]
            taken += end - start
        counting.advance(taken // 2)
        return counts[:classes].copy()

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(tally, range(1 << bits)))
    classes = np.array([len(counts) for counts in found], dtype=np.int64)
    bases = np.cumsum(classes) - classes

    def find_words() -> Words:
        """Take a class's words from any of its records."""
        keys = np.empty((int(classes.sum()), width), dtype=np.uint64)
        for part in range(1 << bits):
            spans = store.spans(offsets, part)
            member = np.concatenate([members[start:end] for start, end in spans])
            keys[bases[part] + member] = store.read(spans, rooms.words)
        return keys

    return LocalTally(
        coding,
        at,
        counts=np.concatenate(found),
        members=members,
        approach="tally",
        find_words=find_words,
        dealt=Dealt(parts, offsets, bases),
    )


class _PerThread(threading.local):
    """Working arrays that a thread uses for one part after the other."""

    def __init__(self, most: int, width: int) -> None:
        self.words = np.empty((most, width), dtype=np.uint64)
        self._slots = np.empty(_table_size(most), dtype=np.uint32)
        self._keys = np.empty((most, width), dtype=np.uint64)
        self._counts = np.empty(most, dtype=np.int32 if most < 1 << 31 else np.int64)
        self._member = np.empty(most, dtype=np.uint32)

    def emptied(self, records: int) -> tuple[Array, Array, Array, Array]:
        """Give an empty table, and room for keys, counts and members of so many records."""
        slots = self._slots[: _table_size(records)]
        slots[:] = 0
        return slots, self._keys, self._counts, self._member


def _table_size(records: int) -> int:
    """A power of two, so that the table is at most half full."""
    return 1 << (max(2, 2 * records) - 1).bit_length()


# The words of all records while they are counted, in memory or on disk ---------------------------


Spans = list[tuple[int, int]]


class WordStore:
    """Words by their place, written block by block and read part by part.

    On disk they are in a file without a name, which vanishes with the process.
    """

    def __init__(self, records: int, width: int, *, scratch: Path, on_disk: bool) -> None:
        self._width = width
        self._file: BinaryIO | None = None
        room = min(records, BLOCK_RECORDS) if on_disk else records
        self._buffer = np.empty((room, width), dtype=np.uint64)
        if on_disk:
            self._file = tempfile.TemporaryFile(  # noqa: SIM115 - lives as long as the store
                dir=scratch, buffering=0
            )

    def block(self, start: int, end: int) -> Words:
        """The place to put a block's words."""
        return self._buffer[start:end] if self._file is None else self._buffer[: end - start]

    def keep(self, start: int, end: int) -> None:
        """Keep the block just filled."""
        if self._file is not None:
            self._file.write(self._buffer[: end - start].data)

    def spans(self, offsets: Ints, part: int) -> Spans:
        """Where the words of a part lie: a span in every block."""
        return list(zip(offsets[:, part].tolist(), offsets[:, part + 1].tolist(), strict=True))

    def read(self, spans: Sequence[tuple[int, int]], room: Words) -> Words:
        """The words of some spans, one after the other, at the start of `room`."""
        out = room[: sum(end - start for start, end in spans)]
        if self._file is None:
            return np.concatenate([self._buffer[start:end] for start, end in spans], out=out)
        row = 8 * self._width
        view = out.reshape(-1).view(np.uint8)
        at = 0
        for start, end in spans:
            size = (end - start) * row
            if size:
                systems.read_at(self._file.fileno(), view[at : at + size].data, start * row)
                at += size
        return out
