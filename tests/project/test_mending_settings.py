"""What a project file mends: in every verb, on both engines, and never in the input."""

from __future__ import annotations

import hashlib
import random

import pytest

import indistinct
from indistinct.core.errors import InputError
from indistinct.files import open_table, workspace
from indistinct.flow import run_project
from indistinct.project import read_project

MEND = """[data]
file = "people.csv"
same_twice = "patient"
[variables.patient]
role = "identifier"
[variables.sex]
role = "key"
fold = true
recode = { weiblich = "w" }
[variables.age]
role = "key"
level = "numeric"
empty = ["NA", "-"]
numbers = true
missing = ["N"]
[variables.born]
role = "key"
dates = ["%Y-%m-%d", "%d.%m.%Y"]
hierarchy = { kind = "dates", levels = ["year"] }
[release]
k = 2
method = "local-recoding"
out = "release"
"""


@pytest.fixture
def folder(tmp_path):
    rng = random.Random(4)
    rows = ["patient,sex,age,born"]
    for i in range(160):
        sex = rng.choice(["m", "m", "m", "M", "w", "w", "w", "W ", "weiblich"])
        age = rng.choice([str(20 + i % 4)] * 8 + ["NA", "-", "N", f" {20 + i % 4}"])
        born = rng.choice(["1970-03-05"] * 5 + ["05.3.1970"])
        rows.append(f"{i},{sex},{age},{born}")
    rows.append(rows[7])
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "release.toml").write_text(MEND)
    return tmp_path


def counted(folder, **how):
    with indistinct.open(folder / "release.toml", **how) as data:
        found = data.uniques()
        return found.records, found.classes, found.unique, data.notes_on(data.key())


def test_verbs_count_the_mended_records_and_the_input_stays(folder):
    before = hashlib.sha256((folder / "people.csv").read_bytes()).digest()
    records, classes, unique, notes = counted(folder)
    assert (records, unique, notes) == (160, 0, ())
    assert classes == 10  # two sexes, four ages and no age
    run = run_project(folder / "release.toml", seed=1, accept=["key-not-confirmed"])
    assert run.holds
    released = (run.release.folder / "data.csv").read_text()
    assert "weiblich" not in released
    assert "NA" not in released
    told = (run.release.folder / "methodology.md").read_text()
    assert "dates are written as ISO writes them (born)" in told
    assert "values that were written in several ways are one (sex)" in told
    assert hashlib.sha256((folder / "people.csv").read_bytes()).digest() == before


def test_without_the_settings_the_verbs_say_what_is_dirty(folder):
    with indistinct.open(folder / "people.csv") as data:
        notes = "\n".join(data.notes_on(["sex", "age"]))
        assert "[variables.sex] fold = true" in notes
        assert "[variables.age]" in notes
        assert "born" not in notes  # which is not used
        assert "[data] same_twice" in notes


def test_what_was_checked_is_told_no_more(folder):
    text = MEND.replace('fold = true\nrecode = { weiblich = "w" }\n', "checked = true\n")
    (folder / "release.toml").write_text(text)
    assert counted(folder)[3] == ()


@pytest.mark.spark
@pytest.mark.heavy
def test_both_engines_count_the_same_mended_records(folder):
    assert counted(folder, engine="spark") == counted(folder, engine="duckdb")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            'dates = ["%d %B"]',
            "release.toml:4: [variables.v] dates, item 1 must be one of %Y-%m-%d",
        ),
        ('fold = "yes"', "release.toml:4: [variables.v] fold must be true or false"),
        (
            "recode = {}",
            'recode must be a table of values and what is read instead, as { M = "m" }',
        ),
        ("recode = { a = true }", "[variables.v] recode.a must be a number or text in quotes"),
        ('outside = "drop"', "[variables.v] outside must be one of empty"),
        ('numbers = true\ndates = "%Y%m%d"', "has both dates and numbers"),
    ],
)
def test_wrong_settings_are_told_with_their_line(line, told, tmp_path):
    text = f'[data]\nfile = "."\n[variables.v]\n{line}\n'
    with pytest.raises(InputError) as caught:
        read_project(text, tmp_path / "release.toml")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "values", "what"),
    [
        ("numbers = true", ["1", "2", "Zebulon"], "a number"),
        ('dates = "%d.%m.%Y"', ["1.2.1970", "31.2.1970"], "a date in one of its forms"),
    ],
)
def test_what_is_no_number_or_date_is_refused_by_its_record(setting, values, what, tmp_path):
    project = read_project(f'[data]\nfile = "."\n[variables.v]\n{setting}', tmp_path / "r.toml")
    with workspace() as private:
        source = open_table({"v": values}, workspace=private)
        with pytest.raises(InputError) as caught:
            project.apply_to(source, workspace=private)
        assert f"must hold {what}, but record {len(values)} does not" in str(caught.value)
        assert "Zebulon" not in str(caught.value)
        emptied = read_project(
            f'[data]\nfile = "."\n[variables.v]\n{setting}\noutside = "empty"', tmp_path / "r.toml"
        ).apply_to(source, workspace=private)
        assert emptied.table().column("v").to_pylist()[-1] is None


def test_mending_needs_a_place_and_says_so(tmp_path):
    project = read_project('[data]\nfile = "."\n[variables.v]\ntrim = true', tmp_path / "r.toml")
    with workspace() as private:
        source = open_table({"v": ["a "]}, workspace=private)
        with pytest.raises(InputError, match="Give workspace="):
            project.apply_to(source)


def test_a_declared_spelling_goes_before_that_of_most(tmp_path):
    text = '[data]\nfile = "."\n[variables.v]\nfold = true\ncategories = ["Yes", "No"]'
    with workspace() as private:
        source = open_table({"v": ["YES", "YES", "yes", "Yes", "no"]}, workspace=private)
        project = read_project(text, tmp_path / "r.toml")
        found = project.apply_to(source, workspace=private).table().column("v").to_pylist()
    assert found == ["Yes", "Yes", "Yes", "Yes", "No"]


def test_numbers_are_mended_by_what_a_toml_table_calls_them(tmp_path):
    text = """[data]
file = "."
[variables.v]
labels = { 1 = "man", 2 = "woman" }
recode = { 8 = 2 }
empty = [-9]
outside = "empty"
[variables.f]
recode = { "1.5" = 2 }
"""
    with workspace() as private:
        columns = {"v": [1, 2, 8, 7, -9, None], "f": [1.5, 2.0, 3.0, None, 1.5, 0.0]}
        source = open_table(columns, workspace=private)
        project = read_project(text, tmp_path / "r.toml")
        found = project.apply_to(source, workspace=private).table().to_pydict()
    assert found["v"] == [1, 2, 2, None, None, None]
    assert found["f"] == [2.0, 2.0, 3.0, None, 2.0, 0.0]


def test_a_recoding_that_the_column_cannot_hold_is_refused(tmp_path):
    text = '[data]\nfile = "."\n[variables.v]\nrecode = { 1 = "one", x = "y" }'
    with workspace() as private:
        source = open_table({"v": [1, 2]}, workspace=private)
        with pytest.raises(InputError) as caught:
            read_project(text, tmp_path / "r.toml").apply_to(source, workspace=private)
    assert 'r.toml:4: [variables.v] recode: "one" does not fit the column' in str(caught.value)
