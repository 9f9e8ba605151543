"""Correlated noise: numbers get noise that is related as they are (Kim 1986).

Noise drawn for each variable by itself weakens every correlation. Noise with the covariances of
the variables does not, and a linear transformation gives them back their variances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from indistinct.core import Bools, Floats, InputError, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    Numbers,
    check_variables,
    read_numbers,
    rewritten,
)
from indistinct.protect.steps.noise import standard_noise

__all__ = ["CorrelatedNoise", "Moments", "covariances", "root", "settled"]

Moments = Literal["none", "expected", "exact"]

_RANK = 1e-10
"""Directions with a smaller share of the largest eigenvalue do not vary."""


@dataclass(frozen=True)
class CorrelatedNoise(Step, kind="correlated-noise"):
    """Add normal noise with the covariances of the variables: Cov(e) = a²Σ.

    With x̄ and Σ the means and covariances of the records that miss none of the variables:

    ``keep="none"``
        z = x + e. Correlations are expected to stay, variances grow by 1 + a².
    ``keep="expected"``
        z = x̄ + (x − x̄ + e)/√(1 + a²): means and covariances are expected to stay (J. J. Kim 1986,
        *A method for limiting disclosure in microdata based on random noise and transformation*).
    ``keep="exact"``
        The same, with noise made orthogonal to x and of covariance a²Σ exactly, so that the
        complete records keep means and covariances to the last digits of floating numbers.

    Missing values, and codes that mean *missing*, stay.

    Parameters
    ----------
    scale
        The noise's standard deviation a, as a share of the variable's.
    whole
        Whole numbers and decimals stay such: z is rounded. False makes whole numbers floating
        ones.
    """

    variables: tuple[str, ...]
    scale: float
    keep: Moments = "expected"
    whole: bool = True

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse a scale that is none, and an unknown word."""
        check_variables(self.variables, "noise")
        check_number("The scale of noise", self.scale, above(0))
        if self.keep not in ("none", "expected", "exact"):
            raise InputError(f"keep must be none, expected or exact. Got '{self.keep}'.")
        object.__setattr__(self, "scale", float(self.scale))

    def describe(self) -> str:
        """Say what is done."""
        kept = {
            "none": "",
            "expected": ", transformed so that means and covariances are expected to stay",
            "exact": ", transformed so that means and covariances stay",
        }[self.keep]
        return (
            f"add noise to {', '.join(self.variables)} that is related as they are (standard "
            f"deviation {self.scale:g} of the variable's){kept}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Add the noise."""
        draws = context.draws()
        columns = [read_numbers(source, name, doing="noise") for name in self.variables]
        self._check_exact(source, columns)
        complete = np.logical_and.reduce([c.present for c in columns])
        records = np.arange(source.records)
        x = np.stack([c.floats() for c in columns], axis=1)
        noise = np.stack(
            [standard_noise(draws, c.name, records, "normal") for c in columns], axis=1
        )
        notes, warnings = [], []
        if complete.sum() < 2:
            warnings.append("fewer than two records miss no variable, so no noise was added")
            new = x
        else:
            new = self._noisy(source, x, noise, complete)
            partly = int((np.logical_or.reduce([c.present for c in columns]) & ~complete).sum())
            if partly:
                notes.append(
                    f"{partly:,} records miss a variable; means and covariances are those of the "
                    "others"
                )
        written, changes = {}, {}
        for j, column in enumerate(columns):
            written[column.name], changed = settled(column, new[:, j], whole=self.whole)
            changes[column.name] = changed
        return rewritten(
            self.kind, engine, source, written, changes, notes=notes, warnings=warnings
        )

    def _check_exact(self, source: Source, columns: list[Numbers]) -> None:
        for column in columns:
            rounded = column.places is not None and (column.places > 0 or self.whole)
            if self.keep == "exact" and rounded:
                raise InputError(
                    f"{source.origin}: '{column.name}' holds {column.kind}, and rounded numbers "
                    "cannot keep their covariances exactly. Use whole=False, convert the column, "
                    "or keep them in expectation."
                )

    def _noisy(self, source: Source, x: Floats, noise: Floats, complete: Bools) -> Floats:
        inside = x[complete]
        varies = np.ptp(inside, axis=0) > 0
        mean, deviation = inside.mean(axis=0), inside.std(axis=0)
        # a column of equal values has no covariance; rounding must not give it one
        standard = np.where(varies, (x - mean) / np.where(varies, deviation, 1.0), 0.0)
        related = root(covariances(standard[complete]))
        if self.keep == "exact":
            noise = noise.copy()
            noise[complete] = _orthogonal(source, noise[complete], standard[complete])
        e = self.scale * _times(noise, related) * deviation
        if self.keep == "none":
            return np.asarray(np.where(varies, x + e, x))
        shrink = 1 / np.sqrt(1 + self.scale**2)
        return np.asarray(np.where(varies, mean + shrink * (x - mean + e), x))


def settled(numbers: Numbers, new: Floats, *, whole: bool = True) -> tuple[Any, Bools]:
    """Return floating numbers as a column of its type, and which cells are new.

    Cells without a number keep what they hold.
    """
    places = None if numbers.places == 0 and not whole else numbers.places
    if places is None:
        kind = numbers.floats()
        fresh = np.where(numbers.present, new, kind)
        if numbers.places is None and numbers.kind.bit_width == 32:
            fresh = fresh.astype(np.float32).astype(np.float64)
        return numbers.replaced(fresh), numbers.present & (fresh != kind)
    units = np.where(numbers.present, np.rint(new * 10.0**places), 0).astype(np.int64)
    return numbers.replaced(units), numbers.present & (units != numbers.values)


def covariances(centred: Floats) -> Floats:
    """Return the covariances of columns with mean 0, the same however many threads there are."""
    width = centred.shape[1]
    found = np.empty((width, width))
    for j in range(width):
        for k in range(j + 1):
            found[j, k] = found[k, j] = (centred[:, j] * centred[:, k]).mean()
    return found


def root(covariance: Floats, *, inverse: bool = False) -> Floats:
    """Return the symmetric square root of a covariance matrix, or its (pseudo-)inverse.

    >>> half = root(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> (half @ half).round(12).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    values, vectors = np.linalg.eigh(covariance)
    varies = values > _RANK * max(values.max(), 0.0)
    size = np.sqrt(np.where(varies, values, 1.0))
    scaled = np.where(varies, 1 / size if inverse else size, 0.0)
    return np.asarray((vectors * scaled) @ vectors.T)


def _times(rows: Floats, matrix: Floats) -> Floats:
    """Multiply rows by a small matrix, the same however many threads there are."""
    return np.stack(
        [
            sum((rows[:, j] * matrix[j, k] for j in range(len(matrix))), np.zeros(len(rows)))
            for k in range(matrix.shape[1])
        ],
        axis=1,
    )


def _orthogonal(source: Source, noise: Floats, x: Floats) -> Floats:
    """Return noise with mean 0, covariance 1, and none with x (columns with mean 0)."""
    if len(noise) <= 2 * noise.shape[1] + 1:
        raise InputError(
            f"{source.origin}: {len(noise):,} complete records are too few to keep the covariances "
            f"of {noise.shape[1]} variables exactly. Keep them in expectation."
        )
    for _ in range(2):  # twice, since once leaves what rounding leaves
        noise = noise - noise.mean(axis=0)
        spread = covariances(x)
        width = x.shape[1]
        cross = np.array(
            [[(x[:, j] * noise[:, k]).mean() for k in range(width)] for j in range(width)]
        )
        half = root(spread, inverse=True)
        noise = noise - _times(x, half @ half @ cross)
        noise = _times(noise, root(covariances(noise), inverse=True))
    return noise
