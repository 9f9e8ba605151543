"""Names beside a label: heading blocks, records, mark-up, chats.

*Patient: TOWNSEND, VIRGINIA*, *Attending: Hoang Parsa*, *"name": "…"*, *<name>…</name>*,
*&name=Ann+Lee*, *Dictated by …*, *Patient Robert Lee*, *Sara: are you there?*
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indistinct.knowledge import RELATIONS
from indistinct.scrub.text.detectors._grammar import (
    Trust,
    common_name,
    following,
    name_from,
    past_titles,
)
from indistinct.scrub.text.detectors._name_words import CALENDAR, PARTICLES, words
from indistinct.scrub.text.detectors._names import Reading, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Span

# Labels whose value is a person and hardly anything else.
_WHO = (
    words(
        "patient patients pt name names surname forename firstname lastname fullname attending "
        "provider pcp surgeon physician doctor clinician dictated dictator author signed signature "
        "witness resident intern fellow consultant radiologist pathologist anesthesiologist "
        "anaesthetist cardiologist therapist psychologist psychiatrist counselor nurse caregiver "
        "guardian kin client customer employee subscriber policyholder insured guarantor "
        "beneficiary cardholder student teacher applicant recipient sender caller transcriptionist "
        "transcriber typist interpreter assistant prescriber pharmacist midwife spouse partner "
        "participants attendees signatory holder owner member nombre paciente apellido apellidos "
        "médico medico nom prénom prenom nachname vorname arzt patientin dr mr mrs ms mentor tutor "
        "supervisor manager examiner interviewer interviewee informant historian alias person host"
    )
    | RELATIONS
)
# Labels that may also announce a subject, a complaint, an address or an institution.
_PERHAPS = words(
    "re cc to from bcc attn attention referring referred by contact ref subject anesthesia "
    "assistants user copies copy cosigned reviewed team with physicians providers present "
    "speaker lead reporter contacts relative family for via participant"
)
# What is named by "… name" without being a person.
_THINGS = words(
    "user file host domain drug brand trade generic test hospital company street product "
    "project server business facility organization organisation school clinic medication "
    "medicine path folder city class display login screen event device account plan employer "
    "bank group practice pharmacy common chemical variable column study site unit procedure "
    "course dog cat pet bank code table field tag image app package insurance store shop "
    "restaurant"
)
_COLON = re.compile(
    r"[\"'*_]{0,2}\s{0,3}[:=]\s{0,12}[\"'*_([]{0,2}\s{0,2}|\s{0,2}[>|]\s{0,3}|\s{2,12}-\s|\s-\s"
)
_LABELLING = frozenset(":=>-")
_DIGIT = re.compile(r"\d")
_BY = words(
    "dictated signed seen evaluated examined written reviewed performed transcribed intake "
    "typed authenticated cosigned entered prepared authored completed approved verified "
    "referred recorded interviewed taken attended witnessed prescribed ordered administered "
    "read documented electronically accompanied operated assisted treated managed followed"
)
_PATIENT = words("patient pt client resident participant pts")
_TAG = re.compile(r"^[ ]{0,4}\[[\w /]{1,24}\]\s{0,2}(?=[^\W\d_])", re.MULTILINE)


def detect(page: Page) -> Iterator[Span]:
    """Names beside labels."""
    read = reading(page)
    yield from _labelled(read)
    yield from _by(read)
    yield from _patients(read)
    yield from _speakers(read)


def _labelled(read: Reading) -> Iterator[Span]:
    for gap, places in read.gap_index.items():
        if _LABELLING.isdisjoint(gap) or gap.count("\n") > 1 or _DIGIT.search(gap):
            continue
        if not gap.startswith((":", '":', "=", ">")) and not _COLON.fullmatch(gap):
            continue
        dashed = "-" in gap and ":" not in gap and "=" not in gap
        for i in places:
            label = read.lower[i]
            strong = label in _WHO or label.endswith("name")
            if not strong and (dashed or label not in _PERHAPS):
                continue
            if "name" in label and (_of_things(read, i) or label in ("username", "filename")):
                continue
            yield from _value(read, i + 1, strong=strong, web="=" in gap)


def _of_things(read: Reading, i: int) -> bool:
    """Whether the label is the name of a thing: *drug name*, *hostname*."""
    label = read.lower[i]
    if label == "name" and i and read.lower[i - 1] in _THINGS:
        # The name in "User name: …" is a person's as often as not.
        return not (read.lower[i - 1] == "user" and read.gaps[i - 1] == " ")
    return label != "name" and label[:-4].rstrip("_-") in _THINGS


def _value(read: Reading, start: int, *, strong: bool, web: bool) -> Iterator[Span]:
    """The name (or names, separated by semicolons) that is a label's value."""
    start = past_titles(read, start)
    if start >= len(read.words):
        return
    lower = strong
    end = _web_end(read, start) if web else start
    if end - start < 2:
        trust = Trust.CUE
        end = name_from(read, start, trust, lower=lower, inverted=True)
    if end == start:
        return
    words = [
        k for k in range(start, end) if read.shapes[k] != "I" and read.lower[k] not in PARTICLES
    ]
    known = [read.fact(k) for k in words]
    best = max((fact.nameness for fact in known), default=-9.0)
    small = read.shapes[start] == "l"
    single = len(words) == 1 and end - start == 1
    if small:
        if best < -1.2 and not (len(words) > 1 and all(fact.strange for fact in known)):
            return
        yield read.spanning(start, end, 0.78, "headings", "label, lower case")
        return
    if single and read.shapes[start] == "U" and not strong and best < -0.5:
        return
    if best > -1.5:
        rule = ("label" if strong else "vague label") + (", one name" if single else "")
    elif strong and single and known and known[0].strange:
        rule = "label, strange"
    elif strong:
        rule = "label, unlisted" + (", one name" if single else "")
    elif single:
        return
    else:
        rule = "vague label, unlisted"
    yield read.spanning(start, end, _PRIORS[rule], "headings", rule)
    if end < len(read.words) and read.gaps[end - 1] in ("; ", " and ", " & ", ", ") and best > -1.5:
        nxt = past_titles(read, end)
        if read.shapes[nxt : nxt + 1] in ("C", "U") and read.fact(nxt).nameness > -1:
            yield from _value(read, nxt, strong=strong, web=False)


