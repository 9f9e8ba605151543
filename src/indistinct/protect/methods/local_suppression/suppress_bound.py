"""A weight below which no suppression to k can stay, where a blank is a value of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from indistinct.core import Floats, Ints
from indistinct.protect.methods.local_suppression.suppress_kernels import number_groups
from indistinct.protect.methods.local_suppression.suppress_problem import Problem

__all__ = ["Shares", "shares_of_masks", "strict_bound"]

WORK = 100_000_000
"""How many classes, counted once for every set of variables, are looked at."""

Shares = tuple[int, Ints, Ints, Floats]
"""A set of variables, the classes that can have it, their groups, and their shares."""


def strict_bound(problem: Problem) -> tuple[float, Floats]:
    """Return the bound, and what one record of each small class pays at least.

    A record that must give up cells ends in a group of at least k. Let the group's variables be
    blank, t be the records of small classes that could be in it, and c the least that any other
    record pays there. At most t share what its at least k - t others pay, so each accounts for ::

        own weight + max(0, k - t) · c / t

    or more, and no less than the smallest such share over all groups that have k records to
    draw from. The sum over the records of small classes is a bound for the file.
    """
    small = problem.counts < problem.k
    least = np.full(len(small), np.inf)
    untried = 0.0
    work = 0
    for band in problem.bands() if problem.all_masks else _by_size(problem):
        work += len(band) * len(small)
        if work > WORK or not (least[small] > problem.mask_weight(band[0])).any():
            untried = problem.mask_weight(band[0])
            break
        for _, rows, _, shares in shares_of_masks(problem, band):
            least[rows] = np.minimum(least[rows], shares)
    else:
        lightest = np.sort(problem.weights[list(problem.open)])
        untried = np.inf if problem.all_masks else float(lightest[:4].sum())
    # heavier sets cost at least their weight without what was blank before
    if untried < np.inf:
        before = problem.missing @ problem.weights
        least = np.minimum(least, np.maximum(untried - before, 0.0))
    least[~small] = 0.0
    return float((least * problem.counts)[small].sum()), least


def _by_size(problem: Problem) -> Iterator[list[int]]:
    """Yield sets of variables that are lighter than all that come after them."""
    weights = sorted(problem.weights[list(problem.open)])
    for size in (1, 2, 3):
        band = sorted(problem.of_size(size), key=problem.mask_weight)
        heavier = sum(weights[: size + 1])
        yield [bits for bits in band if problem.mask_weight(bits) <= heavier] or band[:1]


def shares_of_masks(problem: Problem, masks: list[int]) -> Iterator[Shares]:
    """Yield for each set of variables the small classes' shares, infinite where k is not met."""
    words, fields = problem.bit_fields()
    base, n = problem.base, len(problem.counts)
    slots, first, ids = np.zeros(max(4, 4 * n), np.int64), np.zeros(n, np.int64), np.zeros(n, int)
    small = problem.counts < problem.k
    for bits in masks:
        rows = np.flatnonzero((base & ~np.int64(bits)) == 0)
        field = problem.kept_field(fields, bits)
        number = number_groups(words, rows, field, slots, first, ids)
        group = ids[: len(rows)].copy()
        in_mask = np.array([bits >> j & 1 for j in range(len(problem.names))], dtype=bool)
        own = (in_mask & ~problem.missing[rows]) @ problem.weights
        total = np.bincount(group, weights=problem.counts[rows], minlength=number)
        sharing = np.bincount(
            group, weights=np.where(small[rows], problem.counts[rows], 0), minlength=number
        )
        filler = np.full(number, np.inf)
        others = ~small[rows]
        np.minimum.at(filler, group[others], own[others])
        filler[np.isinf(filler)] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            extra = np.maximum(0, problem.k - sharing) * filler / sharing
        shares = np.where(total[group] >= problem.k, own + extra[group], np.inf)
        chosen = small[rows]
        yield bits, rows[chosen], group[chosen], shares[chosen]
