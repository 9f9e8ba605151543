"""What an attacker can say about cells of rounded tables who uses the base and all sums.

The true tables agree with what is published, and so do the published ones themselves, since they
add up: a cell that was changed can have at least two values, whatever the sums. For the others
linear programs are solved. Each answer is another set of tables that agrees, and speaks for all
cells at once: in a large system most cells are seen to have a second value in tables which differ
from the true ones in one place only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Floats, Ints, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.perturb.grid import Grid, grid_of
from indistinct.tables.perturb.rounding import Rounded, parts_of
from indistinct.tables.perturb.solver import Program

__all__ = ["RoundedIntervals", "rounded_intervals"]


EXACT = 1_000
"""Cells in one part up to which intervals are exact where nothing else is asked for."""

PUSHES = 6
"""Programs that move many cells at once, before those for single cells."""

SWEEPS = 10
"""How often bounds are narrowed by all sums."""

SOME_MORE = (2, 6, 12, 24, 24, 48)
"""How many other places may move with one, try after try."""

_SLACK = 1e-6


@result
class RoundedIntervals(Result):
    """What an attacker can say about cells of a rounded system who uses all its sums.

    Parameters
    ----------
    cells
        The cells, as positions in the system.
    low, high
        The least and the largest value of each that agrees with everything published, where
        `exact`. Otherwise values that an attacker cannot rule out: they are the same for a cell
        whose value can be worked out, and only then.
    exact
        Whether all intervals were followed to their ends.
    """

    rounded: Rounded
    cells: Ints
    low: Ints
    high: Ints
    exact: bool = True

    FACTS = facts(
        Fact("cells", lambda found: len(found.cells)),
        Fact("disclosed", lambda found: len(found.disclosed)),
        Fact("narrowest", lambda found: int(found.width.min(initial=2 * found.rounded.reach))),
        Fact("mean_width", lambda found: float(found.width.mean()) if len(found.cells) else None),
        "exact",
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells there are."""
        return f"RoundedIntervals({len(self.cells):,} cells)"

    @property
    def width(self) -> Ints:
        """How many values besides one each cell may have."""
        return self.high - self.low

    @property
    def disclosed(self) -> Ints:
        """Cells of which only one value is possible."""
        found: Ints = self.cells[self.width == 0]
        return found

    def _row_tables(self) -> list[Table]:
        width, cells = np.unique(self.width, return_counts=True)
        rows = list(zip(width.tolist(), cells.tolist(), strict=True))
        return [
            Table("Cells by the width of their interval", ("width", "cells"), rows),
        ]


def rounded_intervals(
    rounded: Rounded, cells: Ints | None = None, *, exact: bool | None = None
) -> RoundedIntervals:
    """Return the values that cells can have, for an attacker who knows the base and all sums.

    A published multiple alone leaves `interval`; the sums may leave less, but never one value of a
    cell that was changed. The ends of an interval are two linear programs, over the part of the
    system that the cell hangs together with; they are rounded inwards to whole numbers.

    Parameters
    ----------
    cells
        The cells to ask about; those with a true count of 1 … base − 1 where none are named.
    exact
        Whether to find the ends of all intervals. If not, it is found out of each cell whether it
        can have more than one value, which needs far fewer programs. Where it is not said, parts
        of the system with at most 1,000 cells are exact.
    """
    system = rounded.system
    if cells is None:
        small = (system.values > 0) & (system.values < rounded.base)
        cells = np.flatnonzero(small)
    cells = np.asarray(cells, dtype=np.int64)
    every = np.ones(len(system), dtype=bool)
    parts = parts_of(system.relations, np.arange(len(system)), every)
    asked = np.zeros(len(system), dtype=bool)
    asked[cells] = True
    seen = _Seen(rounded)
    followed = np.zeros(len(system), dtype=bool)
    for part in parts:
        followed[part.cells] = exact if exact is not None else len(part.cells) <= EXACT
    if (asked & ~followed).any():
        seen.narrow(system.relations)
    grid = grid_of(system) if (asked & ~followed).any() else None
    if grid is not None:
        _by_places(grid, seen, asked & ~followed)
    for part in progress.each(parts, "attacking", unit="parts"):
        ends = asked[part.cells] & followed[part.cells]
        if ends.any():
            seen.follow(part.cells, part.sums, ends)
        elif asked[part.cells].any():
            seen.move(_Tables(part.cells, part.sums), asked)
    low = np.ceil(seen.least[cells] - _SLACK).astype(np.int64)
    high = np.floor(seen.most[cells] + _SLACK).astype(np.int64)
    return RoundedIntervals(rounded, cells, low, high, bool(followed[cells].all()))


