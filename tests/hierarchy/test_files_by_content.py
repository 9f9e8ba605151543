"""Hierarchy files that are not named after their variable."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from indistinct.hierarchy import load_hierarchies

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def test_a_file_is_found_by_its_first_column_and_said(tmp_path: Path) -> None:
    folder = written(tmp_path, x_status="single;alone;*\nmarried;two;*\n", other="a;*\nb;*\n")
    found = load_hierarchies(folder, {"civil": ["single", "married"]})
    assert found["civil"].ancestors("single") == ("single", "alone", "*")
    assert "x_status.csv, whose first column holds all 2 values" in found.notes["civil"]
    assert "it holds no value" in found.notes["other.csv"]


def test_between_two_equally_good_files_nothing_is_guessed(tmp_path: Path) -> None:
    folder = written(tmp_path, one="m;x;*\nf;x;*\n", two="m;y;*\nf;y;*\n")
    found = load_hierarchies(folder, {"sex": ["m", "f"]})
    assert "one.csv and two.csv fit 'sex' equally well" in found.notes["sex"]
    assert found["sex"].height == 1


def test_the_nearer_name_is_taken(tmp_path: Path) -> None:
    folder = written(tmp_path, fr_sex="m;x;*\nf;x;*\n", two="m;y;*\nf;y;*\n")
    found = load_hierarchies(folder, {"sex": ["m", "f"]})
    assert found["sex"].ancestors("m") == ("m", "x", "*")


def test_numbers_need_a_name_that_is_like_theirs(tmp_path: Path) -> None:
    ages = "".join(f"{age};{age // 10}x;*\n" for age in range(100))
    folder = written(tmp_path, age=ages)
    found = load_hierarchies(folder, {"iage": [3, 40], "month": list(range(1, 13))})
    assert found["iage"].ancestors(40) == ("40", "4x", "*")
    assert "chosen" in found.notes["month"]


def test_a_file_that_misses_a_value_is_not_used_and_says_the_share(tmp_path: Path) -> None:
    folder = written(tmp_path, x="a;*\nb;*\nc;*\n")
    found = load_hierarchies(folder, {"v": ["a", "b", "c", "d"]})
    assert found.notes["x.csv"] == (
        "x.csv is not used: it holds at best 75% of the values of a variable ('v')."
    )


@pytest.mark.shared
def test_hierarchies_made_for_arx_are_found() -> None:
    if not (SHARED / "adult.csv").is_file():
        pytest.skip("the shared data are not beside the project")
    for file, least in (("adult", 9), ("fars", 6)):
        with (SHARED / f"{file}.csv").open(encoding="utf-8") as opened:
            start = opened.readline()
            opened.seek(0)
            columns: dict[str, set[str]] = {}
            for row in csv.DictReader(opened, delimiter=max(";,", key=start.count)):
                for name, value in row.items():
                    columns.setdefault(name, set()).add(value)
        found = load_hierarchies(SHARED / "hierarchies", columns)
        right = [n for n in columns if f"{file}_hierarchy_{n}.csv" in found.notes.get(n, "")]
        wrong = [
            n
            for n in columns
            if n not in right and "takes the hierarchy of" in found.notes.get(n, "")
        ]
        assert len(right) >= least, (right, found.notes)
        assert not wrong
