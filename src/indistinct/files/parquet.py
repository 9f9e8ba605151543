"""Parquet: read in place, written with what is known about its variables.

Labels, levels, missing-value codes and the CSV dialect a file came from travel in the Parquet
file's key-value metadata, as JSON under the key ``indistinct``.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indistinct.core import (
    InputError,
    Level,
    Variable,
    Variables,
    held_kind,
    holds_numbers,
    holds_text,
    progress,
)
from indistinct.core.doors import written_whole
from indistinct.files.dialect import Dialect
from indistinct.files.source import Source, reading_records

__all__ = [
    "ParquetWriter",
    "dialect_of",
    "parquet_writer",
    "read_parquet",
    "row_group_records",
    "simple_schema",
    "staging_path",
    "variables_from_schema",
]

KEY = b"indistinct"
_PIECE = 1 << 28
"""Bytes of text that are written at once where a file holds them in dictionaries."""

Found = tuple[Variables, Dialect | None]


def _metadata(variables: Variables, dialect: Dialect | None) -> dict[bytes, bytes]:
    content: dict[str, Any] = {"variables": [_packed(v) for v in variables.values()]}
    if dialect is not None:
        content["dialect"] = asdict(dialect)
    return {KEY: json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()}


def _packed(variable: Variable) -> dict[str, Any]:
    # Pairs and not an object, because JSON's keys are all text and labels have numbers too.
    packed = {
        "name": variable.name,
        "role": variable.role,
        "level": variable.level,
        "label": variable.label,
        "labels": [[value, label] for value, label in variable.labels.items()],
        "user_missing": list(variable.user_missing),
        "categories": None if variable.categories is None else list(variable.categories),
        "format": variable.format,
    }
    return {key: value for key, value in packed.items() if value not in ("", [], None)}


def _unpacked(packed: Mapping[str, Any]) -> Variable:
    categories = packed.get("categories")
    return Variable(
        packed["name"],
        role=packed.get("role", "other"),
        level=packed.get("level", "nominal"),
        label=packed.get("label", ""),
        labels={value: label for value, label in packed.get("labels", [])},
        user_missing=tuple(
            (code[0], code[1]) if isinstance(code, list) else code
            for code in packed.get("user_missing", [])
        ),
        categories=None if categories is None else tuple(categories),
        format=packed.get("format", ""),
    )


def _content(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    try:
        content = json.loads((metadata or {}).get(KEY, b"{}"))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def variables_from_schema(schema: pa.Schema, metadata: Mapping[bytes, bytes] | None) -> Variables:
    """Return the variables of a schema: as our metadata tells, else from the types."""
    try:
        known = {packed["name"]: _unpacked(packed) for packed in _content(metadata)["variables"]}
    except (KeyError, TypeError, ValueError, InputError):
        known = {}
    return Variables(
        known.get(field.name, Variable(field.name, level=_level(field.type))) for field in schema
    )


def _level(type: pa.DataType) -> Level:
    if holds_numbers(type):
        return "numeric"
    return "date" if pa.types.is_date(type) or pa.types.is_timestamp(type) else "nominal"


def dialect_of(source: Source) -> Dialect | None:
    """Return how the CSV file was written that a source came from; None for other formats."""
    try:
        return Dialect(**_content(pq.read_metadata(source.path).metadata)["dialect"])
    except (KeyError, TypeError, InputError):
        return None


def simple_schema(schema: pa.Schema, origin: str) -> pa.Schema:
    """Return the schema in the types engines share; refuse names twice and nested columns.

    Dictionaries become what they hold, every kind of text becomes plain text.
    """
    fields: list[pa.Field] = []
    times = Counter(schema.names)
    for field in schema:
        if len(field.name.splitlines()) > 1:
            raise InputError(
                f"{origin}: the name of a column holds a line break. Rename column "
                f"{len(fields) + 1}."
            )
        if times[field.name] > 1:
            raise InputError(
                f"{origin}: the name '{field.name}' appears twice. Names must differ: rename one."
            )
        type = held_kind(field.type)
        if holds_text(type):
            type = pa.string()
        if pa.types.is_nested(type) or _is_binary(type):
            raise InputError(
                f"{origin}: variable '{field.name}' holds {field.type}, not single values. "
                "Take it apart or leave it out."
            )
        fields.append(pa.field(field.name, pa.float64() if pa.types.is_null(type) else type))
    return pa.schema(fields, metadata=schema.metadata)


def _is_binary(type: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(type)
        or pa.types.is_large_binary(type)
        or pa.types.is_binary_view(type)
        or pa.types.is_fixed_size_binary(type)
    )


def row_group_records(columns: int) -> int:
    """Return how many records a row group has: a million, fewer in wide files.

    It depends on the number of columns alone, so that the same table gives the same bytes
    however it is cut into batches.

    >>> row_group_records(10), row_group_records(200)
    (1048576, 83886)
    """
    return max(1 << 14, min(1 << 20, (1 << 24) // max(columns, 1)))


def staging_path(workspace: Path, name: str) -> Path:
    """Return a name in the workspace that no other source has."""
    return workspace / f"{name[:100]}.{secrets.token_hex(4)}.parquet"


class ParquetWriter:
    """Gathers batches of any size into row groups of one size."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_records = 0
        self._group = row_group_records(len(schema))
        self.records = 0

    def write(self, data: pa.RecordBatch | pa.Table) -> None:
        """Add records."""
        batches = data.to_batches() if isinstance(data, pa.Table) else [data]
        for batch in batches:
            self.records += batch.num_rows
            while batch.num_rows:
                taken = batch.slice(0, self._group - self._waiting_records)
                self._waiting.append(taken)
                self._waiting_records += taken.num_rows
                batch = batch.slice(taken.num_rows)
                if self._waiting_records == self._group:
                    self.flush()

    def flush(self) -> None:
        """Write what waits as a row group."""
        if self._waiting:
            table = pa.Table.from_batches(self._waiting).cast(self._schema)
            # One chunk: page boundaries follow chunk boundaries.
            self._writer.write_table(table.combine_chunks(), row_group_size=self._group)
            self._waiting, self._waiting_records = [], 0


