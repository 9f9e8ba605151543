"""Derived statistics as they are released: areas in rows, statistics in columns."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Floats, InputError, did_you_mean
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.derived.models import Parameter
from indistinct.tables.derived.specification import KINDS

__all__ = ["Column", "Derived", "Loading"]


@dataclass(frozen=True, eq=False)
class Column:
    """One released statistic.

    Parameters
    ----------
    name, kind
        What it is.
    values
        One for each area; not a number where it is withheld.
    step
        The steps in which it is released.
    whole
        Whether the values are whole numbers.
    """

    name: str
    kind: str
    values: Floats = field(repr=False)
    step: float
    whole: bool

    @property
    def withheld(self) -> int:
        """The areas for which it is withheld."""
        return int(np.isnan(self.values).sum())

    def plain(self) -> list[int | float | None]:
        """Return the values as plain numbers; None where withheld."""
        return [
            None if np.isnan(v) else round(v) if self.whole else float(v)
            for v in self.values.tolist()
        ]


@dataclass(frozen=True)
class Loading:
    """How much a standardised share counts in a component."""

    component: str
    share: str
    loading: float


@result
class Derived(Result):
    """Derived statistics of areas: all that leaves, and nothing of what they were made from.

    Parameters
    ----------
    columns
        The statistics.
    parameters
        Parameters of models, with their standard errors.
    loadings
        How components are made of shares.
    least_people, least_possible
        The rules they were released by.
    """

    areas: tuple[str, ...]
    columns: tuple[Column, ...]
    parameters: tuple[Parameter, ...]
    loadings: tuple[Loading, ...]
    least_people: int
    least_possible: int
    notes: tuple[str, ...] = ()

    FACTS = facts(
        "areas",
        Fact(
            "statistics",
            lambda found: [
                {
                    "name": c.name,
                    "kind": c.kind,
                    "step": c.step,
                    "withheld": c.withheld,
                    "values": c.plain(),
                }
                for c in found.columns
            ],
        ),
        Fact(
            "parameters",
            lambda found: [
                {"model": p.model, "name": p.name, "estimate": p.estimate, "error": p.error}
                for p in found.parameters
            ],
        ),
        Fact(
            "loadings",
            lambda found: [
                {"component": one.component, "share": one.share, "loading": one.loading}
                for one in found.loadings
            ],
        ),
        "least_people",
        "least_possible",
    )

    def sentence(self) -> str:
        """Say how many statistics there are, for how many areas."""
        return (
            f"Derived({len(self.columns)} statistics for {len(self.areas):,} areas, "
            f"{len(self.parameters)} parameters of models)"
        )

    def __getitem__(self, name: str) -> Floats:
        for column in self.columns:
            if column.name == name:
                return column.values
        names = [column.name for column in self.columns]
        raise InputError(f"There is no statistic '{name}'. {did_you_mean(name, names)}")

    def _row_tables(self) -> list[Table]:
        plain = [column.plain() for column in self.columns]
        rows = [(area, *(values[n] for values in plain)) for n, area in enumerate(self.areas)]
        tables = [
            Table("Derived statistics", ("area", *(c.name for c in self.columns)), rows),
            Table(
                "How they are released",
                ("statistic", "kind", "step", "withheld"),
                [(c.name, KINDS[c.kind], c.step, c.withheld) for c in self.columns],
            ),
        ]
        if self.parameters:
            rows_of = [(p.model, p.name, p.estimate, p.error) for p in self.parameters]
            headings = ("model", "parameter", "estimate", "standard error")
            tables.append(Table("Parameters of models", headings, rows_of))
        if self.loadings:
            loadings = [(one.component, one.share, one.loading) for one in self.loadings]
            tables.append(Table("Loadings", ("component", "share", "loading"), loadings))
        return tables
