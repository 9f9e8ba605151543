"""Look for a pattern of few suppressions: several starts, then regions chosen anew.

A start protects the sensitive cells one after the other by what is cheapest to suppress in
addition, or takes the cells that elimination leaves and protects what is not safe yet. Both then
publish again what turned out not to be needed. The best is improved by choosing regions of it anew.
All work is bounded by counts, not by time, so that the same tables give the same pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Floats, InputError, Ints, did_you_mean
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing.attack import Needs
from indistinct.tables.suppressing.elimination import eliminate, mutual
from indistinct.tables.suppressing.master import Limits, Master, Separator
from indistinct.tables.suppressing.repair import Pattern, Target
from indistinct.tables.suppressing.unknowns import Alone
from indistinct.tables.system import CellSystem

__all__ = ["Cost", "Insiders", "Plan", "best_pattern", "cell_costs", "charges"]


# People who are alone in a suppressed cell: they know its value, and may subtract it.
#
# An insider must not get too near to a sensitive cell that stands in a sum with one of their own,
# and must not be able to work out any sensitive cell exactly, however far off. Their own cells are
# not protected from them.


class Insiders:
    """The people who are alone in cells of one component, and what is asked because of them.

    Parameters
    ----------
    sums
        The sums among its cells.
    person
        Of every cell of the component who is alone in it, or -1.
    least
        Of every cell, how little movement is enough for it not to be known exactly.
    """

    def __init__(self, sums: sparse.csr_matrix, person: Ints, least: Floats) -> None:
        self.person, self.least = person, least
        self._alone = Alone(sums, person)
        self._asked: set[tuple[int, int]] = set()

    def among(self, sums: sparse.csr_matrix, cells: Ints) -> Insiders:
        """Return those of some of the cells, with the sums among these."""
        return Insiders(sums, self.person[cells], self.least[cells])

    def ask(self, pattern: Pattern) -> bool:
        """Add what the pattern must keep to because of insiders; say whether it does not yet."""
        known = np.flatnonzero((self.person >= 0) & pattern.suppressed)
        if not len(known):
            return False
        plain = {t.cell: t for t in pattern.targets if not t.still}
        cells = np.array(sorted(plain), dtype=np.int64)
        near = [
            replace(plain[cell], still=self._own(who))
            for cell, who in self._fresh(*_beside(pattern, cells, known))
        ]
        classes = mutual(pattern.sums, pattern.suppressed)
        far = [
            Target(cell, 0.0, 0.0, float(self.least[cell]), still=self._own(who))
            for cell, who in self._fresh(*_same(classes, cells, known))
        ]
        return bool(list(pattern.unproved(pattern.add(near + far))))

    def _own(self, who: int) -> tuple[int, ...]:
        return self._alone.own[who]

    def _fresh(self, cells: Ints, known: Ints) -> list[tuple[int, int]]:
        """Return the pairs of a cell and a person that were not asked about before."""
        pairs = set(zip(cells.tolist(), self.person[known].tolist(), strict=True))
        fresh = {(c, who) for c, who in pairs if self.person[c] != who} - self._asked
        self._asked |= fresh
        return sorted(fresh)


def _beside(pattern: Pattern, cells: Ints, known: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of one of the cells and a known cell that stand in a sum."""
    sums = abs(pattern.sums)
    pairs = sparse.coo_matrix(sums[:, cells].T @ sums[:, known])
    return cells[pairs.row], known[pairs.col]


