"""The front door: a release folder in, a report out.

The private file at hand again: a release compared with it for its report.

Several releases of the same data in one report: which of them to sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import indistinct
from indistinct.core import InputError
from indistinct.core.doors import watching
from indistinct.engine import EngineName
from indistinct.files import Source
from indistinct.flow import compare_release
from indistinct.flow.opening_both import find_project, open_original, started_engine
from indistinct.project import Project
from indistinct.release import file_digest, parts, rounding_base
from indistinct.release.report import (
    Document,
    Edition,
    Grid,
    ReleaseFacts,
    Words,
    build_document,
    check_page,
    document_json,
    find_browser,
    glossary,
    html_to_pdf,
    load_words,
    methods,
    read_release,
    shareable,
    weigh,
    with_utility,
    write_page,
    write_together,
)
from indistinct.release.report.sections import Compared, comparison_sections
from indistinct.results import Shown, Table

__all__ = [
    "WrittenReport",
    "compare_reports",
    "compared_with",
    "make_report",
    "outcomes_of",
    "write_comparison_report",
    "write_report",
]


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


# Several releases of the same data in one report -------------------------------------------------


_MOST = 26
"""Candidates have a letter each."""


def compare_reports(
    releases: Sequence[str | Path],
    *,
    edition: Edition = "private",
    words: Words | None = None,
    original: Any = None,
    **compare: Any,
) -> Document:
    """Put several releases of the same data side by side, and recommend one, or none.

    The rule stands in `release.report.weighing` and on the page. Releases of different data
    are refused; those with different keys or k are not, and the page says what that means.

    Parameters
    ----------
    releases
        Two or more release folders.
    edition
        ``private`` for the holder, ``shareable`` for others.
    words
        Of another language than English.
    original
        The private file, to compare each release with it.
    compare
        How to open it: `project`, `engine`, `memory`, `threads`, `master`, `scratch`.
    """
    words = words or load_words()
    _check_folders(releases)
    found = [read_release(folder) for folder in releases]
    same_data = _same_data(found)
    if original is not None:
        found = [compared_with(facts, original, **compare) for facts in found]
    weighing = weigh(found)
    if edition == "shareable" or all(facts.lacking == "ledger" for facts in found):
        edition = "shareable"
        found = [shareable(facts) for facts in found]
    compared = Compared(tuple(found), weighing, same_data)
    sections = comparison_sections(compared, words)
    sections += [glossary(words), methods(sections, words)]
    return Document(
        words("comparison.title", names=tuple(facts.name for facts in found)),
        edition,
        _edition(found, edition, words),
        words.language,
        "fails" if weighing.chosen is None else found[weighing.chosen].state,
        weighing.chosen is not None and found[weighing.chosen].passes,
        tuple(sections),
        words("page.compared", version=indistinct.__version__),
    )


@watching()
def write_comparison_report(
    releases: Sequence[str | Path],
    *,
    edition: Edition = "private",
    out: str | Path | None = None,
    pdf: bool = False,
    language: str | Path = "en",
    original: Any = None,
    docs: str | None = None,
    **compare: Any,
) -> WrittenReport:
    """Write the report that puts several releases side by side: page, twin in JSON, and PDF.

    Parameters
    ----------
    out
        The page's path; by default ``<first folder>-comparison.html`` beside the first folder.
    pdf, language, docs
        As for `write_report`.
    edition, original, compare
        As for `compare_reports`.
    """
    words = load_words(language)
    if pdf:
        find_browser()  # refuse now rather than after the work
    _check_folders(releases)
    if out is None:
        first = Path(releases[0]).resolve()
        out = first.with_name(f"{first.name}-comparison.html")
    check_page(Path(out), pdf=pdf)
    document = compare_reports(releases, edition=edition, words=words, original=original, **compare)
    return write_document(document, words, out, pdf=pdf, docs=docs)


def outcomes_of(document: Document) -> list[str]:
    """Return what became of each candidate of a comparison, in their order (see `Fate`)."""
    return [
        str(cell.value).removeprefix("fate.")
        for grid in document.every(Grid)
        if grid.name == "comparison.about"
        for what, *cells in grid.rows
        if what.value == "outcome"
        for cell in cells
    ]


def _check_folders(releases: Sequence[str | Path]) -> None:
    if isinstance(releases, (str, Path)) or len(releases) < 2:
        raise InputError("A comparison needs two release folders or more.")
    if len(releases) > _MOST:
        raise InputError(
            f"At most {_MOST} releases can be compared at once. Got {len(releases)}. Leave out "
            "those that are out of the question."
        )
    seen: dict[Path, str | Path] = {}
    for folder in releases:
        place = Path(folder).resolve()
        if place in seen:
            raise InputError(f"The folder {folder} is named twice. Name every release once.")
        seen[place] = folder


def _same_data(found: Sequence[ReleaseFacts]) -> tuple[bool, ...]:
    """Refuse releases of different files; for each say whether its file is known."""
    hashes = {
        facts.folder: facts.measured.original.sha256
        for facts in found
        if facts.measured is not None and facts.whole
    }
    for folder, sha256 in hashes.items():
        first, known = next(iter(hashes.items()))
        if sha256 != known:
            raise InputError(
                f"{first} and {folder} are releases of different data: they were not made from "
                "the same private file. Compare releases of one file."
            )
    return tuple(facts.folder in hashes for facts in found)


def _edition(found: Sequence[ReleaseFacts], edition: Edition, words: Words) -> str:
    if edition == "private":
        return words("comparison.edition.private")
    bases = sorted({rounding_base(f.measured.k) for f in found if f.measured is not None})
    if not bases:
        return words("page.edition.shareable.bare")
    return words("comparison.edition.shareable", bases=tuple(bases))
