"""Names that people say and that others mention: *my name is …*, *please call …*, *d/w Weiss*."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from indistinct.knowledge import TITLES
from indistinct.scrub.text.detectors._grammar import Trust, name_from, past_titles
from indistinct.scrub.text.detectors._name_words import PARTICLES, words
from indistinct.scrub.text.detectors._names import Reading, peoples, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Span

# The last word of what is said before a name, with the word before it where that matters.
_SURELY = {
    "is": ("name",), "was": ("name",), "me": ("call", "calls", "called"), "llamo": (),
    "m'appelle": (), "heiße": (), "es": ("nombre",), "him": ("named",), "her": ("named",),
    "named": (),
}  # fmt: skip
_PERHAPS_SAID = {
    "i'm": (), "im": (), "am": ("i",), "is": ("this", "account", "speaker"), "with": (),
    "contact": (), "page": (), "notify": (), "call": (), "called": (), "phoned": (), "paged": (),
    "to": ("spoke", "talked", "talking", "speaking"), "for": ("ask", "asked", "asking"),
    "it's": (), "told": (), "asked": (), "informed": (), "met": (), "saw": (), "seeing": (),
    "see": (), "by": (), "from": (), "thank": (), "email": (), "ask": (), "consulted": (),
    "text": (),
}  # fmt: skip
_SURE_CUES, _CUES = frozenset(_SURELY), frozenset(_PERHAPS_SAID)
_SELF = ("i'm", "im", "am")
_SMALL = TITLES | PARTICLES  # without a capital before a name that has one
_QUESTION = re.compile(r"\bname\b[^?\n]{0,60}\?\s{0,2}(?:\w{1,12}:\s{0,2})?", re.IGNORECASE)


def detect(page: Page) -> Iterator[Span]:
    """My name is …, I am …, spoke with …, call …; and what answers a question for the name."""
    read = reading(page)
    lower, shapes = read.lower, read.shapes
    for i in read.where(_SURE_CUES):
        before = _SURELY[lower[i]]
        if not before or lower[i - 1] in before:
            yield from _named(read, i, sure=True)
    for i in read.where(_CUES):
        if shapes[i + 1 : i + 2] == "l" and lower[i + 1] not in _SMALL and not read.whispering:
            continue
        before = _PERHAPS_SAID[lower[i]]
        if not before or lower[i - 1] in before:
            yield from _named(read, i, sure=False)
    for i in read.index.get("i", ()):
        # I, Hamish McAdoo, consent
        if read.gaps[i] == ", " and read.shapes[i] == "I":
            end = name_from(read, i + 1, Trust.CUE)
            if end > i + 2 and read.gaps[end - 1][:1] == ",":
                yield read.spanning(i + 1, end, 0.85, "spoken", "says name")
    yield from _colleagues(read)
    text = read.page.text
    for match in _QUESTION.finditer(text) if "name" in read.index and "?" in text else ():
        i = bisect_right(read.starts, match.end() - 1)
        if i < len(read.words) and read.starts[i] == match.end():
            end = name_from(read, i, Trust.CUE, lower=True, inverted=True)
            if end > i and (read.shapes[i] != "l" or read.fact(i).nameness > -0.9):
                yield read.spanning(i, end, 0.88, "spoken", "asked for")


def _colleagues(read: Reading) -> Iterator[Span]:
    """Staffed with Farr, d/w Weiss, seen w/ Hume: surnames alone, as colleagues write them."""
    for i in read.index.get("w", ()):
        # seen w/ Hume, d/w Weiss
        if read.gaps[i] in ("/ ", "/") or (read.gaps[i] == " " and read.before(i) == "/"):
            yield from _colleague(read, i + 1)
    for i in read.index.get("with", ()):
        if i and read.lower[i - 1] in _WORKING and read.gaps[i] == " ":
            yield from _colleague(read, i + 1)
    for word in ("per", "ref"):
        for i in read.index.get(word, ()):
            if read.gaps[i] == " ":
                yield from _colleague(read, i + 1)


_WORKING = words(
    "staffed discussed spoke reviewed seen agree consulted plan met talked rounded worked "
    "coordinated conferred case appointment visit follow-up followup"
)


def _colleague(read: Reading, start: int) -> Iterator[Span]:
    if start >= len(read.words) or read.shapes[start] != "C":
        return
    end = name_from(read, start, Trust.CUE)
    known = read.fact(start)
    if end > start and known.named and known.nameness > -1.2 and not known.medical:
        yield read.spanning(start, end, 0.78, "spoken", "colleague")


def _named(read: Reading, i: int, *, sure: bool) -> Iterator[Span]:
    if read.gaps[i] not in (" ", ": ", "  ", "\n"):
        return
    lower = sure or read.whispering
    start = past_titles(read, i + 1)
    end = name_from(read, start, Trust.CUE, lower=lower)
    if end == start:
        return
    known = read.fact(start)
    small = read.shapes[start] == "l"
    if small and known.nameness < -0.9 and not (known.strange and end - start > 1):
        return
    if read.shapes[start] == "U" and not sure and not read.page.shouting:
        return
    if sure and not small:
        yield read.spanning(start, end, 0.9, "spoken", "says name")
    elif sure:
        yield read.spanning(start, end, 0.8, "spoken", "says name, lower case")
    elif (
        read.lower[i] in _SELF
        and read.shapes[start] == "C"
        and not known.named
        and known.zipf < 3.4
    ):
        if not known.medical and not peoples(read.lower[start]):
            yield read.spanning(start, end, 0.74, "spoken", "says name, unlisted")
    elif small:
        # Rather a first name: people walk with a walker.
        if known.first > known.last and known.nameness > -0.4:
            rule = "speaks of, lower case"
            yield read.spanning(start, end, 0.74, "spoken", rule)
    elif known.first > 0 and known.nameness > (-0.6 if known.place and end - start == 1 else -0.9):
        yield read.spanning(start, end, 0.8, "spoken", "speaks of")
