"""Figures of the demographic tests: original against released, as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.results.figures import Line, lines

if TYPE_CHECKING:
    from indistinct.utility.demography.age_gaps import GapCurve
    from indistinct.utility.demography.breaks import AgeBreak
    from indistinct.utility.demography.fertility import Fertility
    from indistinct.utility.demography.homogamous import HomogamyGroup

__all__ = ["fertility_figure", "gap_figure", "homogamy_figure"]


def gap_figure(curve: GapCurve, broken: AgeBreak | None) -> str:
    """Draw the mean age gap by the age of one partner, at the ages with enough couples."""
    pair = [
        Line(name, curve.ages.tolist(), np.where(curve.judged, values, np.nan).tolist())
        for name, values in (("original", curve.original), ("released", curve.released))
    ]
    who = "older partner" if curve.reference == "older" else curve.reference
    return lines(
        f"Age gap between spouses by age of the {who}",
        pair,
        x=f"age of the {who}",
        y="husband's age less wife's, years",
        marked=(broken.age, f"break at {broken.age}") if broken else None,
    )


def fertility_figure(found: Fertility) -> str:
    """Draw the total fertility rates of the years before the census, the earliest first."""
    before = np.arange(found.original.years)
    x = -before if found.census_year is None else found.census_year - before
    pair = [
        Line(name, x[::-1].tolist(), series.total[::-1].tolist())
        for name, series in (("original", found.original), ("released", found.released))
    ]
    return lines(
        "Own-child fertility",
        pair,
        x="year" if found.census_year else "year, 0 = the year before the census",
        y="children a woman",
    )


def homogamy_figure(group: HomogamyGroup) -> str:
    """Draw the log odds of marrying one's like by level; a gap where there are too few couples."""
    places = list(range(1, len(group.levels) + 1))
    room = max(500 // (7 * len(places)), 3)
    pair = [
        Line(name, places, np.where(group.judged, group.values(file), np.nan).tolist())
        for name, file in (("original", group.original), ("released", group.released))
    ]
    return lines(
        f"Log odds of marrying one's like, wives: {group.name}",
        pair,
        x="education",
        y=f"ln {group.statistic}",
        ticks={float(i): _short(level, room) for i, level in enumerate(group.levels, 1)},
        zero=True,
    )


def _short(name: str, room: int) -> str:
    return name if len(name) <= room else name[: room - 1].rstrip() + "…"
