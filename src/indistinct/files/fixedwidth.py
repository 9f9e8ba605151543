"""Text in columns of fixed width, by a dictionary that says where every variable stands.

A dictionary is a CSV file with the columns ``name``, ``start`` (from 1), ``length`` and, if
wanted, ``type`` (``text`` keeps digits as text) and ``label``; or a TOML file with a
``[[variable]]`` of the same names for each.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Variables, did_you_mean, progress
from indistinct.core.doors import open_file, read_text
from indistinct.files.columns import TextColumn
from indistinct.files.parquet import parquet_writer, staging_path
from indistinct.files.source import Source

__all__ = ["FixedColumn", "read_dictionary", "read_fixed_width"]

_KNOWN = ("name", "start", "length", "type", "label")
_TYPES = ("", "text", "number")
_LINES = 1 << 24
"""Bytes of lines that are taken apart at a time."""


@dataclass(frozen=True)
class FixedColumn:
    """Where a variable stands in every line."""

    name: str
    start: int
    length: int
    type: str = ""
    label: str = ""

    @property
    def end(self) -> int:
        """The last of its characters, counted from 1."""
        return self.start + self.length - 1


def read_dictionary(path: Path) -> list[FixedColumn]:
    """Read where every variable stands; all mistakes are told at once."""
    text = read_text(path, "dictionary")
    entries = _of_toml(path, text) if path.suffix.lower() == ".toml" else _of_csv(path, text)
    problems: list[str] = []
    columns: list[FixedColumn] = []
    for place, entry in entries:
        for name in entry:
            if name not in _KNOWN:
                problems.append(f"{place}: there is no '{name}'. {did_you_mean(name, _KNOWN)}")
        name = str(entry.get("name", "")).strip()
        if not name:
            problems.append(f"{place}: a variable needs a name.")
        numbers = [_whole(entry.get(what)) for what in ("start", "length")]
        for what, number in zip(("start", "length"), numbers, strict=True):
            if number is None:
                problems.append(f"{place}: {what} must be a whole number of at least 1.")
        kind = str(entry.get("type", "")).strip().lower()
        if kind not in _TYPES:
            problems.append(f"{place}: type must be text or number. Leave it out to have it found.")
        if name in (column.name for column in columns):
            problems.append(f"{place}: the name '{name}' appears twice. Rename one.")
        label = str(entry.get("label") or "")
        columns.append(FixedColumn(name, numbers[0] or 1, numbers[1] or 1, kind, label))
    if not columns:
        problems.append(f"{path} names no variables. Give name, start and length of each.")
    if problems:
        raise InputError("\n".join(problems))
    return columns


def _of_csv(path: Path, text: str) -> list[tuple[str, dict[str, Any]]]:
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restkey="")
    try:
        return [
            (
                f"{path}:{reader.line_num}",
                {(name or "").strip().lower(): value for name, value in entry.items()},
            )
            for entry in reader
        ]
    except csv.Error:
        raise InputError(f"{path} is not a CSV file. Write name,start,length in line 1.") from None


def _of_toml(path: Path, text: str) -> list[tuple[str, dict[str, Any]]]:
    try:
        entries = tomllib.loads(text).get("variable", [])
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not valid TOML. Write a [[variable]] for each.") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{path}: write a [[variable]] with name, start and length for each.")
    return [(f"{path}: variable {number}", entry) for number, entry in enumerate(entries, 1)]


def _whole(value: Any) -> int | None:
    try:
        number = int(str(value).strip())
    except ValueError:
        return None
    return number if 1 <= number <= 1_000_000 else None


def read_fixed_width(
    path: Path, *, workspace: Path, dictionary: Path, encoding: str | None = None
) -> Source:
    """Read text in columns of fixed width into the workspace.

    Blanks around a value are not part of it; a value of blanks alone is missing.
    """
    places = read_dictionary(dictionary)
    found = encoding or _encoding(path)
    columns = [TextColumn(place.name, keep_text=place.type == "text") for place in places]
    target = staging_path(workspace, path.name)
    while True:
        short, records = _stage(path, places, columns, target, found)
        if records:
            break
    notes = [f"fixed width, {len(places):,} variables, encoding {found}"]
    if short:
        notes.append(
            f"{short:,} records are shorter than the dictionary says: what they lack is missing"
        )
    return Source(target, str(path), _variables(places, columns), records, tuple(notes))


def _variables(places: list[FixedColumn], columns: list[TextColumn]) -> Variables:
    return Variables(
        replace(column.variable(), label=place.label)
        for place, column in zip(places, columns, strict=True)
    )


def _stage(
    path: Path, places: list[FixedColumn], columns: list[TextColumn], target: Path, encoding: str
) -> tuple[int, int]:
    """Write the records in the types found so far; 0 records when a type had to fall back."""
    for column in columns:
        column.start()
    longest = max(place.end for place in places)
    short = 0
    pieces = _pieces(path, encoding)
    first = next(pieces, None)
    if first is None:
        raise InputError(f"{path} has no records.")
    arrays = _taken_apart(first, places, columns)
    schema = pa.schema([(column.name, column.type) for column in columns])
    with parquet_writer(
        target, schema, final=lambda: (_variables(places, columns), None), overwrite=True
    ) as writer:
        writer.write(pa.record_batch(arrays, schema=schema))
        short += _shorter(first, longest)
        for lines in pieces:
            arrays = _taken_apart(lines, places, columns)
            short += _shorter(lines, longest)
            if not any(column.changed for column in columns):
                writer.write(pa.record_batch(arrays, schema=schema))
    return short, 0 if any(column.changed for column in columns) else writer.records


def _shorter(lines: pa.Array, longest: int) -> int:
    return int(pc.sum(pc.less(pc.utf8_length(lines), longest)).as_py() or 0)


def _taken_apart(
    lines: pa.Array, places: list[FixedColumn], columns: list[TextColumn]
) -> list[pa.Array]:
    arrays = []
    for place, column in zip(places, columns, strict=True):
        texts = pc.utf8_trim_whitespace(pc.utf8_slice_codeunits(lines, place.start - 1, place.end))
        arrays.append(column.convert(pc.if_else(pc.equal(texts, ""), None, texts)))
    return arrays


def _pieces(path: Path, encoding: str) -> Iterator[pa.Array]:
    with (
        open_file(path, "data") as file,
        io.TextIOWrapper(file, encoding=encoding, newline=None) as text,
        progress.task(f"reading {path.name}", unit="records") as reading,
    ):
        while True:
            try:
                lines = text.readlines(_LINES)
            except UnicodeDecodeError:
                raise InputError(
                    f"{path} is not {encoding} throughout. Say encoding= (cp1252, latin-1, …)."
                ) from None
            if not lines:
                return
            filled = [line.rstrip("\r\n") for line in lines if line.strip("\r\n\x1a")]
            if any("\0" in line for line in filled):
                raise InputError(f"{path} has NUL bytes, so it is no text file.")
            if filled:
                yield pa.array(filled, pa.string())
                reading.advance(len(filled))


def _encoding(path: Path) -> str:
    """Return UTF-8 where all bytes are, else cp1252, or latin-1 where that has no such letter."""
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            with io.TextIOWrapper(open_file(path, "data"), encoding=encoding) as text:
                while text.read(_LINES):
                    pass
        except UnicodeDecodeError:
            continue
        return "utf-8" if encoding == "utf-8-sig" and not _is_marked(path) else encoding
    return "latin-1"


def _is_marked(path: Path) -> bool:
    with open_file(path, "data") as file:
        return file.read(3) == b"\xef\xbb\xbf"
