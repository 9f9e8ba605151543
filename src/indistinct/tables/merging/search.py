"""The search for the fewest merges that leave no area which must not stay as it is.

An area that has uniques or too few people is *deficient*: it needs a partner. A merged area of g
deficient areas costs g − 1 merges, so pairs that cure each other are cheapest, and any number of
deficient areas is cheaper than joining each to one that is fine. So pairs are matched first,
those with fewest possible partners before the others; then merged areas are grown out of single
deficient ones; what is left joins the neighbour that leaves least to do; and at last merged areas
are divided, or two taken apart and put together again in the best of all ways, as long as that
gives more areas.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numba import njit

from indistinct.core import Bools, progress
from indistinct.tables.merging.problem import Ints, MergeProblem, Words

__all__ = ["fewest_merges", "least_merges"]


# The best of all partitions of a few areas, by trying them all.


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


MOST_TOGETHER = 8
"""Areas of which all partitions are tried."""

NEAREST = 48
"""Merged areas that are tried as partners, where any two may merge, before all are."""

SEEDS = 8
"""Areas from which the division of a large merged area is begun."""

PASSES = 6
"""Passes of refinement."""


def least_merges(problem: MergeProblem) -> int:
    """Return a number of merges below which nothing can be done.

    A merged area of g areas costs g − 1 merges and cures at most g of them, so that each part of
    the country needs at least half as many merges as it has deficient areas.
    """
    deficient = np.bincount(problem.geography.part[problem.deficient()])
    return int(((deficient + 1) // 2).sum())


def fewest_merges(problem: MergeProblem, *, seed: int = 0, starts: int = 3) -> list[list[int]]:
    """Return a partition of the areas with as many parts as were found, none deficient.

    The whole of every part of the country must be fine.

    Parameters
    ----------
    starts
        How many times it is tried: at first with the nearest partners and from the areas with most
        uniques on, then with partners that have fewest others and in code order, then in random
        order.
    """
    best: list[list[int]] = []
    random = np.random.default_rng(seed)
    nobody = not problem.deficient().any()
    for start in progress.each(list(range(1 if nobody else starts)), "merging areas", unit="tries"):
        search = _Search(problem, start, random)
        search.pair()
        search.grow()
        search.join()
        search.refine()
        found = search.partition()
        if len(found) > len(best):
            best = found
    return best


class _Search:
    """One try: the merged areas so far, and what is left to do in each."""

    def __init__(self, problem: MergeProblem, start: int, random: np.random.Generator) -> None:
        self.problem = problem
        self.start = start
        self.random = random
        areas = range(problem.areas)
        self.group: Ints = np.arange(problem.areas)
        self.members: dict[int, list[int]] = {n: [n] for n in areas}
        self.bits: dict[int, Words] = {n: problem.bits([n]) for n in areas}
        self.open: dict[int, Ints] = {n: problem.rows(n) for n in areas}
        self.people: dict[int, int] = dict(enumerate(problem.sizes.tolist()))
        self.place = dict(enumerate(problem.geography.places))

    def partition(self) -> list[list[int]]:
        return sorted(sorted(members) for members in self.members.values())

    def fine(self, group: int) -> bool:
        return len(self.open[group]) == 0 and self.people[group] >= self.problem.least_people

    # pairs

    def pair(self) -> None:
        """Match deficient areas that cure each other."""
        ids = np.flatnonzero(self.problem.deficient())
        if len(ids) < 2:
            return
        cures = self._cures(ids)
        mate = self._matched(ids, cures)
        for a in np.flatnonzero(mate > np.arange(len(ids))).tolist():
            self._merge(int(ids[a]), int(ids[mate[a]]))

    def _cures(self, ids: Ints) -> Bools:
        """Say of every two deficient areas whether they are fine together."""
        problem = self.problem
        part = problem.geography.part
        cures = np.empty((len(ids), len(ids)), dtype=bool)
        for n, area in enumerate(ids.tolist()):
            rows = problem.rows(area)
            everyone = np.bitwise_and.reduce(problem.helps[rows], axis=0)
            helpful = np.unpackbits(everyone.view(np.uint8), bitorder="little")[ids] > 0
            helpful &= part[ids] == part[area]
            helpful &= problem.sizes[ids] + problem.sizes[area] >= problem.least_people
            if problem.geography.neighbours is not None:
                helpful &= np.isin(ids, problem.geography.neighbours[area])
            helpful[n] = False
            cures[n] = helpful
        cures &= cures.T
        return cures

    def _matched(self, ids: Ints, cures: Bools) -> Ints:
        """Match greedily, those with fewest partners first, then along augmenting paths."""
        mate = np.full(len(ids), -1, dtype=np.int64)
        degree = cures.sum(axis=1).astype(np.float64)
        degree[degree == 0] = np.inf
        free = np.ones(len(ids), dtype=bool)
        places = self.problem.geography.places[ids]
        while np.isfinite(least := degree.min()):
            u = int(np.argmin(degree))
            if self.start > 1:
                u = int(self.random.choice(np.flatnonzero(degree == least)))
            partners = np.flatnonzero(cures[u] & free)
            far = np.linalg.norm(places[partners] - places[u], axis=1)
            order = (degree[partners], far) if self.start % 2 == 0 else (far, degree[partners])
            v = int(partners[np.lexsort(order)[0]])
            mate[u], mate[v] = v, u
            free[[u, v]] = False
            degree -= cures[u].astype(np.float64) + cures[v]
            degree[~free] = np.inf
            degree[degree <= 0] = np.inf
        for u in np.flatnonzero(mate < 0).tolist():
            if mate[u] >= 0:
                continue
            others = mate < 0
            others[u] = False
            taken = np.flatnonzero(cures[u] & (mate >= 0))
            ends = cures[mate[taken]][:, others].any(axis=1)
            if ends.any():
                a = int(taken[np.argmax(ends)])
                b = int(mate[a])
                v = int(np.flatnonzero(cures[b] & others)[0])
                mate[u], mate[a], mate[b], mate[v] = a, u, v, b
        return mate

    # growing from one area

    def grow(self) -> None:
        """Grow merged areas from single deficient ones, out of others that are deficient too."""
        single = [g for g, members in self.members.items() if len(members) == 1]
        waiting = [g for g in single if not self.fine(g)]
        if self.start == 0:
            waiting.sort(key=lambda g: (-len(self.open[g]), self.people[g], g))
        elif self.start > 1:
            self.random.shuffle(waiting)
        free = np.zeros(self.problem.areas, dtype=bool)
        free[waiting] = True
        for area in waiting:
            if free[area]:
                # where it ran out of areas it stays deficient, and joins others as one
                first, *others = sorted(self._grown(area, self._around(area, free)))
                for other in others:
                    self._merge(first, other)
                free[[first, *others]] = False

    def _around(self, area: int, free: Bools) -> list[int]:
        """Return the free areas of the part of the country, nearest first."""
        geography = self.problem.geography
        here = np.flatnonzero(free & (geography.part == geography.part[area]))
        far = np.linalg.norm(geography.places[here] - geography.places[area], axis=1)
        nearest: list[int] = here[np.argsort(far, kind="stable")].tolist()
        return nearest

    # joining what is left

    def join(self) -> None:
        """Merge what is still deficient with the neighbour that leaves least to do."""
        while waiting := [g for g in self.members if not self.fine(g)]:
            waiting.sort(key=lambda g: (-len(self.open[g]), self.people[g], g))
            for group in waiting:
                if group in self.members and not self.fine(group):
                    self._merge(group, self._partner(group))

    def _partner(self, group: int) -> int:
        near = self._near(group)
        best = min(near, key=lambda other: self._price(group, other))
        if self.problem.geography.neighbours is None and self._price(group, best)[0] >= 0:
            best = min(self._all_others(group), key=lambda other: self._price(group, other))
        return best

    def _price(self, group: int, other: int) -> tuple[int, bool, int, float, int]:
        """What a merge leaves: deficient areas more or fewer, uniques, how far, how many people.

        Of two merges that leave equally many deficient areas the one between deficient areas is
        better: fine ones would only grow, and these may yet become one.
        """
        left = self._number_left(group, other)
        people = self.people[group] + self.people[other]
        before = 1 + (not self.fine(other))
        after = int(left > 0 or people < self.problem.least_people)
        far = float(np.linalg.norm(self.place[group] - self.place[other]))
        return after - before, self.fine(other), left, far, people

    def _number_left(self, group: int, other: int) -> int:
        helps = self.problem.helps
        return int(
            _without_help(helps, self.open[group], self.bits[other])
            + _without_help(helps, self.open[other], self.bits[group])
        )

    def _left(self, group: int, other: int) -> Ints:
        problem = self.problem
        return np.concatenate(
            [
                problem.left(self.open[group], self.bits[other]),
                problem.left(self.open[other], self.bits[group]),
            ]
        )

    def _near(self, group: int) -> list[int]:
        """The merged areas that touch one; where any may merge, those nearest in code order."""
        neighbours = self.problem.geography.neighbours
        if neighbours is not None:
            touching = np.concatenate([neighbours[area] for area in self.members[group]])
            return [g for g in np.unique(self.group[touching]).tolist() if g != group]
        geography = self.problem.geography
        here = np.flatnonzero(geography.part == geography.part[group])
        far = np.linalg.norm(geography.places[here] - self.place[group], axis=1)
        nearest = self.group[here[np.argsort(far, kind="stable")]]
        return [g for g in dict.fromkeys(nearest.tolist()) if g != group][:NEAREST]

    def _all_others(self, group: int) -> list[int]:
        part = self.problem.geography.part
        here = np.unique(self.group[part == part[group]])
        return [g for g in here.tolist() if g != group]

    def _merge(self, group: int, other: int) -> None:
        left = self._left(group, other)
        keep, gone = min(group, other), max(group, other)
        sizes = len(self.members[keep]), len(self.members[gone])
        self.place[keep] = np.average([self.place[keep], self.place[gone]], axis=0, weights=sizes)
        self.members[keep] = self.members[keep] + self.members.pop(gone)
        self.bits[keep] = self.bits[keep] | self.bits.pop(gone)
        self.people[keep] += self.people.pop(gone)
        self.open[keep] = left
        del self.open[gone], self.place[gone]
        self.group[self.members[keep]] = keep

    # taking apart and putting together

    def refine(self) -> None:
        """Rearrange merged areas, alone and two by two, while that gives more areas."""
        deficient = self.problem.deficient()
        for _ in range(PASSES):
            changed = False
            for group in [g for g, members in self.members.items() if len(members) > 1]:
                if group not in self.members:
                    continue
                changed |= self._shrink(group) or self._divided(group)
                if group not in self.members or len(self.members[group]) == 1:
                    continue
                changed |= self._rearranged([group], deficient)
                for other in self._exchange_partners(group):
                    if group in self.members and other in self.members:
                        changed |= self._rearranged([group, other], deficient)
            if not changed:
                return

    def _exchange_partners(self, group: int) -> list[int]:
        if group not in self.members:
            return []
        room = MOST_TOGETHER - len(self.members[group])
        return [g for g in self._near(group) if len(self.members[g]) <= room][:12]

    def _shrink(self, group: int) -> bool:
        """Give areas of a large merged area back that are fine alone and are not needed."""
        changed = False
        for area in sorted(self.members[group]):
            members = self.members[group]
            if len(members) <= MOST_TOGETHER:
                break
            rest = [a for a in members if a != area]
            if self._all_fine([area]) and self._all_fine(rest) and self._connected(rest):
                self._replace([group], [rest, [area]])
                group = int(self.group[rest[0]])
                changed = True
        return changed

    def _divided(self, group: int) -> bool:
        """Divide a large merged area in two that are both fine, the first grown from one area."""
        members = sorted(self.members[group])
        if len(members) <= MOST_TOGETHER:
            return False
        places = self.problem.geography.places
        for seed in members[:: max(len(members) // SEEDS, 1)]:
            far = np.linalg.norm(places[members] - places[seed], axis=1)
            part = self._grown(seed, [members[n] for n in np.argsort(far, kind="stable")])
            rest = [area for area in members if area not in part]
            if rest and self._all_fine(rest) and self._connected(rest):
                self._replace([group], [sorted(part), rest])
                return True
        return False

    def _grown(self, seed: int, members: list[int]) -> set[int]:
        """Add the area that leaves least to do, of those given nearest first, until it is fine."""
        problem, neighbours = self.problem, self.problem.geography.neighbours
        part, newest, left = {seed}, seed, problem.rows(seed)
        people, bits = int(problem.sizes[seed]), problem.bits([seed])
        others = [area for area in members if area != seed]
        touching: set[int] = set()
        while len(left) or people < problem.least_people:
            near = others[:NEAREST]
            if neighbours is not None:
                touching.update(neighbours[newest].tolist())
                near = [area for area in others if area in touching]
            if not near:
                break
            newest = min(near, key=lambda area: (self._to_do(left, bits, area), area))
            own, rows = problem.bits([newest]), problem.rows(newest)
            left = np.concatenate([problem.left(left, own), problem.left(rows, bits)])
            bits = bits | own
            people += int(problem.sizes[newest])
            part.add(newest)
            others.remove(newest)
        return part

    def _to_do(self, left: Ints, bits: Words, area: int) -> int:
        helps = self.problem.helps
        own = _without_help(helps, self.problem.rows(area), bits)
        return int(own + _without_help(helps, left, self.problem.bits([area])))

    def _all_fine(self, areas: list[int]) -> bool:
        problem = self.problem
        if int(problem.sizes[areas].sum()) < problem.least_people:
            return False
        bits = problem.bits(areas)
        return all(len(problem.left(problem.rows(area), bits)) == 0 for area in areas)

    def _connected(self, areas: list[int]) -> bool:
        neighbours = self.problem.geography.neighbours
        if neighbours is None:
            return True
        inside, seen, waiting = set(areas), {areas[0]}, [areas[0]]
        while waiting:
            for other in neighbours[waiting.pop()].tolist():
                if other in inside and other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return len(seen) == len(inside)

    def _rearranged(self, groups: list[int], deficient: Bools) -> bool:
        areas = sorted(area for g in groups for area in self.members[g])
        needed = (int(deficient[areas].sum()) + 1) // 2
        if len(areas) > MOST_TOGETHER or len(areas) - needed <= len(groups):
            return False
        found = best_partition(self.problem, areas)
        if len(found) <= len(groups):
            return False
        self._replace(groups, found)
        return True

    def _replace(self, groups: list[int], found: Iterable[list[int]]) -> None:
        for group in groups:
            del self.members[group], self.bits[group], self.open[group]
            del self.people[group], self.place[group]
        for areas in found:
            name = min(areas)
            self.members[name] = list(areas)
            self.bits[name] = self.problem.bits(areas)
            self.open[name] = np.zeros(0, dtype=np.int64)
            self.people[name] = int(self.problem.sizes[areas].sum())
            self.place[name] = self.problem.geography.places[areas].mean(axis=0)
            self.group[areas] = name


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def _without_help(helps: Words, rows: Ints, bits: Words) -> int:
    """Count the uniques whom none of these areas helps."""
    number = 0
    for row in rows:
        helped = False
        for word in range(len(bits)):
            if helps[row, word] & bits[word]:
                helped = True
                break
        if not helped:
            number += 1
    return number
