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
form; the others are in the dictionary alone. A class writes its sentence, its tables of rows
(`_row_tables`: by area, by class) and a figure (`plot`) where it has them. A row of a result that
is not shown on its own is a `Part`: its facts, and the dictionary made of them.
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

__all__ = ["Fact", "Part", "Result", "facts", "plain_value", "result"]

C = TypeVar("C", bound=type)


@overload
def result(cls: C, /) -> C: ...
@overload
def result(*, eq: bool = False) -> Callable[[C], C]: ...
@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
def result(cls: C | None = None, /, *, eq: bool = False) -> C | Callable[[C], C]:
    """Make a class a frozen dataclass that is printed by its facts and equal to itself alone.

    With ``@result(eq=True)`` it is equal to another with the same fields.
    """

    def made(cls: C) -> C:
        return dataclasses.dataclass(frozen=True, eq=eq, repr=False)(cls)  # type: ignore[return-value]

    return made if cls is None else made(cls)


@dataclass(frozen=True)
class Fact:
    """One fact of a result.

    Parameters
    ----------
    name
        In the dictionary. Fixed: other programs read it.
    source
        The attribute that holds it (``"table.records"`` for one of another), or a function of the
        result; by default the attribute of the same name.
    shown
        What people read before it; None where it is in the dictionary alone.
    form
        How a number is written for people: ``",.2f"``, ``".1%"``.
    told
        Whether it is in the dictionary; some facts are for people only.
    leaves
        Whether it may leave the holder, as part of what a recipient is shown.
    when
        Whether there is such a fact in a result: an attribute or a function of it. By default
        there always is.
    spread
        Whether it is a mapping (or a result) whose entries stand in its place, each under its own
        name.
    """

    name: str
    source: str | Callable[[Any], Any] | None = None
    shown: str | None = None
    form: str = ""
    told: bool = True
    leaves: bool = True
    when: str | Callable[[Any], Any] | None = None
    spread: bool = False

    def of(self, found: Any) -> Any:
        """Return the value of the fact for a result."""
        return _read(found, self.source or self.name)

    def holds(self, found: Any) -> bool:
        """Say whether a result has this fact."""
        return self.when is None or bool(_read(found, self.when))


def _read(found: Any, source: str | Callable[[Any], Any]) -> Any:
    return source(found) if callable(source) else attrgetter(source)(found)


def facts(*declared: str | Fact, shown: bool = False) -> tuple[Fact, ...]:
    """Declare the facts of a result in order; bare names are facts of the dictionary alone.

    With `shown` people read all of them, each under its own name unless it has another; one with
    ``shown=""`` is in the dictionary alone.

    >>> [fact.name for fact in facts("k records", Fact("mean", "global_risk", shown="mean risk"))]
    ['k', 'records', 'mean']
    >>> [one.shown for one in facts("areas_before", Fact("merges", shown=""), shown=True)]
    ['areas before', '']
    """
    stated: tuple[Fact, ...] = ()
    for one in declared:
        stated += tuple(map(Fact, one.split())) if isinstance(one, str) else (one,)
    if not shown:
        return stated
    named = {one.name: one.name.replace("_", " ") for one in stated if one.shown is None}
    return tuple(
        dataclasses.replace(one, shown=named[one.name]) if one.name in named else one
        for one in stated
    )


def plain_value(value: Any) -> Any:
    """Return a value as JSON knows it: results as dictionaries, tuples as lists, paths as text.

    JSON has no word for what is not a number, or has no end: None.

    >>> plain_value({"key": ("age", "sex"), "share": 0.5, "error": float("nan")})
    {'key': ['age', 'sex'], 'share': 0.5, 'error': None}
    """
    if hasattr(value, "tolist"):  # arrays and numbers of numpy, of which some are also floats
        return plain_value(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
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
    if isinstance(value, AbstractSet):
        return sorted(plain_value(one) for one in value)
    if isinstance(value, Sequence):
        return [plain_value(one) for one in value]
    return value


@cache
def _fields_of(cls: Any) -> tuple[Fact, ...]:
    return facts(*(field.name for field in dataclasses.fields(cls)))


class Part:
    """A row of a result: its facts as a dictionary, and nothing to show on its own.

    Without `FACTS` its facts are its fields.
    """

    __slots__ = ()

    FACTS: ClassVar[tuple[Fact, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by their fixed names, as JSON knows them."""
        told: dict[str, Any] = {}
        for fact in self.FACTS or _fields_of(cast(Hashable, type(self))):
            if fact.told and fact.holds(self):
                value = plain_value(fact.of(self))
                told |= value if fact.spread else {fact.name: value}
        return told


class Result(Part, Shown):
    """What a method returns: small, frozen, and shown by its facts."""

    def sentence(self) -> str:
        """Say in one sentence what was found."""
        return type(self).__name__

    def _row_tables(self) -> Sequence[Table]:
        """The tables with a row for each area, class or variable, where there are any."""
        return ()

    def _shown(self) -> dict[str, tuple[Any, str]]:
        """The facts that people read, with the form of each."""
        shown: dict[str, tuple[Any, str]] = {}
        for fact in self.FACTS:
            if not fact.shown or not fact.holds(self):
                continue
            if fact.spread:
                entries = plain_value(fact.of(self)).items()
                one = {
                    n.replace("_", " "): v for n, v in entries if not isinstance(v, (list, dict))
                }
            else:
                one = {fact.shown: fact.of(self)}
            shown |= {name: (value, fact.form) for name, value in one.items()}
        return shown

    def _tables(self) -> Sequence[Table]:
        shown = self._shown()
        of_facts = Table.facts(
            self.sentence(),
            {name: value for name, (value, _) in shown.items()},
            formats={name: form for name, (_, form) in shown.items() if form},
        )
        of_rows = self._row_tables()
        return [*([of_facts] if shown or not of_rows else ()), *of_rows]

    def _fact_lines(self) -> list[str]:
        """The sentence and the facts that are known, without the tables of rows."""
        shown = self._shown().items()
        rows = [(name, as_text(value, form)) for name, (value, form) in shown if value is not None]
        return [self.sentence(), *(as_lines(rows) if rows else ())]

    def _lines(self) -> Sequence[str]:
        """What was found, what to heed, the rows, and what it rests on."""
        heeded = [(word, getattr(self, f"{word}s", ())) for word in ("note", "warning")]
        of_rows = [table.to_lines() for table in self._row_tables() if table.rows]
        return [
            *self._fact_lines(),
            *(f"  {word}: {text}" for word, texts in heeded for text in texts),
            *(f"  {line}" for lines in of_rows for line in lines),
            *(f"  assumes: {text}" for text in getattr(self, "assumptions", ())),
        ]

    def __repr__(self) -> str:
        """Return the first lines."""
        return self._short()
