"""The real files beside the project: all open, and come back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pytest

from indistinct.files import open_data, workspace, write_data

pytestmark = pytest.mark.shared

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module", autouse=True)
def _data():
    if not DATA.is_dir():
        pytest.skip("the folder shared/data beside the project is absent")


NAMES = sorted(path.name for path in DATA.glob("*.csv"))


@pytest.mark.parametrize("name", NAMES or ["none"])
def test_every_file_opens_and_comes_back_byte_for_byte(name):
    with workspace() as folder:
        source = open_data(DATA / name, workspace=folder)
        assert source.records == pyarrow.csv.read_csv(DATA / name).num_rows
        assert source.notes[0] == "delimiter ',', encoding utf-8, decimal point"
        out = write_data(source, folder / "out.csv")
        assert out.read_bytes() == (DATA / name).read_bytes()


def test_codes_with_leading_zeros_stay_text():
    with workspace() as folder:
        source = open_data(DATA / "popstan_persons.csv", workspace=folder)
        assert source.schema.field("PROVINCE").type == "string"
        assert source.schema.field("HID").type == "int64"
        assert source.variables["PROVINCE"].level == "nominal"


def test_adult_survives_stata_and_spss():
    with workspace() as folder:
        source = open_data(DATA / "adult.csv", workspace=folder)
        table = source.table()
        plain = table.rename_columns([name.replace("-", "_") for name in table.column_names])
        for suffix in (".dta", ".sav", ".parquet"):
            path = write_data(plain, folder / f"adult{suffix}")
            again = open_data(path, workspace=folder).table()
            assert again.to_pydict() == plain.to_pydict()


def test_parquet_is_used_in_place():
    with workspace() as folder:
        source = open_data(DATA / "ihis_synth.parquet", workspace=folder)
        assert source.path == DATA / "ihis_synth.parquet"
        assert source.records == 1_193_504
