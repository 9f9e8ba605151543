"""Coarser views of values, on which records are brought together: sounds, beginnings, years."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from indistinct.core import Words
from indistinct.prove.attacks.comparisons import Attribute, Kind

__all__ = ["VIEWS", "soundex", "view"]

_SOUNDS = {
    letter: str(digit)
    for digit, letters in enumerate(("bfpv", "cgjkqsxz", "dt", "l", "mn", "r"), start=1)
    for letter in letters
}


def soundex(word: str) -> str:
    """Return the American Soundex code of the first word of a name; empty if it has no letter.

    >>> [soundex(w) for w in ("robert", "rupert", "ashcraft", "tymczak", "pfister", "van dyk")]
    ['r163', 'r163', 'a261', 't522', 'p236', 'v500']
    """
    letters = [c for c in word.split(" ")[0] if "a" <= c <= "z"] if word else []
    if not letters:
        return ""
    digits, last = "", _SOUNDS.get(letters[0], "")
    for letter in letters[1:]:
        sound = _SOUNDS.get(letter, "")
        if sound and sound != last:
            digits += sound
        if letter not in "hw":
            last = sound
    return (letters[0] + digits + "000")[:4]


def _whole(value: str) -> str:
    return "" if value.endswith("*") else value


def _start(size: int) -> Callable[[str], str]:
    return lambda value: value[:size] if len(value.rstrip("*")) >= size else ""


def _month_and_day(value: str) -> str:
    # sorted, so that a swapped day and month still meet
    return "".join(sorted((value[4:6], value[6:8]))) if len(value) == 8 else ""


VIEWS: dict[Kind, dict[str, Callable[[str], str]]] = {
    "name": {"whole": _whole, "sound": soundex, "start": _start(3), "initial": _start(1)},
    "text": {"whole": _whole, "start": _start(5)},
    "date": {
        "whole": lambda value: value if len(value) > 6 else "",
        "year": _start(4),
        "month": _start(6),
        "day": _month_and_day,
    },
    "number": {"whole": _whole},
    "code": {"whole": _whole, "start": _start(3)},
}
"""For each kind the views of a value; a value without a view brings nobody together."""


def view(attribute: Attribute, name: str) -> tuple[Words, Words]:
    """Return the number of the view's value for the records of both files; 0 where there is none.

    Numbers are dense and start at 1, so that they can be packed.
    """
    see = VIEWS[attribute.kind][name]
    usable = (
        ~attribute.general if attribute.kind == "number" else np.ones(len(attribute.values), bool)
    )
    seen = [see(value) if ok else "" for value, ok in zip(attribute.values, usable, strict=True)]
    number_of = {v: i for i, v in enumerate(sorted({*seen} - {""}), start=1)}
    codes = np.array([number_of.get(v, 0) for v in seen] + [0], dtype=np.uint64)
    return codes[attribute.left], codes[attribute.right]
