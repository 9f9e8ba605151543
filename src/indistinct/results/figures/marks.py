"""The marks of figures: fills, strokes and markers that differ in lightness and form too.

The hues are those of Okabe and Ito (2008, Color Universal Design), which colour-blind readers tell
apart; the first series is dark and solid, the second light and hatched, so that grey print does.

What figures with two axes share: the frame, straight lines, and what is written below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from indistinct.results.figures.numbers import percent
from indistinct.results.figures.places import Box
from indistinct.results.figures.sheet import FAINT, Sheet

__all__ = [
    "ALARM",
    "BLUE",
    "GRID",
    "bar",
    "draw_axes",
    "hatched",
    "marker",
    "note",
    "straight",
    "stroke",
    "swatch",
    "told",
]

BLUE, ORANGE, SKY, GREEN, ALARM = "#0072b2", "#e69f00", "#56b4e9", "#009e73", "#d55e00"
EDGE, GRID, FRAME = "#6b4a00", "#dddddd", "#767676"

STROKES = ((BLUE, ""), (ALARM, "7 4"), ("#5f5f5f", "2 3"), (GREEN, "10 3 2 3"))
"""Colour and dashes of the first, second, … line."""


def hatched(sheet: Sheet) -> str:
    """Return the fill of the second series, light with dark strokes."""
    return sheet.define(
        "hatch",
        lambda own: (
            f'<pattern id="{own}" width="5" height="5" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><path d="M0 0H5V5H0z" fill="#f7d48a"/>'
            f'<path d="M0 0V5" stroke="{EDGE}" stroke-width="1.6"/></pattern>'
        ),
    )


def bar(sheet: Sheet, x: float, y: float, long: float, high: float, *, second: bool) -> str:
    """Return a bar of the first or the second series."""
    if not second:
        return (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{long:.1f}" height="{high:.1f}" fill="{BLUE}"/>'
        )
    inner, flat = max(0.1, long - 0.8), high - 0.8
    return (
        f'<rect x="{x + 0.4:.1f}" y="{y + 0.4:.1f}" width="{inner:.1f}" height="{flat:.1f}" '
        f'fill="{hatched(sheet)}" stroke="{EDGE}" stroke-width="0.8"/>'
    )


def swatch(sheet: Sheet, *, second: bool) -> Callable[[float, float], str]:
    """Return what draws a series' bar in the key."""
    return lambda x, y: bar(sheet, x - 7, y - 5, 14, 10, second=second)


def stroke(places: Sequence[tuple[float, float] | None], j: int) -> list[str]:
    """Return the j-th line's strokes, one between two gaps."""
    colour, dashes = STROKES[j % len(STROKES)]
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
    ]


_SHAPES: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = (
    ("circle", ()),
    ("square", ((-1, -1), (1, -1), (1, 1), (-1, 1))),
    ("triangle", ((0, -1.3), (1.3, 0.9), (-1.3, 0.9))),
    ("diamond", ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0))),
    ("upturned", ((0, 1.3), (1.3, -0.9), (-1.3, -0.9))),
    ("cross", ((-1, -1), (1, 1), (0, 0), (1, -1), (-1, 1), (0, 0))),
)
"""Forms and their corners, in radii."""

_COLOURS = (BLUE, ALARM, "#5f5f5f", GREEN, "#cc79a7", "#1a1a1a")

MARKERS = 2 * len(_SHAPES) - 1
"""How many markers differ: filled and hollow ones of each form, and the cross."""


def marker(x: float, y: float, j: int, *, r: float = 3.2) -> str:
    """Return the j-th marker: a form, a colour, and hollow after the first round.

    >>> marker(5, 5, 0).count("fill=")
    1
    """
    form, corners = _SHAPES[j % len(_SHAPES)]
    colour = _COLOURS[j % len(_SHAPES)]
    fill = "#ffffff" if (j // len(_SHAPES)) % 2 else colour
    if form == "cross":
        fill = "none"
    drawn = f'fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'
    if form == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:g}" {drawn}'
    path = "L".join(f"{x + r * a:.1f},{y + r * b:.1f}" for a, b in corners)
    return f'<path d="M{path}z" {drawn}'


# What figures with two axes share ---------------------------------------------------------------


def draw_axes(sheet: Sheet, frame: Box, x: str, y: str) -> None:
    """Draw the frame and write what the axes show."""
    left, top, right, bottom = frame
    sheet.add(
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
        f'height="{bottom - top:.1f}" fill="none" stroke="{FRAME}"/>'
    )
    middle = (left + right) / 2
    sheet.text(middle, bottom + 38, x, anchor="middle", room=2 * min(middle, sheet.width - middle))
    sheet.text(13, (top + bottom) / 2, y, anchor="middle", room=bottom - top, turned=True)


def straight(line: Box, style: str) -> str:
    """Return a line from (0, 1) to (2, 3)."""
    x1, y1, x2, y2 = line
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def note(sheet: Sheet, bottom: float, rest: str, unnamed: int) -> float:
    """Write how many have no label, if any, and return where the figure ends."""
    if not unnamed:
        return bottom
    sheet.text(0, bottom + 6, rest.format(n=f"{unnamed:,}"), colour=FAINT, room=sheet.width - 4)
    return bottom + 14


def told(
    found: Iterable[tuple[str, float, float]], words: tuple[str, str], shares: tuple[bool, bool]
) -> str:
    """Say each label with its two numbers.

    >>> told([("a", 0.046, 2.5)], ("risk", "loss"), (True, False))
    'a: risk 4.6 %, loss 2.5'
    """
    return "; ".join(
        f"{label}: {words[0]} {_written(x, shares[0])}, {words[1]} {_written(y, shares[1])}"
        for label, x, y in found
    )


def _written(value: float, share: bool) -> str:
    return percent(value) if share else f"{value:.3g}"
