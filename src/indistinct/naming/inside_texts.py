"""Names of people that stand inside other texts, and codes that stand for somebody.

A path of a file, a cell of JSON, a login or an address of mail holds a name among words that are
the same in many cells. What is left of a text without these is a name, or it is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from indistinct.knowledge import knowledge

__all__ = ["are_drawn_at_random", "joined_names", "left_of_texts"]

_WORD = re.compile(r"[^\W\d_]+")
_CAPITAL_INSIDE = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")

_TEMPLATE = 0.1
"""The share of texts from which on a word belongs to all of them: a folder, a field of JSON."""

_SHORTEST = 3
"""Letters of each part of a name that is written together with another."""

_COMMON_FIRST, _COMMON_SURNAME = 20.0, 2.0
"""Bearers per 100,000 of a first name and a surname that are known though written together."""

_DIGEST_LENGTH = 8
_ALPHABETS = 0.7
"""The share of the places of a code that hold now a digit, now a letter, or letters of either
size: no one gives such codes to anything of which there are kinds."""

_SELDOM = 0.1


def left_of_texts(texts: Sequence[str]) -> list[str]:
    """Return what is left of texts without the words that many of them have.

    >>> left_of_texts([f"/scans/{name}_2024.pdf" for name in ("kofron", "lindqvist", "okafor")])
    ['kofron', 'lindqvist', 'okafor']
    """
    split = [_WORD.findall(_CAPITAL_INSIDE.sub(" ", text)) for text in texts]
    having = Counter(word for words in split for word in {word.lower() for word in words})
    most = max(1, _TEMPLATE * len(split))
    left = (
        " ".join(word for word in words if len(word) > 1 and having[word.lower()] <= most)
        for words in split
    )
    return [text for text in left if text]


def joined_names(texts: Sequence[str]) -> int:
    """Count the texts that are an initial and a surname, or a first name and a surname, in one.

    >>> joined_names(["aschmidt", "annameyer", "garciaj", "unemployed", "carpenter", "north"])
    3
    """
    return sum(map(_is_joined, texts))


def _is_joined(text: str) -> bool:
    if not text.isalpha() or len(text) < 2 * _SHORTEST:
        return False
    word = knowledge().word
    if word(text).zipf > 0:
        return False
    if any(word(part).surname >= _COMMON_SURNAME for part in (text[1:], text[:-1])):
        return True
    return any(
        word(first).first >= _COMMON_FIRST and word(last).surname >= _COMMON_SURNAME
        for at in range(_SHORTEST, len(text) - _SHORTEST + 1)
        for first, last in ((text[:at], text[at:]), (text[at:], text[:at]))
    )


def are_drawn_at_random(texts: Sequence[str]) -> bool:
    """Say whether codes look as if every sign were drawn: digests, tokens, encoded texts.

    >>> import hashlib
    >>> are_drawn_at_random([hashlib.md5(bytes([n])).hexdigest()[:10] for n in range(40)])
    True
    >>> are_drawn_at_random([f"1kmN26{n}E43{n % 7}" for n in range(10, 50)])
    False
    """
    if len(texts) < 2 * _DIGEST_LENGTH or any(" " in text for text in texts):
        return False
    length = min(map(len, texts))
    if length < _DIGEST_LENGTH:
        return False
    mixed = 0
    for place in range(length):
        kinds = Counter(_kind(text[place]) for text in texts)
        mixed += sum(number >= _SELDOM * len(texts) for number in kinds.values()) > 1
    return mixed >= _ALPHABETS * length


def _kind(sign: str) -> str:
    if sign.isdecimal():
        return "digit"
    return "upper" if sign.isupper() else "lower" if sign.islower() else "other"
