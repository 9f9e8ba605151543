"""Taking back suppressions that turn out not to be needed."""

from __future__ import annotations

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, progress
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing.attack import Needs
from indistinct.tables.suppressing.people import people_alone
from indistinct.tables.suppressing.prune import Pruning
from indistinct.tables.suppressing.unknowns import Edge, unknowns
from indistinct.tables.system import CellSystem

__all__ = ["costs_of", "improve"]


def improve(
    system: CellSystem,
    sensitive: Sensitive,
    suppressed: Bools,
    *,
    cost: Floats | None = None,
    lowest: Edge = 0.0,
    highest: Edge = np.inf,
    coalition: bool = True,
    order: Ints | None = None,
    most: int = 1_000_000,
) -> Bools:
    """Publish suppressed cells again, the dearest first, as long as all requirements hold.

    Nothing is taken for granted of the pattern: a sensitive cell that was protected stays
    protected, and one that was not is left as it is. What is returned is minimal: no single cell
    more could be published, unless `most` ended the search.

    A cell is tried by asking for tables which agree with everything published and leave that cell
    at its true value. For every sensitive cell the cells that its protection moves are known, and
    only those whose protection moves the cell in question are looked at again.

    Parameters
    ----------
    cost
        What suppressing each cell costs; 1 where not given.
    coalition
        Protect against those who are alone in a suppressed cell, as `audit` does.
    order
        The cells to try, in this order, instead of all the dearest first.
    most
        Linear programs to solve at most: a limit on work that does not depend on the machine.

    >>> from scipy import sparse
    >>> sums = sparse.csr_matrix([[1.0, 1, 1, -1]])
    >>> system = CellSystem(np.array([2.0, 3, 4, 9]), sums)
    >>> pattern = np.array([True, True, True, False])
    >>> improve(system, Sensitive.of_width(np.array([0]), 2.0), pattern).tolist()
    [True, False, True, False]
    """
    weights = costs_of(system, cost)
    found = unknowns(system, suppressed, lowest=lowest, highest=highest)
    needs = Needs.among(found, sensitive, system)
    kept = np.zeros(len(system), dtype=np.bool_)
    kept[sensitive.cells] = np.asarray(suppressed, dtype=np.bool_)[sensitive.cells]
    everybody = people_alone(system.relations, sensitive.contributors if coalition else None)
    person = everybody[found.cells]
    rank = -weights
    tried = np.ones(len(system), dtype=np.bool_)
    if order is not None:
        rank = np.full(len(system), np.inf)
        rank[order] = np.arange(len(order))
        tried = np.isfinite(rank)
        kept |= np.asarray(suppressed, dtype=np.bool_) & ~tried
    left = most
    guarded = np.unique(found.component[needs.sensitive]).tolist()
    for number in progress.each(guarded, "taking suppressions back", unit="components"):
        members = found.members(number)
        cells = found.cells[members]
        kept[cells] = True
        if found.exact[number] or left <= 0:
            # all cells move together: to publish one is to publish all
            continue
        optional = np.flatnonzero(~needs.sensitive[members] & tried[cells])
        tries = optional[np.argsort(rank[cells[optional]], kind="stable")]
        task = Pruning(
            found.sums_within(number),
            found.low[members],
            found.high[members],
            needs.of(members),
            person[members],
        )
        kept[cells], runs = task.reduced(np.ones(len(cells), dtype=np.bool_), tries, most=left)
        left -= runs
    return kept


def costs_of(system: CellSystem, cost: Floats | None) -> Floats:
    """Return what suppressing each cell costs, checked."""
    if cost is None:
        return np.ones(len(system))
    weights = np.asarray(cost, dtype=np.float64)
    if weights.shape != system.values.shape or not (weights >= 0).all():
        raise InputError(f"'cost' needs a number of at least 0 for each of {len(system):,} cells.")
    return weights
