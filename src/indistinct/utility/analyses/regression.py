"""Regressions on both files: would a researcher report the same coefficients?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from indistinct.core import InputError, above, check_number, progress
from indistinct.keys import Coded
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import agreement, bars
from indistinct.utility.analyses.fitting import (
    Fit,
    columns_in_order,
    fit_least_squares,
    fit_logistic,
)
from indistinct.utility.analyses.printing import by_side
from indistinct.utility.analyses.terms import CONSTANT, Modelled, model_data

__all__ = [
    "Coefficient",
    "Regression",
    "Regressions",
    "compare_regression",
    "compare_regressions",
    "interval_overlap",
]

Family = Literal["linear", "logistic"]


def interval_overlap(original: tuple[float, float], released: tuple[float, float]) -> float:
    """Return the overlap of two confidence intervals, 0 to 1.

    J = ½ [ |I ∩ I′| / |I| + |I ∩ I′| / |I′| ] (Karr and others 2006); 0 where they do not meet.

    >>> interval_overlap((0.0, 4.0), (2.0, 4.0))
    0.75
    >>> interval_overlap((0.0, 1.0), (2.0, 3.0))
    0.0
    """
    common = min(original[1], released[1]) - max(original[0], released[0])
    first, second = original[1] - original[0], released[1] - released[0]
    if first <= 0 or second <= 0:
        return 1.0 if original == released else 0.0
    return max(0.0, (common / first + common / second) / 2)


@dataclass(frozen=True)
class Coefficient(Part):
    """One coefficient in both files, with its standard error.

    `overlap` is that of the confidence intervals, `standardised` the difference in standard
    errors of the original.
    """

    name: str
    original: float
    released: float
    se_original: float
    se_released: float
    overlap: float
    standardised: float
    same_sign: bool
    significant: tuple[bool, bool]

    FACTS = facts(
        "original released",
        Fact("difference", lambda found: found.released - found.original),
        "se_original se_released overlap standardised same_sign significant",
    )


@result(eq=True)
class Regression(Result):
    """One model fitted to both files.

    Parameters
    ----------
    formula
        Outcome and predictors, for people.
    family
        Least squares, or logistic.
    level
        Of the confidence intervals and of significance.
    coefficients
        Those that could be estimated in both files.
    not_compared
        Coefficients that one of the files could not give.
    records, left_out
        Used in each file; left out because the outcome or a number was missing.
    converged
        In each file.
    """

    formula: str
    family: Family
    level: float
    coefficients: tuple[Coefficient, ...]
    records: tuple[int, int]
    left_out: tuple[int, int]
    converged: tuple[bool, bool] = (True, True)
    not_compared: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    FACTS = facts(
        Fact("*", lambda found: by_side(found._each), spread=True),
        Fact("coefficients", "_each"),
        "formula family level overlap same_sign same_significance standardised records left_out",
        "converged not_compared notes",
    )

    @property
    def overlap(self) -> float:
        """The mean overlap of the confidence intervals."""
        return _mean([c.overlap for c in self.coefficients])

    @property
    def same_sign(self) -> float:
        """The share of coefficients whose sign is the same."""
        return _mean([float(c.same_sign) for c in self.coefficients])

    @property
    def same_significance(self) -> float:
        """The share that is significant in both files or in neither."""
        return _mean([float(c.significant[0] == c.significant[1]) for c in self.coefficients])

    @property
    def standardised(self) -> float:
        """The mean absolute difference in standard errors of the original."""
        return _mean([abs(c.standardised) for c in self.coefficients])

    @property
    def worst(self) -> Coefficient | None:
        """The coefficient, other than the constant, that moved most, in standard errors."""
        slopes = [c for c in self.coefficients if c.name != CONSTANT]
        return max(slopes, key=lambda c: abs(c.standardised), default=None)

    @property
    def _each(self) -> dict[str, dict[str, Any]]:
        return {one.name: one.to_dict() for one in self.coefficients}

    def plot(self) -> str:
        """Draw the coefficients but the constant, each over its standard error in the original."""
        kept = [c for c in self.coefficients if c.se_original > 0 and c.name != CONSTANT]
        return agreement(
            f"{self.formula}: coefficients",
            [c.name for c in kept],
            [c.original / c.se_original for c in kept],
            [c.released / c.se_original for c in kept],
            what="coefficient / standard error",
        )

    def _lines(self) -> list[str]:
        lines = [
            f"{self.formula} ({self.family}, {self.records[0]:,} and {self.records[1]:,} records)",
            f"  {len(self.coefficients)} coefficients: intervals overlap {self.overlap:.3f} in the "
            f"mean; sign the same in {100 * self.same_sign:.0f} %, significance in "
            f"{100 * self.same_significance:.0f} %",
        ]
        for c in sorted(self.coefficients, key=lambda c: -abs(c.standardised))[:8]:
            lines.append(
                f"  {c.name:<28} {c.original:>12.5g} ({c.se_original:.2g})"
                f" -> {c.released:>12.5g} ({c.se_released:.2g})  overlap {c.overlap:.2f}"
            )
        return [*lines, *(f"  note: {note}" for note in self.notes)]

    def _tables(self) -> list[Table]:
        ordered = sorted(self.coefficients, key=lambda c: -abs(c.standardised))
        return [
            Table(
                f"{self.formula}: coefficients, those that moved most first",
                (
                    "coefficient",
                    "original",
                    "standard error",
                    "released",
                    "standard error, released",
                    "overlap",
                    "same sign",
                ),
                [
                    (
                        c.name,
                        c.original,
                        c.se_original,
                        c.released,
                        c.se_released,
                        c.overlap,
                        c.same_sign,
                    )
                    for c in ordered
                ],
                {"overlap": ".2f"},
            )
        ]


@result(eq=True)
class Regressions(Result):
    """Several models; `chosen` says how they were found."""

    models: tuple[Regression, ...]
    chosen: str = ""

    FACTS = facts(
        Fact("*", lambda found: by_side(found._each), spread=True),
        Fact("models", "_each"),
        "chosen overlap",
        Fact("same_sign", lambda found: _mean([float(c.same_sign) for c in found.coefficients])),
        Fact(
            "same_significance",
            lambda found: _mean(
                [float(c.significant[0] == c.significant[1]) for c in found.coefficients]
            ),
        ),
    )

    @property
    def coefficients(self) -> list[Coefficient]:
        """Those of all models."""
        return [c for model in self.models for c in model.coefficients]

    @property
    def overlap(self) -> float:
        """The mean overlap of all confidence intervals."""
        return _mean([c.overlap for c in self.coefficients])

    @property
    def worst(self) -> Regression | None:
        """The model whose intervals overlap least."""
        return min(self.models, key=lambda m: m.overlap, default=None)

    @property
    def _each(self) -> dict[str, dict[str, Any]]:
        return {model.formula: model.to_dict() for model in self.models}

    def plot(self) -> str:
        """Draw the model whose intervals overlap least."""
        worst = self.worst
        return worst.plot() if worst is not None else agreement("No model", [], [], [], what="")

    def _lines(self) -> list[str]:
        lines = [
            f"{len(self.models)} regressions, {len(self.coefficients)} coefficients: intervals "
            f"overlap {self.overlap:.3f} in the mean"
        ]
        lines += [f"  {self.chosen}"] if self.chosen else []
        for m in self.models:
            lines.append(
                f"  {m.formula:<48} {m.family:<8} overlap {m.overlap:.3f}, sign "
                f"{100 * m.same_sign:.0f} %, significance {100 * m.same_significance:.0f} %"
            )
        return lines

    def _tables(self) -> list[Table]:
        return [
            Table(
                "Models, and how far their confidence intervals overlap",
                ("model", "family", "coefficients", "overlap", "same sign", "same significance"),
                [
                    (
                        m.formula,
                        m.family,
                        len(m.coefficients),
                        m.overlap,
                        m.same_sign,
                        m.same_significance,
                    )
                    for m in self.models
                ],
                {"overlap": ".3f", "same sign": ".0%", "same significance": ".0%"},
            )
        ]

    def _figures(self) -> list[str]:
        # coefficients name categories: they are for those who ask for `plot`
        return [
            bars(
                "Overlap of the confidence intervals, per cent",
                [model.formula for model in self.models],
                [100 * model.overlap for model in self.models],
            )
        ]


def _mean(values: Sequence[float]) -> float:
    real = [value for value in values if np.isfinite(value)]
    return float(np.mean(real)) if real else np.nan


def compare_regression(
    coded: Coded,
    outcome: str,
    predictors: Sequence[str],
    *,
    family: Family | None = None,
    success: Any = None,
    level: float = 0.95,
    most_categories: int = 30,
) -> Regression:
    """Fit one model to both files and compare its coefficients.

    Numbers enter as they are, categories as indicators against the commonest category of the
    original; categories beyond the `most_categories` commonest are one, *other*. Missing is a
    category of a category; a record without the outcome, or without a number, is left out.

    Parameters
    ----------
    family
        By default least squares for numbers and ordinal variables, logistic for everything else.
    success
        The value of the outcome that counts as 1 in a logistic model; by default the second of
        two, else the commonest.
    level
        Of the confidence intervals.
    """
    check_number("The confidence level", level, above(0, below=1))
    if outcome in predictors or not predictors:
        raise InputError(f"Name predictors of '{outcome}' other than itself.")
    chosen: Family = family or ("linear" if coded[outcome].is_ordered else "logistic")
    data = model_data(
        coded, outcome, predictors, family=chosen, success=success, most=most_categories
    )
    fit = fit_least_squares if chosen == "linear" else fit_logistic
    independent = [
        columns_in_order(side.design.gram(np.ones(side.design.records)))
        for side in (data.original, data.released)
    ]
    used = np.intersect1d(independent[0], independent[1])
    before, after = (
        fit(side.design, side.y, weights=side.weights, only=used)
        for side in (data.original, data.released)
    )
    return _compared(data, before, after, chosen, level)


def _compared(data: Modelled, before: Fit, after: Fit, family: Family, level: float) -> Regression:
    z = float(ndtri(0.5 + level / 2))
    # back from standardised numbers to the units of the data
    first, second = (data.back @ np.nan_to_num(fit.beta) for fit in (before, after))
    errors = [
        np.sqrt(np.maximum(np.diag(data.back @ np.nan_to_num(f.covariance) @ data.back.T), 0.0))
        for f in (before, after)
    ]
    lost = np.isnan(before.beta) | np.isnan(after.beta)
    found = []
    for j in np.flatnonzero(~lost):
        a, b, s, t = (float(v[j]) for v in (first, second, errors[0], errors[1]))
        found.append(
            Coefficient(
                data.names[j],
                a,
                b,
                s,
                t,
                interval_overlap((a - z * s, a + z * s), (b - z * t, b + z * t)),
                (b - a) / s if s > 0 else (0.0 if a == b else np.inf),
                bool(np.sign(a) == np.sign(b)),
                (bool(abs(a) > z * s), bool(abs(b) > z * t)),
            )
        )
    return Regression(
        data.formula,
        family,
        level,
        tuple(found),
        (data.original.design.records, data.released.design.records),
        (data.original.left_out, data.released.left_out),
        (before.converged, after.converged),
        tuple(data.names[j] for j in np.flatnonzero(lost)),
        data.notes,
    )


def compare_regressions(
    coded: Coded,
    *,
    outcomes: Sequence[str] = (),
    predictors: Sequence[str] = (),
    most: int = 4,
    level: float = 0.95,
) -> Regressions:
    """Fit a handful of models: each outcome on the predictors.

    Without outcomes, ordered variables that are not predictors are taken, those with most
    values first; without predictors, the other variables with fewest categories.

    Parameters
    ----------
    outcomes, predictors
        Variables; the project's sensitive and key variables are the natural choice.
    most
        At most so many models, and one more predictor than that.
    """
    coded.chosen([*outcomes, *predictors])
    said = "as asked"
    names = list(outcomes)
    if not names:
        free = [c for c in coded.chosen(None) if c.name not in predictors]
        ordered = [c for c in free if c.is_ordered] or free
        names = [c.name for c in sorted(ordered, key=lambda c: -c.size)[:most]]
        said = f"nobody named outcomes: {', '.join(names)} were taken"
    fitted = []
    for outcome in progress.each(names[:most], "fitting regressions", unit="models"):
        explaining = [name for name in predictors if name != outcome]
        if not predictors:
            others = [c for c in coded.chosen(None) if c.name != outcome and c.size > 1]
            others.sort(key=lambda c: 2 if c.is_numeric else c.size)
            explaining = [c.name for c in others[: most + 1]]
        try:
            fitted.append(compare_regression(coded, outcome, explaining, level=level))
        except InputError as error:
            # one outcome that cannot be modelled does not spoil the others
            said += f"; none of {outcome} ({str(error).rstrip('.')})"
    if len(names) > most:
        said += f"; the first {most} of {len(names)} outcomes"
    return Regressions(tuple(fitted), f"Models: {said}.")