_PRIORS = {
    "label": 0.95,
    "label, one name": 0.88,
    "label, unlisted": 0.85,
    "label, strange": 0.78,
    "label, unlisted, one name": 0.68,
    "vague label": 0.9,
    "vague label, one name": 0.78,
    "vague label, unlisted": 0.7,
}


def _web_end(read: Reading, start: int) -> int:
    """Past the words of a value in a web address: Ann+Lee, Ann%20Lee, ann_lee."""
    end = start + 1
    while end < min(start + 4, len(read.words)) and read.gaps[end - 1] in ("+", "%20", "_", "%2C+"):
        end += 1
    return end


def _by(read: Reading) -> Iterator[Span]:
    """Dictated by, seen by, electronically signed by: with or without a colon."""
    for i in read.index.get("by", ()):
        if i == 0 or read.lower[i - 1] not in _BY or read.gaps[i] not in (" ", ": ", ":", "\n"):
            continue
        start = past_titles(read, i + 1)
        end = name_from(read, start, Trust.CUE, lower=True, inverted=True)
        if read.shapes[start : start + 1] == "l" and end - start < 2:
            continue
        if end > start and not (read.shapes[start] == "U" and end - start == 1):
            single = end - start == 1
            if single and read.fact(start).nameness < -1.5:
                continue
            yield read.spanning(start, end, 0.8 if single else 0.92, "headings", "by")
    for word in ("signed", "dictated", "attending", "surgeon"):
        for i in read.index.get(word, ()):
            if read.gaps[i] in (" ", ", ") and read.shapes[i] in "CU":
                end = name_from(read, i + 1, Trust.CUE, inverted=True)
                if end - i > 2 and read.fact(i + 1).nameness > -2:
                    yield read.spanning(i + 1, end, 0.85, "headings", "label without colon")


