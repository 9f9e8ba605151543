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
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Write a first project file, guessing what each variable is for and saying why."""
    with opened(data, compute) as found:
        draft = project.draft_project(found.engine, found.source, data_path=data, **compute.reading)
    draft.write(out)
    if json:
        print_json({**draft.to_dict(), "project": str(out)})
    else:
        console = people()
        paragraph(console, words(draft))
        for line in draft.asking():
            paragraph(console, line)
        paragraph(console, f"written: {out}. Check every guess: a wrong key means no protection.")
        if not files.is_database(data) and not lies_within(data, out.parent):
            console.print(
                f"note: {data} lies outside the folder of {out}. Put the project file beside the "
                "data, or use it with --allow-outside.",
                markup=False,
                soft_wrap=True,
            )
