"""Small figures as vector graphics, made without a library: bars, points and lines.

Two shades that differ in lightness, so that they can be told apart by colour-blind readers and
in grey print; lines differ in dashes and markers too. Every number is written out, beside its bar
or in the figure's description, so that nobody needs to measure.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Line", "Point", "Spot", "bars", "frontier", "lines", "points", "stacked"]

_DARK, _LIGHT = "#1f4e79", "#9ecae1"
_ROW, _BAR, _WIDTH, _NUMBERS = 22, 14, 620, 110

_STROKES = ((_DARK, ""), ("#d55e00", "7 4"), ("#7f7f7f", "2 3"), ("#56b4e9", "10 3 2 3"))
"""Colour and dashes of the first, second, … line; the colours are Okabe and Ito's, or as dark."""


def bars(
    title: str,
    labels: Sequence[str],
    values: Sequence[float],
    *,
    beside: Sequence[float] | None = None,
    names: tuple[str, str] = ("", ""),
) -> str:
    """Draw one bar a label, or two to compare, and return the SVG.

    >>> bars("Records", ["1", "2+"], [3, 9])[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    series = [values] if beside is None else [values, beside]
    top = 44 if beside is not None else 26
    step = _ROW * len(series) + (6 if beside is not None else 0)
    height = top + step * len(labels) + 6
    left = min(280, 16 + 7 * max((len(label) for label in labels), default=0))
    most = max((float(v) for row in series for v in row), default=0.0) or 1.0
    room = _WIDTH - left - _NUMBERS
    spoken = "; ".join(
        f"{label}: " + ", ".join(_shown(row[i]) for row in series) for i, label in enumerate(labels)
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title><desc>{escape(spoken)}</desc>",
        f'<text x="0" y="15" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    if beside is not None:
        for j, (name, colour) in enumerate(zip(names, (_DARK, _LIGHT), strict=True)):
            x = left + 170 * j
            parts.append(f'<rect x="{x}" y="24" width="12" height="12" fill="{colour}"/>')
            parts.append(f'<text x="{x + 18}" y="34">{escape(name)}</text>')
    for i, label in enumerate(labels):
        y = top + i * step
        middle = y + step / 2 - (3 if beside is not None else 0)
        parts.append(
            f'<text x="{left - 8}" y="{middle + 4:.0f}" text-anchor="end">{escape(label)}</text>'
        )
        for j, row in enumerate(series):
            at = y + j * _ROW + (_ROW - _BAR) / 2
            long = max(0.0, float(row[i])) / most * room
            parts.append(
                f'<rect x="{left}" y="{at:.0f}" width="{long:.1f}" height="{_BAR}" '
                f'fill="{(_DARK, _LIGHT)[j]}"/>'
                f'<text x="{left + long + 6:.1f}" y="{at + 11:.0f}">{_shown(row[i])}</text>'
            )
    return "".join([*parts, "</svg>"])


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
) -> str:
    """Draw labelled points between 0 and the largest value, and return the SVG.

    Parameters
    ----------
    x, y
        What the axes show.
    filled, hollow
        What the two kinds of points are, for the key above the figure.

    >>> points("Map", [Point("a", 0.2, 0.9)], x="risk", y="utility")[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    left, top, width, height = 60, 56, 420, 300
    across, up = _ceiling([p.x for p in found]), _ceiling([p.y for p in found])
    spoken = "; ".join(f"{p.label}: {x} {p.x:.3g}, {y} {p.y:.3g}" for p in found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top + height + 52}" '
        f'width="{_WIDTH}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title><desc>{escape(spoken)}</desc>",
        f'<text x="0" y="15" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for j, name in enumerate((filled, hollow)):
        if name:
            parts.append(_dot(left + 6 + 190 * j, 34, hollow=bool(j)))
            parts.append(f'<text x="{left + 18 + 190 * j}" y="38">{escape(name)}</text>')
    parts.append(
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
    )
    for part in range(5):
        at, over = left + width * part / 4, top + height * (1 - part / 4)
        parts.append(
            f'<text x="{at:.0f}" y="{top + height + 18}" text-anchor="middle">'
            f"{across * part / 4:.3g}</text>"
            f'<text x="{left - 8}" y="{over + 4:.0f}" text-anchor="end">{up * part / 4:.3g}</text>'
        )
    parts.append(
        f'<text x="{left + width / 2:.0f}" y="{top + height + 42}" text-anchor="middle">'
        f"{escape(x)}</text>"
        f'<text transform="translate(14 {top + height / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(y)}</text>'
    )
    ordered = sorted(found, key=lambda p: (-p.y, -p.x))
    beside: list[float] = []
    for p in ordered:
        beside.append(
            max([top + height * (1 - p.y / up) + 4, *(line + 16 for line in beside[-1:])])
        )
    lowest = top + height + 4.0
    for i in range(len(beside) - 1, -1, -1):
        beside[i] = min(beside[i], lowest)
        lowest = beside[i] - 16
    for p, line in zip(ordered, beside, strict=True):
        at, over = left + width * p.x / across, top + height * (1 - p.y / up)
        # labels stand in a column of their own, so that none covers a point
        parts.append(
            f'<polyline points="{at:.1f},{over:.1f} {left + width + 6},{line - 4:.1f}" '
            'fill="none" stroke="#bbb"/>'
            f'<text x="{left + width + 10}" y="{line:.1f}">{escape(p.label)}</text>'
        )
    parts += [
        _dot(left + width * p.x / across, top + height * (1 - p.y / up), hollow=p.hollow)
        for p in ordered
    ]
    return "".join([*parts, "</svg>"])


@dataclass(frozen=True)
class Line:
    """A named line of a figure through (x, y); where y is not a number the line is broken."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def lines(
    title: str,
    found: Sequence[Line],
    *,
    x: str,
    y: str,
    ticks: Mapping[float, str] | None = None,
    marked: tuple[float, str] | None = None,
    zero: bool = False,
) -> str:
    """Draw up to four lines, each with dashes and markers of its own, and return the SVG.

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

    >>> lines("Gap", [Line("original", [20, 30], [2.5, 2.1])], x="age", y="years")[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    left, top, width, height = 62, 56, 540, 290
    known = [(a, b) for line in found for a, b in zip(line.x, line.y, strict=True) if _finite(b)]
    ups = _ticks([b for _, b in known] + ([0.0] if zero or not known else []))
    places = list(ticks) if ticks else _ticks([a for a, _ in known] or [0.0])
    # numbers may begin and end between two ticks; named places are all shown
    outer = [a for a, _ in known] + (places if ticks or not known else [])
    low, high = min(outer), max(outer)
    pad = 0.04 * (high - low or 1.0)
    low, high = low - pad, high + pad

    def across(value: float) -> float:
        return left + width * (value - low) / (high - low)

    def up(value: float) -> float:
        return top + height * (1 - (value - ups[0]) / (ups[-1] - ups[0]))

    spoken = "; ".join(
        f"{line.name}: "
        + ", ".join(f"{a:g} {b:.4g}" for a, b in zip(line.x, line.y, strict=True) if _finite(b))
        for line in found
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top + height + 52}" '
        f'width="{_WIDTH}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title><desc>{escape(spoken)}</desc>",
        f'<text x="0" y="15" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    parts += [
        f'<line x1="{left}" x2="{left + width}" y1="{up(v):.1f}" y2="{up(v):.1f}" '
        f'stroke="{"#888" if v == 0 else "#ddd"}"/>'
        f'<text x="{left - 8}" y="{up(v) + 4:.1f}" text-anchor="end">{v:g}</text>'
        for v in ups
    ]
    parts += [
        f'<text x="{across(v):.1f}" y="{top + height + 18}" text-anchor="middle">'
        f"{escape(ticks[v] if ticks else f'{v:g}')}</text>"
        for v in places
        if low <= v <= high
    ]
    parts.append(
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
        f'<text x="{left + width / 2:.0f}" y="{top + height + 42}" text-anchor="middle">'
        f"{escape(x)}</text>"
        f'<text transform="translate(14 {top + height / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(y)}</text>'
    )
    if marked:
        at = across(marked[0])
        side, anchor = (6, "start") if at < left + width / 2 else (-6, "end")
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{top + height}" stroke="#444" '
            f'stroke-dasharray="1 3"/><text x="{at + side:.1f}" y="{top + height - 8}" '
            f'text-anchor="{anchor}">{escape(marked[1])}</text>'
        )
    for j, line in enumerate(found):
        places_of = [
            (across(a), up(b)) if _finite(b) else None for a, b in zip(line.x, line.y, strict=True)
        ]
        parts += _stroke(places_of, j)
        at = left + 140 * j
        parts += _stroke([(at, 34.0), (at + 28.0, 34.0)], j)
        parts.append(f'<text x="{at + 38}" y="38">{escape(line.name)}</text>')
    return "".join([*parts, "</svg>"])


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

    >>> frontier("Map", [Spot("a", 0.2, 0.9)], x="risk", y="utility", words=("", "", ""))[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    left, top, width, height = 62, 56, 740, 460
    most = max((p.x for p in found), default=0.0) or 1.0
    steps = _ticks([p.y for p in found] or [0.0, 1.0])

    def across(value: float) -> float:
        return left + 14 + (width - 28) * math.sqrt(max(0.0, value) / most)

    def up(value: float) -> float:
        return top + 10 + (height - 20) * (1 - (value - steps[0]) / (steps[-1] - steps[0]))

    spoken = "; ".join(f"{p.label}: {x} {p.x:.3g}, {y} {p.y:.3g}" for p in found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 8} '
        f'{top + height + 52}" width="{left + width + 8}" role="img" font-family="sans-serif" '
        'font-size="12">',
        f"<title>{escape(title)}</title><desc>{escape(spoken)}</desc>",
        f'<text x="0" y="15" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    for j, word in enumerate(words):
        if word:
            parts.append(_spot(left + 8 + 150 * j, 34, faint=j == 1, marked=j == 2))
            parts.append(f'<text x="{left + 20 + 150 * j}" y="38">{escape(word)}</text>')
    parts.append(
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
    )
    parts += [
        f'<line x1="{left}" x2="{left + width}" y1="{up(v):.1f}" y2="{up(v):.1f}" stroke="#eee"/>'
        f'<text x="{left - 8}" y="{up(v) + 4:.1f}" text-anchor="end">{v:g}</text>'
        for v in steps
    ]
    parts += [
        f'<text x="{across(v):.1f}" y="{top + height + 18}" text-anchor="middle">{v:.3g}</text>'
        for v in (most * (part / 6) ** 2 for part in range(7))
    ]
    parts.append(
        f'<text x="{left + width / 2:.0f}" y="{top + height + 42}" text-anchor="middle">'
        f"{escape(x)} (square-root scale)</text>"
        f'<text transform="translate(14 {top + height / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(y)}</text>'
    )
    free = sorted((p for p in found if not p.faint), key=lambda p: (p.x, p.y))
    if len(free) > 1:
        path = f"M{across(free[0].x):.1f},{up(free[0].y):.1f}"
        path += "".join(f"H{across(p.x):.1f}V{up(p.y):.1f}" for p in free[1:])
        parts.append(f'<path d="{path}" fill="none" stroke="{_LIGHT}" stroke-width="2"/>')
    places = [(across(p.x), up(p.y)) for p in found]
    frame = (left + 2.0, top + 2.0, left + width - 2.0, top + height - 2.0)
    # bold letters are wider
    wide = [_LETTER * len(p.label) * (1.12 if p.marked else 1) for p in found]
    texts = _beside(places, wide, frame)
    for p, (at, over), (start, base, leader), long in zip(found, places, texts, wide, strict=True):
        colour, bold = "#777" if p.faint else "black", ' font-weight="bold"'
        if leader:
            end = min(max(at, start), start + long)
            parts.append(
                f'<line x1="{at:.1f}" y1="{over:.1f}" x2="{end:.1f}" '
                f'y2="{base - 9 if base - 4 > over else base + 2:.1f}" stroke="#bbb"/>'
            )
        parts.append(
            f'<text x="{start:.1f}" y="{base:.1f}" font-size="11" fill="{colour}"'
            f"{bold if p.marked else ''}>{escape(p.label)}</text>"
        )
    for p, (at, over) in sorted(
        zip(found, places, strict=True), key=lambda e: (not e[0].faint, e[0].marked)
    ):
        parts.append(_spot(at, over, faint=p.faint, marked=p.marked))
    return "".join([*parts, "</svg>"])


def _spot(x: float, y: float, *, faint: bool, marked: bool) -> str:
    fill = "#bbbbbb" if faint else _DARK
    ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="none" stroke="#d55e00" '
    ring += 'stroke-width="2"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}"/>' + (ring if marked else "")


_LETTER, _TEXT = 6.3, 12
"""The width of a letter, about, and the height of a line of labels."""

_Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def _beside(
    places: Sequence[tuple[float, float]], wide: Sequence[float], frame: _Box
) -> list[tuple[float, float, bool]]:
    """Find a place for each label near its point that covers no point and no other label.

    Returns where the text begins, its base line, and whether it needs a line to its point.
    """
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in places]
    found: list[tuple[float, float, bool]] = [(0.0, 0.0, False)] * len(places)
    for n in sorted(range(len(places)), key=lambda n: (places[n][1], places[n][0])):
        x, y = places[n]
        options = [(x + 11, y + 4, False), (x - 11 - wide[n], y + 4, False)]
        for away, turn in itertools.product(range(16, 420, 9), range(16)):
            dx, dy = away * math.cos(math.pi * turn / 8), away * math.sin(math.pi * turn / 8)
            back = 0.0 if dx > 1 else wide[n] if dx < -1 else wide[n] / 2
            options.append((x + dx - back, y - dy + 4, True))
        boxes = [(left, base - _TEXT + 2, left + wide[n], base + 2) for left, base, _ in options]
        fits = (m for m, box in enumerate(boxes) if _fits(box, (x, y), taken, frame))
        best = next(fits, 0)
        taken.append(boxes[best])
        found[n] = options[best]
    return found


