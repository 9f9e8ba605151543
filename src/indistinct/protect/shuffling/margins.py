"""Columns of the copula: for every row the cell that its value occupies among the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from indistinct.core import Array, Bools, Floats, Ints, SmallInts

__all__ = ["Coded", "Codes", "Margin", "margins_of", "packed", "strata_of"]

Codes = SmallInts

LONG = 100
"""With more values than this, and none that is frequent, ties hardly matter."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A variable whose values were replaced by their places in the order, from 0.

    Parameters
    ----------
    codes
        The place of every row's value; -1 where there is none, or where it must stay.
    size
        How many places there are.
    nominal
        Whether the order means nothing, so that each value becomes an indicator of its own.
    strata
        The stratum of every row, from 0: its values move within their stratum only.
    """

    name: str
    codes: Codes
    size: int
    nominal: bool = False
    strata: Codes | None = None

    @property
    def columns(self) -> int:
        """How many columns of the copula it needs."""
        return self.size if self.nominal and self.size > 2 else 1

    @property
    def present(self) -> Bools:
        """Which rows have a value that may move."""
        return self.codes >= 0

    def with_codes(self, codes: Codes) -> Coded:
        """Return the variable with other values in the same strata."""
        return replace(self, codes=codes)

    def rows(self, chosen: Ints) -> Coded:
        """Return the variable for some of the rows."""
        strata = self.strata
        if strata is not None:
            strata = np.unique(strata[chosen], return_inverse=True)[1].astype(np.int32)
        return replace(self, codes=self.codes[chosen], strata=strata)


@dataclass(frozen=True, eq=False)
class Margin:
    """One column of the copula, in cells: a value within a stratum.

    Parameters
    ----------
    cells
        The cell of every row; -1 where there is no value.
    low, high
        Where each cell lies among the ranks of its stratum, from 0 to 1.
    counts
        How many rows each cell holds. Cells are sorted by stratum and then by value.
    values
        The code of the value that each cell stands for.
    strata
        The stratum of each cell.
    shares
        The values' shares of all rows.
    """

    cells: Codes
    low: Floats
    high: Floats
    counts: Ints
    values: Codes
    strata: Codes
    shares: Floats

    @property
    def continuous(self) -> bool:
        """Whether ties are so few that a score may be taken as it is."""
        return len(self.shares) > LONG and float(self.shares.max()) < 2.0 / LONG

    @property
    def middles(self) -> Floats:
        """The mid-rank of every cell, less one half."""
        return (self.low + self.high) / 2 - 0.5

    @cached_property
    def centres(self) -> Floats:
        """The mean normal score of every cell: the fall of the density over it, by its width."""
        low, high = ndtri(self.low), ndtri(self.high)
        return np.asarray((_density(low) - _density(high)) / (self.high - self.low))

    @property
    def kept(self) -> float:
        """The correlation of mid-ranks with the normal scores behind them, which ties lower."""
        squares = float(self.counts @ self.middles**2) / max(1, int(self.counts.sum()))
        products = float(self.counts @ (self.middles * self.centres)) / max(1, self.counts.sum())
        return products / np.sqrt(squares) if squares > 0 else 1.0


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-z * z / 2) / np.sqrt(2 * np.pi))


def margins_of(coded: Coded) -> list[Margin]:
    """Return the columns of a variable: one, or an indicator for each of its values."""
    if coded.columns == 1:
        return [_margin(coded.codes, coded.size, coded.strata)]
    absent = ~coded.present
    return [
        _margin(np.where(absent, -1, coded.codes == code).astype(np.int32), 2, coded.strata)
        for code in range(coded.size)
    ]


def _margin(codes: Codes, size: int, strata: Codes | None) -> Margin:
    present = codes >= 0
    whole = bool(present.all())
    own = codes if whole else codes[present]
    key: Array = own
    number: Array
    places = size
    if strata is not None:
        key = (strata if whole else strata[present]).astype(np.int64) * size + own
        places = (int(strata.max()) + 1) * size if len(strata) else 0
    if places <= max(1 << 20, 4 * len(codes)):
        every = np.bincount(key, minlength=places)
        used = np.flatnonzero(every)
        place = np.zeros(max(places, 1), dtype=np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        number, counts = place[key], every[used]
    else:
        used, number, counts = np.unique(key, return_inverse=True, return_counts=True)
    cells = number.astype(np.int32)
    if not whole:
        cells = np.full(len(codes), -1, dtype=np.int32)
        cells[present] = number
    stratum = (used // size).astype(np.int32)
    ends = np.cumsum(counts)
    first = np.searchsorted(stratum, stratum)  # the first cell of the same stratum
    before = (ends - counts)[first] if len(used) else ends
    total = np.bincount(stratum, weights=counts)[stratum] if len(used) else ends
    shares = np.bincount(used % size, weights=counts, minlength=size)
    return Margin(
        cells,
        (ends - counts - before) / total,
        (ends - before) / total,
        counts.astype(np.int64),
        (used % size).astype(np.int32),
        stratum,
        shares[shares > 0] / max(1, len(own)),
    )


def packed(columns: Sequence[tuple[Codes, int]]) -> Ints:
    """Return one number per row for the combination of its codes, which may be -1."""
    found = np.zeros(len(columns[0][0]), dtype=np.int64)
    places = 1
    for codes, size in columns:
        if places > (1 << 62) // (size + 1):
            found = np.unique(found, return_inverse=True)[1].astype(np.int64)
            places = len(found) + 1
        found = found * (size + 1) + codes + 1
        places *= size + 1
    return found


def strata_of(columns: Sequence[tuple[Codes, int]]) -> Codes | None:
    """Return the stratum of every row, from 0: rows that agree on all columns share it."""
    if not columns:
        return None
    return np.unique(packed(columns), return_inverse=True)[1].astype(np.int32)
