"""Settings of a project file: what each may hold, and what is said when it holds another thing.

A section of the file is a frozen dataclass and a setting is one line of it, made with `setting`.
Its check takes the value that the file gives and the place where it stands, and returns the
value to keep; or it says at that place what is wrong.
"""

from __future__ import annotations

import codecs
import difflib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indistinct.core import InputError, did_you_mean
from indistinct.core.doors import beside, check_address, check_within, watched
from indistinct.engine import parse_size
from indistinct.files import is_database, shown_address
from indistinct.project.lines import Lines
from indistinct.project.lines import Path as Where
from indistinct.project.tomltext import toml_header, toml_value

__all__ = [
    "Check",
    "Place",
    "Problems",
    "choice",
    "cluster",
    "data_file",
    "encoding",
    "existing_file",
    "folder",
    "header",
    "listed",
    "missing_codes",
    "number",
    "path",
    "ranges",
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
    """Take a whole number of at least `least`, and at most `most`."""

    def check(value: Any, place: Place) -> int | None:
        whole_number = isinstance(value, int) and not isinstance(value, bool)
        if whole_number and value >= least and (most is None or value <= most):
            return int(value)
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        place.wrong(f"a whole number {limits}", value, hint)
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


def ranges(value: Any, place: Place) -> dict[str, tuple[float, ...]] | None:
    """Take a table from variables to where they begin and end, and the step of their classes."""

    def is_range(limits: Any) -> bool:
        return (
            isinstance(limits, list)
            and len(limits) in (2, 3)
            and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in limits)
            and limits[0] < limits[1]
            and all(0 < step <= limits[1] - limits[0] for step in limits[2:])
        )

    if not isinstance(value, dict) or not value or not all(map(is_range, value.values())):
        place.wrong(
            "a table of variables and numbers from low to high with the step of classes, as "
            "{ income = [0, 100000], age = [0, 100, 10] }",
            value,
        )
        return None
    return {name: tuple(limits) for name, limits in value.items()}


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
        return None if any(element is None for element in kept) else tuple(kept)

    return check_all


def path(value: Any, place: Place) -> Path | None:
    """Take a path, relative to the folder of the project file and within it."""
    found = text(value, place)
    if found is None:
        return None
    if "\0" in found or any(len(os.fsencode(part)) > 255 for part in Path(found).parts):
        place.wrong("a name that a file can have", value, "Shorten it.")
        return None
    there = place.folder / found
    astray = check_within(there, place.folder)
    if astray is not None:
        place.say(f"{astray}. Got {shown(value)}.")
        return None
    return there


def folder(value: Any, place: Place) -> Path | None:
    """Take the path of a folder that exists."""
    found = path(value, place)
    if found is not None and not os.path.isdir(found):
        place.say(f"names a folder that does not exist. Got {shown(value)}. Create it or leave it.")
    return _read_later(found, place)


def existing_file(value: Any, place: Place) -> Path | None:
    """Take the path of a regular file that exists, or of a folder of files."""
    found = path(value, place)
    if found is None:
        return None
    if not os.path.exists(found):
        place.say(f"names a file that does not exist. Got {shown(value)}. {beside(found)}")
    elif not (os.path.isfile(found) or os.path.isdir(found)):
        place.say(f"names a pipe or a device. Got {shown(value)}. Save it as a file first.")
    return _read_later(found, place)


def _read_later(found: Path | None, place: Place) -> Path | None:
    """Let the run know that a file will be read, so that nothing is written over it."""
    watch = watched()
    if watch is not None and found is not None and os.path.exists(found):
        watch.note_input(found, place.label)
    return found


def data_file(value: Any, place: Place) -> str | Path | None:
    """Take a file that exists, a folder of Parquet files, or a database's address."""
    if isinstance(value, str) and is_database(value):
        return _elsewhere(value, shown_address(value), place)
    return existing_file(value, place)


def cluster(value: Any, place: Place) -> str | None:
    """Take the address of a Spark cluster; records are sent there."""
    found = text(value, place)
    if found is None or found == "local" or found.startswith("local["):
        return found
    return _elsewhere(found, found, place)


def _elsewhere(address: str, told: str, place: Place) -> str:
    astray = check_address(address, told)
    if astray is not None:
        place.say(f"{astray}.")
    return address


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
