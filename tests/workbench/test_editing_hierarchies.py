"""A hierarchy edited by hand is what `run` reads, counts as a new count would, or is refused."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from served import PROJECT, Served

from indistinct import open_data
from indistinct.core import InputError
from indistinct.hierarchy import csv_hierarchy, table_hierarchy
from indistinct.workbench.trees import (
    cuts_by_counts,
    edited,
    histogram,
    table_as_text,
    tree_from_text,
)

TREE = table_hierarchy(
    [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")], name="town"
)


def rows(tree):
    return [tuple(row) for row in tree.to_dict()["rows"]]


# The edits ---------------------------------------------------------------------------------------


def test_every_edit_does_what_it_says():
    merged = edited(TREE, "merge", level=1, nodes={0, 1}, label="z")
    assert rows(merged) == [(v, "z", "*") for v in "abcd"]
    unnamed = edited(TREE, "split", level=0, nodes={1, 2})
    assert [row[1] for row in rows(unnamed)] == ["x", "{b, c}", "{b, c}", "y"]
    split = edited(TREE, "split", level=0, nodes={1, 2}, label="z")
    assert [row[1] for row in rows(split)] == ["x", "z", "z", "y"]
    renamed = edited(TREE, "rename", level=1, nodes={1}, label="south")
    assert [row[1] for row in rows(renamed)] == ["x", "x", "south", "south"]
    moved = edited(TREE, "move", level=0, nodes={0}, under=1)
    assert [row[1] for row in rows(moved)] == ["y", "x", "y", "y"]
    higher = edited(TREE, "insert", level=1)
    assert rows(higher)[0] == ("a", "x", "x", "*")
    assert rows(edited(higher, "drop", level=2)) == rows(TREE)


def test_a_label_that_stays_from_level_to_level_is_renamed_at_all_of_them():
    tree = table_hierarchy([("a", "x", "x", "*"), ("b", "y", "z", "*"), ("c", "u", "z", "*")])
    assert rows(edited(tree, "rename", level=1, nodes={0}, label="w"))[0] == ("a", "w", "w", "*")


@pytest.mark.parametrize(
    ("what", "options", "word"),
    [
        ("split", {"level": 1, "nodes": {0}, "label": "z"}, "one root"),
        ("rename", {"level": 0, "nodes": {0}, "label": "z"}, "in the data"),
        ("merge", {"level": 0, "nodes": {0, 1}, "label": "z"}, "cannot be merged"),
        ("merge", {"level": 1, "nodes": {0}, "label": "z"}, "two nodes"),
        ("rename", {"level": 1, "nodes": {0}, "label": " "}, "needs a name"),
        ("rename", {"level": 1, "nodes": {0}, "label": "c"}, "Rename one of them"),
        ("move", {"level": 0, "nodes": {0}, "under": 9}, "no such node"),
        ("move", {"level": 0, "nodes": set(), "under": 1}, "Tick"),
        ("insert", {"level": 2}, "Above the root"),
        ("drop", {"level": 0}, "Values and root stay"),
        ("drop", {"level": 2}, "Values and root stay"),
        ("merge", {"level": 7, "nodes": {0, 1}}, "no such level"),
    ],
)
def test_what_makes_no_hierarchy_is_refused_with_a_word(what, options, word):
    with pytest.raises(InputError, match=word):
        edited(TREE, what, **options)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a;x;*\nb;x;*\nc;y;*\nd;y;#", "one root"),
        ("a;x;*\nb;x;*\nc;y;*", "does not know 1 value"),
        ("a;x;a;*\nb;x;a;*\nc;y;y;*\nd;y;y;*", "circle|stands at level"),
        ("a;x;*\nb;x", "columns"),
        ("", "empty"),
    ],
)
def test_lines_with_two_roots_a_circle_or_a_lost_value_are_refused(text, word):
    with pytest.raises(InputError, match=word):
        tree_from_text(TREE, text)


def test_a_hierarchy_as_lines_is_read_as_it_was():
    odd = table_hierarchy([('a "b"; c', "=1+1", "*"), (" d", "x, y", "*")], name="odd")
    assert rows(tree_from_text(TREE, table_as_text(TREE))) == rows(TREE)
    assert [row[1:] for row in rows(tree_from_text(odd, table_as_text(odd)))] == [
        row[1:] for row in rows(odd)
    ]


def test_cuts_by_counts_hold_about_equally_many_and_each_level_keeps_some():
    ages = table_hierarchy([(str(n), "*") for n in range(100)], name="age")
    counts = [n % 7 + 1 for n in range(100)] + [0]
    first, *rest = cuts_by_counts(ages, counts, 5)
    held = [sum(counts[low:high]) for low, high in zip([0, *first], [*first, 100], strict=True)]
    assert max(held) - min(held) <= 14
    assert all(set(above) < set(first) for above in rest)
    with pytest.raises(InputError, match="from 2 to 100"):
        cuts_by_counts(ages, counts, 1)


def test_a_histogram_holds_every_record_and_is_of_numbers_alone():
    ages = table_hierarchy([(str(n), "low" if n < 4 else "high", "*") for n in range(10)])
    drawn = histogram(ages, [1] * 11)
    assert drawn["cuts"] == [pytest.approx(4 / 10)]
    assert sum(high for _, _, high in drawn["bars"]) == 10
    assert histogram(TREE, [1] * 5) is None


# The screen --------------------------------------------------------------------------------------


@pytest.fixture
def counted(begun: Served) -> Served:
    begun.get("/hierarchies")
    begun.settle("count")
    return begun


def position(served: Served, name: str) -> str:
    return str(served.desk.rollup.names.index(name))


def tree_of(served: Served, name: str) -> list[list[str]]:
    return served.desk.result("count")["trees"][name]["rows"]


def regrouped(served: Served) -> None:
    """Give the towns a level: a and b north, c alone."""
    town = position(served, "town")
    if len(tree_of(served, "town")[0]) == 2:
        assert (
            served.change("/hierarchies/edit", variable=town, level="0", what="insert").status
            == 303
        )
    labels = [row[0] for row in tree_of(served, "town")]
    body = "\n".join(f"{v};{'north' if v in 'ab' else 'south'};*" for v in labels)
    answer = served.change("/hierarchies/lines", variable=town, lines=body)
    assert answer.status == 303, answer.text


def test_an_edit_is_a_file_that_the_project_names_and_counts_as_a_new_count(counted: Served):
    before = counted.desk.result("count")
    regrouped(counted)
    assert not counted.desk.jobs.working, "nothing is counted anew"
    named = counted.desk.content["variables"]["town"]["hierarchy"]
    assert named.startswith("hierarchies/town")
    assert csv_hierarchy(counted.desk.folder / named).ancestors("a") == ("a", "north", "*")
    with open_data(str(counted.desk.folder / "release.toml")) as data:
        assert data.hierarchies()["town"].to_dict()["rows"] == tree_of(counted, "town")
    carried = counted.desk.result("count")
    table = counted.desk.rollup
    for place in (counted.desk.private / "results").glob(f"count-{counted.desk.key_for('count')}*"):
        place.unlink()
    counted.desk._rollup = None
    counted.get("/hierarchies")
    counted.settle("count")
    anew = counted.desk.result("count")
    assert {n: v for n, v in carried.items() if n != "hierarchy_notes"} == {
        n: v for n, v in anew.items() if n != "hierarchy_notes"
    }
    for one, other in zip(table.climbs, counted.desk.rollup.climbs, strict=True):
        assert one.tolist() == other.tolist()
    assert before["below"] == carried["below"]


def test_edits_are_undone_and_redone_and_no_file_is_written_over(counted: Served):
    original = tree_of(counted, "town")
    folder = counted.desk.folder / "hierarchies"
    folder.mkdir()
    (folder / "town.csv").write_text("somebody's own\n")
    regrouped(counted)
    first, version = tree_of(counted, "town"), counted.desk.history.version
    town = position(counted, "town")
    page = counted.get(f"/hierarchies/edit?variable={town}&level=1").text
    code = re.search(r'id="node-(\d+)"></td><th scope="row"><label for="node-\d+">south', page)[1]
    form = {"variable": town, "level": "1", "what": "rename", "node": code, "label": "far south"}
    assert counted.change("/hierarchies/edit", **form).status == 303
    assert "far south" in {row[1] for row in tree_of(counted, "town")}
    assert counted.post("/hierarchies/edit", version=version, **form).status == 409
    counted.change("/protect/undo")
    assert tree_of(counted, "town") == first
    counted.change("/protect/redo")
    assert "far south" in {row[1] for row in tree_of(counted, "town")}
    while counted.desk.history.before is not None:
        counted.change("/protect/undo")
    assert (counted.desk.folder / "release.toml").read_text() == PROJECT
    assert tree_of(counted, "town") == original
    assert (folder / "town.csv").read_text() == "somebody's own\n"


def test_what_is_refused_leaves_project_and_folder_as_they_were(counted: Served):
    town = position(counted, "town")
    for path, form in [
        ("/hierarchies/lines", {"lines": "a;x;*\nb;x;*"}),
        ("/hierarchies/lines", {"lines": "a;x;*\nb;x;*\nc;x;#"}),
        ("/hierarchies/edit", {"level": "0", "what": "split", "label": "x"}),
        ("/hierarchies/edit", {"level": "0", "what": "eat", "node": "0"}),
        ("/hierarchies/build", {"kind": "dates"}),
        ("/hierarchies/build", {"kind": "cuts", "cuts": "ten"}),
        ("/hierarchies/build", {"kind": "cuts", "cuts": ""}),
        ("/hierarchies/build", {"kind": "file"}),
    ]:
        answer = counted.change(path, variable=town, **form)
        assert answer.status == 400, (path, form)
    assert counted.change("/hierarchies/edit", variable="77", level="0", what="drop").status == 400
    assert (counted.desk.folder / "release.toml").read_text() == PROJECT
    assert not list((counted.desk.folder).glob("hierarchies/*"))
    assert len(counted.desk.history.states) == 1


@pytest.mark.parametrize("path", ["edit", "lines", "build", "files"])
def test_no_hierarchy_is_changed_without_a_version(counted: Served, path: str):
    form = {"variable": "0", "level": "0", "what": "insert", "kind": "suppress", "lines": "a;*"}
    assert counted.post(f"/hierarchies/{path}", **form).status == 409
    assert (counted.desk.folder / "release.toml").read_text() == PROJECT


def test_a_link_for_a_folder_of_hierarchies_is_not_followed(counted: Served, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (counted.desk.folder / "hierarchies").symlink_to(outside)
    town = position(counted, "town")
    answer = counted.change("/hierarchies/edit", variable=town, level="0", what="insert")
    assert answer.status == 400
    assert "link" in answer.text
    assert not list(outside.iterdir())


def test_bounds_and_rules_stand_in_the_project_and_are_counted(counted: Served):
    age = position(counted, "age")
    answer = counted.change("/hierarchies/build", variable=age, kind="cuts", cuts="22, 24\n24")
    assert answer.status == 303, answer.text
    rule = {"kind": "intervals", "cuts": [[22, 24], [24]]}
    assert counted.desk.content["variables"]["age"]["hierarchy"] == rule
    counted.get("/hierarchies")
    counted.settle("count")
    page = counted.get(f"/hierarchies/edit?variable={age}&level=1").text
    assert "<svg" in page
    assert "22, 24\n24</textarea>" in page
    assert (
        counted.change("/hierarchies/build", variable=age, kind="counts", intervals="4").status
        == 303
    )
    assert len(counted.desk.content["variables"]["age"]["hierarchy"]["cuts"][0]) == 3
    counted.get("/hierarchies")
    counted.settle("count")
    assert counted.change("/hierarchies/build", variable=age, kind="chosen").status == 303
    assert "hierarchy" not in counted.desk.content["variables"]["age"]


def test_a_level_that_was_chosen_follows_the_edit(counted: Served):
    regrouped(counted)
    town = position(counted, "town")
    assert counted.change("/hierarchies", **{f"level.{town}": "2"}).status == 303
    assert counted.change("/hierarchies/edit", variable=town, level="1", what="drop").status == 303
    step = counted.desk.content["steps"]["coarser town"]
    assert step["level"] == 1
    assert step["hierarchy"]["rows"][0] == [tree_of(counted, "town")[0][0], "*"]


def test_the_page_says_at_once_what_an_edit_does(counted: Served):
    regrouped(counted)
    town = position(counted, "town")
    page = counted.get(f"/hierarchies/edit?variable={town}").text
    assert "Before the last change" in page
    assert counted.get("/hierarchies/edit?variable=99").status == 400


@pytest.mark.heavy
def test_the_release_is_what_run_writes_byte_for_byte(counted: Served):
    from indistinct.flow import run_project

    regrouped(counted)
    town = position(counted, "town")
    assert counted.change("/hierarchies", **{f"level.{town}": "1"}).status == 303
    counted.change("/prove/terms", **{"release-format": "csv"})
    assert counted.change("/prove/export", out="released").status == 303
    counted.settle("release")
    job = counted.desk.jobs.of("release")[-1]
    assert job.state == "done", job.error
    folder = counted.desk.folder
    run_project(folder / "release.toml", out=folder / "by-hand")
    ours, theirs = ((folder / name / "data.csv").read_bytes() for name in ("released", "by-hand"))
    assert ours == theirs
    assert b"north" in ours


# Files -------------------------------------------------------------------------------------------


def test_a_project_of_arx_and_recodings_are_taken_for_what_they_fit(counted: Served):
    folder = counted.desk.folder
    with zipfile.ZipFile(folder / "old.deid", "w") as packed:
        packed.writestr("data/hierarchies/orte.csv", "a;north;*\nb;north;*\nc;south;*\n")
    (folder / "age.grc").write_text("1: 20-22\n2: 23-26\n")
    assert "old.deid" in counted.get("/hierarchies/files").text
    page = counted.get("/hierarchies/files?file=old.deid").text
    town, age = position(counted, "town"), position(counted, "age")
    assert f'id="pick-{town}"' in page
    assert f'id="pick-{age}"' not in page
    assert counted.change("/hierarchies/files", file="old.deid", pick=age).status == 400
    assert counted.change("/hierarchies/files", file="old.deid", pick=town).status == 303
    assert ["a", "north", "*"] in tree_of(counted, "town")
    assert counted.change("/hierarchies/files", file="age.grc", pick=age).status == 303
    assert len({row[1] for row in tree_of(counted, "age")}) == 2
    for other in ("../../etc/passwd", "people.csv", "none.deid"):
        assert counted.get(f"/hierarchies/files?file={other}").status == 400


def test_a_file_that_is_brought_along_must_be_of_hierarchies(counted: Served):
    def bring(name: str, body: bytes) -> int:
        headers = {"X-Name": name, "Content-Type": None}
        return counted.ask("POST", "/hierarchies/bring", headers, body).status

    assert bring("towns.csv", b"a;x;*\n") == 200
    assert bring("towns.csv", b"a;x;*\n") == 400
    assert bring("towns.exe", b"a") == 400
    assert (counted.desk.folder / "towns.csv").read_bytes() == b"a;x;*\n"
    assert json.dumps(counted.desk.content)
