"""What a scrubbed document still tells of a life: its events in order, and its plain facts.

Nothing here is a reference that Scrub replaces. "At the age of two … at the age of three …"
(Sweeney 2001, Figure 25) names nobody, and there would probably be only one such child.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from indistinct.knowledge import MONTHS

__all__ = ["Event", "Fact", "facts_told", "find_events"]

_NUMBER = (
    r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|"
    r"fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty)"
)
_MONTH = f"(?:{'|'.join(name for name in MONTHS if len(name) > 3 or name == 'may')})"


def _wrapped(pattern: str) -> re.Pattern[str]:
    """Compile a pattern whose blanks may be the end of a line."""
    return re.compile(pattern.replace(" ", r"\s{1,4}"))


_AGED = _wrapped(
    rf"\bat (?:the )?age (?:of )?{_NUMBER}\b|\bby the age of {_NUMBER}\b|"
    rf"\bwhen (?:he|she|they|i|the patient|the child) (?:was|were|turned) (?:only )?{_NUMBER}\b|"
    rf"\bat {_NUMBER} (?:years|months|weeks)(?: old| of age)?\b"
)
_TIMED = _wrapped(
    rf"\b(?:in|since|until|from|by) (?:(?:early|late|mid|the (?:spring|summer|fall|autumn|winter) "
    rf"of|{_MONTH}(?: of)?)[\s-])?(?:19|20)\d\d\b|"
    rf"\b{_NUMBER} (?:years|months|weeks) (?:ago|later|before|after|earlier)\b|"
    rf"\b(?:the (?:following|next|same) (?:year|month)|that (?:same )?year|a year later|"
    rf"(?:last|this) (?:year|spring|summer|fall|autumn|winter))\b"
)
# What happens to few, and is told of those few in newspapers and court records.
_RARE = _wrapped(
    r"\b(?:sexual(?:ly)? (?:assault|abus)\w*|rap(?:e|ed|ing)|molest\w*|murder\w*|homicid\w*|"
    r"manslaughter|kidnap\w*|abduct\w*|hostage|stabb\w*|shot (?:by|in|at|him|her|himself|herself)|"
    r"gunshot|set(?:ting)? fire|arson\w*|house fire|drown\w*|lightning|plane crash|shipwreck\w*|"
    r"avalanche|earthquake|bombing|tortur\w*|refugee|asylum|prison\w*|jail\w*|incarcerat\w*|"
    r"arrest\w*|convict(?:ed|ion)|parole|indict\w*|foster care|orphan\w*|adopted|"
    r"human trafficking|trafficked|suicide of|hanged|electrocut\w*|lottery|triplets|quadruplets|"
    r"quintuplets|olympi\w+|ambassador|senator|congress(?:man|woman)|mayor|governor|astronaut|"
    r"bishop|transplant(?:ed)? twice|conjoined)\b"
)
_LIFE = _wrapped(
    r"\b(?:moved|emigrat\w*|immigrat\w*|deport\w*|married|remarried|divorc\w*|separated|widow\w*|"
    r"born|died|passed away|death of|lost (?:his|her|their) (?:job|home|house|wife|husband|son|"
    r"daughter|mother|father|brother|sister|child)|laid off|fired|hired|retired|promoted|"
    r"began (?:work|school)\w*|started (?:work|school)\w*|dropped out|expelled|graduat\w*|enlisted|"
    r"deployed|discharged from the (?:army|navy|marines|military)|homeless|evict\w*|bankrupt\w*|"
    r"custody|placed (?:in|with)|ran away|accident|crash(?:ed)?|amputat\w*|gave birth|miscarr\w*|"
    r"stillbirth|twins|won|elected|appointed|closed (?:his|her|the) (?:shop|business|practice))\b"
)
# A line that is full goes on in the next one, and so does a sentence in small letters.
_STOP = re.compile(r"[.;!?]|\n(?=[ \t]{0,8}(?:\n|[-*•>]|\Z))|(?<![^\n]{50})\n(?!\s{0,8}[a-z])")


class Event(NamedTuple):
    """Something that happened to somebody: where it is told, and what makes it tell."""

    start: int
    end: int
    anchor: str  # 'age', 'time' or ''
    rare: bool


def find_events(text: str) -> list[Event]:
    """Events of a life: clauses with an age, with a time and a turn of life, or with a rare event.

    >>> told = find_events("At the age of two she fell. In 1990 they moved. He eats well.")
    >>> [(event.anchor, event.rare) for event in told]
    [('age', False), ('time', False)]
    """
    starts = [0, *(match.end() for match in _STOP.finditer(text)), len(text)]
    lower = text.lower()
    if len(lower) != len(text):  # a few capitals of other alphabets become two letters
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    aged, timed, rare, life = (
        {bisect_right(starts, match.start()) - 1 for match in pattern.finditer(lower)}
        for pattern in (_AGED, _TIMED, _RARE, _LIFE)
    )
    found = []
    for number in sorted(aged | rare | (timed & life)):
        anchor = "age" if number in aged else "time" if number in timed else ""
        found.append(Event(starts[number], starts[number + 1], anchor, number in rare))
    return found


class Fact(NamedTuple):
    """Something that a document says of the person whom it is about."""

    kind: str
    value: str


_AGE = re.compile(
    r"\b(\d{1,3})(?: and \d{1,2}/12)?[ -]?(?:year|yr|y)s?[ ./-]?o(?:ld)?\b|"
    r"\bage(?:d|:)? (\d{1,3})\b"
)
_SEXES = re.compile(
    r"\b(?:(she|hers?|woman|female|girl|lady)|(he|him|his|man|male|boy|gentleman))\b"
)
_OCCUPATION = re.compile(
    r"\b(?:work(?:s|ed) as an?|employed as an?|retired|former|is an?|profession:|occupation:?) "
    r"((?:[a-z]{3,14} )?(?:[a-z]{2,12}(?:er|or|ist|ian|man|woman|ant|ent|yst|eer|smith|wright)|"
    r"nurse|chef|cook|clerk|pilot|guard|judge|monk|nun|priest|coach|athlete|gymnast))\b"
)
_NOT_WORK = """
woman man patient gentleman never other number smoker former consistent present recent different
dependent independent persistent prominent significant adolescent infant younger older longer lower
upper further after her over under together mother father brother sister daughter alert better
cancer tumor disorder ulcer fever minor major factor relevant constant important pregnant
"""
_NO_WORK = frozenset(_NOT_WORK.split())
_ORIGIN = re.compile(
    r"\b((?:african|asian|korean|native|mexican|chinese)[ -]american|hispanic|latin[ao]|caucasian|"
    r"inuit|navajo|cherokee|jewish|ashkenazi|muslim|amish|mennonite|sikh|hindu|buddhist|"
    r"(?:black|asian|[a-z]{3,10}(?:ian|ean|ese|ish)|greek|dutch|french|german|thai|filipin[ao]|"
    r"somali|iraqi|pakistani|israeli|czech|swiss|welsh|hmong|uzbek|kazakh)"
    r"(?=[ -](?:born|origin|descent|immigrant|refugee|national|man|woman|male|female|boy|girl|"
    r"citizen)\b))"
)
_DIAGNOSIS = re.compile(
    r"\b([^\W\d_]{3,20}(?:-[^\W\d_]{3,20})?(?:'s)? (?:disease|syndrome|lymphoma|palsy|ataxia)|"
    r"diabetes|epilepsy|asthma|cancer|stroke|autism|hiv|aids|lupus|depression|bipolar|dementia|"
    r"migraine|hypertension|cystic fibrosis)\b"
)
_ENDINGS = (
    "itis", "oma", "osis", "emia", "pathy", "plegia", "trophy", "uria", "algia", "phrenia",
)  # fmt: skip
_LONG_WORD = re.compile(r"[^\W\d_]{7,30}")
_FAMILY = re.compile(
    rf"\b(married|divorced|separated|widow(?:ed|er)?|single (?:mother|father|parent)|adopted|"
    rf"orphan|twins?|triplets?|foster (?:child|mother|father|care)|only child|"
    rf"{_NUMBER} (?:children|sons|daughters|brothers|sisters|siblings)|lives alone)\b"
)
_MONTH_YEAR = re.compile(rf"\b({_MONTH})(?: of|,)? ((?:19|20)\d\d)\b")
MOST_FACTS = 16


def facts_told(text: str) -> list[Fact]:
    """Facts of the kinds that combine to single somebody out, sorted, sixteen at most.

    >>> for fact in facts_told("She is a 64-year-old Korean-born violinist, divorced, with lupus."):
    ...     print(fact.kind, fact.value)
    age 64
    diagnosis lupus
    family divorced
    origin korean
    sex F
    """
    found = {fact for fact in _facts(text) if fact.value}
    return sorted(found)[:MOST_FACTS]


def _facts(text: str) -> Iterator[Fact]:
    lower = " ".join(text.lower().split())
    age = _AGE.search(lower)
    if age:
        yield Fact("age", age[1] or age[2])
    first, second = 0, 0
    for female, male in _SEXES.findall(lower):
        first, second = first + bool(female), second + bool(male)
    if max(first, second) > 2 * min(first, second):
        yield Fact("sex", "F" if first > second else "M")
    for occupation in _OCCUPATION.findall(lower):
        if occupation.split()[-1] not in _NO_WORK:
            yield Fact("occupation", occupation)
    for kind, pattern in (("origin", _ORIGIN), ("diagnosis", _DIAGNOSIS), ("family", _FAMILY)):
        for value in pattern.findall(lower):
            yield Fact(kind, value)
    for word in _LONG_WORD.findall(lower):
        if word.endswith(_ENDINGS) and not word.endswith("gnosis"):
            yield Fact("diagnosis", word)
    for month, year in _MONTH_YEAR.findall(lower):
        yield Fact("month and year", f"{year}-{MONTHS[month]:02d}")
