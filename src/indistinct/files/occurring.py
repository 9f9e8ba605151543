"""Labels and categories that a file needs: those of values that occur in it.

A label is written by people about people. What nobody in a file has must not be told by its
dictionary either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Value, Variable, Variables
from indistinct.files.source import Source

__all__ = ["described_but_absent", "with_occurring_values"]


def with_occurring_values(source: Source) -> Source:
    """Return the source with labels, categories and missing codes of values that occur alone.

    >>> from indistinct.files import open_table
    >>> from indistinct.files.workspaces import workspace
    >>> with workspace() as private:
    ...     made = open_table(pa.table({"job": [1, 1, 2]}), workspace=private)
    ...     told = made.variables.updated({"job": {"labels": {1: "clerk", 2: "cook", 3: "mayor"}}})
    ...     dict(with_occurring_values(replace(made, variables=told)).variables["job"].labels)
    {1: 'clerk', 2: 'cook'}
    """
    occurring = _occurring(source)
    return replace(
        source,
        variables=Variables(
            _cut(variable, occurring[name]) if name in occurring else variable
            for name, variable in source.variables.items()
        ),
    )


def described_but_absent(source: Source) -> dict[str, set[Value]]:
    """Return by column the values that labels or categories tell of and no record has."""
    absent = {
        name: {*source.variables[name].labels, *(source.variables[name].categories or ())} - found
        for name, found in _occurring(source).items()
    }
    return {name: values for name, values in absent.items() if values}


def _cut(variable: Variable, found: set[Value]) -> Variable:
    categories = variable.categories
    return replace(
        variable,
        labels={value: label for value, label in variable.labels.items() if value in found},
        categories=None if categories is None else tuple(v for v in categories if v in found),
        # a range is a rule, and tells of nobody
        user_missing=tuple(
            code for code in variable.user_missing if isinstance(code, tuple) or code in found
        ),
    )


def _described(variable: Variable) -> set[Value]:
    codes = (code for code in variable.user_missing if not isinstance(code, tuple))
    return {*variable.labels, *(variable.categories or ()), *codes}


def _occurring(source: Source) -> dict[str, set[Value]]:
    """Return for every described column which of the described values occur in it."""
    described = {n: told for n, v in source.variables.items() if (told := _described(v))}
    if not described:
        return {}
    schema = source.schema
    forms = {n: _as_stored(values, schema.field(n).type) for n, values in described.items()}
    sought = {n: pa.array(list(form), schema.field(n).type) for n, form in forms.items()}
    found: dict[str, set[Value]] = {name: set() for name in described}
    for batch in source.batches(list(described)):
        for name, values in sought.items():
            column = batch.column(name)
            met = column.filter(pc.is_in(column, value_set=values)).unique().to_pylist()
            found[name].update(value for stored in met for value in forms[name].get(stored, ()))
    return found


def _as_stored(values: Iterable[Value], kind: pa.DataType) -> dict[Any, list[Value]]:
    """Return the values by how a column of some type holds them; those that it cannot are left."""
    forms: dict[Any, list[Value]] = {}
    for value in values:
        stored: Any = None
        if pa.types.is_string(kind):
            whole = isinstance(value, float) and value.is_integer()
            stored = str(int(value)) if whole else str(value)
        elif isinstance(value, str):
            continue
        elif pa.types.is_floating(kind):
            stored = float(value)
        elif pa.types.is_integer(kind) and value == int(value):
            stored = int(value)
        if stored is not None:
            try:
                pa.scalar(stored, kind)
            except (pa.ArrowException, OverflowError):
                continue
            forms.setdefault(stored, []).append(value)
    return forms
