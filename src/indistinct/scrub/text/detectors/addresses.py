"""Address blocks, on one line or several: street, unit, city, state, postal code, country."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors import _streets as s
from indistinct.scrub.text.detectors._heads import index
from indistinct.scrub.text.detectors._places import (
    UPPER,
    at_starts,
    has,
    is_region,
    matches,
    past_leading,
    runs,
)
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_START = rf"{s.HOUSE},? "
# Whatever follows the number is the street when city, state and ZIP follow in turn.
_WHOLE = re.compile(
    rf"{_START}{s.LOOSE_STREET}(?: \d{{1,4}}[A-Za-z]?)?(?:{s.SEP}{s.UNIT}){{0,2}}{s.SEP}{s.CITY}"
    rf"{s.SEP}(?:{s.STATE}|[A-Z]{{2}}\b)\.?,? {{0,2}}{s.SEP}?(?:{s.ZIP}|{s.CA_CODE})"
)
_WHOLE_LOW = re.compile(
    rf"[0-9](?<![\w/.-][0-9])\d{{0,5}} {s.LOW_STREET}(?:,? {s.UNIT})?,? "
    rf"(?:[a-z]{{2,20}} ){{0,2}}[a-z]{{2,20}},? [a-z]{{2}},? {s.ZIP}"
)
_STREET = re.compile(rf"{_START}{s.SURE_STREET}")
_EURO_END = re.compile(rf"(?<![\w/.-])(?:{s.NUMBER},? )?(?<![\w.-])(?:{s.EURO_END})")
_BY_UNIT = re.compile(
    rf"{s.HOUSE} (?=[^\n]{{0,20}}[{UPPER}\d])[^\n,;:()?!]{{2,45}}?(?={s.SEP}{s.SURE_UNIT})"
)
_UNIT_FIRST = re.compile(rf"(?<!\w){s.SURE_UNIT},? {s.NUMBER} {s.LOOSE_STREET}(?: \d{{1,4}})?")
_BOX = re.compile(
    rf"(?<![\w/.-])(?:{s.NUMBER} )?{s.POST_BOX}(?: {s.LOOSE_STREET}(?={s.SEP}{s.SURE_UNIT}))?"
)
_UNIT = re.compile(rf"(?<!\w){s.SURE_UNIT}")
_MILITARY = re.compile(rf"(?<!\w){s.MILITARY}")
_STATE_ZIP = re.compile(rf"[A-Z](?<!\w[A-Z])[A-Z]\.?,? {{1,2}}{s.ZIP}")
_CITY_BEFORE = re.compile(rf"(?<![\w.'-]){s.CITY}(?:, {{0,2}}| {{1,2}})$")
_CHAIN = re.compile(
    rf"(?<![\w.'-]){s.PART}(?:, ?{s.PART}){{1,9}}"
    rf"(?:, ?[{UPPER}][\w'-]{{1,20}}(?: [{UPPER}][\w'-]{{1,20}})?(?=[;).\n]|$))?"
)
_DIGIT = re.compile(r"\d")
# A pattern that starts slowly is tried only where one of these words is on the page.
_BOXES = frozenset("box postbox postfach casilla apartado".split())
_BASES = frozenset("apo fpo dpo".split())
_UNIT_NEXT = re.compile(rf"{s.SEP}{s.UNIT}")
_STATE_NEXT = re.compile(
    rf"{s.SEP}{s.CITY}{s.SEP}{s.STATE}(?![\w])(?:,?{s.SEP}{s.CODE})?(?:{s.SEP}(?:USA|U\.S\.A\.?|"
    rf"Canada|Australia|United States))?"
)
_CODE_NEXT = re.compile(rf"{s.SEP}{s.CITY}{s.SEP}{s.CODE}")
_CODE_CITY_NEXT = re.compile(rf"{s.SEP}(?:[A-Z]{{1,2}}-)?\d{{4,5}}(?: [A-Z]{{2}})? {s.CITY}")
_CITY_NEXT = re.compile(rf"{s.SEP}({s.CITY})(?=[.,;)\"']|\s*\n|\s*$| [a-z(])")
_COUNTRY_NEXT = re.compile(
    rf"{s.SEP}([{UPPER}][\w'.-]{{1,20}}(?: [{UPPER}(][\w'.)-]{{1,20}}){{0,3}})(?:{s.SEP}{s.CODE})?"
)
_CODE_LAST = re.compile(rf"{s.SEP}{s.CODE}")


def detect(page: Page) -> Iterator[Span]:
    """Address blocks; each as long as its parts follow each other."""
    text = page.text
    for match in at_starts(text, s.houses(page), _WHOLE):
        yield _block(match.start(), _country(page, match.end()), 0.96, "whole")
    if page.whispering:
        for match in _WHOLE_LOW.finditer(text):
            yield _block(*match.span(), 0.92, "whole in lower case")
    for start, stop, alone, rule in _beginnings(page):
        end, parts = extended(page, s.trimmed(text, start, stop))
        if parts or alone:
            certainty = min(0.95, 0.88 + 0.03 * parts) if parts else alone
            yield _block(start, end, certainty, f"{rule}, {min(parts, 2)} more")
    if _in_chain(page):
        for match in _CHAIN.finditer(text):
            if any(c.islower() for c in match.group()):
                yield _block(*match.span(), 0.88, "chain of parts")
    if has(page, _BASES):
        for match in _MILITARY.finditer(text):
            yield _block(*match.span(), 0.97, "military")
    for match in _STATE_ZIP.finditer(text):
        back = max(0, match.start() - 60)
        city = _CITY_BEFORE.search(text[back : match.start()])
        if city and match.group()[:2] in s.STATE_CODES:
            end = _country(page, match.end())
            start = past_leading(text, back + city.start())
            yield _block(start, end, 0.94, "city, state, zip")


def _beginnings(page: Page) -> Iterator[tuple[int, int, float, str]]:
    """What begins a block: start, end, how certain it is alone, and the rule's name."""
    text = page.text
    for match in at_starts(text, s.houses(page), _STREET):
        yield *match.span(), 0.0, "street"
    for start, end in s.euro_firsts(page):
        if _DIGIT.search(text, start, end):
            yield start, end, 0.0, "street word first"
    for match in _EURO_END.finditer(text) if s.has_euro_end(page) else ():
        yield *match.span(), 0.0, "street word last"
    for start, end in _before_units(page):
        yield start, end, 0.85, "unit"
    for match in matches(page, s.UNIT_WORDS, _UNIT_FIRST):
        yield *match.span(), 0.8, "unit first"
    for match in _BOX.finditer(text) if has(page, _BOXES) else ():
        yield *match.span(), 0.92, "post box"


