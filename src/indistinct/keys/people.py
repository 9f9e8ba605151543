"""Counting people, where a column says whose record each is.

A file may hold several records of one person: visits, spells, purchases. k records of one patient
are one person, whatever the key. Which column says so is found in `naming`.

Records that do not say whose they are may all be of one person, so they are counted as one. Ids
that differ only in capitals, blanks, hyphens and the like are those of one person: `alike_spelled`
says so for all who count. The records keep them as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Ints, decoded, held_kind, holds_text
from indistinct.engine import Engine, Tally, quote
from indistinct.files import Source
from indistinct.keys.table import KeyTable

__all__ = [
    "alike_spelled",
    "people_by_class",
    "person_of_classes",
    "person_of_records",
    "present_and_different",
    "several_records",
]


def several_records(engine: Engine, source: Source, person: str) -> bool:
    """Say whether somebody has several records, or several records do not say whose they are."""
    present, different = present_and_different(engine, source, person)
    return different < present or source.records - present > 1


def present_and_different(engine: Engine, source: Source, name: str) -> tuple[int, int]:
    """Return how many records have a value in a column, and how many values they have.

    Values that are spelled alike are one.
    """
    found = engine.sql(
        f"SELECT count({quote(name)}) AS n, count(DISTINCT {quote(name)}) AS d FROM records",
        records=source,
    )
    present, different = (int(found.column(one)[0].as_py()) for one in ("n", "d"))
    if holds_text(held_kind(source.schema.field(name).type)):
        values = engine.sql(
            f"SELECT DISTINCT {quote(name)} AS v FROM records WHERE {quote(name)} IS NOT NULL",
            records=source,
        )
        different = int(alike_spelled(values.column("v").combine_chunks()).max(initial=-1)) + 1
    return present, different


def alike_spelled(values: pa.Array) -> Ints:
    """Return a number for each value, from 0, the same for those that are spelled alike.

    Capitals, blanks, hyphens and other signs make no difference; numbers are those they are.

    >>> alike_spelled(pa.array(["P001", "p001", "P-001 ", "P002"])).tolist()
    [0, 0, 0, 1]
    """
    if not holds_text(held_kind(values.type)):
        return np.arange(len(values), dtype=np.int64)
    folded = pc.utf8_lower(pc.utf8_normalize(decoded(values), form="NFKC"))
    letters = pc.replace_substring_regex(folded, r"[^\pL\pN]+", "")
    # of signs alone nothing would be left
    folded = pc.if_else(pc.equal(letters, ""), folded, letters)
    numbers = folded.dictionary_encode(null_encoding="encode").indices
    return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.int64)


def person_of_classes(table: KeyTable, person: str) -> Ints:
    """Return for every class of a table the number of the person whose id it has.

    >>> import indistinct
    >>> with indistinct.open_data({"patient": ["a", "A", "b"]}) as data:
    ...     person_of_classes(data.key_table(["patient"]), "patient").tolist()
    [0, 0, 1]
    """
    at = table.position(person)
    coding, codes = table.coding.variables[at], np.asarray(table.codes[:, at], dtype=np.int64)
    if coding.values is None:
        return codes
    numbers = alike_spelled(coding.values)
    # whoever has no id has the last code, and is nobody else
    absent = np.full(coding.size - len(numbers), int(numbers.max(initial=-1)) + 1)
    return np.asarray(np.concatenate([numbers, absent])[codes])


def people_by_class(engine: Engine, source: Source, key: Sequence[str], person: str) -> Ints:
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
    whose = person_of_classes(units, person)
    room = int(whose.max(initial=0)) + 1
    people = np.unique(np.asarray(class_of, dtype=np.int64) * room + whose)
    return np.bincount(people // room, minlength=classes.classes).astype(np.int64)


def person_of_records(engine: Engine, source: Source, person: str) -> Ints:
    """Return a number for the person of every record, from 0; no value is a person too."""
    tally = engine.count(source, [person])
    numbers = class_of_records(tally)
    if not holds_text(held_kind(source.schema.field(person).type)):
        return numbers
    whose = person_of_classes(KeyTable.from_tally(tally), person)
    # numbered in the order of the ids, without gaps
    _, first, inverse = np.unique(whose, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse.reshape(-1)][numbers])


def class_of_records(tally: Tally) -> Ints:
    """Return the class of every record, in record order."""
    parts = list(tally.per_record(np.arange(tally.classes, dtype=np.int64)))
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
