"""Dropping the ones that no person can have, for want of a match in some other table.

A value is possible in an area while every table has a one for it there, or may not count the
person. A one whose values are not all possible is dropped, and so on until nothing changes. Every
feasible combination survives; of most areas nothing does, and these need no counting.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from indistinct.core import Array, Bools, Ints, SmallInts
from indistinct.tables.matching.atoms import Axes
from indistinct.tables.matching.joining import Ones

__all__ = ["consistent"]


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
