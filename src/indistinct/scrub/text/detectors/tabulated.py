"""Names in what machines write: tables with a heading line, HL7 fields, mark-up of name parts.

*id,first_name,last_name*, *PID|1||QUINTANA^MARISELA*, *<given>Marisela</given>*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import knowledge
from indistinct.scrub.text.detectors._name_words import words
from indistinct.scrub.text.detectors._names import KNOWN
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

_FIRST = words("first first_name firstname given given_name givenname forename nombre prenom")
_LAST = words("last last_name lastname family family_name familyname surname apellido nom")
_FULL = words(
    "name full_name fullname patient patient_name patientname provider provider_name physician "
    "attending doctor contact_name customer_name employee_name client_name contact customer "
    "employee emergency_contact guarantor next_of_kin"
)
_PAIRED = words("first last given family")
_SEPARATORS = ",;|"
_MOST_CELLS = 60
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_][^\d_@:/=]{0,48}")
_CARETS = re.compile(
    r"(?<![\w^])(\d\w{0,19}\^)?([^\W\d_][^\W\d_' -]{1,30}(?:[ '-][^\W\d_]{1,20})?"
    r"\^[^\W\d_][\w' -]{0,30}(?:\^[^\W\d_]{1,20}\.?)?)"
)
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_PART = re.compile(
    r"[<\"'](first|last|given|family|middle)(?:[_-]?name)?(?:>|[\"']\s?:\s?\[?[\"'])"
    r"([^\W\d_][\w.' -]{0,40})(?=[<\"'])",
    re.IGNORECASE,
)


def detect(page: Page) -> Iterator[Span]:
    """Names in cells and fields."""
    text = page.text
    if "^" in text:
        for match in _CARETS.finditer(text):
            start, end = match.span(2)
            if match.group(1):
                yield Span(start, end, Kind.FULL_NAME, 0.9, "tabulated", "hl7, numbered")
            elif _of_person(text, start) or _named(match.group(2)):
                yield Span(start, end, Kind.FULL_NAME, 0.85, "tabulated", "hl7")
    if "<" in text or '"' in text or "'" in text:
        for match in _PART.finditer(text):
            kind = Kind.LAST_NAME if match.group(1).lower() in _LAST else Kind.FIRST_NAME
            yield Span(match.start(2), match.end(2), kind, 0.9, "tabulated", "part")
    yield from _columns(page)


def _of_person(text: str, start: int) -> bool:
    """Whether a field is in a segment about a person: the patient, the next of kin, who pays."""
    line = text.rfind("\n", 0, start) + 1
    return text[line : line + 4] in ("PID|", "NK1|", "GT1|", "MRG|")


def _named(field: str) -> bool:
    """Whether the parts of a field are a name's: no code (ORU^R01), no test (CBC^BLOOD COUNT)."""
    family, _, given = field.partition("^")
    if _DIGIT.search(field) or knowledge().is_medical(family):
        return False
    known = [KNOWN[word.lower()] for word in _LETTER_RUN.findall(field)]
    first = _LETTER_RUN.match(given)
    if first is not None and KNOWN[first.group().lower()].first > 0:
        return True
    return not any(fact.medical or fact.ordinary for fact in known)


def _columns(page: Page) -> Iterator[Span]:
    """Cells below a heading that says name."""
    text = page.text
    kinds: dict[int, Kind] = {}
    separator, width = "", 0
    for start, end in page.lines:
        if not width and end - start > 400:
            continue
        line = text[start:end]
        count = line.count(separator) if separator else 0
        if width and count == width:
            yield from _cells(line, start, separator, kinds)
            continue
        separator, width, kinds = _heading(line)


def _heading(line: str) -> tuple[str, int, dict[int, Kind]]:
    """The separator, how often it stands, and the columns of names, if a line heads a table."""
    if _DIGIT.search(line):
        return "", 0, {}
    for separator in _SEPARATORS:
        count = line.count(separator)
        if not 0 < count < _MOST_CELLS:
            continue
        kinds: dict[int, Kind] = {}
        cells = [cell.strip(" \"'*").lower().replace(" ", "_") for cell in line.split(separator)]
        for number, cell in enumerate(cells):
            if cell in _FIRST:
                kinds[number] = Kind.FIRST_NAME
            elif cell in _LAST:
                kinds[number] = Kind.LAST_NAME
            elif cell in _FULL:
                kinds[number] = Kind.FULL_NAME
        # First and last names go together; alone the words are a turn in a race, or a history.
        if not _PAIRED.isdisjoint(cells) and len(set(kinds.values())) < 2:
            kinds = {number: kind for number, kind in kinds.items() if cells[number] not in _PAIRED}
        # A sentence with commas is no heading: its cells are long.
        if kinds and all(cell.count("_") < 4 for cell in cells):
            return separator, count, kinds
    return "", 0, {}


def _cells(line: str, start: int, separator: str, kinds: dict[int, Kind]) -> Iterator[Span]:
    place = start
    for number, cell in enumerate(line.split(separator)):
        bare = cell.strip(" \"'")
        if number in kinds and _LETTERS.fullmatch(bare):
            begin = place + cell.index(bare)
            yield Span(begin, begin + len(bare), kinds[number], 0.85, "tabulated", "column")
        place += len(cell) + 1
