"""The small language of edit rules.

An expression is read with Python's own grammar and translated node by node; what is not on the
list below is refused, so nothing that a rule says is ever run as Python. There are variables,
numbers, texts, comparisons (also chained), ``and or not``, ``+ - *``, ``in (…)``, variables of
relatives (``mother.age``), ``missing(x)``, ``absent(spouse)``, and ``count``, ``minimum``,
``maximum`` and ``total`` over the household. A name that is no word stands in backticks.

What a rule computes with: numbers and texts by record, and which of them are known.

A comparison in which something is unknown, or in which a relative does not exist, is false.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np

from indistinct.core import Bools, InputError, Ints, did_you_mean
from indistinct.households import NOBODY, Column, Kinship, Records

__all__ = [
    "Expression",
    "Numbers",
    "Scope",
    "Texts",
    "Truths",
    "Value",
    "compare",
    "read_expression",
    "translated",
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


# Reading a rule ----------------------------------------------------------------------------------

_LONGEST = 10_000
_FUNCTIONS = ("count", "minimum", "maximum", "total", "missing", "absent")
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_MARKS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]+`|[`#;]")

T = TypeVar("T")
Truth = Callable[[Scope], Truths]
Value = Callable[[Scope], Operand]


@dataclass(frozen=True)
class Expression:
    """An expression that was understood: what it speaks of, and how it is answered."""

    text: str
    variables: tuple[str, ...]
    relatives: tuple[str, ...]
    needs_kinship: bool
    answer: Truth = field(repr=False, compare=False)


class _NotUnderstood(Exception):
    def __init__(self, said: str, place: int) -> None:
        self.said = said
        self.place = place


def read_expression(text: str, *, rule: str) -> Expression:
    """Read an expression; say what in it is not understood, and where.

    >>> read_expression("mother.age - age < 12", rule="young mother").relatives
    ('mother',)
    >>> read_expression("age < 15 and marital", rule="child")
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: Rule 'child' is not understood at position 14: a ...
    needed here, such as age < 15.
    """
    reader, answer = translated(text, f"Rule '{rule}'", _Reader.truth)
    return Expression(
        text, tuple(reader.variables), tuple(reader.relatives), reader.needs_kinship, answer
    )


def parse(text: str) -> tuple[_Reader, ast.expr]:
    """Return the syntax tree of an expression, and what translates it."""
    if not isinstance(text, str) or not text.strip():
        raise _NotUnderstood("an expression such as age < 15 is needed", 1)
    if len(text) > _LONGEST:
        raise _NotUnderstood(f"the expression is longer than {_LONGEST:,} characters", _LONGEST)
    plain, names = _without_backticks(re.sub(r"\s", " ", text))
    shift = len(plain) - len(plain.lstrip())
    plain = plain.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(plain, mode="eval")
    except SyntaxError as error:
        place = error.offset or 1
        raise _NotUnderstood(_syntax(error, plain[place - 1 : place]), place + shift) from None
    except (ValueError, RecursionError, MemoryError):
        raise _NotUnderstood("it lies too deep in brackets, or a number is too long", 1) from None
    return _Reader(plain, shift, names), tree.body


def translated(
    text: str, what: str, translate: Callable[[_Reader, ast.expr], T]
) -> tuple[_Reader, T]:
    """Translate an expression; say what in it is not understood, and where."""
    try:
        reader, tree = parse(text)
        try:
            return reader, translate(reader, tree)
        except RecursionError:
            raise _NotUnderstood("it lies too deep in brackets", 1) from None
    except _NotUnderstood as error:
        raise InputError(
            f"{what} is not understood at position {error.place}: {error.said}."
        ) from None


def _without_backticks(text: str) -> tuple[str, dict[int, str]]:
    """Put a word of the same length for every name in backticks; return names by their ends."""
    names: dict[int, str] = {}

    def replaced(match: re.Match[str]) -> str:
        mark = match[0]
        if mark[0] in "'\"":
            return mark
        if len(mark) == 1:
            said = {
                "`": "a name in backticks does not end",
                "#": "a rule holds no comments; a name with # stands in backticks",
                ";": "a rule is one expression",
            }[mark]
            raise _NotUnderstood(said, match.start() + 1)
        names[match.end()] = mark[1:-1]
        return "_" * len(mark)

    return _MARKS.sub(replaced, text), names


def _syntax(error: SyntaxError, there: str) -> str:
    said = str(error.msg)
    if there == "=" or "'='" in said or "assign" in said:
        return "write == to compare"
    if "never closed" in said or "unmatched" in said or "does not match" in said:
        return "the brackets do not match"
    if "nested" in said:
        return "it lies too deep in brackets"
    if "Exceeds the limit" in said:
        return "a number is too long"
    if "unterminated" in said:
        return "a text does not end: quotes are missing"
    return (
        "this is no expression (and, or, not are written small; a name that is no single word "
        "stands in backticks)"
    )


class _Reader:
    """Translates the nodes of one expression, and keeps what it speaks of."""

    def __init__(self, text: str, shift: int, names: dict[int, str]) -> None:
        self.text = text
        self.shift = shift
        self.names = names
        self.variables: dict[str, None] = {}
        self.relatives: dict[str, None] = {}
        self.needs_kinship = False

    def wrong(self, node: ast.expr, said: str) -> _NotUnderstood:
        return _NotUnderstood(said, self._character(node.col_offset) + self.shift + 1)

    def truth(self, node: ast.expr) -> Truth:
        """Translate what is true or false."""
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(value) for value in node.values]
            return _all(parts) if isinstance(node.op, ast.And) else _any(parts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            part = self.truth(node.operand)
            return lambda scope: ~part(scope)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.Call) and self._function(node) == "missing":
            value = self.value(node.args[0])
            return lambda scope: is_missing(value(scope), scope.records)
        if isinstance(node, ast.Call) and self._function(node) == "absent":
            relative = self._relative(node.args[0])
            return lambda scope: ~scope.exists(relative)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            raise self.wrong(node, "write and for &, or for |")
        raise self.wrong(node, "a comparison is needed here, such as age < 15")

    def value(self, node: ast.expr) -> Value:
        """Translate what is a number or a text."""
        if isinstance(node, ast.Constant):
            constant = self._constant(node)
            operand = constant if isinstance(constant, str) else Numbers(constant)
            return lambda scope: operand
        if isinstance(node, ast.Name):
            variable = self._variable(node, node.id)
            return lambda scope: scope.value(variable)
        if isinstance(node, ast.Attribute):
            relative = self._relative(node.value)
            other = self._variable(node, node.attr)
            return lambda scope: scope.value(other, relative)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            sign, one = (-1 if isinstance(node.op, ast.USub) else 1), self.value(node.operand)
            return lambda scope: arithmetic(operator.mul, Numbers(sign), one(scope))
        if isinstance(node, ast.BinOp):
            how = _ARITHMETIC.get(type(node.op))
            if how is None:
                raise self.wrong(node, "only + - and * are known here")
            left, right = self.value(node.left), self.value(node.right)
            return lambda scope: arithmetic(how, left(scope), right(scope))
        if isinstance(node, ast.Call):
            return self._aggregate(node)
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            raise self.wrong(node, "a number is needed here; count(…) counts where this is true")
        raise self.wrong(node, "this is not part of the language of rules")

    def _comparison(self, node: ast.Compare) -> Truth:
        parts = []
        for left, how, right in zip(
            [node.left, *node.comparators[:-1]], node.ops, node.comparators, strict=True
        ):
            parts.append(self._pair(left, how, right))
        return _all(parts)

    def _pair(self, left: ast.expr, how: ast.cmpop, right: ast.expr) -> Truth:
        one = self.value(left)
        if isinstance(how, (ast.In, ast.NotIn)):
            values = self._list(right)
            if isinstance(how, ast.In):
                return lambda scope: is_among(one(scope), values, scope.records)
            return lambda scope: (
                ~(
                    is_among(one(scope), values, scope.records)
                    | is_missing(one(scope), scope.records)
                )
            )
        if type(how) not in _COMPARISONS:
            raise self.wrong(right, "write == or != to compare")
        other, judge = self.value(right), _COMPARISONS[type(how)]
        return lambda scope: compare(judge, one(scope), other(scope), scope.records)

    def _list(self, node: ast.expr) -> tuple[int | float | str, ...]:
        listed = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
        values = []
        for element in listed:
            sign, inner = 1, element
            if isinstance(element, ast.UnaryOp) and isinstance(element.op, ast.USub):
                sign, inner = -1, element.operand
            if not isinstance(inner, ast.Constant):
                raise self.wrong(element, "a list holds numbers and texts, as in (1, 2)")
            constant = self._constant(inner)
            if isinstance(constant, str) and sign < 0:
                raise self.wrong(element, "a text has no sign")
            values.append(constant if isinstance(constant, str) else sign * constant)
        return tuple(values)

    def _constant(self, node: ast.Constant) -> int | float | str:
        value = node.value
        if isinstance(value, str):
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong(node, "a number or a text in quotes is needed; write 1 for true")
        return float(value) if abs(value) >= 1 << 63 else value

    def _variable(self, node: ast.expr, written: str) -> str:
        name = self.names.get(self._character(node.end_col_offset or 0) + self.shift, written)
        self.variables[name] = None
        return name

    def _relative(self, node: ast.expr) -> str:
        name = node.id if isinstance(node, ast.Name) else ""
        if name not in RELATIVES:
            raise self.wrong(
                node, f"there is no such relative. {did_you_mean(name, RELATIVES)}".rstrip(".")
            )
        self.relatives[name] = None
        self.needs_kinship = True
        return name

    def _function(self, node: ast.Call) -> str:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _FUNCTIONS:
            raise self.wrong(
                node, f"there is no such function. {did_you_mean(name, _FUNCTIONS)}".rstrip(".")
            )
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise self.wrong(node, f"{name}(…) takes one thing")
        return name

    def _aggregate(self, node: ast.Call) -> Value:
        name = self._function(node)
        if name in ("missing", "absent"):
            raise self.wrong(node, f"{name}(…) is true or false, and a number is needed here")
        self.needs_kinship = True
        if name == "count":
            which = self.truth(node.args[0])
            return lambda scope: count_true(which(scope), scope)
        value = self.value(node.args[0])
        return lambda scope: aggregate(name, value(scope), scope)

    def _character(self, byte: int) -> int:
        """Return the character at a place that the parser counts in bytes."""
        return len(self.text.encode()[:byte].decode())


def _all(parts: list[Truth]) -> Truth:
    def answer(scope: Scope) -> Truths:
        found = parts[0](scope)
        for part in parts[1:]:
            found = found & part(scope)
        return found

    return answer


def _any(parts: list[Truth]) -> Truth:
    def answer(scope: Scope) -> Truths:
        found = parts[0](scope)
        for part in parts[1:]:
            found = found | part(scope)
        return found

    return answer
