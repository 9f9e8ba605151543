"""Running the local search over all clusters, block by block, and handing back the rows.

Local search on clusters: records change places as long as the total distortion falls.

One call works on a block of neighbouring clusters and touches nothing outside it, so that blocks
can be worked on at the same time with the same result. A cluster is a linked list of units; a unit
is a record, or the records of one class that stay together.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from indistinct.core import Array, Ints, progress
from indistinct.keys import Recoding
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


# Local search on clusters ------------------------------------------------------------------------


_FORBIDDEN = 1 << 38
_MANY = 64
"""From this size on it is not looked up whether a cluster gets tighter when a record leaves."""


class Clusters(NamedTuple):
    """Units, the clusters they are in, and the nodes' ancestry and price.

    `own` is the node of each unit's cells at level 0, `movable` says which units are single
    records that may leave; `of`, `after`, `before` and `head` are the lists of members; `node`,
    `size` and `cost` are a cluster's nodes, its records, and what each of these pays.
    """

    own: Array
    movable: Array
    of: Array
    after: Array
    before: Array
    head: Array
    node: Array
    size: Array
    cost: Array
    parents: Array
    levels: Array
    costs: Array


@njit(cache=True, nogil=True)
def _ancestors(c: Clusters, unit: int, line: Array) -> None:
    """Write the ancestors of a unit's cells, by variable and level, into `line`."""
    for j in range(c.own.shape[1]):
        node = c.own[unit, j]
        at = 0
        line[j, 0] = node
        while c.parents[node] != node:
            node = c.parents[node]
            at += 1
            line[j, at] = node


@njit(cache=True, nogil=True)
def _common(c: Clusters, node: int, line: Array, j: int) -> int:
    """Return the lowest node that stands for `node` and for a unit with these ancestors."""
    at = c.levels[node]
    while line[j, at] != node:
        node = c.parents[node]
        at += 1
    return node


@njit(cache=True, nogil=True)
def _best_cluster(
    c: Clusters, line: Array, budget: int, block: Array, home: int
) -> tuple[int, int]:
    """Return where, not at home, a record makes the total grow least, and by how much.

    Only what grows by less than the budget counts; else the cluster is -1.
    """
    best = -1
    for b in range(block.shape[0]):
        other = block[b]
        paid, members = c.cost[other], c.size[other]
        if other == home or members == 0 or paid >= budget:
            continue
        more = 0
        for j in range(c.node.shape[1]):
            here = c.node[other, j]
            if line[j, c.levels[here]] != here:
                more += c.costs[_common(c, here, line, j)] - c.costs[here]
                if more >= _FORBIDDEN or paid + more * (members + 1) >= budget:
                    more = -1
                    break
        if more >= 0:
            # the newcomer pays as all do, and all pay more
            budget, best = paid + more * (members + 1), other
    return best, budget


@njit(cache=True, nogil=True)
def _without(c: Clusters, cluster: int, unit: int, rest: Array) -> int:
    """Write the nodes of a cluster without one unit into `rest`; return what they cost."""
    if c.size[cluster] > _MANY:
        rest[:] = c.node[cluster]
        return int(c.cost[cluster])
    total = 0
    for j in range(c.own.shape[1]):
        ceiling = c.levels[c.node[cluster, j]]
        low = -1
        at = c.head[cluster]
        while at >= 0:
            if at != unit:
                other = c.own[at, j]
                if low < 0:
                    low = other
                while c.levels[other] < c.levels[low]:
                    other = c.parents[other]
                while other != low:
                    other, low = c.parents[other], c.parents[low]
                if c.levels[low] == ceiling:
                    break
            at = c.after[at]
        rest[j] = low
        total += c.costs[low]
    return total


@njit(cache=True, nogil=True)
def _unlink(c: Clusters, unit: int) -> None:
    if c.before[unit] >= 0:
        c.after[c.before[unit]] = c.after[unit]
    else:
        c.head[c.of[unit]] = c.after[unit]
    if c.after[unit] >= 0:
        c.before[c.after[unit]] = c.before[unit]


@njit(cache=True, nogil=True)
def _link(c: Clusters, unit: int, cluster: int) -> None:
    first = c.head[cluster]
    c.after[unit], c.before[unit] = first, -1
    if first >= 0:
        c.before[first] = unit
    c.head[cluster] = unit
    c.of[unit] = cluster


@njit(cache=True, nogil=True)
def _leave(c: Clusters, unit: int, rest: Array, cost: int) -> None:
    """Take a record out of its cluster, which keeps the nodes `rest`."""
    cluster = c.of[unit]
    _unlink(c, unit)
    c.size[cluster] -= 1
    c.cost[cluster] = cost
    c.node[cluster, :] = rest


@njit(cache=True, nogil=True)
def _enter(c: Clusters, unit: int, cluster: int, line: Array) -> None:
    """Put a record into a cluster."""
    for j in range(c.node.shape[1]):
        here = c.node[cluster, j]
        there = _common(c, here, line, j)
        c.cost[cluster] += c.costs[there] - c.costs[here]
        c.node[cluster, j] = there
    c.size[cluster] += 1
    _link(c, unit, cluster)


