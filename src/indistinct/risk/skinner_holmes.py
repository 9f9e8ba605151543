"""The risk of each record after Skinner and Holmes (1998): is a sample unique alone in the land?

Sample counts get log-linear means; the population mean of a key is its sample mean divided by the
sampling fraction; what the model does not explain is a Poisson-lognormal (or gamma) spread. From
these follow, for every class of the key table that has a single record, the probability that it is
unique in the population and the probability that a match with it is correct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from indistinct.core import Floats, Fraction, InputError
from indistinct.keys import KeyTable
from indistinct.results import Fact, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk import poisson
from indistinct.risk.formula import Model, parse_model
from indistinct.risk.loglinear import Fit
from indistinct.risk.loglinear import fit as fit_dense
from indistinct.risk.per_class import (
    INDEPENDENCE,
    KnownRisk,
    PerClass,
    intruder_knows,
    known_population_risk,
    population_of,
    score,
)

__all__ = [
    "Band",
    "Distribution",
    "KnownRisk",
    "Measure",
    "RecordRisk",
    "known_population_risk",
    "record_risk",
    "score",
]

Distribution = Literal["auto", "poisson", "lognormal", "gamma"]
Measure = Literal["population_unique", "correct_match"]

MOST_CATEGORIES = 100_000
"""A key variable with more categories than this is an identifier."""

CROWDED = 0.3
"""Parameters per class above which a model is said to follow the sample too closely."""


@dataclass(frozen=True)
class Band:
    """Sample uniques whose risk lies above `low` and up to `high`, the lowest band with its zero.

    `expected` is the sum of their risks, `population_uniques` the truth where it is known.
    """

    low: float
    high: float
    sample_uniques: int
    expected: float
    population_uniques: int | None = None


@result
class RecordRisk(PerClass):
    """The risk of every record, as estimated from the sample.

    Parameters
    ----------
    table
        The key table of the sample.
    fraction
        The sampling fraction; None where each class has its own, from its weight.
    distribution
        What the means of the population vary by about the model: ``poisson`` (not at all),
        ``lognormal`` or ``gamma``.
    sigma2, dispersion
        The estimates of equation (9), and of the squared coefficient of variation. Not above zero
        means no spread beyond the model.
    population_unique
        Pr(F = 1 | f = 1) of each class, 0 where the class has more than one record.
    correct_match
        E(1/F | f) of each class; 0 where it has more than one record, unless these were asked for.
    measure
        Which of the two is `risk`.
    assumptions, notes
        What the numbers rest on; what to know about this run.
    """

    table: KeyTable
    fit: Fit
    fraction: float | None
    distribution: Literal["poisson", "lognormal", "gamma"]
    sigma2: float
    dispersion: float
    population_unique: Floats
    correct_match: Floats
    measure: Measure
    assumptions: tuple[str, ...]
    notes: tuple[str, ...] = ()

    FACTS = facts(
        Fact("records", "table.records"),
        Fact("key", "table.names"),
        Fact("classes", "table.classes"),
        "fraction",
        "sample_uniques",
        "expected_population_uniques",
        "expected_reidentifications",
        "measure",
        "mean",
        "max",
        "at_least_one",
        "distribution",
        Fact("sigma2", lambda found: found.sigma2 if np.isfinite(found.sigma2) else None),
        "dispersion",
        "fit",
        Fact("bands", lambda found: [band.sample_uniques for band in found.bands()]),
        "assumptions",
        "notes",
    )

    @property
    def model(self) -> Model:
        """The log-linear model."""
        return self.fit.model

    @property
    def risk(self) -> Floats:
        """The risk of a record in each class, by the chosen measure."""
        return self.population_unique if self.measure == "population_unique" else self.correct_match

    @property
    def expected_population_uniques(self) -> float:
        """Sample uniques that are expected to be unique in the population."""
        return float(self.population_unique.sum())

    @property
    def expected_reidentifications(self) -> float:
        """Records for which one match would be expected to be correct, the sum of E(1/F)."""
        return float((self.table.counts * self.correct_match).sum())

    def bands(self, population: ArrayLike | None = None) -> tuple[Band, ...]:
        """Count sample uniques by bands of 0.1 of their risk, the upper end in the band.

        With the counts of the classes in the population, also how many are unique there.
        """
        alone = self.table.counts == 1
        risk = self.risk[alone]
        # 0.30000000000000004 belongs to the band up to 0.3
        which = np.clip(np.ceil(np.round(risk * 10, 9)).astype(np.int64) - 1, 0, 9)
        number = np.bincount(which, minlength=10)
        expected = np.bincount(which, weights=risk, minlength=10)
        true: Sequence[int | None] = [None] * 10
        if population is not None:
            unique = population_of(self.table, population)[alone] == 1
            true = np.bincount(which[unique], minlength=10).tolist()
        return tuple(
            Band(i / 10, (i + 1) / 10, int(number[i]), float(expected[i]), true[i])
            for i in range(10)
        )

    def _columns(self) -> dict[str, Any]:
        both = {"population_unique": self.population_unique, "correct_match": self.correct_match}
        return both | {"score": self.score}

    def plot(self) -> str:
        """Draw the sample uniques by bands of their risk, as SVG.

        Beside them stand those expected to be unique in the population.
        """
        bands = self.bands()
        return bars(
            "Sample uniques by their risk",
            [f"{band.low:.1f}–{band.high:.1f}" for band in bands],
            [band.sample_uniques for band in bands],
            beside=[band.expected for band in bands],
            names=("unique in the sample", "expected unique in the population"),
        )

    def _lines(self) -> list[str]:
        by = "weights" if self.fraction is None else f"fraction {self.fraction:g}"
        lines = [
            f"{self.table.records:,} records by {', '.join(self.table.names)}: "
            f"model {self.model.text}, {self.distribution}, {by}",
            f"  unique in the sample                  {self.sample_uniques:>12,}",
            f"  of them unique in the population  {self.expected_population_uniques:>18,.1f}",
            f"  expected correct matches          {self.expected_reidentifications:>18,.1f}",
            f"  largest risk {self.max:.3f}; {int((self.score == 2).sum()):,} classes above 0.5",
        ]
        lines += [f"  note: {note}" for note in self.notes[:4]]
        return lines

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "Sample uniques by bands of their risk",
                ("risk", "sample uniques", "expected population uniques"),
                [(f"{b.low:.1f}–{b.high:.1f}", b.sample_uniques, b.expected) for b in self.bands()],
                {"expected population uniques": ",.1f"},
            )
        ]


def record_risk(
    table: KeyTable,
    *,
    fraction: Fraction | None = None,
    model: Model | str = "two-way",
    fit: Fit | None = None,
    distribution: Distribution = "auto",
    measure: Measure = "population_unique",
    beyond_uniques: bool = False,
) -> RecordRisk:
    """Estimate the risk of every record from the sample alone.

    Equations (1), (2) and (6)-(11) of Skinner and Holmes (1998). The means of the sample counts
    are fitted by a log-linear model; with p the sampling fraction, λ has mean μ̂/p, and its spread
    about the model is estimated by (9). Where the estimate is not above zero, (11) takes over.

    Parameters
    ----------
    fraction
        The sampling fraction p, above 0 and at most 1. Without it, and where the table has
        weights, each class has its own: its records divided by their weights.
    model
        ``main``, ``two-way``, ``three-way`` or margins (see `parse_model`).
    fit
        A model already fitted to this table, instead of `model`.
    distribution
        ``auto`` is lognormal (10) where σ̂² is above zero and Poisson (11) otherwise.
    measure
        What scores, bands, mean and maximum speak of: ``population_unique`` (2) or
        ``correct_match`` (1).
    beyond_uniques
        Also compute E(1/F | f) for records that share their key in the sample; their risk is
        otherwise taken to be acceptable, and is 0.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"sex": [1, 1, 1, 2, 2, 1], "job": [1, 1, 2, 2, 3, 1]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["sex", "job"])
    >>> risk = record_risk(table, fraction=0.5, model="main", distribution="poisson")
    >>> risk.population_unique.round(3)  # exp(-mean) for a fraction of one half
    array([0.   , 0.264, 0.513, 0.717])
    >>> risk.sample_uniques, round(risk.expected_population_uniques, 3)
    (3, 1.494)
    """
    _check(table, distribution, measure)
    fractions, notes = _fractions(table, fraction)
    if fit is None:
        chosen = parse_model(model, table.names) if isinstance(model, str) else model
        fit = fit_dense(table, chosen)
    if len(fit.means) != table.classes:
        raise InputError(
            f"The fit has {len(fit.means):,} classes and the table {table.classes:,}. "
            "Give a model fitted to this very table."
        )
    notes += fit.model.notes
    spread = poisson.sigma2(table.counts, fit.means)
    dispersion = poisson.gamma_dispersion(table.counts, fit.means)
    used: Literal["poisson", "lognormal", "gamma"]
    if distribution == "auto":
        used = "lognormal" if spread > 0 else "poisson"
        if used == "poisson":
            notes += (f"σ̂² of equation (9) is {spread:.2f}, not above 0: equation (11) is used.",)
    else:
        used = distribution
    if fit.parameters > CROWDED * table.classes:
        notes += (
            f"The model has {fit.parameters:,} parameters for {table.classes:,} classes: it "
            "follows the sample too closely, and is likely to understate the risk.",
        )
    lognormal = max(spread, 0.0) if used == "lognormal" else 0.0
    gamma = max(dispersion, 0.0) if used == "gamma" else 0.0
    alone = np.flatnonzero(table.counts == 1)
    rated = np.arange(table.classes) if beyond_uniques else alone
    unique, match = np.zeros(table.classes), np.zeros(table.classes)
    unique[alone] = poisson.population_unique(
        fit.means[alone], fractions[alone], lognormal, dispersion=gamma
    )
    match[rated] = poisson.expected_inverse(
        fit.means[rated], fractions[rated], lognormal, f=table.counts[rated], dispersion=gamma
    )
    return RecordRisk(
        table=table,
        fit=fit,
        fraction=fraction,
        distribution=used,
        sigma2=spread,
        dispersion=dispersion,
        population_unique=unique,
        correct_match=match,
        measure=measure,
        assumptions=_assumptions(table, fraction, fit.model, used, beyond_uniques),
        notes=notes,
    )


def _check(table: KeyTable, distribution: str, measure: str) -> None:
    if len(table.names) < 2:
        raise InputError(
            f"A log-linear model needs at least two key variables. Got {len(table.names)}."
        )
    if not table.classes:
        raise InputError("Risk needs at least one record. The table has none.")
    for j, name in enumerate(table.names):
        size = table.coding.variables[j].size
        if size > MOST_CATEGORIES and len(np.unique(table.codes[:, j])) > MOST_CATEGORIES:
            raise InputError(
                f"Key variable '{name}' has {len(np.unique(table.codes[:, j])):,} categories, more "
                f"than {MOST_CATEGORIES:,}. It is an identifier rather than a key variable: leave "
                "it out, or code it coarser."
            )
    if distribution not in ("auto", "poisson", "lognormal", "gamma"):
        raise InputError(
            f"distribution must be auto, poisson, lognormal or gamma. Got '{distribution}'."
        )
    if measure not in ("population_unique", "correct_match"):
        raise InputError(f"measure must be population_unique or correct_match. Got '{measure}'.")


def _fractions(table: KeyTable, fraction: float | None) -> tuple[Floats, tuple[str, ...]]:
    """Return the sampling fraction of each class."""
    if fraction is not None:
        return np.full(table.classes, float(fraction)), ()
    if table.weights is None:
        raise InputError(
            "The risk needs to know how much of the population was sampled. Give the sampling "
            "fraction (for a ten per cent sample, 0.1) or a variable with the sampling weights."
        )
    weights = table.weights
    bad = ~(np.isfinite(weights) & (weights > 0))
    if bad.any():
        raise InputError(
            f"Sampling weights must be above zero. In {int(bad.sum()):,} of {table.classes:,} "
            "classes they are zero, negative or missing."
        )
    share = table.counts / weights
    over = int((share > 1).sum())
    notes: tuple[str, ...] = ()
    if over:
        notes = (f"{over:,} classes have weights below 1 and are taken as wholly sampled.",)
    return np.minimum(share, 1.0), notes


def _assumptions(
    table: KeyTable, fraction: float | None, model: Model, used: str, beyond: bool
) -> tuple[str, ...]:
    sampled = (
        "Each class was sampled in proportion of its records to their weights, and who was sampled "
        "does not depend on anything else."
        if fraction is None
        else f"Each person was sampled with the same probability, {fraction:g}."
    )
    about = {
        "poisson": "nothing beyond the model",
        "lognormal": "a lognormal factor beyond the model",
        "gamma": "a gamma factor beyond the model",
    }
    rest = () if beyond else ("Records that share their key in the sample are acceptably safe.",)
    return (
        intruder_knows(table),
        sampled,
        "The key has no measurement error, which would make some matches false.",
        f"Population counts are Poisson about the log-linear model {model.text}, with "
        f"{about[used]}; its estimates are taken for the truth.",
        *rest,
        INDEPENDENCE,
    )
