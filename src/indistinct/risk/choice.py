"""Choosing the log-linear model, so that nobody need write a formula.

A forward search from main effects: at every step the interaction is added that brings the two
criteria of under- and overfitting nearest to what a model that holds would give (see
`indistinct.risk.choice`), among those that the data show at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit

from indistinct.core import Floats, Fraction, InputError, Seed, progress
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.formula import Model
from indistinct.risk.loglinear import Fit
from indistinct.risk.shrinkage import ShrunkenModel, full_support
from indistinct.risk.skinner_holmes import RecordRisk, record_risk

__all__ = ["ModelPath", "Step", "choose_model", "criteria"]


# Does a log-linear model fit too little or too much for the risk measures taken from it?
#
# With f ~ Poisson(πλ), a file measure Σ I(f=1) h(λ) and its estimate Σ I(f=1) h(λ̂), the expected
# error is B = Σ E[I(f=1)] {h(λ̂) - h(λ)}. Expanded to the second order, with (f - πλ̂)/π for λ - λ̂
# and [(f - πλ̂)² - f]/π² for its square,
#
#     B̂ = Σ g(λ̂) { -h'(λ̂) (f - πλ̂)/π + ½ h''(λ̂) [(f - πλ̂)² - f]/π² },   g(λ) = πλ e^(-πλ),
#
# over all cells. Under a model that holds, the two brackets are uncorrelated with variances πλ and
# 2(πλ)², which gives the variance v̂ of B̂; B̂/√v̂ is then about standard normal. Far above zero the
# model fits too little and the measure is overstated, far below it fits too much.
#
# For the expected population uniques, h(λ) = exp[-(1-π)λ], this is the criterion of Skinner and
# Shlomo (2008, JASA 103, 989-1001); for the expected correct matches, h(λ) = (1 - e^-a)/a with
# a = (1-π)λ, it follows in the same way.


@dataclass(frozen=True)
class Criteria:
    """The expected errors of the two file measures, and their standard errors.

    `bias1` and `error1` are of the expected population uniques, `bias2` and `error2` of the
    expected correct matches.
    """

    bias1: float
    error1: float
    bias2: float
    error2: float

    @property
    def z1(self) -> float:
        """The standardised criterion for expected population uniques."""
        return self.bias1 / self.error1 if self.error1 > 0 else 0.0

    @property
    def z2(self) -> float:
        """The standardised criterion for expected correct matches."""
        return self.bias2 / self.error2 if self.error2 > 0 else 0.0

    @property
    def distance(self) -> float:
        """How far the two are from what a model that holds would give."""
        return float(np.hypot(self.z1, self.z2))


def criteria(counts: Floats, means: Floats, weights: Floats, fraction: float) -> Criteria:
    """Compute both criteria over cells, each standing for `weights` cells.

    >>> counts, means = np.array([1.0, 0.0, 3.0]), np.array([0.5, 0.5, 3.0])
    >>> found = criteria(counts, means, np.ones(3), 0.5)
    >>> round(found.bias1, 4), round(found.error1, 4)
    (-0.0571, 0.2067)
    """
    bias1, variance1, bias2, variance2 = _sums(counts, means, weights, fraction)
    return Criteria(float(bias1), sqrt(variance1), float(bias2), sqrt(variance2))


@njit(cache=True, nogil=True)
def _sums(counts, means, weights, fraction):  # type: ignore[no-untyped-def]
    one = variance1 = two = variance2 = 0.0
    rest = 1.0 - fraction
    for x in range(len(counts)):
        mean, f, w = means[x], counts[x], weights[x]
        # beyond this g(λ) is nothing to any number of cells
        if mean <= 0.0 or mean > 200.0:
            continue
        a = rest * mean / fraction
        off = f - mean
        square = off * off - f
        share = mean * np.exp(-mean)
        e = np.exp(-a)
        if a < 1e-3:
            first = -0.5 + a / 3.0
            second = 1.0 / 3.0 - a / 4.0
        else:
            first = (e * (a + 1.0) - 1.0) / (a * a)
            second = (2.0 - e * (a * a + 2.0 * a + 2.0)) / (a * a * a)
        ratio = rest / fraction
        line, bend = share * e * ratio, 0.5 * share * e * ratio * ratio
        one += w * (line * off + bend * square)
        variance1 += w * (line * line * mean + bend * bend * 2.0 * mean * mean)
        line, bend = -share * first * ratio, 0.5 * share * second * ratio * ratio
        two += w * (line * off + bend * square)
        variance2 += w * (line * line * mean + bend * bend * 2.0 * mean * mean)
    return one, variance1, two, variance2


NOT_SIGNIFICANT = 1.96

FAR = 3.5
"""A standardised criterion beyond which the chosen model is said not to hold."""

SEVERAL_AT_ONCE = 20
"""With more candidates than this, several are added in a step."""

FINAL_CYCLES = 60


@dataclass(frozen=True)
class Step:
    """One model of the path: its criteria, and what it says of the file.

    `parameters` counts each shrunk factor by the part that the data decide, and is rarely whole.
    `deviance` is 2 Σ f log(f/μ̂) - 2 Σ (f - μ̂) over the observed classes and all fitted means.
    """

    added: str
    model: Model
    parameters: float
    criteria: Criteria
    expected_population_uniques: float
    expected_reidentifications: float
    deviance: float

    @property
    def aic(self) -> float:
        """The deviance plus twice the parameters."""
        return self.deviance + 2 * self.parameters


@result
class ModelPath(Result):
    """The models tried, the one chosen, and what follows from it.

    Parameters
    ----------
    path
        The models from main effects onwards.
    chosen
        The place of the chosen one in the path.
    risk
        The risk of every record under it.
    standard_errors
        Of the expected population uniques and of the expected correct matches, as predictions of
        the true numbers: the criterion's own error, and the chance in each record's outcome.
    shapes
        The shape κ of each interaction, by its name; small means strong. Empty without shrinking.
    assumptions
        What the numbers rest on.
    """

    path: tuple[Step, ...]
    chosen: int
    risk: RecordRisk
    standard_errors: tuple[float, float]
    shapes: dict[str, float]
    assumptions: tuple[str, ...]

    FACTS = facts(
        Fact("model", "model.text"),
        "chosen",
        Fact("path", "_rows"),
        Fact("expected_population_uniques", shown="population uniques expected", form=",.1f"),
        Fact(
            "expected_population_uniques_interval",
            lambda found: found.intervals()[0],
            shown="95 % interval of population uniques",
        ),
        Fact("expected_reidentifications", shown="correct matches expected", form=",.1f"),
        Fact(
            "expected_reidentifications_interval",
            lambda found: found.intervals()[1],
            shown="95 % interval of correct matches",
        ),
        "standard_errors",
        Fact(
            "shapes",
            lambda found: {name: one for name, one in found.shapes.items() if np.isfinite(one)},
        ),
        "assumptions",
    )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the criterion leaves in doubt."""
        return tuple(_doubt(self.step.criteria))

    def sentence(self) -> str:
        """Say the model chosen, and what follows from it."""
        return (
            f"Model {self.model.text}: {self.expected_population_uniques:,.1f} population uniques, "
            f"{self.expected_reidentifications:,.1f} correct matches expected"
        )

    @property
    def step(self) -> Step:
        """The chosen model's step."""
        return self.path[self.chosen]

    @property
    def model(self) -> Model:
        """The chosen model."""
        return self.step.model

    @property
    def fit(self) -> Fit:
        """The chosen model, fitted."""
        return self.risk.fit

    @property
    def expected_population_uniques(self) -> float:
        """Sample uniques that are expected to be unique in the population."""
        return self.risk.expected_population_uniques

    @property
    def expected_reidentifications(self) -> float:
        """Expected correct matches of the sample uniques."""
        return self.risk.expected_reidentifications

    def intervals(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return 95 % intervals for the two true numbers."""
        values = (self.expected_population_uniques, self.expected_reidentifications)
        first, second = (
            (max(0.0, value - 1.96 * error), min(self.risk.sample_uniques, value + 1.96 * error))
            for value, error in zip(values, self.standard_errors, strict=True)
        )
        return first, second

    @property
    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "added": step.added,
                "model": step.model.text,
                "parameters": step.parameters,
                "bias1": step.criteria.bias1,
                "z1": step.criteria.z1,
                "bias2": step.criteria.bias2,
                "z2": step.criteria.z2,
                "expected_population_uniques": step.expected_population_uniques,
                "expected_reidentifications": step.expected_reidentifications,
                "deviance": step.deviance,
                "aic": step.aic,
            }
            for step in self.path
        ]

    def to_frame(self) -> Any:
        """Return the path as a pandas frame (pandas must be installed)."""
        return pa.Table.from_pylist(self._rows).to_pandas()

    def plot(self) -> str:
        """Draw the two estimates along the path of models, as SVG; a star marks the chosen one."""
        labels = [
            f"{'* ' if place == self.chosen else ''}{step.added}"
            for place, step in enumerate(self.path)
        ]
        return bars(
            "Estimates as interactions are added",
            labels,
            [step.expected_population_uniques for step in self.path],
            beside=[step.expected_reidentifications for step in self.path],
            names=("population uniques", "correct matches"),
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "Models as interactions are added",
                (
                    "added",
                    "chosen",
                    "parameters",
                    "z1",
                    "z2",
                    "population uniques",
                    "correct matches",
                ),
                [
                    (
                        step.added,
                        j == self.chosen,
                        step.parameters,
                        step.criteria.z1,
                        step.criteria.z2,
                        step.expected_population_uniques,
                        step.expected_reidentifications,
                    )
                    for j, step in enumerate(self.path)
                ],
                {"z1": ".1f", "z2": ".1f", "population uniques": ",.1f", "correct matches": ",.1f"},
            )
        ]


def choose_model(
    table: KeyTable,
    *,
    fraction: Fraction,
    max_order: int = 2,
    shrink: bool = True,
    draws: int = 500_000,
    seed: Seed = 0,
) -> ModelPath:
    """Choose interactions by forward search, and estimate the risk under the chosen model.

    Parameters
    ----------
    fraction
        The sampling fraction, above 0 and below 1.
    max_order
        Variables in the largest interaction, 2 or 3.
    shrink
        Estimate interactions with shrinkage (see `indistinct.risk.shrinkage`); the search then
        ends when the data show no further interaction. Without it interactions are fitted by
        maximum likelihood, and the search ends, as in Skinner and Shlomo (2008), at the first
        model whose criteria are both below 1.96, or at the one nearest to it.
    draws, seed
        Cells to draw where the cross-product is too large, and the seed.

    >>> from indistinct.census import SKINNER_HOLMES_KEY, census_table
    >>> import indistinct
    >>> with indistinct.open_data(census_table(5000, seed=1)) as data:
    ...     table = data.key_table(["age_group", "sex", "marital"])
    >>> choose_model(table, fraction=0.1).model.text
    'age_group*marital + sex*marital'
    """
    if not 0 < fraction < 1:
        raise InputError(
            f"The sampling fraction must lie between 0 and 1. Got {fraction}. With all of the "
            "population in the file its uniques are counted, not estimated."
        )
    if max_order not in (2, 3):
        raise InputError(f"max_order must be 2 or 3. Got {max_order}.")
    if len(table.names) < 2:
        raise InputError(f"A model needs at least two key variables. Got {len(table.names)}.")
    support = full_support(table, draws=draws, seed=seed)
    fitted = ShrunkenModel(table, support, shrink=shrink)
    with progress.task("choosing a log-linear model", unit="interactions") as choosing:
        path = _search(fitted, fraction, max_order, shrink, choosing)
    distances = [step.criteria.distance for step in path]
    chosen = len(path) - 1 if shrink else int(np.argmin(distances))
    if shrink:
        fitted.refit(FINAL_CYCLES)
        path[-1] = _step(fitted, path[-1].added, fraction)
        final = fitted.fit()
    else:
        again = ShrunkenModel(table, support, shrink=False)
        margins = [m for m in path[chosen].model.margins if len(m) > 1]
        if margins:
            again.add(margins, cycles=FINAL_CYCLES)
        final = again.fit()
        fitted = again
    risk = record_risk(table, fraction=fraction, fit=final, distribution="poisson")
    unique, match = fitted.risks(fraction)
    notes = (*risk.notes, *_doubt(path[chosen].criteria))
    risk = replace(risk, population_unique=unique, correct_match=match, notes=notes)
    named = {
        "*".join(table.names[at] for at in margin): shape for margin, shape in fitted.shapes.items()
    }
    return ModelPath(
        tuple(path),
        chosen,
        risk,
        _standard_errors(risk, path[chosen].criteria, fraction),
        named,
        (*risk.assumptions, SHRUNK if shrink else SEARCHED),
    )


SHRUNK = (
    "Interactions were chosen by the data, and shrunk towards none by as much as their margins "
    "vary beyond chance."
)
SEARCHED = "Interactions were chosen by the data, by criteria of under- and overfitting."


def _search(
    fitted: ShrunkenModel,
    fraction: float,
    max_order: int,
    shrink: bool,
    choosing: progress.Task,
) -> list[Step]:
    variables = range(len(fitted.support.sizes))
    path = [_step(fitted, "main effects", fraction)]
    for order in range(2, max_order + 1):
        left = list(combinations(variables, order))
        while left:
            if not shrink and path[-1].criteria.distance < NOT_SIGNIFICANT:
                break
            left = _ranked(fitted, left, fraction)
            if not left:
                break
            several = max(1, len(left) // 8) if len(left) > SEVERAL_AT_ONCE else 1
            new, left = left[:several], left[several:]
            fitted.add(new)
            names = fitted.table.names
            added = " + ".join("*".join(names[at] for at in margin) for margin in new)
            path.append(_step(fitted, added, fraction))
            choosing.advance(len(new))
    return path


def _ranked(
    fitted: ShrunkenModel, candidates: list[tuple[int, ...]], fraction: float
) -> list[tuple[int, ...]]:
    """Return the candidates that the data show, the one first that brings the criteria nearest."""
    found = []
    for margin in candidates:
        tried = fitted.tried(margin)
        if tried is not None:
            support = fitted.support
            there = criteria(support.counts, tried[0], support.weights, fraction)
            found.append((there.distance, margin))
    return [margin for _, margin in sorted(found)]


def _step(fitted: ShrunkenModel, added: str, fraction: float) -> Step:
    support, means = fitted.support, fitted.means
    unique, match = fitted.risks(fraction)
    seen = means[: fitted.table.classes]
    counts = fitted.table.counts
    total = float((means * support.weights).sum())
    deviance = 2 * float((counts * np.log(counts / np.maximum(seen, 1e-300))).sum())
    return Step(
        added,
        fitted.model(),
        fitted.effective_parameters(),
        criteria(support.counts, means, support.weights, fraction),
        float(unique.sum()),
        float(match.sum()),
        deviance - 2 * (fitted.table.records - total),
    )


def _doubt(found: Criteria) -> tuple[str, ...]:
    """Return a warning where the criteria of the chosen model are far from zero."""
    z = max(found.z1, found.z2, key=abs)
    if abs(z) < FAR:
        return ()
    which, what = ("little", "overstated") if z > 0 else ("much", "understated")
    return (f"The model chosen still fits too {which} (z = {z:.1f}): the risk is {what}.",)


def _standard_errors(risk: RecordRisk, found: Criteria, fraction: float) -> tuple[float, float]:
    """Combine the error of the criterion with the chance in what each sample unique turns out.

    Given λ, a sample unique is population unique with probability h, of variance h(1-h); 1/F has
    the variance E(1/F²) - E(1/F)², bounded here by E(1/F) [1 - E(1/F)].
    """
    alone = risk.table.counts == 1
    unique, match = risk.population_unique[alone], risk.correct_match[alone]
    chance1 = float((unique * (1 - unique)).sum())
    chance2 = float((match * (1 - match)).sum())
    return (
        float(np.sqrt(found.error1**2 + chance1)),
        float(np.sqrt(found.error2**2 + chance2)),
    )
