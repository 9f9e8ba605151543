"""The K-marginal score of the NIST challenges, and the subsample that would score the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from indistinct.core import Floats, InputError, Seed, progress
from indistinct.keys import Coded
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.utility.analyses.binning import Factor, as_factor, as_factors
from indistinct.utility.analyses.cells import joint_cells, numbered_cells
from indistinct.utility.analyses.printing import plain

__all__ = ["FRACTIONS", "KMarginal", "k_marginal"]

FRACTIONS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The sampling fractions that SDNist prints beside a score."""


@result
class KMarginal(Result):
    """A release's K-marginal score, 0 (no overlap) to 1000 (the same).

    Parameters
    ----------
    score
        Over the whole file.
    features, by, bins
        What it was computed of: all pairs of features, with `by` as a third variable in each,
        numbers in so many percentile bins of the original.
    marginals
        The number of pairs.
    groups
        The score in each value of `by`, worst first.
    subsamples
        The score of random subsamples of the original, by sampling fraction.
    """

    score: float
    features: tuple[str, ...]
    marginals: int
    bins: int
    by: str | None = None
    groups: tuple[tuple[Any, float], ...] = ()
    subsamples: dict[float, float] = field(default_factory=dict)

    FACTS = facts(
        Fact("original", lambda _: 1000.0),
        Fact("released", "score"),
        Fact("difference", lambda found: 1000.0 - found.score),
        "features by",
        Fact("groups", lambda found: plain(dict(found.groups))),
        "marginals bins",
        Fact(
            "subsamples", lambda found: {f"{f:g}": score for f, score in found.subsamples.items()}
        ),
        "nearest_fraction equivalent_fraction",
    )

    @property
    def nearest_fraction(self) -> float | None:
        """The sampling fraction, of those tried, whose score is nearest: what SDNist prints."""
        if not self.subsamples:
            return None
        return min(self.subsamples, key=lambda f: abs(self.subsamples[f] - self.score))

    @property
    def equivalent_fraction(self) -> float | None:
        """The sampling fraction f that would score the same, between those tried.

        Interpolated over √((1 − f)/f), to which a subsample's sampling error is proportional;
        the smallest fraction tried where the score is below its own.
        """
        if not self.subsamples:
            return None
        fractions = sorted(self.subsamples)
        lost = [0.0, *(1000 - self.subsamples[f] for f in reversed(fractions))]
        errors = [0.0, *(float(np.sqrt((1 - f) / f)) for f in reversed(fractions))]
        error = float(np.interp(1000 - self.score, np.maximum.accumulate(lost), errors))
        return 1 / (1 + error**2)

    def plot(self) -> str:
        """Draw how far the score is from 1000, among those of random subsamples."""
        rows = [(f"{100 * f:g} % subsample", 1000 - s) for f, s in self.subsamples.items()]
        rows.append(("this release", 1000 - self.score))
        rows.sort(key=lambda row: -row[1])
        return bars(
            "K-marginal: points lost of 1000", [row[0] for row in rows], [row[1] for row in rows]
        )

    def _lines(self) -> list[str]:
        what = f"{self.marginals} pairs of {len(self.features)} features"
        what += f", each by {self.by}" if self.by else ""
        lines = [f"K-marginal score {self.score:.0f} of 1000 ({what}; {self.bins} bins)"]
        if self.subsamples:
            lines.append(
                f"  a random subsample of {100 * (self.nearest_fraction or 0):g} % scores nearest "
                f"(about {100 * (self.equivalent_fraction or 0):.3g} % would score the same)"
            )
            lines.append(
                "  subsamples: "
                + ", ".join(f"{100 * f:g} %: {s:.0f}" for f, s in self.subsamples.items())
            )
        for value, score in self.groups[:5]:
            lines.append(f"  {self.by} = {value}: {score:.0f}")
        return lines

    def _tables(self) -> list[Table]:
        rows: list[tuple[object, ...]] = [("this release", self.score, 1000 - self.score)]
        rows += [
            (f"{100 * fraction:g} % subsample", score, 1000 - score)
            for fraction, score in self.subsamples.items()
        ]
        tables = [
            Table(
                f"K-marginal over {self.marginals} pairs of {len(self.features)} features",
                ("", "score", "points lost of 1000"),
                rows,
                {"score": ".1f", "points lost of 1000": ".1f"},
            )
        ]
        if self.groups:
            tables.append(
                Table(
                    f"By {self.by}, lowest first",
                    (str(self.by), "score"),
                    [(str(value), score) for value, score in self.groups[:5]],
                    {"score": ".0f"},
                )
            )
        return tables


