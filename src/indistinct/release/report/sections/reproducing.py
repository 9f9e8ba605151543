"""Versions, hashes and the plan: what is needed to make the release again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words

__all__ = ["reproducing_section"]


@register_section("reproducing", place=110)
def reproducing_section(facts: ReleaseFacts, words: Words) -> Section:
    """Tell with what the release was made, and how to know it again."""
    content = facts.certificate.content
    rows = [
        (words("made.created"), content.get("created")),
        (words("made.program"), _joined(content.get("program"), content.get("version"))),
        *(
            (name, version)
            for name, version in _fields(content.get("built_with")).items()
            if isinstance(version, str)
        ),
    ]
    if facts.edition == "private" and facts.measured is not None:
        rows += [
            (words("made.from"), facts.measured.original.name),
            (words("made.from_sha256"), facts.measured.original.sha256),
            (words("made.seed"), None if facts.seed is None else str(facts.seed)),
        ]
    signer = facts.certificate.public_key
    rows.append((words("made.signed"), signer.fingerprint if signer else words("made.unsigned")))
    pieces: list[Piece] = [
        words.grid("made", [("what", ""), ("said", "")], [(a, b) for a, b in rows]),
        words.grid(
            "hashes",
            [("file", ""), ("sha256", "")],
            [
                (name, str(sha))
                for name, sha in (
                    *facts.certificate.files.items(),
                    ("certificate.json", content.get("sha256")),
                )
                if sha
            ],
        ),
        words.claim("made.verify", page="verifying", name=facts.name),
    ]
    if facts.edition == "private" and facts.measured is not None:
        pieces.append(
            words.claim(
                "made.again",
                page="release-folder",
                key=",".join(facts.measured.risk.key),
                k=facts.measured.k,
            )
        )
    return Section("reproducing", words("section.reproducing"), tuple(pieces))


def _fields(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _joined(*values: Any) -> str:
    return " ".join(str(value) for value in values if value is not None)
