"""Kinds of options: how a value is typed, how a project file has it, what Python is given.

An option of a kind is read the same way everywhere: ``--highest sex=0,birth=2``,
``highest = { sex = 0, birth = 2 }`` and ``limits={"sex": 0, "birth": 2}`` are one value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args

from indistinct.core import InputError
from indistinct.options import checking
from indistinct.options.checking import Check, Place

__all__ = [
    "Kind",
    "a_count_or_share",
    "a_name",
    "a_number",
    "a_path",
    "a_switch",
    "a_text",
    "a_whole_number",
    "a_word",
    "groups_of_names",
    "names",
    "numbers_by_variable",
    "only_by_keyword",
    "paths",
    "split_names",
    "split_numbers",
    "split_pairs",
]

T = TypeVar("T", covariant=True)


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, eq=False)
class Kind(Generic[T]):
    """What an option may hold.

    Parameters
    ----------
    holds
        The annotation of the value that a method gets, by which keywords are checked.
    check
        What a project file may say; None where it cannot.
    typed
        The annotation of what is typed; None where it cannot be.
    read
        Makes the value of what was typed.
    unset
        The value where nothing is said.
    variables
        Whether its texts, or the names of its table, are variables of the data.
    """

    holds: Any
    check: Check | None = None
    typed: Any = None
    read: Callable[[Any], Any] = _as_it_is
    unset: Any = None
    variables: bool = False


def split_names(text: str | None) -> list[str] | None:
    """Split ``a,b,c``; None stays None.

    >>> split_names("age, sex")
    ['age', 'sex']
    """
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]


def split_pairs(text: str | None, *, like: str = "variable=column") -> dict[str, str]:
    """Split ``a=b,c=d``.

    >>> split_pairs("income=income_public")
    {'income': 'income_public'}
    """
    pairs = {}
    for part in split_names(text) or []:
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise InputError(f"'{part}' must be written as {like}.")
        pairs[name] = value
    return pairs


def split_numbers(text: str | None, *, whole: bool = False) -> dict[str, Any]:
    """Split ``a=1,b=0.5`` into numbers by name.

    >>> split_numbers("sex=0,birth=2", whole=True)
    {'sex': 0, 'birth': 2}
    """
    numbers: dict[str, Any] = {}
    for name, value in split_pairs(text, like="variable=number").items():
        try:
            numbers[name] = int(value) if whole else float(value)
        except ValueError:
            kind = "whole number" if whole else "number"
            raise InputError(f"'{name}={value}' must give '{name}' a {kind}.") from None
    return numbers


a_switch: Kind[bool] = Kind(bool, checking.yes_or_no, bool, unset=False)
"""On or off."""

a_text: Kind[str | None] = Kind(str | None, checking.text, str)
"""A text."""

a_name: Kind[str | None] = Kind(str | None, checking.text, str, variables=True)
"""A variable of the data."""


def a_word(words: Any, *, unset: Any = None) -> Kind[Any]:
    """Return the kind of one word of a `Literal`."""
    holds = words if unset is not None else words | None
    return Kind(holds, checking.choice(*get_args(words)), words, unset=unset)


def a_whole_number(least: int, most: int | None = None, hint: str = "") -> Kind[int | None]:
    """Return the kind of a whole number."""
    return Kind(int | None, checking.whole(least=least, most=most, hint=hint), int)


def a_number(
    least: float, most: float | None = None, *, unset: float | None = None
) -> Kind[float | None]:
    """Return the kind of a number."""
    return Kind(float | None, checking.number(least=least, most=most), float, unset=unset)


a_count_or_share: Kind[float] = Kind(
    float, checking.count_or_share, str, checking.read_count_or_share, unset=0
)
"""A number of records, or a share of them: 0.02 or 2%."""

_listed_names = checking.listed(checking.text, "variable names")

names: Kind[tuple[str, ...]] = Kind(
    tuple[str, ...],
    _listed_names,
    str,
    lambda text: tuple(split_names(text) or ()),
    unset=(),
    variables=True,
)
"""Variables of the data: ``a,b,c``."""

groups_of_names: Kind[tuple[tuple[str, ...], ...]] = Kind(
    tuple[tuple[str, ...], ...],
    checking.listed(_listed_names, "lists of variable names"),
    list[str],
    lambda texts: tuple(tuple(split_names(text) or ()) for text in texts),
    unset=(),
    variables=True,
)
"""Several lists of variables, each typed by itself."""


def numbers_by_variable(
    *, least: float, most: float | None = None, whole: bool = False
) -> Kind[Mapping[str, Any]]:
    """Return the kind of a number for some variables: ``age=3,zip=0.5``."""
    kind = "whole numbers" if whole else "numbers"
    limits = f"of at least {least}" if most is None else f"from {least} to {most}"
    one: Check = (
        checking.whole(least=int(least), most=None if most is None else int(most))
        if whole
        else checking.number(least=least, most=most)
    )
    example = "{ zip = 2, age = 1 }" if whole else "{ zip = 1, age = 0.2 }"

    def check(value: Any, place: Place) -> dict[str, Any] | None:
        if not isinstance(value, dict) or not value:
            place.wrong(f"a table of variables and {kind} {limits}, as {example}", value)
            return None
        return {name: one(number, place.at(name)) or 0 for name, number in value.items()}

    return Kind(
        Mapping[str, int] if whole else Mapping[str, float],
        check,
        str,
        lambda text: split_numbers(text, whole=whole),
        unset={},
        variables=True,
    )


a_path: Kind[Path | None] = Kind(Path | None, typed=Path)
"""A file or a folder; where it may lie is checked by whoever reads or writes it."""

paths: Kind[tuple[Path, ...]] = Kind(tuple[Path, ...], typed=list[Path], read=tuple, unset=())
"""Several files or folders, each typed by itself."""


def only_by_keyword(holds: Any, unset: Any = None) -> Kind[Any]:
    """Return the kind of what only Python can say."""
    return Kind(holds, unset=unset)
