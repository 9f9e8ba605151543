"""Population uniques estimated from class sizes alone: Zayatz, Pitman, slide negative binomial,
and the rule of Dankar and others for choosing among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from scipy.optimize import brentq, minimize, root
from scipy.special import digamma, gammaln

from indistinct.core import Floats, Fraction, InputError
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "ClassSizes",
    "Estimate",
    "PopulationUniqueness",
    "class_sizes",
    "pitman",
    "population_uniqueness",
    "slide_negative_binomial",
    "zayatz",
]

ModelName = Literal["Zayatz", "Pitman", "slide negative binomial"]

ASSUMPTIONS = (
    "The file is a simple random sample without replacement of the population.",
    "Only the sizes of the classes are used, not which values the keys have.",
)

DANKAR_FRACTION = 0.1
"""Up to this sampling fraction the rule takes Pitman's model."""

SMALLEST_ALPHA = 1e-6
"""Below this, Pitman's α is at its border 0, where N^α says nothing."""


@dataclass(frozen=True)
class ClassSizes:
    """How many classes have which size in a sample, and the population it was drawn from."""

    sizes: Floats = field(repr=False)
    numbers: Floats = field(repr=False)
    population: float
    """People in the population, N."""

    @property
    def records(self) -> float:
        """Records in the sample, n."""
        return float(self.sizes @ self.numbers)

    @property
    def classes(self) -> float:
        """Classes in the sample, u."""
        return float(self.numbers.sum())

    @property
    def fraction(self) -> float:
        """The sampling fraction π = n/N."""
        return self.records / self.population

    def of_size(self, size: int) -> float:
        """Return the number of classes of a size."""
        return float(self.numbers[self.sizes == size].sum())


@dataclass(frozen=True)
class Estimate:
    """One model's answer: a number of population uniques, or the reason why there is none."""

    model: ModelName
    population_uniques: float | None
    reason: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.population_uniques is None:
            return f"no estimate: {self.reason}"
        shown = ", ".join(f"{name} = {value:.4g}" for name, value in self.parameters.items())
        return f"{self.population_uniques:,.1f}" + (f" ({shown})" if shown else "")


@result(eq=True)
class PopulationUniqueness(Result):
    """Estimates of how many people are alone in the population with their key."""

    records: int
    population: int
    fraction: float
    sample_uniques: int
    estimates: tuple[Estimate, ...]
    chosen: Estimate
    """The estimate that the rule of Dankar and others takes."""
    why: str
    assumptions: tuple[str, ...] = ASSUMPTIONS

    FACTS = facts(
        "records",
        "population",
        "fraction",
        "sample_uniques",
        Fact("model", "chosen.model", shown="chosen"),
        Fact("why", shown="why"),
        "expected_population_uniques",
        "expected_sample_population_uniques",
        "share",
        Fact(
            "estimates",
            lambda found: {
                e.model: {
                    "population_uniques": e.population_uniques,
                    "reason": e.reason,
                    "parameters": dict(e.parameters),
                }
                for e in found.estimates
            },
        ),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say from how many records, of how many people."""
        return (
            f"Population uniques from {self.records:,} records, {self.fraction:.4g} of "
            f"{self.population:,} people; {self.sample_uniques:,} sample uniques"
        )

    @property
    def expected_population_uniques(self) -> float | None:
        """The chosen model's population uniques, in the whole population."""
        return self.chosen.population_uniques

    @property
    def expected_sample_population_uniques(self) -> float | None:
        """How many of the sample's records are expected to be population uniques: π times it."""
        found = self.chosen.population_uniques
        return None if found is None else found * self.fraction

    @property
    def share(self) -> float | None:
        """Population uniques as a share of the population."""
        found = self.chosen.population_uniques
        return None if found is None else found / self.population

    def to_frame(self) -> Any:
        """Return one row per model as a pandas frame."""
        rows = [
            {
                "model": e.model,
                "population_uniques": e.population_uniques,
                "chosen": e is self.chosen,
                "reason": e.reason,
            }
            for e in self.estimates
        ]
        return pa.Table.from_pylist(rows).to_pandas()

    def plot(self) -> str:
        """Draw the population uniques by each model that has an estimate, as SVG."""
        found = [(e.model, e.population_uniques) for e in self.estimates]
        known = [(str(model), number) for model, number in found if number is not None]
        return bars("Population uniques, estimated", [m for m, _ in known], [n for _, n in known])

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Population uniques among {self.population:,} people, by {self.records:,} records",
                ("model", "population uniques", "chosen", "why no estimate"),
                [
                    (e.model, e.population_uniques, e is self.chosen, e.reason)
                    for e in self.estimates
                ],
                {"population uniques": ",.1f"},
            )
        ]

    def _notes(self) -> list[str]:
        return [self.why, *self.assumptions]


