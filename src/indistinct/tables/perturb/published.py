"""Tables after perturbation: what is published, how far it is from the truth, what it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from indistinct.core import InputError, Ints, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import CellCounts, Counted
from indistinct.tables.perturb.marginal_sums import Geography, Margin, geographies, margins

__all__ = ["Perturbation", "PerturbedTables", "PublishedCells"]


@dataclass(frozen=True, eq=False)
class PublishedCells:
    """Cells of one part of a table, sorted by area and cell; all others are zero, and stay so.

    Parameters
    ----------
    area
        The area of each, as a position among those of its geography.
    cell
        Its number within the part, from 0.
    true
        The people in it.
    published
        What is published.
    """

    area: Ints
    cell: Ints
    true: Ints
    published: Ints

    def __len__(self) -> int:
        return len(self.cell)


class Perturbation(Protocol):
    """A method that publishes other counts than the true ones."""

    @property
    def words(self) -> str:
        """The method in a few words, without what is secret."""
        ...

    @property
    def additive(self) -> bool:
        """Whether published cells of a table add up to its published totals."""
        ...

    def cells(self, counted: Counted, margin: Margin, geography: Geography) -> PublishedCells:
        """Return the cells of one part."""
        ...

    def published_variance(self, count: float) -> float:
        """Return the variance of what is published for a cell whose true count is `count`."""
        ...

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        ...


@result
class PerturbedTables(Result):
    """A set of tables with perturbed counts.

    Parts are worked out when they are asked for: they are a function of the people and the seed.

    Parameters
    ----------
    counted
        The true tables.
    perturbation
        How they are perturbed.
    """

    counted: Counted
    perturbation: Perturbation

    # nothing that is secret
    FACTS = facts(
        Fact("method", "perturbation.words"),
        Fact("additive", "perturbation.additive"),
        Fact(
            "moved",
            lambda found: {**found.deviations, "histogram": found._moved()},
            spread=True,
        ),
        shown=True,
    )

    def _moved(self) -> dict[str, int]:
        return {str(d): n for d, n in self.deviations["histogram"].items()}

    def sentence(self) -> str:
        """Say what was done to which tables."""
        adds = "add up" if self.perturbation.additive else "do not add up exactly"
        return (
            f"PerturbedTables({self.perturbation.words}; {len(self.counted.layouts)} tables, "
            f"{len(self.counted.areas):,} areas; totals {adds})"
        )

    @cached_property
    def geographies(self) -> tuple[Geography, ...]:
        """The geographies for which tables are published, the areas first."""
        return geographies(self.counted)

    def cells(self, margin: Margin) -> PublishedCells:
        """Return the cells of one part of a table that somebody is in, true and published."""
        return self.perturbation.cells(self.counted, margin, self.geographies[margin.geography])

    def cell_counts(self, position: int, *, geography: int = 0) -> CellCounts:
        """Return the cells of one table that are not published as zero."""
        kept = tuple(range(len(self.counted.layouts[position].shape)))
        found = self.cells(Margin(position, kept, geography))
        shown = found.published != 0
        return CellCounts(found.area[shown], found.cell[shown], found.published[shown])

    def table(self, name: str, *, area: str | None = None, geography: int = 0) -> Ints:
        """Return one published table: areas, then its dimensions, totals last along each.

        Without `area` for all areas of the geography, with it for one, without the first axis.
        Where no totals are published the table has none.
        """
        position = self.counted.position(name)
        layout = self.counted.layouts[position]
        labels = self.geographies[geography].labels
        if area is not None and area not in labels:
            raise InputError(f"There is no such area in '{self.geographies[geography].name}'.")
        totals = layout.table.margins
        every = range(len(layout.shape))
        ways = [k for n in every for k in combinations(every, n)] if totals else []
        out = np.zeros((len(labels), *(s + totals for s in layout.shape)), dtype=np.int64)
        for kept in [*ways, tuple(every)]:
            margin = Margin(position, kept, geography)
            found = self.cells(margin)
            at: list[Any] = [found.area]
            where = iter(np.unravel_index(found.cell, margin.shape(self.counted)) if kept else ())
            at += [next(where) if n in kept else layout.shape[n] for n in every]
            out[tuple(at)] = found.published
        return out if area is None else out[labels.index(area)]

    def area_vector(self, area: int) -> Ints:
        """Return all published counts of one area, tables one after the other."""
        out = np.zeros(self.counted.cells, dtype=np.int64)
        for position, layout in enumerate(self.counted.layouts):
            found = self.cell_counts(position)
            here = found.area == area
            out[layout.offset + found.cell[here]] = found.count[here]
        return out

    @cached_property
    def deviations(self) -> dict[str, Any]:
        """How far published counts are from true ones, over all parts that anybody can see."""
        histogram: dict[int, int] = {}
        ones = true_ones = 0
        parts = list(margins(self.counted, once=self._equal_parts))
        for margin in progress.each(parts, "comparing counts", unit="parts of tables"):
            found = self.cells(margin)
            sizes, numbers = np.unique(found.published - found.true, return_counts=True)
            for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
                histogram[size] = histogram.get(size, 0) + number
            ones += int((found.published == 1).sum())
            true_ones += int(((found.published == 1) & (found.true == 1)).sum())
        cells = sum(histogram.values())
        total = max(cells, 1)
        return {
            "cells": cells,
            "changed": cells - histogram.get(0, 0),
            "mean_deviation": sum(n * d for d, n in histogram.items()) / total,
            "mean_absolute_deviation": sum(n * abs(d) for d, n in histogram.items()) / total,
            "mean_squared_deviation": sum(n * d * d for d, n in histogram.items()) / total,
            "largest_deviation": max((abs(d) for d in histogram), default=0),
            "published_ones": ones,
            "true_ones_among_them": true_ones,
            "histogram": dict(sorted(histogram.items())),
        }

    @property
    def _equal_parts(self) -> bool:
        return getattr(self.perturbation, "same_for_equal_parts", True)

    def _row_tables(self) -> list[Table]:
        rows = [(int(d), n) for d, n in self._moved().items()]
        return [Table("Cells by how far they moved", ("published less true", "cells"), rows)]

    def plot(self) -> str:
        """Return a figure: how many cells moved how far."""
        histogram = self.deviations["histogram"]
        shown = {d: histogram.get(d, 0) for d in range(-8, 9)}
        below = sum(n for d, n in histogram.items() if d < -8)
        above = sum(n for d, n in histogram.items() if d > 8)
        used = [d for d, n in shown.items() if n]
        low, high = min(used, default=0), max(used, default=0)
        labels = [f"{d:+d}" if d else "0" for d in range(low, high + 1)]
        numbers = [shown[d] for d in range(low, high + 1)]
        if below:
            labels, numbers = ["−9 and less", *labels], [below, *numbers]
        if above:
            labels, numbers = [*labels, "+9 and more"], [*numbers, above]
        return bars("Cells by how far the published count is from the true one", labels, numbers)
