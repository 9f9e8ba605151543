"""Names of organisations by their head word: Mercy *Hospital*, Hale *University*, Orr *& Sons*."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from indistinct.knowledge import RELATIONS
from indistinct.scrub.text.detectors._places import Run, followed, has, names_something, runs
from indistinct.scrub.text.page import Page

# By the last word of a head: the words that may stand before it, or none when it suffices.
Heads = Mapping[str, frozenset[str] | None]


def heads_of(table: str) -> Heads:
    """Heads from a table: heads and, after a colon, the words that must stand before one.

    >>> heads_of("clinic infirmary; home: nursing")["home"]
    frozenset({'nursing'})
    """
    found: dict[str, frozenset[str] | None] = {}
    for entry in table.split(";"):
        heads, colon, allowed = entry.partition(":")
        found.update(dict.fromkeys(heads.split(), frozenset(allowed.split()) if colon else None))
    return found


# After the head: "of Philadelphia", "for Sick Children", "of the Sacred Heart".
_AFTER = re.compile(r" (?:of|for|at) (?:the )?$")
# Before it: "University of Iowa Hospitals", "Brigham and Women's Hospital", "Our Lady of Lourdes".
_OF = re.compile(r"^ of (?:the )?$")
_AND = re.compile(r"^ (?:and|&) $")
_OF_BEFORE = frozenset(
    "university college lady sisters church institute hospital school bank city county state "
    "center centre department ministry board house society order daughters sons little brothers "
    "museum".split()
)


# Titles that do not begin the name of an institution, as General, Sister or Saint may.
_PERSONAL = frozenset("mr mrs ms miss mx dr drs doctor prof professor rev atty".split())
_NO_HEAD: frozenset[str] = frozenset()
_NOT_OF_NAME = _PERSONAL | RELATIONS


class Headed(NamedTuple):
    """A name with a head word: where, the words before the head, the head, the run's number."""

    start: int
    end: int
    words: list[str]
    head: str
    number: int


def index(page: Page) -> dict[str, list[tuple[int, int]]]:
    """By word in lower case: the runs and the places in them where it stands."""
    kept = vars(page)
    found: dict[str, list[tuple[int, int]]] | None = kept.get("_run_index")
    if found is None:
        found = {}
        for number, run in enumerate(runs(page)):
            for place, word in enumerate(run.lower):
                if word in found:
                    found[word].append((number, place))
                else:
                    found[word] = [(number, place)]
        kept["_run_index"] = found
    return found


def headed(page: Page, heads: Heads, *, after: bool = True) -> Iterator[Headed]:
    """Capitalised names that end in a head word, with what belongs to them on both sides."""
    where = index(page)
    all_runs = runs(page)
    for head in heads.keys() & where.keys():
        allowed = heads[head]
        for number, place in where[head]:
            run = all_runs[number]
            if allowed is not None and (place == 0 or run.lower[place - 1] not in allowed):
                continue
            if _goes_on(run, place + 1, heads):
                continue
            first = first_of_name(run, place)
            start = run.starts[first]
            words = run.words[first:place]
            if first == min(run.first, place):
                joined = _joined_left(page, all_runs, number, words[:1] or [head])
                if joined:
                    start, more = joined
                    words = more + words
            end = run.ends(place)
            if after and place == len(run.words) - 1 and number + 1 < len(all_runs):
                end, more = _joined_right(page, all_runs, number, end)
                words = words + more
            yield Headed(start, end, words, head, number)


def _goes_on(run: Run, place: int, heads: Heads) -> bool:
    """Whether the next word of a run is a head as well: Ohio *River Valley*."""
    return place < len(run.lower) and heads.get(run.lower[place], _NO_HEAD) is None


def first_of_name(run: Run, stop: int) -> int:
    """Where the name before word `stop` begins: past words of a sentence, titles and relations."""
    first = min(run.first, stop)
    for place in range(first, stop):
        if run.lower[place] in _NOT_OF_NAME:
            first = place + 1
    return first


def _joined_left(
    page: Page, all_runs: list[Run], number: int, first_words: list[str]
) -> tuple[int, list[str]] | None:
    """Where the name begins when "University of" or "Brigham and" stands before the run."""
    if number == 0:
        return None
    previous = all_runs[number - 1]
    gap = page.text[previous.end : all_runs[number].start]
    place = previous.first
    if place == len(previous.words):
        return None
    last = previous.lower[-1]
    if (_OF.match(gap) and last in _OF_BEFORE) or (
        _AND.match(gap)
        and (first_words[0].lower().endswith("'s") or first_words[0].lower() in ("sons", "co"))
    ):
        return previous.starts[place], previous.words[place:]
    return None


def _joined_right(page: Page, all_runs: list[Run], number: int, end: int) -> tuple[int, list[str]]:
    """Where the name ends when "of Philadelphia" follows."""
    following = all_runs[number + 1]
    if _AFTER.match(page.text, end) or not page.text.startswith((" of ", " for ", " at "), end):
        return end, []
    gap = page.text[end : following.start]
    if _AFTER.fullmatch(gap) and not (gap.startswith(" at") and len(following.words) > 3):
        return following.end, following.words
    return end, []


def is_named(page: Page, found: Headed) -> bool:
    """Whether the words beside the head name somebody, rather than describe any such body."""
    return bool(found.words) and names_something(page, found.words)


def lower_headed(
    page: Page, heads: frozenset[str], pattern: re.Pattern[str]
) -> Iterator[tuple[Run, int, re.Match[str]]]:
    """Runs that a head in lower case follows ("Mercy hospital"): run, first word, the head.

    `heads` are the words of which the pattern needs one.
    """
    if not has(page, heads):
        return
    text = page.text
    for run in followed(page):
        match = pattern.match(text, run.end)
        if match:
            first = first_of_name(run, len(run.words))
            if first < len(run.words):
                yield run, first, match


def rarely_a_word(page: Page, words: list[str]) -> bool:
    """Whether the words are names rather than words: places, surnames, acronyms, rare ones."""
    known = page.knowledge
    for word in words:
        bare = word.lower().removesuffix("'s")
        meaning = known.word(bare)
        at = known.place(bare)
        place = at is not None and (at.population > 50_000 or at.kind != "city")
        named = place or meaning.surname > 3
        acronym = len(word) in (2, 3, 4) and word.isupper() and not page.shouting
        if meaning.zipf < (3.6 if not named else 4.8 if not place else 5.3) or acronym:
            return not known.is_medical(bare) or (place and meaning.zipf < 4.6)
    return False
