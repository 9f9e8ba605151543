"""Nearest points among categories and numbers, one pair after another, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["nearest_mixed"]


@njit(cache=True, nogil=True)
def nearest_mixed(a: Array, b: Array, numbers: int, wide: float, k: int) -> Any:
    """Return the k least city-block distances of every point, and the points they belong to.

    From column `numbers` on, coordinates are categories: `wide` apart or equal. Of
    equal distances the point that comes first is listed first.
    """
    n, m = a.shape[0], b.shape[0]
    distances = np.full((n, k), np.inf)
    found = np.full((n, k), -1, dtype=np.int64)
    for i in range(n):
        worst = np.inf
        for j in range(m):
            total = 0.0
            for c in range(a.shape[1]):
                if c < numbers:
                    total += abs(a[i, c] - b[j, c])
                elif a[i, c] != b[j, c]:
                    total += wide
                if total >= worst:
                    break
            if total < worst:
                at = k - 1
                while at > 0 and distances[i, at - 1] > total:
                    distances[i, at] = distances[i, at - 1]
                    found[i, at] = found[i, at - 1]
                    at -= 1
                distances[i, at] = total
                found[i, at] = j
                worst = distances[i, k - 1]
    return distances, found
