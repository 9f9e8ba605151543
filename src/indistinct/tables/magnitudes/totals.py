"""Tables of magnitudes: what is added up, who contributes to each cell, and how much.

A rule of dominance asks for the largest contributions to every published cell, totals included.
They are found record by record: every record is put into its cell of one margin after another, and
each cell keeps its largest contributions. The work is linear in records, margins and geographies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import product

import numpy as np

from indistinct.core import Bools, Floats, Ints, progress
from indistinct.engine import Engine, aligned
from indistinct.files import Source
from indistinct.results import Fact, Result, facts, result
from indistinct.tables.counting import Counted
from indistinct.tables.magnitudes.contributing import Cells, Records, read_numbers, read_weights
from indistinct.tables.magnitudes.kernels import add_amounts
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
