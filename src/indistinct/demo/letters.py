"""Letters and notes about people of the demo's census, and what in them refers to people.

Patients, their families and their addresses are those of the census and its register; clinicians,
employers and numbers are made up. The same census and seed give the same letters.

The forms of the demo's letters and notes: what people write about patients, with blanks.

A blank `{he}` is filled in; `{NAME patient.first}` is filled in and is a reference, which must go.
Of ages only those over 89 must.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indistinct.census import CENSUS_DAY, GIVEN_NAMES, LABELS, STREETS, SURNAMES
from indistinct.core import Bools

__all__ = ["FORMS", "Letter", "fill", "letters_about", "write_letters"]

_COLUMNS = ["household", "relationship", "sex", "date_of_birth", "occupation", "county"]
_NAMES = ["given_name", "surname", "identity_number"]
_HEAD, _SPOUSE, _PARTNER, _CHILD = 1, 2, 3, 4
_MALE, _FEMALE = 1, 2
_SPAWN = 0x1E7  # letters are drawn apart from the rest of the demo

_NICKNAMES = {
    **{"Michael": "Mike", "David": "Dave", "Robert": "Bob", "Stephen": "Steve", "Andrew": "Andy"},
    **{"Daniel": "Danny", "James": "Jim", "Thomas": "Tom", "Samuel": "Sam", "Susan": "Sue"},
    **{"Margaret": "Peggy", "Judith": "Judy", "Olivia": "Liv", "Katarina": "Kate"},
    **{"Peter": "Pete", "Leonard": "Len", "Amelia": "Millie", "Edith": "Edie", "John": "Jack"},
}
_BLANK = re.compile(r"\{(?:(?P<label>[A-Z]+) )?(?P<name>[A-Za-z_.]+)\}")
_EMPLOYERS = ("Foods Inc.", "& Sons Ltd", "Engineering", "Textiles", "Logistics Corp")
_HOSPITALS = ("General Hospital", "Memorial Hospital", "University Hospital")
_RESIDENCES = ("Willow Court", "Hillview", "St. Anne's", "Maple Grove")

Values = Mapping[str, str]


@dataclass(frozen=True)
class Letter:
    """A letter, what in it refers to people, and the identity number of its patient.

    `known` is what a database would hold of it: the names of patient (P) and author (D).
    """

    name: str
    text: str
    spans: tuple[tuple[int, int, str], ...]
    patient: int
    known: Mapping[str, Mapping[str, str]]

    def gold(self) -> dict[str, Any]:
        """Return the references as people would have marked them."""
        spans = [{"start": s, "end": e, "label": label} for s, e, label in self.spans]
        return {"id": self.name, "spans": spans, "people": self.known}


def fill(form: str, values: Values) -> tuple[str, tuple[tuple[int, int, str], ...]]:
    """Fill in the blanks of a form, and say where its references are.

    >>> fill("Dear {NAME who.last.upper}, {he} is well.", {"who.last": "Lang", "he": "she"})
    ('Dear LANG, she is well.', ((5, 9, 'NAME'),))
    """
    text, spans, place = "", [], 0
    for blank in _BLANK.finditer(form):
        text += form[place : blank.start()]
        place = blank.end()
        value = _value(blank["name"], values)
        label = blank["label"]
        if label == "AGE" and int(value) > 89:
            label = "AGE90"
        if label:
            spans.append((len(text), len(text) + len(value), label))
        text += value
    return text + form[place:], tuple(spans)


def _value(name: str, values: Values) -> str:
    if name in values:
        return values[name]
    name, _, manner = name.rpartition(".")
    return values[name].upper() if manner == "upper" else values[name].lower()


def write_letters(
    folder: Path, gold: Path, census: Path, register: Path, *, seed: int
) -> list[Letter]:
    """Write the letters to a new folder and their references to a file, both private."""
    people = pq.read_table(census, columns=[*_COLUMNS, *_NAMES])
    addresses = pq.read_table(register, columns=["identity_number", "address"])
    letters = list(letters_about(people, addresses, seed=seed))
    folder.mkdir()
    for letter in letters:
        (folder / f"{letter.name}.txt").write_text(letter.text, encoding="utf-8", newline="\n")
    lines = [json.dumps(letter.gold()) + "\n" for letter in letters]
    gold.write_text("".join(lines), encoding="utf-8", newline="\n")
    return letters


def letters_about(people: pa.Table, addresses: pa.Table, *, seed: int) -> Iterator[Letter]:
    """Give a letter for each form that somebody fits."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_SPAWN,)))
    census = _Census(people, addresses)
    taken: set[int] = set()
    row: int | None = None
    number = 0
    values: dict[str, str] = {}
    for form in FORMS:
        if form.who != "again":
            row = census.choose(form, rng, taken)
            if row is not None:
                taken.add(row)
                values = census.values(row, rng)
        if row is not None:
            text, spans = fill(form.text, values)
            number += 1
            patient = people["identity_number"][row].as_py()
            yield Letter(f"letter-{number:02}", text, spans, patient, _held(values))


