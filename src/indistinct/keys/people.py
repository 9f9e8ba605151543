"""Counting people, where a column says whose record each is.

A file may hold several records of one person: visits, spells, purchases. k records of one patient
are one person, whatever the key. Which column says so is found in `naming`.

Records that do not say whose they are may all be of one person, so they are counted as one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.core import Ints
from indistinct.engine import Engine, Tally, quote
from indistinct.files import Source
from indistinct.keys.table import KeyTable

__all__ = [
    "people_by_class",
    "person_of_records",
    "present_and_different",
    "several_records",
]


def several_records(engine: Engine, source: Source, person: str) -> bool:
    """Say whether somebody has several records, or several records do not say whose they are."""
    present, different = present_and_different(engine, source, person)
    return different < present or source.records - present > 1


def present_and_different(engine: Engine, source: Source, name: str) -> tuple[int, int]:
    """Return how many records have a value in a column, and how many values they have."""
    found = engine.sql(
        f"SELECT count({quote(name)}) AS n, count(DISTINCT {quote(name)}) AS d FROM records",
        records=source,
    )
    return int(found.column("n")[0].as_py()), int(found.column("d")[0].as_py())


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
    return np.bincount(class_of, minlength=classes.classes).astype(np.int64)


def person_of_records(engine: Engine, source: Source, person: str) -> Ints:
    """Return a number for the person of every record, from 0; no value is a person too."""
    return class_of_records(engine.count(source, [person]))


def class_of_records(tally: Tally) -> Ints:
    """Return the class of every record, in record order."""
    parts = list(tally.per_record(np.arange(tally.classes, dtype=np.int64)))
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
