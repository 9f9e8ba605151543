"""Exact disclosure by elimination: which suppressed cells the published ones determine.

A suppressed cell is a linear combination of published cells exactly where it is zero in every null
vector of the sums over the suppressed cells. Two suppressed cells determine each other where they
stand in the same ratio in every null vector: who knows the one, being alone in it, knows the other.

Both are read off a few random null vectors. The sums are brought to echelon form by sparse Gaussian
elimination in the integers modulo the prime 2³¹ - 1, so that no number is rounded. A cell that is
free is zero in all of V random vectors with a probability of (2³¹ - 1)⁻ⱽ; and one that is
determined is zero in all of them, unless the prime divides a determinant of the sums, whose entries
are 0, 1 and -1. (Elimination as a method of suppression: Langsrud 2024, *Privacy in Statistical
Databases*, LNCS 14915; the random null vectors are this project's.)
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from indistinct.core import Array, Bools, Ints

__all__ = ["determined", "eliminate", "mutual", "null_vectors"]


PRIME = 2**31 - 1

VECTORS = 3
"""Random null vectors that a verdict is read off."""

POOL = 48
"""Random null vectors that are used up, one a published cell, before new ones are made."""


@njit(cache=True, nogil=True)
def _inverse(value: int) -> int:
    """Fermat: the power p - 2."""
    result, base, power = 1, value % PRIME, PRIME - 2
    while power:
        if power & 1:
            result = result * base % PRIME
        base = base * base % PRIME
        power >>= 1
    return result


@njit(cache=True, nogil=True)
def _null_vectors(start: Array, column: Array, value: Array, vectors: Array) -> None:
    """Make random vectors null vectors of sparse rows, changing the entries of pivots only.

    Rows are reduced by the earlier ones in the order of those, since an earlier row may hold the
    pivot of a later one and never the other way round. The pivot is the cell of the fewest sums.
    """
    rows, cells = len(start) - 1, vectors.shape[0]
    often = np.zeros(cells, dtype=np.int64)
    for e in range(len(column)):
        often[column[e]] += 1
    order = np.argsort(start[1:] - start[:-1], kind="mergesort")
    size = 2 * len(column) + 16
    kept_column = np.empty(size, dtype=np.int64)
    kept_value = np.empty(size, dtype=np.int64)
    kept_start = np.zeros(rows + 1, dtype=np.int64)
    pivot = np.empty(rows, dtype=np.int64)
    row_of = np.full(cells, -1, dtype=np.int64)
    now = np.zeros(cells, dtype=np.int64)
    touched = np.empty(cells, dtype=np.int64)
    inside = np.zeros(cells, dtype=np.bool_)
    kept = 0
    for n in range(rows):
        r = order[n]
        number = 0
        heap = [np.int64(0) for _ in range(0)]
        for e in range(start[r], start[r + 1]):
            c = column[e]
            now[c] = value[e] % PRIME
            inside[c] = True
            touched[number] = c
            number += 1
            if row_of[c] >= 0:
                heappush(heap, row_of[c])
        while len(heap):
            k = heappop(heap)
            factor = now[pivot[k]]
            if factor == 0:
                continue
            for e in range(kept_start[k], kept_start[k + 1]):
                c = kept_column[e]
                if not inside[c]:
                    inside[c] = True
                    touched[number] = c
                    number += 1
                    if row_of[c] >= 0:
                        heappush(heap, row_of[c])
                elif now[c] == 0 and row_of[c] > k:
                    heappush(heap, row_of[c])
                now[c] = (now[c] - factor * kept_value[e]) % PRIME
        best: Any = -1
        for t in range(number):
            c = touched[t]
            if now[c] != 0 and (best < 0 or often[c] < often[best]):
                best = c
        if best >= 0:
            scale = _inverse(now[best])
            at = kept_start[kept]
            if at + number > size:
                size = 2 * (at + number)
                more_column = np.empty(size, dtype=np.int64)
                more_value = np.empty(size, dtype=np.int64)
                more_column[:at] = kept_column[:at]
                more_value[:at] = kept_value[:at]
                kept_column, kept_value = more_column, more_value
            for t in range(number):
                c = touched[t]
                if now[c] != 0:
                    kept_column[at] = c
                    kept_value[at] = now[c] * scale % PRIME
                    at += 1
            pivot[kept] = best
            row_of[best] = kept
            kept += 1
            kept_start[kept] = at
        for t in range(number):
            now[touched[t]] = 0
            inside[touched[t]] = False
    for late in range(kept - 1, -1, -1):
        own = pivot[late]
        for v in range(vectors.shape[1]):
            total: Any = 0
            for e in range(kept_start[late], kept_start[late + 1]):
                if kept_column[e] != own:
                    total = (total + kept_value[e] * vectors[kept_column[e], v]) % PRIME
            vectors[own, v] = (PRIME - total) % PRIME


def null_vectors(
    relations: sparse.csr_matrix, unknown: Bools, *, number: int = VECTORS, seed: int = 0
) -> Ints:
    """Return random null vectors of the sums, modulo the prime: a row for every cell.

    Known cells have zeros.
    """
    cells = np.flatnonzero(unknown)
    sums = sparse.csr_matrix(relations[:, cells])
    sums.eliminate_zeros()
    vectors = np.random.default_rng(seed).integers(1, PRIME, (len(cells), number), dtype=np.int64)
    _null_vectors(
        sums.indptr.astype(np.int64),
        sums.indices.astype(np.int64),
        np.rint(sums.data).astype(np.int64),
        vectors,
    )
    found = np.zeros((len(unknown), number), dtype=np.int64)
    found[cells] = vectors
    return found


def determined(relations: sparse.csr_matrix, suppressed: Bools, *, seed: int = 0) -> Bools:
    """Say of every cell whether it is suppressed and yet determined by the published cells.

    >>> sums = sparse.csr_matrix([[1.0, 1, 1, -1]])
    >>> determined(sums, np.array([True, False, False, False])).tolist()
    [True, False, False, False]
    >>> determined(sums, np.array([True, True, False, False])).any()
    np.False_
    """
    found = null_vectors(relations, suppressed, seed=seed)
    told: Bools = suppressed & (found == 0).all(axis=1)
    return told


def mutual(relations: sparse.csr_matrix, suppressed: Bools, *, seed: int = 0) -> Ints:
    """Return a class for every suppressed cell; cells of one class determine each other.

    Cells that are published, or determined without anybody's knowledge, are in none: -1.

    >>> sums = sparse.csr_matrix([[1.0, 1, 1, -1], [0, 0, 1, 1]])
    >>> mutual(sums, np.array([True, True, False, False])).tolist()
    [0, 0, -1, -1]
    """
    found = null_vectors(relations, suppressed, seed=seed)
    classes = np.full(len(suppressed), -1, dtype=np.int64)
    cells = np.flatnonzero(found.any(axis=1))
    if len(cells):
        ratios = np.empty((len(cells), VECTORS - 1), dtype=np.int64)
        _ratios(found[cells], ratios)
        _, own = np.unique(ratios, axis=0, return_inverse=True)
        classes[cells] = own.ravel()
    return classes


@njit(cache=True, nogil=True)
def _ratios(vectors: Array, ratios: Array) -> None:
    for n in range(len(vectors)):
        # a free cell has a zero here with a probability of one in two thousand million
        inverse = _inverse(vectors[n, 0])
        for v in range(ratios.shape[1]):
            ratios[n, v] = vectors[n, v + 1] * inverse % PRIME


@njit(cache=True, nogil=True)
def _publish(
    vectors: Array, left: int, order: Array, at: int, guarded: Array, hidden: Array
) -> int:
    """Publish cells in order while vectors last, and return how far it came.

    The first two vectors tell which cells stand in one ratio; the last of the others is used up to
    make the published cell zero in all.
    """
    cells = vectors.shape[1]
    while at < len(order):
        c = order[at]
        if vectors[0, c] == 0 and vectors[1, c] == 0:
            hidden[c] = False
            at += 1
            continue
        if left < 3:
            break
        told = False
        for p in guarded:
            if p != c:
                cross = vectors[0, p] * vectors[1, c] - vectors[1, p] * vectors[0, c]
                if cross % PRIME == 0 and vectors[0, p] != 0:
                    told = True
                    break
        if not told:
            hidden[c] = False
            used = left - 1
            inverse = _inverse(vectors[used, c])
            for v in range(used):
                factor = vectors[v, c] * inverse % PRIME
                if factor:
                    for i in range(cells):
                        vectors[v, i] = (vectors[v, i] - factor * vectors[used, i]) % PRIME
            left = used
        at += 1
    return at


def eliminate(
    relations: sparse.csr_matrix, unknown: Bools, sensitive: Ints, order: Ints, *, seed: int = 0
) -> Bools:
    """Publish cells in order, except those that would determine a sensitive one.

    Returns which cells stay suppressed: those of `unknown` that `order` does not name, the
    sensitive ones among them, and those without which one of these could be worked out. It protects
    from exact disclosure only.

    >>> sums = sparse.csr_matrix([[1.0, 1, 1, -1]])
    >>> eliminate(sums, np.ones(4, dtype=bool), np.array([0]), np.array([3, 2, 1])).tolist()
    [True, True, False, False]
    """
    hidden = unknown.copy()
    at, turn = 0, 0
    while at < len(order):
        vectors = null_vectors(relations, hidden, number=POOL, seed=seed + turn).T.copy()
        at = int(_publish(vectors, POOL, order, at, sensitive, hidden))
        turn += 1
    return hidden
