"""How many records' cells went how far: all that a cell-by-cell measure needs of a recoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from indistinct.core import Floats, InputError, Ints, at_least, check_number, did_you_mean
from indistinct.keys import Recoding

__all__ = ["CellCounts", "cell_counts", "total_cost", "weights_of"]

Cost = Callable[[int], Floats]
"""The cost of a cell of a variable, given by position: rows are levels, columns leaves."""


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Records by the level to which a variable's cell climbs, and by its original value.

    Parameters
    ----------
    kept
        For each variable the released records; rows are levels, columns the leaves.
    dropped
        For each variable the records left out, by leaf.
    """

    kept: tuple[Ints, ...]
    dropped: tuple[Ints, ...]

    def original(self, variable: int) -> Ints:
        """Return all records of the original table by leaf."""
        return np.asarray(self.kept[variable].sum(axis=0) + self.dropped[variable])


_KNOWN: WeakKeyDictionary[Recoding, CellCounts] = WeakKeyDictionary()


def cell_counts(recoding: Recoding) -> CellCounts:
    """Count cells by level and leaf. Every measure of the same recoding shares one count."""
    if recoding not in _KNOWN:
        _KNOWN[recoding] = _counted(recoding)
    return _KNOWN[recoding]


def _counted(recoding: Recoding) -> CellCounts:
    keys = recoding.keys
    kept, dropped = [], []
    for j, height in enumerate(keys.heights):
        leaves = keys.climb(j).shape[1]
        # DROPPED is level -1, so that records left out come to lie in row 0
        cell = (recoding.levels[:, j].astype(np.int64) + 1) * leaves + keys.leaves[
            recoding.classes, j
        ]
        counts = np.bincount(cell, weights=recoding.counts, minlength=(height + 2) * leaves)
        table = counts.astype(np.int64).reshape(height + 2, leaves)
        dropped.append(table[0])
        kept.append(table[1:])
    return CellCounts(tuple(kept), tuple(dropped))


def total_cost(recoding: Recoding, cost: Cost, *, variables: Sequence[int] | None = None) -> Floats:
    """Add up the cost of every cell, by variable; a cell of a record left out costs 1."""
    counts = cell_counts(recoding)
    chosen = range(len(recoding.keys.names)) if variables is None else variables
    return np.array(
        [(counts.kept[j] * cost(j)).sum() + counts.dropped[j].sum() for j in chosen],
        dtype=np.float64,
    )


def weights_of(recoding: Recoding, weights: Mapping[str, float] | None) -> Floats:
    """Return one weight per variable, 1 where none is given."""
    names = recoding.keys.names
    for name, weight in (weights or {}).items():
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
        check_number(f"The weight of '{name}'", weight, at_least(0))
    found = np.array([(weights or {}).get(name, 1.0) for name in names], dtype=np.float64)
    if len(found) and not found.any():
        raise InputError("At least one variable must have a weight above 0.")
    return found