def _before_units(page: Page) -> Iterator[tuple[int, int]]:
    """Whatever begins with a number and stands before an apartment's."""
    done = 0
    for unit in matches(page, s.UNIT_WORDS, _UNIT):
        match = _BY_UNIT.search(page.text, max(done, unit.start() - 80), unit.end())
        if match:
            done = match.end()
            yield match.span()


def _in_chain(page: Page) -> bool:
    """Whether a comma stands beside a name such as Elm Road or East District."""
    where, all_runs, text = index(page), runs(page), page.text
    for word in s.PART_WORDS & where.keys():
        for number, place in where[word]:
            run = all_runs[number]
            if text.startswith((",", " ("), run.ends(place)) or text.endswith(
                (",", ", "), 0, run.start
            ):
                return True
    return False


def _block(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.ADDRESS, certainty, "addresses", rule)


def extended(page: Page, end: int) -> tuple[int, int]:
    """Where the block ends that a street begins, and how many parts were added.

    >>> from indistinct.scrub.text.page import read
    >>> page = read("12 Elm Road, Apt. 4, Dover, OH 43210.")
    >>> extended(page, 11)
    (36, 2)
    """
    text, parts = page.text, 0
    for _ in range(2):
        unit = _UNIT_NEXT.match(text, end)
        if unit:
            end, parts = unit.end(), 1
    for pattern in (_STATE_NEXT, _CODE_NEXT, _CODE_CITY_NEXT):
        match = pattern.match(text, end)
        if match:
            return _country(page, match.end()), parts + 1
    match = _CITY_NEXT.match(text, end)
    if match and _is_city(page, match, sure=bool(parts)):
        return _country(page, match.end()), parts + 1
    further = _country(page, end)
    return further, parts + (further > end)


def _is_city(page: Page, match: re.Match[str], *, sure: bool) -> bool:
    """Whether a capitalised run after the street is the city: known, or alone on its line."""
    name = match.group(1)
    if page.knowledge.place(name) or page.knowledge.place(name.split()[-1]):
        return page.knowledge.word(name).zipf < 5.3
    gap = page.text[match.start() : match.start(1)]
    after = page.text[match.end() : match.end() + 1]
    if "\n" in gap:
        return sure and gap.count("\n") == 1 and after in ("", "\n")
    return sure and len(name.split()) < 4 and after in ("", "\n", ".", ",")


def _country(page: Page, end: int) -> int:
    """The end after a country's name and a code, where they follow."""
    match = _COUNTRY_NEXT.match(page.text, end)
    if match:
        words = match.group(1).split()
        for count in range(len(words), 0, -1):
            name = " ".join(words[:count])
            if is_region(page, name.removesuffix(".")):
                stop = match.start(1) + len(name.removesuffix("."))
                code = _CODE_LAST.match(page.text, match.end(1)) if count == len(words) else None
                return code.end() if code else stop
    return end
