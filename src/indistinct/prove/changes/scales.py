"""One coding for a variable's values in two files, and where each value stands on its scale."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Floats, Ints, Level, Variable, decoded, holds_numbers
from indistinct.engine import Coding

__all__ = ["ORDERED", "Scale", "joint_scale", "only_occurring"]


ORDERED: tuple[Level, ...] = ("numeric", "ordinal", "date")
"""Levels whose values have an order; the others are the same or not."""


@dataclass(frozen=True, eq=False)
class Scale:
    """The values of a variable that either file has, by a code that both share.

    Parameters
    ----------
    level
        Whether the values have an order, and whether their differences mean something.
    original, released
        The shared code of every code of that file's own coding.
    size
        The number of shared codes.
    missing
        The code of a value that is absent, -1 where there is none.
    place
        Where each code stands: the number, the day, the position in the order; NaN for values
        without a place (missing ones, labels among numbers), and for all where there is no order.
    """

    name: str
    level: Level
    original: Ints = field(repr=False)
    released: Ints = field(repr=False)
    size: int
    missing: int
    place: Floats = field(repr=False)

    @property
    def ordered(self) -> bool:
        """Whether the values have an order."""
        return self.level in ORDERED


def joint_scale(
    original: Coding, released: Coding, variable: Variable, level: Level | None = None
) -> Scale:
    """Give the values of two codings of one variable the same codes; a missing one equals another.

    Numbers are compared as numbers; where one file has numbers and the other text, ``1`` is
    ``"1"``.

    >>> scale = joint_scale(
    ...     Coding("age", 3, False, low=20),
    ...     Coding("age", 3, True, values=pa.array(["21", "85+"])),
    ...     Variable("age", level="numeric"))
    >>> scale.original.tolist(), scale.released.tolist(), scale.missing
    ([0, 1, 2], [1, 3, 4], 4)
    >>> scale.place.tolist()
    [20.0, 21.0, 22.0, nan, nan]
    """
    level = level or variable.level
    a, b = _alike(_distinct(original), _distinct(released))
    both = pa.concat_arrays([a, b])
    values = pc.unique(both)
    values = values.take(pc.sort_indices(values)) if len(values) else values
    codes = pc.index_in(both, value_set=values).to_numpy(zero_copy_only=False).astype(np.int64)
    size = len(values)
    missing = size if original.missing or released.missing else -1
    mine = np.append(codes[: len(a)], missing)[: original.size]
    theirs = np.append(codes[len(a) :], missing)[: released.size]
    size += missing >= 0
    place = np.full(size, np.nan)
    if level in ORDERED:
        place[: len(values)] = _places(values, variable, level)
    return Scale(variable.name, level, mine, theirs, size, missing, place)


def only_occurring(coding: Coding, codes: Ints) -> tuple[Coding, Ints]:
    """Return a coding of the values that occur, and the codes in it.

    An income between 0 and ten million has ten million codes and a few thousand values.
    """
    found, again = np.unique(codes, return_inverse=True)
    last = coding.missing and len(found) > 0 and int(found[-1]) == coding.size - 1
    values = _distinct(coding, found[:-1] if last else found)
    kept = Coding(coding.name, len(found), bool(last), values=values)
    return kept, again.reshape(-1).astype(np.int64)


def _distinct(coding: Coding, codes: Ints | None = None) -> pa.Array:
    if coding.values is not None:
        values = coding.values if codes is None else coding.values.take(pa.array(codes))
        return decoded(values)
    if codes is None:
        codes = np.arange(coding.size - coding.missing)
    return pa.array(coding.low + codes)


def _alike(a: pa.Array, b: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return both as the same type, in which equal values are equal."""
    if not len(a) or not len(b):
        kind = b.type if len(b) else a.type
        a, b = (side if len(side) else pa.array([], type=kind) for side in (a, b))
    if a.type == b.type and not pa.types.is_floating(a.type):
        return a, b
    if holds_numbers(a.type) and holds_numbers(b.type):
        if all(pa.types.is_integer(side.type) for side in (a, b)):
            return a.cast(pa.int64()), b.cast(pa.int64())
        # a double 0.1 is not the 0.1 of single precision, unless it is rounded alike
        narrow = any(pa.types.is_float32(side.type) for side in (a, b))
        kind = pa.float32() if narrow else pa.float64()
        return a.cast(kind, safe=False), b.cast(kind, safe=False)
    return _texts(a), _texts(b)


def _texts(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type):
        whole = [str(int(v)) if float(v).is_integer() else str(v) for v in values.to_pylist()]
        return pa.array(whole, type=pa.string())
    return values.cast(pa.string())


def _places(values: pa.Array, variable: Variable, level: Level) -> Floats:
    if level == "ordinal" and variable.categories is not None:
        order = {str(v): float(i) for i, v in enumerate(variable.categories)}
        found = _each(values, lambda v: order.get(str(v), np.nan))
    elif level == "ordinal" and not holds_numbers(values.type):
        found = np.arange(len(values), dtype=np.float64)
    elif holds_numbers(values.type):
        found = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False).copy()
    elif pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        ticks = values.cast(pa.timestamp("us")).cast(pa.int64())
        found = ticks.to_numpy(zero_copy_only=False) / 86_400e6
    else:
        found = _each(values, _day if level == "date" else _number)
    if variable.user_missing:
        found[[_means_missing(variable, v) for v in values.to_pylist()]] = np.nan
    found[~np.isfinite(found)] = np.nan
    return found


def _each(values: pa.Array, place: Callable[[Any], float]) -> Floats:
    return np.array([place(value) for value in values.to_pylist()], dtype=np.float64)


def _means_missing(variable: Variable, value: Any) -> bool:
    try:
        return variable.is_missing(value)
    except TypeError:  # a code that is a number says nothing of a text
        return False


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def _day(value: Any) -> float:
    try:
        return float(datetime.date.fromisoformat(str(value)).toordinal())
    except ValueError:
        return np.nan
