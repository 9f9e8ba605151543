"""Noise on outliers: only records far from the mass of the data are changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import chdtri

from indistinct.core import Floats, InputError, above, check_number
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_variables, read_numbers, rewritten
from indistinct.protect.steps.correlated_noise import settled
from indistinct.protect.steps.noise import Distribution, check_scale, standard_noise

__all__ = ["NoiseOnOutliers", "robust_distances"]

_NORMAL = 1.4826022185056018
"""The median absolute deviation of a normal variable times this is its standard deviation."""


@dataclass(frozen=True)
class NoiseOnOutliers(Step, kind="noise-on-outliers"):
    """Add noise to the numbers of outlying records, and leave the others as they are.

    A record is outlying where its robust squared distance exceeds the `level` quantile of χ² with
    as many degrees of freedom as there are variables (`robust_distances`). It protects those whom
    their amounts give away, and nobody else: a record that is not outlying is released as it is.
    Records that miss one of the variables are judged by it at the median. Missing values, and
    codes that mean *missing*, stay.

    Parameters
    ----------
    scale
        The noise's standard deviation, as a share of the variable's robust one.
    level
        0.99 calls one in a hundred records outlying where the variables are normal.
    distribution, whole
        As for `AddNoise`.
    """

    variables: tuple[str, ...]
    scale: float
    level: float = 0.99
    distribution: Distribution = "normal"
    whole: bool = True

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse a scale or a level that is none."""
        check_variables(self.variables, "noise")
        object.__setattr__(self, "scale", check_scale(self.scale, "deviation", self.distribution))
        check_number("The level", self.level, above(0, below=1))

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"add {self.distribution} noise to {', '.join(self.variables)} of the records that lie "
            f"far from the others (standard deviation {self.scale:g} of the variable's)"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Find the outliers and add the noise."""
        draws = context.draws()
        columns = [read_numbers(source, name, doing="noise") for name in self.variables]
        x = np.stack([c.floats() for c in columns], axis=1)
        for j, column in enumerate(columns):
            inside = x[column.present, j]
            x[~column.present, j] = np.median(inside) if len(inside) else 0.0
        try:
            squared, spread = robust_distances(x)
        except InputError as error:
            raise InputError(f"{source.origin}: {error}") from None
        outlying = squared > chdtri(len(columns), 1 - self.level)
        records = np.arange(source.records)
        written, changes = {}, {}
        for j, column in enumerate(columns):
            noise = standard_noise(draws, column.name, records, self.distribution)
            noisy = x[:, j] + self.scale * spread[j] * noise
            free, moved = settled(column, noisy, whole=self.whole)
            changed = moved & outlying
            old = column.column.combine_chunks().cast(free.type)
            written[column.name] = pc.if_else(pa.array(changed), free, old)
            changes[column.name] = changed
        return rewritten(
            self.kind,
            engine,
            source,
            written,
            changes,
            notes=[f"{int(outlying.sum()):,} records were found outlying"],
            private={"outlying": np.flatnonzero(outlying)},
        )


def robust_distances(x: Floats) -> tuple[Floats, Floats]:
    """Return robust squared distances from the centre, and the variables' robust deviations.

    The orthogonalised Gnanadesikan-Kettenring estimate (R. A. Maronna and R. H. Zamar 2002) with
    medians and median absolute deviations: pairwise robust correlations, (σ²(u+v) − σ²(u−v))/4,
    give axes; along these the spread is measured anew. Distances are scaled such that their median
    is that of χ². Time is linear in the records.

    >>> x = np.random.default_rng(1).normal(size=(1000, 2)) @ np.array([[1, 0.9], [0, 0.4]])
    >>> x[0] = [3, -3]  # usual in each, unusual together
    >>> int(np.argmax(robust_distances(x)[0]))
    0
    """
    width = x.shape[1]
    if not len(x):
        return np.empty(0), np.zeros(width)
    spread = _deviations(x)
    if (spread == 0).any():
        constant = bool((np.ptp(x[:, spread == 0], axis=0) == 0).all())
        if not constant:
            raise InputError(
                "half of the values of a variable or more are equal, so all others would be "
                "outliers. Leave the variable out, or use CorrelatedNoise."
            )
    unit = np.where(spread > 0, spread, 1.0)
    y = (x - np.median(x, axis=0)) / unit
    related = np.eye(width)
    for j in range(width):
        for k in range(j):
            plus, minus = _deviations(np.stack([y[:, j] + y[:, k], y[:, j] - y[:, k]], axis=1)) ** 2
            related[j, k] = related[k, j] = (plus - minus) / 4
    axes = np.linalg.eigh(related)[1]
    along = np.stack(
        [sum((y[:, j] * axes[j, k] for j in range(width)), np.zeros(len(y))) for k in range(width)],
        axis=1,
    )
    size = _deviations(along)
    moved = along - np.median(along, axis=0)
    squared = ((moved / np.where(size > 0, size, 1.0)) ** 2).sum(axis=1)
    middle = float(np.median(squared))
    if middle > 0:
        squared *= chdtri(width, 0.5) / middle
    return squared, spread


def _deviations(x: Floats) -> Floats:
    return np.asarray(_NORMAL * np.median(np.abs(x - np.median(x, axis=0)), axis=0))
