"""Codes on a page: stretches that hold a digit, and what the words before them say they are.

One scan finds every code; the detectors of record numbers, licences, identity numbers, accounts,
devices and vehicles share it and choose by the cue and by the shape.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterator
from functools import lru_cache
from itertools import compress, count
from typing import NamedTuple

from indistinct.scrub.text.detectors._number_cues import (
    ABBREVIATIONS,
    CUES,
    EXACT,
    FILLERS,
    NUMBERING,
    STRONG,
    UNITS,
    VAGUE,
)
from indistinct.scrub.text.page import Page

# A word with a digit in it, then the pieces that it is made of. A hyphen joins groups that look
# like parts of one code ("PA26-04-8821", "90234-Q") and not words ("46-year-old").
_WORD = re.compile(r"\d\S*")
_PIECE = re.compile(
    r"[^\W_]++(?:(?:[-_]{1,2}(?=[^\W_]{0,16}\d|[^\W\d_]{1,2}(?![^\W_])|[A-Z]{1,4}(?![^\W_]))"
    r"|_(?=[^\W_]{1,12}_)|[./](?=[^\W_]{0,4}\d)|\.(?=[A-Z]{1,3}[.\d-]))[^\W_]++)*+"
)
_DIGITS = re.compile(r"\d+")
# A number with the bracket, the sign or the letter like a digit that it may begin with.
_NUMBER = re.compile(r"(?:[(+\[]{1,2}|(?<![^\W_])[OolI]{1,2})?(\d+)")
_GROUP_FOLLOWS = re.compile(r"[ ]\d{2}")
# Six digits and what may stand between them in one number, also "dot" and groups of letters.
_RICH = re.compile(r"(?:\D{0,8}+\d){6}")
_JOINING = frozenset("/.-")
_LIST_GAP = 8
_LISTED = re.compile(r"\s?(?:[,;/&]|,?\s?(?:and|or))\s")

_WORD_AFTER = re.compile(r"\s?-?([^\W\d_]{1,12}(?![^\W\d_])|[%°])")
_MEASURE_AFTER = re.compile(r"[,.]\d|\s?[x×^]\s?10|\s?/\s?(?:\d|mm|ml|ul|l\b|hpf)")
_MONEY_BEFORE = re.compile(r"(?:[$€£¥<>≤≥~±]|usd|eur|rs|\d[,.:])\s?$")
_MONEY_ENDS = frozenset("$€£¥<>≤≥~±drs,.:")
_NO_UNIT = frozenset(["", *"\n;:?!)]}'\"|"])
_UNIT_INSIDE = re.compile(r"\d{1,6}(?:\.\d{1,6})?-?([^\W\d_]{1,12})$")
_SPAN = re.compile(
    r"(?:19|20)\d\d(?:-(?:19|20)?\d\d)?$|\d{1,3}-\d{1,3}$|\d{1,4}\.\d{1,3}-\d{1,4}(?:\.\d{1,3})?$"
)
_LONG = re.compile(r"\d{5}")
_CAPITALS_BEFORE = re.compile(r"(?<![\w/])(?:[A-Z]{1,3}-)?[A-Z]{1,4}[ -]$")
_MORE_GROUPS = re.compile(
    r"(?:[ ](?=[A-Z]{0,4}\d)[A-Z0-9]{1,6}(?![\w%]|[.,/:-]\w|\s?(?:mg|mcg|ml|g|kg)\b)){1,6}"
)


class Cue(NamedTuple):
    """What the words before a code say: its `family` and `word` ('' when none is known).

    `numbered` tells that "number", "no.", "#", "ID" or "code" stands between, `labelled` that a
    colon or an equals sign does.
    """

    family: str = ""
    word: str = ""
    numbered: bool = False
    labelled: bool = False


class Code(NamedTuple):
    """A stretch with a digit in it: where it stands, what it holds, what is said of it.

    Its cue stands before `reach`; `size` is how many letters and digits it has; `measure` tells
    that it is an amount, a year, a time, a score: a number that counts something; `trust` by
    which rule and how far the cue is to be believed (None where not).
    """

    start: int
    end: int
    reach: int
    text: str
    digits: str
    size: int
    cue: Cue
    measure: bool
    trust: tuple[str, float] | None

    @property
    def has_letters(self) -> bool:
        """Whether it has letters beside its digits."""
        return self.size > len(self.digits)


class Scan(NamedTuple):
    """What one reading of a page's digits gives to all detectors.

    `lower` is its text in small letters and `words` are its words in small letters.
    `places` is where stretches with digits may begin: `rich` those of them that six digits
    follow closely, `mixed` those in words that have more than digits, or that a spaced dash or
    slash follows. `announced` are the codes in their full width that a cue announces.
    """

    page: Page
    lower: str
    words: frozenset[str]
    places: list[int]
    rich: list[int]
    mixed: list[int]
    codes: list[Code]
    announced: list[Code]


@lru_cache(maxsize=4)
def lowered(text: str) -> str:
    """Lower case of the same length (a few capitals have longer small forms)."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


