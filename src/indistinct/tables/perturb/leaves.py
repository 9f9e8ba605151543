"""What perturbed tables leave to an intruder who takes published counts at face value.

Openshaw et al. (1997) find people by cells with a count of one. After perturbation some ones are
made of other counts and some true ones are gone; who believes the ones makes false matches.
"""

from __future__ import annotations

import numpy as np

from indistinct.core import progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.perturb.marginal_sums import Margin
from indistinct.tables.perturb.published import PerturbedTables

__all__ = ["PerturbedRisk", "perturbed_risk"]


@result
class PerturbedRisk(Result):
    """Tabular uniques that perturbed tables show, and how many of them are.

    Parameters
    ----------
    records
        The number of people.
    true_ones, apparent_ones, confirmed_ones
        Cells with a true count of one; cells published as one; both.
    true_full, apparent_full, confirmed_full
        People of whom every cell has a true count of one; people of whom every cell is published
        as one; both.
    per_table
        For each table its cells published as one, and of these the true ones.
    """

    records: int
    true_ones: int
    apparent_ones: int
    confirmed_ones: int
    true_full: int
    apparent_full: int
    confirmed_full: int
    per_table: tuple[tuple[str, int, int, int], ...]

    FACTS = facts(
        "records",
        "true_ones",
        "apparent_ones",
        "confirmed_ones",
        "false_match_share",
        Fact("frtu", "true_full"),
        Fact("apparent_frtu", "apparent_full"),
        Fact("confirmed_frtu", "confirmed_full"),
        Fact("false_frtu_share", "false_full_share"),
        "hidden_share",
        "risk",
        shown=True,
    )

    def sentence(self) -> str:
        """Say how many people and tables there are."""
        return f"PerturbedRisk({self.records:,} people, {len(self.per_table)} tables)"

    @property
    def false_match_share(self) -> float | None:
        """Of the cells published as one, the share whose true count is another."""
        return _share(self.apparent_ones - self.confirmed_ones, self.apparent_ones)

    @property
    def false_full_share(self) -> float | None:
        """Of the people who seem to be full record tabular uniques, the share who are none."""
        return _share(self.apparent_full - self.confirmed_full, self.apparent_full)

    @property
    def hidden_share(self) -> float | None:
        """Of the true full record tabular uniques, the share that no longer look it."""
        return _share(self.true_full - self.confirmed_full, self.true_full)

    @property
    def risk(self) -> float:
        """True full record tabular uniques that still look it, among all people."""
        return self.confirmed_full / max(self.records, 1)

    def _row_tables(self) -> list[Table]:
        headings = ("table", "true ones", "published ones", "both")
        return [
            Table("Ones in each table", headings, self.per_table),
        ]

    def plot(self) -> str:
        """Return a figure: ones before and after, and how many of them are both."""
        labels = [
            "cells, true count of one",
            "cells, published as one",
            "cells, both",
            "full uniques, true",
            "full uniques, published",
            "full uniques, both",
        ]
        numbers = [
            self.true_ones,
            self.apparent_ones,
            self.confirmed_ones,
            self.true_full,
            self.apparent_full,
            self.confirmed_full,
        ]
        return bars("Ones that are true, and ones that are published", labels, numbers)


def perturbed_risk(perturbed: PerturbedTables) -> PerturbedRisk:
    """Look for tabular uniques in perturbed tables, and say how many are.

    Equation (9) of Openshaw et al. (1997), with the published counts for Y. One pass over the
    classes for each table.
    """
    counted = perturbed.counted
    truly = np.ones(counted.classes, dtype=bool)
    apparently = np.ones(counted.classes, dtype=bool)
    anywhere = np.zeros(counted.classes, dtype=bool)
    per_table = []
    positions = list(range(len(counted.layouts)))
    for position in progress.each(positions, "looking for published uniques", unit="tables"):
        layout = counted.layouts[position]
        found = perturbed.cells(Margin(position, tuple(range(len(layout.shape)))))
        true, published = found.true, found.published
        own = counted.cell_of(position)
        inside = np.flatnonzero(own >= 0)
        number = counted.area[inside].astype(np.int64) * layout.cells + own[inside]
        at = np.searchsorted(found.area * layout.cells + found.cell, number)
        anywhere[inside] = True
        truly[inside] &= true[at] == 1
        apparently[inside] &= published[at] == 1
        both = (true == 1) & (published == 1)
        per_table.append(
            (layout.name, int((true == 1).sum()), int((published == 1).sum()), int(both.sum()))
        )
    truly &= anywhere
    apparently &= anywhere
    people = counted.counts
    return PerturbedRisk(
        records=counted.records,
        true_ones=sum(row[1] for row in per_table),
        apparent_ones=sum(row[2] for row in per_table),
        confirmed_ones=sum(row[3] for row in per_table),
        true_full=int(people[truly].sum()),
        apparent_full=int(people[apparently].sum()),
        confirmed_full=int(people[truly & apparently].sum()),
        per_table=tuple(per_table),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
