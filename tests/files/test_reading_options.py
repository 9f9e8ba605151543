"""How data are read is said the same way on the command line, in a project file and in Python."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

import indistinct as ind
from indistinct.cli import run
from indistinct.core import InputError


@pytest.fixture
def book(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with xlsxwriter.Workbook("people.xlsx") as made:
        for name, ages in (("men", [40, 40, 41]), ("women", [50, 51, 52])):
            sheet = made.add_worksheet(name)
            sheet.write(0, 0, "A title")
            sheet.write_row(1, 0, ["age", "sex"])
            for number, age in enumerate(ages):
                sheet.write_row(2 + number, 0, [age, name[0]])
    return tmp_path / "people.xlsx"


def answer(capfd) -> dict:
    return json.loads(capfd.readouterr().out)


def test_a_sheet_by_its_name(book, capfd):
    asked = ["uniques", "people.xlsx", "--key", "age,sex", "--k", "2", "--json"]
    assert run(asked) == 2
    assert "has 2 sheets: 'men', 'women'. Say which with --table" in capfd.readouterr().err
    assert run([*asked, "--table", "men"]) == 2
    assert "--header-row 2" in capfd.readouterr().err
    for name in ("--table", "--sheet"):
        assert run([*asked, name, "men", "--header-row", "2"]) == 0
        assert answer(capfd)["unique"] == 1
    with ind.open(book, table="women", header_row=2) as data:
        assert data.records == 3
        assert data.uniques(["age"], k=2).unique == 3


def test_a_draft_says_what_was_said_and_a_project_reads_it(book, capfd):
    assert run(["init", "people.xlsx", "--table", "men", "--header-row", "2", "--json"]) == 0
    capfd.readouterr()
    written = (book.parent / "release.toml").read_text()
    assert 'table = "men"\nheader_row = 2\n' in written
    assert run(["uniques", "release.toml", "--key", "age,sex", "--k", "2", "--json"]) == 0
    assert answer(capfd)["records"] == 3
    with pytest.raises(InputError, match="Put query, table, header_row"):
        ind.open(book.parent / "release.toml", table="men")


def test_a_dictionary_by_its_name(book, capfd):
    (book.parent / "people.dat").write_text("40m\n41f\n41m\n")
    (book.parent / "layout.csv").write_text("name,start,length\nage,1,2\nsex,3,1\n")
    asked = ["--key", "age,sex", "--k", "2", "--json"]
    assert run(["uniques", "people.dat", "--dictionary", "layout.csv", *asked]) == 0
    assert answer(capfd)["records"] == 3
    assert run(["init", "people.dat", "--dictionary", "layout.csv", "--json"]) == 0
    capfd.readouterr()
    assert run(["uniques", "release.toml", *asked]) == 0
    assert answer(capfd)["records"] == 3


def test_a_pattern_of_parquet_files(book, capfd):
    for number in range(2):
        pq.write_table(
            pa.table({"age": [40, 41], "sex": ["m", "f"]}), book.parent / f"part-{number}.parquet"
        )
    asked = ["--key", "age,sex", "--k", "2", "--json"]
    assert run(["uniques", "part-*.parquet", *asked]) == 0
    assert answer(capfd) | {"seconds": 0} == answer_of_project(book, capfd, asked) | {"seconds": 0}


def answer_of_project(book, capfd, asked):
    (book.parent / "release.toml").write_text('[data]\nfile = "part-*.parquet"\n')
    assert run(["uniques", "release.toml", *asked]) == 0
    return answer(capfd)
