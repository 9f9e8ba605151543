"""Homogamy by education, original against released (McCaa and others 2013, section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from indistinct.core import Bools, Floats, InputError, did_you_mean
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.utility.demography.counts import OLDEST, CoupleEducation
from indistinct.utility.demography.figures import homogamy_figure
from indistinct.utility.demography.odds import LogOdds, Mating, log_odds, mating
from indistinct.utility.demography.words import percent, verdict

__all__ = ["AGE_GROUPS", "Homogamy", "HomogamyGroup", "Statistic", "homogamy"]


Statistic = Literal["observed/expected", "odds ratio"]
"""Which log odds the verdict is about; both are reported."""

AGE_GROUPS = ((0, OLDEST), (25, 34), (35, 44), (45, 54), (55, 64))
"""Ages of the wife: all, and groups of ten years; the paper looks at 25 to 34."""


@dataclass(frozen=True, eq=False)
class HomogamyGroup(Part):
    """The log odds of the couples whose wife is in one group of ages.

    Parameters
    ----------
    ages
        First and last age of the wife.
    original, released
        The log odds of both files by level.
    judged
        The levels with enough couples in both files.
    statistic
        Which log odds `difference` is about.
    """

    ages: tuple[int, int]
    levels: tuple[str, ...]
    original: LogOdds
    released: LogOdds
    judged: Bools
    statistic: Statistic

    FACTS = facts(
        "ages",
        Fact("original", lambda found: found.values(found.original)),
        Fact("released", lambda found: found.values(found.released)),
        "difference error judged",
        Fact("details_original", lambda found: vars(found.original)),
        Fact("details_released", lambda found: vars(found.released)),
    )

    @property
    def name(self) -> str:
        """The ages in words."""
        first, last = self.ages
        if last >= OLDEST:
            return "all ages" if first == 0 else f"{first}+"
        return f"{first}–{last}"

    def values(self, file: LogOdds) -> Floats:
        """Return the log odds that the verdict is about."""
        return file.ratio if self.statistic == "observed/expected" else file.odds

    @property
    def difference(self) -> Floats:
        """Released less original log odds, by level."""
        return self.values(self.released) - self.values(self.original)

    @property
    def error(self) -> Floats:
        """The standard error of `difference`, were the couples of the two files others."""
        pairs = (
            (self.original.ratio_error, self.released.ratio_error)
            if self.statistic == "observed/expected"
            else (self.original.odds_error, self.released.odds_error)
        )
        return np.hypot(*pairs)

    def failing(self, threshold: float) -> list[int]:
        """Return the positions of the levels judged whose difference exceeds a threshold.

        A level that nobody has any more has no log odds, and fails.
        """
        # the tolerance keeps 0.7 − 0.5 within 0.2
        kept = np.abs(self.difference) <= threshold + 1e-9
        return [int(i) for i in np.flatnonzero(self.judged & ~kept)]

    @property
    def largest(self) -> float:
        """The largest |difference| of a level judged; NaN where there is none."""
        sizes = np.abs(self.difference[self.judged])
        sizes = sizes[np.isfinite(sizes)]
        return float(sizes.max()) if len(sizes) else float("nan")


@result
class Homogamy(Result):
    """The test of homogamy: shares, log odds by level and age of the wife, and the verdict.

    Parameters
    ----------
    levels
        The levels of education, the lowest first.
    down_from
        The level at and above which marrying down is counted.
    original, released
        Shares of couples in both files.
    groups
        The log odds by groups of the wife's age.
    threshold
        The largest difference of log odds allowed at a level judged.
    least
        Couples, observed or expected, that a level needs to be judged.
    left_out
        Couples of whom something is not known, in both files.
    """

    levels: tuple[str, ...]
    down_from: str
    original: Mating
    released: Mating
    groups: tuple[HomogamyGroup, ...]
    threshold: float
    least: int
    left_out: tuple[int, int]

    FACTS = facts(
        Fact("measure", lambda _: "homogamy by education"),
        Fact("original", lambda found: _by_name(found.original)),
        Fact("released", lambda found: _by_name(found.released)),
        Fact("difference", "_differences"),
        Fact("max_difference", "difference"),
        Fact("statistic", lambda found: found.groups[0].statistic),
        "threshold passed suggestion levels down_from least failing too_small left_out groups",
    )

    @property
    def difference(self) -> float:
        """The largest difference of log odds at a level judged."""
        sizes = [g.largest for g in self.groups if np.isfinite(g.largest)]
        return max(sizes, default=float("nan"))

    @property
    def failing(self) -> tuple[tuple[str, str], ...]:
        """Group of ages and level of every difference beyond the threshold."""
        return tuple(
            (g.name, self.levels[i]) for g in self.groups for i in g.failing(self.threshold)
        )

    @property
    def too_small(self) -> tuple[tuple[str, str], ...]:
        """Group of ages and level of what has too few couples to say."""
        return tuple(
            (g.name, self.levels[i]) for g in self.groups for i in np.flatnonzero(~g.judged)
        )

    @property
    def passed(self) -> bool | None:
        """Whether all levels judged are kept; None if none could be judged."""
        if self.failing or (self.original.couples and not self.released.couples):
            return False
        return None if np.isnan(self.difference) else True

    @property
    def suggestion(self) -> str:
        """What to do about a test that failed or could not be made; else nothing."""
        if self.passed:
            return ""
        if self.passed is None:
            return f"no level has {self.least:,} couples in both files: set a smaller least"
        if not self.released.couples:
            return "no couple was found in the released file: give the kinship of the original"
        names = {level for _, level in self.failing}
        which = ", ".join(level for level in self.levels if level in names)
        lost = [
            not np.sign(g.values(g.original)[i]) * g.difference[i] > 0
            for g in self.groups
            for i in g.failing(self.threshold)
        ]
        if 2 * sum(lost) >= len(lost):
            return (
                f"level {which}: shuffle the education of husband and wife as one vector, or "
                "within classes of the spouse's education"
            )
        return (
            f"level {which}: released spouses are more alike than they were; weaken how strongly "
            "education is drawn by the spouse's, or shuffle that of both as one vector"
        )

    def group(self, ages: tuple[int, int]) -> HomogamyGroup:
        """Return the log odds of one group of ages."""
        for found in self.groups:
            if found.ages == tuple(ages):
                return found
        raise InputError(
            f"There is no group of ages {ages[0]} to {ages[1]}. There are: "
            f"{', '.join(g.name for g in self.groups)}."
        )

    def plot(self, ages: tuple[int, int] | None = None) -> str:
        """Draw the log odds by level as SVG, for the group that is farthest off or one named."""
        return homogamy_figure(self.group(ages) if ages is not None else self._worst())

    def _worst(self) -> HomogamyGroup:
        return max(
            self.groups, key=lambda g: (len(g.failing(self.threshold)) > 0, _known(g.largest))
        )

    @property
    def _differences(self) -> dict[str, float]:
        before, after = _by_name(self.original), _by_name(self.released)
        return {name: after[name] - before[name] for name in before}

    def _lines(self) -> list[str]:
        a, b = self.original, self.released
        judged = sum(int(g.judged.sum()) for g in self.groups)
        off = (
            f", log odds at most {self.difference:.2f} off" if np.isfinite(self.difference) else ""
        )
        lines = [
            f"Homogamy by education: {verdict(self.passed)}{off} (allowed {self.threshold:g}) in "
            f"{judged} levels by age of the wife, {len(self.too_small)} too small to say",
            f"  marrying down from level {self.down_from}: women {percent(a.women_down)} → "
            f"{percent(b.women_down)}, men {percent(a.men_down)} → {percent(b.men_down)}",
            f"  alike {percent(a.homogamy)} → {percent(b.homogamy)}, husband higher "
            f"{percent(a.hypergamy)} → {percent(b.hypergamy)}, wife higher "
            f"{percent(a.hypogamy)} → {percent(b.hypogamy)}",
        ]
        worst = self._worst()
        shown = ", ".join(
            f"{level}: {x:.2f} → {y:.2f}{'!' if i in worst.failing(self.threshold) else ''}"
            for i, (level, x, y) in enumerate(
                zip(
                    worst.levels,
                    worst.values(worst.original),
                    worst.values(worst.released),
                    strict=True,
                )
            )
            if worst.judged[i]
        )
        if shown:
            lines.append(f"  log odds ({worst.statistic}), wives of {worst.name}: {shown}")
        if self.suggestion:
            lines.append(f"  → {self.suggestion}")
        return lines

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"Log odds of marrying one's like ({self.groups[0].statistic}), by age of the wife",
                ("ages", "level", "original", "released", "difference", "judged"),
                [
                    (g.name, level, x, y, y - x, bool(judged))
                    for g in self.groups
                    for level, x, y, judged in zip(
                        g.levels,
                        g.values(g.original).tolist(),
                        g.values(g.released).tolist(),
                        g.judged,
                        strict=True,
                    )
                ],
                {"original": ".2f", "released": ".2f", "difference": "+.2f"},
            ),
            Table(
                "Who marries whom, shares of couples",
                ("", "original", "released"),
                [
                    ("alike", self.original.homogamy, self.released.homogamy),
                    ("husband higher", self.original.hypergamy, self.released.hypergamy),
                    ("wife higher", self.original.hypogamy, self.released.hypogamy),
                    (
                        f"women marrying down from level {self.down_from}",
                        self.original.women_down,
                        self.released.women_down,
                    ),
                    (
                        f"men marrying down from level {self.down_from}",
                        self.original.men_down,
                        self.released.men_down,
                    ),
                ],
                {"original": ".1%", "released": ".1%"},
            ),
        ]

    def _notes(self) -> list[str]:
        return [self.suggestion] if self.suggestion else []


def homogamy(
    original: CoupleEducation,
    released: CoupleEducation,
    *,
    down_from: str | None = None,
    groups: Sequence[tuple[int, int]] = AGE_GROUPS,
    statistic: Statistic = "observed/expected",
    threshold: float = 0.2,
    least: int = 50,
) -> Homogamy:
    """Compare who marries whom by education: shares, and log odds by level.

    Parameters
    ----------
    down_from
        The level at and above which marrying down is counted; the highest if none is named.
    groups
        First and last ages of the wife for which log odds are compared.
    statistic
        Which log odds the verdict is about: ln(observed/expected), or that of the odds ratio.
    threshold
        The largest difference allowed: 0.2 is a fifth more or fewer couples of a kind. The files
        are about the same couples, so a difference is read as it is, not against chance.
    least
        Couples of a level, observed or expected, that the original needs, and the released file
        would have if it had kept them in proportion. Of two files of other couples, 50 give a
        difference with a standard error of √(2/50) = 0.2, the threshold.

    >>> counts = np.zeros((131, 2, 2))
    >>> counts[30] = [[300, 100], [100, 300]]
    >>> file = CoupleEducation(counts, ("low", "high"))
    >>> counts = counts.copy()
    >>> counts[30] = 200
    >>> found = homogamy(file, CoupleEducation(counts, ("low", "high")), groups=[(25, 34)])
    >>> found.failing
    (('25–34', 'low'), ('25–34', 'high'))
    """
    if original.levels != released.levels:
        raise InputError("Both files must have the same levels of education, in the same order.")
    if statistic not in get_args(Statistic):
        raise InputError(
            f"The statistic must be one of {', '.join(get_args(Statistic))}. Got '{statistic}'."
        )
    if not groups or least < 1 or not threshold >= 0:
        raise InputError(
            "The test of homogamy needs a group of ages, least of at least 1 and a threshold from "
            f"0. Got {len(groups)} groups, {least} and {threshold}."
        )
    levels = original.levels
    level = levels[-1] if down_from is None else str(down_from)
    if level not in levels:
        raise InputError(f"There is no level '{level}'. {did_you_mean(level, levels)}")
    before, after = (
        mating(file.counts.sum(axis=0), at_least=levels.index(level))
        for file in (original, released)
    )
    compared = tuple(_group(original, released, ages, statistic, least) for ages in groups)
    return Homogamy(
        levels,
        level,
        before,
        after,
        compared,
        threshold,
        least,
        (original.left_out, released.left_out),
    )


def _group(
    original: CoupleEducation,
    released: CoupleEducation,
    ages: tuple[int, int],
    statistic: Statistic,
    least: int,
) -> HomogamyGroup:
    first, last = ages
    if not 0 <= first <= last:
        raise InputError(f"A group of ages must be from low to high. Got {first} to {last}.")
    before, after = (
        log_odds(file.counts[first : last + 1].sum(axis=0)) for file in (original, released)
    )
    whole, size = (file.counts[first : last + 1].sum() for file in (original, released))
    couples = np.nan_to_num(np.fmax(before.observed, before.expected))
    judged = (couples >= least) & (couples * size >= least * whole) & np.isfinite(before.ratio)
    return HomogamyGroup((first, last), original.levels, before, after, judged, statistic)


def _known(value: float) -> float:
    return value if np.isfinite(value) else -1.0


def _by_name(found: Mating) -> dict[str, float]:
    return {name: float(value) for name, value in vars(found).items()}
