"""Variables as factors: categories as they are, numbers in bins of the original's quantiles."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from indistinct.core import SmallInts, check_whole
from indistinct.keys import Coded, CodedColumn

__all__ = ["Factor", "as_factor", "as_factors", "percentile_bins"]


@dataclass(frozen=True, eq=False)
class Factor:
    """A variable with few enough categories for tables.

    Parameters
    ----------
    size
        The number of categories.
    original, released
        The category of every record.
    bins
        How many of the categories are bins of numbers; 0 for a variable as it is.
    """

    name: str
    size: int
    original: SmallInts = field(repr=False)
    released: SmallInts = field(repr=False)
    bins: int = 0


def as_factor(column: CodedColumn, *, bins: int) -> Factor:
    """Return a variable as it is, or in bins where it has more different numbers than `bins`.

    Missing values, and numbers declared to mean missing, stay categories of their own.
    """
    check_whole("The number of bins", bins, 2)
    distinct = 0 if column.numbers is None else int((~np.isnan(column.numbers)).sum())
    if not column.is_numeric or distinct <= bins:
        return Factor(column.name, column.size, column.original, column.released)
    table, used = percentile_bins(column, bins=bins)
    size = int(table.max()) + 1
    return Factor(column.name, size, table[column.original], table[column.released], used)


def as_factors(coded: Coded, names: list[str] | None = None, *, bins: int) -> list[Factor]:
    """Return several variables, or all."""
    return [as_factor(column, bins=bins) for column in coded.chosen(names)]


def percentile_bins(column: CodedColumn, *, bins: int) -> tuple[SmallInts, int]:
    """Return the bin of every code, by its percentile in the *original* file, and how many.

    As NIST's SDNist does it: with r the mid-rank of a value among the n original records, its
    bin is ⌊bins · r / n⌋, at most bins − 1. A value that only the released file has goes where
    the next larger original value is, or into the last bin. Codes that are no numbers follow the
    bins, each by itself.
    """
    numbers = column.scores()
    real = ~np.isnan(numbers)
    counts = np.where(real, column.counts("original"), 0.0)
    below = np.cumsum(counts) - counts
    records = max(float(counts.sum()), 1.0)
    place = np.floor(bins * (below + (counts + 1) / 2) / records)
    place = np.minimum(place, bins - 1)
    place[counts == 0] = np.inf
    # the next original value's bin, looking from the largest down
    place = np.minimum.accumulate(place[::-1])[::-1]
    last = place[np.isfinite(place)].max(initial=0.0)
    # empty bins are closed up, so that codes stay few
    kept, where = np.unique(np.minimum(place, last), return_inverse=True)
    table: SmallInts = where.reshape(-1).astype(np.int32)
    used = len(kept)
    special = np.flatnonzero(~real)
    table[special] = used + np.arange(len(special), dtype=np.int32)
    return table, used
