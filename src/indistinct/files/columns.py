"""Text that holds numbers: read as numbers only where the same text can be written back.

A column of text becomes

- *integer* when every text is the canonical text of a 64-bit integer (``7``, ``-12``; not
  ``07``, ``+7`` or ``7.0``);
- *decimal* when every text is the shortest text of a float64, filled up with zeros to at least
  d decimals, d being the fewest decimals of any value (``2.5`` with d = 0 beside ``3``;
  ``12.50`` with d = 2). d is kept in `Variable.format` as ``0.00#`` (d zeros; ``#`` for the
  decimals beyond, written where a value has them), so that the writer repeats it;
- otherwise text, whose level is *numeric* when every value is a number without leading zeros,
  *date* when every value is an ISO date.
"""

from __future__ import annotations

import re
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Level, Variable

__all__ = ["TextColumn", "decimals_of", "is_number", "number_text"]

_MOST_DECIMALS = 15
"""More significant decimals than this a float64 does not keep."""


def decimals_of(format: str) -> int:
    """Return the d of a decimal column's format.

    >>> decimals_of("0.00#"), decimals_of("%8.0g")
    (2, 0)
    """
    match = re.fullmatch(r"0\.(0+)#", format)
    return len(match[1]) if match else 0


def number_text(
    values: pa.Array | pa.ChunkedArray, *, decimals: int = 0, decimal: str = "."
) -> pa.Array:
    """Return the text of numbers: the shortest, with at least so many decimals.

    >>> number_text(pa.array([2.5, 3.0, None]), decimals=2, decimal=",").to_pylist()
    ['2,50', '3,00', None]
    """
    texts = pc.cast(values, pa.string())
    if decimals and pa.types.is_floating(values.type):
        lacking = pc.subtract(decimals, _decimals(texts))
        short = pc.and_(pc.greater(lacking, 0), _is_plain(texts))
        point = pc.if_else(pc.equal(_decimals(texts), 0), ".", "")
        zeros = pc.binary_repeat("0", pc.max_element_wise(lacking, 0))
        texts = pc.if_else(short, pc.binary_join_element_wise(texts, point, zeros, ""), texts)
    if decimal != ".":
        texts = pc.replace_substring(texts, ".", decimal)
    return texts


def is_number(texts: pa.Array | pa.ChunkedArray, *, decimal: str = ".") -> pa.Array:
    """Say of each text whether it is a decimal number (null stays null)."""
    point = re.escape(decimal)
    return pc.match_substring_regex(
        texts, rf"^[+-]?([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?$"
    )


def _is_plain(texts: pa.Array) -> pa.Array:
    """Digits and a point: no exponent, no ``nan`` or ``inf``."""
    return pc.invert(pc.match_substring_regex(texts, "[a-zA-Z]"))


def _decimals(texts: pa.Array) -> pa.Array:
    point = pc.find_substring(texts, ".")
    after = pc.subtract(pc.subtract(pc.binary_length(texts), point), 1)
    return pc.if_else(pc.less(point, 0), pa.scalar(0, pa.int32()), after)


