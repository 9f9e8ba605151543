"""Few blanks, where a blank is a value of its own: a greedy start, then moves that save weight.

Ruin and recreate: give up the groups of a neighbourhood and cover their records anew.

Schrimpf, Schneider, Stamm-Wilbrandt and Dueck (2000), "Record breaking optimization results using
the ruin and recreate principle", *Journal of Computational Physics* 159, 139–171. What is ruined
follows from a fixed sequence of numbers, so that the same classes always end the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numba import njit

from indistinct.core import GOLDEN, Array, Ints, SmallInts, Words, mix_word
from indistinct.protect.methods.local_suppression.suppress_kernels import (
    GROUPS,
    HIGH,
    LOOKED_AT,
    NOTED,
    NOTING,
    UNCOVERED,
    UNITS,
    Scratch,
    State,
    commit_sorted,
    cost_of,
    dearest,
    group_at,
    in_group_order,
    move,
    number_groups,
    open_groups,
    sizes_of_groups,
    try_open,
)
from indistinct.protect.methods.local_suppression.suppress_problem import Problem, Rows

__all__ = ["suppress_strictly"]

WORK = 25_000_000
"""How many classes, counted once for every set of variables, are looked at for improvements."""
PER_UNIT, PER_MASK = 4, 500
"""What it costs to weigh one more unit, and to turn to a set of variables at all, in classes."""
SWEEPS = 20
LEAST_GAIN = 1e-6
RUIN_FEW, RUIN_SOME, RUIN_MANY, RUIN_MOST = 20_000, 2_000_000, 1_000, 10_000_000
"""How many units are looked at when groups are given up and made anew: for each small class of a
few, for a middling number of them, for each of many, and at most."""
MOVES = 100_000
REMEMBERED = 15_000_000
"""How many classes, counted once for every set of variables, are held in their groups."""
MOST_PRICES = 20


@dataclass(frozen=True, eq=False)
class _Grouping:
    """Classes that agree under a mask: `members` of group g are at starts[g] … starts[g + 1]."""

    rows: Ints
    group_of: SmallInts
    members: SmallInts
    starts: SmallInts


def suppress_strictly(problem: Problem, *, bound: float = 0.0) -> Rows:
    """Cover every class smaller than k by groups of k that agree on what is left.

    Sets of variables are taken by rising weight. Of a set, groups of at least k uncovered
    records are opened, the largest first; then smaller ones that can borrow records from
    classes with more than k, as long as that costs less for each record than the next heavier
    set. When all is covered, groups are opened, enlarged and given up while that saves weight;
    unless the bound is reached, neighbourhoods are then ruined and recreated.
    """
    if (problem.counts >= problem.k).all():
        return Rows.untouched(problem)
    search = _Search(problem)
    search.cover()
    search.improve()
    if search.rows().weight(problem) > bound + LEAST_GAIN:
        search.ruin()
    return search.rows()


class _Search:
    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._words, self._variable_fields = problem.bit_fields()
        self._base = problem.base
        self._known: dict[int, int] = {}
        self._bits: list[int] = []
        self._fields: list[Words] = []
        self._weights: list[float] = []
        self._made: tuple[int, State] | None = None
        n = len(problem.counts)
        self._hashing = (np.zeros(max(4, 4 * n), np.int64), np.zeros(n, np.int64))
        self._ids = np.zeros(n, dtype=np.int32)
        self._groupings: dict[int, _Grouping] = {}
        self._kept = 0
        self._work = 0
        for bits in np.unique(self._base).tolist():
            self._mask(bits)
        self._start()

    def _start(self) -> None:
        problem, n = self._problem, len(self._problem.counts)
        room = 6 * n + 16_384
        slots = 1 << int(4 * room).bit_length()
        safe = problem.counts >= problem.k
        groups = np.flatnonzero(safe)
        unit_group = np.full(room, UNCOVERED, dtype=np.int64)
        self._arrays = {
            "first": np.arange(n),
            "following": np.full(room, -1),
            "unit_class": np.arange(room),
            "unit_count": np.concatenate([problem.counts, np.zeros(room - n, dtype=np.int64)]),
            "unit_group": unit_group,
            "group_mask": np.zeros(room, dtype=np.int64),
            "group_class": np.zeros(room, dtype=np.int64),
            "group_size": np.zeros(room, dtype=np.int64),
            "slots": np.zeros(slots, dtype=np.int64),
            "used": np.array([n, 0, 0, 0, 0]),
            "moves": np.zeros((4 * MOVES, 4), dtype=np.int64),
        }
        self._scratch = Scratch(
            *(np.zeros(room, dtype=t) for t in (np.int64, np.int64, float, float)),
            *(np.zeros(room, dtype=t) for t in (np.int64, float, np.int64, np.int64)),
        )
        # a safe class is a group of its own, whose blanks are what was missing before
        masks = np.array([self._mask(int(b)) for b in self._base[groups]], dtype=np.int64)
        ends = np.arange(1, len(groups) + 1)
        commit_sorted(self._state(), masks, ends - 1, ends, groups, problem.k)

    def _mask(self, bits: int) -> int:
        """Return the number of a set of variables."""
        if bits not in self._known:
            self._known[bits] = len(self._bits)
            self._bits.append(bits)
            self._fields.append(self._problem.kept_field(self._variable_fields, bits))
            self._weights.append(self._problem.mask_weight(bits))
        return self._known[bits]

    def _state(self) -> State:
        if self._made is None or self._made[0] != len(self._bits):
            state = State(
                words=self._words,
                base=self._base,
                fields=np.stack(self._fields),
                bits=np.array(self._bits, dtype=np.int64),
                mask_weights=np.array(self._weights),
                weights=self._problem.weights,
                **self._arrays,
            )
            self._made = (len(self._bits), state)
        return self._made[1]

    def _grouped(self, rows: Ints, mask: int) -> _Grouping:
        """Put the rows that can have a mask into groups."""
        base = self._base[rows]
        if base.any():
            rows = rows[(base & ~self._bits[mask]) == 0]
        field = self._state().fields[mask]
        number = number_groups(self._words, rows, field, *self._hashing, self._ids)
        self._work += len(rows)
        return _Grouping(rows, self._ids, *in_group_order(rows, self._ids, number))

    def _every(self, mask: int) -> _Grouping:
        """Put all classes into groups, and remember it while there is room."""
        if mask in self._groupings:
            return self._groupings[mask]
        n = len(self._problem.counts)
        grouping = self._grouped(np.arange(n), mask)
        group_of = np.full(n, -1, dtype=np.int32)
        group_of[grouping.rows] = grouping.group_of[: len(grouping.rows)]
        grouping = replace(grouping, group_of=group_of)
        if self._kept + n <= REMEMBERED:
            self._kept += n
            self._groupings[mask] = grouping
        return grouping

    def _uncovered(self) -> Ints:
        state = self._state()
        used = state.used[0]
        open_ = (state.unit_group[:used] == UNCOVERED) & (state.unit_count[:used] > 0)
        return np.unique(state.unit_class[:used][open_])

    def cover(self) -> None:
        """Give every record of a small class a group."""
        problem = self._problem
        bands = list(problem.bands()) if problem.all_masks else None
        sizes = range(1, len(problem.open) + 1)
        best: list[int] | None = []
        tried: list[int] = []
        for step in range(len(bands) if bands is not None else len(sizes)):
            if not len(self._uncovered()):
                return
            band = bands[step] if bands is not None else problem.of_size(sizes[step], best)
            masks = [self._mask(bits) for bits in band]
            saved = self._open_band(masks)
            best = [band[i] for i in np.argsort([-saved[m] for m in masks], kind="stable")]
            tried += masks
            heaviest = max(problem.mask_weight(b) for b in band)
            following = (
                problem.mask_weight(bands[step + 1][0])
                if bands is not None and step + 1 < len(bands)
                else heaviest + float(problem.weights[list(problem.open)].min(initial=np.inf))
            )
            self._borrow(tried, following)
        self._sweep([self._mask(sum(1 << j for j in problem.open))], limit=np.inf)

    def _open_band(self, masks: list[int]) -> Ints:
        """Open the groups of at least k uncovered records, the largest first."""
        problem, state = self._problem, self._state()
        rows = self._uncovered()
        counts = problem.counts
        found = []
        for mask in masks:
            grouping = self._grouped(rows, mask)
            members, starts = grouping.members, grouping.starts
            if not len(members):
                continue
            totals = np.add.reduceat(counts[members], starts[:-1])
            there = np.zeros(len(totals), dtype=np.int64)
            sizes_of_groups(state, members[starts[:-1]], mask, there)
            for g in np.flatnonzero(totals + there >= problem.k):
                found.append((-int(totals[g]), mask, members[starts[g] : starts[g + 1]]))
        if not found:
            return np.zeros(len(state.bits), dtype=np.int64)
        found.sort(key=lambda item: (item[0], item[1], item[2][0]))
        ends = np.cumsum([len(item[2]) for item in found])
        members = np.concatenate([item[2] for item in found])
        chosen = np.array([item[1] for item in found])
        starts = np.concatenate([[0], ends[:-1]])
        return np.asarray(commit_sorted(state, chosen, starts, ends, members, problem.k))

    def _borrow(self, masks: list[int], limit: float) -> None:
        """Cover further records with borrowed ones, for at most `limit` each."""
        weights = {float(self._state().mask_weights[mask]) for mask in masks}
        for allowed in _thresholds(weights, limit, self._problem.k):
            if not len(self._uncovered()):
                return
            self._sweep(masks, limit=allowed)

    def _sweep(self, masks: list[int], *, limit: float) -> float:
        """Try the groups of masks that may cover a record, or save weight with limit 0."""
        problem, state = self._problem, self._state()
        saved = 0.0
        dear = np.zeros(len(problem.counts))
        dearest(state, dear)
        for mask in masks:
            weight = state.mask_weights[mask]
            if self._work > WORK and limit < np.inf:
                break
            if limit and weight > limit:
                continue
            tried = np.flatnonzero(dear > (HIGH / 2 if limit else weight))
            if len(tried):
                g = self._every(mask)
                looked_at = int(state.used[LOOKED_AT])
                saved += open_groups(
                    state,
                    mask,
                    tried,
                    g.group_of,
                    g.starts,
                    g.members,
                    problem.k,
                    limit,
                    self._scratch,
                )
                looked_at = int(state.used[LOOKED_AT]) - looked_at
                self._work += len(tried) + PER_MASK + PER_UNIT * looked_at
        return saved

    def improve(self) -> None:
        """Open, enlarge and give up groups while that saves weight."""
        weights = self._state().mask_weights
        masks = sorted(range(len(self._bits)), key=lambda m: (weights[m], self._bits[m]))
        for _ in range(SWEEPS):
            if self._sweep(masks, limit=0.0) <= 0 or self._work > WORK:
                return

    def ruin(self) -> None:
        """Ruin and recreate, with as many masks as can be held, the lightest first."""
        problem, n = self._problem, len(self._problem.counts)
        small = np.flatnonzero(problem.counts < problem.k)
        if problem.all_masks:
            for band in problem.bands():
                for bits in band:
                    self._mask(bits)
        state = self._state()
        order = sorted(
            (m for m, bits in enumerate(self._bits) if bits),
            key=lambda m: (state.mask_weights[m], self._bits[m]),
        )
        order = order[: REMEMBERED // n]
        held = [self._every(mask) for mask in order]
        place = np.full(len(self._bits), -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        members = np.zeros((len(held), n), dtype=np.int32)
        for at, grouping in enumerate(held):
            members[at, : len(grouping.members)] = grouping.members
        lengths = [len(grouping.starts) for grouping in held]
        near = Neighbourhoods(
            masks=np.array(order, dtype=np.int64),
            place=place,
            group_of=np.stack([self._with_k(grouping) for grouping in held]),
            members=members,
            starts=np.concatenate([grouping.starts for grouping in held]).astype(np.int64),
            start_at=np.concatenate([[0], np.cumsum(lengths)[:-1]]),
            home=np.array([self._known[b] for b in self._base.tolist()], dtype=np.int64),
        )
        work = min(RUIN_FEW * len(small), max(RUIN_SOME, RUIN_MANY * len(small)), RUIN_MOST)
        ruin_and_recreate(state, near, small, problem.counts, problem.k, work, self._scratch)

    def _with_k(self, grouping: _Grouping) -> SmallInts:
        """Return each class's group, -1 where all that could be in it are fewer than k."""
        if not len(grouping.members):
            return grouping.group_of
        totals = np.add.reduceat(self._problem.counts[grouping.members], grouping.starts[:-1])
        never = np.append(totals < self._problem.k, True)
        return np.where(never[grouping.group_of], np.int32(-1), grouping.group_of)

    def rows(self) -> Rows:
        """Return what was decided."""
        state, width = self._state(), len(self._problem.names)
        used = np.flatnonzero(state.unit_count[: state.used[0]] > 0)
        used = used[np.lexsort((state.unit_group[used], state.unit_class[used]))]
        classes = state.unit_class[used]
        bits = state.bits[state.group_mask[state.unit_group[used]]] & ~self._base[classes]
        blank = (bits[:, None] >> np.arange(width)) & 1 == 1
        return Rows(classes, blank, state.unit_count[used])


def _thresholds(weights: set[float], limit: float, k: int) -> list[float]:
    """Return what a record may pay when t small ones share the weight of k, by rising price."""
    prices = {round(w * k / t, 9) for w in weights for t in range(1, min(k, MOST_PRICES) + 1)}
    return sorted({price for price in prices if price < limit} | {limit})


# Ruin and recreate -------------------------------------------------------------------------------


LEAST_RUIN_GAIN = 1e-9
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
        if gain < -LEAST_RUIN_GAIN:
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
                and cost_of(state, other, state.group_mask[group]) > LEAST_RUIN_GAIN
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
            if asked < price - LEAST_RUIN_GAIN:
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
