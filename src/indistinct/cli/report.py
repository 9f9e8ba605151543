"""`indistinct report`: what somebody reads before signing a release, or choosing one of several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from indistinct.cli.noting import note_on_project, note_on_release
from indistinct.cli.options import (
    ENGINE,
    Compute,
    Json,
    counting,
    people,
    print_json,
)
from indistinct.cli.places import DataPlace, PageFile, ProjectFile, ReleasePlace, WordOrFile
from indistinct.cli.terminal import answers_of, paragraph
from indistinct.cli.verb import together
from indistinct.core import GuaranteeError, InputError
from indistinct.flow import outcomes_of, write_comparison_report, write_report
from indistinct.project import load_project
from indistinct.release.report import Claim

if TYPE_CHECKING:
    from indistinct.flow import WrittenReport
    from indistinct.release.report import Document, Edition

__all__ = ["report"]

_STYLES = {"good": "green", "bad": "bold red", "note": "yellow"}


@together(needs=dict.fromkeys(("project", *ENGINE), "original"))
@counting()
def report(
    releases: Annotated[
        list[Path],
        typer.Argument(
            metavar="RELEASE",
            help="A release folder; or several of the same data, which are put side by side.",
        ),
        ReleasePlace(),
    ],
    shareable: Annotated[
        bool,
        typer.Option(
            "--shareable", help="Write the edition for others, without private values and counts."
        ),
    ] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print it to PDF too.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE.html",
            help="The page. By default private/report.html in the folder, for others "
            "RELEASE-report.html beside it, and for several FIRST-comparison.html.",
        ),
        PageFile("the report"),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="The private data, or their project file: compare what is released with it.",
        ),
        DataPlace(),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="The project file, where --original is a data file."),
        ProjectFile(),
    ] = None,
    language: Annotated[
        str,
        typer.Option(metavar="CODE|FILE.toml", help="en, or a catalogue of another language."),
        WordOrFile("catalogue"),
    ] = "en",
    docs: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the documentation is, for links to its pages."),
    ] = None,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Write the report of a release, to be read before signing; or compare several releases.

    Leaves with 0 if the release is whole and keeps what it promises, every reservation being
    accepted by name, or if one of several that does so can be recommended; with 1 if not.
    """
    compare = {"project": project, **compute.settings}
    options = _checked(original, docs, {n: v for n, v in compare.items() if v is not None})
    edition: Edition = "shareable" if shareable else "private"
    options |= {"edition": edition, "out": out, "pdf": pdf, "language": language}
    several = len(releases) > 1
    written = (
        write_comparison_report(releases, **options)
        if several
        else write_report(releases[0], **options)
    )
    _note(releases, written, original, project)
    if json:
        print_json(_facts(releases, written))
    else:
        _show(people(), written, pdf=pdf)
    if not written.document.passes:
        raise GuaranteeError(_refusal(releases, written.document))


def _refusal(releases: Sequence[Path], document: Document) -> str:
    """Say why what was written about is not to be signed as it is."""
    reserved = document.state == "reservations"
    if len(releases) > 1:
        return (
            "The comparison was written, and what it recommends holds only with reservations that "
            "were not accepted."
            if reserved
            else "The comparison was written, and recommends none of the releases."
        )
    if reserved:
        return (
            f"The report was written, and {releases[0]} holds only with reservations that were not "
            "accepted. Read them on its first page; whoever takes one upon himself names it with "
            "--accept when the release is made."
        )
    return (
        f"The report was written, and {releases[0]} does not hold: it was changed, or what it "
        "promises is not proved."
    )


def _checked(original: str | None, docs: str | None, compare: dict[str, Any]) -> dict[str, Any]:
    """Refuse what makes no sense before any work is done."""
    if docs is not None and not docs.startswith(("https://", "http://")):
        raise InputError("--docs must be an address, such as https://example.org/docs/methods.")
    return {"original": original, "docs": docs, **compare}


def _facts(releases: Sequence[Path], written: WrittenReport) -> dict[str, Any]:
    document = written.document
    findings = [c.text for c in document.every(Claim) if c.name == "verdict.finding"]
    facts = {**written.to_dict(), "findings": findings}
    if len(releases) > 1:
        outcomes = dict(zip(map(str, releases), outcomes_of(document), strict=True))
        chosen = [folder for folder, fate in outcomes.items() if fate == "recommended"]
        facts |= {"recommended": chosen[0] if chosen else None, "outcomes": outcomes}
    return facts


def _show(console: Console, written: WrittenReport, *, pdf: bool) -> None:
    for piece in written.document.sections[0].pieces:
        if isinstance(piece, Claim) and (piece.tone != "plain" or piece.name.startswith("fate.")):
            shown = Text(piece.text, style=_STYLES.get(piece.tone, ""))
            answers_of(console).print(shown, soft_wrap=True)
    for path in (written.html, written.json, written.pdf):
        if path is not None:
            paragraph(console, f"written: {path}")
    older = written.html.with_suffix(".pdf")
    if not pdf and older.is_file():
        console.print(
            f"note: {older} is of an earlier report; print this one with --pdf",
            markup=False,
            soft_wrap=True,
        )


def _note(
    releases: Sequence[Path], written: WrittenReport, original: str | None, project: Path | None
) -> None:
    """Tell the audit trails who got to see private values."""
    of = project or original
    if of is not None and str(of).endswith(".toml"):
        asked = {"releases": list(map(str, releases)), "edition": written.document.edition}
        note_on_project(load_project(of), "report", asked)
    if written.document.edition == "private":
        for release in releases:
            note_on_release(release, "report", {"edition": "private"})
