"""Tables of magnitudes: what is added up, who contributes to each cell, and how much.

A rule of dominance asks for the largest contributions to every published cell, totals included.
They are found record by record: every record is put into its cell of one margin after another, and
each cell keeps its largest contributions. The work is linear in records, margins and geographies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct import progress
from indistinct.engine import Engine
from indistinct.engine.tally import aligned
from indistinct.errors import InputError
from indistinct.files.source import Source
from indistinct.showing import Shown, Table
from indistinct.tables.counting import Counted
from indistinct.tables.magnitude_kernels import add_amounts, gather
from indistinct.tables.places import published_places
from indistinct.tables.specification import TableSpec
from indistinct.tables.system import CellSystem, cell_system

__all__ = [
    "Contributions",
    "SystemContributions",
    "class_amounts",
    "contributions",
    "magnitude_system",
    "system_contributions",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Contributions(Shown):
    """Who contributes to the cells of one table, and how much; cells with nobody are left out.

    Parameters
    ----------
    table
        The table's name.
    value, weight
        What is added up, and by what it is multiplied.
    area, cell
        Where each cell is: a position in `Counted.areas`, and its number within the table.
    total
        Its value, Σ w·x.
    contributors
        The people, households or firms behind it.
    largest
        The largest contributions to it, falling, one column each; 0 where there are fewer.
    squares
        The sum of the squares of all contributions, Σ w·x².
    missing
        Records left out because their value, or weight, is missing.
    negative
        The first record (from 0) with a value below zero; None if there is none.
    """

    table: str
    value: str | None
    weight: str | None
    area: Ints = field(repr=False)
    cell: Ints = field(repr=False)
    total: Floats = field(repr=False)
    contributors: Ints = field(repr=False)
    largest: Floats = field(repr=False)
    squares: Floats = field(repr=False)
    missing: int = 0
    negative: int | None = None

    def __repr__(self) -> str:
        return self._short()

    def __len__(self) -> int:
        return len(self.total)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {
            "table": self.table,
            "cells": len(self),
            "total": float(self.total.sum()),
            "single_contributor": int((self.contributors == 1).sum()),
            "two_contributors": int((self.contributors == 2).sum()),
            "missing": self.missing,
        }

    def _lines(self) -> list[str]:
        found = self.to_dict()
        what = self.value or "people"
        return [
            f"Contributions({self.table}: {what}, {len(self):,} cells, "
            f"{found['single_contributor']:,} of one contributor and "
            f"{found['two_contributors']:,} of two; {self.missing:,} records left out)"
        ]

    def _tables(self) -> list[Table]:
        return [Table.facts("Contributions", self.to_dict())]


@dataclass(frozen=True, eq=False)
class SystemContributions(Shown):
    """Who contributes to the cells of a system, totals included; see `Contributions`.

    Parameters
    ----------
    magnitude
        Of every cell whether it adds up a variable, or weights, and does not count people.
    missing, negative
        By the name of a table: the records left out, and the variable and first record with a
        value below zero.
    """

    total: Floats = field(repr=False)
    contributors: Ints = field(repr=False)
    largest: Floats = field(repr=False)
    squares: Floats = field(repr=False)
    magnitude: NDArray[np.bool_] = field(repr=False)
    missing: dict[str, int] = field(default_factory=dict, repr=False)
    negative: dict[str, tuple[str, int]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return self._short()

    def __len__(self) -> int:
        return len(self.total)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {
            "cells": len(self),
            "magnitudes": int(self.magnitude.sum()),
            "single_contributor": int((self.contributors == 1).sum()),
            "two_contributors": int((self.contributors == 2).sum()),
            "missing": dict(self.missing),
        }

    def _lines(self) -> list[str]:
        found = self.to_dict()
        return [
            f"SystemContributions({len(self):,} cells, {found['magnitudes']:,} of them magnitudes; "
            f"{found['single_contributor']:,} have one contributor and "
            f"{found['two_contributors']:,} two)"
        ]

    def _tables(self) -> list[Table]:
        found = self.to_dict() | {"missing": sum(self.missing.values())}
        return [Table.facts("Contributions", found)]


def class_amounts(source: Source, counted: Counted, table: str | TableSpec) -> Floats:
    """Return what a table adds up, Σ w·x, for each class of people: for `cell_system`.

    Records whose value or weight is missing add nothing. A table of counts adds up people.
    """
    spec = counted.tables[table] if isinstance(table, str) else table
    if spec.value is None and spec.weight is None:
        return counted.counts.astype(np.float64)
    totals = np.zeros(counted.classes)
    numbers = counted.per_person(np.arange(counted.classes, dtype=np.int64))
    for classes, amounts in aligned(numbers, _amounts(source, spec)):
        add_amounts(classes, amounts, totals)
    return totals


def magnitude_system(source: Source, counted: Counted) -> CellSystem:
    """Return the cells of a set of tables with what they add up, and the sums that hold.

    As `cell_system`, for tables with a value or a weight.
    """
    amounts = {
        table.name: class_amounts(source, counted, table)
        for table in counted.tables
        if table.value is not None or table.weight is not None
    }
    return cell_system(counted, amounts=amounts)


def contributions(
    source: Source,
    engine: Engine,
    counted: Counted,
    table: str | TableSpec,
    *,
    contributor: str | None = None,
    top: int = 5,
) -> Contributions:
    """Return the contributions to the cells of one table, for every area.

    A record with weight w stands for w units of the population, each of which contributes x: among
    the largest contributions x stands w times. A weight below 1 is one unit that contributes w·x.

    Parameters
    ----------
    contributor
        The variable that tells to whom a record belongs (a household, a firm); what belongs to one
        contributor is added up first. Records without a value belong to nobody else.
    top
        How many of the largest contributions are kept.
    """
    spec = counted.tables[table] if isinstance(table, str) else table
    position = counted.position(spec.name)
    cell = counted.cell_of(position)
    keys = np.where(cell < 0, -1, counted.area.astype(np.int64) * counted.layouts[position].cells)
    keys += np.where(cell < 0, 0, cell)
    found, index = np.unique(keys, return_inverse=True)
    index = index.astype(np.int64).ravel()
    if len(found) and found[0] < 0:
        found, index = found[1:], index - 1
    records = _Records.read(source, engine, counted, spec, contributor, top)
    into = _Cells.empty(len(found), top)
    into.add(index, records)
    # a cell all of whose values are missing has nobody
    kept = into.contributors > 0
    area, within = np.divmod(found[kept], counted.layouts[position].cells)
    return Contributions(
        spec.name,
        spec.value,
        spec.weight,
        area,
        within,
        into.total[kept],
        into.contributors[kept],
        into.units()[kept],
        into.squares[kept],
        records.missing,
        records.negative,
    )


def system_contributions(
    source: Source,
    engine: Engine,
    counted: Counted,
    system: CellSystem,
    *,
    contributor: str | None = None,
    top: int = 5,
) -> SystemContributions:
    """Return the contributions to every cell of a system, totals and coarser places included.

    The system must be that of the counted tables. For `contributor` and `top` see `contributions`.
    """
    into = _Cells.empty(len(system), top)
    magnitude = np.zeros(len(system), dtype=bool)
    missing: dict[str, int] = {}
    negative: dict[str, tuple[str, int]] = {}
    done = np.zeros(len(system), dtype=bool)
    for layout in progress.each(counted.layouts, "collecting contributions", unit="tables"):
        spec = layout.table
        place = system.places[spec.name]
        own = place[place >= 0]
        if spec.value is not None or spec.weight is not None:
            magnitude[own] = True
        elif contributor is None:
            into.count_people(own, system.values)
            done[own] = True
            continue
        records = _Records.read(source, engine, counted, spec, contributor, top)
        if spec.value is not None:
            missing[spec.name] = records.missing
            if records.negative is not None:
                negative[spec.name] = (spec.value, records.negative)
        for cells in _margins(counted, spec, place):
            # cells that an earlier table, or another geography, has as well
            index = np.where((cells >= 0) & ~done[cells], cells, -1)
            if (index >= 0).any():
                into.add(index, records)
                done[index[index >= 0]] = True
        done[own] = True
    return SystemContributions(
        into.total, into.contributors, into.units(), into.squares, magnitude, missing, negative
    )


def _margins(counted: Counted, table: TableSpec, place: Ints) -> Iterator[Ints]:
    """Yield the system's cell of every class in each geography and margin; -1 where it has none."""
    position = counted.position(table.name)
    layout = counted.layouts[position]
    inside = counted.cell_of(position) >= 0
    geography = published_places(counted)
    row_of = {node: row for row, node in enumerate(geography.nodes)}
    categories = [
        counted.category_of(c, d)
        for d, c in zip(table.dimensions, layout.categories, strict=True)
    ]
    for division in geography.axis.divisions.values():
        rows = np.array([row_of[node] for node in division.nodes], dtype=np.int64)
        row = rows[division.part_of[geography.atom]]
        for totals in product((False, True), repeat=len(categories)):
            at = [
                np.full(counted.classes, size) if total else category
                for total, category, size in zip(totals, categories, layout.shape, strict=True)
            ]
            yield np.where(inside, place[(row, *at)], -1)


