"""Tables counted by Spark are those that DuckDB counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from indistinct.engine import Engine
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, tabular_uniques

pytestmark = [
    pytest.mark.spark,
    pytest.mark.heavy,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


def test_the_same_cells_and_uniques(
    spark_engine: Engine, duckdb_engine: Engine, make_source: Any
) -> None:
    rng = np.random.default_rng(5)
    people = pa.table(
        {
            "area": rng.choice(["east", "west", "north"], 60),
            "age": rng.integers(0, 90, 60),
            "sex": rng.choice(["f", "m"], 60),
            "job": pa.array([None if n > 6 else f"job {n}" for n in rng.integers(0, 9, 60)]),
            "flag": rng.integers(0, 2, 60),
        }
    )
    age, stage = Grouping("age5", "age", width=5), Grouping("stage", "age", bands=(0, 15, 65))
    sex, job = Grouping("sex", "sex"), Grouping("job", "job")
    tables = TableSet(
        (
            TableSpec("ages", (age, sex)),
            TableSpec("jobs", (stage, job)),
            TableSpec("workers", (sex, job), universe=(("age", ("16-64",)),)),
        ),
        Grouping("area", "area"),
    )
    source = make_source(people, row_group_size=20)
    both = [
        count_tables(source, engine, tables, besides=["flag"])
        for engine in (duckdb_engine, spark_engine)
    ]
    for area in range(3):
        first, second = (counted.area_vector(area).tolist() for counted in both)
        assert first == second
    first, second = (tabular_uniques(counted, modified=("flag", (1,))) for counted in both)
    assert first.frtu > 3
    assert first.to_dict() == second.to_dict()
    assert first.status() == second.status()
