"""States of combinations, joined with the cells of one more table, for many areas at once.

A state says which atoms are left on each axis, and of how many combinations. It is a row of arrays
sorted by area, so that a join is one compiled loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from indistinct.core import Array, Bools, SmallInts
from indistinct.tables.matching.atoms import AtomSets, Use

__all__ = ["Ones", "States", "merged", "not_counted", "together", "with_ones"]


@dataclass(frozen=True, eq=False)
class Ones:
    """The cells of one table with a count of one, sorted by area, and the piece of each use."""

    area: SmallInts
    pieces: tuple[SmallInts, ...]

    def __len__(self) -> int:
        return len(self.area)

    def where(self, kept: Bools) -> Ones:
        """Return some of them."""
        return Ones(self.area[kept], tuple(piece[kept] for piece in self.pieces))

    def between(self, low: int, high: int) -> Ones:
        """Return those of the areas from `low` to below `high`."""
        first, end = np.searchsorted(self.area, (low, high))
        return Ones(self.area[first:end], tuple(piece[first:end] for piece in self.pieces))


@dataclass
class States:
    """States of several areas, sorted by area: the set left on each axis, and how many ways."""

    area: SmallInts
    left: dict[int, SmallInts]
    ways: Array

    def where(self, kept: Array) -> States:
        """Return some of them, in the order given."""
        return States(self.area[kept], {a: s[kept] for a, s in self.left.items()}, self.ways[kept])


def with_ones(
    states: States,
    table: Ones,
    uses: Sequence[Use],
    sets: Sequence[AtomSets],
    areas: int,
    most_states: int,
    over: Bools,
) -> States:
    """Put every state together with every one that fits it."""
    narrowed = [sets[use.axis].narrowed(use.code, use.pieces) for use in uses]
    offsets = np.cumsum([0, *(n.size for n in narrowed)])[:-1].astype(np.int64)
    widths = np.array([use.pieces for use in uses], dtype=np.int64)
    flat = np.concatenate([n.reshape(-1) for n in narrowed] or [np.zeros(0, dtype=np.int32)])
    left = np.stack([states.left[use.axis] for use in uses] or [states.area])
    pieces = np.stack(table.pieces or (table.area,))
    bounds = np.arange(areas + 1)
    rows, cells = np.searchsorted(states.area, bounds), np.searchsorted(table.area, bounds)
    number = np.zeros(areas, dtype=np.int64)
    _pairs_per_area(rows, cells, left, pieces, flat, offsets, widths, most_states, number)
    over |= number > most_states
    number[over] = 0
    total = int(number.sum())
    row, cell = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    _pairs(rows, cells, left, pieces, flat, offsets, widths, over, row, cell)
    joined = states.where(row)
    for use, n, piece in zip(uses, narrowed, table.pieces, strict=True):
        joined.left[use.axis] = n[joined.left[use.axis], piece[cell]]
    return joined


def not_counted(states: States, uses: Sequence[Use], sets: Sequence[AtomSets]) -> States | None:
    """Return the states of those whom the table does not count; None where it counts everybody."""
    limiting = next((use for use in uses if use.limits), None)
    if limiting is None:
        return None
    side = np.where(limiting.inside, -1, 0).astype(np.int64)
    left = sets[limiting.axis].narrowed(side, 1)[states.left[limiting.axis], 0]
    kept = left >= 0
    out = states.where(kept)
    out.left[limiting.axis] = left[kept]
    return out


def together(one: States, other: States) -> States:
    """Return the states of both, not sorted."""
    return States(
        np.concatenate([one.area, other.area]),
        {axis: np.concatenate([s, other.left[axis]]) for axis, s in one.left.items()},
        np.concatenate([one.ways, other.ways]),
    )


def merged(states: States) -> States:
    """Count together what leaves the same atoms; exactly, whatever the size of the numbers."""
    columns = list(states.left.values())
    order = np.lexsort((*columns, states.area))
    states = states.where(order)
    new = np.zeros(len(order), dtype=bool)
    new[:1] = True
    for column in (states.area, *states.left.values()):
        new[1:] |= np.diff(column) != 0
    first = np.flatnonzero(new)
    ways = states.ways
    if ways.dtype != object and float(ways.sum(dtype=np.float64)) > 2**62:
        ways = ways.astype(object)
    found = states.where(first)
    if len(first):
        found.ways = np.add.reduceat(ways, first)
    return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _fits(
    left: Array, row: int, pieces: Array, cell: int, flat: Array, offsets: Array, widths: Array
) -> bool:
    for d in range(len(widths)):
        if flat[offsets[d] + left[d, row] * widths[d] + pieces[d, cell]] < 0:
            return False
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _pairs_per_area(
    rows: Array,
    cells: Array,
    left: Array,
    pieces: Array,
    flat: Array,
    offsets: Array,
    widths: Array,
    most: int,
    number: Array,
) -> None:
    """Count the states and cells that fit, of each area; no further than beyond `most`."""
    for area in range(len(number)):
        for row in range(rows[area], rows[area + 1]):
            for cell in range(cells[area], cells[area + 1]):
                if _fits(left, row, pieces, cell, flat, offsets, widths):
                    number[area] += 1
            if number[area] > most:
                break


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _pairs(
    rows: Array,
    cells: Array,
    left: Array,
    pieces: Array,
    flat: Array,
    offsets: Array,
    widths: Array,
    over: Array,
    out_row: Array,
    out_cell: Array,
) -> None:
    """Write the states and cells that fit, area by area."""
    n = 0
    for area in range(len(over)):
        if over[area]:
            continue
        for row in range(rows[area], rows[area + 1]):
            for cell in range(cells[area], cells[area + 1]):
                if _fits(left, row, pieces, cell, flat, offsets, widths):
                    out_row[n] = row
                    out_cell[n] = cell
                    n += 1
