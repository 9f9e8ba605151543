"""Metadata, trees, labels and records in the formats of the ARGUS programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_data import shared_engine

from indistinct.core.errors import InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, persons
from indistinct.tables.argus import data as argus_data
from indistinct.tables.argus import open_argus, read_codelist, read_hrc, read_rda

FIXED = """\
Branch 1 4 9999
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERLEVELS> 2 1 1 0 0
Region 6 2 "99" " x"
  <RECODABLE>
  <TOTCODE> "All"
  <CODELIST> "REGION.CDL"
  <HIERARCHICAL>
  <HIERCODELIST> "C:\\metadata\\Region.hrc"
  <HIERLEADSTRING> "@"
  <DISTANCE> 1 2 3 4 5
Turnover 9 7 9999999
  <NUMERIC>
  <DECIMALS> 2
Weight 16 3
  <WEIGHT>
Group 20 3
  <HOLDING>
"""
TREE = "Nr\n@ 1\n@ 2\nSo \n@ 3\n@10\n"
LABELS = " 1,Groningen\n 2,Friesland\n10,Zeeland, with islands\nNr,North\n"
RECORDS = """\
1011  1  100.50  2 AA
1012  2   20.00 12 AA
1111 10 9999999  1 BB
1111 99    0.25  1
2011  3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "firms.rda").write_text(FIXED)
    (tmp_path / "region.hrc").write_text(TREE)
    (tmp_path / "region.cdl").write_text(LABELS)
    (tmp_path / "firms.asc").write_text(RECORDS)
    return tmp_path


def test_fixed_positions(folder: Path) -> None:
    metadata = read_rda(folder / "firms.rda")
    assert [v.name[0] for v in metadata.variables] == ["B", "R", "T", "W", "G"]
    region = metadata["Region"]
    assert (region.start, region.length, region.missing) == (6, 2, ("99", "x"))
    assert (region.total, region.lead, region.tree) == ("All", "@", folder / "region.hrc")
    assert metadata["Branch"].digits == (2, 1, 1)
    assert metadata.notes == ("read and not used: <DISTANCE>",)
    source = open_argus(metadata, folder / "firms.asc", workspace=folder)
    assert source.table().to_pydict() == {
        "Branch": ["1011", "1012", "1111", "1111", "2011"],
        "Region": ["1", "2", "10", "99", "3"],
        "Turnover": [100.5, 20, None, 0.25, None],
        "Weight": [2, 12, 1, 1, None],
        "Group": ["AA", "AA", "BB", None, None],
    }
    variables = source.variables
    assert variables["Weight"].role == "weight"
    assert variables["Group"].role == "household"
    assert variables["Region"].level == "taxonomy"
    assert variables["Region"].labels["10"] == "Zeeland, with islands"
    assert variables["Region"].user_missing == ("99", "x")
    assert variables["Turnover"].format == "0.00#"


def test_hierarchies_of_trees_and_digits(folder: Path) -> None:
    metadata = read_rda(folder / "firms.rda")
    source = open_argus(metadata, folder / "firms.asc", workspace=folder)
    found = metadata.hierarchies(source)
    assert found["Region"].ancestors("10") == ("10", "So", "All")
    assert found["Region"].ancestors("99") == ("99", "99", "All")
    assert found["Branch"].ancestors("1012") == ("1012", "101*", "10**", "Total")
    assert sorted(found) == ["Branch", "Region"]


def test_records_become_tables(folder: Path) -> None:
    metadata = read_rda(folder / "firms.rda")
    source = open_argus(metadata, folder / "firms.asc", workspace=folder)
    tree = metadata.hierarchies(source)["Region"]
    region = Grouping("region", "Region", level=1, hierarchy=tree)
    tables = TableSet((TableSpec("firms", (region,)),), persons())
    counted = count_tables(source, shared_engine(), tables)
    assert counted.layouts[0].categories[0].labels == ("Nr", "So", "99")
    assert counted.area_vector(0).tolist() == [2, 2, 1]


@pytest.mark.parametrize("header", ["", "sex;Age;savings\n"])
def test_fields_with_a_separator(tmp_path: Path, header: str) -> None:
    (tmp_path / "people.rda").write_text(
        '  <SEPARATOR> ";"\nSex 1\n  <RECODEABLE>\nAge 2 99\n<RECODEABLE>\nSavings 4 -1\n<NUMERIC>'
    )
    (tmp_path / "people.csv").write_text(f'{header}1;"07";12\n2; 3;-1\n1;99;0.5\n')
    source = open_argus(tmp_path / "people.rda", tmp_path / "people.csv", workspace=tmp_path)
    assert source.table().to_pydict() == {
        "Sex": ["1", "2", "1"],
        "Age": ["07", "3", "99"],
        "Savings": [12, None, 0.5],
    }


def test_positions_are_characters_in_both_encodings(tmp_path: Path) -> None:
    (tmp_path / "m.rda").write_text("Town 1 5\n <RECODEABLE>\nX 6 2\n <NUMERIC>\n")
    for encoding in ("utf-8", "utf-8-sig", "cp1252"):
        path = tmp_path / f"{encoding}.asc"
        path.write_text("Köln 12\nBonn  3\n", encoding=encoding)
        source = open_argus(tmp_path / "m.rda", path, workspace=tmp_path)
        assert source.table().to_pydict() == {"Town": ["Köln", "Bonn"], "X": [12, 3]}


