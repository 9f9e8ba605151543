"""Points with their labels in a column at the side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indistinct.results.figures.letters import width_of
from indistinct.results.figures.marks import BLUE, GRID, draw_axes, note, straight, told
from indistinct.results.figures.numbers import number, round_ticks, tick
from indistinct.results.figures.places import column
from indistinct.results.figures.sheet import WIDTH, Sheet

__all__ = ["Point", "agreement", "points"]

_LABELLED, _LABEL = 40, 170
"""How many points get a label, and how wide that may be."""


@dataclass(frozen=True)
class Point:
    """A labelled point of a figure; a hollow one is marked as different in kind."""

    label: str
    x: float
    y: float
    hollow: bool = False


def points(
    title: str,
    found: Sequence[Point],
    *,
    x: str,
    y: str,
    filled: str = "",
    hollow: str = "",
    shares: tuple[bool, bool] = (False, False),
    rest: str = "{n} more have no label",
    name: str | None = None,
) -> str:
    """Draw points between 0 and the largest value, labelled at the side, and return the SVG.

    Parameters
    ----------
    x, y
        What the axes show.
    filled, hollow
        What the two kinds of points are, for the key above the figure.
    shares
        Whether what is across, and up, is a share, to be written in per cent.
    rest
        What is written below where more than 40 points are given; {n} is how many have no label.
    name
        What the ids in the figure begin with.

    >>> points("Map", [Point("a", 0.2, 0.9)], x="risk", y="utility")[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    known = [
        replace(p, x=x_of, y=y_of)
        for p in found
        if (x_of := number(p.x)) is not None and (y_of := number(p.y)) is not None
    ]
    ordered = sorted(known, key=lambda p: (-p.y, -p.x))
    labelled = ordered[:_LABELLED]
    sheet = Sheet(title, name=name)
    sheet.key(
        [
            (filled, lambda a, b: _dot(a, b, hollow=False)),
            (hollow, lambda a, b: _dot(a, b, hollow=True)),
        ]
    )
    acrosses = round_ticks([0.0, *(p.x for p in known)] if known else [0.0, 1.0], 5)
    ups = round_ticks([0.0, *(p.y for p in known)] if known else [0.0, 1.0], 5)
    left = 24 + max(width_of(tick(v, share=shares[1])) for v in ups) + 8
    longest = max((width_of(p.label) for p in labelled), default=0.0)
    aside = 20 + max(min(_LABEL, longest), width_of(tick(acrosses[-1], share=shares[0])) / 2 - 16)
    top, width = sheet.top + 4, WIDTH - left - aside - 4
    height = max(280.0, 16.0 * len(labelled))

    def across(value: float) -> float:
        return left + width * (value - acrosses[0]) / (acrosses[-1] - acrosses[0])

    def up(value: float) -> float:
        return top + height * (1 - (value - ups[0]) / (ups[-1] - ups[0]))

    for v in ups:
        sheet.add(f'<path d="M{left:.1f} {up(v):.1f}h{width:.1f}" stroke="{GRID}"/>')
        sheet.text(left - 8, up(v) + 4, tick(v, share=shares[1]), anchor="end")
    for v in acrosses:
        sheet.text(across(v), top + height + 18, tick(v, share=shares[0]), anchor="middle")
    draw_axes(sheet, (left, top, left + width, top + height), x, y)
    for p, line in zip(
        labelled, column([up(p.y) + 4 for p in labelled], top + height), strict=True
    ):
        # labels stand in a column of their own, so that none covers a point
        sheet.add(
            f'<polyline points="{across(p.x):.1f},{up(p.y):.1f} {left + width + 6:.1f},'
            f'{line - 4:.1f}" fill="none" stroke="#aaaaaa"/>'
        )
        sheet.text(left + width + 10, line, p.label, room=aside - 12)
    sheet.add(*(_dot(across(p.x), up(p.y), hollow=p.hollow) for p in ordered))
    bottom = note(sheet, top + height + 48, rest, len(ordered) - len(labelled))
    return sheet.svg(bottom, told(((p.label, p.x, p.y) for p in labelled), (x, y), shares))


def agreement(
    title: str,
    labels: Sequence[str],
    original: Sequence[float],
    released: Sequence[float],
    *,
    what: str,
    words: tuple[str, str] = ("original", "released"),
    named: int = 6,
    name: str | None = None,
) -> str:
    """Draw dots over a diagonal, on which lies what stayed, and return the SVG.

    Parameters
    ----------
    what, words
        What the numbers are, and which are across and which up.
    named
        How many of those farthest from the diagonal are labelled.
    name
        What the ids in the figure begin with.

    >>> agreement("Correlations", ["age x sex"], [0.1], [0.2], what="Spearman")[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    found = [
        (label, x, y)
        for label, one, other in zip(labels, original, released, strict=True)
        if (x := number(one)) is not None and (y := number(other)) is not None
    ]
    sheet = Sheet(title, name=name)
    every = [value for _, x, y in found for value in (x, y)] or [0.0, 1.0]
    steps = round_ticks(every, 6)
    left = 24 + max(width_of(tick(v)) for v in steps) + 8
    top, side = sheet.top + 6, 340.0

    def across(value: float) -> float:
        return left + side * (value - steps[0]) / (steps[-1] - steps[0])

    def up(value: float) -> float:
        return top + side * (steps[-1] - value) / (steps[-1] - steps[0])

    for v in steps:
        sheet.add(f'<path d="M{left:.1f} {up(v):.1f}h{side:.1f}" stroke="{GRID}"/>')
        sheet.text(left - 8, up(v) + 4, tick(v), anchor="end")
        sheet.text(across(v), top + side + 18, tick(v), anchor="middle")
    sheet.add(straight((left, top + side, left + side, top), 'stroke="#999999"'))
    draw_axes(sheet, (left, top, left + side, top + side), f"{what}, {words[0]}", words[1])
    farthest = sorted(found, key=lambda f: -abs(f[1] - f[2]))[:named]
    ordered = sorted((f for f in farthest if f[1] != f[2]), key=lambda f: (-f[2], -f[1]))
    lines = column([up(y) + 4 for _, _, y in ordered], top + side)
    for (label, x, y), line in zip(ordered, lines, strict=True):
        end = left + side + 8
        sheet.add(straight((across(x), up(y), end, line - 4), 'stroke="#aaaaaa"'))
        sheet.text(end + 4, line, label, room=WIDTH - end - 6)
    sheet.add(
        *(
            f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3.5" fill="{BLUE}" '
            'fill-opacity="0.75"/>'
            for _, x, y in found
        )
    )
    return sheet.svg(top + side + 48, told(found, words, (False, False)))


def _dot(x: float, y: float, *, hollow: bool) -> str:
    fill = "white" if hollow else BLUE
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="{BLUE}"/>'
