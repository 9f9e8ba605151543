"""Practices and services that bear a name before what they do: Beacon *Family Medicine*."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._heads import Headed, headed, heads_of, is_named, rarely_a_word
from indistinct.scrub.text.detectors._places import before, is_generic, medical_use, runs
from indistinct.scrub.text.page import Page

CARE = re.compile(
    r"\b(?:(?:admitted|transferred|transported|referred|presented|brought|readmitted|rushed|"
    r"airlifted|taken) to|"
    r"(?:treated|seen|evaluated|admitted|followed|hospitali[sz]ed|assessed|observed|operated|"
    r"reviewed|diagnosed|cared for|delivered|examined|surgery|admission|appointment|visit|care|"
    r"treatment|consultation|presented|discussed|underwent \w{3,20}) at|discharged from)(?: the)? $"
)
# One word that is a specialty of any hospital, too.
_SPECIALTY = heads_of(
    """
    pediatrics paediatrics cardiology orthopedics orthopaedics dermatology obgyn ob/gyn ob-gyn
    oncology radiology urology neurology gastroenterology ophthalmology psychiatry dental dentistry
    physiotherapy chiropractic optometry surgery pharmacy nephrology gynecology anesthesiology
    rheumatology hematology endocrinology pathology podiatry dialysis health medical manor
    """
)
# Two words that mostly follow the name of a practice.
_SERVICE = heads_of(
    """
    medicine: family general internal penn sports;
    practice: dental family general group medical;
    therapy: occupational physical speech;
    health: behavioral home mental women's;
    dentistry: family pediatric;
    nursing: skilled visiting;
    associates group partners specialists physicians services laboratories labs: cardiology
        care dental dermatology eye gastroenterology health healthcare internal medical
        medicine neurology ob oncology orthopedic orthopedics pediatric pediatrics physicians
        psychiatric radiology surgical therapy urology women's
    """
)
# What is done with a service rather than who offers it: "Start Physical Therapy".
_ORDERS = frozenset(
    "add additional advise advised aggressive arrange arranged ask await awaiting begin book "
    "call cancel chief complete completed consider consult consulted contact continue "
    "continued continues current daily decline declined delay department dept director "
    "discontinue discuss discussed division early enroll ensure establish evaluate expedite "
    "finish formal further future head hold increase initiate initiated intensive involve "
    "messaged needs notified notify obtain offer ongoing order ordered page paged pending "
    "postpone prescribe prior professor pursue receive received receives recommend "
    "recommended recommending refer refuse refused regular request requested require required "
    "requires resume routine schedule scheduled section send sent start started stop stopped "
    "suggest try undergo underwent weekly".split()
)
_CUE = re.compile(
    r"\b(?:at|to|from|by|with|of|via|and)(?: the)? $|"
    r"(?:pharmacy|practice|clinic|facility|office|pcp|provider)(?::| is) $"
)


def practices(page: Page) -> Iterator[tuple[int, int, float, str]]:
    """Named practices: start, end, how certain, by which rule."""
    for heads, service in ((_SPECIALTY, False), (_SERVICE, True)):
        for found in headed(page, heads, after=False):
            if (
                not is_named(page, found)
                or found.words[0].lower() in _ORDERS
                or _goes_on(page, found)
                or medical_use(page, found.end)
            ):
                continue
            left = before(page, found.start, 40)
            end = _with_second(page, found)
            if CARE.search(left):
                yield found.start, end, 0.85, "practice after care"
                continue
            rare = rarely_a_word(page, found.words)
            line = page.text[max(0, found.start - 1) : found.start] in ("", "\n") and (
                page.text[end : end + 1] in ("", "\n")
            )
            cue = line or _CUE.search(left) is not None
            if service:
                value = (0.84 if cue else 0.76) if rare else (0.78 if cue else 0.66)
            elif rare:
                value = 0.8 if cue or not left else 0.66
            elif cue:
                value = 0.66
            else:
                continue
            kind = "service" if service else "practice"
            yield found.start, end, value, f"{kind}{', rare name' * rare}{' after cue' * cue}"


def _goes_on(page: Page, found: Headed) -> bool:
    """Whether the name has a further word that is no place: Kurtz Medical *Center*."""
    rest = page.text[found.end : runs(page)[found.number].end].split()
    return bool(rest) and (is_generic(rest[0]) or page.knowledge.place(rest[0]) is None)


def _with_second(page: Page, found: Headed) -> int:
    """The end with a second thing that is done there: "and Sports Medicine"."""
    all_runs = runs(page)
    if found.number + 1 < len(all_runs) and all_runs[found.number].end == found.end:
        second = all_runs[found.number + 1]
        gap = page.text[found.end : second.start]
        if gap in (" and ", " & ") and all(map(is_generic, second.words)):
            return second.end
    return found.end
