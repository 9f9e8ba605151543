"""Stata, SPSS and SAS files: read in pieces into Parquet, with all they say of their variables.

pyreadstat gives most numbers as floats. A column becomes

- an *integer* column when its storage type says so (Stata's byte, int and long) or when all its
  values are whole (SPSS and SAS store nothing but floats);
- a *date* or *time stamp* column when its display format says so and every value is a whole day
  or lies within a time stamp's range; dates of other kinds (weeks, quarters, times of day)
  stay numbers, with their format;
- otherwise a float column. Empty text is missing, as it is in these packages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyreadstat

from indistinct.core import InputError, Level, Value, Variable, Variables, progress
from indistinct.files.coded import MARK, is_coded, with_texts
from indistinct.files.formats import STATISTICAL
from indistinct.files.parquet import parquet_writer, staging_path
from indistinct.files.source import Source
from indistinct.files.tags import float_code, integer_code

__all__ = ["EPOCH_DAYS", "date_kind", "read_stat"]

_READERS: dict[str, Any] = {
    ".dta": pyreadstat.read_dta,
    ".sav": pyreadstat.read_sav,
    ".zsav": pyreadstat.read_sav,
    ".por": pyreadstat.read_por,
    ".sas7bdat": pyreadstat.read_sas7bdat,
    ".xpt": pyreadstat.read_xport,
}
_CELLS = 4_000_000
"""Cells per piece: pyreadstat gives Python objects, some 40 bytes each."""

EPOCH_DAYS = {"Stata": 3653, "SAS": 3653, "SPSS": 141_428}
"""Days from the package's day zero (1 January 1960; 14 October 1582) to 1 January 1970."""

_DATES = {
    "Stata": r"%-?t?d.*",
    "SPSS": r"[AEJS]?DATE\d*",
    "SAS": r"(DATE|DDMMYY|MMDDYY|YYMMDD|E8601DA|B8601DA|WORDDATE|WEEKDATE)[A-Z]?\d*(\.\d*)?",
}
_STAMPS = {
    "Stata": r"%-?tc.*",
    "SPSS": r"(DATETIME|YMDHMS)[\d.]*",
    "SAS": r"(DATETIME|E8601DT|B8601DT)[\d.]*",
}


def date_kind(package: str, format: str) -> str:
    """Say whether a display format shows a ``date``, a time ``stamp`` or neither (empty).

    >>> date_kind("Stata", "%td"), date_kind("SPSS", "DATETIME20"), date_kind("SAS", "F8.2")
    ('date', 'stamp', '')
    """
    if package == "Stata" and re.fullmatch(r"%-?tc.*", format):
        return "stamp"
    if re.fullmatch(_STAMPS[package], format):
        return "stamp"
    return "date" if re.fullmatch(_DATES[package], format) else ""


def read_stat(path: Path, *, workspace: Path, encoding: str | None = None) -> Source:
    """Read a Stata, SPSS or SAS file into the workspace."""
    package = STATISTICAL[path.suffix.lower()]
    pieces = _pieces(path, encoding)
    first = next(pieces)
    columns = [_Column(name, package, first[1]) for name in first[1].column_names]
    if not columns:
        raise InputError(f"{path} has no variables.")
    target = staging_path(workspace, path.name)
    while True:
        pieces = progress.each(
            _pieces(path, encoding),
            f"reading {path.name}",
            total=_declared(path),
            unit="records",
            amount=lambda piece: len(next(iter(piece[0].values()), [])),
        )
        records, meta = _stage(pieces, columns, target)
        if not records:
            raise InputError(f"{path} has no records.")
        if not any(column.changed for column in columns):
            break
    variables = _variables(columns, meta)
    source = Source(target, str(path), variables, records, (f"{package} file",))
    names = is_coded(variables) if meta.file_label == MARK else []
    return _decoded(source, names, workspace) if names else source


def _decoded(source: Source, names: list[str], workspace: Path) -> Source:
    """Return a released file with the texts that its codes stand for."""
    batches, variables = with_texts(source.batches(), source.variables, names)
    target = staging_path(workspace, source.path.name)
    fields = [
        pa.field(field.name, pa.string()) if field.name in names else field.remove_metadata()
        for field in source.schema
    ]
    with parquet_writer(target, pa.schema(fields), variables) as writer:
        for batch in batches:
            writer.write(batch)
    source.path.unlink()
    return replace(source, path=target, variables=variables)


def _declared(path: Path) -> int | None:
    """Return the number of records that a file's head declares, if it does."""
    suffix = path.suffix.lower()
    if suffix not in (".dta", ".sav", ".zsav", ".sas7bdat"):
        return None
    try:
        return _READERS[suffix](path, metadataonly=True)[1].number_rows or None
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, UnicodeError, ValueError):
        return None  # whoever reads the records will say what is wrong


