"""Tracing a person from table to table, by published counts alone.

Openshaw, Duke-Williams and Rees (1997), section 5.3: if there is only one 17-year-old in an area,
every table that has age leads to them, and what it says beside age is theirs.

How many people can be traced from table to table by somebody who knows a few variables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from indistinct.core import Array, Bools, InputError, Ints, SmallInts, did_you_mean, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables import kernels
from indistinct.tables.counting import Counted, Layout
from indistinct.tables.grouping import Item, belongs
from indistinct.tables.matching.atoms import AtomSets, Use, axes_of

__all__ = ["Trace", "TraceStep", "Traceable", "trace", "traceable"]

OUTSIDE = "outside the universe"
"""What is learned when a table with a universe has nobody who could be the person."""


@dataclass(frozen=True)
class TraceStep:
    """What one table told.

    Parameters
    ----------
    table
        Its name.
    count
        The people in the cell that gave it away; 0 where the table does not count the person.
    learned
        Dimensions and categories that were not known before.
    """

    table: str
    count: int
    learned: tuple[tuple[str, str], ...]


@result(eq=True)
class Trace(Result):
    """What published tables tell about a person of whom something is known.

    Parameters
    ----------
    area
        Where the person lives.
    start
        What was known, as names and what was given.
    steps
        The tables that told something, in the order in which they did.
    possible
        For every variable of the tables the values that the person may have.
    placed
        The tables of which the person's cell is known, or that they are not in it.
    tables
        The number of tables.
    """

    area: str
    start: tuple[tuple[str, Item], ...]
    steps: tuple[TraceStep, ...]
    possible: tuple[tuple[str, tuple[Any, ...]], ...]
    placed: tuple[str, ...]
    tables: int

    FACTS = facts(
        Fact("area", shown="area"),
        Fact(
            "start",
            lambda found: {n: list(v) if isinstance(v, tuple) else v for n, v in found.start},
        ),
        Fact(
            "steps",
            lambda found: [
                {"table": s.table, "count": s.count, "learned": dict(s.learned)}
                for s in found.steps
            ],
        ),
        "record",
        "placed",
        "complete",
        Fact("known", lambda found: ", ".join(dict(found.start)), shown="known", told=False),
        Fact("learned", lambda found: len(found.record), shown="categories learned", told=False),
        Fact("in", lambda found: len(found.placed), shown="tables placed in", told=False),
        Fact("tables", shown="tables", told=False),
    )

    def _row_tables(self) -> list[Table]:
        rows = [
            (n, step.table, step.count, name, label)
            for n, step in enumerate(self.steps, 1)
            for name, label in step.learned
        ]
        headings = ("step", "table", "count", "dimension", "learned")
        return [Table("What was learned, in this order", headings, rows)]

    def sentence(self) -> str:
        """Say what is known, and how much more is learned."""
        known = ", ".join(name for name, _ in self.start)
        return (
            f"Trace({known} known, in {self.area}: {len(self.record)} categories learned, "
            f"placed in {len(self.placed)} of {self.tables} tables)"
        )

    @property
    def complete(self) -> bool:
        """Whether the person's cell in every table is known."""
        return len(self.placed) == self.tables

    @property
    def record(self) -> dict[str, str]:
        """The categories that were learned, by dimension."""
        return {n: label for step in self.steps if step.count for n, label in step.learned}


def trace(
    counted: Counted,
    start: Mapping[str, Item],
    *,
    area: str | None = None,
    alone: bool = True,
) -> Trace:
    """Follow a person through the tables of their area, knowing `start` about them.

    In every table the cells are looked at that agree with all that is known so far. If they count
    one person together, that is the person: the cell's other categories are known from then on,
    also in other tables and codings. This goes on until no table tells anything new. A table with a
    universe is used once it is known that it counts the person; if no cell of it can be the
    person's, it does not, and that is learned. What is learned is true whenever `start` is true of
    a person in the area and the counts are not perturbed.

    Parameters
    ----------
    start
        Variables and what is known of them: a value, a range as text (``"15-19"``), or several
        values in a list.
    area
        The label of the area; may be left out where there is one.
    alone
        Whether only cells with a count of one are followed, as in the paper. Without, a larger cell
        is followed too if it is the only one that agrees: everybody like that is in it.

    >>> from indistinct import open_data
    >>> from indistinct.tables import TableSet, TableSpec, count_tables, grouping_from_text, persons
    >>> people = {"age": [17, 30, 30, 41], "sex": ["f", "f", "m", "m"], "job": ["-", "a", "b", "b"]}
    >>> def table(*names):
    ...     return TableSpec(" by ".join(names), tuple(grouping_from_text(n) for n in names))
    >>> tables = TableSet((table("age", "sex"), table("age", "job")), persons())
    >>> with open_data(people) as data:
    ...     trace(count_tables(data.source, data.engine, tables), {"age": 17})
    Trace(age known, in everybody: 2 categories learned, placed in 2 of 2 tables)
      area                everybody
      known                     age
      categories learned          2
      tables placed in            2
      tables                      2
      What was learned, in this order
        step       table  count  dimension  learned
        1     age by sex      1        sex        f
        2     age by job      1        job        -
    """
    place = _area(counted, area)
    known = _start(counted, start)
    vector = counted.area_vector(place)
    views = [_View(counted, layout, vector) for layout in counted.layouts]
    steps: list[TraceStep] = []
    learning = True
    while learning:
        learning = False
        for view in views:
            step = view.learn(known, alone=alone)
            if step is not None:
                steps.append(step)
                learning = True
    possible = tuple(
        (name, tuple(v for v, may in zip(counted.values[name], known[name], strict=True) if may))
        for name in known
    )
    placed = tuple(view.layout.name for view in views if view.settled(known))
    return Trace(
        counted.areas[place],
        tuple(start.items()),
        tuple(steps),
        possible,
        placed,
        len(views),
    )


