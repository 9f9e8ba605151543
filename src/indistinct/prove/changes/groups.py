"""Groups of people, named by a rule on the original file: ``"age >= 20"``, ``"sex = 2"``."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Array, Bools, InputError, decoded, holds_text
from indistinct.files import Source

__all__ = ["Rule", "find_groups", "who"]


# not ArrayLike, which takes a single text for an array
Rule = str | Sequence[Any] | Array
"""Whom a group holds: a rule in words, or true and false for every original record."""

MOST_VALUES = 60
"""Groups by the values of a variable; more than this nobody reads."""

_NAME = r"[^<>=!]+?"
_COMPARISON = re.compile(
    rf"(?:(?P<low>{_NAME})\s*(?P<from><=?)\s*)?(?P<name>{_NAME})\s*"
    r"(?P<sign><=|>=|!=|==|=|<|>)\s*(?P<value>[^<>=!]+)"
)
_AMONG = re.compile(r"(?P<name>.+?)\s+in\s+(?P<values>.+)")
_SIGNS = {
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "=": pc.equal,
    "==": pc.equal,
    "!=": pc.not_equal,
}
_TURNED = {"<": ">", "<=": ">="}


def who(source: Source, rule: Rule, *, name: str = "group") -> Bools:
    """Say of every record whether a rule holds; a missing value meets no condition.

    A rule in words is one condition or several with ``and`` between them: ``age >= 20``,
    ``0 <= age <= 19``, ``sex = 2``, ``region in North, South``, ``born < 1990-01-01``.
    """
    if not isinstance(rule, str):
        found = np.asarray(rule)
        if found.dtype != np.bool_ or found.shape != (source.records,):
            raise InputError(
                f"Group '{name}' must say true or false of each of the {source.records:,} original "
                f"records, or be a rule such as 'age >= 20'. Got {found.size:,} values of type "
                f"{found.dtype}."
            )
        return found.copy()
    held = np.ones(source.records, dtype=bool)
    for part in re.split(r"\s+and\s+", rule.strip()):
        for variable, sign, values in _conditions(part.strip(), rule, name):
            held &= _holds(source, variable, sign, values, name)
    return held


def find_groups(
    source: Source, groups: Mapping[str, Rule] | None, by: Sequence[str] = ()
) -> dict[str, Bools]:
    """Return the groups asked for, and one for every value of each variable of `by`."""
    found = {name: who(source, rule, name=name) for name, rule in (groups or {}).items()}
    source.check_columns(by)
    for variable in by:
        column = _plain(source.table([variable]).column(0).combine_chunks())
        coded = column.dictionary_encode(null_encoding="encode")
        if len(coded.dictionary) > MOST_VALUES:
            raise InputError(
                f"Variable '{variable}' has {len(coded.dictionary):,} values, too many for groups "
                f"(at most {MOST_VALUES}). Give groups by rules, such as '{variable} >= …'."
            )
        codes = coded.indices.to_numpy(zero_copy_only=False)
        values = coded.dictionary.to_pylist()
        labels = source.variables[variable].labels
        for code in sorted(range(len(values)), key=lambda c: (values[c] is None, values[c] or 0)):
            value = values[code]
            shown = "missing" if value is None else labels.get(value, value)
            found[f"{variable}: {shown}"] = codes == code
    return found


def _conditions(part: str, rule: str, name: str) -> list[tuple[str, str, list[str]]]:
    """Read one part of a rule as conditions: variable, sign, values."""
    among = _AMONG.fullmatch(part)
    if among:
        return [(_bare(among["name"]), "in", [_bare(v) for v in among["values"].split(",")])]
    compared = _COMPARISON.fullmatch(part)
    if not compared:
        raise InputError(
            f"The rule of group '{name}' cannot be read: '{rule}'. Write conditions such as "
            "'age >= 20', '0 <= age <= 19', 'sex = 2' or 'region in North, South', with 'and' "
            "between them."
        )
    variable = _bare(compared["name"])
    found = [(variable, compared["sign"], [_bare(compared["value"])])]
    if compared["low"]:
        found.append((variable, _TURNED[compared["from"]], [_bare(compared["low"])]))
    return found


def _bare(word: str) -> str:
    word = word.strip().strip("()[]").strip()
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word


def _holds(source: Source, variable: str, sign: str, values: Sequence[str], name: str) -> Bools:
    source.check_columns([variable])
    column = _plain(source.table([variable]).column(0))
    if sign not in ("in", "=", "==", "!=") and pa.types.is_string(column.type):
        column = _as_numbers(column, variable, name)
    met = np.zeros(len(column), dtype=bool)
    for text in values:
        value = _value(text, column.type, variable, name)
        compare = _SIGNS["=" if sign == "in" else sign]
        met |= compare(column, value).fill_null(False).to_numpy()
    return met


def _plain(column: Any) -> Any:
    column = decoded(column)
    return column.cast(pa.string()) if holds_text(column.type) else column


def _as_numbers(column: pa.ChunkedArray, variable: str, name: str) -> pa.ChunkedArray:
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        raise InputError(
            f"Group '{name}': '{variable}' is text and has no order. Use '=' or 'in'."
        ) from None


def _value(text: str, kind: pa.DataType, variable: str, name: str) -> pa.Scalar:
    try:
        if pa.types.is_temporal(kind):
            return pa.scalar(datetime.datetime.fromisoformat(text)).cast(kind)
        if pa.types.is_boolean(kind):
            return pa.scalar({"true": True, "false": False}[text.lower()])
        if pa.types.is_string(kind):
            return pa.scalar(text)
        return pa.scalar(int(text) if re.fullmatch(r"-?\d+", text) else float(text))
    except (ValueError, KeyError, pa.ArrowException):
        raise InputError(
            f"Group '{name}': '{text}' cannot be compared with '{variable}', whose values are of "
            f"type {kind}."
        ) from None
