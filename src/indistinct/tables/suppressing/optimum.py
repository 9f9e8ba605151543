"""The suppression pattern of least cost, proven."""

from __future__ import annotations

import time

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, progress
from indistinct.results import Fact, Result, facts, result
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing.attack import Audit, Needs, audit
from indistinct.tables.suppressing.cuts import Separator
from indistinct.tables.suppressing.master import Limits, Master
from indistinct.tables.suppressing.people import people_alone
from indistinct.tables.suppressing.prune import Pruning
from indistinct.tables.suppressing.unknowns import Edge, find_unknowns
from indistinct.tables.system import CellSystem

__all__ = ["Optimum", "improve", "optimal_suppression"]


# Taking back suppressions that turn out not to be needed.


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
    found = find_unknowns(system, suppressed, lowest=lowest, highest=highest)
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


MOST_SOLVES = 1_000_000
"""Linear programs for taking redundant cells from one pattern."""


@result
class Optimum(Result):
    """A safe suppression pattern, and how far at most it is from the cheapest.

    Parameters
    ----------
    suppressed
        Of every cell whether it is suppressed.
    sensitive
        The number of sensitive cells, which are suppressed in any case.
    cost
        What the suppressed cells cost together.
    lower_bound
        No safe pattern costs less.
    cuts
        Inequalities that were needed.
    """

    suppressed: Bools
    sensitive: int
    cost: float
    lower_bound: float
    cuts: int

    FACTS = facts(
        Fact("cells", lambda found: len(found.suppressed)),
        Fact("suppressed", lambda found: int(found.suppressed.sum())),
        "sensitive",
        "cost",
        "lower_bound",
        Fact("gap", form=".1%"),
        "proven",
        "cuts",
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells are suppressed, and how near that is to the least."""
        word = "proven optimal" if self.proven else f"at most {self.gap:.1%} above the optimum"
        suppressed = int(self.suppressed.sum())
        return f"Optimum({suppressed:,} of {len(self.suppressed):,} cells suppressed, {word})"

    @property
    def gap(self) -> float:
        """How much of the cost is more than any safe pattern is known to need."""
        return (self.cost - self.lower_bound) / self.cost if self.cost > 0 else 0.0

    @property
    def proven(self) -> bool:
        """Whether no safe pattern costs less."""
        return bool(self.gap <= 1e-9)


def optimal_suppression(
    system: CellSystem,
    sensitive: Sensitive,
    *,
    cost: Floats | None = None,
    candidates: Bools | None = None,
    zeros: bool = False,
    lowest: Edge = 0.0,
    highest: Edge = np.inf,
    coalition: bool = True,
    rounds: int = 400,
    nodes: int = 100_000,
    seconds: float = 60.0,
) -> Optimum:
    """Return the cheapest set of cells whose suppression protects all sensitive cells.

    The branch-and-cut idea of Fischetti and Salazar (2001): an integer program over which cells
    are suppressed, with an inequality for each way found in which a pattern fails its attackers.
    Inequalities are first added where fractional patterns violate them, then where patterns do,
    until a pattern violates none. It then is the cheapest. Until then each relaxation gives a
    lower bound, and the cells it uses a safe pattern, from which redundant cells are taken.

    What is returned is always safe (`audit`). Where the search was ended by `rounds` and `nodes`
    it is the same on every machine; ended by `seconds` it need not be.

    Parameters
    ----------
    cost
        What suppressing each cell costs; 1 where not given, so that cells are counted.
    candidates
        The cells that may be suppressed besides the sensitive ones; all where not given.
    zeros
        Whether cells with the value 0 may be suppressed too. They often cannot be: that they are
        zero is known beforehand.
    coalition
        Protect against those who are alone in a suppressed cell, as `audit` does.
    rounds, nodes
        Rounds of adding inequalities, and nodes of each integer program.
    seconds
        Time after which the best pattern found is returned, proven or not.

    >>> from scipy import sparse
    >>> sums = sparse.csr_matrix([[1.0, 1, 1, -1]])
    >>> system = CellSystem(np.array([2.0, 3, 4, 9]), sums)
    >>> optimal_suppression(system, Sensitive.of_width(np.array([0]), 2.0))
    Optimum(2 of 4 cells suppressed, proven optimal)
      cells           4
      suppressed      2
      sensitive       1
      cost            2
      lower bound     2
      gap          0.0%
      proven        yes
      cuts            2
    """
    weights = costs_of(system, cost)
    allowed = np.ones(len(system), dtype=np.bool_) if candidates is None else candidates.copy()
    if not zeros:
        allowed &= system.values != 0.0
    allowed[sensitive.cells] = True
    possible = audit(
        system, allowed, sensitive, lowest=lowest, highest=highest, coalition=coalition
    )
    if not possible.safe:
        raise InputError(_impossible(possible, zeros=zeros, restricted=candidates is not None))
    found = find_unknowns(system, allowed, lowest=lowest, highest=highest)
    needs = Needs.among(found, sensitive, system)
    everybody = people_alone(system.relations, sensitive.contributors if coalition else None)
    person = everybody[found.cells]
    limits = Limits(rounds, nodes, time.monotonic() + seconds)
    suppressed = np.zeros(len(system), dtype=np.bool_)
    suppressed[sensitive.cells] = True
    bound, cuts = float(weights[sensitive.cells].sum()), 0
    guarded = np.unique(found.component[needs.sensitive]).tolist()
    for number in progress.each(guarded, "looking for the optimum", unit="components"):
        members = found.members(number)
        cells = found.cells[members]
        optional = ~needs.sensitive[members]
        if found.exact[number]:
            # all cells move together: without one of them none is protected
            suppressed[cells] = True
            bound += float(weights[cells][optional].sum())
            continue
        sums, low, high = found.sums_within(number), found.low[members], found.high[members]
        own = (sums, low, high, needs.of(members), person[members])
        master = Master(Separator(*own), weights[cells])
        best = _search(master, Pruning(*own), limits)
        suppressed[cells] = best
        bound += min(master.bound, float(weights[cells][best & optional].sum()))
        cuts += master.cuts
    total = float(weights[suppressed].sum())
    return Optimum(suppressed, len(sensitive), total, min(bound, total), cuts)


def _search(master: Master, pruning: Pruning, limits: Limits) -> Bools:
    """Return the best pattern found in one component; the master knows the bound."""

    def completed(pattern: Bools, wanted: Floats) -> Bools:
        safe = pruning.repaired(pattern, master.cost)
        # first those that the relaxation wants least, or those that cost most for it
        orders = (
            np.lexsort((np.arange(len(wanted)), -master.cost, np.round(wanted, 6))),
            np.argsort(-master.cost * (1.0 - wanted), kind="stable"),
        )
        found = []
        for order in orders:
            tries = order[safe[order] & ~master.always[order]]
            found.append(pruning.reduced(safe, tries, most=MOST_SOLVES)[0])
        return min(found, key=master.cost_of)

    master.tighten(limits)
    best = completed(master.always | (master.relaxed > 1e-6), master.relaxed)
    return master.branch(best, completed, limits)


def _impossible(possible: Audit, *, zeros: bool, restricted: bool) -> str:
    """Say that no pattern is safe, and what would help."""
    helps = [
        *([] if zeros else ["let cells with the value 0 be suppressed (zeros)"]),
        *(["allow more candidates"] if restricted else []),
        *(
            ["do not ask for protection from insiders (coalition)"]
            if possible.insider.any()
            else []
        ),
        "ask for narrower intervals",
        "publish fewer sums or coarser categories",
    ]
    first = possible.system.name(int(possible.unsafe[0]))
    return (
        "No suppression pattern can be safe: with all cells suppressed that may be, "
        f"{len(possible.unsafe):,} sensitive cells are still not protected, {first} the first. "
        f"What would help: {'; '.join(helps)}."
    )
