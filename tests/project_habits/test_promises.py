"""Every promise of the security page names a test, and that test exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADING = "## What is promised, and which test holds it"


def rows() -> list[list[str]]:
    """Return the cells of the table of promises, a row each."""
    page = (ROOT / "docs" / "security.md").read_text("utf-8")
    section = page.split(HEADING, 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_promise_names_a_test_that_exists():
    assert len(rows()) > 5
    for row in rows():
        named = re.findall(r"`(tests/[^`:]+\.py)(?:::(\w+))?`", row[2])
        assert named, f"no test holds: {row[1]}"
        for path, function in named:
            assert (ROOT / path).is_file(), (
                f"{path} is named in docs/security.md and does not exist"
            )
            assert not function or f"def {function}(" in (ROOT / path).read_text("utf-8")
