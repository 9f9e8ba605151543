"""The choice of cells to suppress as an integer program that grows by inequalities.

Inequalities that every safe suppression pattern satisfies, found where one is violated.

With y_i saying whether cell i is suppressed, an attacker's largest deviation of cell k is
``max d_k`` subject to ``A d = 0`` and ``-lo_i y_i <= d_i <= hi_i y_i``. For any multipliers γ of
the sums, ``d_k = Σ z_i d_i`` with ``z = e_k - Aᵀγ``, so that protection by u needs

    Σ_i (max(z_i, 0) hi_i + max(-z_i, 0) lo_i) y_i >= u

(Fischetti and Salazar 2001, section 3: capacity constraints). The coefficients hold for any γ, so a
solver's rounding makes no inequality wrong. Those of cells that are suppressed anyway go to the
right-hand side, and no other coefficient need be larger than what is left there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Floats, Ints, LinearProgram
from indistinct.tables.suppressing.attack import Needs
from indistinct.tables.suppressing.unknowns import Alone

__all__ = ["Cut", "Limits", "Master", "Separator"]

Completing = Callable[[Bools, Floats], Bools]
"""Makes a safe pattern of one that may not be, given how much each cell is wanted."""

TAIL = 6
"""Rounds without a visible gain of the bound after which one branches."""

TRIALS = 50
"""Nodes after which a safe pattern is made of the relaxation again."""

STRONG = 6
"""Cells of which both branches are solved, to choose one."""


@dataclass
class Limits:
    """What may be spent: rounds and nodes, and as a last stop time."""

    rounds: int
    nodes: int
    ends: float

    @property
    def over(self) -> bool:
        """Whether time is up."""
        return time.monotonic() > self.ends


class Master:
    """The least costly pattern that satisfies the inequalities found so far.

    Parameters
    ----------
    separator
        Where the inequalities come from.
    cost
        What suppressing each cell of the component costs.
    """

    def __init__(self, separator: Separator, cost: Floats) -> None:
        self.separator = separator
        self.always = separator.needs.sensitive
        self.cost = cost
        self.bound = 0.0
        self.relaxed = np.where(self.always, 1.0, 0.0)
        self.cuts = 0
        self.nodes = 0
        self.unsettled = False
        self._best = np.ones(len(cost), dtype=np.bool_)
        self._upper = np.ones(len(cost))
        self._known: set[object] = set()
        self._keys: list[object] = []
        self._found: list[Cut] = []
        self._busy: list[int] = list(separator.targets)
        size = separator.size
        # a price for all cells at once, so that the solver's tolerances fit
        self.unit = float(cost[~self.always].max(initial=0.0)) or 1.0
        whole = bool((np.round(cost / self.unit, 9) == np.round(cost / self.unit)).all())
        if not whole and (cost == np.round(cost)).all():
            self.unit, whole = 1.0, True
        self._whole = whole
        self._program = LinearProgram(
            low=self.always.astype(np.float64),
            high=np.ones(size),
            cost=np.where(self.always, 0.0, cost / self.unit),
            simplex=True,
        )
        self._columns = np.arange(size)

    def cost_of(self, pattern: Bools) -> float:
        """Return what the cells cost that a pattern suppresses besides the sensitive ones."""
        return float(self.cost[pattern & ~self.always].sum())

    def tighten(self, limits: Limits) -> None:
        """Add inequalities that fractional patterns violate, while that raises the bound."""
        before, still = 0.0, 0
        for _ in range(limits.rounds):
            if limits.over:
                return
            value = self._run()
            self._raise_bound(value)
            if not self._add(self.relaxed, limits):
                return
            still = still + 1 if value < before + 1e-3 * max(1.0, abs(before)) else 0
            before = max(before, value)
            if still >= TAIL:
                return

    def branch(self, best: Bools, complete: Completing, limits: Limits) -> Bools:
        """Return the cheapest safe pattern, or the best one found when a limit was reached.

        Branch and cut: best bound first, a cell for branching chosen by solving both branches of
        some that are undecided (strong branching). Inequalities are added where a node comes to a
        pattern; to look for them at every node costs more than it gains.
        """
        self._best, self._complete = best, complete
        self._fix_by_price(self._run())
        self._drop_idle()
        waiting: list[tuple[float, int, dict[int, float]]] = [(self.bound / self.unit, 0, {})]
        number = 0
        while waiting:
            bound, _, decided = waiting[0]
            self._raise_bound(bound)
            if self._hopeless(bound):
                break
            if limits.over or self.nodes >= limits.nodes:
                return self._best
            heappop(waiting)
            self.nodes += 1
            for value, child in self._explore(decided, limits):
                number += 1
                heappush(waiting, (max(value, bound), number, child))
        if not self.unsettled:
            self.bound = max(self.bound, self.cost_of(self._best))
        return self._best

    def _explore(
        self, decided: dict[int, float], limits: Limits
    ) -> list[tuple[float, dict[int, float]]]:
        """Return what a node branches into, each with its bound."""
        self._decide(decided)
        while True:
            value = self._run()
            if self._hopeless(value):
                return []
            if limits.over:
                return [(value, decided)]
            open_cells = np.flatnonzero((self.relaxed > 1e-6) & (self.relaxed < 1 - 1e-6))
            if len(open_cells):
                break
            if self._settle(limits):
                return []
        if self.nodes % TRIALS == 1:
            self._offer(self._complete(self.always | (self.relaxed > 1e-6), self.relaxed))
        return self._children(decided, value, open_cells)

    def _settle(self, limits: Limits) -> bool:
        """Look at a pattern: True when no inequality speaks against it."""
        pattern = self.relaxed > 0.5
        if self._add(pattern.astype(np.float64), limits):
            self._offer(self._complete(pattern, pattern.astype(np.float64)))
            return False
        trial = self._complete(pattern, pattern.astype(np.float64))
        self._offer(trial)
        self.unsettled |= self.cost_of(trial) > self.cost_of(pattern) * (1 + 1e-9)
        return True

    def _children(
        self, decided: dict[int, float], value: float, open_cells: Ints
    ) -> list[tuple[float, dict[int, float]]]:
        middle = np.abs(self.relaxed[open_cells] - 0.5) - 0.1 * self.cost[open_cells] / self.unit
        tried = open_cells[np.argsort(middle, kind="stable")][:STRONG].tolist()
        best: list[tuple[float, dict[int, float]]] = []
        most = -1.0
        for cell in tried:
            children = []
            for side in (1.0, 0.0):
                child = {**decided, cell: side}
                self._program.change_one_bound(cell, side, side)
                reached = self._run(keep=False)
                if not self._hopeless(reached):
                    children.append((reached, child))
            self._program.change_one_bound(cell, 0.0, float(self._upper[cell]))
            if len(children) < 2:
                return children
            gains = [max(reached - value, 1e-6) for reached, _ in children]
            if gains[0] * gains[1] > most:
                best, most = children, gains[0] * gains[1]
        return best

    def _decide(self, decided: dict[int, float]) -> None:
        least, most = self.always.astype(np.float64), self._upper.copy()
        for cell, side in decided.items():
            least[cell] = most[cell] = side
        self._program.change_bounds(self._columns, least, most)

    def _run(self, *, keep: bool = True) -> float:
        """Solve the relaxation, and return its value."""
        if self._program.solve() != "solved":
            return np.inf
        if keep:
            self.relaxed = np.clip(self._program.values, 0.0, 1.0)
        return self._program.objective

    def _fix_by_price(self, value: float) -> None:
        """Rule out the cells whose reduced cost is more than can still be gained."""
        prices = self._program.reduced_costs
        left = self.cost_of(self._best) / self.unit - value
        self._upper[(self.relaxed < 1e-9) & (prices > left + 1e-6) & ~self.always] = 0.0

    def _drop_idle(self) -> None:
        """Leave out the inequalities that hold anyway: the programs of all nodes get smaller."""
        idle = np.flatnonzero(np.abs(self._program.prices) < 1e-9)
        self._program.delete_rows(idle)
        for n in idle.tolist():
            self._known.discard(self._keys[n])
        gone = set(idle.tolist())
        self._keys = [key for n, key in enumerate(self._keys) if n not in gone]

    def _hopeless(self, value: float) -> bool:
        """Say whether nothing cheaper than the best pattern can have this bound."""
        if self._whole and np.isfinite(value):
            value = np.ceil(value - 1e-6)
        return value >= self.cost_of(self._best) / self.unit - 1e-7

    def _offer(self, pattern: Bools) -> None:
        if self.cost_of(pattern) < self.cost_of(self._best):
            self._best = pattern

    def _raise_bound(self, value: float) -> None:
        if self._whole and np.isfinite(value):
            value = np.ceil(value - 1e-6)
        if np.isfinite(value):
            self.bound = max(self.bound, value * self.unit)

    def _add(self, chosen: Floats, limits: Limits) -> int:
        """Add inequalities that a pattern violates, and return how many."""
        added = self._add_cheap(chosen)
        busy = self._busy
        for targets in [busy, [k for k in self.separator.targets if k not in set(busy)]]:
            met, already = set(targets), added
            for cell, cut in self.separator.cuts(chosen, targets):
                if limits.over:
                    break
                if self._row(cut.cells, cut.weights, 1.0):
                    self._found.append(cut)
                    added += 1
                    met.discard(cell)
            self._busy = [k for k in targets if k not in met]
            if added > already:
                break
        return added

    def _add_cheap(self, chosen: Floats) -> int:
        """Add those that no attacker has to be asked for."""
        added = 0
        for cell, others in list(self.separator.lonely(chosen)):
            cells, weights = np.append(others, cell), np.append(np.ones(len(others)), -1.0)
            added += self._row(cells, weights, 0.0)
        for cut in self._found:
            better = cut if cut.short(chosen) > VIOLATED else cut.rounded(chosen)
            if better is not None:
                added += self._row(better.cells, better.weights, 1.0)
        return added

    def _row(self, cells: Ints, weights: Floats, least: float) -> bool:
        key = (cells.tobytes(), np.round(weights, 6).tobytes())
        if key in self._known:
            return False
        self._known.add(key)
        self._keys.append(key)
        self._program.add_row(cells, weights, least=least)
        self.cuts += 1
        return True


VIOLATED = 1e-3
"""An inequality ``Σ a y >= 1`` is added where its left side falls short by more than this."""

REACHES = (1.0, 1e6)
"""How far cells are let when looking for an inequality, as multiples of the need."""


@dataclass(frozen=True, eq=False)
class Cut:
    """An inequality: the coefficients of these cells' y add up to at least 1."""

    cells: Ints = field(repr=False)
    weights: Floats = field(repr=False)

    def short(self, chosen: Floats) -> float:
        """Return by how much a pattern, perhaps fractional, misses it."""
        return 1.0 - float(self.weights @ chosen[self.cells])

    def rounded(self, chosen: Floats) -> Cut | None:
        """Return the inequality made stronger by rounding, where a pattern then violates it.

        Mixed-integer rounding: for a divisor δ and f the fraction of 1/δ, the coefficients
        ``⌊a/δ⌋ + min(1, frac(a/δ)/f)`` add up to at least ``⌈1/δ⌉``.
        """
        best, most = None, VIOLATED
        for divisor in np.unique(self.weights[(chosen[self.cells] > 1e-6) & (self.weights < 1.0)]):
            base = 1.0 / float(divisor)
            up = np.ceil(base - 1e-6)
            part = base - (up - 1.0)
            if part < 0.01:
                continue
            ratio = self.weights * base
            whole = np.floor(ratio + 1e-6)
            weights = whole + np.minimum(1.0, np.maximum(ratio - whole, 0.0) / part)
            cut = Cut(self.cells, weights / up)
            if cut.short(chosen) > most:
                best, most = cut, cut.short(chosen)
        return best


