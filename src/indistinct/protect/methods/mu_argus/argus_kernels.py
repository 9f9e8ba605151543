"""The inner loops of µ-Argus: counting a combination's bins, and choosing cells to suppress.

Codes stand one variable after the other (rows: variables, columns: classes), numbered from 0;
a negative code is a cell without a value, which belongs to no bin. A class's outliers are the
set bits of its row of `flags`, one bit for each combination.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import GOLDEN, Array, fold_word

__all__ = ["flag_dense", "flag_hashed", "suppress_cells"]


@njit(cache=True, nogil=True)
def _index(codes: Array, columns: Array, sizes: Array, i: int) -> int:
    """Return the number of the bin a class is in, -1 where a cell has no value."""
    index = 0
    for j in range(columns.shape[0]):
        code = codes[columns[j], i]
        if code < 0:
            return -1
        index = index * sizes[j] + code
    return index


@njit(cache=True, nogil=True)
def flag_dense(
    codes: Array,
    columns: Array,
    sizes: Array,
    counts: Array,
    k: int,
    table: Array,
    flags: Array,
    word: int,
    bit: np.uint64,
) -> tuple[int, int]:
    """Set the combination's bit of every class in a bin smaller than k.

    `table` is zeroed and has a place for every possible bin. Returns the number of such bins,
    and of records in them.
    """
    for i in range(counts.shape[0]):
        at = _index(codes, columns, sizes, i)
        if at >= 0:
            table[at] += counts[i]
    bins = records = 0
    for i in range(counts.shape[0]):
        at = _index(codes, columns, sizes, i)
        if at >= 0 and table[at] < k:
            flags[i, word] |= bit
            records += counts[i]
    for at in range(table.shape[0]):
        bins += 0 < table[at] < k
    return bins, records


@njit(cache=True, nogil=True)
def flag_hashed(
    codes: Array,
    columns: Array,
    sizes: Array,
    counts: Array,
    k: int,
    keys: Array,
    table: Array,
    flags: Array,
    word: int,
    bit: np.uint64,
) -> tuple[int, int]:
    """As `flag_dense`, for more possible bins than there is room: `keys` starts as all -1.

    `keys` and `table` are as long as a power of two above the number of classes.
    """
    mask = np.uint64(keys.shape[0] - 1)
    places = np.empty(counts.shape[0], dtype=np.int64)
    for i in range(counts.shape[0]):
        index = _index(codes, columns, sizes, i)
        places[i] = -1
        if index < 0:
            continue
        at = fold_word(np.uint64(index) * GOLDEN, 29) & mask
        while keys[at] != -1 and keys[at] != index:
            at = (at + np.uint64(1)) & mask
        keys[at] = index
        table[at] += counts[i]
        places[i] = at
    bins = records = 0
    for i in range(counts.shape[0]):
        place = places[i]
        if place >= 0 and table[place] < k:
            flags[i, word] |= bit
            records += counts[i]
    for place in range(table.shape[0]):
        bins += 0 < table[place] < k
    return bins, records


@njit(cache=True, nogil=True)
def _bits(word: np.uint64) -> int:
    number = 0
    while word:
        word &= word - np.uint64(1)
        number += 1
    return number


@njit(cache=True, nogil=True)
def suppress_cells(
    codes: Array,
    flags: Array,
    with_variable: Array,
    weights: Array,
    frequencies: Array,
    starts: Array,
    ranks: Array,
    touched: Array,
) -> None:
    """Give up values of each class until none of its outliers is whole.

    Of the class's values the one in most of its outliers, by weight, goes first; then the one
    with the highest frequency (all 0 where that does not count), then the lowest rank.

    `with_variable` has a variable's combinations as bits, `frequencies[starts[j] + code]` how
    often a value occurs. A value given up becomes -1 in `codes`, and `touched` its variable.
    """
    variables, words = with_variable.shape
    for i in range(flags.shape[0]):
        while True:
            best, best_score, best_frequency = -1, 0.0, -1
            for j in range(variables):
                number = 0
                for w in range(words):
                    number += _bits(flags[i, w] & with_variable[j, w])
                if number == 0:
                    continue
                score = number / weights[j]
                frequency = frequencies[starts[j] + codes[j, i]]
                better = score > best_score
                if score == best_score:
                    better = frequency > best_frequency or (
                        frequency == best_frequency and ranks[j] < ranks[best]
                    )
                if better:
                    best, best_score, best_frequency = j, score, frequency
            if best < 0:
                break
            codes[best, i] = -1
            touched[best] = True
            for w in range(words):
                flags[i, w] &= ~with_variable[best, w]
