"""A database that knows one table and nothing else, for questions that strangers write.

What is decided here: the records are loaded first, under names of our own (`c0`, `c1`, … for the
columns, `record` for the record's number), and then every way out is shut and locked: no files,
no network, no extensions, no Python variables, no settings. One thread, so that sums do not
depend on the machine; a limit on memory and on time. What is run here is text that the program
has written itself from a parsed question (see `indistinct.query`); the sandbox is the second
wall, not the first.

DuckDB's messages can quote values. None is passed on except those of the parser, which has seen
nothing but the question.
"""

from __future__ import annotations

import json
import threading
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from indistinct.errors import InputError
from indistinct.files.source import Source

__all__ = ["Sandbox"]

SECONDS = 60.0
"""How long one question may take."""

MEMORY = "2GB"
"""How much memory the records and one question may take."""

_LOCKED = (
    "SET python_enable_replacements = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


class Sandbox:
    """The records of a source as table `records`, and no way to anything else.

    Parameters
    ----------
    source
        The records; they are read once, here.
    seconds
        How long one question may take.
    memory
        How much memory DuckDB may use.

    >>> from indistinct.files import open_table, workspace
    >>> with workspace() as folder:
    ...     source = open_table({"age": [30, 41]}, workspace=folder)
    ...     with Sandbox(source) as sandbox:
    ...         sandbox.run("SELECT record, c0 FROM records").to_pylist()
    [{'record': 0, 'c0': 30}, {'record': 1, 'c0': 41}]
    """

    def __init__(self, source: Source, *, seconds: float = SECONDS, memory: str = MEMORY) -> None:
        self.seconds = seconds
        self.records = source.records
        self._connection = duckdb.connect(
            ":memory:", config={"threads": 1, "memory_limit": memory, "temp_directory": ""}
        )
        renamed = ", ".join(f"{_quoted(name)} AS c{i}" for i, name in enumerate(source.variables))
        try:
            self._connection.execute(
                f"CREATE TABLE records AS SELECT row_number() OVER () - 1 AS record, {renamed} "
                "FROM read_parquet(?)",
                [str(source.path)],
            )
            self._connection.execute("CREATE TABLE blank AS FROM records LIMIT 0")
            self._connection.execute("INSERT INTO blank (record) VALUES (0)")
            for setting in _LOCKED:
                self._connection.execute(setting)
        except duckdb.OutOfMemoryException:
            self.close()
            raise InputError(
                f"{source.origin}: the records do not fit in the {memory} of memory that questions "
                "may use. Ask for a larger limit, or make a release with fewer variables."
            ) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget the records."""
        self._connection.close()

    def parse(self, sql: str) -> dict[str, Any]:
        """Return the syntax tree of one SELECT, as DuckDB's own parser reads it.

        >>> from indistinct.files import open_table, workspace
        >>> with workspace() as folder:
        ...     with Sandbox(open_table({"age": [30]}, workspace=folder)) as sandbox:
        ...         sandbox.parse("drop table records")
        Traceback (most recent call last):
        ...
        indistinct.errors.InputError: A question is one SELECT. Got DROP.
        """
        if not sql.strip():
            raise InputError('The question is empty. Ask as in "select count(*) from data".')
        if "\0" in sql or sql != sql.encode(errors="ignore").decode():
            raise InputError("The question holds a character that is not text. Write it anew.")
        try:
            statements = self._connection.extract_statements(sql)
        except duckdb.Error as error:
            raise InputError(f"The question cannot be read as SQL: {_syntax(error)}") from None
        if len(statements) != 1:
            raise InputError(
                f"A question is one SELECT. Got {len(statements)} statements: ask one at a time."
            )
        kind = statements[0].type.name
        if kind != "SELECT":
            raise InputError(f"A question is one SELECT. Got {kind}.")
        try:
            row = self._connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql])
            found = json.loads(row.fetchall()[0][0])
        except (duckdb.Error, ValueError, RecursionError):
            found = {"error": True}
        if found.get("error") or len(found.get("statements", ())) != 1:
            raise InputError("The question is too involved to be read. Ask in smaller parts.")
        tree: dict[str, Any] = found["statements"][0]["node"]
        return tree

    def check(self, sql: str) -> None:
        """Refuse text whose own values do not fit, such as a number compared with 'forty'.

        It is tried on the table `blank`, one record in which everything is missing: what is said
        depends on no record of the release.
        """
        try:
            self._connection.execute(sql).fetchall()
        except (duckdb.ConversionException, duckdb.OutOfRangeException):
            raise InputError(
                "A value in the question does not fit the column that it is compared with. Compare "
                "numbers with numbers, and text with text in quotes."
            ) from None
        except duckdb.Error:
            return  # running it finds the same fault, and says so

    def run(self, sql: str) -> pa.Table:
        """Run text that the program has written, and return the rows."""
        timer = threading.Timer(self.seconds, self._connection.interrupt)
        timer.start()
        try:
            return self._connection.sql(sql).to_arrow_table()
        except duckdb.InterruptException:
            raise InputError(
                f"The question took longer than {self.seconds:g} seconds and was stopped. Ask for "
                "less at once."
            ) from None
        except duckdb.OutOfMemoryException:
            raise InputError(
                "The question needs more memory than questions may use. Ask for less at once."
            ) from None
        except (duckdb.BinderException, duckdb.InvalidInputException):
            raise InputError(
                "A function or a comparison of the question does not fit the type of its columns. "
                "Text that stands for numbers is turned into them by try_cast(name AS double)."
            ) from None
        except duckdb.Error:
            # the message may quote a value
            raise InputError(
                "The question cannot be worked out on these data. Check that it compares numbers "
                "with numbers and text with text; try_cast(name AS double) turns text into numbers."
            ) from None
        finally:
            timer.cancel()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _syntax(error: duckdb.Error) -> str:
    """Return what the parser said, in one line; it has seen the question and no value."""
    said = str(error).strip().splitlines()[0].removeprefix("Parser Error: ").rstrip(".")
    return f"{said}."
