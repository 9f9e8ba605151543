"""All kinds of letters, found by their folder."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from indistinct.scrub.formats.sheet import Sheet

__all__ = ["LARGEST", "LetterFormat", "Strings", "all_formats", "format_by_name", "format_of"]

LARGEST = 100_000_000
"""Bytes that a letter may have which is more than text: pictures are in it, and are not read."""


@dataclass(frozen=True)
class Strings:
    """Everything that a written file says, read anew and by another way than it was written.

    Parameters
    ----------
    text
        All that stands between its marks, part by part.
    others
        Everything else that a writer could put words into: names of members, values of attributes,
        comments, names of elements.
    """

    text: str
    others: frozenset[str]


@dataclass(frozen=True)
class LetterFormat:
    """A kind of letters.

    Parameters
    ----------
    name
        What people call it.
    suffixes
        How names of such files end.
    is_one
        Whether the first bytes of a file, and how its name ends, say that it is of this kind.
    read
        Takes the text out, or raises `NotText` with the reason; the encoding is for those that do
        not name theirs.
    written
        How the name of what is written ends; ``.txt`` where it is the text alone.
    strings
        Reads what was written again, for the law that is checked last; None for text.
    """

    name: str
    suffixes: tuple[str, ...]
    is_one: Callable[[bytes, str], bool]
    read: Callable[[bytes, str], Sheet]
    written: str = ".txt"
    strings: Callable[[bytes], Strings] | None = None


@cache
def all_formats() -> dict[str, LetterFormat]:
    """Return every kind by its name.

    >>> sorted(all_formats())
    ['docx', 'eml', 'html', 'odt', 'pdf', 'rtf']
    """
    return {made.name: made for made in _found()}


def _found() -> Iterator[LetterFormat]:
    package = import_module("indistinct.scrub.formats")
    for module in pkgutil.iter_modules(package.__path__):
        made = getattr(import_module(f"{package.__name__}.{module.name}"), "FORMAT", None)
        if isinstance(made, LetterFormat):
            yield made


def format_of(head: bytes, suffix: str) -> LetterFormat | None:
    """Return the kind of a file, by its first bytes and the end of its name; None for text.

    >>> format_of(b"%PDF-1.7", ".txt").name, format_of(b"Dear Ann", ".txt")
    ('pdf', None)
    """
    return next((one for one in all_formats().values() if one.is_one(head, suffix.lower())), None)


def format_by_name(name: str) -> LetterFormat | None:
    """Return the kind of this name; None for text, which has none."""
    return all_formats().get(name)
