"""Values of several types in one column: the narrowest type that holds all of them as they are.

Databases without types (SQLite) and JSON say of every value what it is, and not of a column. A
column is boolean, integer or decimal where all of its values are; whole numbers and decimals
together are decimal; everything else is text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from indistinct.core import InputError, Variable, Variables
from indistinct.files.parquet import parquet_writer

__all__ = ["ValueColumn", "stage_values"]

_LARGEST = 2**53
"""Whole numbers below are the same as decimals."""


class ValueColumn:
    """Finds the type of one column while its values pass, as `TextColumn` does for texts.

    >>> column = ValueColumn("rent", "flats.jsonl")
    >>> column.convert([12, None]).to_pylist(), column.changed
    ([12, None], False)
    >>> column.convert([9.5]).to_pylist(), column.changed
    ([9.5], True)
    """

    def __init__(self, name: str, origin: str) -> None:
        self.name = name
        self._origin = origin
        self._kinds: set[str] = set()
        self._is_large = False
        self.start()

    def start(self) -> None:
        """Begin a new pass over the column."""
        self.changed = False
        self._passed = False

    @property
    def type(self) -> pa.DataType:
        """The Arrow type found so far."""
        if self._kinds == {"bool"}:
            return pa.bool_()
        if self._kinds == {"int"}:
            return pa.int64()
        if self._kinds == {"float"} or (self._kinds == {"int", "float"} and not self._is_large):
            return pa.float64()
        return pa.string()

    def convert(self, values: Sequence[Any]) -> pa.Array:
        """Return values in the type found so far."""
        before = self.type
        for value in set(map(type, values)) - {type(None)}:
            if value not in (bool, int, float, str):
                raise InputError(
                    f"{self._origin}: variable '{self.name}' holds {_words(value)}, not single "
                    "values. Take it apart or leave it out."
                )
            self._kinds.add(value.__name__)
        if "int" in self._kinds:
            whole = [value for value in values if type(value) is int]
            largest = max(map(abs, whole), default=0)
            self._is_large = self._is_large or largest >= _LARGEST
            if largest >= 2**63:
                self._kinds.add("str")
        if self._passed and self.type != before:
            self.changed = True
        self._passed = self._passed or len(values) > 0
        if pa.types.is_string(self.type):
            return pa.array([_text(value) for value in values], pa.string())
        return pa.array(values, self.type)

    def variable(self) -> Variable:
        """Return what was found out, when all values have passed."""
        number = self.type in (pa.int64(), pa.float64())
        return Variable(self.name, level="numeric" if number else "nominal")


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _words(kind: type) -> str:
    return {"dict": "objects", "list": "lists"}.get(kind.__name__, kind.__name__)


def stage_values(
    pieces: Callable[[], Iterator[Mapping[str, Sequence[Any]]]], *, target: Path, origin: str
) -> tuple[Variables, int]:
    """Write records that come piece by piece, as values by column; return what they are.

    Columns may appear late. Where a type turns out too narrow, the pieces are asked for again.
    """
    columns: dict[str, ValueColumn] = {}
    while True:
        for column in columns.values():
            column.start()
        coming = pieces()
        first = next(coming, None)
        if first is None:
            return Variables([]), 0
        arrays, _ = _arrays(first, columns, origin)
        schema = pa.schema([(name, column.type) for name, column in columns.items()])
        with parquet_writer(
            target,
            schema,
            final=lambda: (Variables(c.variable() for c in columns.values()), None),
            overwrite=True,
        ) as writer:
            writer.write(pa.record_batch(arrays, schema=schema))
            fits = True
            for piece in coming:
                arrays, appeared = _arrays(piece, columns, origin)
                fits = fits and not appeared and not any(c.changed for c in columns.values())
                if fits:
                    writer.write(pa.record_batch(arrays, schema=schema))
        if fits:
            return Variables(column.variable() for column in columns.values()), writer.records


def _arrays(
    piece: Mapping[str, Sequence[Any]], columns: dict[str, ValueColumn], origin: str
) -> tuple[list[pa.Array], bool]:
    appeared = [name for name in piece if name not in columns]
    columns.update({name: ValueColumn(name, origin) for name in appeared})
    records = len(next(iter(piece.values()), ()))
    absent = [None] * records
    return [column.convert(piece.get(name, absent)) for name, column in columns.items()], bool(
        appeared
    )
