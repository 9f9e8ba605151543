"""What is to be published: tables, their dimensions and universes, and the areas they are for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from indistinct.core import InputError, did_you_mean
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.tables.grouping import PERSONS, Grouping, Item

__all__ = ["MOST_DIMENSIONS", "TableSet", "TableSpec", "Universe"]

MOST_DIMENSIONS = 5
"""Dimensions of a table, the areas not counted."""

Universe = tuple[tuple[str, tuple[Item, ...]], ...]
"""Who is counted: variables, and of each the values or ranges that count; all must hold."""


@dataclass(frozen=True)
class TableSpec(Part):
    """One table: who is counted, by what, and what is added up.

    Parameters
    ----------
    name
        Its name, among those of the set.
    dimensions
        Its groupings, the row variable first; one to five.
    universe
        Who is counted; everybody where it is empty.
    value
        The variable that is added up (income, turnover) instead of counting people.
    weight
        The variable by which people count, or by which values are multiplied.
    margins
        Whether totals over each dimension are published beside the cells.
    """

    name: str
    dimensions: tuple[Grouping, ...]
    universe: Universe = ()
    value: str | None = None
    weight: str | None = None
    margins: bool = True

    def __post_init__(self) -> None:
        if not 1 <= len(self.dimensions) <= MOST_DIMENSIONS:
            raise InputError(
                f"The table '{self.name}' must have 1 to {MOST_DIMENSIONS} dimensions. "
                f"Got {len(self.dimensions)}."
            )
        variables = [d.variable for d in self.dimensions if d.variable is not None]
        if len(set(variables)) < len(variables):
            raise InputError(f"The table '{self.name}' names a variable twice. Name each once.")

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of its dimensions."""
        return tuple(d.variable for d in self.dimensions if d.variable is not None)

    @property
    def is_count(self) -> bool:
        """Whether people are counted, not values added up."""
        return self.value is None

    FACTS = facts(
        "name",
        "dimensions",
        Fact("universe", lambda found: dict(found.universe)),
        "value",
        "weight",
        "margins",
    )


@result(eq=True)
class TableSet(Result):
    """The tables that are published together, and the areas they are published for.

    Parameters
    ----------
    tables
        The tables, in the order in which their cells are numbered.
    area
        The geography: every table is published for every one of its areas. ``persons`` for one
        area that holds everybody.
    also
        Further geographies for which the same tables are published: coarser levels, or other zones.
    """

    tables: tuple[TableSpec, ...]
    area: Grouping
    also: tuple[Grouping, ...] = ()

    FACTS = facts(
        "area",
        "also",
        "tables",
    )

    def sentence(self) -> str:
        """Say how many tables, for which areas."""
        area = "one area" if self.area.variable is None else f"areas of '{self.area.name}'"
        return f"TableSet({len(self.tables)} tables for {area})"

    def __post_init__(self) -> None:
        if not self.tables:
            raise InputError("There is no table. Name one with --table age,sex.")
        names = [table.name for table in self.tables]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"Two tables are called '{twice}'. Give each a name of its own.")
        for table in self.tables:
            if self.area.variable is not None and self.area.variable in table.variables:
                raise InputError(
                    f"The table '{table.name}' has the area '{self.area.variable}' as a dimension. "
                    "Every table is published for every area already."
                )

    def __iter__(self) -> Iterator[TableSpec]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, name: str) -> TableSpec:
        for table in self.tables:
            if table.name == name:
                return table
        names = [table.name for table in self.tables]
        raise InputError(f"There is no table '{name}'. {did_you_mean(name, names)}")

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable by which people are counted, the geographies first, each once."""
        found = [g.variable for g in (self.area, *self.also) if g.variable is not None]
        for table in self.tables:
            found += [*table.variables, *(name for name, _ in table.universe)]
        return tuple(dict.fromkeys(found))

    def only(self, names: Sequence[str]) -> TableSet:
        """Return the set with some of its tables."""
        return replace(self, tables=tuple(self[name] for name in names))

    def restricted(self, match_keys: Sequence[str], *, margins: bool = True) -> TableSet:
        """Return the set that an intruder can use who knows only some variables.

        Openshaw et al. (1997), section 3.2: equation (9) is restricted to what is available from
        other sources. With `margins` every table is added up over what the intruder does not know
        ("new cross-tabulations"); without, tables with an unknown dimension are left out. Tables
        that become equal are kept once.
        """
        known = set(match_keys)
        tables: dict[tuple[Any, ...], TableSpec] = {}
        for table in self.tables:
            kept = tuple(d for d in table.dimensions if d.variable in known)
            if not kept or (not margins and len(kept) < len(table.variables)):
                continue
            if any(name not in known for name, _ in table.universe):
                continue
            identity = (frozenset((d.variable, d.name) for d in kept), table.universe)
            tables.setdefault(identity, replace(table, dimensions=kept))
        if not tables:
            raise InputError(
                "No table is made of the match keys alone. Name more variables with --match-keys."
            )
        return replace(self, tables=tuple(tables.values()))

    def _row_tables(self) -> list[Table]:
        rows = [
            (t.name, " × ".join(d.name for d in t.dimensions), t.value or PERSONS, len(t.universe))
            for t in self.tables
        ]
        headings = ("table", "dimensions", "what is added up", "conditions")
        return [Table("The tables", headings, rows)]
