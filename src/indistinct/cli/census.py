"""`indistinct census`: a synthetic census to try everything on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.census import write_census, write_hierarchies
from indistinct.cli.options import Json, people, print_json
from indistinct.cli.places import OutputFile, OutputFolder
from indistinct.cli.terminal import paragraph
from indistinct.core.doors import folder_written_whole

__all__ = ["census"]


def census(
    out: Annotated[
        Path,
        typer.Option("--out", help="The file to write: .parquet or .csv."),
        OutputFile("the census", (".parquet", ".pq", ".csv")),
    ],
    number: Annotated[int, typer.Option("--people", help="How many people.")] = 100_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same people.")] = 1,
    register: Annotated[
        Path | None,
        typer.Option("--register", help="Also write a register of the same people here."),
        OutputFile("the register", (".parquet", ".pq", ".csv")),
    ] = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option("--hierarchies", help="Also write its hierarchies into this folder."),
        OutputFolder(),
    ] = None,
    names: Annotated[
        bool, typer.Option("--names/--no-names", help="With names and identity numbers.")
    ] = True,
    json: Json = False,
) -> None:
    """Make a synthetic census: households of people who never were."""
    summary = write_census(out, people=number, seed=seed, names=names, register=register)
    if hierarchies is not None:
        with folder_written_whole(hierarchies) as aside:
            write_hierarchies(aside)
    if json:
        print_json(summary.to_dict())
    else:
        paragraph(people(), repr(summary))
