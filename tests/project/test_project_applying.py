"""Declarations put onto data, and records checked against them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from indistinct.core.errors import InputError
from indistinct.engine import start_engine
from indistinct.files import open_table
from indistinct.project import check_categories, check_levels, read_project


@pytest.fixture
def engine(tmp_path):
    with start_engine("duckdb", workspace=tmp_path, threads=1) as engine:
        yield engine


@pytest.fixture
def people(tmp_path):
    table = pa.table(
        {
            "age": [30, 41, 999, -3, None],
            "sex": ["1", "2", "1", "2", "N"],
            "pay": ["10.5", "N", "12", "0", None],
            "shown": [1, 0, 1, 1, 1],
            "share": [1.0, 2.0, 1.0, 2.0, 1.0],
            "born": pa.array([0, 1, 2, 3, 4], pa.date32()),
        }
    )
    return open_table(table, workspace=tmp_path, origin="people")


def project(text: str, tmp_path: Path):
    (tmp_path / "people.csv").write_text("a\n1\n")
    return read_project(f'[data]\nfile = "people.csv"\n{text}', tmp_path / "release.toml")


def test_declarations_take_the_type_of_their_column(people, tmp_path):
    source = project(
        """
[variables.age]
role = "key"
level = "numeric"
label = "Age"
labels = { 999 = "unknown" }
missing = [999, [-9, -1]]
[variables.sex]
role = "key"
labels = { 1 = "male", 2 = "female" }
categories = [1, 2]
missing = ["N"]
[variables.share]
categories = ["1", 2]
""",
        tmp_path,
    ).apply_to(people)
    age, sex = source.variables["age"], source.variables["sex"]
    assert (age.role, age.level, age.label) == ("key", "numeric", "Age")
    assert age.labels == {999: "unknown"}
    assert age.user_missing == (999, (-9, -1))
    assert sex.labels == {"1": "male", "2": "female"}
    assert sex.categories == ("1", "2")
    assert source.variables["share"].categories == (1.0, 2)
    assert source.variables["pay"] == people.variables["pay"]
    assert people.variables["age"].role == "other"


def test_all_names_and_codes_that_do_not_fit_are_told_at_once(people, tmp_path):
    wrong = project(
        """[variables.aeg]
role = "key"
[variables.sex]
missing = [[8, 9]]
public_if = "shwn"
[variables.age]
labels = { old = "old" }
[variables.born]
categories = ["1970-01-01"]
[variables.xyz]
[release]
key = ["aeg"]
""",
        tmp_path,
    )
    with pytest.raises(InputError) as caught:
        wrong.apply_to(people)
    told = str(caught.value).replace(f"{tmp_path / 'release.toml'}:", "").split("\n")
    assert [int(line.split(":")[0]) for line in told] == [3, 6, 7, 9, 11, 12, 14]
    assert "There is no variable 'aeg'. Did you mean 'age'?" in told[0]
    assert "missing: [8, 9] does not fit the column, which holds text" in told[1]
    assert "Did you mean 'shown'?" in told[2]
    assert 'labels: "old" does not fit the column, which holds whole numbers' in told[3]
    assert "[release] key: people: There is no variable 'aeg'." in told[6]


def test_the_key_is_named_or_all_variables_of_that_role(people, tmp_path):
    by_role = project('[variables.sex]\nrole="key"\n[variables.age]\nrole="key"\n', tmp_path)
    assert by_role.key(by_role.apply_to(people)) == ["age", "sex"]
    named = project('[release]\nkey=["sex"]\n', tmp_path)
    assert named.key(named.apply_to(people)) == ["sex"]
    with pytest.raises(InputError, match='no variable has the role "key"'):
        project("", tmp_path).key(people)


def test_a_code_outside_its_categories_is_refused_by_record_not_by_value(engine, people, tmp_path):
    declared = "[variables.sex]\ncategories = [1, 2]\n[variables.age]\ncategories = [30, 999]\n"
    with pytest.raises(InputError) as caught:
        check_categories(engine, project(declared, tmp_path).apply_to(people))
    first, second = str(caught.value).split("\n")
    assert "the value of 'age' in record 2 is not one of its declared categories" in first
    assert "the value of 'sex' in record 5 is not" in second
    assert "41" not in first
    assert "N" not in second.replace("people", "")


def test_missing_values_and_missing_codes_are_no_categories(engine, people, tmp_path):
    declared = (
        "[variables.sex]\ncategories = [1, 2]\nmissing = ['N']\n"
        "[variables.age]\ncategories = [30, 41, 999]\nmissing = [[-9, -1]]\n"
    )
    check_categories(engine, project(declared, tmp_path).apply_to(people))


def test_text_in_a_numeric_variable_is_refused_by_record(engine, people, tmp_path):
    declared = (
        '[variables.pay]\nlevel = "numeric"\n'
        '[variables.sex]\nlevel = "numeric"\nmissing = ["X"]\n[variables.age]\nlevel = "numeric"\n'
    )
    with pytest.raises(InputError) as caught:
        check_levels(engine, project(declared, tmp_path).apply_to(people))
    first, second = str(caught.value).split("\n")
    assert "variable 'sex' must hold numbers, but record 5 does not" in first
    assert "variable 'pay' must hold numbers, but record 2 does not" in second


def test_a_missing_code_may_be_text_in_a_numeric_variable(engine, people, tmp_path):
    declared = '[variables.pay]\nlevel = "numeric"\nmissing = ["N"]\n'
    check_levels(engine, project(declared, tmp_path).apply_to(people))


def test_hierarchies_come_from_the_file_then_the_folder_then_the_values(people, tmp_path):
    folder = tmp_path / "trees"
    folder.mkdir()
    (folder / "sex.csv").write_text("1,any\n2,any\nN,any\n")
    chosen = project(
        """
[variables.age]
missing = [999, [-9, -1]]
hierarchy = { kind = "intervals", widths = [10], top = 40 }
[variables.share]
hierarchy = { kind = "order", values = [1, 2, 3] }
[release]
hierarchies = "trees"
""",
        tmp_path,
    )
    source = chosen.apply_to(people)
    values = {
        "age": [30, 41, 999, -3, None],
        "sex": ["1", "2", "N"],
        "share": [1.0, 2.0],
        "shown": [0, 1],
    }
    trees = chosen.hierarchies(values, source)
    assert trees["age"].ancestors(30) == ("30", "30-39", "*")
    assert trees["age"].ancestors(41) == ("41", "≥40", "*")
    assert trees["age"].ancestors(999) == ("999", "999", "*")
    assert trees["sex"].ancestors("2") == ("2", "any")
    assert trees["share"].ancestors(1) == ("1", "1 – 2", "*")
    assert list(trees.notes) == ["shown"]


def test_a_hierarchy_that_does_not_know_a_value_names_its_line(people, tmp_path):
    (tmp_path / "sex.csv").write_text("1,any\n")
    wrong = project('[variables.sex]\nhierarchy = "sex.csv"\n', tmp_path)
    with pytest.raises(InputError, match=r"release\.toml:4: "):
        wrong.hierarchies({"sex": ["1", "2"]}, wrong.apply_to(people))


def test_open_reads_the_data_as_the_file_says(tmp_path):
    (tmp_path / "d.csv").write_text("age;pay\n30;1,5\n40;2,5\n")
    text = '[data]\nfile = "d.csv"\ndelimiter = ";"\ndecimal = ","\n[variables.age]\nrole = "key"\n'
    source = read_project(text, tmp_path / "release.toml").open(tmp_path)
    assert source.table()["pay"].to_pylist() == [1.5, 2.5]
    assert source.variables["age"].role == "key"
