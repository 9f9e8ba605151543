"""Derived statistics as they are released: areas in rows, statistics in columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.core import Floats, InputError, did_you_mean
from indistinct.results import Shown, Table
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


@dataclass(frozen=True, eq=False)
class Derived(Shown):
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

    areas: tuple[str, ...] = field(repr=False)
    columns: tuple[Column, ...]
    parameters: tuple[Parameter, ...]
    loadings: tuple[Loading, ...] = field(repr=False)
    least_people: int
    least_possible: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return self._short()

    def __getitem__(self, name: str) -> Floats:
        for column in self.columns:
            if column.name == name:
                return column.values
        names = [column.name for column in self.columns]
        raise InputError(f"There is no statistic '{name}'. {did_you_mean(name, names)}")

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is released as plain values."""
        return {
            "areas": list(self.areas),
            "statistics": [
                {
                    "name": c.name,
                    "kind": c.kind,
                    "step": c.step,
                    "withheld": c.withheld,
                    "values": c.plain(),
                }
                for c in self.columns
            ],
            "parameters": [
                {"model": p.model, "name": p.name, "estimate": p.estimate, "error": p.error}
                for p in self.parameters
            ],
            "loadings": [
                {"component": one.component, "share": one.share, "loading": one.loading}
                for one in self.loadings
            ],
            "least_people": self.least_people,
            "least_possible": self.least_possible,
        }

    def _lines(self) -> list[str]:
        lines = [
            f"Derived({len(self.columns)} statistics for {len(self.areas):,} areas, "
            f"{len(self.parameters)} parameters of models)"
        ]
        for column in self.columns:
            withheld = f", withheld for {column.withheld:,} areas" if column.withheld else ""
            lines.append(f"  {column.name}: {column.kind}, steps of {column.step:g}{withheld}")
        for one in self.parameters:
            lines.append(f"  {one.model}: {one.name} {one.estimate:g} ± {one.error:g}")
        lines += [f"  note: {note}" for note in self.notes]
        return lines

    def _tables(self) -> list[Table]:
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
