"""The text of a letter with the place where every character stands.

A name may be cut in pieces by what is bold in it. Here all pieces of a letter are one text, in
which it is whole; what takes its place goes to the first of its pieces, and the others lose
theirs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

__all__ = ["Change", "Sheet"]

Change = tuple[int, int, str]
"""From where, to where, and what stands there now."""

Put = Callable[[str], None]
_MARKS = re.compile(r"[\n\t]")


@dataclass(slots=True)
class _Piece:
    start: int
    text: str
    put: Put | None
    """Writes what stands there now; None for what divides pieces, which stays."""


@dataclass
class Sheet:
    """Pieces of text in their order, and what was left out of the letter, by its name for people.

    `save` returns the bytes of the file with what stands in its pieces now; without it, the text is
    what is written.

    >>> sheet, paper = Sheet(), {}
    >>> sheet.add("Mrs. Mül", lambda text: paper.update(plain=text))
    >>> sheet.add("ler came.", lambda text: paper.update(bold=text))
    >>> sheet.text
    'Mrs. Müller came.'
    >>> sheet.change([(5, 11, "Lang")])
    'Mrs. Lang came.'
    >>> paper
    {'plain': 'Mrs. Lang', 'bold': ' came.'}
    """

    save: Callable[[], bytes] | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    _pieces: list[_Piece] = field(default_factory=list)
    _end: int = 0

    @classmethod
    def of(cls, text: str, left_out: Counter[str] | None = None) -> Sheet:
        """Return a text that is written as text."""
        made = cls(left_out=Counter() if left_out is None else left_out)
        made._add(text, None)
        return made

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(piece.text for piece in self._pieces)

    def add(self, text: str, put: Put) -> None:
        """Add a piece, and how it is written; line ends and tabs are no text but `mark`s."""
        if text:
            self._add(_MARKS.sub(" ", text), put)

    def mark(self, signs: str) -> None:
        """Add signs that divide pieces: the end of a paragraph, a cell, a line."""
        for sign in signs:
            self._add(sign, None)

    def _add(self, text: str, put: Put | None) -> None:
        self._pieces.append(_Piece(self._end, text, put))
        self._end += len(text)

    def change(self, changes: Iterable[Change]) -> str:
        """Write, once, what takes the place of stretches; return the text that stands there now.

        The stretches are in order, and none overlaps another.
        """
        starts = [piece.start for piece in self._pieces]
        edits: dict[int, list[Change]] = {}
        for start, end, made in changes:
            first = bisect_right(starts, start) - 1
            last = bisect_right(starts, end - 1) - 1
            for number, new in self._dealt(range(first, last + 1), made):
                piece = self._pieces[number]
                begins = max(start, piece.start) - piece.start
                ends = min(end, piece.start + len(piece.text)) - piece.start
                edits.setdefault(number, []).append((begins, ends, new))
        for number, within in edits.items():
            piece, parts, place = self._pieces[number], [], 0
            for begins, ends, new in within:
                parts += [piece.text[place:begins], new]
                place = ends
            piece.text = "".join([*parts, piece.text[place:]])
        for piece in self._pieces:
            if piece.put is not None:
                piece.put(piece.text)
        return self.text

    def _dealt(self, numbers: Iterable[int], made: str) -> Iterable[tuple[int, str]]:
        """Give each piece of a stretch its part of what is written there.

        What has lines as the stretch has is written line by line, everything else into its first
        piece.
        """
        rows: list[list[int]] = [[]]
        signs = ""
        for number in numbers:
            if self._pieces[number].put is None:
                rows.append([])
                signs += self._pieces[number].text
            else:
                rows[-1].append(number)
        parts = _MARKS.split(made)
        if "".join(_MARKS.findall(made)) != signs or not all(rows):
            parts = [_MARKS.sub(" ", made)]
            rows = [[number for row in rows for number in row]]
        for row, part in zip(rows, parts, strict=True):
            for place, number in enumerate(row):
                yield number, "" if place else part
