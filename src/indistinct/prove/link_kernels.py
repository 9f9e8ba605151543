"""The compiled loops of linking: people walk down a tree of released keys.

Rows of the register come sorted, so that a row shares its first values with the row before: what
was found for these is kept, and only the rest is walked again.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["add_to_leaves", "add_to_rows", "write_pairs"]


FEW = 6
"""Children up to which each is tried; among more, one is searched for per level."""


@njit(cache=True, nogil=True)
def _search(group: Array, low: int, high: int, wanted: int) -> int:
    """Return the child of a group among some that are sorted by group, -1 if there is none."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if group[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and group[low] == wanted else -1


@njit(cache=True, nogil=True)
def _advance(
    rows: Array,
    row: int,
    start: int,
    first_child: Array,
    group: Array,
    level: Array,
    tables: Array,
    shapes: Array,
    nodes: Array,
    found: Array,
) -> int:
    """Find the leaves that a row meets; return how many. `nodes` and `found` are kept."""
    depth = rows.shape[1]
    same = 0
    if row > start:
        while same < depth and rows[row, same] == rows[row - 1, same]:
            same += 1
    for d in range(same, depth):
        value = rows[row, d]
        base, levels, size = shapes[d, 0], shapes[d, 1], shapes[d, 2]
        count = 0
        for i in range(found[d]):
            node = nodes[d, i]
            low, high = first_child[node], first_child[node + 1]
            if high - low <= FEW:
                for child in range(low, high):
                    if tables[base + level[child] * size + value] == group[child]:
                        nodes[d + 1, count] = child
                        count += 1
            else:
                for at in range(levels):
                    wanted = tables[base + at * size + value]
                    if wanted >= 0:
                        child = _search(group, low, high, wanted)
                        if child >= 0:
                            nodes[d + 1, count] = child
                            count += 1
        found[d + 1] = count
    return int(found[depth])


@njit(cache=True, nogil=True)
def add_to_leaves(
    rows: Array,
    first_child: Array,
    group: Array,
    level: Array,
    tables: Array,
    shapes: Array,
    room: int,
    start: int,
    end: int,
    first_leaf: int,
    amounts: Array,
    totals: Array,
) -> None:
    """Add what each row from `start` to `end` brings to all leaves that it meets."""
    depth = rows.shape[1]
    nodes = np.zeros((depth + 1, room), dtype=np.int32)
    found = np.zeros(depth + 1, dtype=np.int64)
    found[0] = 1
    for row in range(start, end):
        count = _advance(rows, row, start, first_child, group, level, tables, shapes, nodes, found)
        for i in range(count):
            leaf = nodes[depth, i] - first_leaf
            for a in range(amounts.shape[1]):
                totals[leaf, a] += amounts[row, a]


@njit(cache=True, nogil=True)
def add_to_rows(
    rows: Array,
    first_child: Array,
    group: Array,
    level: Array,
    tables: Array,
    shapes: Array,
    room: int,
    start: int,
    end: int,
    first_leaf: int,
    amounts: Array,
    totals: Array,
) -> None:
    """Add to each row from `start` to `end` what all leaves bring that it meets."""
    depth = rows.shape[1]
    nodes = np.zeros((depth + 1, room), dtype=np.int32)
    found = np.zeros(depth + 1, dtype=np.int64)
    found[0] = 1
    for row in range(start, end):
        count = _advance(rows, row, start, first_child, group, level, tables, shapes, nodes, found)
        for i in range(count):
            leaf = nodes[depth, i] - first_leaf
            for a in range(amounts.shape[1]):
                totals[row, a] += amounts[leaf, a]


@njit(cache=True, nogil=True)
def write_pairs(
    rows: Array,
    first_child: Array,
    group: Array,
    level: Array,
    tables: Array,
    shapes: Array,
    room: int,
    start: int,
    end: int,
    first_leaf: int,
    leaves: Array,
    people: Array,
) -> None:
    """Write every pair of a leaf and a row that meet; the arrays have room for exactly these."""
    depth = rows.shape[1]
    nodes = np.zeros((depth + 1, room), dtype=np.int32)
    found = np.zeros(depth + 1, dtype=np.int64)
    found[0] = 1
    at = 0
    for row in range(start, end):
        count = _advance(rows, row, start, first_child, group, level, tables, shapes, nodes, found)
        for i in range(count):
            leaves[at] = nodes[depth, i] - first_leaf
            people[at] = row
            at += 1
