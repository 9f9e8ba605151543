"""Clinicians by the credential after the name: *Marjorie Long, M.D.*, *Kurik, Michael MD*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase

from indistinct.knowledge import STATES
from indistinct.scrub.text.detectors._grammar import name_before
from indistinct.scrub.text.detectors._name_words import words
from indistinct.scrub.text.detectors._names import Reading, reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Span

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
_CREDENTIAL = re.compile(rf"(?:{_WHOLE}|{_DOTTED})(?![\w'])")
_LOWER = re.compile(r"(?:md|do|rn|np|lpn|cna|pa-?c|crna|licsw|lcsw|phd|m\.d|r\.n)(?![\w'])")
# What stands between a name and a credential.
_BETWEEN = re.compile(r"(?:,\s{0,2}| {1,2}|\s\()\Z")
_ZIP = re.compile(r"[.,]?\s{1,3}\d{5}\b")
# The first words of credentials, a hyphen as part of a word.
_HEADS = words(
    "m md do d phd ph dds dmd dpm dnp mbbs mbbch r rn l lpn lvn n np p pa msw mph pt o ot psyd psy "
    "pharmd pharm edd ed j jd rph od dc msn b bsn rd bcba dvm pa-c pac fnp fnp-bc fnp-c fnpbc fnpc "
    "agnp agnp-c agnpc agacnp acnp acnp-bc acnpbc aprn arnp crnp anp pnp cpnp pmhnp whnp cna crna "
    "cnm cns dpt otr ccc-slp slp lcsw licsw lmsw lisw lmhc lpc lpcc lmft mft lcpc emt emt-b emt-p "
    "emtb emtp rrt crt frcp frcpc frcs facs facp faap facc facog mrcp mba drph bchir mpas ccrn rdn "
    "esq pgy ladc cadc casac rcp cma msc cde cgc med qmhp"
) | frozenset(f"lcsw{mark}{letter}" for mark in ("", "-") for letter in ascii_lowercase)
# Credentials that are also states after a city, or words of shouting notes.
_DOUBTFUL = frozenset(("MD", "PA", "DC", "DO", "PT", "OT", "OD", "RD", "MA", "JD"))


def detect(page: Page) -> Iterator[Span]:
    """Names before credentials."""
    read = reading(page)
    for i in read.where(_HEADS):
        if not i:
            continue
        lower = read.shapes[i] == "l"
        if lower and not read.whispering:
            continue
        match = (_LOWER if lower else _CREDENTIAL).match(page.text, read.starts[i])
        between = _BETWEEN.search(read.gaps[i - 1])
        if match is not None and between is not None:
            yield from _before(read, i - 1, between, match, lower=lower)


def _before(
    read: Reading, last: int, between: re.Match[str], match: re.Match[str], *, lower: bool
) -> Iterator[Span]:
    """The name that ends with the last word before a credential."""
    rest = read.gaps[last][: between.start()]  # SMITH J. MD
    if rest not in ("", ".", "'", '"') and not (len(rest) == 1 and read.shapes[last] == "I"):
        return
    first = name_before(read, last, lower=lower)
    if first > last:
        return
    parts = [k for k in range(first, last + 1) if read.shapes[k] != "I"]
    credential = match.group().replace(".", "")
    comma = between.group().startswith(",")
    if credential in _DOUBTFUL and _is_state(read, match, first, last, credential, comma=comma):
        return
    if len(parts) == 1 and last == first:
        known = read.fact(first)
        if credential in _DOUBTFUL and credential != "MD" and known.nameness < -0.8:
            return
        if known.nameness < -1.5 and not known.strange:
            return
        yield read.spanning(first, last + 1, 0.8, "credentialed", "one name")
    elif lower:
        if all(read.fact(k).nameness > -1.6 or read.fact(k).strange for k in parts):
            yield read.spanning(first, last + 1, 0.8, "credentialed", "lower case")
    elif credential in _DOUBTFUL - {"MD"} and read.shapes[last] == "U":
        yield read.spanning(first, last + 1, 0.7, "credentialed", "doubtful credential")
    else:
        yield read.spanning(first, last + 1, 0.95, "credentialed", "credential")


def _is_state(
    read: Reading, match: re.Match[str], first: int, last: int, credential: str, *, comma: bool
) -> bool:
    """Whether *Silver Spring, MD 20901* is a place and no physician."""
    if credential not in STATES:
        return False
    if _ZIP.match(read.page.text, match.end()):
        return True
    name = " ".join(read.lower[first : last + 1])
    place = read.page.knowledge.place(name)
    return place is not None and comma and read.fact(last).first == 0
