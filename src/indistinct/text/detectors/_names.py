"""The words of a page as a reader of names sees them, read once and shared by the detectors.

A word here is a run of letters with its hyphens and apostrophes (*Church-Lambert*, *O'Brien*),
without a possessive *'s*; between two words lies a gap, which says whether a name may go on.
"""

from __future__ import annotations

import math
import re
import weakref
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from indistinct.text.detectors._name_words import ARTICLES, PARTICLES, SUFFIXES
from indistinct.text.knowledge import Knowledge
from indistinct.text.page import Page
from indistinct.text.spans import Kind, Span

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+){0,3}")
_ORDINARY = 3.2  # zipf from which a word is one that everybody reads: once in 600,000 words
_NO_NAME = -9.0
# Nationalities and the like are capitalised and rare, and are nobody's name in running text.
_PEOPLES = re.compile(r"[a-z]{3,}(?:ian|ese|ish|ean|ists?)s?$")


class Facts(NamedTuple):
    """What a word is as a name.

    `nameness` compares how often people bear the word as a name with how often it is written:
    2 + log10(first/2 + surname) − zipf, which is near 0 when about one written word in a
    hundred is a first name and one a surname and the word is nothing else (*Smith* 0.1,
    *Mark* −0.4, *Long* −1.8, *Will* −3.2).
    """

    nameness: float
    first: float
    last: float
    zipf: float
    medical: bool
    place: bool
    named: bool  # anybody bears it as a name
    ordinary: bool  # a word rather than a name, as far as frequency can say
    strange: bool  # neither a name of the lists nor a word that people write


def _facts(
    nameness: float, first: float, last: float, zipf: float, medical: bool, place: bool
) -> Facts:
    named = nameness > _NO_NAME
    ordinary = (zipf >= _ORDINARY and nameness < -2.6) or (zipf >= 5.9 and nameness < -1.7)
    strange = not named and zipf < 2.8 and not medical
    return Facts(nameness, first, last, zipf, medical, place, named, ordinary, strange)


@lru_cache(maxsize=65536)
def facts(knowledge: Knowledge, word: str) -> Facts:
    """What is known of a word (in any case) as a name; of the parts, where it has a hyphen."""
    lower = word.lower()
    article, _, rest = lower.partition("-")
    if rest and article in ARTICLES:
        return facts(knowledge, rest)
    lower = lower.replace("'", "")
    if "-" in lower:
        parts = [facts(knowledge, part) for part in lower.split("-") if part]
        if parts and not knowledge.word(lower.replace("-", "")).zipf:
            common = any(part.ordinary for part in parts)
            return _facts(
                _NO_NAME if common else max(part.nameness for part in parts),
                parts[0].first,
                max(part.last for part in parts),
                (max if common else min)(part.zipf for part in parts),
                all(part.medical for part in parts),
                False,
            )
        lower = lower.replace("-", "")
    known = knowledge.word(lower)
    borne = known.first / 2 + known.surname
    nameness = 2 + math.log10(borne) - known.zipf if borne > 0 else _NO_NAME
    return _facts(
        nameness,
        known.first,
        known.surname,
        known.zipf,
        knowledge.is_medical(lower),
        knowledge.place(lower) is not None,
    )