def _patients(read: Reading) -> Iterator[Span]:
    """Patient Robert Lee, pt kalla."""
    for i in read.where(_PATIENT):
        gap = read.gaps[i]
        if gap not in (" ", ", ", ". ", ",") or i + 1 >= len(read.words):
            continue
        if gap == ". " and read.lower[i] != "pt":
            continue
        start = past_titles(read, i + 1)
        if read.shapes[start] == "l":
            if gap in (" ", ". "):
                yield from _small_patient(read, start)
            continue
        end = name_from(read, start, Trust.CUE, inverted=True)
        if end == start:
            continue
        known = read.fact(start)
        if known.nameness > -1.2 or (end - start > 1 and not known.ordinary):
            yield read.spanning(start, end, 0.93, "headings", "patient")
        elif known.strange:
            yield read.spanning(start, end, 0.72, "headings", "patient, unlisted")


def _small_patient(read: Reading, start: int) -> Iterator[Span]:
    """pt kalla, pt church seen: in shorthand without capitals."""
    end = name_from(read, start, Trust.CUE, lower=True, inverted=True)
    known = read.fact(start)
    after = following(read, max(end, start + 1) - 1)
    if end == start:
        if common_name(read, start) and after in _ONLY_PATIENTS:
            yield read.spanning(start, start + 1, 0.86, "headings", "patient, common word")
    elif after in _ONLY_PATIENTS and (known.named or known.strange):
        yield read.spanning(start, end, 0.88, "headings", "patient and verb, lower case")
    elif known.nameness > -0.9 or (known.strange and after in _THEN):
        yield read.spanning(start, end, 0.78, "headings", "patient, lower case")


_ONLY_PATIENTS = words(
    "seen admitted discharged transferred reports reported denies denied presents presented "
    "complains complained c who says awake alert ambulating ambulated refused refuses arrived "
    "returns returned voided slept intubated extubated resting sleeping tolerating w "
)
_THEN = _ONLY_PATIENTS | words(
    "is was has had states came with and s/p feels stable doing tolerated here in at on"
)


def _speakers(read: Reading) -> Iterator[Span]:
    """Sara: at the start of a line, [SMS] Sun Yue: with the kind of message before it."""
    text = read.page.text
    for i in read.openers:
        # The colon after a speaker comes soon.
        colon = read.shapes[i] in "CU" and text.find(":", read.starts[i], read.starts[i] + 80) > 0
        if colon and not read.margin(i).strip(" ") and len(read.margin(i)) <= 4:
            yield from _speaker(read, i, tagged=False)
    for match in _TAG.finditer(text) if "[" in text else ():
        i = bisect_left(read.starts, match.end())
        if i < len(read.words) and read.shapes[i] in "CU":
            yield from _speaker(read, i, tagged=True)


def _speaker(read: Reading, i: int, *, tagged: bool) -> Iterator[Span]:
    end = name_from(read, i, Trust.CUE)
    if end == i or end - i > 4 or not read.gaps[end - 1].startswith((":", " (")):
        return
    if read.gaps[end - 1].startswith(" (") and not tagged:
        return
    known = [read.fact(k) for k in range(i, end) if read.shapes[k] != "I"]
    if any(read.lower[k] in CALENDAR for k in range(i, end)) or not known:
        return
    if known[0].first > 0 and known[0].nameness > -0.8 and read.shapes[i] == "C":
        yield read.spanning(i, end, 0.85, "headings", "speaker")
    elif tagged and all(fact.named or fact.strange for fact in known) and len(known) > 1:
        yield read.spanning(i, end, 0.8, "headings", "tagged speaker")
