"""Bars with their numbers written out: one or two a label, counts or shares."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.results.figures.letters import width_of, wrapped
from indistinct.results.figures.marks import ALARM, bar, swatch
from indistinct.results.figures.numbers import NONE, Value, number, percent, shown
from indistinct.results.figures.sheet import FAINT, LINE, NARROW, Sheet

__all__ = ["bars", "before_after", "shares"]

_LEAST = 1.5
"""Pixels of the bar of a number that is not 0, however small beside the others."""

_LABELS = 180
"""Pixels that labels may take."""


def bars(
    title: str,
    labels: Sequence[str],
    values: Sequence[Value],
    *,
    beside: Sequence[Value] | None = None,
    names: tuple[str, str] = ("", ""),
    rest: str = "and {n} more",
    most: int = 60,
    name: str | None = None,
) -> str:
    """Draw one bar a label, or two to compare, and return the SVG.

    Parameters
    ----------
    beside, names
        The numbers of the second bars, and what the two are.
    rest, most
        At most so many labels are drawn; what is then written below, {n} being how many are not.
    name
        What the ids in the figure begin with.

    >>> bars("Records", ["1", "2+"], [3, 9])[:34]
    '<svg xmlns="http://www.w3.org/2000'
    """
    series = [values] if beside is None else [values, beside]
    _check(labels, *series)
    sheet = Sheet(title, width=NARROW, name=name)
    if beside is not None:
        sheet.key([(names[j], swatch(sheet, second=j == 1)) for j in (0, 1)])
    kept = min(len(labels), most)
    texts = [[shown(v) for v in row[:kept]] for row in series]
    _rows(sheet, labels[:kept], [row[:kept] for row in series], texts)
    if kept < len(labels):
        _below(sheet, rest.format(n=f"{len(labels) - kept:,}"))
    return sheet.svg(sheet.top + 4, _said(labels[:kept], texts))


def before_after(
    title: str,
    labels: Sequence[str],
    before: Sequence[Value],
    after: Sequence[Value],
    *,
    names: tuple[str, str] = ("original", "released"),
    shares: bool = False,
    totals: tuple[float, float] | None = None,
    below: int = 0,
    below_word: str = "",
    rest: str = "{n} more",
    most: int = 25,
    none: str = NONE,
    name: str | None = None,
) -> str:
    """Draw counts before and after, two bars a label, and return the SVG.

    Bars grow with the number; one that is not 0 stays visible beside one of ten million.

    Parameters
    ----------
    names
        What the two numbers of a label are.
    shares, totals
        Whether each number is followed by its share, of the totals or else of the sum.
    below, below_word
        How many of the first labels lie below a threshold, such as classes smaller than k; they are
        bracketed, and the word stands at the bracket's end.
    rest, most
        At most so many rows are drawn: later labels are added up in the last, which is called so,
        {n} being how many they are.
    none
        What is written for a number that is None, not a number or infinite.
    name
        What the ids in the figure begin with.

    >>> svg = before_after("Sizes", ["1", "2+"], [3, 9], [0, 12], below=1, below_word="alone")
    >>> "1: original 3, released 0; 2+: original 9, released 12" in svg
    True
    """
    _check(labels, before, after)
    if len(labels) > most:
        pooled = rest.format(n=f"{len(labels) - most + 1:,}")
        labels = [*labels[: most - 1], pooled]
        before, after = (
            [*row[: most - 1], _sum(row[most - 1 :])] for row in (list(before), list(after))
        )
    texts = []
    for j, row in enumerate((before, after)):
        whole = totals[j] if totals else _sum(row)
        texts.append([_count(v, whole if shares else None, none) for v in row])
    sheet = Sheet(title, width=NARROW, name=name)
    sheet.key([(names[j], swatch(sheet, second=j == 1)) for j in (0, 1)])
    _rows(sheet, labels, [before, after], texts, below=below, below_word=below_word)
    said = _said(labels, texts, names)
    if below_word and below:
        said += f"; {below_word}: {', '.join(labels[:below])}"
    return sheet.svg(sheet.top + 4, said)


def shares(
    title: str,
    labels: Sequence[str],
    values: Sequence[Value],
    *,
    rest: str = "and {n} more, at most {most}",
    most: int = 25,
    none: str = NONE,
    name: str | None = None,
) -> str:
    """Draw shares between 0 and 1 as one bar a label, written in per cent, and return the SVG.

    Parameters
    ----------
    rest, most
        At most so many labels are drawn, those with the largest shares, in the order given; what is
        then written below, {n} being how many are not drawn and {most} the largest of theirs.
    none
        What is written for a share that is None, not a number or infinite.
    name
        What the ids in the figure begin with.

    >>> "age: 4.6 %; sex: 0 %" in shares("Changed", ["age", "sex"], [0.046, 0])
    True
    """
    _check(labels, values)
    largest = sorted(range(len(labels)), key=lambda i: -_known(values[i]))
    kept, left = sorted(largest[:most]), largest[most:]
    sheet = Sheet(title, width=NARROW, name=name)
    names = [labels[i] for i in kept]
    texts = [[percent(values[i], none=none) for i in kept]]
    _rows(sheet, names, [[values[i] for i in kept]], texts)
    said = _said(names, texts)
    if left:
        note = rest.format(n=f"{len(left):,}", most=percent(values[left[0]], none=none))
        _below(sheet, note)
        said += f"; {note}"
    return sheet.svg(sheet.top + 4, said)


def _rows(
    sheet: Sheet,
    labels: Sequence[str],
    series: Sequence[Sequence[Value]],
    texts: Sequence[Sequence[str]],
    *,
    below: int = 0,
    below_word: str = "",
) -> None:
    """Draw the bars under each other, their labels before and their numbers behind."""
    high, gap = (14, 7) if len(series) == 1 else (13, 8)
    edge = 12 if below else 0
    longest = max((width_of(label) for label in labels), default=0.0)
    left = edge + min(_LABELS, longest) + 10
    numbers = max((width_of(text) for row in texts for text in row), default=0.0)
    room = NARROW - left - numbers - 10
    largest = max((_known(v) for row in series for v in row), default=0.0) or 1.0
    start = sheet.top
    for i, label in enumerate(labels):
        lines = wrapped(label, left - edge - 9, most=2) or [""]
        spare = max(0, LINE * len(lines) - (high + 1) * len(series))
        sheet.top += spare / 2
        middle = sheet.top + (high * len(series) + len(series) - 1) / 2
        sheet.label(left - 8, middle + 4, lines, label)
        for j, row in enumerate(series):
            at = sheet.top + j * (high + 1)
            known = _known(row[i])
            long = max(_LEAST, known / largest * room) if known > 0 else 0.0
            if long:
                sheet.add(bar(sheet, left, at, long, high, second=j == 1))
            sheet.text(left + long + 6, at + high - 2, texts[j][i])
        sheet.top += (high + 1) * len(series) + gap + spare / 2
        if i == below - 1:
            _bracket(sheet, start, below_word)
    bottom = sheet.top - gap + 2
    if labels and not below:
        sheet.add(f'<path d="M{left:.1f} {start - 2:.1f}V{bottom:.1f}" stroke="#767676"/>')


def _bracket(sheet: Sheet, start: float, word: str) -> None:
    """Mark the rows from there on as those below a threshold."""
    end = sheet.top + 13
    sheet.add(
        f'<path d="M7 {start - 1:.1f}H2V{end:.1f}H{NARROW - 2}" fill="none" stroke="{ALARM}" '
        'stroke-width="2" stroke-dasharray="6 3"/>'
    )
    sheet.text(NARROW - 4, end - 5, word, anchor="end", bold=True, room=NARROW - 20)
    sheet.top += 22


def _below(sheet: Sheet, note: str) -> None:
    sheet.text(0, sheet.top + 10, note, colour=FAINT, room=NARROW - 4)
    sheet.top += 16


def _count(value: Value, whole: float | None, none: str) -> str:
    text = shown(value, none=none)
    known = number(value)
    if whole is None or known is None:
        return text
    return f"{text} ({percent(known / whole if whole else 0.0)})"


def _said(
    labels: Sequence[str], texts: Sequence[Sequence[str]], names: Sequence[str] = ("", "")
) -> str:
    return "; ".join(
        f"{label}: "
        + ", ".join(f"{name} {row[i]}".strip() for name, row in zip(names, texts, strict=False))
        for i, label in enumerate(labels)
    )


def _check(labels: Sequence[str], *series: Sequence[Value]) -> None:
    for row in series:
        if len(row) != len(labels):
            raise ValueError(f"A figure of {len(labels)} labels got {len(row)} numbers.")


def _known(value: Value) -> float:
    """Return a number to draw: 0 for what is none."""
    return max(0.0, number(value) or 0.0)


def _sum(values: Sequence[Value]) -> float:
    return sum(number(value) or 0.0 for value in values)