class _Census:
    """The people whom letters can be about."""

    def __init__(self, people: pa.Table, addresses: pa.Table) -> None:
        self._people, self._addresses = people, addresses
        self._household, self._relation, self._sex = (
            people[name].to_numpy() for name in ("household", "relationship", "sex")
        )
        born = people["date_of_birth"].cast(pa.int32()).to_numpy()
        today = (CENSUS_DAY - dt.date(1970, 1, 1)).days
        self._age = (today - born) / 365.25
        minor = (self._relation == _CHILD) & (self._age >= 3) & (self._age < 15)
        couple = self._relation <= _SPOUSE
        mother = (self._relation <= _PARTNER) & (self._sex == _FEMALE) & (self._age > 20)
        grown = (self._age >= 20) & (self._age < 80)
        works = people["occupation"].to_numpy() > 0
        self._fitting: dict[Who, Bools] = {
            "adult": grown,
            "worker": grown & works & (self._age < 65),
            "married": couple & grown & self._with(self._relation == _SPOUSE),
            "parent": couple & grown & self._with(minor),
            "child": minor & self._with(mother),
            "old": self._age >= 82,
        }
        self._minor, self._mother = minor, mother

    def _with(self, somebody: Bools) -> Bools:
        """Those in whose household somebody is."""
        return np.isin(self._household, self._household[somebody])

    def choose(self, form: Form, rng: np.random.Generator, taken: set[int]) -> int | None:
        """Somebody whom a form fits, with a nickname where it has one, and no letter yet."""
        fitting = np.flatnonzero(self._fitting[form.who])
        fitting = fitting[~np.isin(fitting, list(taken))]
        if "patient.nick" in form.text:
            known = pc.is_in(self._people["given_name"], pa.array(list(_NICKNAMES)))
            named = fitting[known.to_numpy()[fitting]]
            fitting = named if len(named) else fitting
        return int(rng.choice(fitting)) if len(fitting) else None

    def values(self, row: int, rng: np.random.Generator) -> dict[str, str]:
        """What is filled into a form about somebody."""
        someone = {name: self._people[name][row].as_py() for name in self._people.column_names}
        found: dict[str, str] = {}
        for role, other in (("patient", row), *self._family(row)):
            first, last = (self._people[name][other].as_py() for name in _NAMES[:2])
            found |= _called(role, first, last)
        for role in ("author", "recipient", "other"):
            found |= _called(role, rng.choice(GIVEN_NAMES), rng.choice(SURNAMES))
        spouse = [other for role, other in self._family(row) if role == "spouse"]
        wife = bool(spouse) and self._sex[spouse[0]] == _FEMALE
        found["spouse_word"] = "wife" if wife else "husband"
        of_patient = pc.equal(self._addresses["identity_number"], someone["identity_number"])
        found["street"] = self._addresses.filter(of_patient)["address"][0].as_py()
        occupation = LABELS["occupation"][someone["occupation"]].lower()
        found |= {"job": occupation, "town": LABELS["county"][someone["county"]]}
        return found | _gender(someone["sex"]) | _made_up(found, someone, rng)

    def _family(self, row: int) -> list[tuple[str, int]]:
        """The spouse, the mother and a child of somebody, as far as they live together."""
        here = self._household == self._household[row]
        other = here & (np.arange(len(here)) != row)
        found = []
        for role, wanted in (
            ("spouse", self._relation <= _SPOUSE),
            ("mother", self._mother),
            ("child", self._minor),
        ):
            rows = np.flatnonzero(other & wanted)
            found += [(role, int(rows[0]))] if len(rows) else []
        return found


def _held(values: Values) -> dict[str, dict[str, str]]:
    return {
        letter: {name: values[f"{role}.{name}"] for name in ("first", "last")}
        for letter, role in (("P", "patient"), ("D", "author"))
    }


