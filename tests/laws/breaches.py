"""Breaches, planted by brute force into files that were released: what a judge must not overlook.

Each is a function of a released file, its promise and the holder's ledger to the same with one
breach in it. Whether it is one is known from how it was made, not from anything in `prove`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from ways import HIERARCHIES, REGIONS

from indistinct.engine import Engine
from indistinct.files import open_table
from indistinct.prove import Promise, Trial, Verification, judge
from indistinct.prove.examiners.altered import examine_altered
from indistinct.prove.examiners.copies import examine_copies
from indistinct.prove.examiners.elimination import examine_elimination
from indistinct.prove.examiners.frequencies import examine_frequencies
from indistinct.prove.examiners.households import examine_households
from indistinct.prove.examiners.identifiers import examine_identifiers
from indistinct.prove.examiners.metadata import examine_metadata
from indistinct.prove.examiners.order import examine_order
from indistinct.prove.examiners.people import examine_people
from indistinct.prove.examiners.sensitive import examine_sensitive
from indistinct.prove.examiners.terms import examine_terms

__all__ = ["BREACHES", "Breach", "Released"]


@dataclass(frozen=True)
class Released:
    """A released file before its judge, in plain Python.

    Parameters
    ----------
    private, rows
        The records that were protected, and those that were released.
    origin
        The private record that each released one was made from; -1 for nobody's.
    labels
        Labels of values by variable, that stand beside the cells.
    """

    private: list[dict[str, Any]] = field(repr=False)
    rows: list[dict[str, Any]] = field(repr=False)
    promise: Promise
    origin: NDArray[np.int64] = field(repr=False)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def true(self, record: int, name: str) -> Any:
        """Return the private value of a released record; None for nobody's."""
        return self.private[self.origin[record]][name] if self.origin[record] >= 0 else None

    def with_column(self, name: str, tell: Callable[[int], Any]) -> Released:
        """Return the file with one column more, or another in its place."""
        rows = [{**row, name: tell(record)} for record, row in enumerate(self.rows)]
        return replace(self, rows=rows)

    def classes(self) -> list[list[int]]:
        """Return the records of every class of the key."""
        found = defaultdict(list)
        for record, row in enumerate(self.rows):
            found[tuple(row[name] for name in self.promise.key)].append(record)
        return list(found.values())

    def differs(self, name: str) -> list[int]:
        """Return the records whose cell is not the private one."""
        return [
            record
            for record, row in enumerate(self.rows)
            if self.origin[record] >= 0 and str(row.get(name)) != str(self.true(record, name))
        ]

    def judged(self, engine: Engine) -> Verification:
        """Ask the judge, who has the private data and the ledger."""
        columns = {name: [row[name] for row in self.rows] for name in self.rows[0]}
        told = {name: _as_column(values) for name, values in columns.items()}
        release = open_table(pa.table(told), workspace=engine.workspace, origin="release")
        known = {name: {"labels": dict(labels)} for name, labels in self.labels.items()}
        release = replace(release, variables=release.variables.updated(known))
        private = open_table(
            pa.Table.from_pylist(self.private), workspace=engine.workspace, origin="private"
        )
        trial = Trial(engine, release, self.promise, private, (), HIERARCHIES, self.origin)
        try:
            return judge(trial)
        finally:
            release.path.unlink()
            private.path.unlink()


def _as_column(values: list[Any]) -> pa.Array:
    """Make a column of cells of which some may have become numbers again, and some labels."""
    if len({type(value) for value in values if value is not None}) > 1:
        values = [None if value is None else str(value) for value in values]
    return pa.array(values)


@dataclass(frozen=True)
class Breach:
    """One breach, and what the judge says of it.

    Parameters
    ----------
    plant
        Plants it; None where a file has no place for it.
    said
        A part of the sentence by which it is told.
    examiner
        Who sees it; None where the count of the classes itself does.
    altered
        Whether it undoes what altered the key; others are planted where k is claimed, if it can be.
    """

    name: str
    said: str
    examiner: Callable[..., Any] | None
    plant: Callable[[Released], Released | None]
    altered: bool = False

    def __str__(self) -> str:
        return self.name


def _names(file: Released) -> Released:
    return file.with_column("v7", lambda record: file.true(record, "name"))


def _numbers(file: Released) -> Released:
    return file.with_column("case_no", lambda record: file.true(record, "case_no"))


def _one_person(file: Released) -> Released | None:
    """Let all the records of a class be those of one person."""
    if not file.promise.claims_k:
        return None
    rows, origin = list(file.rows), file.origin.copy()
    for records in file.classes():
        first = records[0]
        if origin[first] >= 0:
            for record in records:
                rows[record], origin[record] = rows[first], origin[first]
            return replace(file, rows=rows, origin=origin)
    return None


def _homes(file: Released) -> Released | None:
    """Say who lives together, where not all households are like others."""
    members = defaultdict(list)
    for record, row in enumerate(file.rows):
        key = tuple(str(row[name]) for name in file.promise.key)
        members[file.true(record, "home")].append(key)
    alike = Counter(tuple(sorted(keys)) for keys in members.values())
    if not file.promise.claims_k or min(alike.values()) >= file.promise.k:
        return None
    return file.with_column("home", lambda record: file.true(record, "home"))


