"""Checking records against what is declared of their variables.

A record that does not fit is named by variable and record number, never by what stands there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Value, Variable
from indistinct.engine import Engine
from indistinct.files import Source, check_numeric, dialect_of, is_number
from indistinct.keys import KeyTable

__all__ = ["check_categories", "check_levels"]

Judge = Callable[[list[Any]], Sequence[bool]]
"""Says of each of some values whether it is allowed."""


def check_categories(engine: Engine, source: Source) -> None:
    """Refuse records with a code outside the categories declared of its variable.

    Missing values, and codes declared to mean *missing*, are no categories and are let through.
    All variables are checked before any is refused.
    """
    problems = []
    for variable in source.variables.values():
        if variable.categories is not None:
            record = _first_outside(engine, source, variable, _among(variable.categories))
            if record is not None:
                problems.append(
                    f"{source.origin}: the value of '{variable.name}' in record {record:,} is not "
                    "one of its declared categories. Correct the record, or declare the category."
                )
    _raise(problems)


def check_levels(engine: Engine, source: Source) -> None:
    """Refuse records with text in a variable declared numeric.

    Codes declared to mean *missing* are let through. All variables are checked before any is
    refused.
    """
    problems = []
    schema = source.schema
    dialect = dialect_of(source)
    decimal = dialect.decimal if dialect else "."

    def numbers(values: list[Any]) -> list[bool]:
        found: list[bool] = is_number(pa.array(values, pa.string()), decimal=decimal).to_pylist()
        return found

    for variable in source.variables.values():
        if variable.level != "numeric":
            continue
        kind = schema.field(variable.name).type
        if variable.user_missing and pa.types.is_string(kind):
            record = _first_outside(engine, source, variable, numbers)
            if record is not None:
                problems.append(
                    f"{source.origin}: variable '{variable.name}' must hold numbers, but record "
                    f"{record:,} does not. Correct the record, or declare the code as missing."
                )
            continue
        try:
            check_numeric(source, variable.name)
        except InputError as error:
            problems.append(str(error))
    _raise(problems)


def _among(categories: Iterable[Value]) -> Judge:
    known = frozenset(categories)
    return lambda values: [value in known for value in values]


def _first_outside(
    engine: Engine, source: Source, variable: Variable, allowed: Judge
) -> int | None:
    """Return the number, from 1, of the first record whose value is neither allowed nor missing.

    Distinct values are judged once each; the records are read again only if one is wrong.
    """
    table = KeyTable.from_tally(engine.count(source, [variable.name]))
    values = [v for v in table.values(variable.name) if not variable.is_missing(v)]
    wrong = [v for v, right in zip(values, allowed(values), strict=True) if not right]
    return _first_record(source, variable.name, wrong) if wrong else None


def _first_record(source: Source, column: str, values: Iterable[Any]) -> int:
    wanted = pa.array(list(values), type=source.schema.field(column).type)
    before = 0
    for batch in source.batches([column]):
        at = pc.index(pc.is_in(batch.column(0), value_set=wanted), True).as_py()
        if at >= 0:
            return before + int(at) + 1
        before += batch.num_rows
    raise AssertionError("the values were counted in this source")


def _raise(problems: list[str]) -> None:
    if problems:
        raise InputError("\n".join(problems))