@dataclass(frozen=True)
class Reading:
    """Words of a page: text, place, shape, and the gap that follows each.

    Shapes: C capitalised, U all capitals, I a single capital, l lower case, x no case.
    """

    page: Page
    words: list[str]
    lower: list[str]
    starts: list[int]
    ends: list[int]
    shapes: str
    gaps: list[str]
    index: dict[str, list[int]]

    def fact(self, i: int) -> Facts:
        """What the word is as a name."""
        return facts(self.page.knowledge, self.lower[i])

    def before(self, i: int) -> str:
        """The gap before a word."""
        return self.gaps[i - 1] if i else "\n"

    def opens_line(self, i: int) -> bool:
        """Whether nothing but marks stands before the word on its line."""
        return i == 0 or "\n" in self.gaps[i - 1]

    def opens_sentence(self, i: int) -> bool:
        """Whether the capital may be owed to the place at the start of a sentence."""
        if i == 0:
            return True
        gap = self.gaps[i - 1]
        if "\n" in gap:
            return gap.strip() != "" or not self._wraps(i - 1)
        return any(mark in gap for mark in '.!?:;•*"(') and self.shapes[i - 1] != "I"

    def _wraps(self, i: int) -> bool:
        """Whether the line that ends after word i was broken for its length."""
        start = self.page.text.rfind("\n", 0, self.starts[i]) + 1
        return self.ends[i] - start >= 45

    def joined(self, i: int) -> bool:
        """Whether a name may go on from word i to word i + 1."""
        gap = self.gaps[i]
        if gap == " ":
            return True
        if gap in (". ", "."):
            return self.shapes[i] == "I" or self.lower[i] in ("st", "jr", "sr")
        return gap.strip(" ") == "\n" and self._wraps(i)

    def spanning(
        self, i: int, j: int, certainty: float, detector: str, rule: str, kind: Kind | None = None
    ) -> Span:
        """Words i to j (exclusive) as a reference to somebody."""
        end = self.ends[j - 1]
        if self.shapes[j - 1] == "I" and j - i > 1 and self.gaps[j - 1].startswith("."):
            end += 1
        return Span(self.starts[i], end, kind or self.kind(i, j), certainty, detector, rule)

    def kind(self, i: int, j: int) -> Kind:
        """Full, first or last name, by the number of parts and what the one part is."""
        parts = [k for k in range(i, j) if self.lower[k] not in PARTICLES | SUFFIXES]
        if len(parts) > 1:
            return Kind.FULL_NAME
        known = self.fact(parts[0] if parts else i)
        return Kind.FIRST_NAME if known.first > known.last else Kind.LAST_NAME

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """Stretches of words with capitals (and particles between them) that are joined."""
        found, i, count = [], 0, len(self.words)
        shapes, lower = self.shapes, self.lower
        while i < count:
            if shapes[i] not in "CUI" or (lower[i] == "i" and self.gaps[i] != ". "):
                i += 1
                continue
            j = i + 1
            while j < count and self.joined(j - 1):
                if shapes[j] in "CUI" and (lower[j] != "i" or self.gaps[j] == ". "):
                    j += 1
                    continue
                ahead = j
                while ahead < min(j + 3, count) and lower[ahead] in PARTICLES:
                    if not self.joined(ahead):
                        break
                    ahead += 1
                if ahead == j or ahead >= count or shapes[ahead] not in "CU":
                    break
                j = ahead + 1
            found.append((i, j))
            i = j
        return found


_latest: tuple[weakref.ref[Page], Reading] | None = None


def reading(page: Page) -> Reading:
    """The words of a page; the latest page's are kept for the next detector."""
    global _latest
    kept = _latest
    if kept is not None and kept[0]() is page:
        return kept[1]
    made = _read(page)
    _latest = (weakref.ref(page), made)
    return made


def _read(page: Page) -> Reading:
    text = page.text
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    shapes: list[str] = []
    index: dict[str, list[int]] = {}
    lowers: list[str] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word[-2:] in ("'s", "'S") and len(word) > 2:
            word = word[:-2]
        start = match.start()
        lower = word.lower()
        index.setdefault(lower, []).append(len(words))
        words.append(word)
        lowers.append(lower)
        starts.append(start)
        ends.append(start + len(word))
        if word == lower:
            shapes.append("l" if word != word.upper() else "x")
        elif not word[0].isupper():
            head, mark, tail = word.partition("-")
            article = mark and head in ARTICLES and tail[:1].isupper()
            shapes.append("C" if article else "l")
        elif len(word) == 1:
            shapes.append("I")
        else:
            shapes.append("U" if word.isupper() else "C")
    gaps = [text[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    gaps.append(text[ends[-1] :][:40] + "\n" if ends else "\n")
    return Reading(page, words, lowers, starts, ends, "".join(shapes), gaps, index)


def peoples(word: str) -> bool:
    """Whether a rare capitalised word is rather a nationality or a school of thought."""
    return _PEOPLES.match(word) is not None
