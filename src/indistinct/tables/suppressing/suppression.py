"""Suppress sensitive cells of tables, and as few others as keep them from being worked out."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from indistinct.core import Bools, Floats, GuaranteeError, InputError, Ints, Seed, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing.attack import Audit, audit
from indistinct.tables.suppressing.elimination import determined
from indistinct.tables.suppressing.parts import Parts, parts_of
from indistinct.tables.suppressing.repair import Pattern, Target
from indistinct.tables.suppressing.search import (
    Cost,
    Insiders,
    Plan,
    best_pattern,
    cell_costs,
    charges,
)
from indistinct.tables.suppressing.unknowns import Edge, Unknowns, find_unknowns, people_alone
from indistinct.tables.system import CellSystem

__all__ = ["Suppression", "suppress"]


# Protect a large component part by part, then mend what the sums between the parts still tell.

SOLVES = 2_000
"""Linear programmes for publishing again what is not needed: a limit that no machine changes."""


def pattern_by_parts(
    pattern: Pattern,
    insiders: Insiders,
    parts: Parts,
    *,
    improve: bool,
    exact: int,
    seed: int,
) -> int | None:
    """Protect all targets of a large pattern; return a cell that nothing protects.

    Each part is chosen by itself, against an attacker who has only the sums within it. With all
    sums some targets are then open, and are protected by what is cheapest in addition.
    """
    asked: dict[int, list[int]] = {}
    for number, target in enumerate(pattern.targets):
        asked.setdefault(parts.of(target.cell), []).append(number)
    start = pattern.primary.copy()
    solved = 0
    for part in progress.each(sorted(asked), "suppressing", unit="parts"):
        cells = parts.cells(part)
        place = dict(zip(cells.tolist(), range(len(cells)), strict=True))
        targets = [pattern.targets[number] for number in asked[part]]
        sums = parts.sums(part)
        own = Pattern(
            sums,
            pattern.down[cells],
            pattern.up[cells],
            pattern.charge[cells],
            pattern.primary[cells],
            [replace(target, cell=place[target.cell]) for target in targets],
        )
        plan = Plan(own.size, improve=improve, exact=exact, components=len(asked))
        rng = np.random.default_rng([seed, int(cells[0])])
        failed = best_pattern(own, insiders.among(sums, cells), plan, rng=rng)
        if failed is not None:
            return int(cells[failed])
        start[cells] |= own.suppressed
        solved += own.solved
    pattern.clear()
    pattern.suppress(np.flatnonzero(start))
    failed = _mended(pattern, insiders, parts)
    pattern.count(solved)
    return failed


def _mended(pattern: Pattern, insiders: Insiders, parts: Parts) -> int | None:
    """Protect what is not safe with all sums, and publish what is then not needed."""
    while True:
        open_ones = [n for n, witness in enumerate(pattern.witness) if witness is None]
        failed = list(pattern.unproved(open_ones))
        for number in sorted(failed, key=lambda n: _rank(pattern, parts, n)):
            if pattern.witness[number] is None and not pattern.protect(number):
                return int(pattern.targets[number].cell)
        if not insiders.ask(pattern):
            break
    most = pattern.solved + SOLVES
    cells = pattern.secondary
    # what few targets use is soon tried, and oftenest not needed
    users = np.array([len(pattern.users[cell]) for cell in cells.tolist()], dtype=np.int64)
    for cell in cells[np.lexsort((cells, -pattern.charge[cells], users))].tolist():
        if pattern.solved > most:
            break
        pattern.clean(np.array([cell]))
    unused = [cell for cell in pattern.secondary.tolist() if not pattern.users[cell]]
    pattern.clean(np.array(unused, dtype=np.int64))
    return None


def _rank(pattern: Pattern, parts: Parts, number: int) -> tuple[int, float, int]:
    """Order targets by part, so that one model serves many, and by what is asked of them."""
    target = pattern.targets[number]
    return parts.of(target.cell), -max(target.width, target.up + target.down), number


LARGE = 1_500
"""Cells of a component above which it is protected part by part, if it falls into parts."""

LEAST = 1e-4
"""How far a cell must be able to move, as a share of its value, where nothing more is asked."""


@result
class Suppression(Result):
    """Which cells of a system are suppressed, and the audit which says that it is safe.

    Parameters
    ----------
    system, sensitive
        What was protected.
    suppressed
        Of every cell whether it is suppressed.
    cost
        What the suppressed cells cost together, in the unit asked for.
    unit
        What was counted: cells, value, log, people or given.
    audit
        The attacker's intervals for the sensitive cells.
    rounds
        Linear programmes that were solved to find the pattern.
    """

    system: CellSystem
    sensitive: Sensitive
    suppressed: Bools
    cost: float
    unit: str
    audit: Audit
    rounds: int

    FACTS = facts(
        Fact("cells", lambda found: len(found.system)),
        Fact("primary", lambda found: int(found.primary.sum())),
        Fact("secondary", lambda found: int(found.secondary.sum())),
        Fact("suppressed", lambda found: int(found.suppressed.sum())),
        Fact(
            "share",
            lambda found: float(found.suppressed.mean()) if len(found.system) else 0.0,
            form=".1%",
        ),
        "cost",
        "unit",
        Fact("safe", "audit.safe"),
        Fact("narrowest", lambda found: found.audit.to_dict()["narrowest"]),
        "rounds",
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many cells are suppressed, and whether that is enough."""
        word = "safe" if self.audit.safe else "NOT safe"
        return f"Suppression({int(self.suppressed.sum()):,} of {len(self.system):,} cells, {word})"

    @cached_property
    def primary(self) -> Bools:
        """Of every cell whether it is suppressed for its own sake."""
        primary = np.zeros(len(self.system), dtype=np.bool_)
        primary[self.sensitive.cells] = True
        return primary

    @property
    def secondary(self) -> Bools:
        """Of every cell whether it is suppressed for the sake of others."""
        return self.suppressed & ~self.primary

    @property
    def published(self) -> Floats:
        """The values, with NaN for what is suppressed."""
        return np.where(self.suppressed, np.nan, self.system.values)

    def _row_tables(self) -> list[Table]:
        rows = [
            (name, int(np.prod(place.shape)), *self._counts(place))
            for name, place in self.system.places.items()
        ]
        headings = ("table", "cells", "primary", "secondary")
        return [Table("Suppressed cells by table", headings, rows)] if rows else []

    def _counts(self, place: Ints) -> tuple[int, int]:
        cells = place[place >= 0]
        return int(self.primary[cells].sum()), int(self.secondary[cells].sum())

    def plot(self) -> str:
        """Return a figure: how many cells are published and suppressed."""
        found = self.to_dict()
        published = found["cells"] - found["suppressed"]
        labels = ["published", "primary", "secondary"]
        return bars("Cells", labels, [published, found["primary"], found["secondary"]])