def test_a_tree_of_several_levels_and_another_lead_string(tmp_path: Path) -> None:
    path = tmp_path / "area.hrc"
    path.write_text("A\n--A1\n----A11\n----A12\n--A2\nB\n")
    tree = read_hrc(path, lead="--", total="land", values=["A1", "A11"])
    assert tree.name == "area"
    assert tree.ancestors("A12") == ("A12", "A1", "A", "land")
    assert tree.ancestors("A1") == ("A1", "A1", "A", "land")
    assert tree.ancestors("B") == ("B", "B", "B", "land")
    assert "A" not in tree


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<RECODEABLE>\n", "line 1: <RECODEABLE> stands before any variable"),
        ("A 1\n", "line 1: 'A' must be followed by its first position and its width"),
        ('<SEPARATOR> ";"\nA\n', "line 2: 'A' must be followed by its width"),
        ("A 0 2\n", "line 1: 'A' must be followed by"),
        ("A 1 2\n<SEPARATOR> ;\n", "line 2: <SEPARATOR> must stand before the first variable"),
        ('<SEPARATOR> ";;"\n', "line 1: <SEPARATOR> must be followed by one character"),
        ("A 1 2\n\n<RECODABEL>\n", "line 3: the keyword <RECODABEL> is not known. Did you mean"),
        ("A 1 2\n<DECIMALS> two\n", "line 2: <DECIMALS> must be followed by whole numbers"),
        ("A 1 2\n<CODELIST> a.cdl\n", "line 2: there is no file 'a.cdl' beside it"),
        ("A 1 2\n<TOTCODE>\n", "line 2: <TOTCODE> must be followed by a text"),
        ('A 1 2\n<TOTCODE> "x\n', "line 2: a quotation mark is missing"),
        ("A 1 2\nB 3 1\na 4 1\n", "line 3: 'a' is named in line 1 already"),
        ("A 1 5\n<HIERLEVELS> 3 1\n", "add up to 4 digits, and its width is 5"),
        ("A 1 5\n<STATUS>\n", "line 2: the file describes a finished table"),
        ("A 1 5\n<NUMERIC> <SHADOW>\n", "line 2: the file describes a finished table"),
        ("<SPSS>\n", "line 1: the records are in an SPSS file"),
        ("\n", "names no variable"),
    ],
)
def test_metadata_that_are_wrong_say_where(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "m.rda"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_rda(path)
    assert str(error.value).startswith(str(path))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A\n@@B\n", "line 2: the code is 2 levels below the one before"),
        ("@A\n", "line 1: the code is 2 levels below the one before"),
        ("A\n@B\nC\n@B\n", "line 4: the code 'B' stands in line 2 already"),
        ("A\n@\n", "line 2: there is no code after the lead string"),
        ("\n\n", "has no codes"),
    ],
)
def test_trees_that_are_wrong_say_where(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "t.hrc"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_hrc(path)
    assert said in str(error.value)


def test_labels_that_are_wrong_say_where(tmp_path: Path) -> None:
    path = tmp_path / "t.cdl"
    path.write_text("1,one\n2 two\n")
    with pytest.raises(InputError, match="line 2: there must be a code, a comma and a label"):
        read_codelist(path)
    path.write_text("1,one\n1,uno\n")
    with pytest.raises(InputError, match="line 2: the code '1' has two labels"):
        read_codelist(path)


@pytest.mark.parametrize(
    ("rda", "records", "said"),
    [
        ("A 1 3\n<NUMERIC>\n", " 12\n  7\n1z7\n", "variable 'A' must hold numbers, but record 3"),
        (
            "A 1 1\nBee 9 1\n",
            "4711\n",
            "the longest record has 4 characters, and 'Bee' begins at 9",
        ),
        ('<SEPARATOR> ","\nA 1\nB 4\n', "1,2\n4711\n", "record 2 has 1 fields"),
        ('<SEPARATOR> ","\nA 1\nB 4\n', "A,B\n1,2\n4711\n", "record 2 has 1 fields"),
        ("A 1 1\n", "", "has no records"),
    ],
)
def test_records_that_do_not_fit_are_told_without_their_values(
    tmp_path: Path, rda: str, records: str, said: str
) -> None:
    (tmp_path / "m.rda").write_text(rda)
    (tmp_path / "m.asc").write_text(records)
    with pytest.raises(InputError) as error:
        open_argus(tmp_path / "m.rda", tmp_path / "m.asc", workspace=tmp_path)
    assert said in str(error.value)
    assert "4711" not in str(error.value)
    assert "1z7" not in str(error.value)
    assert not list(tmp_path.glob("*.parquet"))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no file .*m\.rda"):
        read_rda(tmp_path / "m.rda")
    (tmp_path / "m.rda").write_text("A 1 1\n")
    with pytest.raises(InputError, match=r"m\.asc"):
        open_argus(tmp_path / "m.rda", tmp_path / "m.asc", workspace=tmp_path)


def test_records_are_numbered_across_blocks(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(argus_data, "_BLOCK", 1 << 12)
    numbers = np.random.default_rng(1).integers(0, 10**6, 2_000).tolist()
    (tmp_path / "m.rda").write_text("Pad 1 20\n<RECODEABLE>\nX 21 7\n<NUMERIC>\n")
    lines = [f"{'p':<20}{n:7d}\n" for n in numbers]
    (tmp_path / "m.asc").write_text("".join(lines))
    source = open_argus(tmp_path / "m.rda", tmp_path / "m.asc", workspace=tmp_path)
    assert source.table(["X"]).column(0).to_pylist() == numbers
    lines[1733] = f"{'p':<20}secret!\n"
    (tmp_path / "m.asc").write_text("".join(lines))
    with pytest.raises(InputError, match="record 1,734 does not"):
        open_argus(tmp_path / "m.rda", tmp_path / "m.asc", workspace=tmp_path)
