"""What a recoding does to who stands out: the key table is rolled up, and no record is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from indistinct import keys

__all__ = ["MOST", "Rollup", "class_sizes", "least_classes", "roll_up", "roll_up_levels"]

MOST = 100
"""The largest k for which is known at once who stands out."""


@dataclass(frozen=True, eq=False)
class Rollup:
    """A key table whose values can climb.

    Parameters
    ----------
    names
        The key.
    leaves
        The value of each cell (rows: classes, or a class and a person; columns: the key).
    counts
        Records in each row.
    people
        The person of each row, where people have several records.
    climbs
        For each variable the node of every value at every level (rows: levels).
    """

    names: tuple[str, ...]
    leaves: Any
    counts: Any
    people: Any
    climbs: tuple[Any, ...]

    def nodes(self, levels: Sequence[int] = (), among: Sequence[int] | None = None) -> Any:
        """Return the node of every cell, of all variables or those asked for."""
        chosen = range(len(self.names)) if among is None else among
        columns = [
            self.climbs[j][levels[j] if levels else 0][self.leaves[:, j]].astype(np.int64)
            for j in chosen
        ]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.leaves), 0), np.int64)


def class_sizes(
    table: Rollup, levels: Sequence[int] = (), among: Sequence[int] | None = None
) -> tuple[Any, Any]:
    """Return for every row its class, and for every class how many people are in it."""
    groups = keys.group_rows(table.nodes(levels, among))
    number = int(groups.max(initial=-1)) + 1
    if table.people is None:
        return groups, np.bincount(groups, weights=table.counts, minlength=number).astype(np.int64)
    room = int(table.people.max(initial=0)) + 1
    pairs = np.unique(groups * room + table.people)
    return groups, np.bincount(pairs // room, minlength=number).astype(np.int64)


def roll_up(table: Rollup, levels: Sequence[int] = (), among: Sequence[int] | None = None) -> Any:
    """Return how many records stand out for every k from 0 to `MOST`.

    >>> one = np.array([[0], [1], [2]])
    >>> climbs = (np.array([[0, 1, 2], [3, 3, 2]]),)
    >>> table = Rollup(("sex",), one, np.array([1, 2, 4]), None, climbs)
    >>> roll_up(table)[:6].tolist(), roll_up(table, [1])[:6].tolist()
    ([0, 0, 1, 3, 3, 7], [0, 0, 0, 0, 3, 7])
    """
    groups, sizes = class_sizes(table, levels, among)
    of_rows = np.minimum(sizes[groups], MOST) if len(groups) else np.zeros(0, np.int64)
    records = np.bincount(of_rows, weights=table.counts, minlength=MOST + 1).astype(np.int64)
    # fewer than k: those in classes of 1 to k - 1
    return np.concatenate([[0], np.cumsum(records)[:MOST]])


def roll_up_levels(table: Rollup, name: str, levels: Sequence[int]) -> list[Any]:
    """Return what `roll_up` says with one variable at each of its levels, the others as given.

    The others are grouped once, whatever the number of levels.
    """
    j = table.names.index(name)
    others, _ = class_sizes(table, levels, [i for i in range(len(table.names)) if i != j])
    numbers = np.arange(int(others.max(initial=-1)) + 1)[None, :]
    leaves = np.stack([others, table.leaves[:, j]], axis=1)
    narrow = Rollup(("", name), leaves, table.counts, table.people, (numbers, table.climbs[j]))
    return [roll_up(narrow, [0, level]) for level in range(len(table.climbs[j]))]


def least_classes(table: Rollup, k: int, levels: Sequence[int] = (), *, most: int) -> list[Any]:
    """Return rows of the smallest classes below k: the row, its people, and what gives it away.

    A variable gives a row away if without it nobody of its class would stand out.
    """
    groups, sizes = class_sizes(table, levels)
    of_rows = sizes[groups]
    rows = np.flatnonzero(of_rows < k)
    rows = rows[np.argsort(of_rows[rows], kind="stable")]
    _, first = np.unique(groups[rows], return_index=True)
    rows = rows[np.sort(first)][:most]
    safe_without = []
    for j in range(len(table.names)):
        others = [i for i in range(len(table.names)) if i != j]
        grouped, within = class_sizes(table, levels, others)
        safe_without.append(within[grouped[rows]] >= k)
    return [
        (int(row), int(of_rows[row]), [j for j, safe in enumerate(safe_without) if safe[at]])
        for at, row in enumerate(rows)
    ]