def suppress(
    system: CellSystem,
    sensitive: Sensitive,
    *,
    cost: Cost | Floats = "cells",
    zeros: bool = False,
    forbidden: Bools | None = None,
    lowest: Edge = 0.0,
    highest: Edge = np.inf,
    seed: Seed = 0,
    improve: bool = True,
    exact: int = 400,
) -> Suppression:
    """Suppress the sensitive cells, and others until no attacker gets too near to one.

    What is returned has passed an audit by linear programmes and a check by elimination. Components
    of the system that share no sum are treated one by one.

    Parameters
    ----------
    cost
        What is to be kept small: the number of ``cells``, their ``value`` or its ``log``, the
        ``people`` behind them, or a cost for every cell.
    zeros
        Whether cells with the value 0 may be suppressed. That they are empty is often known
        beforehand, and then suppressing them protects nothing.
    forbidden
        Of every cell whether it must be published.
    lowest, highest
        What everybody knows of the cells beforehand: one bound, or one for each cell.
    improve
        Whether the first safe pattern is improved by choosing parts of it anew.
    exact
        Cells that may be suppressed in a component, up to which all of it is chosen at once.

    >>> from scipy import sparse
    >>> sums = sparse.csr_matrix([[1.0, 1, 1, -1]])
    >>> system = CellSystem(np.array([2.0, 3, 4, 9]), sums)
    >>> suppress(system, Sensitive.of_width(np.array([0]), 3.0))
    Suppression(2 of 4 cells, safe)
      cells           4
      primary         1
      secondary       1
      suppressed      2
      share       50.0%
      cost            2
      unit        cells
      safe          yes
      narrowest       3
      rounds          5
    """
    costs = cell_costs(system, sensitive, cost)
    primary = np.zeros(len(system), dtype=np.bool_)
    primary[sensitive.cells] = True
    movable = primary | (np.ones(len(system), dtype=np.bool_) if zeros else system.values != 0)
    if forbidden is not None:
        kept = np.asarray(forbidden, dtype=np.bool_)
        if kept.shape != primary.shape:
            raise InputError(
                f"'forbidden' must say of each of the {len(system):,} cells whether it must be "
                f"published. Got {len(kept):,}."
            )
        if (kept & primary).any():
            first = system.name(int((kept & primary).argmax()))
            raise InputError(
                f"{int((kept & primary).sum()):,} cells are sensitive and must be published, "
                f"{first} the first. Take them from 'forbidden'."
            )
        movable &= ~kept
    found = find_unknowns(system, movable, lowest=lowest, highest=highest)
    told = sensitive.cells[_hopeless(system, sensitive, found, movable)]
    if len(told):
        raise _impossible(system, int(told[0]), zeros=zeros, forbidden=forbidden)
    person = people_alone(system.relations, sensitive.contributors)
    suppressed = primary.copy()
    solved = 0
    parts = np.unique(found.component[found.place[sensitive.cells]]).tolist()
    for part in progress.each(parts, "suppressing", unit="components"):
        cells, pattern, insiders = _component(
            system, sensitive, found, part, costs, person, primary
        )
        split = pattern.parts
        if split is None:
            rng = np.random.default_rng([seed, int(cells[0])])
            plan = Plan(pattern.size, improve=improve, exact=exact, components=len(parts))
            failed = best_pattern(pattern, insiders, plan, rng=rng)
        else:
            failed = pattern_by_parts(
                pattern, insiders, split, improve=improve, exact=exact, seed=seed
            )
        if failed is not None:
            raise _impossible(system, int(cells[failed]), zeros=zeros, forbidden=forbidden)
        suppressed[cells] = pattern.suppressed
        solved += pattern.solved
    result = audit(system, suppressed, sensitive, lowest=lowest, highest=highest)
    told = sensitive.cells[determined(system.relations, suppressed)[sensitive.cells]]
    for cells in (result.unsafe, told):
        if len(cells):
            raise GuaranteeError(
                "The audit does not confirm the pattern that was found: "
                f"{system.name(int(cells[0]))} may be worked out. Nothing is released. Ask for "
                "intervals a little wider or narrower, or publish fewer sums."
            )
    unit = cost if isinstance(cost, str) else "given"
    total = float(costs[suppressed].sum())
    return Suppression(system, sensitive, suppressed, total, unit, result, solved)


