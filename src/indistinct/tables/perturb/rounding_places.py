"""Controlled rounding of tables for many places: from large places to small ones, then repair.

One program over all places is out of reach. Here the largest places are rounded first; the places
that one is made of are then rounded together so that they add up to what it was given, many of
them by way of groups. Each of these programs has a few places only. Places that follow from others
are in the end added up from them, so that all sums hold whatever happens; where a sum could not be
met, a large place is left beyond its adjacent multiples, and sets of places are rounded again, all
others as they are, as long as that brings large places back or makes the deviation less.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
from scipy import sparse

from indistinct.core import Floats, Ints, progress
from indistinct.tables.perturb.grid import Grid
from indistinct.tables.perturb.solver import WholeProgram

__all__ = ["Attempt", "round_places"]


TOGETHER = 24
"""Places that are rounded together so that they add up to a larger one, at most."""

COLUMNS = 2_100
"""Columns of one program, about: cells that may move, and three for each cell of a sum."""

REPAIRS = 40
"""Rounds of repair of large places that are beyond their adjacent multiples."""

BEYOND = 30
"""What one step beyond adjacent multiples costs, in bases."""

NODES = 100
"""Nodes of the search of one program."""

_GAP = 0.5
_SHARE = 0.02


@dataclass(frozen=True, eq=False)
class Attempt:
    """Rounded values, as multiples, places × columns; None where a place has no rounding.

    `known` says whether a place that has none is shown to have none.
    """

    multiples: Ints | None
    known: bool = True


@dataclass(frozen=True, eq=False)
class _Sum:
    """Σ times · place + the rest, which should lie between low and high, for every column.

    Within the range, being at its upper end rather than the lower costs `rising`.
    """

    parts: tuple[tuple[int, int], ...]
    rest: Ints
    low: Ints
    high: Ints
    rising: Floats


def round_places(
    grid: Grid, true: Ints, base: int, *, zero_restricted: bool, most_steps: int, tie: Floats
) -> Attempt:
    """Round the tables of all places to multiples of the base so that all sums hold.

    Parameters
    ----------
    true, tie
        The true counts, and numbers in [0, 1) that decide among equals: places × columns.
    """
    work = _Work(grid, true, base, zero_restricted, most_steps, tie)
    try:
        work.from_large_to_small()
    except _NoRounding as failed:
        return Attempt(None, failed.known)
    work.again()
    return Attempt(work.multiples[: len(true)])


class _NoRounding(Exception):
    def __init__(self, known: bool) -> None:
        super().__init__()
        self.known = known


class _Work:
    """The multiples of all places, and how places are rounded given the others.

    Groups of places, which nobody publishes, follow the places in all arrays.
    """

    def __init__(
        self,
        grid: Grid,
        true: Ints,
        base: int,
        zero_restricted: bool,
        most_steps: int,
        tie: Floats,
    ) -> None:
        self.grid, self.base, self.most_steps = grid, base, most_steps
        self.places = len(true)
        self.loose = not zero_restricted
        self.above = grid.above()
        moving = np.count_nonzero(true[grid.own] % base) / max(1, len(grid.own))
        room = (COLUMNS - 3 * true.shape[1]) / max(1.0, moving)
        self.together = int(np.clip(room, 3, TOGETHER))
        self.sums, self.groups = self._with_groups()
        extra = [sum(true[p] * t for p, t in parts.items()) for parts in self.groups]
        self.true = np.vstack([true, *extra]) if extra else true
        self.below, self.left = np.divmod(self.true, base)
        self.tie = np.vstack([tie, np.zeros((len(extra), true.shape[1]))])
        self.multiples = self.below.copy()
        self.further = np.zeros(len(self.true), dtype=np.int64)
        # what may be published of a place made of others: multiples may move where asked for
        move = (self.left == 0) & (self.true > 0) & self.loose
        self.low = self.below - move
        self.high = self.below + (self.left > 0) + move
        self.rng = np.random.default_rng(0)

    def _with_groups(self) -> tuple[list[dict[int, int]], list[dict[int, int]]]:
        """Cut long sums into short ones by way of groups, the sums of large places first."""
        fresh = count(self.places)
        sums: list[dict[int, int]] = []
        groups: list[dict[int, int]] = []
        for row in self.grid.among:
            left, levels = dict(row), []
            while len(left) > self.together + 1:
                parts, whole = ([p for p in left if left[p] == sign] for sign in (1, -1))
                if len(parts) < len(whole):
                    whole, parts = parts, whole
                if len(parts) <= self.together:
                    break
                chunks = np.array_split(np.array(parts), -(-len(parts) // self.together))
                level = []
                shorter = {p: left[p] for p in whole}
                for chunk in chunks:
                    group = next(fresh)
                    held: dict[int, int] = {}
                    for part in chunk.tolist():
                        inner = groups[part - self.places] if part >= self.places else {part: 1}
                        held |= inner
                    groups.append(held)
                    level.append({group: -1, **{part: 1 for part in chunk.tolist()}})
                    shorter[group] = left[parts[0]]
                levels.append(level)
                left = shorter
            sums.append(left)
            for level in reversed(levels):
                sums += level
        return sums, groups

    def from_large_to_small(self) -> None:
        """Round the places of one sum after the other, given those that are rounded already."""
        decided = np.zeros(len(self.true), dtype=bool)
        for row in progress.each(self.sums, "rounding places", unit="sums"):
            fresh = [p for p in row if not decided[p]]
            if not fresh:
                continue
            decided[fresh] = True
            rest = sum(
                (row[p] * self.multiples[p] for p in row if p not in fresh),
                np.zeros(self.true.shape[1], dtype=np.int64),
            )
            zero = np.zeros_like(rest)
            parts = tuple((p, row[p]) for p in fresh)
            self._decide(fresh, [_Sum(parts, rest, zero, zero, zero.astype(np.float64))])
        for place in self.grid.own:
            if not decided[place]:
                self._decide([place], [])
        self._add_up()

    def _decide(self, places: list[int], sums: list[_Sum]) -> None:
        found = self._solve(places, sums)
        while found is None:
            stiff = False
            for place in places:
                known = True
                while known and self._solve([place], []) is None:
                    stiff = True
                    self.further[place] += 1
                    if place < self.places and self.further[place] >= self.most_steps:
                        raise _NoRounding(known)
                    known = self.further[place] < 9
            if not stiff:
                raise _NoRounding(False)
            found = self._solve(places, sums)
        for place, multiples in found.items():
            self.multiples[place] = multiples

    def _add_up(self) -> None:
        for place, parts in self.grid.made_of.items():
            self.multiples[place] = sum(times * self.multiples[p] for p, times in parts.items())

    def again(self) -> None:
        """Round sets of places again, given all others, where that makes things better.

        First of places that are beyond their adjacent multiples, then all in turn.
        """
        own = self.grid.own
        families: dict[tuple[int, ...], list[int]] = {}
        for place in own:
            families.setdefault(tuple(d for d, _ in self.above[place]), []).append(place)
        groups = list(families.values())
        sets = [
            order[at : at + size]
            for size, among in ((self.together // 3, groups), (2 * self.together // 3, [own]))
            for order in (self.rng.permutation(members).tolist() for members in among)
            for at in range(0, len(order), size)
        ]
        self._repair(groups, range(REPAIRS // 2))
        for chosen in progress.each(sets, "improving the rounding", unit="sets"):
            self._improve(chosen)
        self._repair(groups, range(REPAIRS // 2, REPAIRS))

    def _repair(self, groups: list[list[int]], rounds: range) -> None:
        """Bring places back to adjacent multiples: parts of each, with parts of another place.

        What the one gives has to be taken by another, where both are part of a larger one.
        """
        made = sorted(self.grid.made_of)
        for n in rounds:
            beyond = np.argwhere(self._beyond(made)).tolist()
            most = min(2 * self.together // 3, self.together // 3 + n // 4)
            for at, column in progress.each(beyond, "repairing", unit="cells"):
                if not self._beyond([made[at]])[0, column]:
                    continue
                able = [group for group in groups if self.left[group, column].any()] or groups
                other = able[int(self.rng.integers(len(able)))]
                chosen = self._choose(sorted(self.grid.made_of[made[at]]), column, most)
                chosen += [p for p in self._choose(other, column, most) if p not in chosen]
                self._improve(chosen)
            if not beyond:
                return

    def _choose(self, members: list[int], column: int, most: int) -> list[int]:
        """Choose places at random, those first that can move in a column."""
        order = self.rng.permutation(members)
        moving = self.left[order, column] > 0
        chosen: list[int] = np.concatenate([order[moving], order[~moving]])[:most].tolist()
        return chosen

    def _beyond(self, places: list[int]) -> Ints:
        """Return by how many steps the cells of places are beyond their adjacent multiples."""
        have = self.multiples[places]
        low, high = self.low[places], self.high[places]
        beyond: Ints = np.maximum(0, np.maximum(low - have, have - high))
        return beyond

    def _improve(self, places: list[int]) -> None:
        touched = sorted({d for p in places for d, _ in self.above[p]})
        before = self._cost([*places, *touched])
        old = self.multiples[[*places, *touched]].copy()
        sums = []
        for place in touched:
            parts = tuple((p, self.grid.made_of[place].get(p, 0)) for p in places)
            parts = tuple((p, times) for p, times in parts if times)
            rest = self.multiples[place] - sum(t * self.multiples[p] for p, t in parts)
            rising = np.where(self.left[place] > 0, self.base - 2.0 * self.left[place], 0.0)
            sums.append(_Sum(parts, rest, self.low[place], self.high[place], rising))
        found = self._solve(places, sums)
        if found is None:
            return
        for one, multiples in found.items():
            self.multiples[one] = multiples
        for sum_, place in zip(sums, touched, strict=True):
            self.multiples[place] = sum_.rest + sum(t * self.multiples[p] for p, t in sum_.parts)
        if self._cost([*places, *touched]) >= before:
            self.multiples[[*places, *touched]] = old

    def _cost(self, places: list[int]) -> int:
        """Return what places cost: their deviation, and far more for each step beyond."""
        away = np.abs(self.multiples[places] * self.base - self.true[places])
        return int(away.sum() + BEYOND * self.base * self._beyond(places).sum())

    def _solve(self, places: list[int], sums: list[_Sum]) -> dict[int, Ints] | None:
        """Round places so that sums are met or nearly so; None where a place has no rounding.

        A cell is below + y (+ up − down, where its place has no other rounding); a sum is
        low + z + over − under, 0 ≤ z ≤ high − low.
        """
        program = _Columns()
        within, base = self.grid.within, self.base
        at: dict[int, list[tuple[Ints, Ints, int]]] = {}
        for place in places:
            row = program.rows(-(within @ self.below[place]))
            left, below = self.left[place], self.below[place]
            kinds = [(left > 0, np.ones(len(left)), base - 2.0 * left, 1)]
            if self.further[place]:
                most = np.full(len(left), float(self.further[place]))
                dear = np.full(len(left), float(base * BEYOND))
                inside = self.true[place] > 0
                kinds += [(inside, most, dear, 1), (inside, np.minimum(most, below), dear, -1)]
            at[place] = []
            for which, high, cost, sign in kinds:
                cells = np.flatnonzero(which)
                equal = 0.4 / max(1, len(cells)) * self.tie[place, cells]
                columns = program.add(cost[cells] + equal, high[cells])
                program.enter(sign * within[:, cells], row, columns)
                at[place].append((cells, columns, sign))
        whole = program.columns
        for sum_ in sums:
            involved = np.zeros(within.shape[1], dtype=bool)
            rest = sum_.rest.copy()
            for place, times in sum_.parts:
                rest += times * self.below[place]
                for cells, _, _ in at[place]:
                    involved[cells] = True
            missed = np.flatnonzero(involved)
            where = np.full(within.shape[1], -1)
            where[missed] = np.arange(len(missed))
            row = program.rows((sum_.low - rest)[missed].astype(np.float64))
            for place, times in sum_.parts:
                for cells, columns, sign in at[place]:
                    program.enter_one_by_one(where[cells] + row, columns, times * sign)
            room = (sum_.high - sum_.low)[missed].astype(np.float64)
            dear = np.full(len(missed), float(base * BEYOND))
            endless = np.full(len(missed), np.inf)
            here = np.arange(row, row + len(missed))
            for cost, high, sign in (
                (sum_.rising[missed], room, -1),
                (dear, endless, -1),
                (dear, endless, 1),
            ):
                program.enter_one_by_one(here, program.add(cost, high), sign)
        solved = program.solve(whole)
        if solved is None:
            return None
        found = {}
        for place in places:
            multiples = self.below[place].copy()
            for cells, columns, sign in at[place]:
                multiples[cells] += sign * np.rint(solved[columns]).astype(np.int64)
            found[place] = multiples
        return found


class _Columns:
    """A program that is put together piece by piece."""

    def __init__(self) -> None:
        self.columns = 0
        self._rows = 0
        self._right: list[Floats] = []
        self._cost: list[Floats] = []
        self._high: list[Floats] = []
        self._entries: list[tuple[Ints, Ints, Floats]] = []

    def rows(self, right: Floats) -> int:
        """Add sums with these right sides; return the number of the first."""
        self._rows += len(right)
        self._right.append(right)
        return self._rows - len(right)

    def add(self, cost: Floats, high: Floats) -> Ints:
        """Add columns from 0 to `high`; return their numbers."""
        self._cost.append(cost)
        self._high.append(high)
        self.columns += len(cost)
        return np.arange(self.columns - len(cost), self.columns)

    def enter(self, block: sparse.csr_matrix, row: int, columns: Ints) -> None:
        """Enter a block of coefficients, its first row at `row`."""
        parts = block.tocoo()
        self._entries.append((parts.row + row, columns[parts.col], parts.data.astype(np.float64)))

    def enter_one_by_one(self, rows: Ints, columns: Ints, times: float) -> None:
        """Enter one coefficient for each row and column."""
        self._entries.append((rows, columns, np.full(len(rows), float(times))))

    def solve(self, whole: int) -> Floats | None:
        """Return the best values found, the first of them whole."""
        if not self.columns:
            right = np.concatenate(self._right)
            return np.zeros(0) if not right.any() else None
        rows, columns, data = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        matrix = sparse.csr_matrix((data, (rows, columns)), shape=(self._rows, self.columns))
        program = WholeProgram(
            matrix, np.concatenate(self._right), np.zeros(self.columns), np.concatenate(self._high)
        )
        program.cost(np.concatenate(self._cost))
        return program.solve_whole(gap=_GAP, share=_SHARE, nodes=NODES, first=whole).values
