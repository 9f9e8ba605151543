"""Databases in a file: SQLite, and whatever DuckDB attaches.

What is decided here: they are opened for reading alone. A query is one statement that selects; it
reaches no other file and no network, whoever wrote it (a project file may be a stranger's). MySQL
is a server, and is reached by DuckDB's extension where that is installed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

import pyarrow as pa

from indistinct.core import InputError, progress
from indistinct.core.doors import check_file
from indistinct.files.packed import several_tables
from indistinct.files.parquet import (
    parquet_writer,
    simple_schema,
    staging_path,
    variables_from_schema,
)
from indistinct.files.source import Source
from indistinct.files.values import stage_values

if TYPE_CHECKING:
    import duckdb

__all__ = ["read_database", "read_mysql"]

_FETCH = 20_000
_SQLITE = b"SQLite format 3\0"
_SELECTING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    getattr(sqlite3, "SQLITE_RECURSIVE", 33),
}


def read_database(
    path: Path, *, workspace: Path, query: str | None = None, table: str | None = None
) -> Source:
    """Read a table of a SQLite or DuckDB file, or what a query selects, into the workspace."""
    check_file(path, "database")
    with path.open("rb") as file:
        is_sqlite = file.read(16) == _SQLITE
    if query is not None and table is not None:
        raise InputError(f"{path} is asked with a query and a table. Leave one out.")
    if is_sqlite:
        return _read_sqlite(path, workspace=workspace, query=query, table=table)
    return _read_duckdb(path, workspace=workspace, query=query, table=table)


def _read_sqlite(path: Path, *, workspace: Path, query: str | None, table: str | None) -> Source:
    target = staging_path(workspace, path.name)
    try:
        connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)
    except sqlite3.Error:
        raise _broken(path, "SQLite") from None
    try:
        found = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        names = [name for (name,) in connection.execute(found) if not name.startswith("sqlite_")]
        asked = query or f"SELECT * FROM {_quoted(_chosen(path, names, table))}"
        connection.set_authorizer(_only_selects)
        variables, records = stage_values(
            lambda: _sqlite_pieces(connection, asked, path), target=target, origin=str(path)
        )
    except sqlite3.DatabaseError as error:
        raise _refused(path, "SQLite", query, str(error)) from None
    finally:
        connection.close()
    if not records:
        raise InputError(f"{path}: what was asked for has no records.")
    return Source(target, str(path), variables, records, ("SQLite",))


def _only_selects(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _SELECTING else sqlite3.SQLITE_DENY


def _sqlite_pieces(
    connection: sqlite3.Connection, query: str, path: Path
) -> Iterator[dict[str, list[Any]]]:
    with progress.task(f"reading {path.name}", unit="records") as reading:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description or ()]
        if not names:
            raise InputError(f"{path}: the query selects nothing. Write SELECT … FROM ….")
        if len(set(names)) < len(names):
            raise InputError(
                f"{path}: the query gives two columns of the same name. Rename one with AS."
            )
        while rows := cursor.fetchmany(_FETCH):
            yield dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
            reading.advance(len(rows))


def _read_duckdb(path: Path, *, workspace: Path, query: str | None, table: str | None) -> Source:
    import duckdb

    try:
        connection = duckdb.connect(
            str(path), read_only=True, config={"enable_external_access": "false"}
        )
    except duckdb.Error:
        raise _broken(path, "SQLite or DuckDB") from None
    with connection:
        return _select(
            connection, query=query, table=table, workspace=workspace, origin=str(path), at=path
        )


def read_mysql(
    address: str, *, shown: str, workspace: Path, query: str | None, table: str | None
) -> Source:
    """Read a table of a MySQL database, or what a query selects, by DuckDB's extension."""
    import duckdb

    parts = urlsplit(address)
    said = {
        "host": parts.hostname,
        "port": parts.port,
        "user": parts.username and unquote(parts.username),
        "passwd": parts.password and unquote(parts.password),
        "db": parts.path.strip("/"),
    }
    login = " ".join(f"{name}={value}" for name, value in said.items() if value)
    with duckdb.connect() as connection:
        try:
            connection.execute("LOAD mysql")
        except duckdb.Error:
            raise InputError(
                f"{shown} needs DuckDB's extension for MySQL, which is not installed here. "
                'Install it once, with a network: python -c "import duckdb; '
                "duckdb.sql('INSTALL mysql')\""
            ) from None
        try:
            connection.execute(f"ATTACH {_text(login)} AS asked (TYPE mysql, READ_ONLY)")
            connection.execute("USE asked")
            connection.execute("SET lock_configuration = true")
        except duckdb.Error:
            # the server's message may hold the login
            raise InputError(
                f"{shown} cannot be reached. Check address, network, login and rights."
            ) from None
        return _select(
            connection,
            query=query,
            table=table,
            workspace=workspace,
            origin=shown,
            at=Path("query"),
        )


def _select(
    connection: duckdb.DuckDBPyConnection,
    *,
    query: str | None,
    table: str | None,
    workspace: Path,
    origin: str,
    at: Path,
) -> Source:
    import duckdb

    target = staging_path(workspace, at.name)
    try:
        if query is None:
            found = connection.execute(
                "SELECT table_name FROM information_schema.tables "
                "WHERE table_catalog = current_database() ORDER BY table_name"
            ).fetchall()
            chosen = _chosen(origin, [name for (name,) in found], table)
            query = f"SELECT * FROM {_quoted(chosen)}"
        statements = connection.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise InputError(f"{origin}: the query must be one SELECT. Leave the rest out.")
        reader = connection.sql(query).to_arrow_reader(1 << 18)
        schema = simple_schema(reader.schema, origin)
        variables = variables_from_schema(schema, None)
        with (
            progress.task(f"reading {at.name}", unit="records") as reading,
            parquet_writer(target, schema, variables) as writer,
        ):
            for batch in reader:
                writer.write(pa.Table.from_batches([batch]).cast(schema))
                reading.advance(batch.num_rows)
    except duckdb.Error as error:
        raise _refused(origin, "DuckDB", query, str(error)) from None
    if not writer.records:
        raise InputError(f"{origin}: what was asked for has no records.")
    return Source(target, origin, variables, writer.records, ("DuckDB",))


def _chosen(origin: object, names: list[str], table: str | None) -> str:
    if not names:
        raise InputError(f"{origin} has no tables. Is it the right file?")
    if table is None and len(names) == 1:
        return names[0]
    if table is None or table not in names:
        raise several_tables(origin, "table", names, table)
    return table


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _refused(origin: object, kind: str, query: str | None, said: str) -> InputError:
    """Tell what a database said where it speaks of names and syntax: else it may quote values."""
    told = said.splitlines()[0] if said else ""
    of_names = ("no such", "syntax error", "not authorized", "ambiguous", "Parser", "Catalog")
    if query is not None and any(word in told for word in (*of_names, "Binder")):
        return InputError(f"{origin}: the query was refused: {told}. Correct the query.")
    if query is not None:
        return InputError(f"{origin}: the query failed. Correct it, or ask for a whole table.")
    return _broken(origin, kind)


def _broken(origin: object, kind: str) -> InputError:
    return InputError(
        f"{origin} is not a {kind} database, or not a whole one. Check how it was made or copied."
    )
