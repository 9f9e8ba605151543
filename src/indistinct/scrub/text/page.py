"""A document as the detectors read it: folded text, its words, its lines, and what words mean."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from indistinct.knowledge import Knowledge, knowledge
from indistinct.scrub.text.folding import Folded, fold

_TOKEN = re.compile(r"[^\W\d_]+|\d+|\n|[^\w\s]|_")


@dataclass(frozen=True)
class Page:
    """One document, read once and shared by all detectors.

    Positions are those of the folded text; `folded.original` maps a stretch back.
    Tokens are runs of letters, runs of digits, single marks, and line ends ("\\n").

    >>> page = read("Dear Dr. Lang:")
    >>> page.tokens
    ['Dear', 'Dr', '.', 'Lang', ':']
    >>> page.token_at(9), page.starts[3], page.ends[3]
    (3, 9, 13)
    """

    folded: Folded
    tokens: list[str]
    starts: list[int]
    ends: list[int]
    knowledge: Knowledge

    @property
    def text(self) -> str:
        """The folded text."""
        return self.folded.text

    @cached_property
    def lower(self) -> list[str]:
        """The tokens in lower case."""
        return [token.lower() for token in self.tokens]

    @cached_property
    def lines(self) -> list[tuple[int, int]]:
        """Start and end (without the line end) of every line."""
        found, start = [], 0
        for line in self.text.split("\n"):
            found.append((start, start + len(line)))
            start += len(line) + 1
        return found

    @cached_property
    def shouting(self) -> bool:
        """Whether the document is (nearly) all in capitals, so that capitals say nothing."""
        words = [token for token in self.tokens if len(token) > 1 and token[0].isalpha()]
        shouted = sum(map(str.isupper, words))
        return shouted > 6 and shouted * 10 > len(words) * 9

    @cached_property
    def whispering(self) -> bool:
        """Whether the document has (nearly) no capitals, so that names have none either."""
        words = [token for token in self.tokens if token[0].isalpha()]
        small = sum(map(str.islower, words))
        return len(words) > 8 and (len(words) - small) * 25 < len(words)

    def token_at(self, position: int) -> int:
        """Number of the token that begins at or before `position`."""
        return bisect_right(self.starts, position) - 1

    def line_at(self, position: int) -> int:
        """Number of the line that holds `position`."""
        return bisect_right(self._line_starts, position) - 1

    @cached_property
    def _line_starts(self) -> list[int]:
        return [start for start, _ in self.lines]


def read(text: str) -> Page:
    """Fold a text and divide it into tokens."""
    folded = fold(text)
    tokens, starts, ends = [], [], []
    for match in _TOKEN.finditer(folded.text):
        tokens.append(match.group())
        starts.append(match.start())
        ends.append(match.end())
    return Page(folded, tokens, starts, ends, knowledge())
