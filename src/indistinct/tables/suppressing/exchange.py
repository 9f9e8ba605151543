"""Choose anew, as well as can be, which cells of a region are suppressed.

All cells outside the region stay as they are, so that the choice is a small integer programme, with
an inequality for each way in which a choice fails (Fischetti and Salazar 2001). It is stopped by
counts before it takes long; what it has found by then is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Floats, Ints
from indistinct.tables.suppressing.attack import Needs
from indistinct.tables.suppressing.cuts import Separator
from indistinct.tables.suppressing.master import Limits, Master
from indistinct.tables.suppressing.repair import Pattern

__all__ = ["Effort", "Region", "exchange"]


@dataclass(frozen=True)
class Effort:
    """Rounds of adding inequalities, and nodes of the search."""

    rounds: int
    nodes: int


@dataclass(frozen=True, eq=False)
class Region:
    """Cells to choose from, cells that stay suppressed, and the targets that depend on them."""

    free: Ints
    kept: Ints
    numbers: list[int]

    @classmethod
    def whole(cls, pattern: Pattern) -> Region:
        """Return the region of all cells."""
        free, kept = np.flatnonzero(~pattern.primary), np.flatnonzero(pattern.primary)
        return cls(free, kept, list(range(len(pattern.targets))))

    @classmethod
    def around(cls, pattern: Pattern, first: int, *, secondaries: int, candidates: int) -> Region:
        """Return a region around a secondary cell, grown along the witnesses."""
        optional = pattern.suppressed & ~pattern.primary
        freed, waiting = {first}, [first]
        while waiting and len(freed) < secondaries:
            for number in sorted(pattern.users[waiting.pop(0)]):
                fresh = [c for c in sorted(_moved(pattern, number)) if optional[c]]
                fresh = [c for c in fresh if c not in freed][: secondaries - len(freed)]
                waiting += fresh
                freed.update(fresh)
        numbers = pattern.using(np.array(sorted(freed)))
        touched = np.zeros(pattern.size)
        touched[sorted({pattern.targets[n].cell for n in numbers} | freed)] = 1.0
        sums = abs(pattern.sums)
        # in how many sums each cell stands with cells of the region
        beside = sums.T @ (sums @ touched > 0).astype(np.float64)
        fresh_cells = np.flatnonzero(~pattern.suppressed & (beside > 1))
        rank = np.lexsort((fresh_cells, pattern.charge[fresh_cells], -beside[fresh_cells]))
        free = np.concatenate([sorted(freed), fresh_cells[rank][:candidates]]).astype(np.int64)
        touched[free] = 1.0
        kept = pattern.suppressed & (sums.T @ (sums @ touched > 0) > 0)
        kept[sorted({c for n in numbers for c in _moved(pattern, n)})] = True
        kept[free] = False
        return cls(free, _unknown(sums, free, kept), numbers)


def _unknown(sums: sparse.csr_matrix, free: Ints, kept: Bools) -> Ints:
    """Return the kept cells without those that are alone in a sum: others of it are outside."""
    kept = kept.copy()
    optional = np.zeros(len(kept))
    optional[free] = 1.0
    while True:
        alone = (sums @ (kept + optional)) == 1.0
        told = kept & ((sums.T @ alone.astype(np.float64)) > 0)
        if not told.any():
            return np.flatnonzero(kept)
        kept &= ~told


def _moved(pattern: Pattern, number: int) -> frozenset[int]:
    witness = pattern.witness[number]
    return frozenset() if witness is None else witness.cells


def exchange(pattern: Pattern, region: Region, effort: Effort, rng: np.random.Generator) -> None:
    """Choose anew in a region. The pattern afterwards is safe, and costs no more than before."""
    master = _master(pattern, region)
    size = len(region.free)
    limits = Limits(effort.rounds, effort.nodes, np.inf)

    def completed(guess: Bools, wanted: Floats) -> Bools:
        found = master.always.copy()
        found[:size] = _adopted(pattern, region, guess[:size], wanted[:size], rng)
        return found

    master.tighten(limits)
    best = completed(master.always | (master.relaxed > 1e-6), master.relaxed)
    master.branch(best, completed, limits)


def _master(pattern: Pattern, region: Region) -> Master:
    cells = np.concatenate([region.free, region.kept])
    sums = sparse.csr_matrix(pattern.by_cell[:, cells])
    sums = sums[np.diff(sums.indptr) > 0]
    place = {cell: n for n, cell in enumerate(cells.tolist())}
    always = np.zeros(len(cells), dtype=np.bool_)
    always[len(region.free) :] = True
    lower, upper, sliding = (np.zeros(len(cells)) for _ in range(3))
    knowing: dict[int, list[tuple[int, ...]]] = {}
    for number in region.numbers:
        target = pattern.targets[number]
        at = place[target.cell]
        lower[at] = max(lower[at], target.down)
        upper[at] = max(upper[at], target.up)
        sliding[at] = max(sliding[at], target.width)
        known = tuple(place[one] for one in target.still if one in place)
        knowing.setdefault(at, []).extend([known] if known else [])
    needs = Needs(always, lower, upper, sliding, np.full(len(cells), 1e-6))
    nobody = np.full(len(cells), -1, dtype=np.int64)
    separator = Separator(sums, -pattern.down[cells], pattern.up[cells], needs, nobody)
    separator.targets, separator.knowing = sorted(knowing), knowing
    return Master(separator, pattern.charge[cells])


def _adopted(
    pattern: Pattern, region: Region, guess: Bools, wanted: Floats, rng: np.random.Generator
) -> Bools:
    """Take over a guess for a region, mend and clean it; return a choice that is safe.

    The pattern is left as it was if it would become dearer.
    """
    before, cost = pattern.state(), pattern.cost
    now = pattern.suppressed[region.free]
    gone = region.free[now & ~guess]
    numbers = pattern.using(gone)
    pattern.publish(gone)
    pattern.suppress(region.free[guess & ~now])
    for number in numbers:
        pattern.forget(number)
    # what the relaxation wants is cheap, and what is outside the region dear
    charge = 1e3 * pattern.charge
    charge[region.free] = pattern.charge[region.free] * (1.0 - 0.9 * np.clip(wanted, 0.0, 1.0))
    for number in rng.permutation(np.array(numbers, dtype=np.int64)).tolist():
        if not pattern.proved(number) and not pattern.protect(number, charge=charge):
            pattern.restore(before)
            return np.ones(len(region.free), dtype=np.bool_)
    tried = np.lexsort((region.free, -pattern.charge[region.free], np.round(wanted, 6)))
    pattern.clean(region.free[tried])
    chosen: Bools = pattern.suppressed[region.free].copy()
    outside = np.ones(pattern.size, dtype=np.bool_)
    outside[region.free] = False
    if (pattern.suppressed[outside] & ~before[0][outside]).any():
        chosen[:] = True
    if pattern.cost > cost + 1e-9 * max(1.0, cost):
        pattern.restore(before)
    return chosen
