"""Inner loops that deserve compiling: counting cells, and the sums of a regression."""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["add_cells", "count_cells", "gradient", "gram", "linear_predictor"]


@njit(cache=True, nogil=True)
def count_cells(a: Array, b: Array, c: Array, size_b: int, size_c: int, out: Array) -> None:
    """Count the records of each cell (a · size_b + b) · size_c + c."""
    for i in range(a.shape[0]):
        out[(np.int64(a[i]) * size_b + b[i]) * size_c + c[i]] += 1


@njit(cache=True, nogil=True)
def add_cells(
    a: Array, b: Array, c: Array, size_b: int, size_c: int, weights: Array, out: Array
) -> None:
    """Add up the weights of the records of each cell."""
    for i in range(a.shape[0]):
        out[(np.int64(a[i]) * size_b + b[i]) * size_c + c[i]] += weights[i]


@njit(cache=True, nogil=True)
def gram(index: Array, value: Array, weight: Array, out: Array) -> None:
    """Add Σ w x xᵀ to the lower triangle of `out`.

    Row i of the design has `value[i, t]` in column `index[i, t]` for each term t, and nothing
    where that is -1; without values all are one.
    """
    ones = value.shape[0] == 0
    terms = index.shape[1]
    for i in range(index.shape[0]):
        w = weight[i]
        if w == 0.0:
            continue
        for s in range(terms):
            j = index[i, s]
            if j < 0:
                continue
            u = w if ones else w * value[i, s]
            for t in range(s + 1):
                k = index[i, t]
                if k >= 0:
                    v = u if ones else u * value[i, t]
                    if j >= k:
                        out[j, k] += v
                    else:
                        out[k, j] += v


@njit(cache=True, nogil=True)
def gradient(index: Array, value: Array, amount: Array, out: Array) -> None:
    """Add Σ amount x to `out`, for rows as in `gram`."""
    ones = value.shape[0] == 0
    for i in range(index.shape[0]):
        for t in range(index.shape[1]):
            j = index[i, t]
            if j >= 0:
                out[j] += amount[i] if ones else amount[i] * value[i, t]


@njit(cache=True, nogil=True)
def linear_predictor(index: Array, value: Array, beta: Array, out: Array) -> None:
    """Write xᵀβ of every row to `out`, for rows as in `gram`."""
    ones = value.shape[0] == 0
    for i in range(index.shape[0]):
        total = 0.0
        for t in range(index.shape[1]):
            j = index[i, t]
            if j >= 0:
                total += beta[j] if ones else beta[j] * value[i, t]
        out[i] = total
