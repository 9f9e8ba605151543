"""Devices: serial numbers, IMEI, MAC and IP addresses, UUIDs, keys and tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from indistinct.scrub.text.detectors._numbers import cued, matches, scan
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.replace.checks import luhn
from indistinct.scrub.text.spans import Kind, Span

_H = r"[\da-fA-F]"
_SHAPES = re.compile(
    rf"(?<![\w:])(?:"
    rf"(?P<uuid>{_H}{{8}}-{_H}{{4}}-{_H}{{4}}-{_H}{{4}}-{_H}{{12}})"
    rf"|(?P<mac>{_H}{{2}}([:-]){_H}{{2}}(?:\3{_H}{{2}}){{4}}|{_H}{{4}}\.{_H}{{4}}\.{_H}{{4}})"
    rf"|(?P<ipv6>(?:{_H}{{1,4}}:){{7}}{_H}{{1,4}}|(?:{_H}{{1,4}}:){{1,6}}(?::{_H}{{1,4}}){{1,6}})"
    r"|(?P<ipv4>\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(?:/\d{1,2})?"
    r"|(?P<key>(?:sk|pk|rk|ghp|gho|xox[abps]|AKIA|AIza|glpat|hf|key|tok|token|api|secret)"
    r"[-_]?[\w-]{0,80}\d[\w-]{3,80}|AKIA[A-Z\d]{16}|AIza[\w-]{30,40})"
    rf"|(?P<hex>(?=[a-fA-F]{{0,40}}\d)(?=\d{{0,40}}[a-fA-F]){_H}{{16,128}})"
    r")(?![\w:]|\.\d|-\w)"
)
_CERTAINTIES = {
    "uuid": 0.97, "mac": 0.95, "ipv6": 0.9, "ipv4": 0.93, "key": 0.85, "hex": 0.92,
}  # fmt: skip
# Base64 of '{"', with which every signed web token begins.
_JSON_TOKEN = re.compile(r"(?<!\w)eyJ[\w-]{3,2000}(?:\.[\w-]{1,2000}){0,2}")
_VERSION = re.compile(r"(?:version|ver|v|release|build|section|oid)[ .:]{0,2}$", re.I)


def detect(page: Page) -> Iterator[Span]:
    """Devices by the shape of their addresses and after their cues."""
    text, known = page.text, scan(page)
    for start, end, _, rule, certainty in cued(page, "device"):
        yield Span(start, end, Kind.DEVICE, certainty, "devices", rule)
    for match in matches(_SHAPES, text, known.mixed):
        shape = next(name for name in _CERTAINTIES if match[name])
        if shape == "ipv4":
            parts = [int(part) for part in match["ipv4"].split(".")]
            if max(parts) > 255 or _VERSION.search(text, max(0, match.start() - 10), match.start()):
                continue
        if shape == "mac" and match["mac"].isdigit():
            continue
        yield Span(match.start(), match.end(), Kind.DEVICE, _CERTAINTIES[shape], "devices", shape)
    if "eyJ" in text:
        for match in _JSON_TOKEN.finditer(text):
            yield Span(match.start(), match.end(), Kind.DEVICE, 0.93, "devices", "json token")
    for code in known.codes:
        if len(code.text) == 15 and code.text.isdigit() and luhn(code.text):
            yield Span(code.start, code.end, Kind.DEVICE, 0.85, "devices", "imei check")
        elif code.size > 11 and _random(code.text):
            yield Span(code.start, code.end, Kind.DEVICE, 0.85, "devices", "random")


def _random(text: str) -> bool:
    """Whether letters and digits alternate as they do in keys and never in words."""
    changes = sum(1 for a, b in pairwise(text) if a.isalnum() and a.isdigit() != b.isdigit())
    return changes * 3 > len(text)
