"""`make audit` tells a known fault from none, and none from a service that cannot be asked."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "audit.py"))

FINE = {"name": "rich", "version": "15.0.0", "vulns": []}
FAULTY = {"name": "jinja2", "version": "3.1.6", "vulns": [{"id": "PYSEC-1"}, {"id": "PYSEC-2"}]}
SKIPPED = {"name": "numba", "skip_reason": "Dependency not found on PyPI"}


def answer(*packages: dict) -> tuple[str, str]:
    # what pip-audit says at the end, also where it skipped every package
    return json.dumps({"dependencies": packages}), "No known vulnerabilities found\n"


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        (answer(FINE), 0, "No fault is known in any of 1 packages"),
        (answer(FINE, FAULTY), 1, "jinja2 3.1.6: PYSEC-1, PYSEC-2"),
        (answer(FAULTY, SKIPPED), 1, "Could not be checked: numba"),
        (answer(FINE, SKIPPED), 3, "Could not be checked: numba"),
        (answer(SKIPPED), 3, "says nothing about them"),
        (answer(), 3, ""),
        (("", "ERROR: ConnectionError: no route\n"), 3, "could not be checked: ERROR: Connection"),
        (("", ""), 3, "gave no answer"),
        (("[]", ""), 3, "could not be checked"),
    ],
)
def test_the_exit_code_says_which_it_was(said, code, words, capsys):
    assert TOOL["audit"](["requirements.lock"], lambda lock: said) == code
    told = capsys.readouterr().out
    assert words in told
    assert ("No fault is known" in told) == (code == 0)


def test_a_fault_in_one_file_is_told_although_another_cannot_be_checked(capsys):
    said = {"a.lock": ("", "gone"), "b.lock": answer(FAULTY)}
    assert TOOL["audit"](list(said), said.__getitem__) == 1
    assert "a.lock could not be checked: gone" in capsys.readouterr().out
