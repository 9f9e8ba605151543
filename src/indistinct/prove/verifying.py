"""Verify a released file: count it again, attack it with registers, say what holds.

Nothing is taken from the program that protected the data: the file is read anew, its labels are
read by their form or by hierarchies that are given, and every count is made in two ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import ClassSize, InputError, Missing, check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.assumed import assumptions, doubts
from indistinct.prove.exposure import Exposure, Unmet, expose, expose_alone
from indistinct.prove.models import MODELS, NONE, NULL, Decision, decide
from indistinct.prove.opinion import Reservation
from indistinct.prove.registers import (
    OWN_PEOPLE,
    Register,
    join_registers,
    shared_attributes,
)
from indistinct.prove.verification import AT_MOST_WITNESSES, Verification, Witness

__all__ = ["verify"]

NAMED_PEOPLE = 5


def verify(
    engine: Engine,
    release: Source,
    key: Sequence[str],
    *,
    k: ClassSize = 2,
    private: Source | None = None,
    registers: Sequence[Register] = (),
    person: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "own",
    unmet: Unmet = "ignored",
    encrypted: Sequence[str] = (),
    identifiers: bool = True,
) -> Verification:
    """Decide which protection a released file gives, and show the records that have none.

    Parameters
    ----------
    key
        What an intruder may know of a person: the quasi-identifier.
    k
        How many people every record must refer to, at least.
    private
        The data that the release was made from: they tell who is a subject, and what is true.
    registers
        Lists of people that an intruder may hold. Without any, the private data's own people
        are taken, with every value of their key known; without these too, the release is
        counted by itself.
    person
        The column that names the person, in registers and private data. Several registers with
        that column are joined as well.
    hierarchies, missing, unmet, encrypted
        See `indistinct.prove.expose`.
    identifiers
        Take identifiers of the private data that were released for known; the judge has an
        examiner for them.

    >>> import pyarrow as pa, indistinct
    >>> with indistinct.open_data({"zip": ["0213*"] * 2, "ill": ["flu", "cold"]}) as data:
    ...     people = indistinct.files.open_table(
    ...         pa.table({"zip": ["02138", "02139", "02141"]}),
    ...         workspace=data.engine.workspace, origin="voters")
    ...     print(verify(data.engine, data.source, ["zip"], registers=[Register(people)]).sentence)
    k-map, k=2: no released record refers to fewer than 2 people
    """
    check_whole("k", k, 2)
    names = _known(release, key, private if identifiers else None)
    used = list(registers)
    if not used and private is not None:
        used = [Register.of_private(private, person)]
    if person is not None:
        having = [r for r in used if person in r.source.variables]
        if not having:
            raise InputError(f"No register has the column '{person}' that names the person.")
        if len(having) > 1:
            used.append(join_registers(engine, having, person))
    used = [register.with_people(engine, names) for register in used]
    exposures = [
        expose(
            engine,
            release,
            register,
            shared_attributes(release, register, names),
            hierarchies=hierarchies,
            private=private,
            person=person if _names_people(person, register, private) else None,
            missing=missing,
            unmet=unmet,
            encrypted=encrypted,
        )
        for register in used
    ] or [expose_alone(engine, release, names)]
    decisions = [
        decide(
            exposure,
            k=k,
            key=names,
            private=private,
            person=person
            if exposure.register and _names_people(person, exposure.register, private)
            else None,
            hierarchies=hierarchies,
        )
        for exposure in exposures
    ]
    given: dict[str, Any] = {"key": names, "k": k, "registers": registers, "private": private}
    return replace(
        _answer(release, names, k, decisions),
        notes=(
            *dict.fromkeys(_notes(key, names, exposures)),
            *doubts(engine, release, person=person, **given),
        ),
        assumptions=assumptions(
            release,
            hierarchies=hierarchies,
            missing=missing,
            person=next((register.person for register in used if register.several), None),
            **given,
        ),
        reservations=tuple(_reservations(key, exposures)),
    )


def _reservations(key: Sequence[str], exposures: Sequence[Exposure]) -> list[Reservation]:
    """Name what the private data contradict, and registers that k rests on and that lack something.

    Where the whole key was counted too, in the file or among its own people, k does not rest on a
    register: it can only lower it, and what it lacks is a note.
    """
    found = []
    for exposure in exposures:
        if exposure.name == OWN_PEOPLE and exposure.strange:
            found.append(
                Reservation(
                    "perturbed",
                    f"some released values of {', '.join(exposure.strange)} are nobody's in the "
                    "private data: values were altered, and what that protects from is not proved",
                )
            )
    if not _counted_whole(key, exposures):
        found += [Reservation("register-lacks", said) for said in _lacking(key, exposures)]
    return found


def _counted_whole(key: Sequence[str], exposures: Sequence[Exposure]) -> bool:
    """Say whether the whole key was counted without a register."""
    return any(
        (exposure.register is None or exposure.name == OWN_PEOPLE)
        and set(key) <= set(exposure.attributes)
        for exposure in exposures
    )


def _lacking(key: Sequence[str], exposures: Sequence[Exposure]) -> list[str]:
    """Say which registers lack variables of the key."""
    return [
        f"{Path(exposure.name).name} does not have {', '.join(lacking)}: whom it leaves for a "
        "record was counted without"
        for exposure in exposures
        if exposure.register is not None
        and exposure.name != OWN_PEOPLE
        and (lacking := [name for name in key if name not in exposure.attributes])
    ]


def _names_people(person: str | None, register: Register, private: Source | None) -> bool:
    return (
        person is not None
        and person in register.source.variables
        and private is not None
        and person in private.variables
    )


def _known(release: Source, key: Sequence[str], private: Source | None) -> list[str]:
    """Return the key, and with it every identifier of the private data that was released."""
    release.check_columns(key)
    held = private.variables.names(role="identifier") if private is not None else []
    return [*key, *(name for name in held if name in release.variables and name not in key)]


def _notes(key: Sequence[str], names: Sequence[str], exposures: Sequence[Exposure]) -> list[str]:
    notes = [
        f"'{name}' names people in the private data and is released: taken as known"
        for name in names[len(key) :]
    ]
    if _counted_whole(key, exposures):
        notes += _lacking(key, exposures)
    return [*notes, *(note for exposure in exposures for note in exposure.notes)]


def _answer(
    release: Source,
    key: Sequence[str],
    k: int,
    decisions: Sequence[Decision],
) -> Verification:
    models = np.minimum.reduce([decision.models for decision in decisions])
    disclosed = np.logical_or.reduce([decision.disclosed for decision in decisions])
    nothing = np.zeros(len(disclosed), dtype=bool)
    true = np.logical_or.reduce([nothing, *(d.disclosed for d in decisions if d.truth_known)])
    by_model: dict[str, int] = {
        name: int((models == code).sum()) for code, name in enumerate(MODELS)
    }
    fewest = [
        int(decision.people[counted].min())
        for decision in decisions
        if (counted := decision.models != NULL).any()
    ]
    # a record that discloses is not protected, even where wrong values protect the others
    exposed = int(((models == NONE) | disclosed).sum())
    verdict = MODELS[int(models.min())] if not exposed else "none"
    return Verification(
        verdict,
        min(fewest, default=0),
        k,
        not bool(disclosed.any()),
        int(disclosed.sum()),
        exposed,
        by_model,
        release.records,
        tuple(key),
        tuple(_witnesses(decisions, k)),
        tuple(_checked(decision) for decision in decisions),
        true_disclosures=int(true.sum()),
    )


def _checked(decision: Decision) -> dict[str, Any]:
    exposure = decision.exposure
    protected = decision.models != NULL
    return {
        "what": _what(exposure),
        "name": exposure.name,
        "records": exposure.known.source.records
        if exposure.known is not None
        else exposure.released.source.records,
        "attributes": list(exposure.attributes),
        "k": int(decision.people[protected].min()) if protected.any() else 0,
    }


def _what(exposure: Exposure) -> str:
    if exposure.register is None:
        return "release"
    return "private" if exposure.name == OWN_PEOPLE else "register"


def _witnesses(decisions: Sequence[Decision], k: int) -> list[Witness]:
    """Return the worst records: those that disclose first, then by the people they refer to."""
    found: list[tuple[tuple[bool, int, int], Decision]] = []
    for decision in decisions:
        bad = np.flatnonzero((decision.models == NONE) | decision.disclosed)
        order = np.lexsort((bad, decision.people[bad], ~decision.disclosed[bad]))
        for record in bad[order[:AT_MOST_WITNESSES]].tolist():
            worst = (not bool(decision.disclosed[record]), int(decision.people[record]), record)
            found.append((worst, decision))
    found.sort(key=lambda pair: pair[0])
    # a record that several registers give away is shown once, with the first of them
    once = {worst[2]: (worst, decision) for worst, decision in reversed(found)}
    shown = sorted(once.values(), key=lambda pair: pair[0])[:AT_MOST_WITNESSES]
    classes = {id(d): _classes_of(d, [w[2] for w, own in shown if own is d]) for _, d in shown}
    return [
        _witness(decision, record, people, classes[id(decision)][record], not safe, k)
        for (safe, people, record), decision in shown
    ]


def _classes_of(decision: Decision, records: Sequence[int]) -> dict[int, int]:
    classes = decision.exposure.released.class_of_records()
    return {record: int(classes[record]) for record in records}


def _witness(
    decision: Decision, record: int, people: int, released_class: int, discloses: bool, k: int
) -> Witness:
    exposure = decision.exposure
    rows = exposure.people_of(released_class, at_most=NAMED_PEOPLE)
    if discloses:
        condition = (
            "nobody else in the file has this key"
            if exposure.register is None
            else "nobody else (a), no other record (b), and what it tells is true (c)"
            if decision.truth_known
            else "nobody else (a), and no other record (b)"
        )
    else:
        condition = f"fewer than {k:,}"
    return Witness(record + 1, _names(exposure, rows), people, exposure.name, condition)


def _names(exposure: Exposure, rows: list[int]) -> tuple[str, ...]:
    register = exposure.register
    if register is None or not rows:
        return ()
    if register.person is None:
        return tuple(f"row {row + 1}" for row in rows)
    column = register.source.table([register.person]).column(0)
    return tuple(str(value) for value in column.take(pa.array(rows)).to_pylist())
