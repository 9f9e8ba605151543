"""`indistinct tables` through the command line: its answer, its exit codes, and what it refuses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from indistinct.cli import run
from indistinct.tables.perturb import rounding

FIELDS = {
    *("areas", "tables", "cells", "records", "frtu", "prtu", "risk"),
    *("false_matches", "differencing"),
}
SECRET = "Zebulon"
PAPER_TABLES = (
    *("--table", "age[0,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85,90],sex"),
    *("--table", "age[0,15,30,65],ethnic", "--table", "sex,ethnic"),
)
SUMS = ("--area", "area", "--table", "sex")
SMALL = ("--area", "area", "--table", "age[0,15,65],sex", "--table", "sex,ethnic")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Group A of Openshaw, Duke-Williams and Rees (1997), Table 3."""
    path = tmp_path_factory.mktemp("paper") / "people.csv"
    people = ["1,27,1", "2,40,4", "1,11,1", "2,59,1", "1,52,1"]
    people += ["1,38,2", "2,5,2", "1,13,1", "2,68,1", "2,57,3"]
    path.write_text("sex,age,ethnic\n" + "\n".join(people) + "\n")
    return path


@pytest.fixture
def census(tmp_path: Path) -> Path:
    """Two hundred people in four areas; one person has a name for an ethnic group."""
    rng = np.random.default_rng(3)
    rows = ["area,age,sex,ethnic,wage,debt,hole"]
    for n in range(200):
        ethnic = SECRET if n == 17 else ("white", "black")[n % 2]
        sex = "fm"[rng.integers(0, 2)]
        hole = "" if n % 7 == 0 else "h"
        rows.append(f"a{n % 4},{rng.integers(0, 90)},{sex},{ethnic},{n},{n - 150},{hole}")
    path = tmp_path / "census.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


Answer = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def answer(capfd: pytest.CaptureFixture[str]) -> Answer:
    """Run the verb; returns the exit code and what it answered."""

    def asked(*arguments: object) -> tuple[int, dict[str, Any]]:
        capfd.readouterr()
        code = run(["tables", *map(str, arguments), "--json"])
        return code, json.loads(capfd.readouterr().out)

    return asked


