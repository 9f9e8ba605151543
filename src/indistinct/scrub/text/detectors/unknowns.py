"""Names of no list: capitalised words in running text that are no words and sound like names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import CREDENTIALS, RELATIONS
from indistinct.scrub.text.detectors._name_words import (
    CALENDAR,
    INSTITUTIONS,
    LABELS,
    PARTICLES,
    PERSON_VERBS,
    ROLES,
    words,
)
from indistinct.scrub.text.detectors._names import (
    KNOWN,
    SHAPES,
    Reading,
    Remembered,
    eponymous,
    peoples,
    reading,
)
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_LONGEST = 4
_SOUNDS = 0.6  # log-odds from which a word sounds like a surname: nearly two to one


# Asad Ansari, 21, …: what has an age is somebody.
_AGE = re.compile(
    r"(?:, (?:aged? )?| \(| is (?:an? )?)(?:1?\d\d?)(?=[,;).]|[ -]y(?:ea)?rs?|[ -]?y/?o\b)"
)


# McDonald, O'Neil, DeVito, Hae-Won, al-Janabi: capitals inside that names have.
_INNER = re.compile(r"Ma?c[A-Z]|[A-Za-z]{1,10}['-]|[DLV][aeiu]n?[A-Z]|Fitz")


_GLUED = re.compile(r"\w|[.@]\w|://")
_NO_PARTS = CALENDAR | INSTITUTIONS | RELATIONS | ROLES | LABELS | CREDENTIALS
_INTRODUCING = words("says said by with told asked add named called contact dear thanks add wrote")


def detect(page: Page) -> Iterator[Span]:
    """Unlisted names."""
    read = reading(page)
    spelt = read.words
    for start, stop in read.runs:
        i = start
        while i < stop:
            end, most, unlisted = i, min(stop, i + _LONGEST), False
            while end < most and (part := _PARTS[spelt[end]]):
                unlisted = unlisted or part == "unlisted"
                end += 1
            if unlisted:
                yield from _judge(read, i, end, start, stop)
            i = max(end, i + 1)


def _part(word: str) -> str:
    """Whether a word may be a part of an unlisted name, and is unlisted itself."""
    shape, lower = SHAPES[word], word.lower()
    if shape == "I" or lower in PARTICLES:
        return "joint"
    if shape != "C" or lower in _NO_PARTS:
        return ""
    known = KNOWN[lower]
    if word[1:] != lower[1:] and not _INNER.match(word):
        return ""  # SmartLock
    if known.medical or known.ordinary or peoples(lower):
        return ""
    if known.named:
        return "listed" if known.nameness > -2.0 else ""
    return "unlisted" if known.zipf < 3.2 else ""


_PARTS = Remembered(_part)


def _judge(read: Reading, i: int, end: int, start: int, stop: int) -> Iterator[Span]:
    while i < end and (read.lower[i] in PARTICLES and read.shapes[i] == "l"):
        i += 1
    while end > i and (read.shapes[end - 1] == "I" or read.lower[end - 1] in PARTICLES):
        end -= 1
    parts = [k for k in range(i, end) if read.shapes[k] == "C" and read.lower[k] not in PARTICLES]
    strange = [k for k in parts if not read.fact(k).named]
    if len(parts) == 1 and strange and eponymous(read, parts[0]):
        return
    if not strange or read.page.knowledge.place(" ".join(read.lower[i:end])) is not None:
        return
    sound = max(_sound(read, k) for k in strange)
    title = end < stop and read.shapes[end] in "CU" and read.joined(end - 1)
    before = i > start and read.joined(i - 1) and not read.opens_sentence(i - 1)
    acts = (
        end < len(read.words)
        and read.gaps[end - 1] == " "
        and (read.lower[end] in PERSON_VERBS)
        and read.shapes[end] == "l"
    )
    if len(parts) > 1 and _AGE.match(read.page.text, read.ends[end - 1]):
        yield read.spanning(i, end, 0.85, "unknowns", "with age", Kind.FULL_NAME)
        return
    if len(parts) == 1:
        if not (title or before):
            yield from _one(read, i, end, sound, acts)
        return
    if title or before:
        rule, certainty = "in a title", 0.4
    elif sound > _SOUNDS:
        rule, certainty = "sounds like a name", 0.78
    elif i and read.gaps[i - 1] == " " and read.lower[i - 1] in _INTRODUCING:
        rule, certainty = "two, introduced", 0.75
    elif acts:
        rule, certainty = "two and verb", 0.74
    elif sound >= 0:
        rule, certainty = "two strange words", 0.71
    else:
        rule, certainty = "sounds like a word", 0.5
    yield read.spanning(i, end, certainty, "unknowns", rule, Kind.FULL_NAME)


def _sound(read: Reading, i: int) -> float:
    """How much more a word sounds like a surname than like a word or a term of medicine."""
    knowledge, word = read.page.knowledge, read.lower[i]
    return knowledge.surname_sound(word) - knowledge.medical_sound(word)


def _one(read: Reading, i: int, end: int, sound: float, acts: bool) -> Iterator[Span]:
    """A lone word of no list with a capital that no sentence start explains."""
    known, text = read.fact(i), read.page.text
    glued = text[max(0, read.starts[i] - 1) : read.starts[i]].isalnum()
    if glued or _GLUED.match(text, read.ends[end - 1]):
        return  # part of an identifier, a web address, or a test that bears the name
    if end < len(read.words) and read.gaps[end - 1] == " " and read.lower[end] in INSTITUTIONS:
        return
    if acts and sound > _SOUNDS:
        rule, certainty = "one and verb", 0.74
    elif read.opens_sentence(i) or not known.strange:
        return
    elif sound > _SOUNDS:
        rule, certainty = "one, sounds like a name", 0.72
    elif sound > 0:
        rule, certainty = "one", 0.55
    else:
        return
    yield read.spanning(i, end, certainty, "unknowns", rule, Kind.LAST_NAME)
