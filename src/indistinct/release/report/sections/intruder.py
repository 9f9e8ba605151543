"""The intruder against whom the release is protected, and what it was attacked with."""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words
from indistinct.risk import PublicRule

__all__ = ["intruder_section"]


@register_section("intruder", place=30)
def intruder_section(facts: ReleaseFacts, words: Words) -> Section:
    """Tell who is thought to search, with what, and how they were played."""
    return Section("intruder", words("section.intruder"), tuple(_pieces(facts, words)))


def _pieces(facts: ReleaseFacts, words: Words) -> Iterator[Piece]:
    key = tuple(facts.certificate.key)
    yield words.claim("intruder.knows", page="linking-attacks", key=key, number=len(key))
    told = facts.certificate.content.get("attacked_with")
    attacked = [item for item in told if isinstance(item, dict)] if isinstance(told, list) else []
    if not attacked:
        yield words.claim("intruder.nobody", tone="bad", page="verifying")
        return
    yield words.claim("intruder.method", page="verifying")
    rows = []
    for item in attacked:
        records = item.get("records")
        itself = item.get("role") == "release" and item.get("name") in facts.certificate.files
        role = "itself" if itself else item.get("role")
        rows.append(
            (
                words.shown("with", f"attack.{role}", "word").text,
                str(item.get("name") or ""),
                records if isinstance(records, int) else None,
                str(item.get("sha256") or "")[:16] or None,
            )
        )
    yield words.grid(
        "attacks", [("with", ""), ("file", ""), ("people", "count"), ("sha256", "")], rows
    )
    if not any(item.get("role") == "register" for item in attacked):
        yield words.claim("intruder.no_register", tone="note", page="verifying")
    promise = facts.certificate.promise
    for rule in promise.public if promise is not None else ():
        said = PublicRule.from_dict(rule).describe()
        yield words.claim("intruder.public", tone="note", page="l-diversity", rule=said)
    terms = facts.measured.terms if facts.measured is not None else {}
    if terms.get("could_link"):
        yield words.claim("intruder.could_link", names=terms["could_link"], page="release-folder")
