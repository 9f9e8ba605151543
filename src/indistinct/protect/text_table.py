"""Tables of a few rows as text and as HTML: what comparisons print."""

from __future__ import annotations

import html
from collections.abc import Sequence

__all__ = ["as_html", "as_lines"]


def as_lines(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    """Return rows as lines, the first column to the left and the others to the right.

    >>> as_lines([("method", "loss"), ("optimal", "0.1")], (9, 6))
    ['  method     loss', '  optimal     0.1']
    """
    lines = []
    for cells in rows:
        first, *rest = (
            f"{cell:>{width}}" if n else f"{cell:<{width}}"
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append(f"  {first}{''.join(rest)}".rstrip())
    return lines


def as_html(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows under their headings as an HTML table."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        for cells in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
