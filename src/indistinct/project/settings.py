"""Settings of a project file: what each may hold, and what is said when it holds another thing.

A section of the file is a frozen dataclass and a setting is one line of it, made with `setting`.
Its check takes the value that the file gives and the place where it stands, and returns the
value to keep; or it says at that place what is wrong.
"""

from __future__ import annotations

import codecs
import os
from dataclasses import field
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.core.doors import beside, check_address, check_within, watched
from indistinct.engine import parse_size
from indistinct.files import is_database, is_pattern, shown_address
from indistinct.options import (
    READING,
    RELEASING,
    Check,
    Place,
    Problems,
    choice,
    count_or_share,
    header,
    listed,
    number,
    ranges,
    shares,
    shown,
    text,
    whole,
    yes_or_no,
)

__all__ = [
    "Check",
    "Place",
    "Problems",
    "choice",
    "cluster",
    "count_or_share",
    "data_file",
    "encoding",
    "existing_file",
    "header",
    "listed",
    "missing_codes",
    "number",
    "of_option",
    "one_or_several",
    "path",
    "ranges",
    "recoding",
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


def of_option(option: str, *, default: Any = None) -> Any:
    """Declare a setting that is an option of every release, or of how data are read."""
    said = RELEASING.get(option) or READING[option]
    if said.kind.check is None:
        raise TypeError(f"{option} has no check for a project file")
    return setting(said.kind.check, said.meaning, default=default)


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
    """Take a file that exists, Parquet files that belong together, or a database's address."""
    if isinstance(value, str) and is_database(value):
        return _elsewhere(value, shown_address(value), place)
    if isinstance(value, str) and is_pattern(place.folder / value):
        found = path(value, place)
        if found is not None:
            _read_later(found.parent, place)
        return found
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


def one_or_several(check: Check) -> Check:
    """Take a list, or one value without the brackets of a list of one."""

    def check_several(value: Any, place: Place) -> Any:
        return check(value if isinstance(value, list) else [value], place)

    return check_several


def recoding(value: Any, place: Place) -> dict[str, Any] | None:
    """Take a table from values to what is read instead."""
    if not isinstance(value, dict) or not value:
        place.wrong('a table of values and what is read instead, as { M = "m" }', value)
        return None
    kept = {old: _value(new, place.at(old)) for old, new in value.items()}
    return None if None in kept.values() else kept
