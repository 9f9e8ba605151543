"""Schools, colleges and universities."""

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
from indistinct.scrub.text.detectors._places import UPPER, matches
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_SURE = heads_of(
    """
    university college academy elementary montessori preschool kindergarten polytechnic
    gymnasium lyceum lycée universität université universidad universiteit yliopisto daycare
    childcare;
    school schools: academy boarding business catholic charter christian city community
        comprehensive county day district divinity elementary friends graduate grammar high
        independent intermediate junior law lutheran magnet medical memorial middle nursery
        prep preparatory primary public secondary senior technical vocational;
    technology: institute of;
    center: childcare daycare learning
    """
)
_SCHOOL = heads_of(
    """
    school schools prep seminary conservatory isd usd
    """
)
_OF_HEADS = cues("University College School Institute Academy Faculty")
_NUMBERED_WORDS = frozenset("p ps i is m ms school unified district community".split())
_OF = re.compile(
    rf"(?<![\w'-]){_OF_HEADS.pattern} (?:of|for) (?:the )?"
    rf"(?:[{UPPER}][\w'.-]{{1,20}}(?:,? (?:and|&|at|in|of)(?: the)? (?=[{UPPER}])|[ "
    rf"-](?=[{UPPER}])|)){{1,6}}"
)
_LEVELS = cues("elementary middle high primary secondary grammar junior_high")
_LOWER_HEADS = cues("university college academy preschool daycare")
_LOWER = re.compile(rf" {_LEVELS.pattern}(?: school)?\b| {_LOWER_HEADS.pattern}")
_NUMBERED = re.compile(
    r"\b(?:P\.? ?S\.?|I\.? ?S\.?|M\.? ?S\.?) (?:#|No\. ?)?\d{1,3}\b(?=[^\w%.]|$)|"
    r"\b(?:School District|Unified School District|District|Community Unit School District)(?: "
    r"No\.?| #)? ?\d{1,4}\b"
)
_NOT = frozenset(
    "medical law business graduate nursing high middle elementary sunday summer old public "
    "dental".split()
)


def detect(page: Page) -> Iterator[Span]:
    """Schools by head word, "University of", and number."""
    for found in headed(page, _SURE):
        if is_named(page, found) and not all(word.lower() in _NOT for word in found.words):
            yield _span(found.start, found.end, 0.92, "head")
    for found in headed(page, _SCHOOL):
        if is_named(page, found) and not all(word.lower() in _NOT for word in found.words):
            rare = rarely_a_word(page, found.words)
            yield _span(
                found.start, found.end, 0.84 if rare else 0.66, f"school{' of a rare name' * rare}"
            )
    for match in matches(page, _OF_HEADS.words, _OF):
        sure = match.group().startswith("University")
        yield _span(
            match.start(),
            match.end(),
            0.93 if sure else 0.74,
            "University of" if sure else "School of",
        )
    for run, first, match in lower_headed(page, _LEVELS.words | _LOWER_HEADS.words, _LOWER):
        if rarely_a_word(page, run.words[first:]) and run.words[first].lower() not in _NOT:
            yield _span(run.starts[first], match.end(), 0.8, "head in lower case")
    for match in matches(page, _NUMBERED_WORDS, _NUMBERED):
        named = "District" in match.group()
        yield _span(
            *match.span(), 0.8 if named else 0.66, "district number" if named else "school number"
        )


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.SCHOOL, certainty, "schools", rule)
