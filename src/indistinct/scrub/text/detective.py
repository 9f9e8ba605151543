"""Scrub as a detective: the people of documents as a table, to link with registers.

What finds references in order to remove them also gathers them (Sweeney 2001, section 6.1: "it is
quite useful in automatically detecting and gathering personally identifying information"). The
table has one row a person and the columns that voter lists and other registers have, so that the
linking attack of `indistinct.prove` can be run on it, to show what unscrubbed text gives away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from indistinct.knowledge import STATES
from indistinct.scrub.text.events import facts_told
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.memory import Memory
from indistinct.scrub.text.page import Page, read
from indistinct.scrub.text.people import Mention, Person, gather
from indistinct.scrub.text.replace.calendar import Written, dates_in
from indistinct.scrub.text.replace.places import split_ending, street_and_town
from indistinct.scrub.text.spans import AGE90, DATE, LOCATION, NAME, Kind, Span

__all__ = ["SCHEMA", "identifiers", "people_of"]

SCHEMA = pa.schema(
    [
        ("document", pa.int64()),
        ("person", pa.int64()),
        ("patient", pa.bool_()),
        *((name, pa.string()) for name in ("first", "last", "sex", "birth_date")),
        ("age", pa.int64()),
        *((name, pa.string()) for name in ("zip", "city", "state", "phone", "email")),
        ("record_number", pa.string()),
        ("dates", pa.list_(pa.string())),
    ]
)
_FULL_STATES = {name.lower(): code for code, name in STATES.items()}
_ZIP_CODE = re.compile(r"(?<!\d)\d{5}(?=(?:-\d{4})?(?!\d))")
_PARTS = re.compile(r"[,;\n|^]|\s{3,}")
_STATE_BEFORE = re.compile(r"\b([A-Z]{2})[ ,^]{1,4}$")
_RECORD = re.compile(
    r"\b(?:record|chart|mrn|unit|case|file|patient|account|hospital|medical|id)"
    r" ?(?:number|no|nr|num|id)?\b[.:#]{0,2} {0,3}$|\bm\.?r\.?n?\.?[ :#]{1,4}$"
    r"|(?<!phone )(?<!cell )(?<!fax )(?<!pager )\bnumber:? {0,2}$",
    re.IGNORECASE,
)
_FIELDS = {
    Kind.PHONE: "phone",
    Kind.EMAIL: "email",
    Kind.ZIP: "zip",
    Kind.CITY: "city",
    Kind.STATE: "state",
    Kind.RECORD_NUMBER: "record_number",
    Kind.BIRTH_DATE: "birth_date",
}
_OF_THE_PATIENT = frozenset((Kind.RECORD_NUMBER, Kind.BIRTH_DATE))


def identifiers(documents: Iterable[str], *, finder: Finder | None = None) -> pa.Table:
    """Gather the people of documents, one row each, with what is written about them.

    Birth dates and other dates are ISO dates where day, month and year are given, states have
    two letters. Documents are numbered from 1, and so are the people of each.

    >>> letter = "RE: Virginia Townsend, DOB 05/26/1986\\n\\nDear Dr. Lang:\\n\\nShe is well."
    >>> patient = identifiers([letter]).to_pylist()[0]
    >>> patient["first"], patient["last"], patient["sex"], patient["birth_date"]
    ('Virginia', 'Townsend', 'F', '1986-05-26')
    """
    finder = finder or Finder()
    rows = []
    for number, text in enumerate(documents, start=1):
        page = read(text)
        spans = finder.on_page(page, Memory())
        rows += [{"document": number, **row} for row in people_of(page, spans)]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def people_of(page: Page, spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Rows for the people of one page, the patient first, given what was found on it."""
    people, mentions = gather(page, spans)
    if not people:
        return []
    patient = _patient(people, mentions)
    rows = {person.number: _row(person) for person in people}
    rows[patient]["patient"] = True
    dates = rows[patient]["dates"] = []
    for span in spans:
        if span.label == DATE:
            dates += _iso_dates(page.text[span.start : span.end])
        if span.label != NAME:
            owner = (
                patient if span.kind in _OF_THE_PATIENT else _owner(page, span, people, mentions)
            )
            _tell(rows[patient if owner is None else owner], page, span)
    _add_facts(rows[patient], page.text)
    return sorted(rows.values(), key=lambda row: (not row["patient"], row["person"]))


