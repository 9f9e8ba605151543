"""Codes and labels for categories that protection made, in released Stata and SPSS files.

A protected column of codes holds texts: codes that stayed (``3``), categories that were made of
several (``1-2``, ``married or widowed``) and what was suppressed (``*``). In a file of a
statistical package all of them are numbers: a code that stayed is itself, with its label; a
category gets a code of its own from 900,000,001 on, with its text as its label; what is suppressed
is the missing value ``.s``. The file's label says so, and whoever reads it here gets the texts
again, so that a release is proved from this file as from any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Value, Variable, Variables
from indistinct.files.tags import float_code, integer_code, tag_letters

__all__ = ["MARK", "is_coded", "is_number_format", "with_codes", "with_texts"]

MARK = "Released by Indistinct: see the codebook"
"""The label of a file whose categories are coded."""
SUPPRESSED = "*"
FIRST = 900_000_001
_LETTER = "s"
_LONGEST = 120
"""Bytes of a value label in SPSS; Stata has room for more."""
_NUMERIC = re.compile(r"%-?\d*(\.\d+)?[gfe]c?|F\d+(\.\d+)?")
"""Formats of numbers in Stata and SPSS."""


def with_codes(table: pa.Table, variables: Variables) -> tuple[pa.Table, Variables]:
    """Return the records with codes where texts stand for codes, and what the codes mean.

    >>> told = Variables([Variable("job", labels={1: "clerk", 3: "mayor"})])
    >>> table, coded = with_codes(pa.table({"job": ["1", "2-3", "*"]}), told)
    >>> table.column("job").to_pylist()
    [1, 900000001, 2147483640]
    >>> dict(coded["job"].labels)
    {1: 'clerk', 900000001: '2-3', 2147483640: 'suppressed'}
    """
    changed: dict[str, Variable] = {}
    for at, name in enumerate(table.column_names):
        column, variable = table.column(at), variables[name]
        if not pa.types.is_string(column.type):
            continue
        texts = [text for text in pc.unique(column).to_pylist() if text is not None]
        codes = _codes(texts, variable)
        if codes is None:
            continue
        whole = all(isinstance(code, int) for code in codes.values())
        coded = pa.array([codes.get(text) for text in texts], pa.int64() if whole else pa.float64())
        found = pc.index_in(column, value_set=pa.array(texts, pa.string()))
        table = table.set_column(at, name, pc.take(coded, found))
        changed[name] = _told(variable, codes)
    return table, Variables(changed.get(name, variables[name]) for name in table.column_names)


def _codes(texts: list[str], variable: Variable) -> dict[str, Value] | None:
    """Return the code of every text, or None where the column was not one of numbers."""
    kept = [text for text in texts if text != SUPPRESSED]
    whole = [text for text in kept if _is_whole(text)]
    if kept and all(map(_is_decimal, kept)) and len(whole) < len(kept):
        codes: dict[str, Value] = {text: float(text) for text in kept}
        suppressed: Value = float_code(_LETTER)
    else:
        was_number = is_number_format(variable.format) or any(
            not isinstance(value, str) for value in variable.labels
        )
        if not was_number and (not kept or len(whole) < len(kept)):
            return None
        made = sorted(set(kept) - set(whole), key=_in_order)
        if any(len(text.encode()) > _LONGEST for text in made):
            return None
        codes = {text: int(text) for text in whole}
        codes.update({text: FIRST + number for number, text in enumerate(made)})
        suppressed = integer_code(_LETTER)
    if SUPPRESSED in texts:
        codes[SUPPRESSED] = suppressed
    return codes


def _told(variable: Variable, codes: dict[str, Value]) -> Variable:
    labels: dict[Value, str] = {}
    for value, label in variable.labels.items():
        code = codes.get(str(value))
        if code is not None:
            labels[code] = label
    made: dict[Value, str] = {
        c: t for t, c in codes.items() if isinstance(c, int) and FIRST <= c < integer_code("a")
    }
    missing = variable.user_missing
    if SUPPRESSED in codes:
        made[codes[SUPPRESSED]] = "suppressed"
        missing = (*missing, codes[SUPPRESSED])
    format = variable.format if is_number_format(variable.format) else ""
    return replace(
        variable, labels={**labels, **made}, user_missing=missing, categories=None, format=format
    )


def _is_whole(text: str) -> bool:
    return bool(re.fullmatch(r"0|-?[1-9]\d{0,8}", text)) and abs(int(text)) < FIRST


def _is_decimal(text: str) -> bool:
    try:
        return repr(float(text)) == text and abs(float(text)) < float_code("a")
    except ValueError:
        return False


def _in_order(text: str) -> list[tuple[int, int, str]]:
    """Order texts by the numbers in them: 5-9 before 10-14."""
    pieces = re.findall(r"\d{1,15}|\D+|\d+", text)
    return [(0, int(p), "") if p.isdecimal() and len(p) < 16 else (1, 0, p) for p in pieces]


def is_number_format(format: str) -> bool:
    """Say whether a format is one in which Stata or SPSS shows numbers.

    >>> is_number_format("%8.0g"), is_number_format("F8.2"), is_number_format("%td")
    (True, True, False)
    """
    return bool(_NUMERIC.fullmatch(format))


def is_coded(variables: Variables) -> list[str]:
    """Return the variables whose values are codes, in a file that carries the mark."""
    return [
        name
        for name, variable in variables.items()
        if _LETTER in tag_letters(variable).values()
        or any(
            isinstance(value, int) and FIRST <= value < integer_code("a")
            for value in variable.labels
        )
    ]


def with_texts(
    batches: Iterable[pa.RecordBatch], variables: Variables, names: list[str]
) -> tuple[Iterable[pa.RecordBatch], Variables]:
    """Return what `with_codes` made of the records, as it was before."""
    texts = {name: _texts(variables[name]) for name in names}

    def decoded() -> Iterable[pa.RecordBatch]:
        for batch in batches:
            for name, by_code in texts.items():
                at = batch.schema.get_field_index(name)
                cells = [
                    None if cell is None else by_code.get(cell, str(cell))
                    for cell in batch.column(at).to_pylist()
                ]
                batch = batch.set_column(at, name, pa.array(cells, pa.string()))
            yield batch

    return decoded(), Variables(
        _before(variable, texts[name]) if name in texts else variable
        for name, variable in variables.items()
    )


def _texts(variable: Variable) -> dict[Value, str]:
    """Return the texts of the codes that are not themselves."""
    found: dict[Value, str] = {
        value: label
        for value, label in variable.labels.items()
        if isinstance(value, int) and FIRST <= value < integer_code("a")
    }
    tags = tag_letters(variable)
    return {**found, **{code: SUPPRESSED for code, letter in tags.items() if letter == _LETTER}}


def _before(variable: Variable, texts: dict[Value, str]) -> Variable:
    return replace(
        variable,
        level="nominal" if variable.level == "numeric" else variable.level,
        labels={value: label for value, label in variable.labels.items() if value not in texts},
        user_missing=tuple(code for code in variable.user_missing if code not in texts),
    )
