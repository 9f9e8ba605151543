"""How much more was taken away than had to be."""

from __future__ import annotations

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words

__all__ = ["distortion_section"]


@register_section("distortion", place=90)
def distortion_section(facts: ReleaseFacts, words: Words) -> Section | None:
    """Compare what the method took away with the least that any release of its kind takes."""
    if facts.measured is None or facts.measured.cost is None:
        return None
    cost = facts.measured.cost
    pieces: list[Piece] = [
        words.claim("distortion.precision", page="precision-and-loss", precision=cost.precision)
    ]
    if cost.over_distortion is None:
        pieces.append(words.claim("distortion.unknown", tone="note", page="precision-and-loss"))
    else:
        name = (
            "distortion.least"
            if cost.over_distortion == 1.0
            else "distortion.times"
            if cost.proved
            else "distortion.at_most"
        )
        pieces.append(
            words.claim(
                name,
                page="precision-and-loss",
                times=cost.over_distortion,
                measure=words(f"loss.{cost.measure}"),
            )
        )
    pieces.append(
        words.grid(
            "losses",
            [("measure", ""), ("loss", "number")],
            [(words(f"loss.{name}"), value) for name, value in cost.losses.items()],
        )
    )
    raised = [(name, level) for name, level in cost.levels.items() if level]
    if raised:
        pieces.append(words.grid("levels", [("variable", ""), ("level_up", "count")], raised))
    return Section("distortion", words("section.distortion"), tuple(pieces))
