"""The nearest safe class: for records that stand out, the classes that differ in fewest variables.

Two ways give the same classes. *Joining* takes each set of m variables in turn and matches the
small classes with the safe ones on all others. *Comparing* looks at every pair. Joining is
cheaper for small m, comparing when few small classes are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.keys import group_rows
from indistinct.protect.randomness import Draws

__all__ = ["nearest_safe_classes"]


_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class _Seekers:
    """The records that seek a class: their numbers, and the row of their class."""

    records: Ints
    rows: Ints

    def of(self, rows: Bools) -> Ints:
        return np.flatnonzero(rows[self.rows])


def nearest_safe_classes(
    small: Ints,
    safe: Ints,
    blank: Ints,
    *,
    records: Ints,
    rows: Ints,
    free: tuple[int, ...],
    draws: Draws,
) -> Ints:
    """Return for every record the row in `safe` of the class it moves to, -1 where there is none.

    Parameters
    ----------
    small, safe
        Ints of the classes that are too small and of those that are not.
    blank
        The code of *no value* of each variable. No value is changed to it: that is blanking.
    records, rows
        The numbers of the records in small classes, and the row in `small` of each.
    free
        The variables that may change; all others must agree.
    draws
        Breaks ties: among classes at the same distance each is as likely.
    """
    seekers = _Seekers(records, rows)
    target = np.full(len(records), -1, dtype=np.int64)
    left = np.ones(len(small), dtype=bool)
    for size in range(1, len(free) + 1):
        if not left.any() or not len(safe):
            break
        pairs = int(left.sum()) * len(safe) * small.shape[1]
        if pairs <= comb(len(free), size) * (int(left.sum()) + len(safe)) * 20:
            _compare(small, safe, blank, left, free, seekers, draws, target)
            break
        seen = np.zeros(len(small), dtype=np.int64)
        for number, chosen in enumerate(combinations(free, size)):
            _join(small, safe, blank, left, chosen, number, seen, seekers, draws, target)
        left &= seen == 0
    return target


def _join(
    small: Ints,
    safe: Ints,
    blank: Ints,
    left: Bools,
    chosen: tuple[int, ...],
    number: int,
    seen: Ints,
    seekers: _Seekers,
    draws: Draws,
    target: Ints,
) -> None:
    """Offer the safe classes that agree on all variables but the chosen.

    Offers come in turns; the n-th lot replaces what was chosen before with the probability of
    its share in all offers so far, so that in the end each offer is as likely (a reservoir).
    """
    columns = list(chosen)
    others = [j for j in range(small.shape[1]) if j not in chosen]
    valid = np.flatnonzero((safe[:, columns] != blank[columns]).all(axis=1))
    seeking = np.flatnonzero(left)
    both = np.concatenate([small[seeking][:, others], safe[valid][:, others]])
    groups = group_rows(both)
    safe_groups = groups[len(seeking) :]
    order = np.argsort(safe_groups, kind="stable")
    ordered = safe_groups[order]
    starts = np.zeros(len(small), dtype=np.int64)
    offers = np.zeros(len(small), dtype=np.int64)
    starts[seeking] = np.searchsorted(ordered, groups[: len(seeking)], side="left")
    ends = np.searchsorted(ordered, groups[: len(seeking)], side="right")
    offers[seeking] = ends - starts[seeking]
    seen += offers
    at = seekers.of(offers > 0)
    rows, records = seekers.rows[at], seekers.records[at]
    takes = draws.below(seen[rows], "nearest-lot", records, turn=number) < offers[rows]
    at, rows, records = at[takes], rows[takes], records[takes]
    pick = draws.below(offers[rows], "nearest-pick", records, turn=number)
    target[at] = valid[order[starts[rows] + pick]]


def _compare(
    small: Ints,
    safe: Ints,
    blank: Ints,
    left: Bools,
    free: tuple[int, ...],
    seekers: _Seekers,
    draws: Draws,
    target: Ints,
) -> None:
    width = small.shape[1]
    far = width + 1
    of_class = np.argsort(seekers.rows, kind="stable")
    bounds = np.searchsorted(seekers.rows[of_class], np.arange(len(small) + 1))
    seeking = np.flatnonzero(left)
    step = max(1, _BLOCK // max(1, len(safe)))
    for start in range(0, len(seeking), step):
        block = seeking[start : start + step]
        distance = np.zeros((len(block), len(safe)), dtype=np.int16)
        for j in range(width):
            differs = small[block, j][:, None] != safe[:, j]
            if j in free:
                distance += differs
                differs &= safe[:, j] == blank[j]
            distance[differs] = far
            # far may grow by the variables that follow; it stays below 2 · far
        nearest = distance.min(axis=1)
        for i, row in enumerate(block):
            if nearest[i] >= far:
                continue
            offers = np.flatnonzero(distance[i] == nearest[i])
            at = of_class[bounds[row] : bounds[row + 1]]
            limits = np.full(len(at), len(offers), dtype=np.int64)
            target[at] = offers[draws.below(limits, "nearest-compare", seekers.records[at])]
