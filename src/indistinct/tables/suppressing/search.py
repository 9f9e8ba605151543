"""Look for a pattern of few suppressions: several starts, then regions chosen anew.

A start protects the sensitive cells one after the other by what is cheapest to suppress in
addition, or takes the cells that elimination leaves and protects what is not safe yet. Both then
publish again what turned out not to be needed. The best is improved by choosing regions of it anew.
All work is bounded by counts, not by time, so that the same tables give the same pattern.
"""

from __future__ import annotations

import numpy as np

from indistinct.core import Ints
from indistinct.tables.suppressing.choosing import publishing_order
from indistinct.tables.suppressing.elimination import eliminate
from indistinct.tables.suppressing.exchange import Effort, Region, exchange
from indistinct.tables.suppressing.insiders import Insiders
from indistinct.tables.suppressing.repair import Pattern

__all__ = ["Plan", "best_pattern"]


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
