"""Suppress further cells until an attacker stays unsure of every sensitive one, and no more.

A sensitive cell is safe where it can be moved far enough while every published cell stands still.
The cheapest way to move it, where a cell that is suppressed already is charged next to nothing,
says which cells to suppress. The way is kept as a witness: a cell that no witness moves can be
published again at once, and for another one only the sensitive cells whose witness moves it are
looked at anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numba import njit
from scipy import sparse

from indistinct.core import Array, Bools, Floats, Ints, LinearProgram
from indistinct.tables.suppressing.parts import Parts, joined

__all__ = ["Pattern", "Target"]


# The cheapest way to move a cell while all sums hold: one linear programme, solved many times.
#
#     minimise    sum of charge(i) |y(i)|
#     subject to  sums @ y = 0,  -down <= y <= up,  y(cell) = amount
#
# (Kelly, Golden and Assad 1992, *Networks* 22, 397–417). The cells that move must be unknown to an
# attacker for the one cell to be unknown by the amount.


class Mover:
    """Movements of some cells of a component, the others standing still.

    Parameters
    ----------
    sums
        The sums, by column; those without any of the cells are left out.
    cells
        The cells that may move.
    down, up
        How far each cell of the component may move.
    """

    def __init__(self, sums: sparse.csc_matrix, cells: Ints, down: Floats, up: Floats) -> None:
        self.cells = cells
        self.size = len(cells)
        self.place = np.full(sums.shape[1], -1, dtype=np.int64)
        self.place[cells] = np.arange(self.size)
        self.solved = 0
        self._limits = np.concatenate([up[cells], down[cells]])
        self._limits[~np.isfinite(self._limits)] = np.inf
        self._costs = np.ones(2 * self.size)
        self._open = np.ones(self.size, dtype=np.bool_)
        own = sums[:, cells]
        rows, inside = np.unique(own.indices, return_inverse=True)
        one_way = sparse.csc_matrix(
            (own.data, inside.astype(np.int32), own.indptr), shape=(len(rows), self.size)
        )
        # from a start in which nothing moves, charges keep the dual simplex feasible, and the few
        # sums around the cell are all it has to mend
        self._program = LinearProgram(
            low=np.zeros(2 * self.size),
            high=self._limits,
            cost=self._costs,
            rows=sparse.csc_matrix(sparse.hstack([one_way, -one_way])),
            simplex=True,
            options={"simplex_strategy": 1},
        )

    def let(self, cells: Ints, *, move: bool) -> None:
        """Let cells move, or stand still; cells that this model does not have stand still."""
        places = self.place[cells]
        places = places[places >= 0]
        number = 2 * len(places)
        if number:
            self._open[places] = move
            columns = np.concatenate([places, places + self.size])
            upper = self._limits[columns] if move else np.zeros(number)
            self._program.change_bounds(columns, np.zeros(number), upper)

    def move(
        self, cell: int, amount: float, up: Floats, down: Floats
    ) -> tuple[Ints, Floats] | None:
        """Return the cells that move, and how far, when one is moved at the least charge.

        `up` and `down` are the charges of moving each of the cells by one.
        """
        costs = np.concatenate([up, down])
        found = self._solve(cell, amount, costs, fixed=True)
        if found is None:
            return None
        moved = found[: self.size] - found[self.size :]
        # what is smaller is the solver's tolerance
        places = np.flatnonzero(np.abs(moved) > 1e-6 * max(1.0, abs(amount)))
        return self.cells[places], moved[places]

    def furthest(self, cell: int, direction: float) -> float:
        """Return how far a cell can be moved at all; infinite where there is no limit."""
        place = int(self.place[cell]) + (0 if direction > 0 else self.size)
        costs = np.zeros(2 * self.size)
        costs[place] = -1.0
        found = self._solve(cell, direction, costs, fixed=False)
        return np.inf if found is None else float(found[place])

    def _solve(self, cell: int, amount: float, costs: Floats, *, fixed: bool) -> Floats | None:
        place = int(self.place[cell])
        there, back = (place, place + self.size) if amount > 0 else (place + self.size, place)
        size = abs(amount)
        if fixed and size > self._limits[there] + 2e-7 * max(1.0, size):
            return None
        changed = np.flatnonzero(costs != self._costs)
        if len(changed):
            self._program.change_cost(changed, costs[changed])
            self._costs = costs
        if fixed:
            self._program.change_one_bound(there, size, size)
        self._program.change_one_bound(back, 0.0, 0.0)
        ended = self._program.solve(afresh=True)
        self.solved += 1
        found = None
        if ended == "solved":
            found = self._program.values
        elif not fixed and not ended.startswith("no limit"):
            raise RuntimeError(f"The solver stopped with {self._program.status}.")
        self.let(np.array([cell]), move=True)
        return found


@njit(cache=True, nogil=True)
def determines(
    start: Array,
    column: Array,
    cell_start: Array,
    row: Array,
    left: Array,
    total: Array,
    gone: Array,
    wanted: Array,
) -> bool:
    """Say whether publishing cells lets a wanted one be worked out, one sum after the other.

    `left` and `total` are the number of unknown cells of every sum, and the sum of their
    positions: where one is left, it is the total. Both are as before when this returns.
    """
    known = np.empty(len(cell_start), dtype=np.int64)
    end = len(gone)
    known[:end] = gone
    at = 0
    found = False
    while at < end and not found:
        cell = known[at]
        at += 1
        for e in range(cell_start[cell], cell_start[cell + 1]):
            r = row[e]
            left[r] -= 1
            total[r] -= cell
            if left[r] == 1:
                last = total[r]
                fresh = True
                for k in range(at, end):
                    if known[k] == last:
                        fresh = False
                if fresh:
                    known[end] = last
                    end += 1
                    found = found or wanted[last]
    for k in range(at):
        cell = known[k]
        for e in range(cell_start[cell], cell_start[cell + 1]):
            left[row[e]] += 1
            total[row[e]] += cell
    return found


FREE = 1e-4
"""What moving a suppressed cell is charged, as a share of the cheapest other one: short ways."""

CANDIDATES = 4_000
"""Cells of the parts around a cell that are looked at before all are."""

NEAR = 300
"""Suppressed cells around a cell among which a witness is looked for, before among all."""

SLACK = 2e-7
"""Amounts are compared with this tolerance, relative to what is asked: below that of an audit."""


@dataclass(frozen=True)
class Target:
    """A cell that must move: at least `down` and `up`, and `width` in all, while `still` stand."""

    cell: int
    down: float
    up: float
    width: float
    still: tuple[int, ...] = ()

    def met(self, down: float, up: float) -> bool:
        """Say whether an interval is wide enough."""
        slack = SLACK * max(1.0, self.up, self.down, self.width)
        return (
            up >= self.up - slack and down >= self.down - slack and up + down >= self.width - slack
        )

    def covers(self, other: Target) -> bool:
        """Say whether as much is asked of the same cell as another target asks, or more."""
        return (
            self.cell == other.cell
            and self.down >= other.down
            and self.up >= other.up
            and max(self.width, self.down + self.up) >= other.width
        )

    def way(self, most: float) -> tuple[float, float]:
        """Return the split into up and down that goes up as far as it can, or needs to."""
        up = min(most, max(self.up, self.width - self.down))
        return up, max(self.down, self.width - up)


@dataclass(frozen=True)
class Witness:
    """Cells that move when a target moves `up` and `down`."""

    up: float
    down: float
    cells: frozenset[int]


class Pattern:
    """Suppressed cells of one component, with the witnesses that it is safe.

    Parameters
    ----------
    sums
        The sums over the cells that may be suppressed.
    down, up
        How far each cell may move.
    charge
        What suppressing each cell costs.
    primary
        Cells that are suppressed in any case.
    targets
        What must be able to move.
    parts
        Parts of a large component: what a cell needs is first looked for in the parts around it.
    """

    def __init__(
        self,
        sums: sparse.csr_matrix,
        down: Floats,
        up: Floats,
        charge: Floats,
        primary: Bools,
        targets: Iterable[Target],
        *,
        parts: Parts | None = None,
    ) -> None:
        self.sums = sums.tocsr()
        self.by_cell = sums.tocsc()
        self.down, self.up, self.charge, self.primary = down, up, charge, primary
        self.targets = list(targets)
        self.size = len(charge)
        self.least = float(charge[charge > 0].min()) if (charge > 0).any() else 1.0
        self.parts = parts
        self._choosing: tuple[int, Mover] | None = None
        self._proving: dict[int, Mover] = {}
        self._joined = np.zeros(0, dtype=np.int64)
        self._solved = 0
        self.clear()

    def clear(self) -> None:
        """Begin anew, with the primary suppressions alone."""
        self.suppressed = self.primary.copy()
        self.witness: list[Witness | None] = [None] * len(self.targets)
        self.asked: dict[int, list[int]] = {}
        for number, target in enumerate(self.targets):
            self.asked.setdefault(target.cell, []).append(number)
        self.users: list[set[int]] = [set() for _ in range(self.size)]
        self._forget()
        self.left = np.zeros(self.sums.shape[0], dtype=np.int64)
        self.total = np.zeros(self.sums.shape[0], dtype=np.int64)
        self._count(np.flatnonzero(self.suppressed), 1)

    def add(self, targets: Iterable[Target]) -> list[int]:
        """Ask for more; return the numbers of the new targets."""
        before = len(self.targets)
        self.targets += targets
        self.witness += [None] * (len(self.targets) - before)
        fresh = list(range(before, len(self.targets)))
        for number in fresh:
            self.asked.setdefault(self.targets[number].cell, []).append(number)
        return fresh

    @property
    def solved(self) -> int:
        """Linear programmes solved so far."""
        choosing = 0 if self._choosing is None else self._choosing[1].solved
        return self._solved + choosing + sum(mover.solved for mover in self._proving.values())

    def count(self, solved: int) -> None:
        """Count linear programmes that were solved elsewhere for this pattern."""
        self._solved += solved

    @property
    def secondary(self) -> Ints:
        """The cells suppressed beside the primary ones."""
        return np.flatnonzero(self.suppressed & ~self.primary)

    @property
    def cost(self) -> float:
        """The cost of the secondary suppressions."""
        return float(self.charge[self.secondary].sum())

    def _forget(self) -> None:
        self._solved += sum(mover.solved for mover in self._proving.values())
        self._proving = {}
        self._joined = np.zeros(0, dtype=np.int64)

    def _prover(self, cell: int, *, near: bool) -> Mover:
        """Return the model of the suppressed cells that sums join to one, or of those near it."""
        if not len(self._joined):
            self._joined = joined(self.sums, self.suppressed)
        part = -1 if self.parts is None or not near else self.parts.of(cell)
        number = int(self._joined[cell]) if part < 0 else -1 - part
        if number not in self._proving:
            cells = np.flatnonzero(self._joined == number)
            if self.parts is not None and part >= 0:
                cells = self.parts.around(part, self._joined >= 0, NEAR)
            mover = self._proving[number] = Mover(self.by_cell, cells, self.down, self.up)
            mover.let(cells[~self.suppressed[cells]], move=False)
        return self._proving[number]

    def _chooser(self, cell: int, *, everywhere: bool) -> Mover:
        """Return the model of all cells around one, or of all there are."""
        number = -1 if everywhere or self.parts is None else self.parts.of(cell)
        if self._choosing is None or self._choosing[0] != number:
            cells = np.arange(self.size)
            if number >= 0 and self.parts is not None:
                every = np.ones(self.size, dtype=np.bool_)
                cells = self.parts.around(number, every, CANDIDATES)
            if self._choosing is not None:
                self._solved += self._choosing[1].solved
            self._choosing = number, Mover(self.by_cell, cells, self.down, self.up)
        return self._choosing[1]

    def _count(self, cells: Ints, sign: int) -> None:
        own = self.by_cell[:, cells]
        np.add.at(self.left, own.indices, sign)
        np.add.at(self.total, own.indices, sign * np.repeat(cells, np.diff(own.indptr)))

    def suppress(self, cells: Ints) -> None:
        """Suppress these cells as well."""
        fresh = cells[~self.suppressed[cells]]
        if not len(fresh):
            return
        self.suppressed[fresh] = True
        self._count(fresh, 1)
        if len(self._joined):
            if (self._joined[fresh] < 0).any():
                self._forget()
            else:
                self._let(fresh, move=True)

    def publish(self, cells: Ints) -> None:
        """Publish these cells; witnesses that move them hold no longer."""
        self.suppressed[cells] = False
        self._count(cells, -1)
        self._let(cells, move=False)

    def _let(self, cells: Ints, *, move: bool) -> None:
        for mover in self._proving.values():
            mover.let(cells, move=move)

    def _ways(self, target: Target) -> list[tuple[float, float]]:
        """Return splits of what is asked into an amount up and one down."""
        deepest = float(self.down[target.cell])
        least = target.down
        most = min(max(least, target.width - target.up), deepest)
        found: dict[tuple[float, float], None] = {}
        for lower in (most, least, (least + most) / 2):
            upper = max(target.up, target.width - lower)
            found[upper, lower] = None
        return list(found)

    def _along(
        self, mover: Mover, target: Target, way: tuple[float, float], charge: Floats
    ) -> Witness | None:
        """Move a target up and down, and return the cells that move, or None."""
        moved: set[int] = set()
        most_up = most_down = 0.0
        for amount in (way[0], -way[1]):
            if amount == 0.0 or target.met(most_down, most_up):
                continue
            size = abs(amount)
            # moving as far as is needed, or as is possible, costs the whole charge
            own = charge[mover.cells]
            by_one_up = own / np.clip(self.up[mover.cells], 1e-9, size)
            by_one_down = own / np.clip(self.down[mover.cells], 1e-9, size)
            found = mover.move(target.cell, amount, by_one_up, by_one_down)
            if found is None:
                return None
            cells, amounts = found
            charge = charge.copy()
            charge[cells] = FREE * self.least
            moved.update(cells.tolist())
            down, up = self._reach(cells, amounts, target.cell)
            most_down, most_up = max(most_down, down), max(most_up, up)
        return Witness(way[0], way[1], frozenset(moved))

    def _reach(self, cells: Ints, amounts: Floats, cell: int) -> tuple[float, float]:
        """Return how far a movement takes a cell down and up, forwards and backwards."""
        own = float(amounts[np.searchsorted(cells, cell)])
        up, down = self.up[cells], self.down[cells]
        sizes = np.abs(amounts)
        forwards = float((np.where(amounts > 0, up, down) / sizes).min())
        backwards = float((np.where(amounts > 0, down, up) / sizes).min())
        if own > 0:
            return own * backwards, own * forwards
        return -own * forwards, -own * backwards

    def _set(self, number: int, witness: Witness | None) -> None:
        before = self.witness[number]
        for cell in () if before is None else before.cells:
            self.users[cell].discard(number)
        for cell in () if witness is None else witness.cells:
            self.users[cell].add(number)
        self.witness[number] = witness

    def forget(self, number: int) -> None:
        """Drop the witness of a target."""
        self._set(number, None)

    def proved(self, number: int) -> bool:
        """Say whether a target is safe with what is suppressed; its witness is then renewed."""
        found = self._shared(number)
        if found is None:
            found = self._tried(self.targets[number], self.witness[number])
        if found is not None:
            self._set(number, found)
        return found is not None

    def _shared(self, number: int) -> Witness | None:
        """Return a witness of another target that serves for this one."""
        target = self.targets[number]
        for other in self.asked[target.cell]:
            found = self.witness[other]
            if other == number or found is None or not self.targets[other].covers(target):
                continue
            if found.cells.isdisjoint(target.still) and self.suppressed[list(found.cells)].all():
                return found
        return None

    def _tried(self, target: Target, before: Witness | None) -> Witness | None:
        """Look for a witness among the suppressed cells."""
        found = None
        if self.parts is not None:
            found = self._within(target, before, near=True)
        if found is None:
            found = self._within(target, before, near=False)
        return found

    def _within(self, target: Target, before: Witness | None, *, near: bool) -> Witness | None:
        mover = self._prover(target.cell, near=near)
        charge = np.ones(self.size)
        still = np.array(target.still, dtype=np.int64)
        mover.let(still, move=False)
        way = self._ways(target)[0] if before is None else (before.up, before.down)
        found = self._along(mover, target, way, charge)
        if found is None and not near:
            found = self._furthest(mover, target, charge)
        mover.let(still[self.suppressed[still]], move=True)
        return found

    def unproved(self, numbers: Iterable[int]) -> Iterator[int]:
        """Look for new witnesses of targets, and yield the targets that have none.

        Targets that ask for the same cell while others stand still are first tried at once, with
        all of these standing still: a witness of that is one of each.
        """
        waiting: dict[int, list[int]] = {}
        for number in numbers:
            waiting.setdefault(self.targets[number].cell, []).append(number)
        for own in waiting.values():
            hint = self.witness[own[0]]
            left = []
            for number in own:
                self._set(number, self._shared(number))
                left += [number] if self.witness[number] is None else []
            found = self._at_once(left, hint) if len(left) > 1 else None
            for number in left:
                if found is not None:
                    self._set(number, found)
                elif not self.proved(number):
                    yield number

    def _at_once(self, numbers: list[int], hint: Witness | None) -> Witness | None:
        """Return a witness that serves for targets of the same cell."""
        targets = [self.targets[number] for number in numbers]
        most = next((t for t in targets if all(t.covers(other) for other in targets)), None)
        if most is None:
            return None
        still = {cell for target in targets for cell in target.still}
        return self._tried(replace(most, still=tuple(sorted(still))), hint)

    def _furthest(self, mover: Mover, target: Target, charge: Floats) -> Witness | None:
        """Return a witness if there is any at all."""
        most = mover.furthest(target.cell, 1.0)
        up, down = target.way(most)
        if not target.met(min(down, float(self.down[target.cell])), up):
            return None
        return self._along(mover, target, (up, down), charge)

    def protect(self, number: int, *, charge: Floats | None = None) -> bool:
        """Suppress the cheapest further cells that make a target safe; False if none do.

        `charge` is used to choose by instead of what cells cost.
        """
        target = self.targets[number]
        charge = np.where(
            self.suppressed, FREE * self.least, self.charge if charge is None else charge
        )
        best: Witness | None = None
        for everywhere in [False, True] if self.parts is not None else [True]:
            if best is None:
                best = self._cheapest(target, charge, everywhere=everywhere)
        if best is None:
            return False
        self.suppress(np.array(sorted(best.cells), dtype=np.int64))
        self._set(number, best)
        return True

    def _cheapest(self, target: Target, charge: Floats, *, everywhere: bool) -> Witness | None:
        choosing = self._chooser(target.cell, everywhere=everywhere)
        still = np.array(target.still, dtype=np.int64)
        choosing.let(still, move=False)
        best: Witness | None = None
        lowest = np.inf
        for way in self._ways(target):
            found = self._along(choosing, target, way, charge)
            if found is not None:
                cells = np.array(sorted(found.cells), dtype=np.int64)
                price = float(charge[cells[~self.suppressed[cells]]].sum())
                if price < lowest:
                    lowest, best = price, found
                if price == 0.0:
                    break
        if best is None:
            best = self._furthest(choosing, target, charge)
        choosing.let(still, move=True)
        return best

    def without(self, cells: Ints) -> bool:
        """Publish cells if every target stays safe; say whether that was so."""
        numbers = self.using(cells)
        if numbers:
            csr, csc = self.sums, self.by_cell
            if determines(
                csr.indptr, csr.indices, csc.indptr, csc.indices,
                self.left, self.total, cells, self.primary,
            ):  # fmt: skip
                return False
        self.publish(cells)
        before = [(n, self.witness[n]) for n in numbers]
        if next(self.unproved(numbers), None) is None:
            return True
        self.suppress(cells)
        for n, witness in before:
            self._set(n, witness)
        return False

    def using(self, cells: Ints) -> list[int]:
        """Return the targets whose witness moves one of these cells."""
        return sorted(set().union(*(self.users[cell] for cell in cells.tolist())))

    def clean(self, order: Ints) -> None:
        """Publish again what is not needed, in this order."""
        for cell in order.tolist():
            if self.suppressed[cell] and not self.primary[cell]:
                self.without(np.array([cell]))

    def state(self) -> tuple[Bools, list[Witness | None]]:
        """Return what `restore` goes back to."""
        return self.suppressed.copy(), list(self.witness)

    def restore(self, state: tuple[Bools, list[Witness | None]]) -> None:
        """Go back to an earlier state."""
        suppressed, witness = state
        self.publish(np.flatnonzero(self.suppressed & ~suppressed))
        self.suppress(np.flatnonzero(suppressed & ~self.suppressed))
        for number, one in enumerate(witness):
            if self.witness[number] is not one:
                self._set(number, one)
