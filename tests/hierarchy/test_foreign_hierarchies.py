"""Hierarchies and recodings of ARX, µ-Argus and sdcMicro are read as they are kept there."""

from __future__ import annotations

import random
import zipfile

import pytest

from indistinct.cli import run
from indistinct.core.errors import InputError
from indistinct.hierarchy import file_hierarchy, load_hierarchies

AGES = [*range(0, 100, 3), 98, 99]
GRC = "1: -20\n2: 21-30\n3:31-40, 45\n6: 61-\n\n<MISSING> 98 99\n<CODELIST>    Age.cdl\n"
R = """
library(sdcMicro) # globalRecode(sdc, column = "no", breaks = x)
sdc <- createSdcObj(dat, keyVars = c("age", "roof"))
sdc <- globalRecode(sdc, column = "age", breaks = c(0, 20, 65, Inf),
                    labels = c("young, still", "grown", 'old'))
sdc <- groupAndRename(obj = sdc, var = "roof", before = c("2", "4", 5), after = "other")
sdc <- globalRecode(sdc, "size", seq(0, 10, by = 5))
"""


def project(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("metadata.xml", "<metadata/>")
        for name, text in files.items():
            packed.writestr(f"hierarchies/{name}.csv", text)
        packed.writestr("data/input.csv", "sex;age\nm;1\n")
    return path


def test_a_recoding_of_argus_is_one_level_and_leaves_what_it_does_not_name(tmp_path):
    (tmp_path / "Age.grc").write_text(GRC)
    tree = load_hierarchies(tmp_path, {"age": AGES}, special={"age": [98, 99]})["age"]
    for age in AGES:
        if age in (98, 99):
            expected = str(age)
        elif age <= 20:
            expected = "1"
        elif 21 <= age <= 30:
            expected = "2"
        elif 31 <= age <= 40 or age == 45:
            expected = "31-40, 45"  # 3 is an age of somebody
        elif age >= 61:
            expected = "≥61" if 6 in AGES else "6"
        else:
            expected = str(age)
        assert tree.ancestors(age) == (str(age), expected, "*"), age


def test_recodings_of_a_script_are_those_that_r_would_make(tmp_path):
    path = tmp_path / "sdc.R"
    path.write_text(R)
    values = {"age": [0, 20, 20.5, 65, 66, 130], "roof": [1, 2, 4, 5, 9], "size": [0, 5, 6, 12]}
    found = load_hierarchies(path, values)
    assert [found["age"].ancestors(a)[1] for a in values["age"]] == [
        *("young, still", "young, still", "grown", "grown", "old", "old")
    ]
    assert [found["roof"].ancestors(r)[1] for r in values["roof"]] == [
        *("1", "other", "other", "other", "9")
    ]
    assert [found["size"].ancestors(s)[1] for s in values["size"]] == [
        *("[0,5]", "[0,5]", "(5,10]", "12")
    ]
    assert found.notes["age"] == "'age' is recoded as sdc.R says."
    assert found.chosen == frozenset()


@pytest.mark.parametrize(
    "call",
    [
        'globalRecode(sdc, column = "age", breaks = cuts)',
        'globalRecode(sdc, column = "age", breaks = 5)',
        "globalRecode(sdc, column = which, breaks = c(0, 5))",
        'globalRecode(sdc, column = "age", breaks = c(0, 5, 9), labels = c("a"))',
        'groupAndRename(sdc, var = "age", before = levels(x)[1:2], after = "a")',
        'groupAndRename(sdc, var = "age", before = c(1, 2), after = c("a", "b", "c"))',
        'globalRecode(sdc, column = "age", breaks = seq(0, 1e9, 1))',
        'globalRecode(sdc, column = "age", breaks = c(0, 5)',
        'globalRecode(sdc, "age", system("rm -rf /"))',
    ],
)
def test_what_only_r_would_know_is_told_with_its_line(tmp_path, call):
    path = tmp_path / "sdc.R"
    path.write_text(f"library(sdcMicro)\n{call}\n")
    with pytest.raises(InputError, match=r"sdc.R:2: .*must stand in the call"):
        load_hierarchies(path, {"age": [1, 2]})


def test_hierarchies_inside_a_project_of_arx_are_found_by_name_and_content(tmp_path):
    path = project(
        tmp_path / "study.deid", sex="m;*\nf;*\n", zip="02138;0213*;*\n02139;0213*;*\n", other="x;*"
    )
    found = load_hierarchies(path, {"sex": ["m", "f"], "postcode_zip": ["02138", "02139"]})
    assert found["sex"].ancestors("m") == ("m", "*")
    assert found["postcode_zip"].ancestors("02138") == ("02138", "0213*", "*")
    assert any("other.csv is not used" in note for note in found.notes.values())
    assert file_hierarchy(path, ["m"], name="sex").height == 1
    with pytest.raises(InputError, match="no hierarchy and no recoding of 'age'"):
        file_hierarchy(path, [1, 2], name="age")


def test_projects_that_are_none_are_told(tmp_path):
    broken = tmp_path / "broken.deid"
    broken.write_bytes(project(tmp_path / "whole.deid", sex="m;*").read_bytes()[:-30])
    for path, word in (
        (broken, "cannot be read as a project of ARX"),
        (project(tmp_path / "empty.deid"), "holds no hierarchies"),
    ):
        with pytest.raises(InputError, match=word):
            load_hierarchies(path, {"sex": ["m"]})
    bomb = project(tmp_path / "bomb.deid", sex="m;*\n" * 15_000_000)
    assert bomb.stat().st_size < 1_000_000
    with pytest.raises(InputError, match="holds more than 50 MB"):
        load_hierarchies(bomb, {"sex": ["m"]})


def test_files_that_recode_nothing_are_told(tmp_path):
    (tmp_path / "a.grc").write_text("<MISSING> 9\n")
    with pytest.raises(InputError, match="recodes nothing"):
        load_hierarchies(tmp_path, {"a": [1]})
    (tmp_path / "a.grc").write_text("1-5\n")
    with pytest.raises(InputError, match=r"a.grc:1: a line"):
        load_hierarchies(tmp_path, {"a": [1]})
    (tmp_path / "a.grc").unlink()
    (tmp_path / "a.R").write_text(
        "x <- 1\n"
    )  # a script beside hierarchies may be about other things
    assert load_hierarchies(tmp_path, {"a": [1]})["a"].height == 1
    with pytest.raises(InputError, match="no call of globalRecode"):
        load_hierarchies(tmp_path / "a.R", {"a": [1]})


def test_protect_takes_a_recoding_from_the_command_line_and_from_a_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)
    lines = [f"{rng.randint(18, 80)},{rng.choice('mf')}" for _ in range(400)]
    (tmp_path / "p.csv").write_text("\n".join(["age,sex", *lines]) + "\n")
    (tmp_path / "age.grc").write_text("1: -40\n2: 41-60\n3: 61-\n")
    command = ["protect", "p.csv", "--key", "age,sex", "--k", "5", "--method", "optimal"]
    assert run([*command, "--hierarchies", "age.grc", "--seed", "1", "--out", "r"]) == 0
    released = {line.split(",")[0] for line in (tmp_path / "r/data.csv").read_text().split()[1:]}
    assert released == {"1", "2", "3"}
    (tmp_path / "release.toml").write_text(
        '[data]\nfile = "p.csv"\n[release]\nkey = ["age", "sex"]\nk = 5\nconfirmed = true\n'
        'method = "optimal"\nout = "s"\n[variables.sex]\n[variables.age]\nhierarchy = "age.grc"\n'
    )
    assert run(["run", "release.toml", "--seed", "1"]) == 0
    assert (tmp_path / "s/data.csv").read_bytes() == (tmp_path / "r/data.csv").read_bytes()


def test_labelled_codes_are_categories_and_no_numbers():
    codes = {"work": list(range(1, 31)), "school": [1, 2, 3, 4], "age": list(range(30))}
    levels = {"work": "nominal", "school": "ordinal", "age": "nominal"}
    found = load_hierarchies(None, codes, levels=levels, labelled={"work", "school"})
    assert found["work"].height == 1
    assert "categories" in found.notes["work"]
    assert found["school"].ancestors(3) == ("3", "3 – 4", "*")
    assert found["age"].height > 1  # which nobody labelled


def test_codes_of_isced_and_long_zip_codes_climb_by_their_parts():
    values = {"isced11": [0, 2, 3, 8], "zip": ["02138-1234", "02139-0001", "90210-0000"]}
    found = load_hierarchies(None, values)
    assert found["isced11"].ancestors(3) == ("3", "3", "medium (3-4)", "*")
    assert found["zip"].ancestors("02138-1234")[1:] == ("02138", "021**", "0****", "*")
