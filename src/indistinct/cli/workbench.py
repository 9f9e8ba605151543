"""`indistinct workbench`: see the work in a browser, and steer it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import people
from indistinct.cli.places import InputFile, WorkbenchPlace
from indistinct.cli.terminal import answers_of, paragraph
from indistinct.workbench import serve_workbench

__all__ = ["workbench"]


def workbench(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="[DATA]",
            help="A data file, a project file (.toml), or a folder that holds some.",
        ),
        WorkbenchPlace(),
    ] = Path("."),
    port: Annotated[
        int | None,
        typer.Option(help="Where to listen, at 127.0.0.1.", min=1, max=65535, metavar="PORT"),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Tell the address instead of opening it.")
    ] = False,
    policy: Annotated[
        list[Path] | None,
        typer.Option(
            help="A policy file of the organisation, which holds for every project.",
            metavar="PATH",
        ),
        InputFile("policy"),
    ] = None,
    idle: Annotated[
        float,
        typer.Option(help="Minutes without anybody after which it closes.", min=0.01, max=1440),
    ] = 30,
) -> None:
    """Show data and projects in the browser: who stands out, what protects them, what is proved."""
    console = people()
    folder = data if data.is_dir() else data.parent
    name = None if data.is_dir() else data.name

    def tell(address: str) -> None:
        where = "is ready" if no_browser else "is open in your browser"
        paragraph(console, f"The workbench {where}. Stop it with Ctrl-C.")
        paragraph(console, "This address works once, and on this machine alone:")
        answers_of(console).print(address, markup=False, soft_wrap=True)

    serve_workbench(
        folder,
        data=name if name is not None and data.suffix != ".toml" else None,
        project=name if data.suffix == ".toml" else None,
        port=port,
        browser=not no_browser,
        idle=60.0 * idle,
        policy=policy or (),
        say=tell,
    )
