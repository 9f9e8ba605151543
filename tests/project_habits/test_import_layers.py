"""Rooms import what the table of docs/architecture.md says, and through doorways."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "indistinct"
ROW = re.compile(r"^\| `(\w+)` \| .* \| ([\w, –]+) \|$", re.MULTILINE)
MAY_IMPORT = {
    room: set(re.findall(r"\w+", may))
    for room, may in ROW.findall((ROOT / "docs" / "architecture.md").read_text())
}


def imports_of(path: Path) -> Iterator[str]:
    """Give every module of ours that a file imports, and every name that may be one."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "indistinct":
                yield from (f"indistinct.{alias.name}" for alias in node.names)
            elif node.module.startswith("indistinct."):
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("indistinct."))


def modules_of(room: str) -> list[Path]:
    return sorted((PACKAGE / room).rglob("*.py"))


def is_doorway(module: str) -> bool:
    return (PACKAGE.parent / module.replace(".", "/") / "__init__.py").exists()


def test_the_table_names_every_room():
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert rooms == set(MAY_IMPORT)


def test_no_two_rooms_import_each_other():
    """The rooms have an order in which each imports earlier ones alone."""
    left = dict(MAY_IMPORT)
    while left:
        free = [room for room, may in left.items() if not may & set(left)]
        assert free, f"in a circle: {sorted(left)}"
        for room in free:
            del left[room]


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_room_imports_only_what_it_may(room):
    for path in modules_of(room):
        rooms = {module.split(".")[1] for module in imports_of(path)} - {"__version__", room}
        extra = rooms - MAY_IMPORT[room]
        assert not extra, f"{path.relative_to(PACKAGE)} must not import {sorted(extra)}"


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_nobody_imports_past_a_doorway(room):
    for path in modules_of(room):
        for module in imports_of(path):
            inside = module.split(".")[1] in (room, "__version__")
            # the doorways themselves are made by one module of core
            assert inside or module == "indistinct.core.doorway" or is_doorway(module), (
                f"{path.relative_to(PACKAGE)} imports {module}, which is behind a doorway"
            )


def test_only_the_engine_and_files_read_records():
    readers = ("import duckdb", "import pyspark", "from pyspark", "import pyreadstat")
    for module in PACKAGE.rglob("*.py"):
        room = module.relative_to(PACKAGE).parts[0]
        if room not in ("engine", "files"):
            text = module.read_text()
            assert not any(reader in text for reader in readers), module
