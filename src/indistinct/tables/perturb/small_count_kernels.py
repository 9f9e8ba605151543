"""The inner loops of small count rounding: sums by cell, a start, and its improvement.

Inner cells are rows; a row's published cells stand in `index` from `pointer[row]` on. `now` are the
published counts as they stand, `true` the true ones, and what is made small is
Σ (now − true)² over all published cells.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["add_to_cells", "find_small", "improve", "start"]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def add_to_cells(pointer: Array, index: Array, amounts: Array, out: Array) -> None:
    """Add the amount of every row to its cells."""
    for row in range(len(pointer) - 1):
        for at in range(pointer[row], pointer[row + 1]):
            out[index[at]] += amounts[row]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def find_small(
    pointer: Array, index: Array, now: Array, current: Array, base: int, chosen: Array, new: Array
) -> int:
    """Write the rows that must be rounded, as some published cell of theirs is small."""
    number = 0
    for row in range(len(pointer) - 1):
        if chosen[row] or current[row] <= 0 or current[row] >= base:
            continue
        for at in range(pointer[row], pointer[row + 1]):
            if 0 < now[index[at]] < base:
                chosen[row] = True
                new[number] = row
                number += 1
                break
    return number


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def start(
    rows: Array,
    group: Array,
    pointer: Array,
    index: Array,
    current: Array,
    now: Array,
    base: int,
) -> None:
    """Round rows one after the other; what is over is carried, so that a group's sum stays near."""
    carried = 0
    for n in range(len(rows)):
        row = rows[n]
        if n and group[row] != group[rows[n - 1]]:
            carried = 0
        carried += current[row]
        value = base if 2 * carried >= base else 0
        carried -= value
        change = value - current[row]
        current[row] = value
        for at in range(pointer[row], pointer[row + 1]):
            now[index[at]] += change


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _gain(row: int, change: int, pointer: Array, index: Array, now: Array, true: Array) -> int:
    """How much the sum of squares grows when a row changes."""
    first, end = pointer[row], pointer[row + 1]
    over = 0
    for at in range(first, end):
        over += now[index[at]] - true[index[at]]
    gain: int = 2 * change * over + change * change * (end - first)
    return gain


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _apply(row: int, change: int, pointer: Array, index: Array, current: Array, now: Array) -> None:
    current[row] += change
    for at in range(pointer[row], pointer[row + 1]):
        now[index[at]] += change


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def improve(
    rows: Array,
    bounds: Array,
    pointer: Array,
    index: Array,
    current: Array,
    now: Array,
    true: Array,
    base: int,
    sweeps: int,
    tries: int,
    seeds: Array,
    mark: Array,
    stamp: int,
) -> int:
    """Turn single rows, and exchange two of one group, as long as that makes the sum smaller.

    `bounds` says where each group begins among `rows`. In large groups a row tries some partners
    drawn at random by its seed, which is not 0, in small ones all. `mark` is working space with no
    number above `stamp`; the largest number in it is returned.
    """
    for group in range(len(bounds) - 1):
        first, end = bounds[group], bounds[group + 1]
        size = end - first
        word = np.uint64(seeds[group])
        for _ in range(sweeps):
            better = False
            for n in range(first, end):
                row = rows[n]
                change = base if current[row] == 0 else -base
                if _gain(row, change, pointer, index, now, true) < 0:
                    _apply(row, change, pointer, index, current, now)
                    better = True
            for n in range(first, end):
                row = rows[n]
                change = base if current[row] == 0 else -base
                own = _gain(row, change, pointer, index, now, true)
                stamp += 1
                for at in range(pointer[row], pointer[row + 1]):
                    mark[index[at]] = stamp
                for t in range(min(size, tries)):
                    if size <= tries:
                        other = rows[first + t]
                    else:
                        word ^= word << np.uint64(13)
                        word ^= word >> np.uint64(7)
                        word ^= word << np.uint64(17)
                        other = rows[first + np.int64(word % np.uint64(size))]
                    if (current[other] == 0) == (current[row] == 0):
                        continue
                    common = 0
                    for at in range(pointer[other], pointer[other + 1]):
                        common += mark[index[at]] == stamp
                    both = own + _gain(other, -change, pointer, index, now, true)
                    if both - 2 * change * change * common < 0:
                        _apply(row, change, pointer, index, current, now)
                        _apply(other, -change, pointer, index, current, now)
                        better = True
                        break
            if not better:
                break
    return stamp
