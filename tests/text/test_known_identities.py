"""A table of known people: found by name, number, date and address, in any usual way of writing."""

from __future__ import annotations

from datetime import date

import pytest

from indistinct.core.errors import InputError
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.identities import Identities, guess_columns
from indistinct.scrub.text.memory import Memory
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import Kind

PEOPLE = [
    {
        "Last Name": "Brandvold",
        "First Name": "Ottilie",
        "Sex": "F",
        "DOB": "1986-05-26",
        "MRN": "32-841-09787",
        "Phone": "(617) 473-1214",
        "E-mail": "Tilly.B@example.org",
        "Address": "18 Huntingfield Row, Quillington",
    },
    {"Last Name": "Long", "First Name": "May", "DOB": date(1931, 12, 3), "MRN": "QX 00417"},
]
KNOWN = Identities(PEOPLE)


def found(text: str, known: Identities = KNOWN) -> list[str]:
    page = read(text)
    spans = known.postings(page)
    assert all((span.detector, span.rule) == ("memory", "known") for span in spans)
    return sorted(text[span.start : span.end] for span in spans)


@pytest.mark.parametrize(
    "written",
    "05/26/1986|5-26-86|26.5.1986|1986-05-26|May 26, 1986|26 May 1986|May 26th, 1986|26-May-86"
    "|1986/05/26|26th of May 1986".split("|"),
)
def test_a_date_of_birth_is_found_in_every_written_form(written: str) -> None:
    assert found(f"born on {written}, in town") == [written]


@pytest.mark.parametrize(
    "written",
    "617-473-1214|617.473.1214|617 473 1214|6174731214|1-617-473-1214|473-1214".split("|"),
)
def test_a_phone_is_found_whatever_its_marks(written: str) -> None:
    assert found(f"call {written} today") == [written]


@pytest.mark.parametrize("written", ["32-841-09787", "3284109787", "32 841 09787", "QX00417"])
def test_a_record_number_is_found_whatever_its_marks(written: str) -> None:
    assert found(f"chart {written} was read") == [written]


@pytest.mark.parametrize(
    "written",
    [
        "Ottilie Brandvold", "Brandvold, Ottilie", "OTTILIE BRANDVOLD", "ottilie brandvold",
        "Ottilie K. Brandvold", "May Long", "Long, May", "18 Huntingfield Row",
        "tilly.b@example.org", "Brandvold",
    ],
)  # fmt: skip
def test_names_and_addresses_are_found_as_people_write_them(written: str) -> None:
    assert found(f"note on {written} today") == [written]


@pytest.mark.parametrize(
    "text",
    [
        "a long day in may", "Long bones. May be seen.", "On 5/27/1986 she fell.",
        "call 473-1215", "32-841-09788", "18 Huntingfield Lane", "in May 1986", "It may be long.",
    ],
)  # fmt: skip
def test_what_only_looks_alike_stays(text: str) -> None:
    assert found(text) == []


def test_a_common_word_needs_a_cue() -> None:
    assert found("Dear Mrs. Long, sister May is here") == ["Long", "May"]


def test_headings_are_guessed_or_said() -> None:
    guessed = guess_columns(["given_name", "Surname", "Date of Birth", "e_mail", "ward"])
    assert list(guessed.values()) == ["first", "last", "birth", "email"]
    rows = [{"Pat_Nm": "Brandvold, Ottilie"}]
    assert found("Ottilie Brandvold", Identities(rows, columns={"Pat_Nm": "name"}))
    with pytest.raises(InputError, match=r"Got the columns 'Pat_Nm'"):
        Identities(rows)
    with pytest.raises(InputError, match="'who'"):
        Identities(rows, columns={"Pat_Nm": "who"})


def test_empty_cells_and_odd_values_are_passed_over() -> None:
    odd = [{"name": None, "dob": "unknown", "mrn": "12", "phone": "", "address": "x"}]
    assert found("unknown 12 x on 1/1/2000", Identities(odd)) == []
    assert Identities([]).people == 0


def test_nothing_of_anybody_is_printed() -> None:
    assert repr(KNOWN) == "Identities(2 people)"


def test_a_finder_uses_the_table() -> None:
    text = "talked to ottilie brandvold about 3284109787"
    spans = Finder(detectors=[]).find(text, memory=Memory(identities=KNOWN))
    assert [(text[s.start : s.end], s.kind) for s in spans] == [
        ("ottilie brandvold", Kind.FULL_NAME),
        ("3284109787", Kind.RECORD_NUMBER),
    ]


def test_a_long_list_costs_a_document_no_more_than_a_short_one() -> None:
    class Counted(dict):
        looked = 0

        def __contains__(self, key: object) -> bool:
            Counted.looked += 1
            return super().__contains__(key)

    text = "Seen today was Ottilie Brandvold of Quillington, 617-473-1214. " * 20
    counts = []
    for size in (10, 10_000):
        known = Identities({"name": f"Name{n} Person{n}", "mrn": f"{n:09d}"} for n in range(size))
        known._roles, Counted.looked = Counted(known._roles), 0
        known.postings(read(text))
        counts.append(Counted.looked)
    assert counts[0] == counts[1]
