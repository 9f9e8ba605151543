"""Can the estimates be believed? Samples are drawn where the truth is known.

From the key table of a whole population samples are drawn, the risk is estimated from each sample
alone, and is then compared with the population: the tables 1 to 4 of Skinner and Holmes (1998),
averaged over the samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from indistinct.core import Floats, Fraction, InputError, Ints, Seed, at_least, progress
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, folded, result
from indistinct.results.figures import bars
from indistinct.risk.choice import choose_model
from indistinct.risk.formula import parse_model
from indistinct.risk.skinner_holmes import Distribution, RecordRisk, record_risk
from indistinct.risk.sparse import fit_model

__all__ = ["Calibration", "Validation", "draw_sample", "validate"]

SIZES = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, None))
"""Class sizes that the tables of frequencies tell apart."""

TOP = (0.6, 0.9)
"""Risks above which the success of picking population uniques is reported."""


@dataclass(frozen=True)
class Calibration:
    """Sample uniques with a risk above `low` and up to `high`, the mean over the samples."""

    low: float
    high: float
    sample_uniques: float
    population_uniques: float
    expected: float

    @property
    def per_cent(self) -> float:
        """Per cent that are population unique; not a number where there is no record."""
        if not self.sample_uniques:
            return float("nan")
        return 100 * self.population_uniques / self.sample_uniques


@result(eq=True)
class Validation(Result):
    """Estimates against the truth, over samples drawn from a known population.

    Parameters
    ----------
    population_sizes, sample_sizes
        Classes by their size: of the population, and of a sample on average (Table 1).
    bands
        Sample uniques by bands of 0.1 of their risk (Tables 2 and 3).
    top
        The records with a risk above 0.6 and above 0.9 (Table 4).
    predicted_uniques, true_uniques
        Expected and true population uniques among the sample uniques, by sample.
    predicted_matches, true_matches
        Expected correct matches, and the sum of 1/F over the sample uniques, by sample.
    covered
        Share of the samples whose 95 % intervals hold the truth, for both; None without intervals.
    """

    key: tuple[str, ...]
    people: int
    fraction: float
    repeat: int
    model: str
    population_sizes: tuple[int, ...]
    sample_sizes: tuple[float, ...]
    bands: tuple[Calibration, ...]
    top: tuple[Calibration, ...]
    predicted_uniques: tuple[float, ...]
    true_uniques: tuple[int, ...]
    predicted_matches: tuple[float, ...]
    true_matches: tuple[float, ...]
    covered: tuple[float, float] | None
    assumptions: tuple[str, ...]

    FACTS = facts(
        "key",
        "people",
        "fraction",
        "repeat",
        "model",
        Fact("sizes", lambda found: [list(size) for size in SIZES]),
        "population_sizes",
        "sample_sizes",
        Fact("bands", lambda found: [vars(band) for band in found.bands]),
        Fact("top", lambda found: [vars(band) for band in found.top]),
        "predicted_uniques",
        "true_uniques",
        "ratio_uniques",
        "predicted_matches",
        "true_matches",
        "ratio_matches",
        "covered",
        "assumptions",
    )

    @property
    def ratio_uniques(self) -> float:
        """Expected over true population uniques, both added over the samples."""
        return _ratio(self.predicted_uniques, self.true_uniques)

    @property
    def ratio_matches(self) -> float:
        """Expected over true correct matches, both added over the samples."""
        return _ratio(self.predicted_matches, self.true_matches)

    def plot(self) -> str:
        """Draw expected against true population uniques by band of risk, as SVG."""
        return bars(
            "Population uniques by band of estimated risk, mean over the samples",
            [f"{band.low:.1f}–{band.high:.1f}" for band in self.bands],
            [band.expected for band in self.bands],
            beside=[band.population_uniques for band in self.bands],
            names=("expected", "true"),
        )

    def __repr__(self) -> str:
        return folded([self._head(), *self._file_lines()])

    def _head(self) -> str:
        return (
            f"{self.repeat} samples of {self.fraction:g} from {self.people:,} people by "
            f"{', '.join(self.key)}; model {self.model}"
        )

    def _lines(self) -> list[str]:
        return [
            self._head(),
            "",
            *self._sizes_lines(),
            "",
            *self._band_lines(),
            "",
            *self._file_lines(),
        ]

    def _sizes_lines(self) -> list[str]:
        lines = [f"{'records with the key':<22}{'population':>12}{'sample (mean)':>15}"]
        for (low, high), whole, part in zip(
            SIZES, self.population_sizes, self.sample_sizes, strict=True
        ):
            name = (
                f"{low} or more" if high is None else f"{low}" if low == high else f"{low}-{high}"
            )
            lines.append(f"{name:<22}{whole:>12,}{part:>15,.1f}")
        return lines

    def _band_lines(self) -> list[str]:
        head = f"{'risk':<12}{'sample uniques':>15}{'population u.':>15}{'per cent':>10}"
        lines = [head + f"{'expected':>10}"]
        named = [(f"{b.low:.1f}-{b.high:.1f}", b) for b in self.bands]
        named += [("all", _all(self.bands))]
        named += [(f"above {b.low:.1f}", b) for b in self.top]
        for name, band in named:
            share = f"{band.per_cent:.1f}" if band.sample_uniques else "–"
            lines.append(
                f"{name:<12}{band.sample_uniques:>15,.1f}{band.population_uniques:>15,.1f}"
                f"{share:>10}{band.expected:>10,.1f}"
            )
        return lines

    def _file_lines(self) -> list[str]:
        head = f"{'':<24}{'expected':>10}{'true':>10}{'ratio':>8}{'spread':>8}{'covered':>9}"
        rows = (
            ("population uniques", self.predicted_uniques, self.true_uniques, self.ratio_uniques),
            ("correct matches", self.predicted_matches, self.true_matches, self.ratio_matches),
        )
        lines = [head]
        for j, (name, expected, true, ratio) in enumerate(rows):
            held = "–" if self.covered is None else f"{self.covered[j]:.0%}"
            lines.append(
                f"{name:<24}{np.mean(expected):>10,.1f}{np.mean(true):>10,.1f}{ratio:>8.3f}"
                f"{_spread(expected, true):>8.3f}{held:>9}"
            )
        return lines

    def to_frame(self) -> Any:
        """Return the bands as a pandas frame (pandas must be installed)."""
        rows = [vars(band) | {"per_cent": band.per_cent} for band in self.bands]
        return pa.Table.from_pylist(rows).to_pandas()

    def _row_tables(self) -> list[Table]:
        named = [(f"{b.low:.1f}–{b.high:.1f}", b) for b in self.bands]
        named += [("all", _all(self.bands)), *((f"above {b.low:.1f}", b) for b in self.top)]
        return [
            Table(
                "Population uniques by band of estimated risk, mean over the samples",
                ("risk", "sample uniques", "population uniques", "expected"),
                [(name, b.sample_uniques, b.population_uniques, b.expected) for name, b in named],
                dict.fromkeys(("sample uniques", "population uniques", "expected"), ",.1f"),
            ),
            Table(
                "The file, mean over the samples",
                ("", "expected", "true", "ratio"),
                [
                    (
                        "population uniques",
                        float(np.mean(self.predicted_uniques)),
                        float(np.mean(self.true_uniques)),
                        self.ratio_uniques,
                    ),
                    (
                        "correct matches",
                        float(np.mean(self.predicted_matches)),
                        float(np.mean(self.true_matches)),
                        self.ratio_matches,
                    ),
                ],
                {"expected": ",.1f", "true": ",.1f", "ratio": ".3f"},
            ),
        ]


def draw_sample(
    population: KeyTable, *, fraction: float, rng: np.random.Generator
) -> tuple[KeyTable, Ints]:
    """Draw records without replacement, by class; return the sample, and its classes' population.

    Counts by class of a simple random sample are multivariate hypergeometric, so no record need be
    touched.
    """
    size = round(fraction * population.records)
    counts = rng.multivariate_hypergeometric(population.counts, size, method="marginals")
    seen = np.flatnonzero(counts)
    sample = KeyTable(population.coding, population.codes[seen], counts[seen])
    return sample, population.counts[seen]


def validate(
    population: KeyTable,
    *,
    fraction: Fraction,
    repeat: Annotated[int, at_least(1, most=10**6)] = 20,
    model: str = "auto",
    distribution: Distribution = "auto",
    seed: Seed = 1,
) -> Validation:
    """Draw samples from a known population, estimate the risk from each, and compare.

    Parameters
    ----------
    population
        The key table of the whole population.
    fraction
        The sampling fraction, above 0 and below 1.
    repeat
        Samples to draw.
    model
        ``auto`` for the search, or a model as for `record_risk`.
    distribution
        As for `record_risk`; the model of the search explains the spread itself and is Poisson.

    >>> from indistinct.census import census_table
    >>> import indistinct
    >>> with indistinct.open_data(census_table(20_000, seed=1)) as data:
    ...     table = data.key_table(["age_group", "sex", "marital", "economic"])
    >>> found = validate(table, fraction=0.2, repeat=4, model="main")
    >>> found.ratio_uniques > 1.2  # main effects alone overstate
    True
    """
    if not 0 < fraction < 1:
        raise InputError(f"The sampling fraction must lie between 0 and 1. Got {fraction}.")
    if round(fraction * population.records) < 1:
        raise InputError(
            f"A sample of {fraction} from {population.records:,} records is empty. Take a larger "
            "fraction."
        )
    name = model if model == "auto" else parse_model(model, population.names).text
    rng = np.random.default_rng(seed)
    bands, top = np.zeros((10, 3)), np.zeros((len(TOP), 3))
    sizes = np.zeros(len(SIZES))
    predicted1, true1, predicted2, true2, covered = [], [], [], [], []
    assumptions: tuple[str, ...] = ()
    for _ in progress.each(range(repeat), "drawing samples", unit="samples"):
        sample, known = draw_sample(population, fraction=fraction, rng=rng)
        if model == "auto":
            path = choose_model(sample, fraction=fraction)
            risk = path.risk
        else:
            fit = fit_model(sample, model)
            risk = record_risk(sample, fraction=fraction, fit=fit, distribution=distribution)
        alone = sample.counts == 1
        true1.append(int((known[alone] == 1).sum()))
        true2.append(float((1 / known[alone]).sum()))
        predicted1.append(risk.expected_population_uniques)
        predicted2.append(risk.expected_reidentifications)
        if model == "auto":
            (low1, high1), (low2, high2) = path.intervals()
            covered.append((low1 <= true1[-1] <= high1, low2 <= true2[-1] <= high2))
        bands += [
            (band.sample_uniques, band.population_uniques or 0, band.expected)
            for band in risk.bands(known)
        ]
        top += _above(risk, known)
        sizes += _by_size(sample.counts)
        assumptions = risk.assumptions
    held = np.mean(covered, axis=0) if covered else None
    return Validation(
        key=population.names,
        people=population.records,
        fraction=fraction,
        repeat=repeat,
        model=name,
        population_sizes=tuple(int(number) for number in _by_size(population.counts)),
        sample_sizes=tuple(float(number) for number in sizes / repeat),
        bands=tuple(
            Calibration(i / 10, (i + 1) / 10, *map(float, row))
            for i, row in enumerate(bands / repeat)
        ),
        top=tuple(
            Calibration(low, 1.0, *map(float, row))
            for low, row in zip(TOP, top / repeat, strict=True)
        ),
        predicted_uniques=tuple(predicted1),
        true_uniques=tuple(true1),
        predicted_matches=tuple(predicted2),
        true_matches=tuple(true2),
        covered=None if held is None else (float(held[0]), float(held[1])),
        assumptions=assumptions,
    )


def _above(risk: RecordRisk, known: Ints) -> Floats:
    rows = []
    for low in TOP:
        above = (risk.table.counts == 1) & (risk.population_unique > low)
        found = risk.population_unique[above]
        rows.append((len(found), int((known[above] == 1).sum()), float(found.sum())))
    return np.array(rows, dtype=np.float64)


def _by_size(counts: Ints) -> Floats:
    return np.array(
        [
            np.count_nonzero((counts >= low) & (counts <= (high or counts.max())))
            for low, high in SIZES
        ],
        dtype=np.float64,
    )


def _all(bands: tuple[Calibration, ...]) -> Calibration:
    return Calibration(
        0.0,
        1.0,
        sum(band.sample_uniques for band in bands),
        sum(band.population_uniques for band in bands),
        sum(band.expected for band in bands),
    )


def _ratio(expected: tuple[float, ...], true: tuple[float, ...] | tuple[int, ...]) -> float:
    total = sum(true)
    return sum(expected) / total if total else float("nan")


def _spread(expected: tuple[float, ...], true: tuple[float, ...] | tuple[int, ...]) -> float:
    """Return the standard deviation of the ratio between samples."""
    pairs = [e / t for e, t in zip(expected, true, strict=True) if t]
    return float(np.std(pairs)) if pairs else float("nan")
