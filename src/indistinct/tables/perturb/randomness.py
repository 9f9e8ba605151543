"""Random words that belong to a number, not to the order in which numbers are met.

A word is a function of the seed, a stream and a number: a counter-based generator (Salmon et al.
2011) with the mixing function of SplitMix64 (Steele, Lea and Flood 2014). So neither batches nor
threads nor engines matter. The seed is secret: who knows it takes the noise off.
"""

from __future__ import annotations

import hashlib

import numpy as np

from indistinct.core import Array, Floats, Words, check_whole

__all__ = ["as_uniform", "checked_seed", "stream_key", "words", "words_of_ids"]


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def checked_seed(seed: int) -> int:
    """Return the seed, or refuse what is none."""
    check_whole("seed", seed, 0)
    return int(seed)


def stream_key(seed: int, stream: str) -> bytes:
    """Return sixteen secret bytes for a seed and a stream."""
    text = f"{checked_seed(seed)}\n{stream}".encode()
    return hashlib.blake2b(text, digest_size=16, person=b"indistinct table").digest()


def words(seed: int, stream: str, numbers: Array) -> Words:
    """Return 64 random bits for every number.

    >>> together = words(1, "people", np.arange(100))
    >>> bool(together[42] == words(1, "people", np.array([42]))[0])
    True
    """
    key = stream_key(seed, stream)
    first, second = (np.uint64(int.from_bytes(key[n : n + 8], "little")) for n in (0, 8))
    with np.errstate(over="ignore"):
        word = _mixed(numbers.astype(np.uint64) * _GOLDEN + first)
        return _mixed(_mixed(word + second) ^ first)


def words_of_ids(seed: int, stream: str, ids: Array) -> Words:
    """Return 64 random bits for every identifier, numbers or texts; equal ones get equal bits."""
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

    if np.issubdtype(ids.dtype, np.integer):
        return words(seed, stream, ids)
    key = stream_key(seed, stream).hex()[:16]
    hashed = pd.util.hash_array(ids.astype(object), hash_key=key, categorize=False)
    return words(seed, stream, hashed)


def as_uniform(found: Words) -> Floats:
    """Return words as numbers in [0, 1), multiples of 2⁻⁵³."""
    return (found >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mixed(word: Words) -> Words:
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))
