"""Text columns inside a release: a step of the plan, which can be saved and replayed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from small_data import shared_engine

from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.flow import run_project
from indistinct.project import load_project
from indistinct.protect import Blank, Plan, Step
from indistinct.scrub import ScrubText

TEXTS = ["Mrs. Philippa Ravensworth was seen.", None, "All well.", "Dr. Oakhurst agrees."]
SECOND = ["Philippa is better.", "x", None, "Mrs. Ravensworth called on June 3, 2019."]


@pytest.fixture
def source():
    engine = shared_engine()
    return open_table(
        pa.table({"n": [1, 2, 3, 4], "notes": TEXTS, "more": SECOND}), workspace=engine.workspace
    )


def test_it_replaces_people_and_tells_what_it_did(source):
    plan = Plan((ScrubText(("notes", "more")),))
    done = plan.apply(shared_engine(), source, seed=7)
    table = done.source.table()
    assert table.column("n").to_pylist() == [1, 2, 3, 4]
    notes, more = table.column("notes").to_pylist(), table.column("more").to_pylist()
    assert (notes[1:3], more[1:3]) == ([None, "All well."], ["x", None])
    written = " ".join(filter(None, notes + more))
    assert not [
        word for word in ("Philippa", "Ravensworth", "Oakhurst", "June 3") if word in written
    ]
    (receipt,) = done.receipts
    assert receipt.cells_changed == {"notes": 2, "more": 2}
    assert receipt.records_changed == 2
    assert "not anonymous" in receipt.warnings[0]


def test_a_saved_plan_holds_nothing_private_and_gives_the_same_bytes(source, tmp_path):
    plan = Plan((ScrubText(("notes",), threshold=0.8, dates="year"),))
    saved = plan.save(tmp_path / "plan.json").read_text()
    again = Plan.load(tmp_path / "plan.json")
    assert again == plan
    assert "Ravensworth" not in saved
    assert "7" not in saved
    engine = shared_engine()
    one, two, other = (
        p.apply(engine, source, seed=s).source.table()
        for p, s in ((plan, 7), (again, 7), (plan, 8))
    )
    assert one.equals(two)
    assert not one.equals(other)


def test_what_cannot_be_done_is_refused(source):
    for columns, word in (
        (("n",), "not text"),
        (("note",), "Did you mean"),
        (("notes", "notes"), "twice"),
    ):
        with pytest.raises(InputError, match=word):
            Plan((ScrubText(columns),)).apply(shared_engine(), source, seed=1)
    with pytest.raises(InputError, match="at least one"):
        ScrubText(())
    with pytest.raises(InputError, match="from 0 to 1"):
        ScrubText(("notes",), threshold=3)
    with pytest.raises(InputError, match="needs a seed"):
        Plan((ScrubText(("notes",)),)).apply(shared_engine(), source)
    with pytest.raises(InputError, match="which is text"):
        Plan((ScrubText(("notes",)), Blank(key=("notes", "n"), k=2)))


def test_a_step_with_a_wrong_setting_is_told():
    with pytest.raises(InputError, match="dates"):
        Step.from_dict({"kind": "scrub-text", "columns": ["a"], "dates": "week"})


PROJECT = """
[data]
file = "visits.csv"
[variables.name]
role = "identifier"
[variables.sex]
role = "key"
[variables.town]
role = "key"
[text]
columns = ["notes"]
identities = "staff.csv"
[release]
k = 3
method = "suppress"
out = "release"
format = "csv"
seed = 11
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with (tmp_path / "visits.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "sex", "town", "notes"])
        for n in range(24):
            note = f"Mrs. Philippa Ravensworth came. mossback brindle was there, day {n}."
            rows.writerow(["Philippa Ravensworth", "fm"[n % 2], "ab"[n // 2 % 2], note])
    (tmp_path / "staff.csv").write_text("first,last\nMossback,Brindle\n")
    (tmp_path / "release.toml").write_text(PROJECT)
    return tmp_path / "release.toml"


def test_run_scrubs_the_text_columns_of_a_release(project: Path, tmp_path: Path) -> None:
    run = run_project(project, accept=["text-scrubbed"])
    assert run.release.state == "reservations"
    assert run.holds
    written = (tmp_path / "release" / "data.csv").read_text()
    assert written.splitlines()[0] == "sex,town,notes"
    assert len(written.splitlines()) == 25
    assert "day 23" in written
    for word in ("Philippa", "Ravensworth", "brindle"):
        assert word not in written
    plan = json.loads((tmp_path / "release" / "private" / "plan.json").read_text())
    kinds = [step["kind"] for step in plan["steps"]]
    assert kinds.index("scrub-text") < kinds.index("deidentify")
    method = (tmp_path / "release" / "methodology.md").read_text()
    assert "references to people in notes" in method
    assert "staff.csv" not in method
    # the plan, replayed with the same seed, gives the same release
    text = project.read_text().replace('method = "suppress"', 'plan = "release/private/plan.json"')
    (tmp_path / "again.toml").write_text(text.replace('out = "release"', 'out = "again"'))
    run_project(tmp_path / "again.toml")
    assert (tmp_path / "again" / "data.csv").read_text() == written


def test_a_secret_of_the_project_joins_its_releases(project: Path, tmp_path: Path) -> None:
    text = project.read_text().replace("[text]", '[text]\nsecret = "secret"')
    for seed, name in ((1, "one"), (2, "two")):
        changed = text.replace("seed = 11", f"seed = {seed}").replace('"release"', f'"{name}"')
        (tmp_path / f"{name}.toml").write_text(changed)
        run_project(tmp_path / f"{name}.toml")
    one, two = (tmp_path / name / "data.csv" for name in ("one", "two"))
    # the same people by the same names; each release has an order of its own
    assert sorted(one.read_text().splitlines()) == sorted(two.read_text().splitlines())


def test_mistakes_in_the_section_are_told_with_their_lines(project: Path) -> None:
    project.write_text(
        PROJECT.replace(
            'columns = ["notes"]', 'columns = []\nthreshold = 2\ndates = "week"\nsekret = 1'
        )
    )
    with pytest.raises(InputError) as caught:
        load_project(project)
    said = str(caught.value)
    assert [line.split(":")[1] for line in said.splitlines()] == ["11", "12", "13", "14"]
    assert "has no setting 'sekret'" in said


def test_a_column_that_is_not_there_is_told(project: Path, tmp_path: Path) -> None:
    project.write_text(PROJECT.replace('["notes"]', '["note"]'))
    with pytest.raises(InputError, match=r"\[text\] columns: .*Did you mean 'notes'"):
        run_project(project)
