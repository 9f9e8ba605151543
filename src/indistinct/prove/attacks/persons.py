"""People behind the rows of a register and the records of a release, where they have several.

A patient with three visits who is found by one of them is one person found, and a register that
lists somebody twice has no two candidates: whoever counts rows flatters the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.engine import Engine, quote
from indistinct.files import Source, open_table
from indistinct.keys import person_of_records, present_and_different, several_records
from indistinct.prove.attacks.claims import RIGHT, UNKNOWN, WRONG, Links, Verdicts
from indistinct.prove.registers import Register, check_one_to_one
from indistinct.results import Part

__all__ = [
    "OfPeople",
    "RegisterOfPeople",
    "count_people",
    "only_first_rows",
    "register_of_people",
    "repeated_persons",
    "whose_records",
]


@dataclass(frozen=True)
class RegisterOfPeople:
    """A register, and for each of its rows the first one of the same person.

    `first` is None where everybody has one row.
    """

    register: Register
    first: Ints | None = field(default=None, repr=False)

    @property
    def people(self) -> int:
        """How many people the register has."""
        if self.first is None:
            return self.register.source.records
        return len(np.unique(self.first))

    def to_first(self, rows: Ints) -> Ints:
        """Return the first row of the person of each row; what is no row stays what it is."""
        if self.first is None:
            return rows
        return np.where(rows >= 0, self.first[np.maximum(rows, 0)], rows)


def register_of_people(
    engine: Engine, register: Register, attributes: Sequence[str]
) -> RegisterOfPeople:
    """Return a register in which each combination that somebody has stands once."""
    person = register.person
    if person is None:
        return RegisterOfPeople(register)
    present, different = present_and_different(engine, register.source, person)
    if present < register.source.records or different == present:
        check_one_to_one(engine, register, person)
        return RegisterOfPeople(register)
    names = ", ".join(quote(name) for name in dict.fromkeys((person, *attributes)))
    found = engine.sql(
        f"SELECT DISTINCT {names} FROM people ORDER BY {names}", people=register.source
    )
    source = open_table(found, workspace=engine.workspace, origin=register.source.origin)
    numbers = person_of_records(engine, source, person)
    _, at = np.unique(numbers, return_index=True)
    several = len(at) < len(numbers)
    return RegisterOfPeople(
        Register(source, register.name, person, several), at[numbers] if several else None
    )


def whose_records(
    engine: Engine,
    release: Source,
    person: str | None,
    private: Source | None,
    origin: Ints | None,
) -> Ints | None:
    """Return a number for the person of every released record, -1 where nobody can say.

    Parameters
    ----------
    person
        The column of the private data, or of the release, that says whose record each is.
    origin
        The private record that each released one was made from.

    None where everybody has one record, or nobody knows whose the records are.
    """
    if person is None:
        return None
    if person in release.variables:
        if not several_records(engine, release, person):
            return None
        return person_of_records(engine, release, person)
    if private is None or person not in private.variables or origin is None:
        return None
    if len(origin) != release.records:
        return None
    own = person_of_records(engine, private, person)
    whose = np.where(origin >= 0, own[np.maximum(origin, 0)], -1)
    there = whose[whose >= 0]
    return whose if len(np.unique(there)) < len(there) else None


@dataclass(frozen=True)
class OfPeople(Part):
    """What an attack finds, in people who have several records each.

    Parameters
    ----------
    people
        Those behind the released records.
    named, right, wrong
        Of how many some record names somebody; names them; names somebody else.
    expected
        People found by whoever picks one of the candidates of each one's likeliest record.
    """

    people: int
    named: int
    right: int
    wrong: int
    expected: float


def count_people(links: Links, verdicts: Verdicts, whose: Ints) -> OfPeople:
    """Count people instead of their records.

    >>> links = Links.equal_chances(np.array([1, 1, 2]), np.array([7, 7, -1]))
    >>> count_people(links, np.array([1, 1, -2], dtype=np.int8), np.array([0, 0, 1]))
    OfPeople(people=2, named=1, right=1, wrong=0, expected=1.5)
    """
    known = whose >= 0
    unique = known & (links.candidates == 1)
    best = np.zeros(int(whose.max(initial=-1)) + 1)
    np.maximum.at(best, whose[known], links.certainty[known])

    def number(which: Bools) -> int:
        return len(np.unique(whose[which]))

    return OfPeople(
        number(known),
        number(unique),
        number(unique & (verdicts == RIGHT)),
        number(unique & (verdicts == WRONG)),
        float(best.sum()),
    )


def repeated_persons(rows: Ints | None, register: Register) -> Ints | None:
    """Return the true persons of records as whose these are, where somebody has several.

    A row of a register that names nobody is no person whom two records could have in common.
    """
    if rows is None or register.person is None:
        return None
    there = rows[rows >= 0]
    return rows if len(np.unique(there)) < len(there) else None


def only_first_rows(roles: Verdicts | None, first: Ints | None) -> Verdicts | None:
    """Let the first row of a person stand for her, in what is known of a register's rows."""
    if roles is None or first is None:
        return roles
    best = np.full(len(roles), UNKNOWN, dtype=np.int8)
    np.maximum.at(best, first, roles)
    best[first != np.arange(len(first))] = UNKNOWN
    return best
