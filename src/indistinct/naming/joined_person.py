"""People whom two columns tell together: the number of the household, and of the person in it.

Both become one more column of the records, an identifier that never leaves, so that everything
else counts people by one column. It is called as its parts are named with a comma between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, InputError, Ints, Variable, Variables, decoded, did_you_mean
from indistinct.engine import Engine, quote
from indistinct.files import Source
from indistinct.households import household_column
from indistinct.naming.concepts import POSITION, concept_of
from indistinct.naming.content import glance_at
from indistinct.naming.guessing import guess_roles
from indistinct.naming.people import find_person, is_of_one, repeating

__all__ = ["with_person"]

_BETWEEN = "ʘ"
"""A letter that stands between the parts: signs make no difference between ids, letters do."""

_MOST_MEMBERS = 30
_NUMBERED_THROUGH = 0.95
"""The share of households whose members are numbered from 1 on, without a gap."""


def with_person(
    engine: Engine, source: Source, person: str | None = None, *, key: Sequence[str] = ()
) -> Source:
    """Return the records with a column that says whose each is, where two columns do so.

    Parameters
    ----------
    person
        The column, or columns with a comma between. Where nothing is named, and no column tells
        it, the number of the household and the line in it are taken if they do: members are
        numbered from 1 on, some have several records, and those agree as one person's do.

    >>> import indistinct
    >>> visits = {"hh": [1, 1, 1, 2, 2, 2] * 2, "line": [1, 2, 3] * 4, "sex": [1, 2, 2] * 4}
    >>> with indistinct.open_data(visits) as data:
    ...     people = with_person(data.engine, data.source, "hh,line")
    ...     engine_counts = data.engine.count(people, ["hh,line"]).counts.tolist()
    >>> engine_counts
    [2, 2, 2, 2, 2, 2]
    """
    if person is None:
        parts = _found_in_two(engine, source, key)
    elif person in source.variables or "," not in person:
        return source
    else:
        parts = tuple(name.strip() for name in person.split(","))
    if not parts:
        return source
    missing = [name for name in parts if name not in source.variables]
    if missing:
        raise InputError(
            f"{source.origin}: there is no column '{missing[0]}' to say whose record each is. "
            f"{did_you_mean(missing[0], list(source.variables))}"
        )
    return _joined(engine, source, parts, ",".join(parts) if person is None else person)


_JOINED: dict[object, Source] = {}


def _joined(engine: Engine, source: Source, parts: Sequence[str], name: str) -> Source:
    """Return the records with one more column, that of the parts put together; made once."""
    asked = (*source.identity, name)
    if asked in _JOINED and _JOINED[asked].path.exists():
        made = _JOINED[asked]
        return replace(source, path=made.path, variables=_with_variable(source, name))
    variables = _with_variable(source, name)
    schema = source.schema.append(pa.field(name, pa.string()))

    def change(batch: pa.RecordBatch, _: Ints) -> pa.RecordBatch:
        texts = [_as_id(batch.column(part)) for part in parts]
        whole = pc.binary_join_element_wise(*texts, _BETWEEN, null_handling="emit_null")
        return pa.RecordBatch.from_arrays([*batch.columns, whole], schema=schema)

    made = engine.transform(source, change, schema=schema, variables=variables)
    _JOINED.clear()
    _JOINED[asked] = made
    return made


def _with_variable(source: Source, name: str) -> Variables:
    return Variables([*source.variables.values(), Variable(name, role="identifier")])


def _as_id(column: pa.Array) -> pa.Array:
    """Return ids as texts: 0001 and 1 are one person's."""
    texts = pc.cast(decoded(column), pa.string())
    return pc.replace_substring_regex(texts, r"^\s*0*(\d+)(\.0*)?\s*$", r"\1")


def _found_in_two(engine: Engine, source: Source, key: Sequence[str]) -> tuple[str, ...]:
    """Return the household's number and the line in it, where they number people; or nothing."""
    lines = [
        name
        for name in source.variables
        if name not in key
        and (concept := concept_of(name)) is not None
        and concept.about == POSITION
    ]
    household = _household(engine, source) if lines else None
    if household is None or household in key:
        return ()
    for line in lines:
        if not _numbers_members(engine, source, household, line):
            continue
        if find_person(engine, source, key=key) is not None:
            return ()
        joined = _joined(engine, source, (household, line), f"{household},{line}")
        name = f"{household},{line}"
        if repeating(engine, joined, name) and is_of_one(engine, joined, name, key):
            return household, line
    return ()


def _household(engine: Engine, source: Source) -> str | None:
    """Return the number of the household: as it is called, or as it looks."""
    if (named := household_column(source)) is not None:
        return named
    guesses = guess_roles(source, glance_at(engine, source))
    return next((guess.name for guess in guesses if guess.role == "household"), None)


def _numbers_members(engine: Engine, source: Source, household: str, line: str) -> bool:
    """Say whether a column numbers the members of nearly every household, some of them twice."""
    found = engine.sql(
        f"""SELECT count(*) AS records, count(DISTINCT line) AS lines, max(line) AS most FROM (
              SELECT {quote(household)} AS home, TRY_CAST({quote(line)} AS BIGINT) AS line
              FROM records WHERE {quote(household)} IS NOT NULL) t GROUP BY home""",
        records=source,
    )
    records, lines, most = (
        np.asarray(pc.fill_null(found.column(name), 0).to_numpy())
        for name in ("records", "lines", "most")
    )
    through: Bools = (lines == most) & (lines > 0) & (most <= _MOST_MEMBERS)
    twice = bool(records.sum() > lines.sum())
    return twice and float(through.mean()) >= _NUMBERED_THROUGH
