"""Clinicians by the credential after the name: *Marjorie Long, M.D.*, *Kurik, Michael MD*."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indistinct.text.cues import STATES
from indistinct.text.detectors._grammar import name_before
from indistinct.text.detectors._names import Reading, reading
from indistinct.text.page import Page
from indistinct.text.spans import Span

# With or without stops: M.D., MD, Ph.D., R.N., P.A.-C., and the longer ones in one word.
_DOTTED = (
    r"M\.?\s?D|D\.?O|Ph\.?\s?D|D\.?D\.?S|D\.?M\.?D|D\.?P\.?M|D\.?N\.?P|M\.?B\.?B\.?S|M\.?B\.?B\.?Ch"
    r"|R\.?N|L\.?P\.?N|L\.?V\.?N|N\.?P|P\.?A|M\.?S\.?W|M\.?P\.?H|P\.?T|O\.?T|Psy\.?D|Pharm\.?D"
    r"|Ed\.?D|J\.?D|R\.?Ph|O\.?D|D\.?C|M\.?S\.?N|B\.?S\.?N|R\.?D|B\.?C\.?B\.?A|D\.?V\.?M"
)
_WHOLE = (
    r"PA-?C|FNP(?:-?BC|-?C)?|AGNP(?:-?C)?|AGACNP|ACNP(?:-?BC)?|APRN|ARNP|CRNP|ANP|PNP|CPNP|PMHNP"
    r"|WHNP|CNA|CRNA|CNM|CNS|DPT|OTR(?:/L)?|CCC-SLP|SLP|LCSW(?:-?[A-Z])?|LICSW|LMSW|LISW|LMHC"
    r"|LPCC?|LMFT|MFT|LCPC|EMT(?:-?[BP])?|RRT|CRT|FRCPC?|FRCS|FACS|FACP|FAAP|FACC|FACOG|MRCP|MBA"
    r"|PharmD|PsyD|EdD|DrPH|MBBCh|BChir|MPAS|CCRN|RDN|Esq|PGY-?\d|MD/PhD|LADC|CADC|CASAC|RCP|CMA"
    r"|M\.A|MSc|CDE|CGC|MEd|M\.Ed|QMHP"
)
_CREDENTIAL = re.compile(
    rf"(?:,\s{{0,2}}| {{1,2}}|\s\()(?:{_WHOLE}|{_DOTTED})(?![\w'])",
)
_LOWER = re.compile(
    r"(?:,\s?|\s)(?:md|do|rn|np|lpn|cna|pa-?c|crna|licsw|lcsw|phd|m\.d|r\.n)(?![\w'])"
)
_ZIP = re.compile(r"[.,]?\s{1,3}\d{5}\b")
# Credentials that are also states after a city, or words of shouting notes.
_DOUBTFUL = frozenset(("MD", "PA", "DC", "DO", "PT", "OT", "OD", "RD", "MA", "JD"))


def detect(page: Page) -> Iterator[Span]:
    """Names before credentials."""
    read = reading(page)
    for match in _CREDENTIAL.finditer(page.text):
        yield from _before(read, match, lower=False)
    if page.whispering or page.text.islower():
        for match in _LOWER.finditer(page.text):
            yield from _before(read, match, lower=True)


def _before(read: Reading, match: re.Match[str], *, lower: bool) -> Iterator[Span]:
    at = bisect_left(read.ends, match.start())
    if at < len(read.ends) and read.ends[at] == match.start():
        last = at
    elif at and match.start() - read.ends[at - 1] == 1 and read.shapes[at - 1] == "I":
        last = at - 1  # SMITH J. MD
    elif at and read.page.text[read.ends[at - 1] : match.start()] in (".", "'", '"'):
        last = at - 1
    else:
        return
    first = name_before(read, last, lower=lower)
    if first > last:
        return
    words = [k for k in range(first, last + 1) if read.shapes[k] != "I"]
    credential = match.group().strip(" ,(\n").replace(".", "")
    if credential in _DOUBTFUL and _is_state(read, match, first, last, credential):
        return
    if len(words) == 1 and last == first:
        known = read.fact(first)
        if credential in _DOUBTFUL and credential != "MD" and known.nameness < -0.8:
            return
        if known.nameness < -1.5 and not known.strange:
            return
        yield read.spanning(first, last + 1, 0.8, "credentialed", "one name")
    elif lower:
        if all(read.fact(k).nameness > -1.6 or read.fact(k).strange for k in words):
            yield read.spanning(first, last + 1, 0.8, "credentialed", "lower case")
    elif credential in _DOUBTFUL - {"MD"} and read.shapes[last] == "U":
        yield read.spanning(first, last + 1, 0.7, "credentialed", "doubtful credential")
    else:
        yield read.spanning(first, last + 1, 0.95, "credentialed", "credential")


def _is_state(read: Reading, match: re.Match[str], first: int, last: int, credential: str) -> bool:
    """Whether *Silver Spring, MD 20901* is a place and no physician."""
    if credential not in STATES:
        return False
    if _ZIP.match(read.page.text, match.end()):
        return True
    name = " ".join(read.lower[first : last + 1])
    place = read.page.knowledge.place(name)
    return place is not None and match.group().startswith(",") and read.fact(last).first == 0
