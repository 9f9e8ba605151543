"""`indistinct query`: ask released data, by the rules they were released under."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from indistinct.cli.console import Screen
from indistinct.cli.live import hidden
from indistinct.cli.noting import note_on_project, note_on_release
from indistinct.cli.options import Json, Out, people, print_json
from indistinct.cli.places import KeptFile, ReleasePlace
from indistinct.cli.terminal import paragraph
from indistinct.cli.verb import together
from indistinct.core import InputError, visible
from indistinct.files import write_data
from indistinct.project import load_project
from indistinct.query import as_shown, ask, ask_as, check_is_log

if TYPE_CHECKING:
    from indistinct.query import Answer


__all__ = ["query"]


@together(excludes={"recipient": "smallest guess tables ranges person most log"})
def query(
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help="A release folder, a released file, or with --recipient a project file (.toml).",
        ),
        ReleasePlace(),
    ],
    question: Annotated[
        str,
        typer.Argument(
            metavar="QUESTION",
            help='For example "select sex, count(*) from data where age >= 30 group by sex".',
        ),
    ],
    recipient: Annotated[
        str | None,
        typer.Option(
            help="Ask as this recipient of the project file, of the version that its profile gives."
        ),
    ] = None,
    who: Annotated[
        str | None,
        typer.Option(help="Who asks, for the log; by default the user of the machine."),
    ] = None,
    smallest: Annotated[
        int | None,
        typer.Option(
            help="The fewest people, as they show, of a row that is told; by default k, or 5."
        ),
    ] = None,
    guess: Annotated[
        float | None,
        typer.Option(
            help="How often somebody who knows everybody else may be right about one person from "
            "all answers together, where a coin is right with 0.5; by default 0.7."
        ),
    ] = None,
    tables: Annotated[
        int | None,
        typer.Option(help="How many tables with noise are told of the records; by default 20."),
    ] = None,
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="NAME=LOW:HIGH[:STEP]",
            help="Between which numbers a variable lies, said without looking at the data; with a "
            "step it can be asked in classes.",
        ),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option(help="The column that says whose record each is, where people have several."),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            help="In how many cells of a table a person with several records counts; by default 4."
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="The private file that keeps who asked what, and the secret of the noise; by "
            "default in .indistinct/ beside the data."
        ),
        KeptFile("log of questions", known=check_is_log),
    ] = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Ask released data: exactly where they are proved, with noise where they are not."""
    options: dict[str, Any] = {
        "smallest": smallest,
        "guess": guess,
        "tables": tables,
        "ranges": _ranges(ranges),
        "person": person,
        "most": most,
        "log": log,
    }
    if recipient is not None:
        if not release.endswith(".toml"):
            raise InputError(
                f"--recipient is for a project file (.toml), whose sections [recipients.NAME] say "
                f"who may ask what. Got {release}."
            )
        answer = ask_as(release, recipient, question, who=who)
        asked = {"recipient": recipient, "question": question}
        note_on_project(load_project(release), "query", asked)
    else:
        answer = ask(release, question, who=who, **options)
        note_on_release(release, "query", {"question": question})
    if out is not None:
        write_data(answer.to_table(), out)
    if json:
        print_json(answer.to_dict())
        return
    console = people()
    if out is None:
        with hidden():
            show_answer(answer)
    else:
        paragraph(console, f"written: {out}")
    console.print(answer.summary, markup=False)
    for note in answer.notes:
        console.print(f"note: {note}", markup=False, soft_wrap=True)


def _ranges(given: list[str] | None) -> dict[str, tuple[float, ...]] | None:
    """Read ``NAME=LOW:HIGH[:STEP]``."""
    found: dict[str, tuple[float, ...]] = {}
    for one in given or ():
        name, _, limits = one.rpartition("=")
        try:
            numbers = tuple(float(part) for part in limits.split(":"))
        except ValueError:
            numbers = ()
        if not name or len(numbers) not in (2, 3) or name in found:
            raise InputError(
                "--range is NAME=LOW:HIGH or NAME=LOW:HIGH:STEP, once for a variable, as in "
                "--range income=0:100000 --range age=0:100:10."
            )
        found[name] = numbers
    return found or None


def show_answer(answer: Answer) -> None:
    """Print the rows on standard output: they are what was asked for."""
    console = Screen(soft_wrap=True)
    if not console.is_terminal:  # for other programs: no frame, one row a line
        for row in (answer.columns, *answer.rows):
            print("\t".join(visible(as_shown(value)) for value in row))
        return
    table = Table()
    for j, name in enumerate(answer.columns):
        numbers = all(isinstance(row[j], (int, float)) for row in answer.rows)
        table.add_column(Text(visible(name)), justify="right" if numbers else "left")
    for cells in answer.shown_rows():
        table.add_row(*(Text(visible(cell)) for cell in cells))
    console.print(table)
