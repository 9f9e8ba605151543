"""Streets that stand alone: with a number, at a corner, or above the line with the city."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import cues
from indistinct.scrub.text.detectors import _streets as s
from indistinct.scrub.text.detectors._places import UPPER, at_starts, before, has, matches
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_SURE = re.compile(rf"{s.HOUSE} {s.SURE_STREET}")
_ANY = re.compile(rf"{s.HOUSE} {s.ANY_STREET}")
_LOW = re.compile(rf"[0-9](?<![\w/.-][0-9])\d{{0,4}} {s.LOW_STREET}")
_LAST = re.compile(rf"(?<![\w.-])(?:{s.NUMBER} )?(?<![\w.-])(?:{s.EURO_END})")
_LABELS = frozenset(
    "address addr residing resides lives living located domicile dirección direccion adresse "
    "indirizzo".split()
)
_LABELLED = re.compile(
    rf"\b(?i:(?:address|addr|residing at|resides at|lives at|living at|located at|domicile|"
    rf"direcci[oó]n|adresse|indirizzo)\b(?: is| details)?\s?[:=]?\s{{0,2}}\"?)"
    rf"((?:{s.NUMBER} ){{0,2}}{s.LOOSE_STREET}(?: \d{{1,4}}[A-Za-z]?\b)?)"
)
_CORNERS = cues("corner intersection junction crossing")
_SIDE = rf"(?:{s.NUMBER} )?(?:{s.EURO_FIRST}|{s.LOOSE_STREET}(?: \d{{1,4}})?)(?: St\b\.?)?"
_CORNER = re.compile(rf"\b(?i:{_CORNERS.pattern} of ){_SIDE}(?: and | & ){_SIDE}")
# The line above "Boston, MA 02151" in a heading; what stands to its right is another column.
_CITY_LINE = re.compile(rf"\n {{0,4}}{s.CITY},? {s.STATE_CODE} {s.ZIP}")
_ABOVE = re.compile(
    rf" {{0,4}}((?:{s.NUMBER} )?{s.LOOSE_STREET}(?: \d{{1,5}}[A-Za-z]?)?)"
    r"(?=  |$| (?:[A-Z]{2,4}[#:]? ?\d|[A-Z][A-Za-z]{0,11}[#:]))"
)
_WAYS = cues(
    "Street Avenue Boulevard Road Lane Drive Parkway Highway Blvd Ave Rd Pkwy Hwy Terrace Turnpike "
    "Crescent"
)
_NAMED = re.compile(
    rf"[{UPPER}](?<![\w.'-][{UPPER}])[\w'-]{{1,20}} (?:[{UPPER}][\w'-]{{1,20}} ){{0,2}}"
    rf"{_WAYS.pattern}\.?"
)
_ROUTES = frozenset("highway hwy route rte interstate state county rural sr i".split())
_HIGHWAY = re.compile(
    r"\b(?:Highway|Hwy|Route|Rte|Interstate|State Road|County Road|Rural Route|SR)\.? "
    r"(?:No\. ?)?\d{1,4}[A-Z]?\b|"
    r"\bI-\d{1,3}\b(?= (?:and|at|near|exit|in|north|south|east|west|corridor)\b)"
)
_UNIT = re.compile(
    r"(?<!\w)(?i:apt|apartment)\b\.? ?#? ?(?:\d{1,5}[A-Za-z]?|[A-Za-z]\d{0,4})\b|"
    r"(?<!\w)(?:Suite|Ste\.) ?#? ?\d{1,5}[A-Z]?\b"
)
_DIGIT = re.compile(r"\d")
_BY_WORD = (
    (_LABELS, _LABELLED, 0.88, "labelled"),
    (_CORNERS.words, _CORNER, 0.9, "corner"),
    (_ROUTES, _HIGHWAY, 0.82, "highway"),
    (s.UNIT_WORDS, _UNIT, 0.85, "unit"),
)
# Words before a number that make it no house number.
_DOSED = frozenset("times daily tablet tablets tabs capsules mg ml units puffs twice".split())
_COUNTED = frozenset("age aged grade stage type class phase figure table level day page".split())


def detect(page: Page) -> Iterator[Span]:
    """Streets alone."""
    text = page.text
    houses = s.houses(page)
    for match in at_starts(text, houses, _SURE):
        counted = _COUNTED.intersection(before(page, match.start(), 12).split()[-1:])
        if not counted and _DOSED.isdisjoint(match.group().lower().split()):
            end = s.trimmed(text, *match.span())
            yield _span(match.start(), end, 0.92, "number and street")
    for match in at_starts(text, houses, _ANY):
        end = s.trimmed(text, *match.span())
        yield _span(match.start(), end, 0.62, "number and rare suffix")
    if page.whispering:
        for match in _LOW.finditer(text):
            yield _span(*match.span(), 0.8, "lower case")
    for start, end in s.euro_firsts(page):
        if _DIGIT.search(text, start, end):
            yield _span(start, end, 0.85, "word first and number")
        else:
            yield _span(start, end, 0.6, "word first")
    if s.has_euro_end(page):
        for match in _LAST.finditer(text):
            yield _span(*match.span(), 0.85, "word last and number")
    yield from _above(page)
    for words, pattern, certainty, rule in _BY_WORD:
        for match in matches(page, words, pattern):
            start, end = match.span(match.lastindex or 0)
            if pattern is _CORNER and text.endswith("the ", 0, start):
                start -= 4
            yield _span(start, s.trimmed(text, start, end), certainty, rule)
    for match in _NAMED.finditer(text) if has(page, _WAYS.words) else ():
        end = s.trimmed(text, *match.span())
        yield _span(match.start(), end, 0.8, "street without number")


def _above(page: Page) -> Iterator[Span]:
    """The line above a city's, when it has a number: "Huntington 18"."""
    for city in _CITY_LINE.finditer(page.text):
        begin = page.text.rfind("\n", 0, city.start()) + 1
        match = _ABOVE.match(page.text, begin, city.start())
        if match and any(c.isdigit() for c in match.group(1)):
            yield _span(*match.span(1), 0.85, "above the city")


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.STREET, certainty, "streets", rule)
