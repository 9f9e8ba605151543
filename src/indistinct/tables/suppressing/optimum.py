"""The suppression pattern of least cost, proven.

Patterns within one component of a system: adding what is missing, taking what is not needed.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse

from indistinct.core import Bools, Floats, InputError, Ints, progress
from indistinct.results import Fact, Result, facts, result
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing.attack import Audit, Needs, audit, protects, protects_from
from indistinct.tables.suppressing.master import Limits, Master, Separator
from indistinct.tables.suppressing.solver import Component
from indistinct.tables.suppressing.unknowns import Alone, Edge, find_unknowns, people_alone
from indistinct.tables.system import CellSystem

__all__ = ["Optimum", "Pruning", "improve", "optimal_suppression"]

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


# Patterns within one component of a system -------------------------------------------------------


class Pruning:
    """The cells of a component that may be suppressed, and what is required of them.

    Parameters
    ----------
    sums
        The sums among the cells.
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
        self.sums, self.low, self.high = sums, low, high
        self.needs, self.person = needs, person
        self._everything: Component | None = None

    def within(self, cells: Ints, *, sparing: bool) -> tuple[Component, sparse.csr_matrix]:
        """Return the model of some of the cells, the others published, and their sums."""
        sums = sparse.csr_matrix(self.sums[:, cells])
        sums = sums[np.diff(sums.indptr) > 0]
        return Component(sums, self.low[cells], self.high[cells], sparing=sparing), sums

    def unprotected(self, pattern: Bools) -> list[int]:
        """Return the sensitive cells that a pattern does not protect."""
        cells = np.flatnonzero(pattern)
        component, sums = self.within(cells, sparing=False)
        needs, alone = self.needs.of(cells), Alone(sums, self.person[cells])
        return [
            int(cells[k])
            for k in np.flatnonzero(needs.sensitive).tolist()
            if not protects_from(component, needs, k, alone.beside(k))
        ]

    def repaired(self, pattern: Bools, cost: Floats) -> Bools:
        """Return a safe pattern that holds a given one: cells are added until it protects.

        For each sensitive cell that is not protected a solution is looked for that moves it and
        little else, where moving cells that are suppressed already costs nearly nothing.
        """
        pattern = pattern.copy()
        if self._everything is None:
            self._everything = Component(self.sums, self.low, self.high, sparing=True)
        component = self._everything
        price = cost / max(float(cost.max()), 1e-300)
        alone = Alone(self.sums, self.person)
        while missing := self.unprotected(pattern):
            for cell in missing:
                component.spare(np.where(pattern, 1e-3, np.maximum(price, 1e-2)))
                component.forget_all()
                for known in [(), *alone.beside(cell)]:
                    for n in known:
                        component.fix(n)
                    protects(component, self.needs, cell)
                    pattern |= _support(component.moves(), self.needs, cell)
                    for n in known:
                        component.free(n)
        return pattern

    def reduced(self, pattern: Bools, tries: Ints, *, most: int) -> tuple[Bools, int]:
        """Return what is left when cells are published one after another while all holds.

        Also returns how many linear programs were solved, of which there are `most` at most, not
        counting those that find how cells are protected at first.
        """
        cells = np.flatnonzero(pattern)
        component, sums = self.within(cells, sparing=True)
        alone = Alone(sums, self.person[cells])
        task = _Witnesses(component, self.needs.of(cells), alone)
        place = np.full(len(pattern), -1)
        place[cells] = np.arange(len(cells))
        left = pattern.copy()
        for cell in tries.tolist():
            if component.runs >= most:
                break
            if place[cell] >= 0 and task.can_publish(int(place[cell])):
                left[cell] = False
        return left, component.runs


class _Witnesses:
    """Which cells the protection of each sensitive cell moves."""

    def __init__(self, component: Component, needs: Needs, alone: Alone) -> None:
        self.component, self.needs = component, needs
        self._knowing: dict[int, list[tuple[int, ...]]] = {}
        self._users: list[set[int]] = [set() for _ in range(component.size)]
        self._used: dict[int, Ints] = {}
        for cell in np.flatnonzero(needs.sensitive).tolist():
            self._knowing[cell] = []
            if not protects(component, needs, cell):
                continue
            for known in alone.beside(cell):
                # an insider who already gets too near is no reason to keep anything
                if protects_from(component, needs, cell, [known]):
                    self._knowing[cell].append(known)
            self._note(cell)

    def can_publish(self, cell: int) -> bool:
        """Publish a cell if everything holds without it, and say so."""
        component = self.component
        component.fix(cell)
        touched = sorted(self._users[cell])
        if not all(
            protects_from(component, self.needs, one, self._knowing[one]) for one in touched
        ):
            component.free(cell)
            return False
        component.forget()
        for one in touched:
            self._note(one)
        return True

    def _note(self, cell: int) -> None:
        """Note which cells the solutions move that show a cell to be protected."""
        for n in self._used.get(cell, np.zeros(0, dtype=np.int64)).tolist():
            self._users[n].discard(cell)
        moves = self.component.moves()
        used = np.zeros(self.component.size, dtype=np.bool_)
        for known in [(), *self._knowing[cell]]:
            allowed = moves[(moves[:, list(known)] == 0.0).all(axis=1)]
            used |= _support(allowed, self.needs, cell)
        self._used[cell] = np.flatnonzero(used)
        for n in self._used[cell].tolist():
            self._users[n].add(cell)


def _support(moves: Floats, needs: Needs, cell: int) -> Bools:
    """Return the cells moved by solutions, few, that show a cell's requirement to be met.

    All cells, where the solutions that showed it are no longer kept.
    """
    if not len(moves):
        return np.ones(moves.shape[1], dtype=np.bool_)
    column = moves[:, cell]
    size = np.count_nonzero(moves, axis=1).astype(np.float64)
    slack = needs.slack[cell]
    required = max(needs.upper[cell], needs.lower[cell], needs.sliding[cell], 2 * slack)
    if needs.lower[cell] == 0 or needs.upper[cell] == 0:
        alone = (
            column >= required - slack if needs.lower[cell] == 0 else np.zeros(len(column), bool)
        )
        if needs.upper[cell] == 0:
            alone = alone | (column <= slack - required)
        if alone.any():
            return np.asarray(moves[np.where(alone, size, np.inf).argmin()] != 0.0)
    above = np.where(column >= needs.upper[cell] - slack, size, np.inf).argmin()
    below = np.where(column <= slack - needs.lower[cell], size, np.inf).argmin()
    if not needs.met_by(cell, min(0.0, column[below]), max(0.0, column[above])):
        above, below = column.argmax(), column.argmin()
    if not needs.met_by(cell, min(0.0, column[below]), max(0.0, column[above])):
        return np.ones(moves.shape[1], dtype=np.bool_)
    return np.asarray((moves[above] != 0.0) | (moves[below] != 0.0))
