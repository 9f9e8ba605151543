"""What three or more zonings reveal together.

Two partitions make a totally unimodular system, so that everything they reveal is a cut. Three do
not: sums with coefficients other than 1 and -1 can tell a set that no chain of additions and
subtractions of whole sets does, and finding the smallest is no longer a cut. What is decided here,
for the atoms of all zonings laid over each other, is which of them, and which pairs of them, are
*determined*: a combination of published zones gives exactly that atom, or that pair.

A set is determined exactly when it does not change under any *move*: numbers on the atoms that add
up to 0 in every published zone. One move drawn at random shows them all. Almost surely an atom with
a 0 in it is 0 in every move, and atoms with opposite numbers cancel in every move.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from indistinct.core import Bools, InputError, Seed
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.differencing.moves import SLACK, random_moves
from indistinct.tables.differencing.overlapping import Ints
from indistinct.tables.differencing.revealing import check_threshold

__all__ = ["Joint", "joint_atoms"]


@result
class Joint(Result):
    """Atoms of several zonings that are determined by all of them together.

    Parameters
    ----------
    zones
        For every atom its zone in each zoning (columns); -1 where it is not covered.
    people
        The people in every atom.
    threshold
        Sets with fewer people count.
    single
        The atoms below the threshold that are determined, the smallest first.
    pairs
        Pairs of atoms, together below the threshold, that are determined while neither atom is.
    names
        What the zonings are called.
    atom_of
        For every row that was given its atom; -1 where nobody is, or no zoning covers it.
    iterative
        Atoms in components too large for exact elimination, decided to seven digits.
    """

    zones: Ints
    people: Ints
    threshold: int
    single: Ints
    pairs: Ints
    names: tuple[str, ...]
    atom_of: Ints
    iterative: int = 0

    FACTS = facts(
        Fact("zonings", "names"),
        "threshold",
        Fact("atoms", lambda found: len(found.people)),
        Fact("determined", lambda found: len(found.single)),
        Fact("determined_pairs", lambda found: len(found.pairs)),
        Fact("people", "people_revealed"),
        Fact("atoms decided iteratively", "iterative", told=False),
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many atoms and pairs are determined."""
        return (
            f"Joint({' and '.join(self.names)}: {len(self.single):,} atoms and "
            f"{len(self.pairs):,} pairs below {self.threshold} people are determined, with "
            f"{self.people_revealed:,} people)"
        )

    @property
    def number(self) -> int:
        """Sets that are determined: atoms and pairs."""
        return len(self.single) + len(self.pairs)

    @cached_property
    def exposed(self) -> Bools:
        """Of every atom, whether it is determined, alone or in a pair."""
        found = np.zeros(len(self.people), dtype=bool)
        found[self.single] = True
        found[self.pairs.ravel()] = True
        return found

    @property
    def people_revealed(self) -> int:
        """The people in determined sets, each once."""
        return int(self.people[self.exposed].sum())

    def without(self, known: Ints) -> Joint:
        """Leave out what is known already.

        `known` has for every atom the people in the smallest set around it that is known; 0 for
        none. An atom is left out that is known itself, a pair of which an atom is known with no
        more people than the pair.
        """
        single = self.single[
            (known[self.single] == 0) | (known[self.single] > self.people[self.single])
        ]
        both = self.people[self.pairs].sum(axis=1)
        news = (known[self.pairs] == 0) | (known[self.pairs] > both[:, None])
        return Joint(
            self.zones,
            self.people,
            self.threshold,
            single,
            self.pairs[news.all(axis=1)],
            self.names,
            self.atom_of,
            self.iterative,
        )

    def _row_tables(self) -> list[Table]:
        rows: list[tuple[int, int]] = [(int(self.people[n]), 1) for n in self.single[:100].tolist()]
        rows += [(int(self.people[pair].sum()), 2) for pair in self.pairs[:100]]
        return [
            Table("Determined sets", ("people", "atoms"), rows),
        ]


def joint_atoms(
    zonings: Sequence[ArrayLike],
    counts: ArrayLike,
    threshold: int = 10,
    *,
    names: Sequence[str] | None = None,
    seed: Seed = 0,
) -> Joint:
    """Find the atoms, and pairs of atoms, that several zonings determine together.

    Parameters
    ----------
    zonings
        For each zoning the zone of every row, from 0; -1 where it does not cover the row.
    seed
        Draws the moves; the answer depends on it with negligible probability.

    Four units in a square, published by rows, by columns and by diagonals. No two of the three
    tell a unit; together they do: (first row + first column - other diagonal) / 2.

    >>> rows, columns, diagonals = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> joint_atoms([rows, columns, diagonals], [7, 6, 8, 9])
    Joint(1 and 2 and 3: 4 atoms and 0 pairs below 10 people are determined, with 30 people)
      zonings                    1, 2, 3
      threshold                       10
      atoms                            4
      determined                       4
      determined pairs                 0
      people                          30
      atoms decided iteratively        0
      Determined sets
        people  atoms
        6           1
        7           1
        8           1
        9           1
    >>> joint_atoms([rows, columns], [7, 6, 8, 9]).number
    0
    """
    threshold = check_threshold(threshold)
    codes = np.stack([np.asarray(z).astype(np.int64) for z in zonings], axis=1)
    people = np.asarray(counts).astype(np.int64)
    if len(people) != len(codes):
        raise InputError("The zonings and the people must be given for the same rows.")
    there = (people > 0) & (codes >= 0).any(axis=1)
    inverse = np.zeros(int(there.sum()), dtype=np.int64)
    example = inverse
    for code in codes[there].T:
        key = inverse * (int(code.max(initial=-1)) + 2) + code + 1
        _, example, inverse = np.unique(key, return_index=True, return_inverse=True)
    zones = codes[there][example]
    sizes = np.bincount(inverse, weights=people[there], minlength=len(zones)).astype(np.int64)
    atom_of = np.full(len(codes), -1, dtype=np.int64)
    atom_of[there] = inverse
    moves, iterative = random_moves(zones, np.random.default_rng(seed))
    zero = (moves == 0).all(axis=0)
    single = np.flatnonzero(zero & (sizes < threshold))
    single = single[np.argsort(sizes[single], kind="stable")]
    called = tuple(names or [str(n + 1) for n in range(len(zonings))])
    pairs = _pairs(moves, sizes, threshold)
    return Joint(zones, sizes, threshold, single, pairs, called, atom_of, iterative)


def _pairs(moves: Ints, people: Ints, threshold: int) -> Ints:
    """Return the pairs of atoms below the threshold whose numbers are opposite in every move."""
    small = np.flatnonzero((people < threshold) & (moves != 0).any(axis=0))
    if not len(small):
        return np.empty((0, 2), dtype=np.int64)
    values = moves[:, small]
    lead = np.where(np.abs(values[0]) > SLACK, values[0], values[1])
    sign = np.where(lead > 0, 1, -1)
    # opposite numbers are the same up to their sign, and stand side by side when sorted
    order = np.argsort(values[0] * sign, kind="stable")
    key = (values * sign)[:, order]
    pairs = []
    for begin in np.flatnonzero(np.diff(key[0]) <= SLACK).tolist():
        for end in range(begin + 1, len(order)):
            if key[0, end] - key[0, begin] > SLACK:
                break
            one, two = order[begin], order[end]
            if sign[one] != sign[two] and abs(key[1, end] - key[1, begin]) <= SLACK:
                pair = sorted((int(small[one]), int(small[two])))
                if people[pair].sum() < threshold:
                    pairs.append(pair)
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
