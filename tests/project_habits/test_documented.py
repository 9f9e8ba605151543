"""Nothing public is undocumented, and the reference says what the code says."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import reference  # noqa: E402


@pytest.mark.parametrize("room", reference.ROOMS)
def test_every_public_name_has_words_of_its_own(room):
    module = importlib.import_module(room)
    bare = []
    for name in module.__all__:
        thing = getattr(module, name)
        documented = inspect.isclass(thing) or inspect.isroutine(thing)
        if documented and not reference._summary(thing):
            bare.append(name)
    assert not bare


@pytest.mark.parametrize("page", sorted(reference.PAGES))
def test_reference_is_current(page):
    path = ROOT / "docs" / "reference" / page
    assert path.read_text() == reference.PAGES[page](), "run: python tools/reference.py"


def test_no_page_of_a_room_is_left_over():
    folder = ROOT / "docs" / "reference" / "python"
    written = {f"python/{page.name}" for page in folder.glob("*.md")}
    assert written == {page for page in reference.PAGES if page.startswith("python/")}


def test_every_verb_is_in_the_reference():
    from indistinct.cli.app import VERBS, verb_function

    verbs = set(VERBS)
    for verb, said in VERBS.items():
        assert verb_function(verb).__doc__.startswith(said)
    assert verbs == set(reference.VERBS)


def test_every_method_page_is_linked_from_the_index():
    index = (ROOT / "docs" / "methods" / "README.md").read_text()
    for page in (ROOT / "docs" / "methods").glob("*.md"):
        if page.name != "README.md":
            assert f"({page.name})" in index, f"{page.name} is not in docs/methods/README.md"


def test_the_version_stands_in_one_place_and_heads_the_changelog():
    import indistinct

    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == indistinct.__version__
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in built["project"]
    assert built["project"]["dynamic"] == ["version"]
    assert built["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "indistinct.__version__"}
