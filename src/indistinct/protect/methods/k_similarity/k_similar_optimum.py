"""The least distortion at which k can be reached, proved by integer programming."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_matrix, vstack

from indistinct.core import Bools, ClassSize, InputError, Ints, LinearProgram
from indistinct.keys import Generalisable, Recoding, group_rows
from indistinct.protect.methods.k_similarity.k_similar import KSimilar, k_similar
from indistinct.protect.methods.k_similarity.k_similar_bound import cheapest_groups
from indistinct.protect.methods.k_similarity.k_similar_space import Space, SpaceLoss, build_space

__all__ = ["LARGEST", "k_similar_optimum"]

LARGEST = 2_000_000
"""Pairs of a class and a generalisation of it, beyond which the optimum is not tried."""

_PAIRS = 40_000
"""Pairs that may be left, after those that cannot be in an optimum are gone, for the solver."""


def k_similar_optimum(
    keys: Generalisable,
    *,
    k: ClassSize,
    limits: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
    loss: SpaceLoss = "precision",
    nodes: int = 100_000,
) -> KSimilar:
    """Find clusters of the least total distortion, and prove that there are none with less.

    A record is released as one of its generalisations g, a node for each variable, at the cost
    c(g). With x(r, g) the records of class r released as g, and y(g) whether g is used at all:

        minimise    Σ c(g) x(r, g)
        subject to  Σ_g x(r, g) = n(r),   Σ_r x(r, g) ≥ k y(g),   x(r, g) ≤ n(r) y(g),

    x whole and y 0 or 1. Every cell-level release is a solution and the other way round, so that
    no sets of records need be listed. What `k_similar` finds first, and the price of everybody's
    cheapest group, rule out most pairs; HiGHS does the rest.

    Meant for tables of up to about sixty classes with nine variables, or some hundred with three;
    what is too much for the solver is refused. If it stops after `nodes` branches, the best
    clusters known are returned, with `proved` False and the `bound` that was reached.

    Parameters
    ----------
    nodes
        Branches after which the solver stops.
    others
        As `k_similar` has them.
    """
    space = build_space(keys, k=k, limits=limits, weights=weights, loss=loss)
    start = k_similar(keys, k=k, limits=limits, weights=weights, loss=loss)
    floor = cheapest_groups(space, k=k)
    lowest = int((floor * keys.counts).sum())
    if start.units <= lowest:
        return _result(start, start.recoding, bound=lowest)
    model = _pairs(space, k, floor, start.units - lowest)
    if len(model.classes) > _PAIRS:
        raise InputError(
            f"There are {len(model.classes):,} pairs of a class and a generalisation that may be "
            f"in the optimum; up to {_PAIRS:,} can be searched. Use k_similar, which tells how "
            "far from the optimum it is at most."
        )
    return _solve(space, k, model, start, lowest, nodes)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs of a class and a generalisation that may be in an optimum."""

    classes: Ints
    places: Ints
    costs: Ints = field(repr=False)


def _pairs(space: Space, k: int, floor: Ints, slack: int) -> _Pairs:
    """List the generalisations that at least k records can share within the slack."""
    keys = space.keys
    vectors = int(np.prod([limit + 1 for limit in space.limits], dtype=float))
    if vectors * keys.classes > LARGEST:
        raise InputError(
            f"{keys.classes:,} classes with {vectors:,} level vectors are too many for the proven "
            f"optimum; their product may be {LARGEST:,}. Use k_similar, which tells how far from "
            "the optimum it is at most."
        )
    classes, places, costs, number = [], [], [], 0
    for vector in np.ndindex(*(limit + 1 for limit in space.limits)):
        cells = np.stack(
            [
                n[level][leaf]
                for n, level, leaf in zip(space.nodes, vector, space.leaves, strict=True)
            ],
            axis=1,
        )
        group = group_rows(cells.astype(np.int64))
        paid = space.costs[cells].sum(axis=1)
        kept = _worth(keys.counts, group, paid - floor, k, slack)
        if kept.any():
            kept &= _closed(space, vector, group)[group]
        if kept.any():
            used, place = np.unique(group[kept], return_inverse=True)
            classes.append(np.flatnonzero(kept))
            places.append(place.reshape(-1) + number)
            costs.append(paid[kept])
            number += len(used)
    return _Pairs(np.concatenate(classes), np.concatenate(places), np.concatenate(costs))


