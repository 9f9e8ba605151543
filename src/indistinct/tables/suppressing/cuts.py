"""Inequalities that every safe suppression pattern satisfies, found where one is violated.

With y_i saying whether cell i is suppressed, an attacker's largest deviation of cell k is
``max d_k`` subject to ``A d = 0`` and ``-lo_i y_i <= d_i <= hi_i y_i``. For any multipliers γ of
the sums, ``d_k = Σ z_i d_i`` with ``z = e_k - Aᵀγ``, so that protection by u needs

    Σ_i (max(z_i, 0) hi_i + max(-z_i, 0) lo_i) y_i >= u

(Fischetti and Salazar 2001, section 3: capacity constraints). The coefficients hold for any γ, so a
solver's rounding makes no inequality wrong. Those of cells that are suppressed anyway go to the
right-hand side, and no other coefficient need be larger than what is left there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from indistinct.core import Floats, Ints, LinearProgram
from indistinct.tables.suppressing.attack import Needs
from indistinct.tables.suppressing.people import Alone

__all__ = ["Cut", "Separator"]


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
