"""How k-Similar makes its first clusters: grown greedily, or swept up level by level."""

from __future__ import annotations

import numpy as np

from indistinct.core import Ints
from indistinct.keys import group_rows
from indistinct.protect.methods.k_similarity.k_similar_kernels import form_groups, grow_greedily
from indistinct.protect.methods.k_similarity.k_similar_space import FORBIDDEN, Space

__all__ = ["greedy_clusters", "sweep_clusters"]

_WORK = 3_000_000_000
"""Classes looked at, over all level vectors, before the sweep gives up looking for the best."""

_VECTOR = 10_000
"""What a level vector counts for beside its classes, so that their number is bounded too."""


def greedy_clusters(space: Space, *, k: int) -> Ints:
    """Grow clusters by the distance to the common ancestor; return each class's cluster.

    As the text of section 6.4 has it: of all pairs of clusters, at least one of them smaller than
    k, the pair is joined whose records are nearest to their common ancestor, until every cluster
    has k records. Takes time in the square of the number of classes, and more where many are
    equally near.
    """
    joined = grow_greedily(
        space.own,
        space.keys.counts.astype(np.int64),
        k,
        space.parents,
        space.levels,
        space.costs,
        FORBIDDEN,
    )
    for unit in range(len(joined)):
        # a class is joined to an earlier one, whose own place is known by now
        joined[unit] = joined[joined[unit]]
    return np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int64)


def sweep_clusters(space: Space, *, k: int) -> Ints:
    """Sweep the level vectors from the cheapest on; return each class's cluster, -1 for none.

    At each vector the classes that are still free and agree at it are a cluster if they have k
    records. A record is thus in the cheapest cluster that free records could still make with it.
    The few left over at the end, fewer than k in each locked category, have no cluster.
    """
    keys = space.keys
    number = keys.classes
    words, _ = space.packed()
    starts = np.cumsum([0, *(word.shape[1] for word in words)])[:-1]
    room = 1 << max(1, (2 * number - 1).bit_length())
    slots, totals = np.empty(room, np.uint64), np.empty(room, np.int64)
    place, active = np.empty(number, np.int64), np.arange(number)
    clusters = np.full(number, -1, dtype=np.int64)
    made, work = 0, 0
    for vector in space.vectors():
        if not number or work > _WORK:
            break
        work += number + _VECTOR
        packed = np.concatenate([word[level] for word, level in zip(words, vector, strict=True)])
        number, made = form_groups(
            space.leaves,
            packed,
            starts,
            keys.counts,
            k,
            active,
            number,
            slots,
            totals,
            place,
            clusters,
            made,
        )
    return _cut(space, clusters, np.sort(active[:number]), k=k)


def _cut(space: Space, clusters: Ints, free: Ints, *, k: int) -> Ints:
    """Cut what an unfinished sweep left free into runs of neighbours, within the limits."""
    if not len(free):
        return clusters
    columns = [
        np.stack([space.nodes[j][level][space.leaves[j][free]] for level in (limit, 0)])
        for j, limit in enumerate(space.limits)
    ]
    locked = group_rows(np.stack([c[0] for c in columns], axis=1).astype(np.int64))
    order = np.lexsort([*(c[1] for c in reversed(columns)), locked])
    free, locked = free[order], locked[order]
    made, run, members = int(clusters.max(initial=-1)) + 1, 0, []
    for at, unit in enumerate(free.tolist()):
        members.append(unit)
        run += int(space.keys.counts[unit])
        last = at + 1 == len(free) or locked[at + 1] != locked[at]
        if run >= k:
            clusters[members] = made
            made, run, members = made + 1, 0, []
        elif last:
            run, members = 0, []
    return clusters