@pytest.fixture
def refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the verb, which must be refused with nothing written; returns its sentence."""

    def contents() -> dict[str, bytes]:
        return {
            str(p.relative_to(tmp_path)): hashlib.sha256(p.read_bytes()).digest()
            if p.is_file()
            else b""
            for p in tmp_path.rglob("*")
        }

    def asked(*arguments: object, code: int = 2) -> str:
        before = contents()
        capfd.readouterr()
        assert run(["tables", *map(str, arguments)]) == code
        said = capfd.readouterr()
        assert contents() == before, "a file was changed or left behind"
        assert "Traceback" not in said.err + said.out
        assert "fault of its own" not in said.err
        assert SECRET not in said.err + said.out
        return " ".join(said.err.split())

    return asked


# answers ----------------------------------------------------------------------------------------


def test_the_papers_example(answer, paper, tmp_path):
    people = tmp_path / "people.parquet"
    code, said = answer(paper, "--area", "persons", *PAPER_TABLES, "--per-person", people)
    assert code == 0
    assert set(said) >= FIELDS
    numbers = ("areas", "tables", "cells", "records", "frtu", "prtu", "risk")
    assert [said[name] for name in numbers] == [1, 3, 62, 10, 3, 4, 0.3]
    assert said["false_matches"] == 3
    matches = said["matches"]
    assert (matches["ones"], matches["combinations"]) == ([6, 6, 4], 144)
    assert (matches["feasible"], matches["true"], matches["false"]) == (6, 3, 3)
    assert said["differencing"] == []
    assert (said["safe"], said["holds"], said["published"]) == (False, False, None)
    status = pq.read_table(people)["status"].to_pylist()
    assert [n for n, word in enumerate(status, 1) if word == "FRTU"] == [2, 6, 7]


def test_match_keys_and_modified_records(answer, paper):
    asked = (paper, "--area", "persons", *PAPER_TABLES)
    _, known = answer(*asked, "--match-keys", "age,sex")
    assert (known["frtu"], known["tables"]) == (0, 3)
    assert known["attribute_disclosure"] is not None
    _, flagged = answer(*asked, "--modified", "age=40")
    assert (flagged["frtu"], flagged["risk"]) == (3, 0.2)


def test_safe_tables_leave_with_0(answer, census):
    code, said = answer(census, "--area", "area", "--table", "sex")
    assert (code, said["safe"], said["holds"]) == (0, True, True)


def test_published_tables_leave_with_0_and_say_where_they_are(answer, census, tmp_path):
    out = tmp_path / "out"
    asked = (*SMALL, "--method", "round", "--seed", 4, "--stop", "allow")
    code, said = answer(census, *asked, "--out", out)
    assert code == 0
    assert said["safe"] is False
    assert said["holds"] is True
    assert said["method"] == "round"
    assert said["published"]["folder"] == str(out)
    assert said["published"]["verdict"]["holds"] is True
    assert (out / "certificate.json").exists()


def test_tables_that_do_not_hold_leave_with_1_although_they_are_written(answer, paper, tmp_path):
    asked = (paper, "--area", "persons", *PAPER_TABLES, "--out", tmp_path / "out")
    code, said = answer(*asked, "--although-unproved")
    assert code == 1
    assert said["holds"] is False
    assert (tmp_path / "out" / "certificate.json").exists()


def test_people_are_told_in_words(census, tmp_path, capfd):
    assert run(["tables", str(census), *SMALL, "--plot", str(tmp_path / "risk.svg")]) == 0
    said = capfd.readouterr()
    assert "not safe to publish as they are" in said.out + said.err
    assert "--method suppress" in said.out + said.err
    assert (tmp_path / "risk.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    "kind",
    [
        "recodes",
        *(pytest.param(k, marks=pytest.mark.heavy) for k in ("tables", "area-size", "safe-size")),
    ],
)
def test_experiments_leave_with_0(answer, census, kind):
    asked = (census, "--area", "area", "--table", "age,sex", "--experiment", kind)
    code, said = answer(*asked, *(("--vary", "age") if kind == "recodes" else ()))
    assert code == 0
    assert said


# what is refused --------------------------------------------------------------------------------


WRONG = [
    (("--table", "age,sex"), "For which areas are the tables? Name the geography with --area"),
    (("--area", "area"), "There is no table. Name one with --table age,sex."),
    (("--area", "area", "--table", "aeg,sex"), "no variable 'aeg'. Did you mean 'age'?"),
    (
        ("--area", "area", "--table", "age[20,30]"),
        "'age[20,30]' of 'age' leaves out 18 of the 81 values in the data",
    ),
    (("--area", "area", "--table", "sex", "--table", "sex"), "'sex' is there twice"),
    (
        ("--area", "area", "--table", "age,sex,ethnic,wage,debt,hole"),
        "must have 1 to 5 dimensions. Got 6.",
    ),
    (("--area", "hole", "--table", "sex"), "29 people have no value in the area variable 'hole'"),
    ((*SMALL, "--method", "round"), "Where are the tables to go? Name a folder with --out."),
]
MORE_WRONG = [
    (("--area", "area", "--table", ""), "A dimension has no name"),
    (("--area", "aera", "--table", "sex"), "no variable 'aera'. Did you mean 'area'?"),
    (("--area", "area", "--table", "age[0,x]"), "Bands are numbers: age[0,15,65]"),
    (("--area", "area", "--table", "age[30,10]"), "must rise"),
    (("--area", "area", "--table", "ethnic:5"), "needs numbers, and 'ethnic' has values that"),
    (("--area", "area", "--table", "area,sex"), "has the area 'area' as a dimension"),
    (("--area", "area", "--table", "sex,sex"), "names a variable twice"),
    ((*SMALL, "--match-keys", "wages"), "no variable 'wages'. Did you mean 'wage'?"),
    ((*SMALL, "--match-keys", "hole"), "No table is made of the match keys alone"),
    ((*SMALL, "--modified", "flag=1"), "There is no variable 'flag'"),
    ((*SMALL, "--modified", "flag"), "variable=value"),
    ((*SMALL, "--threshold", "1"), "threshold must be a whole number of at least 2. Got 1."),
    (
        (*SUMS, "--value", "wage", "--dominance", "85"),
        "--dominance must be written as 2,85. Got 85.",
    ),
    ((*SMALL, "--merge"), "Where are the tables to go? Name a folder with --out."),
    ((*SMALL, "--method", "guess"), "'guess' is not one of"),
    ((*SMALL, "--experiment", "recodes"), "Which variable is recoded? Name it with --vary"),
]


@pytest.mark.parametrize(("asked", "said"), WRONG)
def test_wrong_questions_get_a_sentence(refused, census, asked, said):
    assert said in refused(census, *asked)


@pytest.mark.heavy
@pytest.mark.parametrize(("asked", "said"), MORE_WRONG)
def test_more_wrong_questions_get_a_sentence(refused, census, asked, said):
    assert said in refused(census, *asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((*SMALL, "--method", "round", "--base", "1"), "at least 2. Got 1."),
        ((*SMALL, "--method", "small-counts", "--base", "0"), "at least 2. Got 0."),
        (
            (*SMALL, "--method", "cell-key", "--variance", "-1"),
            "--variance must be a number of at least 0",
        ),
        ((*SMALL, "--merge", "--within", "nowhere"), "There is no variable 'nowhere'"),
        (
            (*SUMS, "--value", "debt", "--method", "suppress", "--dominance", "2,85"),
            "'debt' of the table 'sex' is below zero in record 1",
        ),
        (
            (*SUMS, "--value", "ethnic", "--method", "suppress"),
            "'ethnic' must hold numbers to be added up",
        ),
        (
            (*SUMS, "--value", "wage", "--method", "round"),
            "'sex' adds up values or weights. The method 'round' is for counts",
        ),
    ],
)
def test_nothing_is_published_that_was_asked_for_wrongly(refused, census, tmp_path, asked, said):
    assert said in refused(census, *asked, "--out", tmp_path / "out")


def test_a_folder_that_exists_is_kept(refused, census, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    said = refused(census, *SMALL, "--method", "round", "--out", tmp_path / "out")
    assert "exists already and is not empty" in said


def test_areas_without_people_are_refused(refused, census, tmp_path):
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    (folder / "area.csv").write_text("a0;north;*\na1;north;*\na2;south;*\na3;south;*\na4;east;*\n")
    asked = ("--area", "area@1", "--table", "sex", "--hierarchies", folder)
    assert "1 of the 3 areas of 'area@1' have no people" in refused(census, *asked)
    asked = ("--area", "area@5", "--table", "sex", "--hierarchies", folder)
    assert "A level of the hierarchy of 'area' must be from 0" in refused(census, *asked)


def test_a_base_for_which_there_is_no_rounding(refused, tmp_path, monkeypatch):
    """Four ones in a cube, whose sums of two are multiples of 2 and cannot all stay."""
    monkeypatch.setattr(rounding, "MOST_STEPS", 1)
    cube = tmp_path / "cube.csv"
    cube.write_text("a,b,c\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    said = refused(
        *(cube, "--area", "persons", "--table", "a,b,c", "--method", "round", "--base", 2),
        *("--out", tmp_path / "out"),
    )
    assert "infeasible rounding base 2" in said


# what cannot be promised ------------------------------------------------------------------------


def test_people_who_stand_out_are_not_published_as_they_are(refused, paper, tmp_path):
    asked = (paper, "--area", "persons", *PAPER_TABLES, "--method", "none", "--stop", "allow")
    said = refused(*asked, "--out", tmp_path / "out", code=1)
    assert "The tables do not hold" in said
    assert "Nothing was published" in said


def test_a_category_that_one_person_has_is_refused_without_its_name(refused, census, tmp_path):
    said = refused(census, *SMALL, "--method", "round", "--out", tmp_path / "out", code=1)
    assert "'ethnic' in the table 'sex,ethnic' has 1 categories with fewer than 3 people" in said
    assert SECRET not in said


def test_a_geography_that_reveals_a_few_people_is_refused(refused, tmp_path):
    people = tmp_path / "people.csv"
    rows = [f"east,{'all' if n > 2 else 'others'},{'fm'[n % 2]}" for n in range(60)]
    people.write_text("area,zone,sex\n" + "\n".join(rows + ["west,others,f"] * 30) + "\n")
    asked = (people, "--area", "area", "--also", "zone", "--table", "sex", "--method", "round")
    said = refused(*asked, "--out", tmp_path / "out", code=1)
    assert "'zone' beside 'area' reveals" in said
    assert "Nothing was published" in said


def test_more_people_than_there_are_cannot_be_in_an_area(refused, census, tmp_path):
    asked = (census, *SMALL, "--merge", "--least-people", 1000, "--out", tmp_path / "out")
    assert "fewer than 1,000 people" in refused(*asked, code=1)
