"""Letters written with their references marked: {Virginia Townsend|full name}."""

from __future__ import annotations

import re

from indistinct.scrub.text.spans import Kind, Span

_MARK = re.compile(r"\{([^|{}]*)\|([^{}]*)\}")


def marked(letter: str, *, certainty: float = 0.9) -> tuple[str, list[Span]]:
    """The letter without its marks, and the spans that they told."""
    text, spans, place = "", [], 0
    for mark in _MARK.finditer(letter):
        text += letter[place : mark.start()]
        end = len(text) + len(mark[1])
        spans.append(Span(len(text), end, Kind(mark[2]), certainty, "test"))
        text += mark[1]
        place = mark.end()
    return text + letter[place:], spans
