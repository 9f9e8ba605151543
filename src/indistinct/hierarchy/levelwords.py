"""What the labels of a level are, in words, where their form alone says it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

__all__ = ["words_of_labels"]

_SPAN = re.compile(r"(\d+)-(\d+)")
_PREFIX = re.compile(r"(\w+)\*+")
_MOST = 0.5
"""Bands at the ends of a range, and codes apart, may differ from the others."""


def words_of_labels(labels: Iterable[str]) -> str | None:
    """Return what most labels of a level are, or None.

    >>> words_of_labels(["0-4", "5-9", "85-89", "≥90"]), words_of_labels(["0213*", "0214*"])
    ('bands of 5', 'first 4 digits')
    """
    told = list(labels)
    kinds = Counter(word for label in told if (word := _kind(label)) is not None)
    if not kinds:
        return None
    word, times = kinds.most_common(1)[0]
    return word if times > _MOST * len(told) else None


def _kind(label: str) -> str | None:
    if span := _SPAN.fullmatch(label):
        width = int(span[2]) - int(span[1]) + 1
        return f"bands of {width:,}" if width > 1 else None
    if prefix := _PREFIX.fullmatch(label):
        many = len(prefix[1])
        sort = "digit" if prefix[1].isdecimal() else "character"
        return f"first {sort}" if many == 1 else f"first {many} {sort}s"
    return None
