"""Opening data: any format the package reads, by its name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, did_you_mean, holds_numbers, holds_text
from indistinct.core.doors import check_file, check_folder_of_files
from indistinct.files.columns import is_number
from indistinct.files.csvfile import read_csv
from indistinct.files.formats import (
    ARROW,
    DATABASES,
    FIXED_WIDTH,
    JSON_LINES,
    KNOWN,
    PACKED,
    STATISTICAL,
    TEXT,
    WORKBOOKS,
)
from indistinct.files.packed import unpack
from indistinct.files.parquet import (
    dialect_of,
    parquet_writer,
    read_parquet,
    simple_schema,
    staging_path,
    variables_from_schema,
)
from indistinct.files.source import Source
from indistinct.files.sql import is_database, read_postgres, shown_address

__all__ = ["check_data", "check_numeric", "is_pattern", "open_data", "open_table"]

_NOT_FOR: dict[str, str] = {
    "query": "A query is for a database. Got the file {path}: leave the query out.",
    "table": "A table's name is for workbooks, zip files and databases. Got the file {path}, which "
    "is one table: leave the name out.",
    "header_row": "The line of the header is for workbooks. Got the file {path}: leave it out.",
    "dictionary": "A dictionary is for text in columns of fixed width. Got the file {path}: leave "
    "the dictionary out.",
}
_NOT_CSV = (
    "Delimiter, encoding, decimal sign and text columns are for CSV files. "
    "Leave them out for other formats."
)
_PATTERN = "*?["
"""Signs of a name that stands for several files."""


@dataclass(frozen=True)
class _Reading:
    """What was said of how a file is to be read."""

    query: str | None = None
    table: str | None = None
    header_row: int | None = None
    dictionary: Path | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    text_columns: Sequence[str] = ()

    def taken(self, path: str | Path, *taken: str) -> dict[str, Any]:
        """Return the options that a format takes; refuse the others, if they were given."""
        for name, refusal in _NOT_FOR.items():
            if name not in taken and getattr(self, name) is not None:
                raise InputError(refusal.format(path=path))
        of_csv = ("delimiter", "encoding", "decimal", "text_columns")
        if any(getattr(self, name) for name in of_csv if name not in taken):
            raise InputError(_NOT_CSV)
        return {name: getattr(self, name) for name in taken}


def open_data(
    where: Any,
    *,
    workspace: Path,
    query: str | None = None,
    table: str | None = None,
    header_row: int | None = None,
    dictionary: str | Path | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    text_columns: Sequence[str] = (),
) -> Source:
    """Open a file, Parquet files that belong together, the result of a query, or a table.

    Parameters
    ----------
    where
        A path whose suffix tells the format, ``postgresql://user@host/database``, or a table in
        memory (see `open_table`). A folder, or a name with ``*``, stands for Parquet files.
    workspace
        The private folder (see `workspace`) for the Parquet copy of other formats.
    query
        What to ask a database.
    table
        Which sheet of a workbook, file of a zip file or table of a database, where there are
        several.
    header_row
        The line of a sheet in which the names stand, from 1; by default the first that is filled.
    dictionary
        For text in columns of fixed width: the file that says where every variable stands.
    delimiter, encoding, decimal
        Of a CSV file, where what is found by itself is not right.
    text_columns
        Columns of a CSV file that stay text even where they look like numbers.
    """
    if not isinstance(where, (str, os.PathLike)):
        return open_table(where, workspace=workspace)
    if header_row is not None and header_row < 1:
        raise InputError(f"The line of the header must be at least 1. Got {header_row}.")
    reading = _Reading(
        query,
        table,
        header_row,
        None if dictionary is None else Path(dictionary),
        delimiter,
        encoding,
        decimal,
        text_columns,
    )
    if is_database(str(where)):
        return _read_server(str(where), reading, workspace)
    path = check_data(Path(where))
    if os.path.isdir(path) or not os.path.lexists(path):
        reading.taken(path)
        return read_parquet(path, workspace=workspace)
    if path.suffix.lower() in PACKED:
        return _read_packed(path, reading, workspace)
    return _read_file(path, reading, workspace)


def _read_server(address: str, reading: _Reading, workspace: Path) -> Source:
    shown = shown_address(address)
    if address.startswith("mysql://"):
        from indistinct.files.databases import read_mysql

        taken = reading.taken(shown, "query", "table")
        return read_mysql(address, shown=shown, workspace=workspace, **taken)
    return read_postgres(address, **reading.taken(shown, "query"), workspace=workspace)


def _read_packed(path: Path, reading: _Reading, workspace: Path) -> Source:
    """Read what a packed file holds; it is told of by the name that the user gave."""
    inner, table = unpack(
        path, workspace=workspace, table=reading.table if path.suffix.lower() == ".zip" else None
    )
    if path.suffix.lower() != ".zip":
        table = reading.table
    try:
        source = _read_file(inner, replace(reading, table=table), workspace)
    except InputError as error:
        inner.unlink(missing_ok=True)
        raise InputError(str(error).replace(str(inner), str(path))) from None
    if source.path != inner:
        inner.unlink()
    return replace(source, origin=str(path))


def _read_file(path: Path, reading: _Reading, workspace: Path) -> Source:
    """Read a file in the way of its format; each loads its library when it is needed."""
    suffix = path.suffix.lower()
    if suffix in FIXED_WIDTH or (suffix in TEXT and reading.dictionary is not None):
        from indistinct.files.fixedwidth import read_fixed_width

        if reading.dictionary is None:
            raise InputError(
                f"{path} is text in columns of fixed width, and needs a dictionary that says where "
                "each begins: --dictionary FILE with name,start,length (in Python dictionary=, in "
                "a project file [data] dictionary)."
            )
        taken = reading.taken(path, "dictionary", "encoding")
        return read_fixed_width(path, workspace=workspace, **taken)
    if suffix in TEXT:
        taken = reading.taken(path, "delimiter", "encoding", "decimal", "text_columns")
        return read_csv(path, workspace=workspace, **taken)
    if suffix in WORKBOOKS:
        from indistinct.files.workbook import read_workbook

        return read_workbook(
            path, workspace=workspace, **reading.taken(path, "table", "header_row")
        )
    if suffix in DATABASES:
        from indistinct.files.databases import read_database

        return read_database(path, workspace=workspace, **reading.taken(path, "query", "table"))
    if suffix in STATISTICAL:
        from indistinct.files.statfiles import read_stat  # its library loads pandas

        return read_stat(path, workspace=workspace, **reading.taken(path, "encoding"))
    reading.taken(path)
    if suffix in ARROW:
        from indistinct.files.arrowfile import read_arrow

        return read_arrow(path, workspace=workspace)
    if suffix in JSON_LINES:
        from indistinct.files.jsonlines import read_json_lines

        return read_json_lines(path, workspace=workspace)
    return read_parquet(path, workspace=workspace)


def check_data(where: str | Path) -> Path:
    """Refuse what is neither a file of a format that is known nor Parquet files in a folder."""
    path = Path(where)
    if os.path.isdir(path) and any(path.glob("*.parquet")):
        return check_folder_of_files(path, "folder of data", ending="*.parquet")
    if is_pattern(path):
        return check_folder_of_files(path.parent, "folder of data", ending=path.name) / path.name
    _check_file(path)
    if not path.name.lower().endswith(KNOWN):
        raise InputError(
            f"The format of {path} cannot be told from its name. Known are: {_known()}."
        )
    return path


def _known() -> str:
    """Return the endings that are known, and once what may be packed around them."""
    plain = [ending for ending in KNOWN if ending.count(".") == 1]
    return f"{', '.join(plain)}; and each of them with {', '.join(PACKED)}"


def is_pattern(where: str | Path) -> bool:
    """Say whether a name stands for several Parquet files: ``parts/people-*.parquet``.

    >>> is_pattern("parts/people-*.parquet"), is_pattern("parts/people.parquet")
    (True, False)
    """
    path = Path(where)
    return (
        any(sign in path.name for sign in _PATTERN)
        and path.suffix.lower() == ".parquet"
        and not os.path.lexists(path)
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
    names = sorted(file.name for file in path.parent.iterdir() if file.name.lower().endswith(KNOWN))
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
