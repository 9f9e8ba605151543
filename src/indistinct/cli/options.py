"""Options that several verbs share, and how the data they name are opened."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from indistinct.cli.live import error_console, hidden
from indistinct.cli.places import RECORDS, DataPlace, InputFile, OutputFile, ScratchFolder
from indistinct.cli.terminal import note
from indistinct.core import for_json
from indistinct.engine import EngineName
from indistinct.flow import Data, open_data
from indistinct.options import READING, RELEASING, split_names, split_numbers, split_pairs

__all__ = [
    "ENGINE",
    "QUERIED",
    "READ",
    "SHEETED",
    "Accept",
    "AtMost",
    "Compute",
    "DataFile",
    "Json",
    "K",
    "KeyList",
    "Out",
    "Person",
    "counting",
    "opened",
    "people",
    "print_json",
    "split_names",
    "split_numbers",
    "split_pairs",
    "tell_notes",
]

DataFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A data file (CSV, Excel, Parquet, Stata, SPSS, SAS, …), a project file (.toml), or "
        "postgresql://… with --query.",
    ),
    DataPlace(),
]
KeyList = Annotated[
    str | None,
    typer.Option("--key", help=RELEASING["key"].sentence, metavar="NAMES"),
]
K = Annotated[int | None, typer.Option("--k", help=RELEASING["k"].sentence)]
AtMost = Annotated[int | None, typer.Option("--at-most", help=RELEASING["at_most"].sentence)]
Person = Annotated[
    str | None, typer.Option("--person", help=RELEASING["person"].sentence, metavar="NAME")
]
Accept = Annotated[
    str | None, typer.Option("--accept", help=RELEASING["accept"].sentence, metavar="CODES")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Write the result here, as the ending of the name says."),
    OutputFile("the result", RECORDS),
]
Engine = Annotated[
    EngineName | None, typer.Option("--engine", help="duckdb (this machine) or spark (a cluster).")
]
Master = Annotated[
    str | None, typer.Option("--master", help="The Spark cluster, e.g. spark://host:7077.")
]
Memory = Annotated[
    str | None, typer.Option("--memory", help="Memory to use before spilling to disk: 2GB.")
]
Threads = Annotated[int | None, typer.Option("--threads", help="Threads to use.")]
Query = Annotated[str | None, typer.Option("--query", help=READING["query"].sentence)]
TableName = Annotated[
    str | None,
    typer.Option("--table", "--sheet", help=READING["table"].sentence, metavar="NAME"),
]
SheetName = Annotated[
    str | None, typer.Option("--sheet", help=READING["table"].sentence, metavar="NAME")
]
"""The same, for the verb whose ``--table`` is a table to be published."""
HeaderRow = Annotated[int | None, typer.Option("--header-row", help=READING["header_row"].sentence)]
Dictionary = Annotated[
    Path | None,
    typer.Option("--dictionary", help=READING["dictionary"].sentence),
    InputFile("dictionary"),
]
Scratch = Annotated[
    Path | None,
    typer.Option("--scratch", help="Where the private workspace is made; workers must see it."),
    ScratchFolder(),
]


READ: Mapping[str, tuple[Any, Any]] = {
    "query": (Query, None),
    "table": (TableName, None),
    "header_row": (HeaderRow, None),
    "dictionary": (Dictionary, None),
}
"""The parameters of verbs that say how data are read."""

ENGINE: Mapping[str, tuple[Any, Any]] = {
    "engine": (Engine, None),
    "master": (Master, None),
    "memory": (Memory, None),
    "threads": (Threads, None),
    "scratch": (Scratch, None),
}
"""The parameters of verbs that say what does the counting."""

QUERIED: Mapping[str, tuple[Any, Any]] = {**READ, **ENGINE}
"""Both, of verbs that open data of any kind."""

SHEETED: Mapping[str, tuple[Any, Any]] = {
    "sheet" if name == "table" else name: (SheetName, None) if name == "table" else line
    for name, line in QUERIED.items()
}
"""The same, of the verb whose ``--table`` is a table to be published."""


@dataclass(frozen=True)
class Compute:
    """What the user said about the engine, and about how data are read."""

    engine: EngineName | None = None
    master: str | None = None
    memory: str | None = None
    threads: int | None = None
    scratch: Path | None = None
    query: str | None = None
    table: str | None = None
    header_row: int | None = None
    dictionary: Path | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Compute:
        """Take what a verb was given."""
        said = {"table" if name == "sheet" else name: given[name] for name in given}
        return cls(**{name: said[name] for name in QUERIED if name in said})

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the engine by name, as whatever opens data takes them."""
        return {name: getattr(self, name) for name in ENGINE}

    @property
    def reading(self) -> dict[str, Any]:
        """The settings of reading by name, as whatever opens data takes them."""
        return {name: getattr(self, name) for name in READ}


def counting(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a verb take what says what does the counting: all of `ENGINE`, or what is named.

    The verb has one parameter for it, ``compute``; on the command line its options stand there.
    """
    options = {name: {**QUERIED, **SHEETED}[name] for name in names or ENGINE}

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(function, eval_str=True)
        typed = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
            )
            for name, (annotation, default) in options.items()
        ]

        @functools.wraps(function)
        def verb(**given: Any) -> None:
            compute = Compute.of({name: given.pop(name) for name in options})
            function(**given, compute=compute)

        parameters: list[inspect.Parameter] = []
        for name, parameter in signature.parameters.items():
            parameters += typed if name == "compute" else [parameter]
        verb.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        verb.__annotations__ = {one.name: one.annotation for one in parameters}
        return verb

    return declare


def people() -> Console:
    """The console that people read: standard error, so that standard output stays clean."""
    return error_console()


def tell_notes(console: Console, notes: Iterable[str]) -> None:
    """Tell people what they should know of the values, beside the answer."""
    for said in notes:
        note(console, "note", said)


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    with hidden():
        sys.stdout.write(for_json(content, default=str) + "\n")
        sys.stdout.flush()


def opened(
    data: str, compute: Compute, *, project: Path | None = None
) -> AbstractContextManager[Data]:
    """Open what the user named, with the engine that was asked for."""
    return open_data(data, project=project, **compute.reading, **compute.settings)