def class_sizes(
    table: KeyTable | Mapping[int, int],
    *,
    fraction: float | None = None,
    population: float | None = None,
) -> ClassSizes:
    """Return the sizes of a sample's classes, with the population's size.

    Parameters
    ----------
    table
        The key table, or how many classes there are of each size.
    fraction, population
        The sampling fraction, or the number of people in the population. Without either, the sum
        of the key table's weights.
    """
    found = table.frequencies_of_frequencies() if isinstance(table, KeyTable) else dict(table)
    if fraction is not None and population is not None:
        raise InputError("Give either a sampling fraction or the population's size, not both.")
    if not found:
        raise InputError("There are no records, so nothing can be said about the population.")
    sizes = np.array(sorted(found), dtype=np.float64)
    numbers = np.array([found[int(size)] for size in sizes], dtype=np.float64)
    if (sizes < 1).any() or (numbers < 0).any():
        raise InputError("Classes must have at least one record, and their numbers be positive.")
    records = float(sizes @ numbers)
    if fraction is not None:
        population = max(records, float(round(records / fraction)))
    elif population is None:
        weights = table.weights if isinstance(table, KeyTable) else None
        if weights is None:
            raise InputError(
                "Population uniques need the size of the population: give a sampling fraction "
                "(--fraction 0.1), weights (--weight w) or the number of people."
            )
        population = float(weights.sum())
    if population < records:
        raise InputError(
            f"The population must be at least as large as the sample of {records:,.0f} records. "
            f"Got {population:,.0f}."
        )
    return ClassSizes(sizes, numbers, float(population))


def population_uniqueness(
    table: KeyTable | Mapping[int, int],
    *,
    fraction: Fraction | None = None,
    population: float | None = None,
) -> PopulationUniqueness:
    """Estimate the population uniques by three models, and choose among them.

    The rule of Dankar, El Emam, Neisa and Roffey (2012): with a sampling fraction of at most 0.1
    Pitman's model; above, the smaller of Zayatz's and the slide negative binomial estimate. A
    model that gives no estimate says why, and the next takes its place.

    >>> found = population_uniqueness({1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189}, fraction=0.1)
    >>> found.chosen.model, round(found.share, 3)
    ('Pitman', 0.26)
    """
    classes = class_sizes(table, fraction=fraction, population=population)
    estimates = (zayatz(classes), pitman(classes), slide_negative_binomial(classes))
    chosen, why = _dankar_choice(classes, *estimates)
    return PopulationUniqueness(
        records=round(classes.records),
        population=round(classes.population),
        fraction=classes.fraction,
        sample_uniques=round(classes.of_size(1)),
        estimates=estimates,
        chosen=chosen,
        why=why,
    )


def _dankar_choice(
    classes: ClassSizes, by_zayatz: Estimate, by_pitman: Estimate, by_snb: Estimate
) -> tuple[Estimate, str]:
    fraction = classes.fraction
    if fraction >= 1:
        return by_zayatz, "the file is the whole population: its uniques are counted"
    if classes.of_size(1) == 0:
        return by_zayatz, (
            "no record is unique in the sample: every model says 0, which a small sample "
            "does not prove"
        )
    rule = f"the rule of Dankar and others, sampling fraction {fraction:.3g}"
    if fraction <= DANKAR_FRACTION:
        if by_pitman.population_uniques is not None:
            return by_pitman, f"chosen by {rule} ≤ {DANKAR_FRACTION}: Pitman"
        return by_zayatz, f"{rule} ≤ {DANKAR_FRACTION} asks for Pitman, which gives no estimate"
    if by_snb.population_uniques is None or by_zayatz.population_uniques is None:
        return by_zayatz, f"{rule}: the slide negative binomial model gives no estimate"
    smaller = min(by_zayatz, by_snb, key=lambda e: e.population_uniques or 0.0)
    return smaller, f"chosen by {rule}: the smaller of Zayatz and slide negative binomial"


def _known(model: ModelName, classes: ClassSizes) -> Estimate | None:
    """Return what needs no model: the whole population was seen, or nobody stands alone."""
    uniques = classes.of_size(1)
    if classes.fraction >= 1 or uniques == 0:
        return Estimate(model, uniques)
    return None