# The latest page alone, which all detectors read one after the other.
_latest: list[Scan] = []


def scan(page: Page) -> Scan:
    """The digits of a page, read once."""
    for known in _latest:
        if known.page is page:
            return known
    read = _read(page)
    _latest[:] = [read]
    return read


def _read(page: Page) -> Scan:
    text, lower = page.text, lowered(page.text)
    plain: set[int] = set()
    mixed: set[int] = set()
    found: list[Code] = []
    for word in _WORD.finditer(text):
        first, last = word.span()
        while first and not text[first - 1].isspace():
            first -= 1
        figures = text[first:last].rstrip(".,;:)")
        end = first + len(figures)
        if figures.isdecimal():
            places = mixed if text[end + 1 : end + 2] in _JOINING else plain
            pieces = [(first, end)]
        else:
            places = mixed
            for number in _NUMBER.finditer(text, first, last):
                begin, start = number.start(), number.start(1)
                places.add(start)
                if begin < start:
                    places.update(range(begin, start))
            pieces = [piece.span() for piece in _PIECE.finditer(text, first, last)]
        places.add(first)
        if text[first - 3 : first - 1].isupper():
            places.add(first - 3)
        for start, end in pieces:
            places.add(start)
            if end - start < 3 and not _GROUP_FOLLOWS.match(text, end):
                continue
            if places is mixed and not _DIGITS.search(text, start, end):
                continue
            reach = start
            if (
                found
                and end - start > 4
                and start - found[-1].end < _LIST_GAP
                and _LISTED.fullmatch(lower, found[-1].end, start)
            ):
                # A code after another and a comma or an "and" has the cue of the first.
                reach = found[-1].reach
            found.append(_code(page, lower, start, end, reach))
    ordered = sorted(plain | mixed)
    rich = [place for place in ordered if _RICH.match(text, place)]
    announced = _announced(page, lower, found)
    words = frozenset(page.lower)
    return Scan(page, lower, words, ordered, rich, sorted(mixed), found, announced)


def _code(page: Page, lower: str, start: int, end: int, reach: int) -> Code:
    text = page.text[start:end]
    if text.isdecimal():
        digits, size = text, end - start
    else:
        digits = "".join(_DIGITS.findall(text))
        size = len(text) - sum(map(text.count, "-_./ "))
    cue = read_cue(page, reach)
    # Three letters and digits are nothing without a cue.
    measure = (size > 3 or cue.family != "") and _is_measure(
        lower, text, end, reach, size > len(digits)
    )
    trust = _trust(len(digits), size, cue, measure) if cue.family else None
    return Code(start, end, reach, text, digits, size, cue, measure, trust)


def _is_measure(lower: str, text: str, end: int, reach: int, has_letters: bool) -> bool:
    """Whether a code counts something, by its shape and what stands around it."""
    if "/" in text and not _LONG.search(text):
        return True
    if has_letters:
        if not text[0].isdigit():
            return False
        counted = lower[reach - 1 : reach] == "," and lower[reach - 2].isdigit()
        inside = _UNIT_INSIDE.match(text)
        return counted or (inside is not None and inside[1].lower() in UNITS)
    if text.count(".") == 1 or _SPAN.match(text):
        return True
    if lower[end : end + 1] not in _NO_UNIT and (
        unit_follows(lower, end) or _MEASURE_AFTER.match(lower, end)
    ):
        return True
    sign = lower[max(0, reach - 2) : reach].rstrip()[-1:]
    return sign in _MONEY_ENDS and bool(_MONEY_BEFORE.search(lower, max(0, reach - 5), reach))


def unit_follows(lower: str, end: int) -> bool:
    """Whether a unit or a counted thing stands after a number that ends there.

    >>> unit_follows("5000 units", 4), unit_follows("5000 elm road", 4)
    (True, False)
    """
    after = _WORD_AFTER.match(lower, end)
    return after is not None and after[1] in UNITS


def _trust(digits: int, size: int, cue: Cue, measure: bool) -> tuple[str, float] | None:
    """By which rule and how far the cue of a code is to be believed; None where not."""
    if digits < 2 or size < 3 or (measure and digits < 4):
        return None
    if cue.word in STRONG:
        return "strong", 0.96
    if measure and not cue.numbered:
        return None
    if cue.word not in VAGUE:
        if cue.numbered or cue.labelled:
            return "labelled", 0.93
        least = 4 if cue.word in EXACT else 5
        return ("bare", 0.85) if digits > 2 and size >= least else None
    if cue.numbered:
        return ("vague numbered", 0.9) if size > 3 else None
    if digits < 4 or size < 5:
        return None
    return ("vague labelled", 0.85) if cue.labelled else ("vague", 0.74)


def codes(page: Page) -> list[Code]:
    """Every code of a page with at least three letters and digits, in order.

    >>> from indistinct.scrub.text.page import read
    >>> page = read("MRN: 989-44-94, HR 78, a 46-year-old, plan HMO298492991.")
    >>> [code.text for code in codes(page)]
    ['989-44-94', 'HMO298492991']
    """
    return scan(page).codes


