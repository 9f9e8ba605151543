"""What one register tells about every released record: how many people it may refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from indistinct.core import Bools, InputError, Ints, Missing, progress
from indistinct.engine import Engine, Tally, quote
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, forms_of
from indistinct.keys import KeyTable
from indistinct.prove.covering import Cover, cover, texts_of
from indistinct.prove.links import linked_pairs, linked_totals, linking_totals
from indistinct.prove.people import PeopleOfClasses
from indistinct.prove.registers import Register, ids_alike

__all__ = ["Counted", "Exposure", "Unmet", "count_by", "expose", "expose_alone"]

Unmet = Literal["ignored", "excluding"]


@dataclass(frozen=True, eq=False)
class Counted:
    """Records counted by some attributes: the classes, and what each record's class is.

    `codes` has a row per class; `values[j]` are the values of attribute j by code.
    """

    source: Source
    tally: Tally = field(repr=False)
    codes: Ints = field(repr=False)
    counts: Ints = field(repr=False)
    values: tuple[tuple[object, ...], ...] = field(repr=False)

    def class_of_records(self) -> Ints:
        """Return the class of every record."""
        numbers = np.arange(len(self.counts), dtype=np.int64)
        return np.concatenate(list(self.tally.per_record(numbers)))

    def per_record(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return the value of its class for every record."""
        return np.concatenate(list(self.tally.per_record(values)))

    def records_in(self, classes: Ints) -> tuple[Ints, Ints]:
        """Return the records of some classes, and the position of each one's class in the list."""
        position = np.full(len(self.counts), -1, dtype=np.int64)
        position[classes] = np.arange(len(classes))
        records, places, start = [], [], 0
        for found in self.tally.per_record(position):
            here = np.flatnonzero(found >= 0)
            records.append(here + start)
            places.append(found[here])
            start += len(found)
        return np.concatenate(records), np.concatenate(places)


def count_by(engine: Engine, source: Source, attributes: Sequence[str]) -> Counted:
    """Count records by attributes, twice: by the engine's own loops and by a query.

    The two ways share no code; whoever relies on the answer need not trust either alone.
    """
    tally = engine.count(source, attributes)
    table = KeyTable.from_tally(tally)
    columns, values = [], []
    for j, variable in enumerate(table.coding.variables):
        occurring, codes = np.unique(table.codes[:, j], return_inverse=True)
        columns.append(codes.reshape(-1).astype(np.int64))
        values.append(tuple(variable.decode(occurring)))
    with progress.task(f"counting again by {', '.join(attributes)}"):
        _check_count(engine, source, attributes, table)
    return Counted(source, tally, np.stack(columns, axis=1), table.counts, tuple(values))


def _check_count(
    engine: Engine, source: Source, attributes: Sequence[str], table: KeyTable
) -> None:
    kinds = source.schema
    columns = ", ".join(
        f"CASE WHEN isnan({quote(n)}) THEN NULL ELSE {quote(n)} END"
        if pa.types.is_floating(kinds.field(n).type)
        else quote(n)
        for n in attributes
    )
    found = engine.sql(
        "SELECT count(*) AS classes, min(n) AS smallest, max(n) AS largest, sum(n * n) AS squares "
        f"FROM (SELECT count(*) AS n FROM records GROUP BY {columns}) AS counted",
        records=source,
    )
    asked = tuple(int(found.column(name)[0].as_py()) for name in found.column_names)
    counts = table.counts
    own = (len(counts), int(counts.min()), int(counts.max()), int((counts * counts).sum()))
    if asked != own:
        raise RuntimeError("Two ways of counting the same records differ.")


@dataclass(frozen=True, eq=False)
class Exposure:
    """How many people of a register each released class may refer to, and how many are subjects.

    Parameters
    ----------
    register
        The register, or None where the release was only counted.
    attributes
        What was linked on.
    released, known
        Release and register, counted by the attributes.
    people
        For each released class, people of the register that it may refer to.
    subjects
        How many of them are, or may be, in the private data.
    subject
        The register's class of the only such subject; -1 where there is none or several.
    own, between
        The private data, counted by the attributes, and how their values meet the register's.
    strange
        Attributes with released values that meet nobody, and were not said to be altered.
    several
        Whose rows the register's classes hold, where people have several.
    """

    register: Register | None
    name: str
    attributes: tuple[str, ...]
    released: Counted = field(repr=False)
    people: Ints = field(repr=False)
    subjects: Ints = field(repr=False)
    subject: Ints = field(repr=False)
    covers: tuple[Cover, ...] = field(default=(), repr=False)
    known: Counted | None = field(default=None, repr=False)
    own: Counted | None = field(default=None, repr=False)
    between: tuple[Cover, ...] = field(default=(), repr=False)
    missing: Missing = "own"
    notes: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    several: PeopleOfClasses | None = field(default=None, repr=False)

    @property
    def smallest(self) -> int:
        """The fewest people that a released record refers to, of those that refer to any."""
        linked = self.people[self.people > 0]
        return int(linked.min()) if len(linked) else 0

    def people_of(self, released_class: int, *, at_most: int) -> list[int]:
        """Return the register's rows that a released class may refer to."""
        if self.known is None:
            return []
        labels = self.released.codes[released_class : released_class + 1]
        pairs = linked_pairs(labels, self.known.codes, self.covers, missing=self.missing)
        found = np.concatenate([np.zeros(0, np.int64), *(people for _, people in pairs)])
        records, _ = self.known.records_in(found)
        chosen: list[int] = np.sort(records)[:at_most].tolist()
        return chosen


