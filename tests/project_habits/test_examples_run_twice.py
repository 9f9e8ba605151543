"""A page whose commands write files says what to do when they are there already."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITES = re.compile(r"--(out|pull-out|per-person|plot|spans|figures)[ =]")


def commands(page: Path) -> list[str]:
    """Return the commands in the code of a page, continued lines joined."""
    blocks = re.findall(r"^```(?:sh|console)?\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line for line in lines if re.match(r"\$? *indistinct \w+", line)]


WRITING = [page for page in PAGES if any(WRITES.search(line) for line in commands(page))]


@pytest.mark.parametrize("page", WRITING, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_says_how_its_commands_run_twice(page):
    text = page.read_text("utf-8")
    assert "--overwrite" in text or "never replaced" in text, [
        line for line in commands(page) if WRITES.search(line)
    ]


@pytest.mark.parametrize("page", WRITING, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_two_commands_of_a_page_write_to_one_place(page):
    places = [
        place for line in commands(page) for place in re.findall(r"--out ([^\s…]+)", line)
        if place not in ("release",)
    ]  # fmt: skip
    assert len(places) == len({*places}), sorted(places)
