"""The README's commands, and those of every verb, as a newcomer would give them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from indistinct.cli import run

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
EVERY_VERB = ROOT / "docs" / "guide" / "every-verb.md"


def commands(page: Path, heading: str) -> list[tuple[str, int]]:
    """Return the commands of a section, and how each should end."""
    section = page.read_text(encoding="utf-8").split(f"## {heading}", 1)[1]
    block = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0].replace("\\\n", " ")
    lines = [line for line in block.splitlines() if line.startswith("indistinct ")]
    return [(line, 1 if re.search(r"#.*: 1$", line) else 0) for line in lines]


def test_the_five_commands_of_the_readme(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    said = commands(README, "Five commands")
    assert len(said) == 5
    for line, code in said:
        words = ["2000" if word == "10000" else word for word in shlex.split(line)[1:]]
        ended = run(words)
        assert ended == code, (line, capfd.readouterr().err[-500:])


def test_the_home_page_has_the_same_five_commands():
    home = ROOT / "docs" / "index.md"
    assert commands(home, "Five commands") == commands(README, "Five commands")


@pytest.mark.long
def test_the_commands_of_every_verb(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--people", "2000", "--out", "demo"]) == 0
    said = commands(EVERY_VERB, "Command line")
    assert len(said) > 20
    for line, code in said:
        words = shlex.split(line, comments=True)[1:]
        words = ["20000" if word == "1000000" else word for word in words]
        ended = run(words)
        told = capfd.readouterr().err
        assert ended == code, (line, told[-500:])
