"""Small released files for the tests of questions, and brute force over their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa

from indistinct.files import open_table, workspace
from indistinct.query import QuerySession


@contextmanager
def session(columns: Mapping[str, Sequence[Any]], **options: Any) -> Iterator[QuerySession]:
    """Start a session on columns by name."""
    with workspace() as folder:
        source = open_table(pa.table(dict(columns)), workspace=folder)
        with QuerySession(source, **{"smallest": 1, "listing": True, **options}) as started:
            yield started


def rank(rows: list[list[int]]) -> int:
    """Return the rank over the rational numbers."""
    matrix = [[Fraction(v) for v in row] for row in rows]
    found = 0
    for column in range(len(matrix[0]) if matrix else 0):
        pivot = next((r for r in range(found, len(matrix)) if matrix[r][column]), None)
        if pivot is None:
            continue
        matrix[found], matrix[pivot] = matrix[pivot], matrix[found]
        for r in range(found + 1, len(matrix)):
            factor = matrix[r][column] / matrix[found][column]
            if factor:
                matrix[r] = [a - factor * b for a, b in zip(matrix[r], matrix[found], strict=True)]
        found += 1
    return found


def fewest_records(sets: Sequence[set[int]], records: int, *, up_to: int) -> int:
    """Return the fewest records on which a combination of the sets rests, or more than `up_to`."""
    rows = [[int(r in members) for r in range(records)] for members in sets]
    whole = rank(rows)
    for size in range(1, up_to + 1):
        for chosen in combinations(range(records), size):
            # a combination that is zero elsewhere exists if the rest has a lower rank
            if rank([[v for r, v in enumerate(row) if r not in chosen] for row in rows]) < whole:
                return size
    return up_to + 1
