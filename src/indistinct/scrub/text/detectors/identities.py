"""Identity numbers: social security, tax and health service numbers, identity cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._number_cues import MASKS, words
from indistinct.scrub.text.detectors._numbers import cued, matches, scan
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# Scanned and typed text has the letters O and l for digits.
_D = r"[\dOolI]"
_SHAPES = re.compile(
    rf"(?<![\w-])(?:"
    rf"(?P<ssn>(?=[^\s.]{{0,4}}\d){_D}{{3}}(?P<s>\s?-\s?|[ .]){_D}{{2}}(?P=s){_D}{{4}})"
    r"|(?P<cpf>\d{3}\.\d{3}\.\d{3}-\d{2})"
    r"|(?P<employer>\d{2}-\d{7})"
    r"|(?P<twelve>\d{4} \d{4} \d{4})"
    r"|(?P<french>[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2})"
    r"|(?P<nino>[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D])"
    r"|(?P<fiscal>[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])"
    r"|(?P<curp>[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d)"
    r"|(?P<dni>\d{8}-?[A-HJ-NP-TV-Z])"
    r"|(?P<citizen>\d{17}[\dXx])"
    r")(?![\w-]|\.\d)"
)
_CERTAINTIES = {
    "ssn": 0.93, "cpf": 0.95, "employer": 0.85, "twelve": 0.8, "french": 0.9,
    "nino": 0.9, "fiscal": 0.95, "curp": 0.95, "dni": 0.85, "citizen": 0.9,
}  # fmt: skip
_LAST_FOUR = re.compile(
    r"(?:(?:ssn|social security(?: number)?|social)\s{0,2}(?:number\s)?(?:\(?last (?:four|4)"
    r"(?: digits)?\)?|ending(?: in| with)?|ends? (?:in|with))"
    r"|last (?:four|4)(?: digits)?(?: of)?(?: (?:her|his|their|the|my|your))?"
    r"(?: (?:ssn|social(?: security)?(?: number)?))?)"
    r"\s{0,2}(?:is|are|was|:|=|#|-)?\s{0,2}(\d{4})(?!\w|[.,]\d)"
)

_YEARS = re.compile(r"(?:(?:19|20)\d\d ?){3}")
_MASKED = re.compile(r"(?<![\w-])[xX*#•]{3}[ -]?[xX*#•]{2}[ -]?\d{4}(?![\w-]|\.\d)")
_ENDS = words("ending end ends")


def detect(page: Page) -> Iterator[Span]:
    """Identity numbers by their shape and after their cues."""
    text, known = page.text, scan(page)
    for start, end, _, rule, certainty in cued(page, "identity"):
        yield Span(start, end, Kind.IDENTITY_NUMBER, certainty, "identities", rule)
    for match in matches(_SHAPES, text, known.rich):
        shape = match.lastgroup or ""
        if shape == "s":
            shape = "ssn"
        if shape == "ssn" and sum(c.isdigit() for c in match.group()) < 6:
            continue
        if shape == "twelve" and _YEARS.fullmatch(match.group()):
            continue
        certainty = _CERTAINTIES[shape]
        if shape == "ssn" and match["s"].strip() != "-":
            shape, certainty = "ssn spaced", 0.75
        yield Span(match.start(), match.end(), Kind.IDENTITY_NUMBER, certainty, "identities", shape)
    lower = known.lower
    if any(map(lower.__contains__, MASKS)):
        for match in _MASKED.finditer(text):
            start, end = match.span()
            yield Span(start, end, Kind.IDENTITY_NUMBER, 0.95, "identities", "masked")
    if "last four" in lower or "last 4" in lower or not _ENDS.isdisjoint(known.words):
        for match in _LAST_FOUR.finditer(lower):
            start, end = match.span(1)
            yield Span(start, end, Kind.IDENTITY_NUMBER, 0.85, "identities", "last four")
