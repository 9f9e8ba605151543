"""Suppress further cells until an attacker stays unsure of every sensitive one, and no more.

A sensitive cell is safe where it can be moved far enough while every published cell stands still.
The cheapest way to move it, where a cell that is suppressed already is charged next to nothing,
says which cells to suppress. The way is kept as a witness: a cell that no witness moves can be
published again at once, and for another one only the sensitive cells whose witness moves it are
looked at anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from indistinct.tables.suppress.moving import Mover, determines

__all__ = ["Pattern", "Target"]

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FREE = 1e-4
"""What moving a suppressed cell is charged, as a share of the cheapest other one: short ways."""

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
    """

    def __init__(
        self,
        sums: sparse.csr_matrix,
        down: Floats,
        up: Floats,
        charge: Floats,
        primary: Bools,
        targets: Iterable[Target],
    ) -> None:
        self.sums = sums.tocsr()
        self.by_cell = sums.tocsc()
        self.down, self.up, self.charge, self.primary = down, up, charge, primary
        self.targets = list(targets)
        self.size = len(charge)
        self.least = float(charge[charge > 0].min()) if (charge > 0).any() else 1.0
        self.choosing = Mover(self.by_cell, np.arange(self.size), down, up)
        self._proving: Mover | None = None
        self._solved = 0
        self.clear()

    def clear(self) -> None:
        """Begin anew, with the primary suppressions alone."""
        self.suppressed = self.primary.copy()
        self.witness: list[Witness | None] = [None] * len(self.targets)
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
        return list(range(before, len(self.targets)))

    @property
    def solved(self) -> int:
        """Linear programmes solved so far."""
        proving = 0 if self._proving is None else self._proving.solved
        return self._solved + self.choosing.solved + proving

    @property
    def secondary(self) -> Ints:
        """The cells suppressed beside the primary ones."""
        return np.flatnonzero(self.suppressed & ~self.primary)

    @property
    def cost(self) -> float:
        """The cost of the secondary suppressions."""
        return float(self.charge[self.secondary].sum())

    def _forget(self) -> None:
        if self._proving is not None:
            self._solved += self._proving.solved
            self._proving = None

    def _prover(self) -> Mover:
        """Return the model of the suppressed cells alone."""
        if self._proving is None:
            cells = np.flatnonzero(self.suppressed)
            self._proving = Mover(self.by_cell, cells, self.down, self.up)
        return self._proving

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
        if self._proving is not None:
            if (self._proving.place[fresh] < 0).any():
                self._forget()
            else:
                self._proving.let(fresh, move=True)

    def publish(self, cells: Ints) -> None:
        """Publish these cells; witnesses that move them hold no longer."""
        self.suppressed[cells] = False
        self._count(cells, -1)
        if self._proving is not None:
            self._proving.let(cells, move=False)

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
            by_one_up = charge / np.clip(self.up, 1e-9, size)
            by_one_down = charge / np.clip(self.down, 1e-9, size)
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
        target, before = self.targets[number], self.witness[number]
        mover = self._prover()
        charge = np.ones(self.size)
        still = np.array(target.still, dtype=np.int64)
        mover.let(still, move=False)
        way = self._ways(target)[0] if before is None else (before.up, before.down)
        found = self._along(mover, target, way, charge)
        if found is None:
            found = self._furthest(mover, target, charge)
        mover.let(still[self.suppressed[still]], move=True)
        if found is not None:
            self._set(number, found)
        return found is not None

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
        still = np.array(target.still, dtype=np.int64)
        self.choosing.let(still, move=False)
        best: Witness | None = None
        lowest = np.inf
        for way in self._ways(target):
            found = self._along(self.choosing, target, way, charge)
            if found is not None:
                cells = np.array(sorted(found.cells), dtype=np.int64)
                price = float(charge[cells[~self.suppressed[cells]]].sum())
                if price < lowest:
                    lowest, best = price, found
                if price == 0.0:
                    break
        if best is None:
            best = self._furthest(self.choosing, target, charge)
        self.choosing.let(still, move=True)
        if best is None:
            return False
        self.suppress(np.array(sorted(best.cells), dtype=np.int64))
        self._set(number, best)
        return True

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
        for number in numbers:
            if not self.proved(number):
                self.suppress(cells)
                for n, witness in before:
                    self._set(n, witness)
                # what failed is the first to look at when another cell is tried
                return False
        return True

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