class Separator:
    """Finds inequalities that a pattern violates, in one component of a system.

    Parameters
    ----------
    sums
        The sums among the cells that may be suppressed.
    low, high
        Bounds on their deviations.
    needs
        What is required of them.
    person
        Of every cell who is alone in it and knows its value, or -1.
    """

    def __init__(
        self, sums: sparse.csr_matrix, low: Floats, high: Floats, needs: Needs, person: Ints
    ) -> None:
        self.sums = sums
        self.size = len(low)
        self.needs = needs
        # without limit is more than any need: coefficients are made small afterwards
        limit = 1e9 * max(1.0, *(float(n.max()) for n in (needs.upper, needs.lower, needs.sliding)))
        self.lo, self.hi = np.minimum(-low, limit), np.minimum(high, limit)
        self._by_cell = sparse.csr_matrix(sums.T)
        self._bounds: tuple[Floats, Floats] | None = None
        still = np.zeros(self.size)
        self._program = LinearProgram(low=still, high=still, rows=sums, most=True, simplex=True)
        self.targets = np.flatnonzero(needs.sensitive).tolist()
        alone = Alone(sums, person)
        self.knowing = {cell: alone.beside(cell) for cell in self.targets}
        # targets that need the same are handled together: the bounds of the program are the same
        self.targets.sort(key=lambda k: (needs.sliding[k], needs.upper[k], needs.lower[k], k))
        self._all = np.arange(self.size)

    def cuts(self, chosen: Floats, targets: list[int]) -> Iterator[tuple[int, Cut]]:
        """Yield violated inequalities for some of the sensitive cells, each with its cell."""
        for cell in targets:
            knowing = self.knowing[cell]
            together = sorted({n for known in knowing for n in known})
            found = list(self._cuts_of(cell, chosen, together))
            if found and knowing:
                # not protected from all who know together, which nobody asks for; from each?
                found = list(self._cuts_of(cell, chosen, []))
                if not found:
                    for one in knowing:
                        found += self._cuts_of(cell, chosen, list(one))
            for cut in found:
                yield cell, cut

    def _cuts_of(self, cell: int, chosen: Floats, known: list[int]) -> Iterator[Cut]:
        needs = self.needs
        lo, hi = self.lo.copy(), self.hi.copy()
        lo[known] = hi[known] = 0.0
        for need, sign in ((needs.upper[cell], 1.0), (needs.lower[cell], -1.0)):
            if need > needs.slack[cell]:
                for reach in REACHES:
                    value, z = self._reach(cell, sign, lo, hi, need, reach, chosen)
                    cut = self._cut(_capacity(z, lo, hi), need, chosen)
                    if value < 1.0 - VIOLATED and cut is not None:
                        yield cut
                        break
        width = max(needs.sliding[cell], 4 * needs.slack[cell])
        if needs.upper[cell] + needs.lower[cell] >= width:
            return
        for reach in REACHES:
            value, z = self._reach(cell, 1.0, lo + hi, lo + hi, width, reach, chosen)
            cut = self._cut(np.abs(z) * (lo + hi), width, chosen)
            if value < 1.0 - VIOLATED and cut is not None:
                yield cut
                return
        above, z_above = self._reach(cell, 1.0, lo, hi, width, REACHES[-1], chosen)
        if above < 1.0 - VIOLATED:
            below, z_below = self._reach(cell, -1.0, lo, hi, width, REACHES[-1], chosen)
            both = _capacity(z_above, lo, hi) + _capacity(z_below, lo, hi)
            cut = self._cut(both, width, chosen)
            if above + below < 1.0 - VIOLATED and cut is not None:
                yield cut

    def _reach(
        self,
        cell: int,
        sign: float,
        lo: Floats,
        hi: Floats,
        need: float,
        reach: float,
        chosen: Floats,
    ) -> tuple[float, Floats]:
        """Return how far a cell moves, as a part of what is needed, and the multipliers z.

        No cell is let further than `reach`. With a reach of 1, which the inequality with its
        coefficients made small asks for where z is 0, 1 or -1, more are found than the attacker's
        own program has; elsewhere it is a guess, so the inequality is checked.
        """
        least = -np.minimum(lo / need, reach) * chosen
        most = np.minimum(hi / need, reach) * chosen
        before = self._bounds
        if before is None or (before[0] != least).any() or (before[1] != most).any():
            self._program.change_bounds(self._all, least, most)
            self._bounds = (least, most)
        self._program.change_one_cost(cell, sign)
        self._program.solve()
        self._program.change_one_cost(cell, 0.0)
        value = sign * float(self._program.values[cell])
        z = -(self._by_cell @ self._program.prices)
        z[cell] += sign
        z[np.abs(z) < 1e-9] = 0.0
        return value, z

    def _cut(self, weights: Floats, need: float, chosen: Floats) -> Cut | None:
        anyway = self.needs.sensitive
        left = need - float(weights[anyway].sum())
        if left <= 1e-6 * need:
            return None
        weights = np.where(anyway, 0.0, np.minimum(weights / left, 1.0))
        cells = np.flatnonzero(weights > 1e-9)
        cut = Cut(cells, weights[cells])
        return cut if cut.short(chosen) > VIOLATED else None

    def lonely(self, chosen: Floats) -> Iterator[tuple[int, Ints]]:
        """Yield cells that are suppressed more than all others of a sum together, with these.

        A cell alone in a sum is worked out from it, and a pattern of least cost suppresses none
        for nothing: ``y_i <= Σ y_j`` over the others (bridgeless inequalities).
        """
        total = abs(self.sums) @ chosen
        rows = np.repeat(np.arange(self.sums.shape[0]), np.diff(self.sums.indptr))
        cells = self.sums.indices
        short = 2 * chosen[cells] - total[rows] > VIOLATED
        for e in np.flatnonzero(short).tolist():
            row = rows[e]
            all_of = cells[self.sums.indptr[row] : self.sums.indptr[row + 1]]
            yield int(cells[e]), all_of[all_of != cells[e]].astype(np.int64)


def _capacity(z: Floats, lo: Floats, hi: Floats) -> Floats:
    return np.maximum(z, 0.0) * hi + np.maximum(-z, 0.0) * lo
