"""The hierarchies of all variables of a project: from a directory, the rest chosen.

Hierarchies inside other content, such as the steps of a plan that was saved.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from indistinct.core import InputError, Level, did_you_mean
from indistinct.hierarchy.choose import choose_hierarchy
from indistinct.hierarchy.csvfile import csv_hierarchy
from indistinct.hierarchy.hierarchy import Hierarchy
from indistinct.hierarchy.matching import match_files

__all__ = ["Hierarchies", "hierarchies_in", "load_hierarchies"]

_SHOWN_FILES = 8


class Hierarchies(Mapping[str, Hierarchy]):
    """Hierarchies by the name of their variable, with what people should be told about them.

    >>> from indistinct.hierarchy import suppression_only
    >>> hierarchies = Hierarchies([suppression_only(["m", "f"], name="sex")])
    >>> hierarchies["sxe"]
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: There is no hierarchy of 'sxe'. Did you mean 'sex'?
    """

    def __init__(
        self, hierarchies: Iterable[Hierarchy], *, notes: Mapping[str, str] | None = None
    ) -> None:
        self._by_name = {hierarchy.name: hierarchy for hierarchy in hierarchies}
        self.notes: Mapping[str, str] = dict(notes or {})
        """For each variable without a file of its name, a sentence on what was chosen and why;
        for each file of the directory that is not used, one on the reason."""

    def __getitem__(self, name: str) -> Hierarchy:
        try:
            return self._by_name[name]
        except KeyError:
            hint = did_you_mean(name, self._by_name)
            raise InputError(f"There is no hierarchy of '{name}'. {hint}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Hierarchies({', '.join(f'{h.name}: {h.height}' for h in self.values())})"


def load_hierarchies(
    directory: str | os.PathLike[str] | None,
    values: Mapping[str, Iterable[object]],
    *,
    levels: Mapping[str, Level] | None = None,
    special: Mapping[str, Iterable[object]] | None = None,
) -> Hierarchies:
    """Return a hierarchy for each variable: that of ``<variable>.csv``, or one chosen.

    Where no file has the name of the variable, one whose first column holds all of its values is
    taken (see `indistinct.hierarchy.matching`).

    Parameters
    ----------
    directory
        Where the files are; None if there are none. Files of other variables are left alone.
    values
        For each variable the values that occur in the data. A file that does not know all of
        them is an error; all problems of a directory are told at once.
    levels
        Levels of measurement, where known; they help to choose.
    special
        Codes that are no ordinary values, such as 999 for *unknown*; chosen hierarchies leave
        them as they are.
    """
    folder = None if directory is None else Path(directory)
    if folder is not None and not os.path.isdir(folder):
        raise InputError(f"{folder} is not a directory. Name one that holds <variable>.csv files.")
    files = {} if folder is None else {path.stem: path for path in sorted(folder.glob("*.csv"))}
    found: list[Hierarchy] = []
    notes: dict[str, str] = {}
    problems: list[str] = []
    known = {name: list(occurring) for name, occurring in values.items()}
    needing = {name: known[name] for name in known if name not in files}
    # where each variable has a file of its own, the others are those of variables not asked for
    left = [path for stem, path in files.items() if stem not in known] if needing else []
    matched = match_files(left, needing)
    files |= matched.files
    notes |= matched.used
    for name, occurring in known.items():
        try:
            if name in files:
                found.append(
                    _checked(csv_hierarchy(files[name], name=name), files[name], occurring)
                )
            else:
                chosen = choose_hierarchy(
                    name,
                    occurring,
                    (levels or {}).get(name),
                    special=(special or {}).get(name, ()),
                )
                found.append(chosen.hierarchy)
                asked = f" {matched.asked[name]}" if name in matched.asked else ""
                notes[name] = chosen.reason + (asked or _misspelt(name, files, values))
        except InputError as error:
            problems.append(str(error))
    if len(problems) == 1:
        raise InputError(problems[0])
    if problems:
        listed = "\n".join(f"- {problem}" for problem in problems)
        raise InputError(f"{len(problems)} hierarchies have problems:\n{listed}")
    return Hierarchies(found, notes={**notes, **_told_unused(matched.unused)})


def _told_unused(unused: Mapping[str, str]) -> dict[str, str]:
    """Return a sentence for each reason, with the files that it holds for."""
    told = {}
    for why in dict.fromkeys(unused.values()):
        files = [file for file in unused if unused[file] == why]
        listed = ", ".join(files[:_SHOWN_FILES]) + (", …" if len(files) > _SHOWN_FILES else "")
        told[files[0]] = (
            f"{listed} is not used: {why}."
            if len(files) == 1
            else f"{len(files)} files are not used ({listed}). Of each: {why}."
        )
    return told


def _checked(hierarchy: Hierarchy, path: Path, occurring: Iterable[object]) -> Hierarchy:
    try:
        hierarchy.encode(occurring)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return hierarchy


def _misspelt(name: str, files: Mapping[str, Path], values: Mapping[str, object]) -> str:
    """Return a hint if a file that belongs to no variable differs in capitals only."""
    near = [f for f in files if f.lower() == name.lower() and f not in values]
    return f" Rename {files[near[0]].name} to {name}.csv if it was meant." if near else ""


_PARTS = {"name", "ordered", "rows"}


def hierarchies_in(content: Any) -> dict[str, Hierarchy]:
    """Return the hierarchies that some JSON content holds anywhere, by name.

    >>> from indistinct.hierarchy import suppression_only
    >>> sex = suppression_only(["m", "f"], name="sex")
    >>> hierarchies_in({"steps": [{"kind": "generalise", "hierarchy": sex.to_dict()}]})
    {'sex': Hierarchy('sex', 2 values, height 1)}
    """
    found: dict[str, Hierarchy] = {}
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping) and set(part) - {"level_names"} == _PARTS:
            tree = Hierarchy.from_dict(part)
            found[tree.name] = tree
        elif isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, (list, tuple)):
            waiting += part
    return found
