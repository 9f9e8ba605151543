"""The small language of edit rules.

An expression is read with Python's own grammar and translated node by node; what is not on the
list below is refused, so nothing that a rule says is ever run as Python. There are variables,
numbers, texts, comparisons (also chained), ``and or not``, ``+ - *``, ``in (…)``, variables of
relatives (``mother.age``), ``missing(x)``, ``absent(spouse)``, and ``count``, ``minimum``,
``maximum`` and ``total`` over the household. A name that is no word stands in backticks.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from indistinct.core import InputError, did_you_mean
from indistinct.rules.operands import (
    RELATIVES,
    Numbers,
    Operand,
    Scope,
    Truths,
    aggregate,
    arithmetic,
    compare,
    count_true,
    is_among,
    is_missing,
)

__all__ = ["Expression", "Value", "read_expression", "translated"]

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
