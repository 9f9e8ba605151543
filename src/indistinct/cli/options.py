"""Options that several verbs share, and how the data they name are opened."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from indistinct.cli.live import error_console, hidden
from indistinct.cli.places import RECORDS, DataPlace, OutputFile, ScratchFolder
from indistinct.core import InputError, for_json
from indistinct.engine import EngineName
from indistinct.flow import Data, open_data
from indistinct.protect import Told

__all__ = [
    "Accept",
    "AlthoughUnproved",
    "AtMost",
    "Compute",
    "DataFile",
    "EngineOption",
    "Json",
    "K",
    "KeyList",
    "Master",
    "Memory",
    "Names",
    "Out",
    "Person",
    "Query",
    "Scratch",
    "Threads",
    "ToldOption",
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
        help="A data file (CSV, Parquet, Stata, SPSS, SAS), a project file (.toml), or "
        "postgresql://… with --query.",
    ),
    DataPlace(),
]
KeyList = Annotated[
    str | None,
    typer.Option("--key", help="The variables an intruder can know: a,b,c.", metavar="NAMES"),
]
K = Annotated[
    int | None, typer.Option("--k", help="A class is safe when it has at least K records.")
]
AtMost = Annotated[
    int | None,
    typer.Option(
        "--at-most", help="Dalenius' way: a key is unique when at most this many records have it."
    ),
]
Person = Annotated[
    str | None,
    typer.Option(
        "--person",
        help="The column that says whose record each is, where people have several: then people "
        "are counted. By default found, if the data have one.",
        metavar="NAME",
    ),
]
Accept = Annotated[
    str | None,
    typer.Option(
        "--accept", help="Reservations that you know and accept, by code.", metavar="CODES"
    ),
]
Names = Annotated[
    str | None,
    typer.Option(
        "--release",
        help="Columns to release although they name people; the verdict says so.",
        metavar="NAMES",
    ),
]
ToldOption = Annotated[
    Told | None,
    typer.Option(
        "--told",
        help="Classes that tell a sensitive value: blank these cells (by default), refuse, or "
        "allow it, and the verdict says so.",
    ),
]
AlthoughUnproved = Annotated[
    bool,
    typer.Option(
        "--although-unproved", help="Write a release that does not hold; its certificate says so."
    ),
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
Query = Annotated[str | None, typer.Option("--query", help="The query, for a database.")]
Scratch = Annotated[
    Path | None,
    typer.Option("--scratch", help="Where the private workspace is made; workers must see it."),
    ScratchFolder(),
]


@dataclass(frozen=True)
class Compute:
    """What the user said about the engine."""

    engine: EngineName | None = None
    master: str | None = None
    memory: str | None = None
    threads: int | None = None
    scratch: Path | None = None


def people() -> Console:
    """The console that people read: standard error, so that standard output stays clean."""
    return error_console()


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    with hidden():
        sys.stdout.write(for_json(content, default=str) + "\n")
        sys.stdout.flush()


def split_names(text: str | None) -> list[str] | None:
    """Split ``a,b,c``; None stays None.

    >>> split_names("age, sex")
    ['age', 'sex']
    """
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def split_pairs(text: str | None, *, like: str = "variable=column") -> dict[str, str]:
    """Split ``a=b,c=d``.

    >>> split_pairs("income=income_public")
    {'income': 'income_public'}
    """
    pairs = {}
    for part in split_names(text) or []:
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise InputError(f"'{part}' must be written as {like}.")
        pairs[name] = value
    return pairs


def split_numbers(text: str | None, *, whole: bool = False) -> dict[str, Any]:
    """Split ``a=1,b=0.5`` into numbers by name.

    >>> split_numbers("sex=0,birth=2", whole=True)
    {'sex': 0, 'birth': 2}
    """
    numbers: dict[str, Any] = {}
    for name, value in split_pairs(text, like="variable=number").items():
        try:
            numbers[name] = int(value) if whole else float(value)
        except ValueError:
            kind = "whole number" if whole else "number"
            raise InputError(f"'{name}={value}' must give '{name}' a {kind}.") from None
    return numbers


def opened(
    data: str, compute: Compute, *, query: str | None = None, project: Path | None = None
) -> AbstractContextManager[Data]:
    """Open what the user named, with the engine that was asked for."""
    return open_data(
        data,
        query=query,
        engine=compute.engine,
        master=compute.master,
        memory=compute.memory,
        threads=compute.threads,
        scratch=compute.scratch,
        project=project,
    )
