"""Finding a needle in a haystack: the paper's own procedures, step by step.

Dalenius (1986) finds records whose P-set of public data is unique in a matrix of codes. These
functions do it as he describes, for teaching, for checking and for files that fit in memory;
`uniques` does the same at census scale through an engine.

One number for a whole key: Dalenius' two representations of a P-set of data.

Dalenius (1986) writes the P public variables of a record, coded 0 … C-1, as one number: in the
first variant (section 2.4.3) as the integer made of their digits, in the second (section 4) as
the sum of transformed values, chosen so that different P-sets have different sums. `T1` takes
the next unused power of two for each category but the first; `T2` is the mixed-radix number.

Sums are exact whatever their size: 20 variables of 10 categories need 67 bits by T2 and 180 by
T1, so numbers beyond 63 bits are Python integers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from indistinct.core import Array, AtMost, InputError, Ints, check_whole, did_you_mean
from indistinct.engine import Approach, bits_needed

__all__ = [
    "T1",
    "T2",
    "Encoding",
    "Group",
    "Integers",
    "RunningTally",
    "best_transformation",
    "find_groups",
    "unique_records",
]

Direction = Literal["left-to-right", "right-to-left"]


@dataclass(frozen=True)
class Encoding(ABC):
    """A one-to-one map from P-sets of codes to whole numbers.

    Parameters
    ----------
    sizes
        The number of categories of each variable.
    direction
        Which end of the record gets the smallest numbers.
    """

    sizes: tuple[int, ...]
    direction: Direction = "left-to-right"

    def __post_init__(self) -> None:
        """Refuse an empty key and variables without categories."""
        if not self.sizes:
            raise InputError("A key needs at least one variable. Got none.")
        if min(self.sizes) < 1:
            raise InputError("Every key variable needs at least one category. Got none for one.")
        if self.direction not in ("left-to-right", "right-to-left"):
            raise InputError(
                f"The direction must be left-to-right or right-to-left. Got '{self.direction}'."
            )

    @abstractmethod
    def _in_order(self, sizes: Sequence[int]) -> list[list[int]]:
        """Return each variable's transformed values, the first variable's smallest."""

    @cached_property
    def tables(self) -> list[list[int]]:
        """The transformed value of every category of every variable."""
        if self.direction == "left-to-right":
            return self._in_order(self.sizes)
        return self._in_order(self.sizes[::-1])[::-1]

    @property
    def largest(self) -> int:
        """The largest sum there can be."""
        return sum(max(table) for table in self.tables)

    @property
    def cells(self) -> int:
        """The number of possible P-sets."""
        return math.prod(self.sizes)

    def check(self, codes: Ints) -> None:
        """Refuse codes outside 0 … C-1, naming the variable's position and the record."""
        if codes.ndim != 2 or codes.shape[1] != len(self.sizes):
            raise InputError(
                f"Every record must have {len(self.sizes)} codes. Got an array of shape "
                f"{codes.shape}."
            )
        outside = (codes < 0) | (codes >= np.array(self.sizes))
        if outside.any():
            record, position = np.argwhere(outside)[0]
            raise InputError(
                f"The code of variable {position + 1} in record {record + 1:,} is outside its "
                f"categories 0 to {self.sizes[position] - 1}. Recode it first."
            )

    def transform(self, codes: Ints) -> Array:
        """Return the transformed data, one column a variable."""
        self.check(codes)
        kind = np.int64 if self.largest < 1 << 63 else object
        columns = [np.array(t, dtype=kind)[codes[:, j]] for j, t in enumerate(self.tables)]
        return np.stack(columns, axis=1)

    def sums(self, codes: Ints) -> Array:
        """Return one number a record: int64 where it fits, exact Python integers beyond.

        >>> T1((2, 4, 3, 2, 2)).sums(np.array([[1, 3, 2, 0, 1]]))  # section 4.1.3, record 1
        array([169])
        """
        self.check(codes)
        kind = np.int64 if self.largest < 1 << 63 else object
        total = np.zeros(len(codes), dtype=kind)
        for j, table in enumerate(self.tables):
            total += np.array(table, dtype=kind)[codes[:, j]]
        return total

    def invert(self, sums: Array | Sequence[int]) -> Ints:
        """Return the P-sets of sums.

        >>> T2((2, 4, 3, 2, 2)).invert([71])
        array([[1, 3, 2, 0, 1]])
        """
        rest = [int(s) for s in sums]
        codes = np.empty((len(rest), len(self.sizes)), dtype=np.int64)
        positions = range(len(self.sizes))
        # the variable with the largest values comes off first
        for j in reversed(positions) if self.direction == "left-to-right" else positions:
            table = self.tables[j]
            for i, value in enumerate(rest):
                code = bisect_right(table, value) - 1
                codes[i, j] = code
                rest[i] = value - table[code]
        if any(rest):
            raise InputError("A number is not the sum of any key. Check the categories.")
        return codes

    def catalogue(self) -> Array:
        """Return the sums of all possible P-sets, the P-sets in increasing order."""
        grids = np.indices(self.sizes).reshape(len(self.sizes), -1).T
        return self.sums(grids.astype(np.int64))


class T1(Encoding):
    """The next unused power of two for each category but the first (section 4.1).

    >>> T1((2, 4, 3, 2, 2)).tables
    [[0, 1], [0, 2, 4, 8], [0, 16, 32], [0, 64], [0, 128]]
    """

    def _in_order(self, sizes: Sequence[int]) -> list[list[int]]:
        tables, power = [], 1
        for size in sizes:
            tables.append([0] + [power << i for i in range(size - 1)])
            power <<= size - 1
        return tables


class T2(Encoding):
    """The mixed-radix number with weights 1, C_X, C_X·C_Y, … (section 4.2).

    >>> T2((2, 4, 3, 2, 2)).tables
    [[0, 1], [0, 2, 4, 6], [0, 8, 16], [0, 24], [0, 48]]
    """

    def _in_order(self, sizes: Sequence[int]) -> list[list[int]]:
        tables, weight = [], 1
        for size in sizes:
            tables.append([weight * code for code in range(size)])
            weight *= size
        return tables


class Integers(Encoding):
    """The digits of all codes side by side, each variable as wide as its largest code (2.4.3).

    Direction only tells which variable's digits are least significant; as people write numbers,
    that is the last.

    >>> Integers((2, 4, 5, 3, 7), "right-to-left").text(np.array([[0, 1, 3, 2, 6]]))
    ['01326']
    """

    def _in_order(self, sizes: Sequence[int]) -> list[list[int]]:
        tables, weight = [], 1
        for size in sizes:
            tables.append([weight * code for code in range(size)])
            weight *= 10 ** len(str(size - 1))
        return tables

    def text(self, codes: Ints) -> list[str]:
        """Return the digit strings, leading zeros kept; 1|11 and 11|1 differ."""
        self.check(codes)
        widths = [len(str(size - 1)) for size in self.sizes]
        return [
            "".join(str(int(c)).zfill(w) for c, w in zip(row, widths, strict=True)) for row in codes
        ]


def best_transformation(sizes: Sequence[int]) -> type[T1] | type[T2]:
    """Choose T1 or T2 as section 5.4 does: T2 when P or a category count reaches ten.

    Below, the choice makes no difference unless T1 needs more than a machine word.

    >>> best_transformation([2] * 5).__name__, best_transformation([10] * 20).__name__
    ('T1', 'T2')
    """
    small = len(sizes) < 10 and max(sizes) < 10
    return T1 if small and bits_needed(sizes, "T1") < 64 else T2


# Finding records, step by step --------------------------------------------------------------------


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