@njit(cache=True, nogil=True)
def settle(c: Clusters, units: Array, block: Array, depth: int) -> int:
    """Put units that have no cluster yet where the total grows least; return how many found one."""
    line = np.empty((c.own.shape[1], depth), dtype=np.int32)
    settled = 0
    for i in range(units.shape[0]):
        _ancestors(c, units[i], line)
        best, _ = _best_cluster(c, line, 1 << 62, block, -1)
        if best >= 0:
            _enter(c, units[i], best, line)
            settled += 1
    return settled


@njit(cache=True, nogil=True)
def _thin_out(c: Clusters, a: int, k: int, block: Array, line: Array, rest: Array) -> int:
    """Let records leave a cluster one after the other while k stay; return how the total falls."""
    fallen = 0
    again = True
    while again and c.size[a] > k and c.cost[a] > 0:
        again = False
        unit = c.head[a]
        while unit >= 0 and c.size[a] > k:
            following = c.after[unit]
            if c.movable[unit]:
                reduced = _without(c, a, unit, rest)
                gain = c.size[a] * c.cost[a] - (c.size[a] - 1) * reduced
                _ancestors(c, unit, line)
                best, more = _best_cluster(c, line, gain, block, a)
                if best >= 0:
                    _leave(c, unit, rest, reduced)
                    _enter(c, unit, best, line)
                    fallen += gain - more
                    again = True
            unit = following
    return fallen


@njit(cache=True, nogil=True)
def _dissolve(c: Clusters, a: int, k: int, block: Array, line: Array) -> int:
    """Let all records leave, each for its best place, if the total falls; return by how much."""
    if c.size[a] >= 2 * k:
        return 0
    members = np.empty(c.size[a], dtype=np.int64)
    number = 0
    unit = c.head[a]
    while unit >= 0:
        if not c.movable[unit]:
            return 0
        members[number] = unit
        number += 1
        unit = c.after[unit]
    budget = c.size[a] * c.cost[a]
    hosts = np.empty(number, dtype=np.int64)
    costs = np.empty(number, dtype=np.int64)
    nodes = np.empty((number, c.node.shape[1]), dtype=np.int32)
    done = 0
    while done < number:
        _ancestors(c, members[done], line)
        best, more = _best_cluster(c, line, budget, block, a)
        if best < 0:
            break
        hosts[done], costs[done] = best, c.cost[best]
        nodes[done] = c.node[best]
        _unlink(c, members[done])
        _enter(c, members[done], best, line)
        budget -= more
        done += 1
    if done == number:
        c.size[a], c.cost[a], c.head[a] = 0, 0, -1
        return int(budget)
    for i in range(done - 1, -1, -1):
        _leave(c, members[i], nodes[i], costs[i])
        _link(c, members[i], a)
    return 0


@njit(cache=True, nogil=True)
def _newcomer(
    c: Clusters, a: int, k: int, rest: Array, reduced: int, budget: int, block: Array
) -> tuple[int, int]:
    """Return the spare record elsewhere that costs least as the k-th of a cluster, and its price.

    The price is what the total grows by, less what the record pays now.
    """
    best = -1
    for b in range(block.shape[0]):
        other = block[b]
        if other == a or c.size[other] <= k or reduced - c.cost[other] >= budget:
            continue
        s = c.head[other]
        while s >= 0:
            if c.movable[s]:
                more = 0
                for j in range(c.own.shape[1]):
                    x, y = rest[j], c.own[s, j]
                    while c.levels[y] < c.levels[x]:
                        y = c.parents[y]
                    while x != y:
                        x, y = c.parents[x], c.parents[y]
                    more += c.costs[x] - c.costs[rest[j]]
                    if more >= _FORBIDDEN or reduced + more * k - c.cost[other] >= budget:
                        more = -1
                        break
                if more >= 0:
                    budget, best = reduced + more * k - c.cost[other], s
            s = c.after[s]
    return best, budget


@njit(cache=True, nogil=True)
def _exchange(c: Clusters, a: int, k: int, block: Array, line: Array, rest: Array) -> int:
    """Replace records of a cluster of k by spare ones of others, where the total falls."""
    fallen = 0
    unit = c.head[a]
    while unit >= 0:
        following = c.after[unit]
        if c.movable[unit] and c.size[a] == k:
            reduced = _without(c, a, unit, rest)
            gain = k * c.cost[a] - (k - 1) * reduced
            if reduced < c.cost[a]:
                comer, price = _newcomer(c, a, k, rest, reduced, gain, block)
                if comer >= 0:
                    _ancestors(c, unit, line)
                    best, more = _best_cluster(c, line, gain - price, block, a)
                    giver = c.of[comer]
                    # of two that meet in one cluster the prices do not add up
                    if best >= 0 and best != giver:
                        _leave(c, unit, rest, reduced)
                        _enter(c, unit, best, line)
                        left = _without(c, giver, comer, rest)
                        extra = (c.size[giver] - 1) * (c.cost[giver] - left)
                        _leave(c, comer, rest, left)
                        _ancestors(c, comer, line)
                        _enter(c, comer, a, line)
                        fallen += gain - price - more + extra
        unit = following
    return fallen


