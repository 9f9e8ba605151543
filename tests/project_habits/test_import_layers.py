"""Rooms may import only what the architecture allows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "indistinct"
BASE = {"errors", "arguments", "doors", "harmless", "variables", "progress", "showing"}
LIBRARY = BASE | {"figures", "files", "engine", "keys", "hierarchy", "households", "naming"}
MAY_IMPORT = {
    "errors": set(),
    "arguments": {"errors"},
    "doors": {"errors"},
    "harmless": set(),
    "variables": {"errors", "arguments"},
    "progress": set(),
    "figures": {"harmless", "arguments"},
    "showing": {"errors", "harmless"},
    "hierarchy": BASE,
    "files": BASE,
    "engine": BASE | {"files"},
    "keys": BASE | {"figures", "files", "engine", "hierarchy"},
    "households": BASE | {"figures", "files", "engine"},
    "naming": BASE | {"files", "engine", "keys", "hierarchy", "households", "text"},
    "rules": BASE | {"figures", "files", "households"},
    "risk": LIBRARY - {"households"},
    "utility": LIBRARY,
    "protect": LIBRARY | {"risk", "rules", "utility"},
    "prove": LIBRARY | {"risk"},
    "tables": LIBRARY - {"households"},
    "text": BASE,
    "scrubbing": BASE | {"figures", "files", "engine", "protect", "project", "release", "text"},
    "census": BASE | {"files"},
    "project": BASE | {"files", "engine", "keys", "hierarchy", "households", "naming", "rules"},
    "release": BASE | {"files", "hierarchy", "protect", "prove", "project"},
    "query": LIBRARY | {"protect", "prove", "project", "release", "leaving"},
    "tradeoff": LIBRARY | {"risk", "rules", "utility", "protect", "prove", "project"},
    "verifying": LIBRARY | {"prove", "project", "release"},
    "replaying": {"errors", "arguments", "keys", "protect", "prove"},
    "leaving": LIBRARY | {"protect", "project", "prove", "release", "replaying", "scrubbing"},
    "comparing": LIBRARY | {"rules", "utility", "prove", "project", "release"},
    "perturbing": LIBRARY | {"protect", "project", "rules"},
    "report": LIBRARY
    | {"risk", "rules", "utility", "protect", "prove", "project", "release"}
    | {"comparing", "tradeoff"},
    "session": LIBRARY
    | {"risk", "rules", "utility", "protect", "perturbing", "project", "prove", "release"}
    | {"comparing", "leaving", "report", "scrubbing", "tradeoff", "verifying"},
    "running": LIBRARY
    | {"protect", "perturbing", "project", "prove", "release", "report", "session", "tradeoff"},
    "publishing": LIBRARY | {"project", "protect", "release", "session", "tables"},
    "demo": LIBRARY
    | {"risk", "protect", "prove", "census", "project", "release", "session", "verifying"}
    | {"perturbing", "publishing", "report", "scrubbing", "tables", "tradeoff"},
}
ROOMS = sorted(
    {p.stem if p.suffix else p.name for p in PACKAGE.iterdir() if not p.name.startswith(("_", "."))}
    - {"py"}
)


def rooms_imported_by(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "indistinct":
                names = [f"indistinct.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {n.split(".")[1] for n in names if n.startswith("indistinct.")}
    return found


def modules_of(room: str) -> list[Path]:
    single = PACKAGE / f"{room}.py"
    return [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_room_imports_only_what_it_may(room):
    modules = modules_of(room)
    assert modules, f"there is no room {room}"
    for module in modules:
        extra = rooms_imported_by(module) - MAY_IMPORT[room] - {room}
        assert not extra, f"{module.relative_to(PACKAGE)} must not import {sorted(extra)}"


def test_every_room_is_known():
    assert set(ROOMS) - {"cli", "__init__"} == set(MAY_IMPORT)


def test_only_the_engine_and_files_read_records():
    readers = ("import duckdb", "import pyspark", "from pyspark", "import pyreadstat")
    for module in PACKAGE.rglob("*.py"):
        room = module.relative_to(PACKAGE).parts[0]
        if room not in ("engine", "files"):
            text = module.read_text()
            assert not any(reader in text for reader in readers), module
