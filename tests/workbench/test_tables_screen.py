"""Tables through the workbench: chosen, weighed, tried, and published as the command line does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from served import PROJECT, Served

from indistinct.workbench.desk import PRIVATE

pytestmark = pytest.mark.heavy


@pytest.fixture
def tabled(begun: Served) -> Served:
    """A project with two tables for every town."""
    begun.get("/tables")
    begun.settle("count")
    assert begun.change("/tables/areas", **{"publish-area": "town"}).status == 303
    age = number_of(begun, "age")
    first = {"dimension": "age", f"width.{age}": "5", "name": "ages", "table-margins": "yes"}
    assert begun.change("/tables/add", **first).status == 303
    second = {"dimension": "sex", "table-margins": "yes"}
    assert begun.change("/tables/add", **second).status == 303
    return begun


def typed(served: Served, *words: str) -> str:
    """Do in the folder what a page says can be done from the command line."""
    command = [sys.executable, "-m", "indistinct", "tables", "release.toml", *words]
    done = subprocess.run(command, cwd=served.desk.folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def number_of(served: Served, variable: str) -> str:
    page = served.get("/tables").text
    names = re.findall(r'name="dimension" value="([^"]+)"', page)
    return str(names.index(variable))


def tried(served: Served, method: str, **options: str) -> dict:
    sent = {"publish-zeros": "yes", "publish-additive": "yes", **options}
    assert served.change("/tables/method", **{"publish-method": method}, **sent).status == 303
    served.settle("publish")
    job = served.desk.jobs.of("publish")[-1]
    assert job.state == "done", job.error
    found = served.desk.result("publish")
    assert found is not None
    return found


def test_what_is_chosen_stands_in_the_project_file(tabled: Served):
    content = tabled.desk.content
    assert content["publish"]["area"] == "town"
    assert content["tables"] == {
        "ages": {"dimensions": ["age:5"]},
        "sex": {"dimensions": ["sex"]},
    }
    assert "indistinct tables release.toml" in tabled.get("/tables").text
    assert tabled.change("/tables/remove", table="sex").status == 303
    assert list(tabled.desk.content["tables"]) == ["ages"]
    tabled.change("/protect/undo")
    assert list(tabled.desk.content["tables"]) == ["ages", "sex"]


def test_what_they_would_reveal_is_what_the_command_line_says(tabled: Served):
    tabled.get("/tables")
    tabled.settle("tables")
    found = tabled.desk.result("tables")
    told = json.loads(typed(tabled, "--json"))
    ours = [found[name] for name in ("tables", "cells", "full", "people", "safe")]
    assert ours == [told[name] for name in ("tables", "cells", "frtu", "records", "safe")]
    page = tabled.get("/tables").text
    assert "What they would reveal" in page
    area = found["exposed"][0][0] if found["exposed"] else None
    assert tabled.get("/tables/exposed").status == 200
    if area is not None:
        assert area in tabled.get("/tables/exposed").text


@pytest.mark.parametrize("method", ["suppress", "small-counts", "round", "cell-key", "modify"])
def test_cells_are_marked_where_the_published_number_is_another(tabled: Served, method: str):
    """Counted by hand from the file of records."""
    found = tried(tabled, method)
    records = [line.split(",") for line in (tabled.desk.folder / "people.csv").read_text().split()]
    towns = {(r[1], r[0]): 0 for r in records[1:]}
    for row in records[1:]:
        towns[row[1], row[0]] += 1
    table = next(one for one in found["tables"] if one["name"] == "sex")
    seen = 0
    for _, area, sex, value, mark in table["rows"]:
        if (area, sex) not in towns:
            continue
        seen += 1
        assert (value is None) == (mark == "s")
        if value is not None:
            assert (value != towns[area, sex]) == (mark == "c"), (area, sex)
    assert seen == len(towns)
    assert table["changed"] == sum(row[-1] == "c" for row in table["rows"])
    shown = tabled.get("/tables/cells?table=1&place=0").text
    marked = sum(row[-1] == "c" and row[1] == table["rows"][0][1] for row in table["rows"])
    assert shown.count("mark") >= marked
    assert tabled.get("/tables/cells?table=99&place=x").status == 200


def test_a_trial_leaves_nothing_beside_the_project(tabled: Served):
    found = tried(tabled, "small-counts")
    assert found["trial"]
    assert sorted(p.name for p in tabled.desk.folder.iterdir()) == [
        PRIVATE,
        "people.csv",
        "release.toml",
    ]
    assert "Made on trial" in tabled.get("/tables").text


@pytest.mark.parametrize("method", ["suppress", "cell-key", "random-round"])
def test_what_is_published_is_what_the_command_line_writes(
    tabled: Served, tmp_path: Path, method: str
):
    tried(tabled, method)
    assert tabled.change("/tables/export", out="published").status == 303
    tabled.settle("publish")
    job = tabled.desk.jobs.of("publish")[-1]
    assert job.state == "done", job.error
    ours, theirs = tabled.desk.folder / "published", tmp_path / "by-hand"
    typed(tabled, "--out", str(theirs))
    names = sorted(p.relative_to(ours) for p in ours.rglob("*.csv"))
    assert len(names) == 2
    for name in [*names, "tables.json", "methodology.md", "conditions.md"]:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name
    assert "Written to published" in tabled.get("/tables").text
    assert tabled.change("/tables/export", out="published").status == 400


def test_differencing_between_two_geographies_is_told(tabled: Served):
    changed = {"publish-area": "town", "publish-also": "ill"}
    assert tabled.change("/tables/areas", **changed).status == 303
    tabled.get("/tables")
    tabled.settle("tables")
    pairs = tabled.desk.result("tables")["pairs"]
    assert {"town", "ill"} in [{one["first"], one["second"]} for one in pairs]
    assert "Subtracting one from the other" in tabled.get("/tables").text


@pytest.mark.parametrize(
    ("path", "form", "word"),
    [
        ("/tables/add", {}, "Tick at least one"),
        ("/tables/add", {"dimension": "nobody"}, "Tick at least one"),
        ("/tables/add", {"dimension": "sex"}, "with this name"),
        ("/tables/remove", {"table": "nobody"}, "no such table"),
        ("/tables/export", {"out": "../outside"}, "within the folder"),
        ("/tables/export", {"out": ""}, "Give the folder a name"),
        ("/tables/method", {"publish-base": "many"}, "must be a number"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_changed(tabled: Served, path, form, word):
    before = tabled.desk.project_path.read_text()
    answer = tabled.change(path, **form)
    assert answer.status == 400
    assert word in answer.text
    assert tabled.desk.project_path.read_text() == before


def test_a_method_that_is_not_for_these_tables_is_told(tabled: Served):
    page = tabled.get("/tables").text
    assert 'value="cell-key"' in page
    added = {"dimension": "sex", "name": "sums", "table-value": "age", "table-margins": "yes"}
    tabled.change("/tables/add", **added)
    sent = {"publish-method": "cell-key", "publish-zeros": "yes", "publish-additive": "yes"}
    tabled.change("/tables/method", **sent)
    tabled.settle("publish")
    assert "suppress" in tabled.get("/tables").text
    assert tabled.desk.jobs.of("publish")[-1].state == "failed"
    assert PROJECT.splitlines()[1] in tabled.desk.project_path.read_text()
