"""Random numbers that belong to a record, not to the order in which records are met.

An ordinary generator gives its numbers in turn, so a result would depend on how an engine cuts
the records into batches. Here a number is a function of a key, a stream, the record's number and
a round: a counter-based generator (Salmon et al. 2011), with the mixing function of SplitMix64
(Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Floats, Ints, Words

__all__ = ["Draws"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


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
            word = records.astype(np.uint64) * _GOLDEN + np.uint64(self.first)
            word = _mixed(word) ^ name
            word = _mixed(word + np.uint64(self.second))
            return _mixed(word ^ (np.uint64(turn) * _GOLDEN + np.uint64(1)))

    def uniform(self, stream: str, records: Ints, *, turn: int = 0) -> Floats:
        """Return a number in [0, 1) for every record, a multiple of 2⁻⁵³."""
        words = self.words(stream, records, turn=turn)
        return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53

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


def _mixed(word: Words) -> Words:
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))
