"""What the workbench says at once is what counting the records says."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from indistinct.workbench.rollup import MOST, Rollup, least_classes, roll_up, roll_up_levels


def table(seed: int, *, people: bool) -> Rollup:
    draw = np.random.default_rng(seed)
    leaves = np.unique(draw.integers(0, 6, size=(80, 3)), axis=0).astype(np.int32)
    climbs = tuple(np.array([range(6), [6, 6, 7, 7, 8, 8], [9] * 6], dtype=np.int32) for _ in "abc")
    whose = draw.integers(0, 25, size=len(leaves)) if people else None
    return Rollup(tuple("abc"), leaves, draw.integers(1, 4, size=len(leaves)), whose, climbs)


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("levels", [(0, 0, 0), (1, 0, 2), (1, 1, 1), (2, 2, 2)])
@pytest.mark.parametrize("among", [None, (0, 2), (1,)])
def test_rolling_up_is_counting_anew(people, levels, among):
    for seed in range(5):
        found = table(seed, people=people)
        chosen = range(3) if among is None else among
        cells = [
            tuple(int(found.climbs[j][levels[j]][row[j]]) for j in chosen) for row in found.leaves
        ]
        records, members = Counter(), defaultdict(set)
        for number, cell in enumerate(cells):
            records[cell] += int(found.counts[number])
            if people:
                members[cell].add(int(found.people[number]))
        size = {c: len(members[c]) if people else records[c] for c in records}
        told = roll_up(found, levels, among)
        for k in (2, 3, 5, 10, MOST):
            assert told[k] == sum(n for c, n in records.items() if size[c] < k)


@pytest.mark.parametrize("people", [False, True])
def test_all_levels_of_a_variable_at_once_are_each_level_by_itself(people):
    found = table(1, people=people)
    each = [roll_up(found, [1, level, 0]).tolist() for level in range(3)]
    assert [out.tolist() for out in roll_up_levels(found, "b", [1, 2, 0])] == each


def test_the_least_classes_are_the_least_and_say_what_gives_them_away():
    found, k = table(3, people=False), 4
    shown = least_classes(found, k, most=10)
    sizes = Counter()
    for row, n in zip(map(tuple, found.leaves.tolist()), found.counts.tolist(), strict=True):
        sizes[row] += n
    assert [size for _, size, _ in shown] == sorted(n for n in sizes.values() if n < k)[:10]
    for row, _, given_away in shown:
        for j in range(3):
            others = [i for i in range(3) if i != j]
            same = (found.leaves[:, others] == found.leaves[row, others]).all(axis=1)
            assert (j in given_away) == (found.counts[same].sum() >= k)
