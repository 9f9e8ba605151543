"""Whom each released key may refer to in a register, without joining every record with everybody.

Released keys are put together by *shape*: which level each of their labels has (see `Cover`).
For one shape, a person of the register belongs to one combination of groups at most, so the
register is recoded to the shape and looked up. Shapes that begin alike share the work: variables
are taken one after another, and at each the register keeps only the people who may still meet
something, added up where they have become equal. The cost grows with the register's distinct
keys times the shapes that occur, at most, and usually far less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indistinct.keys import group_rows
from indistinct.prove.cover import Cover
from indistinct.variables import Missing

__all__ = ["linked_pairs", "linked_totals", "linking_totals", "members_of_groups"]

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class _Branch:
    """Released keys of one shape so far, and what of the register may still meet them.

    `rows` are released keys and `prefix` the number of their groups so far; `people` are rows of
    the register, or of what it was added up to, with `theirs`, the prefix that they belong to.
    """

    rows: IntArray
    prefix: IntArray
    people: IntArray
    theirs: IntArray


def linked_totals(
    labels: IntArray,
    values: IntArray,
    covers: Sequence[Cover],
    amounts: IntArray,
    *,
    missing: Missing = "own",
) -> IntArray:
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
    for branch, own in _walk(labels, values, covers, missing, amounts):
        sums = np.zeros((int(branch.prefix.max()) + 1, amounts.shape[1]), dtype=np.int64)
        np.add.at(sums, branch.theirs, own[branch.people])
        totals[branch.rows] += sums[branch.prefix]
    return totals


def linking_totals(
    labels: IntArray,
    values: IntArray,
    covers: Sequence[Cover],
    amounts: IntArray,
    *,
    missing: Missing = "own",
) -> IntArray:
    """Add up, for every key of the register, what the released keys bring that may refer to it.

    The other direction of `linked_totals`: amounts belong to released keys.
    """
    totals = np.zeros((len(values), amounts.shape[1]), dtype=np.int64)
    for branch, _ in _walk(labels, values, covers, missing):
        sums = np.zeros((int(branch.prefix.max()) + 1, amounts.shape[1]), dtype=np.int64)
        np.add.at(sums, branch.prefix, amounts[branch.rows])
        totals[branch.people] += sums[branch.theirs]
    return totals


def linked_pairs(
    labels: IntArray, values: IntArray, covers: Sequence[Cover], *, missing: Missing = "own"
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield pairs (released key, key of the register) that meet: for a few keys only."""
    for branch, _ in _walk(labels, values, covers, missing):
        size = int(branch.prefix.max()) + 1
        left, right = members_of_groups(branch.prefix, branch.theirs, groups=size)
        yield branch.rows[left], branch.people[right]


def members_of_groups(
    wanted: IntArray, group_of: IntArray, *, groups: int
) -> tuple[IntArray, IntArray]:
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


def _walk(
    labels: IntArray,
    values: IntArray,
    covers: Sequence[Cover],
    missing: Missing,
    amounts: IntArray | None = None,
) -> Iterator[tuple[_Branch, IntArray]]:
    """Yield, for every shape, its released keys and what may meet them.

    With amounts, the register's rows are added up on the way and the second element holds the
    sums; without, rows keep their numbers.
    """
    groups = np.stack([c.group_of[labels[:, j]] for j, c in enumerate(covers)], axis=1)
    for people, known in _patterns(values, covers, missing):
        # variables with one level first: they part nothing and shrink the register for the others
        order = sorted(known, key=lambda j: (len(covers[j].levels), j))
        rows = np.flatnonzero((groups[:, order] >= 0).all(axis=1))
        if not len(rows):
            continue
        start = _Branch(rows, np.zeros_like(rows), people, np.zeros_like(people))
        own = amounts if amounts is not None else np.empty((len(values), 0), dtype=np.int64)
        yield from _descend(start, values, own, groups, covers, order, add=amounts is not None)


def _patterns(
    values: IntArray, covers: Sequence[Cover], missing: Missing
) -> Iterator[tuple[IntArray, list[int]]]:
    """Yield the register's rows with the variables to link them on."""
    everything = list(range(len(covers)))
    if missing == "own" or not len(values):
        if len(values):
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


def _descend(
    branch: _Branch,
    values: IntArray,
    amounts: IntArray,
    groups: IntArray,
    covers: Sequence[Cover],
    order: Sequence[int],
    *,
    add: bool,
) -> Iterator[tuple[_Branch, IntArray]]:
    if not order:
        yield branch, amounts
        return
    j, rest = order[0], order[1:]
    cover = covers[j]
    level_of_row = cover.level_of[groups[branch.rows, j]]
    for number, level in enumerate(cover.levels):
        here = level_of_row == number
        if not here.any():
            continue
        rows = branch.rows[here]
        size = len(cover.level_of)
        wanted = branch.prefix[here] * size + groups[rows, j]
        combined, prefix = np.unique(wanted, return_inverse=True)
        met = level[values[branch.people, j]]
        kept = np.flatnonzero(met >= 0)
        theirs = branch.theirs[kept] * size + met[kept]
        at = np.searchsorted(combined, theirs)
        at[at == len(combined)] = 0
        same = combined[at] == theirs
        smaller = _Branch(
            rows, prefix.reshape(-1).astype(np.int64), branch.people[kept[same]], at[same]
        )
        if not len(smaller.people):
            continue
        if not add:
            yield from _descend(smaller, values, amounts, groups, covers, rest, add=False)
            continue
        fewer, codes, sums = _added_up(smaller, values, amounts, rest)
        yield from _descend(fewer, codes, sums, groups, covers, rest, add=True)


def _added_up(
    branch: _Branch, values: IntArray, amounts: IntArray, rest: Sequence[int]
) -> tuple[_Branch, IntArray, IntArray]:
    """Merge the register's rows that agree on the prefix and on all variables still to come."""
    columns = [branch.theirs, *(values[branch.people, j] for j in rest)]
    same = group_rows(np.stack(columns, axis=1))
    size = int(same.max()) + 1
    own = amounts[branch.people]
    if size == len(same):  # all different: only the order changes, which means nothing
        fewer = _Branch(branch.rows, branch.prefix, np.arange(size), branch.theirs)
        return fewer, values[branch.people], own
    sums = np.zeros((size, amounts.shape[1]), dtype=np.int64)
    np.add.at(sums, same, own)
    first = np.zeros(size, dtype=np.int64)
    first[same] = np.arange(len(same))
    fewer = _Branch(branch.rows, branch.prefix, np.arange(size), branch.theirs[first])
    return fewer, values[branch.people[first]], sums
