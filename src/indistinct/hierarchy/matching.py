"""Which hierarchy file belongs to which variable, where their names differ.

Files that were made for other programs are named after data sets, languages and versions. A file
belongs to a variable when its first column holds every value of it; of several, the one whose name
is nearest is taken. Numbers lie in many files by chance (an age of 1 to 90 holds every month), so
a file of numbers must be named like its variable too. Between files that are equally good nothing
is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from indistinct.core import InputError
from indistinct.hierarchy.csvfile import read_rows
from indistinct.hierarchy.intervals import as_number
from indistinct.hierarchy.table import Row
from indistinct.hierarchy.text import as_texts

__all__ = ["Matched", "match_files"]

_WORDS = re.compile(r"[^\W_]+")
_LEAST_SHARED = 3
"""A name of fewer letters stands in another by chance."""


@dataclass(frozen=True)
class Matched:
    """The files that were found by content, and sentences on them and on the others."""

    files: dict[str, Path] = field(default_factory=dict)
    used: dict[str, str] = field(default_factory=dict)
    """For each variable with a file, the reason."""
    asked: dict[str, str] = field(default_factory=dict)
    """For each variable with several files that are equally good, which they are."""
    unused: dict[str, str] = field(default_factory=dict)
    """For each file that is not used, why."""


def match_files(
    files: Mapping[Path, str | None], variables: Mapping[str, Iterable[object]]
) -> Matched:
    """Return which of some files belongs to which of some variables, by content and name.

    `files` have their text where they stand inside another; `variables` are those that have no
    file of their name, with the values that occur.
    """
    rows, matched = {}, Matched()
    for path, text in files.items():
        try:
            rows[path] = read_rows(path, text).rows
        except InputError:
            matched.unused[path.name] = "it cannot be read as a hierarchy"
    known = {path: {row[0] for row in table} for path, table in rows.items()}
    wanted = {
        name: {text for text in as_texts(values) if text is not None}
        for name, values in variables.items()
    }
    shares: dict[Path, tuple[float, str]] = {}
    fitting: dict[str, dict[Path, int]] = {}
    for name, values in wanted.items():
        numbers = all(as_number(text) is not None for text in values)
        for path, first in known.items():
            share = len(values & first) / len(values) if values else 0.0
            near = name_likeness(path.stem, name)
            shares[path] = max(shares.get(path, (0.0, "")), (share, name))
            if share == 1.0 and (near or not numbers):
                fitting.setdefault(name, {})[path] = near
    named = {path for fits in fitting.values() for path, near in fits.items() if near}
    for name, fits in fitting.items():
        best = max(fits.values())
        if not best:  # a file whose name is that of another variable is the other's
            fits = {path: near for path, near in fits.items() if path not in named}
        equal = [path for path, near in fits.items() if near == best]
        if not equal:
            continue
        if _differ([rows[path] for path in equal]):
            told = " and ".join(path.name for path in equal)
            matched.asked[name] = (
                f"{told} fit '{name}' equally well, so none is used: "
                f"rename the one that is meant to {name}.csv."
            )
            continue
        matched.files[name] = equal[0]
        held = "its one value" if len(wanted[name]) == 1 else f"all {len(wanted[name]):,} values"
        like = " and whose name is like it" if best else ""
        matched.used[name] = (
            f"'{name}' takes the hierarchy of {equal[0].name}, whose first column holds "
            f"{held}{like}."
        )
    taken = set(matched.files.values())
    for path in rows:
        if path in taken:
            continue
        share, name = shares.get(path, (0.0, ""))
        matched.unused[path.name] = (
            f"it holds at best {share:.0%} of the values of a variable ('{name}')"
            if 0 < share < 1
            else "another file is nearer, or its name is like that of no variable it fits"
            if share
            else "it holds no value of the variables that need a file"
        )
    return matched


def name_likeness(stem: str, name: str) -> int:
    """Return how alike the names of a file and a variable are: 3 equal, 2 its end, 1 partly, 0.

    >>> [name_likeness(f, "marital-status") for f in ("Marital_Status", "adult_marital-status")]
    [3, 2]
    >>> name_likeness("age", "iage"), name_likeness("sex", "race")
    (1, 0)
    """
    theirs, ours = (_WORDS.findall(text.casefold()) for text in (stem, name))
    if not theirs or not ours:
        return 0
    if theirs == ours:
        return 3
    if theirs[-len(ours) :] == ours or ours[-len(theirs) :] == theirs:
        return 2
    short, long = sorted((theirs[-1], ours[-1]), key=len)
    near = len(short) >= _LEAST_SHARED and (long.startswith(short) or long.endswith(short))
    return int(near)


def _differ(tables: list[list[Row]]) -> bool:
    """Say whether files tell different things of what they hold in common."""
    first = {row[0]: row for row in tables[0]}
    return any({row[0]: row for row in table} != first for table in tables[1:])
