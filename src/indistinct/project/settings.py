"""Settings of a project file: what each may hold, and what is said when it holds another thing.

A section of the file is a frozen dataclass and a setting is one line of it, made with `setting`.
Its check takes the value that the file gives and the place where it stands, and returns the
value to keep; or it says at that place what is wrong.
"""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indistinct.engine import parse_size
from indistinct.errors import InputError, did_you_mean
from indistinct.files.sql import is_database
from indistinct.project.lines import Lines
from indistinct.project.lines import Path as Where
from indistinct.project.tomltext import toml_header, toml_value

__all__ = [
    "Check",
    "Place",
    "Problems",
    "choice",
    "data_file",
    "encoding",
    "existing_file",
    "folder",
    "header",
    "listed",
    "missing_codes",
    "number",
    "path",
    "setting",
    "shares",
    "shown",
    "size",
    "text",
    "value_labels",
    "value_list",
    "whole",
    "yes_or_no",
]


class Problems:
    """All mistakes of one file, with their lines."""

    def __init__(self, file: str, lines: Lines) -> None:
        self.file = file
        self.lines = lines
        self._found: list[tuple[int, str]] = []

    def add(self, where: Where, sentence: str) -> None:
        """Keep a mistake, told in one sentence or two."""
        self._found.append((self.lines[where], sentence))

    def raise_all(self) -> None:
        """Raise one error that lists the mistakes in the order of their lines, if there are any."""
        if self._found:
            ordered = sorted(dict.fromkeys(self._found), key=lambda problem: problem[0])
            raise InputError("\n".join(f"{self.file}:{line}: {said}" for line, said in ordered))


@dataclass(frozen=True)
class Place:
    """Where a value stands: for relative paths, and for saying that it is wrong."""

    problems: Problems
    folder: Path
    where: Where
    label: str

    def at(self, step: str | int) -> Place:
        """Return the place of an element, counted from 1 for people, or of a key within."""
        shown = f", item {step + 1}" if isinstance(step, int) else f".{step}"
        return Place(self.problems, self.folder, (*self.where, step), self.label + shown)

    def wrong(self, must: str, got: Any, hint: str = "") -> None:
        """Keep a mistake: what it must be, what was got, what to do."""
        self.say(f"must be {must}. Got {shown(got)}.{' ' + hint if hint else ''}")

    def say(self, words: str) -> None:
        """Keep a mistake in words that follow the setting's name."""
        self.problems.add(self.where, f"{self.label} {words}")


Check = Callable[[Any, Place], Any]


def setting(check: Check, meaning: str, *, default: Any = None, required: bool = False) -> Any:
    """Declare a setting: a field of a frozen dataclass.

    Parameters
    ----------
    check
        What it may hold.
    meaning
        What it is for, in a phrase for people.
    default
        What it is where the file does not name it.
    required
        Whether the file must name it.
    """
    return field(
        default=default, metadata={"check": check, "meaning": meaning, "required": required}
    )


