"""Information loss of numbers: IL1s, eigenvalues, covariances and correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from indistinct.core import Floats, InputError
from indistinct.keys import Coded, CodedColumn, Side
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import agreement

__all__ = ["InformationLoss", "compare_numbers", "varying_numbers"]


DIFFERENCES = {
    "il1s": ("IL1s", ",.6g"),
    "il1s_mean": ("IL1s of a mean cell", ".4f"),
    "eigen": ("eigenvalues", ".4f"),
    "correlation_loss": ("correlations, loss", ".4f"),
    "correlation_largest": ("correlations, largest difference", ".4f"),
    "correlation_mean": ("correlations, mean difference", ".4f"),
    "covariance": ("covariances", ".4f"),
}
"""What is compared: what people read before it, and how the number is written."""


@result
class InformationLoss(Result):
    """What happened to the numbers of a file.

    Parameters
    ----------
    names
        The variables.
    il1s
        Σ |x − x′| / (√2 s), record by record; None where the files have different numbers of
        records.
    il1s_mean
        The same for a mean cell.
    eigen
        Σ |λ − λ′| / λ over the eigenvalues of the correlation matrices.
    correlation_loss
        Młodak's distance of the diagonals of the inverse correlation matrices, 0 to 1; None
        where a matrix has no inverse.
    correlation_largest, correlation_mean
        Absolute differences of Pearson's correlations.
    covariance
        ‖C′ − C‖ / ‖C‖, the covariances of numbers standardised by the original's mean and sd.
    """

    names: tuple[str, ...]
    il1s: float | None
    il1s_mean: float | None
    eigen: float
    correlation_loss: float | None
    correlation_largest: float
    correlation_mean: float
    covariance: float
    correlations_original: Floats = field(repr=False)
    correlations_released: Floats = field(repr=False)
    eigenvalues: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    left_out: tuple[int, int] = (0, 0)

    FACTS = facts(
        Fact("original", lambda found: found._side(0, found.correlations_original)),
        Fact("released", lambda found: found._side(1, found.correlations_released)),
        Fact("difference", lambda found: {name: getattr(found, name) for name in DIFFERENCES}),
        Fact("variables", "names"),
        "left_out",
        *(
            Fact(name, shown=said, form=form, told=False)
            for name, (said, form) in DIFFERENCES.items()
        ),
    )

    def _side(self, side: int, matrix: Floats) -> dict[str, Any]:
        """Return the eigenvalues of a file, and its correlations by the names of variables."""
        rows = {a: dict(zip(self.names, matrix[i], strict=True)) for i, a in enumerate(self.names)}
        return {"eigenvalues": self.eigenvalues[side], "correlations": rows}

    def sentence(self) -> str:
        """Say of which numbers it speaks."""
        return f"What happened to the numbers {', '.join(self.names)}"

    def plot(self) -> str:
        """Draw released against original correlations."""
        rows, columns = np.triu_indices(len(self.names), 1)
        return agreement(
            "Pearson's correlations: original against released",
            [f"{self.names[i]} x {self.names[j]}" for i, j in zip(rows, columns, strict=True)],
            self.correlations_original[rows, columns].tolist(),
            self.correlations_released[rows, columns].tolist(),
            what="correlation",
        )


def compare_numbers(coded: Coded, *, variables: Sequence[str] | None = None) -> InformationLoss:
    """Compare the numbers of both files, record by record and by their moments.

    The definitions are those of sdcMicro's `dUtility` (``IL1s``, ``eigen``) and `IL_correl`.
    sdcMicro's ``robeigen`` rests on a random search for a robust covariance and is not given.
    Correlations are over the records that have both numbers, the inverse matrices over those that
    have all. Weights are not used.
    """
    columns = varying_numbers(coded, variables)
    if not columns:
        raise InputError("There are no numeric variables to compare. Say which with levels=.")
    before, after = (_numbers(columns, side) for side in _SIDES)
    spread = np.nanstd(before, axis=0, ddof=1)
    il1s = il1s_mean = None
    if coded.records_original == coded.records_released:
        gaps = np.abs(before - after) / (np.sqrt(2) * spread)
        il1s = float(np.nansum(gaps))
        il1s_mean = il1s / gaps.size
    first, second = _correlations(before), _correlations(after)
    values = [np.sort(np.linalg.eigvalsh(np.nan_to_num(m)))[::-1] for m in (first, second)]
    above = np.triu_indices(len(columns), 1)
    gaps = np.abs(second - first)[above]
    covariances = [_covariances(m / spread) for m in (before, after)]
    return InformationLoss(
        tuple(c.name for c in columns),
        il1s,
        il1s_mean,
        float((np.abs(values[0] - values[1]) / values[0]).sum()),
        _inverse_loss(before, after),
        float(np.nanmax(gaps, initial=0.0)),
        float(np.nanmean(gaps)) if np.isfinite(gaps).any() else 0.0,
        float(np.linalg.norm(covariances[1] - covariances[0]) / np.linalg.norm(covariances[0])),
        first,
        second,
        (tuple(values[0].tolist()), tuple(values[1].tolist())),
        (int(np.isnan(before).any(axis=1).sum()), int(np.isnan(after).any(axis=1).sum())),
    )


_SIDES: tuple[Side, Side] = ("original", "released")


def varying_numbers(coded: Coded, variables: Sequence[str] | None = None) -> list[CodedColumn]:
    """Return the numeric variables that have more than one value in both files."""
    return [c for c in coded.chosen(variables) if c.is_numeric and _varies(c)]


def _varies(column: CodedColumn) -> bool:
    numbers = column.scores()
    return all(
        len(np.unique(numbers[(column.counts(side) > 0) & ~np.isnan(numbers)])) > 1
        for side in _SIDES
    )


def _numbers(columns: Sequence[CodedColumn], side: Side) -> Floats:
    found = np.empty((len(columns[0].of(side)), len(columns)))
    for j, column in enumerate(columns):
        found[:, j] = column.scores()[column.of(side)]
    return found


def _moments(numbers: Floats, *, scale: bool) -> Floats:
    """Return covariances, or correlations, of each pair over the records that have both."""
    size = numbers.shape[1]
    if not np.isnan(numbers).any():
        found = np.corrcoef(numbers, rowvar=False) if scale else np.cov(numbers, rowvar=False)
        return np.atleast_2d(found)
    found = np.empty((size, size))
    for i in range(size):
        for j in range(i + 1):
            x, y = numbers[:, i], numbers[:, j]
            both = ~np.isnan(x) & ~np.isnan(y)
            part = np.cov(x[both], y[both])
            value = part[0, 1]
            if scale:
                value = value / np.sqrt(part[0, 0] * part[1, 1])
            found[i, j] = found[j, i] = value
    return found


def _correlations(numbers: Floats) -> Floats:
    return _moments(numbers, scale=True)


def _covariances(numbers: Floats) -> Floats:
    return _moments(numbers, scale=False)


def _inverse_loss(before: Floats, after: Floats) -> float | None:
    """Return √½ ‖d/‖d‖ − d′/‖d′‖‖, d the diagonal of the inverse correlation matrix."""
    diagonals = []
    for numbers in (before, after):
        whole = numbers[~np.isnan(numbers).any(axis=1)]
        if len(whole) < 3:
            return None
        matrix = np.atleast_2d(np.corrcoef(whole, rowvar=False))
        if not np.isfinite(matrix).all() or np.linalg.cond(matrix) > 1e12:
            return None
        diagonal = np.diag(np.linalg.inv(matrix))
        diagonals.append(diagonal / np.linalg.norm(diagonal))
    return float(np.linalg.norm(diagonals[0] - diagonals[1]) / np.sqrt(2))
