"""Counties, districts, islands, rivers and other places by their head word, and by cue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import cues
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
_HEADS = cues(
    "Lake Mount Mt. Cape Gulf_of Bay_of Isle_of Island_of Strait_of County_of District_of "
    "Province_of Republic_of State_of City_of Town_of Borough_of Sea_of River Fort Port Camp"
)
_FIRST = re.compile(
    rf"(?<![\w'-]){_HEADS.pattern} (?:the )?[{UPPER}][\w'-]{{2,20}}(?: [{UPPER}][\w'-]{{2,20}})?"
)
# "Ohio River Valley" is no river that is called Valley.
_NAME_BEFORE = re.compile(rf"[{UPPER}][\w'-]{{1,22}} $")
_LOWER_HEADS = cues(
    "county district province township neighborhood neighbourhood suburb suburbs area region "
    "river island islands valley city peninsula strip beach airport"
)
_LOWER = re.compile(rf" {_LOWER_HEADS.pattern}")
_KINDS = cues(
    "neighborhood neighbourhood suburb suburbs district county province village hamlet town city "
    "island region parish area"
)
_CUE = re.compile(
    rf"(?i:\b{_KINDS.pattern} (?:of|called|named) )((?:[{UPPER}][\w'-]{{1,20}})(?: "
    rf"[{UPPER}][\w'-]{{1,20}}){{0,2}})"
)
_FEATURES = cues(
    "Atlantic Pacific Mediterranean Caribbean Persian_Gulf Arctic Antarctic Himalaya Himalayas "
    "Alps Andes Sahara Amazon Nile Danube Rhine Balkans Baltic Rockies Appalachian Appalachians "
    "Everglades Great_Lakes Midwest Bronx Hague Bay_Area Pacific_Northwest Gulf_Coast"
)
_OCEANS = re.compile(rf"\b{_FEATURES.pattern}(?! [A-Z][a-z])")
_CARDINALS = cues("North South East West Upper Lower Greater Downtown Inner Outer")
_CUE_BEFORE = re.compile(r"(?: (?:in|at|to|from|near|of|on|through) |the )$")
_CARDINAL = re.compile(rf"\b{_CARDINALS.pattern} ([{UPPER}][\w'-]{{2,20}})\b")


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
    for match in matches(page, _HEADS.words, _FIRST):
        if _NAME_BEFORE.search(page.text[max(0, match.start() - 25) : match.start()]):
            continue
        yield _span(*match.span(), 0.8, "head first")
    for run, first, _ in lower_headed(page, _LOWER_HEADS.words, _LOWER):
        words = run.words[first:]
        name = " ".join(words)
        if page.knowledge.place(name) and rarely_a_word(page, words) and len(words) < 4:
            yield _span(run.starts[first], run.end, 0.8, "head in lower case")
    for match in matches(page, _KINDS.words, _CUE):
        yield _span(*match.span(1), 0.84, "cue")
    for match in matches(page, _FEATURES.words, _OCEANS):
        start = match.start()
        if page.text.endswith("the ", 0, start):
            start -= 4
        yield _span(start, match.end(), 0.8, "known feature")
    for match in matches(page, _CARDINALS.words, _CARDINAL):
        at = page.knowledge.place(match.group(1))
        if (
            at
            and (at.population > 100_000 or at.kind != "city")
            and page.knowledge.word(match.group(1)).zipf < 5.4
        ):
            yield _span(*match.span(), 0.82, "part of a known place")


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.PLACE, certainty, "regions", rule)
