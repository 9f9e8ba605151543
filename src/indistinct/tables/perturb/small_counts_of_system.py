"""Small count rounding of a system of cells that is made by adding up its inner cells."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from indistinct.core import Base, InputError, Ints, Seed
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.perturb import small_count_kernels as kernels
from indistinct.tables.perturb.deviating import (
    deviation_figure,
    deviation_numbers,
    deviation_table,
)
from indistinct.tables.perturb.modification import checked_base
from indistinct.tables.perturb.randomness import checked_seed, words
from indistinct.tables.perturb.small_counts import SWEEPS, TRIES
from indistinct.tables.system import CellSystem

__all__ = ["SmallCountsOfSystem", "inner_cells", "small_count_rounding_of_system"]


@result
class SmallCountsOfSystem(Result):
    """A system of cells whose small inner cells were rounded, and added up again.

    Parameters
    ----------
    system
        The true cells.
    base
        No cell has a count of 1 … base − 1.
    values
        The cells as they are published.
    inner
        The inner cells, of which all others are sums.
    """

    system: CellSystem
    base: int
    values: Ints
    inner: Ints

    FACTS = facts(
        Fact("method", lambda found: f"small counts to 0 or {found.base}"),
        "base",
        Fact("inner_cells", lambda found: len(found.inner)),
        Fact("moved", lambda found: deviation_numbers(found.deviation), spread=True),
        Fact("apparent_ones", lambda found: int((found.values == 1).sum())),
        Fact("true_ones", lambda found: int((np.rint(found.system.values) == 1).sum())),
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells there are."""
        return (
            f"SmallCountsOfSystem({len(self.values):,} cells, {len(self.inner):,} of them "
            f"inner, base {self.base})"
        )

    def _row_tables(self) -> list[Table]:
        return [deviation_table(self.deviation)]

    @property
    def deviation(self) -> Ints:
        """Published less true, of every cell."""
        return self.values - np.rint(self.system.values).astype(np.int64)

    def published_variance(self, count: float) -> float:
        """Return the mean squared deviation of cells of this count, or of at least the base."""
        group = np.minimum(np.rint(self.system.values), self.base)
        same = group == min(int(count), self.base)
        moved = self.deviation[same]
        return float((moved**2).mean()) if len(moved) else 0.0

    def interval(self, published: float) -> tuple[float, float]:
        """Return what stands behind a published count for who is told the largest deviation."""
        largest = int(np.abs(self.deviation).max(initial=0))
        return float(max(0, published - largest)), float(published + largest)

    def plot(self) -> str:
        """Return a figure: how many cells moved how far."""
        return deviation_figure(self.deviation)


def small_count_rounding_of_system(
    system: CellSystem, base: Base = 3, *, seed: Seed = 0
) -> SmallCountsOfSystem:
    """Round the small inner cells of a system to 0 or the base, and add up all others again.

    For one table with its totals and hierarchies. Linked tables are not sums of published cells
    alone; round their classes of people with `small_count_rounding`.

    >>> sums = sparse.csr_matrix([[1, 1, 1, -1]])
    >>> system = CellSystem(np.array([1.0, 1, 4, 6]), sums)
    >>> rounded = small_count_rounding_of_system(system, 3)
    >>> int(rounded.values[3]), rounded.to_dict()["apparent_ones"]
    (7, 0)
    """
    base = checked_base(base)
    true = np.rint(system.values).astype(np.int64)
    if not np.allclose(system.values, true, rtol=0, atol=1e-9) or (len(true) and true.min() < 0):
        raise InputError("Small count rounding is for counts, and some cells are none.")
    inner, holds = inner_cells(system)
    current = true[inner].copy()
    now = true.copy()
    chosen = np.zeros(len(inner), dtype=bool)
    new = np.empty(len(inner), dtype=np.int64)
    mark = np.zeros(len(true), dtype=np.int64)
    pointer, index = holds.indptr.astype(np.int64), holds.indices.astype(np.int32)
    seeds = words(checked_seed(seed), "small counts", np.array([0])) | np.uint64(1)
    group = np.zeros(len(inner), dtype=np.int32)
    stamp = 0
    while number := kernels.find_small(pointer, index, now, current, base, chosen, new):
        kernels.start(new[:number], group, pointer, index, current, now, base)
        rows = np.flatnonzero(chosen)
        bounds = np.array([0, len(rows)])
        stamp = kernels.improve(
            rows,
            bounds,
            pointer,
            index,
            current,
            now,
            true,
            base,
            SWEEPS,
            TRIES,
            seeds,
            mark,
            stamp,
        )
    return SmallCountsOfSystem(system, base, now, inner)


def inner_cells(system: CellSystem) -> tuple[Ints, sparse.csr_matrix]:
    """Return the cells that are no sum of others, and in which cells each of them is counted.

    The second has a row for each inner cell and a column for each cell of the system.
    """
    relations = system.relations.tocsr()
    sums: dict[int, Ints] = {}
    for row in range(relations.shape[0]):
        at = slice(relations.indptr[row], relations.indptr[row + 1])
        cells, signs = relations.indices[at], relations.data[at]
        for sign in (-1.0, 1.0):
            whole, parts = cells[signs == sign], cells[signs == -sign]
            if len(whole) == 1 and len(parts) and int(whole[0]) not in sums:
                sums[int(whole[0])] = parts
                break
    inner = np.array([c for c in range(len(system)) if c not in sums], dtype=np.int64)
    made = _expanded(len(system), inner, sums)
    if abs(relations @ made).sum() > 0:
        raise InputError(
            "The cells are not all sums of inner cells, as in linked tables. Give the counted "
            "tables: classes of people are rounded then."
        )
    return inner, made.T.tocsr()


def _expanded(cells: int, inner: Ints, sums: dict[int, Ints]) -> sparse.csr_matrix:
    """Return every cell (rows) as a sum of inner cells (columns)."""
    place = {cell: n for n, cell in enumerate(inner.tolist())}
    columns: dict[int, Ints] = {cell: np.array([n]) for cell, n in place.items()}
    for wanted in sums:
        stack = [wanted]
        under_way: set[int] = set()
        while stack:
            cell = stack[-1]
            if cell in columns:
                stack.pop()
                continue
            missing = [int(p) for p in sums[cell] if int(p) not in columns]
            if not missing:
                columns[cell] = np.concatenate([columns[int(p)] for p in sums[cell]])
                under_way.discard(cell)
                stack.pop()
                continue
            under_way.add(cell)
            if under_way.intersection(missing):
                raise InputError("A cell of the system is a sum of itself. Check the sums.")
            stack += missing
    pointer = np.concatenate([[0], np.cumsum([len(columns[c]) for c in range(cells)])])
    index = np.concatenate([columns[c] for c in range(cells)]) if cells else np.empty(0, int)
    data = np.ones(len(index))
    return sparse.csr_matrix((data, index, pointer), shape=(cells, len(inner)))
