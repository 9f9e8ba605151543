"""Codes on a page: stretches that hold a digit, and what the words before them say they are.

One scan finds every code; the detectors of record numbers, licences, identity numbers, accounts,
devices and vehicles share it and choose by the cue and by the shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from indistinct.text.detectors._number_cues import (
    ABBREVIATIONS,
    CUES,
    FILLERS,
    NUMBERING,
    STRONG,
    VAGUE,
)

# A word with a digit in it, then the pieces that it is made of. A hyphen joins groups that look
# like parts of one code ("PA26-04-8821", "90234-Q") and not words ("46-year-old").
_WORD = re.compile(r"(?<!\S)[^\s\d]*+\d\S*")
_PIECE = re.compile(
    r"[^\W_]++(?:(?:[-_]{1,2}(?=[^\W_]{0,16}\d|[^\W\d_]{1,2}(?![^\W_])|[A-Z]{1,4}(?![^\W_]))"
    r"|_(?=[^\W_]{1,12}_)|[./](?=[^\W_]{0,4}\d)|\.(?=[A-Z]{1,3}[.\d-]))[^\W_]++)*+"
)
_BEFORE = re.compile(r"[^\W\d_]+|\d+|\n|[^\w\s]")
_SLASHED = re.compile(r"\b([sh])/n\b")
_DIGITS = re.compile(r"\d+")
# A number with the bracket, the sign or the letter like a digit that it may begin with.
_NUMBER = re.compile(r"(?:[(+\[]{1,2}|(?<![^\W_])[OolI]{1,2})?(\d+)")
_GROUP_FOLLOWS = re.compile(r"[ ]\d{2}")
_LISTED = re.compile(r"\s?(?:[,;/&]|,?\s?(?:and|or))\s$")

UNITS = (
    r"(?:%|°|percent|m?[cm]?g(?:/\w{1,5})?|kg|lbs?|oz|[cmkµud]?[lm]|mm|cc|ml|meq|mmol|mol|[mk]?iu"
    r"|units?|u|hz|k?cal|kpa|mmhg|bpm|f|c|fr|gauge|ga?|ft|in|inch(?:es)?|feet|mi(?:les)?|km|yuan"
    r"|copies|cells|x|k|days?|weeks?|wks?|months?|mos?|years?|yrs?|hours?|hrs?|min(?:ute)?s?"
    r"|sec(?:ond)?s?|times|tabs?|tablets?|caps?|capsules?|pills?|puffs?|drops?|doses?|steps|people"
    r"|patients|participants|subjects|cases|dollars|usd|eur|euros?|rmb|pounds|points?|pack"
    r"|pg|ng|mcg|ug|dl|micrograms?|milligrams?|million|thousand|billion|per|platelets|words"
    r"|followers|views|meters?|metres?|mw|kw|gb|mb|rpm|watts?)(?![^\W\d_])"
)
_UNIT_AFTER = re.compile(rf"\s?-?{UNITS}|[,.]\d|\s?[x×^]\s?10|\s?/\s?(?:\d|mm|ml|ul|l\b|hpf)", re.I)
_MONEY_BEFORE = re.compile(r"(?:[$€£¥<>≤≥~±]|usd|eur|rs|\d[,.:])\s?$")
_UNIT_INSIDE = re.compile(rf"\d{{1,6}}(?:\.\d+)?-?{UNITS}$", re.I)
_SPAN = re.compile(r"(?:19|20)\d\d(?:-(?:19|20)?\d\d)?$|\d{1,3}-\d{1,3}$")
_LONG = re.compile(r"\d{5}")
_CAPITALS_BEFORE = re.compile(r"(?<![\w/])(?:[A-Z]{1,3}-)?[A-Z]{1,4}[ -]$")
_MORE_GROUPS = re.compile(
    r"(?:[ ](?=[A-Z]{0,4}\d)[A-Z0-9]{1,6}(?![\w%]|[.,/:-]\w|\s?(?:mg|mcg|ml|g|kg)\b)){1,6}"
)


@dataclass(frozen=True)
class Cue:
    """What the words before a code say: its `family` and `word` ('' when none is known).

    `numbered` tells that "number", "no.", "#", "ID" or "code" stands between, `labelled` that a
    colon or an equals sign does.
    """

    family: str = ""
    word: str = ""
    numbered: bool = False
    labelled: bool = False


@dataclass(eq=False)
class Code:
    """A stretch with a digit in it: where it stands, on which page (in lower case).

    Its cue stands before `reach`; `size` is how many letters and digits it has.
    """

    start: int
    end: int
    text: str
    page: str
    reach: int
    digits: str = field(init=False)
    size: int = field(init=False)
    has_letters: bool = field(init=False)

    def __post_init__(self) -> None:
        """Count the letters and digits, which everybody asks for."""
        self.digits = "".join(_DIGITS.findall(self.text))
        self.size = sum(map(str.isalnum, self.text))
        self.has_letters = self.size > len(self.digits)

    @property
    def before(self) -> str:
        """What stands before it."""
        return self.page[max(0, self.reach - 64) : self.reach]

    @property
    def after(self) -> str:
        """What stands after it."""
        return self.page[self.end : self.end + 24]

    @cached_property
    def cue(self) -> Cue:
        """What the words before it say."""
        return read_cue(self.before)

    @cached_property
    def measure(self) -> bool:
        """Whether it is an amount, a year, a time, a score: a number that counts something."""
        if (
            ("/" in self.text and not _LONG.search(self.text))
            or _SPAN.match(self.text)
            or _UNIT_INSIDE.match(self.text)
        ):
            return True
        if self.has_letters:
            return (
                self.text[0].isdigit() and self.before[-1:] == "," and self.before[-2:-1].isdigit()
            )
        return bool(
            self.text.count(".") == 1
            or _UNIT_AFTER.match(self.after)
            or _MONEY_BEFORE.search(self.before[-5:])
        )

    @cached_property
    def trust(self) -> tuple[str, float] | None:
        """By which rule and how far the cue before it is to be believed; None where not."""
        digits = len(self.digits)
        if digits < 2 or self.size < 3 or (self.measure and digits < 4):
            return None
        cue = self.cue
        if not cue.family or (self.measure and not (cue.numbered or cue.word in STRONG)):
            return None
        if cue.word in STRONG:
            return "strong", 0.96
        if cue.word not in VAGUE:
            if cue.numbered or cue.labelled:
                return "labelled", 0.93
            return ("bare", 0.85) if digits > 2 and self.size > 4 else None
        if cue.numbered:
            return ("vague numbered", 0.9) if self.size > 3 else None
        if cue.labelled:
            return ("vague labelled", 0.85) if digits > 3 and self.size > 4 else None
        return ("vague", 0.74) if digits > 3 and self.size > 4 else None


@lru_cache(maxsize=4)
def lowered(text: str) -> str:
    """Lower case of the same length (a few capitals have longer small forms)."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@lru_cache(maxsize=4)
