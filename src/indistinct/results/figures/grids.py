"""Several figures in one: below each other, or in a grid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

from indistinct.results.figures.sheet import Sheet

__all__ = ["small_multiples", "stacked"]


def stacked(title: str, figures: Sequence[str], *, name: str | None = None) -> str:
    """Put figures below each other into one SVG, each with the title it has.

    >>> from indistinct.results.figures import bars
    >>> stacked("Two", [bars("a", ["x"], [1]), bars("b", ["x"], [2])]).count("<svg")
    3
    """
    return _grid(title, figures, columns=1, gap=24, heading=False, name=name)


def small_multiples(
    title: str, figures: Sequence[str], *, columns: int = 2, name: str | None = None
) -> str:
    """Put small figures into a grid of so many columns, as one SVG.

    Rows are as high as their highest figure. Ids inside are renamed, so that the same figure may
    stand in several places; what the figures describe is the description of the whole.

    >>> from indistinct.results.figures import marginal
    >>> sex = marginal("sex", ["f", "m"], [0.5, 0.5], [0.6, 0.4])
    >>> small_multiples("Variables", [sex, sex, sex]).count("<svg")
    4
    """
    return _grid(title, figures, columns=columns, gap=20, heading=True, name=name)


def _grid(
    title: str,
    figures: Sequence[str],
    *,
    columns: int,
    gap: int,
    heading: bool,
    name: str | None,
) -> str:
    sizes = [_size(figure) for figure in figures]
    wide = max((width for width, _ in sizes), default=1)
    used = max(1, min(columns, len(figures)))
    sheet = Sheet(title, width=used * wide + (used - 1) * gap, name=name)
    if not heading:
        sheet.parts.clear()
        sheet.top = 0
    for start in range(0, len(figures), used):
        row = range(start, min(start + used, len(figures)))
        for place, i in enumerate(row):
            at = f'x="{place * (wide + gap)}" y="{sheet.top:g}" height="{sizes[i][1]}" '
            inner = _renamed(figures[i], sheet.part(f"{i + 1}"))
            sheet.add(inner.replace("<svg ", f"<svg {at}", 1))
        sheet.top += max(sizes[i][1] for i in row) + gap
    said = "; ".join(f"{_inside(figure, 'title')}: {_inside(figure, 'desc')}" for figure in figures)
    return sheet.svg(sheet.top - gap, said)


def _size(figure: str) -> tuple[int, int]:
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', figure)
    if not found:
        raise ValueError("A figure of a grid must be one that this package drew.")
    return int(found[1]), int(found[2])


def _inside(figure: str, tag: str) -> str:
    found = re.search(rf"<{tag}[^>]*>([^<]*)</{tag}>", figure)
    return unescape(found[1]) if found else ""


def _renamed(figure: str, name: str) -> str:
    """Return a figure whose ids begin with another name.

    Quotation marks within texts are escaped, so that only attributes are met.
    """
    found = re.search(r'aria-labelledby="(\S+)-title ', figure)
    if not found:
        return figure
    old = found[1]
    figure = figure.replace(
        f'aria-labelledby="{old}-title {old}-desc"', f'aria-labelledby="{name}-title {name}-desc"'
    )
    return figure.replace(f' id="{old}-', f' id="{name}-').replace(
        f'"url(#{old}-', f'"url(#{name}-'
    )
