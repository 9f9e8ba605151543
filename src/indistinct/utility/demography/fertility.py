"""Own-child fertility, original against released (McCaa and others 2013, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.core import Floats, InputError, at_least, check_number
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.utility.demography.counts import OwnChildren
from indistinct.utility.demography.figures import fertility_figure
from indistinct.utility.demography.rates import FertilitySeries, Survival, fertility_series
from indistinct.utility.demography.words import direction, percent, verdict

__all__ = ["Fertility", "FertilityTrend", "own_child_fertility"]


GROUPS = ((15, 29), (30, 49))
"""Ages whose trends are compared: fertility falls in one and rises in the other where births are
put off."""

SHOWN = (0, 5, 10, 14)
"""Years before the census that are printed."""


@dataclass(frozen=True)
class FertilityTrend(Part):
    """The trend of some ages' rates: their change a year, in children a woman.

    Parameters
    ----------
    ages
        First and last age.
    original, released
        The slopes.
    errors
        Their standard errors.
    """

    ages: tuple[int, int]
    original: float
    released: float
    errors: tuple[float, float]

    FACTS = facts(
        "ages original released",
        Fact("difference", lambda found: found.released - found.original),
        "errors directions agree",
    )

    @property
    def directions(self) -> tuple[str, str]:
        """Rising, falling or flat, in the original and in the released file."""
        return (
            direction(self.original, self.errors[0]),
            direction(self.released, self.errors[1]),
        )

    @property
    def agree(self) -> bool:
        """Whether the slopes have the same sign, or differ by no more than two standard errors."""
        if not np.isfinite(self.original) or np.sign(self.original) == np.sign(self.released):
            return True
        return abs(self.released - self.original) <= 2 * float(np.hypot(*self.errors))

    def __str__(self) -> str:
        before, after = self.directions
        return (
            f"{self.ages[0]}–{self.ages[1]} {before} ({self.original:+.4f}) → {after} "
            f"({self.released:+.4f})"
        )


@result
class Fertility(Result):
    """The test of own-child fertility: both series, their trends, and the verdict.

    Parameters
    ----------
    original, released
        The series of both files.
    trends
        By groups of ages.
    threshold
        The largest difference of a year's total fertility rate allowed, in children a woman.
    census_year
        The year of the census, for labels.
    """

    original: FertilitySeries
    released: FertilitySeries
    trends: tuple[FertilityTrend, ...]
    threshold: float
    census_year: int | None = None

    FACTS = facts(
        Fact("measure", lambda _: "own-child fertility"),
        "years",
        Fact("original", "original.total"),
        Fact("released", "released.total"),
        "difference",
        Fact("max_difference", "largest"),
        "threshold passed suggestion",
        Fact("noise", "original.error"),
        Fact(
            "matched",
            lambda found: [found.original.matched, found.released.matched],
        ),
        "trends",
        Fact("ages", "original.ages"),
        Fact("rates_original", "original.rates"),
        Fact("rates_released", "released.rates"),
    )

    @property
    def difference(self) -> Floats:
        """Released less original total fertility rate, by year before the census."""
        return self.released.total - self.original.total

    @property
    def largest(self) -> float:
        """The largest |difference| of a year."""
        sizes = np.abs(self.difference)
        sizes = sizes[np.isfinite(sizes)]
        return float(sizes.max()) if len(sizes) else float("nan")

    @property
    def years(self) -> list[int]:
        """The years of the series: of the calendar if known, else before the census."""
        before = range(self.original.years)
        return [self.census_year - x if self.census_year else x for x in before]

    @property
    def lost(self) -> bool:
        """Whether a year known in the original is not known in the released file."""
        return bool((np.isfinite(self.original.total) & ~np.isfinite(self.released.total)).any())

    @property
    def passed(self) -> bool | None:
        """Whether every year is kept and no trend turned; None if there is no child to tell by."""
        if self.lost:
            return False
        if np.isnan(self.largest) or not self.original.births.any():
            return None
        return self.largest <= self.threshold and all(trend.agree for trend in self.trends)

    @property
    def suggestion(self) -> str:
        """What to do about a test that failed or could not be made; else nothing."""
        if self.passed:
            return ""
        if self.passed is None:
            return "no child was matched with a mother: name the columns of the household"
        if self.lost:
            return (
                "no mother was found for the children of some age in the released file: give the "
                "kinship of the original"
            )
        return (
            "shuffle the ages of mothers together with their children's, or keep the mother's age "
            "at birth: condition on it, or move both by as much"
        )

    def plot(self) -> str:
        """Draw both series of total fertility rates as SVG."""
        return fertility_figure(self)

    def _lines(self) -> list[str]:
        head = f"Own-child fertility, {self.original.years} years: {verdict(self.passed)}"
        lines = [f"{head} (allowed {self.threshold:g} children a woman)"]
        if np.isfinite(self.largest):
            unit = "in the year" if self.census_year else "years before the census"
            total = ", ".join(
                f"{self.original.total[x]:.3f} → {self.released.total[x]:.3f} ({self.years[x]})"
                for x in SHOWN
                if x < self.original.years
            )
            chance = float(np.nanmean(self.original.error))
            lines = [
                f"{head}, total rate at most {self.largest:.4f} off (allowed {self.threshold:g}; "
                f"chance error of a year {chance:.3f})",
                f"  total ({unit}): {total}",
                f"  a year at ages {'; '.join(map(str, self.trends))}",
                f"  matched with a mother: {percent(float(self.original.matched.mean()))} → "
                f"{percent(float(self.released.matched.mean()))} of children",
            ]
        if self.suggestion:
            lines.append(f"  → {self.suggestion}")
        return lines

    def _tables(self) -> list[Table]:
        unit = "year" if self.census_year else "years before the census"
        return [
            Table(
                "Total fertility rate, children a woman",
                (unit, "original", "released", "difference"),
                list(
                    zip(
                        self.years,
                        self.original.total.tolist(),
                        self.released.total.tolist(),
                        self.difference.tolist(),
                        strict=True,
                    )
                ),
                {unit: "d", "original": ".3f", "released": ".3f", "difference": "+.4f"},
            )
        ]

    def _notes(self) -> list[str]:
        return [self.suggestion] if self.suggestion else []


def own_child_fertility(
    original: OwnChildren,
    released: OwnChildren,
    *,
    threshold: float = 0.05,
    child_survival: Survival | None = None,
    women_survival: Survival | None = None,
    census_year: int | None = None,
) -> Fertility:
    """Compare the total fertility rates of the years before a census, and their trends by age.

    Parameters
    ----------
    threshold
        The largest difference allowed in any year, in children a woman. Total fertility rates
        are compared by their first decimal, which half a tenth does not change.
    child_survival, women_survival
        See `fertility_series`; the same for both files.
    census_year
        The year of the census, for labels.

    >>> women, births = np.full(131, 1000.0), np.zeros((3, 131))
    >>> for x in range(3):
    ...     births[x, 20 + x : 31 + x] = 100 + x
    >>> counted = OwnChildren(births, births.sum(axis=1), women)
    >>> own_child_fertility(counted, counted).passed
    True
    """
    check_number("The threshold", threshold, at_least(0))
    if len(original.children) != len(released.children):
        raise InputError(
            "Both files must be counted up to the same age of children. Got "
            f"{len(original.children) - 1} and {len(released.children) - 1}."
        )
    before, after = (
        fertility_series(file, child_survival=child_survival, women_survival=women_survival)
        for file in (original, released)
    )
    trends = []
    for first, last in GROUPS:
        (slope, error), (slope_after, error_after) = (
            file.slope(first, last) for file in (before, after)
        )
        trends.append(FertilityTrend((first, last), slope, slope_after, (error, error_after)))
    return Fertility(before, after, tuple(trends), threshold, census_year)
