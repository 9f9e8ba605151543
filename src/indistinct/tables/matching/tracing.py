"""Tracing a person from table to table, by published counts alone.

Openshaw, Duke-Williams and Rees (1997), section 5.3: if there is only one 17-year-old in an area,
every table that has age leads to them, and what it says beside age is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from indistinct.core import Bools, InputError, Ints, did_you_mean
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.counting import Counted, Layout
from indistinct.tables.grouping import Item, belongs

__all__ = ["Trace", "TraceStep", "trace"]


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