def _called(role: str, first: str, last: str) -> dict[str, str]:
    names = {
        "first": first,
        "last": last,
        "full": f"{first} {last}",
        "comma": f"{last}, {first}",
        "nick": _NICKNAMES.get(first, first),
        "initials": f"{first[0]}{last[0]}".lower(),
        "mail": f"{first[0]}.{last}@example.org".lower(),
    }
    return {f"{role}.{name}": value for name, value in names.items()}


def _gender(sex: int) -> dict[str, str]:
    if sex == _MALE:
        return {
            **{"he": "he", "him": "him", "his": "his", "He": "He", "His": "His", "title": "Mr."},
            **{"man": "man", "boy": "boy", "himself": "himself", "sex_letter": "M"},
        }
    return {
        **{"he": "she", "him": "her", "his": "her", "He": "She", "His": "Her", "title": "Ms."},
        **{"man": "woman", "boy": "girl", "himself": "herself", "sex_letter": "F"},
    }


def _made_up(known: Values, someone: Mapping[str, Any], rng: np.random.Generator) -> dict[str, str]:
    """Dates, numbers and organisations that the census does not have."""
    town = known["town"]
    born: dt.date = someone["date_of_birth"]
    visit = CENSUS_DAY + dt.timedelta(days=int(rng.integers(10, 200)))
    after = visit + dt.timedelta(days=int(rng.integers(5, 21)))
    later = after + dt.timedelta(days=int(rng.integers(5, 21)))
    since = visit - dt.timedelta(days=int(rng.integers(60, 300)))
    age = visit.year - born.year - ((visit.month, visit.day) < (born.month, born.day))
    digits = [f"{n:02}" for n in rng.integers(0, 100, 12)]
    code = f"{someone['county']}{digits[0]}{digits[1][0]}"
    streets = [f"{rng.integers(1, 99)} {rng.choice(STREETS)}" for _ in range(2)]
    area = int(rng.integers(210, 980))
    surname = rng.choice(SURNAMES)
    return {
        "age": str(age),
        "month": f"{since:%B %Y}",
        **_dates("born", born),
        **_dates("visit", visit),
        **_dates("next", after),
        **_dates("follow_up", later),
        "phone": f"({area}) 555-01{digits[2]}",
        "phone_dotted": f"{area}.555.01{digits[2]}",
        "fax": f"({area}) 555-01{digits[3]}",
        "record": f"{digits[4]}-{digits[5]}{digits[6]}-{digits[7]}",
        "licence": f"{digits[8]}{digits[9]}{digits[10]}",
        "home": f"{known['street']}, {town} {code}",
        "hospital_address": f"{streets[0]}, {town} {code}",
        "clinic_address": f"{streets[1]}, {town} {code}",
        "hospital": f"{town} {rng.choice(_HOSPITALS)}",
        "clinic": f"{streets[1].split(' ', 1)[1]} Clinic",
        "residence": f"{rng.choice(_RESIDENCES)} Nursing Home",
        "school": f"{town} Primary School",
        "employer": f"{surname} {rng.choice(_EMPLOYERS)}",
        "site": f"www.{town.lower().replace(' ', '')}-genetics.example.org",
    }


def _dates(name: str, day: dt.date) -> dict[str, str]:
    forms: Sequence[tuple[str, str]] = (
        ("", f"{day:%B} {day.day}, {day.year}"),
        ("_written", f"{day:%B} {day.day}, {day.year}"),
        ("_day_first", f"{day.day} {day:%B} {day.year}"),
        ("_slashed", f"{day:%m/%d/%Y}"),
        ("_iso", day.isoformat()),
    )
    return {f"{name}{form}": text for form, text in forms}


# The forms of the demo's letters and notes -------------------------------------------------------


Who = Literal["adult", "worker", "married", "parent", "child", "old", "again"]
"""Whom a letter can be about; `again` is about the same patient as the one before."""


@dataclass(frozen=True)
class Form:
    """A letter with blanks, and whom it can be about."""

    who: Who
    text: str


