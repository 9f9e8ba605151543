"""`indistinct utility` through the command line: verdicts, files, releases, mistakes."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from indistinct.census import census_table, write_census
from indistinct.cli import run
from indistinct.flow import compare_release

COLUMNS = ["household", "relationship", "sex", "age", "marital", "region"]
PROJECT = """\
[data]
file = "census.parquet"
[household]
household = "household"
[rules.child]
impossible = "age < 15 and marital != 1"
[release]
audit = "trail.jsonl"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A census, a copy of it, and a copy in which ages changed places."""
    target = tmp_path_factory.mktemp("utility")
    write_census(target / "whole.parquet", people=2500, seed=3)
    table = pq.read_table(target / "whole.parquet")
    table = table.drop_columns([n for n in table.column_names if n not in COLUMNS])
    pq.write_table(table, target / "census.parquet")
    pq.write_table(table, target / "same.parquet")
    turned = table.column("age").to_pylist()
    column = pa.array(turned[::-1], table.schema.field("age").type)
    position = table.column_names.index("age")
    moved = table.set_column(position, table.schema.field("age"), column)
    pq.write_table(moved, target / "moved.parquet")
    (target / "release.toml").write_text(PROJECT)
    return target


def ask(capfd, *arguments):
    capfd.readouterr()
    code = run(["utility", *map(str, arguments)])
    return code, capfd.readouterr()


def facts(capfd, *arguments):
    code, said = ask(capfd, *arguments, "--json")
    return code, json.loads(said.out)


def test_the_same_file_passes(folder, capfd):
    code, content = facts(capfd, folder / "census.parquet", folder / "same.parquet")
    assert code == 0
    assert content["passed"] is True
    assert content["fertility"]["passed"] is True
    assert content["marginals"]["same"] is True
    assert content["k_marginal"]["released"] == 1000
    assert content["protection"]["changes"]["percent"]["any_variable"] == 0


def test_people_read_it_on_standard_output(folder, capfd):
    code, said = ask(capfd, folder / "census.parquet", folder / "moved.parquet")
    assert code == 1
    assert "FAILED: own-child fertility" in said.out.splitlines()[0]
    assert "original  released  difference" in said.out
    assert said.out.index("Own-child fertility") < said.out.index("For the holder of the original")
    last = said.err.splitlines()[-1]
    assert last.startswith("indistinct: ")
    assert "mother" in last.partition("FAILED")[2]  # what to do about fertility


def test_a_project_brings_its_rules_and_its_trail(folder, capfd):
    code, content = facts(capfd, folder / "release.toml", folder / "moved.parquet")
    table = pq.read_table(folder / "census.parquet")
    ages, marital = table["age"].to_pylist(), table["marital"].to_pylist()
    for name, column in (("original", ages), ("released", ages[::-1])):
        married = sum(a < 15 and m != 1 for a, m in zip(column, marital, strict=True))
        assert content["rules"][name] == married
    assert code == 1
    assert "edit rules" in content["failed"]
    entry = json.loads((folder / "trail.jsonl").read_text().splitlines()[-1])
    assert (entry["verb"], entry["verdict"]) == ("utility", "failed")


def test_the_command_line_is_one_call(folder, capfd):
    """Same seed, same content as from Python."""
    both = folder / "census.parquet", folder / "moved.parquet"
    options = (
        "--key",
        "age,sex",
        "--outcome",
        "age",
        "--predictors",
        "sex,region",
        "--by",
        "region",
    )
    _, content = facts(capfd, *both, *options, "--seed", 5, "--threads", 1)
    found = compare_release(
        *both,
        key=["age", "sex"],
        targets=["age"],
        predictors=["sex", "region"],
        by="region",
        seed=5,
    )
    assert content == json.loads(json.dumps(found.to_dict()))
    assert content["k_marginal"]["by"] == "region"
    assert set(content["protection"]["released"]) == {"exact", "rank", "gower"}


def test_parts_can_be_left_out(folder, capfd):
    code, content = facts(
        *(capfd, folder / "census.parquet", folder / "moved.parquet"),
        *("--no-demography", "--no-protection", "--variables", "age,sex"),
    )
    assert code == 0
    assert content["passed"] is None
    assert content["variables"] == ["age", "sex"]
    assert not {"age_gap", "fertility", "protection"} & set(content)


def test_thresholds_decide(folder, capfd):
    both = folder / "census.parquet", folder / "same.parquet"
    code, content = facts(capfd, *both, "--thresholds", "gap=2,fertility=0.5", "--least", "gap=5")
    assert code == 0
    assert content["age_gap"]["threshold"] == 2
    assert content["age_gap"]["least"] == 5
    assert content["fertility"]["threshold"] == 0.5


def test_figures_and_the_whole_result_are_written(folder, tmp_path, capfd):
    figures, out = tmp_path / "figures", tmp_path / "result.json"
    code, said = ask(
        *(capfd, folder / "census.parquet", folder / "moved.parquet", "--least", "gap=5"),
        *("--figures", figures, "--out", out),
    )
    assert code == 1  # a verdict is no reason to keep back what was found
    drawn = {path.name for path in figures.iterdir()}
    named = {f"marginal-{n}.svg" for n in COLUMNS[1:]}
    tests = {"age-gap-by-wife.svg", "age-gap-by-husband.svg", "fertility.svg", "changes.svg"}
    assert named | tests | {"pairs.svg", "k-marginal.svg"} <= drawn
    for path in figures.iterdir():
        text = path.read_text()
        assert text.startswith("<svg ")
        assert text.rstrip().endswith("</svg>")
    assert json.loads(out.read_text())["failed"]
    assert f"{len(drawn)} figures" in said.out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["figures", "result.json"]


def test_a_release_folder_and_its_plan(tmp_path, capfd):
    """Labels are read by the plan's hierarchies, the key is the certificate's."""
    pq.write_table(census_table(2000, seed=2, names=False), tmp_path / "census.parquet")
    arguments = ["protect", str(tmp_path / "census.parquet"), "--method", "optimal", "--k", "5"]
    arguments += ["--key", "age,sex", "--max-drop", "0", "--seed", "1"]
    arguments += ["--accept", "households"]
    assert run([*arguments, "--out", str(tmp_path / "release"), "--format", "csv"]) == 0
    names = "age,sex,marital,education,income"
    code, content = facts(
        capfd, tmp_path / "census.parquet", tmp_path / "release", "--variables", names
    )
    assert code == 0
    assert content["generalised"] == ["age"]
    assert content["marginals"]["same"] is True  # only recoded, and the original likewise
    assert any("age (" in note and "recoded in the same way" in note for note in content["notes"])
    assert content["protection"]["exact"]["key"] == ["age", "sex"]


def test_a_changed_release_is_told(folder, tmp_path, capfd):
    arguments = ["protect", str(folder / "census.parquet"), "--method", "suppress", "--k", "2"]
    arguments += ["--key", "sex,marital", "--seed", "1", "--out", str(tmp_path / "release")]
    assert run([*arguments, "--accept", "households"]) == 0
    (tmp_path / "release" / "methodology.md").write_text("else")
    code, content = facts(
        capfd, folder / "census.parquet", tmp_path / "release", "--variables", "sex,marital"
    )
    assert code in (0, 1)
    assert any("methodology.md was changed" in note for note in content["notes"])


class TestMistakes:
    @pytest.mark.parametrize(
        ("more", "words"),
        [
            (["--variables", "agee"], "Did you mean 'age'?"),
            (["--outcome", "marit"], "Did you mean 'marital'?"),
            (["--match", "person"], "There is no variable 'person'"),
            (["--thresholds", "gaap=1"], "Did you mean 'gap'?"),
            (["--thresholds", "gap=much"], "must give 'gap' a number"),
            (["--project", "no.toml"], "There is no project file no.toml"),
            (["--match", "age", "--unmatched"], "Give one of the two"),
            (["--demography", "--household", "sexx"], "Did you mean 'sex'?"),
        ],
    )
    def test_nothing_is_written(self, folder, tmp_path, capfd, more, words):
        code, said = ask(
            *(capfd, folder / "census.parquet", folder / "moved.parquet", *more),
            *("--figures", tmp_path / "figures", "--out", tmp_path / "out.json"),
        )
        assert code == 2
        assert words in said.err
        assert said.out == ""
        assert not any(tmp_path.iterdir())

    def test_other_files(self, folder, tmp_path, capfd):
        pa.csv.write_csv(pa.table({"colour": ["red"]}), tmp_path / "other.csv")
        code, said = ask(capfd, folder / "census.parquet", tmp_path / "other.csv")
        assert (code, "share no variable" in said.err) == (2, True)
        code, said = ask(capfd, folder / "census.parquet", tmp_path / "none.csv")
        assert (code, "There is no file" in said.err) == (2, True)
        (tmp_path / "empty").mkdir()
        code, said = ask(capfd, folder / "census.parquet", tmp_path / "empty")
        assert (code, "not a whole release folder" in said.err) == (2, True)

    def test_fewer_records_need_a_column_to_match(self, folder, tmp_path, capfd):
        table = pq.read_table(folder / "census.parquet")
        pq.write_table(table.slice(0, 2000), tmp_path / "fewer.parquet")
        both = folder / "census.parquet", tmp_path / "fewer.parquet"
        code, content = facts(capfd, *both, "--no-demography")
        assert code == 0
        assert "protection" not in content
        assert any("--match" in note for note in content["notes"])
        code, said = ask(capfd, *both, "--protection")
        assert (code, "--match" in said.err) == (2, True)

    def test_places_that_are_taken(self, folder, tmp_path, capfd):
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "file").write_text("here")
        both = folder / "census.parquet", folder / "moved.parquet"
        for more, words in (
            (["--figures", tmp_path / "full"], "exists already"),
            (["--out", tmp_path / "full"], "is a directory"),
            (["--out", tmp_path / "no" / "out.json"], "does not exist"),
            (["--figures", tmp_path / "a", "--out", tmp_path / "a"], "named for two things"),
        ):
            code, said = ask(capfd, *both, *more)
            assert (code, words in said.err) == (2, True), words
        assert [p.name for p in tmp_path.iterdir()] == ["full"]
