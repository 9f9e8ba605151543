"""The inner loops of the lattice search: rolling a table up, and adding up what is left out.

A table is a list of groups, each with one row of the base table that stands for it (`rows`), so
that a coarser table is made of a finer one without going back to all base rows. Nothing here
depends on threads or on the order of records.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import GOLDEN, Array, stir_word

__all__ = ["add_costs", "add_histograms", "finest", "merge_cells", "roll_up"]


@njit(cache=True, nogil=True)
def roll_up(
    leaves: Array,
    rows: Array,
    sizes: Array,
    people: Array,
    codes: Array,
    lengths: Array,
    places: Array,
    factors: Array,
    direct: bool,
    exact: bool,
    slots: Array,
    words: Array,
    out_rows: Array,
    out_sizes: Array,
    out_people: Array,
    member: Array,
) -> int:
    """Merge the groups whose nodes agree; returns how many there are.

    The word of a group is the sum over variables j of ``factors[j] * codes[places[j] + leaf]``,
    where a factor of 0 says that the variable has one label only. Where all possible words fit
    into `slots` they are addressed directly, else by a hash; where words may coincide by chance
    (not `exact`) the parts are compared one by one. `people` may be empty (there is no register)
    and so may `member`, which otherwise gets the new group of every old one.
    """
    active = np.flatnonzero(factors)
    offsets = np.zeros(active.shape[0] + 1, dtype=np.int64)
    for a in range(active.shape[0]):
        offsets[a + 1] = offsets[a] + lengths[active[a]]
    parts = np.empty(offsets[-1], dtype=np.uint64)
    for a in range(active.shape[0]):
        j = active[a]
        for leaf in range(lengths[j]):
            parts[offsets[a] + leaf] = factors[j] * codes[places[j] + leaf]
    slots[:] = 0
    mask = np.uint64(slots.shape[0] - 1)
    with_people = people.shape[0] > 0
    with_member = member.shape[0] > 0
    groups = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        word = np.uint64(0)
        for a in range(active.shape[0]):
            word += parts[offsets[a] + leaves[row, active[a]]]
        if direct:
            at = word
            held = slots[at]
        else:
            at = stir_word(word * GOLDEN, 29) >> np.uint64(20) & mask
            held = slots[at]
            while held != 0:
                if words[held - 1] == word:
                    same = True
                    if not exact:
                        other = out_rows[held - 1]
                        for a in range(active.shape[0]):
                            x = parts[offsets[a] + leaves[row, active[a]]]
                            if x != parts[offsets[a] + leaves[other, active[a]]]:
                                same = False
                                break
                    if same:
                        break
                at = (at + np.uint64(1)) & mask
                held = slots[at]
        if held == 0:
            out_rows[groups] = row
            out_sizes[groups] = sizes[i]
            if with_people:
                out_people[groups] = people[i]
            if not direct:
                words[groups] = word
            groups += 1
            slots[at] = groups
            held = groups
        else:
            out_sizes[held - 1] += sizes[i]
            if with_people:
                out_people[held - 1] += people[i]
        if with_member:
            member[i] = held - 1
    return groups


@njit(cache=True, nogil=True)
def finest(levels: Array, lengths: Array, tables: int, target: Array) -> int:
    """Return the shortest of the first tables whose levels are all at most the target's.

    A length of -1 is a table that is no longer there.
    """
    best = -1
    for t in range(tables):
        if lengths[t] < 0:
            continue
        if best >= 0 and lengths[t] >= lengths[best]:
            continue
        below = True
        for j in range(target.shape[0]):
            if levels[t, j] > target[j]:
                below = False
                break
        if below:
            best = t
    return best


@njit(cache=True, nogil=True)
def add_costs(
    leaves: Array, rows: Array, sizes: Array, chosen: Array, offsets: Array, costs: Array
) -> float:
    """Add up ``costs[offsets[j] + leaf]`` over the variables of all records in chosen groups."""
    total = 0.0
    for i in range(rows.shape[0]):
        if chosen[i]:
            cost = 0.0
            for j in range(leaves.shape[1]):
                cost += costs[offsets[j] + leaves[rows[i], j]]
            total += cost * sizes[i]
    return total


@njit(cache=True, nogil=True)
def add_histograms(
    leaves: Array, rows: Array, sizes: Array, chosen: Array, offsets: Array, counts: Array
) -> None:
    """Count the records of chosen groups by the leaf of their row, for every variable."""
    for i in range(rows.shape[0]):
        if chosen[i]:
            for j in range(leaves.shape[1]):
                counts[offsets[j] + leaves[rows[i], j]] += sizes[i]


@njit(cache=True, nogil=True)
def merge_cells(
    member: Array,
    classes: Array,
    values: Array,
    counts: Array,
    totals: Array,
    width: int,
    out_classes: Array,
    out_values: Array,
    out_counts: Array,
) -> int:
    """Add up cells of class and value after classes have become their members' groups.

    `totals` is zero, with room for every group and value. Returns how many cells there are; they
    come sorted.
    """
    for i in range(classes.shape[0]):
        totals[member[classes[i]] * width + values[i]] += counts[i]
    held = 0
    for cell in range(totals.shape[0]):
        if totals[cell]:
            out_classes[held] = cell // width
            out_values[held] = cell % width
            out_counts[held] = totals[cell]
            held += 1
    return held
