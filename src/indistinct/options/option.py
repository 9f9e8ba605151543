"""One option, said once: its name, what it may hold, what it means and where it may stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from indistinct.core import InputError, check_argument, kind_of
from indistinct.options.checking import Place, Problems
from indistinct.options.kinds import Kind
from indistinct.options.lines import Lines, Where

__all__ = ["Option"]

T = TypeVar("T", covariant=True)


@dataclass(frozen=True, eq=False)
class Option(Generic[T]):
    """An option of methods.

    Parameters
    ----------
    name
        The keyword, and the setting of ``[method]``.
    kind
        What it may hold, and how that is typed.
    meaning
        What it is for, in a phrase; the command line's help and the pages are made of it.
    flag
        How it is typed, where that is not the name.
    setting
        Where a project file says it instead of ``[method]``: ``release.max_drop``, or
        ``variables.highest_level`` for a number that every variable has by itself.
    in_project
        Whether a project file may say it.
    for_all
        Whether it means something with every method.
    dest
        The name of the command line's parameter, where another option has this name.
    metavar
        What stands for the value in the help.
    beside
        Whether what a project file says counts too, beside what is given, and not instead.

    >>> from indistinct.options import a_switch
    >>> Option("relaxed", a_switch, "equal values may go either way").typed_as
    '--relaxed'
    """

    name: str
    kind: Kind[T]
    meaning: str
    flag: str = ""
    setting: str = ""
    in_project: bool = True
    for_all: bool = False
    dest: str = ""
    metavar: str | None = None
    beside: bool = False

    @property
    def unset(self) -> T:
        """The value where nothing is said."""
        unset: T = self.kind.unset
        return unset

    @property
    def typed_as(self) -> str:
        """The option as people type it."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def parameter(self) -> str:
        """The name of the command line's parameter."""
        return self.dest or self.name

    @property
    def on_the_line(self) -> bool:
        """Whether it can be typed."""
        return self.kind.typed is not None

    @property
    def in_method_section(self) -> bool:
        """Whether ``[method]`` of a project file may say it."""
        return self.kind.check is not None and self.in_project and not self.setting

    @property
    def sentence(self) -> str:
        """The meaning as a sentence."""
        return f"{self.meaning[0].upper()}{self.meaning[1:]}."

    def is_set(self, value: Any) -> bool:
        """Say whether a value says anything."""
        if value is None or value is False:
            return False
        return not isinstance(value, (Mapping, tuple, list)) or bool(value)

    def check_keyword(self, value: Any) -> None:
        """Refuse a value that is not of the kind."""
        if value is not None and self._keyword_kind is not None:
            check_argument(self.name, value, self._keyword_kind)

    @cached_property
    def _keyword_kind(self) -> Any:
        return kind_of(self.kind.holds)

    def read_typed(self, typed: Any) -> T:
        """Return the value of what was typed; numbers have the limits of a project file."""
        value: T = self.kind.read(typed)
        if isinstance(value, bool) or not self.kind.check:
            return value
        # a text that should have become a number is told as what it is
        if isinstance(value, (int, float)) or (isinstance(value, str) and self.kind.holds is float):
            problems = Problems("", Lines({}))
            self.kind.check(value, Place(problems, Path(), (self.name,), self.typed_as))
            try:
                problems.raise_all()
            except InputError as error:
                raise InputError(str(error).removeprefix(":1: ")) from None
        return value

    def variables_in(self, value: Any) -> Iterator[tuple[Where, str]]:
        """Yield the variables that a value names, and where within it."""
        if not self.kind.variables or value is None:
            return
        if isinstance(value, str):
            yield (), value
        elif isinstance(value, Mapping):
            for name in value:
                yield (name,), name
        else:
            for position, inner in enumerate(value):
                for where, name in self.variables_in(inner):
                    yield (position, *where), name