@dataclass(frozen=True, eq=False)
class _Records:
    """What records contribute, sorted by contributor."""

    classes: Ints
    values: Floats
    weights: Floats
    starts: Ints
    """Where the records of each contributor begin; one more for the end."""
    missing: int
    negative: int | None

    @classmethod
    def read(
        cls,
        source: Source,
        engine: Engine,
        counted: Counted,
        table: TableSpec,
        contributor: str | None,
        top: int,
    ) -> _Records:
        if top < 1:
            raise InputError(f"At least one contribution must be kept (top=1). Got {top}.")
        numbers = counted.per_person(np.arange(counted.classes, dtype=np.int64))
        classes = np.concatenate([*numbers, np.empty(0, dtype=np.int64)])
        ones = np.ones(counted.records)
        values = ones if table.value is None else _column(source, table.value)
        weights = ones if table.weight is None else _weights(source, table.weight)
        known = ~(np.isnan(values) | np.isnan(weights))
        below = np.flatnonzero(values < 0)
        negative = int(below[0]) if len(below) else None
        if contributor is None:
            order = np.flatnonzero(known)
            starts = np.arange(len(order) + 1)
        else:
            owner = _owners(source, engine, contributor)
            order = np.argsort(owner, kind="stable")
            order = order[known[order]]
            owner = owner[order]
            first = np.ones(len(order), dtype=bool)
            first[1:] = (owner[1:] != owner[:-1]) | (owner[1:] < 0)
            starts = np.append(np.flatnonzero(first), len(order))
        return cls(
            classes[order],
            values[order],
            weights[order],
            starts.astype(np.int64),
            int(len(known) - known.sum()),
            negative,
        )


