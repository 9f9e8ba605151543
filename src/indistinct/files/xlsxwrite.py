"""Writing workbooks: one sheet, text as text, numbers as numbers, dates as dates.

What is decided here: no cell is a formula. Text that begins like one is written as text and marked
the way spreadsheets themselves do (a quote prefix), so that it stays text when it is edited.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Variables, holds_numbers
from indistinct.files.tags import tag_letters
from indistinct.files.workspaces import workspace

__all__ = ["write_xlsx"]

_RECORDS = 1_048_575
"""Records of a sheet: its lines but the header (ECMA-376; Excel's own limits)."""
_COLUMNS = 16_384
_LONGEST = 32_767
"""Characters of a cell."""
_EXACT = 2**53
_FIRST = datetime.date(1900, 3, 1)
"""Before this day Excel counts a 29 February 1900 that never was."""
_MADE = datetime.datetime(1980, 1, 1)
"""A fixed time of writing, so that the same table gives the same bytes."""

_Write = Callable[[int, int, Any], Any]


def write_xlsx(
    batches: Iterable[pa.RecordBatch], path: Path, *, schema: pa.Schema, variables: Variables
) -> None:
    """Write batches as the one sheet of a workbook."""
    import xlsxwriter

    if len(schema) > _COLUMNS:
        raise InputError(
            f"A workbook has at most {_COLUMNS:,} columns. Got {len(schema):,}. Write csv or "
            "parquet."
        )
    with workspace() as private:
        book = xlsxwriter.Workbook(
            str(path), {"constant_memory": True, "tmpdir": str(private), "use_zip64": True}
        )
        book.set_properties({"created": _MADE})
        try:
            _write_records(book, batches, schema, variables)
            book.close()
        finally:
            book.fileclosed = True  # what was refused is not written when it is forgotten either


def _write_records(
    book: Any, batches: Iterable[pa.RecordBatch], schema: pa.Schema, variables: Variables
) -> None:
    writing = _Writing(book, book.add_worksheet("data"))
    for at, name in enumerate(schema.names):
        writing.text(0, at, name)
    line = 1
    for batch in batches:
        if line - 1 + batch.num_rows > _RECORDS:
            raise InputError(
                f"A workbook has room for {_RECORDS:,} records, and there are more. Write csv or "
                "parquet."
            )
        columns = [
            _cells(writing, batch.column(at), name, variables)
            for at, name in enumerate(schema.names)
        ]
        writes = [write for write, _ in columns]
        for record in zip(*(cells for _, cells in columns), strict=True):
            for at, cell in enumerate(record):
                if cell is not None:
                    writes[at](line, at, cell)
            line += 1


class _Exact(float):
    """A number that is written in all of its digits: the writer's own 16 lose the last bits."""

    def __format__(self, _: str) -> str:
        return repr(float(self))


class _Writing:
    """Writes cells of every kind to a sheet."""

    def __init__(self, book: Any, sheet: Any) -> None:
        self._sheet = sheet
        self._marked = book.add_format({"quote_prefix": True})
        self._date = book.add_format({"num_format": "yyyy-mm-dd"})
        self._stamp = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})

    def text(self, line: int, at: int, value: str) -> None:
        like_formula = value[:1] in "=+-@\t\r" if value else False
        if self._sheet.write_string(line, at, value, self._marked if like_formula else None):
            raise InputError(
                f"A cell of a workbook holds at most {_LONGEST:,} characters, and the text of "
                f"record {line:,} in column {at + 1:,} has more. Write csv or parquet."
            )

    def number(self, line: int, at: int, value: float) -> None:
        self._sheet.write_number(line, at, _Exact(value) if isinstance(value, float) else value)

    def boolean(self, line: int, at: int, value: bool) -> None:
        self._sheet.write_boolean(line, at, value)

    def date(self, line: int, at: int, value: datetime.date) -> None:
        if value < _FIRST:
            self.text(line, at, value.isoformat())  # spreadsheets have no such days
        else:
            self._sheet.write_datetime(
                line, at, datetime.datetime.combine(value, datetime.time()), self._date
            )

    def stamp(self, line: int, at: int, value: datetime.datetime) -> None:
        if value.date() < _FIRST:
            self.text(line, at, value.isoformat(" "))
        else:
            self._sheet.write_datetime(line, at, value, self._stamp)

    def mixed(self, line: int, at: int, value: float | str) -> None:
        """Write a number, or the letter of a missing one."""
        if isinstance(value, str):
            self.text(line, at, value)
        else:
            self.number(line, at, value)


def _cells(
    writing: _Writing, values: pa.Array, name: str, variables: Variables
) -> tuple[_Write, list[Any]]:
    """Return what writes the cells of a column, and its cells."""
    type = values.type
    if pa.types.is_dictionary(type):
        values = values.dictionary_decode()
        type = values.type
    if pa.types.is_boolean(type):
        return writing.boolean, values.to_pylist()
    if pa.types.is_date(type):
        return writing.date, values.cast(pa.date32()).to_pylist()
    if pa.types.is_timestamp(type):
        plain = values.cast(pa.timestamp("us", type.tz)).cast(pa.timestamp("us"))
        return writing.stamp, plain.to_pylist()
    letters = {code: f".{letter}" for code, letter in tag_letters(variables[name]).items()}
    if holds_numbers(type):
        if pa.types.is_decimal(type):
            values = values.cast(pa.float64())
        cells = values.to_pylist()
        if letters:
            return writing.mixed, [letters.get(cell, cell) for cell in cells]
        if pa.types.is_integer(type):
            low, high = pc.min_max(values).as_py().values()
            if low is not None and (low <= -_EXACT or high >= _EXACT):
                return writing.text, [None if cell is None else str(cell) for cell in cells]
        elif not pc.all(pc.is_finite(values), min_count=0).as_py():
            raise InputError(
                f"Variable '{name}' has numbers that are not finite, which a workbook cannot hold. "
                "Write csv or parquet."
            )
        return writing.number, cells
    return writing.text, values.cast(pa.string()).to_pylist()
