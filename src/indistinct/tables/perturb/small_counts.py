"""Small count rounding: counts below a base become 0 or the base, and everything adds up.

The classes of people that make up small published counts are rounded, each to 0 or to the base, and
all tables are added up again from the classes: what is published agrees with itself, over tables,
totals and geographies. Which classes go up is chosen so that published counts stay near the true
ones (Langsrud and Heldal 2018).

Small count rounding of a system of cells that is made by adding up its inner cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from indistinct.core import Array, Base, InputError, Ints, Seed, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.counting import Counted
from indistinct.tables.perturb import small_count_kernels as kernels
from indistinct.tables.perturb.deviating import (
    deviation_figure,
    deviation_numbers,
    deviation_table,
)
from indistinct.tables.perturb.marginal_sums import (
    Geography,
    Margin,
    check_counts,
    geographies,
    margins,
    summed,
)
from indistinct.tables.perturb.modification import checked_base
from indistinct.tables.perturb.published import PerturbedTables, PublishedCells
from indistinct.tables.perturb.randomness import checked_seed, words
from indistinct.tables.system import CellSystem

__all__ = [
    "SmallCounts",
    "SmallCountsOfSystem",
    "inner_cells",
    "small_count_rounding",
    "small_count_rounding_of_system",
]

MOST_COARSE_CELLS = 20_000_000
"""Cells of further geographies, which are all held at once."""

BLOCK_ENTRIES = 20_000_000
"""Places of classes in cells that are held at once."""

BLOCK_CELLS = 4_000_000
"""Cells of areas that are held at once."""

SWEEPS, TRIES = 10, 32
"""How often the choice is gone through, and with how many partners a class is tried."""

ROUNDS = 3
"""How often all areas are gone through where there are coarser geographies."""


@dataclass(frozen=True, eq=False)
class SmallCounts:
    """Classes of people with rounded counts.

    Parameters
    ----------
    base
        Published counts of 1 … base − 1 do not occur.
    counts
        The rounded count of every class, in the engine's order of classes.
    rounded_classes
        Classes that were rounded.
    squares
        The mean squared deviation of published cells, for true counts of 1 … base − 1 and of at
        least the base.
    largest
        The largest deviation of a published cell.
    """

    base: int
    counts: Ints = field(repr=False)
    rounded_classes: int
    squares: tuple[float, ...] = field(repr=False)
    largest: int

    additive = True

    @property
    def words(self) -> str:
        """The method in a few words."""
        return f"small counts to 0 or {self.base}"

    def rounded(self, counted: Counted) -> Counted:
        """Return the tables with the rounded counts for the true ones."""
        return replace(counted, counts=self.counts[counted.sorted_as])

    def cells(self, counted: Counted, margin: Margin, geography: Geography) -> PublishedCells:
        """Return the cells of one part, true and published."""
        amounts = self.counts[counted.sorted_as]
        found = summed(counted, margin, geography, counted.counts, amounts)
        return PublishedCells(found.area, found.cell, *found.sums)

    def published_variance(self, count: float) -> float:
        """Return the mean squared deviation of published cells with this true count."""
        if count <= 0:
            return 0.0
        return self.squares[min(int(count), self.base) - 1]

    def interval(self, published: float) -> tuple[float, float]:
        """Return what stands behind a published count for who is told the largest deviation."""
        return float(max(0, published - self.largest)), float(published + self.largest)


def small_count_rounding(counted: Counted, base: Base = 3, *, seed: Seed = 0) -> PerturbedTables:
    """Round small counts to 0 or the base, so that all tables, totals and geographies add up.

    Areas are gone through in turn; what earlier ones have added to coarser geographies counts when
    the next are rounded. The time is linear in people × tables.

    Parameters
    ----------
    base
        No count of 1 … base − 1 is published.
    seed
        Which exchanges are tried in large areas.
    """
    check_counts(counted, "Small count rounding")
    base = checked_base(base)
    work = _Work(counted, base, checked_seed(seed))
    work.run()
    counts = np.empty_like(work.current)
    counts[counted.sorted_as] = work.current
    method = SmallCounts(base, counts, int(work.chosen.sum()), (), 0)
    tables = PerturbedTables(counted, method)
    squares, largest = _measured(tables, base)
    return replace(tables, perturbation=replace(method, squares=squares, largest=largest))


def _measured(tables: PerturbedTables, base: int) -> tuple[tuple[float, ...], int]:
    total, number, largest = np.zeros(base + 1), np.zeros(base + 1), 0
    for margin in margins(tables.counted, once=True):
        found = tables.cells(margin)
        moved = found.published - found.true
        group = np.minimum(found.true, base)
        total += np.bincount(group, weights=moved.astype(np.float64) ** 2, minlength=base + 1)
        number += np.bincount(group, minlength=base + 1)
        largest = max(largest, int(np.abs(moved).max(initial=0)))
    return tuple((total / np.maximum(number, 1))[1:].tolist()), largest


class _Work:
    """The state of a rounding: counts of classes as they stand, and of cells of all geographies."""

    def __init__(self, counted: Counted, base: int, seed: int) -> None:
        self.counted, self.base, self.seed = counted, base, seed
        self.current = counted.counts.copy()
        self.chosen = np.zeros(counted.classes, dtype=bool)
        self.places = geographies(counted)
        parts = list(margins(counted, once=True))
        self.fine = [p for p in parts if p.geography == 0]
        self.coarse = [p for p in parts if p.geography > 0]
        self.fine_sizes = [p.size(counted) for p in self.fine]
        sizes = [len(self.places[p.geography].labels) * p.size(counted) for p in self.coarse]
        self.coarse_starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(int)
        total = int(self.coarse_starts[-1])
        if total > MOST_COARSE_CELLS:
            raise InputError(
                f"The further geographies have {total:,} cells, more than the "
                f"{MOST_COARSE_CELLS:,} that are rounded together. Publish fewer of them at once."
            )
        self.coarse_cells = total
        held = total + max(
            ((end - first) * sum(self.fine_sizes) for first, end in self._blocks()), default=0
        )
        # cells of further geographies first, then those of the areas that are worked on
        self.true, self.now = np.zeros(held, dtype=np.int64), np.zeros(held, dtype=np.int64)
        self.mark, self.stamp = np.zeros(held, dtype=np.int64), 0
        for n in range(len(self.coarse)):
            cell = self._coarse_cells(n, slice(None))
            inside = cell >= 0
            first, end = self.coarse_starts[n : n + 2]
            self.true[first:end] = np.bincount(
                cell[inside] - first, weights=counted.counts[inside], minlength=end - first
            )
        self.now[:] = self.true

    def _coarse_cells(self, n: int, rows: slice) -> Ints:
        """Return the cell of every class in one part of a further geography; -1 for none."""
        part = self.coarse[n]
        cell = part.cell_of(self.counted, rows)
        place = self.places[part.geography].place[rows]
        found = self.coarse_starts[n] + place * part.size(self.counted) + cell
        return np.where(cell >= 0, found, -1)

    def run(self) -> None:
        """Round until no small count is published."""
        blocks = list(self._blocks())
        # with coarser totals the first areas have not seen what the last did
        for turn in range(ROUNDS if self.coarse else 1):
            for first, end in progress.each(blocks, "rounding small counts", unit="blocks"):
                self._round_block(first, end, turn)
        turn = ROUNDS
        while len(areas := self._areas_with_small()):
            for first, end in self._blocks(areas):
                self._round_block(first, end, turn)
            turn += 1

    def _areas_with_small(self) -> Ints:
        """Return the areas whose classes make up small counts of further geographies."""
        open_classes = ~self.chosen & (self.current > 0) & (self.current < self.base)
        found = np.zeros(len(self.counted.areas), dtype=bool)
        for n in range(len(self.coarse)):
            first, end = self.coarse_starts[n : n + 2]
            values = self.now[first:end]
            small = (values > 0) & (values < self.base)
            if small.any():
                cell = self._coarse_cells(n, slice(None)) - first
                rows = np.flatnonzero(open_classes & (cell >= 0))
                found[self.counted.area[rows[small[cell[rows]]]]] = True
        return np.flatnonzero(found)

    def _blocks(self, areas: Ints | None = None) -> Iterator[tuple[int, int]]:
        """Yield ranges of areas small enough to be worked on at once, all or those with some."""
        starts = self.counted.starts
        per_area = max(sum(self.fine_sizes), 1)
        most_rows = max(BLOCK_ENTRIES // max(len(self.fine) + len(self.coarse), 1), 1)
        wanted = np.ones(len(self.counted.areas), dtype=bool)
        if areas is not None:
            wanted[:] = False
            wanted[areas] = True
        first = 0
        while first < len(wanted):
            if not wanted[first]:
                first += 1
                continue
            gap = np.flatnonzero(~wanted[first:])
            last = first + int(gap[0]) if len(gap) else len(wanted)
            by_rows = int(np.searchsorted(starts, starts[first] + most_rows, side="right")) - 1
            end = max(first + 1, min(by_rows, first + max(BLOCK_CELLS // per_area, 1), last))
            yield first, end
            first = end

    def _round_block(self, first: int, end: int, turn: int) -> None:
        counted, base = self.counted, self.base
        rows = slice(int(counted.starts[first]), int(counted.starts[end]))
        if rows.start == rows.stop:
            return
        pointer, index = self._cells(rows, first, end - first)
        current, chosen = self.current[rows], self.chosen[rows]
        true, now, coarse = self.true, self.now, self.coarse_cells
        fine = index >= coarse
        of_area = np.concatenate([[0], np.cumsum(fine)])[pointer]
        true[coarse:], now[coarse:] = 0, 0
        kernels.add_to_cells(of_area, index[fine], counted.counts[rows], true)
        kernels.add_to_cells(of_area, index[fine], current, now)
        new = np.empty(len(current), dtype=np.int64)
        area = counted.area[rows]
        seeds = words(self.seed, f"small counts {turn}", np.arange(first, end)) | np.uint64(1)
        # areas in which nothing has changed are left as they are, but in the rounds over all
        all_areas = 0 < turn < ROUNDS
        while True:
            number = kernels.find_small(pointer, index, now, current, base, chosen, new)
            if not number and not all_areas:
                return
            fresh = new[:number]
            kernels.start(fresh, area, pointer, index, current, now, base)
            looked_at = np.full(end - first, all_areas)
            looked_at[area[fresh] - first] = True
            which = np.flatnonzero(chosen & looked_at[area - first])
            bounds = np.searchsorted(area[which], np.arange(first, end + 1))
            self.stamp = kernels.improve(
                which,
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
                self.mark,
                self.stamp,
            )
            all_areas = False

    def _cells(self, rows: slice, first: int, areas: int) -> tuple[Ints, Array]:
        """Return the published cells of every class of a block: coarser ones, then the areas'."""
        counted = self.counted
        number = len(self.coarse) + len(self.fine)
        table = np.empty((rows.stop - rows.start, number), dtype=np.int32)
        for n in range(len(self.coarse)):
            table[:, n] = self._coarse_cells(n, rows)
        start = self.coarse_cells
        local = counted.area[rows].astype(np.int64) - first
        for n, (part, size) in enumerate(zip(self.fine, self.fine_sizes, strict=True)):
            cell = part.cell_of(counted, rows)
            table[:, len(self.coarse) + n] = np.where(cell >= 0, start + local * size + cell, -1)
            start += areas * size
        inside = table >= 0
        pointer = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
        return pointer, table[inside]


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
