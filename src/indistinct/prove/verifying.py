"""Verify a released file: count it again, attack it with registers, say what holds.

Nothing is taken from the program that protected the data: the file is read anew, its labels are
read by their form or by hierarchies that are given, and every count is made in two ways.

What a verdict takes for granted, and what puts it in doubt: in sentences.

"The level of protection provided by an ADS0 depends on the correctness of the selection of
attributes within QI, on the specifics of f and on assertions and invariants that can be made about
g1 and g2" (Sweeney 2001, section 5). Whoever reads a verdict should read these lines with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import ClassSize, InputError, Missing, check_whole
from indistinct.engine import Engine, quote
from indistinct.files import Source
from indistinct.hierarchy import Hierarchies, Hierarchy
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

__all__ = ["assumptions", "doubts", "verify"]

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


# What a verdict takes for granted ----------------------------------------------------------------


def assumptions(
    release: Source,
    *,
    key: Sequence[str],
    k: int | None = None,
    registers: Sequence[Register] = (),
    private: Source | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "own",
    probabilistic: bool = False,
    reach: int | None = None,
    person: str | None = None,
) -> tuple[str, ...]:
    """Say what must be true for a verdict to hold, in words that a recipient may read.

    Registers are named without the folders that they are in.

    Parameters
    ----------
    key
        What the intruder was believed to know.
    hierarchies
        What labels were read by; those that were chosen from the values are named as such.
    missing
        What a missing value of a register was taken for.
    probabilistic
        Whether a probabilistic attack was run too.
    reach
        How many people the intruder can address at once, where that was thought of.

    >>> import indistinct
    >>> with indistinct.open_data({"zip": ["0213*"], "ill": ["flu"]}) as data:
    ...     for sentence in assumptions(data.source, key=["zip"], k=5)[:2]:
    ...         print(sentence)
    the key is right: of a person an intruder knows zip, and nothing else of ill
    no register was tried: whom the records may be about was counted in the file itself
    """
    lists = [register for register in registers if register.name != OWN_PEOPLE]
    within = private is not None or len(lists) < len(registers)
    said = [_key_is_right(release, key), *_registers_are_right(lists, within, missing)]
    said.append(
        "near matches were tried by a probabilistic attack, but not every way of weighing them "
        "(ADS1)"
        if probabilistic
        else "an intruder links by values that agree, or that stand for each other: spelling "
        "errors and other near matches were not tried (ADS1)"
    )
    said.append(_labels_are_right(key, hierarchies))
    said.append(
        "a suppressed cell may be any value: the intruder takes it for a wildcard"
        if lists or within
        else "a suppressed cell is a value of its own: what it may stand for was not counted"
    )
    said.append(
        f"'{person}' says whose record each is: people were counted, however many records they have"
        if person is not None
        else "one record is about one person, and no person has two (Sweeney 2001, section 3)"
    )
    if k is not None and reach is None:
        said.append(
            f"nobody can ask all {k:,} people whom a record may be about: where one message "
            "reaches them all, about 100 of 1,000 were not enough (Sweeney 2001, section 4.2)"
        )
    said.append(
        "two things remain whatever is counted: what a recipient knows, or will come to know, "
        "cannot be known beforehand; and unusual values can be recognised without any list "
        "(Sweeney 2001, section 2)"
    )
    return tuple(said)


def doubts(
    engine: Engine,
    release: Source,
    *,
    key: Sequence[str],
    k: int | None = None,
    registers: Sequence[Register] = (),
    private: Source | None = None,
    person: str | None = None,
    reach: int | None = None,
) -> tuple[str, ...]:
    """Say what in the files themselves speaks against the assumptions: for the holder.

    Parameters
    ----------
    person
        The column that says whose record each is.
    reach
        How many people an intruder can address at once at little cost: the members of a mailing
        list, the inhabitants of a village.

    >>> import indistinct
    >>> with indistinct.open_data({"zip": ["0213*"] * 2, "who": ["a", "a"]}) as data:
    ...     found = doubts(data.engine, data.source, key=["zip"], person="who", k=2, reach=2)
    >>> for sentence in found:
    ...     print(sentence.partition(":")[0])
    no register was given
    'who' names somebody in several records of table
    somebody who can address 2 people at once asks all 2 whom a record may be about
    """
    said = []
    lists = [register for register in registers if register.name != OWN_PEOPLE]
    if not lists:
        said.append(
            "no register was given: k from the file alone may be far from the number of people "
            "outside it (Sweeney 2001, section 7). Give a list of people that the subjects are in"
        )
    for register in lists:
        held = register.source.variables
        beside = [
            n for n in release.variables if n in held and n not in key and n != register.person
        ]
        if beside:
            said.append(
                f"{register.name} has {_listed(beside)}, which the release tells too and the key "
                "does not hold: whoever has this register can link by more than was checked"
            )
    if person is not None:
        for source in (release, private, *(register.source for register in lists)):
            if source is not None and person in source.variables:
                said += _repeated(engine, source, person)
    if reach is not None and k is not None:
        said += _within_reach(k, reach)
    return tuple(said)


def _key_is_right(release: Source, key: Sequence[str]) -> str:
    beside = [name for name in release.variables if name not in key]
    tail = f", and nothing else of {_listed(beside)}" if beside else ""
    return f"the key is right: of a person an intruder knows {_listed(key)}{tail}"


def _registers_are_right(
    registers: Sequence[Register], private: bool, missing: Missing
) -> list[str]:
    if not registers:
        whom = f"among {OWN_PEOPLE}" if private else "in the file itself"
        return [f"no register was tried: whom the records may be about was counted {whom}"]
    names = _listed(Path(register.name).name for register in registers)
    said = [
        f"the intruder has {names}, and no list that tells people apart better",
        "the values of registers and private data are right and of the same time: what changed in "
        "between was not allowed for (ADS2)",
        "somebody of whom a register lacks a value is not linked by it, and makes no crowd"
        if missing == "own"
        else "somebody of whom a register lacks a value may have any, and is one of the crowd",
    ]
    if not private:
        said.append(
            "anybody in a register may be in the data: without the private file it is not known "
            "who is"
        )
    return said


def _labels_are_right(key: Sequence[str], hierarchies: Mapping[str, Hierarchy] | None) -> str:
    chosen = hierarchies.notes if isinstance(hierarchies, Hierarchies) else {}
    given = [name for name in key if name in (hierarchies or {}) and name not in chosen]
    guessed = [name for name in key if name in chosen]
    read = [name for name in key if name not in given and name not in guessed]
    parts = []
    if given:
        parts.append(f"the hierarchies that were given say of {_listed(given)}")
    if guessed:
        parts.append(f"the hierarchies that the program chose say of {_listed(guessed)}")
    if read:
        parts.append(f"their form says of {_listed(read)}")
    return f"released labels mean what {', what '.join(parts)}"


def _repeated(engine: Engine, source: Source, person: str) -> list[str]:
    column = quote(person)
    found = engine.sql(
        f"SELECT count(*) AS people, sum(n) AS records FROM (SELECT count(*) AS n FROM records "
        f"WHERE {column} IS NOT NULL GROUP BY {column}) AS counted WHERE n > 1",
        records=source,
    )
    people = int(found.column("people")[0].as_py())
    if not people:
        return []
    records = int(found.column("records")[0].as_py())
    several = "1 person has" if people == 1 else f"{people:,} people have"
    return [
        f"'{person}' names somebody in several records of {source.origin}: {several} {records:,} "
        "records, so that people were counted by it, not records"
    ]


def _within_reach(k: int, reach: int) -> list[str]:
    for name, value in (("k", k), ("reach", reach)):
        check_whole(name, value, 1)
    if k > reach:
        return []
    return [
        f"somebody who can address {reach:,} people at once asks all {k:,} whom a record may be "
        "about: one answer is enough, and about 100 of 1,000 people were not (Sweeney 2001, "
        f"section 4.2). Take a k above {reach:,}, or bind the recipient by contract"
    ]


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
