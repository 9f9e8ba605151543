"""A report costs the same whatever the number of records: they are not opened for it."""

from __future__ import annotations

import duckdb
import pyarrow.parquet as pq
import pytest
from report_data import KEY, people

import indistinct
from indistinct.census import census_table
from indistinct.files import Source
from indistinct.flow import write_report


def _refuse(*_: object, **__: object) -> None:
    raise AssertionError("a record was read")


@pytest.mark.parametrize("edition", ["private", "shareable"])
def test_no_record_is_read_for_a_report(workshop, tmp_path, monkeypatch, edition):
    folder = workshop.make("generalised").folder
    for where, name in (
        (Source, "batches"),
        (pq, "ParquetFile"),
        (pq, "read_table"),
        (duckdb, "connect"),
    ):
        monkeypatch.setattr(where, name, _refuse)
    with pytest.raises(AssertionError, match="a record was read"):
        pq.read_table(folder / "data.parquet")
    written = write_report(folder, edition=edition, out=tmp_path / "r.html")
    assert written.document.holds


@pytest.mark.heavy
def test_neither_facts_nor_page_grow_with_the_records(tmp_path):
    sizes = []
    for records in (1_000, 200_000):
        table = census_table(records, seed=5)
        table = table.select([*KEY, "income", "education", "economic", "ethnic"])
        folder = tmp_path / str(records)
        with indistinct.open_data(table) as data:
            done = data.protect(KEY, method="k-similar", k=5, seed=1)
            data.release(folder, done, seed=1, compare=True)
        facts = (folder / "private" / "measured.json").stat().st_size
        pages = [
            write_report(folder, edition=edition, out=tmp_path / f"{records}-{edition}.html")
            for edition in ("private", "shareable")
        ]
        sizes.append((facts, *(page.html.stat().st_size for page in pages)))
    for small, large in zip(*sizes, strict=True):
        assert large < 1.3 * small + 2_000


def test_the_facts_are_small(workshop):
    folder = workshop.make("generalised").folder
    assert (folder / "private" / "measured.json").stat().st_size < 60_000
    assert people().num_rows == 600
