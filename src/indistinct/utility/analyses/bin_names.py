"""What bins of numbers are called: by their bounds, the outermost open."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from indistinct.core import SmallInts
from indistinct.keys import CodedColumn

__all__ = ["bin_names", "roundest"]


def bin_names(column: CodedColumn, table: SmallInts, bins: int) -> list[Any]:
    """Return a name for each bin, then the values that are no numbers, None for the missing one.

    A bound is the roundest number that parts the values of both files into the same bins; so it is
    seldom anybody's value. The first and the last bin are open, and do not tell the smallest and
    the largest value.

    Parameters
    ----------
    table
        The bin of every code, as `percentile_bins` gives it; codes that are no numbers follow.

    >>> import pyarrow as pa
    >>> codes, ages = np.arange(6, dtype=np.int32), pa.array([17, 19, 30, 41, 68, 93])
    >>> age = CodedColumn("age", "numeric", ages, False, codes, codes, ages.to_numpy() * 1.0)
    >>> bin_names(age, np.array([0, 0, 1, 1, 2, 2], dtype=np.int32), 3)
    ['below 30', '30–49', '50 and more']
    """
    numbers = column.scores()
    real = np.flatnonzero(~np.isnan(numbers))
    places, values = table[real], numbers[real]
    order = np.argsort(values, kind="stable")
    places, values = places[order], values[order]
    starts = np.searchsorted(places, np.arange(1, bins))
    labels = column.labels()
    if column.level == "date":
        names = _dates([labels[real[order[i]]] for i in starts])
    else:
        whole = bool((values == np.floor(values)).all())
        names = _numbers([roundest(float(values[i - 1]), float(values[i])) for i in starts], whole)
    special = np.flatnonzero(np.isnan(numbers))
    return [*names, *(labels[i] for i in special)]


def roundest(below: float, at: float) -> float:
    """Return the number above the one and not above the other that has the fewest digits.

    >>> roundest(19, 20), roundest(41, 68), roundest(1234.1, 1234.7), roundest(-12, -3)
    (20.0, 50.0, 1234.5, -10.0)
    """
    most = max(abs(below), abs(at))
    exponent = math.floor(math.log10(most)) if most else 0
    for power in range(exponent + 1, exponent - 16, -1):
        for part in (1.0, 0.5):
            step = part * 10.0**power
            found = float(f"{math.floor(at / step) * step:.15g}")
            if below < found <= at:
                return found
    return at


def _numbers(bounds: list[float], whole: bool) -> list[str]:
    if not bounds:
        return ["any number"]
    names = [f"below {_written(bounds[0])}"]
    for low, high in itertools.pairwise(bounds):
        if not whole:
            names.append(f"{_written(low)} to below {_written(high)}")
        elif high - low == 1:
            names.append(_written(low))
        else:
            names.append(f"{_written(low)}–{_written(high - 1)}")
    return [*names, f"{_written(bounds[-1])} and more"]


def _dates(bounds: list[Any]) -> list[str]:
    if not bounds:
        return ["any date"]
    between = [f"{low} to before {high}" for low, high in itertools.pairwise(bounds)]
    return [f"before {bounds[0]}", *between, f"{bounds[-1]} and later"]


def _written(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}" if abs(value) >= 10_000 else f"{int(value)}"
    return f"{value:,.15g}"
