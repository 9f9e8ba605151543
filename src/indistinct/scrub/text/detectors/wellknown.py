"""Names that everybody knows and that are written without a cue: people, places, organisations.

The names are in `knowledge/data/wellknown.txt`. A line `# person`, `# place` or `# organisation`
opens a section; names are separated by semicolons. A question mark after a name: it is also a
word or a first name, so that a capital at the start of a sentence says nothing. A name in capitals
throughout is an acronym; it is found with points between its letters as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from indistinct.knowledge import plain
from indistinct.scrub.text.detectors._places import medical_use
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

SEVERAL, SINGLE, ACRONYM, AMBIGUOUS = "several words", "single", "acronym", "ambiguous"
_CERTAINTY = {SEVERAL: 0.88, SINGLE: 0.82, ACRONYM: 0.78, AMBIGUOUS: 0.5}
_LOWER_CASE = 0.6
_WORD = re.compile(r"[^\W\d_]+|\d+")
_POINTED = re.compile(r"(?:[A-Z]\.){2,6}")
# What may stand between two words of a name; its line may end there, and 49ers are two words.
_GAPS = frozenset(("", " ", "-", "'", ".", ". ", "&", " & ", "\n", "-\n", " '", "' "))
_OPENING = frozenset('.!?:\n"(*>')
# What towns gave their names to, beside the terms of medicine: Berlin questionnaire, Lima beans.
_NAMED_AFTER = frozenset(
    "questionnaire definition pathway lens chart sprouts beans patty patties blue".split()
)
# A word without capitals between points and strokes belongs to a web address.
_IN_ADDRESS = re.compile(r"[./#=?&]|[^\n]{1,80}[./@=]\w$")
_SHORTEST = 5  # letters of a word that is known as a name without its capital
_RARE = 4.0  # zipf below which a word without its capital is taken for the name


class Name(NamedTuple):
    """One well-known name: its words in lower case, how they are written, what it names."""

    words: tuple[str, ...]
    written: tuple[str, ...]
    section: str
    form: str
    pointed: bool = False  # written with a point after every letter


def _names(entry: str, section: str) -> Iterator[Name]:
    """The spellings under which one entry of the list is found."""
    text = entry.rstrip("?")
    for spelling in dict.fromkeys((text, text.replace(" & ", " and "))):
        written = tuple(_WORD.findall(spelling))
        pointed = _POINTED.fullmatch(spelling) is not None
        acronym = pointed or (len(written) == 1 and text.isupper())
        form = SINGLE if len(written) == 1 else SEVERAL
        form = AMBIGUOUS if entry.endswith("?") else ACRONYM if acronym else form
        lower = tuple(word.lower() for word in written)
        yield Name(lower, written, section, form, pointed)
        if form == ACRONYM and not pointed and len(text) < 6:
            yield Name(tuple(lower[0]), tuple(text), section, form, True)
        unaccented = tuple(map(plain, lower))
        if unaccented != lower:
            yield Name(unaccented, tuple(map(_unaccented, written)), section, form)


def _unaccented(word: str) -> str:
    lower = plain(word)
    return lower.capitalize() if word[0].isupper() else lower


@lru_cache(maxsize=1)
def well_known() -> dict[str, tuple[Name, ...]]:
    """The list by first word in lower case, longest names first.

    >>> [name.section for name in well_known()["kremlin"]]
    ['place']
    """
    file = resources.files("indistinct.knowledge") / "data" / "wellknown.txt"
    by_first: dict[str, dict[tuple[str, ...], Name]] = {}
    section = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            section = line[1:].strip()
            continue
        for entry in filter(None, map(str.strip, line.split(";"))):
            for name in _names(entry, section):
                by_first.setdefault(name.words[0], {}).setdefault(name.words, name)
    return {
        first: tuple(sorted(names.values(), key=lambda name: -len(name.words)))
        for first, names in by_first.items()
    }


def detect(page: Page) -> Iterator[Span]:
    """The longest well-known name from each word on."""
    known = well_known()
    if known.keys().isdisjoint(page.lower):
        return
    free = 0
    for place, word in enumerate(page.lower):
        if place < free or word not in known:
            continue
        for name in known[word]:
            last = _last(page, place, name)
            if last is None or not _stands_alone(page, place, last):
                continue
            if certainty := _certainty(page, place, last, name):
                free = last + 1
                yield _span(page, place, last, name, certainty)
                break


def _last(page: Page, place: int, name: Name) -> int | None:
    """The token at which the name that begins at `place` ends, if it is there."""
    at = place
    for word in name.words[1:]:
        end = page.ends[at]
        at += 1
        # Marks and line ends are tokens of their own; no more than two stand in a gap.
        while at < len(page.tokens) and page.lower[at] != word and at - place < 3 * len(name.words):
            if page.tokens[at] not in ("-", "'", ".", "&", "\n"):
                return None
            at += 1
        if at >= len(page.tokens) or page.lower[at] != word:
            return None
        gap = page.text[end : page.starts[at]]
        if gap not in _GAPS or (name.pointed and gap != "."):
            return None
    return at


def _stands_alone(page: Page, place: int, last: int) -> bool:
    """Whether no letter, digit or underscore is glued to the name, nor a number by a hyphen."""
    start, end = page.starts[place], page.ends[last]
    after = page.text[end : end + 2]
    return not (
        (start and (page.text[start - 1].isalnum() or page.text[start - 1] in "_@"))
        or after[:1].isdigit()
        or after[:1] in ("_", "@")
        or (after[:1] == "-" and after[1:].isdigit())
    )


def _certainty(page: Page, place: int, last: int, name: Name) -> float:
    """How certain the name is here; 0 where it is written otherwise or means something else."""
    end = page.ends[last]
    if medical_use(page, end) or _names_something_else(page, last, name):
        return 0.0
    if last == place and _is_medicine(page, place):
        return 0.0
    if name.pointed:
        return _CERTAINTY[ACRONYM] * page.text[page.starts[place] : end].isupper()
    words = [page.tokens[at] for at in range(place, last + 1) if page.tokens[at][0].isalnum()]
    if not all(map(_as_written, words, name.written)):
        small = all(map(str.islower, words)) and name.form in (SINGLE, SEVERAL)
        in_address = _IN_ADDRESS.match(page.text, max(0, page.starts[place] - 1), end + 2)
        return _LOWER_CASE * (small and not in_address and _only_a_name(page, words))
    if page.shouting and (name.form in (ACRONYM, AMBIGUOUS) or not _only_a_name(page, words)):
        return 0.0
    if name.form == AMBIGUOUS and (place == 0 or page.tokens[place - 1] in _OPENING):
        return 0.0
    return _CERTAINTY[name.form]


def _as_written(word: str, listed: str) -> bool:
    """Whether a word has the capitals of the list: some letters, the first one, or none."""
    if len(listed) > 1 and listed.isupper():
        return word.isupper()
    return word[0].isupper() or not listed[0].isupper()


def _only_a_name(page: Page, words: Iterable[str]) -> bool:
    """Whether one of the words is a name even without its capital."""
    knowledge = page.knowledge
    return any(
        len(word) >= _SHORTEST
        and not knowledge.proper(word).small
        and knowledge.word(word).zipf < _RARE
        and not knowledge.is_medical(word)
        for word in words
    )


def _is_medicine(page: Page, place: int) -> bool:
    word = page.tokens[place]
    return page.knowledge.is_medical(word) or page.knowledge.is_eponym(word)


def _names_something_else(page: Page, last: int, name: Name) -> bool:
    """Whether what follows is named after the place: Middle East respiratory syndrome."""
    after = last + 1
    return (
        name.section != "organisation"
        and after < len(page.tokens)
        and page.starts[after] == page.ends[last] + 1
        and page.tokens[after][0].isalpha()
        and (page.lower[after] in _NAMED_AFTER or page.knowledge.is_medical(page.tokens[after]))
    )


def _span(page: Page, place: int, last: int, name: Name, certainty: float) -> Span:
    kind = {
        "person": Kind.LAST_NAME if len(name.words) == 1 else Kind.FULL_NAME,
        "place": Kind.PLACE,
        "organisation": Kind.ORGANISATION,
    }[name.section]
    form = "lower case" if certainty == _LOWER_CASE else name.form
    end = page.ends[last]
    if name.pointed and page.text[end : end + 1] == ".":
        end += 1
    return Span(page.starts[place], end, kind, certainty, "wellknown", f"{name.section} {form}")
