"""Tables of a project file: recodes, universes and settings are read, mistakes have their line."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from indistinct.cli import run
from indistinct.core.errors import InputError
from indistinct.project import load_project

PEOPLE = [
    # area, age, sex, work
    *[("a", age, sex, "none") for age in (3, 9, 14) for sex in "fm" for _ in range(4)],
    *[("a", age, sex, "smith") for age in (20, 40) for sex in "fm" for _ in range(5)],
    *[("b", age, sex, "clerk") for age in (15, 33, 64) for sex in "fm" for _ in range(3)],
    *[("b", age, sex, "none") for age in (66, 90) for sex in "fm" for _ in range(6)],
]
WHOLE = """\
[publish]
area = "area"
also = ["persons"]
threshold = 2
method = "none"
out = "published"

[recodes.stage]
variable = "age"
bands = [0, 15, 65]

[recodes.calling]
variable = "work"
groups = { working = ["smith", "clerk"], other = ["none"] }

[tables.stages]
dimensions = ["stage", "sex"]

[tables.callings]
dimensions = ["calling", "sex"]
universe = { age = ["15-64"] }
margins = false
"""


def project(folder: Path, text: str) -> Path:
    rows = "\n".join(",".join(map(str, person)) for person in PEOPLE)
    (folder / "people.csv").write_text(f"area,age,sex,work\n{rows}\n")
    path = folder / "census.toml"
    path.write_text(f'[data]\nfile = "people.csv"\n{text}')
    return path


def answer(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    capfd.readouterr()
    code = run(["tables", *map(str, arguments), "--json"])
    return code, json.loads(capfd.readouterr().out)


def cells(path: Path) -> dict[tuple[str, ...], int]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    return {row[:-1]: int(row[-1]) for row in rows}


def test_what_the_file_says_is_read(tmp_path):
    found = load_project(project(tmp_path, WHOLE))
    assert (found.publish.area, found.publish.also) == ("area", ("persons",))
    assert (found.publish.threshold, found.publish.smallest_zone) == (2, 10)
    assert found.publish.out == tmp_path / "published"
    assert found.recodes["stage"].bands == (0, 15, 65)
    assert dict(found.recodes["calling"].groups) == {
        "working": ("smith", "clerk"),
        "other": ("none",),
    }
    assert found.tables["stages"].dimensions == ("stage", "sex")
    assert dict(found.tables["callings"].universe) == {"age": ("15-64",)}
    assert (found.tables["stages"].margins, found.tables["callings"].margins) == (True, False)


def test_tables_are_published_as_the_file_says(tmp_path, capfd):
    code, said = answer(capfd, project(tmp_path, WHOLE))
    assert (code, said["holds"], said["tables"], said["cells"]) == (0, True, 2, 10)
    stages: Counter[tuple[str, ...]] = Counter()
    callings: Counter[tuple[str, ...]] = Counter()
    for area, age, sex, work in PEOPLE:
        stage = "0–14" if age < 15 else "15–64" if age < 65 else "65+"
        calling = "other" if work == "none" else "working"
        for place in (("area", area), ("persons", "everybody")):
            for at in ((stage, sex), (stage, "total"), ("total", sex), ("total", "total")):
                stages[(*place, *at)] += 1
            callings[(*place, calling, sex)] += 15 <= age < 65
    written = cells(tmp_path / "published" / "tables" / "stages.csv")
    assert {at: n for at, n in written.items() if n} == stages
    written = cells(tmp_path / "published" / "tables" / "callings.csv")
    assert {at: n for at, n in written.items() if n} == +callings
    told = (tmp_path / "published" / "methodology.md").read_text()
    assert "| callings | calling × sex | age 15-64 | people |" in told


def test_the_command_line_comes_before_the_file(tmp_path, capfd):
    path = project(tmp_path, WHOLE)
    other = tmp_path / "other"
    code, said = answer(capfd, path, "--method", "round", "--base", 5, "--out", other)
    assert (code, said["method"]) == (0, "round")
    assert not (tmp_path / "published").exists()
    assert all(n % 5 == 0 for n in cells(other / "tables" / "stages.csv").values())
    code, said = answer(capfd, path, "--table", "stage", "--out", tmp_path / "third")
    assert said["tables"] == 1
    assert {at[2] for at in cells(tmp_path / "third" / "tables" / "stage.csv")} == {
        *("0–14", "15–64", "65+", "total")
    }


def told(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as error:
        load_project(project(folder, text))
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[publish]\narae = "area"\n', 4, "[publish] has no setting 'arae'. Did you mean 'area'?"),
        ("[publish]\nbase = 1\n", 4, "[publish] base must be a whole number of at least 2. Got 1."),
        ("[publish]\nthreshold = 1\n", 4, "threshold must be a whole number of at least 2. Got 1."),
        ('[publish]\nmethod = "guess"\n', 4, "[publish] method must be"),
        ("[publish]\ndominance = [2]\n", 4, "dominance must be a number and a percentage"),
        ('[publish]\nstop = "now"\n', 4, "[publish] stop must be"),
        ("[publish]\nprobability = 2\n", 4, "probability must be a number from 0 to 1"),
        ('[tables.t]\ndimensions = ["sex"]\n', 3, "[tables] needs areas: write [publish] area"),
        ('[publish]\narea = "area"\n[tables.t]\n', 5, "[tables.t] needs dimensions"),
        (
            '[publish]\narea = "area"\n[tables.t]\ndimensions = "sex"\n',
            6,
            '[tables.t] dimensions must be a list of dimensions. Got "sex".',
        ),
        (
            '[publish]\narea = "area"\n[tables.t]\ndimensions = ["sex"]\nuniverse = "adults"\n',
            7,
            "[tables.t] universe must be a table of names and values",
        ),
        (
            '[publish]\narea = "area"\n[tables.t]\ndimensions = ["sex"]\nmargins = "no"\n',
            7,
            '[tables.t] margins must be true or false. Got "no".',
        ),
        ("[recodes.r]\nbands = [0, 5]\n", 3, "[recodes.r] needs variable"),
        (
            '[recodes.r]\nvariable = "age"\nbands = [5, 0]\n',
            5,
            "[recodes.r] bands must be a list of rising numbers",
        ),
        (
            '[recodes.r]\nvariable = "age"\nbands = [0, 5]\nwidth = 5\n',
            3,
            "[recodes.r] says twice how values are grouped: bands and width.",
        ),
        (
            '[recodes.r]\nvariable = "aeg"\nwidth = 5\n[variables.age]\n',
            4,
            "[recodes.r] names 'aeg', which has no section",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path, text, line, said):
    assert any(
        one.startswith(f"{tmp_path / 'census.toml'}:{line}: ") and said in one
        for one in told(tmp_path, text).splitlines()
    ), told(tmp_path, text)


def test_all_mistakes_are_told_together(tmp_path):
    text = '[publish]\nbase = 0\nstop = "now"\n[tables.t]\ndimensions = []\n'
    lines = [
        one.split("census.toml:")[1].split(":")[0] for one in told(tmp_path, text).splitlines()
    ]
    assert {"4", "5"} <= set(lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[recodes.part]\nvariable = "area"\ngroups = { one = ["a", "b"], two = ["z"] }\n'
            '[publish]\narea = "part"\n[tables.t]\ndimensions = ["sex"]\n',
            "1 of the 2 areas of 'part' have no people",
        ),
        (
            '[recodes.job]\nvariable = "work"\ngroups = { some = ["smith"] }\n'
            '[publish]\narea = "area"\n[tables.t]\ndimensions = ["job"]\n',
            "The recode 'job' of 'work' leaves out 2 of the 3 values in the data",
        ),
        (
            '[recodes.job]\nvariable = "work"\n'
            'groups = { some = ["smith", "clerk"], none = ["none", "clerk"] }\n'
            '[publish]\narea = "area"\n[tables.t]\ndimensions = ["job"]\n',
            "puts a value of 'work' into both 'some' and 'none'",
        ),
        (
            '[publish]\narea = "area"\n[tables.t]\ndimensions = ["stage", "sex"]\n',
            "There is no variable 'stage'",
        ),
        (
            '[publish]\narea = "area"\n[tables.t]\ndimensions = ["sex"]\n'
            'universe = { agee = ["15+"] }\n',
            "There is no variable 'agee'. Did you mean 'age'?",
        ),
    ],
)
def test_what_does_not_fit_the_data_is_refused(tmp_path, capfd, text, said):
    path = project(tmp_path, text)
    capfd.readouterr()
    assert run(["tables", str(path)]) == 2
    shown = capfd.readouterr()
    assert said in " ".join(shown.err.split())
    assert "clerk" not in shown.err
