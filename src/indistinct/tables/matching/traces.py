"""How many people can be traced from table to table by somebody who knows a few variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from indistinct.core import Array, Bools, InputError, Ints, SmallInts, did_you_mean, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables import kernels
from indistinct.tables.counting import Counted
from indistinct.tables.matching.atoms import AtomSets, Use, axes_of

__all__ = ["Traceable", "traceable"]


@result
class Traceable(Result):
    """Who can be traced, and how far.

    Parameters
    ----------
    counted
        The tables.
    known
        The variables that the intruder knows of everybody.
    learned
        For every variable of the tables, and every class, whether the tables tell more about it
        than was known.
    complete
        For every class, whether its cell in every table is known in the end.
    """

    counted: Counted
    known: tuple[str, ...]
    learned: dict[str, Bools]
    complete: Bools

    FACTS = facts(
        "known",
        Fact("records", "counted.records"),
        "traced_in_full",
        "traced_in_part",
        Fact(
            "share",
            lambda found: (found.traced_in_full + found.traced_in_part) / found.counted.records,
            form=".2%",
        ),
        Fact(
            "learned",
            lambda found: {name: found._people(of) for name, of in found.learned.items()},
            shown="",
        ),
        shown=True,
    )

    def _row_tables(self) -> list[Table]:
        counted = {name: self._people(of) for name, of in self.learned.items()}
        rows = [(name, n, n / self.counted.records) for name, n in counted.items()]
        return [Table("What is learned", ("variable", "people", "share"), rows, {"share": ".2%"})]

    def sentence(self) -> str:
        """Say what is known of whom."""
        return f"Traceable({', '.join(self.known)} known of {self.counted.records:,} people)"

    @cached_property
    def number_learned(self) -> Ints:
        """Of every class, the variables about which the tables tell something."""
        number = np.zeros(self.counted.classes, dtype=np.int64)
        for of_class in self.learned.values():
            number += of_class
        return number

    @cached_property
    def full(self) -> Bools:
        """Of every class, whether the tables tell something, and in the end everything."""
        return (self.number_learned > 0) & self.complete

    @cached_property
    def part(self) -> Bools:
        """Of every class, whether the tables tell something, but not everything."""
        return (self.number_learned > 0) & ~self.complete

    def _people(self, of_class: Bools) -> int:
        return int(self.counted.counts[of_class].sum())

    @property
    def traced_in_full(self) -> int:
        """People whose cell in every table can be found."""
        return self._people(self.full)

    @property
    def traced_in_part(self) -> int:
        """People about whom something can be learned, but not everything."""
        return self._people(self.part)

    def plot(self) -> str:
        """Return a figure: about how many people something is learned, by variable."""
        found = {n: p for n, p in self.to_dict()["learned"].items() if n not in self.known}
        return bars("People about whom something is learned", list(found), list(found.values()))


def traceable(counted: Counted, known: Sequence[str], *, alone: bool = True) -> Traceable:
    """Trace everybody, starting from their values of the variables that an intruder knows.

    Everybody is traced as by `trace`, all at once: a person's knowledge of themselves is, for each
    variable, the set of atoms that is left, and only tables in which something changed are looked
    at again. What is learned about people does not depend on the order of the tables.

    Parameters
    ----------
    known
        The variables that are known, exactly.
    alone
        Whether only cells with a count of one are followed; see `trace`.
    """
    axes = axes_of(counted)
    names = [axis.variables[0] for axis in axes.axes]
    for name in known:
        if name not in names:
            raise InputError(f"No table has the variable '{name}'. {did_you_mean(name, names)}")
    sets = [AtomSets(axis.atoms) for axis in axes.axes]
    atoms = [
        axis.of_value[0].astype(np.int32)[counted.codes[axis.variables[0]]] for axis in axes.axes
    ]
    left = []
    for axis, own, atom in zip(axes.axes, sets, atoms, strict=True):
        start = np.zeros(counted.classes, dtype=np.int32)
        if axis.variables[0] in known:
            numbers = [own.number(np.array([n])) for n in range(axis.atoms)]
            start = np.array(numbers, dtype=np.int32)[atom]
        left.append(start)
    begin = [start.copy() for start in left]
    tables = [_Traced(counted, uses, sets, atoms) for uses in axes.uses]
    touched = np.ones(counted.classes, dtype=np.int32)
    moment, changed = 1, True
    with progress.task("tracing people", unit="tables") as task:
        while changed:
            changed = False
            for table in tables:
                moment += 1
                news = table.learn(left, np.flatnonzero(touched > table.seen), alone=alone)
                table.seen = moment - 1
                touched[news] = moment
                changed |= len(news) > 0
                task.advance()
    complete = np.ones(counted.classes, dtype=bool)
    for table in tables:
        complete &= table.settled(left)
    learned = {name: left[n] != begin[n] for n, name in enumerate(names)}
    return Traceable(counted, tuple(known), learned, complete)


class _Traced:
    """One table, looked at by everybody who learned something since it was looked at last."""

    def __init__(
        self,
        counted: Counted,
        uses: Sequence[Use],
        sets: Sequence[AtomSets],
        atoms: list[SmallInts],
    ) -> None:
        self.counted, self.uses = counted, uses
        self.sets = [sets[use.axis] for use in uses]
        self.atoms = [atoms[use.axis] for use in uses]
        self.seen = 0

    def _open(self, left: Sequence[SmallInts], rows: Ints) -> tuple[Bools, list[Bools | None]]:
        """Say who may be counted, and on which axes of the universe that is open."""
        may = np.ones(len(rows), dtype=bool)
        open_ends: list[Bools | None] = []
        for use, sets in zip(self.uses, self.sets, strict=True):
            if not use.limits:
                open_ends.append(None)
                continue
            state = left[use.axis][rows]
            may &= np.array([use.inside[m].any() for m in sets.members], dtype=bool)[state]
            open_ends.append(
                ~np.array([use.inside[m].all() for m in sets.members], dtype=bool)[state]
            )
        return may, open_ends

    def _after(self, left: Sequence[SmallInts], rows: Ints) -> tuple[list[SmallInts], Bools]:
        """Return what people would know who knew their cell, and whether they know that now."""
        after, same = [], np.ones(len(rows), dtype=bool)
        for use, sets, atoms in zip(self.uses, self.sets, self.atoms, strict=True):
            state = left[use.axis][rows]
            # where the piece is -1 the table does not count the person, and this is not used
            after.append(sets.narrowed(use.code, use.pieces)[state, use.code[atoms[rows]]])
            same &= after[-1] == state
        return after, same

    def settled(self, left: Sequence[SmallInts]) -> Bools:
        """Say of every class whether its cell is known, or that there is none."""
        rows = np.arange(self.counted.classes)
        may, open_ends = self._open(left, rows)
        _, exact = self._after(left, rows)
        for is_open in open_ends:
            if is_open is not None:
                exact &= ~is_open
        return exact | ~may

    def learn(self, left: list[SmallInts], rows: Ints, *, alone: bool) -> Ints:
        """Narrow what some people know; return who learned something."""
        if not len(rows) or not self.uses:
            return rows[:0]
        may, _ = self._open(left, rows)
        rows = rows[may]
        _, open_ends = self._open(left, rows)
        after, exact = self._after(left, rows)
        ends = sum((o.astype(np.int64) for o in open_ends if o is not None), np.zeros(len(rows)))
        news = ~exact | (ends > 0)
        if not news.any():
            return rows[:0]
        found = np.full(len(rows), 2, dtype=np.int8)
        found[news] = self._agreeing(rows[news], left, alone=alone)
        here = (found == 1) & (ends == 0)
        elsewhere = (found == 0) & (ends == 1)
        for use, sets, known, is_open in zip(self.uses, self.sets, after, open_ends, strict=True):
            left[use.axis][rows[here]] = known[here]
            if is_open is not None:
                those = rows[elsewhere & is_open]
                side = np.where(use.inside, -1, 0).astype(np.int64)
                left[use.axis][those] = sets.narrowed(side, 1)[left[use.axis][those], 0]
        learners: Ints = rows[here | elsewhere]
        return learners

    def _agreeing(self, rows: Ints, left: list[SmallInts], *, alone: bool) -> NDArray[np.int8]:
        """Count the people (or cells) of the table that agree with what is known: 0, 1 or more."""
        counted = self.counted
        looked_at = np.zeros(len(counted.areas), dtype=bool)
        looked_at[counted.area[rows]] = True
        people = np.flatnonzero(looked_at[counted.area])
        shape = tuple(use.pieces for use in self.uses)
        cell = np.zeros(len(people), dtype=np.int64)
        inside = np.ones(len(people), dtype=bool)
        for use, atoms in zip(self.uses, self.atoms, strict=True):
            piece = use.code[atoms[people]]
            inside &= piece >= 0
            cell = cell * use.pieces + piece
        cell[~inside] = -1
        starts = np.searchsorted(counted.area[people], np.arange(len(looked_at) + 1))
        area = np.empty(len(people), dtype=np.int64)
        cells, amounts = np.empty_like(area), np.empty_like(area)
        number = kernels.count_cells(
            starts, cell, counted.counts[people], math.prod(shape), area, cells, amounts
        )
        found = np.empty(len(rows), dtype=np.int8)
        narrowed = [s.narrowed(u.code, u.pieces) for u, s in zip(self.uses, self.sets, strict=True)]
        _agree(
            counted.area[rows],
            np.stack([left[use.axis][rows] for use in self.uses]),
            np.searchsorted(area[:number], np.arange(len(looked_at) + 1)),
            np.stack(np.unravel_index(cells[:number], shape)).astype(np.int32),
            amounts[:number] if alone else np.ones(number, dtype=np.int64),
            np.concatenate([n.reshape(-1) for n in narrowed]),
            np.cumsum([0, *(n.size for n in narrowed)])[:-1],
            np.array(shape, dtype=np.int64),
            found,
        )
        return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _agree(
    area: Array,
    left: Array,
    cells: Array,
    pieces: Array,
    amounts: Array,
    narrowed: Array,
    offsets: Array,
    widths: Array,
    found: Array,
) -> None:
    """Add up the cells that agree with what is known; two are as good as more."""
    for row in range(len(area)):
        total = 0
        for cell in range(cells[area[row]], cells[area[row] + 1]):
            fits = True
            for d in range(len(widths)):
                if narrowed[offsets[d] + left[d, row] * widths[d] + pieces[d, cell]] < 0:
                    fits = False
                    break
            if fits:
                total += amounts[cell]
                if total > 1:
                    break
        found[row] = min(total, 2)
