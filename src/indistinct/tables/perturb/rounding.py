"""Controlled rounding: every count becomes a multiple of a base, and tables still add up.

Each cell goes to one of the two multiples next to it, those that are multiples stay
(*zero-restricted*), all sums hold exactly, and the total of what cells move is least (Cox and Ernst
1982; Cox 1987 for two-way tables; Salazar-González 2006 for all others). A two-way table always has
such a rounding. Tables in three dimensions, and linked ones, may have none. Where many places hang
together, a rounding is found that is good rather than shown to be best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indistinct.core import (
    Base,
    Bools,
    Floats,
    InputError,
    Ints,
    Seed,
    as_uniform,
    check_whole,
    progress,
)
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.perturb.deviating import (
    deviation_figure,
    deviation_numbers,
    deviation_table,
)
from indistinct.tables.perturb.grid import Grid, grid_of
from indistinct.tables.perturb.modification import RandomRounding, checked_base
from indistinct.tables.perturb.randomness import checked_seed, words
from indistinct.tables.perturb.rounding_places import round_places
from indistinct.tables.perturb.solver import WholeProgram
from indistinct.tables.system import CellSystem

__all__ = ["Rounded", "controlled_rounding", "parts_of"]


# Parts of a system of cells that share no sum, each to be worked on by itself.


@dataclass(frozen=True, eq=False)
class Part:
    """Cells that hang together by sums, and these sums."""

    cells: Ints
    sums: sparse.csr_matrix


def parts_of(relations: sparse.csr_matrix, among: Ints, free: Bools) -> list[Part]:
    """Divide the cells that may move into parts that share no sum."""
    cells = among[free[among]]
    if not len(cells):
        return []
    sums = relations[:, cells].tocsr()
    sums = sums[np.diff(sums.indptr) > 0]
    links = abs(sums)
    graph = sparse.bmat([[None, links.T], [links, None]]) if sums.shape[0] else None
    if graph is None:
        return [Part(cells[n : n + 1], sums[:, n : n + 1]) for n in range(len(cells))]
    number, label = connected_components(graph, directed=False)
    cell_label, sum_label = label[: len(cells)], label[len(cells) :]
    cell_order = np.argsort(cell_label, kind="stable")
    sum_order = np.argsort(sum_label, kind="stable")
    cell_at = np.searchsorted(cell_label[cell_order], np.arange(number + 1))
    sum_at = np.searchsorted(sum_label[sum_order], np.arange(number + 1))
    ordered = sums[sum_order][:, cell_order].tocsr()
    parts = []
    for n in range(number):
        columns = slice(int(cell_at[n]), int(cell_at[n + 1]))
        first, end = int(sum_at[n]), int(sum_at[n + 1])
        start, stop = ordered.indptr[first], ordered.indptr[end]
        block = sparse.csr_matrix(
            (
                ordered.data[start:stop],
                ordered.indices[start:stop] - columns.start,
                ordered.indptr[first : end + 1] - start,
            ),
            shape=(end - first, columns.stop - columns.start),
        )
        parts.append(Part(cells[cell_order[columns]], block))
    return parts


MOST_STEPS = 3
"""How many multiples away a cell may be where nothing else is asked for."""

AT_ONCE = 500
"""Cells that may move in one part, beyond which tables of many places are rounded by place."""

_GAP = 0.5
"""Costs are whole numbers but for a share below 0.4 that decides among equals."""


@result
class Rounded(Result):
    """A system of cells, rounded so that it still adds up.

    Parameters
    ----------
    system
        The true cells.
    base
        The base of the rounding.
    values
        The rounded cells.
    steps
        How many multiples a cell may be away, the nearest below and above being one: 1 where the
        rounding is zero-restricted throughout.
    wider
        Cells in parts of the system for which no rounding to adjacent multiples exists, or was
        found.
    searched
        Parts of the system for which the linear program was not enough.
    best
        Whether the total deviation is shown to be the least.
    zero_restricted
        Whether multiples had to stay.
    """

    system: CellSystem
    base: int
    values: Ints
    steps: int
    wider: int
    searched: int
    best: bool
    zero_restricted: bool

    FACTS = facts(
        Fact("method", lambda found: f"controlled rounding to base {found.base}"),
        "base",
        Fact("moved", lambda found: deviation_numbers(found.deviation), spread=True),
        "steps",
        Fact("cells_beyond_adjacent", "beyond"),
        "searched",
        Fact("least_deviation_shown", "best"),
        Fact("apparent_ones", lambda found: int((found.values == 1).sum())),
        Fact("true_ones", lambda found: int((np.rint(found.system.values) == 1).sum())),
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells were rounded, and how far."""
        kind = "adjacent multiples"
        if self.steps > 1:
            kind = f"{self.beyond:,} of them up to {self.steps} multiples away"
        return f"Rounded({len(self.values):,} cells to base {self.base}, {kind})"

    def _row_tables(self) -> list[Table]:
        return [deviation_table(self.deviation)]

    @property
    def reach(self) -> int:
        """The farthest that a cell can be from its true count, as far as a reader is told."""
        return self.base * self.steps - self.zero_restricted

    @property
    def deviation(self) -> Ints:
        """Rounded less true, of every cell."""
        return self.values - np.rint(self.system.values).astype(np.int64)

    @property
    def beyond(self) -> int:
        """The number of cells that are not at an adjacent multiple."""
        true = np.rint(self.system.values).astype(np.int64)
        return int((_steps(true, self.values, self.base, self.zero_restricted) > 1).sum())

    def table(self, name: str) -> Ints:
        """Return one table: areas, then its dimensions, totals last; −1 for what is not told."""
        places = self.system.places.get(name)
        if places is None:
            raise InputError(f"The system has no table '{name}'.")
        return np.where(places >= 0, self.values[places], -1)

    def published_variance(self, count: float) -> float:
        """Return r·(b − r), as if the multiple were chosen at random with the right mean.

        Which way a cell goes follows from all cells together, which a reader does not know.
        """
        return RandomRounding(self.base).published_variance(count)

    def interval(self, published: float) -> tuple[float, float]:
        """Return the smallest and the largest true count that can stand behind a published one."""
        reach = self.reach
        return float(max(0, published - reach)), float(published + reach)

    def plot(self) -> str:
        """Return a figure: how many cells moved how far."""
        return deviation_figure(self.deviation)


