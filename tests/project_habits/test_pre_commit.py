"""What is asked before a commit is what `make check` asks, with the tools of the environment."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
ASKED = re.findall(r"^ +entry: (.+)$", HOOKS, re.MULTILINE)


def test_every_hook_is_a_line_of_make_check():
    recipe = (ROOT / "Makefile").read_text("utf-8").split("\nlint:", 1)[1].split("\n\n", 1)[0]
    assert ASKED == ["ruff format", "ruff check", "mypy"]
    assert all(f"$(BIN)/{entry}" in recipe for entry in ASKED)


def test_nothing_is_fetched():
    assert re.findall(r"repo: (.+)", HOOKS) == ["local"]
    assert set(re.findall(r"language: (.+)", HOOKS)) == {"system"}
    assert "://" not in HOOKS
