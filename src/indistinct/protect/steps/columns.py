"""Columns as arrays and back: what several techniques need.

Whole numbers and decimals are held as whole multiples of their last digit, so that what is added
to them and taken from them is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    Array,
    Bools,
    Floats,
    InputError,
    Ints,
    Variable,
    Variables,
    above,
    check_number,
    holds_numbers,
)
from indistinct.engine import Coding, Engine, Tally
from indistinct.files import Source
from indistinct.protect.receipt import Receipt

__all__ = [
    "Numbers",
    "check_records",
    "check_share",
    "check_variables",
    "class_numbers",
    "filled",
    "group_numbers",
    "read_numbers",
    "rewritten",
    "values_of",
    "with_columns",
]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers.

    Parameters
    ----------
    kind
        The column's type.
    values
        For whole numbers and decimals 64-bit integers that count units of ``10**-places``; else
        floating numbers. Undefined where not `present`.
    present
        False for a missing value and for a code that means *missing*: these are left alone.
    places
        Decimal places of a unit; None for floating numbers.
    """

    name: str
    kind: pa.DataType
    values: Array = field(repr=False)
    present: Bools = field(repr=False)
    places: int | None
    column: pa.ChunkedArray = field(repr=False)

    def floats(self) -> Floats:
        """Return the numbers as they are meant, as floating numbers."""
        if self.places is None:
            return np.asarray(self.values, dtype=np.float64)
        return np.asarray(self.values / 10.0**self.places, dtype=np.float64)

    def replaced(self, new: Array) -> pa.ChunkedArray:
        """Return the column with new numbers, in the unit of `values`, where some are present.

        The type stays, or becomes a wider one of the same sort where a number does not fit.
        """
        if self.places is None or new.dtype.kind == "f":
            kind = self.kind if pa.types.is_floating(self.kind) else pa.float64()
            array = pa.array(new).cast(kind)
        elif pa.types.is_decimal(self.kind):
            array = _from_units(new, self.places)
            array = _fitting(array, self.kind)
        else:
            array = _fitting(pa.array(new), self.kind)
        old = self.column.combine_chunks()
        old = old if old.type == array.type else old.cast(array.type)
        return pa.chunked_array([pc.if_else(pa.array(self.present), array, old)])


def read_numbers(source: Source, name: str, *, doing: str) -> Numbers:
    """Read a column of numbers; another column, or one with an infinite number, is refused."""
    source.check_columns([name])
    kind = source.schema.field(name).type
    if not holds_numbers(kind):
        raise InputError(
            f"{source.origin}: {doing} needs numbers, and '{name}' holds {kind}. Name another "
            "variable, or convert the column."
        )
    column = source.table([name]).column(0)
    array = column.combine_chunks()
    present = array.is_valid().to_numpy(zero_copy_only=False).copy()
    places: int | None = None
    if pa.types.is_floating(kind):
        values = array.cast(pa.float64()).fill_null(np.nan).to_numpy().copy()
        present &= ~np.isnan(values)
        endless = present & np.isinf(values)
        if endless.any():
            raise InputError(
                f"{source.origin}: '{name}' is infinite in record {int(np.argmax(endless)) + 1:,}. "
                "Correct it, or leave the record out."
            )
    else:
        places = kind.scale if pa.types.is_decimal(kind) else 0
        try:
            values = _units(array, kind)
        except (pa.ArrowInvalid, OverflowError):
            raise InputError(
                f"{source.origin}: '{name}' holds numbers with more digits than 64 bits can count. "
                f"{doing.capitalize()} cannot be exact there: convert the column."
            ) from None
    missing = _codes_for_missing(source.variables[name], values, places)
    return Numbers(name, kind, values, present & ~missing, places, column)


def filled(column: pa.ChunkedArray) -> Bools:
    """Say which cells hold a value; a not-a-number is none."""
    absent = column.is_null(nan_is_null=True)
    return np.asarray(~absent.to_numpy())


def with_columns(
    engine: Engine,
    source: Source,
    columns: Mapping[str, pa.Array | pa.ChunkedArray],
    *,
    variables: Variables | None = None,
) -> Source:
    """Replace whole columns by new ones, given in record order."""
    schema = source.schema
    new = []
    for name, values in columns.items():
        position = schema.get_field_index(name)
        entry = pa.field(name, values.type)
        schema = schema.set(position, entry)
        new.append((position, entry, values))

    def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
        for position, entry, values in new:
            taken = values.take(pa.array(numbers))
            if isinstance(taken, pa.ChunkedArray):
                taken = taken.combine_chunks()
            batch = batch.set_column(position, entry, taken)
        return batch

    return engine.transform(source, change, schema=schema, variables=variables or source.variables)


