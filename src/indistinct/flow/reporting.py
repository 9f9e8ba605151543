"""The front door: a release folder in, a report out.

The private file at hand again: a release compared with it for its report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.core.doors import watching
from indistinct.engine import EngineName
from indistinct.files import Source
from indistinct.flow import compare_release
from indistinct.flow.opening_both import find_project, open_original, started_engine
from indistinct.project import Project
from indistinct.release import file_digest, parts
from indistinct.release.report import (
    Document,
    Edition,
    ReleaseFacts,
    Words,
    build_document,
    check_page,
    document_json,
    find_browser,
    html_to_pdf,
    load_words,
    read_release,
    shareable,
    with_utility,
    write_page,
    write_together,
)
from indistinct.results import Shown, Table

__all__ = ["WrittenReport", "compared_with", "make_report", "write_report"]


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


# The private file at hand again ------------------------------------------------------------------


def compared_with(
    facts: ReleaseFacts,
    original: Any,
    *,
    project: str | Path | Project | None = None,
    engine: EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
) -> ReleaseFacts:
    """Return the facts of a release with those of a comparison with the original added.

    A file that cannot be what the release was made from is refused: one of another number of
    records, or with none of the released variables. Where only the bytes differ, as they may if
    the file was saved anew or turned into Parquet by another version, the report says so.

    Parameters
    ----------
    original, project, engine, memory, threads, master, scratch
        As for `indistinct.compare_release`.
    """
    if facts.measured is None:
        raise InputError(
            f"{facts.folder} holds no measurements to which a comparison could be added. Leave "
            "the original away, or write the release anew."
        )
    declared = find_project(original, project)
    with started_engine(engine, declared, memory, threads, master, scratch) as running:
        source = open_original(original, declared, running.workspace)
        same = _check(facts, source)
        compared = compare_release(source, facts.folder, project=declared, engine=running)
    measured = with_utility(facts.measured, compared)
    if not same and measured.utility is not None:
        said = (
            f"The bytes of {Path(source.origin).name} are not those that the release was made "
            "from; it has as many records. Make sure that it is the same data."
        )
        notes = (said, *measured.utility.notes)
        measured = replace(measured, utility=replace(measured.utility, notes=notes))
    return replace(facts, measured=measured)


def _check(facts: ReleaseFacts, source: Source) -> bool:
    """Refuse a file that is not the release's original; say whether its bytes are the same."""
    assert facts.measured is not None
    told = facts.measured.original
    if source.records != told.records:
        raise InputError(
            f"{source.origin} is not what {facts.folder} was made from: it has "
            f"{source.records:,} records, and that had {told.records:,}."
        )
    if not any(v.name in source.variables for v in facts.measured.released.variables):
        raise InputError(
            f"{source.origin} is not what {facts.folder} was made from: it has none of the "
            "released variables."
        )
    return file_digest(source.path) == told.sha256
