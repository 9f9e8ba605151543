"""Vehicles: identification numbers and licence plates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._numbers import codes, cued
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_VIN = re.compile(r"(?=[A-Za-z]{0,16}\d)(?=\d{0,16}[A-Za-z])[A-HJ-NPR-Za-hj-npr-z\d]{17}$")
_VALUES = {
    **{str(digit): digit for digit in range(10)},
    **dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True)),
}
_LETTERS_AFTER = re.compile(r"[ -][A-Z]{1,3}(?![\w'])")
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
# A plate with hidden characters, as messages of ride services show it.
_MASKED = re.compile(
    r"(?<![\w*])(?:[A-Z][a-z]{0,3} )?[A-Z]{1,2}[\dA-Z]?\*{2,6}[\dA-Z]{1,3}(?![\w*])"
)


def detect(page: Page) -> Iterator[Span]:
    """Vehicles by the check digit and after their cues."""
    text = page.text
    for start, end, _, rule, certainty in cued(page, "vehicle"):
        if letters := _LETTERS_AFTER.match(text, end):
            end = letters.end()
        yield Span(start, end, Kind.VEHICLE, certainty, "vehicles", rule)
    for code in codes(page):
        if len(code.text) == 17 and _VIN.match(code.text):
            rule, certainty = ("vin check", 0.97) if vin_checks(code.text) else ("vin", 0.85)
            yield Span(code.start, code.end, Kind.VEHICLE, certainty, "vehicles", rule)
    if "**" in text:
        for match in _MASKED.finditer(text):
            yield Span(match.start(), match.end(), Kind.VEHICLE, 0.8, "vehicles", "masked")


def vin_checks(vin: str) -> bool:
    """Weighted sum modulo 11 in the ninth place (49 CFR 565.15; 10 is written X).

    >>> vin_checks("1M8GDM9AXKP042788"), vin_checks("1M8GDM9A1KP042788")
    (True, False)
    """
    vin = vin.upper()
    rest = sum(_VALUES[c] * w for c, w in zip(vin, _WEIGHTS, strict=True)) % 11
    return vin[8] == ("X" if rest == 10 else str(rest))
