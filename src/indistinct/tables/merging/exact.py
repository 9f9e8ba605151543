"""The best of all partitions of a few areas, by trying them all."""

from __future__ import annotations

import numpy as np

from indistinct.core import Bools
from indistinct.tables.merging.problem import Ints, MergeProblem

__all__ = ["best_partition"]


def best_partition(problem: MergeProblem, areas: list[int]) -> list[list[int]]:
    """Return the partition of a few areas with most parts, all fine and connected; [] if none is.

    All are tried, from the smallest sets up: 3ⁿ steps for n areas.
    """
    n = len(areas)
    fine = _fine_sets(problem, areas)
    most = [0] + [-1] * ((1 << n) - 1)
    taken = [0] * (1 << n)
    for whole in range(1, 1 << n):
        lowest = whole & -whole
        part = whole
        while part:
            if part & lowest and fine[part] and most[whole ^ part] + 1 > max(most[whole], 0):
                rest = most[whole ^ part]
                if rest >= 0:
                    most[whole], taken[whole] = rest + 1, part
            part = (part - 1) & whole
    found, whole = [], (1 << n) - 1
    if most[whole] < 0:
        return []
    while whole:
        found.append([areas[j] for j in range(n) if taken[whole] >> j & 1])
        whole ^= taken[whole]
    return found


def _fine_sets(problem: MergeProblem, areas: list[int]) -> list[bool]:
    """Say of every subset whether it is fine and connected."""
    n = len(areas)
    sets = np.arange(1 << n)
    people = np.zeros(1 << n, dtype=np.int64)
    fine = np.ones(1 << n, dtype=bool)
    for j, area in enumerate(areas):
        inside = (sets >> j & 1) > 0
        people[inside] += problem.sizes[area]
        helps = problem.helps[problem.starts[area] : problem.starts[area + 1]]
        local = np.zeros(len(helps), dtype=np.int64)
        for k, other in enumerate(areas):
            bit = helps[:, other >> 6] >> np.uint64(other & 63) & np.uint64(1)
            local |= bit.astype(np.int64) << k
        for helpers in np.unique(local).tolist():
            fine &= ~inside | ((sets & helpers) > 0)
    fine &= people >= problem.least_people
    if problem.geography.neighbours is not None:
        fine &= _connected_sets(problem.geography.neighbours, areas)
    listed: list[bool] = fine.tolist()
    return listed


def _connected_sets(neighbours: tuple[Ints, ...], areas: list[int]) -> Bools:
    """Say of every subset of a few areas whether it hangs together."""
    touching = [
        sum(1 << k for k, other in enumerate(areas) if other in neighbours[area]) for area in areas
    ]
    sets = np.arange(1 << len(areas))
    reached = sets & -sets
    for _ in areas:
        grown = reached.copy()
        for k, others in enumerate(touching):
            grown |= np.where(reached >> k & 1, others, 0)
        reached = grown & sets
    connected: Bools = reached == sets
    return connected
