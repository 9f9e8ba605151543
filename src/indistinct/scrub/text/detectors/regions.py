"""Counties, districts, islands, rivers and other places by their head word, and by cue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._heads import (
    headed,
    heads_of,
    is_named,
    lower_headed,
    rarely_a_word,
)
from indistinct.scrub.text.detectors._places import UPPER, before, matches, medical_use
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_SURE = heads_of(
    """
    county district province township prefecture borough municipality island islands river lake
    valley peninsula canyon falls waterfall mountains creek strait archipelago oblast airport
    heights hills neighborhood neighbourhood subdivision strip;
    area region: bay metro metropolitan residential scenic;
    center centre: aquatic arts civic community conference convention cultural exhibition
        olympic recreation shopping sports town trade visitor
    """
)
_UNSURE = heads_of(
    """
    bay beach sea ocean gulf coast desert mountain forest park square bridge station harbor
    harbour port plaza garden gardens village city town tower building mall museum plain basin
    ridge point cape springs grove meadows terrace community estate estates stadium arena
    monument memorial castle palace zoo library campus hall dam reservoir glacier reef street
    road avenue
    """
)
_FIRST = re.compile(
    rf"(?<![\w'-])(?:Lake|Mount|Mt\.|Cape|Gulf of|Bay of|Isle of|Island of|Strait of|County of|"
    rf"District of|Province of|Republic of|State of|City of|Town of|Borough of|Sea of|River|Fort|"
    rf"Port|Camp) (?:the )?[{UPPER}][\w'-]{{2,20}}(?: [{UPPER}][\w'-]{{2,20}})?"
)
# "Ohio River Valley" is no river that is called Valley.
_NAME_BEFORE = re.compile(rf"[{UPPER}][\w'-]{{1,22}} $")
_LOWER_WORDS = frozenset(
    "county district province township neighborhood neighbourhood suburb suburbs area region "
    "river island islands valley city peninsula strip beach airport".split()
)
_LOWER = re.compile(
    r" (?:county|district|province|township|neighborhood|neighbourhood|suburbs?|area|region|"
    r"river|island|islands|valley|city|peninsula|strip|beach|airport)\b"
)
_CUE = re.compile(
    rf"(?i:\b(?:neighbou?rhood|suburbs?|district|county|province|village|hamlet|town|city|island|"
    rf"region|parish|area) (?:of|called|named) )((?:[{UPPER}][\w'-]{{1,20}})(?: "
    rf"[{UPPER}][\w'-]{{1,20}}){{0,2}})"
)
_CUE_WORDS = frozenset(
    "neighborhood neighbourhood suburb suburbs district county province village hamlet town city "
    "island region parish area".split()
)
_FEATURES = (
    "Atlantic|Pacific|Mediterranean|Caribbean|Persian Gulf|Arctic|Antarctic|Himalayas?|Alps|Andes|"
    "Sahara|Amazon|Nile|Danube|Rhine|Balkans|Baltic|Rockies|Appalachians?|Everglades|Great Lakes|"
    "Midwest|Bronx|Hague|Bay Area|Pacific Northwest|Gulf Coast"
)
_OCEANS = re.compile(rf"\b(?:{_FEATURES})\b(?! [A-Z][a-z])")
_FEATURE_WORDS = frozenset(
    ["himalaya", "appalachian", *(name.split()[0] for name in _FEATURES.lower().split("|"))]
)
_FIRST_WORDS = frozenset(
    "lake mount mt cape gulf bay isle island strait county district province republic state city "
    "town borough sea river fort port camp".split()
)
_CARDINALS = frozenset("north south east west upper lower greater downtown inner outer".split())
_CUE_BEFORE = re.compile(r"(?: (?:in|at|to|from|near|of|on|through) |the )$")
_CARDINAL = re.compile(
    rf"\b(?:North|South|East|West|Upper|Lower|Greater|Downtown|Inner|Outer) "
    rf"([{UPPER}][\w'-]{{2,20}})\b"
)


def detect(page: Page) -> Iterator[Span]:
    """Regions and features of the land."""
    for heads, certainty, strength in ((_SURE, 0.86, "sure"), (_UNSURE, 0.7, "unsure")):
        for found in headed(page, heads, after=False):
            if is_named(page, found) and not medical_use(page, found.end):
                rare = rarely_a_word(page, found.words)
                cue = bool(_CUE_BEFORE.search(before(page, found.start)))
                value = certainty + (0.06 if cue else 0) - (0 if rare else 0.14)
                rule = f"{strength} head{', rare' * rare}{', cue' * cue}"
                yield _span(found.start, found.end, value, rule)
    for match in matches(page, _FIRST_WORDS, _FIRST):
        if _NAME_BEFORE.search(page.text[max(0, match.start() - 25) : match.start()]):
            continue
        yield _span(*match.span(), 0.8, "head first")
    for run, first, _ in lower_headed(page, _LOWER_WORDS, _LOWER):
        words = run.words[first:]
        name = " ".join(words)
        if page.knowledge.place(name) and rarely_a_word(page, words) and len(words) < 4:
            yield _span(run.starts[first], run.end, 0.8, "head in lower case")
    for match in matches(page, _CUE_WORDS, _CUE):
        yield _span(*match.span(1), 0.84, "cue")
    for match in matches(page, _FEATURE_WORDS, _OCEANS):
        start = match.start()
        if page.text.endswith("the ", 0, start):
            start -= 4
        yield _span(start, match.end(), 0.8, "known feature")
    for match in matches(page, _CARDINALS, _CARDINAL):
        at = page.knowledge.place(match.group(1))
        if (
            at
            and (at.population > 100_000 or at.kind != "city")
            and page.knowledge.word(match.group(1)).zipf < 5.4
        ):
            yield _span(*match.span(), 0.82, "part of a known place")


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.PLACE, certainty, "regions", rule)
