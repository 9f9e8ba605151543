"""The sections of a report, each a function of facts and words, in the order of reading.

A module of this folder registers its section. What it says stands in the catalogue
(`words/en.toml`), or beside the function, as the English texts of a section that is one file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indistinct.core import load_every_module

if TYPE_CHECKING:  # words ask here for the texts that sections bring
    from indistinct.release.report.folder import ReleaseFacts
    from indistinct.release.report.pieces import Section
    from indistinct.release.report.words import Words

    WriteSection = Callable[[ReleaseFacts, Words], Section | None]

__all__ = ["all_sections", "register_section", "texts_of_sections"]


@dataclass(frozen=True)
class _Registered:
    place: int
    write: WriteSection
    texts: Mapping[str, str] = field(default_factory=dict)


_SECTIONS: dict[str, _Registered] = {}


def register_section(
    name: str, *, place: int, texts: Mapping[str, str] | None = None
) -> Callable[[WriteSection], WriteSection]:
    """Register the function that writes a section of the report.

    Parameters
    ----------
    name
        By which the page and its twin know it.
    place
        Where it stands among the others: the verdict is at 10, the decision at 120.
    texts
        What it says in English, by name, where the catalogue does not have it.
    """

    def register(write: WriteSection) -> WriteSection:
        _SECTIONS[name] = _Registered(place, write, dict(texts or {}))
        return write

    return register


def all_sections() -> Mapping[str, WriteSection]:
    """Return what writes each section, in the order of reading.

    A section that has nothing to say is left out when a report is built.

    >>> list(all_sections())[:3]
    ['verdict', 'released', 'intruder']
    """
    load_every_module("indistinct.release.report.sections")
    ordered = sorted(_SECTIONS.items(), key=lambda entry: entry[1].place)
    return {name: registered.write for name, registered in ordered}


def texts_of_sections() -> dict[str, str]:
    """Return the English texts that sections bring with them."""
    all_sections()
    return {name: text for one in _SECTIONS.values() for name, text in one.texts.items()}
