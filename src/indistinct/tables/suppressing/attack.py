"""What an attacker can work out about suppressed cells from everything that is published.

The attacker knows the published cells, all sums and bounds that everybody knows (counts are not
negative). For a suppressed cell this leaves the interval between the smallest and the largest
value it takes in any table that agrees with all of it: two linear programs (Fischetti and Salazar
2001, section 2; the "audit" of Hundepool et al. 2012, section 4.3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from indistinct.core import Bools, Floats, Ints, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.suppressing.solver import Component
from indistinct.tables.suppressing.unknowns import (
    Alone,
    Edge,
    Unknowns,
    find_unknowns,
    people_alone,
)
from indistinct.tables.system import CellSystem

__all__ = ["Audit", "attacker_intervals", "audit"]


MOST_PUSHES = 12
"""Solves that move many cells of a component at once, before those for single cells."""


@result
class Audit(Result):
    """Whether suppressed cells are protected.

    Parameters
    ----------
    system, sensitive
        What was audited.
    suppressed
        The number of suppressed cells.
    low, high
        For every sensitive cell values that an attacker cannot rule out; the smallest and the
        largest of them where `exact`.
    exact
        Whether `low` and `high` are the exact ends of the intervals. Otherwise they were followed
        as far as the requirement only, and the true interval may be wider where it is met.
    holds
        For every sensitive cell whether it is protected, from outsiders and from insiders.
    insider
        For every sensitive cell whether somebody who is alone in a suppressed cell of a sum they
        share gets too near to it.
    wasted
        Other suppressed cells whose value can be worked out exactly: suppressing them is in vain.
    """

    system: CellSystem
    sensitive: Sensitive
    suppressed: int
    low: Floats
    high: Floats
    exact: bool
    holds: Bools
    insider: Bools
    wasted: int

    FACTS = facts(
        "safe",
        Fact("cells", lambda found: len(found.system)),
        "suppressed",
        Fact("sensitive", lambda found: len(found.sensitive)),
        Fact("unprotected", lambda found: int((~found.holds).sum())),
        Fact("exactly_disclosed", "disclosed"),
        Fact("open_to_insiders", lambda found: int(found.insider.sum())),
        Fact(
            "narrowest",
            lambda found: found.narrowest if np.isfinite(found.narrowest) else None,
            form=".4g",
        ),
        "exact",
        "wasted",
        shown=True,
    )

    def sentence(self) -> str:
        """Say whether every sensitive cell is protected."""
        verdict = "safe" if self.safe else "NOT safe"
        return (
            f"Audit({verdict}: {len(self.sensitive):,} sensitive cells, {self.suppressed:,} "
            f"suppressed of {len(self.system):,})"
        )

    @property
    def safe(self) -> bool:
        """Whether every sensitive cell is protected."""
        return bool(self.holds.all())

    @property
    def unsafe(self) -> Ints:
        """The sensitive cells that are not protected, as positions in the system."""
        found: Ints = self.sensitive.cells[~self.holds]
        return found

    @property
    def width(self) -> Floats:
        """The width of each sensitive cell's interval."""
        width: Floats = self.high - self.low
        return width

    @property
    def disclosed(self) -> int:
        """The sensitive cells whose value can be worked out exactly."""
        return int((self.width <= 1e-6 * np.maximum(1.0, np.abs(self._values))).sum())

    @property
    def narrowest(self) -> float:
        """The narrowest interval in relation to its cell's value (to 1, if that is less)."""
        relative = self.width / np.maximum(1.0, np.abs(self._values))
        return float(relative.min(initial=np.inf))

    @property
    def _values(self) -> Floats:
        values: Floats = self.system.values[self.sensitive.cells]
        return values

    def _row_tables(self) -> list[Table]:
        rows = [
            (
                self.system.name(int(self.sensitive.cells[n])),
                float(self._values[n]),
                float(self.low[n]),
                float(self.high[n]),
                bool(self.insider[n]),
            )
            for n in np.flatnonzero(~self.holds).tolist()
        ]
        headings = ("cell", "value", "from", "to", "insider")
        return [
            Table("Sensitive cells that are not protected", headings, rows),
        ]

    def plot(self) -> str:
        """Return a figure: how wide the intervals are, in relation to what is required."""
        required = np.maximum(self.sensitive.lower + self.sensitive.upper, self.sensitive.sliding)
        ratio = self.width / np.maximum(required, 1e-6 * np.maximum(1.0, np.abs(self._values)))
        # a solver's last digit must not move a cell that has just enough to "too narrow"
        edges = np.array([0.0, 1.0, 2.0, 5.0]) * (1 - 1e-6)
        place = np.searchsorted(edges, ratio, side="right") - (ratio <= 0)
        counts = np.bincount(np.clip(place, 0, 4), minlength=5)
        labels = ["none", "too narrow", "1 to 2 times", "2 to 5 times", "5 times or more"]
        return bars("Sensitive cells by the width of their interval", labels, counts.tolist())