def _hopeless(system: CellSystem, sensitive: Sensitive, found: Unknowns, movable: Bools) -> Bools:
    """Say of sensitive cells whether bounds or elimination alone show that nothing helps them."""
    places = found.place[sensitive.cells]
    hopeless = (places < 0) | determined(system.relations, movable)[sensitive.cells]
    values = system.values[sensitive.cells]
    inside = np.maximum(places, 0)
    if len(found.cells):
        low, high = values + found.low[inside], values + found.high[inside]
        hopeless |= ~sensitive.holds(values, low, high)
    return hopeless


def _component(
    system: CellSystem,
    sensitive: Sensitive,
    found: Unknowns,
    part: int,
    costs: Floats,
    person: Ints,
    primary: Bools,
) -> tuple[Ints, Pattern, Insiders]:
    """Return the cells of a component, and its pattern of primary suppressions."""
    members = found.members(part)
    cells = found.cells[members]
    inside = np.isin(sensitive.cells, cells)
    places = found.place[sensitive.cells[inside]] - members[0]
    size = np.maximum(1.0, np.abs(system.values[cells]))
    needs = np.maximum(sensitive.sliding, sensitive.lower + sensitive.upper)[inside]
    needs = np.maximum(needs, LEAST * size[places])
    # amounts around 1 suit the solver's tolerances
    unit = 2.0 ** np.round(np.log2(max(1.0, float(np.median(needs)))))
    targets = [
        Target(int(cell), lower / unit, upper / unit, width / unit)
        for cell, lower, upper, width in zip(
            places, sensitive.lower[inside], sensitive.upper[inside], needs, strict=True
        )
    ]
    sums = found.sums_within(part)
    pattern = Pattern(
        sums,
        -found.low[members] / unit,
        found.high[members] / unit,
        charges(costs[cells], primary[cells]),
        primary[cells],
        targets,
        parts=parts_of(system, cells, sums) if len(cells) > LARGE else None,
    )
    return cells, pattern, Insiders(sums, person[cells], LEAST * size / unit)


def _impossible(
    system: CellSystem, cell: int, *, zeros: bool, forbidden: Bools | None
) -> GuaranteeError:
    helps = [
        *([] if zeros else ["let cells with the value 0 be suppressed (zeros=True)"]),
        *([] if forbidden is None else ["let more cells be suppressed (forbidden)"]),
        "ask for narrower intervals",
        "publish fewer sums or coarser categories",
    ]
    return GuaranteeError(
        f"No suppression can protect {system.name(cell)}: with every cell suppressed that may be, "
        f"its interval is still too narrow. What would help: {'; '.join(helps)}."
    )
