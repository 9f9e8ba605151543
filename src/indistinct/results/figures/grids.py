"""Several figures in one, below each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

from indistinct.results.figures.sheet import Sheet

__all__ = ["stacked"]

GAP = 24


def stacked(title: str, figures: Sequence[str], *, name: str | None = None) -> str:
    """Put figures below each other into one SVG, each with the title it has.

    >>> from indistinct.results.figures import bars
    >>> stacked("Two", [bars("a", ["x"], [1]), bars("b", ["x"], [2])]).count("<svg")
    3
    """
    sizes = [_size(figure) for figure in figures]
    sheet = Sheet(title, width=max((width for width, _ in sizes), default=1), name=name)
    sheet.parts.clear()  # the title is described, not drawn
    sheet.top = 0
    for i, (figure, (_, height)) in enumerate(zip(figures, sizes, strict=True)):
        inner = _renamed(figure, sheet.part(f"{i + 1}"))
        at = f'x="0" y="{sheet.top:g}" height="{height}" '
        sheet.add(inner.replace("<svg ", f"<svg {at}", 1))
        sheet.top += height + GAP
    said = "; ".join(f"{_inside(figure, 'title')}: {_inside(figure, 'desc')}" for figure in figures)
    return sheet.svg(sheet.top - GAP, said)


def _size(figure: str) -> tuple[int, int]:
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', figure)
    if not found:
        raise ValueError("A figure below others must be one that this package drew.")
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