def controlled_rounding(
    system: CellSystem,
    base: Base,
    *,
    zero_restricted: bool = True,
    seed: Seed = 0,
    most_steps: int | None = None,
) -> Rounded:
    """Round every cell to a multiple of the base so that all sums still hold.

    Cells which stay cut the system into parts that are rounded by themselves. Each is a linear
    program, and where its answer is not whole, a search in whole numbers. Tables for many places
    that hang together are rounded from large places to small ones, and then repaired; their
    deviation is not shown to be least.

    Parameters
    ----------
    base
        An integer of at least 2.
    zero_restricted
        Whether multiples of the base stay. If not, they may go to the multiple below or above.
    seed
        Chooses among roundings that are equally good.
    most_steps
        Where a part has no rounding to adjacent multiples, cells may be up to so many multiples
        away; empty cells stay empty. As few as are needed up to 3 where it is not said; 1 refuses
        what has no rounding to adjacent multiples.

    >>> from scipy import sparse
    >>> sums = sparse.csr_matrix([[1, 1, -1, 0, 0], [0, 0, 1, 1, -1]])
    >>> system = CellSystem(np.array([1.0, 2, 3, 4, 7]), sums)
    >>> controlled_rounding(system, 3).values.tolist()
    [0, 3, 3, 3, 6]
    """
    base = checked_base(base)
    seed = checked_seed(seed)
    most = MOST_STEPS if most_steps is None else most_steps
    check_whole("most_steps", most, 1)
    true = np.rint(system.values).astype(np.int64)
    if not np.allclose(system.values, true, rtol=0, atol=1e-9):
        raise InputError("Controlled rounding is for whole numbers, and some cells are none.")
    if len(true) and true.min() < 0:
        raise InputError("Controlled rounding is for counts, and some cells are below zero.")
    left = true % base
    tie = as_uniform(words(seed, "controlled rounding", np.arange(len(true))))
    rounded = true.copy()
    searched, wider, best, steps = 0, 0, True, 1
    groups = [np.arange(len(true))]
    failed: list[Part] = []
    for step in range(1, most + 1):
        free = _free(true, left, step, zero_restricted)
        parts = [part for group in groups for part in parts_of(system.relations, group, free)]
        if max((len(part.cells) for part in parts), default=0) > AT_ONCE:
            grid = grid_of(system)
            if grid is not None:
                return _by_place(system, grid, true, base, zero_restricted, tie, most)
        failed, limited = [], False
        for part in progress.each(parts, "rounding", unit="parts"):
            found = _round_part(part, true, base, step, zero_restricted, tie)
            if found.values is None:
                failed.append(part)
                limited |= not found.best
                continue
            rounded[part.cells] = found.values
            searched += found.searched
            best &= found.best
            if step > 1:
                wider, steps = wider + len(part.cells), step
        if not failed:
            break
        if step < most:
            again = _free(true, left, step + 1, zero_restricted)
            groups = _around(system.relations, failed, again)
    else:
        raise _none_found(base, most, len(failed), limited=limited)
    return Rounded(system, base, rounded, steps, wider, searched, best, zero_restricted)


