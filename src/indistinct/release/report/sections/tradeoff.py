"""The map of risk and utility: what else could have been released."""

from __future__ import annotations

from indistinct.release.report.facts import Map
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Picture, Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words
from indistinct.results.figures import Spot, frontier

__all__ = ["map_figure", "tradeoff_section"]


@register_section("tradeoff", place=80)
def tradeoff_section(facts: ReleaseFacts, words: Words) -> Section | None:
    """Show the methods that were tried, and where this release stands among them."""
    if facts.measured is None or facts.measured.map is None:
        return None
    found = facts.measured.map
    pieces: list[Piece] = [
        words.claim("map.tried", page="risk-utility-map", number=len(found.points), key=found.key)
    ]
    mine = next((point for point in found.points if point.released), None)
    proposed = next((point for point in found.points if point.chosen), None)
    if mine is not None and mine.dominated_by:
        pieces.append(
            words.claim(
                "map.dominated",
                tone="note",
                page="risk-utility-map",
                name=mine.name,
                by=mine.dominated_by,
            )
        )
    elif mine is not None:
        pieces.append(words.claim("map.free", page="risk-utility-map", name=mine.name))
    if proposed is not None and proposed is not mine:
        pieces.append(words.claim("map.proposed", page="risk-utility-map", name=proposed.name))
    pieces.append(map_figure(found, words))
    if found.refused:
        pieces.append(words.claim("map.refused", names=found.refused, page="risk-utility-map"))
    return Section("tradeoff", words("section.tradeoff"), tuple(pieces))


def map_figure(found: Map, words: Words) -> Picture:
    """Draw the map: dominated candidates grey, this release ringed."""
    marked = [p for p in found.points if p.released] or [p for p in found.points if p.chosen]
    ringed = marked[0].name if marked else ""
    own = bool(marked and marked[0].released)
    grid = words.grid(
        "map.data",
        [
            ("candidate", ""),
            ("risk", "percent"),
            ("utility", "number"),
            ("dominated_by", ""),
            ("mark", ""),
        ],
        [
            (
                p.name,
                p.risk,
                p.utility,
                p.dominated_by or "",
                words("map.this") if p.released else words("map.mark.proposed") if p.chosen else "",
            )
            for p in sorted(found.points, key=lambda p: (p.risk, -p.utility))
        ],
        folded=True,
    )
    svg = frontier(
        words("map"),
        [
            Spot(p.name, p.risk, p.utility, faint=bool(p.dominated_by), marked=p.name == ringed)
            for p in found.points
        ],
        x=words(f"map.risk.{found.risk}"),
        y=words(f"map.utility.{found.utility}"),
        words=(
            words("map.mark.free"),
            words("map.mark.dominated"),
            words("map.this") if own else words("map.mark.proposed"),
        ),
        limit=found.max_risk,
        limit_word=words("map.limit"),
        scale=words("map.scale"),
        shares=(True, False),
        rest=words.raw("figure.unlabelled"),
        name="map",
    )
    dominated = sum(p.dominated_by is not None for p in found.points)
    return words.picture(
        "map",
        svg,
        grid,
        page="risk-utility-map",
        number=len(found.points),
        dominated=dominated,
        marked=ringed,
    )
