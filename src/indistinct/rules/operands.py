"""What a rule computes with: numbers and texts by record, and which of them are known.

A comparison in which something is unknown, or in which a relative does not exist, is false.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from indistinct.core import Bools, InputError, Ints
from indistinct.households import NOBODY, Column, Kinship, Records

__all__ = [
    "RELATIVES",
    "Numbers",
    "Operand",
    "Scope",
    "Texts",
    "Truths",
    "aggregate",
    "arithmetic",
    "compare",
    "count_true",
    "is_among",
    "is_missing",
]

Truths = Bools
RELATIVES = ("spouse", "mother", "father", "head")
"""The relatives whom a rule may speak of."""

_WHOLE = 1 << 63


class Numbers(NamedTuple):
    """Numbers by record, or one number for all; `present` is None where all are known."""

    values: Any
    present: Truths | None = None


class Texts(NamedTuple):
    """Texts by record, as positions in the texts that occur."""

    column: Column
    variable: str

    @property
    def present(self) -> Truths | None:
        """Which are known; None where all are."""
        return self.column.present


Operand = Numbers | Texts | str


@dataclass
class Scope:
    """The columns and the kin that rules are asked about, each looked up once."""

    columns: Mapping[str, Column]
    kinship: Kinship | None
    records: int
    _found: dict[tuple[str, str | None], Operand] = field(default_factory=dict)
    _exists: dict[str, Truths] = field(default_factory=dict)

    def kin(self) -> Kinship:
        """Return the kin; the caller has seen to it that they are known."""
        assert self.kinship is not None
        return self.kinship

    def exists(self, relative: str) -> Truths:
        """Say who has such a relative in the household."""
        if relative not in self._exists:
            self._exists[relative] = self.kin().of(relative) != NOBODY
        return self._exists[relative]

    def value(self, variable: str, relative: str | None = None) -> Operand:
        """Return a variable of everybody, or of everybody's relative."""
        key = (variable, relative)
        if key not in self._found:
            column = self.columns[variable]
            if relative is not None:
                column = _of_relative(column, self.kin().of(relative), self.exists(relative))
            texts = column.texts is not None
            self._found[key] = (
                Texts(column, variable) if texts else Numbers(column.values, column.present)
            )
        return self._found[key]


def _of_relative(column: Column, relative: Records, exists: Truths) -> Column:
    # NOBODY is -1 and takes the last record, which `exists` rules out again
    present = exists if column.present is None else exists & column.present[relative]
    return Column(column.values[relative], present, column.texts)


def compare(how: Callable[[Any, Any], Any], left: Operand, right: Operand, records: int) -> Truths:
    """Compare two operands record by record; false where one is unknown."""
    if isinstance(left, Numbers) or isinstance(right, Numbers):
        one, other = _numbers(left), _numbers(right)
        found = how(one.values, other.values)
        known = _both(one.present, other.present)
    elif isinstance(left, str) and isinstance(right, str):
        found, known = how(left, right), None
    elif isinstance(right, str):
        assert isinstance(left, Texts)
        found, known = _by_text(left.column, lambda text: how(text, right)), left.present
    elif isinstance(left, str):
        found, known = _by_text(right.column, lambda text: how(left, text)), right.present
    else:
        found = how(*_ranked(left.column, right.column))
        known = _both(left.present, right.present)
    answer = np.asarray(found, dtype=bool)
    answer = answer if known is None else answer & known
    return answer if answer.ndim else np.full(records, bool(answer))


def is_among(left: Operand, values: tuple[int | float | str, ...], records: int) -> Truths:
    """Say where an operand is one of some values."""
    parts: list[Operand] = [v if isinstance(v, str) else Numbers(v) for v in values]
    found = np.zeros(records, dtype=bool)
    for part in parts:
        found |= compare(operator.eq, left, part, records)
    return found


def is_missing(operand: Operand, records: int) -> Truths:
    """Say where an operand is unknown."""
    known = None if isinstance(operand, str) else operand.present
    return np.zeros(records, dtype=bool) if known is None else ~known


def arithmetic(how: Callable[[Any, Any], Any], left: Operand, right: Operand) -> Numbers:
    """Add, subtract or multiply; whole numbers stay whole as long as 64 bits hold them."""
    one, other = _numbers(left), _numbers(right)
    a, b = _wide(one.values), _wide(other.values)
    if _is_whole(a) and _is_whole(b):
        largest = how(_largest(one.values), _largest(other.values))
        if how is operator.sub:
            largest = _largest(one.values) + _largest(other.values)
        if largest >= _WHOLE:
            a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return Numbers(how(a, b), _both(one.present, other.present))


def count_true(which: Truths, scope: Scope) -> Numbers:
    """Count in everybody's household the people of whom something is true."""
    kin = scope.kin()
    counted = np.bincount(kin.household[which], minlength=kin.households)
    return Numbers(counted[kin.household])


_START = {"minimum": np.minimum, "maximum": np.maximum, "total": np.add}


def aggregate(what: str, operand: Operand, scope: Scope) -> Numbers:
    """Return the smallest, the largest or the sum of the known numbers in everybody's household.

    Unknown where all of them are; a sum of none is 0.
    """
    kin = scope.kin()
    one = _numbers(operand)
    values = np.broadcast_to(_wide(one.values), (scope.records,))
    household = kin.household
    if one.present is not None:
        values, household = values[one.present], household[one.present]
    some = np.zeros(kin.households, dtype=bool)
    some[household] = True
    found = np.zeros(kin.households, dtype=values.dtype)
    if what != "total":
        found[household[::-1]] = values[::-1]
    _START[what].at(found, household, values)
    present = None if what == "total" or some.all() else some[kin.household]
    return Numbers(found[kin.household], present)


def _numbers(operand: Operand) -> Numbers:
    """Take an operand as numbers; text that is none is refused."""
    if isinstance(operand, Numbers):
        return operand
    if isinstance(operand, str):
        read = Column.of([operand]).numbers()
        if read[2]:
            raise InputError("a text that is no number is compared with numbers")
        return Numbers(float(read[0][0]))
    values, present, unread = operand.column.numbers()
    if unread:
        raise InputError(f"'{operand.variable}' holds text and is used as a number")
    return Numbers(values, present)


def _both(one: Truths | None, other: Truths | None) -> Truths | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _by_text(column: Column, judge: Callable[[str], bool]) -> Truths:
    table = np.array([judge(text) for text in column.texts or ()] + [False])
    found: Truths = table[column.values]
    return found


def _ranked(left: Column, right: Column) -> tuple[Ints, Ints]:
    """Return numbers that are ordered as the texts of two columns are."""
    rank = {t: n for n, t in enumerate(sorted({*(left.texts or ()), *(right.texts or ())}))}
    one, other = (
        np.array([*(rank[t] for t in c.texts or ()), 0], dtype=np.int64)[c.values]
        for c in (left, right)
    )
    return one, other


def _is_whole(values: Any) -> bool:
    return isinstance(values, int) or getattr(values, "dtype", np.dtype(float)).kind == "i"


def _wide(values: Any) -> Any:
    kind = getattr(values, "dtype", None)
    if kind is None or kind.kind == "f":
        return values
    if kind == np.uint64 and len(values) and int(values.max()) >= _WHOLE:
        return values.astype(np.float64)
    return values.astype(np.int64)


def _largest(values: Any) -> int:
    if isinstance(values, int):
        return abs(values)
    if values.dtype.itemsize <= 4:
        return int(np.iinfo(values.dtype).max) + 1
    return max(abs(int(values.min())), abs(int(values.max()))) if len(values) else 0
