"""The lattice of full-domain generalisations, and the classes at each of its points.

A *point* of the lattice says for every variable to which level all its values climb. It is below
another if no level is higher: then every class there lies within one class here, and the classes
here can be rolled up from those there, which are far fewer than the records.

The sensitive values in the classes of a lattice's points.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from indistinct.core import GOLDEN, Array, InputError, Ints, SmallInts, Words
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect.methods.whole_variables.lattice_kernels import finest, merge_cells, roll_up
from indistinct.protect.models import Grouping
from indistinct.risk import SensitiveCounts, split_told

__all__ = ["Lattice", "Levels", "Rolled", "check_limits"]

Levels = tuple[int, ...]
"""A point of the lattice: one level for each variable of the key."""


DIRECT_PER_ROW = 4
ALWAYS_DIRECT = 1024
"""Words are addressed directly while there are at most so many times more of them than rows, or
so few."""

EXACT = 1 << 62
"""Up to here words are sums that never coincide for different groups."""

KEPT_TIMES = 6
"""Rolled-up tables are kept for others to be made of, up to so many times the base table,"""

ROOM = 1 << 22
"""and so many rows more."""


def check_limits(keys: Generalisable, limits: Mapping[str, int] | None) -> Levels:
    """Return the highest level that each variable may climb to; refuse what does not exist."""
    heights = dict(zip(keys.names, keys.heights, strict=True))
    found = keys.check_levels(dict(limits or {}))
    given = limits or {}
    return tuple(found[j] if name in given else heights[name] for j, name in enumerate(keys.names))


@dataclass(frozen=True, eq=False)
class Rolled:
    """The classes at one point of the lattice.

    Parameters
    ----------
    levels
        The point.
    rows
        For each class one row of the base table that lies in it.
    sizes
        Records in each class. 0 for a class that only a register has.
    people
        People of the register in each class; empty without a register.
    """

    levels: Levels
    rows: SmallInts = field(repr=False)
    sizes: Ints = field(repr=False)
    people: Ints = field(repr=False)
    cells: tuple[Cells, ...] = field(default=(), repr=False)
    """The sensitive values in each class, for each sensitive variable."""

    def __len__(self) -> int:
        return len(self.rows)


class Lattice:
    """All full-domain generalisations of a key table.

    Parameters
    ----------
    keys
        The classes and their hierarchies.
    limits
        The highest level of a variable, by name; the height of its hierarchy by default.
    register
        A key table of the same variables, with the people among whom a record is to hide. Its
        classes that no record has count as well.
    sensitive
        Sensitive variables whose values are to be known in every class: a key table that was
        counted by the key and by them, and their names.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4,))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02141"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> lattice = Lattice(keys)
    >>> lattice.counts((0,)).tolist(), lattice.counts((1,)).tolist()
    ([1, 1, 2], [2, 2])
    >>> lattice.suppressed((0,), k=2)
    2
    """

    def __init__(
        self,
        keys: Generalisable,
        *,
        limits: Mapping[str, int] | None = None,
        register: Generalisable | None = None,
        sensitive: tuple[KeyTable, Sequence[str]] | None = None,
    ) -> None:
        self.keys = keys
        self.top = check_limits(keys, limits)
        self.bottom: Levels = (0,) * len(keys.names)
        leaves, sizes = keys.leaves, keys.counts
        people = np.empty(0, dtype=np.int64)
        if register is not None:
            if register.names != keys.names:
                raise InputError("The register must be counted by the key variables, in order.")
            leaves = np.concatenate([leaves, register.leaves])
            people = np.concatenate([np.zeros_like(sizes), register.counts])
            sizes = np.concatenate([sizes, np.zeros_like(register.counts)])
        # each variable's leaves are numbered anew, so that only those that occur take room
        held = [np.bincount(column) > 0 for column in leaves.T]
        self.present = [np.flatnonzero(column) for column in held]
        small = max((len(present) for present in self.present), default=0) < 1 << 16
        self.leaves = np.empty(leaves.shape, dtype=np.uint16 if small else np.int32)
        for j, column in enumerate(held):
            self.leaves[:, j] = (np.cumsum(column) - 1)[leaves[:, j]]
        self.values = [] if sensitive is None else SensitiveValues.of(keys.table, *sensitive)
        self.base = Rolled(
            self.bottom,
            np.arange(len(leaves), dtype=np.int32),
            sizes.copy(),
            people,
            tuple(values.cells for values in self.values),
        )
        self._slots = np.empty(1 << 10, dtype=np.int32)
        self._room: tuple[Array, ...] = ()
        self._kept: list[Rolled] = []
        self._known = np.zeros((64, len(self.top)), dtype=np.int16)
        self._lengths = np.zeros(64, dtype=np.int64)
        self._held, self._oldest = 0, 1
        if register is not None:
            # a class that both have is one; those of the key table keep their places at the front
            self.base, _ = self.roll(self.base, self.bottom)
        self._keep(self.base)

    @property
    def points(self) -> int:
        """The number of points of the lattice."""
        number = 1
        for level in self.top:
            number *= level + 1
        return number

    def counts(self, levels: Sequence[int]) -> Ints:
        """Return the number of records in each class at a point, in no particular order."""
        sizes = self.rolled(tuple(levels)).sizes
        return sizes if not len(self.base.people) else sizes[sizes > 0]

    def suppressed(self, levels: Sequence[int], k: int) -> int:
        """Return the records in classes smaller than k at a point."""
        sizes = self.counts(levels)
        return int(sizes[sizes < k].sum())

    def groups(self, levels: Sequence[int]) -> Ints:
        """Return for each class of the key table the number of its class at a point.

        Classes have the same numbers as in `counts` and `rolled` where there is no register.
        """
        return self.roll(self.base, tuple(levels))[1][: self.keys.classes].astype(np.int64)

    def rolled(self, levels: Levels, *, keep: bool = False) -> Rolled:
        """Return the classes at a point, rolled up from the shortest table that is below it.

        Parameters
        ----------
        keep
            Whether the table is worth keeping for points above it.
        """
        source = self.source(levels)
        if source.levels == levels:
            return source
        result, _ = self.roll(source, levels, members=False)
        if keep:
            self._keep(result)
        return result

    def source(self, levels: Levels) -> Rolled:
        """Return the shortest table at hand that is below a point."""
        target = np.array(levels, dtype=np.int16)
        return self._kept[finest(self._known, self._lengths, len(self._kept), target)]

    def roll(
        self, source: Rolled, levels: Levels, *, members: bool = True
    ) -> tuple[Rolled, SmallInts]:
        """Roll a table up to a point above it; also says where each class went, if asked."""
        rows = len(source)
        codes, starts, lengths = self._codes
        factors, words = self._factors(levels)
        direct = words <= max(DIRECT_PER_ROW * rows, ALWAYS_DIRECT)
        need = words if direct else 1 << max(4, (2 * rows - 1).bit_length())
        if len(self._slots) < need:
            self._slots = np.empty(need, dtype=np.int32)
        spare_words, out_rows, out_sizes, out_people = self._space()
        member = np.empty(rows if members or self.values else 0, dtype=np.int32)
        groups = roll_up(
            self.leaves,
            source.rows,
            source.sizes,
            source.people,
            codes,
            lengths,
            np.array([at[level] for at, level in zip(starts, levels, strict=True)], dtype=np.int64),
            factors,
            direct,
            words < EXACT,
            self._slots[:need],
            spare_words,
            out_rows,
            out_sizes,
            out_people,
            member,
        )
        people = out_people[:groups].copy() if len(source.people) else source.people
        cells = tuple(
            values.rolled_up(before, member, groups)
            for values, before in zip(self.values, source.cells, strict=True)
        )
        found = Rolled(levels, out_rows[:groups].copy(), out_sizes[:groups].copy(), people, cells)
        return found, member

    def grouping(self, table: Rolled, *, names: Collection[str | None]) -> Grouping:
        """Return the classes with records, as privacy models look at them.

        Parameters
        ----------
        names
            The sensitive variables that they look at.
        """
        if not len(table.people):
            shown, sizes, people = None, table.sizes, None
        else:
            shown = np.flatnonzero(table.sizes)
            sizes, people = table.sizes[shown], table.people[shown]
        splits = {
            values.name: values.split(cells, sizes, shown)
            for values, cells in zip(self.values, table.cells, strict=True)
            if values.name in names
        }

        def order() -> Ints:
            places = self._places(table)
            return places if shown is None else places[shown]

        return Grouping(sizes, people, splits, order)

    def _places(self, table: Rolled) -> Ints:
        """Return the place of each class in the order in which its labels would be counted."""
        columns = []
        for j, level in enumerate(table.levels):
            leaves = self.present[j]
            if level == 0:
                # values are counted in their own order, which need not be that of their texts
                ranks = self._value_places[j]
            else:
                labels = [self.keys.labels(j)[node] for node in self.keys.climb(j)[level, leaves]]
                texts = sorted({text for text in labels if text is not None}, key=str.encode)
                rank: dict[str | None, int] = {text: i for i, text in enumerate(texts)}
                ranks = np.array([rank.get(label, len(rank)) for label in labels])
            columns.append(ranks[self.leaves[table.rows, j]])
        places = np.empty(len(table), dtype=np.int64)
        places[np.lexsort(columns[::-1])] = np.arange(len(table))
        return places

    @cached_property
    def _value_places(self) -> list[Ints]:
        """For each variable and present leaf the code of its value in the key table."""
        found = []
        for j, present in enumerate(self.present):
            codes = np.full(len(present), np.iinfo(np.int64).max)
            codes[self.leaves[: self.keys.classes, j]] = self.keys.table.codes[:, j]
            found.append(codes)
        return found

    def flat(self, tables: Sequence[Array], levels: Levels) -> tuple[Ints, Array]:
        """Lay the rows of one table per variable, taken at their levels, end to end.

        Returns where each variable's row starts, and the rows: the form that the compiled loops
        look things up in. A table has a row for each level and a column for each present leaf.
        """
        chosen = [table[level] for table, level in zip(tables, levels, strict=True)]
        return self._starts, np.concatenate(chosen)

    @cached_property
    def climbs(self) -> list[Ints]:
        """For each variable, level and present leaf the number of its node at that level."""
        found = []
        for j, present in enumerate(self.present):
            climb = self.keys.climb(j)[:, present]
            found.append(
                np.stack([np.unique(row, return_inverse=True)[1].reshape(-1) for row in climb])
            )
        return found

    @cached_property
    def _starts(self) -> Ints:
        return np.cumsum([0, *(len(present) for present in self.present)])[:-1]

    @cached_property
    def widths(self) -> list[list[int]]:
        """For each variable and level how many labels there are."""
        return [[int(row.max(initial=0)) + 1 for row in climb] for climb in self.climbs]

    @cached_property
    def _codes(self) -> tuple[Words, list[list[int]], Ints]:
        """The node numbers of all variables and levels end to end, and where each level starts."""
        lengths = [len(present) for present in self.present]
        places, end = [], 0
        for climb, length in zip(self.climbs, lengths, strict=True):
            places.append([end + level * length for level in range(len(climb))])
            end += climb.size
        flat = [climb.ravel().astype(np.uint64) for climb in self.climbs]
        joined = np.concatenate(flat) if flat else np.empty(0, dtype=np.uint64)
        return joined, places, np.array(lengths, dtype=np.int64)

    def _factors(self, levels: Levels) -> tuple[Words, int]:
        """Return what a variable's node numbers are multiplied by in a word; how many words."""
        factors, room = [], 1
        for widths, level in zip(self.widths, levels, strict=True):
            width = widths[level]
            # beyond EXACT words are only hashes, so that any odd number will do
            spread = room if room < EXACT else (room * int(GOLDEN)) % (1 << 64) | 1
            factors.append(spread if width > 1 else 0)
            room *= width
        return np.array(factors, dtype=np.uint64), room

    def _space(self) -> tuple[Array, ...]:
        if not self._room:
            most = len(self.base)
            self._room = (
                np.empty(most, dtype=np.uint64),
                np.empty(most, dtype=np.int32),
                np.empty(most, dtype=np.int64),
                np.empty(most if len(self.base.people) else 0, dtype=np.int64),
            )
        return self._room

    def _keep(self, table: Rolled) -> None:
        """Keep a table for others to be made of; the oldest but the base give way."""
        if len(self._kept) == len(self._lengths):
            self._known = np.concatenate([self._known, np.zeros_like(self._known)])
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
        at = len(self._kept)
        self._kept.append(table)
        self._known[at], self._lengths[at] = table.levels, len(table)
        self._held += len(table)
        room = KEPT_TIMES * len(self.base) + ROOM
        while self._held > room and self._oldest < at:
            self._held -= len(self._kept[self._oldest])
            self._kept[self._oldest] = self.base
            self._lengths[self._oldest] = -1
            self._oldest += 1


# The sensitive values in the classes of a lattice's points ---------------------------------------


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