def _worth(
    counts: Ints,
    group: Ints,
    extra: Ints,
    k: int,
    slack: int,
) -> Bools:
    """Say which classes can be in their group of at least k without using up the slack.

    Whoever shares a generalisation, k records pay it, each more than its own lower bound; with
    the class itself these are the k - 1 for whom that is least.
    """
    order = np.lexsort((extra, group))
    counts, extra, group = counts[order], extra[order], group[order]
    starts = np.flatnonzero(np.r_[True, np.diff(group) > 0])
    before = np.cumsum(counts) - counts
    before -= before[starts][group]
    taken = np.minimum(counts, np.maximum(k - 1 - before, 0))
    least = np.add.reduceat(taken * extra, starts)
    enough = np.add.reduceat(counts, starts) >= k
    kept = np.empty(len(order), dtype=bool)
    kept[order] = enough[group] & (least[group] + extra <= slack)
    return kept


def _closed(space: Space, vector: tuple[int, ...], group: Ints) -> Bools:
    """Say of each group whether every level is needed: else a cheaper generalisation serves it."""
    number = int(group.max(initial=-1)) + 1
    closed = np.ones(number, dtype=bool)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(number))
    for nodes, level, leaf in zip(space.nodes, vector, space.leaves, strict=True):
        if level:
            below = nodes[level - 1][leaf][order]
            closed &= np.minimum.reduceat(below, starts) != np.maximum.reduceat(below, starts)
    return closed


def _solve(
    space: Space, k: int, model: _Pairs, start: KSimilar, lowest: int, nodes: int
) -> KSimilar:
    counts = space.keys.counts
    pairs, places = len(model.classes), int(model.places.max()) + 1
    at = np.arange(pairs)
    ones = np.ones(pairs)
    wide = pairs + places
    released = coo_matrix((ones, (model.classes, at)), shape=(space.keys.classes, wide))
    enough = coo_matrix(
        (
            np.r_[ones, np.full(places, -float(k))],
            (np.r_[model.places, np.arange(places)], np.r_[at, pairs + np.arange(places)]),
        ),
        shape=(places, wide),
    )
    most = counts[model.classes].astype(float)
    used = coo_matrix(
        (np.r_[ones, -most], (np.r_[at, at], np.r_[at, pairs + model.places])), shape=(pairs, wide)
    )
    program = LinearProgram(
        low=np.zeros(wide),
        high=np.r_[most, np.ones(places)],
        cost=np.r_[model.costs.astype(float), np.zeros(places)],
        rows=vstack([released, enough, used], format="csr"),
        right=(
            np.r_[counts, np.zeros(places), np.full(pairs, -np.inf)],
            np.r_[counts, np.full(places, np.inf), np.zeros(pairs)],
        ),
        whole=True,
        options={"mip_max_nodes": nodes, "mip_rel_gap": 0.0},
    )
    program.solve()
    reached = program.proved_bound
    bound = lowest
    if np.isfinite(reached):
        # costs are whole units, so that a bound just above one is a bound of the next
        bound = max(lowest, int(np.ceil(reached * (1 - 1e-9) - 0.01)))
    if not program.has_values or round(program.objective) >= start.units:
        return _result(start, start.recoding, bound=min(bound, start.units))
    records = np.rint(program.values[:pairs]).astype(np.int64)
    taken = np.flatnonzero(records)
    taken = taken[np.lexsort((model.places[taken], model.classes[taken]))]
    clusters = np.unique(model.places[taken], return_inverse=True)[1].reshape(-1)
    recoding = Recoding.of_clusters(
        space.keys,
        clusters.astype(np.int64),
        rows=model.classes[taken],
        counts=records[taken],
    )
    return _result(start, recoding, bound=min(bound, round(program.objective)))


def _result(start: KSimilar, recoding: Recoding, *, bound: int) -> KSimilar:
    return KSimilar(recoding, start.k, start.space, "optimum", bound)
