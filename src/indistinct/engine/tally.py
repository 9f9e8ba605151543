"""What counting by a key gives: the classes, their counts, and each record's class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Array, Ints, Words
from indistinct.engine import kernels
from indistinct.engine.coding import KeyCoding

__all__ = ["BLOCK_RECORDS", "Approach", "Dealt", "LocalTally", "Tally", "sorting_order"]

Approach = Literal["sort", "tally", "catalogue"]

BLOCK_RECORDS = 1 << 20

BLOCKS_AT_ONCE = 4
"""Blocks whose records are given their values together: enough to use what is in cache, few
enough that the values take little memory."""


class Tally:
    """What counting by a key gives: the classes, their counts, and each record's class.

    Class numbers follow the sorted order of the keys, on every engine and for every approach.
    """

    coding: KeyCoding
    records: int
    counts: Ints
    """Records in each class, in the engine's own order: for statistics of counts only."""
    approach: str
    """How they were counted, for people."""

    @property
    def classes(self) -> int:
        """The number of distinct keys."""
        return len(self.counts)

    def sorted_words(self) -> Words:
        """The words of the classes, sorted."""
        raise TypeError("An engine's tally says how.")

    def sorted_counts(self) -> Ints:
        """The counts of the classes, in the order of `sorted_words`."""
        raise TypeError("An engine's tally says how.")

    def per_record(self, values: Array) -> Iterator[Array]:
        """Give every record the value of its class, in record order, a batch at a time.

        `values` has one entry for each class, in the order of `sorted_words`.
        """
        raise TypeError("An engine's tally says how.")

    def frequencies(self) -> Iterator[Array]:
        """The number of records with the same key, for every record, a batch at a time."""
        return self.per_record(narrow(self.sorted_counts()))

    def sums(self, amounts: Iterator[Ints]) -> Ints:
        """Add up a whole number per record by class, in the order of `sorted_words`."""
        totals = np.zeros(self.classes, dtype=np.int64)
        numbers = self.per_record(np.arange(self.classes, dtype=np.int64))
        for classes, amount in aligned(numbers, amounts):
            kernels.add_by_class(classes, amount, totals)
        return totals


def narrow(counts: Ints) -> Array:
    """Return counts in 32 bits where they fit: half the memory for every record."""
    small = not len(counts) or counts.max() < 1 << 31
    return counts.astype(np.int32) if small else counts


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


def sorting_order(words: Words) -> Ints:
    """Return the order that sorts keys of one or more words."""
    return np.argsort(words[:, 0]) if words.shape[1] == 1 else np.lexsort(words.T[::-1])


@dataclass(frozen=True)
class Dealt:
    """How records were dealt into parts, block by block.

    `parts` is each record's part, `offsets[b, p]` where part `p` of block `b` starts among the
    dealt records, `bases[p]` the number of the first class of part `p`.
    """

    parts: NDArray[np.uint16]
    offsets: Ints
    bases: Ints


@dataclass(frozen=True, eq=False)
class LocalTally(Tally):
    """Classes found on this machine, in the order in which the approach found them.

    `members` holds each record's class, in record order; where records were dealt into parts, in
    dealt order, and counted within the part. `find_words` gives the words of the classes when
    they are wanted.
    """

    coding: KeyCoding
    records: int
    counts: Array
    members: NDArray[np.uint32]
    approach: str
    find_words: Callable[[], Words] = field(repr=False)
    dealt: Dealt | None = None

    @cached_property
    def _words(self) -> Words:
        return self.find_words()

    @cached_property
    def _order(self) -> Ints:
        return sorting_order(self._words)

    def sorted_words(self) -> Words:
        """The words of the classes, sorted."""
        return self._words[self._order]

    def sorted_counts(self) -> Ints:
        """The counts of the classes, in the order of `sorted_words`."""
        return self.counts[self._order].astype(np.int64)

    def per_record(self, values: Array) -> Iterator[Array]:
        """Give every record the value of its class, in record order, a batch at a time."""
        own = np.empty_like(values)
        own[self._order] = values
        return self._spread(own)

    def frequencies(self) -> Iterator[Array]:
        """The number of records with the same key, for every record; needs no sorting."""
        return self._spread(narrow(self.counts))

    def _spread(self, own: Array) -> Iterator[Array]:
        if self.dealt is None:
            for start in range(0, self.records, BLOCK_RECORDS):
                members = self.members[start : start + BLOCK_RECORDS]
                out = np.empty(len(members), dtype=own.dtype)
                kernels.look_up(members, own, out)
                yield out
            return
        offsets, bases = self.dealt.offsets, self.dealt.bases
        for first in range(0, len(offsets), BLOCKS_AT_ONCE):
            blocks = offsets[first : first + BLOCKS_AT_ONCE]
            start, end = blocks[0, 0], blocks[-1, -1]
            found = np.empty(end - start, dtype=own.dtype)
            kernels.gather(self.members[start:end], blocks - start, bases, own, found)
            for block in blocks - start:
                parts = self.dealt.parts[start + block[0] : start + block[-1]]
                out = np.empty(len(parts), dtype=own.dtype)
                kernels.to_record_order(parts, block, found, out)
                yield out
