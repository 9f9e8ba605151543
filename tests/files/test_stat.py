"""Stata, SPSS and SAS: everything they say of a variable comes through a round trip."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from indistinct.core.errors import InputError
from indistinct.core.variables import Variable, Variables
from indistinct.files import open_data, statfiles, write_data

DAY = datetime.date(2020, 2, 29)
STAMP = datetime.datetime(2020, 2, 29, 12, 30, 15)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def stata(tmp_path: Path) -> Path:
    frame = pd.DataFrame(
        {
            "sex": pd.array([1, 2, None, 1], dtype="Int32"),
            "income": [1.5, np.nan, -3.25, 1e9],
            "id": [1e10, 2.0, 3.0, 4.0],
            "why": pd.Series([1, "a", 3, "b"], dtype=object),
            "pay": pd.Series([1.5, "z", 3.0, None], dtype=object),
            "name": ["Zoë", "", "x y", "long text " * 300],
            "born": [DAY, None, datetime.date(1955, 1, 1), DAY],
            "seen": [STAMP, None, STAMP, STAMP],
            "died": pd.Series([21_916, "a", None, 7], dtype=object),
        }
    )
    path = tmp_path / "in.dta"
    pyreadstat.write_dta(
        frame,
        str(path),
        column_labels={"sex": "Sex of respondent", "why": "Why not"},
        variable_value_labels={
            "sex": {1: "male", 2: "female"},
            "why": {1: "ill", "a": "refused", "b": "not asked", "c": "other"},
        },
        missing_user_values={"why": ["a", "b", "c"], "pay": ["z"], "died": ["a"]},
        variable_format={"sex": "%8.0g", "income": "%12.2f", "born": "%tdD_m_Y", "died": "%td"},
    )
    return path


def test_stata_is_read_with_types_labels_and_lettered_missing_values(stata, work):
    source = open_data(stata, workspace=work)
    types = {field.name: str(field.type) for field in source.schema}
    assert types == {
        "sex": "int32",
        "income": "double",
        "id": "int64",
        "why": "int32",
        "pay": "double",
        "name": "string",
        "born": "date32[day]",
        "seen": "timestamp[us]",
        "died": "int32",
    }
    table = source.table().to_pydict()
    assert table["sex"] == [1, 2, None, 1]
    assert table["id"] == [10**10, 2, 3, 4]
    assert table["why"] == [1, 2147483622, 3, 2147483623]
    assert table["pay"][1].hex() == "0x1.01a0000000000p+1023"
    assert table["born"] == [DAY, None, datetime.date(1955, 1, 1), DAY]
    assert table["seen"][0] == STAMP
    assert table["name"][1] is None
    why = source.variables["why"]
    assert why.labels == {
        1: "ill",
        2147483622: "refused",
        2147483623: "not asked",
        2147483624: "other",
    }
    assert why.is_missing(2147483622)
    assert not why.is_missing(3)
    assert source.variables["sex"].label == "Sex of respondent"
    assert source.variables["sex"].level == "nominal"
    assert source.variables["income"].level == "numeric"
    assert source.variables["born"].level == "date"
    assert source.variables["born"].format == "%tdD_m_Y"


def _everything(path: Path):
    reader = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
    data, meta = reader(path, user_missing=True, output_format="dict")
    kept = (
        "column_names_to_labels",
        "variable_value_labels",
        "missing_ranges",
        "missing_user_values",
        "original_variable_types",
        "variable_measure",
    )
    return data, {name: getattr(meta, name) for name in kept}


def test_stata_round_trip_keeps_all(stata, work, tmp_path):
    source = open_data(stata, workspace=work)
    data, meta = _everything(stata)
    out_data, out_meta = _everything(write_data(source, tmp_path / "out.dta"))
    assert out_data == data
    # The width of text is the writer's own.
    for said in (meta, out_meta):
        said["original_variable_types"].pop("name")
    assert out_meta == meta


def test_stata_to_csv_writes_letters_as_stata_does(stata, work, tmp_path):
    source = open_data(stata, workspace=work)
    table = source.table(["why", "pay", "born", "seen"])
    text = write_data(table, tmp_path / "o.csv", variables=source.variables).read_text()
    assert text.splitlines() == [
        "why,pay,born,seen",
        "1,1.5,2020-02-29,2020-02-29 12:30:15",
        ".a,.z,,",
        "3,3,1955-01-01,2020-02-29 12:30:15",
        ".b,,2020-02-29,2020-02-29 12:30:15",
    ]


@pytest.fixture
def spss(tmp_path: Path) -> Path:
    frame = pd.DataFrame(
        {
            "region": [1.0, 2, 99, np.nan, -5],
            "income": [1.5, np.nan, 3.0, 2.0, 1.0],
            "code": ["a", "é", "", "XX", "b"],
            "born": [DAY, DAY, None, DAY, datetime.date(1899, 12, 31)],
            "seen": [STAMP, None, STAMP, STAMP, STAMP],
            "grade": [1.0, 2, 3, 4, 5],
            "week": [13_797_302_400.0] * 5,
        }
    )
    path = tmp_path / "in.sav"
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels={"region": "Region of residence"},
        variable_value_labels={
            "region": {1: "North", 2: "South", 99: "refused"},
            "code": {"XX": "none"},
        },
        missing_ranges={"region": [99, {"lo": -9, "hi": -1}], "code": ["XX"]},
        variable_format={
            "region": "F4.0",
            "income": "F8.2",
            "born": "EDATE10",
            "grade": "F1.0",
            "week": "WKYR8",
        },
        variable_measure={"region": "nominal", "income": "scale", "grade": "ordinal"},
    )
    return path


def test_spss_is_read_with_measures_ranges_and_whole_numbers(spss, work):
    source = open_data(spss, workspace=work)
    assert [str(t) for t in source.schema.types] == [
        "int64",
        "double",
        "string",
        "date32[day]",
        "timestamp[us]",
        "int64",
        "int64",
    ]
    region = source.variables["region"]
    assert region.level == "nominal"
    assert region.label == "Region of residence"
    assert region.labels == {1: "North", 2: "South", 99: "refused"}
    assert set(region.user_missing) == {99, (-9, -1)}
    assert region.is_missing(-5)
    assert source.variables["grade"].level == "ordinal"
    assert source.variables["income"].level == "numeric"
    assert source.variables["code"].user_missing == ("XX",)
    assert source.variables["week"].format == "WKYR8"
    table = source.table().to_pydict()
    assert table["region"] == [1, 2, 99, None, -5]
    assert table["born"] == [DAY, DAY, None, DAY, datetime.date(1899, 12, 31)]
    assert table["seen"][0] == STAMP


@pytest.mark.parametrize("suffix", [".sav", ".zsav"])
def test_spss_round_trip_keeps_all(spss, work, tmp_path, suffix):
    source = open_data(spss, workspace=work)
    data, meta = _everything(spss)
    out = write_data(source, tmp_path / f"out{suffix}")
    assert out.read_bytes()[:4] == (b"$FL3" if suffix == ".zsav" else b"$FL2")
    out_data, out_meta = _everything(out)
    assert out_data == data
    # What had no measure is given the one its level means.
    known = {name for name, measure in meta["variable_measure"].items() if measure != "unknown"}
    for said in (meta, out_meta):
        said["variable_measure"] = {n: m for n, m in said["variable_measure"].items() if n in known}
    assert out_meta == meta


def test_open_ranges_survive(tmp_path, work):
    frame = pd.DataFrame({"x": [1.0, 99.0, -1e300]})
    path = tmp_path / "in.sav"
    lowest = -float(np.finfo(float).max)
    pyreadstat.write_sav(frame, str(path), missing_ranges={"x": [{"lo": lowest, "hi": 0.0}]})
    source = open_data(path, workspace=work)
    assert source.variables["x"].is_missing(-1e300)
    out = write_data(source, tmp_path / "out.sav")
    assert _everything(out)[1]["missing_ranges"] == _everything(path)[1]["missing_ranges"]


def test_stata_letters_become_declared_codes_in_spss(stata, work, tmp_path):
    source = open_data(stata, workspace=work)
    table = source.table(["sex", "why"])
    path = write_data(table, tmp_path / "o.sav", variables=source.variables)
    again = open_data(path, workspace=work)
    assert again.variables["why"].user_missing == (2147483622, 2147483623, 2147483624)
    assert again.variables["why"].labels == source.variables["why"].labels
    assert again.table()["why"].to_pylist() == table["why"].to_pylist()


def test_parquet_keeps_what_spss_said(spss, work, tmp_path):
    source = open_data(spss, workspace=work)
    path = write_data(source, tmp_path / "o.parquet")
    again = open_data(path, workspace=work)
    assert again.path == path
    assert dict(again.variables) == dict(source.variables)
    back = write_data(again, tmp_path / "o.sav")
    assert back.read_bytes() == write_data(source, tmp_path / "o2.sav").read_bytes()


@pytest.mark.parametrize("suffix", [".dta", ".sav", ".zsav"])
def test_the_header_carries_no_time_of_writing(tmp_path, suffix):
    table = pa.table({"a": [1, 2], "b": ["x", None]})
    first = write_data(table, tmp_path / f"o{suffix}").read_bytes()
    year = str(datetime.date.today().year)
    assert b" " + year.encode() not in first[:400]
    assert b"01 Jan" in first[:400]
    reader = pyreadstat.read_dta if suffix == ".dta" else pyreadstat.read_sav
    data, _ = reader(tmp_path / f"o{suffix}", output_format="dict")
    assert data == {"a": [1, 2], "b": ["x", ""]}


def test_reading_in_pieces_gives_the_same(stata, spss, work, monkeypatch):
    whole = [open_data(path, workspace=work).table() for path in (stata, spss)]
    monkeypatch.setattr(statfiles, "_CELLS", 1)
    monkeypatch.setattr(statfiles, "max", lambda *_: 2, raising=False)
    assert [open_data(path, workspace=work).table() for path in (stata, spss)] == whole


def test_a_late_fraction_makes_the_column_float(tmp_path, work, monkeypatch):
    monkeypatch.setattr(statfiles, "_CELLS", 1)
    path = tmp_path / "in.sav"
    pyreadstat.write_sav(pd.DataFrame({"x": [*range(2500), 0.5], "y": range(2501)}), str(path))
    source = open_data(path, workspace=work)
    assert [str(t) for t in source.schema.types] == ["double", "int64"]
    assert source.records == 2501
    assert source.table()["y"].to_pylist() == list(range(2501))


def test_sas_transport_and_spss_portable_are_read(tmp_path, work):
    frame = pd.DataFrame({"AGE": [1.0, 2.0, np.nan], "NAME": ["a", "b", ""], "BORN": [DAY] * 3})
    pyreadstat.write_xport(frame, str(tmp_path / "in.xpt"), column_labels={"AGE": "Age in years"})
    pyreadstat.write_por(frame, str(tmp_path / "in.por"), column_labels={"AGE": "Age in years"})
    for suffix in (".xpt", ".por"):
        source = open_data(tmp_path / f"in{suffix}", workspace=work)
        assert source.records == 3
        assert source.variables["AGE"].label == "Age in years"
        assert source.table().to_pydict() == {
            "AGE": [1, 2, None],
            "NAME": ["a", "b", None],
            "BORN": [DAY] * 3,
        }


@pytest.mark.parametrize("suffix", [".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt"])
def test_files_that_are_not_what_they_are_called(tmp_path, work, suffix):
    path = tmp_path / f"in{suffix}"
    path.write_bytes(b"SECRET,this is no such file\n" * 10)
    with pytest.raises(InputError, match="cannot be read as a") as caught:
        open_data(path, workspace=work)
    assert "SECRET" not in str(caught.value)


def test_names_and_integers_that_the_packages_do_not_have(tmp_path):
    odd = pa.table({"marital-status": ["x"]})
    with pytest.raises(InputError, match="Stata has no variable names like 'marital-status'"):
        write_data(odd, tmp_path / "o.dta")
    with pytest.raises(InputError, match="SPSS has no variable names like 'marital-status'"):
        write_data(odd, tmp_path / "o.sav")
    with pytest.raises(InputError, match="'n' has integers beyond 2\\^53"):
        write_data(pa.table({"n": [2**60]}), tmp_path / "o.dta")
    many = Variables([Variable("n", user_missing=(1, 2, 3, 4))])
    with pytest.raises(InputError, match="more codes for missing values than SPSS"):
        write_data(pa.table({"n": [5]}), tmp_path / "o.sav", variables=many)
    assert list(tmp_path.iterdir()) == []


def test_a_date_that_became_a_number_loses_the_date_format(tmp_path):
    born = Variables([Variable("born", format="%td")])
    write_data(pa.table({"born": [1990, 1991]}), tmp_path / "o.dta", variables=born)
    _, meta = pyreadstat.read_dta(tmp_path / "o.dta", output_format="dict")
    assert "%t" not in meta.original_variable_types["born"]


def test_pandas_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="Writing SPSS files needs pandas"):
        write_data(pa.table({"a": [1]}), tmp_path / "o.sav")


def test_large_integers_and_booleans_in_stata(tmp_path):
    table = pa.table({"n": [2147483621, -5], "b": [True, None], "d": pa.nulls(2)})
    write_data(table, tmp_path / "o.dta")
    data, _ = pyreadstat.read_dta(tmp_path / "o.dta", output_format="dict")
    assert data == {"n": [2147483621.0, -5.0], "b": [1, None], "d": [None, None]}
