"""Scrub as a detective: what letters give away, linked with a register of made-up people."""

from __future__ import annotations

import pyarrow as pa
import pytest
from small_data import shared_engine

from indistinct.files import open_table
from indistinct.prove import Register, verify
from indistinct.prove.attacks import exact_attack
from indistinct.scrub.text.detective import SCHEMA, identifiers, people_of
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import Kind, Span

PEOPLE = [
    ("Marian", "Tolliver", "F", "1961-03-04", "02139"),
    ("Eugene", "Tolliver", "M", "1958-11-20", "02139"),
    ("Beatrice", "Langford", "F", "1961-03-04", "02141"),
    ("Harold", "Whitcomb", "M", "1979-07-30", "02138"),
    ("Cynthia", "Ostrander", "F", "1990-01-15", "02139"),
]
REGISTER = [
    *PEOPLE,
    ("Marian", "Tolliver", "F", "1983-09-09", "02140"),
    ("Harold", "Whitcomb", "M", "1950-02-11", "02138"),
    ("Dorothy", "Ellsworth", "F", "1961-03-04", "02139"),
    ("Eugene", "Pryor", "M", "1958-11-20", "02141"),
]


def letter(first, last, sex, born, postcode):
    year, month, day = born.split("-")
    title, he = ("Mrs.", "she") if sex == "F" else ("Mr.", "he")
    return (
        f"May 2, 2012\n\nRE: {first} {last}\nDOB: {month}/{day}/{year}\n"
        f"14 Alder Street, Cambridge, MA {postcode}\nMRN: 55-1234\n\n"
        f"Dear Dr. Pemberton:\n\nI saw {title} {last} today and {he} is much better. "
        f"The asthma that {he} had since June of 2001 is under control.\n\n"
        "Sincerely,\nWalter Simmons, M.D.\n"
    )


@pytest.fixture(scope="module")
def gathered():
    return identifiers(letter(*somebody) for somebody in PEOPLE)


def test_the_table_has_a_row_for_every_person(gathered):
    assert gathered.schema == SCHEMA
    rows = gathered.to_pylist()
    assert {row["document"] for row in rows} == {1, 2, 3, 4, 5}
    patients = [row for row in rows if row["patient"]]
    told = [(r["first"], r["last"], r["sex"], r["birth_date"], r["zip"]) for r in patients]
    assert told == PEOPLE
    assert {row["record_number"] for row in patients} == {"55-1234"}
    assert {(row["city"], row["state"]) for row in patients} == {("Cambridge", "MA")}
    assert all("2012-05-02" in row["dates"] for row in patients)
    others = {row["last"] for row in rows if not row["patient"]}
    assert {"Pemberton", "Simmons"} <= others


def test_the_letters_patients_are_found_in_a_register(gathered):
    """What the voter list did to de-identified discharge data, by letters."""
    engine = shared_engine()
    names = ["first", "last", "sex", "birth_date", "zip"]
    columns = dict(zip(names, map(list, zip(*REGISTER, strict=True)), strict=True))
    voters = {"voter": [f"voter {n}" for n in range(1, 10)], **columns}
    register = Register(
        open_table(pa.table(voters), workspace=engine.workspace, origin="voters"), person="voter"
    )
    patients = gathered.filter(gathered.column("patient"))
    found = open_table(
        patients.select(["birth_date", "sex", "zip", "dates"]).drop_columns(["dates"]),
        workspace=engine.workspace,
        origin="letters",
    )
    truth = [f"voter {n}" for n in range(1, 6)]
    attack = exact_attack(
        engine, found, register, attributes=["birth_date", "sex", "zip"], truth=truth
    )
    # Marian Tolliver shares her birthday, sex and ZIP with Dorothy Ellsworth
    assert (attack.unique, attack.right, attack.ambiguous) == (4, 4, 1)
    by_name = open_table(
        patients.select(names), workspace=engine.workspace, origin="letters with names"
    )
    named = exact_attack(engine, by_name, register, attributes=names, truth=truth)
    assert (named.unique, named.right) == (5, 5)
    proof = verify(engine, found, ["birth_date", "sex", "zip"], registers=[register])
    assert proof.verdict == "none"


def test_a_document_without_people_has_no_row():
    assert identifiers(["Hypertension, well controlled."]).num_rows == 0
    assert identifiers([]).schema == SCHEMA


def test_an_address_and_an_e_mail_belong_to_whom_they_name():
    text = (
        "Patient: Harold Whitcomb\n\n"
        "Write to walter.simmons@mail.example.com or ask Dr. Walter Simmons, (617) 555-0142."
    )
    rows = {row["last"]: row for row in identifiers([text]).to_pylist()}
    assert rows["Simmons"]["email"] == "walter.simmons@mail.example.com"
    assert rows["Simmons"]["phone"].endswith("555-0142")
    assert rows["Whitcomb"]["patient"]
    assert rows["Whitcomb"]["phone"] is None


def test_the_town_is_what_stands_before_the_zip_code():
    for address, city in (
        ("47 Meadow Avenue, Plainshire 21397", "Plainshire"),
        ("12 Elm Street, Seabury, MA 02151", "Seabury"),
        ("101 Manning Drive Seabury MA 02115", "Seabury"),
        ("12 Elm Street 02151", None),
    ):
        page = read(f"RE: Odalys Ferrante\n{address}\n")
        start = page.text.index(address)
        spans = [
            Span(4, 19, Kind.FULL_NAME, 0.9, "test"),
            Span(start, start + len(address), Kind.ADDRESS, 0.9, "test"),
        ]
        assert people_of(page, spans)[0]["city"] == city


def test_a_record_number_is_no_phone_number():
    for cue, number, field in (
        ("Her hospital number", "90-8368-52", "record_number"),
        ("Her number", "90-8368-52", "record_number"),
        ("Her phone number", "555-0199", "phone"),
        ("Her phone number", "90-8368-52", "phone"),
    ):
        page = read(f"RE: Odalys Ferrante. {cue} {number}.")
        start = page.text.index(number)
        spans = [
            Span(4, 19, Kind.FULL_NAME, 0.9, "test"),
            Span(start, start + len(number), Kind.PHONE, 0.9, "test"),
        ]
        assert people_of(page, spans)[0][field] == number
