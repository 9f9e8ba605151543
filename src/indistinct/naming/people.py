"""Who the people are: the one place that says which column tells whose record each is.

A file may hold several records of one person: visits, spells, purchases. Then a column says who
it is. Without such a column a record is a person. What is a number of a person by its name is told
by the same words as everywhere (`concepts`): what is left out of a release as a person's number
and repeats is what people are counted by.
"""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.engine import Engine, quote
from indistinct.files import Source
from indistinct.keys import present_and_different
from indistinct.naming.concepts import (
    NUMBER_OF_A_PERSON,
    POSITION,
    concept_of,
    is_numbered,
    may_be_a_kind,
)
from indistinct.naming.guessing import FEW_RECORDS, MOST_OF_A_KIND

__all__ = ["find_person", "is_of_one", "may_number_people", "numbers_people", "repeating"]

_MOST_RECORDS = 100
"""A column that nobody declared numbers people only if it has at most so many records for each."""

_AGREEING = 0.9
"""The share of people with several records who must agree with themselves on a variable."""

_MOST_ALIKE = 0.8
"""A variable of which more people than this have one value says nothing about that."""

_LASTING = frozenset(
    {
        "sex",
        "the date of birth",
        "the year of birth",
        "ethnic group or language",
        "country of birth or nationality",
    }
)
"""What hardly anybody changes, and schoolmates or neighbours do not share."""


def numbers_people(name: str) -> bool:
    """Say whether a column's name says that it numbers people.

    >>> [n for n in ("patient", "PersonID", "case_no", "surname", "visit_id", "hhid", "student")
    ...     if numbers_people(n)]
    ['patient', 'PersonID', 'case_no']
    """
    concept = concept_of(name)
    return concept is not None and concept.about == NUMBER_OF_A_PERSON


def find_person(
    engine: Engine, source: Source, *, declared: str | None = None, key: Sequence[str] = ()
) -> str | None:
    """Return the column that says whose record each is; None where a record is a person.

    A column that is declared is taken at its word. Otherwise it is one that several records share
    and whose name says that it numbers people; or an identifier that several records share and
    that goes with what a person keeps: records that share it nearly always agree on the sex or
    the year of birth, which those who share a surname or a street do not.

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
        if (most := _most_records(name)) and (different := repeating(engine, source, name, most))
    }
    if numbering:
        return _likeliest(engine, source, sorted(numbering, key=lambda n: numbering[n]), key)
    for name, role in others.items():
        if concept_of(name) is not None or not (role == "identifier" or is_numbered(name)):
            continue
        most = _MOST_RECORDS if role == "identifier" else FEW_RECORDS
        if repeating(engine, source, name, most) and is_of_one(engine, source, name, key):
            return name
    return None


def may_number_people(engine: Engine, source: Source, *, key: Sequence[str] = ()) -> list[str]:
    """Return the ids that several records share, of which nobody can tell whether of one person.

    The number of a firm is one where the records are its months, and that of a school none where
    they are its pupils: the holder knows.

    >>> import indistinct
    >>> months = {"UTILITYID": [*range(8)] * 12, "sales": range(96)}
    >>> with indistinct.open_data(months) as data:
    ...     may_number_people(data.engine, data.source)
    ['UTILITYID']
    """
    return [
        name
        for name, variable in source.variables.items()
        if name not in key
        and variable.role in ("identifier", "other")
        and is_numbered(name)
        and concept_of(name) is None
        and repeating(engine, source, name, _MOST_RECORDS)
    ]


def _most_records(name: str) -> int:
    """Return how many records a person may have by a column of this name; 0 for other columns."""
    if numbers_people(name):
        return MOST_OF_A_KIND if may_be_a_kind(name) else _MOST_RECORDS
    concept = concept_of(name)
    # the line in a household, or somebody's number
    return FEW_RECORDS if concept is not None and concept.about == POSITION else 0


def repeating(engine: Engine, source: Source, name: str, most: int = _MOST_RECORDS) -> int:
    """Return how many values records share, few enough each that they may number people; or 0."""
    present, different = present_and_different(engine, source, name)
    return different if 5 < different < present <= different * most else 0


def _likeliest(engine: Engine, source: Source, names: Sequence[str], key: Sequence[str]) -> str:
    """Return the likeliest of several numbers of people, given with the fewest values first.

    Whoever shares it agrees as one person does, and other numbers lie within it: of patients and
    their cases, patients. A number of somebody else, such as who pays, has fewer values as well.
    """
    if len(names) == 1:
        return names[0]

    def likely(name: str) -> tuple[bool, int]:
        within = sum(_lies_within(engine, source, other, name) for other in names if other != name)
        return is_of_one(engine, source, name, key), within

    return max(names, key=likely)


def _lies_within(engine: Engine, source: Source, name: str, other: str) -> bool:
    """Say whether records that share a number nearly always share another, which all have."""
    found = engine.sql(
        f"""SELECT avg(CASE WHEN others = 1 AND n = present THEN 1.0 ELSE 0.0 END) AS agreeing
            FROM (SELECT count(*) AS n, count({quote(other)}) AS present,
                         count(DISTINCT {quote(other)}) AS others
                  FROM records WHERE {quote(name)} IS NOT NULL GROUP BY {quote(name)}) t
            WHERE n > 1""",
        records=source,
    )
    agreeing = found.column("agreeing")[0].as_py()
    return agreeing is None or float(agreeing) >= _AGREEING


def is_of_one(engine: Engine, source: Source, name: str, key: Sequence[str]) -> bool:
    """Say whether records that share a value agree as those of one person do."""
    lasting = [
        other
        for other in source.variables
        if (concept := concept_of(other)) is not None and concept.about in _LASTING
    ]
    for asked, enough in ((lasting, all), (key, any)):
        told = [_goes_with(engine, source, name, other) for other in asked if other != name]
        said = [one for one in told if one is not None]
        if said:
            return enough(said)
    return False


def _goes_with(engine: Engine, source: Source, name: str, other: str) -> bool | None:
    """Say whether records that share a value nearly always agree on another variable, too.

    None where nearly everybody agrees on it.
    """
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
    if agreeing is None or float(most) > _MOST_ALIKE:
        return None
    return float(agreeing) >= _AGREEING
