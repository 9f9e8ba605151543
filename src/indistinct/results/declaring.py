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
where it has one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from typing import Any, ClassVar, TypeVar, dataclass_transform

from indistinct.results.showing import Shown, Table, as_lines, as_text

__all__ = ["Fact", "Result", "facts", "plain_value", "result"]

C = TypeVar("C", bound=type)


@dataclass_transform(frozen_default=True, eq_default=False)
def result(cls: C) -> C:
    """Make a class a frozen dataclass that is printed by its facts and equal to itself alone."""
    return dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)  # type: ignore[return-value]


@dataclass(frozen=True)
class Fact:
    """One fact of a result.

    Parameters
    ----------
    name
        In the dictionary. Fixed: other programs read it.
    source
        The attribute that holds it, or a function of the result; by default the attribute of the
        same name.
    shown
        What people read before it; None where it is in the dictionary alone.
    form
        How a number is written for people: ``",.2f"``, ``".1%"``.
    told
        Whether it is in the dictionary; some facts are for people only.
    leaves
        Whether it may leave the holder, as part of what a recipient is shown.
    """

    name: str
    source: str | Callable[[Any], Any] | None = None
    shown: str | None = None
    form: str = ""
    told: bool = True
    leaves: bool = True

    def of(self, found: Any) -> Any:
        """Return the value of the fact for a result."""
        if callable(self.source):
            return self.source(found)
        return getattr(found, self.source or self.name)


def facts(*declared: str | Fact) -> tuple[Fact, ...]:
    """Declare the facts of a result in order; a bare name is a fact of the dictionary alone.

    >>> facts("records", Fact("mean", "global_risk", shown="mean risk"))[0].name
    'records'
    """
    return tuple(Fact(fact) if isinstance(fact, str) else fact for fact in declared)


def plain_value(value: Any) -> Any:
    """Return a value as JSON knows it: results as dictionaries, tuples as lists, paths as text.

    >>> plain_value({"key": ("age", "sex"), "share": 0.5})
    {'key': ['age', 'sex'], 'share': 0.5}
    """
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: plain_value(one) for name, one in value.items()}
    if isinstance(value, PathLike):
        return str(value)
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return value.tolist()
    if isinstance(value, AbstractSet):
        return sorted(plain_value(one) for one in value)
    if isinstance(value, Sequence):
        return [plain_value(one) for one in value]
    return value


class Result(Shown):
    """What a method returns: small, frozen, and shown by its facts."""

    FACTS: ClassVar[tuple[Fact, ...]] = ()

    def sentence(self) -> str:
        """Say in one sentence what was found."""
        return type(self).__name__

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by their fixed names, as JSON knows them."""
        return {fact.name: plain_value(fact.of(self)) for fact in self.FACTS if fact.told}

    def _shown(self) -> dict[str, tuple[Any, str]]:
        """The facts that people read, with the form of each; what is None is not shown."""
        read = ((fact.shown, fact.of(self), fact.form) for fact in self.FACTS)
        return {shown: (value, form) for shown, value, form in read if shown and value is not None}

    def _tables(self) -> Sequence[Table]:
        shown = self._shown()
        return [
            Table.facts(
                self.sentence(),
                {name: value for name, (value, _) in shown.items()},
                formats={name: form for name, (_, form) in shown.items() if form},
            )
        ]

    def _lines(self) -> list[str]:
        rows = [(name, as_text(value, form)) for name, (value, form) in self._shown().items()]
        noted = [(word, getattr(self, f"{word}s", ())) for word in ("note", "warning")]
        noted.append(("assumes", getattr(self, "assumptions", ())))
        return [
            self.sentence(),
            *(as_lines(rows) if rows else ()),
            *(f"  {word}: {text}" for word, texts in noted for text in texts),
        ]

    def _headline(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        """Return the first lines."""
        return self._short()
