"""Whatever can be seen from outside is what it was: `tools/goldens.py --write` writes it anew.

The scenes are in `golden_cases.py`, what was seen is in `expected/`, a file for each. A change
that nobody wants to be seen changes none of these files.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_cases import PREPARED, by_name
from golden_running import EXPECTED, Scene, compare, prepare, show

SCENES = by_name()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("goldens") / "prepared", PREPARED)


@pytest.fixture(scope="session")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where what was seen instead is written."""
    return tmp_path_factory.mktemp("actual")


@pytest.mark.heavy
@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_what_is_seen_from_outside_is_what_it_was(scene: Scene, prepared: Path, beside: Path):
    differs = compare(scene, show(scene, prepared), beside)
    assert not differs, differs


@pytest.mark.heavy
def test_a_process_of_its_own_shows_the_same(prepared: Path, beside: Path):
    (scene,) = by_name(["protect-mondrian"])
    differs = compare(scene, show(scene, prepared, apart=True), beside)
    assert not differs, differs


def test_there_is_one_file_for_each_scene():
    assert {path.stem for path in EXPECTED.iterdir()} == {scene.name for scene in SCENES}
