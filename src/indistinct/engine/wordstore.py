"""The words of all records while they are counted, in memory or on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from indistinct.core import Ints, Words, systems
from indistinct.engine.tally import BLOCK_RECORDS

__all__ = ["WordStore"]

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
