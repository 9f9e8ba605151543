"""What the workbench says: one catalogue a language, and numbers as people write them there."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from markupsafe import Markup

__all__ = ["LANGUAGES", "Words", "load_words"]

LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch"}
"""The languages, each by the name that it has itself."""


class Words:
    """The texts of one language.

    >>> load_words("en").number(12345), load_words("de").number(12345), load_words("de").share(0.5)
    ('12,345', '12.345', '50,0 %')
    """

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self.texts = texts

    def __call__(self, name: str, /, **values: Any) -> Markup:
        """Return a text with its values: numbers as they are written, words made harmless.

        A text of the catalogue may set off words with ``<b>``; what stands in its places never
        is markup.
        """
        text = self.texts[name]
        if not values:
            return Markup(text)
        return Markup(text).format_map({n: self._said(v) for n, v in values.items()})

    def known(self, name: str, otherwise: str) -> str:
        """Return a text, or what is given where the catalogue has none."""
        return self.texts.get(name, otherwise)

    def _said(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return str(value)
        return self.number(value)

    def number(self, value: float | None, places: int = 0) -> str:
        """Write a number."""
        if value is None:
            return "–"
        return self._turned(f"{value:,.{places}f}")

    def share(self, value: float | None) -> str:
        """Write a share of one as percent."""
        if value is None:
            return "–"
        return self._turned(f"{100 * value:,.1f}") + (" %" if self.language == "de" else "%")

    def _turned(self, written: str) -> str:
        if self.language != "de":
            return written
        return written.translate(str.maketrans(",.", ".,"))


def _flat(content: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


@cache
def load_words(language: str) -> Words:
    """Return the texts of a language; of English where there is no such language."""
    chosen = language if language in LANGUAGES else "en"
    place = resources.files("indistinct.workbench") / "words" / f"{chosen}.toml"
    return Words(chosen, dict(_flat(tomllib.loads(place.read_text("utf-8")))))
