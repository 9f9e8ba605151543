"""Nothing that is released undercuts a policy, unless an exception stands in the audit trail."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from indistinct.core import InputError, systems
from indistinct.flow import open_data, run_project
from indistinct.project import load_policy
from indistinct.release import AuditTrail

PEOPLE = "sex,town,age\n" + "".join(
    f"{'mf'[n % 2]},{'abc'[n % 3]},{20 + n % 4}\n" for n in range(96)
)
PROJECT = """
[data]
file = "people.csv"
[release]
k = 4
method = "suppress"
out = "out"
seed = 1
[variables.sex]
role = "key"
[variables.town]
role = "key"
[variables.age]
role = "key"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    place = tmp_path / "release.toml"
    place.write_text(PROJECT)
    return place


def policy(project: Path, said: str, name: str = "policy.toml") -> Path:
    place = project.parent / name
    place.write_text(f"[policy]\n{said}\n")
    return place


def say(project: Path, *lines: str) -> None:
    """Put lines into [release]."""
    project.write_text(PROJECT.replace("k = 4\n", "\n".join(["k = 4", *lines]) + "\n"))


def released(project: Path) -> bool:
    return (project.parent / "out").exists()


def ledger_of(project: Path) -> dict:
    return json.loads((project.parent / "out" / "private" / "ledger.json").read_text())


def test_what_keeps_to_the_policy_is_released_and_the_ledger_names_it(project: Path):
    asks = policy(project, 'least_k = 4\nforbidden = ["shuffle"]')
    say(project, 'policy = "policy.toml"')
    run_project(project)
    assert ledger_of(project)["policies"] == [str(asks)]
    assert ledger_of(project)["policy_exceptions"] == []


UNDERCUT = [
    ("least_k = 5", {}, "least-k.*at least 5. Got 4"),
    ('forbidden = ["suppress"]', {}, "'suppress' is forbidden"),
    ("may_accept = []", {"accept": ["unconfirmed-key"]}, "nobody alone"),
    ('may_accept = ["somebody else"]', {"although_unproved": True}, "somebody else alone"),
]


@pytest.mark.parametrize("by_file", [True, False])
@pytest.mark.parametrize(("said", "more", "word"), UNDERCUT)
def test_what_undercuts_is_refused_before_the_work(
    project: Path, monkeypatch, said: str, more: dict, word: str, *, by_file: bool
):
    monkeypatch.setattr("indistinct.flow.releasing.open_data", None)  # no record is read
    monkeypatch.setattr("indistinct.flow.wanted.check_codes", lambda codes: None)
    place = policy(project, said)
    if by_file:
        say(project, 'policy = ["policy.toml"]')
    else:
        more = {**more, "policy": [place]}
    with pytest.raises(InputError, match=word):
        run_project(project, **more)
    assert not released(project)


def test_what_is_known_only_afterwards_is_refused_then(project: Path):
    """Encryption promises no class size to whoever has the key."""
    project.write_text(PROJECT.replace('"suppress"', '"encrypt"'))
    with pytest.raises(InputError, match="encrypt does not promise"):
        run_project(project, policy=[policy(project, "least_k = 2")], although_unproved=True)
    assert not released(project)
    allowed = policy(project, 'least_k = 2\nwithout_k = ["encrypt"]')
    run_project(project, policy=[allowed], although_unproved=True)
    assert released(project)


def test_the_python_way_is_no_way_around(project: Path):
    policy(project, "least_k = 5")
    say(project, 'policy = "policy.toml"')
    with open_data(project) as data:
        done = data.protect(method="suppress", k=4)
        with pytest.raises(InputError, match="least-k"):
            data.release(project.parent / "out", done)
        assert not released(project)
        data.release(project.parent / "out", data.protect(method="suppress", k=5))
    assert released(project)


def test_a_saved_plan_is_no_way_around(project: Path):
    with open_data(project) as data:
        plan = data.protect(method="suppress", k=9).plan
    plan.save(project.parent / "plan.json")
    project.write_text(PROJECT.replace('method = "suppress"', 'plan = "plan.json"'))
    place = policy(project, f"forbidden = {json.dumps([plan.steps[-1].kind])}")
    with pytest.raises(InputError, match="is forbidden"):
        run_project(project, policy=[place])
    assert not released(project)


def test_a_policy_on_the_line_does_not_replace_that_of_the_file(project: Path):
    policy(project, "least_k = 5")
    say(project, 'policy = "policy.toml"')
    with pytest.raises(InputError, match="at least 5"):
        run_project(project, policy=[policy(project, "least_k = 2", "lax.toml")])