def k_marginal(
    coded: Coded,
    *,
    features: Sequence[str] | None = None,
    by: str | None = None,
    bins: int = 20,
    fractions: Sequence[float] = FRACTIONS,
    repeats: int | None = None,
    seed: Seed = 0,
) -> KMarginal:
    """Return NIST's K-marginal score of a release, as SDNist 2.3 defines it.

    With t and s the shares of original and released records in the cells of a marginal, and D
    the mean of Σ |t − s| over all pairs of features, the score is 500 (2 − D). With `by` (SDNist:
    PUMA) each marginal is of `by` and a pair, and each group g of it has a score of its own,
    1000 (1 − mean of min(t_g, Σ_{cells in g} |t − s|) / t_g), t_g being its share of the original.
    Numbers are binned by their percentile in the original, 20 bins.

    Parameters
    ----------
    features
        The variables of the pairs; all by default (SDNist leaves its PUMA and INDP out).
    by
        A variable whose values are scored apart.
    fractions, repeats, seed
        Random subsamples of the original that are scored too, `repeats` times each and averaged
        (by default three times, once from a million records on); no fractions, no subsamples.
    """
    names = [n for n in (features if features is not None else coded.names) if n != by]
    if len(names) < 2:
        raise InputError(f"A K-marginal score needs two features or more. Got {len(names)}.")
    wrong = [f for f in fractions if not 0 < f <= 1]
    if wrong:
        raise InputError(f"Sampling fractions must be above 0 and at most 1. Got {wrong[0]}.")
    chosen = as_factors(coded, names, bins=bins)
    group = _as_it_is(coded, by) if by is not None else None
    score, groups = _score(chosen, group)
    curve = dict.fromkeys(sorted(fractions), 0.0)
    rng = np.random.default_rng(seed)
    times = repeats or (3 if coded.records_original < 1_000_000 else 1)
    repeated = range(times if fractions else 0)
    for _ in progress.each(repeated, "scoring subsamples", unit="subsamples"):
        order = rng.permutation(coded.records_original)
        mixed = [replace(f, released=f.original[order]) for f in chosen]
        over = None if group is None else replace(group, released=group.original[order])
        for f, found in zip(curve, _curve(mixed, over, list(curve)), strict=True):
            curve[f] += float(found) / times
    listed: list[tuple[Any, float]] = []
    if group is not None and by is not None:
        labels = coded[by].labels()
        listed = [(labels[i], s) for i, s in groups.items()]
        listed.sort(key=lambda entry: entry[1])
    return KMarginal(
        score,
        tuple(names),
        len(names) * (len(names) - 1) // 2,
        bins,
        by,
        tuple(listed),
        curve,
    )


def _as_it_is(coded: Coded, name: str) -> Factor:
    column = coded[name]
    return as_factor(replace(column, level="nominal"), bins=2)


def _score(factors: Sequence[Factor], group: Factor | None) -> tuple[float, dict[int, float]]:
    pairs = list(itertools.combinations(factors, 2))
    total = 0.0
    lost = here = np.zeros(0)
    if group is not None:
        here = np.bincount(group.original, minlength=group.size) / max(len(group.original), 1)
        lost = np.zeros(group.size)
    for pair in pairs:
        cells = joint_cells(pair if group is None else (group, *pair))
        apart = np.abs(cells.p - cells.q)
        total += float(apart.sum())
        if group is not None:
            sums = np.bincount(cells.codes()[0], apart, minlength=group.size)
            lost += np.minimum(here, sums)
    groups = {
        int(g): float(1000 * (1 - lost[g] / len(pairs) / here[g])) for g in np.flatnonzero(here)
    }
    return 500 * (2 - total / len(pairs)), groups


def _curve(factors: Sequence[Factor], group: Factor | None, fractions: Sequence[float]) -> Floats:
    """Score the first records of a shuffled file, for every fraction in increasing order."""
    records = len(factors[0].original)
    ends = [max(1, round(f * records)) for f in fractions]
    totals = np.zeros(len(fractions))
    pairs = list(itertools.combinations(factors, 2))
    for pair in pairs:
        every = pair if group is None else (group, *pair)
        keys, cells = numbered_cells([f.released for f in every], [f.size for f in every])
        whole = np.bincount(keys, minlength=cells)
        counts = np.zeros(cells)
        start = 0
        for n, end in enumerate(ends):
            counts += np.bincount(keys[start:end], minlength=cells)
            start = end
            totals[n] += np.abs(whole / records - counts / end).sum()
    return 500 * (2 - totals / len(pairs))
