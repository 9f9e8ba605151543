"""A key table packed for dropping variables fast: the step that walks over subsets are made of.

A class is a row of 64-bit words in which every variable has bits of its own, the first variable
highest, and rows are sorted. Dropping a variable clears its bits. Rows that agree on all
variables *before* it are neighbours already and stay so; only within such a group must the sorted
runs, one per value of what is dropped, be merged. The later the variable, the smaller the
groups: dropping the last one is a single pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from indistinct.core import Array, Ints, Words
from indistinct.keys import KeyTable

__all__ = ["PackedTable", "drop_variable", "pack_table", "small_after_last", "small_classes"]


WORD_BITS = 64
ALL_BITS = (1 << WORD_BITS) - 1


@dataclass(frozen=True, eq=False)
class PackedTable:
    """Sorted rows of words, their counts, and where each variable's bits are.

    `order` holds the positions of the variables in the key, highest bits first. Row `j` of
    `keep` clears the bits of variable ``order[j]``; row `j` of `before` has the bits of the
    variables before it.
    """

    order: tuple[int, ...]
    words: Words
    counts: Ints
    keep: Words
    before: Words


def pack_table(table: KeyTable, order: Sequence[int] | None = None) -> PackedTable:
    """Pack a key table, its variables in the given order of positions (by default the key's)."""
    order = tuple(range(len(table.names))) if order is None else tuple(order)
    widths = [max(1, (table.coding.sizes[v] - 1).bit_length()) for v in order]
    places, word, used = [], 0, 0
    for width in widths:
        if used + width > WORD_BITS:
            word, used = word + 1, 0
        used += width
        places.append((word, WORD_BITS - used))
    words = np.zeros((table.classes, word + 1), dtype=np.uint64)
    keep = np.full((len(order), word + 1), ALL_BITS, dtype=np.uint64)
    before = np.zeros((len(order), word + 1), dtype=np.uint64)
    for j, (variable, width) in enumerate(zip(order, widths, strict=True)):
        at, shift = places[j]
        words[:, at] |= table.codes[:, variable].astype(np.uint64) << np.uint64(shift)
        keep[j, at] = ALL_BITS ^ (((1 << width) - 1) << shift)
        before[j, :at] = ALL_BITS
        before[j, at] = ALL_BITS ^ ((1 << (shift + width)) - 1)
    sorting = np.lexsort(words.T[::-1])
    return PackedTable(order, words[sorting], table.counts[sorting], keep, before)


@njit(cache=True, nogil=True)
def small_classes(counts: Array, k: int) -> tuple[int, int]:
    """Return the records in classes smaller than k, and the records that are alone."""
    small = alone = 0
    for i in range(counts.shape[0]):
        small += counts[i] * (counts[i] < k)
        alone += counts[i] == 1
    return small, alone


@njit(cache=True, nogil=True)
def _compared(words: Array, i: int, other: Array, j: int) -> int:
    for w in range(words.shape[1]):
        x, y = words[i, w], other[j, w]
        if x != y:
            return -1 if x < y else 1
    return 0


@njit(cache=True, nogil=True)
def _agree(words: Array, i: int, j: int, bits: Array) -> bool:
    differing = np.uint64(0)
    for w in range(words.shape[1]):
        differing |= (words[i, w] ^ words[j, w]) & bits[w]
    return bool(differing == np.uint64(0))


@njit(cache=True, nogil=True)
def small_after_last(words: Array, counts: Array, keep: Array, k: int) -> tuple[int, int, int]:
    """Drop the last variable without keeping the result: classes, records below k, alone."""
    n = words.shape[0]
    classes = small = alone = 0
    i = 0
    while i < n:
        size = counts[i]
        i += 1
        while i < n and _agree(words, i - 1, i, keep):
            size += counts[i]
            i += 1
        classes += 1
        small += size * (size < k)
        alone += size == 1
    return classes, small, alone


@njit(cache=True, nogil=True)
def _merge_pairs(
    words: Array, counts: Array, starts: Array, runs: int, to_words: Array, to_counts: Array
) -> int:
    """Merge the first run with the second, the third with the fourth …; return how many remain."""
    width = words.shape[1]
    out = made = 0
    for r in range(0, runs, 2):
        a, a_end = starts[r], starts[r + 1]
        b, b_end = a_end, a_end
        if r + 1 < runs:
            b_end = starts[r + 2]
        starts[made] = out
        made += 1
        while width == 1 and a < a_end and b < b_end:
            # which run is ahead cannot be guessed, so that a branch here would cost most
            x, y = words[a, 0], words[b, 0]
            first, second = np.int64(x <= y), np.int64(y <= x)
            to_words[out, 0] = min(x, y)
            to_counts[out] = counts[a] * first + counts[b] * second
            a += first
            b += second
            out += 1
        while a < a_end and b < b_end:
            order = _compared(words, a, words, b)
            taken = a if order <= 0 else b
            for w in range(width):
                to_words[out, w] = words[taken, w]
            to_counts[out] = counts[a] * (order <= 0) + counts[b] * (order >= 0)
            a += order <= 0
            b += order >= 0
            out += 1
        while a < a_end or b < b_end:
            taken = a if a < a_end else b
            for w in range(width):
                to_words[out, w] = words[taken, w]
            to_counts[out] = counts[taken]
            out += 1
            if a < a_end:
                a += 1
            else:
                b += 1
    starts[made] = out
    return made


@njit(cache=True, nogil=True)
def drop_variable(
    words: Array,
    counts: Array,
    keep: Array,
    before: Array,
    out_words: Array,
    out_counts: Array,
    spare_words: Array,
    spare_counts: Array,
    starts: Array,
) -> int:
    """Merge the classes that differ in one variable only; return how many there are.

    The result is sorted and stands at the head of `out_words` and `out_counts`, which have as
    many rows as `words`; so have the spare arrays, and `starts` one more.
    """
    n, width = words.shape
    made = i = 0
    while i < n:
        first = made
        runs = 0
        end = i
        while end < n and (end == i or _agree(words, end - 1, end, before)):
            for w in range(width):
                out_words[made, w] = words[end, w] & keep[w]
            order = 1 if end == i else _compared(out_words, made - 1, out_words, made)
            if order == 0:
                out_counts[made - 1] += counts[end]
            else:
                if order > 0:
                    starts[runs] = made - first
                    runs += 1
                out_counts[made] = counts[end]
                made += 1
            end += 1
        starts[runs] = made - first
        in_spare = False
        while runs > 1:
            if in_spare:
                runs = _merge_pairs(
                    spare_words, spare_counts, starts, runs, out_words[first:], out_counts[first:]
                )
            else:
                runs = _merge_pairs(
                    out_words[first:], out_counts[first:], starts, runs, spare_words, spare_counts
                )
            in_spare = not in_spare
        made = first + starts[runs]
        if in_spare:
            for r in range(made - first):
                for w in range(width):
                    out_words[first + r, w] = spare_words[r, w]
                out_counts[first + r] = spare_counts[r]
        i = end
    return made