def standing(page: Page, words: Container[str]) -> list[int]:
    """Numbers of the tokens that are one of these words.

    >>> from indistinct.scrub.text.page import read
    >>> standing(read("In May or June"), {"may", "june"})
    [1, 3]
    """
    return list(compress(count(), map(words.__contains__, page.lower)))


def matches(pattern: re.Pattern[str], text: str, places: list[int]) -> Iterator[re.Match[str]]:
    """What a pattern that begins with a digit, a code, a sign or a bracket finds in a text.

    As `finditer`, but tried only at some places, those where a stretch with digits begins.

    >>> from indistinct.scrub.text.page import read
    >>> page = read("a (12) b c34")
    >>> pattern = re.compile(r"\\(?\\d\\d\\)?")
    >>> [match.group() for match in matches(pattern, page.text, scan(page).places)]
    ['(12)', '34']
    """
    match, reached = pattern.match, 0
    for place in places:
        if place >= reached and (found := match(text, place)):
            reached = found.end()
            yield found


# What a word before a code does: it names a family of codes, or one of these.
_NUMBERS, _LABELS, _ENDS, _FILLS = "number", "label", "end", "filler"
_ROLES = {
    **dict.fromkeys(FILLERS | {"_"}, _FILLS),
    **dict.fromkeys((".", "\n"), _ENDS),
    **dict.fromkeys((":", "="), _LABELS),
    **dict.fromkeys(NUMBERING, _NUMBERS),
    **CUES,
}
_OPENED = frozenset(":#")
_NO_CUE = {
    (numbered, labelled): Cue("", "", numbered, labelled)
    for numbered in (False, True)
    for labelled in (False, True)
}
_FARTHEST = 24


def read_cue(page: Page, position: int) -> Cue:
    """Walk back over the words before a position to the nearest that says what follows.

    >>> from indistinct.scrub.text.page import read
    >>> read_cue(read("her driver's license number is 12"), 31)
    Cue(family='licence', word='license', numbered=True, labelled=False)
    >>> read_cue(read("seen for a headache in 12"), 23).family
    ''
    """
    lower, roles = page.lower, _ROLES
    numbered = labelled = False
    unknown = 0
    last = bisect_left(page.starts, position) - 1
    for place in range(last, max(-1, last - _FARTHEST), -1):
        word = lower[place]
        if word == "n" and place > 1 and lower[place - 1] == "/" and lower[place - 2] in "sh":
            word = lower[place - 2] + "n"  # "S/N"
        role = roles.get(word)
        if role is None:
            unknown += 1
            if unknown > 1 or not word.isalpha():
                break
        elif role == _NUMBERS:
            numbered = True
        elif role == _LABELS:
            labelled = True
        elif role == _ENDS:
            allowed = ABBREVIATIONS if word == "." else _OPENED
            before = lower[place - 1] if place else ":"
            if before not in allowed:
                break
        elif role != _FILLS:
            if word in VAGUE and not numbered and place < last and lower[place + 1] == "of":
                break  # "in the order of", "a case of"
            return Cue(role, word, numbered, labelled)
    return _NO_CUE[numbered, labelled]


def cued(page: Page, family: str) -> Iterator[tuple[int, int, Code, str, float]]:
    """Codes that a word of the family announces: start, end, code, rule, certainty.

    Groups after single blanks belong to the code, and so do capitals before its first digit.

    >>> from indistinct.scrub.text.page import read
    >>> text = "plate ABC 1234, SSN 123 45 6789"
    >>> [text[start:end] for start, end, *_ in cued(read(text), "vehicle")]
    ['ABC 1234']
    >>> [text[start:end] for start, end, *_ in cued(read(text), "identity")]
    ['123 45 6789']
    """
    for code in scan(page).announced:
        if code.cue.family == family and code.trust is not None:
            yield code.start, code.end, code, *code.trust


def _announced(page: Page, lower: str, known: list[Code]) -> list[Code]:
    """Codes in their full width that a cue announces, none overlapping."""
    text = page.text
    found: list[Code] = []
    for code in known:
        if found and code.start < found[-1].end:
            continue
        if not code.cue.family and not text[code.start - 2 : code.start - 1].isupper():
            continue
        wide = _widened(page, lower, code)
        if wide.trust is not None:
            found.append(wide)
    return found


def _widened(page: Page, lower: str, code: Code) -> Code:
    """The code with its capitals before and its groups after single blanks."""
    text, start, end = page.text, code.start, code.end
    if text[start - 2 : start - 1].isupper():
        capitals = _CAPITALS_BEFORE.search(text, max(0, start - 10), start)
        if capitals and not _OWN_WORDS.issuperset(re.findall(r"[a-z]+", capitals.group().lower())):
            start = capitals.start()
    if text[end : end + 1] == " " and len(code.digits) < 7:
        more = _MORE_GROUPS.match(text, end)
        end = more.end() if more else end
    if (start, end) == (code.start, code.end):
        return code
    reach = start if code.reach == code.start else code.reach
    return _code(page, lower, start, end, reach)


_OWN_WORDS = frozenset(CUES) | NUMBERING | FILLERS
