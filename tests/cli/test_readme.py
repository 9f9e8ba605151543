"""The README's commands, one after another in an empty folder, as a newcomer would give them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from indistinct.cli import run

README = Path(__file__).resolve().parents[2] / "README.md"


def commands() -> list[tuple[str, int]]:
    """Return the commands of the section on the command line, and how each should end."""
    section = README.read_text(encoding="utf-8").split("## Command line", 1)[1]
    block = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0].replace("\\\n", " ")
    lines = [line for line in block.splitlines() if line.startswith("indistinct ")]
    return [(line, 1 if re.search(r"#.*: 1$", line) else 0) for line in lines]


@pytest.mark.heavy
def test_the_commands_of_the_readme(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--people", "2000", "--out", "demo"]) == 0
    said = commands()
    assert len(said) > 20
    for line, code in said:
        words = shlex.split(line, comments=True)[1:]
        words = ["20000" if word == "1000000" else word for word in words]
        ended = run(words)
        told = capfd.readouterr().err
        assert ended == code, (line, told[-500:])
