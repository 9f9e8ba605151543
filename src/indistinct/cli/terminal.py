"""Tables, small bars and facts for people at a terminal, 60 columns wide or more.

What was asked for is written to standard output, notes and warnings to standard error: a console
says where its `answers` go (see `indistinct.cli.live`). Text is taken as it is: nothing in it is
markup, so that a variable named ``[red]`` shows as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from indistinct.core import visible

__all__ = ["bar", "can_show", "heading", "note", "paragraph", "table", "words"]

BAR, SHORT_BAR = 20, 8
"""The length of a bar, and where there is little room."""

BLOCKS = " ▏▎▍▌▋▊▉█"

GAP = 2
MOST, TEXT = 40, 28
"""Columns that the first cell of a row, and other cells of text, take before they are broken."""


NOTES = ("note", "warning")
"""Remarks that are no part of the answer."""


def answers_of(console: Console) -> Console:
    """Return where the answer goes."""
    answers: Console = getattr(console, "answers", console)
    return answers


def can_show(text: str, console: Console) -> bool:
    """Say whether the console's encoding has all characters of a text."""
    try:
        text.encode(console.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def bar(share: float, *, width: int = BAR, console: Console) -> str:
    """Draw a share from 0 to 1, in eighths of a character where the encoding has them.

    >>> import io
    >>> utf8 = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    >>> ascii = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    >>> bar(0.53, width=4, console=utf8), bar(0.53, width=4, console=ascii)
    ('██▏', '##')
    >>> bar(0.0001, width=4, console=utf8)  # a little is not nothing
    '▏'
    """
    share = min(1.0, max(0.0, share)) if share == share else 0.0
    if not can_show(BLOCKS, console):
        return "#" * (round(share * width) or (1 if share else 0))
    eighths = round(share * width * 8) or (1 if share else 0)
    return "█" * (eighths // 8) + (BLOCKS[eighths % 8] if eighths % 8 else "")


def table(
    console: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    title: str = "",
    bars: Sequence[float | None] | None = None,
    beside: str | None = None,
    bold: Sequence[bool] | None = None,
    text: Sequence[str] = (),
) -> None:
    """Print rows under their columns' names, numbers to the right.

    Where the terminal is too narrow for all columns, those that do not fit follow below, beside
    the first one again: nothing is cut off but bars.

    Parameters
    ----------
    columns
        The names; those in `text`, and the first, stand to the left, the others to the right.
    bars
        A share for each row (None for no bar), drawn after the column `beside`, by default the
        last, where there is room.
    bold
        Rows that stand out.
    """
    console = answers_of(console)
    if title:
        heading(console, title)
    room = max(20, console.width - 2)
    cells = [[_written(cell) for cell in row] for row in rows]
    drawn = _Column.of(columns, cells, text)
    if bars is not None:
        after = columns.index(beside) if beside is not None else len(columns) - 1
        left = room - sum(column.width for column in drawn) - GAP * len(drawn)
        size = max(SHORT_BAR, min(BAR, left))
        made = ["" if s is None else bar(s, width=size, console=console) for s in bars]
        with_bars = list(drawn)
        with_bars.insert(after + 1, _Column("", size, made, left=True, style="cyan"))
        if len(_blocks(with_bars, room)) == len(_blocks(drawn, room)):
            drawn = with_bars
    for block in _blocks(drawn, room):
        shown = Table(
            box=None,
            padding=(0, GAP, 0, 0),
            pad_edge=False,
            header_style="dim",
            show_header=any(column.name for column in block),
        )
        for column in block:
            shown.add_column(
                Text(column.name),
                justify="left" if column.left else "right",
                no_wrap=not column.left,
                overflow="fold",
                max_width=column.width,
            )
        for at in range(len(cells)):
            if len(block) == 1 or any(column.cells[at] for column in block[1:]):
                line = [Text(column.cells[at], style=column.style) for column in block]
                shown.add_row(*line, style="bold" if bold is not None and bold[at] else None)
        console.print(Padding(shown, (0, 0, 0, 2), expand=False))


@dataclass(frozen=True)
class _Column:
    """A column as it is printed."""

    name: str
    width: int
    cells: Sequence[str]
    left: bool
    style: str = ""

    @classmethod
    def of(
        cls, names: Sequence[str], rows: Sequence[Sequence[str]], text: Sequence[str]
    ) -> list[_Column]:
        """Return the columns of a table, those of text no wider than they need be."""
        found = []
        for j, name in enumerate(map(visible, names)):
            cells = [row[j] for row in rows]
            width = max(cell_len(words) for words in (name, *cells))
            left = j == 0 or name in text
            found.append(cls(name, min(width, TEXT if j else MOST) if left else width, cells, left))
        return found


def _blocks(columns: Sequence[_Column], room: int) -> list[Sequence[_Column]]:
    """Deal the columns into blocks that fit, each with the first one."""
    blocks: list[Sequence[_Column]] = []
    block, used = [columns[0]], columns[0].width
    for column in columns[1:]:
        if len(block) > 1 and used + GAP + column.width > room:
            blocks.append(block)
            block, used = [columns[0]], columns[0].width
        block.append(column)
        used += GAP + column.width
    return [*blocks, block]


def heading(console: Console, sentence: str) -> None:
    """Print the sentence that says it all; in one line where nobody sees where lines end."""
    console = answers_of(console)
    console.print(Text(sentence, style="bold"), soft_wrap=not console.is_terminal)


def note(console: Console, kind: str, sentence: str) -> None:
    """Print a remark with its kind before it, its further lines set in.

    Notes and warnings stand beside the answer, remarks of another kind in it.
    """
    if kind not in NOTES:
        console = answers_of(console)
    if not console.is_terminal:  # whoever searches a log finds the sentence in one piece
        console.print(f"  {kind}: {sentence}", markup=False, soft_wrap=True)
        return
    shown = Table.grid(padding=(0, 1))
    shown.add_column(no_wrap=True)
    shown.add_column(overflow="fold")
    shown.add_row(Text(f"{kind}:", style="dim"), Text(sentence))
    console.print(Padding(shown, (0, 0, 0, 2), expand=False))


def words(result: object) -> str:
    """Return all that a result says of itself, where what it prints is a summary."""
    details = getattr(result, "details", None)
    return str(details()) if callable(details) else repr(result)


def paragraph(console: Console, text: str, *, indent: str = "") -> None:
    """Print lines as they are; at a terminal, long ones are broken between words."""
    console = answers_of(console)
    shown = "\n".join(f"{indent}{line}" for line in text.splitlines())
    console.print(shown, markup=False, soft_wrap=not console.is_terminal)


def _written(value: Any) -> str:
    """Write a cell: whole numbers with separators, None as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else visible(str(value))