def _row(person: Person) -> dict[str, Any]:
    row = dict.fromkeys(SCHEMA.names[1:])
    row |= {"person": person.number + 1, "patient": False, "sex": person.sex}
    row |= {"first": person.first or person.nickname or None, "last": person.last or None}
    return row


def _patient(people: Sequence[Person], mentions: Sequence[Mention]) -> int:
    """The patient, or whoever is named most and does not treat."""
    times = {person.number: 0 for person in people}
    for mention in mentions:
        times[mention.person] += 1
    return max(people, key=lambda p: (p.patient, not p.staff, times[p.number], -p.number)).number


def _owner(
    page: Page, span: Span, people: Sequence[Person], mentions: Sequence[Mention]
) -> int | None:
    """Whose it is: a name within it decides, else whoever the paragraph named last before it."""
    if span.kind == Kind.EMAIL:
        local = page.text[span.start : span.end].lower().partition("@")[0]
        for person in people:
            parts = [part.lower() for part in (person.last, person.first) if len(part) > 2]
            if any(part in local for part in parts):
                return person.number
    before = [mention for mention in mentions if mention.span.end <= span.start]
    if not before or "\n\n" in page.text[before[-1].span.end : span.start]:
        return None
    return before[-1].person


def _tell(row: dict[str, Any], page: Page, span: Span) -> None:
    """Write what a span says into a person's row, where nothing stands yet."""
    told = page.text[span.start : span.end]
    if span.label == LOCATION:
        town, state, code = _address(told)
        if code and span.kind is not Kind.ZIP:
            for name, value in (("city", town), ("state", state), ("zip", code)):
                _set(row, name, value)
            return
        if span.kind == Kind.ZIP:
            before = _STATE_BEFORE.search(page.text, max(0, span.start - 8), span.start)
            if before:
                _set(row, "state", before[1])
    if span.label == AGE90 and told.isdigit():
        row["age"] = row["age"] or int(told)
    field = _FIELDS.get(span.kind)
    if field == "phone" and _is_record(page, span):
        field = "record_number"
    if field == "birth_date":
        dates = _iso_dates(told)
        _set(row, field, dates[0] if dates else None)
    elif field:
        _set(row, field, told[:5] if field == "zip" else told)


def _address(told: str) -> tuple[str, str, str]:
    """Town, state and ZIP code at the end of an address, each "" where it is missing."""
    codes = list(_ZIP_CODE.finditer(told))
    if not codes:
        return "", "", ""
    body, state, _ = split_ending(told[: codes[-1].start()].rstrip(" ,;|^\n"))
    part = next((one.strip() for one in reversed(_PARTS.split(body)) if one.strip()), "")
    _, town = street_and_town(part, first=False)
    return town.strip(), state.strip(" ,;|^\n."), codes[-1].group()


def _is_record(page: Page, span: Span) -> bool:
    """Whether what was taken for a phone number is rather a record's: by its length and cue."""
    told = page.text[span.start : span.end]
    digits = sum(map(str.isdigit, told))
    if digits in (7, 10, 11) or told.lstrip().startswith(("+", "(")):
        return False
    return _RECORD.search(page.text, max(0, span.start - 32), span.start) is not None


def _set(row: dict[str, Any], name: str, value: str | None) -> None:
    if value and not row[name]:
        row[name] = _FULL_STATES.get(value.lower(), value.upper()) if name == "state" else value


def _iso_dates(text: str) -> list[str]:
    return [
        f"{date.year:04d}-{date.month:02d}-{date.day:02d}"
        for date in dates_in(text)
        if isinstance(date, Written) and date.year and date.month and date.day
    ]


def _add_facts(row: dict[str, Any], text: str) -> None:
    """Age and sex as the text tells them, where the names did not."""
    for fact in facts_told(text):
        if fact.kind == "age":
            row["age"] = row["age"] or int(fact.value)
        elif fact.kind == "sex":
            row["sex"] = row["sex"] or fact.value
