"""Who the people are: the one place that says whose record a record is, and counts people.

A file may hold several records of one person: visits, spells, purchases. Then a column says who
it is, and k records of one patient are one person, whatever the key. Without such a column a
record is a person.

Records that do not say whose they are may all be of one person, so they are counted as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indistinct.engine import Engine, Tally
from indistinct.engine.base import quote
from indistinct.files.source import Source
from indistinct.keys.table import KeyTable

__all__ = [
    "find_person",
    "numbers_people",
    "people_by_class",
    "person_of_records",
    "several_records",
]

IntArray = NDArray[np.int64]

_NUMBERED = frozenset(
    "id ids identifier nr no num number numero nummer key code hash token pseudonym".split()
)
_PEOPLE = frozenset(
    "patient patients person persons personal client subject participant respondent member insured "
    "individual resident pupil student employee worker customer beneficiary inmate proband klient "
    "versicherter versicherten mitglied schuler kunde paciente persona cliente alumno personne "
    "assure eleve social security identity national case fall dossier".split()
)
_ALONE = frozenset(
    "patient patientid personid clientid subjectid participantid respondentid memberid studentid "
    "pid subject participant respondent client pseudonym ssn mrn nhs cpr dni nie nif curp rut "
    "patientnr patientennummer personennummer versichertennummer fallnummer pseudonyme".split()
)
_OTHERWISE = re.compile(
    r"name|nom\b|nombre|apellido|initial|e?mail|courriel|correo|phone|telef|mobile|handy|fax|addres"
    r"|adresse|direccion|street|strasse|calle|\brue\b|birth|geburt|naissance|nacimiento|\bdob\b"
    r"|date|datum|fecha|household|haushalt|hogar|menage|hhid|family|famil|dwelling|building|house"
    r"|mother|father|spouse|partner|parent|guardian|latitude|longitude|url|text|note|comment"
    r"|visit|encounter|admission|stay|event|record|row|zip|postal|postcode|plz"
)
"""Names of what names or surrounds a person without numbering people: many share a surname."""

MOST_RECORDS = 100
"""A column that nobody declared numbers people only if it has at most so many records for each."""

AGREEING = 0.9
"""The share of people with several records who must agree with themselves on a key variable."""
MOST_ALIKE = 0.8
"""A key variable of which more people than this have one value says nothing about that."""


def words_of_name(name: str) -> list[str]:
    """Return the words of a column's name, in lower case."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return re.findall(r"[a-z0-9]+", parted.lower())


def numbers_people(name: str) -> bool:
    """Say whether a column's name says that it numbers people.

    >>> [n for n in ("patient", "PersonID", "case_no", "surname", "visit_id", "hhid", "student")
    ...     if numbers_people(n)]
    ['patient', 'PersonID', 'case_no']
    """
    words = words_of_name(name)
    if _OTHERWISE.search("_".join(words)):
        return False
    if "".join(words) in _ALONE:
        return True
    return bool(set(words) & _PEOPLE) and bool(set(words) & _NUMBERED)


def find_person(
    engine: Engine, source: Source, *, declared: str | None = None, key: Sequence[str] = ()
) -> str | None:
    """Return the column that says whose record each is; None where a record is a person.

    A column that is declared is taken at its word. Otherwise it is one that several records share
    and whose name says that it numbers people; or an identifier that several records share and
    that goes with the key: records that share it nearly always agree on a key variable, which
    those who share a surname or a street do not.

    Parameters
    ----------
    declared
        The column that the holder named.
    key
        Variables of the key are no numbers of people.

    >>> import indistinct
    >>> visits = {"patient": [*range(8)] * 3, "surname": ["Li"] * 24, "sex": [1, 2] * 12}
    >>> with indistinct.open_data(visits) as data:
    ...     find_person(data.engine, data.source, key=["sex"])
    'patient'
    """
    if declared is not None:
        source.check_columns([declared])
        return declared
    others = {
        name: variable.role
        for name, variable in source.variables.items()
        if name not in key and variable.role in ("identifier", "sensitive", "other")
    }
    numbering = {
        name: different
        for name in others
        if numbers_people(name) and (different := _repeating(engine, source, name))
    }
    if numbering:  # of patients and their cases, patients
        return min(numbering, key=lambda name: numbering[name])
    for name, role in others.items():
        told = numbers_people(name) or _OTHERWISE.search("_".join(words_of_name(name)))
        if role != "identifier" or told or not _repeating(engine, source, name):
            continue
        if any(_goes_with(engine, source, name, variable) for variable in key):
            return name
    return None


def several_records(engine: Engine, source: Source, person: str) -> bool:
    """Say whether somebody has several records, or several records do not say whose they are."""
    present, different = _present_and_different(engine, source, person)
    return different < present or source.records - present > 1


def _present_and_different(engine: Engine, source: Source, name: str) -> tuple[int, int]:
    found = engine.sql(
        f"SELECT count({quote(name)}) AS n, count(DISTINCT {quote(name)}) AS d FROM records",
        records=source,
    )
    return int(found.column("n")[0].as_py()), int(found.column("d")[0].as_py())


def _repeating(engine: Engine, source: Source, name: str) -> int:
    """Return how many values records share, few enough each that they may number people; or 0."""
    present, different = _present_and_different(engine, source, name)
    return different if 5 < different < present <= different * MOST_RECORDS else 0


def _goes_with(engine: Engine, source: Source, name: str, other: str) -> bool:
    """Say whether records that share a value nearly always agree on another variable, too."""
    both = f"{quote(name)} AS a, {quote(other)} AS b"
    found = engine.sql(
        f"""WITH pairs AS (SELECT {both}, count(*) AS n FROM records
                           WHERE {quote(name)} IS NOT NULL GROUP BY {quote(name)}, {quote(other)}),
            shared AS (SELECT count(*) AS values, sum(n) AS n FROM pairs GROUP BY a),
            others AS (SELECT sum(n) AS n FROM pairs GROUP BY b)
            SELECT (SELECT avg(CASE WHEN values = 1 THEN 1.0 ELSE 0.0 END) FROM shared
                    WHERE n > 1) AS agreeing,
                   (SELECT 1.0 * max(n) / sum(n) FROM others) AS most""",
        records=source,
    )
    agreeing, most = found.column("agreeing")[0].as_py(), found.column("most")[0].as_py()
    return agreeing is not None and float(agreeing) >= AGREEING and float(most) <= MOST_ALIKE


def people_by_class(engine: Engine, source: Source, key: Sequence[str], person: str) -> IntArray:
    """Return how many people have a record in each class, in the order of the sorted keys.

    >>> import indistinct
    >>> visits = {"sex": ["f", "f", "f", "m"], "patient": ["a", "a", "b", None]}
    >>> with indistinct.open_data(visits) as data:
    ...     people_by_class(data.engine, data.source, ["sex"], "patient").tolist()
    [2, 1]
    """
    both = list(dict.fromkeys([*key, person]))
    units = KeyTable.from_tally(engine.count(source, both))
    classes, class_of = units.rollup(list(key))
    return np.bincount(class_of, minlength=classes.classes).astype(np.int64)


def person_of_records(engine: Engine, source: Source, person: str) -> IntArray:
    """Return a number for the person of every record, from 0; no value is a person too."""
    return class_of_records(engine.count(source, [person]))


def class_of_records(tally: Tally) -> IntArray:
    """Return the class of every record, in record order."""
    parts = list(tally.per_record(np.arange(tally.classes, dtype=np.int64)))
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
