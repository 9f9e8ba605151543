"""The language of questions: what can be asked, and how a question is read.

::

    select ITEM, … from data [where CONDITION] [group by NAME, …]
                             [order by NAME [desc], …] [limit N]

    ITEM       a variable, *, count(*), count(x), share(*), sum(x), mean(x), min(x), max(x)
               and after it, if wanted, "as name"
    CONDITION  x = v, x <> v, x < v, …, x between v and w, x in (v, …), x is null,
               put together by and, or, not and brackets

What is decided here: a question is read by this module alone into a small tree. Nothing of its text
is ever run, and there is nothing in the tree that could compute: a variable is compared with values
that stand in the question, and that is all. Its length, its depth and its number of values are
limited, so that reading and answering it cost what its size says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from indistinct.core import InputError

__all__ = [
    "LONGEST",
    "Comparison",
    "Condition",
    "Item",
    "Joined",
    "Negated",
    "Order",
    "Question",
    "Value",
    "read_question",
]

Value = str | int | float
Operator = Literal["=", "<>", "<", "<=", ">", ">=", "in", "is null"]

LONGEST = 4_000
"""Characters of a question."""
DEEPEST = 20
"""Brackets and negations within each other."""

MEASURES = {"count": "count", "share": "share", "sum": "sum", "mean": "mean", "avg": "mean"}
EXACT_MEASURES = {"min": "min", "max": "max"}
"""Told of records that may be seen one by one, and of no others."""

EXAMPLE = "\"select sex, count(*), mean(income) from data where town in ('A', 'B') group by sex\""
_WORD = r"[^\W\d]\w*"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[+-]?(?:\d{{1,30}}(?:\.\d{{0,30}})?|\.\d{{1,30}})(?:[eE][+-]?\d{{1,2}})?(?![\w.]))"
    rf"|(?P<word>{_WORD})"
    r"|\"(?P<quoted>(?:[^\"]|\"\")+)\""
    r"|'(?P<text>(?:[^']|'')*)'"
    r"|(?P<sign><>|!=|<=|>=|[=<>(),*]))"
)
_KEPT = frozenset(
    "select from where group by having order limit offset and or not in is null between as asc "
    "desc distinct union with join case cast like exists over filter".split()
)


@dataclass(frozen=True)
class Comparison:
    """A variable beside values: ``age >= 30``, ``town in ('A', 'B')``, ``ill is null``."""

    name: str
    operator: Operator
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Negated:
    """What is not so."""

    part: Condition


@dataclass(frozen=True)
class Joined:
    """Conditions that all hold (``and``), or of which one does (``or``)."""

    word: Literal["and", "or"]
    parts: tuple[Condition, ...]


Condition = Comparison | Negated | Joined


@dataclass(frozen=True)
class Item:
    """What is asked for: a variable, or a measure of one or of the records.

    Parameters
    ----------
    measure
        ``count``, ``share``, ``sum``, ``mean``, ``min``, ``max``; empty for a variable itself.
    name
        The variable; ``*`` for all of them, or for the records.
    shown
        What the column of the answer is called.
    """

    measure: str
    name: str
    shown: str


@dataclass(frozen=True)
class Order:
    """By which column of the answer its rows are put in order."""

    column: int
    downwards: bool


@dataclass(frozen=True)
class Question:
    """A question as it was understood."""

    items: tuple[Item, ...]
    where: Condition | None = None
    by: tuple[str, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None

    @property
    def lists(self) -> bool:
        """Whether it asks for records themselves."""
        return not self.by and not any(item.measure for item in self.items)

    @property
    def conditioned(self) -> tuple[str, ...]:
        """The variables of the conditions, each once."""
        return tuple(dict.fromkeys(_names(self.where))) if self.where is not None else ()


def read_question(text: str) -> Question:
    """Read a question, or say what can be asked instead.

    >>> read_question("select sex, count(*) as people from data group by sex").items
    (Item(measure='', name='sex', shown='sex'), Item(measure='count', name='*', shown='people'))
    >>> read_question("select median(income) from data")
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: 'median' cannot be asked. There are: count, share, sum, ...
    """
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"The question is empty. Ask as in {EXAMPLE}.")
    if len(text) > LONGEST:
        raise InputError(
            f"The question is longer than {LONGEST:,} characters. Ask in several questions."
        )
    return _Reader(_tokens(text)).question()


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str

    @property
    def word(self) -> str:
        return self.text.lower() if self.kind == "word" else ""


def _tokens(text: str) -> list[_Token]:
    found, at = [], 0
    text = text.strip().removesuffix(";").rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise InputError(
                f"The question cannot be read from its character {at + 1} on. Names are written as "
                "they are or \"in double quotes\", text is 'in single quotes', and nothing is "
                f"computed. Ask as in {EXAMPLE}."
            )
        kind, said = match.lastgroup, match.group(match.lastgroup)
        if kind in ("quoted", "text"):
            mark = '"' if kind == "quoted" else "'"
            said = said.replace(mark * 2, mark)
            if not said.isprintable():
                raise InputError(
                    "The question holds a character that cannot be shown, within quotes. Leave it "
                    "out."
                )
        found.append(_Token("name" if kind == "quoted" else kind, said))
        at = match.end()
    return found


class _Reader:
    """Reads tokens from left to right, looking at the next one alone."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self._tokens = [*tokens, _Token("end", "")]
        self._at = 0
        self._depth = 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _if(self, *words: str) -> bool:
        """Take some words or signs if they come next, in this order."""
        coming = self._tokens[self._at : self._at + len(words)]
        same = [
            token.word == word or _is_sign(token, word)
            for token, word in zip(coming, words, strict=False)
        ]
        if len(same) < len(words) or not all(same):
            return False
        self._at += len(words)
        return True

    def _expect(self, *words: str) -> None:
        if not self._if(*words):
            raise InputError(
                f"Here the question should have {' '.join(words)!r}: {self._place()}. Ask as in "
                f"{EXAMPLE}."
            )

    def _place(self) -> str:
        before = self._tokens[self._at - 1] if self._at else None
        if before is None:
            return "at its beginning"
        return f"after {before.text!r}" if before.kind in ("word", "sign") else "after a value"

    def question(self) -> Question:
        self._expect("select")
        if self._if("distinct"):
            raise InputError("DISTINCT is not asked. Which values there are is told by GROUP BY.")
        items = [self._item()]
        while self._if(","):
            items.append(self._item())
        if self._if("from") and self._name("'data'").lower() not in ("data", "release"):
            raise InputError("A question is about the released records, which are called 'data'.")
        where = self._either() if self._if("where") else None
        by = self._names() if self._if("group", "by") else ()
        order = self._orders(items) if self._if("order", "by") else ()
        limit = self._limit() if self._if("limit") else None
        if self._next.kind != "end":
            said = self._next.text if self._next.kind in ("word", "sign") else "a value"
            raise InputError(
                f"The question cannot be read from {said!r} on, {self._place()}. After FROM data "
                "there may be WHERE, GROUP BY, ORDER BY and LIMIT, in this order; joins, inner "
                "questions, HAVING, FILTER and windows are not asked."
            )
        return _fitting(Question(tuple(items), where, by, order, limit))

    def _item(self) -> Item:
        if self._if("*"):
            return Item("", "*", "*")
        token = self._next
        name = self._name("a variable or a measure")
        if not self._if("("):
            return Item("", name, self._alias(name))
        measure = {**MEASURES, **EXACT_MEASURES}.get(token.word)
        if measure is None:
            raise InputError(
                f"{name!r} cannot be asked. There are: count, share, sum, mean; min and max where "
                "single records may be seen."
            )
        if self._if("*"):
            inside = "*"
        else:
            if self._next.word in ("distinct", "case", "cast", "try_cast"):
                raise InputError(
                    f"{self._next.word.upper()} inside {measure} is not asked. A measure is of a "
                    "variable as it is: mean(income)."
                )
            inside = self._name("a variable")
        if not self._if(")"):
            raise InputError(
                f"A measure is of one variable as it is: {measure}(income). Nothing is computed "
                "inside it."
            )
        if (inside == "*") != (measure in ("count", "share")) and (measure, inside) != (
            "count",
            inside,
        ):
            what = (
                "the records: share(*)" if measure == "share" else f"a variable: {measure}(income)"
            )
            raise InputError(f"{measure} is of {what}.")
        return Item(measure, inside, self._alias(f"{measure}({inside})"))

    def _alias(self, otherwise: str) -> str:
        if not self._if("as") and (self._next.kind != "word" or self._next.word in _KEPT):
            return otherwise
        token = self._take()
        if token.kind not in ("word", "name") or not re.fullmatch(r"\w{1,60}", token.text):
            raise InputError(
                "A column of the answer is named by one plain word, of letters, digits and _: "
                "count(*) as people."
            )
        return token.text

    def _name(self, what: str) -> str:
        token = self._take()
        if token.kind == "name" or (token.kind == "word" and token.word not in _KEPT):
            return token.text
        self._at -= token.kind != "end"
        raise InputError(f"The question should name {what} {self._place()}. Ask as in {EXAMPLE}.")

    def _names(self) -> tuple[str, ...]:
        found = [self._name("a variable")]
        while self._if(","):
            found.append(self._name("a variable"))
        return tuple(dict.fromkeys(found))

    def _orders(self, items: Sequence[Item]) -> tuple[Order, ...]:
        shown = [item.shown.lower() for item in items]
        found = []
        while True:
            start = self._at
            item = self._item()
            if item.shown.lower() not in shown:
                raise InputError(
                    "ORDER BY is by a column of the answer: name one that stands after SELECT."
                )
            assert self._at > start
            down = self._if("desc")
            if not down:
                self._if("asc")
            found.append(Order(shown.index(item.shown.lower()), down))
            if not self._if(","):
                return tuple(found)

    def _limit(self) -> int:
        token = self._take()
        if token.kind != "number" or not token.text.isdigit():
            raise InputError("LIMIT needs a whole number: limit 20.")
        return int(token.text)

    def _either(self) -> Condition:
        return self._joined("or", self._both)

    def _both(self) -> Condition:
        return self._joined("and", self._single)

    def _joined(self, word: Literal["and", "or"], part: object) -> Condition:
        assert callable(part)
        parts: list[Condition] = [part()]
        while self._if(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _single(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            raise InputError(f"The conditions are more than {DEEPEST} brackets deep. Ask simpler.")
        try:
            if self._if("not"):
                return Negated(self._single())
            if self._if("("):
                inside = self._either()
                self._expect(")")
                return inside
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Condition:
        name = self._name("a variable to be compared")
        if self._if("("):
            raise InputError(
                "A condition compares a variable as it is with values: age >= 30, town in ('A', "
                "'B'). Functions are not asked."
            )
        if self._if("is"):
            negated = self._if("not")
            self._expect("null")
            found: Condition = Comparison(name, "is null")
            return Negated(found) if negated else found
        negated = self._if("not")
        if self._if("in"):
            found = Comparison(name, "in", self._values())
            return Negated(found) if negated else found
        if self._if("between"):
            low = self._value()
            self._expect("and")
            high = self._value()
            found = Joined("and", (Comparison(name, ">=", (low,)), Comparison(name, "<=", (high,))))
            return Negated(found) if negated else found
        token = self._take()
        operators: dict[str, Operator] = {"!=": "<>", "=": "=", "<>": "<>"}
        operators |= {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
        if negated or token.kind != "sign" or token.text not in operators:
            raise InputError(
                f"A condition is a variable, one of = <> < <= > >= between in is, and values: "
                f"age between 30 and 39. Got something else {self._place()}."
            )
        return Comparison(name, operators[token.text], (self._value(),))

    def _values(self) -> tuple[Value, ...]:
        self._expect("(")
        found = [self._value()]
        while self._if(","):
            found.append(self._value())
        self._expect(")")
        return tuple(dict.fromkeys(found))

    def _value(self) -> Value:
        token = self._take()
        if token.kind == "text":
            return token.text
        if token.kind == "number":
            return int(token.text) if re.fullmatch(r"[+-]?\d+", token.text) else float(token.text)
        if token.word in ("true", "false"):
            return token.word == "true"
        raise InputError(
            "A variable is compared with values that stand in the question: numbers, or text 'in "
            "single quotes'. Variables are not compared with each other, and nothing is computed."
        )


def _is_sign(token: _Token, sign: str) -> bool:
    return token.kind == "sign" and token.text == sign


def _fitting(question: Question) -> Question:
    """Refuse what does not fit together: variables beside measures without GROUP BY."""
    plain = [item.name for item in question.items if not item.measure]
    measured = [item for item in question.items if item.measure]
    lowered = {name.lower() for name in question.by}
    if measured or question.by:
        for name in plain:
            if name.lower() not in lowered:
                raise InputError(
                    f"{name!r} must be in GROUP BY, or inside a measure such as count or mean: a "
                    "row of the answer stands for several records."
                )
    shown = [item.shown.lower() for item in question.items]
    if len(set(shown)) < len(shown):
        raise InputError("Two columns of the answer have one name. Rename one: count(*) as people.")
    return question


def _names(condition: Condition) -> list[str]:
    if isinstance(condition, Comparison):
        return [condition.name]
    if isinstance(condition, Negated):
        return _names(condition.part)
    return [name for part in condition.parts for name in _names(part)]
