"""Several releases on several measures: a row for each measure, a marker for each release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from indistinct.results.figures.letters import width_of
from indistinct.results.figures.marks import FRAME, GRID, MARKERS, marker
from indistinct.results.figures.numbers import NONE, Value, ceiling, number, percent, shown, tick
from indistinct.results.figures.sheet import FAINT, WIDTH, Sheet

__all__ = ["Measure", "candidates"]

_COLUMNS, _ROWS = 5, 20
"""How many releases have their numbers beside the dots, and how many measures are drawn."""


@dataclass(frozen=True)
class Measure:
    """A row of `candidates`: one number a release.

    Parameters
    ----------
    values
        The numbers, in the order of the releases; None where there is none.
    better
        Whether a low or a high number is better, or neither.
    share
        Whether the numbers are shares, to be written in per cent.
    top
        Where the row's scale ends; by default a round number that encloses all values.
    """

    label: str
    values: Sequence[Value]
    better: Literal["low", "high", ""] = ""
    share: bool = True
    top: float | None = None


def candidates(
    title: str,
    measures: Sequence[Measure],
    releases: Sequence[str],
    *,
    words: tuple[str, str] = ("← is better", "→ is better"),
    rest: str = "{n} more are not shown",
    none: str = NONE,
    name: str | None = None,
) -> str:
    """Draw a row for each measure with a marker for each release, and return the SVG.

    Every row has a scale of its own, from 0. The numbers of up to five releases stand beside the
    dots; those of more are in the description alone.

    Parameters
    ----------
    releases
        What the values of each measure belong to, for the key; eleven are drawn.
    words
        What is written where a low, and where a high number is better.
    rest
        What is written below where there are more releases or measures, {n} being how many.
    none
        What is written for a number that is None, not a number or infinite.
    name
        What the ids in the figure begin with.

    >>> row = Measure("people who stand out", [0.046, 0.0], better="low")
    >>> "people who stand out: a 4.6 %, b 0 %" in candidates("Two", [row], ["a", "b"])
    True
    """
    for measure in measures:
        if len(measure.values) != len(releases):
            raise ValueError(
                f"A figure of {len(releases)} releases got {len(measure.values)} numbers."
            )
    drawn, rows = releases[:MARKERS], measures[:_ROWS]
    left_out = len(releases) - len(drawn) + len(measures) - len(rows)
    sheet = Sheet(title, name=name)
    sheet.key([(release, _sample(j)) for j, release in enumerate(drawn)])
    texts = [
        [(percent if m.share else shown)(v, none=none) for v in m.values[: len(drawn)]]
        for m in rows
    ]
    column = max((width_of(text) for row in texts for text in row), default=0.0) + 12
    columns = len(drawn) if len(drawn) * column <= 0.45 * WIDTH and len(drawn) <= _COLUMNS else 0
    longest = max((width_of(m.label) for m in rows), default=0.0)
    left = min(190 if columns else 230, longest) + 10
    right = WIDTH - columns * column - 14
    lane = min(9.0, 30 / max(1, len(drawn)))
    if columns and rows:
        for j in range(columns):
            sheet.add(marker(WIDTH - column * (columns - j - 1) - 12, sheet.top + 4, j))
        sheet.top += 16
    for measure, row in zip(rows, texts, strict=True):
        _row(
            sheet, measure, row[: len(drawn)], (left, right), lane, words, column if columns else 0
        )
    if left_out:
        sheet.text(0, sheet.top + 8, rest.format(n=f"{left_out:,}"), colour=FAINT, room=WIDTH - 4)
        sheet.top += 14
    said = "; ".join(
        f"{m.label}: " + ", ".join(f"{r} {t}" for r, t in zip(drawn, row, strict=True))
        for m, row in zip(rows, texts, strict=True)
    )
    return sheet.svg(sheet.top + 2, said)


def _row(
    sheet: Sheet,
    measure: Measure,
    texts: Sequence[str],
    ends: tuple[float, float],
    lane: float,
    words: tuple[str, str],
    column: float,
) -> None:
    """Draw a measure: its scale, a marker a release in a lane of its own, and the numbers."""
    left, right = ends
    known = [number(value) for value in measure.values[: len(texts)]]
    end = measure.top or ceiling([v for v in known if v is not None])
    top, high = sheet.top, lane * len(texts) + 8
    middle = top + high / 2
    word = {"low": words[0], "high": words[1]}.get(measure.better, "")
    sheet.text(left - 8, middle + (-2 if word else 4), measure.label, anchor="end", room=left - 9)
    if word:
        sheet.text(left - 8, middle + 12, word, size=11, anchor="end", colour=FAINT, room=left - 9)
    for part in (0, 0.5, 1):
        at = left + (right - left) * part
        colour = GRID if part == 0.5 else FRAME
        sheet.add(f'<path d="M{at:.1f} {top:.1f}v{high:.1f}" stroke="{colour}"/>')
    for j, value in enumerate(known):
        lane_at = top + 4 + lane * (j + 0.5)
        sheet.add(f'<path d="M{left:.1f} {lane_at:.1f}H{right:.1f}" stroke="#eeeeee"/>')
        if value is not None:
            at = left + (right - left) * min(max(0.0, value / end), 1.0)
            sheet.add(marker(at, lane_at, j))
        if column:
            edge = sheet.width - column * (len(texts) - j - 1) - 2
            sheet.text(edge, middle + 4, texts[j], anchor="end")
    bottom = top + high + 12
    sheet.text(left, bottom, "0", size=11, colour=FAINT, anchor="middle")
    last = tick(end, share=measure.share)
    at = min(right, sheet.width - width_of(last, size=11) / 2)
    sheet.text(at, bottom, last, size=11, colour=FAINT, anchor="middle")
    sheet.top = max(bottom + 12, top + 42)


def _sample(j: int) -> Callable[[float, float], str]:
    return lambda x, y: marker(x, y, j)
