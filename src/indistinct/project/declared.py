"""What is declared of variables: one by one, by patterns of their names, and in a table of roles.

``[variables."income_*"]`` speaks of every variable whose name begins with ``income_``; ``*`` stands
for any letters, ``?`` for one. A variable of which several entries speak has the settings of all of
them. Where they say different things, the more exact one holds: the section of its own name, then
its line in the table of roles, then of the patterns the one with the most letters of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property

from indistinct.core import LEVELS, ROLES, Level, Role, Value, Variable
from indistinct.files import DATE_FORMATS, Mend
from indistinct.options import Where
from indistinct.project.builders import HierarchyBuilder, hierarchy_setting
from indistinct.project.settings import (
    choice,
    header,
    listed,
    missing_codes,
    number,
    one_or_several,
    recoding,
    setting,
    text,
    value_labels,
    value_list,
    whole,
    yes_or_no,
)

__all__ = ["MENDING", "Declared", "DeclaredVariables", "Entry", "is_name_pattern", "mend_for"]


MENDING = ("empty", "trim", "fold", "recode", "outside", "dates", "numbers")
"""The settings that mend values when they are read, in the order in which they are applied."""


@dataclass(frozen=True)
class Declared:
    """``[variables.NAME]``: what is declared of one variable, or of all whose names fit."""

    role: Role | None = setting(choice(*ROLES), "what it is for")
    level: Level | None = setting(choice(*LEVELS), "its level of measurement")
    label: str | None = setting(text, "its long name")
    labels: Mapping[str, str] | None = setting(value_labels, "labels of its values")
    missing: tuple[Value | tuple[Value, Value], ...] | None = setting(
        missing_codes, "codes, or ranges [low, high], that mean missing"
    )
    categories: tuple[Value, ...] | None = setting(
        value_list, "the values it may take; others are refused"
    )
    trim: bool | None = setting(
        yes_or_no, "leave out blanks before and after values, and all but one between words"
    )
    fold: bool | None = setting(
        yes_or_no,
        "values that differ in capital letters or blanks alone are one: the declared spelling, or "
        "that of most records",
    )
    recode: Mapping[str, Value] | None = setting(recoding, "values, and what is read instead")
    empty: tuple[Value, ...] | None = setting(
        one_or_several(value_list), "values that say nothing: they are read as empty cells"
    )
    dates: tuple[str, ...] | None = setting(
        one_or_several(listed(choice(*DATE_FORMATS), "forms of dates")),
        "the forms in which its dates are written; they are read as ISO writes them",
    )
    numbers: bool | None = setting(yes_or_no, "its texts are numbers, however they are written")
    outside: str | None = setting(
        choice("empty"),
        "values without a label or category where these are declared, or that are no date or "
        "number where they must be one, are read as empty cells",
    )
    checked: bool | None = setting(
        yes_or_no, "a person has looked at what seems dirty, and it is as it should be"
    )
    hierarchy: HierarchyBuilder | None = setting(
        hierarchy_setting, "its hierarchy: a file, or a table with kind and options"
    )
    public_if: str | None = setting(
        text, "the column that says for each record whether this variable is public"
    )
    highest_level: int | None = setting(
        whole(least=0), "the highest level of its hierarchy that protection may use; 0 locks it"
    )
    importance: float | None = setting(
        number(least=0), "how much the recipient needs it, compared with 1 for the others"
    )
    distortion: float | None = setting(
        number(least=0, most=1), "how much distortion the recipient tolerates, from 0 to 1"
    )
    identification: int | None = setting(
        whole(least=0, most=3), "how identifying it is: 0 not, 1 identifying, 2 more, 3 most"
    )

    def beside(self, other: Declared) -> Declared:
        """Return these settings, and those of another where these say nothing."""
        said = {
            one.name: getattr(other, one.name)
            for one in fields(self)
            if getattr(self, one.name) is None
        }
        return replace(self, **said)


def is_name_pattern(name: str) -> bool:
    """Say whether a name stands for several: it has a ``*`` or a ``?``."""
    return "*" in name or "?" in name


@cache
def _fitting(pattern: str) -> re.Pattern[str]:
    # not fnmatch: names of variables have brackets, which stand for themselves
    letters = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in pattern)
    return re.compile("".join(letters), re.DOTALL)


def _own_letters(pattern: str) -> int:
    return len(pattern) - pattern.count("*") - pattern.count("?")


@dataclass(frozen=True)
class Entry:
    """What one place declares: a section, or a line of the table of roles."""

    name: str
    where: Where
    label: str
    declared: Declared


@dataclass(frozen=True, eq=False, repr=False)
class DeclaredVariables(Mapping[str, Declared]):
    """What is declared, by name; whoever asks for a variable gets what patterns say of it too.

    Parameters
    ----------
    sections
        ``[variables.NAME]``, by name or pattern.
    listed
        The lines of the table of roles, by name.

    >>> found = DeclaredVariables({"q*": Declared(role="other", level="ordinal"),
    ...                            "q1": Declared(role="key")})
    >>> found["q1"].role, found["q1"].level, found["q2"].role, "age" in found, list(found)
    ('key', 'ordinal', 'other', False, ['q*', 'q1'])
    """

    sections: Mapping[str, Declared] = field(default_factory=dict)
    listed: Mapping[str, Entry] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Declared:
        entries = self.entries(name)
        if not entries:
            raise KeyError(name)
        found = entries[0].declared
        for entry in entries[1:]:
            found = found.beside(entry.declared)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.sections, *self.listed]))

    def __len__(self) -> int:
        return len({*self.sections, *self.listed})

    def __repr__(self) -> str:
        return f"DeclaredVariables({dict(self)!r})"

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """The names that stand for several, the most exact first."""
        found = [name for name in self.sections if is_name_pattern(name)]
        return tuple(sorted(found, key=lambda name: (-_own_letters(name), name)))

    def entries(self, name: str) -> list[Entry]:
        """Return what speaks of a variable, the most exact first."""
        found = [self._section(name)] if name in self.sections else []
        found += [self.listed[name]] if name in self.listed else []
        found += [
            self._section(pattern)
            for pattern in self.patterns
            if pattern != name and _fitting(pattern).fullmatch(name)
        ]
        return found

    def entry_of(self, name: str, setting: str) -> Entry:
        """Return what says a setting of a variable."""
        entries = self.entries(name)
        said = (entry for entry in entries if getattr(entry.declared, setting) is not None)
        return next(said, entries[0])

    def fitting(self, pattern: str, names: Iterable[str]) -> list[str]:
        """Return the names that fit a pattern."""
        return [name for name in names if _fitting(pattern).fullmatch(name)]

    def at_odds(self, name: str) -> tuple[str, Entry, Entry] | None:
        """Return a setting that two patterns say differently, and neither is the more exact."""
        entries = self.entries(name)
        for position, entry in enumerate(entries):
            for other in entries[position + 1 :]:
                if _own_letters(entry.name) != _own_letters(other.name) or name in (
                    entry.name,
                    other.name,
                ):
                    continue
                for one in fields(Declared):
                    says = [getattr(e.declared, one.name) for e in (entry, other)]
                    if None not in says and says[0] != says[1]:
                        first = self.entry_of(name, one.name)
                        if first.name == entry.name:
                            return one.name, entry, other
        return None

    def _section(self, name: str) -> Entry:
        where = ("variables", name)
        return Entry(name, where, header(where), self.sections[name])


def mend_for(declared: Declared, variable: Variable) -> Mend:
    """Return how the values of a variable are mended on the way in."""
    known = declared.categories or tuple(declared.labels or variable.labels)
    empty = declared.empty or ()
    if declared.dates or declared.numbers:
        # what becomes dates or numbers has no room for other codes
        empty += tuple(code for code in declared.missing or () if isinstance(code, str))
    return Mend(
        trim=bool(declared.trim),
        fold=bool(declared.fold),
        recode={old: new for old, new in (declared.recode or {}).items()},
        empty=empty,
        dates=declared.dates or (),
        numbers=bool(declared.numbers),
        known=known,
        outside=declared.outside is not None,
    )
