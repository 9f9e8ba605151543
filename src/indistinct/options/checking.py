"""What a value may be: checks that return the value to keep, or say at its place what is wrong.

The same checks serve a setting of a project file, where a mistake is told with its line, and an
option that was typed, where it is told with its name.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indistinct.core import InputError, did_you_mean
from indistinct.options.lines import Lines, Where
from indistinct.options.tomltext import toml_header, toml_value

__all__ = [
    "Check",
    "Place",
    "Problems",
    "choice",
    "count_or_share",
    "header",
    "listed",
    "number",
    "ranges",
    "read_count_or_share",
    "shares",
    "shown",
    "text",
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

    def __len__(self) -> int:
        return len(self._found)

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


def read_count_or_share(typed: str) -> float | str:
    """Take 25 as a count, 0.02 and 2% as a share; what is neither stays a text.

    >>> [read_count_or_share(typed) for typed in ("25", "0.02", "5%", "many")]
    [25, 0.02, 0.05, 'many']
    """
    text = typed.strip()
    try:
        if text.endswith("%"):
            share = float(text[:-1]) / 100
            return share if share < 1 else typed
        number = float(text)
    except ValueError:
        return typed
    return int(number) if number >= 1 and number.is_integer() else number


def count_or_share(value: Any, place: Place) -> float | None:
    """Take a number of records, or a share of them: 0.02 or "2%"."""
    found = read_count_or_share(value) if isinstance(value, str) else value
    if isinstance(found, (int, float)) and not isinstance(found, bool) and 0 <= found < math.inf:
        return found
    place.wrong("a number of records, a share below 1, or a percentage such as 5%", value)
    return None


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


def header(where: Sequence[str | int]) -> str:
    """Write the section at a path as the file would."""
    return toml_header(*map(str, where))
