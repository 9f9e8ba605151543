"""The inner loops of differencing: bridges, smallest cuts, and the side of a cut.

Searches go from both ends in turn, an edge at a time, and stop when either end has nowhere to go:
what is revealed is local, and neither the rest of the country nor a zone that borders on half of
it should cost anything.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["bridges", "side_of", "smallest_cuts"]

_INFINITE = np.int64(2**62)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def bridges(tail: Array, head: Array, starts: Array, edges: Array) -> Array:
    """Say of every edge of a graph without parallel edges whether its removal disconnects it.

    Tarjan (1974): an edge to a child is a bridge when nothing below reaches above it.
    """
    vertices = len(starts) - 1
    found = np.zeros(len(tail), dtype=np.bool_)
    order = np.full(vertices, -1, dtype=np.int64)
    low = np.zeros(vertices, dtype=np.int64)
    at = starts[:-1].copy()
    came_by = np.full(vertices, -1, dtype=np.int64)
    stack = np.empty(vertices, dtype=np.int64)
    number = 0
    for root in range(vertices):
        if order[root] >= 0:
            continue
        depth = 1
        stack[0] = root
        order[root] = low[root] = number
        number += 1
        while depth > 0:
            v = stack[depth - 1]
            if at[v] < starts[v + 1]:
                edge = edges[at[v]]
                at[v] += 1
                if edge == came_by[v]:
                    continue
                w = head[edge] if tail[edge] == v else tail[edge]
                if order[w] >= 0:
                    low[v] = min(low[v], order[w])
                else:
                    order[w] = low[w] = number
                    number += 1
                    came_by[w] = edge
                    stack[depth] = w
                    depth += 1
            else:
                depth -= 1
                if depth > 0:
                    up = stack[depth - 1]
                    low[up] = min(low[up], low[v])
                    if low[v] > order[up]:
                        found[came_by[v]] = True
    return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def smallest_cuts(
    tail: Array,
    head: Array,
    capacity: Array,
    starts: Array,
    edges: Array,
    wanted: Array,
    threshold: int,
) -> tuple[Array, Array]:
    """Find for each wanted edge the smallest cut below the threshold that it crosses.

    Edge k lets `capacity[k]` through from tail to head and anything from head to tail. The cut
    must have the tail of the wanted edge on one side and its head on the other. Returns where the
    edges of each cut begin in a list, and the list; a cut without edges is none below the
    threshold.
    """
    vertices = len(starts) - 1
    flow = np.zeros(len(tail), dtype=np.int64)
    touched = np.empty(1024, dtype=np.int64)
    ahead = np.zeros(vertices, dtype=np.int64)
    behind = np.zeros(vertices, dtype=np.int64)
    ahead_by = np.empty(vertices, dtype=np.int64)
    behind_by = np.empty(vertices, dtype=np.int64)
    ahead_queue = np.empty(vertices, dtype=np.int64)
    behind_queue = np.empty(vertices, dtype=np.int64)
    begin = np.zeros(len(wanted) + 1, dtype=np.int64)
    listed = np.empty(1024, dtype=np.int64)
    length = 0
    stamp = 0
    for number in range(len(wanted)):
        begin[number + 1] = length
        source, sink = tail[wanted[number]], head[wanted[number]]
        total = np.int64(0)
        changes = 0
        while True:
            stamp += 1
            ahead[source] = stamp
            ahead_by[source] = -1
            ahead_queue[0] = source
            ahead_end, ahead_now, ahead_at = 1, 0, starts[source]
            behind[sink] = stamp
            behind_by[sink] = -1
            behind_queue[0] = sink
            behind_end, behind_now, behind_at = 1, 0, starts[sink]
            meeting = -1
            forward_done = False
            while True:
                v = ahead_queue[ahead_now]
                if ahead_at < starts[v + 1]:
                    k = edges[ahead_at]
                    ahead_at += 1
                    along = tail[k] == v
                    w = head[k] if along else tail[k]
                    if ahead[w] != stamp and (not along or flow[k] < capacity[k]):
                        ahead[w] = stamp
                        ahead_by[w] = k
                        ahead_queue[ahead_end] = w
                        ahead_end += 1
                        if behind[w] == stamp:
                            meeting = w
                            break
                else:
                    ahead_now += 1
                    if ahead_now == ahead_end:
                        forward_done = True
                        break
                    ahead_at = starts[ahead_queue[ahead_now]]
                v = behind_queue[behind_now]
                if behind_at < starts[v + 1]:
                    k = edges[behind_at]
                    behind_at += 1
                    along = head[k] == v
                    w = tail[k] if along else head[k]
                    if behind[w] != stamp and (not along or flow[k] < capacity[k]):
                        behind[w] = stamp
                        behind_by[w] = k
                        behind_queue[behind_end] = w
                        behind_end += 1
                        if ahead[w] == stamp:
                            meeting = w
                            break
                else:
                    behind_now += 1
                    if behind_now == behind_end:
                        break
                    behind_at = starts[behind_queue[behind_now]]
            if meeting < 0:
                break
            room = _INFINITE
            v = meeting
            while ahead_by[v] >= 0:
                k = ahead_by[v]
                if head[k] == v:
                    room = min(room, capacity[k] - flow[k])
                    v = tail[k]
                else:
                    v = head[k]
            v = meeting
            while behind_by[v] >= 0:
                k = behind_by[v]
                if tail[k] == v:
                    room = min(room, capacity[k] - flow[k])
                    v = head[k]
                else:
                    v = tail[k]
            total += room
            if total >= threshold:
                break
            v = meeting
            while ahead_by[v] >= 0:
                k = ahead_by[v]
                if changes == len(touched):
                    touched = np.concatenate((touched, np.empty_like(touched)))
                touched[changes] = k
                changes += 1
                if head[k] == v:
                    flow[k] += room
                    v = tail[k]
                else:
                    flow[k] -= room
                    v = head[k]
            v = meeting
            while behind_by[v] >= 0:
                k = behind_by[v]
                if changes == len(touched):
                    touched = np.concatenate((touched, np.empty_like(touched)))
                touched[changes] = k
                changes += 1
                if tail[k] == v:
                    flow[k] += room
                    v = head[k]
                else:
                    flow[k] -= room
                    v = tail[k]
        if total < threshold:
            side_end = ahead_end if forward_done else behind_end
            for n in range(side_end):
                v = ahead_queue[n] if forward_done else behind_queue[n]
                for position in range(starts[v], starts[v + 1]):
                    k = edges[position]
                    if forward_done:
                        crossing = tail[k] == v and ahead[head[k]] != stamp
                    else:
                        crossing = head[k] == v and behind[tail[k]] != stamp
                    if crossing:
                        if length == len(listed):
                            listed = np.concatenate((listed, np.empty_like(listed)))
                        listed[length] = k
                        length += 1
            begin[number + 1] = length
        for n in range(changes):
            flow[touched[n]] = 0
    return begin, listed[:length]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def side_of(
    first: Array, second: Array, starts: Array, edges: Array, cut: Array, outside: int
) -> tuple[bool, Array]:
    """Return the smaller side of a cut, and whether it is the first's; never that of `outside`.

    The first's side is what hangs together with the first ends of the cut's edges when these are
    taken away. Both sides are searched in turn; the one that ends first is returned.
    """
    vertices = len(starts) - 1
    side = np.zeros(vertices, dtype=np.int8)
    queues = np.empty((2, vertices), dtype=np.int64)
    end = np.zeros(2, dtype=np.int64)
    now = np.zeros(2, dtype=np.int64)
    at = np.zeros(2, dtype=np.int64)
    spoiled = np.zeros(2, dtype=np.bool_)
    cutting = np.sort(cut)
    for n in range(len(cut)):
        for j in range(2):
            v = first[cut[n]] if j == 0 else second[cut[n]]
            if side[v] == 0:
                side[v] = j + 1
                queues[j, end[j]] = v
                end[j] += 1
                spoiled[j] |= v == outside
    for j in range(2):
        at[j] = starts[queues[j, 0]]
    j = 0
    while True:
        if not spoiled[j]:
            v = queues[j, now[j]]
            if at[j] < starts[v + 1]:
                k = edges[at[j]]
                at[j] += 1
                w = second[k] if first[k] == v else first[k]
                if side[w] == 0:
                    spot = np.searchsorted(cutting, k)
                    if spot == len(cutting) or cutting[spot] != k:
                        side[w] = j + 1
                        queues[j, end[j]] = w
                        end[j] += 1
                        spoiled[j] |= w == outside
            else:
                now[j] += 1
                if now[j] == end[j]:
                    return j == 0, np.sort(queues[j, : end[j]])
                at[j] = starts[queues[j, now[j]]]
        elif spoiled[1 - j]:
            return True, np.empty(0, dtype=np.int64)
        j = 1 - j
