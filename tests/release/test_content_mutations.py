"""Released records that were changed by hand, in files that read well: all are noticed."""

from __future__ import annotations

import shutil
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import indistinct
from indistinct.census import census_table
from indistinct.flow.verifying import verify_release
from indistinct.release import check_folder

KEY = ["age_group", "sex", "marital"]
K = 4


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A release of 600 people, whose key was protected cell by cell."""
    folder = tmp_path_factory.mktemp("mutations")
    people = census_table(600, seed=3).select([*KEY, "education", "health"])
    pq.write_table(people, folder / "private.parquet")
    with indistinct.open_data(people) as data:
        done = data.protect(KEY, method="k-similar", k=K, seed=1)
        data.release(folder / "release", done, seed=1, keep_order=True)
    return folder


def changed(table: pa.Table, column: str, row: int, value: object) -> pa.Table:
    values = table.column(column).to_pylist()
    values[row] = value
    field = table.schema.field(column)
    return table.set_column(table.column_names.index(column), field, pa.array(values, field.type))


def mutate(table: pa.Table, private: pa.Table, rng: np.random.Generator) -> pa.Table | None:
    """Return the records with one thing changed, None where nothing was."""
    row = int(rng.integers(table.num_rows))
    column = KEY[rng.integers(len(KEY))]
    now = table.column(column)[row].as_py()
    match int(rng.integers(6)):
        case 0:  # a key changed
            other = table.column(column)[int(rng.integers(table.num_rows))].as_py()
            return changed(table, column, row, other) if other != now else None
        case 1:  # a class shrunk
            return pa.concat_tables([table.slice(0, row), table.slice(row + 1)])
        case 2:  # a value ungeneralised
            true = str(private.column(column)[row].as_py())
            return changed(table, column, row, true) if str(now) != true else None
        case 3:  # a record twice
            return pa.concat_tables([table, table.slice(row, 1)])
        case 4:  # another's health
            other = table.column("health")[int(rng.integers(table.num_rows))].as_py()
            same = other == table.column("health")[row].as_py()
            return None if same else changed(table, "health", row, other)
        case _:  # two records exchanged
            order = np.arange(table.num_rows)
            order[[row, 0]] = order[[0, row]]
            exchanged = table.take(pa.array(order))
            return None if exchanged.equals(table) else exchanged


@pytest.mark.heavy
def test_every_changed_record_is_noticed(released, tmp_path):
    copy = shutil.copytree(released / "release", tmp_path / "copy")
    table = pq.read_table(copy / "data.parquet")
    private = pq.read_table(released / "private.parquet")
    rng = np.random.default_rng(1)
    tried = 0
    while tried < 300:
        mutant = mutate(table, private, rng)
        if mutant is None:
            continue
        tried += 1
        pq.write_table(mutant, copy / "data.parquet")
        assert "data.parquet was changed" in check_folder(copy).findings


def test_a_value_put_back_is_noticed_from_the_records_alone(released, tmp_path):
    """Without any certificate: the records that were made alike are no longer so."""
    table = pq.read_table(released / "release" / "data.parquet")
    private = pq.read_table(released / "private.parquet")
    assert verify_release(released / "release" / "data.parquet", key=KEY, k=K, brief=True).holds
    noticed = tried = 0
    for row in range(table.num_rows):
        for column in KEY:
            true, now = str(private.column(column)[row].as_py()), table.column(column)[row].as_py()
            if str(now) == true or tried == 15:
                continue
            tried += 1
            mutant = changed(table, column, row, true)
            pq.write_table(mutant, tmp_path / "data.parquet")
            found = verify_release(tmp_path / "data.parquet", key=KEY, k=K, brief=True)
            rows = zip(*(mutant.column(name).to_pylist() for name in KEY), strict=True)
            assert found.k == min(Counter(rows).values())
            noticed += not found.holds
    assert tried == 15
    assert noticed > 10  # the others found k people who are like them
