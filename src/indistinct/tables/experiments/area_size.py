"""Risk against the size and the kind of areas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from indistinct.core import InputError, Seed, progress
from indistinct.results import Result, Table, facts, result
from indistinct.results.figures import Line, lines
from indistinct.tables.counting import Counted
from indistinct.tables.experiments.zones import MOST_PEOPLE, Kind, ZoneRisk, risk_in_zones

__all__ = [
    "POINT_FORMATS",
    "POINT_HEADINGS",
    "SIZES",
    "RiskByAreaSize",
    "point_row",
    "risk_by_area_size",
    "size_figure",
]

SIZES = (25, 50, 100, 200, 400, 800, 1600)
"""Sizes of areas that are tried; the 1991 Small Area Statistics wanted 50 people."""

POINT_HEADINGS = ("people", "zones", "full uniques", "risk", "least", "most", "zones hit")
POINT_FORMATS = {"risk": ".4%", "least": ".4%", "most": ".4%", "zones hit": ".2%"}


@result(eq=True)
class RiskByAreaSize(Result):
    """The risk in zones of several sizes and kinds.

    Parameters
    ----------
    tables
        The number of tables.
    by
        The variables by which people in zones of like people are alike.
    points
        What was found, kind after kind, sizes rising.
    """

    tables: int
    by: tuple[str, ...]
    points: tuple[ZoneRisk, ...]

    FACTS = facts("tables by points")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of zones."""
        return tuple(dict.fromkeys(point.kind for point in self.points))

    def sentence(self) -> str:
        """Say what was looked at."""
        return f"{self.tables} tables in zones of several sizes, {self.points[0].draws} draws"

    def _row_tables(self) -> list[Table]:
        rows = [(p.kind, p.size, *point_row(p)) for p in self.points]
        headings = ("kind", "size", *POINT_HEADINGS)
        return [Table("Risk by size of areas", headings, rows, POINT_FORMATS)]

    def plot(self) -> str:
        """Return a figure: the risk against the size of areas, a line a kind."""
        return size_figure(
            "Full record tabular uniques, by size of areas",
            {kind: [p for p in self.points if p.kind == kind] for kind in self.kinds},
        )


def point_row(point: ZoneRisk) -> tuple[object, ...]:
    """Return a row of numbers about zones of one size."""
    p = point
    return p.people, p.zones, p.frtu, p.risk, p.lowest, p.highest, p.zones_hit


def size_figure(
    title: str, found: Mapping[str, Sequence[ZoneRisk]], *, marked: int | None = None
) -> str:
    """Draw the risk against the logarithm of the size of areas; one size may be marked."""
    places = sorted({math.log2(point.size) for points in found.values() for point in points})
    ticks: list[float] = []
    for place in places:
        # the name of a place takes about a tenth of the figure's width
        if not ticks or place - ticks[-1] >= (places[-1] - places[0]) / 10:
            ticks.append(place)
    return lines(
        title,
        [
            Line(name, [math.log2(p.size) for p in points], [p.risk for p in points])
            for name, points in found.items()
        ],
        x="people in an area",
        y="share of people",
        ticks={place: f"{round(2**place):,}" for place in ticks},
        marked=None if marked is None else (math.log2(marked), f"{marked:,}"),
        zero=True,
        share=True,
    )


def risk_by_area_size(
    counted: Counted,
    *,
    sizes: Sequence[int] = SIZES,
    zones: Kind | Sequence[Kind] = "random",
    by: str | Sequence[str] | None = None,
    draws: int = 3,
    most_people: int = MOST_PEOPLE,
    seed: Seed = 1,
) -> RiskByAreaSize:
    """Count the full record tabular uniques in areas of several sizes.

    Openshaw et al. (1997), section 3.2, expect the risk to vanish quickly once areas are larger
    than a small size, and to depend on how unlike the people of an area are.

    Parameters
    ----------
    sizes
        People in an area.
    zones
        What areas are made of, one or several: ``random`` people; ``neighbours``, people who follow
        each other in the order of the areas of the file; ``alike``, people who follow each other
        when they are put in order by the variables `by`; whole ``areas``, put together at random.
    draws
        How often the zones of each size are drawn.
    most_people
        In a larger file so many people's zones are looked at, drawn at random.
    """
    kinds: list[Kind] = [zones] if isinstance(zones, str) else list(zones)
    if not sizes or not kinds:
        raise InputError("Give at least one size of areas, and one kind of zones.")
    wanted = [(kind, size) for kind in kinds for size in sorted(set(sizes))]
    points = [
        risk_in_zones(
            counted,
            size,
            kind=kind,
            by=by if kind == "alike" else None,
            draws=draws,
            most_people=most_people,
            seed=seed,
        )
        for kind, size in progress.each(wanted, "drawing zones", unit="sizes")
    ]
    names = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    return RiskByAreaSize(len(counted.layouts), names, tuple(points))