def _copy(file: Released) -> Released | None:
    """Put beside what was changed another spelling of its true values."""
    promise = file.promise
    altered = [name for name in promise.perturbed if file.differs(name)]
    coarsened = [name for name in promise.key if promise.claims_k and file.differs(name)]
    for names in ((name,) for name in altered):
        return _telling(file, names)
    for names in (*((name,) for name in coarsened), tuple(coarsened)):
        cells = [
            tuple(
                str(file.true(n, name) if name in names and file.origin[n] >= 0 else row[name])
                for name in promise.key
            )
            for n, row in enumerate(file.rows)
        ]
        if names and min(Counter(cells).values()) < promise.k:
            return _telling(file, names)
    return None


def _telling(file: Released, names: tuple[str, ...]) -> Released:
    """Add a column to both files that says the true values of some variables in other words."""

    def tell(row: Mapping[str, Any]) -> Any:
        values = [row[name] for name in names]
        return values[0] * 3 + 1 if isinstance(values[0], float) else "q".join(map(str, values))

    told = file.with_column(
        "v7", lambda n: tell(file.private[file.origin[n]]) if file.origin[n] >= 0 else None
    )
    return replace(told, private=[{**row, "v7": tell(row)} for row in file.private])


def _order(file: Released) -> Released:
    order = np.argsort(file.origin, kind="stable")
    rows = [file.rows[record] for record in order.tolist()]
    return replace(file, rows=rows, origin=file.origin[order])


def _one_cell(file: Released) -> Released | None:
    """Put one coarsened cell back, of somebody who then stands in a class that is too small."""
    if not file.promise.claims_k:
        return None
    key = file.promise.key
    sizes = Counter(tuple(str(row[name]) for name in key) for row in file.rows)
    for name in key:
        for record in file.differs(name):
            row = {**file.rows[record], name: file.true(record, name)}
            if (
                sizes[tuple(str(row[one]) for one in key)] + 1
                < file.promise.k
                <= min(sizes.values())
            ):
                return replace(file, rows=[*file.rows[:record], row, *file.rows[record + 1 :]])
    return None


def _label_of_who_left(file: Released) -> Released | None:
    """Keep the label of a value that everybody who had it has left with."""
    if "job" in file.promise.perturbed or "job" not in file.rows[0]:
        return None
    had = Counter(row["job"] for row in file.rows if row["job"] is not None)
    gone, kept = min(had), max(had)
    rows = [{**row, "job": kept} if row["job"] == gone else row for row in file.rows]
    return replace(file, rows=rows, labels={"job": {gone: "Mayor of Smallville", kept: "clerk"}})


def _one_value(file: Released) -> Released | None:
    """Let everybody in a class have the same."""
    if not file.promise.claims_k or "job" not in file.rows[0]:
        return None
    records = max(file.classes(), key=len)
    job = next(row["job"] for row in file.rows if row["job"] is not None)
    rows = [{**row, "job": job} if n in set(records) else row for n, row in enumerate(file.rows)]
    return replace(file, rows=rows)


def _true_values(file: Released) -> Released | None:
    """Undo what altered the key; the promise still says that it was altered."""
    key = file.promise.key
    altered = [name for name in key if name in file.promise.perturbed and file.differs(name)]
    if not altered:
        return None
    rows = [
        row if whose < 0 else {**row, **{name: file.private[whose][name] for name in altered}}
        for row, whose in zip(file.rows, file.origin.tolist(), strict=True)
    ]
    return replace(file, rows=rows)


def _codes(file: Released) -> Released | None:
    """Put a code in the place of each region, the same wherever it occurs."""
    if "region" not in file.promise.key or not file.promise.claims_k:
        return None
    code = {region: f"z{number * 7 % 11}" for number, region in enumerate(REGIONS)}
    told = file.with_column("region", lambda n: code.get(file.true(n, "region")))
    return replace(told, promise=replace(file.promise, encrypted=("region",)))


def _blank(file: Released) -> Released | None:
    """Call a record hidden that is blank where everybody else is not."""
    if not file.promise.claims_k:
        return None
    blank = {**file.rows[0], **dict.fromkeys(file.promise.key)}
    if any(all(row[name] is None for name in file.promise.key) for row in file.rows):
        return None
    rows = [blank, *file.rows[1:]]
    return replace(file, rows=rows, promise=replace(file.promise, wildcard=True))


def _unconfirmed(file: Released) -> Released:
    return replace(file, promise=replace(file.promise, confirmed=False))


BREACHES = (
    Breach("names", "v7 names people", examine_identifiers, _names),
    Breach("numbers of people", "case_no names people", examine_identifiers, _numbers),
    Breach("a class of one person", "who have several records each", examine_people, _one_person),
    Breach("numbers of households", "household", examine_households, _homes),
    Breach("a copy", "v7", examine_copies, _copy),
    Breach("the order", "were to leave in an order", examine_order, _order),
    Breach("one cell", "", None, _one_cell),
    Breach("a label of who left", "job has labels", examine_metadata, _label_of_who_left),
    Breach("one value in a class", "'job' is told", examine_sensitive, _one_value),
    Breach("true values", "nearest record is their own", examine_altered, _true_values, True),
    Breach("codes", "how frequent the values", examine_frequencies, _codes),
    Breach("a blank", "a blank counts as any value", examine_elimination, _blank),
    Breach("a key that nobody confirmed", "nobody has confirmed", examine_terms, _unconfirmed),
)
