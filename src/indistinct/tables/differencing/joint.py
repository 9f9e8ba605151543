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
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from indistinct.core import Array, Bools, InputError, Seed
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.differencing.overlapping import Ints
from indistinct.tables.differencing.revealing import check_threshold

__all__ = ["Joint", "joint_atoms"]


# Moves drawn at random: numbers on atoms that add up to 0 in every zone of every zoning.
#
# What subtraction alone tells is taken out first. The rest falls into components; the moves of
# small
# ones come from elimination modulo a prime, those of large ones from sparse normal equations.

PRIME = 2_147_483_629
"""Moves of small components are exact modulo this prime."""

EXACT_WORK = 300_000_000
"""Steps of elimination that one component may take; larger ones are solved iteratively."""

DRAWS = 2
"""Moves drawn: whatever is 0 in one by chance is not in the other."""

MOST_ROUNDS = 50
"""Rounds in which a large component's move must be found."""

_UNIT = 1e-9
"""Iterated moves are given in these units, about which their errors are …"""

SLACK = 100
"""… so that numbers of which so many units are all the difference are equal."""

_DIAGONAL = 1e-7


def random_moves(zones: Ints, rng: np.random.Generator) -> tuple[Ints, int]:
    """Return moves drawn at random, as whole numbers, and the atoms they were iterated for.

    First what subtraction alone tells is taken out, zone by zone: the last atom of a zone whose
    others are known is known. What remains falls into components.
    """
    atoms, kinds = zones.shape
    offsets = np.concatenate([[0], np.cumsum(zones.max(axis=0, initial=-1) + 1)])
    inside = zones >= 0
    row = np.broadcast_to(np.arange(atoms)[:, None], zones.shape)[inside]
    zone = (zones + offsets[:kinds])[inside]
    matrix = sparse.coo_array(
        (np.ones(len(row)), (zone, row)), shape=(int(offsets[-1]), atoms)
    ).tocsr()
    columns = matrix.T.tocsr()
    left = _peeled(matrix.indptr, matrix.indices, columns.indptr, columns.indices)
    moves = np.zeros((DRAWS, atoms), dtype=np.int64)
    remaining = np.flatnonzero(left)
    part = matrix[:, remaining]
    part = part[np.flatnonzero(np.diff(part.indptr)), :]
    graph = sparse.block_array([[None, part], [part.T, None]]).tocsr()
    number, label = connected_components(graph, directed=False)
    zone_label, atom_label = label[: part.shape[0]], label[part.shape[0] :]
    iterative = 0
    by_zone, by_atom = _lists(zone_label, number), _lists(atom_label, number)
    large = []
    for n in range(number):
        size = len(by_zone[n])
        if size * size * len(by_atom[n]) > EXACT_WORK:
            large.append(n)
            continue
        dense = part[by_zone[n], :][:, by_atom[n]].toarray().astype(np.int64)
        free = rng.integers(1, PRIME, size=(DRAWS, len(by_atom[n])))
        found = _null_vectors(dense, free, PRIME)
        # symmetric residues, so that opposite numbers have opposite signs
        moves[:, remaining[by_atom[n]]] = np.where(found > PRIME // 2, found - PRIME, found)
    for n in large:
        iterative += len(by_atom[n])
        system = part[by_zone[n], :][:, by_atom[n]]
        found = np.stack([_projected(system, rng) for _ in range(DRAWS)])
        found[:, (np.abs(found) <= SLACK).all(axis=0)] = 0
        moves[:, remaining[by_atom[n]]] = found
    return moves, iterative


def _lists(label: Array, number: int) -> list[Ints]:
    order = np.argsort(label, kind="stable")
    ends = np.searchsorted(label[order], np.arange(number + 1))
    return [order[ends[n] : ends[n + 1]] for n in range(number)]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _peeled(zone_starts: Ints, zone_atoms: Ints, atom_starts: Ints, atom_zones: Ints) -> Bools:
    """Say which atoms are left when the last atom of a zone is taken out again and again."""
    left = np.ones(len(atom_starts) - 1, dtype=np.bool_)
    size = np.diff(zone_starts)
    stack = np.empty(len(size), dtype=np.int64)
    height = 0
    for zone in range(len(size)):
        if size[zone] == 1:
            stack[height] = zone
            height += 1
    while height > 0:
        height -= 1
        zone = stack[height]
        if size[zone] != 1:
            continue
        for at in range(zone_starts[zone], zone_starts[zone + 1]):
            atom = zone_atoms[at]
            if left[atom]:
                left[atom] = False
                for k in range(atom_starts[atom], atom_starts[atom + 1]):
                    other = atom_zones[k]
                    size[other] -= 1
                    if size[other] == 1:
                        stack[height] = other
                        height += 1
    return left


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _null_vectors(matrix: Ints, free: Ints, prime: int) -> Ints:
    """Return vectors v with matrix @ v = 0 modulo a prime; free columns are as given."""
    rows, columns = matrix.shape
    pivots = np.empty(rows, dtype=np.int64)
    rank = 0
    for column in range(columns):
        if rank == rows:
            break
        at = -1
        for row in range(rank, rows):
            if matrix[row, column] != 0:
                at = row
                break
        if at < 0:
            continue
        if at != rank:
            for k in range(column, columns):
                matrix[rank, k], matrix[at, k] = matrix[at, k], matrix[rank, k]
        inverse, base, power = 1, matrix[rank, column], prime - 2
        while power > 0:
            if power & 1:
                inverse = inverse * base % prime
            base = base * base % prime
            power >>= 1
        for k in range(column, columns):
            matrix[rank, k] = matrix[rank, k] * inverse % prime
        for row in range(rank + 1, rows):
            factor = matrix[row, column]
            if factor != 0:
                for k in range(column, columns):
                    if matrix[rank, k] != 0:
                        matrix[row, k] = (matrix[row, k] - factor * matrix[rank, k]) % prime
        pivots[rank] = column
        rank += 1
    found = free.copy()
    for draw in range(len(free)):
        for n in range(rank - 1, -1, -1):
            total = 0
            for k in range(pivots[n] + 1, columns):
                if matrix[n, k] != 0:
                    total = (total + matrix[n, k] * found[draw, k]) % prime
            found[draw, pivots[n]] = (prime - total) % prime
    return found


def _projected(system: Any, rng: np.random.Generator) -> Ints:
    """Return a random vector projected on the moves of a large component, in units of 10⁻⁹."""
    drawn = rng.standard_normal(system.shape[1])
    scaled = (sparse.diags_array(1 / np.sqrt(np.diff(system.indptr))) @ system).tocsr()
    # zones that add up to the same people make the normal equations singular; with a small number
    # on the diagonal each round leaves a small share of the error, so that a few rounds suffice
    normal = scaled @ scaled.T + _DIAGONAL * sparse.eye_array(system.shape[0])
    solver = splu(
        normal.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    move = drawn
    for _ in range(MOST_ROUNDS):
        step = scaled.T @ solver.solve(scaled @ move)
        move = move - step
        if np.abs(step).max() < _UNIT / 100:
            found: Ints = np.rint(move / _UNIT).astype(np.int64)
            return found
    raise InputError(
        "What these zonings determine together could not be decided. Check them in pairs."
    )


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