def _fits(box: _Box, point: tuple[float, float], taken: Sequence[_Box], frame: _Box) -> bool:
    """Say whether a label is inside the frame and covers nothing, nor the line to its point."""
    if box[0] < frame[0] or box[1] < frame[1] or box[2] > frame[2] or box[3] > frame[3]:
        return False
    if any(_overlap(box, other) for other in taken):
        return False
    (x, y), middle = point, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    for part in (0.3, 0.5, 0.7):
        a, b = x + part * (middle[0] - x), y + part * (middle[1] - y)
        spot = (a - 1, b - 1, a + 1, b + 1)
        if any(_overlap(spot, other) for other in taken if not _overlap(other, (x, y, x, y))):
            return False
    return True


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def stacked(title: str, figures: Sequence[str]) -> str:
    """Put figures below each other into one SVG.

    >>> stacked("Two", [bars("a", ["x"], [1]), bars("b", ["x"], [2])]).count("<svg")
    3
    """
    parts, top = [], 0
    for figure in figures:
        box = figure.split('viewBox="0 0 ', 1)[1].split('"', 1)[0]
        height = int(box.split()[1])
        parts.append(figure.replace("<svg ", f'<svg y="{top}" height="{height}" ', 1))
        top += height + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {max(top - 24, 1)}" '
        f'width="{_WIDTH}" role="img"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _stroke(places: Sequence[tuple[float, float] | None], j: int) -> list[str]:
    """Return the j-th line's strokes, one between two gaps, and its markers."""
    colour, dashes = _STROKES[j % len(_STROKES)]
    runs: list[list[tuple[float, float]]] = [[]]
    for place in places:
        if place is None:
            runs.append([])
        else:
            runs[-1].append(place)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return [
        f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in run)}" fill="none" '
        f'stroke="{colour}" stroke-width="1.8"{dashed}/>'
        for run in runs
        if len(run) > 1
    ] + [_marker(a, b, j) for run in runs for a, b in run]


