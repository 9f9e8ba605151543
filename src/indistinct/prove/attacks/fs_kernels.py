"""Compiled comparisons of values: string similarity, dates with errors, numbers, codes.

Distinct values are stored once, as character codes end to end; a pair of values is a pair of
their numbers. Every loop is a pure function of its arrays.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from indistinct.core import Array

__all__ = ["CODE", "DATE", "LONGEST", "NAME", "NUMBER", "TEXT", "compare", "edits", "similarity"]


LONGEST = 63
"""Characters of a value that are compared; matched characters are kept as bits of one word."""

NAME, TEXT, DATE, NUMBER, CODE = range(5)

_NEAR, _LIKE, _ALIKE = 0.92, 0.85, 0.75


@njit(cache=True, nogil=True)
def similarity(chars: Array, a: int, a_end: int, b: int, b_end: int) -> float:
    """Jaro's similarity with Winkler's bonus of 0.1 for each of up to four equal first letters."""
    la, lb = a_end - a, b_end - b
    if la == 0 or lb == 0:
        return 0.0
    window = max(max(la, lb) // 2 - 1, 0)
    one = np.uint64(1)
    seen_a, seen_b = np.uint64(0), np.uint64(0)
    common = 0
    for i in range(la):
        for j in range(max(0, i - window), min(lb, i + window + 1)):
            bit = one << np.uint64(j)
            if chars[a + i] == chars[b + j] and not (seen_b & bit):
                seen_a |= one << np.uint64(i)
                seen_b |= bit
                common += 1
                break
    if common == 0:
        return 0.0
    crossed, j = 0, 0
    for i in range(la):
        if seen_a & (one << np.uint64(i)):
            while not (seen_b & (one << np.uint64(j))):
                j += 1
            if chars[a + i] != chars[b + j]:
                crossed += 1
            j += 1
    jaro = (common / la + common / lb + (common - crossed / 2) / common) / 3
    start = 0
    while start < min(4, la, lb) and chars[a + start] == chars[b + start]:
        start += 1
    return jaro + start * 0.1 * (1 - jaro)


@njit(cache=True, nogil=True)
def edits(chars: Array, a: int, a_end: int, b: int, b_end: int, limit: int, rows: Array) -> int:
    """Count insertions, deletions, replacements and swaps of neighbours, up to `limit` + 1.

    The restricted Damerau-Levenshtein distance; `rows` is room for three lines of its table.
    """
    la, lb = a_end - a, b_end - b
    if abs(la - lb) > limit:
        return limit + 1
    for j in range(lb + 1):
        rows[1, j] = j
    for i in range(1, la + 1):
        now, before, earlier = (i + 1) % 3, i % 3, (i + 2) % 3
        rows[now, 0] = i
        least = i
        for j in range(1, lb + 1):
            cost = 0 if chars[a + i - 1] == chars[b + j - 1] else 1
            best = min(rows[before, j] + 1, rows[now, j - 1] + 1, rows[before, j - 1] + cost)
            if (
                i > 1
                and j > 1
                and chars[a + i - 1] == chars[b + j - 2]
                and chars[a + i - 2] == chars[b + j - 1]
            ):
                best = min(best, rows[earlier, j - 2] + 1)
            rows[now, j] = best
            least = min(least, best)
        if least > limit:
            return limit + 1
    return min(int(rows[(la + 1) % 3, lb]), limit + 1)


@njit(cache=True, nogil=True)
def _starts_with(chars: Array, a: int, a_end: int, b: int, b_end: int) -> bool:
    i, size = 0, min(a_end - a, b_end - b)
    while i < size and chars[a + i] == chars[b + i]:
        i += 1
    return i == size


@njit(cache=True, nogil=True)
def _part_of(chars: Array, a: int, a_end: int, b: int, b_end: int) -> bool:
    """Say whether one value is an initial, the first word or the last word of the other."""
    if a_end - a > b_end - b:
        a, a_end, b, b_end = b, b_end, a, a_end
    la, lb = a_end - a, b_end - b
    if la == lb:
        return False
    if _starts_with(chars, a, a_end, b, b_end) and (la == 1 or chars[b + la] == 32):
        return True
    for i in range(la):
        if chars[a + i] != chars[b_end - la + i]:
            return False
    return bool(chars[b_end - la - 1] == 32)


@njit(cache=True, nogil=True)
def _name(chars: Array, a: int, a_end: int, b: int, b_end: int, rows: Array) -> int:
    if min(a_end - a, b_end - b) > 1:
        like = similarity(chars, a, a_end, b, b_end)
        if like >= _NEAR or edits(chars, a, a_end, b, b_end, 1, rows) <= 1:
            return 4
        if like >= _LIKE:
            return 3
        if not _part_of(chars, a, a_end, b, b_end):
            return 1 if like >= _ALIKE else 0
        return 2
    return 2 if _part_of(chars, a, a_end, b, b_end) else 0


@njit(cache=True, nogil=True)
def _text(chars: Array, a: int, a_end: int, b: int, b_end: int, rows: Array) -> int:
    allowed = 1 if max(a_end - a, b_end - b) < 8 else 2
    if edits(chars, a, a_end, b, b_end, allowed, rows) <= allowed:
        return 2
    return 1 if similarity(chars, a, a_end, b, b_end) >= _NEAR else 0


@njit(cache=True, nogil=True)
def _two(chars: Array, at: int) -> int:
    x, y = chars[at] - 48, chars[at + 1] - 48
    return -1000 if x < 0 or x > 9 or y < 0 or y > 9 else x * 10 + y


@njit(cache=True, nogil=True)
def _days(chars: Array, at: int) -> int:
    """Days since some day, to within one; negative where a character is no digit."""
    years = _two(chars, at) * 100 + _two(chars, at + 2)
    months, days = _two(chars, at + 4), _two(chars, at + 6)
    if min(years, months, days) < 0:
        return -1
    return int(years * 365.25 + (months - 1) * 30.44 + days)


@njit(cache=True, nogil=True)
def _date(chars: Array, a: int, a_end: int, b: int, b_end: int, rows: Array) -> int:
    la, lb = a_end - a, b_end - b
    if la == 8 and lb == 8:
        swapped = _starts_with(chars, a, a + 4, b, b + 4)
        for i in range(2):
            swapped &= chars[a + 4 + i] == chars[b + 6 + i] and chars[a + 6 + i] == chars[b + 4 + i]
        if swapped:
            return 4
    elif min(la, lb) in (4, 6) and max(la, lb) in (6, 8):
        return 2 if _starts_with(chars, a, a_end, b, b_end) else 0
    wrong = edits(chars, a, a_end, b, b_end, 2, rows)
    if wrong <= 1:
        return 4
    if la == 8 and lb == 8:
        equal = int(_starts_with(chars, a, a + 4, b, b + 4))
        equal += int(_starts_with(chars, a + 4, a + 6, b + 4, b + 6))
        equal += int(_starts_with(chars, a + 6, a + 8, b + 6, b + 8))
        if equal == 2:
            return 3
        first, second = _days(chars, a), _days(chars, b)
        if first >= 0 and second >= 0 and abs(first - second) <= 366:
            return 1
    return 1 if wrong <= 2 else 0


@njit(cache=True, nogil=True)
def compare(
    kind: int,
    chars: Array,
    offsets: Array,
    ranges: Array,
    general: Array,
    near: float,
    a_codes: Array,
    b_codes: Array,
) -> Array:
    """Return the level of agreement of every pair; -1 where one value is missing.

    `general` marks labels that stand for several values: a code of which the start is known, or
    a range of numbers (`ranges` holds its ends).
    """
    n = a_codes.shape[0]
    out = np.empty(n, dtype=np.int8)
    rows = np.zeros((3, LONGEST + 2), dtype=np.int64)
    for p in range(n):
        x, y = a_codes[p], b_codes[p]
        if x < 0 or y < 0:
            out[p] = -1
            continue
        a, a_end, b, b_end = offsets[x], offsets[x + 1], offsets[y], offsets[y + 1]
        if kind == NUMBER:
            if general[x] or general[y]:
                meet = ranges[x, 0] <= ranges[y, 1] and ranges[y, 0] <= ranges[x, 1]
                out[p] = 3 if meet else 0
            else:
                gap = abs(ranges[x, 0] - ranges[y, 0])
                out[p] = 4 if gap == 0 else 2 if gap <= near else 1 if gap <= 5 * near else 0
        elif kind == CODE:
            if general[x] or general[y]:
                out[p] = 2 if _starts_with(chars, a, a_end, b, b_end) else 0
            elif x == y:
                out[p] = 3
            else:
                long = min(a_end - a, b_end - b) >= 4
                out[p] = 1 if long and edits(chars, a, a_end, b, b_end, 1, rows) <= 1 else 0
        elif x == y:
            out[p] = 5 if kind != TEXT else 3
        elif kind == NAME:
            out[p] = _name(chars, a, a_end, b, b_end, rows)
        elif kind == TEXT:
            out[p] = _text(chars, a, a_end, b, b_end, rows)
        else:
            out[p] = _date(chars, a, a_end, b, b_end, rows)
    return out
