"""Registers: lists of people that an intruder may hold, and which of these are in the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, decoded
from indistinct.engine import Engine, quote
from indistinct.files import Source, open_table
from indistinct.keys import several_records
from indistinct.naming import find_person

__all__ = [
    "OWN_PEOPLE",
    "Register",
    "as_text_column",
    "check_one_to_one",
    "ids_alike",
    "join_registers",
    "shared_attributes",
]

OWN_PEOPLE = "the private data's own people"


@dataclass(frozen=True)
class Register:
    """A list of people, mostly one row each: a voter list, a census, a membership list.

    Parameters
    ----------
    source
        The rows.
    name
        What it is called in answers.
    person
        The column that names the person, where there is one.
    several
        Whether a person may have several rows: then people are counted, not rows.
    """

    source: Source = field(repr=False)
    name: str = ""
    person: str | None = None
    several: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.source.origin)
        if self.person is not None:
            self.source.check_columns([self.person])

    def with_people(self, engine: Engine, key: Sequence[str]) -> Register:
        """Return the list with what is known of whose its rows are; see `naming.find_person`."""
        person = find_person(engine, self.source, declared=self.person, key=key)
        if person is None or not several_records(engine, self.source, person):
            return self
        return replace(self, person=person, several=True)

    @classmethod
    def of_private(cls, private: Source, person: str | None = None) -> Register:
        """Take the people of the private data themselves, with all that is known of them."""
        return cls(private, OWN_PEOPLE, person)


def shared_attributes(release: Source, register: Register, key: Sequence[str]) -> list[str]:
    """Return the key variables that release and register share; refuse a register without any."""
    shared = [name for name in key if name in register.source.variables]
    if not shared:
        raise InputError(
            f"{register.name} shares no key variable with {release.origin}. The key is "
            f"{', '.join(key)}; the register has {', '.join(list(register.source.variables)[:20])}."
            " Rename its columns, or leave it out."
        )
    return shared


def check_one_to_one(engine: Engine, register: Register, person: str) -> None:
    """Refuse a register whose column for persons does not name each of them once."""
    source = register.source
    source.check_columns([person])
    found = engine.sql(
        f"SELECT count({quote(person)}) AS named, count(DISTINCT {quote(person)}) AS persons "
        "FROM people",
        people=source,
    )
    named, persons = (int(found.column(name)[0].as_py()) for name in ("named", "persons"))
    if named < source.records:
        unnamed = source.records - named
        raise InputError(
            f"{register.name}: '{person}' must name every person, but is missing in {unnamed:,} "
            f"{'record' if unnamed == 1 else 'records'}. Leave them out, or name another column."
        )
    if persons < named:
        raise InputError(
            f"{register.name}: '{person}' must name each person once, but {named:,} records have "
            f"{persons:,} different ones. Choose a column that is one-to-one, or merge the "
            "records of a person."
        )


def join_registers(engine: Engine, registers: Sequence[Register], person: str) -> Register:
    """Join several registers into one by the person that their rows are about.

    The external information of an anonymous data system is the join of all tables that are
    available (Sweeney 2001, property 7). Whoever is in one of them is in the join; what is not
    known of somebody is missing. Where two registers know the same variable, the first that has
    a value is taken. Who has several rows in one has several in the join.
    """
    if len(registers) < 2:
        raise InputError("At least two registers are needed for a join.")
    names: dict[str, list[int]] = {}
    for number, register in enumerate(registers):
        for column in register.source.variables:
            if column != person:
                names.setdefault(column, []).append(number)
    ids = ", ".join(f"CAST(t{n}.{quote(person)} AS VARCHAR)" for n in range(len(registers)))
    chosen = [f"COALESCE({ids}) AS {quote(person)}"]
    for column, numbers in names.items():
        values = [f"t{n}.{quote(column)}" for n in numbers]
        if len(values) > 1:
            values = [f"CAST({value} AS VARCHAR)" for value in values]
        chosen.append(f"COALESCE({', '.join(values)}) AS {quote(column)}")
    tables = "t0"
    for number in range(1, len(registers)):
        so_far = ", ".join(f"CAST(t{n}.{quote(person)} AS VARCHAR)" for n in range(number))
        tables += (
            f" FULL OUTER JOIN t{number} ON COALESCE({so_far}) = "
            f"CAST(t{number}.{quote(person)} AS VARCHAR)"
        )
    found = engine.sql(
        f"SELECT {', '.join(chosen)} FROM {tables} ORDER BY 1",
        **{f"t{number}": register.source for number, register in enumerate(registers)},
    )
    name = " with ".join(register.name for register in registers)
    return Register(open_table(found, workspace=engine.workspace, origin=name), name, person)


def as_text_column(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Return ids as text, so that 7 in one file meets "7" in another."""
    column = decoded(column)
    if pa.types.is_floating(column.type):
        column = column.cast(pa.int64(), safe=False)
    return column.cast(pa.large_string())


def ids_alike(
    first: pa.ChunkedArray | pa.Array, second: pa.ChunkedArray | pa.Array
) -> tuple[pa.Array, pa.Array]:
    """Return the ids of two files as text that meets: 7, "7" and "0007" name one person.

    Zeros before a number are left out, unless a file tells people apart by them.

    >>> [ids.to_pylist() for ids in ids_alike(pa.array(["0007", "12"]), pa.array([7, 30]))]
    [['7', '12'], ['7', '30']]
    """
    texts = [pc.utf8_trim_whitespace(as_text_column(column)) for column in (first, second)]
    plain = [pc.replace_substring_regex(ids, r"^0+([0-9]+)$", r"\1") for ids in texts]
    pairs = zip(texts, plain, strict=True)
    if all(pc.count_distinct(a).as_py() == pc.count_distinct(b).as_py() for a, b in pairs):
        texts = plain
    one, other = (
        ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids for ids in texts
    )
    return one, other
