"""Tables of magnitudes: what is added up, who contributes to each cell, and how much.

A rule of dominance asks for the largest contributions to every published cell, totals included.
They are found record by record: every record is put into its cell of one margin after another, and
each cell keeps its largest contributions. The work is linear in records, margins and geographies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pyarrow as pa
from numba import njit

from indistinct.core import Array, Bools, Floats, InputError, Ints, holds_numbers, progress
from indistinct.engine import Engine, aligned
from indistinct.files import Source
from indistinct.results import Fact, Result, facts, result
from indistinct.tables.counting import Counted
from indistinct.tables.places import Places, published_places
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


# What records contribute to the cells of a table, and the largest contributions of each cell.

# The inner loops of magnitudes: adding up what contributors give, and keeping the largest.


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def add_amounts(classes: Array, amounts: Array, totals: Array) -> None:
    """Add an amount per record to its class, in record order: the same sum every time."""
    for n in range(len(classes)):
        totals[classes[n]] += amounts[n]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def gather(
    cells: Array,
    values: Array,
    weights: Array,
    starts: Array,
    total: Array,
    contributors: Array,
    squares: Array,
    top_values: Array,
    top_weights: Array,
) -> None:
    """Add the records of one contributor after the other to their cells (-1: none).

    Records of a contributor in one cell are added up: the contributor's weight is their mean, and
    its value what gives the same weighted sum.
    """
    size, top = top_values.shape
    last = np.full(size, -1, dtype=np.int64)
    amount = np.zeros(size)
    weight = np.zeros(size)
    number = np.zeros(size, dtype=np.int64)
    longest = 0
    for owner in range(len(starts) - 1):
        longest = max(longest, starts[owner + 1] - starts[owner])
    touched = np.empty(longest, dtype=np.int64)
    for owner in range(len(starts) - 1):
        found = 0
        for n in range(starts[owner], starts[owner + 1]):
            cell = cells[n]
            if cell < 0:
                continue
            if last[cell] != owner:
                last[cell] = owner
                amount[cell] = 0.0
                weight[cell] = 0.0
                number[cell] = 0
                touched[found] = cell
                found += 1
            amount[cell] += values[n] * weights[n]
            weight[cell] += weights[n]
            number[cell] += 1
        for m in range(found):
            cell = touched[m]
            units = weight[cell] / number[cell]
            # a weight below 1 is one unit that contributes less
            if units < 1.0:
                units = 1.0
            value = amount[cell] / units
            total[cell] += amount[cell]
            contributors[cell] += 1
            squares[cell] += units * value * value
            if value <= top_values[cell, top - 1] and top_weights[cell, top - 1] > 0.0:
                continue
            at = top - 1
            while at > 0 and (top_weights[cell, at - 1] == 0.0 or top_values[cell, at - 1] < value):
                top_values[cell, at] = top_values[cell, at - 1]
                top_weights[cell, at] = top_weights[cell, at - 1]
                at -= 1
            top_values[cell, at] = value
            top_weights[cell, at] = units


@dataclass(frozen=True, eq=False)
class Records:
    """What records contribute to one table, sorted by contributor.

    Parameters
    ----------
    classes, values, weights
        Of every record its class of people, what it adds, and for how many it stands.
    starts
        Where the records of each contributor begin; one more for the end.
    missing
        Records left out because their value, or weight, is missing.
    negative
        The first record (from 0) with a value below zero; None if there is none.
    """

    classes: Ints
    values: Floats
    weights: Floats
    starts: Ints
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
    ) -> Records:
        """Read what a table adds up; records in which it is missing are left out."""
        numbers = counted.per_person(np.arange(counted.classes, dtype=np.int64))
        classes = np.concatenate([*numbers, np.empty(0, dtype=np.int64)])
        ones = np.ones(counted.records)
        values = ones if table.value is None else read_numbers(source, table.value)
        weights = ones if table.weight is None else read_weights(source, table.weight)
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
class Cells:
    """What cells have gathered so far: `values` and `weights` of their largest contributions."""

    total: Floats
    contributors: Ints
    squares: Floats
    values: Floats
    weights: Floats

    @classmethod
    def empty(cls, cells: int, top: int) -> Cells:
        """Return cells in which nothing is yet."""
        if top < 1:
            raise InputError(f"At least one contribution must be kept (top=1). Got {top}.")
        return cls(
            np.zeros(cells),
            np.zeros(cells, dtype=np.int64),
            np.zeros(cells),
            np.zeros((cells, top)),
            np.zeros((cells, top)),
        )

    def add(self, index: Ints, records: Records) -> None:
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


def read_weights(source: Source, name: str) -> Floats:
    """Return a column of weights; a negative one is refused, a missing one is not-a-number."""
    weights = read_numbers(source, name)
    wrong = np.flatnonzero(weights < 0)
    if len(wrong):
        raise InputError(
            f"{source.origin}: the weight '{name}' is negative in record {wrong[0] + 1:,}. "
            "A weight says for how many a record stands: correct it."
        )
    return weights


def read_numbers(source: Source, name: str) -> Floats:
    """Return a column of numbers; missing values, and the codes that mean so, are not-a-number."""
    source.check_columns([name])
    kind = source.schema.field(name).type
    if not holds_numbers(kind):
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


@result
class Contributions(Result):
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
    area: Ints
    cell: Ints
    total: Floats
    contributors: Ints
    largest: Floats
    squares: Floats
    missing: int = 0
    negative: int | None = None

    FACTS = facts(
        "table",
        Fact("cells", lambda found: len(found)),
        Fact("total", lambda found: float(found.total.sum())),
        Fact("single_contributor", lambda found: int((found.contributors == 1).sum())),
        Fact("two_contributors", lambda found: int((found.contributors == 2).sum())),
        "missing",
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells have one contributor, or two."""
        one, two = (int((self.contributors == n).sum()) for n in (1, 2))
        return (
            f"Contributions({self.table}: {self.value or 'people'}, {len(self):,} cells, "
            f"{one:,} of one contributor and {two:,} of two; {self.missing:,} records left out)"
        )

    def __len__(self) -> int:
        return len(self.total)


