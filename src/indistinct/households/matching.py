"""Matching people within their households: everybody's likeliest relative, and couples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.households.kinship import Records

__all__ = ["choose_best", "match_couples", "pairs_within"]


def pairs_within(household: Records, left: Records, right: Records) -> tuple[Records, Records]:
    """Return every pair of a left and a right record that share a household.

    >>> pairs_within(np.array([0, 0, 1, 0]), np.array([0, 2]), np.array([1, 3]))
    (array([0, 0]), array([1, 3]))
    """
    if not len(left) or not len(right):
        return left[:0], right[:0]
    # most households have none of the right ones: they are left out before anything is sorted
    met = np.zeros(max(int(household[left].max()), int(household[right].max())) + 1, dtype=bool)
    met[household[right]] = True
    left = left[met[household[left]]]
    order = np.argsort(household[right], kind="stable")
    sorted_right = right[order]
    where = household[sorted_right]
    first = np.searchsorted(where, household[left], side="left")
    counts = np.searchsorted(where, household[left], side="right") - first
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    place = np.arange(total) - np.repeat(ends - counts, counts) + np.repeat(first, counts)
    return np.repeat(left, counts), sorted_right[place]


def choose_best(
    who: Records, candidate: Records, *scores: NDArray[np.generic]
) -> tuple[Records, Records]:
    """Return for everybody in `who` the candidate with the lowest scores, the first score first.

    Of equal candidates the one that stands first in the file is taken.

    >>> choose_best(np.array([5, 5, 6]), np.array([1, 2, 1]), np.array([3.0, 1.0, 2.0]))
    (array([5, 6]), array([2, 1]))
    """
    order = np.lexsort((candidate, *scores[::-1], who))
    found, first = np.unique(who[order], return_index=True)
    return found, candidate[order][first]


def match_couples(
    left: Records, right: Records, *scores: NDArray[np.generic]
) -> tuple[Records, Records]:
    """Make couples of pairs, the lowest scores first, nobody twice.

    Each round takes the pairs that are the best for both, which is what going down the list of
    all pairs would take.

    >>> match_couples(np.array([0, 0, 1]), np.array([8, 9, 8]), np.array([2, 3, 1]))
    (array([0, 1]), array([9, 8]))
    """
    order = np.lexsort((right, left, *scores[::-1]))
    left, right = left[order], right[order]
    lefts, rights = [left[:0]], [right[:0]]
    while len(left):
        place = np.arange(len(left))
        best = np.full(len(left), False)
        _, first_of_left = np.unique(left, return_index=True)
        best[first_of_left] = True
        _, first_of_right = np.unique(right, return_index=True)
        taken = first_of_right[best[first_of_right]]
        lefts.append(left[taken])
        rights.append(right[taken])
        rest = place[~np.isin(left, left[taken]) & ~np.isin(right, right[taken])]
        left, right = left[rest], right[rest]
    all_left, all_right = np.concatenate(lefts), np.concatenate(rights)
    order = np.argsort(all_left)
    return all_left[order], all_right[order]
