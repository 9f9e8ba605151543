"""µ-Argus step by step: what the page says is what `run` does, and every step can be undone."""

from __future__ import annotations

import re

import pytest
from served import PROJECT, Served

from indistinct import flow
from indistinct.keys import Generalisable
from indistinct.protect import ArgusSession
from indistinct.protect.methods.mu_argus.argus_bins import UnsafeCombinations


def counted(begun: Served) -> dict:
    begun.get("/argus")
    begun.settle("count")
    found = begun.desk.result("count")
    assert found is not None
    return found


def shown(begun: Served) -> tuple[int, int]:
    """Return the unsafe combinations and the rare values that the page says there are now."""
    page = begun.get("/argus").text
    unsafe = re.search(r'<p class="figure"><b class="(?:bad|good)">([\d,]+)</b>', page)
    rare = re.search(r"Now: ([\d,]+) rare values", page)
    assert unsafe, page
    assert rare, page
    return int(unsafe[1].replace(",", "")), int(rare[1].replace(",", ""))


def of(found: UnsafeCombinations) -> tuple[int, int]:
    return len(found.unsafe), found.bins


def session(begun: Served, levels: dict[str, int], rated: dict[str, int]) -> ArgusSession:
    """Open the same conversation in Python, from the records."""
    with flow.open_data(str(begun.desk.folder / "release.toml")) as data:
        key = data.key()
        keys = Generalisable.of(data.key_table(key), data.hierarchies(key))
    return ArgusSession(keys, k=3, identification=rated, levels=levels)


ALL = {"sex": 2, "town": 2, "age": 2}


def test_the_page_counts_what_the_session_counts_from_the_records(begun: Served):
    counted(begun)
    there = session(begun, {}, ALL)
    assert shown(begun) == of(there.unsafe) > (0, 0)
    page = begun.get("/argus").text
    for one in there.unsafe.unsafe:
        assert " × ".join(one.variables) in page


def test_a_step_changes_the_counts_and_is_undone(begun: Served):
    at = counted(begun)["key"].index("age")
    before = shown(begun)
    effect = session(begun, {}, ALL).preview("age")
    said = begun.get(f"/argus/effect?variable={at}").text
    assert f">{len(effect.after.unsafe)}</b>" in said
    assert (begun.desk.folder / "release.toml").read_text() == PROJECT, "looking changes nothing"
    assert begun.change("/argus", variable=str(at)).status == 303
    assert begun.desk.content["steps"]["coarser age"]["level"] == 1
    assert shown(begun) == of(effect.after) < before
    begun.change("/protect/undo")
    assert (begun.desk.folder / "release.toml").read_text() == PROJECT
    assert shown(begun) == before


def test_suppressing_does_what_was_said_and_what_run_does(begun: Served):
    at = counted(begun)["key"].index("age")
    begun.change("/argus", variable=str(at))
    there = session(begun, {"age": 1}, ALL).suppress()
    said = begun.get("/argus/left").text
    cells = sum(there.cells_suppressed().values())
    assert cells > 0
    assert f"<b>{cells}</b>" in said
    assert begun.change("/argus/suppress").status == 303
    begun.get("/argus")
    begun.settle("protect")
    done = begun.desk.result("protect")
    assert [step.partition(" ")[0] for step in done["steps"]] == ["generalise", "suppress"]
    run = flow.run_project(begun.desk.project_path, out=begun.desk.folder / "out",
                           although_unproved=True)  # fmt: skip
    receipt = next(one for one in run.protected.receipts if one.kind == "argus")
    assert dict(receipt.cells_changed) == there.cells_suppressed()
    assert run.protected.residual == done["after"] == there.residual


def test_ratings_are_the_project_s_and_are_heard(begun: Served):
    key = counted(begun)["key"]
    rated = {"sex": 0, "town": 1, "age": 1}
    form = {f"rated.{j}": str(rated[name]) for j, name in enumerate(key)}
    assert begun.change("/argus/rate", **form).status == 303
    assert begun.desk.project.variables["town"].identification == 1
    counted(begun)
    assert shown(begun) == of(session(begun, {}, rated).unsafe)


@pytest.mark.parametrize("form", [{"variable": "9"}, {"variable": "-1"}, {"variable": "x"}, {}])
def test_a_step_that_is_none_is_refused(begun: Served, form: dict[str, str]):
    counted(begun)
    assert begun.change("/argus", **form).status == 400
    assert begun.get("/argus/effect?variable=" + form.get("variable", "")).status == 400
    assert (begun.desk.folder / "release.toml").read_text() == PROJECT


def test_no_further_than_the_top_and_no_rating_of_nothing(begun: Served):
    found = counted(begun)
    at = found["key"].index("sex")
    for _ in range(len(found["level_words"][at]) - 1):
        assert begun.change("/argus", variable=str(at)).status == 303
    text = (begun.desk.folder / "release.toml").read_text()
    assert begun.change("/argus", variable=str(at)).status == 400
    assert begun.get(f"/argus/effect?variable={at}").status == 400
    for wrong in ("0", "4", "x", ""):
        form = {f"rated.{j}": wrong for j in range(3)}
        assert begun.change("/argus/rate", **form).status == 400
    assert (begun.desk.folder / "release.toml").read_text() == text
    assert shown(begun) == of(
        session(begun, {"sex": len(found["level_words"][at]) - 1}, ALL).unsafe
    )


def test_of_two_tabs_the_second_step_is_refused(begun: Served):
    counted(begun)
    version = begun.desk.history.version
    assert begun.post("/argus", version=version, variable="0").status == 303
    assert begun.post("/argus", version=version, variable="0").status == 409
    assert begun.post("/argus/suppress", version=version).status == 409
