"""Record numbers: medical record, chart, unit, specimen, claim, policy; and codes left over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._dates import FIGURES
from indistinct.scrub.text.detectors._number_cues import words
from indistinct.scrub.text.detectors._numbers import Code, codes, cued
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# Codes of medicine and of everyday writing that look like somebody's number and are not.
_COMMON = re.compile(
    r"[A-TV-Z]\d[\dA-Z](?:\.[\dA-Z]{1,4})?$"  # ICD-10
    r"|g\d{1,2}p\d{1,4}(?:a\d)?(?:l\d)?$"  # gravida, para
    r"|[cpyr]{0,2}t[0-4x][a-d]?n[0-3x][a-c]?m[01x]$"  # tumour, node, metastasis
    r"|x{2,}"  # hidden characters
    r"|(?:nct|pmid|pmc|rs|cosm|chembl)[-:]?\d{3,}$"  # public registers
    r"|(?:covid|sars|cov|icd|dsm|iso|mrna|bnt|azd|gsk|bms|mk|ly|abt|cpt|hla|cyp|il|cd|ca|tnf|hpv"
    r"|phq|gad|sf|pgy|who|ct|rfc|utf|sha|md|mp|ipv|usb|vo|hb|h\dn)[-_]?\d{1,4}[a-z]{0,2}\d{0,2}$"
    r"|[ctls]\d{1,2}-?[ctls]?\d{1,2}$"  # vertebrae
    r"|\d{1,3}x\d{1,4}(?:x\d{1,4})?[a-z]{0,2}$|x\d+$|q\d+\w?$|\d{1,3}-?(?:st|nd|rd|th)$"
    r"|\d{1,3}(?:h|hr|hrs|am|pm|yo|y|f|m|d|w|k)\d{0,3}$|(?:19|20)\d\ds$|\d{1,4}(?:am|pm)$",
    re.IGNORECASE,
)
_STAYING = words(
    "patient pt hospital clinic ward admitted admission discharged discharge hospitalized "
    "hospitalised hospitalization stay inpatient unit center centre infirmary resident client"
)
_PREFIXED = re.compile(r"[A-Za-z]{1,6}(?:[-_][A-Za-z]{1,5}){0,2}[-_./#]{1,2}[\dA-Za-z]")
_GROUPS = re.compile(r"\d{1,8}(?:[-.]\d{1,8}){2,5}(?:-[A-Za-z]{1,2})?$")


def detect(page: Page) -> Iterator[Span]:
    """Record and insurance numbers after their cues, and codes that nothing explains."""
    for family in ("record", "insurance"):
        for start, end, _, rule, certainty in cued(page, family):
            yield Span(start, end, Kind.RECORD_NUMBER, certainty, "records", f"{family} {rule}")
    for code in codes(page):
        if code.trust is not None and code.trust[0] != "vague":
            continue
        if code.cue.family == "public":
            continue
        if left := _enclosed(page, code) or _left_over(code):
            rule, certainty = left
            yield Span(code.start, code.end, Kind.RECORD_NUMBER, certainty, "records", rule)


def _left_over(code: Code) -> tuple[str, float] | None:
    """The rule and certainty for a code without a known word before it."""
    if code.size < 4 or code.measure or (code.has_letters and _COMMON.match(code.text)):
        return None
    digits = len(code.digits)
    if code.cue.numbered:
        if code.size > 4 and digits > 2:
            return ("numbered", 0.85) if digits > 3 else ("numbered short", 0.72)
        return ("numbered four", 0.72) if digits > 3 else None
    if code.has_letters:
        if digits < 3 or code.size < 6:
            return None
        if _PREFIXED.match(code.text):
            return ("prefixed", 0.85) if digits > 3 else ("prefixed short", 0.65)
        return ("mixed", 0.76) if digits > 3 else ("mixed short", 0.62)
    if code.text.isdigit():
        return _plain_digits(digits)
    if digits < 7 or not _GROUPS.match(code.text) or FIGURES.match(code.text):
        return None
    return "grouped", 0.74


def _enclosed(page: Page, code: Code) -> tuple[str, float] | None:
    """The rule and certainty for a code in brackets after a patient or a stay, or in a field."""
    before, after = page.text[code.start - 1 : code.start], page.text[code.end : code.end + 1]
    if before == "|" and after == "^":  # HL7
        return ("field", 0.88) if len(code.digits) > 4 else None
    if before != "(" or after != ")" or not code.has_letters or not code.text[0].isupper():
        return None
    if code.size < 4 or len(code.digits) < 2 or code.measure or _COMMON.match(code.text):
        return None
    last = page.token_at(code.start)
    stay = not _STAYING.isdisjoint(page.lower[max(0, last - 9) : last])
    return ("bracketed", 0.74) if stay else None


def _plain_digits(digits: int) -> tuple[str, float] | None:
    if digits < 6:
        return None
    if digits < 8:
        return f"{digits} digits", 0.6
    return ("8 digits", 0.72) if digits == 8 else ("many digits", 0.78)
