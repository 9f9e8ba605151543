"""Postal codes: ZIP by state or cue, and the codes of other countries by their form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import STATES
from indistinct.scrub.text.detectors import _streets as s
from indistinct.scrub.text.detectors._places import has, matches
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_CODE = re.compile(r"[0-9](?<![\w/.-][0-9])\d{4}(?:-\d{4})?(?![\w/-])")
_STATE_BEFORE = re.compile(rf"(?<!\w)({s.STATE})\.?,?[\s^|]{{1,3}}$")
_CUES = frozenset("zip zipcode postal postcode post plz código codigo cp".split())
_CUED = re.compile(
    r"(?i:\b(?:zip(?: ?code)?|postal(?: ?code)?|post ?code|plz|cp|c[oó]digo postal)\b\"?"
    r"(?: is| of)?[ :=#\"]{1,4})(\d{4,6}(?:-\d{3,4})?|[A-Z\d]{2,4} ?[A-Z\d]{3})(?!\w)"
)
_AREAS = frozenset(("area", "zip", "region"))
_AREA = re.compile(r"[0-9](?<!\w[0-9])\d{4}(?= (?:area|zip|region|zip code)\b)")
_LETTERED = re.compile(r"[A-Z](?<![\w-].)[A-Z]?\d[A-Z\d]? ?\d[A-Z\d]{2}(?![\w-])")
_BRITISH = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}")
_CANADIAN = re.compile(r"[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d")
_LONDONS = frozenset(("london",))
# The districts that there are: E1 to E20, N1 to N22, and so on.
_LONDON = re.compile(
    r"\b(?:London|LONDON),? ((?:E(?:1\d|20|[1-9])|N(?:1\d|2[0-2]|[1-9])|NW(?:1[01]|[1-9])|"
    r"SE(?:1\d|2[0-8]|[1-9])|SW(?:1\d|20|[1-9])|W(?:1[0-4]|[1-9])|EC[1-4]|WC[12])[A-Z]?)\b"
)


def detect(page: Page) -> Iterator[Span]:
    """Postal codes."""
    text = page.text
    for match in _CODE.finditer(text):
        back = max(0, match.start() - 26)
        state = _STATE_BEFORE.search(text[back : match.start()])
        if state:
            states = page.knowledge.zip_states(match.group()).split()
            name = state.group(1)
            fits = name in states or any(STATES.get(code) == name for code in states)
            rule = "state fits" if fits else "after state"
            yield _span(match, 0, 0.96 if fits else 0.88, rule)
    for match in matches(page, _CUES, _CUED):
        yield _span(match, 1, 0.95, "cue")
    for match in _AREA.finditer(text) if has(page, _AREAS) else ():
        yield _span(match, 0, 0.84, "area")
    for match in _LETTERED.finditer(text):
        if _CANADIAN.fullmatch(match.group()):
            yield _span(match, 0, 0.85, "Canadian")
        elif _BRITISH.fullmatch(match.group()):
            two = " " in match.group()
            yield _span(
                match, 0, 0.85 if two else 0.6, "British in two" if two else "British in one"
            )
    for match in matches(page, _LONDONS, _LONDON):
        yield _span(match, 1, 0.9, "London district")


def _span(match: re.Match[str], group: int, certainty: float, rule: str) -> Span:
    return Span(match.start(group), match.end(group), Kind.ZIP, certainty, "zips", rule)
