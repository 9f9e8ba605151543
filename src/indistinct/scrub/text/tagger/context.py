"""What the rest of a page says of a token, as small numbers.

These are: what the detectors posted of it and of its neighbours, the case and register of the
page, the look of its line, whether it is part of a known name of several words, and whether the
same word stands elsewhere on the page. Numbers index ready-made tables of weights; for training
they are spelled out as names of features.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indistinct.knowledge import Knowledge
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import (
    AGE90,
    DATE,
    EMAIL,
    ID,
    LOCATION,
    NAME,
    ORG,
    PHONE,
    URL,
    Span,
)
from indistinct.scrub.text.tagger.features import shape, step

Floats = NDArray[np.float32]
Ints = NDArray[np.intp]

_LEVELS = (0.45, 0.6, 0.7, 0.8, 0.9)
_LABELS = (NAME, LOCATION, ORG, DATE, PHONE, EMAIL, URL, ID, AGE90)
POSTED = (
    "edge",
    "nothing",
    *(f"{at}{label}{level}" for label in _LABELS for at in "BI" for level in range(6)),
)
_FIRST_POSTED = {label: 2 + 12 * number for number, label in enumerate(_LABELS)}
FORMS = ("", "X", "x", "low", "UP2", "UP", "Cap", "mIx", "other")  # empty: no word
_FORM = {form: number for number, form in enumerate(FORMS)}
MODES = ("mixed", "shout", "whisper")
REGISTERS = ("general", "clinical")
LINES = tuple(f"{share}|{words}" for share in range(4) for words in range(6))
SENSES = ("location", "person", "group", "other")
WHOLES = ("", *(f"{sense}|{at}" for sense in SENSES for at in "BI"))
_CLINICAL = frozenset(
    "patient pt dr md clinic hospital mg diagnosis symptoms medication exam examination "
    "treatment therapy disease pain surgery admitted discharge mrn dob".split()
)


class Context(NamedTuple):
    """Of every token of a page: numbers in the lists above."""

    mode: int
    register: int
    posted: Ints  # one more at either end
    form: Ints
    line: Ints
    whole: Ints
    small: Ints  # times the word stands in small letters, up to two
    seen: Ints  # times it stands as it does here, up to three; 0 for words in small letters


def form_of(token: str) -> int:
    """Number of a token's form; 0 when it is no word."""
    return _FORM.get(shape(token), 0) if token[0].isalpha() else 0


def context_of(page: Page, postings: Iterable[Span], form: Ints) -> Context:
    """What the page says of its tokens, whose forms are given."""
    tokens, lower = page.tokens, page.lower
    counts = Counter(tokens)
    small, seen = np.zeros(len(tokens), np.intp), np.zeros(len(tokens), np.intp)
    words = np.flatnonzero(form).tolist()
    capital = [place for place in words if tokens[place] != lower[place]]
    for place in capital:
        small[place] = min(counts[lower[place]], 2)
        seen[place] = min(counts[tokens[place]], 3)
    return Context(
        mode=1 if page.shouting else 2 if page.whispering else 0,
        register=_register(page),
        posted=_posted(page, postings),
        form=form,
        line=_lines(page, form),
        whole=_wholes(page, words if page.whispering else capital),
        small=small,
        seen=seen,
    )


def _register(page: Page) -> int:
    """Whether a page is a clinical one: more than one word in forty is of the clinic."""
    clinical = sum(map(_CLINICAL.__contains__, page.lower))
    return int(clinical * 40 > len(page.tokens))


def _posted(page: Page, postings: Iterable[Span]) -> Ints:
    """For each token the label with the greatest certainty that a detector gave it."""
    starts, ends = page.starts, page.ends
    best = [0.0] * len(starts)
    posted = [1] * len(starts)
    for span in postings:
        certainty, code = span.certainty, _FIRST_POSTED[span.label] + step(span.certainty, *_LEVELS)
        place = max(page.token_at(span.start), 0)
        while place < len(best) and starts[place] < span.end:
            if ends[place] > span.start and certainty > best[place]:
                best[place], posted[place] = certainty, code
            if code < _FIRST_POSTED[span.label] + 6:
                code += 6  # from the second token on it is inside
            place += 1
    return np.array([0, *posted, 0], np.intp)


