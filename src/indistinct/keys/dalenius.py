"""Finding a needle in a haystack: the paper's own procedures, step by step.

Dalenius (1986) finds records whose P-set of public data is unique in a matrix of codes. These
functions do it as he describes, for teaching, for checking and for files that fit in memory;
`uniques` does the same at census scale through an engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from indistinct.core import Array, AtMost, InputError, Ints, check_whole, did_you_mean
from indistinct.engine import Approach
from indistinct.keys.encodings import T1, T2, Direction, Encoding, Integers

__all__ = ["Group", "RunningTally", "find_groups", "unique_records"]

Representation = Literal["integers", "T1", "T2"]

_ENCODINGS: dict[str, type[Encoding]] = {"integers": Integers, "T1": T1, "T2": T2}
_LARGEST_CATALOGUE = 10_000_000


@dataclass(frozen=True)
class Group:
    """All records that share a P-set. `records` is None once they have been forgotten."""

    codes: tuple[int, ...]
    count: int
    records: tuple[int, ...] | None

    def __repr__(self) -> str:
        who = "forgotten" if self.records is None else ", ".join(str(r + 1) for r in self.records)
        return f"Group({' '.join(map(str, self.codes))}: {self.count} records, {who})"


@dataclass
class RunningTally:
    """Approach 2: records are processed in file order, and the table is updated after each.

    Parameters
    ----------
    at_most
        Dalenius' k. With it, the records of a P-set seen more than k times are forgotten, and
        only the P-set and its count are kept: the memory is 'stretched' (section 5.3).

    >>> tally = RunningTally(at_most=2)
    >>> for record, codes in enumerate([(1, 1), (0, 5), (1, 1), (1, 1)]):
    ...     tally.add(record, codes)
    >>> tally.groups()
    [Group(1 1: 3 records, forgotten), Group(0 5: 1 records, 2)]
    """

    at_most: int | None = None
    _rows: dict[Any, list[Any]] = field(default_factory=dict, repr=False)

    def add(self, record: int, codes: Sequence[int], *, key: Any = None) -> None:
        """Process one record; `key` is its sum where the second variant is used."""
        row = self._rows.setdefault(tuple(codes) if key is None else key, [tuple(codes), 0, []])
        row[1] += 1
        if row[2] is not None:
            row[2].append(record)
            if self.at_most is not None and row[1] > self.at_most:
                row[2] = None

    def groups(self) -> list[Group]:
        """Return the table as it stands, in order of first appearance."""
        return [
            Group(codes, count, None if records is None else tuple(records))
            for codes, count, records in self._rows.values()
        ]

    @property
    def remembered(self) -> int:
        """The number of record numbers that are held."""
        return sum(len(records) for _, _, records in self._rows.values() if records is not None)


def find_groups(
    codes: Ints | Iterable[Sequence[int]],
    sizes: Sequence[int] | None = None,
    *,
    approach: Approach = "sort",
    representation: Representation = "integers",
    direction: Direction = "right-to-left",
    decreasing: bool = False,
) -> list[Group]:
    """Group the records of a matrix of codes by their P-set.

    Parameters
    ----------
    codes
        One row a record, one column a variable, codes 0 … C-1.
    sizes
        The number of categories of each variable; by default the largest code seen plus one.
    approach
        ``sort`` (3.2.1), ``tally`` (3.2.2: groups in order of first appearance) or ``catalogue``
        (3.2.3: also the possible P-sets that no record has, with count 0).
    representation
        ``integers`` for the first variant, ``T1`` or ``T2`` for the second.

    >>> matrix = [[1, 0], [0, 1], [1, 0]]
    >>> find_groups(matrix, (2, 2))
    [Group(0 1: 1 records, 2), Group(1 0: 2 records, 1, 3)]
    """
    matrix = np.array(codes, dtype=np.int64)
    if matrix.ndim != 2 or not matrix.size:
        raise InputError("The matrix of codes must have at least one record and one variable.")
    if sizes is None:
        sizes = [int(c) + 1 for c in matrix.max(axis=0)]
    if representation not in _ENCODINGS:
        raise InputError(
            f"The representation must be integers, T1 or T2. Got '{representation}'. "
            f"{did_you_mean(representation, _ENCODINGS)}"
        )
    encoding = _ENCODINGS[representation](tuple(sizes), direction)
    sums = encoding.sums(matrix)
    if approach == "sort":
        return _by_sorting(matrix, sums, decreasing)
    if approach == "tally":
        tally = RunningTally()
        for record, (row, key) in enumerate(zip(matrix.tolist(), sums.tolist(), strict=True)):
            tally.add(record, row, key=key)
        return tally.groups()
    if approach == "catalogue":
        return _by_catalogue(matrix, sums, encoding)
    raise InputError(f"The approach must be sort, tally or catalogue. Got '{approach}'.")


def _by_sorting(matrix: Ints, sums: Array, decreasing: bool) -> list[Group]:
    order = np.argsort(sums, kind="stable")
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = sums[order[1:]] != sums[order[:-1]]
    runs = np.split(order, np.flatnonzero(fresh)[1:])
    groups = [Group(tuple(matrix[run[0]].tolist()), len(run), tuple(run.tolist())) for run in runs]
    return groups[::-1] if decreasing else groups


def _by_catalogue(matrix: Ints, sums: Array, encoding: Encoding) -> list[Group]:
    if encoding.cells > _LARGEST_CATALOGUE:
        raise InputError(
            f"A catalogue of all possible keys would need {encoding.cells:.3g} entries. "
            "Use the sort or the tally approach, or fewer categories."
        )
    catalogue = encoding.catalogue()
    entries: list[list[int]] = [[] for _ in range(len(catalogue))]
    place = np.argsort(catalogue, kind="stable")
    at = place[np.searchsorted(catalogue[place], sums)]
    for record, entry in enumerate(at.tolist()):
        entries[entry].append(record)
    possible = np.indices(encoding.sizes).reshape(len(encoding.sizes), -1).T
    return [
        Group(tuple(row), len(records), tuple(records))
        for row, records in zip(possible.tolist(), entries, strict=True)
    ]


def unique_records(groups: Iterable[Group], *, at_most: AtMost = 2) -> list[int]:
    """Return the records whose P-set at most `at_most` records share (section 2.3).

    >>> unique_records(find_groups([[1, 0], [0, 1], [1, 0]], (2, 2)), at_most=1)
    [1]
    """
    check_whole("at_most", at_most, 1)
    found: list[int] = []
    for group in groups:
        if 0 < group.count <= at_most:
            found.extend(group.records or ())
    return sorted(found)
