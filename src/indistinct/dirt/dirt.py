"""One thing that is wrong with the values of a variable, or with the records, and what mends it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from indistinct.options import toml_header, toml_key, toml_value

__all__ = ["Dirt", "DirtKind", "mending_settings"]

DirtKind = Literal[
    "blanks",
    "spelling",
    "words",
    "dates",
    "numbers",
    "missing",
    "outside",
    "same record twice",
    "several records",
]
"""What is wrong: blanks around values; values that differ in capital letters; different words for
one thing; dates in other forms than ISO's; numbers as text; several codes for *missing*; values
outside the declared labels; a record that is there twice; different records with the number of one
person."""


@dataclass(frozen=True)
class Dirt:
    """What is wrong with a variable, in how many records, and what mends it.

    Parameters
    ----------
    variable
        The variable; that which numbers the people, where records are repeated.
    kind
        See `DirtKind`.
    records
        The records that are concerned.
    said
        What was found, in words. Values stand there only if they are declared, are words of public
        lists, or are had by many.
    settings
        What mends it: settings of ``[variables.NAME]``, or of ``[data]``.
    of_data
        Whether they are those of ``[data]``.
    sure
        Whether these settings mend all of it, and lose nothing.

    >>> print(Dirt("sex", "spelling", 12, "12 records differ in capital letters", {"fold": True}))
    sex: 12 records differ in capital letters; mended by [variables.sex] fold = true
    """

    variable: str
    kind: DirtKind
    records: int
    said: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    of_data: bool = False
    sure: bool = True

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the project file that mend it, without their section."""
        return tuple(f"{toml_key(k)} = {toml_value(v)}" for k, v in self.settings.items())

    @property
    def section(self) -> str:
        """The section in which the lines stand."""
        return toml_header("data") if self.of_data else toml_header("variables", self.variable)

    def __str__(self) -> str:
        by = "mended by" if self.sure else "if you say so, mended by"
        return f"{self.variable}: {self.said}; {by} {self.section} {', '.join(self.lines)}"

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, for other programs."""
        return {
            "variable": self.variable,
            "kind": self.kind,
            "records": self.records,
            "said": self.said,
            "section": self.section,
            "settings": dict(self.settings),
            "sure": self.sure,
        }


def mending_settings(found: Iterable[Dirt]) -> dict[str, Any]:
    """Join the settings that mend several things of one variable.

    >>> both = [Dirt("age", "missing", 3, "", {"empty": ["NA"]}),
    ...         Dirt("age", "numbers", 4, "", {"empty": ["NA", "."], "numbers": True})]
    >>> mending_settings(both)
    {'empty': ['NA', '.'], 'numbers': True}
    """
    joined: dict[str, Any] = {}
    for one in sorted(found, key=lambda dirt: get_args(DirtKind).index(dirt.kind)):
        for name, value in one.settings.items():
            if isinstance(value, list):
                value = list(dict.fromkeys([*joined.get(name, ()), *value]))
            elif isinstance(value, Mapping):
                value = {**joined.get(name, {}), **value}
            joined[name] = value
    if joined.get("fold"):
        joined.pop("trim", None)
    return joined