def attacker_intervals(
    system: CellSystem,
    suppressed: Bools,
    cells: Ints,
    *,
    lowest: Edge = 0.0,
    highest: Edge = np.inf,
    whole: bool = False,
) -> tuple[Floats, Floats]:
    """Return the smallest and largest values of cells that agree with everything published.

    Parameters
    ----------
    suppressed
        Of every cell whether it is suppressed; all others are published.
    cells
        The cells asked about, as positions in the system.
    lowest, highest
        What everybody knows of the suppressed cells beforehand: one bound, or one for each cell.
    whole
        Whether the attacker also knows that values are whole numbers: for small systems, as each
        end is an integer program.

    >>> from scipy import sparse
    >>> sums = sparse.csr_matrix([[1.0, 1, -1, 0], [0, 1, 0, -1.0]])
    >>> system = CellSystem(np.array([2.0, 3, 5, 3]), sums)
    >>> attacker_intervals(system, np.array([True, True, False, True]), np.array([0, 1]))
    (array([0., 0.]), array([5., 5.]))
    """
    cells = np.asarray(cells, dtype=np.int64)
    found = find_unknowns(system, suppressed, lowest=lowest, highest=highest, whole=whole)
    low, high = np.zeros(len(found.cells)), np.zeros(len(found.cells))
    asked = np.zeros(len(found.cells), dtype=np.bool_)
    places = found.place[cells]
    asked[places[places >= 0]] = True
    components = np.unique(found.component[asked]).tolist()
    for number in progress.each(components, "attacking", unit="components"):
        members = found.members(number)
        if found.exact[number]:
            low[members], high[members] = found.low[members], found.high[members]
            continue
        component = Component.of(found, number, whole=whole)
        for cell in np.flatnonzero(asked[members]).tolist():
            for up in (True, False):
                outer = (found.high if up else found.low)[members[cell]]
                seen = component.shown(cell)[up]
                if abs(seen) < abs(outer):
                    component.reach(cell, up=up)
            low[members[cell]], high[members[cell]] = component.shown(cell)
    values = system.values[cells]
    inside = places >= 0
    below, above = values.copy(), values.copy()
    below[inside] += low[places[inside]]
    above[inside] += high[places[inside]]
    return below, above


def audit(
    system: CellSystem,
    suppressed: Bools,
    sensitive: Sensitive,
    *,
    lowest: Edge = 0.0,
    highest: Edge = np.inf,
    exact: bool = False,
    coalition: bool = True,
) -> Audit:
    """Say whether an attacker's intervals for the sensitive cells are wide enough.

    Every solution of a linear program is a table that agrees with what is published, and speaks
    for all cells at once; cells which the solutions seen so far show to be protected are not
    looked at again.

    With `coalition`, and where the sensitive cells know their `contributors`, the requirement must
    also hold against whoever is alone in a suppressed cell and knows its value, for the sensitive
    cells that stand in a sum with it. They know all cells in which they are alone, and nobody's own
    cells are protected from themselves. Insiders further off are not followed.

    Parameters
    ----------
    exact
        Find the exact ends of all intervals, rather than whether they are wide enough.
    """
    found = find_unknowns(system, suppressed, lowest=lowest, highest=highest)
    needs = Needs.among(found, sensitive, system)
    size = len(found.cells)
    low, high = np.zeros(size), np.zeros(size)
    insider = np.zeros(size, dtype=np.bool_)
    everybody = people_alone(system.relations, sensitive.contributors if coalition else None)
    person = everybody[found.cells]
    for number in progress.each(range(len(found.exact)), "auditing", unit="components"):
        members = found.members(number)
        if found.exact[number]:
            low[members], high[members] = found.low[members], found.high[members]
            if (person[members] >= 0).any():
                # with one cell known all are
                alone = Alone(found.sums_within(number), person[members])
                asked = np.flatnonzero(needs.sensitive[members])
                insider[members[[cell for cell, _ in alone.knowing(asked)]]] = True
            continue
        component = Component.of(found, number)
        own = needs.of(members)
        _look(component, own, exact=exact)
        low[members] = component.seen_low * component.scale
        high[members] = component.seen_high * component.scale
        if (person[members] >= 0).any():
            alone = Alone(found.sums_within(number), person[members])
            asked = np.flatnonzero(own.sensitive & own.met(low[members], high[members]))
            component = Component.of(found, number, sparing=True)
            for cell, groups in alone.knowing(asked):
                insider[members[cell]] = not protects_from(component, own, cell, groups)
    places = found.place[sensitive.cells]
    inside = places >= 0
    values = system.values[sensitive.cells]
    below, above = values.copy(), values.copy()
    below[inside] += low[places[inside]]
    above[inside] += high[places[inside]]
    open_to = np.zeros(len(sensitive), dtype=np.bool_)
    open_to[inside] = insider[places[inside]]
    holds = sensitive.holds(values, below, above) & ~open_to
    still = ~needs.sensitive & (high - low <= needs.slack)
    determined = np.asarray(suppressed, dtype=np.bool_) & (found.place < 0)
    determined[sensitive.cells] = False
    wasted = int(still.sum()) + int(determined.sum())
    number_suppressed = int(np.count_nonzero(suppressed))
    return Audit(system, sensitive, number_suppressed, below, above, exact, holds, open_to, wasted)


