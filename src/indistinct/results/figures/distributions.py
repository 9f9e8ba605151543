"""One variable's distribution, original against released, small enough for two side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from indistinct.results.figures.letters import width_of, wrapped
from indistinct.results.figures.marks import FRAME, GRID, bar, stroke, swatch
from indistinct.results.figures.numbers import NONE, Value, number, percent, round_ticks, tick
from indistinct.results.figures.sheet import LINE, Sheet

__all__ = ["marginal"]

_STEPS = 120
"""Steps that a line of so small a figure can show."""


def marginal(
    title: str,
    labels: Sequence[str],
    before: Sequence[Value],
    after: Sequence[Value],
    *,
    names: tuple[str, str] = ("original", "released"),
    ordered: bool = False,
    rest: str = "{n} others",
    most: int = 20,
    none: str = NONE,
    width: int = 340,
    name: str | None = None,
) -> str:
    """Draw a variable's shares, between 0 and 1, in both files, and return the SVG.

    Parameters
    ----------
    names
        What the two shares of a label are.
    ordered
        Draw two lines of steps instead of bars with their numbers: for numbers and their bins.
    rest, most
        At most so many rows are drawn: the rarest are added up in the last, which is called so,
        {n} being how many they are. Steps may be 120; neighbours are then added up.
    none
        What is written for a share that is None, not a number or infinite.
    name
        What the ids in the figure begin with.

    >>> "f: original 52.0 %, released 51.0 %" in marginal("sex", ["f"], [0.52], [0.51])
    True
    """
    if len(before) != len(labels) or len(after) != len(labels):
        raise ValueError(
            f"A figure of {len(labels)} labels got {len(before)} and {len(after)} numbers."
        )
    sheet = Sheet(title, width=width, name=name)
    if ordered:
        labels, before, after = _neighbours(labels, before, after)
        sheet.key([(names[0], _line(0)), (names[1], _line(1))])
        _steps(sheet, labels, before, after)
    else:
        labels, before, after = _rarest(labels, before, after, most, rest)
        sheet.key([(names[j], swatch(sheet, second=j == 1)) for j in (0, 1)])
        _rows(sheet, labels, before, after, none)
    said = "; ".join(
        f"{label}: {names[0]} {percent(p, none=none)}, {names[1]} {percent(q, none=none)}"
        for label, p, q in zip(labels, before, after, strict=True)
    )
    return sheet.svg(sheet.top, said)


def _rows(
    sheet: Sheet,
    labels: Sequence[str],
    before: Sequence[Value],
    after: Sequence[Value],
    none: str,
) -> None:
    row, high = 20, 7
    pairs = [
        (percent(p, none=none), percent(q, none=none)) for p, q in zip(before, after, strict=True)
    ]
    column = max((width_of(text) for pair in pairs for text in pair), default=0.0) + 10
    longest = max((width_of(label) for label in labels), default=0.0)
    left = min(0.42 * sheet.width, longest) + 8
    room = sheet.width - left - 2 * column - 6
    if labels:
        for j in (0, 1):
            sheet.add(
                swatch(sheet, second=j == 1)(sheet.width - column * (1 - j) - 9, sheet.top + 3)
            )
        sheet.top += 13
    largest = max((_known(v) for v in (*before, *after)), default=0.0) or 1.0
    for label, p, q, texts in zip(labels, before, after, pairs, strict=True):
        lines = wrapped(label, left - 7, most=2) or [""]
        tall = row + LINE * (len(lines) - 1)
        base = sheet.top + tall / 2 + 4
        sheet.label(left - 6, base, lines, label)
        for j, value in enumerate((p, q)):
            known = _known(value)
            if known > 0:
                long = max(1.5, known / largest * room)
                at = sheet.top + tall / 2 - high + j * (high + 1)
                sheet.add(bar(sheet, left, at, long, high, second=j == 1))
            sheet.text(sheet.width - column * (1 - j) - 2, base, texts[j], anchor="end")
        sheet.top += tall
    sheet.top += 2


def _steps(
    sheet: Sheet, labels: Sequence[str], before: Sequence[Value], after: Sequence[Value]
) -> None:
    high, top = 130, sheet.top + 4
    ups = round_ticks([0.0, *(_known(v) for v in (*before, *after))] if labels else [0.0, 1.0], 5)
    ups = [v for v in ups if v >= 0]
    left = max(width_of(tick(v, share=True)) for v in ups) + 8
    room = sheet.width - left - 6

    def up(value: float) -> float:
        return top + high * (1 - value / ups[-1])

    for v in ups:
        sheet.add(f'<path d="M{left:.1f} {up(v):.1f}h{room:.1f}" stroke="{GRID if v else FRAME}"/>')
        sheet.text(left - 5, up(v) + 4, tick(v, share=True), anchor="end")
    wide = room / max(1, len(labels))
    for j, row in enumerate((before, after)):
        places: list[tuple[float, float] | None] = []
        for i, value in enumerate(row):
            known = number(value)
            if known is None:
                places.append(None)
            else:
                places += [
                    (left + i * wide, up(max(0.0, known))),
                    (left + (i + 1) * wide, up(max(0.0, known))),
                ]
        sheet.add(*stroke(places, j))
    free = 0.0
    last = len(labels) - 1
    end = sheet.width - min(room / 2, width_of(labels[-1])) - 2 if labels else 0.0
    for i, label in enumerate(labels):
        long = min(room / 2 - 4, width_of(label))
        at = left + (i + 0.5) * wide
        start = min(max(at - long / 2, left), sheet.width - long - 2)
        if i != last and (start < free + 8 or start + long > end - 8):
            continue
        if i == last and last and start < free + 4:
            continue
        sheet.add(f'<path d="M{at:.1f} {top + high}v4" stroke="{FRAME}"/>')
        sheet.text(start, top + high + 16, label, room=room / 2 - 4)
        free = start + long
    sheet.top = top + high + 22


def _line(j: int) -> Callable[[float, float], str]:
    return lambda x, y: "".join(stroke([(x - 9, y), (x + 9, y)], j))


def _rarest(
    labels: Sequence[str], before: Sequence[Value], after: Sequence[Value], most: int, rest: str
) -> tuple[Sequence[str], Sequence[Value], Sequence[Value]]:
    """Add up the rarest categories, so that at most so many rows remain."""
    if len(labels) <= most:
        return labels, before, after
    commonest = sorted(range(len(labels)), key=lambda i: -max(_known(before[i]), _known(after[i])))
    kept, left = sorted(commonest[: most - 1]), commonest[most - 1 :]
    return (
        [*(labels[i] for i in kept), rest.format(n=f"{len(left):,}")],
        [*(before[i] for i in kept), sum(_known(before[i]) for i in left)],
        [*(after[i] for i in kept), sum(_known(after[i]) for i in left)],
    )


def _neighbours(
    labels: Sequence[str], before: Sequence[Value], after: Sequence[Value]
) -> tuple[Sequence[str], Sequence[Value], Sequence[Value]]:
    """Add up so many neighbours that the line has few enough steps."""
    if len(labels) <= _STEPS:
        return labels, before, after
    edges = [i * len(labels) // _STEPS for i in range(_STEPS + 1)]
    parts = [range(low, high) for low, high in itertools.pairwise(edges)]
    return (
        [f"{labels[p[0]]} … {labels[p[-1]]}" if len(p) > 1 else labels[p[0]] for p in parts],
        [sum(_known(before[i]) for i in part) for part in parts],
        [sum(_known(after[i]) for i in part) for part in parts],
    )


def _known(value: Value) -> float:
    return max(0.0, number(value) or 0.0)
