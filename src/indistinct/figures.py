"""Small figures as vector graphics, made without a library: bars with their numbers beside them.

Two shades that differ in lightness, so that they can be told apart by colour-blind readers and
in grey print; every number is written out, so that nobody needs to measure a bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = ["bars"]

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


def _shown(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.1f}"
