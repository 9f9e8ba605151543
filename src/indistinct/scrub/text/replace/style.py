"""The way a name was written, given to the name that takes its place."""

from __future__ import annotations

import re

SUPPRESSED = "[removed]"
"""What stands where a reference was taken out and could not be replaced."""

_MASKS = "*•●xX#_█"
_MASKED = re.compile(r"[^\W\d_]{0,3}(?:[*•●█]{2,}|[xX#_]{3,})[^\W\d_]{0,3}$")
_POSSESSIVE = re.compile(r"'[sS]?$")
_SCOTTISH = re.compile(r"^mc(?=[a-z]{3})")


def listed(words: str) -> tuple[str, ...]:
    """The words of a list that is written in one string, for the reader's sake."""
    return tuple(words.split())


def titled(name: str) -> str:
    """A name as names are written.

    >>> titled("mcfadden"), titled("alberdam")
    ('McFadden', 'Alberdam')
    """
    found = _SCOTTISH.match(name)
    return "Mc" + name[2:].capitalize() if found else name.capitalize()


def like(true: str, name: str) -> str:
    """Write a made-up `name` (lower case) as the true one was written.

    >>> like("LONG", "baxter"), like("long", "baxter"), like("O'Long", "baxter"), like("L", "bo")
    ('BAXTER', 'baxter', 'Baxter', 'Bo')
    >>> like("Long's", "baxter"), like("A*****", "baxter")
    ("Baxter's", 'B*****')
    """
    if true.isalpha():
        if true.islower():
            return name
        return name.upper() if true.isupper() and len(true) > 1 else titled(name)
    if is_masked(true):
        mask = next(char for char in true if char in _MASKS)
        return like(true[0], name[0]) + mask * (len(name) - 1)
    ending = _POSSESSIVE.search(true)
    if ending and len(true) > len(ending.group()):
        return like(true[: ending.start()], name) + ending.group()
    letters = [char for char in true if char.isalpha()]
    if len(letters) > 1 and all(char.isupper() for char in letters):
        return name.upper()
    if letters and all(char.islower() for char in letters):
        return name
    return titled(name)


def is_masked(text: str) -> bool:
    """Whether most letters of a word were struck out by its writer: A*****, Sm***."""
    return _MASKED.match(text) is not None
