"""Answers with noise, of records that are not proved safe: added up from tables that got it once.

A question mentions variables. The table of exactly these variables is counted, every cell of it,
also those that nobody is in; each cell gets noise that is drawn from a secret and the table's name;
and the answer is added up from the cells that meet the conditions. The same table has the same
noise whoever asks, however the question is written and however often: what is told of people is
the tables, and `Bound` says how much that is.

Which categories a variable has is a fact about people, too. They are declared by the holder, or
cut from a range, or found: the values of which enough people show, with noise, are named, and the
others are pooled. Finding them is told as a table of its own.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, Words
from indistinct.files import Source
from indistinct.query.answer import Answer, arranged
from indistinct.query.bound import Bound, gaussian, words
from indistinct.query.coding import (
    Categories,
    Range,
    column_of,
    in_classes,
    met_by,
    numbers_of,
    read_values,
    with_declared,
    with_named,
)
from indistinct.query.language import Item, Question

__all__ = ["Guarded", "Told"]

MOST_CELLS = 200_000
"""Cells of a table."""
STEPS = 1_000
"""Into how many steps half a range is divided before values are added up."""


@dataclass(frozen=True)
class Told:
    """An answer, or why there is none; and the tables that were looked at for it."""

    answer: Answer | None
    refused: str
    tables: tuple[str, ...]


@dataclass(eq=False)
class Guarded:
    """Records that are asked through tables with noise.

    Parameters
    ----------
    source
        The records.
    bound
        What is promised.
    secret
        What the noise is drawn from.
    smallest
        Rows that show fewer people than this are withheld.
    ranges
        Between which numbers variables lie, by name.
    person
        The column that says whose record each is; it cannot be asked.
    people
        The same as a number for each record, where no column says it.
    why
        Why single records are not told.
    """

    source: Source
    bound: Bound
    secret: bytes = field(repr=False)
    smallest: int
    ranges: Mapping[str, Range] = field(default_factory=dict)
    person: str | None = None
    people: Ints | None = field(default=None, repr=False)
    why: str = "they are not proved safe one by one"
    _read: dict[str, Categories] = field(default_factory=dict, repr=False)
    _noisy: dict[str, Ints] = field(default_factory=dict, repr=False)

    def ask(self, asked: Question, opened: Sequence[str]) -> Told:
        """Answer a question; `opened` are the tables that were told before."""
        tables: tuple[str, ...] = ()
        try:
            wanted = self._wanted(asked)
            self._check_tables(wanted.tables, opened)
            tables = wanted.tables
            return Told(self._answer(asked, wanted), "", tables)
        except InputError as error:
            return Told(None, str(error), tables)

    @cached_property
    def _askable(self) -> list[str]:
        variables = self.source.variables
        return [
            name
            for name in variables
            if name != self.person and variables[name].role not in ("identifier", "household")
        ]

    @cached_property
    def _whose(self) -> Ints | None:
        """The person of every record, or None where a record is a person."""
        if self.people is not None:
            return self.people
        return (
            None
            if self.person is None
            else read_values(self.source, self.person, strict=True).codes
        )

    @cached_property
    def _number(self) -> int:
        """How many people there are; that is known to everybody."""
        whose = self._whose
        return self.source.records if whose is None else len(np.unique(whose))

    def _wanted(self, asked: Question) -> _Wanted:
        """Find the variables and tables of a question; no record is looked at for that."""
        if asked.lists:
            raise InputError(
                f"The question asks for single records, which are not told here: {self.why}. Ask "
                "for counts and means: "
                '"select sex, count(*) from data group by sex".'
            )
        by = tuple(dict.fromkeys(column_of(name, self._askable) for name in asked.by))
        others = (column_of(name, self._askable) for name in asked.conditioned)
        axes = tuple(sorted({*by, *others}))
        found = [f"values of {self._named(name)}" for name in axes if self._is_found(name)]
        for item in asked.items:
            if item.measure in ("min", "max"):
                raise InputError(
                    f"{item.measure} is the value of a single record, which is not told here. Ask "
                    "for the mean, or count by classes."
                )
            found += self._tables_of(item, axes) if item.measure else []
        measured = [item.name for item in asked.items if item.measure] or ["*"]
        behind = "*" if "*" in measured else column_of(measured[0], self._askable)
        found += self._tables_of(Item("count", behind, ""), axes)
        return _Wanted(by, axes, behind, tuple(dict.fromkeys(found)))

    def _tables_of(self, item: Item, axes: Sequence[str]) -> list[str]:
        if item.name == "*":
            return [self._title("*", axes)] if axes else []
        name = column_of(item.name, self._askable)
        if item.measure == "count":
            return [self._title(name, axes)]
        if name not in self.ranges:
            raise InputError(
                f"Between which numbers '{name}' lies is not declared, and the least and the "
                "greatest are values of single people. The holder says it, without looking at the "
                f"data: --range {name}=0:100000, or ranges in the recipient's section."
            )
        return [self._title(name, axes), self._title(name, axes, self.ranges[name])]

    def _title(self, measured: str, axes: Sequence[str], limits: Range | None = None) -> str:
        """Return what tells a table from every other, and draws its noise."""
        by = f" by {', '.join(map(self._named, axes))}" if axes else ""
        if measured == "*":
            return f"count{by}"
        if limits is None:
            return f"count of {_quoted(measured)}{by}"
        return f"sum of {_quoted(measured)} within {limits.ends}{by}"

    def _named(self, name: str) -> str:
        """Return a variable's name with the way it is divided: another division, another table."""
        if self._is_classed(name):
            limits = self.ranges[name]
            return f"{_quoted(name)} in {limits.ends} by {_number(limits.step)}"
        declared = self._declared(name)
        if declared is not None:
            digest = hashlib.sha256(json.dumps(sorted(map(repr, declared))).encode()).hexdigest()
            return f"{_quoted(name)} as declared {digest[:16]}"
        return _quoted(name)

    def _is_classed(self, name: str) -> bool:
        return name in self.ranges and self.ranges[name].step is not None

    def _declared(self, name: str) -> tuple[Any, ...] | None:
        return self.source.variables[name].categories

    def _is_found(self, name: str) -> bool:
        return not self._is_classed(name) and self._declared(name) is None

    def _check_tables(self, wanted: Sequence[str], opened: Sequence[str]) -> None:
        new = [table for table in wanted if table not in opened]
        left = self.bound.tables - len(opened)
        if len(new) > left:
            told = [table for table in opened if not table.startswith("values of")]
            raise InputError(
                f"The question needs {len(new)} further table{'s' * (len(new) > 1)} of these "
                f"records, and {left} of {self.bound.tables} can still be told. Questions "
                f"about these can be asked without end: {'; '.join(told) or 'none'}."
            )

    def _answer(self, asked: Question, wanted: _Wanted) -> Answer:
        grid = [self._categories(name) for name in wanted.axes]
        cells = math.prod(column.number for column in grid)
        if cells > MOST_CELLS:
            raise InputError(
                f"The table of {', '.join(wanted.axes)} has {cells:,} cells, more than "
                f"{MOST_CELLS:,}. Ask about fewer variables, or wider classes."
            )
        rows = _Rows(wanted, grid, _met(asked, wanted, grid))
        measured = [self._measured(item, wanted, rows) for item in asked.items if item.measure]
        people, deviation = self._counts(wanted.behind, wanted, rows)
        told = (people >= np.maximum(self.smallest, 2 * deviation)) & (rows.cells > 0)
        columns, errors, values = [], [], iter(measured)
        for item in asked.items:
            if item.measure:
                column, error = next(values)
            else:
                column = rows.labels(column_of(item.name, self._askable))
                error = [None] * len(column)
            columns.append(column)
            errors.append(error)
        pairs = [
            (tuple(row), tuple(off))
            for row, off, fine in zip(
                zip(*columns, strict=True), zip(*errors, strict=True), told.tolist(), strict=True
            )
            if fine
        ]
        withheld = int(np.count_nonzero((rows.cells > 0) & ~told))
        ordered, cut = arranged(asked, [(*row, off) for row, off in pairs])
        return Answer(
            tuple(item.shown for item in asked.items),
            tuple(row[:-1] for row in ordered),
            errors=tuple(row[-1] for row in ordered),
            withheld=withheld,
            smallest=self.smallest,
            notes=tuple(cut),
        )

    def _counts(self, name: str, wanted: _Wanted, rows: _Rows) -> tuple[Ints, Floats]:
        """Return how many people each row shows, and the standard deviation of its noise."""
        if name == "*" and not wanted.axes:
            return np.full(1, self._number), np.zeros(1)
        found = rows.added(self._table(name, None, wanted.axes))
        return found, self.bound.deviation * np.sqrt(rows.cells)

    def _measured(self, item: Item, wanted: _Wanted, rows: _Rows) -> tuple[list[Any], list[Any]]:
        name = item.name if item.name == "*" else column_of(item.name, self._askable)
        counts, deviation = self._counts(name, wanted, rows)
        if item.measure == "count":
            return np.maximum(counts, 0).tolist(), deviation.tolist()
        if item.measure == "share":
            whole = max(1, self._number if not rows.conditioned else int(counts.sum()))
            share = np.clip(counts / whole, 0, 1)
            return share.tolist(), (deviation / whole).tolist()
        limits = self.ranges[name]
        middle, half = (limits.low + limits.high) / 2, (limits.high - limits.low) / 2
        off = rows.added(self._table(name, limits, wanted.axes)) * (half / STEPS)
        off_error = half * self.bound.deviation_of_sums * np.sqrt(rows.cells)
        if item.measure == "sum":
            error = np.hypot(off_error, middle * deviation)
            return (off + middle * counts).tolist(), error.tolist()
        people = np.maximum(counts, 1)
        mean = np.clip(middle + off / people, limits.low, limits.high)
        error = np.hypot(off_error, (mean - middle) * deviation) / people
        clear = counts >= 2 * deviation
        return _where(clear, mean), _where(clear, error)

    def _categories(self, name: str) -> Categories:
        if name not in self._read:
            self._read[name] = self._coded(name)
        return self._read[name]

    def _coded(self, name: str) -> Categories:
        if self._is_classed(name):
            return in_classes(name, numbers_of(self.source, name), self.ranges[name])
        read = read_values(self.source, name, strict=True)
        declared = self._declared(name)
        if declared is not None:
            return with_declared(read, declared)
        table = f"values of {self._named(name)}"
        shown = self._with_noise(table, self._counted(table, read.codes, read.number))[:-1]
        named = shown >= self.bound.fewest
        if not named.any():
            raise InputError(
                f"'{name}' has no category that enough people have to be named: about "
                f"{math.ceil(self.bound.fewest)}. If it is a number, the holder can declare "
                f"classes: --range {name}=0:100:10."
            )
        return with_named(read, named)

    def _table(self, measured: str, limits: Range | None, axes: Sequence[str]) -> Ints:
        """Return a table with its noise: of people, of people who have a value, or of values."""
        title = self._title(measured, axes, limits)
        if title not in self._noisy:
            grid = [self._categories(axis) for axis in axes]
            cells = np.zeros(self.source.records, dtype=np.int64)
            for column in grid:
                cells = cells * column.number + column.codes
            shape = tuple(column.number for column in grid)
            table = self._made(title, measured, limits, self._title(measured, axes), cells, shape)
            self._noisy[title] = table.reshape(shape)
        return self._noisy[title]

    def _made(
        self,
        title: str,
        measured: str,
        limits: Range | None,
        drawn_by: str,
        cells: Ints,
        shape: tuple[int, ...],
    ) -> Ints:
        """Count people or add up values by cell, and put the noise on."""
        size = math.prod(shape)
        if measured == "*":
            return self._with_noise(title, self._counted(drawn_by, cells, size))
        numbers = None if limits is None else numbers_of(self.source, measured)
        there = read_values(self.source, measured, strict=True)
        has = there.codes < len(there.values)
        found = self._counted(drawn_by, cells, size, has=has, values=numbers, limits=limits)
        width = None if limits is None else STEPS * self.bound.deviation_of_sums
        return self._with_noise(title, found, width)

    def _counted(
        self,
        drawn_by: str,
        cells: Ints,
        size: int,
        *,
        has: Bools | None = None,
        values: Floats | None = None,
        limits: Range | None = None,
    ) -> Ints:
        """Count people by cell, or add up how far their values are from the middle of the range.

        A person counts once in a cell, with all records there together, and in no more than `most`
        cells of a table; which, is drawn.
        """
        whose = self._whose
        if has is not None:
            cells = cells[has]
            whose = None if whose is None else whose[has]
            values = None if values is None else values[has]
        if whose is not None:
            pairs, pair = np.unique(whose * size + cells, return_inverse=True)
            whose, cells = np.divmod(pairs, size)
            if values is not None:
                values = np.bincount(pair, values, minlength=len(pairs)).astype(np.float64)
            kept = _first(
                self.bound.most, whose, words(self.secret, f"cells of {drawn_by}", len(pairs))
            )
            cells = cells[kept]
            values = None if values is None else values[kept]
        if values is None or limits is None:
            return np.bincount(cells, minlength=size).astype(np.int64)
        middle, half = (limits.low + limits.high) / 2, (limits.high - limits.low) / 2
        held = np.clip(values, limits.low, limits.high)
        steps = np.clip(np.rint((held - middle) / half * STEPS), -STEPS, STEPS)
        return np.rint(np.bincount(cells, weights=steps, minlength=size)).astype(np.int64)

    def _with_noise(self, name: str, table: Ints, deviation: float | None = None) -> Ints:
        noise = gaussian(self.secret, name, len(table))
        return table + np.rint(noise * (deviation or self.bound.deviation)).astype(np.int64)


