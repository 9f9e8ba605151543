"""A workbench for each test, and one that is begun and has the project open."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from served import Served, folder_with, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(folder_with(tmp_path / "work")) as found:
        yield found


@pytest.fixture
def begun(served: Served) -> Served:
    served.begin()
    served.desk.open_project("release.toml")
    return served
