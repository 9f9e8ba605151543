"""A verb loads what it uses: counted in modules, because time depends on the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LOADED = """
import json, sys
{act}
ours = [name for name in sys.modules if name.partition(".")[0] == "indistinct"]
libraries = {{name.partition(".")[0] for name in sys.modules}}
print(json.dumps([sorted(ours), sorted(libraries)]), file=sys.stderr)
"""
RUN = "from indistinct.cli import run; assert run({arguments!r}) == 0"
HEAVY = {"duckdb", "highspy", "numba", "numpy", "pandas", "pyarrow", "pyreadstat", "rich", "scipy"}


def loaded(act: str, folder: Path) -> tuple[list[str], set[str]]:
    """What a new process has loaded after something was done: modules of ours, and libraries."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(act=act)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    ours, libraries = json.loads(done.stderr.splitlines()[-1])
    return ours, set(libraries)


def test_import_loads_the_doorway_alone(tmp_path: Path) -> None:
    ours, libraries = loaded("import indistinct", tmp_path)
    assert len(ours) <= 5
    assert not libraries & HEAVY


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_no_room_and_no_library(tmp_path: Path, option: str) -> None:
    ours, libraries = loaded(RUN.format(arguments=[option]), tmp_path)
    assert len(ours) <= 40
    assert not libraries & HEAVY


def test_uniques_loads_what_counts_and_no_method(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n30,1\n30,1\n41,2\n")
    ours, libraries = loaded(
        RUN.format(arguments=["uniques", "people.csv", "--key", "age,sex"]), tmp_path
    )
    assert len(ours) <= 150
    assert not libraries & {"highspy", "pyreadstat", "pyspark", "cryptography"}
    rooms = {name.split(".")[1] for name in ours if "." in name}
    assert not rooms & {"census", "demo", "tables", "query"}, rooms
    methods = [name for name in ours if name.startswith("indistinct.protect.methods.")]
    assert not methods


def test_no_verb_loads_pandas_which_the_library_of_arrays_would(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n30,1\n30,1\n41,2\n")
    act = """
from indistinct.cli import main
sys.argv = ["indistinct", "uniques", "people.csv", "--key", "age,sex"]
try:
    main()
except SystemExit as end:
    assert not end.code
"""
    _, libraries = loaded(act, tmp_path)
    assert "pyarrow" in libraries
    assert "pandas" not in libraries


def test_frames_are_known_although_pandas_was_not_looked_for(tmp_path: Path) -> None:
    act = """
from indistinct.cli import _arrays_without_pandas
_arrays_without_pandas()
import pyarrow as pa
frame = pa.table({"a": [1, None]}).to_pandas()
assert pa.Table.from_pandas(frame).num_rows == 2
assert pa.array(frame["a"]).null_count == 1
"""
    assert "pandas" in loaded(act, tmp_path)[1]
