"""Pairs of records that are near each other in a sorted order, drawn at random in linear time.

Records stand in order, strata one after the other. Record i may be paired with the records after
it up to place `last[i]`, which never falls. From the first to the last, each record that is still
free takes one of the free records in its window, all equally likely.

A free record is found by drawing places of the window until one is free. In a window with a share d
of free places that takes 1/d draws, and a record needs a partner at all only if it is free itself,
which it is with a chance no larger than d, for places are the emptier the nearer they are. So one
draw per record is expected, whatever the width of the window.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from indistinct.core import GOLDEN, mix_word, uniform_of_word

__all__ = [
    "ALONE",
    "pairs_in_windows",
    "ranked_order",
    "windows_by_distance",
    "windows_by_rank",
]

ALONE = -1
_RESERVED = -2

_TRIALS = 64

_MOST_BITS = 32
"""Bits of stratum and rank that leave as many for the order of ties."""

Array = Any


def ranked_order(strata: Array, codes: Array, words: Array) -> Array:
    """Return the order by stratum, then code, then random bits.

    >>> strata, codes = np.array([1, 0, 0]), np.array([0, 1, 0])
    >>> ranked_order(strata, codes, np.zeros(3, dtype=np.uint64))
    array([2, 1, 0])
    """
    several = int(codes.max(initial=0)) + 1
    bits = (several * (int(strata.max(initial=0)) + 1)).bit_length()
    if bits > _MOST_BITS:
        return np.lexsort((words, codes, strata))
    # one word instead of three keys: one sort instead of three
    key = (strata * several + codes).astype(np.uint64) << np.uint64(64 - bits)
    return np.argsort(key | (words >> np.uint64(bits)), kind="stable")


def windows_by_rank(starts: Array, ends: Array, widths: Array) -> Array:
    """Return the last place of each record's window, a number of ranks in every stratum.

    >>> windows_by_rank(np.array([0, 5]), np.array([5, 7]), np.array([2, 2]))
    array([2, 3, 4, 4, 4, 6, 6])
    """
    sizes = ends - starts
    places = np.arange(int(sizes.sum()))
    return np.minimum(places + np.repeat(widths, sizes), np.repeat(ends - 1, sizes))


@njit(cache=True, nogil=True)
def windows_by_distance(scale: Array, stratum: Array, bound: float) -> Array:
    """Return the last place of each record's window: values at most `bound` larger.

    >>> windows_by_distance(np.array([0.0, 1.0, 3.0, 4.0]), np.zeros(4, dtype=np.int64), 2.0)
    array([1, 2, 3, 3])
    """
    n = len(scale)
    last = np.empty(n, dtype=np.int64)
    end = 0
    for i in range(n):
        end = max(end, i)
        while end + 1 < n and stratum[end + 1] == stratum[i] and scale[end + 1] - scale[i] <= bound:
            end += 1
        last[i] = end
    return last


@njit(cache=True, nogil=True)
def pairs_in_windows(last: Array, words: Array, spare: Array) -> Array:
    """Return each record's partner by place, -1 for those that are alone.

    Parameters
    ----------
    words
        64 random bits for each record; further draws are mixed from them.
    spare
        Places of records that stay alone if they can: in a stratum with an odd number one must, and
        without this it would always be the last, an extreme.
    """
    n = len(last)
    partner = np.full(n, ALONE, dtype=np.int64)
    for place in spare:
        partner[place] = _RESERVED
    seen = 0  # places up to here have been in a window
    free = 0  # free places after i in its window
    for i in range(n):
        if partner[i] == ALONE and i <= seen and i > 0:
            free -= 1
        seen = max(seen, i)
        while seen < last[i]:
            seen += 1
            if partner[seen] == ALONE:
                free += 1
        if partner[i] != ALONE:
            continue
        width = last[i] - i
        if free == 0:
            # the spare one of a stratum gives way before another record stays alone
            for j in range(i + 1, last[i] + 1):
                if partner[j] == _RESERVED:
                    partner[i], partner[j] = j, i
                    break
            continue
        word = words[i]
        chosen = ALONE
        for _ in range(_TRIALS):
            word += GOLDEN
            j = i + 1 + _below(word, width)
            if partner[j] == ALONE:
                chosen = j
                break
        if chosen == ALONE:
            left = _below(word + GOLDEN, free)
            for j in range(i + 1, last[i] + 1):
                if partner[j] == ALONE:
                    if left == 0:
                        chosen = j
                        break
                    left -= 1
        partner[i], partner[chosen] = chosen, i
        free -= 1
    for i in range(n):
        if partner[i] == _RESERVED:
            partner[i] = ALONE
    return partner


@njit(cache=True, nogil=True)
def _below(word: Any, limit: int) -> int:
    """Return a whole number of 0 … limit-1 made of random bits."""
    return int(uniform_of_word(mix_word(word)) * limit)