class TextColumn:
    """Finds the type of one text column while its batches pass.

    `convert` returns each batch in the type that held so far; when a batch does not fit it,
    the column falls back to the next type and `changed` is set: what was converted before must
    then be converted again (`start`), in the type found meanwhile. Types only ever fall back,
    so this ends; most columns need one pass.

    >>> column = TextColumn("rent")
    >>> column.convert(pa.array(["12.50", "3.00"])).to_pylist(), column.changed
    ([12.5, 3.0], False)
    >>> column.convert(pa.array(["n/a"])).to_pylist(), column.changed
    (['n/a'], True)
    """

    def __init__(self, name: str, *, decimal: str = ".", keep_text: bool = False) -> None:
        self.name = name
        self.decimal = decimal
        self.kind: Literal["unseen", "integer", "decimal", "text"] = "unseen"
        self.decimals = _MOST_DECIMALS
        self.keep_text = keep_text
        self.start()

    def start(self) -> None:
        """Begin a new pass over the column."""
        self.changed = False
        self._passed = False
        self._padded = False
        self._numbers = self._dates = True

    @property
    def type(self) -> pa.DataType:
        """The Arrow type found so far."""
        return {"integer": pa.int64(), "decimal": pa.float64()}.get(self.kind, pa.string())

    def convert(self, texts: pa.Array) -> pa.Array:
        """Return one batch in the type found so far."""
        if texts.null_count == len(texts):
            self._passed = self._passed or len(texts) > 0
            return pa.nulls(len(texts), self.type)
        kind, decimals, padded = self.kind, self.decimals, self._padded
        values = self._fit(texts)
        # fewer decimals change nothing where every number was written as short as it can be
        if self._passed and (self.kind != kind or (padded and self.decimals != decimals)):
            self.changed = True
        self._passed = True
        return values

    def variable(self) -> Variable:
        """Return what was found out, when all batches have passed."""
        level: Level = "nominal"
        if self.kind in ("integer", "decimal") or (self.kind == "text" and self._numbers):
            level = "numeric"
        elif self.kind == "text" and self._dates:
            level = "date"
        format = f"0.{'0' * self.decimals}#" if self.kind == "decimal" and self.decimals else ""
        return Variable(self.name, level=level, format=format)

    @property
    def kept_numbers_as_text(self) -> bool:
        """Numbers that could not be written back the same."""
        return self.kind == "text" and self._numbers and not self.keep_text

    def _fit(self, texts: pa.Array) -> pa.Array:
        if self.keep_text:
            self.kind = "text"
        if self.kind in ("unseen", "integer"):
            values = self._integers(texts)
            if values is not None:
                self.kind = "integer"
                return values
            self.kind = "decimal"
        if self.kind == "decimal":
            values = self._decimal_numbers(texts)
            if values is not None:
                return values
            self.kind = "text"
        self._look(texts)
        return texts

    def _integers(self, texts: pa.Array) -> pa.Array | None:
        values = _parsed(texts, pa.int64())
        if values is None or not pc.all(pc.equal(pc.cast(values, pa.string()), texts)).as_py():
            return None
        return values

    def _decimal_numbers(self, texts: pa.Array) -> pa.Array | None:
        pointed = texts
        if self.decimal != ".":
            pointed = pc.replace_substring(texts, self.decimal, ".")
        values = _parsed(pointed, pa.float64())
        if values is None or not pc.all(pc.is_finite(values)).as_py():
            return None
        fewest = pc.min(pc.if_else(_is_plain(pointed), _decimals(pointed), 0)).as_py()
        self.decimals = min(self.decimals, fewest)
        written = number_text(values, decimals=self.decimals, decimal=self.decimal)
        if not pc.all(pc.equal(written, texts)).as_py():
            return None
        shortest = number_text(values, decimal=self.decimal)
        self._padded = self._padded or not pc.all(pc.equal(shortest, texts)).as_py()
        return values

    def _look(self, texts: pa.Array) -> None:
        if not (self._numbers or self._dates):
            return
        distinct = pc.unique(texts).drop_null()
        if self._numbers:
            numbers = pc.all(is_number(distinct, decimal=self.decimal)).as_py()
            # A leading zero makes it a code, like 01 for a province.
            coded = pc.any(pc.match_substring_regex(distinct, "^[+-]?0[0-9]")).as_py()
            self._numbers = numbers and not coded
        if self._dates:
            shaped = pc.match_substring_regex(distinct, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$")
            self._dates = (
                bool(pc.all(shaped).as_py()) and _parsed(distinct, pa.timestamp("us")) is not None
            )


def _parsed(texts: pa.Array, type: pa.DataType) -> pa.Array | None:
    try:
        return pc.cast(texts, type)
    except pa.ArrowInvalid:
        return None
