"""Opening a data set: what is read, the private workspace and the engine, and how they are closed.

What is decided here: a data set that was opened needs no `with` and lives across the cells of a
notebook. Its workspace holds a copy of private records, so it is closed by whatever comes first:
`close`, the end of a `with` block, nobody holding it any more, or the end of the program.
"""

from __future__ import annotations

import contextlib
import functools
import os
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from indistinct import files
from indistinct import project as declaring
from indistinct.core import InputError
from indistinct.core.doors import Watch, watching

if TYPE_CHECKING:
    from indistinct.engine import EngineName
    from indistinct.flow.session import Data

__all__ = ["Opened", "kept_open", "open", "open_data", "while_open"]

T = TypeVar("T")


class Opened:
    """What is held open for a data set, shared by all that was made from it.

    Parameters
    ----------
    stack
        What is to be closed; it must not hold this object.
    watch
        What is read and written by all that is asked of the data set.
    allow_outside
        Whether a project file may name what lies outside its folder.
    """

    def __init__(
        self, stack: contextlib.ExitStack, watch: Watch, *, allow_outside: bool = False
    ) -> None:
        self._watch = watch
        self._allow_outside = allow_outside
        self._close = weakref.finalize(self, _close_here, os.getpid(), stack)

    @property
    def is_closed(self) -> bool:
        """Whether the workspace is gone."""
        return not self._close.alive

    def close(self) -> None:
        """Close what is open; a second time does nothing."""
        self._close()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Let what is read and written inside be that of this data set."""
        with watching(allow_outside=self._allow_outside, again=self._watch):
            yield


def _close_here(process: int, stack: contextlib.ExitStack) -> None:
    if os.getpid() == process:  # a process that was forked off closes nothing of its parent's
        stack.close()


def while_open(cls: type[T]) -> type[T]:
    """Let the public methods of a class with a field `opened` watch, and refuse when closed."""
    for name, member in list(vars(cls).items()):
        if callable(member) and not name.startswith("_") and name != "close":
            setattr(cls, name, _while_open(member))
    return cls


def _while_open(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(data: Data, *args: Any, **options: Any) -> Any:
        if data.opened is None:
            return method(data, *args, **options)
        if data.opened.is_closed:
            raise InputError(
                f"{data.source.origin} was closed, and its private copy is gone. Open it again "
                "with indistinct.open."
            )
        with data.opened.watching():
            return method(data, *args, **options)

    return called


def kept_open(result: T, data: Data) -> T:
    """Let a result hold its data set open: what it says of records is read when it is asked for."""
    with contextlib.suppress(AttributeError, TypeError):  # a number or a text needs no data
        object.__setattr__(result, "_opened", data.opened)
    return result


def open(
    data: Any,
    *,
    query: str | None = None,
    table: str | None = None,
    header_row: int | None = None,
    dictionary: str | Path | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    engine: EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
    project: str | Path | None = None,
    allow_outside: bool = False,
) -> Data:
    """Open a file, a project, a database query or a table in memory.

    It stays open until `close`, the end of a `with` block, or until nobody holds it any more.

    Parameters
    ----------
    data
        A path (CSV, Excel, OpenDocument, Parquet, Stata, SPSS, SAS and more, packed or not), a
        project file (``.toml``), ``postgresql://…`` with `query`, an Arrow table, pandas or
        Polars frame, or columns by name.
    query, table, header_row, dictionary, delimiter, encoding, decimal
        How a file or a database is read; see `indistinct.files.open_data`.
    engine, memory, threads, master
        See `indistinct.engine.start_engine`; what is given here goes before what a project says.
    scratch
        Where the private workspace is made; by default the system's temporary directory. A
        cluster's workers must see it.
    project
        A project file for data that are given by themselves, instead of its own.
    allow_outside
        Whether a project file may name what lies outside its folder.

    >>> data = open({"age": [30, 30, 41], "sex": [1, 1, 2]})
    >>> data
    table: 3 records, 2 variables (age, sex)
    >>> data.uniques(["age", "sex"], k=2).unique
    1
    >>> data.close()
    """
    from indistinct.engine import start_engine
    from indistinct.flow.session import Data

    with contextlib.ExitStack() as stack, watching(allow_outside=allow_outside) as watch:
        workspace = stack.enter_context(files.workspace(scratch))
        asked = declaring.load_project(project) if project is not None else None
        if isinstance(data, (str, Path)) and str(data).endswith(".toml"):
            if asked is not None:
                raise InputError(f"{data} is a project file already. Leave out --project.")
            if any((query, table, header_row, dictionary, delimiter, encoding, decimal)):
                raise InputError(
                    f"{data}: how a project's data are read stands in its [data] section. "
                    "Put query, table, header_row, dictionary, delimiter, encoding and decimal "
                    "there."
                )
            asked = declaring.load_project(data)
            source = asked.open(workspace)
        elif isinstance(data, (str, Path)):
            source = files.open_data(
                data,
                workspace=workspace,
                query=query,
                table=table,
                header_row=header_row,
                dictionary=dictionary,
                delimiter=delimiter,
                encoding=encoding,
                decimal=decimal,
            )
        else:
            source = files.open_table(data, workspace=workspace)
        if project is not None and asked is not None:
            source = asked.apply_to(source, workspace=workspace)
        if asked is not None:
            engine = engine or asked.engine.name
            memory = asked.engine.memory if memory is None else memory
            threads = asked.engine.threads if threads is None else threads
            master = master or asked.engine.master
        started = stack.enter_context(
            start_engine(
                engine or "duckdb",
                workspace=workspace,
                memory=memory,
                threads=threads,
                master=master,
            )
        )
        if asked is not None:
            declaring.check_levels(started, source)
            declaring.check_categories(started, source)
        opened = Opened(stack.pop_all(), watch, allow_outside=allow_outside)
        return Data(source, started, asked, opened)
    raise AssertionError


open_data = open
"""The same, by the name that it had first."""