def _marker(x: float, y: float, j: int) -> str:
    colour = _STROKES[j % len(_STROKES)][0]
    if j % 4 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>'
    if j % 4 == 1:
        shape = f"M{x - 3.2:.1f},{y - 3.2:.1f}h6.4v6.4h-6.4z"
    elif j % 4 == 2:
        shape = f"M{x:.1f},{y - 4:.1f}l4,7h-8z"
    else:
        shape = f"M{x:.1f},{y - 4.4:.1f}l4.4,4.4l-4.4,4.4l-4.4,-4.4z"
    return f'<path d="{shape}" fill="none" stroke="{colour}" stroke-width="1.4"/>'


def _finite(value: float) -> bool:
    return math.isfinite(float(value))


def _ticks(values: Sequence[float], most: int = 8) -> list[float]:
    """Return round numbers, about so many, the first and last of which enclose all values.

    >>> _ticks([-0.7, 2.3])
    [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    """
    low, high = min(values), max(values)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    size = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(m * size for m in (1, 2, 5, 10) if (high - low) / (m * size) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _dot(x: float, y: float, *, hollow: bool) -> str:
    fill = "white" if hollow else _DARK
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="{_DARK}"/>'


def _ceiling(values: Sequence[float]) -> float:
    """Return a round number that no value exceeds: 1, 2 or 5 times a power of ten."""
    most = max(values, default=0.0)
    if most <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(most))
    return next(step * size for step in (1, 2, 5, 10) if step * size >= most * (1 - 1e-9))


def _shown(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.1f}"
