"""The table of roles: a line for each variable, written by `init --as` and read back.

It is a workbook or a CSV file that people edit in a spreadsheet. Its columns are found by their
names; columns of other names are remarks. What is guessed stands beside what is said, so that a
role that was changed by hand is told with its line.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from indistinct.core import InputError
from indistinct.files import open_data, workspace, write_data
from indistinct.hierarchy import as_text
from indistinct.options import Where
from indistinct.project.declared import Declared, Entry
from indistinct.project.settings import Place, Problems

__all__ = ["COLUMNS", "RolesRead", "read_roles", "write_roles"]

COLUMNS = (
    *("name", "label", "role", "guessed role", "level", "distinct", "missing", "certainty"),
    *("reason", "hierarchy", "possible hierarchy", "settings"),
)
"""The columns that are written. Read are name, label, role, level, hierarchy and settings."""

_READ = ("label", "role", "level")
_WHERE: Where = ("data", "roles")


@dataclass(frozen=True)
class RolesRead:
    """What a table of roles declares, by name, and what was changed by hand."""

    listed: Mapping[str, Entry] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def write_roles(
    path: str | Path, rows: Sequence[Mapping[str, str | int | None]], *, overwrite: bool = False
) -> Path:
    """Write a table of roles; no cell of it is a formula."""
    columns = {
        name: pa.array(
            [row.get(name) for row in rows],
            pa.int64() if name in ("distinct", "missing") else pa.string(),
        )
        for name in COLUMNS
    }
    return write_data(pa.table(columns), path, overwrite=overwrite)


def read_roles(path: Path | None, problems: Problems) -> RolesRead:
    """Read a table of roles; mistakes are told with their lines."""
    if path is None:
        return RolesRead()
    try:
        with workspace() as private:
            table = open_data(path, workspace=private).table()
    except InputError as error:
        problems.add(_WHERE, f"[data] roles: {error}")
        return RolesRead()
    if not {"name", "role"} <= set(table.column_names):
        problems.add(
            _WHERE,
            f"[data] roles: {path.name} needs the columns name and role. Write one with: "
            f"indistinct init DATA --as {path.name}",
        )
        return RolesRead()
    listed: dict[str, Entry] = {}
    notes = []
    for number, cells in enumerate(table.to_pylist(), start=2):
        row = {name: (as_text(cell) or "").strip() for name, cell in cells.items()}
        label = f"row {number} of {path.name}"
        name = row["name"]
        if not name:
            if any(row.values()):
                problems.add(_WHERE, f"{label}: the line has no name. Say which variable it is of.")
            continue
        if name in listed:
            problems.add(_WHERE, f"{label}: '{name}' is there twice. Leave one line out.")
            continue
        declared = _declared(row, label, problems, path.parent)
        listed[name] = Entry(name, _WHERE, label, declared)
        guessed = row.get("guessed role")
        if guessed and declared.role not in (None, guessed):
            notes.append(f"{label}: the role of '{name}' is {declared.role}, guessed was {guessed}")
    return RolesRead(listed, tuple(notes))


def _declared(row: Mapping[str, str], label: str, problems: Problems, folder: Path) -> Declared:
    said: dict[str, Any] = {name: row[name] for name in _READ if row.get(name)}
    if hierarchy := row.get("hierarchy"):
        inline = _toml(f"hierarchy = {hierarchy}") if hierarchy.startswith("{") else None
        said |= inline or {"hierarchy": hierarchy}
    if settings := row.get("settings"):
        found = _toml(settings)
        if found is None:
            problems.add(
                _WHERE,
                f"{label}: settings are written as in a project file, one in a line: "
                "fold = true. Text needs quotes.",
            )
        said |= found or {}
    known = {one.name: one for one in fields(Declared)}
    kept: dict[str, Any] = {}
    for name, value in said.items():
        if name not in known:
            problems.add(_WHERE, f"{label}: there is no setting '{name}'.")
            continue
        place = Place(problems, folder, _WHERE, f"{label}: {name}")
        kept[name] = known[name].metadata["check"](value, place)
    return Declared(**kept)


def _toml(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None
