"""A classification of areas: k-means on standardised shares."""

from __future__ import annotations

import numpy as np

from indistinct.core import Floats, GuaranteeError, Ints

__all__ = ["cluster_codes", "k_means"]


STARTS = 10
MOST_ROUNDS = 200


def k_means(points: Floats, clusters: int, random: np.random.Generator) -> tuple[Ints, float]:
    """Return the cluster of every point and the sum of squared distances to the centres.

    Lloyd (1982), started as Arthur and Vassilvitskii (2007) propose (k-means++): each further
    centre is drawn with a chance in proportion to the squared distance from the nearest before.
    The best of several starts.
    """
    best: tuple[Ints, float] | None = None
    for _ in range(STARTS):
        found = _lloyd(points, _first_centres(points, clusters, random))
        if best is None or found[1] < best[1] - 1e-9:
            best = found
    assert best is not None
    return best


def _distances(points: Floats, centres: Floats) -> Floats:
    squares = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)[None, :]
    found: Floats = np.maximum(squares - 2 * points @ centres.T, 0.0)
    return found


def _first_centres(points: Floats, clusters: int, random: np.random.Generator) -> Floats:
    chosen = [int(random.integers(len(points)))]
    nearest = _distances(points, points[chosen])[:, 0]
    while len(chosen) < clusters:
        total = nearest.sum()
        chances = nearest / total if total > 0 else None
        chosen.append(int(random.choice(len(points), p=chances)))
        nearest = np.minimum(nearest, _distances(points, points[chosen[-1:]])[:, 0])
    return points[chosen]


def _lloyd(points: Floats, centres: Floats) -> tuple[Ints, float]:
    """Move every point to its nearest centre and every centre to its points' mean, until still."""
    own = np.full(len(points), -1, dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        distances = _distances(points, centres)
        nearest = np.argmin(distances, axis=1)
        if (nearest == own).all():
            break
        own = nearest
        sizes = np.bincount(own, minlength=len(centres))
        sums = np.zeros_like(centres)
        np.add.at(sums, own, points)
        there = sizes > 0
        centres = centres.copy()
        centres[there] = sums[there] / sizes[there, None]
    loss = float(((points - centres[own]) ** 2).sum())
    return own, loss


def cluster_codes(
    name: str, points: Floats, *, clusters: int, least_areas: int, random: np.random.Generator
) -> Ints:
    """Return the cluster of every area as a code from 1 on, the largest cluster first.

    A cluster with fewer than `least_areas` is dissolved: its areas go to the nearest of the
    others, which are then fitted again.
    """
    if len(points) < clusters * least_areas:
        raise GuaranteeError(
            f"'{name}' cannot have {clusters} clusters of {least_areas} areas or more: "
            f"{len(points)} areas have enough people. Ask for fewer clusters."
        )
    own, _ = k_means(points, clusters, random)
    while True:
        codes, sizes = np.unique(own, return_counts=True)
        if sizes.min() >= least_areas:
            break
        kept = codes[np.arange(len(codes)) != np.argmin(sizes)]
        own, _ = _lloyd(points, np.array([points[own == code].mean(axis=0) for code in kept]))
    codes, first, sizes = np.unique(own, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    ranks = np.empty(int(codes.max()) + 1, dtype=np.int64)
    ranks[codes[order]] = np.arange(1, len(codes) + 1)
    return ranks[own]
