"""The sensitive values in the classes of a lattice's points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import InputError, Ints, SmallInts
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import KeyTable
from indistinct.protect.methods.whole_variables.lattice_kernels import merge_cells
from indistinct.risk import SensitiveCounts, split_told

__all__ = ["Cells", "SensitiveValues"]


DENSE = 32
"""Classes times values may be so many times the cells for them to be counted in one array."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Classes and values that occur together, sorted, and how many records have both."""

    classes: Ints = field(repr=False)
    values: Ints = field(repr=False)
    counts: Ints = field(repr=False)


@dataclass(frozen=True, eq=False)
class SensitiveValues:
    """One sensitive variable and its values in the classes of the key table."""

    name: str
    coding: Coding = field(repr=False)
    present: Ints = field(repr=False)
    cells: Cells = field(repr=False)

    @classmethod
    def of(cls, keys: KeyTable, table: KeyTable, names: Sequence[str]) -> list[SensitiveValues]:
        """Read sensitive variables off a table that was counted by the key and by them."""
        found = []
        for name in names:
            split = split_told(table, keys.names, name)
            same = split.table.codes.shape == keys.codes.shape
            if not same or (split.table.codes != keys.codes).any():
                raise InputError(
                    f"The records counted by the key and '{name}' are not those counted by the "
                    "key alone. Count both from the same file."
                )
            classes = np.repeat(np.arange(keys.classes), np.diff(split.starts))
            cells = Cells(classes, split.values.astype(np.int64), split.counts)
            found.append(cls(name, split.coding, split.present, cells))
        return found

    def rolled_up(self, cells: Cells, member: SmallInts, groups: int) -> Cells:
        """Return the cells after classes have been merged into groups."""
        width = len(self.present)
        if groups * width <= DENSE * len(cells.counts) + 1024:
            totals = np.zeros(groups * width, dtype=np.int64)
            room = min(groups * width, len(cells.counts))
            out = (np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64))
            held = merge_cells(
                member, cells.classes, cells.values, cells.counts, totals, width, *out
            )
            return Cells(*(part[:held].copy() for part in out))
        cell = member[cells.classes] * np.int64(width) + cells.values
        numbers, place = np.unique(cell, return_inverse=True)
        # counts are whole and far below 2^53, so that adding them as floats is exact
        counts = np.bincount(place.reshape(-1), weights=cells.counts).astype(np.int64)
        return Cells(numbers // width, numbers % width, counts)

    def split(self, cells: Cells, sizes: Ints, shown: Ints | None) -> SensitiveCounts:
        """Return the cells as the risk measures take them.

        Parameters
        ----------
        shown
            The classes that have records, where there are others.
        """
        classes = np.arange(len(sizes)) if shown is None else shown
        starts = np.append(np.searchsorted(cells.classes, classes), len(cells.classes))
        table = KeyTable(KeyCoding(()), np.empty((len(sizes), 0), dtype=np.int64), sizes)
        none = np.empty(0, dtype=np.int64)
        return SensitiveCounts(
            table, self.name, self.coding, self.present, starts, cells.values, cells.counts, none
        )
