"""Attacks on linked tables by whoever remembers that they count the same people.

The sums among published cells are not all that linked tables say: every cell is a sum over one and
the same table of all variables, whose cells are not negative. Where that joint table is small
enough it takes part in the attack, as cells that nobody publishes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Ints
from indistinct.tables import (
    Audit,
    CellSystem,
    Counted,
    Sensitive,
    audit,
    cell_system,
    published_places,
)
from indistinct.tables.publishing.numbers import TOTAL, PublishedTable
from indistinct.tables.suppressing.unknowns import find_unknowns

__all__ = ["MOST_BOUNDED", "MOST_JOINT", "Bounds", "joint_attack_skipped", "joint_audit"]

MOST_BOUNDED = 100_000
"""Cells up to which the bounds of perturbed counts are played off against each other."""

MOST_JOINT = 20_000
"""Cells of the joint table, over all pieces of the geography, up to which it is part of the
attack."""


def joint_attack_skipped(what: str) -> dict[str, str]:
    """Return the reservation of tables whose attack on all of them together was not tried."""
    return {
        "code": "joint-attack-skipped",
        "sentence": f"whether the tables tell more together than each by itself was not tried over "
        f"{what}, which is too large or adds up different things",
    }


def joint_audit(
    counted: Counted, system: CellSystem, hidden: Bools, sensitive: Sensitive
) -> Audit | None:
    """Audit suppressed counts over the joint table of all variables; None if it is too large."""
    if len(counted.layouts) < 2 or any(table.universe for table in counted.tables):
        return None
    places = published_places(counted)
    variables = list(dict.fromkeys(v for table in counted.tables for v in table.variables))
    sizes = [places.axis.size, *(len(counted.values[name]) for name in variables)]
    if not variables or np.prod([float(size) for size in sizes]) > MOST_JOINT:
        return None
    cells = int(np.prod(sizes))
    at = np.unravel_index(np.arange(cells), sizes)
    own = np.ravel_multi_index([places.piece, *(counted.codes[n] for n in variables)], sizes)
    values = np.bincount(own, weights=counted.counts, minlength=cells)
    rows, columns = [], []
    met = np.zeros(len(system), dtype=bool)
    inside = places.members.tocsc()
    for layout in counted.layouts:
        of_dimension = [
            None
            if grouping.variable is None
            else categories.codes[at[1 + variables.index(grouping.variable)]]
            for grouping, categories in zip(layout.table.dimensions, layout.categories, strict=True)
        ]
        fresh: list[Ints] = []
        for total in product((False, True), repeat=len(of_dimension)):
            index = [
                np.full(cells, size, dtype=np.int64)
                if whole
                else np.zeros(cells, dtype=np.int64)
                if code is None
                else code
                for code, whole, size in zip(of_dimension, total, layout.shape, strict=True)
            ]
            for place in range(inside.shape[0]):
                within = np.asarray(inside[place].todense()).ravel()[at[0]] > 0
                cell = system.places[layout.name][(place, *(one[within] for one in index))]
                known = (cell >= 0) & ~met[cell]
                rows.append(cell[known])
                columns.append(np.flatnonzero(within)[known])
                fresh.append(cell[known])
        for cell in fresh:
            met[cell] = True
    row, column = np.concatenate(rows), np.concatenate(columns)
    pairs = np.unique(np.stack([row, column]), axis=1)
    members = sparse.csr_matrix(
        (np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(len(system), cells)
    )
    sums = sparse.hstack([-sparse.identity(len(system), format="csr"), members], format="csr")
    whole = CellSystem(np.concatenate([system.values, values]), sums[np.flatnonzero(met)])
    unknown = np.concatenate([hidden, np.ones(cells, dtype=bool)])
    return audit(whole, unknown, replace(sensitive, contributors=None), coalition=False)


class Bounds:
    """What published counts that are a little off say of each other.

    Every published count leaves an interval for the true one; the true ones add up, so intervals
    narrow each other.
    """

    def __init__(self, counted: Counted) -> None:
        self.system = cell_system(counted)
        self.rows = np.array([row for _, _, row in published_places(counted).shown])
        self.low = np.zeros(len(self.system))
        self.high = np.full(len(self.system), np.inf)

    @classmethod
    def of(cls, counted: Counted) -> Bounds | None:
        """Return the bounds of a set of tables; None if it has too many cells."""
        places = len(published_places(counted).shown)
        cells = sum(int(np.prod([size + 1 for size in one.shape])) for one in counted.layouts)
        return cls(counted) if places * cells <= MOST_BOUNDED else None

    def add(self, table: PublishedTable, interval: Callable[[float], tuple[float, float]]) -> None:
        """Take in the cells of a table; totals that add up of themselves say nothing new."""
        inner = tuple(slice(len(labels) - (labels[-1] == TOTAL)) for labels in table.categories)
        at = self.system.places[table.name][self.rows][(slice(None), *inner)]
        numbers = table.numbers[(slice(None), *inner)]
        for number in np.unique(numbers).tolist():
            low, high = interval(number)
            cells = at[numbers == number]
            # sums of perturbed cells may be further off than one cell: of these nothing is known
            cells = cells[(self.system.values[cells] >= low) & (self.system.values[cells] <= high)]
            self.low[cells] = np.maximum(self.low[cells], low)
            self.high[cells] = np.minimum(self.high[cells], high)

    def determined(self, threshold: int) -> int:
        """Return how many counts below a threshold are left a single value."""
        every = np.ones(len(self.system), dtype=bool)
        found = find_unknowns(self.system, every, lowest=self.low, highest=self.high)
        width = np.zeros(len(self.system))
        width[found.cells] = found.high - found.low
        small = (self.system.values > 0) & (self.system.values < threshold)
        return int((small & (width < 1)).sum())
