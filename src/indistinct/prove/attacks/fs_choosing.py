"""From odds of pairs to links: partners compete, the likeliest pairs first, a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from indistinct.core import Array, Floats, Ints

__all__ = ["chosen_one_to_one", "least_probability", "shared_probability", "sums_and_best"]


def shared_probability(left: Array, right: Array, odds: Floats) -> Floats:
    """Return the probability of each pair given that a record has one partner at most.

    With o the odds of pairs by themselves, p = o / (1 + the sum of o over all pairs with the same
    left or the same right record): two equally likely partners have less than a half each.

    >>> left, right, odds = np.array([0, 0]), np.array([0, 1]), np.array([99.0, 99.0])
    >>> shared_probability(left, right, odds).round(3)
    array([0.497, 0.497])
    """
    bounded = np.minimum(odds, 1e12)
    by_left, by_right = sums_and_best(left, bounded)[0], sums_and_best(right, bounded)[0]
    shared: Floats = bounded / (1 + by_left + by_right - bounded)
    return shared


@njit(cache=True, nogil=True)
def sums_and_best(record: Any, odds: Any) -> Any:
    """Return for each pair the sum and the largest of the odds of all pairs with its record."""
    records = record.max() + 1 if len(record) else 0
    total, best = np.zeros(records), np.zeros(records)
    for p in range(len(record)):
        total[record[p]] += odds[p]
        best[record[p]] = max(best[record[p]], odds[p])
    return total[record], best[record]


def chosen_one_to_one(left: Array, right: Array, probability: Floats, weight: Floats) -> Ints:
    """Take pairs by probability, then weight, then record number, each record once.

    >>> one, two = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> chosen_one_to_one(one, two, np.array([0.9, 0.5, 0.8]), np.zeros(3)).tolist()
    [0]
    """
    order = np.lexsort((right, left, -weight, -probability))
    if not len(order):
        return order
    found: Ints = _first_come(left, right, order)
    return found


@njit(cache=True, nogil=True)
def _first_come(left: Any, right: Any, order: Any) -> Any:
    used_left = np.zeros(left.max() + 1, dtype=np.bool_)
    used_right = np.zeros(right.max() + 1, dtype=np.bool_)
    kept = np.empty(len(order), dtype=np.int64)
    n = 0
    for p in order:
        if not used_left[left[p]] and not used_right[right[p]]:
            used_left[left[p]] = True
            used_right[right[p]] = True
            kept[n] = p
            n += 1
    return kept[:n]


def least_probability(probability: Floats, precision: float) -> float:
    """Return the least probability, from a half, down to which links are right often enough.

    `probability` is in falling order; the share expected to be right is its running mean.

    >>> least_probability(np.array([0.99, 0.97, 0.8, 0.6, 0.2]), 0.9)
    0.8
    """
    likely = probability[probability >= 0.5]
    # links of equal probability are taken together or not at all
    last_of_equals = np.append(likely[1:] < likely[:-1], True)[: len(likely)]
    right = np.cumsum(likely) >= precision * np.arange(1, len(likely) + 1)
    enough = np.flatnonzero(right & last_of_equals)
    return float(likely[enough[-1]]) if len(enough) else 1.0