def _same(classes: Ints, cells: Ints, known: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of one of the cells and a known cell of one class."""
    cells, known = cells[classes[cells] >= 0], known[classes[known] >= 0]
    number = int(classes.max(initial=-1)) + 1

    def belonging(some: Ints) -> sparse.csr_matrix:
        entries = (np.ones(len(some)), (np.arange(len(some)), classes[some]))
        return sparse.csr_matrix(entries, shape=(len(some), number))

    pairs = sparse.coo_matrix(belonging(cells) @ belonging(known).T)
    return cells[pairs.row], known[pairs.col]


# What suppressing a cell costs, and which cells one would rather publish.

Cost = Literal["cells", "value", "log", "people"]


def cell_costs(system: CellSystem, sensitive: Sensitive, cost: Cost | Floats) -> Floats:
    """Return what suppressing each cell costs.

    Parameters
    ----------
    cost
        ``cells`` counts cells, ``value`` adds up what they hold, ``log`` the logarithm of one more
        than that, and ``people`` those behind the cells, where the sensitive cells know their
        contributors; or a number for each cell.

    >>> from scipy import sparse
    >>> system = CellSystem(np.array([2.0, 3, 5]), sparse.csr_matrix([[1.0, 1, -1]]))
    >>> sensitive = Sensitive.of_width(np.array([0]), 1.0)
    >>> cell_costs(system, sensitive, "cells"), cell_costs(system, sensitive, "value")
    (array([1., 1., 1.]), array([2., 3., 5.]))
    """
    if not isinstance(cost, str):
        given = np.asarray(cost, dtype=np.float64)
        if given.shape != system.values.shape or not (np.isfinite(given) & (given >= 0)).all():
            raise InputError(
                f"'cost' needs a number of at least 0 for each of the {len(system):,} cells."
            )
        return given
    size = np.abs(system.values)
    if cost == "cells":
        return np.ones(len(system))
    if cost == "value":
        return size
    if cost == "log":
        return np.log1p(size)
    if cost == "people":
        if sensitive.contributors is None:
            raise InputError(
                "cost='people' needs the contributors of the cells. Give them with the sensitive "
                "cells, or use cost='value', which counts people in tables of counts."
            )
        return sensitive.contributors.astype(np.float64)
    raise InputError(f"Unknown cost '{cost}'. {did_you_mean(cost, get_args(Cost))}")


def charges(costs: Floats, primary: Bools) -> Floats:
    """Return costs as the linear programmes take them: around 1, and none next to nothing.

    A solver tells charges apart that differ by less than its tolerance only by chance.
    """
    usual = costs[~primary & (costs > 0)]
    unit = float(np.median(usual)) if len(usual) else 1.0
    charge: Floats = np.clip(costs / unit, 1e-3, 1e3)
    return charge


def publishing_order(costs: Floats, sizes: Floats, primary: Bools) -> Ints:
    """Return the cells that are not primary, those first that one would most like to publish.

    By cost, and of equal costs the larger: totals before their parts.

    >>> publishing_order(np.ones(3), np.array([2.0, 7, 5]), np.array([True, False, False]))
    array([1, 2])
    """
    cells = np.flatnonzero(~primary)
    return cells[np.lexsort((cells, -sizes[cells], -costs[cells]))]


# Choose anew, as well as can be, which cells of a region are suppressed.
#
# All cells outside the region stay as they are, so that the choice is a small integer programme,
# with an inequality for each way in which a choice fails (Fischetti and Salazar 2001). It is
# stopped by
# counts before it takes long; what it has found by then is kept.


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


AT_ONCE = Effort(rounds=60, nodes=150)
"""For all of a small component."""

IN_REGIONS = Effort(rounds=12, nodes=8)
"""For a region, of which many are tried."""

OF_MANY = Effort(rounds=4, nodes=0)
"""For all of one component or part among hundreds."""


class Plan:
    """How much is tried for a component, by its number of cells.

    Parameters
    ----------
    size
        The number of cells.
    improve
        Whether anything is chosen anew.
    exact
        The number of cells up to which all are chosen anew at once.
    components
        How many components there are: of many, less is tried for each.
    """

    def __init__(self, size: int, *, improve: bool, exact: int, components: int) -> None:
        self.at_once = improve and size <= exact and components <= 1_000
        self.effort = AT_ONCE if components <= 20 else IN_REGIONS if components <= 100 else OF_MANY
        self.both = size <= 2_000
        self.eliminates = size <= 20_000
        regions = 0 if self.at_once or not improve else 60_000 // max(size, 1_500)
        self.regions = regions // components


def best_pattern(
    pattern: Pattern, insiders: Insiders, plan: Plan, *, rng: np.random.Generator
) -> int | None:
    """Protect all targets of a pattern with few suppressions; return a cell that nothing protects.

    Parameters
    ----------
    insiders
        Who knows more than what is published, and what must be protected from them.
    plan
        How much is tried.
    """
    best, lowest = None, np.inf
    for eliminating in [True] * plan.eliminates + [False] * (plan.both or not plan.eliminates):
        pattern.clear()
        if eliminating:
            order = publishing_order(pattern.charge, pattern.down, pattern.primary)
            every = np.ones(pattern.size, dtype=np.bool_)
            primary = np.flatnonzero(pattern.primary)
            pattern.suppress(np.flatnonzero(eliminate(pattern.sums, every, primary, order)))
        failed = _completed(pattern, insiders)
        if failed is not None:
            return failed
        if pattern.cost < lowest:
            lowest, best = pattern.cost, pattern.state()
    if best is not None:
        pattern.restore(best)
    if plan.at_once and len(pattern.secondary):
        exchange(pattern, Region.whole(pattern), plan.effort, rng)
    for _ in range(plan.regions):
        if not len(pattern.secondary):
            break
        first = int(rng.choice(pattern.secondary))
        region = Region.around(pattern, first, secondaries=8, candidates=60)
        exchange(pattern, region, IN_REGIONS, rng)
    # a cell that came in may have an insider of its own
    return _completed(pattern, insiders)


def _completed(pattern: Pattern, insiders: Insiders) -> int | None:
    """Protect what is not safe, from insiders as well, and publish what is not needed."""
    while True:
        for number in _order(pattern).tolist():
            if pattern.witness[number] is None and not pattern.protect(number):
                return int(pattern.targets[number].cell)
        cells = pattern.secondary
        pattern.clean(cells[np.lexsort((cells, -pattern.down[cells], -pattern.charge[cells]))])
        if not insiders.ask(pattern):
            return None


def _order(pattern: Pattern) -> Ints:
    """Return the targets in order: what is asked most of first, and what has least room."""
    room = np.array([pattern.down[target.cell] for target in pattern.targets])
    need = np.array([max(t.width, t.up + t.down) for t in pattern.targets])
    return np.lexsort((room, -need)).astype(np.int64)
