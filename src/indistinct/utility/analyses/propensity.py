"""Can a model tell released from original records? The propensity score's mean squared error."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from indistinct.core import Floats, InputError, Ints, Seed, SmallInts, did_you_mean, progress
from indistinct.keys import Coded, CodedColumn
from indistinct.results import Fact, Part, Shown, Table, facts
from indistinct.results.figures import bars
from indistinct.utility.analyses.binning import percentile_bins
from indistinct.utility.analyses.fitting import Design, fit_logistic, independent_columns
from indistinct.utility.analyses.terms import indicator_table

__all__ = ["Null", "Propensity", "compare_propensity", "expected_pmse"]

Null = Literal["synthesis", "samples", "subsample", "permutation", "pairs"]
"""What the released file is compared with; see `compare_propensity`."""


AS_BY_CHANCE = 3
"""Up to this pMSE ratio a file is commonly called as good as a fresh sample."""
CLEARLY = 10
"""Above this one whoever fits the model sees that the file was changed."""


def expected_pmse(
    parameters: int, original: int, released: int, *, null: Null = "synthesis"
) -> float:
    """Return the pMSE to be expected where nothing is wrong.

    With k parameters, N records in both files and c the share of released ones:
    (k − 1)(1 − c)² c / N for records drawn from a correct model of the original (Snoke and others
    2018); (k − 1)(1 − c) c / N for two independent samples of one population;
    (k − 1)(1 − c)(1 − 2c) c / N for a random subsample of the original itself. They differ as
    the variances 1/n_r, 1/n_o + 1/n_r and 1/n_r − 1/n_o of a difference of means do.

    >>> round(expected_pmse(11, 500, 500) * 1e6, 2)
    1250.0
    """
    total = original + released
    c = released / total
    independent = (parameters - 1) * c * (1 - c) / total
    if null == "synthesis":
        return independent * (1 - c)
    return independent * max(1 - 2 * c, 0.0) if null == "subsample" else independent


@dataclass(frozen=True, eq=False, repr=False)
class Propensity(Part, Shown):
    """How well a logistic model tells released from original records.

    Parameters
    ----------
    pmse
        The mean of (p̂ − c)² over all records of both files: 0 is not at all, c(1 − c) perfectly.
    parameters
        Of the model, the constant among them.
    null, expected, sd
        What the pMSE is compared with: its mean and standard deviation if nothing is wrong.
    main_effects
        Whether the model has main effects only; else all interactions of two variables too.
    records
        Records of each file that were used; a sample where they are many.
    groups
        Mean propensity of original and of released records.
    converged
        Whether the fit came to rest; it does not where some category is in one file only.
    """

    pmse: float
    parameters: int
    null: Null
    expected: float
    sd: float
    main_effects: bool
    records: tuple[int, int]
    groups: tuple[float, float]
    bins: int
    converged: bool = True
    notes: tuple[str, ...] = ()
    histogram: tuple[tuple[float, ...], tuple[float, ...]] = field(default=((), ()))

    FACTS = facts(
        Fact("original", "expected"),
        Fact("released", "pmse"),
        Fact("difference", lambda found: found.pmse - found.expected),
        "pmse expected sd ratio z null parameters main_effects records",
        Fact("mean_propensity", "groups"),
        "bins converged notes",
    )

    @property
    def ratio(self) -> float:
        """The pMSE over its expectation; 1 or less is as good as the null."""
        if self.expected > 0:
            return self.pmse / self.expected
        return 0.0 if self.pmse < 1e-15 else math.inf

    @property
    def z(self) -> float:
        """(pMSE − expected) / sd."""
        if self.sd > 0:
            return (self.pmse - self.expected) / self.sd
        return 0.0 if self.pmse < 1e-15 else math.inf

    @property
    def sentence(self) -> str:
        """Say whether a model can tell the files apart, and by which limits that is said."""
        said = f"pMSE ratio {self.ratio:.3g}, {'main effects' if self.main_effects else 'two-way'}"
        if self.ratio <= AS_BY_CHANCE:
            return (
                "A model can hardly tell released from original records "
                f"({said}; {AS_BY_CHANCE} or less is taken for chance)."
            )
        well = "somewhat" if self.ratio <= CLEARLY else "clearly"
        limit = f"up to {CLEARLY}" if self.ratio <= CLEARLY else f"above {CLEARLY}"
        return f"A model can tell released from original records {well} ({said}; {limit})."

    def plot(self) -> str:
        """Draw the propensities of original and released records, in per cent of each file."""
        edges = [f"{n / 10:.1f}-{(n + 1) / 10:.1f}" for n in range(10)]
        return bars(
            "Propensity scores: per cent of the records",
            edges,
            [100 * v for v in self.histogram[0]],
            beside=[100 * v for v in self.histogram[1]],
            names=("original", "released"),
        )

    def __repr__(self) -> str:
        return self._short()

    def _lines(self) -> list[str]:
        model = "main effects" if self.main_effects else "main effects and two-way interactions"
        lines = [
            f"pMSE {self.pmse:.3g} ({model}, {self.parameters:,} parameters, "
            f"{self.records[0]:,} and {self.records[1]:,} records)",
            f"  expected {self.expected:.3g} ± {self.sd:.2g} ({self.null}): ratio "
            f"{self.ratio:.3g}, z {self.z:.3g}",
            f"  mean propensity {self.groups[0]:.4f} of original, {self.groups[1]:.4f} of "
            "released records",
        ]
        return [*lines, *(f"  note: {note}" for note in self.notes)]

    def _tables(self) -> list[Table]:
        return [
            Table.facts(
                "How well a model tells released from original records",
                {
                    "pMSE": self.pmse,
                    "expected": self.expected,
                    "sd": self.sd,
                    "null": self.null,
                    "ratio": self.ratio,
                    "z": self.z,
                    "parameters": self.parameters,
                    "mean propensity, original": self.groups[0],
                    "mean propensity, released": self.groups[1],
                },
            )
        ]


def compare_propensity(
    coded: Coded,
    *,
    variables: Sequence[str] | None = None,
    interactions: bool = False,
    null: Null = "synthesis",
    bins: int = 5,
    most_categories: int = 20,
    most_parameters: int = 800,
    most_records: int | None = None,
    permutations: int = 50,
    seed: Seed = 0,
) -> Propensity:
    """Fit a logistic model of which file a record is in, and compare its pMSE with a null.

    Categories enter as indicators, numbers as indicators of bins of the original's quantiles.

    Parameters
    ----------
    interactions
        All interactions of two variables, besides the main effects.
    null
        ``synthesis``: records drawn from a model of the original. ``samples``: two independent
        samples. ``subsample``: a random part of the original. ``permutation``: labels dealt out
        anew among all records, which is ``samples`` without formula. ``pairs``: labels
        exchanged, or not, between each original record and its released version, for files
        masked record by record in the same order. Means and spreads of the last two are from the
        first Newton step.
    most_categories, most_parameters
        Rarer categories are put together until the model has no more parameters.
    most_records
        Records of each file to use; more are sampled. By default all, or 100,000 with
        interactions.
    permutations, seed
        For the nulls that draw, and for sampling.
    """
    if null not in get_args(Null):
        raise InputError(
            f"The null must be one of {', '.join(get_args(Null))}. Got '{null}'. "
            f"{did_you_mean(null, get_args(Null))}"
        )
    columns = coded.chosen(variables)
    if null == "pairs" and coded.records_original != coded.records_released:
        raise InputError(
            "The null of pairs needs the same records in both files. Got "
            f"{coded.records_original:,} and {coded.records_released:,}."
        )
    rng = np.random.default_rng(seed)
    limit = most_records or (100_000 if interactions else None)
    rows = _rows(coded, limit, paired=null == "pairs", rng=rng)
    tables, size, kept = _tables(columns, bins, most_categories, most_parameters, interactions)
    notes = []
    if kept < most_categories:
        notes.append(f"Categories beyond the {kept} commonest of a variable are one.")
    if len(rows[0]) < coded.records_original or len(rows[1]) < coded.records_released:
        notes.append("A sample of the records was used.")
    design = Design(size, _index(columns, tables, rows, interactions))
    y = np.concatenate([np.zeros(len(rows[0])), np.ones(len(rows[1]))])
    c = float(y.mean())
    matrix = design.gram(np.ones(len(y)))
    used = independent_columns(matrix)
    fit = fit_logistic(design, y, only=used)
    if not fit.converged:
        notes.append("Some categories are in one file only: their coefficients run away.")
    pmse = float(np.mean((fit.fitted - c) ** 2))
    if null in ("permutation", "pairs"):
        drawn = _drawn(design, matrix, used, y, null, permutations, rng)
        expected, sd = float(drawn.mean()), float(drawn.std(ddof=1))
    else:
        expected = expected_pmse(len(used), len(rows[0]), len(rows[1]), null=null)
        # a multiple of χ² with k − 1 degrees of freedom
        sd = expected * math.sqrt(2 / max(len(used) - 1, 1))
    return Propensity(
        pmse,
        len(used),
        null,
        expected,
        sd,
        not interactions,
        (len(rows[0]), len(rows[1])),
        (float(fit.fitted[y == 0].mean()), float(fit.fitted[y == 1].mean())),
        bins,
        fit.converged,
        tuple(notes),
        (_shares(fit.fitted[y == 0]), _shares(fit.fitted[y == 1])),
    )


def _rows(
    coded: Coded, limit: int | None, *, paired: bool, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    found = []
    for records in (coded.records_original, coded.records_released):
        if limit is None or records <= limit:
            found.append(np.arange(records))
        elif paired and found:
            found.append(found[0])
        else:
            found.append(np.sort(rng.choice(records, limit, replace=False)))
    return found[0], found[1]


def _tables(
    columns: Sequence[CodedColumn], bins: int, most: int, parameters: int, interactions: bool
) -> tuple[list[SmallInts], int, int]:
    """Return each variable's category of every code, the design's columns, and categories kept."""
    while True:
        tables = [_categories(column, bins, most) for column in columns]
        sizes = [int(table.max()) + 1 for table in tables]
        size = 1 + sum(s - 1 for s in sizes)
        if interactions:
            size += sum((a - 1) * (b - 1) for a, b in itertools.combinations(sizes, 2))
        if size <= parameters or most <= 2:
            return tables, size, most
        most -= 1


def _categories(column: CodedColumn, bins: int, most: int) -> SmallInts:
    """Return the category of every code: the reference is 0."""
    if column.is_numeric:
        table, _ = percentile_bins(column, bins=min(bins, most))
        return table
    table, _ = indicator_table(replace(column, level="nominal"), most=most)
    return table


def _index(
    columns: Sequence[CodedColumn],
    tables: Sequence[SmallInts],
    rows: tuple[Ints, Ints],
    interactions: bool,
) -> SmallInts:
    codes = []
    for column, table in zip(columns, tables, strict=True):
        codes.append(
            np.concatenate([table[column.original[rows[0]]], table[column.released[rows[1]]]])
        )
    sizes = [int(table.max()) + 1 for table in tables]
    pairs = list(itertools.combinations(range(len(codes)), 2)) if interactions else []
    index = np.zeros((len(codes[0]), 1 + len(codes) + len(pairs)), dtype=np.int32)
    first = 1
    for t, (code, size) in enumerate(zip(codes, sizes, strict=True), start=1):
        index[:, t] = np.where(code > 0, code - 1 + first, -1)
        first += size - 1
    for t, (a, b) in enumerate(pairs, start=1 + len(codes)):
        cell = (codes[a] - 1) * (sizes[b] - 1) + codes[b] - 1
        index[:, t] = np.where((codes[a] > 0) & (codes[b] > 0), cell + first, -1)
        first += (sizes[a] - 1) * (sizes[b] - 1)
    return index


def _drawn(
    design: Design,
    matrix: Floats,
    used: Ints,
    y: Floats,
    null: Null,
    times: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the pMSE of dealt-out labels: gᵀ (XᵀX)⁻¹ g / N with g = Xᵀ(y − c).

    This is the pMSE after the first Newton step from p = c; further steps change it by terms
    that vanish with the number of records.
    """
    factor = cho_factor(matrix[np.ix_(used, used)])
    c = float(y.mean())
    half = len(y) // 2
    found = np.empty(times)
    for n in progress.each(range(times), "dealing out labels", unit="times"):
        if null == "pairs":
            first = rng.integers(0, 2, half).astype(np.float64)
            labels = np.concatenate([first, 1 - first])
        else:
            labels = rng.permutation(y)
        g = design.gradient(labels - c)[used]
        found[n] = float(g @ cho_solve(factor, g)) / len(y)
    return found


def _shares(propensities: Floats) -> tuple[float, ...]:
    counts, _ = np.histogram(propensities, bins=10, range=(0.0, 1.0))
    return tuple((counts / max(len(propensities), 1)).tolist())
