"""The inner loops of minimal suppression, where a blank is a value of its own.

Classes are rows of bit fields, so that blanking variables is one *and* per word. A *unit* is some
records of one class that go the same way; a *group* is a class of the release, a set of blank
variables together with the values that are left. Units without a group are not yet covered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from indistinct.core import Array, hash_word

__all__ = [
    "HIGH",
    "LOOKED_AT",
    "NOTED",
    "NOTING",
    "UNCOVERED",
    "Scratch",
    "State",
    "commit_sorted",
    "cost_of",
    "dearest",
    "group_at",
    "in_group_order",
    "move",
    "number_groups",
    "open_groups",
    "sizes_of_groups",
    "try_open",
]


UNCOVERED = -1
HIGH = 1e12
"""What an uncovered record costs: more than any way to cover it."""
LEAST_GAIN = 1e-9
EMPTY = 0
INSERTED = 64
UNITS, GROUPS, NOTED, NOTING, LOOKED_AT = range(5)


class State(NamedTuple):
    """Who goes where. Arrays are changed in place; `used` holds how many units and groups."""

    words: Array
    base: Array  # for each class the variables that were blank before, as bits
    fields: Array  # for each mask the bits of a row that stay
    bits: Array  # for each mask its variables, as bits
    mask_weights: Array
    weights: Array  # of variables
    first: Array  # class to unit
    following: Array  # unit to the next of its class, or -1
    unit_class: Array
    unit_count: Array
    unit_group: Array
    group_mask: Array
    group_class: Array  # one class that fits in the group
    group_size: Array
    slots: Array  # from hash to group, shifted by 1
    used: Array  # units, groups, moves noted, whether moves are noted, units looked at
    moves: Array  # class, group left, group joined, records


class Scratch(NamedTuple):
    """Space for one attempt. What is by group is zero before and after."""

    room: Array  # records that may leave
    inside: Array  # records that would fit
    whole: Array  # what is gained if all of these move
    part: Array  # what is gained by those that are taken
    units: Array  # those that would fit
    gains: Array  # of one record of each
    order: Array  # by falling gain
    take: Array  # how many records are taken


@njit(cache=True, nogil=True, inline="always")
def _hashed(words: Array, row: int, field: Array, seed: int) -> np.uint64:
    h = np.uint64(seed)
    for j in range(words.shape[1]):
        h = hash_word(h ^ (words[row, j] & field[j]))
    return h


@njit(cache=True, nogil=True, inline="always")
def _same(words: Array, row: int, other: int, field: Array) -> bool:
    differ = np.uint64(0)
    for j in range(words.shape[1]):
        differ |= (words[row, j] ^ words[other, j]) & field[j]
    return bool(differ == np.uint64(0))


@njit(cache=True, nogil=True)
def number_groups(
    words: Array, rows: Array, field: Array, slots: Array, first: Array, ids: Array
) -> int:
    """Number rows that agree on a field, in order of first appearance; return how many.

    `slots` is at least four times as long as the rows, and is emptied here.
    """
    size = 4
    while size < 2 * len(rows):
        size *= 2
    slots[:size] = 0
    last = np.uint64(size - 1)
    groups = 0
    for i in range(len(rows)):
        at = _hashed(words, rows[i], field, 0) & last
        while slots[at] and not _same(words, rows[i], first[slots[at] - 1], field):
            at = (at + np.uint64(1)) & last
        if not slots[at]:
            first[groups] = rows[i]
            groups += 1
            slots[at] = groups
        ids[i] = slots[at] - 1
    return groups


@njit(cache=True, nogil=True)
def in_group_order(rows: Array, ids: Array, groups: int) -> tuple[Array, Array]:
    """Return the rows with those of a group together, and where each group starts."""
    starts = np.zeros(groups + 1, dtype=np.int32)
    for i in range(len(rows)):
        starts[ids[i] + 1] += 1
    for g in range(groups):
        starts[g + 1] += starts[g]
    cursor = starts[:-1].copy()
    members = np.empty(len(rows), dtype=np.int32)
    for i in range(len(rows)):
        members[cursor[ids[i]]] = rows[i]
        cursor[ids[i]] += 1
    return members, starts


@njit(cache=True, nogil=True)
def _slot(state: State, row: int, mask: int) -> np.uint64:
    """Return the slot of a group: where it is, or where it would go."""
    last = np.uint64(len(state.slots) - 1)
    field = state.fields[mask]
    at = _hashed(state.words, row, field, mask + 1) & last
    while state.slots[at]:
        group = state.slots[at] - 1
        if state.group_mask[group] == mask and _same(
            state.words, row, state.group_class[group], field
        ):
            break
        at = (at + np.uint64(1)) & last
    return at


@njit(cache=True, nogil=True)
def group_at(state: State, row: int, mask: int) -> int:
    """Return the number of a group, which is made where there is none."""
    at = _slot(state, row, mask)
    if state.slots[at] == EMPTY:
        group = state.used[GROUPS]
        state.used[GROUPS] += 1
        state.group_mask[group] = mask
        state.group_class[group] = row
        state.group_size[group] = 0
        state.slots[at] = group + 1
    return int(state.slots[at] - 1)


@njit(cache=True, nogil=True)
def sizes_of_groups(state: State, rows: Array, mask: int, sizes: Array) -> None:
    """Find the records that are already in the group of each row under a mask."""
    for i in range(len(rows)):
        at = _slot(state, rows[i], mask)
        sizes[i] = 0 if state.slots[at] == EMPTY else state.group_size[state.slots[at] - 1]


@njit(cache=True, nogil=True)
def cost_of(state: State, row: int, mask: int) -> float:
    """Return what one record of a class pays for a mask; what was blank before is free."""
    base = state.base[row]
    if base == 0:
        return float(state.mask_weights[mask])
    paid = state.bits[mask] & ~base
    cost = 0.0
    for j in range(len(state.weights)):
        if paid >> j & 1:
            cost += state.weights[j]
    return cost


@njit(cache=True, nogil=True)
def move(state: State, unit: int, group: int, number: int) -> None:
    """Move some records of a unit to a group; a unit of which some stay is split."""
    old = state.unit_group[unit]
    row = state.unit_class[unit]
    if old != UNCOVERED:
        state.group_size[old] -= number
    if group != UNCOVERED:
        state.group_size[group] += number
    if state.used[NOTING]:
        noted = state.used[NOTED]
        state.moves[noted, 0], state.moves[noted, 1] = row, old
        state.moves[noted, 2], state.moves[noted, 3] = group, number
        state.used[NOTED] += 1
    # records of the class that are in the group already take the others in
    host = state.first[row]
    while host != -1 and (state.unit_group[host] != group or host == unit):
        host = state.following[host]
    if host != -1:
        state.unit_count[host] += number
        state.unit_count[unit] -= number
    elif number == state.unit_count[unit]:
        state.unit_group[unit] = group
    else:
        fresh = state.first[row]
        while fresh != -1 and (state.unit_count[fresh] or fresh == unit):
            fresh = state.following[fresh]
        if fresh == -1:
            fresh = state.used[UNITS]
            state.used[UNITS] += 1
            state.following[fresh] = state.first[row]
            state.first[row] = fresh
            state.unit_class[fresh] = row
        state.unit_count[fresh] = number
        state.unit_count[unit] -= number
        state.unit_group[fresh] = group


@njit(cache=True, nogil=True)
def commit_sorted(
    state: State, masks: Array, starts: Array, ends: Array, members: Array, k: int
) -> Array:
    """Open, one after the other, the groups whose uncovered records still make k.

    Returns for each mask of the state how many records it has covered.
    """
    saved = np.zeros(len(state.bits), dtype=np.int64)
    for g in range(len(masks)):
        total = 0
        for i in range(starts[g], ends[g]):
            unit = state.first[members[i]]
            while unit != -1:
                if state.unit_group[unit] == UNCOVERED:
                    total += state.unit_count[unit]
                unit = state.following[unit]
        if not total or state.used[GROUPS] >= len(state.group_size):
            continue
        at = _slot(state, members[starts[g]], masks[g])
        there = 0 if state.slots[at] == EMPTY else state.group_size[state.slots[at] - 1]
        if total + there < k:
            continue
        group = group_at(state, members[starts[g]], masks[g])
        for i in range(starts[g], ends[g]):
            unit = state.first[members[i]]
            while unit != -1:
                if state.unit_group[unit] == UNCOVERED and state.unit_count[unit]:
                    move(state, unit, group, state.unit_count[unit])
                unit = state.following[unit]
        saved[masks[g]] += total
    return saved


@njit(cache=True, nogil=True)
def dearest(state: State, dear: Array) -> None:
    """Find what the dearest record of each class pays now."""
    dear[:] = 0.0
    for unit in range(state.used[UNITS]):
        if state.unit_count[unit]:
            row, held = state.unit_class[unit], state.unit_group[unit]
            now = HIGH if held == UNCOVERED else cost_of(state, row, state.group_mask[held])
            dear[row] = max(dear[row], now)


@njit(cache=True, nogil=True)
def open_groups(
    state: State,
    mask: int,
    tried: Array,
    group_of: Array,
    starts: Array,
    members: Array,
    k: int,
    limit: float,
    scratch: Scratch,
) -> float:
    """Try to open or enlarge the groups under a mask of some rows; return the weight saved.

    A group takes in the records that pay more where they are, as far as the groups they leave
    keep k or go away whole, and is filled up to k with those that lose least. It is opened if
    that saves weight in all. With a `limit`, only groups that cover uncovered records are
    opened, at no more than so much weight for each of them.
    """
    saved = 0.0
    seen = np.zeros(len(starts) - 1, dtype=np.bool_)
    for row in tried:
        g = group_of[row]
        if g < 0 or seen[g]:
            continue
        seen[g] = True
        wanted = False
        count = 0
        for i in range(starts[g], starts[g + 1]):
            member = members[i]
            target = cost_of(state, member, mask)
            unit = state.first[member]
            while unit != -1:
                if state.unit_count[unit]:
                    count += 1
                    held = state.unit_group[unit]
                    if held == UNCOVERED:
                        wanted = True
                    elif limit == 0.0 and not wanted:
                        now = cost_of(state, member, state.group_mask[held])
                        wanted = now > target + LEAST_GAIN
                unit = state.following[unit]
        if wanted and state.used[GROUPS] < len(state.group_size):
            rows = members[starts[g] : starts[g + 1]]
            saved += try_open(state, mask, rows, count, k, limit, scratch, False)
    return saved


@njit(cache=True, nogil=True)
def try_open(
    state: State,
    mask: int,
    rows: Array,
    count: int,
    k: int,
    limit: float,
    scratch: Scratch,
    price_only: bool,
) -> float:
    """Open or enlarge one group if that pays; see `open_groups`.

    Returns the weight saved, or with `price_only` the weight paid for each uncovered record
    without opening anything.
    """
    state.used[LOOKED_AT] += count
    room, inside, whole, part = scratch.room, scratch.inside, scratch.whole, scratch.part
    at = _slot(state, rows[0], mask)
    existing = state.slots[at] - 1 if state.slots[at] != EMPTY else -2
    there = state.group_size[existing] if existing >= 0 else 0
    units, gains, order, take = scratch.units, scratch.gains, scratch.order, scratch.take
    n = 0
    for i in range(len(rows)):
        target = cost_of(state, rows[i], mask)
        unit = state.first[rows[i]]
        while unit != -1:
            held = state.unit_group[unit]
            if state.unit_count[unit] and held != existing:
                units[n] = unit
                now = HIGH if held == UNCOVERED else cost_of(state, rows[i], state.group_mask[held])
                gains[n] = now - target
                if held != UNCOVERED:
                    inside[held] += state.unit_count[unit]
                    whole[held] += gains[n] * state.unit_count[unit]
                    room[held] = state.group_size[held] - k
                n += 1
            unit = state.following[unit]
    _by_falling_gain(gains, order, n)
    take[:n] = 0
    taken, uncovered = 0, 0
    for i in order[:n]:
        if gains[i] <= LEAST_GAIN:
            break
        held = state.unit_group[units[i]]
        number = state.unit_count[units[i]]
        if held == UNCOVERED:
            uncovered += number
        else:
            number = min(number, room[held])
            room[held] -= number
            part[held] += number * gains[i]
        take[i] = number
        taken += number
    # a group that lies inside as a whole may go away
    for i in range(n):
        held = state.unit_group[units[i]]
        if (
            held != UNCOVERED
            and inside[held] == state.group_size[held]
            and whole[held] > part[held] + LEAST_GAIN
        ):
            taken += state.unit_count[units[i]] - take[i]
            take[i] = state.unit_count[units[i]]
            room[held] = -1
    if taken and there + taken < k:
        for i in order[:n]:
            held = state.unit_group[units[i]]
            if held == UNCOVERED or room[held] <= 0:
                continue
            number = min(state.unit_count[units[i]] - take[i], room[held], k - there - taken)
            room[held] -= number
            part[held] += number * gains[i]
            take[i] += number
            taken += number
            if there + taken >= k:
                break
    if taken and there + taken < k:
        taken = _dissolve(state, units[:n], take, taken, scratch)
    gain, paid = 0.0, 0.0
    for i in range(n):
        held = state.unit_group[units[i]]
        if held == UNCOVERED:
            paid += take[i] * (HIGH - gains[i])
            gain += take[i] * gains[i]
        else:
            paid -= take[i] * gains[i]
            gain += take[i] * gains[i]
            inside[held], whole[held], part[held], room[held] = 0, 0.0, 0.0, 0
    if there + taken < k or not taken:
        return np.inf if price_only else 0.0
    if price_only:
        return paid / uncovered if uncovered else np.inf
    if limit > 0.0 and (uncovered == 0 or paid > limit * uncovered + LEAST_GAIN):
        return 0.0
    if limit == 0.0 and gain <= LEAST_GAIN:
        return 0.0
    if state.used[UNITS] + n >= len(state.unit_count):
        return 0.0
    group = group_at(state, rows[0], mask)
    for i in range(n):
        if take[i]:
            move(state, units[i], group, take[i])
    return -paid if uncovered else gain


@njit(cache=True, nogil=True)
def _by_falling_gain(gains: Array, order: Array, n: int) -> None:
    """Sort, keeping equal ones in their order; few are sorted by insertion, which is faster."""
    if n > INSERTED:
        order[:n] = np.argsort(-gains[:n], kind="mergesort")
        return
    for i in range(n):
        at = i
        while at and gains[order[at - 1]] < gains[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i


@njit(cache=True, nogil=True)
def _dissolve(state: State, units: Array, take: Array, taken: int, scratch: Scratch) -> int:
    """Add the group inside that loses least by going away whole; return how many are taken."""
    best, loss = -1, np.inf
    for i in range(len(units)):
        held = state.unit_group[units[i]]
        if (
            held == UNCOVERED
            or scratch.room[held] == -1
            or scratch.inside[held] != state.group_size[held]
        ):
            continue
        lost = scratch.part[held] - scratch.whole[held]
        if lost < loss:
            best, loss = held, lost
    if best != -1:
        for i in range(len(units)):
            if state.unit_group[units[i]] == best:
                taken += state.unit_count[units[i]] - take[i]
                take[i] = state.unit_count[units[i]]
    return taken
