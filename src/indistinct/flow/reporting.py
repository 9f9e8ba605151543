"""The front door: a release folder in, a report out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from indistinct.core.doors import watching
from indistinct.flow.reporting_against import compared_with
from indistinct.release import parts
from indistinct.release.report import (
    Document,
    Edition,
    Words,
    build_document,
    check_page,
    document_json,
    find_browser,
    html_to_pdf,
    load_words,
    read_release,
    shareable,
    write_page,
    write_together,
)
from indistinct.results import Shown, Table

__all__ = ["WrittenReport", "make_report", "write_report"]


@dataclass(frozen=True, repr=False)
class WrittenReport(Shown):
    """Where a report was written."""

    document: Document
    html: Path
    json: Path
    pdf: Path | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by name."""
        return {
            "edition": self.document.edition,
            "state": self.document.state,
            "holds": self.document.holds,
            "passes": self.document.passes,
            "html": str(self.html),
            "json": str(self.json),
            "pdf": str(self.pdf) if self.pdf else None,
        }

    def __repr__(self) -> str:
        verdict = self.document.sections[0].pieces[0]
        said = getattr(verdict, "text", "")
        written = [self.html, self.json, *([self.pdf] if self.pdf else [])]
        return "\n".join([said, *(f"  {path}" for path in written)])

    def _tables(self) -> tuple[Table]:
        return (Table.facts("The report", self.to_dict()),)


def make_report(
    release: str | Path,
    *,
    edition: Edition = "private",
    words: Words | None = None,
    original: Any = None,
    **compare: Any,
) -> Document:
    """Return the report of a release folder, without writing it.

    Parameters
    ----------
    edition
        ``private`` for the holder, ``shareable`` for others.
    words
        Of another language than English.
    original
        The private file, to compare the release with where that was not done before.
    compare
        How to open it: `project`, `engine`, `memory`, `threads`, `master`, `scratch`.
    """
    facts = read_release(release)
    if facts.lacking == "ledger":
        edition = "shareable"
    if original is not None:
        facts = compared_with(facts, original, **compare)
    if edition == "shareable":
        facts = shareable(facts)
    return build_document(facts, words or load_words())


@watching()
def write_report(
    release: str | Path,
    *,
    edition: Edition = "private",
    out: str | Path | None = None,
    pdf: bool = False,
    language: str | Path = "en",
    original: Any = None,
    docs: str | None = None,
    **compare: Any,
) -> WrittenReport:
    """Write the report of a release: the page, its twin in JSON, and a PDF if asked for.

    Where the holder's part of the release is not there, only the shareable edition is written.

    Parameters
    ----------
    out
        The page's path; by default ``private/report.html`` in the folder, and for the shareable
        edition ``<folder>-report.html`` beside it.
    language
        ``en``, or the path of a catalogue in another language.
    original
        The private file, to compare the release with where that was not done before.
    docs
        The address of the documentation, for links to the methods' pages.
    compare
        How to open the original; see `make_report`.
    """
    release = Path(release)
    words = load_words(language)
    if pdf:
        find_browser()  # refuse now rather than after the work
    if out is not None:
        check_page(Path(out), pdf=pdf)
    document = make_report(release, edition=edition, words=words, original=original, **compare)
    if out is None:
        out = _place(release, document.edition)
    return write_document(document, words, out, pdf=pdf, docs=docs)


def write_document(
    document: Document, words: Words, out: str | Path, *, pdf: bool, docs: str | None
) -> WrittenReport:
    """Write a document as page, twin and PDF beside each other."""
    page = Path(out)
    check_page(page, pdf=pdf)
    twin, printed = page.with_suffix(".json"), page.with_suffix(".pdf") if pdf else None
    files: dict[Path, Callable[[Path], object]] = {
        page: partial(_write, text=write_page(document, words, docs=docs)),
        twin: partial(_write, text=document_json(document)),
    }
    if printed is not None:
        files[printed] = partial(html_to_pdf, write_page(document, words, docs=docs, unfolded=True))
    write_together(files, private=document.edition == "private")
    return WrittenReport(document, page, twin, printed)


def _place(release: Path, edition: Edition) -> Path:
    if edition == "private":
        return release / parts.REPORTS[0]
    folder = release.resolve()
    return folder.with_name(f"{folder.name}-report.html")


def _write(aside: Path, text: str) -> None:
    aside.write_text(text, encoding="utf-8", newline="\n")
