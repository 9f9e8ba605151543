"""Ruin and recreate: give up the groups of a neighbourhood and cover their records anew.

Schrimpf, Schneider, Stamm-Wilbrandt and Dueck (2000), "Record breaking optimization results using
the ruin and recreate principle", *Journal of Computational Physics* 159, 139–171. What is ruined
follows from a fixed sequence of numbers, so that the same classes always end the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from indistinct.core import GOLDEN, Array, mix_word
from indistinct.protect.methods.local_suppression.suppress_kernels import (
    GROUPS,
    LOOKED_AT,
    NOTED,
    NOTING,
    UNCOVERED,
    UNITS,
    Scratch,
    State,
    cost_of,
    group_at,
    move,
    try_open,
)

__all__ = ["Neighbourhoods", "ruin_and_recreate"]


LEAST_GAIN = 1e-9
RUINED = 24
"""About so many records of small classes lose their group at a time, or three times k."""


class Neighbourhoods(NamedTuple):
    """Every class's group under many masks, in flat arrays."""

    masks: Array  # by rising weight
    place: Array  # of each mask in the arrays below, -1 where it is not held
    group_of: Array  # [place, class]
    members: Array  # [place, …] in group order
    starts: Array  # of all places, one after the other
    start_at: Array  # where each place's starts begin
    home: Array  # for each class the mask it has before anything is suppressed


@njit(cache=True, nogil=True)
def _drawn(seed: np.uint64, below: int) -> tuple[np.uint64, np.int64]:
    """Return the next state of splitmix64, and a number below a bound."""
    seed += GOLDEN
    return seed, np.int64(mix_word(seed) % np.uint64(below))


@njit(cache=True, nogil=True)
def _span(near: Neighbourhoods, mask: int, row: int) -> tuple[int, int]:
    place = near.place[mask]
    at = near.start_at[place] + near.group_of[place, row]
    return near.starts[at], near.starts[at + 1]


@njit(cache=True, nogil=True)
def ruin_and_recreate(
    state: State,
    near: Neighbourhoods,
    small: Array,
    counts: Array,
    k: int,
    work: int,
    scratch: Scratch,
) -> float:
    """Improve what is covered until so many units have been looked at; return the weight saved.

    Parameters
    ----------
    small
        The classes with fewer than k records.
    """
    seed = np.uint64(1)
    saved = 0.0
    state.used[LOOKED_AT] = 0
    classes = len(state.first)
    open_rows = np.empty(len(state.moves), dtype=np.int64)
    tries = 0
    while state.used[LOOKED_AT] < work and tries < work // 50:
        tries += 1
        if state.used[GROUPS] >= len(state.group_size) - classes:
            break
        state.used[NOTED], state.used[NOTING] = 0, 1
        seed, at = _drawn(seed, len(small))
        seed, which = _drawn(seed, len(near.masks))
        mask = near.masks[which]
        if near.group_of[near.place[mask], small[at]] < 0:
            continue
        seed = _ruin(state, near, small[at], mask, counts, k, seed)
        if not _recreate(state, near, k, scratch, open_rows, seed):
            _undo(state)
            continue
        gain = 0.0
        for m in range(state.used[NOTED]):
            row, old, new, number = state.moves[m]
            if old != UNCOVERED:
                gain += number * cost_of(state, row, state.group_mask[old])
            if new != UNCOVERED:
                gain -= number * cost_of(state, row, state.group_mask[new])
        if gain < -LEAST_GAIN:
            _undo(state)
        else:
            saved += gain
    state.used[NOTING] = 0
    return saved


