"""Random words that belong to a number, not to the order in which numbers are met.

A word is a function of the seed, a stream and a number (`indistinct.core.randomness`). So neither
batches nor threads nor engines matter. The seed is secret: who knows it takes the noise off.
"""

from __future__ import annotations

import hashlib

import numpy as np

from indistinct.core import GOLDEN, Array, Words, check_whole, mixed

__all__ = ["checked_seed", "stream_key", "words", "words_of_ids"]


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
        word = mixed(numbers.astype(np.uint64) * GOLDEN + first)
        found: Words = mixed(mixed(word + second) ^ first)
        return found


def words_of_ids(seed: int, stream: str, ids: Array) -> Words:
    """Return 64 random bits for every identifier, numbers or texts; equal ones get equal bits."""
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

    if np.issubdtype(ids.dtype, np.integer):
        return words(seed, stream, ids)
    key = stream_key(seed, stream).hex()[:16]
    hashed = pd.util.hash_array(ids.astype(object), hash_key=key, categorize=False)
    return words(seed, stream, hashed)
