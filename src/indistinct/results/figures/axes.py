"""What figures with two axes share: the frame, straight lines, and what is written below."""

from __future__ import annotations

from collections.abc import Iterable

from indistinct.results.figures.marks import FRAME
from indistinct.results.figures.numbers import percent
from indistinct.results.figures.places import Box
from indistinct.results.figures.sheet import FAINT, Sheet

__all__ = ["draw_axes", "note", "straight", "told"]


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
