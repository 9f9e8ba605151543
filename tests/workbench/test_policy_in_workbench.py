"""The workbench undercuts no policy: not by a change, not by a trial, not by an older state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import PROJECT, Served, folder_with, serving

from indistinct.release import AuditTrail


def with_policy(served: Served, said: str) -> Path:
    place = served.desk.folder / "policy.toml"
    place.write_text(f"[policy]\n{said}\n")
    served.desk.policy = (place,)
    return place


def text_of(served: Served) -> str:
    return (served.desk.folder / "release.toml").read_text()


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[Served]:
    """Give a workbench with a policy that its project keeps to."""
    with serving(folder_with(tmp_path / "work")) as served:
        with_policy(served, 'least_k = 3\nforbidden = ["suppress"]\nmay_accept = []')
        served.begin()
        served.desk.open_project("release.toml")
        yield served


def test_a_change_that_undercuts_is_refused_in_the_policy_s_words(ruled: Served):
    answer = ruled.change("/risk", k="2")
    assert answer.status == 400
    assert "at least 3. Got 2" in answer.text
    ruled.get("/protect")
    ruled.settle("count")
    assert "is forbidden" in ruled.change("/protect", method="suppress").text
    answer = ruled.change("/prove/accept", code="key-not-confirmed")
    assert answer.status == 400
    assert "by nobody alone" in answer.text
    assert text_of(ruled) == PROJECT
    assert ruled.change("/risk", k="4").status == 303


def test_what_undercuts_already_is_told_on_every_screen_and_can_be_mended(begun: Served):
    with_policy(begun, "least_k = 10")
    begun.get("/risk")
    begun.settle("count")
    for screen in ("open", "risk", "protect", "prove"):
        page = begun.get(f"/{screen}").text
        assert "policy of your organisation" in page, screen
        assert "at least 10. Got 3" in page, screen
    assert begun.change("/risk", k="2").status == 400
    assert begun.change("/prove/terms", **{"release-holder": "us"}).status == 303
    assert begun.change("/risk", k="10").status == 303
    assert "policy of your organisation" not in begun.get("/risk").text


def test_a_trial_and_a_release_that_undercut_are_not_made(begun: Served):
    with_policy(begun, "least_k = 10")
    begun.get("/prove")
    begun.settle("count")
    for path, form in (("/prove/try", {}), ("/prove/export", {"out": "release"})):
        assert begun.change(path, **form).status == 303
        begun.settle("release")
        assert "at least 10. Got 3" in begun.get("/prove").text
    assert not (begun.desk.folder / "release").exists()
    assert not (begun.desk.private / "trial" / "release").exists()


def test_an_exception_is_in_the_project_and_in_the_trail(begun: Served):
    with_policy(begun, 'least_k = 10\naudit = "trail.jsonl"')
    begun.get("/prove")
    begun.settle("count")
    for form in ({}, {"rule": "least-k"}, {"rule": "k", "reason": "agreed"}):
        assert begun.change("/prove/exception", **form).status == 400
    assert text_of(begun) == PROJECT
    assert begun.change("/prove/exception", rule="least-k", reason="agreed on 3 May").status == 303
    assert 'exceptions = ["least-k: agreed on 3 May"]' in text_of(begun)
    assert "policy of your organisation" not in begun.get("/prove").text
    begun.change("/prove/export", out="release")
    begun.settle("release")
    assert (begun.desk.folder / "release").exists(), begun.get("/prove").text
    assert next(iter(AuditTrail(begun.desk.folder / "trail.jsonl"))).verdict == "least-k"


def test_an_exception_without_a_trail_is_refused(begun: Served):
    with_policy(begun, "least_k = 10")
    begun.get("/prove")
    begun.settle("count")
    answer = begun.change("/prove/exception", rule="least-k", reason="agreed")
    assert answer.status == 400
    assert "audit trail" in answer.text
    assert text_of(begun) == PROJECT


def test_a_policy_that_cannot_be_read_blocks_and_says_why(begun: Served):
    place = with_policy(begun, "least_k = 3\nleest = 4")
    begun.get("/risk")
    begun.settle("count")
    assert "leest" in begun.get("/risk").text
    answer = begun.change("/risk", k="4")
    assert answer.status == 400
    assert "leest" in answer.text
    place.unlink()
    assert begun.change("/risk", k="4").status == 400
    assert text_of(begun) == PROJECT
