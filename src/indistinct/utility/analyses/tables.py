"""Tables of two and of three variables, original against released."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import InputError, Seed, progress
from indistinct.keys import Coded
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import shares
from indistinct.utility.analyses.binning import as_factors
from indistinct.utility.analyses.cells import hellinger, joint_cells, total_variation
from indistinct.utility.analyses.marginals import both_weights
from indistinct.utility.analyses.printing import share

__all__ = ["TableDifference", "Tables", "compare_tables"]


@dataclass(frozen=True)
class TableDifference:
    """How far one table is from its original.

    Parameters
    ----------
    cells_original, cells_released
        Cells that have records.
    total_variation, hellinger
        Between the shares of all cells.
    pmse_ratio
        The standardised pMSE of the table: about 1 for a correct synthesis, whatever the number
        of cells, so that tables can be compared by it.
    """

    names: tuple[str, ...]
    cells_original: int
    cells_released: int
    total_variation: float
    hellinger: float
    pmse_ratio: float

    @property
    def title(self) -> str:
        """The variables, for people."""
        return " x ".join(self.names)


@result(eq=True)
class Tables(Result):
    """Many tables of the same number of variables.

    Parameters
    ----------
    ways
        Variables in each table.
    found
        The tables, as variables stand in the file.
    possible
        How many there are of all variables; fewer may have been drawn.
    bins
        The bins of the original's quantiles for numbers with more values.
    binned
        The variables that were binned.
    """

    ways: int
    found: tuple[TableDifference, ...]
    possible: int
    bins: int
    binned: tuple[str, ...] = ()
    weighted: bool = False

    FACTS = facts(
        Fact("original", lambda found: {t.title: t.cells_original for t in found.found}),
        Fact("released", lambda found: {t.title: t.cells_released for t in found.found}),
        Fact(
            "difference",
            lambda found: {
                t.title: {
                    "total_variation": t.total_variation,
                    "hellinger": t.hellinger,
                    "pmse_ratio": t.pmse_ratio,
                }
                for t in found.found
            },
        ),
        "ways",
        Fact("tables", lambda found: len(found.found)),
        "possible mean mean_hellinger",
        Fact("worst", "worst.names"),
        Fact("worst_total_variation", "worst.total_variation"),
        Fact("worst_for_its_size", "worst_for_its_size.names"),
        "bins binned weighted",
    )

    @property
    def mean(self) -> float:
        """The mean total variation distance."""
        return float(np.mean([t.total_variation for t in self.found]))

    @property
    def mean_hellinger(self) -> float:
        """The mean Hellinger distance."""
        return float(np.mean([t.hellinger for t in self.found]))

    @property
    def worst(self) -> TableDifference:
        """The table with the largest total variation distance."""
        return max(self.found, key=lambda t: t.total_variation)

    @property
    def worst_for_its_size(self) -> TableDifference:
        """The table with the largest standardised pMSE."""
        return max(self.found, key=lambda t: t.pmse_ratio)

    def plot(self) -> str:
        """Draw the worst tables: per cent of the records that would have to change cells."""
        worst = sorted(self.found, key=lambda t: -t.total_variation)[:15]
        return shares(
            f"The worst tables of {self.ways} variables: total variation",
            [t.title for t in worst],
            [t.total_variation for t in worst],
        )

    def _lines(self) -> list[str]:
        drawn = "" if len(self.found) == self.possible else f" of {self.possible:,}, drawn"
        lines = [
            f"{len(self.found):,} tables of {self.ways} variables{drawn}: mean distance "
            f"{share(self.mean)} (total variation), {self.mean_hellinger:.4f} (Hellinger)"
        ]
        if self.binned:
            lines.append(f"  {', '.join(self.binned)}: {self.bins} bins, quantiles of the original")
        for t in sorted(self.found, key=lambda t: -t.total_variation)[:8]:
            lines.append(
                f"  {t.title:<36} TV {share(t.total_variation):>8}  Hellinger {t.hellinger:.4f}"
                f"  pMSE ratio {t.pmse_ratio:,.2f}"
            )
        return lines

    def _tables(self) -> list[Table]:
        ordered = sorted(self.found, key=lambda t: -t.total_variation)
        return [
            Table(
                f"Tables of {self.ways} variables, the farthest from the original first",
                ("table", "total variation", "Hellinger", "pMSE ratio"),
                [(t.title, t.total_variation, t.hellinger, t.pmse_ratio) for t in ordered],
                {"total variation": ".4f", "Hellinger": ".4f", "pMSE ratio": ",.2f"},
            )
        ]


def compare_tables(
    coded: Coded,
    *,
    ways: int = 2,
    variables: Sequence[str] | None = None,
    tables: Sequence[Sequence[str]] | None = None,
    most: int = 300,
    bins: int = 10,
    seed: Seed = 0,
) -> Tables:
    """Compare all tables of two or three variables, those named, or as many as are drawn.

    Cells are compared as shares, so the files may have different numbers of records. Numbers
    with more than `bins` values are binned at the quantiles of the original; missing is a
    category.

    Parameters
    ----------
    ways
        2 or 3.
    variables
        Tables of these only.
    tables
        Exactly these tables.
    most
        If there are more tables, so many are drawn.
    seed
        For drawing.
    """
    if ways not in (2, 3):
        raise InputError(f"Tables must have 2 or 3 variables. Got {ways}.")
    if tables is not None:
        for table in tables:
            if len(set(table)) != ways or len(table) != ways:
                raise InputError(f"A table must have {ways} variables. Got {', '.join(table)}.")
        wanted = [tuple(table) for table in tables]
        names = list(dict.fromkeys(name for table in wanted for name in table))
        possible = len(wanted)
    else:
        names = coded.names if variables is None else list(variables)
        if len(names) < ways:
            raise InputError(f"Tables of {ways} variables need {ways}. Got {len(names)}.")
        possible = math.comb(len(names), ways)
        wanted = list(_drawn(names, ways, possible, most, seed))
    factors = {f.name: f for f in as_factors(coded, names, bins=bins)}
    weights = both_weights(coded)
    found = []
    for table in progress.each(wanted, f"comparing tables of {ways}", unit="tables"):
        chosen = [factors[name] for name in table]
        counted = joint_cells(chosen)
        cells = counted if weights is None else joint_cells(chosen, weights=weights)
        found.append(
            TableDifference(
                table,
                int((counted.original > 0).sum()),
                int((counted.released > 0).sum()),
                total_variation(cells.p, cells.q),
                hellinger(cells.p, cells.q),
                counted.pmse_ratio(),
            )
        )
    binned = tuple(f.name for f in factors.values() if f.bins)
    return Tables(ways, tuple(found), possible, bins, binned, weights is not None)


def _drawn(
    names: Sequence[str], ways: int, possible: int, most: int, seed: int
) -> list[tuple[str, ...]]:
    every = itertools.combinations(names, ways)
    if possible <= most:
        return list(every)
    rng = np.random.default_rng(seed)
    chosen = set(rng.choice(possible, size=most, replace=False).tolist())
    return [table for n, table in enumerate(every) if n in chosen]