FORMS: tuple[Form, ...] = (
    Form(
        "worker",
        """\
{ORG hospital}
Department of Cardiology
{LOCATION hospital_address}

{DATE visit}

{NAME recipient.full}, M.D.
{LOCATION clinic_address}

RE: {NAME patient.full}
DOB: {DATE born_slashed}
MRN: {ID record}

Dear Dr. {NAME recipient.last}:

Thank you for sending {NAME patient.full}, a {AGE age}-year-old {man} who gives {his} \
occupation as {job}. {He} has had palpitations since {month}, mostly on the stairs. {title} \
{NAME patient.last} takes metoprolol 25 mg twice a day and has no allergies. Blood pressure was \
132/84; the echocardiogram showed mild mitral regurgitation and a normal ejection fraction.

A 48-hour Holter will be put on at {ORG clinic} on {DATE next}. Until then {he} may go on working. \
{He} can be reached at {PHONE phone}.

Sincerely,

{NAME author.full}, M.D.
License {ID licence}
""",
    ),
    Form(
        "again",
        """\
TELEPHONE NOTE   {DATE next_slashed}   {NAME author.last}

{NAME patient.last}, {NAME patient.first} called from {PHONE phone_dotted}. Holter shows two runs \
of atrial flutter, longest 40 sec. Told {him} to stop coffee and to come in. {NAME patient.first} \
asked that Dr. {NAME recipient.last} be told. Apixaban 5 mg b.i.d. started.
""",
    ),
    Form(
        "child",
        """\
{DATE visit_day_first}

Dear {NAME mother.full},

It was good to see {NAME patient.first} and you in our clinic. As we discussed, \
{NAME patient.nick} has grown 6 cm since {month}, and the coeliac disease is quiet. Please \
keep {him} free of gluten. The dietitian, {NAME other.full}, will ring you at {PHONE phone} \
next week.

{ORG school} needs the enclosed certificate before {DATE next}.

With kind regards,
{NAME author.full}
Consultant Paediatrician, {ORG hospital}
""",
    ),
    Form(
        "married",
        """\
DISCHARGE SUMMARY

Patient: {NAME patient.comma}          MRN: {ID record}
Date of birth: {DATE born_slashed}     Sex: {sex_letter}
Admitted: {DATE visit_slashed}         Discharged: {DATE next_slashed}
Attending: {NAME author.full}, MD

HISTORY: {title} {NAME patient.last} is a {AGE age} year old {man} with Crohn's disease who came \
to the emergency department with pain in the right lower quadrant. {His} {spouse_word}, \
{NAME spouse.first}, brought {him} in from {LOCATION town}.

COURSE: CT showed an abscess of 3 cm. Dr. {NAME other.last} drained it on the second day. \
Ceftriaxone and metronidazole were given. McBurney's point was no longer tender on the third day.

FOLLOW-UP: with Dr. {NAME recipient.last} at {ORG clinic} on {DATE follow_up}. {NAME spouse.first} \
will drive. Contact: {PHONE phone}.
""",
    ),
    Form(
        "adult",
        """\
pt {NAME patient.full.lower} seen today w/ low back pain x 3 wks, no red flags. lives in \
{LOCATION town.lower}. sees {NAME other.full.lower} for physio twice a week. straight leg \
raise neg. ibuprofen 400 tid, recheck {DATE next_slashed}. cell {PHONE phone}
""",
    ),
    Form(
        "old",
        """\
NURSING HOME PROGRESS NOTE
Resident: {NAME patient.full.upper}   DOB {DATE born_slashed}   Facility: {ORG residence}

This {AGE age}-year-old {man} with Parkinson's disease and a Foley catheter was found on the floor \
at 06:40. No head strike. {NAME patient.first} says {he} slipped. Hip films were negative. \
{title} {NAME patient.last} was seen by {NAME author.full}, RN. Family of the resident were \
called at {PHONE phone} and left a message for {NAME other.full}.
""",
    ),
    Form(
        "parent",
        """\
Social work assessment, {DATE visit}

Client: {NAME patient.full}, born {DATE born_written}
Address: {LOCATION home}
Telephone: {PHONE phone}

{title} {NAME patient.last} was referred by Dr. {NAME recipient.full} after the diagnosis of \
Hodgkin's disease. {He} lives with {his} child {NAME child.first}, who attends {ORG school}. \
{He} has been on leave from {ORG employer} since {month} and worries about the rent. \
{NAME patient.nick}, as {he} asks to be called, has no other family in {LOCATION town}. \
A letter will go to {ORG employer}; the contact there is {NAME other.full} ({EMAIL other.mail}).

{NAME author.full}, LCSW
""",
    ),
    Form(
        "worker",
        """\
From: {EMAIL author.mail}
To: {EMAIL recipient.mail}
Date: {DATE visit_iso}
Subject: {NAME patient.first} {NAME patient.last}

Hello {NAME recipient.first},

the biopsy of {title} {NAME patient.last} (born {DATE born_iso}, number {ID record}) came back \
benign. {His} ferritin is still low at 9. Could you see {him} at {ORG clinic} before \
{DATE follow_up}? {He} works shifts at {ORG employer} and is free in the mornings.

Thanks
{NAME author.first}
""",
    ),
    Form(
        "child",
        """\
{ORG hospital}
Emergency Department

{NAME patient.full} / {DATE born_iso} / {ID record}

{AGE age} year old {boy} brought by {his} mother, Mrs. {NAME mother.last}, after a fall from a \
swing. {NAME mother.first} saw no loss of consciousness. GCS 15. Colles' fracture on the left, \
reduced under nitrous oxide by Dr. {NAME other.full}. {NAME patient.first} went home to \
{LOCATION street} with a cast. Fracture clinic {DATE next}.

{NAME author.full}, MD
""",
    ),
    Form(
        "adult",
        """\
{NAME author.full}, Psy.D.
{LOCATION clinic_address}
Tel. {PHONE phone}   Fax {PHONE fax}

{DATE visit}

To whom it may concern:

{NAME patient.full} has been under my care since {month} for a major depressive episode. \
{NAME patient.first}'s sleep has improved on sertraline 100 mg. I support {title} \
{NAME patient.last}'s return to work on {DATE next}, four hours a day at first.

{NAME author.full}
""",
    ),
    Form(
        "married",
        """\
OPERATIVE REPORT
PATIENT NAME: {NAME patient.full.upper}
MEDICAL RECORD NUMBER: {ID record}
DATE OF OPERATION: {DATE visit_slashed}
SURGEON: {NAME author.full.upper}, M.D.
ASSISTANT: {NAME other.full.upper}, M.D.

PROCEDURE: LAPAROSCOPIC CHOLECYSTECTOMY.
FINDINGS: THE GALLBLADDER WAS INFLAMED. CALOT'S TRIANGLE WAS DISSECTED WITHOUT DIFFICULTY.
MR. AND MRS. {NAME patient.last.upper} WERE TOLD OF THE FINDINGS. A COPY GOES TO \
DR. {NAME recipient.last.upper} AT {ORG clinic.upper}.
""",
    ),
    Form(
        "worker",
        """\
Occupational health: fitness for work

Employer: {ORG employer}
Employee: {NAME patient.full}, date of birth {DATE born_day_first}, staff number {ID licence}

I saw {NAME patient.full} on {DATE visit}. {He} has had carpal tunnel syndrome on both sides \
since {month}; Phalen's test was positive. {title} {NAME patient.last} should not use vibrating \
tools for six weeks. Questions may go to me, {NAME author.full}, at {EMAIL author.mail}.
""",
    ),
    Form(
        "parent",
        """\
Dear {NAME recipient.first},

I saw {NAME patient.full} ({DATE born_written}) with {his} little {NAME child.first} on \
{DATE visit}. {NAME patient.first} has had migraine since the birth; propranolol helps. I asked \
{him} to keep a diary and to bring it on {DATE next}. The family has moved from {LOCATION town} to \
{LOCATION street}, so that you may wish to change your records.

Best wishes,
{NAME author.first}

cc: {NAME other.full}, {ORG hospital}
""",
    ),
    Form(
        "old",
        """\
{DATE visit_slashed} {NAME author.initials}
{NAME patient.comma} #{ID record}
{AGE age}yo {sex_letter}, hx CHF, T2DM, s/p CABG. Wt up 2 kg since last wk. JVP 9 cm, trace edema. \
Furosemide 40 -> 80. K 4.1, Cr 1.3. {NAME other.first} from {ORG residence} to weigh {him} daily \
and call {PHONE phone} if > 1 kg/d. d/w Dr {NAME recipient.last}.
""",
    ),
    Form(
        "adult",
        """\
Genetics clinic, {ORG hospital}

RE: {NAME patient.full}; {LOCATION home}; DOB {DATE born_written}; NHS number {ID record}

Dear {NAME patient.first},

Your blood test found no change in BRCA1 or BRCA2. Your cousin, {NAME other.full}, may still wish \
to be tested. We can be reached on {PHONE phone} or at {URL site}.

Yours sincerely,

Dr {NAME author.full}
""",
    ),
    Form(
        "adult",
        """\
Court report, private and confidential

{NAME patient.full} was born in {LOCATION town} on {DATE born_written}. At the age of three {he} \
was placed in foster care. At the age of nine {he} set fire to a barn. At the age of fifteen {he} \
was found in the river and revived. At the age of seventeen {he} won a national prize for the \
violin. {title} {NAME patient.last} told me so {himself} on {DATE visit}.

{NAME author.full}, M.D., {ORG hospital}
""",
    ),
)
