"""The hierarchies of all variables of a project: from a directory, the rest chosen.

Hierarchies inside other content, such as the steps of a plan that was saved.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indistinct.core import InputError, Level, did_you_mean
from indistinct.hierarchy.choose import choose_hierarchy
from indistinct.hierarchy.csvfile import csv_hierarchy
from indistinct.hierarchy.foreign import (
    Recoding,
    argus_recoding,
    arx_hierarchies,
    r_recodings,
)
from indistinct.hierarchy.hierarchy import Hierarchy
from indistinct.hierarchy.matching import match_files

__all__ = ["Hierarchies", "file_hierarchy", "hierarchies_in", "load_hierarchies"]

_SHOWN_FILES = 8
_RECODINGS = (".grc", ".r")


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
        self,
        hierarchies: Iterable[Hierarchy],
        *,
        notes: Mapping[str, str] | None = None,
        chosen: Iterable[str] = (),
    ) -> None:
        self._by_name = {hierarchy.name: hierarchy for hierarchy in hierarchies}
        self.notes: Mapping[str, str] = dict(notes or {})
        """For each variable without a file of its name, a sentence on what was chosen and why;
        for each file of the directory that is not used, one on the reason."""
        self.chosen = frozenset(chosen)
        """The variables whose hierarchy was chosen from the values."""

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
    labelled: Collection[str] = (),
) -> Hierarchies:
    """Return a hierarchy for each variable: that of ``<variable>.csv``, or one chosen.

    Where no file has the name of the variable, one whose first column holds all of its values is
    taken (see `indistinct.hierarchy.matching`). What other programs keep is read too: a project of
    ARX, recodings of µ-Argus and of scripts for sdcMicro (see `indistinct.hierarchy.foreign`).

    Parameters
    ----------
    directory
        Where the files are, or one file of another program; None if there are none. Files of
        other variables are left alone.
    values
        For each variable the values that occur in the data. A file that does not know all of
        them is an error; all problems of a directory are told at once.
    levels
        Levels of measurement, where known; they help to choose.
    special
        Codes that are no ordinary values, such as 999 for *unknown*; chosen hierarchies leave
        them as they are.
    labelled
        Variables whose codes have labels, and so are categories.
    """
    given = _Given() if directory is None else _given(Path(directory))
    files = {path.stem: path for path in given.texts}
    found: list[Hierarchy] = []
    notes: dict[str, str] = {}
    problems: list[str] = []
    by_values: list[str] = []
    known = {name: list(occurring) for name, occurring in values.items()}
    needing = {name: known[name] for name in known if name not in files}
    # where each variable has a file of its own, the others are those of variables not asked for
    others = {path: text for path, text in given.texts.items() if path.stem not in known}
    matched = match_files(others if needing else {}, needing)
    files |= matched.files
    notes |= matched.used
    recodings = {name: given.recodings.pop(name.casefold(), None) for name in needing}
    for name, occurring in known.items():
        try:
            if name in files:
                path = files[name]
                tree = csv_hierarchy(path, name=name, text=given.texts[path])
                found.append(_checked(tree, path, occurring))
            elif (recoding := recodings[name]) is not None:
                apart = (special or {}).get(name, ())
                found.append(recoding.hierarchy(occurring, name=name, special=apart))
                notes[name] = f"'{name}' is recoded as {recoding.origin} says."
            else:
                chosen = choose_hierarchy(
                    name,
                    occurring,
                    (levels or {}).get(name),
                    special=(special or {}).get(name, ()),
                    labelled=name in labelled,
                )
                found.append(chosen.hierarchy)
                by_values.append(name)
                asked = f" {matched.asked[name]}" if name in matched.asked else ""
                notes[name] = chosen.reason + (asked or _misspelt(name, files, values))
        except InputError as error:
            problems.append(str(error))
    if len(problems) == 1:
        raise InputError(problems[0])
    if problems:
        listed = "\n".join(f"- {problem}" for problem in problems)
        raise InputError(f"{len(problems)} hierarchies have problems:\n{listed}")
    unused = matched.unused | {
        f"{recoding.origin} ({name})": "no variable that needs a hierarchy has that name"
        for name, recoding in given.recodings.items()
    }
    return Hierarchies(found, notes={**notes, **_told_unused(unused)}, chosen=by_values)


@dataclass
class _Given:
    """What a user has: CSV files, with their text where they stand inside another, and recodings
    by the variable's name in small letters."""

    texts: dict[Path, str | None] = field(default_factory=dict)
    recodings: dict[str, Recoding] = field(default_factory=dict)


def _given(place: Path) -> _Given:
    if place.suffix.lower() == ".deid":
        return _Given(dict(arx_hierarchies(place)))
    if not os.path.isdir(place) and place.suffix.lower() not in _RECODINGS:
        raise InputError(
            f"{place} is not a directory. Name one that holds <variable>.csv files, a project of "
            "ARX (.deid), a recoding of µ-Argus (.grc) or a script for sdcMicro (.R)."
        )
    files = sorted(place.iterdir()) if os.path.isdir(place) else [place]
    found = _Given({path: None for path in files if path.suffix == ".csv"})
    for path in files:
        if path.suffix.lower() == ".grc":
            found.recodings[path.stem.casefold()] = argus_recoding(path)
        elif path.suffix.lower() == ".r":
            recodings = r_recodings(path).items()
            found.recodings |= {name.casefold(): recoding for name, recoding in recodings}
    if files == [place] and not found.recodings:
        raise InputError(f"{place} has no call of globalRecode or groupAndRename.")
    return found


def file_hierarchy(
    path: Path, values: Iterable[object], *, name: str, special: Iterable[object] = ()
) -> Hierarchy:
    """Return the hierarchy of a variable that a file tells, of ours or of another program."""
    if path.suffix.lower() not in (*_RECODINGS, ".deid"):
        return csv_hierarchy(path, name=name)
    found = load_hierarchies(path, {name: values}, special={name: special})
    if name in found.chosen:
        raise InputError(f"{path} has no hierarchy and no recoding of '{name}'.")
    return found[name]


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