class _Seen:
    """Values of all cells that were seen in tables which agree with what is published."""

    def __init__(self, rounded: Rounded) -> None:
        self.true = np.rint(rounded.system.values)
        published = rounded.values.astype(np.float64)
        self.low: Floats = np.maximum(0.0, published - rounded.reach)
        self.high: Floats = published + float(rounded.reach)
        self.least, self.most = self.true.copy(), self.true.copy()
        if not (rounded.system.relations @ rounded.values).any():
            self.least = np.minimum(self.least, rounded.values)
            self.most = np.maximum(self.most, rounded.values)
        self.rng = np.random.default_rng(0)

    def narrow(self, relations: sparse.csr_matrix) -> None:
        """Narrow the bounds: in each sum a cell is what the others leave."""
        rows = np.repeat(np.arange(relations.shape[0]), np.diff(relations.indptr))
        columns, sign = relations.indices, relations.data
        up = sign > 0
        for _ in range(SWEEPS):
            low, high = self.low.copy(), self.high.copy()
            least = sign * np.where(up, low[columns], high[columns])
            most = sign * np.where(up, high[columns], low[columns])
            # what the others of the sum come to, at least and at most
            others_least = np.bincount(rows, least, relations.shape[0])[rows] - least
            others_most = np.bincount(rows, most, relations.shape[0])[rows] - most
            lower, upper = -others_most / sign, -others_least / sign
            np.maximum.at(self.low, columns, np.where(up, lower, upper))
            np.minimum.at(self.high, columns, np.where(up, upper, lower))
            if (low == self.low).all() and (high == self.high).all():
                return

    def left(self, cells: Ints, asked: Bools) -> Ints:
        """Return those asked about, as positions among cells, that have shown one value only."""
        one = (self.most[cells] < self.true[cells] + 1 - _SLACK) & (
            self.least[cells] > self.true[cells] - 1 + _SLACK
        )
        found: Ints = np.flatnonzero(one & asked[cells])
        return found

    def follow(self, cells: Ints, sums: sparse.csr_matrix, wanted: Bools) -> None:
        """Find the ends of the intervals of some cells."""
        program = Program(sums, np.zeros(sums.shape[0]), self.low[cells], self.high[cells])
        for at in np.flatnonzero(wanted).tolist():
            least, most = program.extreme(at, "least"), program.extreme(at, "most")
            assert least is not None
            assert most is not None
            self.least[cells[at]], self.most[cells[at]] = least, most

    def move(self, tables: _Tables, asked: Bools) -> None:
        """Look for tables in which cells have another value than the true one.

        Many are moved at once, each at random up or down, and then those that are left by
        themselves.
        """
        cells = tables.cells
        left = self.left(cells, asked)
        true = self.true[cells]
        room = (self.high[cells] >= true + 1) | (self.low[cells] <= true - 1)
        if not room[left].any():
            return
        program = Program(tables.sums, tables.sums @ true, self.low[cells], self.high[cells])

        def push(places: Ints, signs: Floats) -> None:
            cost = np.zeros(len(cells))
            cost[places] = signs
            program.cost(cost)
            values = program.solve().values
            assert values is not None, "the true tables agree with what is published"
            self.least[cells] = np.minimum(self.least[cells], values)
            self.most[cells] = np.maximum(self.most[cells], values)

        for _ in range(PUSHES):
            push(left, self.rng.choice([-1.0, 1.0], len(left)))
            before, left = len(left), self.left(cells, asked)
            if len(left) < 4 or len(left) > 0.9 * before:
                break
        for at in left.tolist():
            for sign in (1.0, -1.0):
                if room[at] and len(self.left(cells[[at]], asked)):
                    push(np.array([at]), np.array([sign]))


@dataclass(frozen=True, eq=False)
class _Tables:
    """Cells that may move, all others being as they are, so that these sums are as they are."""

    cells: Ints
    sums: sparse.csr_matrix


def _by_places(grid: Grid, seen: _Seen, asked: Bools) -> None:
    """Look for tables that differ from the true ones in few places, and in those made of them.

    One place, then some more that can take up what it gives.
    """
    above = grid.above()
    families: dict[tuple[int, ...], list[int]] = {}
    for place, larger in above.items():
        families.setdefault(tuple(d for d, _ in larger), []).append(place)
    for more in (0, *SOME_MORE):
        for place in progress.each(range(len(grid.cells)), "attacking places", unit="places"):
            if not len(seen.left(grid.cells[place], asked)):
                continue
            members = sorted(grid.made_of.get(place, {place: 1}))
            beside = families[tuple(d for d, _ in above[members[0]])]
            chosen = [place] if place in above else []
            for others in (members, beside, grid.own):
                chosen += seen.rng.permutation(others).tolist()[: more // 2 + (not chosen)]
            seen.move(_some(grid, above, list(dict.fromkeys(chosen))), asked)


def _some(grid: Grid, above: dict[int, list[tuple[int, int]]], places: list[int]) -> _Tables:
    """Return the tables of some places, and of those made of them."""
    larger = sorted({d for p in places for d, _ in above[p]})
    number, width = len(places), grid.cells.shape[1]
    times = sparse.lil_matrix((len(larger), number))
    for n, place in enumerate(places):
        for d, counted in above[place]:
            times[larger.index(d), n] = counted
    inside = sparse.kron(sparse.identity(number), grid.within)
    outside = sparse.kron(
        sparse.hstack([-times, sparse.identity(len(larger))]), sparse.identity(width)
    )
    empty = sparse.csr_matrix((inside.shape[0], len(larger) * width))
    sums = sparse.vstack([sparse.hstack([inside, empty]), outside]) if larger else inside
    return _Tables(grid.cells[[*places, *larger]].ravel(), sums.tocsr())
