"""The people who stand out: records whose key few others share, at census scale.

The pull-out list: who the risky records are, for the data holder alone.

Dalenius (1986, 5.2): records should not be de-identified before the uniques are found, because
the formal identifiers (name, address, registration number) are what the census forms of those
people are found by.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import (
    HINT_AT_MOST,
    HINT_K,
    AtMost,
    ClassSize,
    InputError,
    Ints,
    Missing,
    at_least,
    check_number,
    check_whole,
    did_you_mean,
)
from indistinct.engine import Approach, Engine, Tally
from indistinct.files import Source, counted_from_one, write_data
from indistinct.keys.people import class_of_records, person_of_records
from indistinct.keys.table import KeyTable, size_bands
from indistinct.keys.wildcards import wildcard_frequencies
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "People",
    "SmallCategories",
    "Uniques",
    "public_frequencies",
    "pull_out",
    "small_categories",
    "threshold",
    "uniques",
    "write_pull_out",
]

# Variables that are public for some people only.
#
# Dalenius (1986, 2.2): "The number of variables whose data are in the public domain may be
# different for different individuals." Somebody who knows fewer variables of a person looks at all
# records that agree on those: a variable that is not public for a record is ignored in its P-set.

_NOT_PUBLIC = {"", "0", "0.0", "false", "no", "n", "none"}


def public_frequencies(table: KeyTable, public: Mapping[str, str]) -> Ints:
    """Return for every class the records that agree with it on its public variables.

    `table` is counted by the key and by the columns that say what is public; `public` names
    that column for each variable that is not public for everybody.
    """
    key = [name for name in table.names if name not in set(public.values())]
    known = np.ones((table.classes, len(key)), dtype=bool)
    for name, column in public.items():
        known[:, key.index(name)] = [_says_yes(value) for value in table.values(column)]
    frequencies = np.empty(table.classes, dtype=np.int64)
    patterns, pattern_of = np.unique(known, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        kept = [name for name, is_known in zip(key, pattern, strict=True) if is_known]
        coarser, rows = table.rollup(kept)
        here = pattern_of.reshape(-1) == number
        frequencies[here] = coarser.counts[rows[here]]
    return frequencies


def _says_yes(value: Any) -> bool:
    return value is not None and str(value).strip().lower() not in _NOT_PUBLIC


# Counting people, where a column says whose record each is.
#
# A file may hold several records of one person: visits, spells, purchases. k records of one patient
# are one person, whatever the key. Which column says so is found in `naming`.
#
# Records that do not say whose they are may all be of one person, so they are counted as one.


MOST_SHOWN = 10


def threshold(k: ClassSize | None, at_most: AtMost | None) -> int:
    """Return k from either way of saying it: a class is safe with at least k records.

    Dalenius counts the other way: with his k, a key is unique when *at most* k records have it.
    Without either, his own choice is taken, at most 2.

    >>> threshold(None, 2), threshold(5, None), threshold(None, None)
    (3, 5, 3)
    """
    if k is not None and at_most is not None:
        raise InputError("Give either k or at_most, not both: at_most=2 is the same as k=3.")
    if at_most is not None:
        check_whole("at_most", at_most, 1, hint=HINT_AT_MOST)
        return at_most + 1
    if k is None:
        return 3
    check_whole("k", k, 2, hint=HINT_K)
    return k


def _case(frequency: Ints, start: int, k: int) -> pa.Array:
    case = (frequency < k).astype(np.int8) * 2 - (frequency == 1)
    return pa.DictionaryArray.from_arrays(pa.array(case), pa.array(["", "i", "ii"]))


_COLUMNS: dict[str, Callable[[Ints, int, int], pa.Array]] = {
    "record": lambda frequency, start, k: pa.array(np.arange(start, start + len(frequency))),
    "frequency": lambda frequency, start, k: pa.array(frequency),
    "risk": lambda frequency, start, k: pa.array(1.0 / frequency),
    "case": _case,
}


@dataclass(frozen=True)
class People(Part):
    """How many people there are, and how many of them stand out, where they have several records.

    Parameters
    ----------
    person
        The column that says whose record each is.
    number
        How many people there are.
    unique, at_risk
        Those with a record in a class of nobody else, and of fewer than k people.
    """

    person: str
    number: int
    unique: int
    at_risk: int

    FACTS = facts("number", "unique", "at_risk")


@result
class Uniques(Result):
    """How many records share each record's key, and who stands out.

    `unique` counts records that are alone with their key: anyone who knows the key identifies
    them, Dalenius' case (i). `at_risk` counts records in classes smaller than k, the unique ones
    included; where there are 2 … k-1 they can be identified by the others in collusion, case
    (ii). Where people have several records, the size of a class is the number of its people: both
    count the records of classes with one person, and with fewer than k.
    """

    source: Source
    key: tuple[str, ...]
    k: int
    classes: int
    unique: int
    at_risk: int
    approach: str
    seconds: float
    warnings: tuple[str, ...]
    tally: Tally
    shared: Ints | None = None
    """The records that agree with each class, or its people, where that is not its size."""
    people: People | None = None
    """Who the people are, where a column says it; else a record is a person."""

    FACTS = facts(
        "records",
        "key",
        "classes",
        "unique",
        "at_risk",
        "k",
        "approach",
        Fact("seconds", lambda found: round(found.seconds, 6)),
        "warnings",
        "person",
        "people",
    )

    @property
    def person(self) -> str | None:
        """The column that says whose record each is; None where a record is a person."""
        return self.people.person if self.people is not None else None

    @property
    def records(self) -> int:
        """The number of records."""
        return self.source.records

    @cached_property
    def key_table(self) -> KeyTable:
        """The classes, their keys and counts."""
        return KeyTable.from_tally(self.tally)

    def frequencies(self) -> Iterator[Ints]:
        """The number of records that share each record's key, a batch at a time."""
        if self.shared is not None:
            return self.tally.per_record(self.shared)
        return self.tally.frequencies()

    def frequency(self) -> Ints:
        """The number of records that share each record's key, in one array."""
        batches = list(self.frequencies())
        return np.concatenate(batches) if batches else np.empty(0, dtype=np.int64)

    def records_at_risk(self) -> Ints:
        """The numbers (from 0) of the records in classes smaller than k."""
        found, start = [], 0
        for batch in self.frequencies():
            found.append(np.flatnonzero(batch < self.k) + start)
            start += len(batch)
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def per_record(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """One row per record: number from 0, frequency, risk 1/frequency, and case i or ii."""
        wanted = list(columns) if columns is not None else list(_COLUMNS)
        for name in wanted:
            if name not in _COLUMNS:
                raise InputError(f"There is no column '{name}'. {did_you_mean(name, _COLUMNS)}")
        start = 0
        for frequency in self.frequencies():
            made = [_COLUMNS[name](frequency, start, self.k) for name in wanted]
            yield pa.RecordBatch.from_arrays(made, names=wanted)
            start += len(frequency)

    def write(
        self,
        path: str | Path,
        *,
        columns: Sequence[str] | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write one row per record, all columns or some; the path's suffix tells the format.

        In the file records are numbered from 1, as people count.
        """
        increasing = ["record"] if columns is None or "record" in columns else []
        rows = counted_from_one(self.per_record(columns))
        return write_data(rows, path, increasing=increasing, overwrite=overwrite)

    def to_frame(self) -> Any:
        """Return one row per record as a pandas frame (pandas must be installed)."""
        return pa.Table.from_batches(self.per_record()).to_pandas()

    def sizes(self) -> list[tuple[str, int, int]]:
        """Return bands of class size with the classes and the records in each.

        A size is the number of records that share a key, counted as `unique` and `at_risk` are.
        """
        return size_bands(self.tally.counts, self.shared, k=self.k)

    @property
    def size_words(self) -> tuple[str, str]:
        """What a table of the sizes is called, and its first column."""
        if self.shared is None:
            return "Records by the size of their class", "class size"
        if self.people is not None:
            return "Records by the number of people in their class", "people"
        return "Records by the number of records that agree with them", "agreeing"

    def plot(self) -> str:
        """Draw the records by the size of their class, as SVG."""
        rows = self.sizes()
        return bars(self.size_words[0], [r[0] for r in rows], [r[2] for r in rows])

    def _lines(self) -> list[str]:
        n = max(1, self.records)
        rows = [
            ("alone with their key (case i)", self.unique),
            (f"in classes smaller than {self.k} (at risk)", self.at_risk),
        ]
        lines = [f"{self.records:,} records by {', '.join(self.key)}: {self.classes:,} classes"]
        lines += [f"  {what:<40} {count:>12,} {count / n:7.1%}" for what, count in rows]
        if self.people is not None:
            lines.append(f"  {self._of_people()}")
        lines.append(f"  counted by {self.approach} in {self.seconds:.2f} s")
        lines += [f"  note: {warning}" for warning in self.warnings[:MOST_SHOWN]]
        if len(self.warnings) > MOST_SHOWN:
            lines.append(f"  and {len(self.warnings) - MOST_SHOWN} notes more")
        return lines

    def _of_people(self) -> str:
        """Say how many people the records are of, and how many of these stand out."""
        if self.people is None:
            return ""
        found = self.people
        return (
            f"of {found.number:,} people by {found.person}: {found.unique:,} alone, "
            f"{found.at_risk:,} in classes of fewer than {self.k} people"
        )

    def _notes(self) -> list[str]:
        return [] if self.people is None else [self._of_people()]

    def _row_tables(self) -> list[Table]:
        n = max(1, self.records)
        return [
            Table(
                f"{self.records:,} records by {', '.join(self.key)}",
                ("", "records", "share"),
                [
                    ("alone with their key (case i)", self.unique, self.unique / n),
                    (f"in classes smaller than {self.k} (at risk)", self.at_risk, self.at_risk / n),
                ],
                {"share": ".1%"},
            ),
            Table(
                self.size_words[0],
                (self.size_words[1], "records"),
                [(size, records) for size, _, records in self.sizes()],
            )
            # who agrees with whom makes no classes
            if self.shared is not None
            else Table(
                self.size_words[0], (self.size_words[1], "classes", "records"), self.sizes()
            ),
        ]


def uniques(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    k: ClassSize | None = None,
    at_most: AtMost | None = None,
    approach: Approach | None = None,
    public: Mapping[str, str] | None = None,
    missing: Missing = "own",
    floor: int = 0,
    person: str | None = None,
) -> Uniques:
    """Find the records whose key fewer than k records, or people, share.

    Parameters
    ----------
    key
        The variables that an intruder may know, Dalenius' P-set.
    k, at_most
        See `threshold`.
    approach
        ``sort``, ``tally`` or ``catalogue``; by default the one with the lowest estimated cost.
    public
        For variables that are public for some people only: the name of the column that says, by
        a value other than 0, false or missing, that the variable is public for that record.
    missing
        Whether a missing value is a category of its own, or agrees with any value.
    floor
        Warn of every category of a key variable that fewer than this many records have: a
        category of small populations invites a search (section 2.3).
    person
        The column that says whose record each is, where people have several: then people are
        counted. With `public` or wildcards their number is a lower bound.
    """
    safe_from = threshold(k, at_most)
    check_number("The floor of a category", floor, at_least(0))
    public = dict(public or {})
    for name in public:
        if name not in key:
            raise InputError(f"'{name}' is not in the key, so it cannot be public for some only.")
    if missing not in ("own", "wildcard"):
        raise InputError(f"missing must be own or wildcard. Got '{missing}'.")
    if public and missing == "wildcard":
        raise InputError(
            "Variables that are public for some people only cannot be combined with missing "
            "values as wildcards. Choose one."
        )
    began = time.perf_counter()
    tally = engine.count(source, [*key, *public.values()], approach=approach)
    classes = tally.classes
    frequency = None
    if public or missing == "wildcard":
        table = KeyTable.from_tally(tally)
        if public:
            frequency = public_frequencies(table, public)
            classes = table.rollup(key)[0].classes
        else:
            frequency = wildcard_frequencies(table)
        members = table.counts
    else:
        members = tally.counts
    people = None
    if person is not None:
        source.check_columns([person])
        frequency, people = _count_people(
            engine, source, tally, person, k=safe_from, agreeing=frequency
        )
        members = tally.sorted_counts()
    shared = members if frequency is None else frequency
    small = small_categories(KeyTable.from_tally(tally), key, floor=floor) if floor else []
    return Uniques(
        source=source,
        key=tuple(key),
        k=safe_from,
        classes=classes,
        unique=int(members[shared == 1].sum()),
        at_risk=int(members[shared < safe_from].sum()),
        approach=tally.approach,
        seconds=time.perf_counter() - began,
        warnings=tuple(str(s) for s in small),
        tally=tally,
        shared=frequency,
        people=people,
    )


def _count_people(
    engine: Engine,
    source: Source,
    tally: Tally,
    person: str,
    *,
    k: int,
    agreeing: Ints | None,
) -> tuple[Ints, People]:
    """Count the people of every class, and those who stand out.

    Where more records agree with a class than it has, they are of at least so many people as
    records of the most frequent person go into them.
    """
    whose, classes = person_of_records(engine, source, person), class_of_records(tally)
    number = int(whose.max(initial=-1)) + 1
    pairs = np.unique(classes * max(1, number) + whose)
    of_class, of_person = np.divmod(pairs, max(1, number))
    shared = np.bincount(of_class, minlength=tally.classes).astype(np.int64)
    if agreeing is not None:
        most = max(1, int(np.bincount(whose).max(initial=1)))
        shared = np.maximum(shared, -(-agreeing // most))
    alone, at_risk = (
        len(np.unique(of_person[small[of_class]])) for small in (shared == 1, shared < k)
    )
    return shared, People(person, number, alone, at_risk)


@dataclass(frozen=True)
class SmallCategories:
    """The categories of one variable that few records have; their values stay with the holder."""

    variable: str
    floor: int
    values: tuple[Any, ...] = field(repr=False)
    smallest: int

    def __str__(self) -> str:
        number = len(self.values)
        what = "a category" if number == 1 else f"{number:,} categories"
        return (
            f"'{self.variable}' has {what} with fewer than {self.floor:,} records (the smallest "
            f"{self.smallest:,}): merge small populations, they invite a search"
        )


def small_categories(
    table: KeyTable, variables: Sequence[str] | None = None, *, floor: int
) -> list[SmallCategories]:
    """Find categories of small populations, which help an intruder to search (section 2.3).

    The check is on the records of the file: give it the population's own file where there is
    one, since a small share of a sample can be a large place.
    """
    found = []
    for name in variables or table.names:
        margin, _ = table.rollup([name])
        small = margin.counts < floor
        if small.any():
            values = tuple(v for v, s in zip(margin.values(name), small, strict=True) if s)
            found.append(SmallCategories(name, floor, values, int(margin.counts.min())))
    return found


# The pull-out list -------------------------------------------------------------------------------


_LISTED = ("record", "frequency", "case")


def pull_out(found: Uniques, identifiers: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """List record number, frequency, case and formal identifiers of every record at risk.

    Records are numbered from 0; in the file that `write_pull_out` writes, from 1.

    Parameters
    ----------
    identifiers
        The columns that name a person; by default the variables with that role.
    """
    source = found.source
    columns = list(identifiers) if identifiers else source.variables.names(role="identifier")
    if not columns:
        raise InputError(
            f"{source.origin} has no identifiers to pull out. Find the people who stand out "
            "before the file is de-identified, and name the identifiers with --identifiers or in "
            "the project file."
        )
    source.check_columns(columns)
    taken = set(_LISTED) & set(columns)
    if taken:
        raise InputError(
            f"An identifier is called '{min(taken)}', as a column of the list is. Rename it."
        )
    facts = found.per_record(_LISTED)
    held = next(facts, None)
    for batch in source.batches(columns):
        at = 0
        while at < batch.num_rows and held is not None:
            rows = min(batch.num_rows - at, held.num_rows)
            mine, theirs = batch.slice(at, rows), held.slice(0, rows)
            risky = pa.array(np.asarray(theirs.column("frequency")) < found.k)
            kept = theirs.filter(risky)
            listed = mine.filter(risky)
            yield pa.RecordBatch.from_arrays(
                [*kept.columns, *listed.columns], names=[*kept.schema.names, *columns]
            )
            at += rows
            held = held.slice(rows) if rows < held.num_rows else next(facts, None)


def write_pull_out(
    found: Uniques,
    path: str | Path,
    *,
    identifiers: Sequence[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the pull-out list to a file that nobody but its owner can read; records from 1."""
    table = pa.Table.from_batches(counted_from_one(pull_out(found, identifiers)))
    return write_data(table, path, private=True, overwrite=overwrite)
