"""The walks of docs/architecture.md lead through functions that are where the page says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
FRAMES = sorted(set(re.findall(r"`([\w/]+\.py):(\w+)`", PAGE)))
MOST = 8
"""Frames between the command line and a kernel that do more than translate."""


@pytest.mark.parametrize(("file", "function"), FRAMES)
def test_a_frame_is_where_the_page_says(file: str, function: str):
    tree = ast.parse((ROOT / "src" / "indistinct" / file).read_text("utf-8"))
    assert function in {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}


def test_no_walk_is_longer_than_it_may_be():
    walks = PAGE.split("## Four verbs")[1].split("\n## ")[0].split("\n\n`")[1:]
    assert len(walks) == 4
    for walk in walks:
        said, _, rows = walk.partition(" frames in ")
        frames = len(re.findall(r"\.py:\w+`", rows))
        assert said.endswith(f" {frames}"), said
        assert frames <= MOST


def test_every_file_and_folder_that_the_page_names_exists():
    for name in set(re.findall(r"`((?:[\w.]+/)+[\w.]*)`", PAGE)):
        places = (ROOT, ROOT / "src" / "indistinct", ROOT / "src" / "indistinct" / "release")
        found = [place for place in places if (place / name).exists()]
        inside = found or list((ROOT / "src").rglob(name))
        assert inside, name