def _lines(page: Page, form: Ints) -> Ints:
    """For each token what its line is like: share of capitals and number of words."""
    ends = np.array([token == "\n" for token in page.tokens], np.intp)
    line = np.cumsum(ends) - ends
    capital = np.array([token[0].isupper() for token in page.tokens], np.intp)
    size = int(line[-1]) + 1
    words = np.bincount(line, form > 0, size)
    share = np.bincount(line, capital * (form > 0), size) / np.maximum(words, 1)
    looks = 6 * np.digitize(share, (0.3, 0.6, 0.99)) + np.digitize(words, (2, 3, 4, 6, 10))
    found: Ints = looks[line]
    return found


def _wholes(page: Page, places: Iterable[int]) -> Ints:
    """Tokens inside a known name of several words, and what it names."""
    known, lower = page.knowledge, page.lower
    found = np.zeros(len(lower), np.intp)
    done = 0
    for place in places:
        if place < done:
            continue
        for count in range(min(known.longest_name(lower[place]), 5), 1, -1):
            sense = _sense(known, " ".join(lower[place : place + count]))
            if sense:
                done = place + count
                code = 1 + 2 * SENSES.index(sense)
                found[place], found[place + 1 : done] = code, code + 1
                break
    return found


def _sense(known: Knowledge, whole: str) -> str:
    if known.place(whole) is not None:
        return "location"
    return known.proper(whole).sense


def feature_names(context: Context) -> list[list[str]]:
    """The features of every token by name, as the tagger is trained with."""
    mode, register = MODES[context.mode], REGISTERS[context.register]
    posted = [POSTED[code] for code in context.posted]
    rows = []
    for place, code in enumerate(context.form):
        here, form = posted[place + 1], FORMS[code]
        row = [f"r={here}", f"r-1={posted[place]}", f"r+1={posted[place + 2]}"]
        rows.append(row)
        if not form:
            continue
        row += [
            f"m={mode}|{form}",
            f"g={register}|{form}",
            f"gr={register}|{here}|{form}",
            f"line={LINES[context.line[place]]}|{form}",
        ]
        if context.whole[place]:
            row.append(f"whole={WHOLES[context.whole[place]]}|{form}")
        if context.seen[place]:
            row.append(f"small={context.small[place]}|{form}")
            row.append(f"seen={context.seen[place]}|{form}")
    return rows


class ContextWeights:
    """The weights of a page's features in tables, so that a page costs a few look-ups."""

    def __init__(self, weights: Mapping[str, Floats], labels: int) -> None:
        """`weights`: by name of a feature, a vector over labels."""
        none = np.zeros(labels, np.float32)

        def of(names: Iterable[str]) -> Floats:
            return np.array([weights.get(name, none) for name in names], np.float32)

        def by_form(names: Iterable[str]) -> Floats:
            """Rows of names, columns of forms; no weight for what is no word."""
            rows = [[f"{name}|{form}" if form else "" for form in FORMS] for name in names]
            return np.stack([of(row) for row in rows])

        self._here = of(f"r={code}" for code in POSTED)
        self._before = of(f"r-1={code}" for code in POSTED)
        self._after = of(f"r+1={code}" for code in POSTED)
        self._mode = by_form(f"m={mode}" for mode in MODES)
        self._register = by_form(f"g={register}" for register in REGISTERS)
        self._both = [by_form(f"gr={register}|{code}" for code in POSTED) for register in REGISTERS]
        self._line = by_form(f"line={line}" for line in LINES)
        self._whole = by_form(f"whole={whole}" for whole in WHOLES)
        self._small = by_form(f"small={count}" for count in range(3))
        self._seen = by_form(f"seen={count}" for count in range(4))
        # Nothing is said of a word that is in no whole, or in small letters.
        self._whole[0] = self._seen[0] = 0.0

    def scores(self, context: Context) -> Floats:
        """For every token the sum of the weights of its features."""
        form, posted = context.form, context.posted
        here = posted[1:-1]
        total: Floats = self._here[here] + self._before[posted[:-2]] + self._after[posted[2:]]
        total += (self._mode[context.mode] + self._register[context.register])[form]
        total += self._both[context.register][here, form]
        total += self._line[context.line, form]
        total += self._whole[context.whole, form]
        again = np.flatnonzero(context.seen)
        total[again] += self._small[context.small[again], form[again]]
        total[again] += self._seen[context.seen[again], form[again]]
        return total


def forms_of(tokens: Sequence[str]) -> Ints:
    """The forms of tokens in a row."""
    return np.array([form_of(token) for token in tokens], np.intp)
