"""Parquet, tables in memory, and writing: whole or not at all, the same bytes."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.core.errors import InputError
from indistinct.core.variables import Variable, Variables
from indistinct.files import Dialect, dialect_of, open_data, open_table, parquet_writer, write_data
from indistinct.files import parquet as parquet_module

KNOWN = Variables(
    [
        Variable(
            "sex",
            role="key",
            label="Sex",
            labels={1: "male", 2.5: "other", "x": "none"},
            user_missing=(9, (-9, -1), "x"),
            categories=(1, 2, 9),
            format="%8.0g",
        ),
        Variable("born", level="date"),
    ]
)


def test_parquet_is_used_in_place(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1], "b": ["x"], "c": [1.5]}), path)
    source = open_data(path, workspace=tmp_path / "unused")
    assert source.path == path
    assert [v.level for v in source.variables.values()] == ["numeric", "nominal", "numeric"]


def test_variables_travel_in_the_metadata(tmp_path):
    table = pa.table({"sex": [1, 2], "born": ["2020-01-01", None]})
    path = write_data(table, tmp_path / "a.parquet", variables=KNOWN)
    again = open_data(path, workspace=tmp_path)
    assert dict(again.variables) == dict(KNOWN)
    assert isinstance(next(iter(again.variables["sex"].labels)), int)
    assert dialect_of(again) is None


def test_metadata_of_others_is_not_passed_on(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]}, index=["SECRET1", "SECRET2"])
    pq.write_table(pa.Table.from_pandas(frame).select(["a"]), tmp_path / "a.parquet")
    source = open_data(tmp_path / "a.parquet", workspace=tmp_path)
    path = write_data(source, tmp_path / "b.parquet")
    assert set(pq.read_metadata(path).metadata) == {b"ARROW:schema", b"indistinct"}
    assert b"SECRET" not in path.read_bytes()


def test_a_folder_of_parquet_files_is_one_source(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(3):
        pq.write_table(pa.table({"a": [i], "b": [str(i)]}), folder / f"part-{i}.parquet")
    source = open_data(folder, workspace=tmp_path)
    assert source.path.parent == tmp_path
    assert source.table()["a"].to_pylist() == [0, 1, 2]
    pq.write_table(pa.table({"a": ["x"], "b": ["y"]}), folder / "part-3.parquet")
    with pytest.raises(InputError, match=r"part-3\.parquet has other columns or types"):
        open_data(folder, workspace=tmp_path)


def test_dictionaries_are_taken_apart_and_nested_columns_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": pa.array(["x", None, "x"]).dictionary_encode()}), path)
    source = open_data(path, workspace=tmp_path)
    assert source.schema.field("a").type == pa.string()
    assert source.table()["a"].to_pylist() == ["x", None, "x"]
    pq.write_table(pa.table({"a": [[1, 2]]}), path)
    with pytest.raises(InputError, match="variable 'a' holds list"):
        open_data(path, workspace=tmp_path)


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"SECRET" * 100])
def test_damaged_parquet(tmp_path, damage):
    path = tmp_path / "a.parquet"
    path.write_bytes(damage)
    with pytest.raises(InputError) as caught:
        open_data(path, workspace=tmp_path)
    assert "a.parquet" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_a_long_value_that_a_dictionary_holds_once_is_written_in_pieces(tmp_path, monkeypatch):
    """Taken apart at once it is more text than a column can have: a fault, and all memory."""
    monkeypatch.setattr(parquet_module, "_PIECE", 1000)
    values = ["x" * 100, "y" * 90, None] * 50
    table = pa.table({"a": pa.array(values).dictionary_encode(), "b": range(150)})
    pieces = list(parquet_module._bounded(table.to_batches()[0]))
    assert [piece.num_rows for piece in pieces] == [10] * 15
    pq.write_table(table, tmp_path / "x.parquet")
    source = open_data(tmp_path / "x.parquet", workspace=tmp_path)
    assert pq.read_table(source.path).column("a").to_pylist() == values


def test_a_dictionary_that_is_damaged_inside_is_told_as_such(tmp_path):
    path = tmp_path / "x.parquet"
    values = pa.array([f"value {i % 997}" for i in range(5000)]).dictionary_encode()
    pq.write_table(pa.table({"a": values}), path, compression="zstd")
    raw = bytearray(path.read_bytes())
    raw[100:400] = bytes(300)
    path.write_bytes(raw)
    with pytest.raises(InputError, match="damaged"):
        open_data(path, workspace=tmp_path)


def test_no_records(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="has no records"):
        open_data(tmp_path / "a.parquet", workspace=tmp_path)
    with pytest.raises(InputError, match="has no records"):
        open_table(pa.table({"a": pa.array([], pa.int64())}), workspace=tmp_path)
    with pytest.raises(InputError, match="no records to write"):
        write_data([], tmp_path / "b.csv")


def test_csv_options_are_refused_elsewhere(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="are for CSV files"):
        open_data(tmp_path / "a.parquet", workspace=tmp_path, delimiter=";")


def test_tables_of_pandas_polars_and_arrow_are_the_same(tmp_path):
    data = {"a": [1, None, 3], "b": ["x", None, "z"], "c": [1.5, 2.5, None]}
    arrow = pa.table(data)
    frame = pd.DataFrame(data).astype({"a": "Int64"}).set_index(pd.Index(["p", "q", "r"]))
    for table in (arrow, frame, pl.DataFrame(data)):
        source = open_table(table, workspace=tmp_path)
        assert source.table().to_pydict() == data
        assert source.table().schema.types == [pa.int64(), pa.string(), pa.float64()]
    categories = pd.DataFrame({"a": pd.Categorical(["u", "v", "u"])})
    assert open_table(categories, workspace=tmp_path).table()["a"].to_pylist() == ["u", "v", "u"]


def test_tables_that_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match="Got list"):
        open_table([1, 2], workspace=tmp_path)
    with pytest.raises(InputError, match="variable 'a' mixes values") as caught:
        open_table(pd.DataFrame({"a": [1, "SECRET"]}), workspace=tmp_path)
    assert "SECRET" not in str(caught.value)
    with pytest.raises(InputError, match="same name"):
        open_table(pd.DataFrame([[1, 2]], columns=["a", "a"]), workspace=tmp_path)


# -- writing ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_the_same_table_gives_the_same_bytes_however_it_is_cut(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(parquet_module, "row_group_records", lambda _: 1000)
    table = pa.table({"a": range(5000), "b": [f"v{i % 7}" for i in range(5000)]})
    found = set()
    for size in (5000, 1, 999, 1000, 1001, 37):
        batches = iter(table.to_batches(max_chunksize=size))
        found.add(write_data(batches, tmp_path / f"o{suffix}", overwrite=True).read_bytes())
    assert len(found) == 1
    again = open_data(tmp_path / f"o{suffix}", workspace=tmp_path)
    assert again.table().to_pydict() == table.to_pydict()


def test_the_file_being_read_is_not_overwritten(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="is the file being read"):
        write_data(open_data(path, workspace=tmp_path), path)
    assert path.read_bytes() == before


def failing_batches(error: BaseException):
    yield pa.record_batch({"a": [1]})
    raise error


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".dta", ".sav"])
@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt()])
def test_a_failure_leaves_what_was_there(tmp_path, suffix, error):
    path = tmp_path / f"o{suffix}"
    path.write_text("before")
    with pytest.raises(type(error)):
        write_data(failing_batches(error), path, overwrite=True)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_full_disk_is_said_and_nothing_is_left(tmp_path, suffix):
    path = tmp_path / f"o{suffix}"
    with pytest.raises(InputError, match=r"The disk is full: .* nothing was written"):
        write_data(failing_batches(OSError(errno.ENOSPC, "No space left on device")), path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".dta", ".sav"])
def test_a_really_full_disk(tmp_path, suffix):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small disk can be mounted by root only")
    try:
        table = pa.table({"a": [os.urandom(16).hex() for _ in range(20_000)]})
        with pytest.raises(InputError, match="The disk is full"):
            write_data(table, disk / f"o{suffix}")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_places_that_cannot_be_written(tmp_path):
    table = pa.table({"a": [1]})
    with pytest.raises(InputError, match="is a directory"):
        write_data(table, tmp_path, format="csv")
    with pytest.raises(InputError, match="does not exist"):
        write_data(table, tmp_path / "no" / "o.csv")
    with pytest.raises(InputError, match="cannot be told from its name"):
        write_data(table, tmp_path / "o.ods")
    with pytest.raises(InputError, match="format must be one of"):
        write_data(table, tmp_path / "o.ods", format="excel")
    with pytest.raises(InputError, match="cannot be written"):
        write_data(table, Path("/proc/o.csv"))


def test_the_writer_can_be_fed_by_hand(tmp_path):
    schema = pa.schema([("a", pa.int64())])
    with parquet_writer(tmp_path / "o.parquet", schema, Variables([Variable("a")])) as writer:
        writer.write(pa.record_batch({"a": [1, 2]}))
        writer.write(pa.table({"a": [3]}))
        assert list(tmp_path.glob("*.parquet")) == []
    assert writer.records == 3
    assert pq.read_table(tmp_path / "o.parquet")["a"].to_pylist() == [1, 2, 3]


def test_all_kinds_of_columns_in_csv(tmp_path):
    table = pa.table(
        {
            "bool": [True, None],
            "day": pa.array([18_000, None], pa.int32()).cast(pa.date32()),
            "stamp": pa.array([1_500_000, 0], pa.int64()).cast(pa.timestamp("us")),
            "cat": pa.array(["x", "y,z"]).dictionary_encode(),
            "num": [1.5, -0.25],
        }
    )
    path = write_data(table, tmp_path / "o.csv", dialect=Dialect(decimal=","))
    assert path.read_text().splitlines() == [
        "bool,day,stamp,cat,num",
        'true,2019-04-14,1970-01-01 00:00:01.500000,x,"1,5"',
        ',,1970-01-01 00:00:00.000000,"y,z","-0,25"',
    ]
