"""Other organisations: agencies, associations, foundations by head word, and well-known names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from indistinct.scrub.text.detectors._heads import headed, heads_of, index, is_named, rarely_a_word
from indistinct.scrub.text.detectors._places import UPPER, before, medical_use, runs
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_SURE = heads_of(
    """
    agency association foundation council committee commission ministry institute institutes
    federation organization organisation society consortium coalition alliance bureau embassy
    consulate parliament senate authority taskforce administration corps museum orchestra
    symphony airlines airways chapter sisterhood brotherhood times post herald tribune gazette
    chronicle journal globe telegraph observer inquirer examiner courier army navy police
    center centre program programme project fund trust board panel network forum service
    services force;
    department dept: city county defense fire health justice police sheriff's state treasury;
    office: attorney's clerk's patent post sheriff's;
    court: appeals circuit county district family federal high superior supreme;
    party: communist conservative democratic green labor labour liberal national republican
        socialist
    """
)
_WEAK = frozenset(
    "times post herald tribune gazette chronicle journal globe telegraph observer inquirer "
    "examiner "
    "courier center centre program programme project fund trust board panel network forum "
    "service services force chapter administration authority army navy police corps".split()
)
_OF = re.compile(
    rf"(?<![\w'-])(?:Department|Dept\.|Ministry|Bureau|Office|Board|Association|Society|"
    rf"Institute|Council|Committee|Academy|Order|"
    rf"Center|Centre|Knights|Daughters|Sons|Bank|Church|Museum|Federation|Organization|League|"
    rf"House|Chamber) (?:of|for) (?:the )?"
    rf"((?:[{UPPER}][\w'.-]{{1,20}}(?:,? (?:and|&|of|for)(?: the)? (?=[{UPPER}])|[ "
    rf"-](?=[{UPPER}])|)){{1,6}})"
)
# Departments that every hospital has.
_HOSPITAL_DEPARTMENT = re.compile(
    r"(?i)^(?:\w{0,20} ?)?(?:medicine|surgery|surgical|pediatrics|paediatrics|cardiology|"
    r"oncology|neurology|"
    r"radiology|pathology|psychiatry|urology|nephrology|dermatology|orthop\w{3,8}|obstetrics|"
    r"gyn\w{3,9}|"
    r"anesth\w{3,9}|emergency|internal|family|rehabilitation|physical|social work|nursing|pharmacy|"
    r"nutrition|infectious|pulmonary|gastro\w{3,12}|hematology|endocrin\w{3,8}|rheumatology|"
    r"ophthalmology|otolaryngology|neurosurgery|neuro\w{3,10}|genetics|geriatrics|laboratory|"
    r"imaging|medical|clinical|"
    r"hepatology|immunology|allergy|audiology|podiatry|palliative|critical|intensive|maternal|"
    r"vascular|plastic|dental|oral|speech|respiratory|occupational|psychology|behavioral|care|"
    r"critical|anatom\w{0,6}|hospital|patient|trauma)"
)
_CUE = re.compile(
    r"(?:^|[^\w-])(?:at|from|by|with|for|to|via|on|through|called|emailed|contacted|against|of|"
    r"and|joined|bought|sued|using|use|@)(?: the)? $"
)


_QAEDA = re.compile(r"\b[Aa]l[- ]Q(?:ae|a'?i)da\b")
# Messages that name who sent them: [Push/Acme Pay] Acme Pay: …, and 【Acme Pay】 at their head.
_SENDERS = (
    (re.compile(r"\[\w{2,12}/([^\[\]\n]{2,40})\](?= \1)"), 0.85, "sender in brackets"),
    (re.compile(r"\[\w{2,12}/([^\[\]\n]{2,40})\] (\1)"), 0.85, "sender repeated"),
    (re.compile(r"【([^【】\n]{2,40})】"), 0.82, "sender in lenticular brackets"),
)


class _Known(NamedTuple):
    """The well-known: names by first word, which of them need a cue, which may be lower case."""

    by_first: dict[str, list[tuple[str, ...]]]
    unsure: frozenset[tuple[str, ...]]
    lower: frozenset[str]
    acronyms: frozenset[str]


@lru_cache(maxsize=1)
def _known() -> _Known:
    """The list beside the other tables of knowledge."""
    file = resources.files("indistinct.knowledge") / "data" / "organisations.txt"
    by_first: dict[str, list[tuple[str, ...]]] = {}
    unsure, lower, acronyms = set(), set(), set()
    for line in file.read_text(encoding="utf-8").splitlines():
        name = line.strip()
        if not name or name.startswith("#"):
            continue
        words = tuple(name.rstrip("?").replace(" and ", " ").replace(" & ", " ").split())
        key = tuple(word.lower() for word in words)
        by_first.setdefault(key[0], []).append(key)
        if name.endswith("?"):
            unsure.add(key)
        elif len(words) == 1 and name.isupper():
            acronyms.add(name)
        elif len(words) == 1 and len(name) > 4 and name.isalpha():
            lower.add(key[0])
    return _Known(by_first, frozenset(unsure), frozenset(lower), frozenset(acronyms))


def detect(page: Page) -> Iterator[Span]:
    """Organisations by head word and by name."""
    for found in headed(page, _SURE):
        if not is_named(page, found) or medical_use(page, found.end):
            continue
        rare = rarely_a_word(page, found.words)
        weak = found.head in _WEAK
        value = (0.72 if rare else 0.55) if weak else (0.86 if rare else 0.74)
        yield _span(
            found.start,
            found.end,
            value,
            f"{'weak' if weak else 'sure'} head{', rare name' * rare}",
        )
    for match in _OF.finditer(page.text):
        if not _HOSPITAL_DEPARTMENT.match(match.group(1)) and not _is_specialty(match.group(1)):
            yield _span(*match.span(), 0.84, "head of")
    for pattern, certainty, rule in ((_QAEDA, 0.85, "well known"), *_SENDERS):
        for match in pattern.finditer(page.text):
            yield _span(*match.span(match.lastindex or 0), certainty, rule)
    yield from _well_known(page)


def _is_specialty(name: str) -> bool:
    """Whether a department's name is a branch of medicine."""
    return name.split()[-1].lower().endswith(("ology", "iatrics", "iatry", "surgery", "therapy"))


