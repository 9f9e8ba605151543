"""Statistics of several shares together: an integer index, and principal component scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Bools, InputError
from indistinct.tables.derived.inferring import finest_step
from indistinct.tables.derived.shares import Floats, ShareCounts

__all__ = ["Scores", "component_scores", "index_scores", "standardised"]

SCORE_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0)
INDEX_MEAN = 100


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores that are sums over shares, before they are rounded.

    Parameters
    ----------
    scores
        Areas × scores.
    slopes
        Areas × shares × scores: what one person more changes.
    step
        The steps in which they are released.
    released
        The areas for which one person changes no score by more than a t-th of a step.
    loadings
        Shares × scores: how much each standardised share counts.
    explained
        Of each component the share of the variance.
    """

    columns: tuple[str, ...]
    scores: Floats
    slopes: Floats
    step: float
    released: Bools
    loadings: Floats
    explained: tuple[float, ...] = ()


def standardised(name: str, counts: ShareCounts, eligible: Bools) -> tuple[Floats, Floats]:
    """Return shares with mean 0 and standard deviation 1 over the areas, and the deviations."""
    if int(eligible.sum()) < 3:
        raise InputError(
            f"'{name}' needs three areas or more that have enough people. "
            f"Got {int(eligible.sum())}."
        )
    shares = counts.values()
    mean, spread = shares[eligible].mean(axis=0), shares[eligible].std(axis=0)
    if (spread < 1e-12).any():
        same = counts.names[int(np.argmin(spread))]
        raise InputError(f"The share '{same}' of '{name}' is the same in all areas. Leave it out.")
    return (shares - mean) / spread, spread


def index_scores(
    name: str,
    counts: ShareCounts,
    *,
    weights: Sequence[float],
    possible: int,
    eligible: Bools,
    step: float | None = None,
) -> Scores:
    """Return the weighted sum of standardised shares, itself standardised.

    Released as an integer, 100 + score/step rounded: with a step of 0.1 its mean is 100 and its
    standard deviation 10.
    """
    z, spread = standardised(name, counts, eligible)
    given = np.array(weights or [1.0] * len(counts.names))
    total = z @ given
    scale = float(total[eligible].std())
    if scale < 1e-12:
        raise InputError(f"The shares of '{name}' cancel each other out. Change its weights.")
    loadings = (given / scale)[:, None]
    return _scores((name,), counts, z, spread, loadings, possible, eligible, step, ())


def component_scores(
    name: str,
    counts: ShareCounts,
    *,
    components: int,
    possible: int,
    eligible: Bools,
    step: float | None = None,
) -> Scores:
    """Return the first principal components of the shares' correlations over areas.

    The sign of a component is such that its largest loading is positive.
    """
    z, spread = standardised(name, counts, eligible)
    correlation = z[eligible].T @ z[eligible] / int(eligible.sum())
    variances, vectors = np.linalg.eigh(correlation)
    order = np.argsort(-variances, kind="stable")[:components]
    loadings = vectors[:, order]
    # of loadings that are equal but for rounding the first decides, on every machine
    largest = np.argmax(np.abs(loadings) > np.abs(loadings).max(axis=0) - 1e-9, axis=0)
    loadings = loadings * np.sign(loadings[largest, np.arange(loadings.shape[1])])
    columns = (name,) if components == 1 else tuple(f"{name} {n + 1}" for n in range(components))
    explained = tuple((variances[order] / len(counts.names)).tolist())
    return _scores(columns, counts, z, spread, loadings, possible, eligible, step, explained)


def _scores(
    columns: tuple[str, ...],
    counts: ShareCounts,
    z: Floats,
    spread: Floats,
    loadings: Floats,
    possible: int,
    eligible: Bools,
    step: float | None,
    explained: tuple[float, ...],
) -> Scores:
    scores = np.where(eligible[:, None], np.nan_to_num(z) @ loadings, 0.0)
    per_person = 1.0 / (np.maximum(counts.whole, 1) * spread)
    slopes = per_person[:, :, None] * loadings[None, :, :]
    steepest = np.abs(slopes).max(axis=(1, 2))
    steps = SCORE_STEPS if step is None else (step,)
    enough = [eligible & (steepest * possible <= s) for s in steps]
    chosen = finest_step(steps, [e[eligible] for e in enough])
    return Scores(columns, scores, slopes, steps[chosen], enough[chosen], loadings, explained)
