"""Attacks that allow for errors, told in the same shape as the exact one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from indistinct.core import InputError, Ints, Seed, holds_numbers
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.attacks.claims import CONTROL, TARGET, Links
from indistinct.prove.attacks.distance import link_by_distance
from indistinct.prove.attacks.distance_scales import Distance
from indistinct.prove.attacks.exact import name_people, true_rows
from indistinct.prove.attacks.fellegi_sunter import link_probabilistically
from indistinct.prove.attacks.outcome import Guesses, LinkOutcome, link_outcome
from indistinct.prove.attacks.persons import (
    RegisterOfPeople,
    register_of_people,
    repeated_persons,
)
from indistinct.prove.attacks.told_values import judge_by_person
from indistinct.prove.registers import Register, as_text_column, shared_attributes

__all__ = ["distance_attack", "probabilistic_attack"]


def probabilistic_attack(
    engine: Engine,
    release: Source,
    register: Register,
    *,
    attributes: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    private: Source | None = None,
    person: str | None = None,
    truth: Sequence[Any] | pa.Array | None = None,
    precision: float = 0.95,
    seed: Seed = 1,
    whose: Ints | None = None,
) -> LinkOutcome:
    """Link a release with a register that has errors; see `link_probabilistically`.

    Parameters
    ----------
    private, person, truth, whose
        Tell which links are right, and of whom, as for `exact_attack`.
    precision
        The share of right links that the intruder wants to be sure of.
    """
    listed, names = _prepared(engine, release, register, attributes, person)
    register = listed.register
    found = link_probabilistically(
        release.table(names),
        register.source.table(names),
        names,
        precision=precision,
        seed=seed,
    )
    links = Links.from_pairs(
        found.left.astype(np.int64),
        found.right.astype(np.int64),
        found.probability,
        records=release.records,
    )
    note = f"{found.expected_precision:.1%} of the links are right by the model's own estimate"
    return _judged(
        "probabilistic",
        links,
        release,
        register,
        names,
        hierarchies,
        private,
        person,
        truth,
        [note] if len(found) else [],
        listed,
        whose,
    )


def distance_attack(
    engine: Engine,
    release: Source,
    register: Register,
    *,
    attributes: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    private: Source | None = None,
    person: str | None = None,
    truth: Sequence[Any] | pa.Array | None = None,
    distance: Distance | None = None,
    whose: Ints | None = None,
) -> LinkOutcome:
    """Link every released record with the nearest of a register; see `link_by_distance`.

    Parameters
    ----------
    private, person, truth, whose
        Tell which links are right, and of whom, as for `exact_attack`.
    distance
        By default ``standardised`` where all attributes are numbers, otherwise ``gower``.
    """
    listed, names = _prepared(engine, release, register, attributes, person)
    register = listed.register
    if distance is None:
        sides = (release.schema, register.source.schema)
        numbers = all(holds_numbers(side.field(name).type) for side in sides for name in names)
        distance = "standardised" if numbers else "gower"
    found = link_by_distance(
        release.table(names), register.source.table(names), names, distance=distance
    )
    nearest = found.nearest[:, 0].astype(np.int64)
    candidates = np.where(nearest >= 0, found.ties, 0).astype(np.int64)
    links = Links.equal_chances(candidates, nearest)
    return _judged(
        f"{distance} distance",
        links,
        release,
        register,
        names,
        hierarchies,
        private,
        person,
        truth,
        [],
        listed,
        whose,
    )


def _prepared(
    engine: Engine,
    release: Source,
    register: Register,
    attributes: Sequence[str] | None,
    person: str | None,
) -> tuple[RegisterOfPeople, list[str]]:
    person = person or register.person
    if person is not None and person in register.source.variables:
        register = Register(register.source, register.name, person)
    names = list(attributes or [n for n in release.variables if n != person])
    names = shared_attributes(release, register, names)
    release.check_columns(names)
    if not names:
        raise InputError("Linking needs at least one attribute that both files have.")
    return register_of_people(engine, register, names), names


def _judged(
    attack: str,
    links: Links,
    release: Source,
    register: Register,
    names: Sequence[str],
    hierarchies: Mapping[str, Hierarchy] | None,
    private: Source | None,
    person: str | None,
    truth: Sequence[Any] | pa.Array | None,
    notes: Sequence[str],
    listed: RegisterOfPeople,
    whose: Ints | None,
) -> LinkOutcome:
    links = replace(links, person=listed.to_first(links.person))
    rows = true_rows(release, register, person or register.person, truth)
    rows = None if rows is None else listed.to_first(rows)
    values = None
    by_person = person is not None and private is not None and person in private.variables
    if rows is None and by_person and private is not None and person is not None:
        verdicts = judge_by_person(
            links,
            register,
            release,
            private,
            attributes=names,
            person=person,
            hierarchies=hierarchies or {},
        )
        values = None if verdicts is None else (verdicts, None)
    people = register.source.records
    return link_outcome(
        links,
        attack=attack,
        register=register.name,
        attributes=names,
        people=people,
        truth=rows,
        values=values,
        roles=_roles(register, private, person) if by_person and rows is None else None,
        guesses=Guesses(1 / listed.people, 1 / listed.people, ""),
        names=lambda found: name_people(register, found),
        notes=notes,
        first=listed.first,
        whose=whose if whose is not None else repeated_persons(rows, register),
    )


def _roles(
    register: Register, private: Source | None, person: str | None
) -> NDArray[np.int8] | None:
    """Say of the register's people whether the private data hold them."""
    if private is None or person is None or register.person is None:
        return None
    ids = as_text_column(private.table([person]).column(0)).combine_chunks()
    theirs = as_text_column(register.source.table([register.person]).column(0))
    inside = pc.is_in(theirs, value_set=ids).to_numpy(zero_copy_only=False)
    return np.where(inside, TARGET, CONTROL).astype(np.int8)
