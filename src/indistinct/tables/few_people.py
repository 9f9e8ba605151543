"""Small cells: how many ones, twos, zeros and full cells a set of tables has, and where."""

from __future__ import annotations

from typing import Any

import numpy as np

from indistinct.core import Bools, Ints, check_whole, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables import kernels
from indistinct.tables.counting import CellCounts, Counted, Layout

__all__ = ["SmallCells", "small_cells"]


KINDS = ("ones", "twos", "below", "zeros", "full")
"""What is counted of the cells of a table."""


@result
class SmallCells(Result):
    """How many cells are small, for every table (rows) and area (columns).

    Parameters
    ----------
    counted
        The tables.
    threshold
        Cells of fewer people are small.
    ones, twos, below
        Cells of one person, of two, and of 1 to `threshold` − 1.
    zeros
        Cells of nobody, impossible ones among them.
    full
        Cells of two or more people which hold everybody of a line of the table: along some
        dimension all the others are empty.
    """

    counted: Counted
    threshold: int
    ones: Ints
    twos: Ints
    below: Ints
    zeros: Ints
    full: Ints

    FACTS = facts(
        Fact("areas", lambda found: len(found.counted.areas)),
        "cells",
        "threshold",
        Fact(
            "totals",
            lambda found: {kind: int(getattr(found, kind).sum()) for kind in KINDS},
            spread=True,
        ),
        Fact("areas_with_small", lambda found: int((found.below.sum(axis=0) > 0).sum())),
        Fact("tables", lambda found: found._by_table()),
    )

    def sentence(self) -> str:
        """Say how many cells there are, and in how many areas some are small."""
        areas = int((self.below.sum(axis=0) > 0).sum())
        return (
            f"SmallCells({self.cells:,} cells of {len(self.counted.layouts)} tables for "
            f"{len(self.counted.areas):,} areas; {areas:,} of the areas have cells below "
            f"{self.threshold})"
        )

    def _by_table(self) -> list[dict[str, Any]]:
        return [
            {"table": layout.name, "cells": layout.cells * len(self.counted.areas)}
            | {kind: int(getattr(self, kind)[n].sum()) for kind in KINDS}
            for n, layout in enumerate(self.counted.layouts)
        ]

    @property
    def cells(self) -> int:
        """The number of cells, for all areas."""
        return self.counted.cells * len(self.counted.areas)

    def _row_tables(self) -> list[Table]:
        below = f"below {self.threshold}"
        headings = ("table", "cells", "ones", "twos", below, "zeros", "full")
        rows = [tuple(one.values()) for one in self._by_table()]
        per_area = [getattr(self, kind).sum(axis=0) for kind in ("ones", "below", "full")]
        order = np.argsort(-per_area[1], kind="stable").tolist()
        areas = [(self.counted.areas[n], *(int(kind[n]) for kind in per_area)) for n in order]
        return [
            Table("Small cells", headings, rows),
            Table("Areas, most small cells first", ("area", "ones", below, "full"), areas),
        ]

    def plot(self) -> str:
        """Return a figure: the share of small cells among those that count somebody, per table."""
        areas = len(self.counted.areas)
        labels, shares = [], []
        for n, layout in enumerate(self.counted.layouts):
            used = layout.cells * areas - int(self.zeros[n].sum())
            labels.append(layout.name)
            shares.append(100 * int(self.below[n].sum()) / max(used, 1))
        title = f"Cells below {self.threshold}, in percent of those that count somebody"
        return bars(title, labels, shares)


def small_cells(counted: Counted, *, threshold: int = 3) -> SmallCells:
    """Count the small cells of a set of tables, for every table and area.

    Of a table that adds up a variable, the people behind its cells are counted. Linear in classes
    of people × tables × dimensions; no cell of the whole set is kept.
    """
    check_whole("threshold", threshold, 2)
    areas = len(counted.areas)
    shape = (len(counted.layouts), areas)
    ones, twos, below, zeros, full = (np.zeros(shape, dtype=np.int64) for _ in range(5))

    positions = list(range(len(counted.layouts)))
    for position in progress.each(positions, "looking for small cells", unit="tables"):
        layout = counted.layouts[position]
        cells = counted.cell_counts(position)
        for into, found in (
            (ones, cells.count == 1),
            (twos, cells.count == 2),
            (below, cells.count < threshold),
            (full, (cells.count > 1) & _is_full(cells, layout, areas)),
        ):
            into[position] = np.bincount(cells.area[found], minlength=areas)
        zeros[position] = layout.cells - np.bincount(cells.area, minlength=areas)
    return SmallCells(counted, threshold, ones, twos, below, zeros, full)


def _is_full(cells: CellCounts, layout: Layout, areas: int) -> Bools:
    """Say of every cell whether it holds everybody of a line of its table, in its area."""
    starts = np.searchsorted(cells.area, np.arange(areas + 1)).astype(np.int64)
    found = np.zeros(len(cells), dtype=bool)
    line_total = np.empty(len(cells), dtype=np.int64)
    step = 1
    for size in reversed(layout.shape):
        if size > 1:
            line = cells.cell - cells.cell // step % size * step
            kernels.own_counts(starts, line, cells.count, layout.cells, line_total)
            found |= line_total == cells.count
        step *= size
    return found
