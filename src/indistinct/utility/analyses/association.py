"""Associations of pairs of variables: rank correlations and Cramér's V, before and after."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, progress
from indistinct.keys import Coded, CodedColumn, Side
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import agreement
from indistinct.utility.analyses.binning import as_factors
from indistinct.utility.analyses.cells import Cells, joint_cells
from indistinct.utility.analyses.marginals import both_weights

__all__ = [
    "Associations",
    "compare_associations",
    "compare_correlations",
    "cramers_v",
    "mid_ranks",
]


@result
class Associations(Result):
    """A symmetric matrix of associations in both files.

    Parameters
    ----------
    what
        The coefficient, for people.
    names
        The variables, in the order of rows and columns.
    original, released
        The matrices; not a number where a variable does not vary.
    left_out
        Records without a number in a variable, original and released; a pair is compared over
        the records that have both.
    corrected
        For Cramér's V, the same corrected for bias: the matrices of both files.
    """

    what: str
    names: tuple[str, ...]
    original: Floats = field(repr=False)
    released: Floats = field(repr=False)
    left_out: dict[str, tuple[int, int]] = field(default_factory=dict)
    corrected: tuple[Floats, Floats] | None = None
    weighted: bool = False

    FACTS = facts(
        Fact("original", lambda found: found._nested(found.original)),
        Fact("released", lambda found: found._nested(found.released)),
        Fact("difference", lambda found: found._nested(found.difference)),
        Fact("largest", shown="largest difference", form=".4f"),
        Fact("mean", shown="mean difference", form=".4f"),
        "worst",
        Fact("coefficient", "what"),
        "left_out weighted",
        Fact("corrected", lambda found: found._told_corrected(), when="corrected"),
    )

    @property
    def difference(self) -> Floats:
        """Released less original."""
        return self.released - self.original

    @property
    def pairs(self) -> list[tuple[str, str, float, float]]:
        """Every pair with its two coefficients, where both exist."""
        return [
            (self.names[i], self.names[j], float(self.original[i, j]), float(self.released[i, j]))
            for i, j in itertools.combinations(range(len(self.names)), 2)
            if np.isfinite(self.difference[i, j])
        ]

    @property
    def largest(self) -> float:
        """The largest absolute difference."""
        return max((abs(b - a) for *_, a, b in self.pairs), default=0.0)

    @property
    def mean(self) -> float:
        """The mean absolute difference of pairs."""
        found = [abs(b - a) for *_, a, b in self.pairs]
        return float(np.mean(found)) if found else 0.0

    @property
    def worst(self) -> tuple[str, str] | None:
        """The pair that differs most."""
        if not self.pairs:
            return None
        first, second, *_ = max(self.pairs, key=lambda pair: abs(pair[3] - pair[2]))
        return first, second

    def _told_corrected(self) -> dict[str, Any]:
        before, after = self.corrected or (self.original, self.released)
        gaps = np.abs(after - before)[np.triu_indices(len(self.names), 1)]
        known = np.isfinite(gaps).any()
        return {
            "original": self._nested(before),
            "released": self._nested(after),
            "difference": self._nested(after - before),
            "largest": float(np.nanmax(gaps)) if known else None,
            "mean": float(np.nanmean(gaps)) if known else None,
        }

    def _nested(self, matrix: Floats) -> dict[str, dict[str, float]]:
        return {a: dict(zip(self.names, matrix[i], strict=True)) for i, a in enumerate(self.names)}

    def plot(self) -> str:
        """Draw released against original coefficients, and name the pairs that differ most."""
        return agreement(
            f"{self.what}: original against released",
            [f"{a} x {b}" for a, b, *_ in self.pairs],
            [x for *_, x, _ in self.pairs],
            [y for *_, y in self.pairs],
            what=self.what,
        )

    def sentence(self) -> str:
        """Say of what, and of how many variables."""
        return f"{self.what} of {len(self.names)} variables"

    def _row_tables(self) -> list[Table]:
        ordered = sorted(self.pairs, key=lambda pair: -abs(pair[3] - pair[2]))
        return [
            Table(
                "Pairs, those that differ most first",
                ("pair", "original", "released", "difference"),
                [(f"{a} x {b}", x, y, y - x) for a, b, x, y in ordered],
                {"original": "+.4f", "released": "+.4f", "difference": "+.4f"},
            )
        ]


def compare_correlations(coded: Coded, *, variables: Sequence[str] | None = None) -> Associations:
    """Compare Spearman's rank correlations of numbers, dates and ordinal variables.

    The correlation of mid-ranks (tied records share their mean rank); for each pair over the
    records that have both, ranked among themselves. With weights, a rank is a sum of weights.
    """
    columns = [c for c in coded.chosen(variables) if c.is_ordered]
    if len(columns) < 2:
        raise InputError(
            f"Rank correlations need two numeric or ordinal variables. Got {len(columns)}. "
            "Say with levels= which variables are ordered."
        )
    matrices = [_spearman(columns, side, coded.weights(side)) for side in _SIDES]
    left_out = {
        c.name: (_absent(c, "original"), _absent(c, "released"))
        for c in columns
        if _absent(c, "original") or _absent(c, "released")
    }
    return Associations(
        "Spearman's rank correlation",
        tuple(c.name for c in columns),
        matrices[0],
        matrices[1],
        left_out,
        weighted=coded.weights_original is not None,
    )


_SIDES: tuple[Side, Side] = ("original", "released")


def _absent(column: CodedColumn, side: Side) -> int:
    return int(column.counts(side)[np.isnan(column.scores())].sum())


def mid_ranks(counts: Floats) -> Floats:
    """Return the mean rank of the records with each code, codes being in order.

    >>> mid_ranks(np.array([2.0, 0.0, 1.0])).tolist()
    [1.5, 2.5, 3.0]
    """
    return np.cumsum(counts) - counts / 2 + 0.5


def _spearman(columns: Sequence[CodedColumn], side: Side, weights: Floats | None) -> Floats:
    orders = [_ordered(column, side) for column in columns]
    single = [None if absent.any() else _scores(codes, weights) for codes, absent in orders]
    found = np.eye(len(columns))
    pairs = list(itertools.combinations(range(len(columns)), 2))
    for i, j in progress.each(pairs, "comparing correlations", unit="pairs"):
        first, second = single[i], single[j]
        w = weights
        if first is None or second is None:
            both = ~(orders[i][1] | orders[j][1])
            w = None if weights is None else weights[both]
            first, second = (_scores(orders[k][0][both], w) for k in (i, j))
        found[i, j] = found[j, i] = _correlation(first, second, w)
    return found


def _ordered(column: CodedColumn, side: Side) -> tuple[Ints, Bools]:
    """Return codes whose order is that of the scores, and which records have none."""
    scores = column.scores()
    _, order = np.unique(scores, return_inverse=True)
    codes = column.of(side)
    return order.reshape(-1)[codes], np.isnan(scores)[codes]


def _scores(codes: Ints, weights: Floats | None) -> Floats:
    ranks = mid_ranks(np.bincount(codes, weights).astype(np.float64))
    return ranks[codes]


def _correlation(x: Floats, y: Floats, w: Floats | None) -> float:
    if len(x) < 2:
        return np.nan
    total = float(len(x)) if w is None else float(w.sum())
    x = x - (x.mean() if w is None else float(x @ w) / total)
    y = y - (y.mean() if w is None else float(y @ w) / total)
    xw, yw = (x, y) if w is None else (x * w, y * w)
    spread = float(x @ xw) * float(y @ yw)
    return float(x @ yw) / float(np.sqrt(spread)) if spread > 0 else np.nan


def compare_associations(
    coded: Coded, *, variables: Sequence[str] | None = None, bins: int = 10
) -> Associations:
    """Compare Cramér's V of all pairs, numbers in bins of the original's quantiles.

    V = √(φ² / min(r − 1, c − 1)), φ² = χ²/n, r and c being the categories that a file has. The
    corrected V takes from φ² what independence would give by chance, (r − 1)(c − 1)/(n − 1), and
    shrinks r and c likewise (Bergsma 2013). Missing is a category. With weights, χ² is that of
    the weighted table scaled to the number of records.
    """
    factors = as_factors(coded, None if variables is None else list(variables), bins=bins)
    if len(factors) < 2:
        raise InputError(f"Associations need two variables. Got {len(factors)}.")
    size = len(factors)
    plain_v = [np.eye(size), np.eye(size)]
    corrected = [np.eye(size), np.eye(size)]
    weights = both_weights(coded)
    pairs = list(itertools.combinations(range(size), 2))
    for i, j in progress.each(pairs, "comparing associations", unit="pairs"):
        cells = joint_cells([factors[i], factors[j]], weights=weights)
        for n, side in enumerate(_SIDES):
            v, unbiased = cramers_v(cells, side, records=coded.records(side))
            plain_v[n][i, j] = plain_v[n][j, i] = v
            corrected[n][i, j] = corrected[n][j, i] = unbiased
    return Associations(
        "Cramér's V",
        tuple(f.name for f in factors),
        plain_v[0],
        plain_v[1],
        corrected=(corrected[0], corrected[1]),
        weighted=weights is not None,
    )


def cramers_v(cells: Cells, side: Side, *, records: int) -> tuple[float, float]:
    """Return Cramér's V of a two-way table, as it is and corrected for bias."""
    shares = cells.p if side == "original" else cells.q
    rows, columns = cells.codes()
    row = np.bincount(rows, shares, minlength=cells.sizes[0])
    column = np.bincount(columns, shares, minlength=cells.sizes[1])
    r, c = int((row > 0).sum()), int((column > 0).sum())
    if min(r, c) < 2 or records < 2:
        return np.nan, np.nan
    expected = row[rows] * column[columns]
    used = expected > 0
    # cells without records add to χ² what is missing from the sum of expected shares
    phi2 = float((shares[used] ** 2 / expected[used]).sum()) - 1.0
    phi2 = max(phi2, 0.0)
    less = max(phi2 - (r - 1) * (c - 1) / (records - 1), 0.0)
    shrunk = min(r - (r - 1) ** 2 / (records - 1), c - (c - 1) ** 2 / (records - 1)) - 1
    return (
        float(np.sqrt(phi2 / (min(r, c) - 1))),
        float(np.sqrt(less / shrunk)) if shrunk > 0 else np.nan,
    )