def test_required_registers_attack_whatever_is_asked(project: Path):
    (project.parent / "register.csv").write_text("name,sex,town,age\nann,f,a,21\n")
    place = policy(project, 'registers = ["register.csv"]')
    run_project(project, policy=[place], although_unproved=True)
    assert "register.csv" in json.dumps(ledger_of(project)["verdict"])


EXCEPTION = "least-k: agreed on 3 May"


@pytest.mark.parametrize("whose", ["policy", "project"])
def test_an_exception_stands_in_the_audit_trail_and_in_the_ledger(project: Path, whose: str):
    said = "least_k = 5" + ('\naudit = "trail.jsonl"' if whose == "policy" else "")
    place = policy(project, said)
    if whose == "project":
        say(project, 'audit = "trail.jsonl"')
    run = run_project(project, policy=[place], exceptions=[EXCEPTION])
    trail = AuditTrail(project.parent / "trail.jsonl")
    first = next(iter(trail))
    assert (first.verb, first.verdict) == ("policy exception", "least-k")
    assert list(first.data) == ["policy.toml"]
    assert trail.check().whole
    (made,) = ledger_of(project)["policy_exceptions"]
    assert (made["rule"], made["reason"]) == ("least-k", "agreed on 3 May")
    assert any("least-k" in warning for warning in run.warnings)


def test_a_register_is_left_out_by_an_exception_alone(project: Path):
    (project.parent / "register.csv").write_text("name,sex,town,age\nann,f,a,21\n")
    place = policy(project, 'registers = ["register.csv"]\naudit = "trail.jsonl"')
    run_project(project, policy=[place], exceptions=["registers: it is being mended"])
    assert "register.csv" not in json.dumps(ledger_of(project)["verdict"])
    assert next(iter(AuditTrail(project.parent / "trail.jsonl"))).verdict == "registers"


BAD_EXCEPTIONS = [
    ("least-k: agreed", "audit trail"),
    ("least-k", "needs its reason"),
    ("least-k:  ", "needs its reason"),
    ("leastk: agreed", "Did you mean 'least-k'"),
    ("methods: agreed", "least-k.*Got 4"),
]


@pytest.mark.parametrize(("said", "word"), BAD_EXCEPTIONS)
def test_an_exception_without_reason_trail_or_rule_is_none(project: Path, said: str, word: str):
    with pytest.raises(InputError, match=word):
        run_project(project, policy=[policy(project, "least_k = 5")], exceptions=[said])
    assert not released(project)


def test_an_exception_from_nothing_is_refused(project: Path):
    with pytest.raises(InputError, match="no policy"):
        run_project(project, exceptions=[EXCEPTION])


def test_a_trail_that_cannot_be_written_lets_nothing_leave(project: Path):
    (project.parent / "trail.jsonl").write_text("this is no trail\n")
    place = policy(project, 'least_k = 5\naudit = "trail.jsonl"')
    with pytest.raises(InputError, match="not an audit trail"):
        run_project(project, policy=[place], exceptions=[EXCEPTION])
    assert not released(project)


@pytest.mark.skipif(os.name != "posix", reason="accounts are those of POSIX")
def test_who_somebody_is_is_no_matter_of_the_environment(project: Path, monkeypatch):
    place = policy(project, 'may_accept = ["chief"]')
    for name in ("LOGNAME", "USER", "LNAME"):
        monkeypatch.setenv(name, "chief")
    assert systems.account() != "chief"
    with pytest.raises(InputError, match="chief alone"):
        run_project(project, policy=[place], although_unproved=True)
    monkeypatch.setattr(systems, "account", lambda: "chief")
    run_project(project, policy=[place], although_unproved=True)
    assert released(project)


def test_every_mistake_of_a_policy_is_told_with_its_line(project: Path):
    place = policy(project, 'least_k = 1\nforbidden = ["shufle"]\nregisters = ["no.csv"]\nx = 1')
    place.write_text(place.read_text() + "[other]\na = 1\n")
    with pytest.raises(InputError) as told:
        load_policy(place)
    lines = str(told.value).split("\n")
    assert [line.split(":")[1] for line in lines] == ["2", "3", "4", "5", "6"]
    assert "Did you mean 'shuffle'" in lines[1]


BROKEN = ("", "[policy]\n", "[policy\n", "least_k = 5\n", "\x00", "policy = 3\n")


@pytest.mark.parametrize("content", BROKEN)
def test_a_policy_that_says_nothing_or_cannot_be_read_blocks(project: Path, content: str):
    place = project.parent / "policy.toml"
    place.write_text(content)
    with pytest.raises(InputError, match=r"policy\.toml"):
        run_project(project, policy=[place])
    place.unlink()
    with pytest.raises(InputError, match=r"policy\.toml"):
        run_project(project, policy=[place])
    assert not released(project)
