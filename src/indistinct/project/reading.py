"""Reading a project file, and telling all its mistakes at once, each with its line.

What a project file writes: never two things in one place, and nothing over what it reads.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from indistinct.core import InputError, did_you_mean
from indistinct.core.doors import lies_within, read_text, watching
from indistinct.files import is_database, is_database_file
from indistinct.options import Where, find_lines
from indistinct.project.declared import DeclaredVariables, is_name_pattern
from indistinct.project.method import check_method_settings, read_method
from indistinct.project.model import UNIQUE_ROLES, Project
from indistinct.project.publishing import check_publishing
from indistinct.project.roles import read_roles
from indistinct.project.sections import check_contract, check_household, made_rules, read_steps
from indistinct.project.settings import Place, Problems, header, path, shown

__all__ = ["check_places", "load_project", "parsed", "read_project", "read_section"]

LONGEST = 1_000_000
"""Bytes that a project file may have."""

_NEVER_KEY = ("identifier", "weight", "household")

_AT = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_HINTS = {
    "Invalid value": "Text needs quotes.",
    "Unescaped '\\'": "Write a path with / or in single quotes.",
    "Illegal character": "Close the quotes on the same line.",
    "Cannot overwrite a value": "The key is there twice: leave one out.",
    "Cannot declare": "The section is there twice: join them.",
    "Expected '=' after a key": "A setting is written as key = value; a name with spaces needs "
    "quotes.",
}


def load_project(path: str | Path, *, allow_outside: bool = False) -> Project:
    """Read a project file.

    It may name what lies in its own folder, and what the command line names; more if that is
    allowed.

    All its mistakes are told in one `InputError`, a line each, as ``release.toml:12: …``.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "release.toml"
    >>> _ = file.write_text('[data]\\nfile = "."\\n[release]\\nk = 1\\nseeed = 7\\n')
    >>> load_project(file)
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: ...release.toml:4: [release] k must be a whole number of ...
    2. Got 1. A class of 1 is a person who stands out.
    ...release.toml:5: [release] has no setting 'seeed'. Did you mean 'seed'?
    """
    path = Path(path)
    if len(os.fsencode(path.name)) < 256 and not os.path.lexists(path):
        raise InputError(
            f"There is no project file {path}. Make a first one with: indistinct init DATA"
        )
    with watching(allow_outside=allow_outside):
        return read_project(read_text(path, "project file", limit=LONGEST), path)


def read_project(text: str, path: Path) -> Project:
    """Read the text of a project file that stands, or will stand, at `path`."""
    content = parsed(text, path)
    lines = find_lines(text)
    problems = Problems(str(path), lines)
    parts = {part.name: part for part in fields(Project) if "section" in part.metadata}
    for name in content:
        if name not in parts:
            problems.add(
                (name,), f"there is no section {header((name,))}. {did_you_mean(name, parts)}"
            )
    sections = {
        name: _part(content.get(name, {}), part, problems, path.parent)
        for name, part in parts.items()
        if name not in ("steps", "method")
    }
    sections["rules"] = made_rules(sections["rules"])
    roles = read_roles(sections["data"].roles, problems)
    sections["variables"] = DeclaredVariables(sections["variables"], roles.listed)
    _check_mending(sections["variables"], problems)
    sections["method"] = read_method(content.get("method", {}), problems, path.parent)
    sections["steps"] = read_steps(content.get("steps", {}), problems)
    project = Project(path, lines=lines, notes=roles.notes, **sections)
    _check_data(project, problems)
    _check_release(project, problems)
    _check_roles(project, problems)
    check_method_settings(project, problems)
    check_contract(project, problems)
    check_household(project, problems)
    check_publishing(project, problems)
    check_places(project, problems)
    if project.engine.master is not None and project.engine.name != "spark":
        problems.add(("engine", "master"), '[engine] master is only for name = "spark".')
    problems.raise_all()
    return project


def parsed(text: str, path: Path) -> dict[str, Any]:
    """Return what a TOML file says; its mistake is told with its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(str(error), text, path) from None
    except RecursionError:
        raise InputError(f"{path}:1: lists or tables lie too deep in each other.") from None
    except ValueError:  # Python reads numbers of 4,300 digits at most
        raise InputError(f"{path}:1: a number has more digits than can be read.") from None


def _syntax_error(said: str, text: str, path: Path) -> InputError:
    match = _AT.search(said)
    line = int(match[1]) if match and match[1] else text.rstrip("\n").count("\n") + 1
    words = _AT.sub("", said)
    hint = next((f" {hint}" for start, hint in _HINTS.items() if words.startswith(start)), "")
    return InputError(f"{path}:{line}: the file is not valid TOML: {words}.{hint}")


