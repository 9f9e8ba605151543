"""How far rounded cells are from the true ones: numbers, table and figure, for every rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from indistinct.core import Ints
from indistinct.results import Table
from indistinct.results.figures import bars

__all__ = ["deviation_figure", "deviation_numbers", "deviation_table"]


def deviation_numbers(deviation: Ints) -> dict[str, Any]:
    """Return how many cells changed, and by how much on average and at most.

    >>> deviation_numbers(np.array([0, -1, 2]))["mean_squared_deviation"]
    1.6666666666666667
    """
    moved = np.abs(deviation)
    cells = max(len(moved), 1)
    return {
        "cells": len(moved),
        "changed": int((moved > 0).sum()),
        "total_deviation": int(moved.sum()),
        "mean_deviation": float(deviation.sum()) / cells,
        "mean_absolute_deviation": float(moved.sum()) / cells,
        "mean_squared_deviation": float((moved**2).sum()) / cells,
        "largest_deviation": int(moved.max(initial=0)),
    }


def deviation_table(deviation: Ints) -> Table:
    """Return how many cells moved how far."""
    moved, cells = np.unique(deviation, return_counts=True)
    rows = list(zip(moved.tolist(), cells.tolist(), strict=True))
    return Table("Cells by how far they moved", ("published less true", "cells"), rows)


def deviation_figure(deviation: Ints) -> str:
    """Return a figure of how many cells moved how far."""
    moved, cells = np.unique(deviation, return_counts=True)
    labels = [f"{d:+d}" if d else "0" for d in moved.tolist()]
    title = "Cells by how far the published count is from the true one"
    return bars(title, labels, cells.tolist())
