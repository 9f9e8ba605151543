"""`protect --method shuffle` and `--method steps`: options, project file, rules, mistakes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from indistinct.census import write_census
from indistinct.cli import run

PEOPLE = 4_000
KEY = "sex,age,marital,education,region"


@pytest.fixture(scope="module")
def census(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("census") / "census.parquet"
    write_census(path, people=PEOPLE, seed=3, names=False)
    return path


def protect(capsys, *arguments):
    code = run(["protect", *map(str, arguments)])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def counts(path, name):
    return Counter(pq.read_table(path, columns=[name])[name].to_pylist())


PROJECT = """
[data]
file = "{file}"

[release]
key = ["sex", "age", "marital", "education", "region"]
k = 3
method = "steps"

[steps.ages]
kind = "shuffle"
variables = ["age"]
given = ["education", "marital"]
within = ["sex"]
shares = {{ age = 0.4 }}

[steps.places]
kind = "swap-households"
household = "household"
hierarchy = ["region", "county"]
share = 0.05

[rules.child_married]
impossible = "age < 15 and marital != 1"

[rules.young_mother]
impossible = "mother.age - age < 12"
"""


def test_named_variables_are_shuffled_and_told(census, tmp_path, capsys):
    code, out, _ = protect(
        capsys,
        census,
        *("--method", "shuffle", "--shuffle", "age,education", "--given", "sex,marital"),
        *("--share", "age=0.5,education=0.1", "--key", KEY, "--k", 3, "--seed", 5, "--json"),
        *("--out", tmp_path / "release", "--keep-order", "--although-unproved"),
    )
    told = json.loads(out)
    assert (code, told["proved"]) == (1, False)
    assert told["method"] == "shuffle"
    assert told["records_out"] == PEOPLE
    released = tmp_path / "release" / "data.parquet"
    for name in ("age", "education"):
        assert counts(census, name) == counts(released, name)
    before, after = (pq.read_table(p, columns=["age", "education"]) for p in (census, released))
    changed = [
        sum(a != b for a, b in zip(before[n].to_pylist(), after[n].to_pylist(), strict=True))
        for n in ("age", "education")
    ]
    assert changed[0] / PEOPLE == pytest.approx(0.5, abs=0.02)
    assert changed[1] / PEOPLE == pytest.approx(0.1, abs=0.02)
    assert told["protection"]["changes"]["percent"]["age"] == pytest.approx(
        100 * changed[0] / PEOPLE
    )
    text = (tmp_path / "release" / "methodology.md").read_text()
    assert "1. Shuffle age, education, given sex, marital, changing age for 50.0%" in text
    assert "Values of `age`, `education` were altered" in text
    assert "seed" not in (tmp_path / "release" / "certificate.json").read_text()


def test_the_project_s_steps_are_applied_under_its_rules(census, tmp_path, capsys):
    project = tmp_path / "release.toml"
    project.write_text(PROJECT.format(file=census))
    asked = ("--seed", 5, "--json", "--although-unproved", "--out", tmp_path / "release")
    code, out, _ = protect(capsys, project, "--allow-outside", *asked)
    told = json.loads(out)
    assert (code, told["proved"]) == (1, False)
    plan = json.loads(Path(told["plan"]).read_text())
    assert plan["steps"][0]["kind"] == "keep-rules"
    assert plan["steps"][-1]["kind"] == "scramble-order"
    assert [s["kind"] for s in plan["steps"][0]["steps"]] == ["shuffle", "swap-households"]
    released = tmp_path / "release" / "data.parquet"
    for name in ("age", "region", "county"):
        assert counts(census, name) == counts(released, name)
    after = pq.read_table(released, columns=["age", "marital"])
    pairs = zip(after["age"].to_pylist(), after["marital"].to_pylist(), strict=True)
    assert not any(age < 15 and marital != 1 for age, marital in pairs)


@pytest.mark.heavy
def test_a_project_beside_the_data_and_a_plan_replayed(census, tmp_path, capsys):
    project = tmp_path / "release.toml"
    project.write_text(PROJECT.format(file=census))
    common = ("--project", project, "--seed", 5, "--json", "--although-unproved")
    code, out, _ = protect(
        capsys, census, "--method", "shuffle", *common, "--out", tmp_path / "first"
    )
    assert code == 1
    plan = json.loads(out)["plan"]
    project.write_text(PROJECT.format(file=census).partition("[steps.ages]")[0])
    code, _, err = protect(capsys, census, "--plan", plan, *common, "--out", tmp_path / "again")
    assert code == 1, err
    first, again = (tmp_path / name / "data.parquet" for name in ("first", "again"))
    assert first.read_bytes() == again.read_bytes()


@pytest.mark.heavy
def test_a_census_is_shuffled_as_a_whole(census, tmp_path, capsys):
    code, out, err = protect(
        capsys, census, "--method", "shuffle", "--key", KEY, "--k", 3, "--seed", 5, "--json",
        "--out", tmp_path / "release", "--although-unproved",
    )  # fmt: skip
    assert code == 1, err
    told = json.loads(out)["protection"]["changes"]["percent"]
    assert told["couples_at_least_one_age"] == pytest.approx(91, abs=4)
    assert told["age"] == pytest.approx(50, abs=4)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--shuffle", "aeg"], "aeg"),
        (["--shuffle", "country_of_residence", "--where", "country_of_residence == 1"], "same"),
        (["--shuffle", "age", "--share", "age=1.5"], "from 0 to 1"),
        (["--shuffle", "sex", "--share", "sex=0.9"], "its levels reach from 0 to"),
        (["--shuffle", "age", "--given", "age"], "both shuffled and given"),
        (["--shuffle", "age", "--max-risk", "0.000001"], "at the highest level it is"),
        (["--shuffle", "age", "--where", "age <"], "position"),
        (["--given", "sex"], "Name what is shuffled"),
    ],
)
def test_mistakes_are_told_in_a_sentence_and_nothing_is_written(
    arguments, sentence, census, tmp_path, capsys
):
    code, out, err = protect(
        capsys, census, "--method", "shuffle", "--key", KEY, "--k", 3, *arguments,
        "--out", tmp_path / "release",
    )  # fmt: skip
    assert code == 2
    assert sentence in err
    assert "Traceback" not in err
    assert not out
    assert not (tmp_path / "release").exists()


def test_a_wrong_step_is_told_with_its_line(census, tmp_path, capsys):
    project = tmp_path / "release.toml"
    text = PROJECT.format(file=census).replace('kind = "swap-households"', 'kind = "swap-houses"')
    project.write_text(text.replace("[release]", "[release]\nformat = 'csv'"))
    code, _, err = protect(capsys, project, "--allow-outside", "--out", tmp_path / "release")
    assert code == 2
    assert "release.toml:18: [steps.places]: There is no step of kind 'swap-houses'" in err


def test_two_heads_are_told_with_a_record(tmp_path, capsys):
    file = tmp_path / "people.csv"
    rows = ["household,relationship,sex,age", "1,1,1,40", "1,1,2,41", "2,1,1,30", "2,2,2,33"]
    file.write_text("\n".join(rows) + "\n")
    code, _, err = protect(
        capsys, file, "--method", "shuffle", "--shuffle", "age", "--of", "couples",
        "--key", "sex,age", "--k", 2, "--out", tmp_path / "release",
    )  # fmt: skip
    assert code == 2
    assert "head" in err
    assert not (tmp_path / "release").exists()