def _none_found(base: int, most_steps: int, parts: int, *, limited: bool) -> InputError:
    found_none = "have not been rounded in the work allowed" if limited else "cannot be rounded"
    further = (
        "Allow cells to be further away (most_steps=2 or more), or try another base."
        if most_steps == 1
        else "Allow more steps, try another base, or publish fewer linked tables together."
    )
    return InputError(
        f"infeasible rounding base {base}: {parts:,} "
        f"{'part' if parts == 1 else 'parts'} of the tables {found_none} to multiples "
        f"at most {most_steps} away so that all sums hold. {further}"
    )


def _by_place(
    system: CellSystem,
    grid: Grid,
    true: Ints,
    base: int,
    zero_restricted: bool,
    tie: Floats,
    most_steps: int,
) -> Rounded:
    """Round the tables of many places that hang together."""
    attempt = round_places(
        grid,
        true[grid.cells],
        base,
        zero_restricted=zero_restricted,
        most_steps=most_steps,
        tie=tie[grid.cells],
    )
    if attempt.multiples is None:
        raise _none_found(base, most_steps, 1, limited=not attempt.known)
    rounded = np.empty_like(true)
    rounded[grid.cells] = attempt.multiples * base
    if (system.relations @ rounded).any():
        raise AssertionError("the rounded tables do not add up")
    steps = int(_steps(true, rounded, base, zero_restricted).max(initial=1))
    if steps > most_steps or rounded.min() < 0:
        raise _none_found(base, most_steps, 1, limited=True)
    wider = len(true) if steps > 1 else 0
    return Rounded(system, base, rounded, steps, wider, 1, False, zero_restricted)


def _steps(true: Ints, rounded: Ints, base: int, zero_restricted: bool) -> Ints:
    """Return how many multiples away each cell is, an adjacent one being one."""
    below, left = np.divmod(true, base)
    multiple = rounded // base
    away = np.maximum(below - multiple, multiple - below - (left > 0))
    stays = (left > 0) | zero_restricted
    steps: Ints = np.maximum(1, away + stays)
    return steps


@dataclass(frozen=True, eq=False)
class _Found:
    values: Ints | None
    searched: bool
    best: bool


def _free(true: Ints, left: Ints, step: int, zero_restricted: bool) -> Bools:
    """Say which cells may move: multiples too from the second step on, but no empty cell."""
    if not zero_restricted:
        return np.ones(len(true), dtype=bool)
    return left != 0 if step == 1 else true > 0


def _around(relations: sparse.csr_matrix, failed: list[Part], free: Bools) -> list[Ints]:
    """Return the cells that hang together with failed parts, when more cells may move."""
    troubled = np.zeros(len(free), dtype=bool)
    for part in failed:
        troubled[part.cells] = True
    whole = parts_of(relations, np.arange(len(free)), free)
    return [part.cells for part in whole if troubled[part.cells].any()]


def _round_part(
    part: Part, true: Ints, base: int, step: int, zero_restricted: bool, tie: Floats
) -> _Found:
    """Round one part; without values where it has no rounding within so many steps.

    A cell is base · (below + y + up − down): y is 0 or 1 and takes a cell to an adjacent multiple,
    up and down take it further and cost a whole base each. A multiple has no y.
    """
    cells, number = part.cells, len(part.cells)
    below, left = np.divmod(true[cells], base)
    may_rise = (left > 0).astype(np.float64)
    # cells that stay are multiples, and with the part's true values the sums hold
    right = part.sums @ (left / base)
    columns, highs = [part.sums], [may_rise]
    costs = [(base - 2 * left) * may_rise + 0.4 / number * tie[cells]]
    further = np.where((left == 0) & (not zero_restricted), step, step - 1).astype(np.float64)
    if further.any():
        columns += [part.sums, -part.sums]
        highs += [further, np.minimum(further, below)]
        costs += [np.full(number, float(base))] * 2
    program = WholeProgram(
        sparse.hstack(columns, format="csr"),
        np.rint(right),
        np.zeros(number * len(columns)),
        np.concatenate(highs),
    )
    program.cost(np.concatenate(costs))
    solved = program.solve_whole(gap=_GAP)
    if solved.values is None:
        return _Found(None, solved.searched, solved.best)
    found = np.rint(solved.values).astype(np.int64).reshape(len(columns), number)
    multiple = below + found[0] + (found[1] - found[2] if len(columns) > 1 else 0)
    return _Found(multiple * base, solved.searched, solved.best)
