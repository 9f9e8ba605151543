"""Teams, churches, clubs, unions, troops and regiments: what a person belongs to."""

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
from indistinct.scrub.text.detectors._places import matches, names_something
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_SURE = heads_of(
    """
    church parish synagogue mosque cathedral chapel regiment brigade battalion squadron choir
    orchestra philharmonic symphony league lodge fraternity sorority ymca ywca legion rotary
    f.c. fc monastery convent abbey temple congregation club team rovers wanderers;
    union: auto credit employees labor players student students' teachers teamsters trade
        workers;
    scouts scout: boy cub eagle girl
    """
)
_SPORTS = (
    "gymnastics|soccer|football|baseball|softball|basketball|hockey|volleyball|swim(?:ming)?|track|"
    "cross[- ]country|tennis|golf|lacrosse|rugby|cricket|wrestling|rowing|ski|skating|"
    "cheer(?:leading)?|"
    "dance|chess|debate|bowling|water polo|cycling|triathlon|fencing|archery|judo|karate|national|"
    "olympic|junior|varsity|youth"
)
_LOWER_HEADS = cues(
    "team squad club league choir church orchestra band parish synagogue mosque regiment "
    "brigade battalion congregation"
)
_LOWER = re.compile(
    rf" (?:(?:{_SPORTS}|women's|men's|girls'?|boys'?) ){{0,3}}"
    rf"(?:{_LOWER_HEADS.pattern}|rowing club\b)"
)
_SPORT = re.compile(rf"(?i)\b(?:{_SPORTS})\b")
_SCOUTS = cues("Girl_Scout Boy_Scout Cub_Scout Scout")
_TROOPS = cues("Troop Pack Lodge Post Local VFW_Post Elks_Lodge American_Legion_Post Chapter")
_TROOP = re.compile(rf"\b(?:{_SCOUTS.pattern} )?{_TROOPS.any}(?: No\.?| #)? ?\d{{1,5}}\b")
_CORPS = re.compile(
    r"[0-9](?<!\w[0-9])\d{0,2}(?:st|nd|rd|th) (?:[A-Z][a-z]+ ){0,3}"
    r"(?:Regiment|Brigade|Battalion|Squadron|Infantry|Cavalry|Airborne|Division|Armored|Marines|"
    r"Fleet|Wing|Platoon)(?: Division| Regiment)?\b"
)
_SAINTS = frozenset(("st", "saint"))
_SAINT = re.compile(
    r"\b(?:St\.?|Saint) [A-Z][a-z]{2,14}(?:'s)? (?:Church|Parish|Cathedral|Chapel|church|parish)\b"
)
_MEDICAL_TEAM = frozenset(
    "surgery medicine transplant care code trauma stroke rapid response icu primary hospitalist "
    "consult service oncology cardiology neurology renal pain palliative infectious pulmonary "
    "wound nutrition ethics multidisciplinary treatment crisis mental health social work".split()
)


def detect(page: Page) -> Iterator[Span]:
    """Affiliations."""
    for found in headed(page, _SURE):
        if not is_named(page, found) or any(word.lower() in _MEDICAL_TEAM for word in found.words):
            continue
        sport = found.head != "team" or bool(_SPORT.search(" ".join(found.words)))
        rare = rarely_a_word(page, found.words)
        yield _span(
            found.start,
            found.end,
            0.84 if rare and sport else 0.7 if sport else 0.5,
            f"head{' and rare name' * rare}{', no sport' * (not sport)}",
        )
    for run, first, match in lower_headed(page, _LOWER_HEADS.words, _LOWER):
        words = run.words[first:]
        if not names_something(page, words) or any(word.lower() in _MEDICAL_TEAM for word in words):
            continue
        sport = _SPORT.search(page.text, run.start, match.end()) is not None
        rare = rarely_a_word(page, words)
        if sport or rare:
            yield _span(
                run.starts[first],
                match.end(),
                0.86 if sport else 0.72,
                f"head in lower case{', sport' * sport}",
            )
    for match in matches(page, _SCOUTS.words | _TROOPS.words, _TROOP):
        yield _span(*match.span(), 0.84, "number")
    for match in _CORPS.finditer(page.text):
        yield _span(*match.span(), 0.84, "number")
    for match in matches(page, _SAINTS, _SAINT):
        yield _span(*match.span(), 0.9, "saint's church")


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.TEAM, certainty, "teams", rule)
