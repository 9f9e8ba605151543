"""Released against original, one dot for each number: what stayed lies on the diagonal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

__all__ = ["agreement"]

_SIDE, _LEFT, _TOP, _WIDTH = 340, 70, 34, 620
_DARK = "#1f4e79"


def agreement(
    title: str,
    names: Sequence[str],
    original: Sequence[float],
    released: Sequence[float],
    *,
    what: str,
    named: int = 6,
) -> str:
    """Draw dots over the diagonal, name the farthest from it, and return the SVG.

    >>> agreement("Correlations", ["age x sex"], [0.1], [0.2], what="Spearman")[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    found = [(n, float(x), float(y)) for n, x, y in zip(names, original, released, strict=True)]
    every = [value for _, x, y in found for value in (x, y)] or [0.0, 1.0]
    low, high = min(every), max(every)
    margin = (high - low) * 0.05 or 1.0
    low, high = low - margin, high + margin

    def across(value: float) -> float:
        return _LEFT + _SIDE * (value - low) / (high - low)

    def up(value: float) -> float:
        return _TOP + _SIDE * (high - value) / (high - low)

    spoken = "; ".join(f"{name}: {x:.3g}, {y:.3g}" for name, x, y in found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_TOP + _SIDE + 48}" '
        f'width="{_WIDTH}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title><desc>{escape(spoken)}</desc>",
        f'<text x="0" y="15" font-size="14" font-weight="bold">{escape(title)}</text>',
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" '
        'stroke="#888"/>',
        f'<line x1="{_LEFT}" y1="{_TOP + _SIDE}" x2="{_LEFT + _SIDE}" y2="{_TOP}" stroke="#bbb"/>',
    ]
    for part in range(5):
        value = low + (high - low) * part / 4
        parts.append(
            f'<text x="{across(value):.0f}" y="{_TOP + _SIDE + 18}" text-anchor="middle">'
            f"{value:.3g}</text>"
            f'<text x="{_LEFT - 6}" y="{up(value) + 4:.0f}" text-anchor="end">{value:.3g}</text>'
        )
    parts.append(
        f'<text x="{_LEFT + _SIDE / 2:.0f}" y="{_TOP + _SIDE + 40}" text-anchor="middle">'
        f"{escape(what)}, original</text>"
        f'<text transform="translate(14 {_TOP + _SIDE / 2:.0f}) rotate(-90)" '
        'text-anchor="middle">released</text>'
    )
    farthest = sorted(found, key=lambda f: -abs(f[1] - f[2]))[:named]
    parts += _named([f for f in farthest if f[1] != f[2]], across, up)
    parts += [
        f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3.5" fill="{_DARK}" '
        'fill-opacity="0.75"/>'
        for _, x, y in found
    ]
    return "".join([*parts, "</svg>"])


def _named(
    farthest: Sequence[tuple[str, float, float]],
    across: Callable[[float], float],
    up: Callable[[float], float],
) -> list[str]:
    """Put the names in a column of their own, as near to the dots' height as there is room."""
    ordered = sorted(farthest, key=lambda f: (-f[2], -f[1]))
    lines: list[float] = []
    for _, _, y in ordered:
        lines.append(max([up(y) + 4, *(line + 18 for line in lines[-1:])]))
    lowest = _TOP + _SIDE + 4.0
    for i in range(len(lines) - 1, -1, -1):
        lines[i] = min(lines[i], lowest)
        lowest = lines[i] - 18
    parts = []
    for (name, x, y), line in zip(ordered, lines, strict=True):
        parts.append(
            f'<polyline points="{across(x):.1f},{up(y):.1f} {_LEFT + _SIDE + 8},{line - 4:.1f}" '
            'fill="none" stroke="#bbb"/>'
            f'<text x="{_LEFT + _SIDE + 12}" y="{line:.1f}">{escape(name[:30])}</text>'
        )
    return parts
