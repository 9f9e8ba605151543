"""The map of risk and utility: labelled points, and stairs through those that none dominates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from indistinct.results.figures.letters import cut, width_of
from indistinct.results.figures.marks import (
    ALARM,
    BLUE,
    FRAME,
    GRID,
    SKY,
    draw_axes,
    note,
    straight,
    told,
)
from indistinct.results.figures.numbers import number, percent, root_ticks, round_ticks, tick
from indistinct.results.figures.places import Box, beside, leader
from indistinct.results.figures.sheet import FAINT, INK, WIDTH, Sheet

__all__ = ["Spot", "frontier"]

_LABELLED, _LABEL = 40, 165
"""How many points get a label, and how wide that may be."""


@dataclass(frozen=True)
class Spot:
    """A labelled point of a map; a faint one is grey, the marked one has a ring around it."""

    label: str
    x: float
    y: float
    faint: bool = False
    marked: bool = False


def frontier(
    title: str,
    found: Sequence[Spot],
    *,
    x: str,
    y: str,
    words: tuple[str, str, str],
    limit: float | None = None,
    limit_word: str = "",
    scale: str = "square-root scale",
    shares: tuple[bool, bool] = (False, False),
    rest: str = "{n} more have no label",
    name: str | None = None,
) -> str:
    """Draw points with their labels beside them and a line through those not faint.

    The horizontal axis grows with the square root, since most points of a map of risks lie near 0.
    The line runs as stairs: what is reached at a risk is reached at every larger one.

    Parameters
    ----------
    x, y
        What the axes show; x must not be negative.
    words
        What points, faint points and the marked one are, for the key.
    limit, limit_word
        How far x may go, shaded, and what that is, for the key.
    scale
        How the horizontal axis grows, written behind what it shows.
    shares
        Whether what is across, and up, is a share, to be written in per cent.
    rest
        What is written below where some of the points have no label, {n} being how many: of more
        than 40 the faint ones, and where there is no room.
    name
        What the ids in the figure begin with.

    >>> frontier("Map", [Spot("a", 0.2, 0.9)], x="risk", y="utility", words=("", "", ""))[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    known = [
        replace(p, x=x_of, y=y_of)
        for p in found
        if (x_of := number(p.x)) is not None and (y_of := number(p.y)) is not None
    ]
    limit = number(limit)
    sheet = Sheet(title, name=name)
    kinds = ((False, False), (True, False), (False, True))
    sheet.key(
        [
            *(
                (word, lambda a, b, kind=kind: _spot(a, b, faint=kind[0], marked=kind[1]))
                for word, kind in zip(words, kinds, strict=True)
            ),
            (limit_word if limit is not None else "", _allowed),
        ]
    )
    most = max([p.x for p in known] + ([limit] if limit else []), default=0.0) or 1.0
    steps = round_ticks([p.y for p in known] or [0.0, 1.0])
    left = 24 + max(width_of(tick(v, share=shares[1])) for v in steps) + 8
    # the last number of the axis may stand at its end
    spare = max(6.0, width_of(tick(float(f"{most:.1g}"), share=shares[0])) / 2 - 10)
    top, width = sheet.top + 4, WIDTH - left - spare
    height = 320 + 5 * min(_LABELLED, max(0, len(known) - 12))

    def across(value: float) -> float:
        return left + 14 + (width - 28) * math.sqrt(max(0.0, value) / most)

    def up(value: float) -> float:
        return top + 10 + (height - 20) * (1 - (value - steps[0]) / (steps[-1] - steps[0]))

    border: list[Box] = []
    if limit is not None:
        end = min(across(limit) + (14 if limit >= most else 0), left + width)
        border = [(end, top, end, top + height)]
        sheet.add(
            f'<path d="M{left:.1f} {top:.1f}H{end:.1f}V{top + height:.1f}H{left:.1f}z" '
            f'fill="{_BAND}"/>',
            straight(border[0], f'stroke="{INK}" stroke-width="1.5" stroke-dasharray="5 3"'),
        )
    for v in steps:
        sheet.add(f'<path d="M{left:.1f} {up(v):.1f}h{width:.1f}" stroke="{GRID}"/>')
        sheet.text(left - 8, up(v) + 4, tick(v, share=shares[1]), anchor="end")
    for v in root_ticks(most, width - 28, share=shares[0]):
        sheet.add(f'<path d="M{across(v):.1f} {top + height:.1f}v4" stroke="{FRAME}"/>')
        sheet.text(across(v), top + height + 18, tick(v, share=shares[0]), anchor="middle")
    draw_axes(sheet, (left, top, left + width, top + height), f"{x} ({scale})" if scale else x, y)
    free = sorted((p for p in known if not p.faint), key=lambda p: (p.x, p.y))
    stairs = _stairs([(across(p.x), up(p.y)) for p in free])
    sheet.add(*(straight(step, f'stroke="{SKY}" stroke-width="2"') for step in stairs))
    places = [(across(p.x), up(p.y)) for p in known]
    many = len(known) > _LABELLED
    if many:
        sheet.add(
            *(_speck(*at) for p, at in zip(known, places, strict=True) if p.faint and not p.marked)
        )
    named = _labels(
        sheet,
        known,
        places,
        (left + 2.0, top + 2.0, left + width - 2.0, top + height - 2.0),
        [*stairs, *border],
    )
    for p, at in sorted(
        zip(known, places, strict=True), key=lambda e: (not e[0].faint, e[0].marked)
    ):
        if p.marked or not (many and p.faint):
            sheet.add(_spot(*at, faint=p.faint, marked=p.marked))
    bottom = note(sheet, top + height + 48, rest, len(known) - len(named))
    said = told(((p.label, p.x, p.y) for p in named), (x, y), shares)
    if limit is not None and limit_word:
        said += f"; {limit_word}: {percent(limit) if shares[0] else format(limit, '.3g')}"
    return sheet.svg(bottom, said)


def _labels(
    sheet: Sheet,
    known: Sequence[Spot],
    places: Sequence[tuple[float, float]],
    frame: Box,
    lines: Sequence[Box],
) -> list[Spot]:
    """Write the labels that find room, and return whose they are."""
    order = sorted(range(len(known)), key=lambda n: (not known[n].marked, known[n].faint))
    crowded = len(known) > _LABELLED
    near = [n for n in order if not crowded or known[n].marked or not known[n].faint][:_LABELLED]
    wide = [
        width_of(cut(p.label, _LABEL, size=11, bold=p.marked), size=11, bold=p.marked)
        for p in (known[n] for n in near)
    ]
    first = [i for i, n in enumerate(near) if not known[n].faint]
    texts = beside([places[n] for n in near], wide, frame, first=first, lines=lines)
    found = []
    for n, long, place in zip(near, wide, texts, strict=True):
        if place is None:
            continue
        p = known[n]
        found.append(p)
        if place[2]:
            line = leader(places[n], place, long)
            sheet.add(straight(line, 'stroke="#999999" stroke-width="0.8"'))
        if crowded:
            box = f"M{place[0] - 1:.1f} {place[1] - 10:.1f}h{long + 2:.1f}v13h{-long - 2:.1f}z"
            sheet.add(f'<path d="{box}" fill="#ffffff" fill-opacity="0.85"/>')
        colour = FAINT if p.faint else INK
        sheet.text(*place[:2], p.label, size=11, colour=colour, bold=p.marked, room=_LABEL)
    return found


def _stairs(places: Sequence[tuple[float, float]]) -> list[Box]:
    """Return the lines of stairs: across at the height of one place to the next, then up."""
    found: list[Box] = []
    for (x, y), (a, b) in itertools.pairwise(places):
        found += [(x, y, a, y), (a, y, a, b)]
    return found


_BAND = "#e3eef6"


def _allowed(x: float, y: float) -> str:
    return (
        f'<path d="M{x - 8:.1f} {y - 6:.1f}h16v12h-16z" fill="{_BAND}"/>'
        f'<path d="M{x + 8:.1f} {y - 6:.1f}v12" stroke="{INK}" stroke-width="1.5" '
        'stroke-dasharray="5 3"/>'
    )


def _spot(x: float, y: float, *, faint: bool, marked: bool) -> str:
    fill = "#bbbbbb" if faint else BLUE
    ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="none" stroke="{ALARM}" '
    ring += 'stroke-width="2.5"/>'
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="#5f5f5f" '
        'stroke-width="0.8"/>' + (ring if marked else "")
    )


def _speck(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="#aaaaaa"/>'
