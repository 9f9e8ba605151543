"""What is promised of answers about records that are not proved safe, and the noise that keeps it.

**The promise.** Somebody who knows everything of everybody but one person, asks all that can be
asked, as often and in as many ways as they like, and puts all answers together, is to tell from
them which of two things is true of that person (in the records or somebody else instead, ill or
well, rich or poor). They are right at most with the chance `guess` where a coin is right with 0.5.

**How.** What is told of people is a limited number of *tables* (`tables`): one for each set of
variables that somebody asked about. A table gets its noise once, and every answer is added up from
its cells. So a hundred questions about one table tell no more than the table, and only further
tables tell more. The noise is Gaussian: with `most` cells of a table for each person, whoever is
exchanged for somebody else changes a table of counts by √(2·most) at most (Euclidean distance), a
table with noise of standard deviation σ is Gaussian differentially private with √(2·most)/σ, and
`tables` of them with

    μ = √(2 · most · tables) / σ,      guess = Φ(μ / 2)

(Dong, Roth and Su 2022, theorem 2.7 and corollary 3.3; the bound is tight). In a table of sums a
value may turn from one end of its range into the other within a cell, which is 2·√most times half
the range, so its noise is √2 times as wide. Tables hold whole numbers, with their noise too, so no
digit behind the point tells anything.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated

import numpy as np

from indistinct.core import Floats, Limit, Words, between

__all__ = ["Bound", "Guess", "Number", "gaussian", "words"]

Guess = Annotated[
    float,
    Limit(
        "between 0.5 (a coin) and 1 (certainty)",
        lambda guess: 0.5 < guess < 1,
        "It says how often somebody may be right about one person.",
    ),
]
Number = Annotated[int, between(1, 10_000)]
"""Of tables that are told, or of cells in which a person counts."""

RARE = 4.5
"""Standard deviations above 1 that a category must show before it is named: a category of one
person is named with a chance of 3 in a million."""


@dataclass(frozen=True)
class Bound:
    """How much may be learnt of one person from all answers together.

    Parameters
    ----------
    guess
        How often somebody who knows all about everybody else is right about one person, at most.
    tables
        How many tables are told, at most.
    most
        In how many cells of one table a person counts, at most: 1 where a record is a person.

    >>> bound = Bound(guess=0.7, tables=20)
    >>> round(bound.mu, 3), round(bound.deviation, 2), round(bound.fewest)
    (1.049, 6.03, 28)
    """

    guess: Guess = 0.7
    tables: Number = 20
    most: Number = 1

    @property
    def mu(self) -> float:
        """The μ of Gaussian differential privacy of all tables together."""
        return 2 * NormalDist().inv_cdf(self.guess)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise in a cell of counts."""
        return math.sqrt(2 * self.most * self.tables) / self.mu

    @property
    def deviation_of_sums(self) -> float:
        """The same in a cell of sums, where half the range is 1."""
        return math.sqrt(2) * self.deviation

    @property
    def fewest(self) -> float:
        """How many people a category must show, with noise, to be named."""
        return 1 + RARE * self.deviation

    def together(self, times: int) -> float:
        """Return the guess that so many promises allow that are given of the same records.

        >>> round(Bound(guess=0.7).together(2), 3)
        0.771
        """
        return NormalDist().cdf(self.mu * math.sqrt(times) / 2)


def words(secret: bytes, name: str, number: int) -> Words:
    """Return so many random words of 64 bits, the same for a secret and a name every time."""
    stream = hashlib.shake_256(len(secret).to_bytes(8, "little") + secret + name.encode())
    return np.frombuffer(stream.digest(8 * number), dtype="<u8").astype(np.uint64)


def gaussian(secret: bytes, name: str, number: int) -> Floats:
    """Return so many draws of a standard normal, the same for a secret and a name every time.

    >>> draws = gaussian(b"secret", "count by sex", 100_000)
    >>> abs(float(draws.mean())) < 0.02, abs(float(draws.std()) - 1) < 0.02
    (True, True)
    """
    from scipy.special import ndtri

    uniform = ((words(secret, name, number) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    drawn: Floats = ndtri(uniform)
    return drawn
