"""Equal rows of codes: numbering them, and adding up what belongs to them."""

from __future__ import annotations

import numpy as np

from indistinct.core import Ints

__all__ = ["counts_by_row", "group_rows"]


def group_rows(codes: Ints) -> Ints:
    """Number equal rows equally, in the sorted order of the rows.

    >>> group_rows(np.array([[1, 5], [0, 7], [1, 5]])).tolist()
    [1, 0, 1]
    """
    numbers = np.zeros(len(codes), dtype=np.int64)
    if not len(codes):
        return numbers
    room = 1
    for column in codes.T:
        size = int(column.max()) + 1
        if room * size >= 1 << 62:
            numbers = _ranked(numbers)
            room = int(numbers.max()) + 1
        numbers = numbers * size + column
        room *= size
    return _ranked(numbers)


def counts_by_row(codes: Ints, counts: Ints) -> Ints:
    """Return for every row the counts of all rows equal to it, added up."""
    groups = group_rows(codes)
    totals = np.zeros(len(codes), dtype=np.int64)
    np.add.at(totals, groups, counts)
    return totals[groups]


def _ranked(numbers: Ints) -> Ints:
    ranks: Ints = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    return ranks.astype(np.int64)
