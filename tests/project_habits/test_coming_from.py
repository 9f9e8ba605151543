"""What the pages for people of other programs name of ours exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "coming-from").glob("*.md"))


def ours(page: Path) -> list[str]:
    """Return the code in the second column of a page's tables, and in its prose."""
    lines = page.read_text("utf-8").splitlines()
    kept = [line.split("|", 2)[2] if line.startswith("|") else line for line in lines]
    return re.findall(r"`([^`]+)`", "\n".join(kept))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_verbs_options_and_methods_exist(page):
    from indistinct.cli.app import VERBS
    from indistinct.options import known_methods

    reference = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    named = ours(page)
    assert len(named) > 10
    for code in named:
        words = code.split()
        if words[0] == "indistinct":
            assert words[1] in VERBS, code
        for option in (word for word in words if word.startswith("--")):
            assert re.search(rf"{option}\b", reference), code
        if "--method" in words and words[1] == "protect":
            assert words[words.index("--method") + 1] in known_methods(), code
        if "--method" in words and words[1] == "tables":
            assert words[words.index("--method") + 1] in reference, code
        if match := re.fullmatch(r"indistinct\.(\w+)", code):
            assert hasattr(__import__("indistinct"), match[1]), code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_steps_exist(page):
    goldens = ROOT / "tests" / "goldens" / "expected"
    for listed in re.findall(r"\bsteps? ((?:`[a-z-]+`(?:, )?)+)", page.read_text("utf-8")):
        for step in re.findall(r"`([a-z-]+)`", listed):
            assert (goldens / f"step-{step}.txt").is_file(), step
