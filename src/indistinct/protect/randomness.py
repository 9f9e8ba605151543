"""Random numbers that belong to a record, not to the order in which records are met.

A number is a function of a key, a stream, the record's number and a round
(`indistinct.core.randomness`), however an engine cuts the records into batches.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import GOLDEN, Floats, Ints, Words, as_uniform, mixed

__all__ = ["Draws"]


@dataclass(frozen=True)
class Draws:
    """Uniform numbers by stream, record and round; the keys are secret, like the seed.

    >>> draws = Draws.from_generator(np.random.default_rng(1))
    >>> together = draws.uniform("age", np.arange(100))
    >>> alone = draws.uniform("age", np.array([42]))
    >>> bool(together[42] == alone[0])
    True
    """

    first: int = field(repr=False)
    second: int = field(repr=False)

    @classmethod
    def from_generator(cls, rng: np.random.Generator) -> Draws:
        """Draw the keys."""
        first, second = rng.integers(0, 1 << 64, size=2, dtype=np.uint64).tolist()
        return cls(first, second)

    def words(self, stream: str, records: Ints, *, turn: int = 0) -> Words:
        """Return 64 random bits for every record."""
        digest = hashlib.blake2b(stream.encode(), digest_size=8).digest()
        name = np.uint64(int.from_bytes(digest, "little"))
        with np.errstate(over="ignore"):
            word = mixed(records.astype(np.uint64) * GOLDEN + np.uint64(self.first)) ^ name
            word = mixed(word + np.uint64(self.second))
            found: Words = mixed(word ^ (np.uint64(turn) * GOLDEN + np.uint64(1)))
        return found

    def uniform(self, stream: str, records: Ints, *, turn: int = 0) -> Floats:
        """Return a number in [0, 1) for every record, a multiple of 2⁻⁵³."""
        found: Floats = as_uniform(self.words(stream, records, turn=turn))
        return found

    def below(
        self,
        limits: Ints,
        stream: str,
        records: Ints,
        *,
        turn: int = 0,
    ) -> Ints:
        """Return a whole number of 0 … limit-1 for every record."""
        return (self.uniform(stream, records, turn=turn) * limits).astype(np.int64)
