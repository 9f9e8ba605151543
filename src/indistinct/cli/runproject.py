"""`indistinct run`: everything that a project file says, from the records to the report."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.declared import Line, line_of, read_given, taking
from indistinct.cli.options import ENGINE, Compute, Json, people
from indistinct.cli.places import ProjectFile
from indistinct.cli.protect import PLACES
from indistinct.cli.results import tell_run
from indistinct.cli.scrub import tell_scrubbed
from indistinct.cli.tables import publish, tell_publication
from indistinct.core import InputError
from indistinct.core.doors import lies_within
from indistinct.flow import run_project
from indistinct.options import RELEASING
from indistinct.project import Project, load_project
from indistinct.scrub import scrub
from indistinct.tables.publishing import Asked, check_publication

__all__ = ["run"]


_ASKED = tuple(
    RELEASING[name]
    for name in (
        *("out", "seed", "registers", "earlier", "sign_with", "keep_named", "accept"),
        *("although_unproved", "told", "policy", "exceptions"),
    )
)
"""Options of a release that go before what the project says, or come beside it."""

_LINES: Mapping[str, Line] = {
    "project": (
        Annotated[
            Path,
            typer.Argument(
                metavar="PROJECT", help="The project file; 'indistinct init' drafts one."
            ),
            ProjectFile(),
        ],
        inspect.Parameter.empty,
    ),
    **{one.parameter: line_of(one, PLACES.get(one.name)) for one in _ASKED},
    "pdf": (Annotated[bool, typer.Option("--pdf", help="Print the reports to PDF too.")], False),
    **ENGINE,
    "json": (Json, False),
}


@taking(_LINES)
def run(*, project: Path, json: bool, pdf: bool, **given: Any) -> None:
    """Do all that a project file says: find, protect, compare, write, prove, report; and tables."""
    console, compute = people(), Compute.of(given)
    typed = read_given(_ASKED, given)
    out, seed, accept = typed.get("out"), typed.get("seed"), typed.get("accept", ())
    asked = load_project(project) if project.suffix == ".toml" else None
    tables = asked is not None and bool(asked.tables) and asked.publish.out is not None
    if asked is not None:
        _check_used(asked, typed, pdf=pdf)
        if tables and out is not None and _releases(asked):
            _check_apart(out, asked)
    if tables and asked is not None and not _releases(asked):
        found = publish(str(project), Asked.of_texts(out=out, seed=seed), compute, accept=accept)
        tell_publication(found, as_json=json)
        return
    if asked is not None and asked.text.columns and not _releases(asked):
        tell_scrubbed(
            scrub(
                project,
                out=out or asked.release.out,
                seed=seed if seed is not None or asked.text.secret else asked.release.seed,
                **compute.settings,
            ),
            as_json=json,
        )
        return
    done = run_project(
        project,
        **typed,
        pdf=pdf,
        **compute.settings,
        check=(lambda data: check_publication(data, Asked.of_texts())) if tables else None,
        say=lambda sentence: console.print(sentence, markup=False, soft_wrap=True),
    )
    if not tables:
        tell_run(done, as_json=json)
        return
    found = publish(str(project), Asked.of_texts(), compute, accept=accept)
    tell_run(done, as_json=json, besides={"tables": found.to_dict()})
    if json and not found.passes:
        raise typer.Exit(1)
    if not json:
        tell_publication(found, as_json=False)


def _check_used(project: Project, typed: Mapping[str, Any], *, pdf: bool) -> None:
    """Refuse options for a release of records where the project asks for none."""
    if _releases(project) or not (project.text.columns or project.tables):
        return
    used = {"out", "seed", "told", *(["accept"] if project.tables else [])}
    unused = [RELEASING[name].typed_as for name in typed if name not in used]
    unused += ["--pdf"] if pdf else []
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
