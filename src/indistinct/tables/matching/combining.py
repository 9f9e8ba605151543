"""Counting combinations of cells with a count of one that some person could stand in.

Every table that counts a person puts them in one cell. A *combination* names for every table a cell
with a count of one, or says that the table does not count the person. It is *feasible* when some
assignment of values to the variables stands in exactly these cells and outside exactly these
universes. Tables are taken one after the other; what matters of the tables so far is, for each axis
that a later table uses, which atoms are left. Combinations that leave the same atoms are counted
together, so work grows with these states and not with combinations.

All areas of a block are worked on at once: a state is a row of arrays.

States of combinations, joined with the cells of one more table, for many areas at once.

A state says which atoms are left on each axis, and of how many combinations. It is a row of arrays
sorted by area, so that a join is one compiled loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from indistinct.core import Array, Bools, Ints, SmallInts, progress
from indistinct.tables import kernels
from indistinct.tables.counting import Counted
from indistinct.tables.matching.atoms import AtomSets, Axes, Use

__all__ = [
    "Ones",
    "States",
    "feasible_combinations",
    "merged",
    "not_counted",
    "ones_of",
    "together",
    "with_ones",
]

# Dropping the ones that no person can have, for want of a match in some other table.
#
# A value is possible in an area while every table has a one for it there, or may not count the
# person. A one whose values are not all possible is dropped, and so on until nothing changes. Every
# feasible combination survives; of most areas nothing does, and these need no counting.


def consistent(axes: Axes, ones: Sequence[Ones], areas: int) -> tuple[list[Ones], Bools]:
    """Return the ones that are left, and of every area whether anything is possible there."""
    uses = [use for own in axes.uses for use in own]
    first_use = _offsets([len(own) for own in axes.uses])
    first_one = _offsets([len(table) for table in ones])
    first_piece = _offsets([len(table) for table in ones for _ in table.pieces])
    bounds = np.arange(areas + 1)
    starts = np.stack(
        [np.searchsorted(t.area, bounds) + n for t, n in zip(ones, first_one, strict=False)]
    )
    kept = np.ones(first_one[-1], dtype=bool)
    alive = np.ones(areas, dtype=bool)
    _drop(
        starts,
        first_one,
        first_use,
        np.array([use.axis for use in uses], dtype=np.int64),
        np.array([use.limits for use in uses], dtype=bool),
        _offsets([len(use.code) for use in uses]),
        _flat([use.code for use in uses]),
        first_piece,
        _flat([piece for table in ones for piece in table.pieces]),
        _offsets([axis.atoms for axis in axes.axes]),
        max((use.pieces for use in uses), default=1),
        kept,
        alive,
    )
    left = [
        table.where(kept[low:high] & alive[table.area])
        for table, low, high in zip(ones, first_one, first_one[1:], strict=False)
    ]
    return left, alive


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.cumsum([0, *sizes]).astype(np.int64)


def _flat(parts: Sequence[Array]) -> SmallInts:
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts]).astype(np.int32)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _drop(
    starts: Array,
    first_one: Array,
    first_use: Array,
    use_axis: Array,
    limits: Array,
    first_code: Array,
    code: Array,
    first_piece: Array,
    piece: Array,
    first_atom: Array,
    most_pieces: int,
    kept: Array,
    alive: Array,
) -> None:
    """Work through one area after another, over all tables until no value drops out."""
    possible = np.empty(first_atom[-1], dtype=np.bool_)
    most_uses = 1
    for table in range(len(first_use) - 1):
        most_uses = max(most_uses, first_use[table + 1] - first_use[table])
    there = np.empty((most_uses, most_pieces), dtype=np.bool_)
    met = np.empty((most_uses, most_pieces), dtype=np.bool_)
    for area in range(len(alive)):
        possible[:] = True
        changed = True
        while changed and alive[area]:
            changed = False
            for table in range(len(first_use) - 1):
                low, high = first_use[table], first_use[table + 1]
                there[: high - low] = False
                met[: high - low] = False
                outside = False
                for use in range(low, high):
                    atom = first_atom[use_axis[use]]
                    for at in range(first_code[use], first_code[use + 1]):
                        if possible[atom]:
                            if code[at] >= 0:
                                there[use - low, code[at]] = True
                            else:
                                outside = True
                        atom += 1
                some = outside
                for one in range(starts[table, area], starts[table, area + 1]):
                    if not kept[one]:
                        continue
                    place = one - first_one[table]
                    for use in range(low, high):
                        if not there[use - low, piece[first_piece[use] + place]]:
                            kept[one] = False
                            break
                    if kept[one]:
                        some = True
                        for use in range(low, high):
                            met[use - low, piece[first_piece[use] + place]] = True
                if not some:
                    alive[area] = False
                    break
                for use in range(low, high):
                    if outside and not limits[use]:
                        continue
                    atom = first_atom[use_axis[use]]
                    for at in range(first_code[use], first_code[use + 1]):
                        if possible[atom] and code[at] >= 0 and not met[use - low, code[at]]:
                            possible[atom] = False
                            changed = True
                        atom += 1


BLOCK = 64
"""Areas that are worked on at once."""


def ones_of(counted: Counted, position: int, uses: Sequence[Use]) -> Ones:
    """Return the cells of one table that count one person."""
    layout = counted.layouts[position]
    cell = counted.cell_of(position)
    own = np.empty(counted.classes, dtype=np.int64)
    kernels.own_counts(counted.starts, cell, counted.counts, layout.cells, own)
    alone = np.flatnonzero(own == 1)
    cell = cell[alone]
    pieces = tuple(use.piece_of(cell, layout.shape).astype(np.int32) for use in uses)
    return Ones(counted.area[alone].astype(np.int32), pieces)


def feasible_combinations(
    axes: Axes, ones: Sequence[Ones], areas: int, *, most_states: int
) -> list[int | None]:
    """Count the feasible combinations of every area; None where there are too many states."""
    found: list[int | None] = [0] * areas
    kept, alive = consistent(axes, ones, areas)
    if not alive.any():
        return found
    # areas in which nothing is possible are left out, and the others numbered anew
    number = (np.cumsum(alive) - 1).astype(np.int32)
    kept = [
        Ones(number[one.area], one.pieces)
        for one in (table.where(alive[table.area]) for table in kept)
    ]
    places = np.flatnonzero(alive)
    order = _order(axes, kept, len(places))
    sets = [AtomSets(axis.atoms) for axis in axes.axes]
    nowhere = _outside_all(axes)
    with progress.task("counting false matches", total=len(places), unit="areas") as task:
        for low in range(0, len(places), BLOCK):
            high = min(low + BLOCK, len(places))
            block = [table.between(low, high) for table in kept]
            counts = _count_block(axes, block, order, sets, low, high, most_states)
            for area, count in zip(places[low:high].tolist(), counts, strict=True):
                found[area] = None if count is None else count - nowhere
            task.advance(high - low)
    return found


def _outside_all(axes: Axes) -> int:
    """Return 1 if somebody could be in no table at all: such a person matches nothing."""
    left = [np.ones(axis.atoms, dtype=bool) for axis in axes.axes]
    for uses in axes.uses:
        limiting = next((use for use in uses if use.limits), None)
        if limiting is None:
            return 0
        left[limiting.axis] &= ~limiting.inside
    return int(all(atoms.any() for atoms in left))


def _order(axes: Axes, ones: Sequence[Ones], areas: int) -> list[int]:
    """Put first what is small, then what is most tied to what came before.

    A table whose axes are all known can only lessen the states; of the others that comes next for
    which the fewest ones are expected to fit a state.
    """
    logs = [np.log(len(table) / areas + 1e-9) for table in ones]
    kinds = []
    for uses, table in zip(axes.uses, ones, strict=True):
        per_use = {}
        for use, piece in zip(uses, table.pieces, strict=True):
            number = len(np.unique(table.area.astype(np.int64) * use.pieces + piece))
            per_use[use.axis] = np.log(max(number / areas, 1.0))
        kinds.append(per_use)
    seen: set[int] = set()
    left, order = set(range(len(ones))), []

    def cost(n: int) -> tuple[bool, float, int]:
        shared = sum(kind for axis, kind in kinds[n].items() if axis in seen)
        untied = bool(seen) and not (seen & kinds[n].keys())
        return untied, float(logs[n] - shared), n

    while left:
        best = min(left, key=cost)
        left.discard(best)
        order.append(best)
        seen.update(kinds[best])
    return order


def _count_block(
    axes: Axes,
    ones: Sequence[Ones],
    order: Sequence[int],
    sets: Sequence[AtomSets],
    low: int,
    high: int,
    most_states: int,
) -> list[int | None]:
    areas = high - low
    states = States(np.arange(areas, dtype=np.int32), {}, np.ones(areas, dtype=np.int64))
    over = np.zeros(areas, dtype=bool)
    for step, position in enumerate(order):
        later = {use.axis for other in order[step + 1 :] for use in axes.uses[other]}
        uses = axes.uses[position]
        for use in uses:
            if use.axis not in states.left:
                states.left[use.axis] = np.zeros(len(states.area), dtype=np.int32)
        table = Ones(ones[position].area - np.int32(low), ones[position].pieces)
        inside = with_ones(states, table, uses, sets, areas, most_states, over)
        outside = not_counted(states, uses, sets)
        states = inside if outside is None else together(inside, outside)
        forgotten = [axis for axis in states.left if axis not in later]
        for axis in forgotten:
            del states.left[axis]
        if forgotten or outside is not None:
            states = merged(states)
        over |= np.bincount(states.area, minlength=areas) > most_states
        if over.any():
            states = states.where(~over[states.area])
        if not len(states.area):
            break
    found: list[int | None] = [None if too_many else 0 for too_many in over.tolist()]
    for area, ways in zip(states.area.tolist(), states.ways.tolist(), strict=True):
        found[area] = int(ways)
    return found


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