def _well_known(page: Page) -> Iterator[Span]:
    known = _known()
    where = index(page)
    all_runs = runs(page)
    for first in _first_words(where) & known.by_first.keys():
        for number, place in where.get(first, []) + where.get(f"{first}'s", []):
            run = all_runs[number]
            best = 0
            rest = [word.lower() for word in run.words[place:]]
            for name in known.by_first[first]:
                size = len(name)
                if size > best and _same(rest, name):
                    best, chosen = size, name
            if not best:
                continue
            word = run.words[place]
            acronym = best == 1 and chosen[0].upper() in known.acronyms
            if acronym and (page.shouting or word.removesuffix("'s") not in known.acronyms):
                continue
            start, end = run.starts[place], run.ends(place + best - 1)
            if run.words[place + best - 1].endswith("'s") and not chosen[-1].endswith("'s"):
                end -= 2
            if medical_use(page, end) or (best == 1 and page.knowledge.is_medical(chosen[0])):
                continue
            alone = place + best == len(run.words)
            if chosen in known.unsure:
                cue = bool(_CUE.search(before(page, start))) and alone
                if cue:
                    yield _span(start, end, 0.72, "well known word after cue")
            else:
                rule = "acronym" if best == 1 and word.isupper() else "well known"
                yield _span(start, end, 0.84 if rule == "well known" else 0.76, rule)
    yield from _in_lower_case(page, known)


def _first_words(where: dict[str, list[tuple[int, int]]]) -> set[str]:
    return {word.removesuffix("'s") for word in where} | where.keys()


def _same(words: list[str], name: tuple[str, ...]) -> bool:
    """Whether the words begin with the name, a possessive at its end aside."""
    size = len(name)
    return (
        len(words) >= size
        and tuple(words[: size - 1]) == name[:-1]
        and words[size - 1] in (name[-1], f"{name[-1]}'s")
    )


def _in_lower_case(page: Page, known: _Known) -> Iterator[Span]:
    if not known.lower & set(page.lower):
        return
    for place, token in enumerate(page.tokens):
        if token in known.lower and not page.knowledge.is_medical(token):
            yield _span(page.starts[place], page.ends[place], 0.74, "well known in lower case")


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.ORGANISATION, certainty, "organisations", rule)