@dataclass(frozen=True)
class _Wanted:
    """What a question needs: what its rows are by, all its variables, whose count says how many
    people are behind a row (``*`` for all), and the tables."""

    by: tuple[str, ...]
    axes: tuple[str, ...]
    behind: str
    tables: tuple[str, ...]


class _Rows:
    """The rows of an answer as sums over the cells of a table."""

    def __init__(self, wanted: _Wanted, grid: Sequence[Categories], met: Bools | None) -> None:
        self.conditioned = met is not None
        self._shape = tuple(column.number for column in grid)
        self._met = np.ones(self._shape, dtype=bool) if met is None else met
        self._kept = [wanted.axes.index(name) for name in wanted.by]
        self._by = {name: grid[wanted.axes.index(name)] for name in wanted.by}
        self.cells = self.added(np.ones(self._shape, dtype=np.int64))

    def added(self, table: Ints) -> Ints:
        """Add up the cells of every row that meet the conditions."""
        table = np.where(self._met, table, 0)
        gone = tuple(axis for axis in range(len(self._shape)) if axis not in self._kept)
        left = table.sum(axis=gone)
        # what is left stands in the order of the axes, and is wanted in that of the rows
        places = np.argsort(np.argsort(self._kept))
        return np.asarray(np.transpose(left, places)).reshape(-1)

    def labels(self, name: str) -> list[Any]:
        """Return the category of every row."""
        names = list(self._by)
        sizes = [self._by[other].number for other in names]
        place = names.index(name)
        codes = np.indices(sizes)[place].reshape(-1)
        return [self._by[name].shown[code] for code in codes]


