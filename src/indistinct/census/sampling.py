"""Drawing from conditional distributions, many rows at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from indistinct.core import Array

__all__ = ["AliasTable", "Array", "interpolate"]


class AliasTable:
    """Draw a category given a row of a table of weights, in constant time per draw.

    Walker's alias method (1977) in Vose's form (1991): each of the K columns of a row holds
    a threshold and a second category, so that one uniform number decides column and side.

    Parameters
    ----------
    weights
        Array of shape ``(..., K)``; every row along the last axis is a distribution up to scale.
        Leading axes are addressed by one flat row number (C order).
    codes
        The K values that are returned; 0 … K-1 when left out.

    >>> table = AliasTable([[0, 1], [3, 0]], codes=[7, 9])
    >>> table.draw(np.random.default_rng(1), np.array([0, 1, 0])).tolist()
    [9, 7, 9]
    """

    def __init__(self, weights: ArrayLike, codes: ArrayLike | None = None) -> None:
        table = np.atleast_2d(np.asarray(weights, dtype=float))
        table = table.reshape(-1, table.shape[-1])
        self.size = table.shape[1]
        values = np.arange(self.size) if codes is None else np.asarray(codes)
        self.codes = values.astype(np.uint8 if values.max() < 256 else np.int32)
        thresholds = np.ones(table.shape)
        partner = np.tile(np.arange(self.size), (len(table), 1))
        for row, weight in enumerate(table / table.sum(axis=1, keepdims=True)):
            _fill(weight * self.size, thresholds[row], partner[row])
        self._thresholds = thresholds.ravel()
        self._partner = self.codes[partner.ravel()]

    def draw(self, rng: np.random.Generator, rows: Array) -> Array:
        """Return one code for each row number."""
        position = rng.random(len(rows))
        position *= self.size
        column = position.astype(np.int32)
        position -= column
        cell = rows.astype(np.int32) * np.int32(self.size)
        cell += column
        return np.where(position < self._thresholds[cell], self.codes[column], self._partner[cell])

    def draw_many(self, rng: np.random.Generator, count: int) -> Array:
        """Return `count` codes from the first row."""
        return self.draw(rng, np.zeros(count, dtype=np.int32))


def _fill(scaled: Array, thresholds: Array, partner: Array) -> None:
    mass: list[float] = scaled.tolist()
    small = [i for i, value in enumerate(mass) if value < 1]
    large = [i for i, value in enumerate(mass) if value >= 1]
    while small and large:
        low, high = small.pop(), large.pop()
        thresholds[low] = mass[low]
        partner[low] = high
        mass[high] -= 1 - mass[low]
        (small if mass[high] < 1 else large).append(high)


def interpolate(x: Array, points: Mapping[Any, float]) -> Array:
    """Return the piecewise linear curve through `points` at `x`.

    >>> interpolate(np.array([10.0, 15.0]), {0: 0.0, 20: 1.0}).tolist()
    [0.5, 0.75]
    """
    return np.interp(x, list(points), list(points.values()))
