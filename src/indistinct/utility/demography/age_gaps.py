"""The age gap between spouses by age, original against released (McCaa and others 2013, 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, did_you_mean
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.utility.analyses.printing import by_side
from indistinct.utility.demography.breaks import AgeBreak, find_break
from indistinct.utility.demography.counts import CoupleAges
from indistinct.utility.demography.figures import gap_figure
from indistinct.utility.demography.words import verdict

__all__ = ["AgeGap", "GapCurve", "Reference", "age_gap"]


Reference = Literal["wife", "husband", "older"]
"""Whose age the gap is read by."""


@dataclass(frozen=True, eq=False)
class GapCurve(Part):
    """The mean gap by the age of one partner: g(a) = mean(age of husband − age of wife | a).

    Parameters
    ----------
    reference
        Whose age `ages` are.
    original, released
        The mean gap in years at every age that has couples in either file; not a number where
        one file has none.
    couples_original, couples_released
        The couples at that age.
    judged
        The ages with enough couples in both files.
    lost
        The ages that nobody has any more who would be enough, as after a coarsening of ages.
    """

    reference: Reference
    ages: Ints
    original: Floats
    released: Floats
    couples_original: Floats
    couples_released: Floats
    judged: Bools
    lost: Bools
    _error: Floats

    FACTS = facts(
        "ages original released difference couples_original couples_released judged",
        Fact("lost", lambda found: found.ages[found.lost].tolist()),
        Fact("max", "largest"),
        Fact("max_at", "largest_at"),
        "mean weighted_mean noise",
    )

    @property
    def difference(self) -> Floats:
        """Released less original, in years."""
        return self.released - self.original

    @property
    def largest(self) -> float:
        """The largest |difference| at an age that is judged."""
        sizes = np.abs(self.difference[self.judged])
        return float(sizes.max()) if len(sizes) else float("nan")

    @property
    def largest_at(self) -> int | None:
        """The age of the largest difference."""
        if not self.judged.any():
            return None
        sizes = np.where(self.judged, np.abs(self.difference), -1.0)
        return int(self.ages[sizes.argmax()])

    @property
    def noise(self) -> float:
        """The standard error of the difference where it is largest, were the couples others."""
        at = self.largest_at
        return float("nan") if at is None else float(self._error[self.ages == at][0])

    @property
    def mean(self) -> float:
        """The mean |difference| over the ages judged."""
        sizes = np.abs(self.difference[self.judged])
        return float(sizes.mean()) if len(sizes) else float("nan")

    @property
    def weighted_mean(self) -> float:
        """The mean |difference| over the original couples of the ages judged."""
        sizes, couples = np.abs(self.difference[self.judged]), self.couples_original[self.judged]
        return float(sizes @ couples / couples.sum()) if len(sizes) else float("nan")


@result
class AgeGap(Result):
    """The test of the age gap: the curves, a break if there is one, and the verdict.

    Parameters
    ----------
    original, released
        The couples of both files.
    curves
        One per reference.
    broken
        The age at which couples stop belonging together.
    threshold
        The largest difference allowed at any age judged, in years.
    least
        Couples that an age needs in both files to be judged.
    """

    original: CoupleAges
    released: CoupleAges
    curves: tuple[GapCurve, ...]
    broken: AgeBreak | None
    threshold: float
    least: int

    FACTS = facts(
        Fact("measure", lambda _: "age gap between spouses"),
        Fact(
            "*",
            lambda found: by_side({c.reference: c.to_dict() for c in found.curves}),
            spread=True,
        ),
        Fact("max_difference", "difference"),
        "threshold passed suggestion least",
        Fact("break", "broken"),
        Fact("couples", lambda found: [found.original.couples, found.released.couples]),
        Fact("left_out", lambda found: [found.original.left_out, found.released.left_out]),
        Fact("correlation", lambda found: [found.original.correlation, found.released.correlation]),
        Fact("curves", lambda found: {c.reference: c for c in found.curves}),
    )

    @property
    def difference(self) -> float:
        """The largest difference of all curves, in years."""
        sizes = [c.largest for c in self.curves if c.judged.any()]
        return max(sizes, default=float("nan"))

    @property
    def passed(self) -> bool | None:
        """Whether every curve is kept and none is broken; None if no age could be judged."""
        if self.broken or any(c.lost.any() for c in self.curves):
            return False
        if self.original.couples and not self.released.couples:
            return False
        return None if np.isnan(self.difference) else bool(self.difference <= self.threshold)

    @property
    def suggestion(self) -> str:
        """What to do about a test that failed or could not be made; else nothing."""
        if self.passed:
            return ""
        if self.passed is None:
            return f"no age has {self.least:,} couples in both files: set a smaller least"
        if not self.released.couples:
            return "no couple was found in the released file: give the kinship of the original"
        lost = max(int(c.lost.sum()) for c in self.curves)
        if lost:
            return (
                f"{lost} ages have no couple any more: release single years of age, or do without "
                "this analysis"
            )
        if self.broken:
            who = (
                f"from {self.broken.age} on"
                if self.broken.side == "and over"
                else f"below {self.broken.age}"
            )
            return (
                f"ages {who} were changed without the spouse's: shuffle those of husband and wife "
                "as one vector, or within classes of the spouse's age"
            )
        worst = max((c for c in self.curves if c.judged.any()), key=lambda c: c.largest)
        if worst.largest <= 2 * worst.noise:
            return (
                f"the largest difference is within two standard errors ({worst.noise:.2f} each): "
                "judge ages with more couples (least)"
            )
        return (
            "shuffle the ages of husband and wife as one vector, or each within classes of the "
            "spouse's age"
        )

    def plot(self, reference: Reference | None = None) -> str:
        """Draw both curves by the age of one partner, the first if none is named, as SVG."""
        curve = next((c for c in self.curves if c.reference == reference), None)
        if reference is not None and curve is None:
            known = [c.reference for c in self.curves]
            raise InputError(
                f"There is no curve of '{reference}'. {did_you_mean(reference, known)}"
            )
        return gap_figure(curve or self.curves[0], self.broken)

    def _lines(self) -> list[str]:
        off = f", at most {self.difference:.2f} years off" if np.isfinite(self.difference) else ""
        lines = [
            f"Age gap between spouses: {verdict(self.passed)}{off} (allowed {self.threshold:g}), "
            f"{self.original.couples:,} → {self.released.couples:,} couples"
        ]
        for c in self.curves:
            if c.judged.any():
                lines.append(
                    f"  by age of the {c.reference}: max {c.largest:.2f} at {c.largest_at}, mean "
                    f"{c.mean:.2f}, by couples {c.weighted_mean:.2f}, {int(c.judged.sum())} ages"
                )
        if len(lines) > 1 or self.broken:
            lines.append(
                f"  correlation of ages {self.original.correlation:.3f} → "
                f"{self.released.correlation:.3f}; {self.broken or 'no break'}"
            )
        if self.suggestion:
            lines.append(f"  → {self.suggestion}")
        return lines

    def _tables(self) -> list[Table]:
        rows = [
            (c.reference, int(age), x, y, y - x, bool(judged))
            for c in self.curves
            for age, x, y, judged in zip(
                c.ages, c.original.tolist(), c.released.tolist(), c.judged, strict=True
            )
        ]
        return [
            Table(
                "Mean years that husbands are older, by the age of one partner",
                ("by age of", "age", "original", "released", "difference", "judged"),
                rows,
                {"age": "d", "original": ".2f", "released": ".2f", "difference": "+.2f"},
            )
        ]

    def _notes(self) -> list[str]:
        return [self.suggestion] if self.suggestion else []


def age_gap(
    original: CoupleAges,
    released: CoupleAges,
    *,
    references: Sequence[Reference] = ("wife", "husband"),
    least: int = 200,
    threshold: float = 0.5,
) -> AgeGap:
    """Compare the mean age gap between spouses at every age, and look for a break.

    Parameters
    ----------
    references
        Whose age the gap is read by: "wife", "husband", "older".
    least
        Couples that an age needs in both files to be judged. With 200 the mean gap of an age has
        a standard error of about 0.3 years, so that a difference of `threshold` is not chance
        where most couples are the same people.
    threshold
        The largest difference allowed, in years: age is known in completed years, and half a
        year is the least difference that changes a curve read in whole ones.

    >>> table = np.zeros((131, 131))
    >>> table[34, 31] = table[33, 31] = 300
    >>> gap = age_gap(CoupleAges(table), CoupleAges(table))
    >>> gap.curves[0].original.tolist(), gap.passed
    ([2.5], True)
    """
    for reference in references:
        if reference not in get_args(Reference):
            raise InputError(
                f"A reference must be one of {', '.join(get_args(Reference))}. Got '{reference}'."
            )
    if not references or least < 2 or not threshold >= 0:
        raise InputError(
            "The test of the age gap needs a reference, least of at least 2 and a threshold from "
            f"0. Got {len(references)} references, {least} and {threshold}."
        )
    curves = tuple(_curve(original.counts, released.counts, r, least) for r in references)
    broken = find_break(original, released, years=threshold)
    return AgeGap(original, released, curves, broken, threshold, least)


def _curve(original: Floats, released: Floats, reference: Reference, least: int) -> GapCurve:
    n, before, squares = _by_age(original, reference)
    m, after, squares_after = _by_age(released, reference)
    ages = np.flatnonzero(n + m)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(squares / n + squares_after / m)
    judged = (n >= least) & (m >= least)
    share = m.sum() / n.sum() if n.sum() else 0.0
    lost = (n >= least) & (n * share >= least) & (m == 0)
    return GapCurve(
        reference,
        ages,
        before[ages],
        after[ages],
        n[ages],
        m[ages],
        judged[ages],
        lost[ages],
        error[ages],
    )


def _by_age(counts: Floats, reference: Reference) -> tuple[Floats, Floats, Floats]:
    """Return couples, mean and variance of the gap by the age of one partner."""
    husband, wife = np.indices(counts.shape)
    of = {"wife": wife, "husband": husband, "older": np.maximum(husband, wife)}[reference].ravel()
    gap, couples = (husband - wife).ravel(), counts.ravel()
    n = np.bincount(of, couples).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(of, couples * gap) / n
        variance = np.bincount(of, couples * gap**2) / n - mean**2
    return n, mean, variance
