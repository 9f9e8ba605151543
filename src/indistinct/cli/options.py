"""Options that several verbs share, and how the data they name are opened."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from indistinct.cli.live import error_console, hidden
from indistinct.cli.places import RECORDS, DataPlace, InputFile, OutputFile, ScratchFolder
from indistinct.core import for_json
from indistinct.engine import EngineName
from indistinct.flow import Data, open_data
from indistinct.options import READING, RELEASING, split_names, split_numbers, split_pairs

__all__ = [
    "ENGINE",
    "Accept",
    "AtMost",
    "Compute",
    "DataFile",
    "Dictionary",
    "EngineOption",
    "HeaderRow",
    "Json",
    "K",
    "KeyList",
    "Master",
    "Memory",
    "Out",
    "Person",
    "Query",
    "Reading",
    "Scratch",
    "SheetName",
    "TableName",
    "Threads",
    "opened",
    "people",
    "print_json",
    "split_names",
    "split_numbers",
    "split_pairs",
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
EngineOption = Annotated[
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


ENGINE: Mapping[str, tuple[Any, Any]] = {
    "query": (Query, None),
    "table": (TableName, None),
    "header_row": (HeaderRow, None),
    "dictionary": (Dictionary, None),
    "engine": (EngineOption, None),
    "master": (Master, None),
    "memory": (Memory, None),
    "threads": (Threads, None),
    "scratch": (Scratch, None),
}
"""The parameters of verbs that say how data are read and what does the counting."""


@dataclass(frozen=True)
class Reading:
    """What the user said of how data are read."""

    query: str | None = None
    table: str | None = None
    header_row: int | None = None
    dictionary: Path | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Reading:
        """Take what a verb was given."""
        return cls(*(given[name] for name in READING))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name, as whatever opens data takes them."""
        return asdict(self)


@dataclass(frozen=True)
class Compute:
    """What the user said about the engine."""

    engine: EngineName | None = None
    master: str | None = None
    memory: str | None = None
    threads: int | None = None
    scratch: Path | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Compute:
        """Take what a verb was given."""
        return cls(*(given[name] for name in ENGINE if name not in READING))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name, as whatever opens data takes them."""
        return asdict(self)


def people() -> Console:
    """The console that people read: standard error, so that standard output stays clean."""
    return error_console()


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    with hidden():
        sys.stdout.write(for_json(content, default=str) + "\n")
        sys.stdout.flush()


def opened(
    data: str, compute: Compute, reading: Reading | None = None, *, project: Path | None = None
) -> AbstractContextManager[Data]:
    """Open what the user named, with the engine that was asked for."""
    said = (reading or Reading()).settings
    return open_data(data, project=project, **said, **compute.settings)
