"""Names of the census lists in running text, weighed against the words they also are.

*Elizabeth Cook* is a person; *Cook* at the start of a sentence is more likely an order. How
common a name is among people and how common the word is in writing, where it stands and what
stands beside it decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import CREDENTIALS, RELATIONS
from indistinct.scrub.text.detectors._grammar import Trust, does_something, name_from
from indistinct.scrub.text.detectors._name_words import (
    CALENDAR,
    INSTITUTIONS,
    NOT_BORNE,
    PARTICLES,
    PERSON_VERBS,
    PERSONAL_VERBS,
    ROLES,
    SUFFIXES,
    words,
)
from indistinct.scrub.text.detectors._names import (
    KNOWN,
    Facts,
    Reading,
    Remembered,
    eponymous,
    reading,
)
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_PLACED = words("in at from near to of outside around toward towards into visit visiting")
# Dot is a 7 year old …
_AGED = re.compile(r"\s(?:is|was) (?:now )?an? (?:[a-z]{3,12},? )?\d{1,3}[ -](?=[a-z\d])")
_REACHED = re.compile(
    r" (?:(?:can|may|could) (?:also )?be (?:reached|contacted|paged|called)"
    r"|left (?:a |the )?(?:number|message|voicemail))\b"
)
_RESULT = re.compile(r" (?:\(?\+|\(-\)|-[,;.\n])")
_BODIES = words("staff service board line officer person people house post")
_MODALS = words("can may could will left")
# Mark the site, Bill the patient: what follows an order rather than a name.
_OBJECTS = words("the a an your his her this that these those all any it them of")
_GEOGRAPHY = words(
    "mount mt fort ft lake port north south east west new old upper lower saint st san santa "
    "point cape camp river los las el la isle island glen mill"
)


def detect(page: Page) -> Iterator[Span]:
    """Full names, first names and surnames of the lists."""
    read = reading(page)
    for start, stop in read.runs:
        i = start
        while i < stop:
            end = i
            if read.shapes[i] != "I" and _WORTH[read.lower[i]]:
                found = _full(read, i, start, stop) if i + 1 < stop else None
                if found is not None:
                    yield found[1]
                    end = found[0]
                else:
                    alone = _alone(read, i, start, stop)
                    if alone is not None:
                        yield alone
            i = max(end, i + 1)
    yield from _lists(read)
    yield from _inverted(read)
    if read.whispering:
        yield from _whispered(read)


def _worth(word: str) -> bool:
    """Whether a word may be, or begin, a name: it is borne by somebody, or unknown."""
    known = KNOWN[word]
    if known.nameness < -2.4 and known.first <= 0 and known.zipf >= 6:
        return False
    return known.named or known.strange


_WORTH = Remembered(_worth)


def _full(read: Reading, i: int, start: int, stop: int) -> tuple[int, Span] | None:
    """A first name and what follows it, or a surname and the first name after it."""
    if read.lower[i] in PARTICLES:
        return None
    first = read.fact(i)
    if first.first > 0 and first.nameness <= -1.5 and _surname_after(read, i):
        end = i + 2
        if _in_title(read, i, end, start, stop):
            return None
        if read.page.knowledge.place(" ".join(read.lower[i:end])) is not None:
            return None
        return end, read.spanning(i, end, 0.74, "listed", "word and last", Kind.FULL_NAME)
    if first.nameness < (-1.4 if read.lower[i] in CALENDAR else -1.5):
        return _strange_first(read, i, start, stop, first)
    end = name_from(read, i, Trust.NONE)
    if end > stop and read.lower[end - 1] not in SUFFIXES:
        end = stop
    while end - 1 > i and read.shapes[end - 1] == "I":
        end -= 1
    if end - i < 2:
        return None
    parts = [k for k in range(i, end) if read.lower[k] not in SUFFIXES and read.shapes[k] != "I"]
    last = read.fact(parts[-1])
    if len(parts) < 2:
        return None
    initial = any(read.shapes[k] == "I" for k in range(i + 1, end))
    loud = read.shapes[i] == "U"
    if first.first <= 0:
        second = read.fact(i + 1)
        if not (second.first > 0 and second.nameness > -0.8 and first.nameness > -1.0):
            return None
        rule, certainty = "surname first", 0.72
    elif initial and (last.named or last.strange):
        rule, certainty = "with initial", 0.95
    elif last.last > 0 and min(first.nameness, last.nameness) > -1.3:
        rule, certainty = "first and last", 0.93
    elif last.last > 0:
        rule, certainty = "first and last, words", 0.78
    elif last.first > 0:
        rule, certainty = "two first names", 0.8
    elif last.strange:
        rule, certainty = "first and unlisted", 0.85
    else:
        rule, certainty = "first and word", 0.6
    if loud and not initial and rule not in ("first and last", "surname first"):
        certainty -= 0.2
        rule += ", capitals"
    if _in_title(read, i, end, start, stop):
        strong = rule in ("first and last", "with initial")
        if strong and not _belongs(read, i, end):
            rule, certainty = "full, among capitals", 0.78
        else:
            rule, certainty = "full, in a title", 0.45
    elif _is_place(read, i, end):
        rule, certainty = "full, also a place", 0.5
    return end, read.spanning(i, end, certainty, "listed", rule, Kind.FULL_NAME)


def _surname_after(read: Reading, i: int) -> bool:
    """Whether a word that is nearly always a surname follows in the same case."""
    last = read.fact(i + 1)
    return (
        read.gaps[i] == " "
        and read.shapes[i + 1] == read.shapes[i] == "C"
        and last.last > 0
        and last.nameness > -0.5
    )


def _is_place(read: Reading, i: int, end: int) -> bool:
    """Whether the whole is a place that is known, or that is spoken of as one."""
    place = read.page.knowledge.place(" ".join(read.lower[i:end]))
    if place is None:
        return False
    return place.population > 15000 or (i > 0 and read.lower[i - 1] in _PLACED)


def _strange_first(
    read: Reading, i: int, start: int, stop: int, first: Facts
) -> tuple[int, Span] | None:
    """An unlisted word before a listed surname: *Zelda-like Avery*."""
    last = read.fact(i + 1)
    if not first.strange or read.shapes[i] != "C" or read.shapes[i + 1] != "C":
        return None
    if last.last <= 0 or last.nameness < -0.9 or not read.joined(i):
        return None
    if _in_title(read, i, i + 2, start, stop):
        return None
    return i + 2, read.spanning(i, i + 2, 0.72, "listed", "unlisted and last", Kind.FULL_NAME)


def _belongs(read: Reading, i: int, end: int) -> bool:
    """Whether an institution or a place begins or ends beside the name."""
    if i and read.gaps[i - 1] == " " and read.lower[i - 1] in _GEOGRAPHY:
        return True
    ahead = read.lower[end : end + 3]
    return any(word in INSTITUTIONS for word in ahead) and read.gaps[end - 1] == " "


def _in_title(read: Reading, i: int, end: int, start: int, stop: int) -> bool:
    """Whether the words belong to a longer title: *Taylor Street*, *Lake Nicholas*."""
    if end < len(read.words) and read.gaps[end - 1] == " " and read.lower[end] in INSTITUTIONS:
        return read.shapes[end] in "CU" or read.lower[end] in ("disease", "syndrome")
    if end < stop and read.shapes[end] == "C" and read.fact(end).ordinary and read.joined(end - 1):
        return True
    if i > start and read.joined(i - 1):
        if read.lower[i - 1] in _GEOGRAPHY:
            return True
        return read.fact(i - 1).ordinary and not read.opens_sentence(i - 1)
    # St. Jodi's
    return i > 0 and read.lower[i - 1] in ("st", "ft", "mt") and read.gaps[i - 1] in (". ", " ")


def _alone(read: Reading, i: int, start: int, stop: int) -> Span | None:
    """A single first name or surname."""
    known = read.fact(i)
    lower = read.lower[i]
    if read.lower[i + 1 : i + 2] in (["is"], ["was"]) and read.shapes[i] == "C":
        someone = known.named and known.zipf < 6 and lower not in RELATIONS
        if someone and _AGED.match(read.page.text, read.ends[i]):
            return read.spanning(i, i + 1, 0.88, "listed", "of an age")
    if read.shapes[i] == "C" and (known.nameness < -0.8 or lower in CALENDAR):
        deed = _deed(read, i)
        if deed is not None:
            return deed
    if known.nameness < -2.4 or lower in CALENDAR or lower in CREDENTIALS:
        return None
    verb = _acts(read, i)
    if not verb and (known.nameness < -1.2 or len(lower) < 3):
        return None
    if len(lower) < 3 and (known.nameness < -0.8 or read.shapes[i] == "U"):
        return None  # Vu is a veteran
    if read.shapes[i] == "U":
        certain = known.nameness > (-0.8 if verb and known.first > 0 else -0.1)
        if not (read.page.shouting and certain):
            return None
    is_first = known.first / 2 > known.last
    kind = Kind.FIRST_NAME if is_first else Kind.LAST_NAME
    if eponymous(read, i) or "&" in read.before(i) or "&" in read.gaps[i][:3]:
        return None  # a sign or device; a firm, or the list of one
    if _RESULT.match(read.gaps[i]):
        return None  # Faber -, Thomas +
    owned = read.gaps[i].startswith("'s")
    opens = read.opens_sentence(i)
    # Among capitals a lone first name is part of a title more often than not.
    if _in_title(read, i, i + 1, start, stop) or known.medical:
        rule, certainty = "alone, in a title", 0.3
    elif known.place and not verb and i and read.lower[i - 1] in _PLACED:
        rule, certainty = "alone, placed", 0.35
    elif verb and known.nameness > -0.8:
        rule, certainty = ("first and verb", 0.88) if is_first else ("last and verb", 0.76)
    elif verb and (known.nameness > -1.3 or is_first) and read.lower[i + 1] in PERSON_VERBS:
        rule, certainty = "word and verb", 0.72
    elif known.place and known.nameness < -0.5:
        rule, certainty = "alone, also a place" + (", opening" if opens else ""), 0.5
    elif known.nameness < -0.75:
        rule, certainty = "alone, also a word", 0.45
    elif opens and read.lower[i + 1 : i + 2] and read.lower[i + 1] in _OBJECTS:
        rule, certainty = "opening, before an object", 0.5
    elif opens:
        rule, certainty = ("first, opening", 0.74) if is_first else ("last, opening", 0.55)
    elif owned:
        rule, certainty = ("first, owning", 0.85) if is_first else ("last, owning", 0.6)
    else:
        rule, certainty = ("first", 0.83) if is_first else ("last", 0.62)
    if stop - start > 1 and certainty > 0.6:
        certainty, rule = certainty - 0.1, rule + ", among capitals"
    return read.spanning(i, i + 1, certainty, "listed", rule, kind)


def _deed(read: Reading, i: int) -> Span | None:
    """A common word with a capital that does what people do, or has a number to be reached at.

    *Will works nights*, *May will return in six weeks*, *Strong can be reached at …*.
    """
    known, lower = read.fact(i), read.lower[i]
    if read.gaps[i] != " " or read.shapes[i + 1 : i + 2] != "l":
        return None
    verb = read.lower[i + 1]
    if verb in _MODALS and _REACHED.match(read.page.text, read.ends[i]):
        rule, certainty = "word, reached at", 0.9
    elif verb in _MODALS and known.first > 0 and does_something(read, i + 1):
        rule, certainty = "word and deed", 0.9
    elif verb in PERSONAL_VERBS:
        named = known.first > 0
        rule = ("first" if named else "last") + ", a word, and personal verb"
        certainty = 0.9 if named else 0.74
    else:
        return None
    borne = max(known.first, known.last)
    if lower in INSTITUTIONS or lower in RELATIONS or lower in ROLES or lower in _BODIES:
        return None
    if rule == "word, reached at":
        if borne < 2 and not known.strange:
            return None
    elif borne < 2 or known.medical or lower in NOT_BORNE:
        return None
    return read.spanning(i, i + 1, certainty, "listed", rule)


def _acts(read: Reading, i: int) -> bool:
    """Whether what a person does follows: *reports*, *was seen*."""
    if i + 1 >= len(read.words) or read.gaps[i] not in (" ", "\n"):
        return False
    following, shape = read.lower[i + 1], "U" if read.shapes[i] == "U" else "l"
    if following in ("is", "was", "has", "had", "will", "can", "also") and i + 2 < len(read.words):
        return read.shapes[i + 1] == shape and read.lower[i + 2] != "the"
    if read.shapes[i + 1] != shape:
        return False
    return following in PERSON_VERBS or (following.endswith("ed") and len(following) > 4)


def _lists(read: Reading) -> Iterator[Span]:
    """Erik, Amy, Nathaniel and Romi: what most of a list is, the rest of it is too."""
    gaps, count = read.gaps, len(read.words)
    past = 0
    for i in read.gap_index.get(", ", ()):
        if i < past or i >= count - 2 or read.shapes[i] not in "Cl":
            continue
        items = [i]
        shape = read.shapes[i]
        while True:
            ahead = items[-1] + 1
            if ahead < count and gaps[ahead - 1] in (", ", " ") and read.lower[ahead] == "and":
                ahead += 1
            elif gaps[items[-1]] != ", ":
                break
            if ahead >= count or read.shapes[ahead] != shape:
                break
            items.append(ahead)
        past = items[-1] + 1
        if len(items) < 3:
            continue
        first = [k for k in items if read.fact(k).first > 0 and read.fact(k).nameness > -0.6]
        if len(first) * 5 >= len(items) * 3:
            for k in items:
                known = read.fact(k)
                if not known.ordinary and not known.medical:
                    yield read.spanning(k, k + 1, 0.84, "listed", "in a list")


def _inverted(read: Reading) -> Iterator[Span]:
    """*Corbett, Elbert R   34/male*: surname first at the head of a line, then a column."""
    for i in read.openers:
        if i + 1 >= len(read.words) or read.gaps[i] != ", " or read.shapes[i] not in "CU":
            continue
        last, given = read.fact(i), read.fact(i + 1)
        if not (last.last > 0 or last.strange) or read.shapes[i + 1] != read.shapes[i]:
            continue
        end = max(name_from(read, i, Trust.CUE, inverted=True), i + 2)
        aged = _AGE.match(read.page.text, read.ends[end - 1])
        if aged is None and not _COLUMN.match(read.page.text, read.ends[end - 1]):
            continue
        if given.ordinary or given.medical:
            continue
        if given.first > 0 and given.nameness > -1.5:
            rule, certainty = "inverted", 0.86
        elif aged is not None and (given.named or given.strange):
            rule, certainty = "inverted, of an age", 0.86
        elif given.strange:
            rule, certainty = "inverted, unlisted", 0.76
        else:
            continue
        yield read.spanning(i, end, certainty, "listed", rule, Kind.FULL_NAME)


_COLUMN = re.compile(r"\.?(?: {2,}| - |, ?(?=\d)| \(?(?=\d)| ?\||\n|$)")
_AGE = re.compile(r"[ ,(-]{1,12}\d{1,3} ?(?:y|/|[MF]\b|m(?:o|ale)|f(?:emale)?\b)", re.IGNORECASE)


def _whispered(read: Reading) -> Iterator[Span]:
    """Full names in notes without capitals."""
    for i in range(len(read.words) - 1):
        if read.gaps[i] != " " or read.shapes[i] != "l":
            continue
        first = read.fact(i)
        if first.first <= 0 or first.nameness < -0.6 or read.lower[i] in CALENDAR:
            continue
        last = read.fact(i + 1)
        if last.last > 0 and last.nameness > -0.9:
            yield read.spanning(i, i + 2, 0.8, "listed", "full, lower case", Kind.FULL_NAME)
        elif last.strange and first.nameness > -0.3 and len(read.lower[i + 1]) > 3:
            knowledge, word = read.page.knowledge, read.lower[i + 1]
            sound = knowledge.surname_sound(word) - knowledge.medical_sound(word)
            rule, certainty = ("sounding", 0.74) if sound > 0.3 else ("unlisted", 0.6)
            yield read.spanning(
                i, i + 2, certainty, "listed", f"{rule}, lower case", Kind.FULL_NAME
            )
        elif first.nameness > -0.3 and read.lower[i + 1] in PERSON_VERBS:
            yield read.spanning(i, i + 1, 0.72, "listed", "first and verb, lower case")
