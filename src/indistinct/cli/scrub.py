"""`indistinct scrub`: letters and notes without the people in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from indistinct import project
from indistinct.cli.noting import note_on_project
from indistinct.cli.options import (
    Compute,
    Json,
    counting,
    people,
    print_json,
    split_names,
)
from indistinct.cli.places import (
    DataPlace,
    InputFile,
    KeptFile,
    LettersPlace,
    OutputFile,
    OutputFolder,
)
from indistinct.cli.terminal import heading, note, paragraph, table
from indistinct.core import InputError
from indistinct.project import Dates, Scope
from indistinct.scrub import scrub as scrub_letters
from indistinct.scrub.text.replace import Secret

if TYPE_CHECKING:
    from indistinct.scrub import ScrubResult
    from indistinct.scrub.text import FourRows


__all__ = ["scrub", "show_scrubbed", "tell_scrubbed"]

SHOWN = 20


@counting()
def scrub(
    letters: Annotated[
        list[Path],
        typer.Argument(
            metavar="LETTERS…",
            help="Letters (.txt, .docx, .odt, .rtf, .pdf, .html, .eml), folders, JSON lines "
            "(.jsonl), a table with --columns, or a project file with a section [text].",
        ),
        LettersPlace(),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write the scrubbed letters to this new folder."),
        OutputFolder(),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="The certainty from which a reference is taken for one (0.7)."),
    ] = None,
    no_reduce: Annotated[
        bool,
        typer.Option("--no-reduce", help="No second thoughts about what is found with doubt."),
    ] = False,
    dates: Annotated[
        Dates | None,
        typer.Option(help="Dates by month (default) or year, or shifted as one for a patient."),
    ] = None,
    scope: Annotated[
        Scope | None,
        typer.Option(help="Where somebody has the same made-up name: everywhere (default) or not."),
    ] = None,
    identities: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table of known people, to be looked for everywhere."),
        DataPlace("table of known people"),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What made-up names are drawn with, so that the next letters get the same ones; "
            "made where there is none.",
        ),
        KeptFile("secret", known=Secret.from_file),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a run, in place of a secret.")] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Private: what a person said of references, as JSON."),
        InputFile("file of corrections"),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help="The text columns of a table: a,b.")
    ] = None,
    text_field: Annotated[
        str | None, typer.Option(metavar="NAME", help="JSON lines: the field of the text (text).")
    ] = None,
    id_field: Annotated[
        str | None, typer.Option(metavar="NAME", help="JSON lines: the field of the id (id).")
    ] = None,
    patient_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The field or column that says whom a document is about. Documents of a patient "
            "that follow each other share what is known: sort by it.",
        ),
    ] = None,
    keep_fields: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Further fields or columns that are written as is."),
    ] = None,
    keep_names: Annotated[
        bool,
        typer.Option(
            "--keep-names", help="Keep file names, but for those in which somebody is found."
        ),
    ] = False,
    spans: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Private: a JSON line per document with what was found, and where."
        ),
        OutputFile("the list"),
    ] = None,
    identifiers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Private: a table (CSV or Parquet) of the identifiers found, to attack with.",
        ),
        OutputFile("the table", (".csv", ".parquet")),
    ] = None,
    evaluate: Annotated[
        Path | None,
        typer.Option(
            metavar="GOLD",
            help="JSON lines with id and spans that people marked: compare two plain searches and "
            "Scrub with them.",
        ),
        InputFile("annotated file"),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of text without a byte order mark (utf-8).")
    ] = None,
    max_characters: Annotated[
        int | None, typer.Option(help="Longer documents are withheld (10,000,000).")
    ] = None,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Replace every reference to a person in letters and notes by a made-up one."""
    if out is None and spans is None and identifiers is None and evaluate is None and not json:
        raise InputError(
            "Where are the letters to go? Name a new folder with --out; or look only, with "
            "--spans FILE, --evaluate GOLD or --json."
        )
    console = people()
    done = scrub_letters(
        letters,
        out=out,
        spans=spans,
        identifiers=identifiers,
        evaluate=evaluate,
        **compute.settings,
        say=lambda sentence: console.print(sentence, markup=False, soft_wrap=True),
        threshold=threshold,
        reduce=False if no_reduce else None,
        dates=dates,
        scope=scope,
        identities=identities,
        secret=secret,
        seed=seed,
        corrections=corrections,
        columns=_names(columns),
        text_field=text_field,
        id_field=id_field,
        patient_field=patient_field,
        keep_fields=_names(keep_fields),
        keep_names=keep_names or None,
        encoding=encoding,
        max_characters=max_characters,
    )
    if letters[0].suffix.lower() == ".toml":
        told = {"documents": done.documents, "threshold": done.threshold}
        note_on_project(project.load_project(letters[0]), "scrub", told, verdict=done.verdict)
    tell_scrubbed(done, as_json=json)


