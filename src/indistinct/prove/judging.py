"""The one judge: what may be said of a released file. Certificate, `verify` and report ask it.

The paper's models are counted (`verify`): in the file itself, among the private data's own people,
and in every register. Then every examiner looks at it for one way in which such a count is undone.
Nothing that any of them says makes the verdict better, so more knowledge can only keep or lower it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from indistinct.core import InputError, Missing, progress
from indistinct.naming import find_person, with_person
from indistinct.prove.examiners import all_examiners
from indistinct.prove.opinion import Trial, together
from indistinct.prove.registers import Register
from indistinct.prove.verification import Verification
from indistinct.prove.verifying import verify

__all__ = ["judge"]

ITSELF = "the released file itself"


def judge(trial: Trial, *, missing: Missing = "own") -> Verification:
    """Judge a released file by its promise.

    >>> import indistinct
    >>> from indistinct.prove import Promise
    >>> with indistinct.open_data({"zip": ["0213*"] * 2, "ill": ["flu", "cold"]}) as data:
    ...     found = judge(Trial(data.engine, data.source, Promise(key=("zip",), k=2)))
    >>> found.state, found.sentence
    ('holds', 'k-map, k=2: no released record refers to fewer than 2 people')
    """
    trial = _of_people(trial)
    named, private = trial.promise.person, trial.private
    trial = replace(trial, promise=replace(trial.promise, person=_person(trial)))
    promise = trial.promise
    own = [Register.of_private(private, promise.person)] if private is not None else []
    if promise.population is not None:
        own = []  # the file's people are some of the list's; k counts the list's
        _check_population(promise.population, trial.registers)
    asked: dict[str, Any] = {"k": promise.k, "identifiers": False}
    lists = [*trial.registers, *own]
    if promise.wildcard and promise.population is None:
        # what a blank agrees with is counted in the file; the examiner of elimination does more
        missing = "wildcard"
        lists += [Register(trial.release, ITSELF)] if private is None else []
    counted = verify(
        trial.engine,
        trial.release,
        promise.key,
        private=private,
        registers=lists,
        person=named if any(named in people.source.variables for people in lists) else None,
        hierarchies=trial.hierarchies,
        missing=missing,
        encrypted=(*promise.encrypted, *promise.substituted, *promise.perturbed),
        **asked,
    )
    counted = _resting_on(counted, promise.population)
    itself = promise.population is None and not promise.wildcard
    if promise.claims_k and itself and counted.checked[0]["what"] != "release":
        alone = verify(trial.engine, trial.release, promise.key, **asked)
        counted = _also_alone(counted, alone)
    heard = progress.each(all_examiners(), "examining the release", unit="examiners")
    said = together([examine(trial) for examine in heard])
    fewest = counted.k if said.k is None else min(counted.k, said.k)
    findings = said.findings
    if promise.claims_k and said.k is not None and said.k < promise.k and not findings:
        findings = (f"some records can be narrowed down to {said.k:,} people",)
    return replace(
        counted,
        k=fewest,
        claims_k=promise.claims_k,
        findings=counted.findings + findings,
        reservations=tuple(dict.fromkeys(counted.reservations + said.reservations)),
        accepted=promise.accepted,
        notes=counted.notes + said.notes,
        parts={**counted.parts, **said.parts},
    )


def _also_alone(counted: Verification, alone: Verification) -> Verification:
    """Add what the file itself shows: a class that is small in it stays small.

    However many people a register has for it, whoever knows who is in the data counts these.
    """
    found: tuple[str, ...] = ()
    if alone.state == "fails" and counted.state != "fails":
        found = (f"in the file itself, {alone.sentence.removeprefix('none: ')}",)
    return replace(
        counted,
        k=min(counted.k, alone.k) if counted.k else alone.k,
        findings=counted.findings + found,
        checked=(*counted.checked, *alone.checked),
        witnesses=counted.witnesses or alone.witnesses,
    )


def _resting_on(counted: Verification, population: str | None) -> Verification:
    """Make a note of what registers lack, unless k rests on them.

    k rests on a register only where it counts the people of that list. Any other can but lower it:
    what it lacks is worth knowing, and to give a second one must not change what is reserved.
    """
    if population is not None:
        return counted
    lacks = tuple(r for r in counted.reservations if r.code == "register-lacks")
    return replace(
        counted,
        reservations=tuple(r for r in counted.reservations if r not in lacks),
        notes=(*(r.sentence for r in lacks), *counted.notes),
    )


def _of_people(trial: Trial) -> Trial:
    """Put together what says of private data whose the records are, where two columns do."""
    private, promise = trial.private, trial.promise
    if private is None:
        return trial
    parts = (promise.person or "").split(",")
    if len(parts) > 1 and not all(part.strip() in private.variables for part in parts):
        return trial
    found = with_person(trial.engine, private, promise.person, key=promise.key)
    return trial if found is private else replace(trial, private=found)


def _person(trial: Trial) -> str | None:
    """Return the column that says whose record each is: as promised, or found in the data."""
    promised, private = trial.promise.person, trial.private
    if private is None:
        return promised
    declared = promised if promised in private.variables else None
    return find_person(trial.engine, private, declared=declared, key=trial.promise.key)


def _check_population(population: str, registers: Sequence[Register]) -> None:
    """Refuse to judge a promise that counts the people of a list without that list."""
    if Path(population).name not in {Path(register.name).name for register in registers}:
        raise InputError(
            f"This release counts k among the people of {Path(population).name}, not in the file. "
            "Give that list with --register."
        )
