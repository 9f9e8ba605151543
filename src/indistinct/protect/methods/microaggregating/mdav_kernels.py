"""MDAV on a tree of boxes that forgets points, and optimal groups on a line.

The tree is balanced; leaf `l` owns a run of slots, of which the first `live` still hold points.
Every node keeps the box, the number, the sum and the lowest number of its points, and all of it
shrinks as points go. A box bounds the distance of its points with the same operations in the same
order as the distance itself, and rounding keeps order, so a search that skips boxes finds exactly
the point that a search of all points finds, ties included: of equally far points the first.

Boxes do not help to find the point farthest from the centroid, for the cloud is peeled like an
onion and all that is left of its shell is almost equally far. But the centroid hardly moves: with
points ranked once by their distance from where it was, only those at the top of the ranking come
into question, as far down as the centroid has moved since.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from indistinct.core import Array, Floats, Ints

__all__ = ["mdav_clusters", "optimal_groups"]


LEAF = 12
"""Points in a leaf, at most: fewer make more boxes to look at, more make more points."""


RANK_AGAIN = 16
"""Points looked at, in multiples of those left, after which they are ranked anew."""


def mdav_clusters(points: Floats, k: int) -> Ints:
    """Return the cluster of every point, numbered in the order in which MDAV makes them.

    Of points that are equally far or near, the one that comes first in `points` is taken.
    """
    order, bounds = _tree(points)
    clusters: Ints = _peel(points, k, order, bounds)
    return clusters


def _tree(points: Floats) -> tuple[Ints, Ints]:
    """Halve the points at the widest dimension, level by level.

    Returns the points by leaf, and where each node begins and ends among them; the children of
    node i are 2i + 1 and 2i + 2.
    """
    n = len(points)
    order = np.arange(n)
    levels = [np.array([0, n])]
    while n > LEAF * (len(levels[-1]) - 1):
        cuts = levels[-1]
        here = points[order]
        low, high = (f.reduceat(here, cuts[:-1]) for f in (np.minimum, np.maximum))
        node = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
        along = here[np.arange(n), (high - low).argmax(axis=1)[node]]
        order = order[np.lexsort((along, node))]
        halved = np.empty(2 * len(cuts) - 1, dtype=cuts.dtype)
        halved[::2], halved[1::2] = cuts, (cuts[:-1] + cuts[1:]) // 2
        levels.append(halved)
    bounds = np.concatenate([np.stack([cuts[:-1], cuts[1:]], axis=1) for cuts in levels])
    return order, bounds


@njit(cache=True, nogil=True)
def _fill(
    node: int, start: int, live: int, places: Array, order: Array, box: Array, first: Array
) -> None:
    """Set box, sum and lowest number of a leaf from its points."""
    width = places.shape[1]
    for j in range(width):
        box[node, 0, j], box[node, 1, j], box[node, 2, j] = np.inf, -np.inf, 0.0
    first[node] = np.iinfo(np.int64).max
    for slot in range(start, start + live):
        first[node] = min(first[node], order[slot])
        for j in range(width):
            value = places[slot, j]
            box[node, 0, j] = min(box[node, 0, j], value)
            box[node, 1, j] = max(box[node, 1, j], value)
            box[node, 2, j] += value


@njit(cache=True, nogil=True)
def _join(node: int, count: Array, box: Array, first: Array) -> None:
    """Set an inner node from its children."""
    left, right = 2 * node + 1, 2 * node + 2
    count[node] = count[left] + count[right]
    first[node] = min(first[left], first[right])
    for j in range(box.shape[2]):
        box[node, 0, j] = min(box[left, 0, j], box[right, 0, j])
        box[node, 1, j] = max(box[left, 1, j], box[right, 1, j])
        box[node, 2, j] = box[left, 2, j] + box[right, 2, j]


@njit(cache=True, nogil=True)
def _farthest_bound(box: Array, node: int, query: Array) -> float:
    total = 0.0
    for j in range(query.shape[0]):
        gap = max(query[j] - box[node, 0, j], box[node, 1, j] - query[j])
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _nearest_bound(box: Array, node: int, query: Array) -> float:
    total = 0.0
    for j in range(query.shape[0]):
        gap = max(box[node, 0, j] - query[j], query[j] - box[node, 1, j], 0.0)
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _distance(places: Array, slot: int, query: Array) -> float:
    total = 0.0
    for j in range(query.shape[0]):
        gap = places[slot, j] - query[j]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _farthest(
    query: Array,
    spare: int,
    places: Array,
    order: Array,
    bounds: Array,
    count: Array,
    box: Array,
    first: Array,
    stack: Array,
    reach: Array,
) -> int:
    """Return the slot of the point farthest from a query, other than point `spare`."""
    inner = bounds.shape[0] // 2
    best, best_number, best_slot = -1.0, np.iinfo(np.int64).max, -1
    depth = 1
    stack[0], reach[0] = 0, np.inf
    while depth:
        depth -= 1
        node, bound = stack[depth], reach[depth]
        if bound < best or (bound == best and first[node] > best_number):
            continue
        if node >= inner:
            for slot in range(bounds[node, 0], bounds[node, 0] + count[node]):
                number = order[slot]
                if number == spare:
                    continue
                d = _distance(places, slot, query)
                if d > best or (d == best and number < best_number):
                    best, best_number, best_slot = d, number, slot
            continue
        near, far = 2 * node + 1, 2 * node + 2
        near_bound = _farthest_bound(box, near, query) if count[near] else -2.0
        far_bound = _farthest_bound(box, far, query) if count[far] else -2.0
        if near_bound > far_bound or (near_bound == far_bound and first[near] < first[far]):
            near, far, near_bound, far_bound = far, near, far_bound, near_bound
        stack[depth], reach[depth] = near, near_bound
        stack[depth + 1], reach[depth + 1] = far, far_bound
        depth += 2
    return best_slot


@njit(cache=True, nogil=True)
def _rank(middle: Array, points: Array, cluster: Array, left: int) -> Any:
    """Return the points that are left, the farthest from `middle` first, and a bound for each.

    They are sorted into as many bins of distance as there are points; the bound of a point is
    the largest distance in its bin.
    """
    numbers, away = np.empty(left, dtype=np.int64), np.empty(left)
    at, top = 0, 0.0
    for number in range(points.shape[0]):
        if cluster[number] < 0:
            numbers[at], away[at] = number, np.sqrt(_distance(points, number, middle))
            top = max(top, away[at])
            at += 1
    scale = (left - 1) / top if top > 0 else 0.0
    ends, largest = np.zeros(left + 1, dtype=np.int64), np.zeros(left)
    for i in range(left):
        # rounding keeps order, so that no distance in a bin exceeds one in the bin before
        which = int((top - away[i]) * scale)
        ends[which + 1] += 1
        largest[which] = max(largest[which], away[i])
    for i in range(left):
        ends[i + 1] += ends[i]
    ranked, bound = np.empty(left, dtype=np.int64), np.empty(left)
    for i in range(left):
        which = int((top - away[i]) * scale)
        ranked[ends[which]], bound[ends[which]] = numbers[i], largest[which]
        ends[which] += 1
    return ranked, bound


@njit(cache=True, nogil=True)
def _outermost(
    middle: Array, moved: float, numbers: Array, away: Array, points: Array, cluster: Array
) -> tuple[int, int]:
    """Return the point farthest from the centroid, and how many were looked at.

    No point is farther than it was from the old centroid and the centroid has moved together;
    the margin is for rounding in either.
    """
    best, best_number = -1.0, -1
    for i in range(numbers.shape[0]):
        most = away[i] + moved
        if most * most * (1.0 + 1e-9) < best:
            return best_number, i
        number = numbers[i]
        if cluster[number] < 0:
            d = _distance(points, number, middle)
            if d > best or (d == best and number < best_number):
                best, best_number = d, number
    return best_number, numbers.shape[0]


@njit(cache=True, nogil=True)
def _nearest(
    query: Array,
    spare: int,
    places: Array,
    order: Array,
    bounds: Array,
    count: Array,
    box: Array,
    first: Array,
    stack: Array,
    reach: Array,
    found: Array,
    distances: Array,
) -> None:
    """Fill `found` with the numbers of the points nearest to a query, other than `spare`."""
    inner = bounds.shape[0] // 2
    wanted = found.shape[0]
    found[:] = np.iinfo(np.int64).max
    distances[:] = np.inf
    if not wanted:
        return
    last = wanted - 1
    depth = 1
    stack[0], reach[0] = 0, 0.0
    while depth:
        depth -= 1
        node, bound = stack[depth], reach[depth]
        if bound > distances[last] or (bound == distances[last] and first[node] > found[last]):
            continue
        if node >= inner:
            for slot in range(bounds[node, 0], bounds[node, 0] + count[node]):
                number = order[slot]
                if number == spare:
                    continue
                d = _distance(places, slot, query)
                if d > distances[last] or (d == distances[last] and number > found[last]):
                    continue
                at = last
                while at and (
                    distances[at - 1] > d or (distances[at - 1] == d and found[at - 1] > number)
                ):
                    distances[at], found[at] = distances[at - 1], found[at - 1]
                    at -= 1
                distances[at], found[at] = d, number
            continue
        near, far = 2 * node + 1, 2 * node + 2
        near_bound = _nearest_bound(box, near, query) if count[near] else np.inf
        far_bound = _nearest_bound(box, far, query) if count[far] else np.inf
        if near_bound > far_bound or (near_bound == far_bound and first[near] > first[far]):
            near, far, near_bound, far_bound = far, near, far_bound, near_bound
        if count[far]:
            stack[depth], reach[depth] = far, far_bound
            depth += 1
        if count[near]:
            stack[depth], reach[depth] = near, near_bound
            depth += 1


@njit(cache=True, nogil=True)
def _forget(
    number: int,
    slots: Array,
    leaf_of: Array,
    places: Array,
    order: Array,
    bounds: Array,
    count: Array,
    box: Array,
    first: Array,
) -> None:
    """Take a point out of the tree."""
    slot = slots[number]
    node = leaf_of[slot]
    final = bounds[node, 0] + count[node] - 1
    order[slot] = order[final]
    slots[order[slot]] = slot
    for j in range(places.shape[1]):
        places[slot, j] = places[final, j]
    count[node] -= 1
    _fill(node, bounds[node, 0], count[node], places, order, box, first)
    while node:
        node = (node - 1) // 2
        _join(node, count, box, first)


@njit(cache=True, nogil=True)
def _peel(points: Array, k: int, order: Array, bounds: Array) -> Array:
    """Make clusters at the two ends of what is left, until fewer than 2k points are left."""
    n, width = points.shape
    nodes = bounds.shape[0]
    leaves = (nodes + 1) // 2
    places = np.empty((n, width))
    for slot in range(n):
        for j in range(width):
            places[slot, j] = points[order[slot], j]
    slots, leaf_of = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    count, first = np.zeros(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    box = np.empty((nodes, 3, width))
    for node in range(leaves - 1, nodes):
        count[node] = bounds[node, 1] - bounds[node, 0]
        for slot in range(bounds[node, 0], bounds[node, 1]):
            slots[order[slot]], leaf_of[slot] = slot, node
        _fill(node, bounds[node, 0], count[node], places, order, box, first)
    for node in range(leaves - 2, -1, -1):
        _join(node, count, box, first)

    tree = (places, order, bounds, count, box, first)
    cluster = np.full(n, -1, dtype=np.int64)
    made = 0
    stack, reach = np.empty(128, dtype=np.int64), np.empty(128)
    found, distances = np.empty(k - 1, dtype=np.int64), np.empty(k - 1)
    centre = box[0, 2] / n
    numbers, away = _rank(centre, points, cluster, int(count[0]))
    looked = 0
    while count[0] >= 2 * k:
        middle = box[0, 2] / count[0]
        if looked > RANK_AGAIN * count[0]:
            centre, looked = middle.copy(), 0
            numbers, away = _rank(centre, points, cluster, int(count[0]))
        moved = 0.0
        for j in range(width):
            moved += (middle[j] - centre[j]) ** 2
        end, seen = _outermost(middle, np.sqrt(moved), numbers, away, points, cluster)
        looked += seen
        ends = np.full(2, end)
        if count[0] >= 3 * k:
            ends[1] = order[_farthest(points[end], end, *tree, stack, reach)]
        for side in range(2 if ends[0] != ends[1] else 1):
            end = int(ends[side])
            cluster[end] = made
            _forget(end, slots, leaf_of, *tree)
            # the other end can be as near as the nearest only if all points are
            spare = int(ends[1]) if side == 0 else -1
            _nearest(points[end], spare, *tree, stack, reach, found, distances)
            for number in found:
                cluster[number] = made
                _forget(int(number), slots, leaf_of, *tree)
            made += 1
    cluster[cluster < 0] = made
    return cluster


@njit(cache=True, nogil=True)
def optimal_groups(values: Array, k: int) -> Array:
    """Return the group of every value (ascending) such that the sum of squares is the least.

    Hansen and Mukherjee (2003): in an optimal partition groups are runs of k to 2k − 1 values,
    so that it is a shortest path through the places between them.
    """
    n = values.shape[0]
    least = np.full(n + 1, np.inf)
    start = np.zeros(n + 1, dtype=np.int64)
    least[0] = 0.0
    for end in range(k, n + 1):
        mean, squares = 0.0, 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            # Welford's update, which loses no digits where values are large and close
            step = values[end - size] - mean
            mean += step / size
            squares += step * (values[end - size] - mean)
            if size >= k and least[end - size] + squares < least[end]:
                least[end] = least[end - size] + squares
                start[end] = end - size
    group = np.empty(n, dtype=np.int64)
    end, number = n, 0
    while end:
        group[start[end] : end] = number
        end, number = int(start[end]), number + 1
    return number - 1 - group
