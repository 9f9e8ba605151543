"""A release comes back in the kind of file that the data came in."""

from __future__ import annotations

import pyarrow as pa
import pytest

import indistinct as ind
from indistinct.files import open_data, workspace, write_data

PEOPLE = pa.table({"age": [40, 41] * 10, "town": ["=x", "b"] * 10})


@pytest.mark.parametrize(
    ("name", "format", "released"),
    [
        ("people.xlsx", None, "data.xlsx"),
        ("people.xlsx", "csv", "data.csv"),
        ("people.dta", None, "data.dta"),
        ("people.sav", None, "data.sav"),
        ("people.parquet", None, "data.parquet"),
        ("people.csv", None, "data.csv"),
        ("people.csv", "xlsx", "data.xlsx"),
    ],
)
def test_a_release_has_the_format_of_its_data(tmp_path, name, format, released):
    with ind.open(write_data(PEOPLE, tmp_path / name)) as data:
        done = data.protect(["age"], method="suppress", k=2, seed=1)
        made = data.release(tmp_path / "r", done, seed=1, format=format, although_unproved=True)
    assert made.data.name == released
    with workspace() as folder:
        again = open_data(made.data, workspace=folder).table()
    rows = zip(*(again.column(name).to_pylist() for name in ("age", "town")), strict=True)
    assert sorted(rows) == [(40, "=x")] * 10 + [(41, "b")] * 10


def test_a_released_workbook_is_proved_as_any_other(tmp_path):
    with ind.open(write_data(PEOPLE, tmp_path / "people.xlsx")) as data:
        done = data.protect(["age"], method="suppress", k=2, seed=1)
        made = data.release(tmp_path / "r", done, seed=1, although_unproved=True)
    assert ind.verify(made.data, key=["age"], k=2).k >= 2
