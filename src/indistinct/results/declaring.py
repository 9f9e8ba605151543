"""Results by their facts: what a result knows is declared once, and everything else is made of it.

A result is a frozen dataclass with a tuple of facts::

    @result
    class GlobalRisk(Result):
        records: int
        risk: Floats
        notes: tuple[str, ...] = ()

        FACTS = facts(
            "records",
            Fact("mean", shown="mean risk", form=".2%"),
            "notes",
        )

        @property
        def mean(self) -> float: ...

        def sentence(self) -> str:
            return f"The risk of {self.records:,} records"

`to_dict` (what ``--json`` prints), what is printed, the table of a notebook and the frame are all
made from the facts. A fact that is `shown` is one that people read, under that name and in that
form; the others are in the dictionary alone. A class writes its sentence, and a figure (`plot`)
where it has one. A result with real tables hands them out as `_more_tables`; they stand below the
facts, in print and in a notebook. Rows of a result that are shown by it alone are `Told`: without
`FACTS` their facts are their fields.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from os import PathLike
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform, overload

from indistinct.results.showing import Shown, Table, as_lines, as_text

__all__ = ["Fact", "Result", "Told", "facts", "plain_value", "result"]

C = TypeVar("C", bound=type)


@overload
def result(cls: C, /) -> C: ...
@overload
def result(*, eq: bool = False) -> Callable[[C], C]: ...
@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
def result(cls: C | None = None, /, *, eq: bool = False) -> C | Callable[[C], C]:
    """Make a class a frozen dataclass that is printed by its facts and equal to itself alone.

    With `eq`, to whatever has the same fields.
    """
    made = dataclasses.dataclass(frozen=True, eq=eq, repr=False)
    return made if cls is None else made(cls)  # type: ignore[return-value]


@dataclass(frozen=True)
class Fact:
    """One fact of a result.

    Parameters
    ----------
    name
        In the dictionary. Fixed: other programs read it.
    source
        The attribute that holds it (of a part: ``"keys.records"``), or a function of the result; by
        default the attribute of the same name.
    shown
        What people read before it; None where it is in the dictionary alone.
    form
        How a number is written for people: ``",.2f"``, ``".1%"``.
    told
        Whether it is in the dictionary; some facts are for people only.
    leaves
        Whether it may leave the holder, as part of what a recipient is shown.
    spread
        Whether it is a mapping whose entries stand in the dictionary in place of it: facts that
        not every result of the kind has.
    """

    name: str
    source: str | Callable[[Any], Any] | None = None
    shown: str | None = None
    form: str = ""
    told: bool = True
    leaves: bool = True
    spread: bool = False

    def of(self, found: Any) -> Any:
        """Return the value of the fact for a result."""
        if callable(self.source):
            return self.source(found)
        return attrgetter(self.source or self.name)(found)


def facts(*declared: str | Fact) -> tuple[Fact, ...]:
    """Declare the facts of a result in order; bare names are facts of the dictionary alone.

    >>> [fact.name for fact in facts("k records", Fact("mean", "global_risk", shown="mean risk"))]
    ['k', 'records', 'mean']
    """
    found: list[Fact] = []
    for fact in declared:
        found += map(Fact, fact.split()) if isinstance(fact, str) else [fact]
    return tuple(found)


def plain_value(value: Any) -> Any:
    """Return a value as JSON knows it: results as dictionaries, tuples as lists, paths as text.

    JSON has no word for what is not a number, or has no end: None.

    >>> plain_value({"key": ("age", "sex"), "share": 0.5, "error": float("nan")})
    {'key': ['age', 'sex'], 'share': 0.5, 'error': None}
    """
    if isinstance(value, float):  # numpy's numbers too
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {
            field.name: plain_value(getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {name: plain_value(one) for name, one in value.items()}
    if isinstance(value, PathLike):
        return str(value)
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return plain_value(value.tolist())
    if isinstance(value, AbstractSet):
        return sorted(plain_value(one) for one in value)
    if isinstance(value, Sequence):
        return [plain_value(one) for one in value]
    return value


@cache
def _fields_of(cls: Any) -> tuple[Fact, ...]:
    return facts(*(field.name for field in dataclasses.fields(cls)))


class Told:
    """What has facts: a row of a result, or the result."""

    __slots__ = ()

    FACTS: ClassVar[tuple[Fact, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by their fixed names, as JSON knows them."""
        told: dict[str, Any] = {}
        for fact in self.FACTS or _fields_of(cast(Hashable, type(self))):
            if fact.told:
                value = plain_value(fact.of(self))
                told |= value if fact.spread else {fact.name: value}
        return told


class Result(Told, Shown):
    """What a method returns: small, frozen, and shown by its facts."""

    def sentence(self) -> str:
        """Say in one sentence what was found."""
        return type(self).__name__

    def _more_tables(self) -> Sequence[Table]:
        """The tables that are more than facts of one thing."""
        return ()

    def _shown(self) -> dict[str, tuple[Any, str]]:
        """The facts that people read, with the form of each; what is None is not shown."""
        read = ((fact.shown, fact.of(self), fact.form) for fact in self.FACTS if fact.shown)
        return {shown: (value, form) for shown, value, form in read if value is not None}

    def _tables(self) -> Sequence[Table]:
        shown = self._shown()
        more = self._more_tables()
        if more and not shown:
            return more
        known = Table.facts(
            self.sentence(),
            {name: value for name, (value, _) in shown.items()},
            formats={name: form for name, (_, form) in shown.items() if form},
        )
        return [known, *more]

    def _lines(self) -> Sequence[str]:
        shown = [(name, as_text(value, form)) for name, (value, form) in self._shown().items()]
        noted = [(word, getattr(self, f"{word}s", ())) for word in ("note", "warning")]
        noted.append(("assumes", getattr(self, "assumptions", ())))
        return [
            self.sentence(),
            *(as_lines(shown) if shown else ()),
            *(line for table in self._more_tables() if table.rows for line in table.to_lines()),
            *(f"  {word}: {text}" for word, texts in noted for text in texts),
        ]

    def __repr__(self) -> str:
        """Return the first lines."""
        return self._short()
