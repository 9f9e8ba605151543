"""A lower bound on distortion: nobody can pay less than for the cheapest group of k around him."""

from __future__ import annotations

import heapq

import numpy as np

from indistinct.core import Ints
from indistinct.protect.methods.k_similarity.k_similar_kernels import note_groups
from indistinct.protect.methods.k_similarity.k_similar_space import Space

__all__ = ["cheapest_groups"]

_WORK = 400_000_000


def cheapest_groups(space: Space, *, k: int, work: int = _WORK) -> Ints:
    """Return for each class what its records pay at least, in units, in any release.

    A record that is released at some level vector pays for that vector, and at least k records,
    itself among them, agree at it. So it pays at least for the cheapest vector at which k records
    of the whole file agree with it. After `work` classes looked at, the price of the vectors not
    looked at stands in, which is still a lower bound.
    """
    keys = space.keys
    number = keys.classes
    words, exact = space.packed()
    if not exact:
        return np.zeros(number, dtype=np.int64)
    starts = np.cumsum([0, *(word.shape[1] for word in words)])[:-1]
    room = 1 << max(1, (2 * number - 1).bit_length())
    slots, totals = np.empty(room, np.uint64), np.empty(room, np.int64)
    place, active = np.empty(number, np.int64), np.arange(number)
    never = np.iinfo(np.int64).max
    cheapest = np.full(number, never, dtype=np.int64)
    least = [
        np.array([int(space.costs[row].min()) for row in nodes[: limit + 1]])
        for nodes, limit in zip(space.nodes, space.limits, strict=True)
    ]
    heap = [(sum(int(c[0]) for c in least), (0,) * len(words), 0)]
    spent, floor = 0, 0
    while heap and number:
        floor, vector, last = heapq.heappop(heap)
        if spent > work:
            break
        spent += keys.classes
        for j in range(last, len(vector)):
            if vector[j] + 1 < len(least[j]):
                more = floor + int(least[j][vector[j] + 1] - least[j][vector[j]])
                raised = (*vector[:j], vector[j] + 1, *vector[j + 1 :])
                heapq.heappush(heap, (more, raised, j))
        levels = list(zip(words, space.nodes, vector, strict=True))
        number = note_groups(
            space.leaves,
            np.concatenate([word[level] for word, _, level in levels]),
            np.concatenate([space.costs[nodes[level]] for _, nodes, level in levels]),
            starts,
            keys.counts,
            k,
            active,
            number,
            heap[0][0] if heap else floor,
            slots,
            totals,
            place,
            cheapest,
        )
    if spent > work:
        unfinished = active[:number]
        cheapest[unfinished] = np.minimum(cheapest[unfinished], floor)
    return cheapest
