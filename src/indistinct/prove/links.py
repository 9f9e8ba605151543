"""Whom each released key may refer to in a register, without joining every record with everybody.

Released keys become a tree: a node for each beginning that they share, a leaf for each key. A
person walks down the tree, and at every node goes on to each child whose label her value meets:
of the labels of one level (see `Cover`) that is one at most. Values of the register that no
label tells apart are one value here, and people who have become equal are added up; the others
are sorted, so that what was found for one person's first values serves the next. The cost grows
with the pairs that meet, and is at most the register's distinct keys times the *shapes* that
occur: combinations of levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numba import njit

from indistinct.core import Array, Ints, Missing, SmallInts
from indistinct.keys import group_rows
from indistinct.prove.covering import Cover

__all__ = [
    "add_to_leaves",
    "add_to_rows",
    "linked_pairs",
    "linked_totals",
    "linking_totals",
    "members_of_groups",
    "write_pairs",
]


# The compiled loops of linking: people walk down a tree of released keys.
#
# Rows of the register come sorted, so that a row shares its first values with the row before: what
# was found for these is kept, and only the rest is walked again.


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


def linked_totals(
    labels: Ints,
    values: Ints,
    covers: Sequence[Cover],
    amounts: Ints,
    *,
    missing: Missing = "own",
) -> Ints:
    """Add up, for every released key, what the register's keys bring that it may refer to.

    Parameters
    ----------
    labels
        Codes of released labels (rows: released keys, columns: variables).
    values
        Codes of values (rows: keys of the register).
    covers
        One for each variable.
    amounts
        What each of the register's keys brings (columns: different amounts), such as its people.
    missing
        What a missing value of the register is: something that meets suppressed labels only, or
        with ``"wildcard"`` anything at all.
    """
    totals = np.zeros((len(labels), amounts.shape[1]), dtype=np.int64)
    for tree, people in _walks(labels, values, covers, missing):
        own = np.zeros((len(people.rows), amounts.shape[1]), dtype=np.int64)
        np.add.at(own, people.row_of, amounts[people.members])
        found = np.zeros((tree.leaves, amounts.shape[1]), dtype=np.int64)
        tree.walk(add_to_leaves, people, own, found)
        totals[tree.members] += found[tree.leaf_of]
    return totals


def linking_totals(
    labels: Ints,
    values: Ints,
    covers: Sequence[Cover],
    amounts: Ints,
    *,
    missing: Missing = "own",
) -> Ints:
    """Add up, for every key of the register, what the released keys bring that may refer to it.

    The other direction of `linked_totals`: amounts belong to released keys.
    """
    totals = np.zeros((len(values), amounts.shape[1]), dtype=np.int64)
    for tree, people in _walks(labels, values, covers, missing):
        own = np.zeros((tree.leaves, amounts.shape[1]), dtype=np.int64)
        np.add.at(own, tree.leaf_of, amounts[tree.members])
        found = np.zeros((len(people.rows), amounts.shape[1]), dtype=np.int64)
        tree.walk(add_to_rows, people, own, found)
        totals[people.members] += found[people.row_of]
    return totals


def linked_pairs(
    labels: Ints, values: Ints, covers: Sequence[Cover], *, missing: Missing = "own"
) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs (released key, key of the register) that meet: for a few keys only."""
    for tree, people in _walks(labels, values, covers, missing):
        counts = np.zeros((len(people.rows), 1), dtype=np.int64)
        tree.walk(add_to_rows, people, np.ones((tree.leaves, 1), dtype=np.int64), counts)
        leaves, rows = np.empty((2, int(counts.sum())), dtype=np.int64)
        tree.walk(write_pairs, people, leaves, rows)
        left, keys = members_of_groups(leaves, tree.leaf_of, groups=tree.leaves)
        at, members = members_of_groups(rows[left], people.row_of, groups=len(people.rows))
        yield tree.members[keys[at]], people.members[members]


def members_of_groups(wanted: Ints, group_of: Ints, *, groups: int) -> tuple[Ints, Ints]:
    """Pair each element of `wanted`, a group, with all members of that group, by position.

    >>> left, right = members_of_groups(np.array([1, 0, 1]), np.array([0, 1, 1]), groups=2)
    >>> left.tolist(), right.tolist()
    ([0, 0, 1, 2, 2], [1, 2, 0, 1, 2])
    """
    order = np.argsort(group_of, kind="stable")
    bounds = np.searchsorted(group_of[order], np.arange(groups + 1))
    lengths = np.diff(bounds)[wanted]
    left = np.repeat(np.arange(len(wanted)), lengths)
    starts = np.repeat(bounds[wanted] - (np.cumsum(lengths) - lengths), lengths)
    return left, order[starts + np.arange(len(left))]


@dataclass(frozen=True)
class _People:
    """Rows of the register, sorted, those that no label tells apart as one.

    `members` are the rows that were given, `row_of` what each has become.
    """

    members: Ints
    row_of: Ints
    rows: SmallInts


