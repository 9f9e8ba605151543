"""Files: the same bytes again, whole or not at all, refused with a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from indistinct.census import census_table, places, register_variables, write_census
from indistinct.census.schema import CENSUS_SCHEMA, IDENTIFYING
from indistinct.census.writing import MOST_PEOPLE
from indistinct.core.errors import InputError


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.parquet" for name in "abc"]
    for path, seed in zip(paths, (7, 7, 8), strict=True):
        write_census(path, people=3000, seed=seed, register=path.with_suffix(".csv"))
    a, b, c = (path.read_bytes() for path in paths)
    assert a == b
    assert a != c
    registers = [path.with_suffix(".csv").read_bytes() for path in paths]
    assert registers[0] == registers[1] != registers[2]


def test_parquet_csv_and_memory_hold_the_same_records(tmp_path: Path) -> None:
    summary = write_census(tmp_path / "c.parquet", people=2500, seed=3)
    write_census(tmp_path / "c.csv", people=2500, seed=3)
    table = census_table(2500, 3)
    assert pq.read_table(tmp_path / "c.parquet").equals(table)
    assert table.schema.equals(CENSUS_SCHEMA)
    read = pa.csv.read_csv(tmp_path / "c.csv").cast(CENSUS_SCHEMA)
    assert read.equals(table)
    assert summary.people == 2500
    assert summary.households == max(table["household"].to_pylist())
    assert summary.couples == sum(code in (2, 3) for code in table["relationship"].to_pylist())
    assert summary.to_dict()["register"] is None


def test_coded_columns_are_the_same_without_names(tmp_path: Path) -> None:
    full = census_table(2500, 3)
    coded = census_table(2500, 3, names=False)
    assert full.drop_columns(list(IDENTIFYING)).equals(coded)


def test_the_register_lists_the_same_people_in_another_order(tmp_path: Path) -> None:
    write_census(
        tmp_path / "c.parquet", people=2500, seed=3, register=tmp_path / "r.parquet", names=False
    )
    census = census_table(2500, 3).to_pandas()
    register = pq.read_table(tmp_path / "r.parquet")
    assert register.column_names == list(register_variables())
    listed = register.to_pandas()
    assert listed["identity_number"].is_monotonic_increasing
    both = census.merge(listed, on="identity_number", suffixes=("", "_register"))
    assert len(both) == 2500
    for name in ("given_name", "surname", "date_of_birth", "sex", "marital", "county", "area"):
        assert (both[name] == both[f"{name}_register"]).all()
    assert (both.groupby("household")["address"].nunique() == 1).all()


def test_chunks_join_without_a_seam(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(places, "CHUNK_PEOPLE", 1000)
    told: list[int] = []
    path = tmp_path / "c.parquet"
    summary = write_census(path, people=4500, seed=1, progress=told.append)
    assert told == [900, 1800, 2700, 3600, 4500]
    table = pq.read_table(path)
    numbers = table["identity_number"].to_numpy()
    assert len(np.unique(numbers)) == 4500
    household = table["household"].to_numpy()
    np.testing.assert_array_equal(household, np.cumsum(table["person"].to_numpy() == 1))
    assert summary.households == household[-1]
    # No small area lies in two chunks.
    area = table["area"].to_numpy().reshape(5, 900)
    assert len(np.unique(area)) == sum(len(np.unique(part)) for part in area)


@pytest.mark.parametrize("name", ["c.parquet", "c.csv"])
def test_nothing_is_left_when_writing_fails_and_an_older_file_stays(
    tmp_path: Path, name: str
) -> None:
    def fail(done: int) -> None:
        raise KeyboardInterrupt

    (tmp_path / name).write_text("older")
    with pytest.raises(KeyboardInterrupt):
        write_census(
            tmp_path / name,
            people=500,
            seed=1,
            register=tmp_path / "r.parquet",
            progress=fail,
            overwrite=True,
        )
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "older"


@pytest.mark.parametrize("people", [0, -5, 2.5, "10", True, None])
def test_a_wrong_number_of_people_is_refused(tmp_path: Path, people: object) -> None:
    with pytest.raises(InputError, match=r"people must be a whole number of at least 1\. Got"):
        write_census(tmp_path / "c.parquet", people=people, seed=1)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None])
def test_a_wrong_seed_is_refused(seed: object) -> None:
    with pytest.raises(InputError, match=r"seed must be a whole number of at least 0\. Got"):
        census_table(10, seed)  # type: ignore[arg-type]


def test_more_people_than_area_codes_allow_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at most 250,000,000"):
        write_census(tmp_path / "c.parquet", people=250_000_001, seed=1)


def test_area_codes_stay_within_their_county_up_to_the_limit() -> None:
    chunks = len(places.chunk_sizes(MOST_PEOPLE))
    assert chunks * places.area_counts(places.CHUNK_PEOPLE).max() < places.AREA_FACTOR


def test_wrong_places_to_write_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Create .*missing first"):
        write_census(tmp_path / "missing" / "c.parquet", people=10, seed=1)
    with pytest.raises(InputError, match="must not be a directory"):
        write_census(tmp_path, people=10, seed=1)
    with pytest.raises(InputError, match=r"must end in \.parquet or \.csv"):
        write_census(tmp_path / "c.sav", people=10, seed=1)
    with pytest.raises(InputError, match="must be two files"):
        write_census(
            tmp_path / "c.parquet", people=10, seed=1, register=tmp_path / "." / "c.parquet"
        )
