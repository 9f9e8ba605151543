"""`indistinct init`: a first project file, with the reason for every guess."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct import files, project
from indistinct.cli.options import (
    READ,
    Compute,
    DataFile,
    Json,
    counting,
    opened,
    people,
    print_json,
)
from indistinct.cli.places import OutputFile
from indistinct.cli.terminal import paragraph, words
from indistinct.core.doors import lies_within

__all__ = ["init"]


@counting(*READ, "memory", "threads")
def init(
    data: DataFile,
    out: Annotated[
        Path,
        typer.Option("--out", help="The project file to write."),
        OutputFile("the project file", (".toml",)),
    ] = Path("release.toml"),
    roles: Annotated[
        Path | None,
        typer.Option(
            "--as",
            help="Write what is guessed of the variables as a table to edit, a workbook or CSV "
            "file, which the project file names.",
        ),
        OutputFile("the table of roles", (".xlsx", ".csv")),
    ] = None,
    mend: Annotated[
        bool,
        typer.Option(
            "--mend", help="Have the project file mend what is dirty, where nothing is lost."
        ),
    ] = False,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Write a first project file, guessing what each variable is for and saying why."""
    with opened(data, compute) as found:
        draft = project.draft_project(
            found.engine, found.source, data_path=data, mend=mend, **compute.reading
        )
    draft.write(out, roles=roles)
    if json:
        named = {"roles": str(roles)} if roles is not None else {}
        print_json({**draft.to_dict(), "project": str(out), **named})
    else:
        console = people()
        paragraph(console, words(draft))
        for line in draft.asking():
            paragraph(console, line)
        written = f"{out} and {roles}" if roles is not None else str(out)
        paragraph(
            console, f"written: {written}. Check every guess: a wrong key means no protection."
        )
        if not files.is_database(data) and not lies_within(data, out.parent):
            console.print(
                f"note: {data} lies outside the folder of {out}. Put the project file beside the "
                "data, or use it with --allow-outside.",
                markup=False,
                soft_wrap=True,
            )
