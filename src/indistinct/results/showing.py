"""How results show themselves: tables as text, as HTML and as frames, with their figures.

A result says once what its tables are, as plain values; what a notebook shows and what `to_frame`
returns are made from these. Names of variables and categories are anybody's text, so everything
that is put into HTML or printed is made `harmless` here, and nowhere else.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from indistinct.core import for_html, for_terminal

__all__ = ["MOST_LINES", "Shown", "Table", "as_lines", "as_text", "folded"]

MOST_LINES = 15
"""Lines that a result prints; `details` has them all."""

MOST_ROWS = 30
"""Rows of a table that a notebook shows; a frame has them all."""

_NUMBERS = ' style="text-align:right"'


def as_text(value: object, spec: str = "") -> str:
    """Return a value as people read it.

    >>> as_text(1234567), as_text(0.123456), as_text(0.5, ".1%"), as_text(None), as_text(True)
    ('1,234,567', '0.1235', '50.0%', '–', 'yes')
    """
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if type(value).__name__ in ("bool", "bool_"):
        return "yes" if value else "no"
    if isinstance(value, Real) and not isinstance(value, Integral):
        number = float(value)
        if math.isnan(number):
            return "–"
        if math.isinf(number):
            return "∞" if number > 0 else "−∞"
        if spec:
            return format(number, spec)
        if number.is_integer() and abs(number) < 1e15:
            return f"{number:,.0f}"
        return f"{number:,.1f}" if abs(number) >= 1000 else f"{number:.4g}"
    if isinstance(value, Integral):
        return format(int(value), spec or ",")
    if isinstance(value, (list, tuple)):
        return ", ".join(as_text(one) for one in value)
    return str(value)


def as_lines(
    rows: Sequence[Sequence[str]], widths: Sequence[int] | None = None, *, indent: str = "  "
) -> list[str]:
    """Return rows as lines, the first column to the left and the others to the right.

    >>> as_lines([("method", "loss"), ("optimal", "0.1")], (9, 6))
    ['  method     loss', '  optimal     0.1']
    >>> as_lines([("a", "b"), ("long", "1")])
    ['  a     b', '  long  1']
    """
    if widths is None:
        longest = [max(map(len, column)) for column in zip(*rows, strict=True)]
        widths = [width + 2 if n else width for n, width in enumerate(longest)]
    lines = []
    for cells in rows:
        first, *rest = (
            f"{cell:>{width}}" if n else f"{cell:<{width}}"
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append(f"{indent}{first}{''.join(rest)}".rstrip())
    return lines


def folded(lines: Sequence[str], *, width: int = 110, most: int | None = None) -> str:
    """Join lines, the long ones broken, and say where the others are if there are too many.

    >>> print(folded(["one", "  note: " + "word " * 4, "two", "three"], width=20, most=4))
    one
      note: word word
        word word
    … and 2 lines more: details()
    """
    short: list[str] = []
    for line in for_terminal("\n".join(lines)).split("\n"):
        if len(line) <= width:
            short.append(line)
            continue
        indent = " " * (len(line) - len(line.lstrip()))
        short += textwrap.wrap(
            line.strip(),
            width,
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_on_hyphens=False,
        )
    if most is not None and len(short) > most:
        left = len(short) - most + 1
        short = [*short[: most - 1], f"… and {left} lines more: details()"]
    return "\n".join(short)


@dataclass(frozen=True)
class Table:
    """A table of a result: plain values under headings, and what they are.

    Parameters
    ----------
    formats
        How the numbers of a column are written, by its heading: ``{"share": ".1%"}``. In a table of
        facts, by the fact's name.
    one
        Whether the rows are facts of one thing. Its frame has a single row then, a column a fact.

    >>> Table.facts("A file", {"records": 12, "share unique": 0.25}).to_frame()
       records  share_unique
    0       12          0.25
    """

    caption: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    formats: Mapping[str, str] = field(default_factory=dict)
    one: bool = False

    @classmethod
    def facts(
        cls, caption: str, found: Mapping[str, object], *, formats: Mapping[str, str] | None = None
    ) -> Table:
        """Return a table of names and values."""
        return cls(caption, ("", "value"), list(found.items()), formats or {}, one=True)

    def _spec(self, row: Sequence[object], column: int) -> str:
        return self.formats.get(str(row[0]) if self.one else self.headings[column], "")

    def cells(self) -> list[list[str]]:
        """Return the rows as text."""
        return [
            [as_text(value, self._spec(row, j)) for j, value in enumerate(row)] for row in self.rows
        ]

    def to_lines(self) -> list[str]:
        """Return the table as lines of text, below its caption."""
        head = [] if self.one else [list(self.headings)]
        return [self.caption, *as_lines([*head, *self.cells()])]

    def to_html(self) -> str:
        """Return the table as HTML, its first rows if there are many."""
        numbers = [
            all(value is None or isinstance(value, Real) for value in (row[j] for row in self.rows))
            and not self.one
            for j in range(len(self.headings))
        ]
        head = "".join(
            f'<th scope="col"{_NUMBERS if right else ""}>{for_html(name)}</th>'
            if name
            else "<td></td>"
            for name, right in zip(self.headings, numbers, strict=True)
        )
        body = ""
        for first, *others in self.cells()[:MOST_ROWS]:
            cells = "".join(
                f"<td{_NUMBERS if right else ''}>{for_html(cell)}</td>"
                for cell, right in zip(others, numbers[1:], strict=True)
            )
            body += (
                f'<tr><th scope="row" style="text-align:left">{for_html(first)}</th>{cells}</tr>'
            )
        left = len(self.rows) - MOST_ROWS
        if left > 0:
            body += f'<tr><td colspan="{len(self.headings)}">… and {left:,} rows more</td></tr>'
        return (
            f'<table><caption style="text-align:left">{for_html(self.caption)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def to_frame(self) -> Any:
        """Return the values as a pandas frame, one row a row; of facts, a single row."""
        import pandas as pd  # type: ignore[import-untyped,unused-ignore]

        if self.one:
            return pd.DataFrame([{_column(str(n)): _plain(v) for n, v in self.rows}])
        rows = [[_plain(value) for value in row] for row in self.rows]
        return pd.DataFrame(rows, columns=[_column(name) for name in self.headings])


class Shown:
    """A result that shows itself: its tables and figures in a notebook, its numbers as a frame.

    A result says what its tables are; the first holds its numbers. Where there is a `plot`, the
    figure is shown as well, and so are its notes, warnings and assumptions.
    """

    def _tables(self) -> Sequence[Table]:
        raise NotImplementedError(f"{type(self).__name__} does not say what its tables are.")

    def _headline(self) -> str:
        """The sentence above the tables: the first line."""
        return self._lines()[0].split("\n", 1)[0]

    def _figures(self) -> Sequence[str]:
        """The figures, as SVG."""
        plot = getattr(self, "plot", None)
        return () if plot is None else (plot(),)

    def _notes(self) -> Sequence[str]:
        """What is to be said below."""
        found = [getattr(self, name, ()) for name in ("notes", "warnings", "assumptions")]
        return [text for texts in found if isinstance(texts, tuple) for text in texts]

    def _lines(self) -> Sequence[str]:
        """Everything in words, where what is printed is a summary."""
        return [repr(self)]

    def _short(self) -> str:
        """The first of these lines."""
        return folded(self._lines(), most=MOST_LINES)

    def details(self) -> str:
        """Return everything in words, where what is printed is a summary."""
        return for_terminal("\n".join(self._lines()))

    def to_frame(self) -> Any:
        """Return the numbers as a pandas frame."""
        return self._tables()[0].to_frame()

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{for_html(note)}</li>" for note in self._notes())
        return (
            f"<div><p>{for_html(self._headline().strip())}</p>"
            + "".join(table.to_html() for table in self._tables())
            + "".join(f"<div>{figure}</div>" for figure in self._figures())
            + (f"<ul>{notes}</ul>" if notes else "")
            + "</div>"
        )


def _column(heading: str) -> str:
    return re.sub(r"\W+", "_", heading.strip()).strip("_") or "name"


def _plain(value: object) -> object:
    return ", ".join(as_text(one) for one in value) if isinstance(value, (list, tuple)) else value
