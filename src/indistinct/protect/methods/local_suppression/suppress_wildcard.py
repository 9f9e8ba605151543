"""Few blanks, where a blank agrees with anything and records at risk give up cells of their own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numba import njit

from indistinct.core import Array, Bools, Floats, GuaranteeError, Ints
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import MOST_LINKS, KeyTable, group_rows, possible_links, wildcard_frequencies
from indistinct.protect.methods.local_suppression.suppress_kernels import number_groups
from indistinct.protect.methods.local_suppression.suppress_problem import Problem

__all__ = [
    "hold_against_elimination",
    "suppress_by_wildcard",
    "wildcard_bound",
    "wildcard_counts",
]


SCANS = 300_000_000
"""How many comparisons of two classes improvements may take."""
PASSES = 5
REPAIRS = 20
"""How often classes that elimination finds may give up more."""
LEAST_GAIN = 1e-9


def suppress_by_wildcard(problem: Problem, *, alpha: float = 1.0) -> Bools:
    """Choose the cells that each class at risk gives up.

    A class is at risk if fewer than k records agree with it. It gives up the lightest set of
    variables without which k do, whatever the others give up; since a blank agrees with
    anything, what others give up can only help. What they did give up then often allows a
    lighter set: these are taken one after the other, as long as all classes keep k.
    """
    at_risk = wildcard_counts(problem, np.zeros_like(problem.missing), alpha=alpha) < problem.k
    while True:
        blank = _own_masks(problem, at_risk, alpha)
        found = wildcard_counts(problem, blank, alpha=alpha)
        # with alpha below 1 a complete record that becomes incomplete counts less for others
        more = (found < problem.k) & ~at_risk
        if not more.any():
            break
        at_risk |= more
    return _lighter(problem, at_risk, blank) if alpha == 1 else blank


def hold_against_elimination(problem: Problem, blank: Bools) -> Bools | None:
    """Blank more until k people may be behind each record, also for whoever knows all people.

    That k records agree with one is not enough: they may all be others', because somebody must be
    behind each of those that tell more. Classes behind which fewer than k people are left give up
    all they may. Returns what was given where it holds already, and None where giving up more
    does not help or is too much to work out.
    """
    for _ in range(REPAIRS):
        people = _people_left(problem, blank)
        if people is None:
            return None
        weak = people < problem.k
        if not weak.any():
            return blank
        more = weak[:, None] & ~blank & ~problem.missing
        more[:, [j for j in range(blank.shape[1]) if j not in problem.open]] = False
        if not more.any():
            return None
        blank = blank | more
    return None


def _people_left(problem: Problem, blank: Bools) -> Ints | None:
    """Return how many people may be behind the records of each class after elimination."""
    silent = blank | problem.missing
    group_of = group_rows(np.where(silent, 0, problem.codes + 1))
    number = int(group_of.max(initial=-1)) + 1
    first = np.zeros(number, dtype=np.int64)
    first[group_of] = np.arange(len(group_of))
    patterns, pattern_of = np.unique(silent[first], axis=0, return_inverse=True)
    left, right, so_far = [], [], 0
    for at, pattern in enumerate(patterns):
        groups = np.flatnonzero(pattern_of.reshape(-1) == at)
        told = problem.codes[:, ~pattern]
        marks = group_rows(np.concatenate([told[first[groups]], told]))
        group_at = np.full(int(marks.max()) + 1, -1, dtype=np.int64)
        group_at[marks[: len(groups)]] = groups
        met = group_at[marks[len(groups) :]]
        right.append(np.flatnonzero(met >= 0))
        left.append(met[right[-1]])
        so_far += len(right[-1])
        if so_far > MOST_LINKS:
            return None
    links = np.concatenate(left), np.concatenate(right)
    true = np.where(group_of[links[1]] == links[0], problem.counts[links[1]], 0)
    records = np.bincount(group_of, weights=problem.counts).astype(np.int64)
    possible = possible_links(records, problem.counts, links, flow=true)
    assert possible is not None  # the truth is an assignment
    weights = problem.counts[links[1][possible]]
    people = np.bincount(links[0][possible], weights=weights, minlength=number)
    return np.asarray(people[group_of], dtype=np.int64)


def wildcard_bound(problem: Problem, *, alpha: float = 1.0) -> float:
    """Return the weight of one cell, the lightest it has, for every record at risk."""
    at_risk = wildcard_counts(problem, np.zeros_like(problem.missing), alpha=alpha) < problem.k
    cells = np.where(problem.missing, np.inf, problem.weights)
    cells[:, [j for j in range(len(problem.names)) if j not in problem.open]] = np.inf
    lightest = cells.min(axis=1, initial=np.inf)
    return float((lightest * problem.counts)[at_risk].sum())


def wildcard_counts(problem: Problem, blank: Bools, *, alpha: float = 1.0) -> Array:
    """Return for each class the records that agree with it once cells are blank."""
    codings, columns = [], []
    for j, name in enumerate(problem.names):
        last = int(problem.codes[:, j].max(initial=0)) + 1
        codings.append(Coding(name, last + 1, True, values=pa.nulls(last, pa.int64())))
        columns.append(np.where(blank[:, j] | problem.missing[:, j], last, problem.codes[:, j]))
    codes = np.stack(columns, axis=1)
    groups = group_rows(codes)
    order = np.argsort(groups, kind="stable")
    first = order[np.searchsorted(groups[order], np.arange(int(groups.max(initial=-1)) + 1))]
    counts = np.bincount(groups, weights=problem.counts).astype(np.int64)
    table = KeyTable(KeyCoding(tuple(codings)), codes[first], counts)
    return np.asarray(wildcard_frequencies(table, alpha=alpha)[groups])


def _amounts(problem: Problem, at_risk: Bools, alpha: float) -> Floats:
    """Return what the records of each class count for others that agree with it."""
    complete = ~problem.missing.any(axis=1) & ~at_risk
    return np.where(complete, 1.0, alpha) * problem.counts


def _own_masks(problem: Problem, at_risk: Bools, alpha: float) -> Bools:
    """Give each class at risk the lightest set of variables without which k agree with it."""
    blank = np.zeros_like(problem.missing)
    search = _Counting(problem, _amounts(problem, at_risk, alpha))
    # of sets as light, the one that most others at risk could give up too: then fewer records
    # are alone with their pattern of blanks
    company = _Counting(problem, np.where(at_risk, problem.counts, 0).astype(np.float64))
    left = np.flatnonzero(at_risk)
    best: list[int] = []
    bands = problem.bands() if problem.all_masks else None
    for size in range(1, 1 + 2 ** len(problem.open)):
        if not len(left):
            return blank
        band = next(bands, None) if bands else problem.of_size(min(size, len(problem.open)), best)
        if band is None or (not bands and size > len(problem.open)):
            break
        most = np.zeros(len(left))
        chosen = np.full(len(left), -1, dtype=np.int64)
        gains = []
        for bits in band:
            found = search.agreeing(left, bits)
            # a set of which part was blank before is heavier than need be
            fresh = (problem.base[left] & bits) == 0
            gains.append(-int((found[fresh] >= problem.k).sum()))
            able = fresh & (found >= problem.k)
            shared = np.zeros(len(left))
            shared[able] = 1 + company.agreeing(left[able], bits)
            better = shared > most
            most[better], chosen[better] = shared[better], bits
        best = [band[i] for i in np.argsort(gains, kind="stable")]
        done = chosen >= 0
        blank[left[done]] = (chosen[done][:, None] >> np.arange(blank.shape[1])) & 1 == 1
        left = left[~done]
    if len(left):
        for j in problem.open:
            blank[left, j] = ~problem.missing[left, j]
        if (wildcard_counts(problem, blank, alpha=alpha)[left] < problem.k).any():
            raise GuaranteeError(
                f"k={problem.k} cannot be reached by suppression, because some records agree with "
                "too few others on the variables that may not be suppressed. Allow these to be "
                "suppressed, generalise them first, or use a smaller k."
            )
    return blank


class _Counting:
    """Counts the records that agree with classes which give up a set of variables."""

    def __init__(self, problem: Problem, amounts: Floats) -> None:
        self._problem, self._amounts = problem, amounts
        self._words, self._fields = problem.bit_fields()
        n = len(amounts)
        self._hashing = (np.zeros(max(4, 4 * n), np.int64), np.zeros(n, np.int64))
        self._ids = np.zeros(n, dtype=np.int64)
        self._base = problem.base
        self._patterns = {int(b): np.flatnonzero(self._base == b) for b in np.unique(self._base)}

    def agreeing(self, rows: Ints, bits: int) -> Floats:
        """Return for each row what agrees with it when it gives up these variables."""
        found = self._problem.counts[rows] - self._amounts[rows]
        for own in np.unique(self._base[rows]).tolist():
            at = np.flatnonzero(self._base[rows] == own)
            for pattern, others in self._patterns.items():
                found[at] += self._met(rows[at], others, bits | own | pattern)
        return np.asarray(found, dtype=np.float64)

    def _met(self, rows: Ints, others: Ints, bits: int) -> Floats:
        field = self._problem.kept_field(self._fields, bits)
        both = np.concatenate([others, rows])
        if len(both) > len(self._ids):
            self._ids = np.zeros(2 * len(both), dtype=np.int64)
            self._hashing = (np.zeros(8 * len(both), np.int64), np.zeros(2 * len(both), np.int64))
        number = number_groups(self._words, both, field, *self._hashing, self._ids)
        ids = self._ids[: len(both)]
        sums = np.bincount(ids[: len(others)], weights=self._amounts[others], minlength=number)
        return np.asarray(sums[ids[len(others) :]], dtype=np.float64)


def _lighter(problem: Problem, at_risk: Bools, blank: Bools) -> Bools:
    """Let classes give up less, or other variables, where that is lighter and all keep k."""
    width = blank.shape[1]
    place = np.int64(1) << np.arange(width, dtype=np.int64)
    given = np.asarray((blank * place).sum(axis=1), dtype=np.int64)
    sizes = (1, 2) if problem.all_masks else (1,)
    tried = {bits for size in sizes for bits in problem.of_size(size)} | set(given.tolist()) - {0}
    masks = sorted(tried, key=lambda bits: (round(problem.mask_weight(bits), 9), bits))
    weights = np.array([problem.mask_weight(bits) for bits in masks])
    own = blank @ problem.weights
    cells = np.where(problem.missing, np.inf, problem.weights)[:, list(problem.open)]
    order = np.flatnonzero(at_risk & (own > cells.min(axis=1, initial=np.inf) + LEAST_GAIN))
    order = order[np.argsort(-(own * problem.counts)[order], kind="stable")]
    if not len(order):
        return blank
    found = wildcard_counts(problem, blank)
    codes = np.ascontiguousarray(problem.codes.astype(np.int32))
    left = SCANS
    for all_masks in (False, True):
        per_class = len(codes) * (len(masks) if all_masks else width)
        for _ in range(PASSES):
            within = order[: left // per_class]
            left -= len(within) * per_class
            changed = len(within) and _drop(
                codes,
                problem.base,
                given,
                problem.counts,
                found,
                problem.k,
                within,
                np.array(masks, dtype=np.int64),
                weights,
                problem.weights,
                all_masks,
            )
            if not changed:
                break
    return np.asarray((given[:, None] >> np.arange(width)) & 1 == 1)


@njit(cache=True, nogil=True)
def _drop(
    codes: Array,
    base: Array,
    given: Array,
    counts: Array,
    found: Array,
    k: int,
    order: Array,
    masks: Array,
    mask_weights: Array,
    weights: Array,
    all_masks: bool,
) -> int:
    """Give each class in turn a lighter mask with which it and all others keep k.

    That is the first of all lighter masks, or only of those with one variable less than now.

    Changes `given` and `found` in place, and returns how many classes have a lighter mask.
    """
    n, width = codes.shape
    apart = np.empty(n, dtype=np.int64)
    tried = np.empty(max(width, len(masks)), dtype=np.int64)
    agree = np.empty(len(tried), dtype=np.int64)
    heaviest = np.argsort(-weights, kind="mergesort")
    changed = 0
    for u in order:
        lighter = 0
        if all_masks:
            now = 0.0
            for j in range(width):
                now += weights[j] if given[u] >> j & 1 else 0.0
            while lighter < len(masks) and mask_weights[lighter] < now - LEAST_GAIN:
                tried[lighter] = masks[lighter]
                lighter += 1
        else:
            for j in heaviest:
                less = given[u] & ~(np.int64(1) << j)
                if less and less != given[u]:
                    tried[lighter] = less
                    lighter += 1
        agree[:lighter] = 0
        for s in range(n):
            different = np.int64(0)
            for j in range(width):
                different |= np.int64(codes[u, j] != codes[s, j]) << j
            apart[s] = different & ~(base[u] | base[s] | (given[s] if s != u else np.int64(0)))
            for c in range(lighter):
                if apart[s] & ~tried[c] == 0:
                    agree[c] += counts[s]
        for c in range(lighter):
            if agree[c] < k or tried[c] & base[u]:
                continue
            kept = True
            for s in range(n):
                if (
                    apart[s] & ~given[u] == 0
                    and apart[s] & ~tried[c] != 0
                    and found[s] - counts[u] < k
                ):
                    kept = False
                    break
            if not kept:
                continue
            for s in range(n):
                if s == u:
                    continue
                if apart[s] & ~given[u] == 0:
                    found[s] -= counts[u]
                if apart[s] & ~tried[c] == 0:
                    found[s] += counts[u]
            given[u] = tried[c]
            found[u] = agree[c]
            changed += 1
            break
    return changed
