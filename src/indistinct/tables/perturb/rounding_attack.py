"""What an attacker can say about cells of rounded tables who uses the base and all sums."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct import progress
from indistinct.showing import Shown, Table
from indistinct.tables.perturb.parts import parts_of
from indistinct.tables.perturb.rounding import Rounded
from indistinct.tables.perturb.solver import Program

__all__ = ["RoundedIntervals", "rounded_intervals"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RoundedIntervals(Shown):
    """What an attacker can say about cells of a rounded system who uses all its sums.

    Parameters
    ----------
    cells
        The cells, as positions in the system.
    low, high
        The least and the largest value of each that agrees with everything published.
    """

    rounded: Rounded = field(repr=False)
    cells: Ints = field(repr=False)
    low: Ints = field(repr=False)
    high: Ints = field(repr=False)

    def __repr__(self) -> str:
        return self._short()

    @property
    def width(self) -> Ints:
        """How many values besides one each cell may have."""
        return self.high - self.low

    @property
    def disclosed(self) -> Ints:
        """Cells of which only one value is possible."""
        found: Ints = self.cells[self.width == 0]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {
            "cells": len(self.cells),
            "disclosed": len(self.disclosed),
            "narrowest": int(self.width.min(initial=2 * self.rounded.reach)),
            "mean_width": float(self.width.mean()) if len(self.cells) else None,
        }

    def _lines(self) -> list[str]:
        found = self.to_dict()
        lines = [f"RoundedIntervals({found['cells']:,} cells)"]
        if len(self.cells):
            lines.append(
                f"  width       at least {found['narrowest']:,}, on average "
                f"{found['mean_width']:.2f}"
            )
        return [*lines, f"  disclosed   {found['disclosed']:,}"]

    def _tables(self) -> list[Table]:
        width, cells = np.unique(self.width, return_counts=True)
        rows = list(zip(width.tolist(), cells.tolist(), strict=True))
        return [
            Table.facts("An attacker's intervals after rounding", self.to_dict()),
            Table("Cells by the width of their interval", ("width", "cells"), rows),
        ]


def rounded_intervals(rounded: Rounded, cells: Ints | None = None) -> RoundedIntervals:
    """Return the values that cells can have, for an attacker who knows the base and all sums.

    A published multiple alone leaves `interval`; the sums may leave less. Two linear programs a
    cell, over the part of the system that it hangs together with; ends are rounded inwards to
    whole numbers.

    Parameters
    ----------
    cells
        The cells to ask about; those with a true count of 1 … base − 1 where none are named.
    """
    system, reach = rounded.system, rounded.reach
    if cells is None:
        small = (system.values > 0) & (system.values < rounded.base)
        cells = np.flatnonzero(small)
    cells = np.asarray(cells, dtype=np.int64)
    low, high = np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells), dtype=np.int64)
    asked: dict[int, list[int]] = {}
    for n, cell in enumerate(cells.tolist()):
        asked.setdefault(cell, []).append(n)
    every = np.ones(len(system), dtype=bool)
    parts = parts_of(system.relations, np.arange(len(system)), every)
    for part in progress.each(parts, "attacking", unit="parts"):
        wanted = [(at, c) for at, c in enumerate(part.cells.tolist()) if c in asked]
        if not wanted:
            continue
        published = rounded.values[part.cells].astype(np.float64)
        program = Program(
            part.sums,
            np.zeros(part.sums.shape[0]),
            np.maximum(0.0, published - reach),
            published + reach,
        )
        for at, cell in wanted:
            least, most = program.extreme(at, "least"), program.extreme(at, "most")
            assert least is not None
            assert most is not None
            low[asked[cell]] = int(np.ceil(least - 1e-6))
            high[asked[cell]] = int(np.floor(most + 1e-6))
    return RoundedIntervals(rounded, cells, low, high)
