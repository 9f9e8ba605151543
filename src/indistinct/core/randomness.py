"""One way to mix words of 64 bits, for random numbers that belong to a record and for hashing.

An ordinary generator gives its numbers in turn, so that a result would depend on how the records
are cut into batches. Here random bits are a function of a number: a counter-based generator (Salmon
et al. 2011) with the mixing function of SplitMix64 (Steele, Lea and Flood 2014).

The functions take an array of words, or one word; `indistinct.core.randomness_compiled` has the
same ones for kernels. Overflow is meant. Released files depend on every bit, so nothing here may
change: the values are pinned by a test, and compiled kernels that are kept on disk rely on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "GOLDEN",
    "STIR",
    "as_uniform",
    "finished",
    "folded",
    "hashed",
    "mixed",
    "stirred",
]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ over the golden ratio: multiples and sums of it are spread evenly over all words."""

STIR = np.uint64(0xBF58476D1CE4E5B9)
"""The first multiplier of SplitMix64."""

_FINISH = np.uint64(0x94D049BB133111EB)


def folded(word: Any, by: int) -> Any:
    """Fold the upper bits of a word over the lower ones."""
    return word ^ (word >> np.uint64(by))


def stirred(word: Any, by: int) -> Any:
    """Fold a word and multiply it."""
    return folded(word, by) * STIR


def finished(word: Any) -> Any:
    """Take the second half of SplitMix64's mixing."""
    return folded(folded(word, 27) * _FINISH, 31)


def mixed(word: Any) -> Any:
    """Mix a word into 64 well-spread bits, one to one: the finaliser of SplitMix64.

    >>> hex(mixed(np.array([1], dtype=np.uint64))[0])
    '0x5692161d100b05e5'
    """
    return finished(stirred(word, 30))


def hashed(word: Any, by: int = 29, last: int = 32) -> Any:
    """Mix a word with one multiplication less: enough for a place in a table."""
    return folded(stirred(word * GOLDEN, by), last)


def as_uniform(word: Any) -> Any:
    """Return random bits as a number in [0, 1), a multiple of 2⁻⁵³.

    >>> float(as_uniform(np.array([1 << 63], dtype=np.uint64))[0])
    0.5
    """
    return (word >> np.uint64(11)) * 2.0**-53
