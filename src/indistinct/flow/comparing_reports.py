"""Several releases of the same data in one report: which of them to sign."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import indistinct
from indistinct.core import InputError
from indistinct.core.doors import watching
from indistinct.flow import WrittenReport, compared_with, write_document
from indistinct.release import rounding_base
from indistinct.release.report import (
    Document,
    Edition,
    Grid,
    ReleaseFacts,
    Words,
    check_page,
    find_browser,
    glossary,
    load_words,
    methods,
    read_release,
    shareable,
    weigh,
)
from indistinct.release.report.sections import Compared, comparison_sections

__all__ = ["compare_reports", "outcomes_of", "write_comparison_report"]

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