def expose_alone(engine: Engine, release: Source, key: Sequence[str]) -> Exposure:
    """Count the release by itself: whoever shares a released key is one of so many people.

    Here a suppressed cell is a value of its own, which can only make classes smaller.
    """
    released = count_by(engine, release, key)
    nobody = np.full(len(released.counts), -1, dtype=np.int64)
    return Exposure(
        None, release.origin, tuple(key), released, released.counts, released.counts, nobody
    )


def expose(
    engine: Engine,
    release: Source,
    register: Register,
    attributes: Sequence[str],
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    private: Source | None = None,
    person: str | None = None,
    missing: Missing = "own",
    unmet: Unmet = "ignored",
    encrypted: Sequence[str] = (),
) -> Exposure:
    """Link a release with a register and count whom each record may refer to.

    Parameters
    ----------
    attributes
        What to link on; both must have them.
    hierarchies
        What generalised labels stand for, by attribute; other labels are read by their form.
    private
        The private data: tells who of the register is a subject. Without it anybody may be.
    person
        A column of register and private data that names the person. Without it, a person of the
        register is a subject if some private record agrees with what the register says.
    missing
        What a missing value of the register is: by default nothing that links, so that people of
        whom little is known do not make a crowd; ``"wildcard"`` lets it be anything.
    unmet
        What a released cell is that meets no value of the register at all: by default the
        intruder sees that it is not true and links by the others, and a record with no other
        refers to nobody; ``"excluding"`` takes it at its word, so that one such cell is enough.
    encrypted
        Attributes whose released values are meant to meet nothing.
    """
    with progress.task(f"linking with {register.name}"):
        return _expose(
            engine,
            release,
            register,
            attributes,
            hierarchies or {},
            private,
            person,
            missing,
            unmet,
            encrypted,
        )


def _expose(
    engine: Engine,
    release: Source,
    register: Register,
    attributes: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    private: Source | None,
    person: str | None,
    missing: Missing,
    unmet: Unmet,
    encrypted: Sequence[str],
) -> Exposure:
    released = count_by(engine, release, attributes)
    known = count_by(engine, register.source, attributes)
    covers = _covers(released, known, attributes, hierarchies)
    own = None
    if private is not None:
        shared = [name for name in attributes if name in private.variables]
        if len(shared) == len(attributes):
            same = private.path == register.source.path
            own = known if same else count_by(engine, private, attributes)
    between = _covers(own, known, attributes, hierarchies) if own is not None else ()
    notes = _check_covers(covers, own, between, encrypted, release=release, register=register)
    strange = tuple(c.name for c in covers if c.unmet and c.name not in encrypted)
    subjects = _subjects(register, known, own, between, private, attributes, person)
    several = None
    if register.several and register.person is not None:
        several = PeopleOfClasses.of(
            engine, register.source, register.person, known.class_of_records(), len(known.counts)
        )
        subjects = np.minimum(subjects, several.by_class)
    amounts = np.stack(
        [known.counts, subjects, subjects * np.arange(len(subjects), dtype=np.int64)], axis=1
    )
    nowhere = np.zeros(len(released.counts), dtype=bool)
    if unmet == "ignored":
        nowhere = _meets_nowhere(released, covers)
        covers = tuple(found.ignoring_unmet() for found in covers)
    totals = linked_totals(released.codes, known.codes, covers, amounts, missing=missing)
    if several is not None:
        totals[:, 0] = several.met(released.codes, known.codes, covers, missing=missing)
    totals[nowhere] = 0
    only = np.where(totals[:, 1] == 1, totals[:, 2], -1)
    return Exposure(
        register,
        register.name,
        tuple(attributes),
        released,
        totals[:, 0],
        totals[:, 1],
        only,
        covers,
        known,
        own,
        between,
        missing,
        notes,
        strange,
        several,
    )


