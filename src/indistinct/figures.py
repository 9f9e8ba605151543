"""Small figures as vector graphics, made without a library: bars and points with their numbers.

Two shades that differ in lightness, so that they can be told apart by colour-blind readers and
in grey print; every number is written out, so that nobody needs to measure a bar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Point", "bars", "points"]

_DARK, _LIGHT = "#1f4e79", "#9ecae1"
_ROW, _BAR, _WIDTH, _NUMBERS = 22, 14, 620, 110


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
