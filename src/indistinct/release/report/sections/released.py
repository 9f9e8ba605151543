"""What is released, for whom, for what purpose, under which contract."""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words

__all__ = ["released_section"]

_TERMS = (
    "purpose",
    "recipient",
    "holder",
    "access",
    "needed",
    "security",
    "could_link",
    "will_link",
    "lifetime",
    "destroy_by",
    "review_days",
    "sanctions",
)
_OPEN_TABLE = 8
"""Up to so many variables are listed openly; more stand in a table that is unfolded."""


@register_section("released", place=20)
def released_section(facts: ReleaseFacts, words: Words) -> Section:
    """Tell what is released and on which terms."""
    return Section("released", words("section.released"), tuple(_pieces(facts, words)))


def _pieces(facts: ReleaseFacts, words: Words) -> Iterator[Piece]:
    measured, certificate = facts.measured, facts.certificate
    if measured is None:
        records = certificate.content.get("records")
        yield words.claim(
            "released.records",
            page="release-folder",
            records=records if isinstance(records, int) else None,
            name=facts.name,
        )
        yield words.claim("released.see_contract", page="release-folder")
        return
    yield words.claim(
        "released.file",
        page="release-folder",
        name=facts.name,
        records=measured.released.records,
        variables=len(measured.released.variables),
        format=measured.released.format,
        method=words.shown("method", f"method.{measured.method}", "word").text,
    )
    terms = measured.terms
    public = terms.get("access") == "public"
    rows = []
    missing = []
    for name in _TERMS:
        value = terms.get(name)
        if value in (None, [], ()):
            settled = public and name not in ("purpose", "recipient", "holder", "access")
            # who says on what could be linked, and not on what will be, will not link
            if not settled and not (name == "will_link" and terms.get("could_link")):
                missing.append(words(f"terms.{name}"))
            continue
        if name == "access":
            value = words.shown("access", f"access.{value}", "word").text
        rows.append((words(f"terms.{name}"), value))
    if rows:
        yield words.grid("terms", [("what", ""), ("said", "")], rows)
    if public:
        yield words.claim("terms.public", tone="note", page="release-folder")
    if missing:
        yield words.claim("terms.missing", tone="note", page="release-folder", missing=missing)
    variables = measured.released.variables
    yield words.grid(
        "variables",
        [("variable", ""), ("label", ""), ("level", "word"), ("known", "")],
        [(v.name, v.label or "", v.level and f"level.{v.level}", v.in_key) for v in variables],
        folded=len(variables) > _OPEN_TABLE,
        number=len(variables),
    )
    if measured.changes.identifiers:
        yield words.claim(
            "released.identifiers", page="release-folder", names=measured.changes.identifiers
        )
    if measured.changes.removed:
        yield words.claim("released.removed", page="release-folder", names=measured.changes.removed)
