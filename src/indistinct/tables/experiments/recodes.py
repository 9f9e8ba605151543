"""Risk against the detail in which variables are coded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from indistinct.core import InputError, Seed, progress
from indistinct.results import Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import Counted
from indistinct.tables.experiments.area_size import size_figure
from indistinct.tables.experiments.zones import MOST_PEOPLE, Kind, ZoneRisk, risk_in_zones
from indistinct.tables.grouping import Grouping
from indistinct.tables.specification import TableSet, TableSpec
from indistinct.tables.uniques import tabular_uniques

__all__ = ["Recode", "RiskByRecodes", "risk_by_recodes", "with_width"]


@dataclass(frozen=True)
class Recode:
    """One coding of the tables: how many cells it makes, and who stands out."""

    name: str
    cells: int
    frtu: int
    prtu: int
    risk: float
    by_size: tuple[ZoneRisk, ...] = ()


@result(eq=True)
class RiskByRecodes(Result):
    """The risk of the same tables in several codings.

    Parameters
    ----------
    records, areas
        The people and areas of the file.
    recodes
        The codings, in the order given; the tables as they are come first.
    """

    records: int
    areas: int
    recodes: tuple[Recode, ...]

    FACTS = facts("records areas recodes")

    def sentence(self) -> str:
        """Say what was looked at."""
        return f"{self.records:,} people in {self.areas:,} areas, by coding"

    def _row_tables(self) -> list[Table]:
        rows = [(r.name, r.cells, r.frtu, r.prtu, r.risk) for r in self.recodes]
        headings = ("coding", "cells", "full uniques", "part uniques", "risk")
        tables = [Table("Risk by coding", headings, rows, {"risk": ".4%"})]
        sized = [(r.name, p.size, p.zones, p.frtu, p.risk) for r in self.recodes for p in r.by_size]
        if sized:
            names = ("coding", "size", "zones", "full uniques", "risk")
            tables.append(Table("By size of areas", names, sized, {"risk": ".4%"}))
        return tables

    def plot(self) -> str:
        """Return a figure: the risk by coding, or by size of areas with a line for each coding."""
        if any(recode.by_size for recode in self.recodes):
            return size_figure(
                "Full record tabular uniques, by coding and size of areas",
                {r.name: list(r.by_size) for r in self.recodes},
            )
        return bars(
            "Full and part record tabular uniques, by coding",
            [recode.name for recode in self.recodes],
            [recode.frtu for recode in self.recodes],
            beside=[recode.prtu for recode in self.recodes],
            names=("full uniques", "part uniques"),
        )


def with_width(tables: TableSet, variable: str, width: float) -> TableSet:
    """Return the tables with one variable in bands of a width, wherever they have it."""
    if not any(variable in table.variables for table in tables):
        raise InputError(f"No table has the variable '{variable}'.")
    band = Grouping(f"{variable}:{width:g}", variable, width=width)

    def recoded(table: TableSpec) -> TableSpec:
        return replace(
            table,
            dimensions=tuple(band if d.variable == variable else d for d in table.dimensions),
        )

    return replace(tables, tables=tuple(recoded(table) for table in tables))


def risk_by_recodes(
    counted: Counted,
    recodes: Mapping[str, TableSet] | None = None,
    *,
    variable: str | None = None,
    widths: Sequence[float] = (),
    sizes: Sequence[int] = (),
    zones: Kind = "random",
    by: str | Sequence[str] | None = None,
    draws: int = 3,
    most_people: int = MOST_PEOPLE,
    seed: Seed = 1,
) -> RiskByRecodes:
    """Measure the risk of the same tables in several codings.

    Openshaw et al. (1997), section 3.2: there is a trade-off between the size of areas and the
    detail of the coding. With `sizes` both are varied. The tables as they were counted come first.

    Parameters
    ----------
    recodes
        The codings: a name, and the tables. Their variables must have been counted.
    variable, widths
        Besides, or instead: bands of these widths of one variable, in every table that has it.
    sizes, zones, by, draws, most_people
        As for `risk_by_area_size`.
    """
    wanted = {"as it is": counted.tables, **(recodes or {})}
    if bool(widths) != (variable is not None):
        raise InputError("Give a variable together with the widths of its bands.")
    for width in widths:
        wanted[f"{variable}:{width:g}"] = with_width(counted.tables, str(variable), width)
    found = []
    for name, tables in progress.each(list(wanted.items()), "trying codings", unit="codings"):
        other = counted.with_tables(replace(tables, area=counted.tables.area, also=()))
        uniques = tabular_uniques(other)
        by_size = tuple(
            risk_in_zones(
                other, size, kind=zones, by=by, draws=draws, most_people=most_people, seed=seed
            )
            for size in sorted(set(sizes))
        )
        found.append(Recode(name, other.cells, uniques.frtu, uniques.prtu, uniques.risk, by_size))
    return RiskByRecodes(counted.records, len(counted.areas), tuple(found))
