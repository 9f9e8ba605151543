"""A document as the detectors read it: folded text, its words, its lines, and what words mean."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache

from indistinct.knowledge import Knowledge, knowledge

# Unicode tricks undone before anything is looked for, and every position mapped back.
#
# A name written with a Cyrillic a, with zero-width joiners between its letters, in full-width
# or mathematical letters is still read as the name by people; so it must be by detectors.


# Letters of other scripts that look like Latin ones (Unicode's list of confusables, the part
# that is used to write Latin words), and the marks that stand for plain ones.
_LOOKALIKES = dict(
    zip(
        "аеорсухіјѕԁԛԝһкмтпгвзАВЕКМНОРСТХУІЈЅԌԚԜαοερνκιτυΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡıƖ",
        "aeopcyxijsdqwhkmtnrb3ABEKMHOPCTXYIJSGQWaoepvkituABEZHIKMNOPTYXagil",
        strict=True,
    )
)
_MARKS = dict(
    zip(
        "‘’‚‛ʼ′`´“”„‟″‐‑‒–—―−⁃﹣－\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
        "\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t\v\f\u2028\u2029\u0085\r",
        "''''''''" + '"""""' + "----------" + " " * 18 + "\n\n\n\n",
        strict=True,
    )
)
_NOT_PLAIN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f`]")
# Whole scripts are not folded where the word is written in that script throughout.
_SCRIPTS = ("CYRILLIC", "GREEK")


@dataclass(frozen=True)
class Folded:
    """A text made plain: `text`, and for each of its characters where it stood.

    >>> folded = fold("Amand\\u200ba Rаmirez")      # zero-width space, Cyrillic а
    >>> folded.text
    'Amanda Ramirez'
    >>> folded.original(0, 6)
    (0, 7)
    """

    source: str
    text: str
    places: list[int] | None  # None where every character stayed in its place

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source that became characters `start` to `end`."""
        if self.places is None or start >= end:
            return start, end
        return self.places[start], self.places[end - 1] + 1


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    """What one character is read as: itself, its plain form, or nothing."""
    if char in _MARKS:
        return _MARKS[char]
    if char == "\n":
        return char
    if unicodedata.category(char) in ("Cf", "Cc", "Mn", "Me"):
        return ""
    return unicodedata.normalize("NFKC", char)


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def fold(text: str) -> Folded:
    """Make a text plain: compatibility forms, look-alikes inside Latin words, invisible marks."""
    if text.isascii() and not _NOT_PLAIN.search(text):
        return Folded(text, text, None)
    letters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char == "\r" and text[place + 1 : place + 2] == "\n":
            continue
        for plain in char if " " <= char < "\x7f" and char != "`" else _plain(char):
            letters.append(plain)
            places.append(place)
    _fold_lookalikes(letters)
    stayed = len(letters) == len(text) and places == list(range(len(text)))
    return Folded(text, "".join(letters), None if stayed else places)


def _fold_lookalikes(letters: list[str]) -> None:
    """Write look-alikes as Latin letters in words that also have Latin letters."""
    start = 0
    suspicious = [i for i, letter in enumerate(letters) if letter in _LOOKALIKES]
    for place in suspicious:
        if place < start:
            continue
        begin, end = place, place
        while begin > 0 and (letters[begin - 1].isalnum()):
            begin -= 1
        while end < len(letters) and (letters[end].isalnum()):
            end += 1
        word = letters[begin:end]
        latin = any("a" <= letter.lower() <= "z" for letter in word)
        foreign = any(letter not in _LOOKALIKES and _script(letter) in _SCRIPTS for letter in word)
        if latin or not foreign:
            letters[begin:end] = [_LOOKALIKES.get(letter, letter) for letter in word]
        start = end


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