@dataclass(frozen=True)
class _Tree:
    """Released keys, those with an equal beginning together.

    The children of a node are numbered one after another, by rising group; the leaves come last.

    Parameters
    ----------
    members, leaf_of
        The released keys in it, and the leaf of each.
    first_child
        Where the children of a node begin; those of the next node begin where they end.
    group, level
        The group of a node's label (see `Cover`), and the level of that.
    tables, shapes
        For each variable and level the group of every value, one after another; where those of a
        variable begin, its levels and its values.
    room
        How many nodes of one depth a person may be at, at most: the shapes.
    """

    members: Ints
    leaf_of: Ints
    leaves: int
    first_child: Ints = field(repr=False)
    group: SmallInts = field(repr=False)
    level: SmallInts = field(repr=False)
    tables: SmallInts = field(repr=False)
    shapes: Ints = field(repr=False)
    room: int

    def walk(self, add: Any, people: _People, first: Ints, second: Ints) -> None:
        """Let all people walk down the tree."""
        add(
            people.rows,
            self.first_child,
            self.group,
            self.level,
            self.tables,
            self.shapes,
            self.room,
            0,
            len(people.rows),
            len(self.group) - self.leaves,
            first,
            second,
        )


def _walks(
    labels: Ints, values: Ints, covers: Sequence[Cover], missing: Missing
) -> Iterator[tuple[_Tree, _People]]:
    """Yield trees of released keys with the people who walk down them."""
    groups = np.stack([c.group_of[labels[:, j]] for j, c in enumerate(covers)], axis=1)
    for members, known in _patterns(values, covers, missing):
        # variables with few levels first: they part little, and leave few people for the others
        order = sorted(known, key=lambda j: (len(covers[j].levels), j))
        keys = np.flatnonzero((groups[:, order] >= 0).all(axis=1))
        if len(keys) and len(members):
            chosen = [covers[j] for j in order]
            tree, merged = _tree(keys, groups[keys][:, order], chosen)
            yield tree, _people(members, values, order, merged)


def _patterns(
    values: Ints, covers: Sequence[Cover], missing: Missing
) -> Iterator[tuple[Ints, list[int]]]:
    """Yield the register's rows with the variables to link them on."""
    everything = list(range(len(covers)))
    if missing == "own" or not len(values):
        yield np.arange(len(values)), everything
        return
    lacking = np.stack(
        [
            np.array([value is None for value in c.values], dtype=bool)[values[:, j]]
            for j, c in enumerate(covers)
        ],
        axis=1,
    )
    patterns, pattern_of = np.unique(lacking, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of.reshape(-1) == number)
        yield rows, [j for j in everything if not pattern[j]]


def _tree(members: Ints, groups: Ints, covers: Sequence[Cover]) -> tuple[_Tree, list[SmallInts]]:
    """Make the tree, and for each variable what its values have become: -1 is nothing."""
    node = np.zeros(len(members), dtype=np.int64)
    shape, room = node, 1
    ends, group, level = [], [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
    tables: list[Ints] = []
    shapes, merged = [], []
    nodes = first = 1
    for j, found in enumerate(covers):
        size = len(found.level_of)
        children, node = _numbered(node * size + groups[:, j])
        parents, own = np.divmod(children, size)
        ends.append(first + np.searchsorted(parents, np.arange(nodes)))
        first, nodes = first + len(children), len(children)
        group.append(own)
        used, at = np.unique(found.level_of[own], return_inverse=True)
        level.append(at.reshape(-1))
        kinds, code_of = np.unique(
            np.stack([found.levels[number] for number in used]), axis=1, return_inverse=True
        )
        shapes.append((sum(map(len, tables)), *kinds.shape))
        tables.append(kinds.reshape(-1))
        meeting = np.where(kinds.max(axis=0) < 0, -1, np.arange(kinds.shape[1]))
        merged.append(meeting[code_of.reshape(-1)].astype(np.int32))
        prefixes, shape = _numbered(shape * len(used) + at.reshape(-1)[node])
        room = max(room, len(prefixes))
    tree = _Tree(
        members,
        node,
        nodes,
        np.concatenate([*ends, [first]]),
        np.concatenate(group).astype(np.int32),
        np.concatenate(level).astype(np.int32),
        np.concatenate([*tables, np.zeros(0, np.int64)]).astype(np.int32),
        np.array(shapes, dtype=np.int64).reshape(len(covers), 3),
        room,
    )
    return tree, merged


def _people(
    members: Ints, values: Ints, order: Sequence[int], merged: Sequence[SmallInts]
) -> _People:
    """Sort the rows that may meet a key, and merge those that no label tells apart."""
    columns: list[SmallInts] = []
    for j, become in zip(order, merged, strict=True):
        column = become[values[members, j]]
        meets = column >= 0
        if not meets.all():
            members, column = members[meets], column[meets]
            columns = [known[meets] for known in columns]
        columns.append(column)
    codes = np.stack(columns, axis=1) if columns else np.empty((len(members), 0), dtype=np.int32)
    row_of = group_rows(cast(Ints, codes))
    rows = np.empty((int(row_of.max(initial=-1)) + 1, len(order)), dtype=np.int32)
    rows[row_of] = codes
    return _People(members, row_of, rows)


def _numbered(marks: Ints) -> tuple[Ints, Ints]:
    """Return the different marks, sorted, and which of them each is."""
    different, which = np.unique(marks, return_inverse=True)
    return different, which.reshape(-1).astype(np.int64)
