"""Whether what a released record tells is true of the person it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Ints
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.prove.attacks.claims import RIGHT, UNKNOWN, WRONG, Links
from indistinct.prove.exposure import Exposure
from indistinct.prove.registers import Register
from indistinct.prove.true_values import agreement, records_of_classes, records_of_people

__all__ = ["judge_by_person", "judge_by_values"]


def judge_by_values(
    exposure: Exposure,
    links: Links,
    release: Source,
    private: Source,
    *,
    hierarchies: Mapping[str, Hierarchy],
    person: str | None,
    control: Source | None,
    first_control: int,
) -> tuple[NDArray[np.int8], int | None] | None:
    """Compare what records tell, outside the attributes, with the private records of those named.

    With a column that names people, a link is right if a private record of the person agrees
    with all that is told. Without, the person's record is one of those that agree with what the
    register says: right if all of these agree, wrong if none does or there is none. A record that
    tells nothing is not judged.

    Returns the verdicts, and of how many people of the control the record that names them tells
    the truth, which is chance; None where the control has not all the columns. None if there is
    nothing to compare.
    """
    names = [
        name
        for name in release.variables
        if name in private.variables and name not in exposure.attributes and name != person
    ]
    if not names:
        return None
    claims = np.flatnonzero((links.candidates == 1) & (links.person >= 0))
    rows = links.person[claims]
    released = release.table(names).take(pa.array(claims))
    mine = np.flatnonzero(rows < first_control)
    verdicts = np.full(len(links.candidates), UNKNOWN, dtype=np.int8)
    verdicts[claims] = WRONG
    at, theirs = _private_records(exposure, rows[mine], private, person)
    at = mine[at]
    agree, telling = agreement(released, private.table(names), at, theirs, hierarchies)
    pairs, agreeing = np.zeros(len(claims), np.int64), np.zeros(len(claims), np.int64)
    np.add.at(pairs, at, 1)
    np.add.at(agreeing, at, agree.astype(np.int64))
    some, every = agreeing > 0, agreeing == pairs
    verdicts[claims[some & (every | (person is not None))]] = RIGHT
    verdicts[claims[some & ~every & (person is None)]] = UNKNOWN
    silent = np.zeros(len(claims), dtype=bool)
    silent[at] = ~telling
    verdicts[claims[silent]] = UNKNOWN
    if control is None or not all(name in control.variables for name in names):
        return verdicts, None
    others = np.flatnonzero(rows >= first_control)
    agree, telling = agreement(
        released, control.table(names), others, rows[others] - first_control, hierarchies
    )
    return verdicts, len(np.unique(rows[others[agree & telling]]))


def _private_records(
    exposure: Exposure, rows: Ints, private: Source, person: str | None
) -> tuple[Ints, Ints]:
    """Pair people, by position in `rows`, with the private records that may be theirs."""
    register, known = exposure.register, exposure.known
    assert register is not None
    assert known is not None
    if person is not None and register.person is not None:
        return records_of_people(register, rows, private, person)
    return records_of_classes(exposure, known.class_of_records()[rows])


def judge_by_person(
    links: Links,
    register: Register,
    release: Source,
    private: Source,
    *,
    attributes: Sequence[str],
    person: str,
    hierarchies: Mapping[str, Hierarchy],
) -> NDArray[np.int8] | None:
    """Judge unique links by whether a private record of the person tells what the record tells.

    None if the release tells nothing beside the attributes.
    """
    names = [
        n for n in release.variables if n in private.variables and n not in (*attributes, person)
    ]
    if not names:
        return None
    claims = np.flatnonzero((links.candidates == 1) & (links.person >= 0))
    at, theirs = records_of_people(register, links.person[claims], private, person)
    released = release.table(names).take(pa.array(claims))
    agree, telling = agreement(released, private.table(names), at, theirs, hierarchies)
    verdicts = np.full(len(links.candidates), UNKNOWN, dtype=np.int8)
    verdicts[claims] = WRONG
    verdicts[claims[at[~telling]]] = UNKNOWN
    verdicts[claims[at[agree & telling]]] = RIGHT
    return verdicts