@result
class SystemContributions(Result):
    """Who contributes to the cells of a system, totals included; see `Contributions`.

    Parameters
    ----------
    counts, magnitude
        Of every cell whether it counts people, and whether it adds up a variable. What adds up
        weights alone is neither.
    missing, negative
        By the name of a table: the records left out, and the variable and first record with a
        value below zero.
    """

    total: Floats
    contributors: Ints
    largest: Floats
    squares: Floats
    counts: Bools
    magnitude: Bools
    missing: dict[str, int] = field(default_factory=dict)
    negative: dict[str, tuple[str, int]] = field(default_factory=dict)

    FACTS = facts(
        Fact("cells", lambda found: len(found)),
        Fact("magnitudes", lambda found: int(found.magnitude.sum())),
        Fact("single_contributor", lambda found: int((found.contributors == 1).sum())),
        Fact("two_contributors", lambda found: int((found.contributors == 2).sum())),
        Fact("missing", shown=""),
        Fact(
            "records left out",
            lambda found: sum(found.missing.values()),
            told=False,
        ),
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells have one contributor, or two."""
        one, two = (int((self.contributors == n).sum()) for n in (1, 2))
        return (
            f"SystemContributions({len(self):,} cells, {int(self.magnitude.sum()):,} of them "
            f"magnitudes; {one:,} have one contributor and {two:,} two)"
        )

    def __len__(self) -> int:
        return len(self.total)


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
    records = Records.read(source, engine, counted, spec, contributor)
    into = Cells.empty(len(found), top)
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
    into = Cells.empty(len(system), top)
    counts, magnitude, done = (np.zeros(len(system), dtype=bool) for _ in range(3))
    geography = published_places(counted)
    missing: dict[str, int] = {}
    negative: dict[str, tuple[str, int]] = {}
    for layout in progress.each(counted.layouts, "collecting contributions", unit="tables"):
        spec = layout.table
        place = system.places[spec.name]
        own = place[place >= 0]
        magnitude[own] = spec.value is not None
        counts[own] = spec.value is None and spec.weight is None
        if spec.value is None and spec.weight is None and contributor is None:
            into.count_people(own, system.values)
            done[own] = True
            continue
        records = Records.read(source, engine, counted, spec, contributor)
        missing[spec.name] = records.missing
        if spec.value is not None and records.negative is not None:
            negative[spec.name] = (spec.value, records.negative)
        for cells in _margins(counted, spec, place, geography):
            # cells that an earlier table, or another geography, has as well
            index = np.where((cells >= 0) & ~done[cells], cells, -1)
            if (index >= 0).any():
                into.add(index, records)
                done[index[index >= 0]] = True
        done[own] = True
    return SystemContributions(
        into.total,
        into.contributors,
        into.units(),
        into.squares,
        counts,
        magnitude,
        missing,
        negative,
    )


def _margins(counted: Counted, table: TableSpec, place: Ints, geography: Places) -> Iterator[Ints]:
    """Yield the system's cell of every class in each geography and margin; -1 where it has none."""
    position = counted.position(table.name)
    layout = counted.layouts[position]
    inside = counted.cell_of(position) >= 0
    row_of = {node: row for row, node in enumerate(geography.nodes)}
    categories = [
        counted.category_of(c, d) for d, c in zip(table.dimensions, layout.categories, strict=True)
    ]
    for division in geography.axis.divisions.values():
        rows = np.array([row_of[node] for node in division.nodes], dtype=np.int64)
        row = rows[division.part_of[geography.piece]]
        for totals in product((False, True), repeat=len(categories)):
            at = [
                np.full(counted.classes, size) if total else category
                for total, category, size in zip(totals, categories, layout.shape, strict=True)
            ]
            yield np.where(inside, place[(row, *at)], -1)


def _amounts(source: Source, table: TableSpec) -> Iterator[Floats]:
    """Yield what each record adds to its cell, in record order; 0 where that is missing."""
    values = np.ones(source.records) if table.value is None else read_numbers(source, table.value)
    if table.weight is not None:
        values = values * read_weights(source, table.weight)
    yield np.nan_to_num(values, nan=0.0)
