"""One number for a whole key: Dalenius' two representations of a P-set of data.

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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from indistinct.core import Array, InputError, Ints
from indistinct.engine import bits_needed

__all__ = ["T1", "T2", "Direction", "Encoding", "Integers", "best_transformation"]

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
