"""Places and organisations that are named again, whole or by the short form of their name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_NAMED = {
    Kind.CITY, Kind.PLACE, Kind.HOSPITAL, Kind.ORGANISATION, Kind.EMPLOYER, Kind.SCHOOL, Kind.TEAM,
}  # fmt: skip
# Words that say what an organisation is, not which.
_GENERIC = frozenset(
    "hospital hospitals clinic clinics center centre medical health healthcare care memorial "
    "general regional community university college school elementary middle high academy group "
    "inc llc ltd corp corporation company co plc and sons associates partners services institute "
    "infirmary practice pharmacy rehabilitation nursing home department of the at for s".split()
)
_WHOLE, _SHORT = 0.88, 0.74
_MOST_WORDS = 8
_COMMON = 3.8


def find_places_again(page: Page, sure: Sequence[Span]) -> list[Span]:
    """Return where a place or organisation that was found with certainty is named again.

    "Brigham Hospital" is found again as such and as "Brigham", with the capitals of a name.
    """
    phrases: dict[str, list[tuple[list[str], Kind, str, float]]] = {}
    for span in sure:
        if span.kind in _NAMED:
            first, last = page.token_at(span.start), page.token_at(span.end - 1)
            words = page.tokens[first : last + 1]
            if not words[0][0].isalpha() or len(words) > _MOST_WORDS or len(words[0]) < 2:
                continue
            for form, rule, prior in _forms_of(page, words):
                entry = (form, span.kind, rule, min(prior, span.certainty))
                entries = phrases.setdefault(form[0], [])
                if entry[0] not in [known[0] for known in entries]:
                    entries.append(entry)
    if not phrases:
        return []
    return _found(page, phrases, sure)


def _forms_of(page: Page, words: list[str]) -> Iterable[tuple[list[str], str, float]]:
    """Yield the whole name and its short form."""
    if len(words) > 1 or page.knowledge.word(words[0]).zipf < _COMMON:
        yield words, "place", _WHOLE
    short = list(words)
    while short and (short[-1].lower() in _GENERIC or not short[-1][0].isalnum()):
        short.pop()
    if not short or len(short) == len(words):
        return
    lone = len(short) == 1
    known = page.knowledge.word(short[0])
    if short[0].lower() in _GENERIC or (lone and (len(short[0]) < 4 or known.zipf >= _COMMON)):
        return
    if lone and (page.knowledge.is_medical(short[0]) or page.knowledge.is_eponym(short[0])):
        return
    yield short, "short-place", _SHORT


def _found(
    page: Page,
    phrases: dict[str, list[tuple[list[str], Kind, str, float]]],
    sure: Sequence[Span],
) -> list[Span]:
    tokens = page.tokens
    begun = [place for place, token in enumerate(tokens) if token in phrases]
    # Those that were found are among them; they need not be found again.
    taken = {span.start for span in sure if span.kind in _NAMED}
    found = []
    for place in begun:
        if page.starts[place] in taken:
            continue
        fitting = [
            entry
            for entry in phrases[tokens[place]]
            if tokens[place : place + len(entry[0])] == entry[0]
        ]
        if fitting:
            words, kind, rule, certainty = max(fitting, key=lambda entry: len(entry[0]))
            end = page.ends[place + len(words) - 1]
            found.append(Span(page.starts[place], end, kind, certainty, "memory", rule))
    return found
