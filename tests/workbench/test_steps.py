"""Any kind of step is added, moved and taken out by its own form, if the plan can be applied."""

from __future__ import annotations

import pytest
from served import PROJECT, Served

from indistinct.flow import run_project
from indistinct.protect import step_kinds
from indistinct.workbench.forms import fields_of_step


def ready(begun: Served) -> None:
    begun.get("/steps")
    begun.settle("count")


def text_of(begun: Served) -> str:
    return (begun.desk.folder / "release.toml").read_text()


def steps(begun: Served) -> list[str]:
    begun.settle("steps")
    return list(begun.desk.content.get("steps", {}))


SWAP = {"kind": "rank-swap", "step-variables": "age", "step-window": "0.2"}


def test_a_step_is_added_as_its_form_says_and_undone(begun: Served):
    ready(begun)
    form = begun.get("/steps/form?kind=rank-swap").text
    assert 'name="step-variables"' in form
    assert 'name="step-window"' in form
    assert begun.change("/steps", **SWAP).status == 303
    assert steps(begun) == ["rank-swap"]
    said = {"kind": "rank-swap", "variables": ["age"], "window": 0.2}
    assert begun.desk.content["steps"]["rank-swap"] == said
    assert "added the step rank-swap" in begun.get("/protect").text
    begun.change("/protect/undo")
    assert text_of(begun) == PROJECT


def test_steps_are_done_by_run_as_they_stand(begun: Served):
    ready(begun)
    begun.change("/steps", **SWAP)
    steps(begun)
    begun.change("/steps", kind="round", **{"step-variables": "age", "step-base": "5"})
    assert steps(begun) == ["rank-swap", "round"]
    run = run_project(begun.desk.project_path, out=begun.desk.folder / "o", although_unproved=True)
    assert [one.kind for one in run.protected.receipts][:2] == ["rank-swap", "round"]


def test_steps_are_moved_and_taken_out(begun: Served):
    ready(begun)
    begun.change("/steps", **SWAP)
    steps(begun)
    begun.change("/steps", kind="round", **{"step-variables": "age", "step-base": "5"})
    steps(begun)
    before = dict(begun.desk.content["steps"])
    assert begun.change("/steps/up", step="round").status == 303
    assert steps(begun) == ["round", "rank-swap"]
    assert begun.desk.content["steps"] == before
    assert begun.change("/steps/up", step="round").status == 400
    assert begun.change("/steps/remove", step="rank-swap").status == 303
    assert steps(begun) == ["round"]
    assert begun.change("/steps/remove", step="round").status == 303
    assert steps(begun) == []


def test_a_step_that_needs_an_earlier_one_is_told_and_the_project_is_as_it_was(begun: Served):
    """What a step made is used by the next; without the first the second has no column."""
    ready(begun)
    made = {"kind": "add-records", "step-records": "5", "step-flag": "made"}
    begun.change("/steps", **made)
    assert steps(begun) == ["add-records"], begun.get("/steps").text
    drop = {"kind": "suppress-attribute", "step-variables": "ill", "step-how": "drop"}
    begun.change("/steps", **drop)
    assert steps(begun) == ["add-records", "suppress-attribute"]
    text, version = text_of(begun), begun.desk.history.version
    # what is left out cannot be swapped afterwards
    begun.change("/steps", kind="swap-values", **{"step-variables": "ill", "step-share": "0.1"})
    assert steps(begun) == ["add-records", "suppress-attribute"]
    page = begun.get("/steps").text
    assert "This was not applied" in page
    assert "ill" in page.partition("This was not applied")[2].partition("</div>")[0]
    assert (text_of(begun), begun.desk.history.version) == (text, version)


def test_taking_out_what_a_later_step_needs_is_refused(begun: Served):
    ready(begun)
    project = begun.desk.project_path
    project.write_text(
        PROJECT + '\n[steps.a]\nkind = "add-records"\nrecords = 5\nflag = "made"\n'
        '\n[steps.b]\nkind = "suppress-attribute"\nvariables = ["made"]\nhow = "drop"\n'
    )
    begun.get("/steps")
    begun.settle("count")
    text = text_of(begun)
    assert begun.change("/steps/remove", step="a").status == 303
    assert steps(begun) == ["a", "b"]
    assert "made" in begun.get("/steps").text.partition("This was not applied")[2]
    begun.change("/steps/up", step="b")
    assert steps(begun) == ["a", "b"]
    assert text_of(begun) == text


BAD = [
    {"kind": "no-such"},
    {"kind": "generalise"},
    {"kind": ""},
    {"kind": "rank-swap"},
    {"kind": "rank-swap", "step-variables": "age", "step-window": "many"},
]


@pytest.mark.parametrize("form", BAD)
def test_what_is_no_step_is_refused_at_once(begun: Served, form: dict[str, str]):
    ready(begun)
    assert begun.change("/steps", **form).status == 400
    assert begun.change("/steps/remove", step="nobody").status == 400
    assert text_of(begun) == PROJECT
    assert not begun.desk.jobs.of("steps")


def test_of_two_tabs_the_second_is_refused(begun: Served):
    ready(begun)
    version = begun.desk.history.version
    begun.change("/risk", k="4")
    assert begun.post("/steps", version=version, **SWAP).status == 409
    assert steps(begun) == []


def test_every_kind_has_a_form_or_needs_what_no_form_can_ask():
    """A new kind of step appears by being registered."""
    without = {n for n, one in step_kinds().items() if fields_of_step(one, ["a"], {}) is None}
    assert len(step_kinds()) - len(without) > 30
    for name in ("shuffle", "pram", "microaggregate", "top-bottom-code", "swap-households"):
        assert name not in without
    assert {"generalise", "suppress-cells", "keep-rules"} <= without
