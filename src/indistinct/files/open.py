"""Opening data: any format the package reads, by its name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, did_you_mean, holds_numbers, holds_text
from indistinct.core.doors import check_file, check_folder_of_files
from indistinct.files.columns import is_number
from indistinct.files.csvfile import read_csv
from indistinct.files.formats import STATISTICAL
from indistinct.files.parquet import (
    dialect_of,
    parquet_writer,
    read_parquet,
    simple_schema,
    staging_path,
    variables_from_schema,
)
from indistinct.files.source import Source
from indistinct.files.sql import is_database, read_postgres

__all__ = ["check_data", "check_numeric", "open_data", "open_table"]

_TEXT = (".csv", ".tsv", ".txt")
_KNOWN = (*_TEXT, *(f"{suffix}.gz" for suffix in _TEXT), ".parquet", *STATISTICAL)


def open_data(
    where: Any,
    *,
    workspace: Path,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    text_columns: Sequence[str] = (),
) -> Source:
    """Open a file, a folder of Parquet files, the result of a database query, or a table.

    Parameters
    ----------
    where
        A path whose suffix tells the format, ``postgresql://user@host/database``, or a table in
        memory (see `open_table`).
    workspace
        The private folder (see `workspace`) for the Parquet copy of other formats.
    query
        What to ask a database.
    delimiter, encoding, decimal
        Of a CSV file, where what is found by itself is not right.
    text_columns
        Columns of a CSV file that stay text even where they look like numbers.
    """
    if not isinstance(where, (str, os.PathLike)):
        return open_table(where, workspace=workspace)
    if is_database(str(where)):
        _only_for_csv(delimiter, encoding, decimal, text_columns)
        return read_postgres(str(where), query=query, workspace=workspace)
    path = Path(where)
    if query is not None:
        raise InputError(f"A query is for a database. Got the file {path}: leave the query out.")
    check_data(path)
    if os.path.isdir(path):
        _only_for_csv(delimiter, encoding, decimal, text_columns)
        return read_parquet(path, workspace=workspace)
    suffix = path.suffix.lower()
    if (Path(path.stem).suffix.lower() if suffix == ".gz" else suffix) in _TEXT:
        return read_csv(
            path,
            workspace=workspace,
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            text_columns=text_columns,
        )
    _only_for_csv(delimiter, None if suffix in STATISTICAL else encoding, decimal, text_columns)
    if suffix == ".parquet":
        return read_parquet(path, workspace=workspace)
    from indistinct.files.statfiles import read_stat  # its library loads pandas

    return read_stat(path, workspace=workspace, encoding=encoding)


def check_data(where: str | Path) -> Path:
    """Refuse what is neither a file of a format that is known nor a folder of Parquet files."""
    path = Path(where)
    if os.path.isdir(path) and any(path.glob("*.parquet")):
        return check_folder_of_files(path, "folder of data", ending="*.parquet")
    _check_file(path)
    if not path.name.lower().endswith(_KNOWN):
        raise InputError(
            f"The format of {path} cannot be told from its name. Known are: {', '.join(_KNOWN)}."
        )
    return path


def _only_for_csv(*given: Any) -> None:
    if any(given):
        raise InputError(
            "Delimiter, encoding, decimal sign and text columns are for CSV files. "
            "Leave them out for other formats."
        )


def _check_file(path: Path) -> None:
    """Refuse what cannot be read, before any reader meets it."""
    if os.path.isdir(path):
        raise InputError(f"{path} is a directory. Give a file, or a folder of Parquet files.")
    if not os.path.lexists(path) and len(os.fsencode(path.name)) < 256:
        raise InputError(f"There is no file {path}. {_near(path)}")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path} is not a regular file. Copy what it gives into one.")
    if os.path.isfile(path) and not os.access(path, os.R_OK):
        raise InputError(
            f"{path} cannot be read: permission denied. Ask its owner for the right to read it."
        )
    if check_file(path, "file").stat().st_size == 0:
        raise InputError(f"{path} is empty. It needs a header and at least one record.")


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"There is no folder {path.parent} either."
    names = sorted(
        file.name for file in path.parent.iterdir() if file.name.lower().endswith(_KNOWN)
    )
    return did_you_mean(path.name, names) if names else f"{path.parent} has no data files."


def open_table(table: Any, *, workspace: Path, origin: str = "table") -> Source:
    """Open records that are in memory: an Arrow table, a pandas or polars frame.

    Anything that offers ``__arrow_c_stream__`` is taken. A pandas index is left out.

    >>> from indistinct.files import workspace
    >>> with workspace() as folder:
    ...     open_table(pa.table({"age": [40, 41]}), workspace=folder)
    Source('table', 2 records, 1 variables)
    """
    found = _as_arrow(table, origin)
    if not found.num_rows:
        raise InputError(f"{origin} has no records.")
    schema = simple_schema(found.schema, origin)
    variables = variables_from_schema(schema, schema.metadata)
    target = staging_path(workspace, "table")
    with parquet_writer(target, schema, variables) as writer:
        for batch in found.to_batches(max_chunksize=1 << 18):
            writer.write(pa.Table.from_batches([batch]).cast(schema))
    return Source(target, origin, variables, found.num_rows)


def _as_arrow(table: Any, origin: str) -> pa.Table:
    if isinstance(table, pa.Table):
        return table
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    if type(table).__module__.partition(".")[0] == "pandas" and hasattr(table, "columns"):
        if len(set(map(str, table.columns))) < len(table.columns):
            raise InputError(f"{origin}: two columns have the same name. Rename one.")
        return pa.table({str(name): _pandas_column(table[name], origin) for name in table.columns})
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table)
    if isinstance(table, Mapping):
        try:
            return pa.table({str(name): column for name, column in table.items()})
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, ValueError):
            raise InputError(
                f"{origin}: the columns must be lists of the same length, each of one type."
            ) from None
    raise InputError(
        f"A table must be a pyarrow Table, a pandas or polars DataFrame, or columns by name. "
        f"Got {type(table).__name__}."
    )


def _pandas_column(column: Any, origin: str) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.Array.from_pandas(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        # Arrow's message shows a value.
        raise InputError(
            f"{origin}: variable '{column.name}' mixes values of different types. "
            "Make them all text or all numbers."
        ) from None


def check_numeric(source: Source, column: str) -> None:
    """Refuse a column that holds something other than numbers, naming the first such record.

    >>> from indistinct.files import workspace
    >>> with workspace() as folder:
    ...     source = open_table(pa.table({"age": ["40", "forty"]}), workspace=folder)
    ...     check_numeric(source, "age")
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: table: variable 'age' must hold numbers, but record 2 ...
    """
    source.check_columns([column])
    type = source.schema.field(column).type
    if holds_numbers(type):
        return
    dialect = dialect_of(source)
    before = 0
    for batch in source.batches([column]):
        values = batch.column(0)
        if not holds_text(type):
            wrong = pc.is_valid(values)
        else:
            wrong = pc.invert(is_number(values, decimal=dialect.decimal if dialect else "."))
        first = pc.index(pc.fill_null(wrong, False), True).as_py()
        if first >= 0:
            raise InputError(
                f"{source.origin}: variable '{column}' must hold numbers, but record "
                f"{before + first + 1:,} does not. Correct the record, or make it missing."
            )
        before += len(values)
