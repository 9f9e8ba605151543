"""The inner loops of magnitudes: adding up what contributors give, and keeping the largest."""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["add_amounts", "gather"]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def add_amounts(classes: Array, amounts: Array, totals: Array) -> None:
    """Add an amount per record to its class, in record order: the same sum every time."""
    for n in range(len(classes)):
        totals[classes[n]] += amounts[n]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def gather(
    cells: Array,
    values: Array,
    weights: Array,
    starts: Array,
    total: Array,
    contributors: Array,
    squares: Array,
    top_values: Array,
    top_weights: Array,
) -> None:
    """Add the records of one contributor after the other to their cells (-1: none).

    Records of a contributor in one cell are added up: the contributor's weight is their mean, and
    its value what gives the same weighted sum.
    """
    size, top = top_values.shape
    last = np.full(size, -1, dtype=np.int64)
    amount = np.zeros(size)
    weight = np.zeros(size)
    number = np.zeros(size, dtype=np.int64)
    longest = 0
    for owner in range(len(starts) - 1):
        longest = max(longest, starts[owner + 1] - starts[owner])
    touched = np.empty(longest, dtype=np.int64)
    for owner in range(len(starts) - 1):
        found = 0
        for n in range(starts[owner], starts[owner + 1]):
            cell = cells[n]
            if cell < 0:
                continue
            if last[cell] != owner:
                last[cell] = owner
                amount[cell] = 0.0
                weight[cell] = 0.0
                number[cell] = 0
                touched[found] = cell
                found += 1
            amount[cell] += values[n] * weights[n]
            weight[cell] += weights[n]
            number[cell] += 1
        for m in range(found):
            cell = touched[m]
            units = weight[cell] / number[cell]
            # a weight below 1 is one unit that contributes less
            if units < 1.0:
                units = 1.0
            value = amount[cell] / units
            total[cell] += amount[cell]
            contributors[cell] += 1
            squares[cell] += units * value * value
            if value <= top_values[cell, top - 1] and top_weights[cell, top - 1] > 0.0:
                continue
            at = top - 1
            while at > 0 and (top_weights[cell, at - 1] == 0.0 or top_values[cell, at - 1] < value):
                top_values[cell, at] = top_values[cell, at - 1]
                top_weights[cell, at] = top_weights[cell, at - 1]
                at -= 1
            top_values[cell, at] = value
            top_weights[cell, at] = units
