"""Which cells to blank, decided on classes alone, where a blank is a value of its own.

Every function takes the codes of the classes (one row each), their counts and the code of *no
value* for each variable, and says of every class which of its variables to blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from indistinct.core import Bools, GuaranteeError, Ints
from indistinct.keys import counts_by_row, group_rows

__all__ = ["Pad", "blanked", "fewest_blanks", "pad"]


MOST_SUBSETS = 500
"""Up to so many sets of a size are all tried; of more, those that extend the best smaller ones."""
BEST_EXTENDED = 16


def blanked(codes: Ints, mask: Bools, blank: Ints) -> Ints:
    """Return the codes with the cells of the mask blank."""
    return np.where(mask, blank, codes)


def fewest_blanks(codes: Ints, counts: Ints, blank: Ints, *, k: int) -> Bools:
    """Choose for each small class few variables to blank, so that classes reach k.

    Sets of one variable are tried first, then of two, and so on; among sets of a size the one
    that saves most records goes first. A set saves the records whose class, with these variables
    blank, has k records together with the others it is tried on and with the classes that are
    safe already. What no set saves is blanked whole. This is greedy: a record never has more
    variables blank than the smallest set that saved it when its turn came, but another order
    may do with fewer cells in all.
    """
    width = codes.shape[1]
    mask = np.zeros(codes.shape, dtype=bool)
    small = counts < k
    rest = np.flatnonzero(small)
    safe = _Safe(codes[~small], counts[~small], blank)
    # among sets that save as many, those whose variables tell most apart come first
    apart = np.array([len(np.unique(codes[rest, j])) for j in range(width)])
    best: list[tuple[int, ...]] = []
    for size in range(1, width):
        if not len(rest):
            break
        gains = []
        for chosen in _subsets(width, size, best):
            saved = safe.saves(codes[rest], counts[rest], chosen, k=k)
            gain = int(counts[rest][saved].sum())
            gains.append((-gain, -int(apart[list(chosen)].sum()), chosen))
        gains.sort()
        best = [chosen for _, _, chosen in gains[:BEST_EXTENDED]]
        for gain, _, chosen in gains:
            if not gain:
                break
            saved = safe.saves(codes[rest], counts[rest], chosen, k=k)
            mask[rest[saved][:, None], list(chosen)] = True
            safe.add(blanked(codes, mask, blank)[rest[saved]], counts[rest[saved]])
            rest = rest[~saved]
    mask[rest] = True
    return mask


class _Safe:
    """Classes that are safe already and have a blank somewhere; the others cannot be joined."""

    def __init__(self, codes: Ints, counts: Ints, blank: Ints) -> None:
        self._blank = blank
        open_ = (codes == blank).any(axis=1)
        self._codes, self._counts = codes[open_], counts[open_]

    def add(self, codes: Ints, counts: Ints) -> None:
        self._codes = np.concatenate([self._codes, codes])
        self._counts = np.concatenate([self._counts, counts])

    def saves(self, codes: Ints, counts: Ints, chosen: tuple[int, ...], *, k: int) -> Bools:
        columns = list(chosen)
        joined = (self._codes[:, columns] == self._blank[columns]).all(axis=1)
        tried = codes.copy()
        tried[:, columns] = self._blank[columns]
        rows = np.concatenate([tried, self._codes[joined]])
        totals = counts_by_row(rows, np.concatenate([counts, self._counts[joined]]))
        saved: Bools = totals[: len(codes)] >= k
        return saved


def _subsets(width: int, size: int, best: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    if comb(width, size) <= MOST_SUBSETS or not best:
        return combinations(range(width), size)
    longer = {
        tuple(sorted((*chosen, more)))
        for chosen in best
        for more in range(width)
        if more not in chosen
    }
    return iter(sorted(longer))


@dataclass(frozen=True, eq=False)
class Pad:
    """Classes of which `take` records are blanked too, so that the blank key has k records."""

    classes: Bools
    take: int


def pad(codes: Ints, counts: Ints, mask: Bools, blank: Ints, *, k: int) -> Pad | None:
    """Say which further records to blank when fewer than k would have the blank key.

    They are taken from the smallest class that keeps k without them; where there is none, the
    smallest safe class goes whole. None when nothing is needed.
    """
    final = blanked(codes, mask, blank)
    empty = (final == blank).all(axis=1)
    already = int(counts[empty].sum())
    if not 0 < already < k:
        return None
    need = k - already
    groups = group_rows(final)
    sizes = np.bincount(groups, weights=counts).astype(np.int64)
    for enough, take in ((k + need, need), (k, None)):
        fitting = np.flatnonzero(sizes >= enough)
        if len(fitting):
            group = fitting[np.argmin(sizes[fitting])]
            return Pad(groups == group, take or int(sizes[group]))
    raise GuaranteeError(
        f"The blank key is a category of its own and must have {k} records, but only {already} "
        "can be blanked and no other class is safe. Use a smaller k, or leave the records out."
    )
