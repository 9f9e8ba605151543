"""Unicode tricks undone before anything is looked for, and every position mapped back.

A name written with a Cyrillic a, with zero-width joiners between its letters, in full-width
or mathematical letters is still read as the name by people; so it must be by detectors.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

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