def _met(asked: Question, wanted: _Wanted, grid: Sequence[Categories]) -> Bools | None:
    """Return the cells that meet the conditions of a question."""
    if asked.where is None:
        return None
    columns = {column.name.lower(): (axis, column) for axis, column in enumerate(grid)}

    def compare(one: Any) -> tuple[Bools, Bools]:
        axis, column = columns[one.name.lower()]
        shape = [1] * len(grid)
        shape[axis] = column.number
        met, not_met = column.compare(one)
        return met.reshape(shape), not_met.reshape(shape)

    return np.broadcast_to(met_by(asked.where, compare)[0], tuple(column.number for column in grid))


def _first(most: int, whose: Ints, order: Words) -> Bools:
    """Choose at most so many entries of each person, by a drawn order."""
    sorted_by = np.lexsort((order, whose))
    people = whose[sorted_by]
    starts = np.flatnonzero(np.append(True, people[1:] != people[:-1]))
    rank = np.arange(len(people)) - np.repeat(starts, np.diff(np.append(starts, len(people))))
    kept = np.zeros(len(whose), dtype=bool)
    kept[sorted_by[rank < most]] = True
    return kept


def _where(clear: Bools, values: Floats) -> list[Any]:
    return [
        value if fine else None for value, fine in zip(values.tolist(), clear.tolist(), strict=True)
    ]


def _quoted(name: str) -> str:
    return json.dumps(name)


def _number(value: float | None) -> str:
    return repr(float(value or 0))
