"""A small scale: one number before and after, and how far it may go."""

from __future__ import annotations

import math

from indistinct.results.figures.letters import width_of
from indistinct.results.figures.marks import ALARM, BLUE, FRAME
from indistinct.results.figures.numbers import (
    NONE,
    Value,
    ceiling,
    number,
    percent,
    root_ticks,
    shown,
    tick,
)
from indistinct.results.figures.sheet import INK, NARROW, Sheet

__all__ = ["gauge"]


def gauge(
    title: str,
    before: Value,
    after: Value,
    target: Value = None,
    *,
    names: tuple[str, str, str] = ("original", "released", "allowed at most"),
    at_least: bool = False,
    share: bool = True,
    none: str = NONE,
    axis: str = "",
    width: int = NARROW,
    name: str | None = None,
) -> str:
    """Draw a number before and after on a scale, with what is allowed shaded; return the SVG.

    The scale begins at 0 and grows with the square root, so that a small number is told from none.

    Parameters
    ----------
    target, at_least
        How large the number may be, or must be at least.
    names
        What the three numbers are.
    share
        Whether they are shares, to be written in per cent.
    none
        What is written for a number that is None, not a number or infinite.
    axis
        What the scale is, written below it.
    name
        What the ids in the figure begin with.

    >>> said = gauge("People who stand out", 0.046, 0, 0)
    >>> "original 4.6 %, released 0 %, allowed at most 0 %" in said
    True
    """
    write = percent if share else shown
    values = [number(before), number(after), number(target)]
    kept = [value for value in values if value is not None]
    texts = [
        f"{what} {write(value, none=none)}" for what, value in zip(names, values, strict=True)
    ][: 3 if target is not None else 2]
    most = ceiling(kept)
    sheet = Sheet(title, width=width, name=name)
    sheet.key(list(zip(texts, (_first, _second, _goal), strict=False)))
    left, line = 10.0, sheet.top + 10
    room = width - left - 4 - width_of(tick(most, share=share)) / 2

    def across(value: float) -> float:
        return left + room * math.sqrt(min(max(0.0, value), most) / most)

    sheet.add(_track(left, left + room, line, "#d5d5d5"))
    goal = values[2]
    if goal is not None:
        ends = (across(goal), left + room) if at_least else (left, across(goal))
        sheet.add(_track(*ends, line, "#8fc3e0"))
    for v in root_ticks(most, room, share=share):
        sheet.add(f'<path d="M{across(v):.1f} {line + 7:.1f}v5" stroke="{FRAME}"/>')
        sheet.text(across(v), line + 24, tick(v, share=share), anchor="middle" if v else "start")
    if values[0] is not None and values[1] is not None:
        sheet.add(
            f'<path d="M{across(values[0]):.1f} {line:.1f}H{across(values[1]):.1f}" '
            f'stroke="{INK}" stroke-width="1.5" stroke-dasharray="2 2"/>'
        )
    for value, draw in ((goal, _goal), (values[0], _first), (values[1], _second)):
        if value is not None:
            sheet.add(draw(across(value), line))
    if axis:
        sheet.text(left, line + 42, axis)
    return sheet.svg(line + (50 if axis else 32), ", ".join(texts))


def _track(start: float, end: float, line: float, colour: str) -> str:
    return f'<path d="M{start:.1f} {line - 5:.1f}H{end:.1f}v10H{start:.1f}z" fill="{colour}"/>'


def _first(x: float, y: float) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" fill="#ffffff" stroke="{ALARM}" '
        'stroke-width="2.5"/>'
    )


def _second(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{BLUE}"/>'


def _goal(x: float, y: float) -> str:
    return f'<path d="M{x:.1f} {y - 10:.1f}v20" stroke="{INK}" stroke-width="3"/>'
