"""The exact linking attack: join a release with a register on what both tell.

Sweeney (2001, section 2, Figure 12) joined hospital records with a voter list on ZIP, birth date
and sex, and named the governor. Whatever is coarser on one side is compared where both agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from indistinct.core import Array, Floats, InputError, Ints, Missing
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.attacks.claims import CONTROL, NOBODY, TARGET, UNKNOWN, Links
from indistinct.prove.attacks.control import register_with_control
from indistinct.prove.attacks.outcome import Guesses, LinkOutcome, link_outcome
from indistinct.prove.attacks.persons import register_of_people, repeated_persons
from indistinct.prove.attacks.told_values import judge_by_values
from indistinct.prove.exposure import Exposure, Unmet, expose
from indistinct.prove.links import linked_pairs, linked_totals, linking_totals
from indistinct.prove.people import PeopleOfClasses
from indistinct.prove.registers import Register, check_one_to_one, ids_alike

__all__ = ["exact_attack", "exact_links", "guessing", "name_people", "rows_of_persons", "true_rows"]


def exact_attack(
    engine: Engine,
    release: Source,
    register: Register,
    *,
    attributes: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    private: Source | None = None,
    person: str | None = None,
    truth: Sequence[Any] | Array | pa.Array | None = None,
    control: Source | None = None,
    missing: Missing = "own",
    unmet: Unmet = "excluding",
    encrypted: Sequence[str] = (),
    confidence: float = 0.95,
    whose: Ints | None = None,
) -> LinkOutcome:
    """Link every released record with the people of a register that it may belong to.

    A record with one candidate names that person. Whether rightly, is found out in the first of
    these ways that can be gone:

    1. *truth*: the true person of every record is known;
    2. *values*: the private record of the person named tells, outside the attributes, what the
       released record tells;
    3. not at all; then people in the data are compared with people who are not.

    Parameters
    ----------
    attributes
        What to link on; by default every column that release and register share.
    hierarchies
        What generalised labels stand for.
    private
        The private data, which tell who of the register is in them.
    person
        The column that names people, in the register (by default the register's own), in the
        private data and the control if they have it. If the release has it too, which no real
        release should, it is the truth.
    truth
        The true person of each released record: a value of `person`, or where the register has no
        such column the register's row, from 0. None (-2 for a row) where it is not known; -1 for
        a row: not in the register. The data holder has it when records kept their order.
    control
        People who are not in the release, added to the register. By default the register's people
        who are not in the data, where that is known.
    missing, unmet, encrypted
        As for `expose`. Here a released value that the register does not have refers to nobody.
    whose
        A number for the person of each released record, where people have several: then people
        are counted. -1 where it is not known. By default the truth tells it.

    Somebody who has several rows in the register is one candidate.

    >>> import indistinct, pyarrow as pa
    >>> from indistinct.files import open_table
    >>> voters = {"name": ["Ann", "Abe", "Al"], "zip": ["02139", "02139", "02138"],
    ...           "birth": ["1961-10-02", "1961-07-14", "1961-03-08"]}
    >>> visits = {"zip": ["0213*", "02138"], "birth": ["1961-07", "1961"], "ill": ["flu", "gout"]}
    >>> with indistinct.open_data(pa.table(visits)) as data:
    ...     list_ = open_table(pa.table(voters), workspace=data.engine.workspace)
    ...     found = exact_attack(data.engine, data.source, Register(list_, "voters", "name"))
    >>> found.witnesses
    (record 1 is Abe: not judged, record 2 is Al: not judged)
    """
    person = person or register.person
    if person is not None and register.person is None and person in register.source.variables:
        register = Register(register.source, register.name, person)
    if attributes is None:
        attributes = [
            n for n in release.variables if n in register.source.variables and n != person
        ]
    if not attributes:
        raise InputError(
            f"{release.origin} and {register.name} share no column to link on. Rename columns, or "
            "name the attributes."
        )
    release.check_columns(attributes)
    register.source.check_columns(attributes)
    if register.person is not None and control is not None:
        check_one_to_one(engine, register, register.person)
    listed = register_of_people(engine, register, attributes)
    register = listed.register
    attacked, first_control = register, register.source.records
    if control is not None:
        attacked, first_control = register_with_control(engine, register, control, attributes)
    by_person = person if private is not None and person in private.variables else None
    known_by = by_person if attacked.person is not None else None

    def exposed(to: Register) -> Exposure:
        return expose(
            engine,
            release,
            to,
            attributes,
            hierarchies=hierarchies,
            private=private,
            person=known_by,
            missing=missing,
            unmet=unmet,
            encrypted=encrypted,
        )

    try:
        exposure = exposed(attacked)
    except InputError:
        # the message may name values of the register, but none of a control, which is private
        exposed(register)
        raise InputError(
            f"The control is coded differently than {release.origin} and {register.name}. Recode "
            "it as the private data are coded."
        ) from None
    links = exact_links(exposure)
    links = replace(links, person=listed.to_first(links.person))
    rows = true_rows(release, attacked, person, truth)
    rows = None if rows is None else listed.to_first(rows)
    roles = _roles(exposure, rows, private, by_person, first_control)
    values = None
    if rows is None and private is not None:
        values = judge_by_values(
            exposure,
            links,
            release,
            private,
            hierarchies=hierarchies or {},
            person=known_by,
            control=control,
            first_control=first_control,
        )
    return link_outcome(
        links,
        attack="exact",
        register=attacked.name,
        attributes=attributes,
        people=attacked.source.records,
        truth=rows,
        values=values,
        roles=roles,
        knowing=None if roles is None else _knowing(exposure, roles),
        guesses=guessing(exposure),
        names=lambda found: name_people(attacked, found),
        notes=exposure.notes,
        confidence=confidence,
        first=listed.first,
        whose=whose if whose is not None else repeated_persons(rows, attacked),
    )


def exact_links(exposure: Exposure) -> Links:
    """Return how many people each record may belong to, and whose it is where that is one."""
    known, released = exposure.known, exposure.released
    assert known is not None
    alone = np.flatnonzero(exposure.people == 1)
    person = np.full(len(released.counts), NOBODY, dtype=np.int64)
    if len(alone) and exposure.several is not None:
        # one person, perhaps in several classes: the row in any of them is hers
        pairs = linked_pairs(
            released.codes[alone], known.codes, exposure.covers, missing=exposure.missing
        )
        for key, at_class in pairs:
            wanted, place = np.unique(at_class, return_inverse=True)
            rows, at = known.records_in(wanted)
            row_of = np.full(len(wanted), NOBODY, dtype=np.int64)
            row_of[at] = rows
            person[alone[key]] = row_of[place.reshape(-1)]
    elif len(alone):
        # one person in all: the sum of class numbers is the number of that person's class
        numbers = (known.counts * np.arange(len(known.counts)))[:, None]
        classes = linked_totals(
            released.codes[alone], known.codes, exposure.covers, numbers, missing=exposure.missing
        )[:, 0]
        wanted, place = np.unique(classes, return_inverse=True)
        rows, at = known.records_in(wanted)
        row_of = np.full(len(wanted), NOBODY, dtype=np.int64)
        row_of[at] = rows
        person[alone] = row_of[place.reshape(-1)]
    return Links.equal_chances(
        released.per_record(exposure.people).astype(np.int64),
        released.per_record(person).astype(np.int64),
    )


def guessing(exposure: Exposure) -> Guesses | None:
    """Return how often somebody is right who guesses without linking."""
    known, released = exposure.known, exposure.released
    assert known is not None
    rows = int(known.counts.sum())
    anybody = 1.0 / (rows if exposure.several is None else len(np.unique(exposure.several.people)))
    telling = [j for j, values in enumerate(known.values) if len(values) > 1]
    if len(telling) < 2:  # the one attribute is the attack itself
        return Guesses(anybody, anybody, "")
    j = min(telling, key=lambda j: (len(known.values[j]), j))
    people = np.zeros(len(known.values[j]), dtype=np.int64)
    np.add.at(people, known.codes[:, j], known.counts)
    agreeing = linked_totals(
        np.arange(len(released.values[j]))[:, None],
        np.arange(len(people))[:, None],
        [exposure.covers[j]],
        people[:, None],
        missing=exposure.missing,
    )[:, 0]
    mine = agreeing[released.codes[:, j]]
    chance = np.zeros(len(mine))
    np.divide(1.0, mine, out=chance, where=mine > 0)
    share = float(chance @ released.counts) / int(released.counts.sum())
    return Guesses(anybody, share, exposure.attributes[j])


def name_people(register: Register, rows: Sequence[int]) -> list[str]:
    """Return what rows of a register are called: by the person column, or by number from 1."""
    if register.person is None or not rows:
        return [f"row {row + 1:,}" for row in rows]
    column = register.source.table([register.person]).column(0)
    return [str(value) for value in column.take(pa.array(list(rows))).to_pylist()]


def rows_of_persons(register: Register, persons: pa.Array | pa.ChunkedArray) -> Ints:
    """Return the register's row of each person, NOBODY if absent, UNKNOWN if missing."""
    assert register.person is not None
    known, texts = ids_alike(register.source.table([register.person]).column(0), persons)
    found = pc.index_in(texts, value_set=known).fill_null(NOBODY)
    rows: Ints = found.to_numpy(zero_copy_only=False).astype(np.int64)
    rows[texts.is_null().to_numpy(zero_copy_only=False)] = UNKNOWN
    return rows


def true_rows(release: Source, register: Register, person: str | None, truth: Any) -> Ints | None:
    """Return the register's row of each record's person, where the truth is given or released."""
    if truth is None:
        if person is None or register.person is None or person not in release.variables:
            return None
        return rows_of_persons(register, release.table([person]).column(0).combine_chunks())
    if len(truth) != release.records:
        raise InputError(
            f"The truth must have an entry for each of the {release.records:,} records of "
            f"{release.origin}. Got {len(truth):,}."
        )
    if register.person is not None:
        ids = truth if isinstance(truth, pa.Array | pa.ChunkedArray) else pa.array(list(truth))
        return rows_of_persons(register, ids)
    rows = np.asarray(truth)
    last = register.source.records - 1
    if not np.issubdtype(rows.dtype, np.integer) or not ((rows >= UNKNOWN) & (rows <= last)).all():
        raise InputError(
            f"{register.name} has no column that names people, so the truth must be row numbers "
            f"from 0 to {last:,}, -1 where the person is not in it, -2 where it is not known."
        )
    return rows.astype(np.int64)


def _roles(
    exposure: Exposure,
    truth: Ints | None,
    private: Source | None,
    person: str | None,
    first_control: int,
) -> NDArray[np.int8] | None:
    """Say of every person of the register whether they are in the data."""
    register, known = exposure.register, exposure.known
    assert register is not None
    assert known is not None
    people = register.source.records
    if truth is not None and not (truth == UNKNOWN).any():
        roles = np.full(people, CONTROL, dtype=np.int8)
        roles[truth[truth >= 0]] = TARGET
    elif private is not None and person is not None and register.person is not None:
        theirs, ids = ids_alike(
            register.source.table([register.person]).column(0), private.table([person]).column(0)
        )
        inside = pc.is_in(theirs, value_set=ids).to_numpy(zero_copy_only=False)
        roles = np.where(inside, TARGET, CONTROL).astype(np.int8)
    elif exposure.own is not None:
        agreeing = linking_totals(
            exposure.own.codes, known.codes, exposure.between, exposure.own.counts[:, None]
        )[:, 0]
        inside = known.per_record(np.where(agreeing > 0, TARGET, CONTROL))
        roles = inside.astype(np.int8)
    elif first_control < people:
        # nothing tells who of the register is in the data: anybody may be
        roles = np.full(people, TARGET, dtype=np.int8)
    else:
        return None
    roles[first_control:] = CONTROL
    return roles


def _knowing(exposure: Exposure, roles: NDArray[np.int8]) -> Floats:
    """Return each record's chance for somebody who knows who is in the data."""
    known, released = exposure.known, exposure.released
    assert known is not None
    inside = known.tally.sums(iter([(roles == TARGET).astype(np.int64)]))
    totals = linked_totals(
        released.codes, known.codes, exposure.covers, inside[:, None], missing=exposure.missing
    )[:, 0]
    if exposure.several is not None:
        held, there = exposure.several, inside[exposure.several.classes] > 0
        among = PeopleOfClasses(held.by_class, held.classes[there], held.people[there])
        met = among.met(released.codes, known.codes, exposure.covers, missing=exposure.missing)
        totals = np.minimum(totals, met)
    totals[exposure.people == 0] = 0
    chance = np.zeros(len(totals))
    np.divide(1.0, totals, out=chance, where=totals > 0)
    return released.per_record(chance).astype(np.float64)
