"""Running the local search over all clusters, block by block, and handing back the rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from indistinct.core import Ints, progress
from indistinct.keys import Recoding
from indistinct.protect.methods.k_similarity.k_similar_improve import (
    Clusters,
    improve_block,
    settle,
)
from indistinct.protect.methods.k_similarity.k_similar_space import Space

__all__ = ["finished"]

_PAIRS = 1 << 23
"""About how many pairs of a record and a cluster are compared in a pass; blocks are made to fit."""

_SMALLEST_BLOCK, _LARGEST_BLOCK = 128, 4096
_ENOUGH = 2e-4
"""A pass that lowers the total by a smaller share than this is the last."""


def finished(space: Space, clusters: Ints, *, k: int, improve: bool) -> Recoding:
    """Return the recoding of clusters, after the classes without one (-1) have found one."""
    left = clusters < 0
    if not improve and not left.any():
        return _recoding(space, np.arange(space.keys.classes), space.keys.counts, clusters)
    classes, counts, state = _state(space, clusters, k)
    depth = int(space.levels.max(initial=0)) + 1
    homeless = np.flatnonzero(state.of < 0)
    if len(homeless):
        settle(state, homeless, np.arange(len(state.size)), depth)
    if improve and len(classes):
        _passes(state, k, depth)
    return _recoding(space, classes, counts, state.of.astype(np.int64))


def _passes(state: Clusters, k: int, depth: int) -> None:
    """Improve block by block, clusters side by side in ever other ways, until it pays little."""
    width = state.own.shape[1]
    length = int(np.clip(_PAIRS // max(len(state.of), 1), _SMALLEST_BLOCK, _LARGEST_BLOCK))
    with ThreadPoolExecutor() as pool:
        for turn in progress.each(range(2 * width), "improving the clusters", unit="passes"):
            live = np.flatnonzero(state.size > 0)
            total = int((state.size * state.cost).sum())
            # another variable first each time, so that other clusters become neighbours
            order = live[np.lexsort([state.node[live, (j + turn) % width] for j in range(width)])]
            blocks = [order[at : at + length] for at in range(0, len(order), length)]
            blocks = [b[np.argsort(-state.cost[b], kind="stable")] for b in blocks]
            empty = np.array_split(np.flatnonzero(state.size == 0), len(blocks))
            blocks = [np.concatenate(both) for both in zip(blocks, empty, strict=True)]
            falls = pool.map(lambda block: improve_block(state, k, block, depth), blocks)
            fall = sum(falls)
            if fall == 0 if len(blocks) == 1 else fall <= _ENOUGH * total:
                break


def _state(space: Space, clusters: Ints, k: int) -> tuple[Ints, Ints, Clusters]:
    """Return the units' classes and counts, and the clusters as linked lists."""
    keys = space.keys
    # a class of k or more keeps k together, and has at most k single records to lend
    single = np.where(keys.counts >= k, np.minimum(keys.counts - k, k), keys.counts)
    core = keys.counts - single
    classes = np.concatenate([np.repeat(np.arange(keys.classes), single), np.flatnonzero(core)])
    counts = np.concatenate([np.ones(int(single.sum()), np.int64), core[core > 0]])
    order = np.argsort(classes, kind="stable")
    classes, counts, movable = classes[order], counts[order], order < single.sum()
    of = clusters[classes]
    number = int(clusters.max(initial=-1)) + 1
    places = number + number // 4 + 8  # some stay empty, for clusters to be founded
    size = np.bincount(of[of >= 0], weights=counts[of >= 0], minlength=places).astype(np.int64)
    placed = clusters >= 0
    whole = np.flatnonzero(placed)
    levels = _levels(space, clusters, whole, number)
    first = np.empty(number, dtype=np.int64)
    first[clusters[whole][::-1]] = whole[::-1]
    node = np.zeros((places, len(keys.names)), dtype=np.int32)
    for j, nodes in enumerate(space.nodes):
        node[:number, j] = nodes[levels[:, j], space.leaves[j][first]]
    cost = np.where(size > 0, space.costs[node].sum(axis=1), 0)
    head = np.full(places, -1, dtype=np.int32)
    after, before = np.full(len(of), -1, np.int32), np.full(len(of), -1, np.int32)
    at = np.argsort(of, kind="stable")
    at = at[of[at] >= 0]
    starts = np.r_[True, of[at][1:] != of[at][:-1]] if len(at) else np.empty(0, bool)
    head[of[at][starts]] = at[starts]
    follows = ~starts[1:]
    after[at[:-1][follows]] = at[1:][follows]
    before[at[1:][follows]] = at[:-1][follows]
    state = Clusters(
        space.own[classes],
        movable,
        of.astype(np.int32),
        after,
        before,
        head,
        node,
        size,
        cost,
        space.parents,
        space.levels,
        space.costs,
    )
    return classes, counts, state


def _levels(space: Space, clusters: Ints, whole: Ints, number: int) -> Ints:
    """Return for each cluster the level of its lowest common ancestors."""
    order = whole[np.argsort(clusters[whole], kind="stable")]
    starts = np.searchsorted(clusters[order], np.arange(number))
    levels = np.empty((number, len(space.nodes)), dtype=np.int64)
    for j, nodes in enumerate(space.nodes):
        levels[:, j] = len(nodes) - 1
        for level in range(len(nodes) - 2, -1, -1):
            node = nodes[level][space.leaves[j][order]]
            same = np.minimum.reduceat(node, starts) == np.maximum.reduceat(node, starts)
            levels[same, j] = level
    return levels


def _recoding(
    space: Space,
    classes: Ints,
    counts: Ints,
    clusters: Ints,
) -> Recoding:
    """Add up the units of one class in one cluster, and number clusters without gaps."""
    number = int(clusters.max(initial=-1)) + 1
    pairs, at = np.unique(classes * number + clusters, return_inverse=True)
    totals = np.bincount(at.reshape(-1), weights=counts, minlength=len(pairs)).astype(np.int64)
    rows = pairs // max(number, 1)
    kept = np.unique(pairs % max(number, 1), return_inverse=True)[1].reshape(-1)
    return Recoding.of_clusters(space.keys, kept.astype(np.int64), rows=rows, counts=totals)