def zayatz(classes: ClassSizes) -> Estimate:
    """Estimate the population uniques by Zayatz's equivalence class model (1991).

    The shares p_j of classes of size j in the population are taken from the sample, and Bayes'
    rule turns the hypergeometric probability of seeing one of j into

        P(F=1 | f=1) = p_1 P(f=1|F=1) / Σ_j p_j P(f=1|F=j),   S_1 = s_1 P(F=1|f=1) N/n

    The hypergeometric probabilities are products, j n/N ∏ (N-n-i+1)/(N-i), so that no precision
    is lost for large N.
    """
    known = _known("Zayatz", classes)
    if known is not None:
        return known
    n, total = classes.records, classes.population
    i = np.arange(1, int(classes.sizes[-1]))
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(total - n - i + 1, 0.0)) - np.log(total - i)
    left_out = np.exp(np.concatenate([[0.0], np.cumsum(logs)]))
    once = classes.sizes * n / total * left_out[classes.sizes.astype(np.int64) - 1]
    uniques = classes.of_size(1)
    conditional = uniques * n / total / float(classes.numbers @ once)
    return Estimate("Zayatz", uniques * conditional * total / n, None, {"P(F=1|f=1)": conditional})


def pitman(classes: ClassSizes) -> Estimate:
    """Estimate the population uniques by Pitman's sampling formula, fitted by likelihood.

    Hoshino (2001). With u classes of n records, s_j of size j, the log-likelihood is, but for a
    constant::

        Σ_{i<u} ln(θ+iα) - Σ_{i<n} ln(θ+i) + Σ_j s_j Σ_{i<j} ln(i-α),   0 < α < 1, θ > -α

    and the population uniques of the fitted model Γ(θ+1)/Γ(θ+α) · N^α, which is its expectation
    for large N. Where that is more than N people, or α = 0, the expectation itself is taken,
    N ∏ (θ+α+i-1)/(θ+i) over i = 1 … N-1.
    """
    known = _known("Pitman", classes)
    if known is not None:
        return known
    n, u, s1 = classes.records, classes.classes, classes.of_size(1)
    if s1 == n:
        return Estimate(
            "Pitman", None, "every record is unique in the sample, so the likelihood has no maximum"
        )
    many = classes.sizes > 1
    sizes, numbers = classes.sizes[many], classes.numbers[many]

    def loss(at: Floats) -> float:
        alpha = 1 / (1 + np.exp(-at[0]))
        theta = np.exp(at[1]) - alpha
        first = (u - 1) * np.log(alpha) + _log_rising(theta / alpha + 1, u - 1)
        second = _log_rising(theta + 1, n - 1)
        third = float(numbers @ (gammaln(sizes - alpha) - gammaln(1 - alpha)))
        return float(-(first - second + third) / n)

    def scores(at: Floats) -> Floats:
        alpha = 1 / (1 + np.exp(-at[0]))
        theta = np.exp(at[1]) - alpha
        x = theta / alpha
        rise = digamma(x + u) - digamma(x + 1)
        by_theta = rise / alpha - (digamma(theta + n) - digamma(theta + 1))
        by_alpha = (u - 1 - x * rise) / alpha
        by_alpha -= numbers @ (digamma(sizes - alpha) - digamma(1 - alpha))
        return np.array([by_alpha, by_theta * n]) / n

    best = None
    # Hoshino's moment start fails when few classes have two records; a few fixed ones do not
    for alpha in (0.2, 0.5, 0.8):
        start = np.array([np.log(alpha / (1 - alpha)), np.log(1 + n / 100)])
        found = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-12})
        if np.isfinite(found.fun) and (best is None or found.fun < best.fun):
            best = found
    if best is None:
        return Estimate("Pitman", None, "the likelihood has no finite maximum")
    # the last digits by the likelihood equations, as long as they stay at this maximum
    sharp = root(scores, best.x, tol=1e-13)
    at = sharp.x if np.allclose(sharp.x, best.x, atol=1e-2) else best.x
    alpha = float(1 / (1 + np.exp(-at[0])))
    theta = float(np.exp(at[1]) - alpha)
    parameters = {"theta": theta, "alpha": alpha}
    total = classes.population
    log_uniques = gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(total)
    if alpha < SMALLEST_ALPHA or log_uniques > np.log(total):
        # θ is not small beside N, or α is at its border: the expectation itself is needed
        log_uniques = np.log(total) + _log_ratio(theta, total - 1, alpha)
    uniques = float(np.exp(log_uniques))
    if not uniques <= total * (1 + 1e-9):
        return Estimate("Pitman", None, "the likelihood has no maximum inside", parameters)
    return Estimate("Pitman", min(uniques, total), None, parameters)


