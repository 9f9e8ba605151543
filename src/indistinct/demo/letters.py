"""Letters and notes about people of the demo's census, and what in them refers to people.

Patients, their families and their addresses are those of the census and its register; clinicians,
employers and numbers are made up. The same census and seed give the same letters.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indistinct.census import CENSUS_DAY, GIVEN_NAMES, LABELS, STREETS, SURNAMES
from indistinct.core import Bools
from indistinct.demo.letter_forms import FORMS, Form, Who

__all__ = ["Letter", "fill", "letters_about", "write_letters"]

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