def _scan(text: str) -> tuple[tuple[int, ...], tuple[Code, ...]]:
    """Where stretches with digits may begin, and the codes among them."""
    lower = lowered(text)
    places: set[int] = set()
    found: list[Code] = []
    for word in _WORD.finditer(text):
        first, last = word.span()
        places.add(first)
        if text[first - 3 : first - 1].isupper():
            places.add(first - 3)
        for number in _NUMBER.finditer(text, first, last):
            places.update(range(number.start(), number.start(1) + 1))
        for piece in _PIECE.finditer(text, first, last):
            start, end = piece.span()
            places.add(start)
            if not _DIGITS.search(text, start, end):
                continue
            if end - start < 3 and not _GROUP_FOLLOWS.match(text, end):
                continue
            reach = start
            if found and end - start > 4 and _LISTED.fullmatch(lower, found[-1].end, start):
                # A code after another and a comma or an "and" has the cue of the first.
                reach = found[-1].reach
            found.append(Code(start, end, text[start:end], lower, reach))
    return tuple(sorted(places)), tuple(found)


def codes(text: str) -> tuple[Code, ...]:
    """Every code of a text with at least three letters and digits, in order.

    >>> [code.text for code in codes("MRN: 989-44-94, HR 78, a 46-year-old, plan HMO298492991.")]
    ['989-44-94', 'HMO298492991']
    """
    return _scan(text)[1]


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What a pattern that begins with a digit, a code, a sign or a bracket finds in a text.

    As `finditer`, but tried only where a stretch with digits begins.

    >>> [match.group() for match in matches(re.compile(r"\\(?\\d\\d\\)?"), "a (12) b c34")]
    ['(12)', '34']
    """
    reached = 0
    for place in _scan(text)[0]:
        if place >= reached and (match := pattern.match(text, place)):
            reached = match.end()
            yield match


def read_cue(before: str) -> Cue:
    """Walk back over the words before a code to the nearest that says what it is.

    >>> read_cue("her driver's license number is ")
    Cue(family='licence', word='license', numbered=True, labelled=False)
    >>> read_cue("seen for a headache in ").family
    ''
    """
    numbered = labelled = False
    unknown = 0
    words = _BEFORE.findall(_SLASHED.sub(r"\1n", before) if "/n" in before else before)
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        if word in CUES:
            return Cue(CUES[word], word, numbered, labelled)
        if word in NUMBERING:
            numbered = True
        elif word in (":", "="):
            labelled = True
        elif word == ".":
            if place == 0 or words[place - 1] not in ABBREVIATIONS:
                break
        elif word == "\n":
            if place and words[place - 1] not in (":", "#"):
                break
        elif word not in FILLERS:
            unknown += 1
            if unknown > 1 or not word.isalpha():
                break
    return Cue("", "", numbered, labelled)


def cued(text: str, family: str) -> Iterator[tuple[int, int, Code, str, float]]:
    """Codes that a word of the family announces: start, end, code, rule, certainty.

    Groups after single blanks belong to the code, and so do capitals before its first digit.

    >>> text = "plate ABC 1234, SSN 123 45 6789"
    >>> [text[start:end] for start, end, *_ in cued(text, "vehicle")]
    ['ABC 1234']
    >>> [text[start:end] for start, end, *_ in cued(text, "identity")]
    ['123 45 6789']
    """
    for code in _announced(text):
        if code.cue.family == family and code.trust is not None:
            yield code.start, code.end, code, *code.trust


@lru_cache(maxsize=4)
def _announced(text: str) -> tuple[Code, ...]:
    """Codes in their full width that a cue announces, none overlapping."""
    found: list[Code] = []
    for code in codes(text):
        if found and code.start < found[-1].end:
            continue
        wide = _widened(text, code)
        if wide.trust is not None:
            found.append(wide)
    return tuple(found)


def _widened(text: str, code: Code) -> Code:
    """The code with its capitals before and its groups after single blanks."""
    start, end = code.start, code.end
    capitals = _CAPITALS_BEFORE.search(text, max(0, start - 10), start)
    if capitals and not _OWN_WORDS.issuperset(re.findall(r"[a-z]+", capitals.group().lower())):
        start = capitals.start()
    if len(code.digits) < 7 and (more := _MORE_GROUPS.match(text, end)):
        end = more.end()
    if (start, end) == (code.start, code.end):
        return code
    reach = start if code.reach == code.start else code.reach
    return Code(start, end, text[start:end], code.page, reach)


_OWN_WORDS = frozenset(CUES) | NUMBERING | FILLERS


def luhn(digits: str) -> bool:
    """The check of card numbers (ISO/IEC 7812-1): doubled every second, the sum ends in 0.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
