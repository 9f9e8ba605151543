"""The words by which somebody who is known may be named: each a form, with how far to trust it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from indistinct.knowledge import CREDENTIALS, TITLES, Knowledge, plain
from indistinct.scrub.text.spans import Kind, Span
from indistinct.scrub.text.spelling import Slips

# What a rule is worth before it is measured.
PRIORS = {
    "exact": 0.96,
    "surname": 0.92,
    "first": 0.9,
    "nickname": 0.78,
    "possessive": 0.92,
    "whispered": 0.85,
    "lower-case": 0.82,
    "upper-case": 0.85,
    "common-word": 0.72,
    "misspelt": 0.75,
    "initials": 0.85,
    "joined": 0.9,
    "email-part": 0.8,
}
_WORDS = re.compile(r"[^\W\d_]+")
_SKIPPED = frozenset(
    "jr sr ii iii iv de da di del la le van von der den bin al el st and of".split()
)


class Form(NamedTuple):
    """A word that may name somebody: by which rule, what kind of name, how certain its source."""

    rule: str
    kind: Kind
    certainty: float


class Name(NamedTuple):
    """A name in plain words, as known: first names, surnames, nicknames."""

    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    nicknames: tuple[str, ...] = ()
    certainty: float = 1.0

    @property
    def bare(self) -> Name:
        """The name whatever its certainty."""
        return self._replace(certainty=1.0)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a name in plain letters.

    >>> words_of("Rolf-Peter O'Coleman")
    ('rolf', 'peter', 'o', 'coleman')
    """
    return tuple(plain(word) for word in _WORDS.findall(text))


def name_of(text: str, span: Span) -> Name:
    """Divide what a span names into first names and surnames."""
    written = text[span.start : span.end]
    before, comma, after = written.partition(",")
    words = words_of(before)
    while words and words[0] in TITLES and len(words) > 1:
        words = words[1:]
    rest = tuple(word for word in words_of(after) if word not in CREDENTIALS) if comma else ()
    if rest:
        return Name(rest, words, (), span.certainty)
    if span.kind is Kind.FULL_NAME and len(words) > 1:
        # A hyphen or apostrophe joins the last words into one surname.
        joined = max(written.rfind(" "), 0)
        last = words_of(before[joined:]) or words[-1:]
        return Name(words[: len(words) - len(last)], last, (), span.certainty)
    if span.kind is Kind.LAST_NAME:
        return Name((), words, (), span.certainty)
    if span.kind is Kind.NICKNAME:
        return Name((), (), words, span.certainty)
    return Name(words, (), (), span.certainty)


def distinct(names: Iterable[Name]) -> list[Name]:
    """Names once each, with the best certainty that they came with."""
    best: dict[Name, float] = {}
    for name in names:
        best[name.bare] = max(name.certainty, best.get(name.bare, 0.0))
    return [name._replace(certainty=certainty) for name, certainty in best.items()]


class Forms:
    """Every form of some people's names, found by one lookup per word.

    >>> from indistinct.knowledge import knowledge
    >>> forms = Forms([Name(("dorothy",), ("long",))], knowledge())
    >>> forms.words["dot"].rule, forms.words["long"].rule, forms.joined["dorothylong"].rule
    ('nickname', 'surname', 'joined')
    """

    def __init__(self, names: Iterable[Name], knowledge: Knowledge) -> None:
        self.words: dict[str, Form] = {}
        self.initials: dict[str, float] = {}
        self.joined: dict[str, Form] = {}
        self._slips: dict[str, Slips] = {}
        for name in names:
            self._add(name, knowledge)

    def _add(self, name: Name, knowledge: Knowledge) -> None:
        trust = name.certainty
        for word in name.last:
            self._put(word, Form("surname", Kind.LAST_NAME, trust))
        for word in name.first:
            self._put(word, Form("first", Kind.FIRST_NAME, trust))
        for word in name.nicknames:
            self._put(word, Form("first", Kind.NICKNAME, trust))
        for word in name.first[:1]:
            for short in knowledge.nicknames(word):
                self._put(short, Form("nickname", Kind.NICKNAME, trust))
        for word in (*name.first[:1], *name.nicknames):
            for full in knowledge.full_names(word):
                self._put(full, Form("nickname", Kind.FIRST_NAME, trust))
        if name.first and name.last:
            self._add_joined("".join(name.first[:1]), "".join(name.last), trust)

    def _add_joined(self, first: str, last: str, trust: float) -> None:
        whole = Form("joined", Kind.FULL_NAME, trust)
        part = Form("email-part", Kind.FULL_NAME, trust)
        self.initials.setdefault(first[0] + last[0], trust)
        self.joined[first + last] = self.joined[last + first] = whole
        for handle in (first[0] + last, last + first[0], first + last[0]):
            if len(handle) > 4:
                self.joined.setdefault(handle, part)

    def _put(self, word: str, form: Form) -> None:
        known = self.words.get(word)
        if known is None:
            if len(word) > 1 and word not in _SKIPPED:
                self.words[word] = form
        elif (PRIORS[form.rule], form.certainty) > (PRIORS[known.rule], known.certainty):
            self.words[word] = form

    def may_slip(self, word: str) -> bool:
        """Whether any name begins and is as long as a word; cheap, and asked of every word.

        People rarely miss the first letter: only names with the same one are compared.
        """
        lengths = self._lengths.get(word[0])
        return lengths is not None and lengths[0] - 2 <= len(word) <= lengths[1] + 2

    def slip_of(self, word: str) -> Form | None:
        """The form of which a word (in plain letters) is a misspelling, if it is one of any."""
        letter = word[0]
        if letter not in self._slips:
            self._slips[letter] = Slips(name for name in self._compared if name[0] == letter)
        found = self._slips[letter].of(word)
        return self.words[found[0]] if found else None

    @cached_property
    def _compared(self) -> list[str]:
        return [
            word for word, form in self.words.items() if len(word) > 3 and form.rule != "nickname"
        ]

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for name in self._compared:
            low, high = found.get(name[0], (len(name), len(name)))
            found[name[0]] = min(low, len(name)), max(high, len(name))
        return found