def _area(counted: Counted, label: str | None) -> int:
    if label is None:
        if len(counted.areas) > 1:
            raise InputError(
                f"There are {len(counted.areas):,} areas. Say in which one the person lives."
            )
        return 0
    if str(label) not in counted.areas:
        raise InputError(f"There is no such area. {did_you_mean(str(label), counted.areas)}")
    return counted.areas.index(str(label))


def _start(counted: Counted, start: Mapping[str, Item]) -> dict[str, Bools]:
    names = dict.fromkeys(
        name
        for layout in counted.layouts
        for name in (*layout.table.variables, *(n for n, _ in layout.table.universe))
    )
    known = {name: np.ones(len(counted.values[name]), dtype=bool) for name in names}
    for name, item in start.items():
        if name not in known:
            raise InputError(f"No table has the variable '{name}'. {did_you_mean(name, names)}")
        items = tuple(item) if isinstance(item, (list, tuple)) else (item,)
        known[name] = belongs(counted.values[name], items)
        if not known[name].any():
            raise InputError(f"Nobody in the file has such a value of '{name}'.")
    return known


class _View:
    """One table as it is published for one area: the cells that somebody is in."""

    def __init__(self, counted: Counted, layout: Layout, vector: Ints) -> None:
        self.layout = layout
        own = vector[layout.offset : layout.offset + layout.cells]
        cells = np.flatnonzero(own)
        self.count = own[cells]
        self.at = np.unravel_index(cells, layout.shape)
        self.universe = {
            name: belongs(counted.values[name], items) for name, items in layout.table.universe
        }
        self.dimensions = [
            (d, grouping.variable, grouping.name)
            for d, grouping in enumerate(layout.table.dimensions)
            if grouping.variable is not None
        ]

    def counts(self, known: Mapping[str, Bools]) -> bool | None:
        """Whether the table counts the person; None where that is not known."""
        if all((known[name] <= inside).all() for name, inside in self.universe.items()):
            return True
        if all((known[name] & inside).any() for name, inside in self.universe.items()):
            return None
        return False

    def settled(self, known: Mapping[str, Bools]) -> bool:
        """Whether the person's cell is known, or that there is none."""
        counted = self.counts(known)
        if not counted:
            return counted is False
        return all(
            len(np.unique(self.layout.categories[d].codes[known[name]])) == 1
            for d, name, _ in self.dimensions
        )

    def learn(self, known: dict[str, Bools], *, alone: bool) -> TraceStep | None:
        """Narrow what is known by this table, and say what was learned, if anything."""
        counted = self.counts(known)
        if counted is False:
            return None
        agree = np.ones(len(self.count), dtype=bool)
        for d, name, _ in self.dimensions:
            categories = self.layout.categories[d]
            may = known[name] & self.universe.get(name, np.True_)
            agree &= np.isin(self.at[d], categories.codes[may])
        if not agree.any():
            return self._outside(known, counted=bool(counted))
        people = int(self.count[agree].sum())
        if not counted or (people > 1 if alone else int(agree.sum()) > 1):
            return None
        cell = int(np.argmax(agree))
        learned = []
        for d, name, title in self.dimensions:
            categories = self.layout.categories[d]
            code = int(self.at[d][cell])
            left = known[name] & (categories.codes == code)
            if (left != known[name]).any():
                known[name] = left
                learned.append((title, categories.labels[code]))
        return TraceStep(self.layout.name, people, tuple(learned)) if learned else None

    def _outside(self, known: dict[str, Bools], *, counted: bool) -> TraceStep | None:
        open_ends = [n for n, inside in self.universe.items() if (known[n] & ~inside).any()]
        if counted or not open_ends:
            raise InputError(
                f"The table '{self.layout.name}' has nobody who agrees with what is known. "
                "Either it is not true of anybody in this area, or the counts were perturbed."
            )
        if len(open_ends) > 1:
            return None
        known[open_ends[0]] = known[open_ends[0]] & ~self.universe[open_ends[0]]
        return TraceStep(self.layout.name, 0, ((open_ends[0], OUTSIDE),))


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