def _owners(source: Source, engine: Engine, contributor: str) -> Ints:
    """Return the contributor of every record as a number; -1 where a record has none."""
    source.check_columns([contributor])
    tally = engine.count(source, [contributor])
    coding = tally.coding.variables[0]
    codes = tally.coding.unpack(tally.sorted_words())[0]
    numbers = np.arange(tally.classes, dtype=np.int64)
    numbers[[value is None for value in coding.decode(codes)]] = -1
    return np.concatenate([*tally.per_record(numbers), np.empty(0, dtype=np.int64)])


@dataclass(frozen=True, eq=False)
class _Cells:
    """What cells have gathered so far: `values` and `weights` of their largest contributions."""

    total: Floats
    contributors: Ints
    squares: Floats
    values: Floats
    weights: Floats

    @classmethod
    def empty(cls, cells: int, top: int) -> _Cells:
        return cls(
            np.zeros(cells),
            np.zeros(cells, dtype=np.int64),
            np.zeros(cells),
            np.zeros((cells, top)),
            np.zeros((cells, top)),
        )

    def add(self, index: Ints, records: _Records) -> None:
        """Add records to the cells of their classes; a class with -1 is in none."""
        gather(
            index[records.classes],
            records.values,
            records.weights,
            records.starts,
            self.total,
            self.contributors,
            self.squares,
            self.values,
            self.weights,
        )

    def count_people(self, cells: Ints, values: Floats) -> None:
        """Fill in cells that count people, each of whom contributes 1."""
        count = np.rint(values[cells]).astype(np.int64)
        self.total[cells] = self.squares[cells] = values[cells]
        self.contributors[cells] = count
        present = count[:, None] > np.arange(self.values.shape[1])
        self.values[cells] = self.weights[cells] = present

    def units(self) -> Floats:
        """Return the largest contributions of units: a value stands as often as its weight says."""
        cells, top = self.values.shape
        end = np.cumsum(self.weights, axis=1)
        begin = end - self.weights
        units = np.zeros((cells, top))
        for unit in range(top):
            shared = np.minimum(end, unit + 1) - np.maximum(begin, unit)
            units[:, unit] = (np.maximum(shared, 0.0) * self.values).sum(axis=1)
        return units


def _amounts(source: Source, table: TableSpec) -> Iterator[Floats]:
    """Yield what each record adds to its cell, in record order; 0 where that is missing."""
    values = np.ones(source.records) if table.value is None else _column(source, table.value)
    if table.weight is not None:
        values = values * _weights(source, table.weight)
    yield np.nan_to_num(values, nan=0.0)


def _weights(source: Source, name: str) -> Floats:
    weights = _column(source, name)
    wrong = np.flatnonzero(weights < 0)
    if len(wrong):
        raise InputError(
            f"{source.origin}: the weight '{name}' is negative in record {wrong[0] + 1:,}. "
            "A weight says for how many a record stands: correct it."
        )
    return weights


def _column(source: Source, name: str) -> Floats:
    """Return a column of numbers; missing values, and the codes that mean so, are not-a-number."""
    source.check_columns([name])
    kind = source.schema.field(name).type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(
            f"{source.origin}: '{name}' must hold numbers to be added up. Got {kind}. Name another "
            "variable, or convert the column."
        )
    values = np.empty(source.records)
    start = 0
    for batch in source.batches([name]):
        column = batch.column(0).cast(pa.float64(), safe=False).fill_null(np.nan)
        values[start : start + len(column)] = column.to_numpy()
        start += len(column)
    endless = np.flatnonzero(np.isinf(values))
    if len(endless):
        raise InputError(
            f"{source.origin}: '{name}' is infinite in record {endless[0] + 1:,}. Correct it, or "
            "make it missing."
        )
    for code in source.variables[name].user_missing:
        low, high = code if isinstance(code, tuple) else (code, code)
        if not isinstance(low, str) and not isinstance(high, str):
            values[(values >= low) & (values <= high)] = np.nan
    return values