@njit(cache=True, nogil=True)
def _ruin(
    state: State, near: Neighbourhoods, row: int, mask: int, counts: Array, k: int, seed: np.uint64
) -> np.uint64:
    """Give up the groups, where anything is suppressed, of classes that agree under a mask."""
    lo, hi = _span(near, mask, row)
    seed, offset = _drawn(seed, hi - lo)
    lost = 0
    for step in range(-1, hi - lo):
        other = row
        if step >= 0:
            other = near.members[near.place[mask], lo + (step + offset) % (hi - lo)]
        state.used[LOOKED_AT] += 1
        unit = state.first[other]
        while unit != -1:
            group = state.unit_group[unit]
            following = state.following[unit]
            if (
                state.unit_count[unit]
                and group != UNCOVERED
                and near.place[state.group_mask[group]] >= 0
                and cost_of(state, other, state.group_mask[group]) > LEAST_GAIN
                and state.group_size[group] + lost <= max(RUINED, 3 * k)
            ):
                lost += _give_up(state, near, group, counts, k)
            unit = following
        if lost >= max(RUINED, 3 * k) - k or state.used[NOTED] > len(state.moves) // 4:
            break
    return seed


@njit(cache=True, nogil=True)
def _give_up(state: State, near: Neighbourhoods, group: int, counts: Array, k: int) -> int:
    """Uncover the records of small classes in a group and send the others home; count the first."""
    mask, fits = state.group_mask[group], state.group_class[group]
    lo, hi = _span(near, mask, fits)
    lost = 0
    for i in range(lo, hi):
        row = near.members[near.place[mask], i]
        state.used[LOOKED_AT] += 1
        unit = state.first[row]
        while unit != -1:
            following = state.following[unit]
            if state.unit_group[unit] == group and state.unit_count[unit]:
                number = state.unit_count[unit]
                target = UNCOVERED
                if counts[row] >= k:
                    home = group_at(state, row, near.home[row])
                    if state.group_size[home] >= k:
                        target = home
                if target == UNCOVERED:
                    lost += number
                if target != group:
                    move(state, unit, target, number)
            unit = following
    return lost


@njit(cache=True, nogil=True)
def _recreate(
    state: State,
    near: Neighbourhoods,
    k: int,
    scratch: Scratch,
    open_rows: Array,
    seed: np.uint64,
) -> bool:
    """Cover all that is uncovered: in a drawn order, each by the group with the lowest price."""
    n = 0
    for m in range(state.used[NOTED]):
        if state.moves[m, 2] == UNCOVERED:
            open_rows[n] = state.moves[m, 0]
            n += 1
    while n:
        seed, at = _drawn(seed, n)
        row = open_rows[at]
        open_rows[at] = open_rows[n - 1]
        n -= 1
        open_ = False
        unit = state.first[row]
        while unit != -1:
            open_ |= state.unit_group[unit] == UNCOVERED and state.unit_count[unit] > 0
            unit = state.following[unit]
        if not open_:
            continue
        best, price = -1, np.inf
        for mask in near.masks:
            if cost_of(state, row, mask) >= price:
                if state.mask_weights[mask] >= price and state.base[row] == 0:
                    break
                continue
            if near.group_of[near.place[mask], row] < 0:
                continue
            lo, hi = _span(near, mask, row)
            rows = near.members[near.place[mask], lo:hi]
            asked = try_open(state, mask, rows, hi - lo, k, np.inf, scratch, True)
            if asked < price - LEAST_GAIN:
                best, price = mask, asked
        noted = state.used[NOTED]
        if best == -1 or noted > len(state.moves) // 2:
            return False
        if state.used[UNITS] >= len(state.unit_count) - len(state.first):
            return False
        lo, hi = _span(near, best, row)
        rows = near.members[near.place[best], lo:hi]
        try_open(state, best, rows, hi - lo, k, np.inf, scratch, False)
    return True


@njit(cache=True, nogil=True)
def _undo(state: State) -> None:
    """Take back the moves that were noted."""
    state.used[NOTING] = 0
    for m in range(state.used[NOTED] - 1, -1, -1):
        row, old, new, number = state.moves[m]
        unit = state.first[row]
        while state.unit_group[unit] != new or not state.unit_count[unit]:
            unit = state.following[unit]
        move(state, unit, old, number)
    state.used[NOTED] = 0