def _covers(
    labels: Counted,
    values: Counted,
    attributes: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> tuple[Cover, ...]:
    return tuple(
        cover(labels.values[j], values.values[j], name=name, hierarchy=hierarchies.get(name))
        for j, name in enumerate(attributes)
    )


def _meets_nowhere(released: Counted, covers: Sequence[Cover]) -> Bools:
    """Say of released classes whether they say something, and nothing that meets a value."""
    says = np.zeros(len(released.codes), dtype=bool)
    meets = np.zeros(len(released.codes), dtype=bool)
    for j, found in enumerate(covers):
        met = found.telling & (found.group_of >= 0)
        says |= found.telling[released.codes[:, j]]
        meets |= met[released.codes[:, j]]
    return says & ~meets


def _subjects(
    register: Register,
    known: Counted,
    own: Counted | None,
    between: Sequence[Cover],
    private: Source | None,
    attributes: Sequence[str],
    person: str | None,
) -> Ints:
    """Return how many people of each of the register's classes are, or may be, subjects."""
    if private is None:
        return known.counts
    if person is not None:
        listed, held = ids_alike(
            register.source.table([person]).column(0), private.table([person]).column(0)
        )
        found = pc.is_in(listed, value_set=held.drop_null()).to_numpy(zero_copy_only=False)
        if not found.any():
            _check_ids(listed, held, person, register)
        return known.tally.sums(iter([found.astype(np.int64)]))
    if own is None:
        lacking = [name for name in attributes if name not in private.variables]
        raise InputError(
            f"{private.origin} has no column {', '.join(lacking)}, so it cannot be said who of "
            f"{register.name} is in it. Name a column that both have and that names the person "
            "with --person."
        )
    agreeing = linking_totals(own.codes, known.codes, between, own.counts[:, None])[:, 0]
    return np.where(agreeing > 0, known.counts, 0)


def _check_ids(listed: pa.Array, held: pa.Array, person: str, register: Register) -> None:
    """Refuse ids of which none meets and that are written in different ways."""
    forms = forms_of(listed.to_pylist()), forms_of(held.to_pylist())
    if forms[0] != forms[1]:
        raise InputError(
            f"'{person}' names nobody of the private data in {register.name}: it is written as "
            f"{forms[0]} there and as {forms[1]} in the private data. Write both alike, or leave "
            "the register out."
        )


def _same_codes(released: str, known: str) -> bool:
    """Say whether values are codes of the same number of digits, three at least."""
    number, _, word = released.partition(" ")
    return released == known and word == "digits" and number.isdecimal() and int(number) >= 3


def _check_covers(
    covers: Sequence[Cover],
    own: Counted | None,
    between: Sequence[Cover],
    encrypted: Sequence[str],
    *,
    release: Source,
    register: Register,
) -> tuple[str, ...]:
    """Refuse labels that nobody can read: they would seem to refer to nobody.

    Messages describe how values are written and tell none: they may be private.
    """
    notes = []
    for j, found in enumerate(covers):
        name = found.name
        if name in encrypted:
            continue
        there = forms_of(found.values)
        if own is not None and between[j].apart:
            raise InputError(
                f"'{name}' cannot be laid beside the private data's in {register.name}: it is "
                f"written as {there} there and as {forms_of(own.values[j])} in the private data, "
                "and no value of one is a value of the other. Write both alike, or give a "
                "hierarchy that knows both codings (--hierarchies)."
            )
        # where the private data have codes of the same form, others were put in their place, and
        # the judge says so
        altered = own is not None and _same_codes(forms_of(found.unmet), there)
        if found.apart and not altered and forms_of(found.unmet) == there:
            raise InputError(
                f"No value of '{name}' in {release.origin} is one of {register.name}, although "
                f"both are written as {there}. If they are coded differently, write both alike, or "
                "give a hierarchy that knows both codings (--hierarchies). If the list merely "
                "lacks people with these values, add them, or leave it out."
            )
        if found.apart and not altered:
            raise InputError(
                f"'{name}' is coded differently in {release.origin} and {register.name}: it is "
                f"written as {forms_of(found.unmet)} in the release and as {there} in "
                f"{register.name}, and no released value stands for any of these. Write both "
                "alike, or give a hierarchy that knows both codings (--hierarchies). If nobody "
                f"can read the released values because they were encrypted, say so: "
                f"--encrypted {name}."
            )
        kept = set(texts_of(own.values[j])) if own is not None else set()
        written = {_code_form(value) for value in found.values} - {None}
        # a code of the same form that nobody of the register has: it lacks these people
        unread = [
            label
            for label in found.unread
            if label not in kept and _code_form(label) not in written
        ]
        if unread:
            raise InputError(
                f"'{name}' in {release.origin}: it is not known what {len(unread):,} released "
                f"{'value stands' if len(unread) == 1 else 'values stand'} for, written as "
                f"{forms_of(unread)}, which {register.name} does not have; it has {there}. Give "
                "the hierarchies that were used with --hierarchies. If the list merely lacks "
                "people with these values, add them, or leave it out."
            )
        if found.unmet:
            notes.append(
                f"{len(found.unmet):,} of {len(found.labels):,} released values of '{name}' meet "
                f"no value of {register.name}"
            )
        if None in found.values:
            notes.append(f"'{name}' is missing for some people of {register.name}")
    return tuple(notes)


def _code_form(text: str | None) -> int | None:
    """Return the length of a code that is all digits; None for other texts."""
    return len(text) if text is not None and text.isdecimal() else None
