"""`indistinct query`: ask released data, by the rules they were released under."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from indistinct.cli.live import hidden
from indistinct.cli.noting import note_on_project, note_on_release
from indistinct.cli.options import Json, Out, people, print_json
from indistinct.errors import InputError
from indistinct.files import write_data
from indistinct.project import load_project
from indistinct.query import Answer, ask, ask_as
from indistinct.query.answer import as_shown

__all__ = ["query"]


def query(
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help="A release folder, a released file, or with --recipient a project file (.toml).",
        ),
    ],
    question: Annotated[
        str,
        typer.Argument(
            metavar="SELECT", help='One SELECT about the table data: "select count(*) from data".'
        ),
    ],
    recipient: Annotated[
        str | None,
        typer.Option(
            help="Ask as this recipient of the project file, of the version that its profile gives."
        ),
    ] = None,
    smallest: Annotated[
        int | None,
        typer.Option(help="The fewest records that an answer may rest on; by default k, or 5."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Keep in mind here what was answered, so that no two answers differ in few "
            "records. With --recipient this is always done."
        ),
    ] = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Ask released data with SQL; what rests on few records is withheld."""
    if recipient is not None:
        if smallest is not None or log is not None:
            raise InputError(
                "With --recipient the project file decides: put 'smallest' into the section "
                f"[recipients.{recipient}], and leave --smallest and --log out."
            )
        if not release.endswith(".toml"):
            raise InputError(
                f"--recipient is for a project file (.toml), whose sections [recipients.NAME] say "
                f"who may ask what. Got {release}."
            )
        answer = ask_as(release, recipient, question)
        asked = {"recipient": recipient, "question": question}
        note_on_project(load_project(release), "query", asked)
    else:
        answer = ask(release, question, smallest=smallest, log=log)
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
        console.print(f"written: {out}", markup=False)
    console.print(answer.summary, markup=False)
    for note in answer.notes:
        console.print(f"note: {note}", markup=False, soft_wrap=True)


def show_answer(answer: Answer) -> None:
    """Print the rows on standard output: they are what was asked for."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:  # for other programs: no frame, one row a line
        for row in (answer.columns, *answer.rows):
            print("\t".join(as_shown(value) for value in row))
        return
    table = Table()
    for j, name in enumerate(answer.columns):
        numbers = all(isinstance(row[j], (int, float)) for row in answer.rows)
        table.add_column(Text(name), justify="right" if numbers else "left")
    for row in answer.rows:
        table.add_row(*(Text(as_shown(value)) for value in row))
    console.print(table)
