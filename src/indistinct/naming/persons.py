"""Texts that are names of people or their addresses, whatever the column is called.

A column of surnames repeats too often to single out nearly everybody, and its header may say
nothing; yet whoever reads the released file reads who is in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from indistinct.knowledge import knowledge

__all__ = ["hold_addresses", "hold_names"]

_FEWEST = 10
"""Different texts of which it can be said what they are."""

_MOST = 1_000
_SHARE = 0.6
"""The share of texts that are known as names from which all are taken for some."""

_FORM_SHARE = 0.9
_LONGEST = 4
"""Words of a name, titles and initials left aside."""

_FIRST, _SURNAME = 1.0, 0.5
"""Bearers per 100,000 people from which a word is known as a first name, or as a surname."""

_COMMON, _NOTHING_ELSE = 4.2, 0.3
"""How common a word may be (1 rare, 7 'the') that is nothing but a name, and the share of texts
that must have one: people are called like months and trades, too."""

_LETTERS = re.compile(r"[^\W\d_]+")
_FORM = re.compile(r"[^\W\d_][^\W\d_.'’\-]*(?:[\s.,'’\-]+[^\W\d_]+)*\.?")
_TITLES = frozenset("mr mrs ms miss dr prof sir jr sr ii iii herr frau mme mlle sra senor".split())

_STREETS = (
    "st street rd road ave avenue av ln lane dr drive blvd boulevard ct court cir circle pl place"
    " ter terrace way pkwy parkway hwy highway trl trail sq square close crescent"
    " strasse straße str weg platz allee gasse"
)
_ENDING = re.compile(
    r".*\w.*(?:\s(?:" + "|".join(_STREETS.split()) + r")|stra(?:ss|ß)e|str)\.?"
    r"(?:\s(?:[nsew]|ne|nw|se|sw))?(?:,?\s+#?\d+\s?[a-z]?)?",
    re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"(?:\d+\s?[a-z]?,?\s)?(?:rue|avenue|boulevard|place|chemin|calle|avenida|carrera|plaza|via"
    r"|viale|piazza|rua)\s\w.*",
    re.IGNORECASE,
)


def hold_names(texts: Sequence[str]) -> bool:
    """Say whether different texts are names of people, by what is known of first and last names.

    Many a town bears a name that people bear, and the other way round: what is known as places
    more often than as people is taken for places.

    >>> hold_names("Kofron Garcia Lindqvist Müller Okafor Nguyen Smith Baker Silva Rossi".split())
    True
    >>> hold_names("Boston Paris Lyon Austin Berlin Madrid Porto Orlando Dallas Perth".split())
    False
    """
    some = texts[:_MOST]
    if len(some) < _FEWEST:
        return False
    formed = [text for text in some if _FORM.fullmatch(text.strip())]
    if len(formed) < _FORM_SHARE * len(some):
        return False
    named = [words for text in formed if (words := _as_name(text))]
    nothing_else = sum(any(map(_nothing_else, words)) for words in named)
    if len(named) < _SHARE * len(some) or nothing_else < _NOTHING_ELSE * len(some):
        return False
    known = knowledge()
    return len(named) > sum(known.place(text.strip()) is not None for text in formed)


def _as_name(text: str) -> list[str]:
    """Return the words of a name, without titles and initials; nothing if it is none."""
    words = [word for word in _LETTERS.findall(text) if word.lower() not in _TITLES]
    spelt = [word for word in words if len(word) > 1]
    known = knowledge()
    found = [known.word(word) for word in spelt]
    borne = all(word.first >= _FIRST or word.surname >= _SURNAME for word in found)
    return spelt if borne and len(spelt) <= _LONGEST else []


def _nothing_else(word: str) -> bool:
    known = knowledge()
    return known.word(word).zipf < _COMMON and not known.proper(word).small


def hold_addresses(texts: Sequence[str]) -> bool:
    """Say whether different texts are names of streets, with house numbers or without.

    >>> streets = [f"{name} {kind}" for name in ("Oak", "5th", "High") for kind in ("St", "Rd")]
    >>> hold_addresses([*streets, "rue Monge", "12 calle Mayor", "Lindenstraße 7", "Am Weg 3"])
    True
    >>> hold_addresses(["yes", "no", "do not know", "refused"] * 3)
    False
    """
    some = texts[:_MOST]
    if len(some) < _FEWEST:
        return False
    streets = sum(
        _ENDING.fullmatch(text.strip()) is not None
        or _BEGINNING.fullmatch(text.strip()) is not None
        for text in some
    )
    return streets >= _SHARE * len(some)