def _part(given: Any, part: Field[Any], problems: Problems, folder: Path) -> Any:
    kind = part.metadata["section"]
    where: Where = (part.name,)
    if not part.metadata["named"]:
        return read_section(given, kind, where, problems, folder)
    if not isinstance(given, dict):
        problems.add(where, f"{header((*where, 'NAME'))} must be a section. Got {shown(given)}.")
        return {}
    return {
        name: read_section(inner, kind, (*where, name), problems, folder)
        for name, inner in given.items()
    }


def read_section(given: Any, kind: type, where: Where, problems: Problems, folder: Path) -> Any:
    """Return a section as its declaration says; what is wrong in it is kept in `problems`."""
    label = header(where)
    settings = {setting.name: setting for setting in fields(kind)}
    if not isinstance(given, dict):
        problems.add(where, f"{label} must be a section with settings. Got {shown(given)}.")
        return kind()
    kept: dict[str, Any] = {}
    for key, value in given.items():
        place = Place(problems, folder, (*where, key), f"{label} {key}")
        if key not in settings:
            problems.add(
                place.where, f"{label} has no setting {key!r}. {did_you_mean(key, settings)}"
            )
            continue
        found = settings[key].metadata["check"](value, place)
        if found is not None:
            kept[key] = found
    for name, setting in settings.items():
        if setting.metadata["required"] and name not in given:
            problems.add(where, f"{label} needs {name}: {setting.metadata['meaning']}.")
    return kind(**kept)


def _check_data(project: Project, problems: Problems) -> None:
    data = project.data
    database = is_database(str(data.file))
    if database and data.query is None and data.table is None:
        problems.add(
            ("data", "file"), '[data] needs a query for a database, as query = "SELECT …".'
        )
    asks = database or is_database_file(data.file)
    if data.file and not asks and data.query is not None:
        problems.add(("data", "query"), "[data] query is for a database, not for a file.")


def _check_release(project: Project, problems: Problems) -> None:
    release, declared = project.release, project.variables
    if release.k is not None and release.at_most is not None:
        problems.add(
            ("release", "at_most"),
            "[release] has both k and at_most. They are two thresholds for the same thing: "
            "leave one out.",
        )
    for position, name in enumerate(release.key or ()):
        place = ("release", "key", position)
        if declared and name not in declared:
            problems.add(
                place,
                f"[release] key names {name!r}, which has no section "
                f"{header(('variables', name))}. {did_you_mean(name, declared)}",
            )
        elif declared and declared[name].role in _NEVER_KEY:
            problems.add(
                place,
                f"[release] key names {name!r}, whose role is {declared[name].role}. "
                "Leave it out of the key, or change its role.",
            )


def _check_roles(project: Project, problems: Problems) -> None:
    declared = project.variables
    for role in UNIQUE_ROLES:
        named = [n for n, one in declared.items() if one.role == role and not is_name_pattern(n)]
        first, *others = named or [""]
        for name in others:
            entry = declared.entry_of(name, "role")
            problems.add(
                (*entry.where, "role"),
                f"{entry.label} role: {first!r} is the {role} already. "
                f"One variable at most can be: give one of them another role.",
            )


def _check_mending(variables: DeclaredVariables, problems: Problems) -> None:
    """Refuse a variable whose values would be dates and numbers."""
    for name in variables:
        if variables[name].dates and variables[name].numbers:
            entry = variables.entry_of(name, "numbers")
            problems.add(
                (*entry.where, "numbers"),
                f"{entry.label} has both dates and numbers. Its values are one or the other: leave "
                "one out.",
            )


# What a project file writes ----------------------------------------------------------------------


def check_places(project: Project, problems: Problems) -> None:
    """Refuse places that are named for two things to write, or that are read."""
    written = list(_written(project))
    for number, (where, label, place) in enumerate(written):
        for _, other, earlier in written[:number]:
            if lies_within(place, earlier) or lies_within(earlier, place):
                problems.add(
                    where,
                    f"{label} and {other} are named for two things to write, one in the place of "
                    "the other. Name each by itself.",
                )
        data = project.data.file
        if data and not is_database(str(data)) and lies_within(data, place):
            problems.add(where, f"{label} is where the data are, which are never written over.")


def _written(project: Project) -> Iterator[tuple[Where, str, Path]]:
    """Give the settings that name something to write: those that need not be there."""
    for section in fields(project):
        if section.metadata.get("named") is not False:
            continue
        part = getattr(project, section.name)
        for one in fields(part):
            found = getattr(part, one.name)
            if one.metadata.get("check") is path and found is not None:
                where = (section.name, one.name)
                yield where, f"{header((section.name,))} {one.name}", found
