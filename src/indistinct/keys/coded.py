"""Two files read once, column by column, into codes with shared categories.

Every measure here works on codes: a column is a list of distinct values that both files share,
sorted, and one small integer per record. Ranks, quantiles and tables are then counts of codes, and
the records are not read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import (
    LEVELS,
    Floats,
    InputError,
    Ints,
    Level,
    Role,
    SmallInts,
    Variable,
    did_you_mean,
    holds_numbers,
    progress,
)
from indistinct.engine import text_columns
from indistinct.files import Source

__all__ = ["FEW_VALUES", "Coded", "CodedColumn", "Side", "read_coded"]

FEW_VALUES = 20
"""Whole numbers with at most so many different values are taken for codes, not for amounts,
unless somebody says otherwise."""

Side = Literal["original", "released"]
Chunk = tuple[Ints, pa.Array]

_NOT_COMPARED: tuple[Role, ...] = ("identifier", "weight", "household")


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """One variable in both files.

    Parameters
    ----------
    name, level
        The variable, and what it is taken for.
    values
        The distinct values of both files, sorted.
    missing
        Whether any is missing in either; it then has the last code.
    original, released
        The code of every record.
    numbers
        The number of each code, where values are numbers or dates (days, microseconds); not a
        number where it is missing or declared to mean so.
    """

    name: str
    level: Level
    values: pa.Array = field(repr=False)
    missing: bool
    original: SmallInts = field(repr=False)
    released: SmallInts = field(repr=False)
    numbers: Floats | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """The number of categories, missing among them."""
        return len(self.values) + int(self.missing)

    @property
    def is_numeric(self) -> bool:
        """Whether means and quantiles make sense."""
        return self.level in ("numeric", "date") and self.numbers is not None

    @property
    def is_ordered(self) -> bool:
        """Whether ranks make sense."""
        return self.is_numeric or self.level == "ordinal"

    def of(self, side: Side) -> SmallInts:
        """Return the codes of one file."""
        return self.original if side == "original" else self.released

    def counts(self, side: Side, weights: Floats | None = None) -> Floats:
        """Return the records, or their weights, with each code."""
        return np.bincount(self.of(side), weights, minlength=self.size).astype(np.float64)

    def labels(self) -> list[Any]:
        """Return the value of each code, None for the missing one."""
        found: list[Any] = self.values.to_pylist()
        return [*found, None] if self.missing else found

    def scores(self) -> Floats:
        """Return a number for each code that keeps the order; not a number where missing."""
        if self.numbers is not None:
            return self.numbers
        found = np.arange(self.size, dtype=np.float64)
        if self.missing:
            found[-1] = np.nan
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Coded:
    """Two files with the same variables, as codes.

    Parameters
    ----------
    columns
        The variables, by name.
    records_original, records_released
        The number of records.
    weights_original, weights_released
        Sampling weights, where they were asked for.
    notes
        Sentences for people: what was left out, and what was taken for what.
    """

    columns: Mapping[str, CodedColumn]
    records_original: int
    records_released: int
    weights_original: Floats | None = None
    weights_released: Floats | None = None
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> CodedColumn:
        """Return a variable by its name."""
        if name not in self.columns:
            raise InputError(f"'{name}' is not compared. {did_you_mean(name, self.columns)}")
        return self.columns[name]

    @property
    def names(self) -> list[str]:
        """The variables, in file order."""
        return list(self.columns)

    def records(self, side: Side) -> int:
        """Return the records of one file."""
        return self.records_original if side == "original" else self.records_released

    def weights(self, side: Side) -> Floats | None:
        """Return the weights of one file."""
        return self.weights_original if side == "original" else self.weights_released

    def chosen(self, names: Sequence[str] | None) -> list[CodedColumn]:
        """Return the variables named, or all."""
        return [self[name] for name in (self.names if names is None else names)]

    def __repr__(self) -> str:
        return (
            f"Coded({self.records_original:,} original and {self.records_released:,} released "
            f"records, {len(self.columns)} variables)"
        )


def read_coded(
    original: Source,
    released: Source,
    *,
    variables: Sequence[str] | None = None,
    levels: Mapping[str, Level] | None = None,
    weights: str | None = None,
) -> Coded:
    """Read both files once, into codes.

    Parameters
    ----------
    variables
        What to compare. By default everything both files have, except identifiers, weights,
        household numbers and texts that differ in almost every record.
    levels
        Levels of measurement that replace those of the original file. A column of whole numbers
        with at most `FEW_VALUES` values is otherwise taken for codes.
    weights
        A variable of sampling weights, in both files.

    >>> from indistinct.files import open_table, workspace
    >>> with workspace() as folder:
    ...     first = open_table(pa.table({"age": [30, 41, None]}), workspace=folder)
    ...     second = open_table(pa.table({"age": [41, 41, 52]}), workspace=folder)
    ...     age = read_coded(first, second)["age"]
    >>> age.values.to_pylist(), age.original.tolist(), age.released.tolist()
    ([30, 41, 52], [0, 1, 3], [1, 1, 2])
    """
    for source in (original, released):
        if not source.records:
            raise InputError(f"{source.origin} has no records. There is nothing to compare.")
    levels = levels or {}
    for name, level in levels.items():
        original.check_columns([name])
        if level not in LEVELS:
            raise InputError(
                f"The level of '{name}' must be one of {', '.join(LEVELS)}. Got '{level}'. "
                f"{did_you_mean(level, LEVELS)}"
            )
    names, notes = _names(original, released, variables, weights)
    before, after = _chunks(original, names), _chunks(released, names)
    columns = {}
    for name in names:
        told = original.variables[name]
        column, note = _column(told, levels.get(name), before.pop(name), after.pop(name))
        if variables is None and _names_single_records(column, original.records):
            note = f"{name} is left out: {len(column.values):,} different texts."
        else:
            columns[name] = column
        notes += [note] if note else []
    if not columns:
        raise InputError(
            f"{original.origin} and {released.origin} have no variables to compare. "
            "Name some with variables=."
        )
    return Coded(
        columns,
        original.records,
        released.records,
        _weights(original, weights),
        _weights(released, weights),
        tuple(notes),
    )


def _names(
    original: Source, released: Source, asked: Sequence[str] | None, weights: str | None
) -> tuple[list[str], list[str]]:
    if asked is not None:
        if not asked:
            raise InputError("Name at least one variable to compare.")
        for source in (original, released):
            source.check_columns(asked)
        return list(dict.fromkeys(asked)), []
    kept = [v.name for v in original.variables.values() if v.role not in _NOT_COMPARED]
    kept = [name for name in kept if name != weights]
    lost = [name for name in kept if name not in released.variables]
    notes = [f"Not in the released file: {', '.join(lost)}."] if lost else []
    return [name for name in kept if name not in lost], notes


def _names_single_records(column: CodedColumn, records: int) -> bool:
    return not column.is_ordered and len(column.values) > max(1000, records // 10)


def _chunks(source: Source, names: Sequence[str]) -> dict[str, list[Chunk]]:
    """Return for each column and batch the indices (-1: missing) into a list of values."""
    found: dict[str, list[Chunk]] = {name: [] for name in names}
    texts = text_columns(source.schema, names)
    batches = progress.each(
        source.batches(list(names), as_dictionary=texts),
        "reading the variables to compare",
        total=source.records,
        unit="records",
        amount=lambda batch: int(batch.num_rows),
    )
    for batch in batches:
        for name in names:
            column = batch.column(name)
            if not pa.types.is_dictionary(column.type):
                column = column.dictionary_encode()
            indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            found[name].append((indices.astype(np.int32), column.dictionary))
    return found


def _column(
    told: Variable, level: Level | None, before: list[Chunk], after: list[Chunk]
) -> tuple[CodedColumn, str]:
    kind, note = _common_type(told, level, before, after)
    dictionaries = [_cast(values, kind) for _, values in (*before, *after)]
    values = _distinct(dictionaries, kind)
    missing = False
    codes: list[SmallInts] = []
    for (indices, _), dictionary in zip((*before, *after), dictionaries, strict=True):
        # the last entry of the table is reached by the index -1 of a missing value
        table = np.full(len(dictionary) + 1, len(values), dtype=np.int32)
        at = pc.index_in(dictionary, value_set=values)
        table[:-1] = at.fill_null(len(values)).to_numpy(zero_copy_only=False)
        codes.append(table[indices])
        missing = missing or bool((codes[-1] == len(values)).any())
    split = len(before)
    numbers = _numbers(values, told, missing)
    found = CodedColumn(
        told.name,
        _level(told, level, values, numbers),
        values,
        missing,
        _joined(codes[:split]),
        _joined(codes[split:]),
        numbers,
    )
    return found, note


def _joined(parts: Sequence[SmallInts]) -> SmallInts:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)


def _common_type(
    told: Variable, level: Level | None, before: list[Chunk], after: list[Chunk]
) -> tuple[pa.DataType, str]:
    first, second = ({values.type for _, values in chunks} for chunks in (before, after))
    kinds = {kind for kind in first | second if not pa.types.is_null(kind)} or {pa.string()}
    if all(pa.types.is_string(kind) for kind in kinds):
        numeric = (level or told.level) == "numeric"
        is_number = numeric and all(_holds_numbers(v) for _, v in (*before, *after))
        return (pa.float64() if is_number else pa.string()), ""
    if all(pa.types.is_integer(kind) for kind in kinds):
        return pa.int64(), ""
    if all(holds_numbers(kind) for kind in kinds):
        return pa.float64(), ""
    if len(kinds) == 1:
        return next(iter(kinds)), ""
    words = " and ".join(str(next(iter(kind))) for kind in (first, second) if kind)
    return pa.string(), f"{told.name} is {words} in the two files: compared as text."


def _holds_numbers(values: pa.Array) -> bool:
    try:
        values.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _cast(values: pa.Array, kind: pa.DataType) -> pa.Array:
    found = values if values.type == kind else values.cast(kind)
    if pa.types.is_floating(kind):
        # as in counting, a not-a-number is a missing value, and -0 is 0
        numbers = found.cast(pa.float64()).to_numpy(zero_copy_only=False) + 0.0
        found = pa.array(numbers, mask=np.isnan(numbers))
    return found


def _distinct(dictionaries: Iterable[pa.Array], kind: pa.DataType) -> pa.Array:
    parts = list(dictionaries)
    kind = pa.float64() if pa.types.is_floating(kind) else kind
    every = pc.unique(pa.concat_arrays(parts)) if parts else pa.array([], type=kind)
    every = every.drop_null()
    return every.take(pc.sort_indices(every))


def _numbers(values: pa.Array, told: Variable, missing: bool) -> Floats | None:
    kind = values.type
    if pa.types.is_temporal(kind):
        days = pa.types.is_date32(kind) or pa.types.is_time32(kind)
        values = values.cast(pa.int32() if days else pa.int64())
    elif not holds_numbers(kind):
        return _declared_order(values, told, missing)
    found = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    found = np.where(np.isfinite(found), found, np.nan)
    if told.user_missing:
        absent = [told.is_missing(value) for value in values.to_pylist()]
        found[np.array(absent, dtype=bool)] = np.nan
    return np.append(found, np.nan) if missing else found


def _declared_order(values: pa.Array, told: Variable, missing: bool) -> Floats | None:
    """Return the places of texts in the order in which an ordinal variable's were declared."""
    if told.level != "ordinal" or told.categories is None:
        return None
    places = {str(value): float(n) for n, value in enumerate(told.categories)}
    found = np.array([places.get(str(value), np.nan) for value in values.to_pylist()])
    return np.append(found, np.nan) if missing else found


def _level(told: Variable, asked: Level | None, values: pa.Array, numbers: Floats | None) -> Level:
    if asked is not None:
        return asked if numbers is not None or asked != "numeric" else "nominal"
    if told.level != "numeric":
        return told.level
    if numbers is None:
        return "nominal"
    whole = bool(np.all(numbers[~np.isnan(numbers)] % 1 == 0))
    return "nominal" if whole and len(values) <= FEW_VALUES else "numeric"


def _weights(source: Source, name: str | None) -> Floats | None:
    if name is None:
        return None
    source.check_columns([name])
    parts = []
    start = 0
    for batch in source.batches([name]):
        column = batch.column(0)
        if not holds_numbers(column.type):
            raise InputError(f"{source.origin}: the weight '{name}' must be a number column.")
        values = column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
        bad = ~(values > 0) | np.isinf(values)
        if bad.any():
            raise InputError(
                f"{source.origin}: the weight '{name}' in record "
                f"{start + int(np.argmax(bad)) + 1:,} is not a positive number. Correct it, or "
                "leave the record out."
            )
        parts.append(values)
        start += len(values)
    return np.concatenate(parts)