def _log_ratio(theta: float, count: float, alpha: float) -> float:
    """Return ln ∏ (θ+α+i-1)/(θ+i), i = 1 … count: no newcomer joins the first person's class."""
    at = _log_rising(theta + alpha, count) - _log_rising(theta + 1, count)
    return min(float(at), 0.0)


def _log_rising(start: float, count: float) -> float:
    """Return ln of start (start+1) … (start+count-1)."""
    return float(gammaln(start + count) - gammaln(start))


def slide_negative_binomial(classes: ClassSizes) -> Estimate:
    """Estimate the population uniques by the slide negative binomial model.

    Chen and Keller-McNulty (1998). The K classes of the population have sizes 1 + X, with X
    negative binomial of parameters α > 0 and 0 < β < 1, so that S_1 = K β^α. K is estimated by
    Shlosser's estimator in the form of Haas and Stokes (1998); α and β such that the expected
    numbers of classes with one and two records in the sample are those seen. With q = 1-π and
    t = (1-β) / (1-(1-β)q)::

        s_1 = K π (1-πt)^α (1+αtq)
        s_2 = K π²/2 (1-πt)^α αt (2+(α+1)qt)

    Their ratio is a quadratic in α with one positive root, so one equation in t remains.
    """
    known = _known("slide negative binomial", classes)
    if known is not None:
        return known
    model: ModelName = "slide negative binomial"
    share, s1, s2 = classes.fraction, classes.of_size(1), classes.of_size(2)
    q = 1 - share
    if s1 == classes.records:
        # α = 0: every class of the population has one person
        return Estimate(model, classes.population)
    if s2 == 0:
        return Estimate(model, None, "no class has two records, and the model is fitted to those")
    number = _shlosser(classes)
    target = s1 / (number * share)
    ratio = 2 * s2 / (share * s1)

    def alpha_of(t: float) -> float:
        a, b = q * t * t, t * (2 + q * t - ratio * q)
        root = np.sqrt(b * b + 4 * a * ratio)
        # the form without cancellation, whichever the sign of b
        return float(2 * ratio / (b + root) if b > 0 else (root - b) / (2 * a))

    def excess(t: float) -> float:
        alpha = alpha_of(t)
        return float(alpha * np.log1p(-share * t) + np.log1p(alpha * t * q) - np.log(target))

    # β → 1 as t → 0 and β → 0 as t → 1/π; the grid is fine towards both ends
    grid = np.concatenate([np.geomspace(1e-6, 0.5, 200), 1 - np.geomspace(1e-12, 0.5, 200)[::-1]])
    values = np.array([excess(x / share) for x in grid])
    roots = []
    for j in np.flatnonzero(np.sign(values[1:]) != np.sign(values[:-1])):
        t = brentq(excess, grid[j] / share, grid[j + 1] / share, xtol=1e-15, rtol=1e-13)
        alpha = alpha_of(t)
        beta = (1 - share * t) / (1 + t * q)
        size = number * (1 + alpha * (1 - beta) / beta)
        roots.append((abs(np.log(size / classes.population)), alpha, float(beta)))
    if not roots:
        return Estimate(
            model,
            None,
            "no parameters give the numbers of classes with one and two records that were seen, "
            f"with {number:,.0f} classes in the population by Shlosser's estimator",
            {"K": number},
        )
    # of several solutions, the one whose population is nearest to N
    _, alpha, beta = min(roots)
    uniques = float(number * beta**alpha)
    parameters = {"K": number, "alpha": alpha, "beta": beta}
    if not uniques <= classes.population:
        return Estimate(model, None, "the fitted model has more uniques than people", parameters)
    return Estimate(model, uniques, None, parameters)


def _shlosser(classes: ClassSizes) -> float:
    """Return Shlosser's estimate of the population's classes, modified by Haas and Stokes.

    K = u + s_1 · [Σ i π²(1-π²)^(i-1) s_i / Σ (1-π)^i ((1+π)^i - 1) s_i]
              · [Σ (1-π)^i s_i / Σ i π (1-π)^(i-1) s_i]²
    """
    share, i, s = classes.fraction, classes.sizes, classes.numbers
    first = s @ (i * share**2 * (1 - share**2) ** (i - 1))
    second = s @ (np.exp(i * np.log1p(-(share**2))) - np.exp(i * np.log1p(-share)))
    third = s @ (1 - share) ** i
    fourth = s @ (i * share * (1 - share) ** (i - 1))
    return float(classes.classes + classes.of_size(1) * first / second * (third / fourth) ** 2)
