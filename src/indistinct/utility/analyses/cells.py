"""Tables of one, two or three variables in both files, cell by cell, and how far they are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Floats, Ints, SmallInts
from indistinct.utility.analyses.binning import Factor
from indistinct.utility.analyses.kernels import add_cells, count_cells

__all__ = ["Cells", "hellinger", "joint_cells", "numbered_cells", "total_variation"]

_DENSE = 1 << 22
"""Tables with more cells than this, and than records, are counted by sorting."""

_NOTHING = np.zeros(0, dtype=np.int32)


def total_variation(p: Floats, q: Floats) -> float:
    """Return ½ Σ |p − q|: the share of records that would have to change cells.

    >>> total_variation(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    0.25
    """
    return float(np.abs(p - q).sum() / 2)


def hellinger(p: Floats, q: Floats) -> float:
    """Return √(1 − Σ √(pq)), which lies in [0, 1] and sees small cells better.

    >>> hellinger(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    1.0
    """
    # ½ Σ (√p − √q)² is the same and is exactly 0 for equal shares
    return float(np.sqrt(np.square(np.sqrt(p) - np.sqrt(q)).sum() / 2))


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells that either file has, with the records (or weights) in each.

    `positions` are the cells' numbers, the last variable running fastest.
    """

    sizes: tuple[int, ...]
    positions: Ints = field(repr=False)
    original: Floats = field(repr=False)
    released: Floats = field(repr=False)

    @property
    def p(self) -> Floats:
        """The shares of the original file."""
        return self.original / max(float(self.original.sum()), 1e-300)

    @property
    def q(self) -> Floats:
        """The shares of the released file."""
        return self.released / max(float(self.released.sum()), 1e-300)

    @property
    def same(self) -> bool:
        """Whether every cell has the same number in both files."""
        return bool(np.array_equal(self.original, self.released))

    def codes(self) -> tuple[Ints, ...]:
        """Return each variable's code in every cell."""
        return tuple(np.unravel_index(self.positions, self.sizes))

    def pmse_ratio(self) -> float:
        """Return the table's standardised pMSE: 1 is what a correct synthesis would have.

        With o and r records in a cell, c = n_r / N and the saturated propensity model
        p = r / (o + r), pMSE = Σ (o + r)(p − c)² / N; its expectation is
        (cells − 1)(1 − c)² c / N (Snoke and others 2018; Raab, Nowok and Dibben 2021).
        """
        o, r = self.original, self.released
        total, c = float(o.sum() + r.sum()), float(r.sum() / (o.sum() + r.sum()))
        expected = (len(o) - 1) * (1 - c) ** 2 * c / total
        if expected == 0:
            return 0.0
        return float(((o + r) * (r / (o + r) - c) ** 2).sum() / total / expected)


def joint_cells(
    factors: Sequence[Factor],
    *,
    weights: tuple[Floats, Floats] | None = None,
) -> Cells:
    """Count one to three factors together, in both files."""
    sizes = tuple(factor.size for factor in factors)
    cells = int(np.prod([float(size) for size in sizes]))
    records = max(len(factors[0].original), len(factors[0].released))
    if cells <= max(_DENSE, records):
        tables = []
        for n, side in enumerate(("original", "released")):
            codes = [getattr(factor, side) for factor in factors]
            tables.append(_dense(codes, sizes, cells, weights[n] if weights else None))
        used = np.flatnonzero((tables[0] > 0) | (tables[1] > 0))
        return Cells(sizes, used, tables[0][used], tables[1][used])
    return _sorted(factors, sizes, weights)


def numbered_cells(codes: Sequence[SmallInts], sizes: Sequence[int]) -> tuple[Ints, int]:
    """Return the cell of every record, and the number of cells; few enough for counting."""
    keys = codes[0].astype(np.int64)
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        keys *= size
        keys += code
    cells = int(np.prod([float(size) for size in sizes]))
    if cells > max(_DENSE, len(keys)):
        used, keys = np.unique(keys, return_inverse=True)
        return keys.reshape(-1), len(used)
    return keys, cells


def _dense(
    codes: Sequence[SmallInts],
    sizes: Sequence[int],
    cells: int,
    weights: Floats | None,
) -> Floats:
    a, b, c, size_b, size_c = _three(codes, sizes)
    if weights is not None:
        sums = np.zeros(cells, dtype=np.float64)
        add_cells(a, b, c, size_b, size_c, weights, sums)
        return sums
    counts = np.zeros(cells, dtype=np.int64)
    count_cells(a, b, c, size_b, size_c, counts)
    return counts.astype(np.float64)


def _three(
    codes: Sequence[SmallInts], sizes: Sequence[int]
) -> tuple[SmallInts, SmallInts, SmallInts, int, int]:
    """Fill up with variables of one category."""
    absent = np.broadcast_to(np.zeros(1, dtype=np.int32), codes[0].shape)
    absent = np.ascontiguousarray(absent) if len(codes) < 3 else _NOTHING
    filled = [*codes, absent, absent][:3]
    size_b, size_c = [*sizes[1:], 1, 1][:2]
    return filled[0], filled[1], filled[2], size_b, size_c


def _sorted(
    factors: Sequence[Factor],
    sizes: tuple[int, ...],
    weights: tuple[Floats, Floats] | None,
) -> Cells:
    keys = [
        np.ravel_multi_index([getattr(f, side) for f in factors], sizes)
        for side in ("original", "released")
    ]
    positions, where = np.unique(np.concatenate(keys), return_inverse=True)
    where = where.reshape(-1)
    split = len(keys[0])
    tables = [
        np.bincount(at, weights[n] if weights else None, minlength=len(positions))
        for n, at in enumerate((where[:split], where[split:]))
    ]
    return Cells(sizes, positions.astype(np.int64), *(t.astype(np.float64) for t in tables))
