"""The words of a page as a reader of names sees them, read once and shared by the detectors.

A word here is a run of letters with its hyphens and apostrophes (*Church-Lambert*, *O'Brien*),
without a possessive *'s*; between two words lies a gap, which says whether a name may go on.
"""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeVar

from indistinct.knowledge import eponym_use, knowledge
from indistinct.scrub.text.detectors._name_words import ARTICLES, PARTICLES, SUFFIXES
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# In brackets, so that `split` keeps the words.
_WORD = re.compile(r"([^\W\d_]+(?:['-][^\W\d_]+){0,3})")
_ASCII_WORD = re.compile(r"([A-Za-z]+(?:['-][A-Za-z]+){0,3})")
_CAPITAL = re.compile("[CUI]")
_OPENERS = frozenset('.!?:;•*"(')
_JOINTS = PARTICLES | SUFFIXES
_MOST_REMEMBERED = 65536
T = TypeVar("T")
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
    eponym: bool  # an illness, sign or device bears it


def _facts(
    nameness: float,
    first: float,
    last: float,
    zipf: float,
    medical: bool,
    place: bool,
    eponym: bool,
) -> Facts:
    named = nameness > _NO_NAME
    ordinary = (zipf >= _ORDINARY and nameness < -2.6) or (zipf >= 5.9 and nameness < -1.7)
    strange = not named and zipf < 2.8 and not medical
    return Facts(nameness, first, last, zipf, medical, place, named, ordinary, strange, eponym)


class Remembered(dict[str, T]):
    """What a function says of a word, asked once: quicker than a call, and bounded.

    >>> lengths = Remembered(len)
    >>> lengths["Townsend"], dict(lengths)
    (8, {'Townsend': 8})
    """

    def __init__(self, ask: Callable[[str], T]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, word: str) -> T:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        found = self[word] = self._ask(word)
        return found


def _gather(word: str) -> Facts:
    """What is known of a word as a name; of the parts, where it has a hyphen."""
    article, _, rest = word.partition("-")
    if rest and article in ARTICLES:
        return KNOWN[rest]
    lexicon = knowledge()
    lower = word.replace("'", "")
    if "-" in lower:
        parts = [KNOWN[part] for part in lower.split("-") if part]
        if parts and not lexicon.word(lower.replace("-", "")).zipf:
            common = any(part.ordinary for part in parts)
            return _facts(
                _NO_NAME if common else max(part.nameness for part in parts),
                parts[0].first,
                max(part.last for part in parts),
                (max if common else min)(part.zipf for part in parts),
                all(part.medical for part in parts),
                False,
                any(part.eponym for part in parts),
            )
        lower = lower.replace("-", "")
    known = lexicon.word(lower)
    borne = known.first / 2 + known.surname
    nameness = 2 + math.log10(borne) - known.zipf if borne > 0 else _NO_NAME
    return _facts(
        nameness,
        known.first,
        known.surname,
        known.zipf,
        lexicon.is_medical(lower),
        lexicon.place(lower) is not None,
        lexicon.is_eponym(lower),
    )


KNOWN = Remembered(_gather)  # by word in lower case


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
    index: dict[str, list[int]]  # where each word in lower case stands

    def fact(self, i: int) -> Facts:
        """What the word is as a name."""
        return KNOWN[self.lower[i]]

    def where(self, cues: frozenset[str]) -> list[int]:
        """Where the words of a set stand, word by word."""
        return [i for word in sorted(cues.intersection(self.index)) for i in self.index[word]]

    @cached_property
    def whispering(self) -> bool:
        """Whether the page has (nearly) no capitals, so that names have none either."""
        count, small = len(self.shapes), self.shapes.count("l")
        return (count > 8 and (count - small) * 25 < count) or self.page.text.islower()

    @cached_property
    def gap_index(self) -> dict[str, list[int]]:
        """After which words each gap stands, the single blank left out."""
        found: dict[str, list[int]] = {}
        for i, gap in enumerate(self.gaps):
            if gap != " ":
                found.setdefault(gap, []).append(i)
        return found

    @cached_property
    def openers(self) -> list[int]:
        """The words that are the first of their lines."""
        later = [i + 1 for gap, places in self.gap_index.items() if "\n" in gap for i in places]
        return [0, *sorted(later)[:-1]] if self.words else []

    def margin(self, i: int) -> str:
        """What stands before the first word of a line."""
        before = self.gaps[i - 1] if i else self.page.text[: self.starts[0]]
        return before.rpartition("\n")[2]

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
        return not _OPENERS.isdisjoint(gap) and self.shapes[i - 1] != "I"

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
        parts = [i] if j - i == 1 else [k for k in range(i, j) if self.lower[k] not in _JOINTS]
        if len(parts) > 1:
            return Kind.FULL_NAME
        known = self.fact(parts[0] if parts else i)
        return Kind.FIRST_NAME if known.first > known.last else Kind.LAST_NAME

    @cached_property
    def runs(self) -> list[tuple[int, int]]:
        """Stretches of words with capitals (and particles between them) that are joined."""
        found, count = [], len(self.words)
        shapes, lower, gaps = self.shapes, self.lower, self.gaps
        j = 0
        for match in _CAPITAL.finditer(shapes):
            i = match.start()
            if i < j or (lower[i] == "i" and gaps[i] != ". "):
                continue
            j = i + 1
            while j < count:
                if shapes[j] == "l" and lower[j] not in PARTICLES:
                    break
                if gaps[j - 1] != " " and not self.joined(j - 1):
                    break
                if shapes[j] in "CUI" and (lower[j] != "i" or gaps[j] == ". "):
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
    # A gap, a word, a gap, …, a word, a gap.
    parts = (_ASCII_WORD if text.isascii() else _WORD).split(text)
    places = list(accumulate(map(len, parts)))
    words, gaps = parts[1::2], parts[2::2]
    starts, ends = places[:-1:2], places[1::2]
    if "'s" in text or "'S" in text:
        for i, word in enumerate(words):
            if word[-2:] in ("'s", "'S"):
                words[i], gaps[i] = word[:-2], word[-2:] + gaps[i]
                ends[i] -= 2
    if gaps:
        gaps[-1] = gaps[-1][:40] + "\n"
    lower = [word.lower() for word in words]
    index: dict[str, list[int]] = {}
    for i, word in enumerate(lower):
        if word in index:
            index[word].append(i)
        else:
            index[word] = [i]
    return Reading(
        page, words, lower, starts, ends, "".join(map(SHAPES.__getitem__, words)), gaps, index
    )


def _shape(word: str) -> str:
    """C capitalised, U all capitals, I a single capital, l lower case, x no case."""
    if word == word.lower():
        return "l" if word != word.upper() else "x"
    if not word[0].isupper():
        head, mark, tail = word.partition("-")
        return "C" if mark and head in ARTICLES and tail[:1].isupper() else "l"
    if len(word) == 1:
        return "I"
    return "U" if word.isupper() else "C"


SHAPES = Remembered(_shape)


def eponymous(read: Reading, i: int) -> bool:
    """Whether a word stands for the illness, sign or device that bears a person's name."""
    if not read.fact(i).eponym:
        return False
    page = read.page
    token = page.token_at(read.starts[i])
    # Dix-Hallpike: three tokens, of which the last may be the eponym.
    return any(eponym_use(page, token + 2 * part) for part in range(read.words[i].count("-") + 1))


def peoples(word: str) -> bool:
    """Whether a rare capitalised word is rather a nationality or a school of thought."""
    return _PEOPLES.match(word) is not None
