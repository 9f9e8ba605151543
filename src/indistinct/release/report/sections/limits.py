"""What the verdict rests on, and what is not proved."""

from __future__ import annotations

from dataclasses import replace

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words

__all__ = ["limits_section"]


@register_section("limits", place=100)
def limits_section(facts: ReleaseFacts, words: Words) -> Section:
    """Tell the assumptions, and what nobody has shown."""
    pieces: list[Piece] = [words.claim("limits.intro", page="what-is-not-proved")]
    told = facts.certificate.verdict.get("assumptions")
    for sentence in told if isinstance(told, list) else []:
        said = words.said(str(sentence), name="limits.assumption", page="what-is-not-proved")
        pieces.append(replace(said, listed="ul"))
    pieces.append(words.heading("limits.not_proved"))
    pieces += [
        replace(words.claim(f"limits.{name}", page=page), listed="ul")
        for name, page in (
            ("attributes", "attribute-disclosure"),
            ("beyond_key", "what-is-not-proved"),
            ("later", "several-releases"),
            ("law", "what-is-not-proved"),
        )
    ]
    if facts.measured is not None:
        if not facts.measured.claims_k:
            pieces.append(words.claim("limits.perturbed", tone="note", page="protection-report"))
        for warning in facts.measured.warnings:
            pieces.append(
                words.said(warning, name="limits.warning", tone="note", page="what-is-not-proved")
            )
    pieces += [
        words.said(note, name="limits.note", tone="note", page="release-folder")
        for note in facts.notes
    ]
    return Section("limits", words("section.limits"), tuple(pieces))