def shown(value: Any) -> str:
    """Write a value as the file might, cut where it is long.

    >>> shown("x" * 60)
    '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    try:
        written = toml_value(value)
    except TypeError:
        written = str(value)
    return written if len(written) <= 40 else written[:39] + "…"


def text(value: Any, place: Place) -> str | None:
    """Take text that is not empty."""
    if isinstance(value, str) and value:
        return value
    place.wrong("text in quotes", value)
    return None


def choice(*allowed: str) -> Check:
    """Take one of some words."""

    def check(value: Any, place: Place) -> str | None:
        if value in allowed and isinstance(value, str):
            return value
        near = isinstance(value, str) and difflib.get_close_matches(value.lower(), allowed, n=1)
        place.wrong(
            f"one of {', '.join(allowed)}", value, did_you_mean(value, allowed) if near else ""
        )
        return None

    return check


def whole(*, least: int, most: int | None = None, hint: str = "") -> Check:
    """Take an integer of at least `least`, and at most `most`."""

    def check(value: Any, place: Place) -> int | None:
        whole_number = isinstance(value, int) and not isinstance(value, bool)
        if whole_number and value >= least and (most is None or value <= most):
            return int(value)
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        place.wrong(f"an integer {limits}", value, hint)
        return None

    return check


def number(*, least: float, most: float | None = None, hint: str = "") -> Check:
    """Take a number of at least `least`, and at most `most`; a whole one stays whole."""

    def check(value: Any, place: Place) -> float | None:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and value >= least and (most is None or value <= most):
            return value  # type: ignore[no-any-return]
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        place.wrong(f"a number {limits}", value, hint)
        return None

    return check


def yes_or_no(value: Any, place: Place) -> bool | None:
    """Take true or false."""
    if isinstance(value, bool):
        return value
    place.wrong("true or false", value)
    return None


def shares(value: Any, place: Place) -> dict[str, float] | None:
    """Take a table from variables to numbers from 0 to 1."""
    if not isinstance(value, dict) or not value:
        place.wrong(
            "a table of variables and numbers from 0 to 1, as { zip = 1, age = 0.2 }", value
        )
        return None
    check = number(least=0, most=1)
    return {name: check(share, place.at(name)) or 0 for name, share in value.items()}


def listed(check: Check, what: str) -> Check:
    """Take a list that is not empty, each element checked and none twice."""

    def check_all(value: Any, place: Place) -> tuple[Any, ...] | None:
        if not isinstance(value, list) or not value:
            place.wrong(f"a list of {what}", value)
            return None
        kept = [check(element, place.at(i)) for i, element in enumerate(value)]
        for i, element in enumerate(value):
            if element in value[:i]:
                place.at(i).say(f"is there twice: {shown(element)}. Leave one out.")
        return tuple(kept)

    return check_all


def path(value: Any, place: Place) -> Path | None:
    """Take a path, relative to the folder of the project file."""
    found = text(value, place)
    return None if found is None else place.folder / found


def folder(value: Any, place: Place) -> Path | None:
    """Take the path of a folder that exists."""
    found = path(value, place)
    if found is not None and not _is_there(found, Path.is_dir):
        place.say(f"names a folder that does not exist. Got {shown(value)}. Create it or leave it.")
    return found


def existing_file(value: Any, place: Place) -> Path | None:
    """Take the path of a file that exists."""
    found = path(value, place)
    if found is not None and not _is_there(found, Path.exists):
        place.say(f"names a file that does not exist. Got {shown(value)}. {_beside(found)}")
    return found


def data_file(value: Any, place: Place) -> str | Path | None:
    """Take a file that exists, a folder of Parquet files, or a database's address."""
    if isinstance(value, str) and is_database(value):
        return value
    return existing_file(value, place)


def _is_there(found: Path, ask: Callable[[Path], bool]) -> bool:
    try:
        return ask(found)
    except OSError:  # a name too long, a folder that may not be looked into
        return False


def _beside(missing: Path) -> str:
    if not _is_there(missing.parent, Path.is_dir):
        return f"There is no folder {missing.parent} either."
    names = sorted(p.name for p in missing.parent.iterdir() if not p.name.startswith("."))
    return did_you_mean(missing.name, names)


def encoding(value: Any, place: Place) -> str | None:
    """Take the name of a character encoding."""
    try:
        codecs.lookup(value)
    except (LookupError, TypeError, ValueError):
        place.wrong('a character encoding such as "utf-8" or "latin-1"', value)
        return None
    return str(value)


def size(value: Any, place: Place) -> str | None:
    """Take an amount of memory such as 2GB."""
    try:
        if isinstance(value, str) and parse_size(value):
            return value
    except InputError:
        pass
    place.wrong('a size of at least 100MB, such as "2GB"', value)
    return None


def _is_value(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _value(value: Any, place: Place) -> Any:
    if _is_value(value):
        return value
    place.wrong("a number or text in quotes", value)
    return None


value_list = listed(_value, "values")


def missing_codes(value: Any, place: Place) -> tuple[Any, ...] | None:
    """Take a list of codes and of ``[low, high]`` ranges of numbers."""
    if _is_value(value):
        value = [value]
    found = listed(_code_or_range, "codes, or ranges as [low, high]")(value, place)
    return None if found is None else tuple(found)


def _code_or_range(value: Any, place: Place) -> Any:
    if not isinstance(value, list):
        return _value(value, place)
    numbers = [v for v in value if _is_value(v) and not isinstance(v, str)]
    if len(value) == len(numbers) == 2 and numbers[0] <= numbers[1]:
        return tuple(numbers)
    place.wrong("a range of two rising numbers, as [90, 99]", value)
    return None


def value_labels(value: Any, place: Place) -> dict[str, str] | None:
    """Take a table from values to their labels."""
    if not isinstance(value, dict) or not value:
        place.wrong('a table of values and labels, as { 1 = "male", 2 = "female" }', value)
        return None
    return {code: text(label, place.at(code)) or "" for code, label in value.items()}


def header(where: Sequence[str | int]) -> str:
    """Write the section at a path as the file would."""
    return toml_header(*map(str, where))
