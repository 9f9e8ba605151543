"""The few inner loops that deserve compiling: packing codes into words, and counting words.

Words are the T2 sums of Dalenius (1986, section 4.2), the first variable most significant, in
one or more unsigned 64-bit integers. Equal keys have equal words, and words sort as keys do.

Every loop is a pure function of its arrays: nothing depends on how many threads call it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array, hash_word

__all__ = [
    "add_by_class",
    "count_cells",
    "count_words",
    "gather",
    "look_up",
    "number_runs",
    "pack_codes",
    "pack_mapped",
    "partition",
    "to_record_order",
]


@njit(cache=True, nogil=True)
def _mixed(words: Array, row: int) -> np.uint64:
    """Mix all words of a row into 64 well-spread bits."""
    h = np.uint64(0)
    for j in range(words.shape[1]):
        h = hash_word(h ^ words[row, j], 30, 27)
    return h


@njit(cache=True, nogil=True)
def pack_codes(column: Array, low: int, size: int, first: bool, word: Array) -> bool:
    """Append a variable to a word: ``word = word * size + (value - low)``.

    Returns whether all values were within ``low … low + size - 1``.
    """
    radix, bound = np.uint64(size), np.uint64(size - 1)
    outside = np.uint64(0)
    for i in range(column.shape[0]):
        # a value below low wraps around to a huge code, so that one comparison finds both
        code = np.uint64(np.int64(column[i]) - low)
        outside |= np.uint64(code > bound)
        word[i] = code if first else word[i] * radix + code
    return bool(outside == np.uint64(0))


@njit(cache=True, nogil=True)
def pack_mapped(indices: Array, codes: Array, size: int, first: bool, word: Array) -> None:
    """Append a dictionary-coded variable to a word; `codes` maps its indices to categories."""
    radix = np.uint64(size)
    for i in range(indices.shape[0]):
        code = np.uint64(codes[indices[i]])
        word[i] = code if first else word[i] * radix + code


@njit(cache=True, nogil=True)
def partition(words: Array, bits: int, parts: Array, offsets: Array, out: Array) -> None:
    """Order a block's words by the top `bits` of their hash, keeping file order within a part.

    Fills `parts` (the part of each record, in record order), `offsets` (where each part starts
    in `out`) and `out`.
    """
    n, width = words.shape
    count = offsets.shape[0] - 1
    offsets[:] = 0
    for i in range(n):
        # in two steps, since a shift by all 64 bits is undefined
        part = (_mixed(words, i) >> np.uint64(1)) >> np.uint64(63 - bits)
        parts[i] = part
        offsets[part + np.uint64(1)] += 1
    for p in range(count):
        offsets[p + 1] += offsets[p]
    cursor = offsets[:-1].copy()
    for i in range(n):
        at = cursor[parts[i]]
        cursor[parts[i]] = at + 1
        for j in range(width):
            out[at, j] = words[i, j]


@njit(cache=True, nogil=True)
def count_words(words: Array, slots: Array, keys: Array, counts: Array, members: Array) -> int:
    """Tally the words of one part in an open-addressing table.

    `slots` is a zeroed power-of-two table longer than the part. Fills `keys` and `counts` in
    order of first appearance and `members` with each record's class; returns the number of
    classes.
    """
    n, width = words.shape
    mask = np.uint64(slots.shape[0] - 1)
    classes = 0
    for i in range(n):
        at = _mixed(words, i) & mask
        while True:
            held = slots[at]
            if held == 0:
                for j in range(width):
                    keys[classes, j] = words[i, j]
                counts[classes] = 1
                members[i] = classes
                classes += 1
                slots[at] = classes
                break
            same = True
            for j in range(width):
                if keys[held - 1, j] != words[i, j]:
                    same = False
                    break
            if same:
                counts[held - 1] += 1
                members[i] = held - 1
                break
            at = (at + np.uint64(1)) & mask
    return classes


@njit(cache=True, nogil=True)
def count_cells(words: Array, cells: Array, members: Array) -> None:
    """Count words directly into the catalogue of all possible ones; note each record's cell."""
    for i in range(words.shape[0]):
        cell = words[i, 0]
        members[i] = cell
        cells[cell] += 1


@njit(cache=True, nogil=True)
def look_up(members: Array, values: Array, out: Array) -> None:
    """Give each record its class's value; `out` may be `members`."""
    for i in range(members.shape[0]):
        out[i] = values[members[i]]


@njit(cache=True, nogil=True)
def number_runs(words: Array, order: Array, members: Array, counts: Array) -> int:
    """Number the runs of equal words met in sorted order; returns how many there are."""
    classes = 0
    for i in range(order.shape[0]):
        here = order[i]
        fresh = i == 0
        if not fresh:
            before = order[i - 1]
            for j in range(words.shape[1]):
                if words[here, j] != words[before, j]:
                    fresh = True
                    break
        if fresh:
            counts[classes] = 0
            classes += 1
        members[here] = classes - 1
        counts[classes - 1] += 1
    return classes


@njit(cache=True, nogil=True)
def gather(members: Array, offsets: Array, bases: Array, values: Array, out: Array) -> None:
    """Look up each record's class value, part by part so that lookups stay in cache.

    `offsets[b, p]` is where part `p` of block `b` starts in `members` and `out`.
    """
    blocks, bounds = offsets.shape
    for p in range(bounds - 1):
        base = bases[p]
        for b in range(blocks):
            for i in range(offsets[b, p], offsets[b, p + 1]):
                out[i] = values[base + members[i]]


@njit(cache=True, nogil=True)
def to_record_order(parts: Array, offsets: Array, values: Array, out: Array) -> None:
    """Bring one block's values from part order back to record order."""
    cursor = offsets[:-1].copy()
    for i in range(parts.shape[0]):
        part = parts[i]
        out[i] = values[cursor[part]]
        cursor[part] += 1


@njit(cache=True, nogil=True)
def add_by_class(classes: Array, amounts: Array, sums: Array) -> None:
    """Add each record's whole-number amount to its class."""
    for i in range(classes.shape[0]):
        sums[classes[i]] += amounts[i]