def rewritten(
    kind: str,
    engine: Engine,
    source: Source,
    columns: Mapping[str, pa.Array | pa.ChunkedArray],
    changed: Mapping[str, Bools],
    *,
    variables: Variables | None = None,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
    private: Any = None,
) -> tuple[Source, Receipt]:
    """Replace columns where a cell of them changed, and say of how many records and cells."""
    touched = np.zeros(source.records, dtype=bool)
    for mask in changed.values():
        touched |= mask
    result = source
    if touched.any():
        result = with_columns(engine, source, columns, variables=variables)
    return result, Receipt(
        kind,
        source.records,
        result.records,
        records_changed=int(touched.sum()),
        cells_changed={name: int(mask.sum()) for name, mask in changed.items()},
        notes=tuple(notes),
        warnings=tuple(warnings),
        private=private,
    )


def class_numbers(tally: Tally) -> Ints:
    """Return the class of every record, in record order."""
    parts = list(tally.per_record(np.arange(tally.classes, dtype=np.int64)))
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def group_numbers(engine: Engine, source: Source, names: Sequence[str]) -> Ints:
    """Return the group of every record by some variables; without any, all are in group 0."""
    if not names:
        return np.zeros(source.records, dtype=np.int64)
    source.check_columns(names)
    return class_numbers(engine.count(source, names))


def values_of(coding: Coding, codes: Ints, kind: pa.DataType) -> pa.Array:
    """Return the values of codes in the column's own type."""
    absent = (codes == coding.size - 1) if coding.missing else np.zeros(len(codes), dtype=bool)
    if coding.values is None:
        return pa.array(codes + coding.low, mask=absent).cast(kind)
    return coding.values.take(pa.array(codes, type=pa.int64(), mask=absent)).cast(kind)


def check_variables(variables: Sequence[str], doing: str, *, some: bool = True) -> None:
    """Refuse no variables where some are needed, and a variable named twice."""
    if isinstance(variables, str) or (some and not variables):
        raise InputError(f"Name at least one variable for {doing}, as a list.")
    if len(set(variables)) < len(variables):
        raise InputError(f"A variable for {doing} is named twice. Name each once.")


def check_records(source: Source, records: Sequence[int]) -> None:
    """Refuse numbers that no record has; they count from 0."""
    wrong = [n for n in records if isinstance(n, bool) or not 0 <= n < source.records]
    if wrong:
        raise InputError(
            f"{source.origin}: there is no record {wrong[0] + 1:,}. The file has "
            f"{source.records:,}; in a plan they are numbered from 0."
        )


def check_share(share: float, name: str) -> None:
    """Refuse what is not a share above 0 and at most 1."""
    check_number(f"The {name}", share, above(0, 1))


def _codes_for_missing(variable: Variable, values: Array, places: int | None) -> Bools:
    found = np.zeros(len(values), dtype=bool)
    plain = values if not places else values / 10.0**places
    for code in variable.user_missing:
        low, high = code if isinstance(code, tuple) else (code, code)
        if isinstance(low, int | float) and isinstance(high, int | float):
            found |= (plain >= low) & (plain <= high)
    return found


def _units(array: pa.Array, kind: pa.DataType) -> Ints:
    if not pa.types.is_decimal(kind):
        whole: Ints = array.cast(pa.int64()).fill_null(0).to_numpy()
        return whole
    wide = array.cast(pa.decimal128(38, kind.scale))
    if not len(wide):
        return np.empty(0, dtype=np.int64)
    # a 128-bit number, least significant word first
    halves = np.frombuffer(wide.buffers()[1], dtype=np.int64).reshape(-1, 2)
    halves = halves[wide.offset : wide.offset + len(wide)]
    valid = wide.is_valid().to_numpy(zero_copy_only=False)
    if (halves[valid, 1] != halves[valid, 0] >> 63).any():
        raise OverflowError
    return np.where(valid, halves[:, 0], 0)


def _from_units(units: Ints, places: int) -> pa.Array:
    halves = np.stack([units, units >> 63], axis=1)
    buffer = pa.py_buffer(np.ascontiguousarray(halves))
    return pa.Array.from_buffers(pa.decimal128(38, places), len(units), [None, buffer])


def _fitting(array: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return array.cast(kind)
    except pa.ArrowInvalid:
        return array