@contextlib.contextmanager
def parquet_writer(
    path: Path,
    schema: pa.Schema,
    variables: Variables | None = None,
    *,
    dialect: Dialect | None = None,
    final: Callable[[], Found] | None = None,
    increasing: Sequence[str] = (),
    private: bool = False,
    overwrite: bool = False,
) -> Iterator[ParquetWriter]:
    """Write a Parquet file batch by batch; it appears whole when the block ends.

    Parameters
    ----------
    variables, dialect
        What is known beforehand; or
    final
        a function that tells it when all records are written.
    increasing
        Columns of whole numbers that go up, such as record numbers: stored as differences, in
        half the time and a fraction of the size.
    private
        The file can be read by its owner alone.
    overwrite
        Whether a file that stands there is replaced; never one that is read.

    The same records always give the same bytes, however they are cut into batches.
    """
    # what others noted beside a column may tell of people too: labels travel in our own metadata
    schema = pa.schema([field.remove_metadata() for field in schema])
    if variables is not None:
        schema = schema.with_metadata(_metadata(variables, dialect))
    going = written_whole(path, private=private, overwrite=overwrite)
    with going as aside, aside.open("wb") as file:
        with pq.ParquetWriter(
            file,
            schema,
            compression="snappy",
            version="2.6",
            write_statistics=True,
            use_dictionary=[name for name in schema.names if name not in increasing],
            column_encoding=dict.fromkeys(increasing, "DELTA_BINARY_PACKED"),
        ) as parquet:
            writer = ParquetWriter(parquet, schema)
            yield writer
            writer.flush()
            if final is not None:
                parquet.add_key_value_metadata(_metadata(*final()))
        file.flush()


def read_parquet(path: Path, *, workspace: Path) -> Source:
    """Take a Parquet file as it is, or the Parquet files of a folder or of a pattern as one.

    Several, and a file with dictionary columns, is written anew as one plain file in the
    workspace.
    """
    parts = [path]
    if path.is_dir():
        parts = sorted(path.glob("*.parquet"))
    elif not path.exists():
        parts = sorted(path.parent.glob(path.name))
    if not parts:
        raise InputError(f"There are no Parquet files at {path}. Give a file.")
    schemas = [_schema(part) for part in parts]
    plain = simple_schema(schemas[0], str(path))
    for part, schema in zip(parts, schemas, strict=True):
        if not simple_schema(schema, str(part)).equals(plain):
            raise InputError(
                f"{part} has other columns or types than {parts[0].name}. "
                "Files that belong together must have the same."
            )
    variables = variables_from_schema(plain, pq.read_metadata(parts[0]).metadata)
    records = sum(pq.read_metadata(part).num_rows for part in parts)
    if not records:
        raise InputError(f"{path} has no records.")
    if len(parts) == 1 and not any(pa.types.is_dictionary(f.type) for f in schemas[0]):
        return Source(parts[0], str(path), variables, records)
    target = staging_path(workspace, path.name)
    with (
        progress.task(f"reading {path.name}", total=records, unit="records") as reading,
        parquet_writer(target, plain, variables) as writer,
    ):
        for part in parts:
            with reading_records(str(part)), pq.ParquetFile(part) as file:
                for batch in file.iter_batches(batch_size=1 << 18):
                    for piece in _bounded(batch):
                        writer.write(pa.Table.from_batches([piece]).cast(plain))
                        reading.advance(piece.num_rows)
    return Source(target, str(path), variables, records)


def _bounded(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Give a batch in pieces that stay small when every cell gets a value of its own.

    A dictionary holds a long value once for all cells that have it.
    """
    coded = [column.dictionary for column in batch.columns if pa.types.is_dictionary(column.type)]
    texts = [values for values in coded if not pa.types.is_primitive(values.type)]
    longest = sum(pc.max(pc.binary_length(values)).as_py() or 0 for values in texts)
    rows = max(1, _PIECE // max(1, longest))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _schema(path: Path) -> pa.Schema:
    try:
        return pq.read_schema(path)
    except pa.ArrowException:
        pass
    except OSError as error:
        if error.errno:
            raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    raise InputError(
        f"{path} is not a Parquet file, or not a whole one. Check how it was made or copied."
    )
