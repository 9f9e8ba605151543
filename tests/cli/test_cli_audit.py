"""What is done with a project's data, and asked of a release, is noted in an audit trail."""

from __future__ import annotations

import json

import pytest

from indistinct.cli import run
from indistinct.release import AuditTrail

PROJECT = """\
[data]
file = "people.csv"
[variables.name]
role = "identifier"
[variables.sex]
role = "key"
[variables.zip]
role = "key"
[release]
k = 2
method = "suppress"
audit = "trail.jsonl"
[recipients.clinic]
preset = "researcher"
"""


@pytest.fixture
def project(tmp_path):
    rows = "".join(f"P{n},{'mf'[n % 2]},{'12'[n % 8 > 5]}\n" for n in range(40))
    (tmp_path / "people.csv").write_text("name,sex,zip\n" + rows + "Q,x,9\n")
    (tmp_path / "release.toml").write_text(PROJECT)
    return tmp_path / "release.toml"


def entries(project):
    trail = project.parent / "trail.jsonl"
    return [json.loads(line) for line in trail.read_text().splitlines()]


def test_every_verb_leaves_an_entry(project, capfd):
    out = str(project.parent / "release")
    assert run(["uniques", str(project)]) == 0
    assert run(["risk", str(project), "--fraction", "0.5"]) == 0
    assert run(["protect", str(project), "--out", out]) == 0
    assert run(["query", out, "select count(*) from data"]) == 0
    assert [entry["verb"] for entry in entries(project)] == ["uniques", "risk", "release"]
    own = AuditTrail(project.parent / "release" / "private" / "audit.jsonl")
    noted = ["release", "seal begun", "seal", "report begun", "report", "query"]
    assert [entry.verb for entry in own] == noted
    assert AuditTrail(project.parent / "trail.jsonl").check().findings == ()
    assert "P1" not in (project.parent / "trail.jsonl").read_text()


def test_whose_names_were_shown_is_noted(project, capfd):
    names = project.parent / "names.csv"
    assert run(["uniques", str(project), "--pull-out", str(names)]) == 0
    assert entries(project)[-1]["records"] == [40]
    assert names.exists()