def tell_scrubbed(done: ScrubResult, *, as_json: bool) -> None:
    """Tell what was done; leaves with 1 where a document was withheld."""
    if as_json:
        print_json(done.to_dict())
    else:
        show_scrubbed(people(), done)
    if not done.holds:
        raise typer.Exit(1)


def _names(text: str | None) -> tuple[str, ...] | None:
    names = split_names(text)
    return tuple(names) if names else None


def show_scrubbed(console: Console, done: ScrubResult) -> None:
    """Show what was found and done to people, without a word of any document."""
    if done.evaluation is not None:
        _show_evaluation(console, done.evaluation)
    _show_counts(console, done)
    if done.withheld:
        rows = [(one.document, one.reason) for one in done.withheld[:SHOWN]]
        table(console, ("document", "why"), rows, title="Withheld", text=("why",))
        if done.not_written > len(rows):
            paragraph(console, f"and {done.not_written - len(rows):,} more", indent="  ")
    for sentence in done.notes:
        note(console, "note", sentence)
    for sentence in done.warnings:
        note(console, "warning", sentence)
    paragraph(console, f"verdict: {done.verdict}")
    for place, words in ((done.spans, "private"), (done.identifiers, "private")):
        if place is not None:
            paragraph(console, f"{words}: {place}")
    if done.out is not None:
        paragraph(console, f"written: {done.out}")
    else:
        paragraph(console, "no letters were written: this was a look only")


def _show_counts(console: Console, done: ScrubResult) -> None:
    total = done.replaced + done.suppressed
    heading(
        console,
        f"{done.documents - done.not_written:,} of {done.documents:,} documents scrubbed, "
        f"{total:,} {'reference' if total == 1 else 'references'} with certainty "
        f"{done.threshold:g} or more: {done.replaced:,} "
        f"replaced, {done.suppressed:,} suppressed",
    )
    rows = list(done.references.items())
    most = max(done.references.values(), default=1)
    shares = [count / most for _, count in rows]
    if rows:
        table(console, ("kind", "references"), rows, bars=shares)


def _show_evaluation(console: Console, found: FourRows) -> None:
    first = found.rows[0]
    heading(console, f"{first.documents:,} documents with {first.references:,} references marked")
    short = ("Straight search", "Search with cues", "Scrub at 0.8", "Scrub at 0.7, reduced")
    rows = [
        (
            name,
            f"{row.share_removed:.1%}",
            f"{row.token_precision:.1%}",
            f"{row.leaking:,} ({row.share_leaking:.1%})",
        )
        for name, row in zip(short, found.rows, strict=True)
    ]
    names: tuple[str, ...] = ("method", "references found", "token precision", "leaking documents")
    table(console, names, rows)
    labels = dict.fromkeys(score.label for row in found.rows for score in row.labels)
    shares = [{s.label: f"{s.share_removed:.1%}" for s in row.labels} for row in found.rows]
    numbers = {s.label: s.references for s in first.labels}
    kinds = [
        (label, numbers.get(label), *(share.get(label, "") for share in shares)) for label in labels
    ]
    names = ("kind", "references", "search", "cues", "Scrub 0.8", "Scrub 0.7")
    table(console, names, kinds, title="References found, by kind")
    for sentence in found.notes:
        note(console, "note", sentence)
