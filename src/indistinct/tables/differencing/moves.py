"""Moves drawn at random: numbers on atoms that add up to 0 in every zone of every zoning.

What subtraction alone tells is taken out first. The rest falls into components; the moves of small
ones come from elimination modulo a prime, those of large ones from sparse normal equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from indistinct.core import Array, Bools, InputError
from indistinct.tables.differencing.overlapping import Ints

__all__ = ["SLACK", "random_moves"]

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
