"""`indistinct run`: everything that a project file says, from the records to the report."""

from __future__ import annotations

from collections.abc import Mapping
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
    ToldOption,
    people,
    split_names,
)
from indistinct.cli.places import DataPlace, InputFile, OutputFolder, ProjectFile, ReleasePlace
from indistinct.cli.released import tell_run
from indistinct.cli.scrub import tell_scrubbed
from indistinct.cli.tables import publish, tell_publication
from indistinct.core import InputError
from indistinct.core.doors import lies_within
from indistinct.flow import run_project
from indistinct.project import Project, load_project
from indistinct.scrub import scrub
from indistinct.tables.publishing import Asked, check_publication

__all__ = ["run"]


def run(
    project: Annotated[
        Path,
        typer.Argument(metavar="PROJECT", help="The project file; 'indistinct init' drafts one."),
        ProjectFile(),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The release folder, instead of the project's."),
        OutputFolder(),
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
        DataPlace("register"),
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            help="An earlier release of the same people, beside the project's; may be given "
            "several times.",
        ),
        ReleasePlace("earlier release"),
    ] = None,
    sign: Annotated[
        Path | None,
        typer.Option(help="The holder's private key: signs the certificate."),
        InputFile("key"),
    ] = None,
    keep_named: Names = None,
    accept: Accept = None,
    although_unproved: AlthoughUnproved = False,
    told: ToldOption = None,
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
    if asked is not None:
        _check_used(
            asked,
            {
                "--register": registers,
                "--with": earlier,
                "--sign": sign,
                "--release": keep_named,
                "--although-unproved": although_unproved,
                "--pdf": pdf,
            },
            accept,
        )
        if tables and out is not None and _releases(asked):
            _check_apart(out, asked)
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
        told=told,
        pdf=pdf,
        engine=engine,
        master=master,
        memory=memory,
        threads=threads,
        scratch=scratch,
        check=(lambda data: check_publication(data, Asked.of_texts())) if tables else None,
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


def _check_used(project: Project, given: Mapping[str, object], accept: str | None) -> None:
    """Refuse options for a release of records where the project asks for none."""
    if _releases(project) or not (project.text.columns or project.tables):
        return
    unused = [name for name, value in given.items() if value]
    if accept and not project.tables:
        unused.append("--accept")
    if unused:
        raise InputError(
            f"{project.path} asks for no release of records, so that {', '.join(unused)} would be "
            "ignored. Leave it out, or say in [release] what is released."
        )


def _check_apart(out: Path, project: Project) -> None:
    """Refuse tables and a release in one another's folder."""
    tables = project.publish.out
    if tables is not None and (lies_within(out, tables) or lies_within(tables, out)):
        raise InputError(
            f"{out} and {tables}, the [publish] out of {project.path}, are named for two things to "
            "write. Name each by itself."
        )


def _releases(project: Project) -> bool:
    """Say whether a project asks for a release of records, beside its tables."""
    release = project.release
    return bool(release.method or release.plan or project.steps or release.k or release.at_most)
