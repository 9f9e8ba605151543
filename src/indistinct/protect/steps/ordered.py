"""Columns whose values have an order: numbers, dates, and categories that were told theirs.

What is missing (no value, not a number, or a code that means *missing*) has no place in the order,
so steps that move values along it cannot touch it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    Bools,
    Floats,
    InputError,
    Ints,
    Value,
    Variable,
    holds_numbers,
    holds_text,
)
from indistinct.files import Source

__all__ = ["Ordered", "read_ordered"]

_MISSING = -1
_DAY = 86_400.0
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


@dataclass(frozen=True, eq=False)
class Ordered:
    """A column by the places of its values.

    Parameters
    ----------
    column
        The values of all records.
    codes
        The place of every record's value among the distinct ones, from 0; -1 where missing.
    values
        The distinct values in their order, without those that mean *missing*.
    scale
        Where each distinct value lies: a number itself, a date in days, else its place.
    is_number
        Whether its mean has a meaning.
    """

    name: str
    column: pa.Array = field(repr=False)
    codes: Ints = field(repr=False)
    values: pa.Array = field(repr=False)
    scale: Floats = field(repr=False)
    is_number: bool

    @property
    def present(self) -> Bools:
        """Records that have a value."""
        return np.asarray(self.codes != _MISSING)

    def at(self, records: Ints) -> Floats:
        """Return where the values of some records lie; each must have one."""
        return self.scale[self.codes[records]]


def read_ordered(source: Source, name: str, *, doing: str, order: bool = True) -> Ordered:
    """Read a column with the order of its values; one without an order is refused.

    Numbers, dates and truth values have one. Texts have that of their declared categories, or are
    sorted where the variable's level is ordinal or a taxonomy. With ``order=False`` any column will
    do: nominal texts are sorted then.
    """
    source.check_columns([name])
    variable = source.variables[name]
    column = source.table([name]).column(0).combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
    encoded = column.dictionary_encode()
    values = encoded.dictionary
    indices = encoded.indices.cast(pa.int64()).fill_null(_MISSING).to_numpy()
    ordinary = np.flatnonzero(~_means_missing(variable, values))
    kept = values.take(pa.array(ordinary))
    places = _places(source, variable, kept, doing=doing, order=order)
    place_of = np.full(len(values) + 1, _MISSING, dtype=np.int64)  # the last: no value at all
    place_of[ordinary] = places
    back = np.empty(len(places), dtype=np.int64)
    back[places] = np.arange(len(places))
    kept = kept.take(pa.array(back))
    is_number = holds_numbers(kind)
    return Ordered(name, column, place_of[indices], kept, _scale(kept), is_number)


def _scale(values: pa.Array) -> Floats:
    kind = values.type
    if holds_numbers(kind):
        return np.asarray(values.cast(pa.float64()), dtype=np.float64)
    if pa.types.is_date32(kind):
        return np.asarray(values.cast(pa.int32()), dtype=np.float64)
    if pa.types.is_date64(kind):
        return np.asarray(values.cast(pa.int64()), dtype=np.float64) / (1e3 * _DAY)
    if pa.types.is_timestamp(kind):
        ticks = np.asarray(values.cast(pa.int64()), dtype=np.float64)
        return ticks / (_PER_SECOND[kind.unit] * _DAY)
    return np.arange(len(values), dtype=np.float64)


def _places(
    source: Source, variable: Variable, values: pa.Array, *, doing: str, order: bool
) -> Ints:
    """Return the place of each distinct value in the variable's order."""
    if variable.categories is not None and (variable.level == "ordinal" or holds_text(values.type)):
        place = {category: n for n, category in enumerate(variable.categories)}
        found = [place.get(value, -1) for value in values.to_pylist()]
        if min(found, default=0) < 0:
            raise InputError(
                f"{source.origin}: '{variable.name}' holds a value that is not one of its declared "
                "categories, so it has no place in their order. Declare it, or correct the file."
            )
        return np.unique(found, return_inverse=True)[1].astype(np.int64).reshape(-1)
    if order and holds_text(values.type) and variable.level not in ("ordinal", "taxonomy"):
        raise InputError(
            f"{source.origin}: {doing} needs an order, and '{variable.name}' holds text of level "
            f"{variable.level}. Declare its categories in order, or its level as ordinal."
        )
    places = np.empty(len(values), dtype=np.int64)
    places[pc.sort_indices(values).to_numpy()] = np.arange(len(values))
    return places


def _means_missing(variable: Variable, values: pa.Array) -> Bools:
    """Say which distinct values are codes that mean *missing*."""
    found = np.zeros(len(values), dtype=bool)
    if not variable.user_missing:
        return found
    if holds_numbers(values.type):
        numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        for low, high in _ranges(variable):
            if isinstance(low, int | float) and isinstance(high, int | float):
                found |= (numbers >= low) & (numbers <= high)
        return found
    plain = values.to_pylist()
    for low, high in _ranges(variable):
        if isinstance(low, str) and isinstance(high, str):
            found |= np.array([isinstance(v, str) and low <= v <= high for v in plain], dtype=bool)
    return found


def _ranges(variable: Variable) -> list[tuple[Value, Value]]:
    return [code if isinstance(code, tuple) else (code, code) for code in variable.user_missing]