@dataclass(frozen=True, eq=False)
class Needs:
    """What is required of unknown cells, as deviations: below, above, and in width."""

    sensitive: Bools
    lower: Floats
    upper: Floats
    sliding: Floats
    slack: Floats

    @classmethod
    def among(cls, found: Unknowns, sensitive: Sensitive, system: CellSystem) -> Needs:
        """Return what is required of the unknown cells; the others must move at all."""
        size = len(found.cells)
        places = found.place[sensitive.cells]
        inside = places >= 0
        needs = cls(
            np.zeros(size, dtype=np.bool_),
            np.zeros(size),
            np.zeros(size),
            np.zeros(size),
            1e-6 * np.maximum(1.0, np.abs(system.values[found.cells])),
        )
        needs.sensitive[places[inside]] = True
        needs.lower[places[inside]] = sensitive.lower[inside]
        needs.upper[places[inside]] = sensitive.upper[inside]
        needs.sliding[places[inside]] = sensitive.sliding[inside]
        return needs

    def of(self, members: Ints) -> Needs:
        """Return what is required of some of the cells."""
        return Needs(
            self.sensitive[members],
            self.lower[members],
            self.upper[members],
            self.sliding[members],
            self.slack[members],
        )

    def met(self, low: Floats, high: Floats) -> Bools:
        """Say of all cells whether intervals of deviations are wide enough."""
        met: Bools = (
            (low <= self.slack - self.lower)
            & (high >= self.upper - self.slack)
            & (high - low >= self.sliding - self.slack)
            & (high - low > self.slack)
        )
        return met

    def met_by(self, cell: int, low: float, high: float) -> bool:
        """Say whether the interval of one cell is wide enough."""
        slack = self.slack[cell]
        return bool(
            low <= slack - self.lower[cell]
            and high >= self.upper[cell] - slack
            and high - low >= self.sliding[cell] - slack
            and high - low > slack
        )


def protects(component: Component, needs: Needs, cell: int) -> bool:
    """Say whether a cell's requirement is met, given the cells that are held fixed."""
    low, high = component.shown(cell)
    if needs.met_by(cell, low, high):
        return True
    least = 1e3 * needs.slack[cell]
    enough = max(needs.upper[cell], needs.sliding[cell], least)
    if high < enough:
        high = max(high, component.reach(cell, up=True, enough=enough))
        if high < needs.upper[cell] - needs.slack[cell]:
            return False
        if needs.met_by(cell, low, high):
            return True
    enough = max(needs.lower[cell], needs.sliding[cell] - high, least - high)
    low = min(low, component.reach(cell, up=False, enough=enough))
    return needs.met_by(cell, low, high)


def _look(component: Component, needs: Needs, *, exact: bool) -> None:
    """Find solutions that show which cells of a component are protected."""
    rng = np.random.default_rng(0)
    least = 1e3 * needs.slack
    down = np.maximum(np.maximum(needs.lower, needs.sliding), least)
    up = np.maximum(np.maximum(needs.upper, needs.sliding), least)
    before = component.size + 1
    for _ in range(MOST_PUSHES):
        low, high = component.seen_low * component.scale, component.seen_high * component.scale
        left = np.flatnonzero(~needs.met(low, high))
        if len(left) < 8 or len(left) > 0.95 * before:
            break
        before = len(left)
        # cells of one sum cannot all go up: each goes one way or the other, at random
        signs = rng.choice([-1.0, 1.0], len(left)) / up[left]
        component.push(left, signs * up[left].min(), down=down[left], up=up[left])
    for cell in range(component.size):
        if exact and needs.sensitive[cell]:
            for way in (True, False):
                outer = (component.high if way else component.low)[cell]
                seen = (component.seen_high if way else component.seen_low)[cell]
                if abs(seen) < abs(outer):
                    component.reach(cell, up=way)
        else:
            protects(component, needs, cell)


def protects_from(
    component: Component, needs: Needs, cell: int, groups: list[tuple[int, ...]]
) -> bool:
    """Say whether a cell's requirement is met against each of those who know some other cells."""

    def held(known: Iterable[int]) -> bool:
        fresh = [n for n in known if n not in component.fixed]
        for n in fresh:
            component.fix(n)
        met = protects(component, needs, cell)
        for n in fresh:
            component.free(n)
        return met

    # all of them together know at least as much as each
    together = {n for known in groups for n in known}
    return held(sorted(together)) or (len(groups) > 1 and all(held(known) for known in groups))
