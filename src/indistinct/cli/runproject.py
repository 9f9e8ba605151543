"""`indistinct run`: everything that a project file says, from the records to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import (
    Accept,
    AlthoughUnproved,
    Compute,
    EngineOption,
    Json,
    Master,
    Memory,
    Names,
    Scratch,
    Threads,
    people,
    split_names,
)
from indistinct.cli.released import tell_run
from indistinct.cli.scrub import tell_scrubbed
from indistinct.cli.tables import publish, tell_publication
from indistinct.project import Project, load_project
from indistinct.publishing import Asked
from indistinct.running import run_project
from indistinct.scrubbing import scrub

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
    keep_named: Names = None,
    accept: Accept = None,
    although_unproved: AlthoughUnproved = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print the reports to PDF too.")] = False,
    engine: EngineOption = None,
    master: Master = None,
    memory: Memory = None,
    threads: Threads = None,
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Do all that a project file says: find, protect, compare, write, prove, report; and tables."""
    console = people()
    compute = Compute(engine, master, memory, threads, scratch)
    asked = load_project(project) if project.suffix == ".toml" else None
    tables = asked is not None and bool(asked.tables) and asked.publish.out is not None
    if tables and asked is not None and not _releases(asked):
        found = publish(
            str(project),
            Asked.of_texts(out=out, seed=seed),
            compute,
            accept=split_names(accept) or (),
        )
        tell_publication(found, as_json=json)
        return
    if asked is not None and asked.text.columns and not _releases(asked):
        tell_scrubbed(
            scrub(
                project,
                out=out or asked.release.out,
                seed=seed if seed is not None or asked.text.secret else asked.release.seed,
                engine=engine,
                master=master,
                memory=memory,
                threads=threads,
                scratch=scratch,
            ),
            as_json=json,
        )
        return
    done = run_project(
        project,
        out=out,
        seed=seed,
        registers=registers or (),
        earlier=earlier or (),
        sign_with=sign,
        keep_named=split_names(keep_named) or (),
        accept=split_names(accept) or (),
        although_unproved=although_unproved,
        pdf=pdf,
        engine=engine,
        master=master,
        memory=memory,
        threads=threads,
        scratch=scratch,
        say=lambda sentence: console.print(sentence, markup=False, soft_wrap=True),
    )
    if not tables:
        tell_run(done, as_json=json)
        return
    found = publish(str(project), Asked.of_texts(), compute, accept=split_names(accept) or ())
    tell_run(done, as_json=json, besides={"tables": found.to_dict()})
    if json and not found.passes:
        raise typer.Exit(1)
    if not json:
        tell_publication(found, as_json=False)


def _releases(project: Project) -> bool:
    """Say whether a project asks for a release of records, beside its tables."""
    release = project.release
    return bool(release.method or release.plan or project.steps or release.k or release.at_most)
