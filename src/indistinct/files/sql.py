"""PostgreSQL: the result of a query, streamed through a server-side cursor.

What is decided here: the transaction is read-only; a password is never shown, in no message and
no origin; what the server says about a failed query is shown only where it speaks of names and
syntax, because other messages quote values.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from indistinct.core import InputError, Level, Variable, Variables, progress
from indistinct.files.columns import TextColumn
from indistinct.files.parquet import parquet_writer, staging_path
from indistinct.files.source import Source

__all__ = ["is_database", "read_postgres", "shown_address"]

_FETCH = 20_000

_TYPES: dict[str, pa.DataType] = {
    "bool": pa.bool_(),
    "int2": pa.int32(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "float4": pa.float64(),
    "float8": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
}


def is_database(where: str) -> bool:
    """Say whether this is a database's address and not a file.

    >>> is_database("postgresql://localhost/census"), is_database("census.csv")
    (True, False)
    """
    return where.startswith(("postgresql://", "postgres://", "mysql://"))


def shown_address(address: str) -> str:
    """Return the address without password and options.

    >>> shown_address("postgresql://ann:secret@db.example:5433/census?password=secret")
    'postgresql://ann@db.example:5433/census'
    """
    kind, _, rest = address.partition("://")
    rest = rest.partition("?")[0]
    login, at, place = rest.rpartition("@")
    user = login.partition(":")[0]
    return f"{'mysql' if kind == 'mysql' else 'postgresql'}://{user}{at}{place}"


def read_postgres(address: str, *, query: str | None, workspace: Path) -> Source:
    """Read the result of a query into the workspace."""
    shown = shown_address(address)
    if not query or not query.strip():
        raise InputError(f"{shown} needs a query: say query='SELECT … FROM …'.")
    try:
        import psycopg
    except ImportError:
        raise InputError(
            "Reading from PostgreSQL needs psycopg. Install it with: "
            "pip install 'indistinct[postgres]'"
        ) from None
    target = staging_path(workspace, "query")
    try:
        with psycopg.connect(address, connect_timeout=15) as connection:
            connection.read_only = True
            # Both passes must see the same records.
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            _load_rest_as_text(connection)
            return _read(connection, query.strip().rstrip(";"), target, shown)
    except psycopg.Error as error:
        raise InputError(_sentence(error, shown, address, psycopg.OperationalError)) from None


def _load_rest_as_text(connection: Any) -> None:
    """Let values of all types but ours come as the server writes them."""
    from psycopg.types.string import TextLoader

    for info in connection.adapters.types:
        for oid in (info.oid, info.array_oid):
            if oid and (oid != info.oid or info.name not in _TYPES):
                connection.adapters.register_loader(oid, TextLoader)


def _read(connection: Any, query: str, target: Path, shown: str) -> Source:
    columns: list[TextColumn | Variable] = []
    while True:
        with connection.cursor(name="indistinct") as cursor:
            cursor.itersize = _FETCH
            cursor.execute(query)
            if not columns:
                columns = _columns(cursor.description, connection, shown)
            records = _stage(cursor, columns, target)
        if records == 0:
            raise InputError(f"The query on {shown} returned no records.")
        if not any(c.changed for c in columns if isinstance(c, TextColumn)):
            return Source(target, shown, _variables(columns), records, ("PostgreSQL query",))


def _columns(description: Any, connection: Any, shown: str) -> list[TextColumn | Variable]:
    found: list[TextColumn | Variable] = []
    for column in description:
        if any(column.name == other.name for other in found):
            raise InputError(
                f"The query on {shown} gives two columns named '{column.name}'. Rename one with AS."
            )
        info = connection.adapters.types.get(column.type_code)
        # The registry knows an array by its elements' name.
        name = info.name if info is not None and info.oid == column.type_code else ""
        if name in _TYPES:
            temporal = pa.types.is_temporal(_TYPES[name])
            level: Level = "date" if temporal else "nominal" if name == "bool" else "numeric"
            # The type is kept in the format while reading: nothing else needs it.
            found.append(Variable(column.name, level=level, format=name))
        else:
            found.append(TextColumn(column.name, keep_text=name != "numeric"))
    return found


def _variables(columns: list[TextColumn | Variable]) -> Variables:
    return Variables(
        c.variable() if isinstance(c, TextColumn) else Variable(c.name, level=c.level)
        for c in columns
    )


def _stage(cursor: Any, columns: list[TextColumn | Variable], target: Path) -> int:
    texts = [column for column in columns if isinstance(column, TextColumn)]
    for column in texts:
        column.start()
    rows = cursor.fetchmany(_FETCH)
    if not rows:
        return 0
    arrays = _arrays(rows, columns)
    schema = pa.schema(
        [(c.name, c.type if isinstance(c, TextColumn) else _TYPES[c.format]) for c in columns]
    )
    with (
        progress.task("reading from the database", unit="records") as reading,
        parquet_writer(
            target, schema, final=lambda: (_variables(columns), None), overwrite=True
        ) as writer,
    ):
        while rows:
            reading.advance(len(rows))
            if not any(column.changed for column in texts):
                writer.write(pa.record_batch(arrays, schema=schema))
            rows = cursor.fetchmany(_FETCH)
            arrays = _arrays(rows, columns)
        return max(writer.records, 1)


def _arrays(rows: list[Any], columns: list[TextColumn | Variable]) -> list[pa.Array]:
    arrays = []
    for column, values in zip(columns, zip(*rows, strict=True), strict=bool(rows)):
        if isinstance(column, TextColumn):
            arrays.append(column.convert(pa.array(values, pa.string())))
        else:
            arrays.append(pa.array(values, _TYPES[column.format]))
    return arrays


def _sentence(error: Any, shown: str, address: str, connection_error: type) -> str:
    state = error.sqlstate or ""
    if state.startswith("42"):
        what = error.diag.message_primary or "a name or the syntax is wrong"
        return f"The query on {shown} was refused: {what}. Correct the query."
    if state.startswith("28"):
        return f"{shown} refused the login. Check user and password."
    if state:
        return f"The query on {shown} failed on the server (SQLSTATE {state})."
    if not isinstance(error, connection_error):
        return f"The query on {shown} gave a value that cannot be read: cast the column to text."
    said = (str(error).strip().splitlines() or ["no answer"])[-1]
    # libpq can quote a piece of the address when it misreads one, and passwords lie there.
    rest = address.partition("://")[2]
    private = rest.rpartition("@")[0].partition(":")[2] + "&" + rest.partition("?")[2]
    pieces = [piece for piece in re.split(r"[:/@?&=%]", private + "&" + unquote(private)) if piece]
    told = "" if "password" in rest or any(piece in said for piece in pieces) else f": {said}"
    return f"{shown} cannot be reached{told}. Check address, network and rights."
