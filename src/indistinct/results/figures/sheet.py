"""The sheet a figure is drawn on: its title, description, names, texts and key.

Every figure is one `<svg>` with `role="img"`, a view box, a white ground, a `<title>` and a
`<desc>` that says every number drawn. Nothing is loaded from elsewhere and nothing runs. At 640
units wide it is printed on A4 (170 mm) at the size of the screen, so that no text is smaller than
11 pixels; a narrow figure is shown larger where there is room.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence

from indistinct.core import for_svg, visible
from indistinct.results.figures.letters import cut, width_of, wrapped

__all__ = ["FAINT", "INK", "LINE", "NARROW", "WIDTH", "Figure", "Sheet"]

WIDTH = 640
NARROW = 460
"""Of figures that need no more: bars and scales are read on a telephone, too."""
LINE = 14
"""From one line of text to the next."""
INK, FAINT = "#1a1a1a", "#595959"
"""Colours of text: 17 : 1 and 7 : 1 against white."""

_OWN = "\0"
"""Stands for the figure's own name until that is known; `for_svg` lets no such one through."""

Key = tuple[str, Callable[[float, float], str]]
"""A word of the key, and what draws its mark around a place."""


class Figure(str):
    """A figure: the text of its SVG, which a notebook shows as a picture.

    >>> Figure("<svg/>")._repr_svg_()
    '<svg/>'
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(self)


class Sheet:
    """A figure in the making; `top` is where the next part may begin.

    Parameters
    ----------
    name
        What the ids of its parts begin with, so that several figures may stand on one page. By
        default it is made of what the figure says.
    """

    def __init__(self, title: str, *, width: int = WIDTH, name: str | None = None) -> None:
        self.title = title
        self.width = width
        self.name = name
        self.parts: list[str] = []
        self.defs: dict[str, str] = {}
        self.top = 4.0
        size = 14 if width > 400 else 12
        for line in wrapped(title, width - 4, size=size, bold=True, most=2):
            self.top += size + 3
            self.text(0, self.top - 4, line, size=size, bold=True)
        self.top += 5

    def add(self, *parts: str) -> None:
        """Add what was drawn."""
        self.parts += parts

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 12,
        anchor: str = "start",
        bold: bool = False,
        colour: str = INK,
        room: float | None = None,
        turned: bool = False,
        said: str = "",
    ) -> None:
        """Write a text; where it must be cut to fit the room, the whole is shown on pointing.

        `said` is shown on pointing to a text that was cut already.
        """
        short = words if room is None else cut(words, room, size=size, bold=bold)
        full = said if short == visible(" ".join(words.split())) or room is None else words
        place = (
            f'transform="translate({x:.1f} {y:.1f}) rotate(-90)"'
            if turned
            else f'x="{x:.1f}" y="{y:.1f}"'
        )
        self.add(
            f"<text {place}"
            + (f' font-size="{size:g}"' if size != 12 else "")
            + (f' text-anchor="{anchor}"' if anchor != "start" else "")
            + (' font-weight="bold"' if bold else "")
            + (f' fill="{colour}"' if colour != INK else "")
            + f">{for_svg(short)}"
            + (f"<title>{for_svg(full)}</title>" if full else "")
            + "</text>"
        )

    def label(self, x: float, middle: float, lines: Sequence[str], whole: str) -> None:
        """Write a label that ends here, in lines around where one alone would stand."""
        cut_short = " ".join(lines) != " ".join(whole.split())
        for i, line in enumerate(lines):
            at = middle + LINE * (i - (len(lines) - 1) / 2)
            self.text(x, at, line, anchor="end", said=whole if cut_short else "")

    def key(self, entries: Sequence[Key], *, left: float = 0, size: float = 12) -> None:
        """Write what the marks mean, in as many lines as it takes."""
        x, line = left, self.top + 12
        shown = [entry for entry in entries if entry[0]]
        for words, draw in shown:
            room = self.width - left - 26
            long = min(room, width_of(words, size=size)) + 26
            if x > left and x + long > self.width:
                x, line = left, line + size + 6
            self.add(draw(x + 9, line - 4))
            self.text(x + 22, line, words, size=size, room=room)
            x += long + 16
        if shown:
            self.top = line + 10

    def define(self, name: str, markup: Callable[[str], str]) -> str:
        """Keep a pattern for this figure and return what to fill with."""
        own = self.part(name)
        self.defs.setdefault(name, markup(own))
        return f"url(#{own})"

    def part(self, name: str) -> str:
        """Return what ids of a part of this figure begin with."""
        return f"{_OWN}-{name}"

    def svg(self, height: float, said: str) -> str:
        """Return the figure, so high, with its description."""
        high = max(1, round(height))
        defs = f"<defs>{''.join(self.defs.values())}</defs>" if self.defs else ""
        body = (
            f'<title id="{_OWN}-title">{for_svg(self.title)}</title>'
            f'<desc id="{_OWN}-desc">{for_svg(said)}</desc>{defs}'
            f'<path d="M0 0H{self.width}V{high}H0z" fill="#ffffff"/>{"".join(self.parts)}</svg>'
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {high}" '
            f'width="{self.width}" role="img" aria-labelledby="{_OWN}-title {_OWN}-desc" '
            f'font-family="Arial, Helvetica, sans-serif" font-size="12" fill="{INK}">'
        )
        return Figure((head + body).replace(_OWN, _own_name(self.name, head + body)))


def _own_name(name: str | None, content: str) -> str:
    if name is None:
        return f"figure-{zlib.crc32(content.encode()):08x}"
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name)
    return plain if re.match("[A-Za-z]", plain) else f"figure-{plain}"
