"""Facts and words into a document: one template for both editions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import indistinct
from indistinct.release.few import rounding_base
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Claim, Document, Piece, Section
from indistinct.release.report.sections import all_sections
from indistinct.release.report.words import Words

__all__ = ["build_document", "glossary", "methods"]

_GLOSSARY = (
    "stand_out",
    "alone",
    "key",
    "k",
    "register",
    "generalise",
    "suppress",
    "perturb",
    "expected",
    "distance",
    "precision",
    "dominated",
    "certificate",
)


def build_document(facts: ReleaseFacts, words: Words) -> Document:
    """Write the report of one release: private or shareable, as the facts are."""
    made = [section(facts, words) for section in all_sections().values()]
    sections = [section for section in made if section is not None]
    if not facts.holds:
        sections = [_without_praise(section) for section in sections]
    sections += [glossary(words), methods(sections, words)]
    created = facts.certificate.content.get("created")
    return Document(
        words("page.title", name=facts.name),
        facts.edition,
        _edition(facts, words),
        words.language,
        facts.state,
        facts.passes,
        tuple(sections),
        words("page.made", version=indistinct.__version__, created=created),
    )


def _without_praise(section: Section) -> Section:
    """Return a section in which nothing is green: part of a release that does not simply hold."""
    pieces = (
        replace(piece, tone="plain") if isinstance(piece, Claim) and piece.tone == "good" else piece
        for piece in section.pieces
    )
    return replace(section, pieces=tuple(pieces))


def _edition(facts: ReleaseFacts, words: Words) -> str:
    if facts.edition == "private":
        return words("page.edition.private")
    if facts.measured is None:
        return words("page.edition.shareable.bare")
    return words("page.edition.shareable", base=rounding_base(facts.measured.k))


def glossary(words: Words) -> Section:
    """Explain the words, the plain one first."""
    pieces = [
        Claim(
            f"glossary.{name}",
            (f"**{words(f'glossary.{name}')}.** ", words(f"glossary.{name}.means")),
        )
        for name in _GLOSSARY
    ]
    return Section("glossary", words("section.glossary"), tuple(pieces))


def methods(sections: Sequence[Section], words: Words) -> Section:
    """List the pages of the methods that the report rests on."""
    pages = dict.fromkeys(
        page
        for section in sections
        for piece in section.pieces
        if (page := getattr(piece, "page", None))
    )
    pieces: list[Piece] = [words.claim("methods.intro")]
    pieces += [Claim(f"method-page.{page}", (f"docs/methods/{page}.md",)) for page in sorted(pages)]
    return Section("methods", words("section.methods"), tuple(pieces))
