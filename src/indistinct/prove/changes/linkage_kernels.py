"""Whether the nearest released record is a target's own, one target after another, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["distances_to_own", "right_chances"]

_EQUAL = 1e-9
"""Distances that differ by less, relatively, are equal: rounding, not evidence."""


@njit(cache=True, nogil=True, inline="always")
def _far(
    a: Array, ca: Array, b: Array, cb: Array,
    wide: float, squared: bool, limit: float,
) -> float:  # fmt: skip
    """Return the distance of two points, its square with `squared`; given up beyond `limit`.

    Coordinates that are not a number on either side are compared by their codes: equal, or `wide`
    apart.
    """
    total = 0.0
    for c in range(a.shape[0]):
        gap = abs(a[c] - b[c])
        if gap != gap:
            gap = 0.0 if ca[c] == cb[c] else wide
        total += gap * gap if squared else gap
        if total > limit:
            break
    return total


@njit(cache=True, nogil=True)
def distances_to_own(a: Array, ca: Array, b: Array, cb: Array, wide: float, squared: bool) -> Array:
    """Return the distance of each point of one list to the point beside it in the other."""
    found = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        total = _far(a[i], ca[i], b[i], cb[i], wide, squared, np.inf)
        found[i] = np.sqrt(total) if squared else total
    return found


@njit(cache=True, nogil=True)
def right_chances(
    a: Array,
    ca: Array,
    own: Array,
    start: Array,
    end: Array,
    unplaced: Array,
    points: Array,
    codes: Array,
    times: Array,
    first: int,
    wide: float,
    squared: bool,
) -> Array:
    """Return how many released records are as near as each target's own; 0 where one is nearer.

    Points lie between `start` and `end` for each target, sorted by coordinate `first`, from
    `unplaced` on without one. They are visited from the target's own coordinate outwards and not
    beyond the distance `own`, since none there can be as near.
    """
    found = np.zeros(a.shape[0], dtype=np.int64)
    for i in range(a.shape[0]):
        slack = _EQUAL * (1 + own[i])
        low, high = max(0.0, own[i] - slack), own[i] + slack
        reach = high
        if squared:
            low, high = low * low, high * high
        at = a[i, first]
        ties, nearer = 0, False
        if at == at:
            right = start[i] + np.searchsorted(points[start[i] : unplaced[i], first], at)
            left = right - 1
            more_left, more_right = left >= start[i], right < unplaced[i]
        else:
            left, right = start[i] - 1, start[i]
            more_left, more_right = False, right < unplaced[i]
        while (more_left or more_right) and not nearer:
            if more_right:
                j = right
                right += 1
                more_right = right < unplaced[i]
                if at == at and points[j, first] - at > reach:
                    more_right = False
                else:
                    total = _far(a[i], ca[i], points[j], codes[j], wide, squared, high)
                    if total < low:
                        nearer = True
                    elif total <= high:
                        ties += times[j]
            if more_left and not nearer:
                j = left
                left -= 1
                more_left = left >= start[i]
                if at - points[j, first] > reach:
                    more_left = False
                else:
                    total = _far(a[i], ca[i], points[j], codes[j], wide, squared, high)
                    if total < low:
                        nearer = True
                    elif total <= high:
                        ties += times[j]
        if not nearer:
            for j in range(unplaced[i], end[i]):
                total = _far(a[i], ca[i], points[j], codes[j], wide, squared, high)
                if total < low:
                    nearer = True
                    break
                if total <= high:
                    ties += times[j]
        found[i] = 0 if nearer else ties
    return found
