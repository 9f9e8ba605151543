"""The inner loops of tables: counting the cells of one area after another.

Classes of people come sorted by area, so that one array with a cell for every cell of a table
serves all areas, and the work is linear in classes, whatever the numbers of areas and cells.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["count_cells", "own_counts"]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def own_counts(starts: Array, cells: Array, counts: Array, size: int, out: Array) -> None:
    """Write the number of people in the cell of every class; 0 where it is in no cell."""
    tally = np.zeros(size, dtype=np.int64)
    for area in range(len(starts) - 1):
        first, end = starts[area], starts[area + 1]
        for row in range(first, end):
            if cells[row] >= 0:
                tally[cells[row]] += counts[row]
        for row in range(first, end):
            out[row] = tally[cells[row]] if cells[row] >= 0 else 0
        for row in range(first, end):
            if cells[row] >= 0:
                tally[cells[row]] = 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def count_cells(
    starts: Array, cells: Array, amounts: Array, size: int, areas: Array, found: Array, sums: Array
) -> int:
    """Write area, cell and sum of every cell that somebody is in; return how many there are.

    Within an area the cells come in the order in which people are met.
    """
    tally = np.zeros(size, dtype=amounts.dtype)
    seen = np.zeros(size, dtype=np.bool_)
    number = 0
    for area in range(len(starts) - 1):
        begin = number
        for row in range(starts[area], starts[area + 1]):
            cell = cells[row]
            if cell < 0:
                continue
            if not seen[cell]:
                seen[cell] = True
                areas[number] = area
                found[number] = cell
                number += 1
            tally[cell] += amounts[row]
        for n in range(begin, number):
            cell = found[n]
            sums[n] = tally[cell]
            tally[cell] = 0
            seen[cell] = False
    return number