def _pieces(path: Path, encoding: str | None) -> Iterator[tuple[dict[str, list[Any]], Any]]:
    """Read the records piece by piece, for bounded memory."""
    suffix = path.suffix.lower()
    options: dict[str, Any] = {"output_format": "dict", "disable_datetime_conversion": True}
    if suffix in (".dta", ".sav", ".zsav", ".sas7bdat"):
        options["user_missing"] = True
    if encoding is not None and suffix != ".por":
        options["encoding"] = encoding
    offset, step = 0, 1
    while True:
        try:
            data, meta = _READERS[suffix](path, row_offset=offset, row_limit=step, **options)
        except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, UnicodeError, ValueError):
            raise InputError(
                f"{path} cannot be read as a {STATISTICAL[suffix]} file: it is not one, is not "
                "whole, or its text has another encoding (say encoding=)."
            ) from None
        found = len(next(iter(data.values()), []))
        yield data, meta
        if found < step:
            return
        offset += found
        step = max(1000, _CELLS // max(len(data), 1))


def _stage(
    pieces: Iterator[tuple[dict[str, list[Any]], Any]], columns: list[_Column], target: Path
) -> tuple[int, Any]:
    for column in columns:
        column.changed = False
    schema = pa.schema([(column.name, column.type) for column in columns])
    said: list[Any] = []
    with parquet_writer(
        target, schema, final=lambda: (_variables(columns, said[-1]), None), overwrite=True
    ) as writer:
        for data, meta in pieces:
            said[:] = [meta]
            arrays = [column.convert(data[column.name]) for column in columns]
            if not any(column.changed for column in columns) and len(arrays[0]):
                writer.write(pa.record_batch(arrays, schema=schema))
        records = writer.records
    return records if not any(c.changed for c in columns) else max(records, 1), said[0]


class _Column:
    """Turns one variable's Python values into Arrow, in the narrowest type that fits all."""

    def __init__(self, name: str, package: str, meta: Any) -> None:
        self.name = name
        self.package = package
        self.format: str = meta.original_variable_types.get(name) or ""
        self.stored: str = meta.readstat_variable_types.get(name) or "double"
        self.letters: set[str] = set()
        self.changed = False
        if self.stored.startswith("string"):
            self.kinds = ["text"]
        else:
            integer = "int32" if self.stored.startswith("int") else "int64"
            date = date_kind(package, self.format)
            self.kinds = [*([date] if date else []), integer, "float"]

    @property
    def type(self) -> pa.DataType:
        return {
            "text": pa.string(),
            "date": pa.date32(),
            "stamp": pa.timestamp("us"),
            "int32": pa.int32(),
            "int64": pa.int64(),
            "float": pa.float64(),
        }[self.kinds[0]]

    def convert(self, values: list[Any]) -> pa.Array:
        if self.kinds[0] == "text":
            texts = pa.array(values, pa.string())
            return pc.if_else(pc.equal(texts, ""), None, texts)
        letters = {value for value in values if isinstance(value, str)}
        self.letters |= letters
        while True:
            array = self._fit(values, letters)
            if array is not None:
                return array
            del self.kinds[0]
            self.changed = True

    def _fit(self, values: list[Any], letters: set[str]) -> pa.Array | None:
        kind = self.kinds[0]
        if letters:
            # Among integers stored as floats, a code could be a value: codes stay floats.
            if kind not in ("int32", "float"):
                return None
            code = integer_code if kind == "int32" else float_code
            values = [code(value) if isinstance(value, str) else value for value in values]
        numbers = pa.array(values, pa.float64(), from_pandas=True)
        if kind == "float":
            return numbers
        known = numbers.drop_null().to_numpy()
        per_day = 86_400 if self.package == "SPSS" else 1
        if kind == "stamp":
            per_second = 1000 if self.package == "Stata" else 1
            days = EPOCH_DAYS[self.package]
            seconds = pc.subtract(pc.divide(numbers, float(per_second)), days * 86_400.0)
            if len(known) and np.abs(known / per_second).max() > 9e12:
                return None
            return pc.cast(
                pc.cast(pc.round(pc.multiply(seconds, 1e6)), pa.int64()), pa.timestamp("us")
            )
        limit = 2**31 if kind in ("int32", "date") else 2**53
        if kind == "date":
            known = known / per_day
        if not (np.all(known == np.floor(known)) and np.all(np.abs(known) < limit)):
            return None
        if kind == "date":
            days32 = pc.subtract(pc.divide(numbers, float(per_day)), EPOCH_DAYS[self.package])
            return pc.cast(pc.cast(days32, pa.int32()), pa.date32())
        return pc.cast(numbers, self.type)

    def variable(self, meta: Any) -> Variable:
        codes: list[Value | tuple[Value, Value]] = []
        for range_ in meta.missing_ranges.get(self.name, []):
            low, high = self._value(range_["lo"]), self._value(range_["hi"])
            codes.append(low if low == high else (low, high))
        said = meta.variable_value_labels.get(self.name, {})
        labels = {self._value(value): label for value, label in said.items()}
        if self.kinds[0] != "text":
            letters = self.letters | {value for value in said if isinstance(value, str)}
            codes.extend(self._value(letter) for letter in sorted(letters))
        return Variable(
            self.name,
            level=self._level(meta, labelled=bool(labels)),
            label=meta.column_names_to_labels.get(self.name) or "",
            labels=labels,
            user_missing=tuple(codes),
            format=self.format,
        )

    def _value(self, value: Any) -> Value:
        kind = self.kinds[0]
        if kind == "text":
            return str(value)
        if isinstance(value, str):
            return integer_code(value) if kind == "int32" else float_code(value)
        if kind.startswith("int") and float(value).is_integer() and abs(value) < 2**53:
            return int(value)
        return float(value)

    def _level(self, meta: Any, *, labelled: bool) -> Level:
        measures: dict[str, Level] = {
            "nominal": "nominal",
            "ordinal": "ordinal",
            "scale": "numeric",
        }
        if self.kinds[0] in ("date", "stamp"):
            return "date"
        measure = measures.get(meta.variable_measure.get(self.name, ""))
        if measure is not None and not (measure == "numeric" and self.kinds[0] == "text"):
            return measure
        return "nominal" if labelled or self.kinds[0] == "text" else "numeric"


def _variables(columns: list[_Column], meta: Any) -> Variables:
    return Variables(column.variable(meta) for column in columns)
