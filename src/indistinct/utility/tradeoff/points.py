"""The map itself: one point a candidate, which ones are dominated, and which to choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import pyarrow as pa

from indistinct.core import InputError, did_you_mean, for_markdown
from indistinct.results import (
    MOST_LINES,
    Fact,
    Result,
    Table,
    as_lines,
    facts,
    folded,
    result,
)
from indistinct.results.figures import Spot, frontier

__all__ = ["MapPoint", "Refused", "RiskMeasure", "RiskUtilityMap", "UtilityMeasure", "place_points"]

RiskMeasure = Literal["exact", "uniques", "linkage"]
"""``exact``: the share of people expected to be found by their true key; ``uniques``: the share of
the original's uniques whose own record is unchanged; ``linkage``: the share found by the nearest
released record, or by the true key where that finds more."""

UtilityMeasure = Literal["pairs", "k-marginal", "propensity"]
"""``pairs``: 1 − mean total variation of all two-way tables, labels dealt out over their values;
``k-marginal``: NIST's score over 1000, labels as categories of their own; ``propensity``: 1 − pMSE
over its largest possible value."""

RISKS: dict[RiskMeasure, str] = {
    "exact": "share of people an intruder with the true key is expected to find",
    "uniques": "share of the original's uniques left unchanged",
    "linkage": "share of people found by the nearest released record",
}
UTILITIES: dict[UtilityMeasure, str] = {
    "pairs": "two-way tables kept (1 − mean total variation)",
    "k-marginal": "K-marginal score / 1000",
    "propensity": "1 − pMSE / largest pMSE",
}


@dataclass(frozen=True)
class MapPoint:
    """One candidate on the map.

    Parameters
    ----------
    risk, utility
        By the measures of the map.
    expected
        The share of the original records expected to be found by their true key.
    unchanged, present
        The share of the original's uniques whose own released record has the same key, and whose
        key any released record has.
    pairs, k_marginal
        Both measures of tables; see `UtilityMeasure`.
    changed, cells
        The share of records with a changed cell in the key, or left out; the share of changed
        cells.
    seconds
        What applying it took.
    dominated_by
        A candidate with no more risk and no less utility, one of them strictly better.
    chosen
        Whether the map proposes it.
    """

    name: str
    settings: str
    risk: float
    utility: float
    expected: float
    unchanged: float
    present: float
    pairs: float
    k_marginal: float
    changed: float
    cells: float
    records: int
    seconds: float
    dominated_by: str | None = None
    chosen: bool = False

    @property
    def dominated(self) -> bool:
        """Whether another candidate is better in one respect and not worse in the other."""
        return self.dominated_by is not None

    def dominates(self, other: MapPoint) -> bool:
        """Say whether this one has no more risk and no less utility, and one is strictly better."""
        better = self.risk < other.risk or self.utility > other.utility
        return better and self.risk <= other.risk and self.utility >= other.utility


@dataclass(frozen=True)
class Refused:
    """A candidate that could not be applied, and why."""

    name: str
    why: str


def place_points(
    points: Sequence[MapPoint], *, max_risk: float | None = None
) -> tuple[MapPoint, ...]:
    """Say which points are dominated, and which one is proposed.

    Proposed is, of those not dominated, the one with the most utility whose risk is at most
    `max_risk`. Without a limit it is the one nearest to no risk and full utility, risk taken as a
    share of the largest on the map and utility lost as a share of the largest loss.
    """
    found = []
    for point in points:
        over = [other for other in points if other.dominates(point)]
        best = max(over, key=lambda p: (p.utility, -p.risk), default=None)
        found.append(replace(point, dominated_by=best.name if best else None, chosen=False))
    free = [point for point in found if not point.dominated]
    if max_risk is not None:
        allowed = [point for point in free if point.risk <= max_risk]
        chosen = max(allowed, key=lambda p: (p.utility, -p.risk), default=None)
    else:
        most = max((p.risk for p in found), default=0.0) or 1.0
        lost = max((1 - p.utility for p in found), default=0.0) or 1.0
        chosen = min(
            free, key=lambda p: (p.risk / most) ** 2 + ((1 - p.utility) / lost) ** 2, default=None
        )
    return tuple(replace(p, chosen=p is chosen) for p in found)


_HEADINGS = ("candidate", "risk", "utility", "unchanged", "K-marginal", "changed", "seconds", "")


@result(eq=True)
class RiskUtilityMap(Result):
    """Candidates by what an intruder finds and by what is left of the tables.

    Parameters
    ----------
    key
        What the intruder knows.
    features
        The variables of the tables.
    records, uniques
        Original records, and those alone with their key.
    risk, utility
        The measures of the axes.
    points
        The candidates, in the order in which they were given.
    refused
        Those that could not be applied.
    max_risk
        The limit by which one was chosen.
    """

    key: tuple[str, ...]
    features: tuple[str, ...]
    records: int
    uniques: int
    risk: RiskMeasure
    utility: UtilityMeasure
    points: tuple[MapPoint, ...]
    refused: tuple[Refused, ...] = ()
    max_risk: float | None = None
    notes: tuple[str, ...] = ()

    FACTS = facts(
        "key features records uniques risk utility max_risk",
        Fact("chosen", lambda found: found.chosen.name if found.chosen else None),
        Fact("frontier", lambda found: [point.name for point in found.frontier]),
        Fact(
            "points",
            lambda found: [
                asdict(point) | {"dominated": point.dominated} for point in found.points
            ],
        ),
        Fact("refused", lambda found: [asdict(refused) for refused in found.refused]),
        "notes",
    )

    def __getitem__(self, name: str) -> MapPoint:
        """Return the point of a candidate."""
        for point in self.points:
            if point.name == name:
                return point
        names = [point.name for point in self.points]
        raise InputError(f"'{name}' is not on the map. {did_you_mean(name, names)}")

    @property
    def chosen(self) -> MapPoint | None:
        """The candidate that the map proposes."""
        return next((point for point in self.points if point.chosen), None)

    @property
    def frontier(self) -> tuple[MapPoint, ...]:
        """The candidates that no other dominates, by rising risk."""
        free = (point for point in self.points if not point.dominated)
        return tuple(sorted(free, key=lambda p: (p.risk, p.utility)))

    def to_frame(self) -> Any:
        """Return the points as a pandas frame (pandas must be installed)."""
        rows = [asdict(point) | {"dominated": point.dominated} for point in self.points]
        return pa.Table.from_pylist(rows).to_pandas().set_index("name")

    def plot(self) -> str:
        """Return the map as SVG: dominated candidates grey, the others joined by a line."""
        return frontier(
            "Risk and utility",
            [
                Spot(p.name, p.risk, p.utility, faint=p.dominated, marked=p.chosen)
                for p in self.points
            ],
            x=RISKS[self.risk],
            y=UTILITIES[self.utility],
            words=("not dominated", "dominated", "proposed"),
            shares=(True, False),
        )

    def _cells(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = []
        for p in sorted(self.points, key=lambda p: (p.risk, -p.utility)):
            state = "proposed" if p.chosen else f"< {p.dominated_by}" if p.dominated else ""
            rows.append(
                (
                    p.name,
                    f"{p.risk:.2%}",
                    f"{p.utility:.4f}",
                    f"{p.unchanged:.1%}",
                    f"{p.k_marginal:.0f}",
                    f"{p.changed:.1%}",
                    f"{p.seconds:.1f}",
                    state,
                )
            )
        return rows

    def __repr__(self) -> str:
        free = {point.name for point in self.frontier}
        rows = [cells for cells in self._cells() if cells[0] in free][: MOST_LINES - 4]
        left = len(self.points) - len(rows)
        lines = [self._head(), *as_lines((_HEADINGS, *rows))]
        if left or self.refused:
            lines.append(f"  and {left} more, {len(self.refused)} refused: details()")
        return folded([*lines, f"  risk: {RISKS[self.risk]}; utility: {UTILITIES[self.utility]}"])

    def _head(self) -> str:
        return (
            f"{len(self.points)} candidates on {self.records:,} records, of which {self.uniques:,} "
            f"are unique by {', '.join(self.key)}"
        )

    def _lines(self) -> list[str]:
        rows = (_HEADINGS, *self._cells())
        widths = [max(len(row[j]) for row in rows) + 2 for j in range(len(_HEADINGS))]
        lines = [self._head()]
        lines += [line.rstrip() for line in as_lines(rows, widths)]
        lines += [f"  {refused.name} was refused: {refused.why}" for refused in self.refused]
        lines += [
            f"  risk: {RISKS[self.risk]};",
            f"  utility: {UTILITIES[self.utility]};",
            "  unchanged: of the original's uniques; < dominated by",
        ]
        if self.risk != "linkage":
            lines.append(
                "  equality is asked for: who takes the nearest record finds more (risk='linkage')"
            )
        return [*lines, *(f"  {note}" for note in self.notes)]

    def markdown(self) -> str:
        """Return the table for a page."""
        lines = ["| " + " | ".join(_HEADINGS) + " |", "| --- |" + " ---: |" * (len(_HEADINGS) - 1)]
        lines += ["| " + " | ".join(map(for_markdown, cells)) + " |" for cells in self._cells()]
        return "\n".join(lines)

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"Candidates by {RISKS[self.risk]} and {UTILITIES[self.utility]}",
                _HEADINGS,
                self._cells(),
            )
        ]
