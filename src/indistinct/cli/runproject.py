"""`indistinct run`: everything that a project file says, from the records to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import EngineOption, Json, Master, Memory, Scratch, Threads, people
from indistinct.cli.released import tell_run
from indistinct.running import run_project

__all__ = ["run"]


def run(
    project: Annotated[
        Path,
        typer.Argument(metavar="PROJECT", help="The project file; 'indistinct init' drafts one."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The release folder, instead of the project's.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeat a run, instead of with the project's seed.")
    ] = None,
    registers: Annotated[
        list[Path] | None,
        typer.Option(
            "--register",
            help="A register of people to attack the release with, beside the project's; may be "
            "given several times.",
        ),
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            help="An earlier release of the same people, beside the project's; may be given "
            "several times.",
        ),
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(help="The holder's private key: signs the certificate.")
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print the reports to PDF too.")] = False,
    engine: EngineOption = None,
    master: Master = None,
    memory: Memory = None,
    threads: Threads = None,
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Do all that a project file says: find, protect, compare, write, prove, report."""
    console = people()
    done = run_project(
        project,
        out=out,
        seed=seed,
        registers=registers or (),
        earlier=earlier or (),
        sign_with=sign,
        pdf=pdf,
        engine=engine,
        master=master,
        memory=memory,
        threads=threads,
        scratch=scratch,
        say=lambda sentence: console.print(sentence, markup=False, soft_wrap=True),
    )
    tell_run(done, as_json=json)
