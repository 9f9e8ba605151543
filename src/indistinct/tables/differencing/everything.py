"""Everything that a set of tables publishes, against itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from indistinct.core import progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import Counted
from indistinct.tables.differencing.cells import Comparison, comparison, difference_cells
from indistinct.tables.differencing.differences import Differencing, difference_geographies
from indistinct.tables.differencing.joint import Joint, joint_atoms
from indistinct.tables.differencing.overlapping import zone_of
from indistinct.tables.uniques import TabularUniques, tabular_uniques

__all__ = ["Differences", "differences"]


@result
class Differences(Result):
    """What the tables of a set reveal when they are subtracted from each other.

    Parameters
    ----------
    pairs
        What every pair of geographies, and every pair of tables that group or count differently,
        reveals.
    joint
        What three or more geographies determine together and no two reveal; None for fewer.
    """

    pairs: tuple[Differencing, ...]
    joint: Joint | None

    FACTS = facts(
        "revealed",
        Fact("newly_frtu", lambda found: sum(pair.newly for pair in found.pairs)),
        "pairs",
        "joint",
    )

    def sentence(self) -> str:
        """Say how many pairs were compared."""
        together = "" if self.joint is None else f", {self.joint.number:,} of them by all together"
        return (
            f"Differences({len(self.pairs):,} pairs compared, {self.revealed:,} revealed{together})"
        )

    @property
    def revealed(self) -> int:
        """Revealed zones and cells, over all pairs, and sets that are determined jointly."""
        return sum(pair.zones for pair in self.pairs) + (self.joint.number if self.joint else 0)

    @property
    def is_safe(self) -> bool:
        """Whether nothing below the thresholds is revealed."""
        return self.revealed == 0

    def _row_tables(self) -> list[Table]:
        found = [pair.to_dict() for pair in self.pairs]
        headings = ("kind", "first", "second", "threshold", "revealed", "people", "frtu", "new")
        names = (*headings[:-1], "newly_frtu")
        rows = [tuple(one[name] for name in names) for one in found]
        return [Table("What is revealed by subtraction", headings, rows)]

    def plot(self) -> str:
        """Return a figure: the zones and cells that each pair reveals."""
        labels = [" and ".join(pair.revealed.overlap.names) for pair in self.pairs]
        return bars("Zones and cells revealed", labels, [pair.zones for pair in self.pairs])


def differences(
    counted: Counted,
    *,
    threshold: int = 10,
    cell_threshold: int = 3,
    uniques: TabularUniques | None = None,
) -> Differences:
    """Find what a set of tables reveals when its parts are subtracted from each other.

    Geographies are compared in pairs, and jointly where there are three or more. Tables are
    compared on the variables that they share, where they group these differently or count
    different people; tables that compare the same are compared once, and groupings that nest,
    which leave nothing to subtract, not at all.

    Parameters
    ----------
    threshold
        Revealed zones of geographies with fewer people count.
    cell_threshold
        Revealed cells of tables with fewer people count.
    uniques
        The uniques of the published tables, if they are known already.
    """
    geographies = [counted.tables.area, *counted.tables.also]
    pairs = [
        difference_geographies(counted, first, second, threshold=threshold)
        for first, second in combinations(geographies, 2)
    ]
    joint = None
    if len(geographies) > 2:
        joint = joint_atoms(
            [zone_of(counted, g)[0] for g in geographies],
            counted.counts,
            threshold,
            names=[g.name for g in geographies],
        )
        joint = joint.without(_known(joint, pairs))
    compared = list(_comparisons(counted))
    if compared and uniques is None:
        uniques = tabular_uniques(counted)
    for one in progress.each(compared, "comparing tables", unit="pairs"):
        pairs.append(difference_cells(one, threshold=cell_threshold, uniques=uniques))
    return Differences(tuple(pairs), joint)


def _known(joint: Joint, pairs: list[Differencing]) -> Any:
    """Return the people in the smallest set that a pair reveals around every atom; 0 for none."""
    rows = np.flatnonzero(joint.atom_of >= 0)
    large = np.iinfo(np.int64).max
    known = np.full(len(joint.people), large)
    for pair in pairs:
        atom = pair.revealed.overlap.atom_of[rows]
        least = np.where(atom >= 0, pair.revealed.least_people[atom], 0)
        np.minimum.at(known, joint.atom_of[rows], np.where(least > 0, least, large))
    return np.where(known == large, 0, known)


def _comparisons(counted: Counted) -> Iterator[Comparison]:
    """Yield the pairs of tables that may reveal something, each comparison once."""
    seen = set()
    for first, second in combinations(range(len(counted.layouts)), 2):
        one = comparison(counted, first, second)
        if one.identity in seen or not one.kind or one.is_nested:
            continue
        seen.add(one.identity)
        yield one
