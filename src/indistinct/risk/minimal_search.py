"""The search for minimal sample uniques: its inner loops, on codes alone.

Sets of variables are visited depth first, each after all of its parts, with lists of the records
that still agree with another one. `search` says why the lists may shrink as they do.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import GOLDEN, Array, fold_word

__all__ = ["gather_by_class", "search"]

BESIDE = np.uint32(1 << 31)
"""Marks an item of a list that only stands beside others: nobody asks whether it is alone."""

RECORD = np.uint32(BESIDE - 1)


@njit(cache=True, nogil=True)
def _rank(members: Array, depth: int, skip: int, binomials: Array) -> int:
    """Number a set of `depth` variables, without one of them, among all sets.

    Sets of fewer variables come first, sets of one size by the combinatorial number system.
    `members` falls, as the search adds ever smaller variables.
    """
    size = depth - 1 if skip >= 0 else depth
    variables = binomials.shape[0] - 1
    rank = 0
    for smaller in range(size):
        rank += binomials[variables, smaller]
    place = 0
    for at in range(depth - 1, -1, -1):
        if at != skip:
            place += 1
            rank += binomials[members[at], place]
    return rank


@njit(cache=True, nogil=True)
def search(
    codes: Array,
    missing: Array,
    widest: int,
    asked: int,
    max_size: int,
    remembered: int,
    binomials: Array,
) -> tuple[Array, Array]:
    """Visit sets of variables depth first, in the order of their masks.

    All codes are below `widest`; `missing` is each variable's code for no value, `widest` where
    it has none. The first `asked` columns of `codes` are the records that are asked for; the
    others only stand beside them. Returns a record and a mask for each MSU.

    A list holds, group by group, the records that agree on the set with another one. It is
    refined by one variable at a time, and shrinks for three reasons:

    - a record that is alone on a part of the set, or lacks the variable, leaves;
    - a group that the variable does not split leaves, for on no set from here on can the
      variable be needed: without it the group would be the same;
    - records of a group that agree on all variables still to come will never be alone: one of
      them stays, beside the others, and a group without anyone to ask for leaves.

    What is remembered of a set is right for everyone asked at a larger one, for who is on a list
    is also on the lists of its parts, or was merged there and is alone on nothing below.
    """
    variables, n = codes.shape
    words = (asked + 63) >> 6
    unique = np.empty((remembered, words), np.uint64)
    visited = np.zeros(remembered, np.bool_)
    known = np.zeros(words, np.uint64)
    items = np.empty((max_size + 1, n), np.uint32)
    ends = np.empty((max_size + 1, n // 2 + 2), np.uint32)
    groups = np.zeros(max_size + 1, np.int64)
    for r in range(n):
        items[0, r] = np.uint32(r) if r < asked else np.uint32(r) | BESIDE
    ends[0, 0] = n
    groups[0] = 1
    tails, distinct = _tails(codes)
    seen = np.zeros(widest, np.uint32)
    wanted = np.zeros(widest, np.uint32)
    touched = np.empty(widest, np.uint32)
    place = np.zeros(n, np.uint32)
    kept = np.empty(n, np.uint32)
    value = np.empty(n, codes.dtype)
    found = np.empty(1 << 16, np.uint32)
    sets = np.empty(1 << 16, np.int64)
    total = 0
    members = np.zeros(max_size + 1, np.int64)
    candidate = np.zeros(max_size + 1, np.int64)
    limit = np.zeros(max_size + 1, np.int64)
    limit[0] = variables
    depth = 0
    mask = np.int64(0)
    while depth >= 0:
        j = candidate[depth]
        if j >= limit[depth] or groups[depth] == 0 or depth == max_size:
            depth -= 1
            if depth >= 0:
                mask ^= np.int64(1) << members[depth]
            continue
        candidate[depth] = j + 1
        members[depth] = j
        size = depth + 1
        for w in range(words):
            known[w] = 0
        for skip in range(depth):
            at = _rank(members, size, skip, binomials)
            if visited[at]:
                for w in range(words):
                    known[w] |= unique[at, w]
        mask |= np.int64(1) << j
        column, lacks, tail = codes[j], missing[j], tails[j]
        before, after = items[depth], items[size]
        goes_on = j > 0 and size < max_size
        merges = goes_on and distinct[j] * 2 < n
        begin, top, last = np.int64(0), 0, 0
        for g in range(groups[depth]):
            end = np.int64(ends[depth, g])
            common = column[before[begin] & RECORD]
            left, splits = 0, common == lacks
            for i in range(begin, end):
                item = before[i]
                r = item & RECORD
                v = column[r]
                splits |= v != common
                kept[left] = item
                value[left] = v
                stays = v != lacks
                if item < BESIDE:
                    stays &= not known[r >> 6] >> np.uint64(r & 63) & np.uint64(1)
                left += stays
            begin = end
            if not splits:
                continue
            if merges:
                merged = 0
                for i in range(left):
                    item = kept[i]
                    t = tail[item & RECORD]
                    if place[t]:
                        kept[place[t] - 1] |= BESIDE
                    else:
                        kept[merged] = item
                        value[merged] = value[i]
                        merged += 1
                        place[t] = merged
                left = merged
                for i in range(left):
                    place[tail[kept[i] & RECORD]] = 0
            different = 0
            for i in range(left):
                v = value[i]
                if seen[v] == 0:
                    touched[different] = v
                    different += 1
                seen[v] += 1
                wanted[v] += kept[i] < BESIDE
            start = top
            for d in range(different):
                v = touched[d]
                number = seen[v]
                alone = number == 1
                seen[v] = 0 if alone else 1
                if goes_on and not alone and wanted[v]:
                    seen[v] = start + 2
                    start += number
                    ends[size, last] = start
                    last += 1
                wanted[v] = 0
            for i in range(left):
                item = kept[i]
                v = value[i]
                if seen[v] > 1:
                    after[seen[v] - 2] = item
                    seen[v] += 1
                elif seen[v] == 0 and item < BESIDE:
                    known[item >> 6] |= np.uint64(1) << np.uint64(item & 63)
                    if total == len(found):
                        found, sets = _longer(found), _longer(sets)
                    found[total], sets[total] = item, mask
                    total += 1
            for d in range(different):
                seen[touched[d]] = 0
            top = start
        groups[size] = last
        if size < max_size:
            at = _rank(members, size, -1, binomials)
            visited[at] = True
            for w in range(words):
                unique[at, w] = known[w]
            depth = size
            candidate[depth] = 0
            limit[depth] = j
        else:
            mask ^= np.int64(1) << j
    return found[:total], sets[:total]


@njit(cache=True, nogil=True)
def _longer(values: Array) -> Array:
    """Return an array of twice the length that begins with these values."""
    longer = np.empty(2 * len(values), values.dtype)
    for i in range(len(values)):
        longer[i] = values[i]
    return longer


@njit(cache=True, nogil=True)
def _tails(codes: Array) -> tuple[Array, Array]:
    """Number, for each variable, the combinations of its values with those of all before it.

    Returns the numbers (rows: variables) and how many there are for each variable.
    """
    variables, n = codes.shape
    numbers = np.empty((variables, n), np.uint32)
    distinct = np.zeros(variables, np.int64)
    slots = 1
    while slots < 2 * n:
        slots *= 2
    keys = np.empty(slots, np.uint64)
    values = np.empty(slots, np.uint32)
    used = np.zeros(slots, np.int64)
    for j in range(variables):
        count = 0
        for r in range(n):
            key = np.uint64(codes[j, r])
            if j:
                key |= np.uint64(numbers[j - 1, r]) << np.uint64(32)
            h = fold_word(key, 32) * GOLDEN
            at = np.int64(h >> np.uint64(20)) & (slots - 1)
            while used[at] == j + 1 and keys[at] != key:
                at = (at + 1) & (slots - 1)
            if used[at] != j + 1:
                used[at], keys[at], values[at] = j + 1, key, count
                count += 1
            numbers[j, r] = values[at]
        distinct[j] = count
    return numbers, distinct


@njit(cache=True, nogil=True)
def gather_by_class(classes: Array, masks: Array, number: int) -> tuple[Array, Array]:
    """Gather masks by class, small sets first, then by mask."""
    offsets = np.zeros(number + 1, np.int64)
    for c in classes:
        offsets[c + 1] += 1
    for c in range(number):
        offsets[c + 1] += offsets[c]
    filled = offsets[:-1].copy()
    ordered = np.empty(len(masks), np.int64)
    for i in range(len(masks)):
        c, mask = classes[i], masks[i]
        size = _bits(mask)
        at = filled[c]
        while at > offsets[c]:
            before = ordered[at - 1]
            if (_bits(before), before) <= (size, mask):
                break
            ordered[at] = before
            at -= 1
        ordered[at] = mask
        filled[c] += 1
    return offsets, ordered


@njit(cache=True, nogil=True)
def _bits(mask: int) -> int:
    bits = 0
    while mask:
        mask &= mask - 1
        bits += 1
    return bits
