"""Small cells: how many ones, twos, zeros and full cells a set of tables has, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.core import Bools, Ints, check_whole, progress
from indistinct.results import Shown, Table
from indistinct.results.figures import bars
from indistinct.tables import kernels
from indistinct.tables.counting import CellCounts, Counted, Layout

__all__ = ["SmallCells", "small_cells"]


@dataclass(frozen=True, eq=False)
class SmallCells(Shown):
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

    counted: Counted = field(repr=False)
    threshold: int
    ones: Ints = field(repr=False)
    twos: Ints = field(repr=False)
    below: Ints = field(repr=False)
    zeros: Ints = field(repr=False)
    full: Ints = field(repr=False)

    def __repr__(self) -> str:
        return self._short()

    @property
    def cells(self) -> int:
        """The number of cells, for all areas."""
        return self.counted.cells * len(self.counted.areas)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        kinds = ("ones", "twos", "below", "zeros", "full")
        tables = [
            {"table": layout.name, "cells": layout.cells * len(self.counted.areas)}
            | {kind: int(getattr(self, kind)[n].sum()) for kind in kinds}
            for n, layout in enumerate(self.counted.layouts)
        ]
        totals = {kind: int(getattr(self, kind).sum()) for kind in kinds}
        return {
            "areas": len(self.counted.areas),
            "cells": self.cells,
            "threshold": self.threshold,
            **totals,
            "areas_with_small": int((self.below.sum(axis=0) > 0).sum()),
            "tables": tables,
        }

    def _lines(self) -> list[str]:
        found = self.to_dict()
        return [
            f"SmallCells({self.cells:,} cells of {len(self.counted.layouts)} tables for "
            f"{found['areas']:,} areas)",
            f"  below {self.threshold}  {found['below']:,} in {found['areas_with_small']:,} areas: "
            f"{found['ones']:,} ones, {found['twos']:,} twos",
            f"  zeros    {found['zeros']:,}",
            f"  full     {found['full']:,}, everybody of a row or column in one cell",
        ]

    def _tables(self) -> list[Table]:
        found = self.to_dict()
        below = f"below {self.threshold}"
        headings = ("table", "cells", "ones", "twos", below, "zeros", "full")
        rows = [tuple(one.values()) for one in found["tables"]]
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
