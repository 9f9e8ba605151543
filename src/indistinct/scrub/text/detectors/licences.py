"""Licence numbers: drivers', doctors', DEA, NPI, passports, visas, badges of employees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import CREDENTIALS
from indistinct.scrub.text.detectors._numbers import Code, codes, cued, lowered
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.replace.checks import npi
from indistinct.scrub.text.spans import Kind, Span

_DEA = re.compile(r"[A-Za-z][A-Za-z9]\d{7}$")
_CREDENTIAL = re.compile(r"([a-z](?:\.?[a-z]){0,5}(?:-[a-z]{1,4})?)\.?[,;]?\s{1,3}\(?#?$")


def detect(page: Page) -> Iterator[Span]:
    """Licence numbers after their cues, by their check digits, and after a signature."""
    for start, end, _, rule, certainty in cued(page, "licence"):
        yield Span(start, end, Kind.LICENCE, certainty, "licences", rule)
    for code in codes(page):
        if code.size != len(code.text):
            continue
        if _DEA.match(code.text) and dea_checks(code.digits):
            yield Span(code.start, code.end, Kind.LICENCE, 0.9, "licences", "dea check")
        elif len(code.text) == 10 and code.text.isdigit() and npi(code.text):
            # NPI: Luhn with the prefix 80840 for health applications of the United States.
            yield Span(code.start, code.end, Kind.LICENCE, 0.8, "licences", "npi check")
        elif 4 <= len(code.text) <= 8 and _signed(page, code):
            yield Span(code.start, code.end, Kind.LICENCE, 0.82, "licences", "signature")


def _signed(page: Page, code: Code) -> bool:
    """Whether a number stands after a credential ("Joan Berg, M.D. 34764")."""
    if code.measure or not code.text.isdigit():
        return False
    word = page.lower[page.token_at(code.reach - 1) if code.reach else 0]
    if len(word) > 2 and word not in CREDENTIALS:
        return False
    match = _CREDENTIAL.search(lowered(page.text), max(0, code.reach - 12), code.reach)
    return match is not None and match.group(1).replace(".", "").replace("-", "") in CREDENTIALS


def dea_checks(digits: str) -> bool:
    """The check digit of the Drug Enforcement Administration: d1+d3+d5 + 2(d2+d4+d6) ends in d7.

    >>> dea_checks("1234563"), dea_checks("1234560")
    (True, False)
    """
    values = [int(digit) for digit in digits[-7:]]
    if len(values) < 7:
        return False
    total = values[0] + values[2] + values[4] + 2 * (values[1] + values[3] + values[5])
    return total % 10 == values[6]