@njit(cache=True, nogil=True)
def _spare(
    c: Clusters, nodes: Array, paid: int, k: int, most: int, block: Array
) -> tuple[int, int]:
    """Return the spare record that suits a new cluster best, and what each pays with it there.

    Only if each pays less than `most`; else the record is -1.
    """
    best, best_price, best_paid = -1, 1 << 62, 0
    for b in range(block.shape[0]):
        other = block[b]
        if c.size[other] <= k or k * paid - c.cost[other] >= best_price:
            continue
        s = c.head[other]
        while s >= 0:
            if c.movable[s]:
                now = paid
                for j in range(c.own.shape[1]):
                    x, y = nodes[j], c.own[s, j]
                    while c.levels[y] < c.levels[x]:
                        y = c.parents[y]
                    while x != y:
                        x, y = c.parents[x], c.parents[y]
                    now += c.costs[x] - c.costs[nodes[j]]
                    if now >= most or k * now - c.cost[other] >= best_price:
                        now = -1
                        break
                if now >= 0:
                    best, best_price, best_paid = s, k * now - c.cost[other], now
            s = c.after[s]
    return best, best_paid


@njit(cache=True, nogil=True)
def _found(
    c: Clusters, a: int, k: int, empty: int, block: Array, top: int, line: Array, rest: Array
) -> int:
    """Found a new cluster of spare records around one of `a`, if the total falls; return by what.

    The founder is the record whose leaving lowers the total most.
    """
    unit, gain = -1, 0
    at = c.head[a]
    while at >= 0:
        if c.movable[at]:
            freed = c.size[a] * c.cost[a] - (c.size[a] - 1) * _without(c, a, at, rest)
            if freed > gain:
                unit, gain = at, freed
        at = c.after[at]
    if unit < 0:
        return 0
    chosen = np.empty(k, dtype=np.int64)
    hosts = np.empty(k, dtype=np.int64)
    costs = np.empty(k, dtype=np.int64)
    old = np.empty((k, c.node.shape[1]), dtype=np.int32)
    c.node[empty, :] = c.own[unit]
    c.cost[empty], c.size[empty] = 0, 0
    for j in range(c.node.shape[1]):
        c.cost[empty] += c.costs[c.own[unit, j]]
    freed, number = 0, 0
    while unit >= 0:
        host = c.of[unit]
        chosen[number], hosts[number], costs[number] = unit, host, c.cost[host]
        old[number] = c.node[host]
        reduced = _without(c, host, unit, rest)
        freed += c.size[host] * c.cost[host] - (c.size[host] - 1) * reduced
        _leave(c, unit, rest, reduced)
        _ancestors(c, unit, line)
        _enter(c, unit, empty, line)
        number += 1
        if number == k:
            break
        # nobody frees more than `top`, but for what a host gets tighter, which is left out here
        most = (freed + (k - number) * top + k - 1) // k
        unit, _ = _spare(c, c.node[empty], c.cost[empty], k, most, block)
    if number == k and k * c.cost[empty] < freed:
        return int(freed - k * c.cost[empty])
    for i in range(number - 1, -1, -1):
        _unlink(c, chosen[i])
        _link(c, chosen[i], hosts[i])
        c.size[hosts[i]] += 1
        c.cost[hosts[i]] = costs[i]
        c.node[hosts[i], :] = old[i]
    c.size[empty], c.cost[empty], c.head[empty] = 0, 0, -1
    return 0


@njit(cache=True, nogil=True)
def improve_block(c: Clusters, k: int, block: Array, depth: int) -> int:
    """Move records between the clusters of a block; return by how much the total fell.

    A cluster with records to spare lets them leave, or lets one found a new cluster with spare
    records of others; a cluster may be given up, each of its records going to its best place; and
    a record of a cluster of k may be replaced by a spare one.
    """
    width = c.own.shape[1]
    line = np.empty((width, depth), dtype=np.int32)
    rest = np.empty(width, dtype=np.int32)
    fallen = 0
    for b in range(block.shape[0]):
        a = block[b]
        while c.cost[a] > 0 and c.size[a] > k:
            empty, top = -1, 0
            for i in range(block.shape[0]):
                if c.size[block[i]] == 0:
                    empty = block[i]
                elif c.size[block[i]] > k:
                    top = max(top, c.cost[block[i]])
            fall = _found(c, a, k, empty, block, top, line, rest) if empty >= 0 else 0
            if fall == 0:
                break
            fallen += fall
        if c.cost[a] > 0:
            fallen += _thin_out(c, a, k, block, line, rest)
        if c.cost[a] > 0:
            fallen += _dissolve(c, a, k, block, line)
        if c.cost[a] > 0 and c.size[a] == k:
            fallen += _exchange(c, a, k, block, line, rest)
    return fallen
