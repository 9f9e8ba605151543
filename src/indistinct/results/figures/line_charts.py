"""Lines through numbers, each with a colour, dashes and markers of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from indistinct.results.figures.letters import width_of, wrapped
from indistinct.results.figures.marks import FRAME, GRID, marker, stroke
from indistinct.results.figures.numbers import Value, number, percent, round_ticks, tick
from indistinct.results.figures.sheet import FAINT, LINE, WIDTH, Sheet

__all__ = ["Line", "lines"]

_MARKED = 60
"""Points of a line that get a marker each; more would hide the line."""


@dataclass(frozen=True)
class Line:
    """A named line of a figure through (x, y); where y is not a number the line is broken."""

    name: str
    x: Sequence[float]
    y: Sequence[Value]


def lines(
    title: str,
    found: Sequence[Line],
    *,
    x: str,
    y: str,
    ticks: Mapping[float, str] | None = None,
    marked: tuple[float, str] | None = None,
    zero: bool = False,
    share: bool = False,
    rest: str = "and {n} more",
    most: int = 8,
    name: str | None = None,
) -> str:
    """Draw lines, each with dashes and markers of its own, and return the SVG.

    Parameters
    ----------
    x, y
        What the axes show.
    ticks
        Names of places on the horizontal axis, instead of numbers.
    marked
        A place on the horizontal axis that gets an upright line, and what it says.
    zero
        Whether the vertical axis must reach 0.
    share
        Whether the numbers are shares, to be written in per cent.
    rest, most
        At most so many lines are drawn; what is then written below, {n} being how many are not.
    name
        What the ids in the figure begin with.

    >>> lines("Gap", [Line("original", [20, 30], [2.5, 2.1])], x="age", y="years")[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    drawn = found[:most]
    sheet = Sheet(title, name=name)
    sheet.key([(line.name, _sample(j)) for j, line in enumerate(drawn)])
    curves = [_known(line) for line in drawn]
    known = [place for curve in curves for place in curve if place]
    ups = round_ticks([b for _, b in known] + ([0.0] if zero or not known else []))
    places = list(ticks) if ticks else round_ticks([a for a, _ in known] or [0.0])
    # numbers may begin and end between two ticks; named places are all shown
    outer = [a for a, _ in known] + (places if ticks or not known else [])
    outer += [marked[0]] if marked else []
    low, high = min(outer), max(outer)
    pad = 0.04 * (high - low or 1.0)
    low, high = low - pad, high + pad

    left = 24 + max(width_of(tick(v, share=share)) for v in ups) + 8
    top, width, height = sheet.top + 4, WIDTH - left - 6, 260

    def across(value: float) -> float:
        return left + width * (value - low) / (high - low)

    def up(value: float) -> float:
        return top + height * (1 - (value - ups[0]) / (ups[-1] - ups[0]))

    for v in ups:
        sheet.add(
            f'<line x1="{left:.1f}" x2="{left + width:.1f}" y1="{up(v):.1f}" y2="{up(v):.1f}" '
            f'stroke="{FRAME if v == 0 else GRID}"/>'
        )
        sheet.text(left - 8, up(v) + 4, tick(v, share=share), anchor="end")
    inside = [v for v in places if low <= v <= high]
    named = [(across(v), ticks[v] if ticks else tick(v)) for v in inside]
    below = _names(sheet, named, top + height)
    sheet.add(
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height}" fill="none" '
        f'stroke="{FRAME}"/>'
    )
    sheet.text(left + width / 2, top + height + below + 38, x, anchor="middle", room=width)
    sheet.text(13, top + height / 2, y, anchor="middle", room=height, turned=True)
    for j, curve in enumerate(curves):
        spots = [place and (across(place[0]), up(place[1])) for place in curve]
        sheet.add(*stroke(spots, j))
        alone = [i for i, spot in enumerate(spots) if spot and not _joined(spots, i)]
        for i, spot in enumerate(spots):
            if spot and (len(spots) <= _MARKED or i in alone):
                sheet.add(marker(*spot, j, r=2.6))
    if marked:
        at = across(marked[0])
        side, anchor = (6, "start") if at < left + width / 2 else (-6, "end")
        sheet.add(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top:.1f}" y2="{top + height:.1f}" '
            'stroke="#444444" stroke-dasharray="1 3"/>'
        )
        sheet.text(at + side, top + height - 8, marked[1], anchor=anchor, room=width / 2)
    bottom = top + height + below + 48
    if len(found) > len(drawn):
        note = rest.format(n=f"{len(found) - len(drawn):,}")
        sheet.text(0, bottom + 6, note, colour=FAINT, room=WIDTH - 4)
        bottom += 14
    return sheet.svg(bottom, "; ".join(_said(line, share) for line in drawn))


def _known(line: Line) -> list[tuple[float, float] | None]:
    found: list[tuple[float, float] | None] = []
    for a, b in zip(line.x, line.y, strict=True):
        x, y = number(a), number(b)
        found.append(None if x is None or y is None else (x, y))
    return found


def _joined(spots: Sequence[tuple[float, float] | None], i: int) -> bool:
    """Say whether a point has a neighbour, so that a stroke passes through it."""
    return (i > 0 and spots[i - 1] is not None) or (i + 1 < len(spots) and spots[i + 1] is not None)


def _names(sheet: Sheet, places: Sequence[tuple[float, str]], bottom: float) -> float:
    """Write what stands at the horizontal axis, leaving out names that would touch.

    Returns how much more room than a line they take.
    """
    if not places:
        return 0.0
    most = 1
    apart = (places[-1][0] - places[0][0]) / max(1, len(places) - 1) if len(places) > 1 else 200
    every = max(1, -(-30 // max(1, round(apart))))
    for at, words in places[::every]:
        # the last name must not leave the sheet either
        room = min(every * apart - 6, 2 * (sheet.width - at), 2 * at)
        lines = wrapped(words, max(24, room), most=3) or [""]
        whole = words if " ".join(lines) != " ".join(words.split()) else ""
        for i, line in enumerate(lines):
            sheet.text(at, bottom + 18 + LINE * i, line, anchor="middle", said=whole)
        most = max(most, len(lines))
    return float(LINE * (most - 1))


def _sample(j: int) -> Callable[[float, float], str]:
    return lambda x, y: "".join(stroke([(x - 9, y), (x + 9, y)], j)) + marker(x, y, j, r=2.6)


def _said(line: Line, share: bool) -> str:
    known = [place for place in _known(line) if place]
    write = percent if share else lambda value: f"{value:.4g}"
    return f"{line.name}: " + ", ".join(f"{a:g} {write(b)}" for a, b in known)
