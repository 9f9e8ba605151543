"""`indistinct init`: a first project file, with the reason for every guess."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import (
    Compute,
    DataFile,
    Json,
    Memory,
    Query,
    Threads,
    opened,
    people,
    print_json,
)
from indistinct.cli.terminal import paragraph, words
from indistinct.project import draft_project

__all__ = ["init"]


def init(
    data: DataFile,
    out: Annotated[Path, typer.Option("--out", help="The project file to write.")] = Path(
        "release.toml"
    ),
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a project file that exists.")
    ] = False,
    query: Query = None,
    memory: Memory = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Write a first project file, guessing what each variable is for and saying why."""
    with opened(data, Compute(memory=memory, threads=threads), query=query) as found:
        draft = draft_project(found.engine, found.source, data_path=data, query=query)
    draft.write(out, overwrite=overwrite)
    if json:
        print_json({**draft.to_dict(), "project": str(out)})
    else:
        console = people()
        paragraph(console, words(draft))
        console.print(f"written: {out}. Check every guess: a wrong key means no protection.")
