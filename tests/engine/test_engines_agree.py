"""Every operation gives the same bytes on DuckDB and on Spark, and what brute force gives."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from engine_checks import Key, all_types, check_count, keys_and_counts, keys_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.engine import Engine
from indistinct.files import Source

FEW = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
pytestmark = [
    pytest.mark.spark,
    pytest.mark.heavy,  # starting Spark alone takes ten seconds
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


@pytest.fixture
def both(duckdb_engine: Engine, spark_engine: Engine) -> tuple[Engine, Engine]:
    return duckdb_engine, spark_engine


@pytest.fixture(scope="module")
def typed(make_source: Any) -> Source:
    source: Source = make_source(all_types(500, 1), row_group_size=90)
    return source


def test_count_by_all_types_at_once(typed: Source, both: tuple[Engine, Engine]) -> None:
    check_count(typed, list(typed.variables), both)


def test_describe_each_type(typed: Source, both: tuple[Engine, Engine]) -> None:
    facts = [engine.describe(typed) for engine in both]
    assert facts[0] == facts[1]
    for fact in facts[0]:
        values = [v for (v,) in keys_of(typed, [fact.name]) if v is not None]
        assert fact.distinct == len(set(values))
        assert fact.missing == typed.records - len(values)
        assert fact.smallest == min(values, default=None)
        assert fact.largest == max(values, default=None)


def test_transform_keeps_each_type(typed: Source, both: tuple[Engine, Engine]) -> None:
    def alternate(batch: pa.RecordBatch, records: Any) -> pa.RecordBatch:
        return batch.filter(pa.array(records % 2 == 1))

    results = [
        engine.transform(typed, alternate, schema=typed.schema, variables=typed.variables)
        for engine in both
    ]
    assert results[0].path.read_bytes() == results[1].path.read_bytes()
    assert results[0].records == results[1].records == 250
    kept = typed.table().take(np.arange(1, 500, 2))
    assert results[1].table().schema.equals(typed.schema)
    # not-a-number is not equal to itself: compare as text
    assert str(results[1].table().to_pylist()) == str(kept.to_pylist())


small = st.one_of(st.none(), st.integers(-3, 3))
wild = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))
text = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=3))
number = st.one_of(st.none(), st.floats())


@FEW
@given(rows=st.lists(st.tuples(small, wild, text, number), max_size=40), cut=st.integers(1, 50))
def test_count_equals_brute_force(
    rows: list[Key], cut: int, make_source: Any, both: tuple[Engine, Engine]
) -> None:
    kinds = [pa.int16(), pa.int64(), pa.string(), pa.float64()]
    columns = [pa.array([row[i] for row in rows], type=kind) for i, kind in enumerate(kinds)]
    source = make_source(pa.table(columns, names=["a", "b", "c", "d"]), row_group_size=cut)
    check_count(source, ["c", "a", "d", "b"], both)


@pytest.mark.parametrize("seed", [1, 2])
def test_count_wide_keys(seed: int, make_source: Any, both: tuple[Engine, Engine]) -> None:
    """Twenty variables of a thousand values: 200 bits, four words."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-500, 500, (200, 20))
    chosen = rows[rng.integers(0, 200, 5000)]
    # neighbours that differ in one late variable only
    chosen[::7, 19] += 1
    table = pa.table({f"v{j}": chosen[:, j] for j in range(20)})
    source = make_source(table, row_group_size=700)
    assert both[0].count(source, list(source.variables)).sorted_words().shape[1] == 4
    check_count(source, list(source.variables), both)


def test_count_a_large_table(make_source: Any, both: tuple[Engine, Engine]) -> None:
    rng = np.random.default_rng(3)
    n = 150_000
    table = pa.table(
        {
            "age": rng.integers(0, 100, n).astype(np.uint8),
            "place": pa.array(rng.integers(0, 3000, n).astype(str), mask=rng.random(n) < 0.01),
            "sex": rng.integers(1, 3, n).astype(np.int8),
        }
    )
    check_count(make_source(table, row_group_size=20_000), ["place", "age", "sex"], both)


def test_count_no_records(make_source: Any, both: tuple[Engine, Engine]) -> None:
    table = pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
    check_count(make_source(table), ["a", "b"], both)


def people(make_source: Any) -> Source:
    rng = np.random.default_rng(4)
    table = pa.table(
        {
            "sex": pa.array(rng.choice(["m", "f"], 1000), mask=rng.random(1000) < 0.1),
            "age": rng.integers(0, 90, 1000),
            "weight": rng.uniform(0.1, 500, 1000),
        }
    )
    source: Source = make_source(table, row_group_size=130)
    return source


def test_class_weights_add_up_exactly(make_source: Any, both: tuple[Engine, Engine]) -> None:
    source = people(make_source)
    found = []
    for engine in both:
        tally = engine.count(source, ["sex", "age"])
        sums = engine.class_weights(source, tally, "weight")
        found.append(sums)
        expected: Counter[Key] = Counter()
        weights = source.table()["weight"].to_pylist()
        for k, weight in zip(keys_of(source, ["sex", "age"]), weights, strict=True):
            expected[k] += weight
        assert list(sums) == pytest.approx([expected[k] for k in keys_and_counts(tally)])
    assert found[0].tobytes() == found[1].tobytes()


def test_recode(make_source: Any, both: tuple[Engine, Engine]) -> None:
    source = people(make_source)
    results = [engine.recode(source, "sex", {"m": 1, "f": 2}, kind=pa.int8()) for engine in both]
    assert results[0].path.read_bytes() == results[1].path.read_bytes()
    expected = [{"m": 1, "f": 2, None: None}[v] for v in source.table()["sex"].to_pylist()]
    assert results[1].table()["sex"].to_pylist() == expected


def test_recode_refuses_the_first_unknown_value(
    make_source: Any, both: tuple[Engine, Engine]
) -> None:
    values = ["m"] * 1000
    # in several parts: the first one must be named, whichever task comes to its own first
    for record in (997, 801, 412, 413):
        values[record] = "private"
    source = make_source(pa.table({"sex": values}), row_group_size=100)
    said = []
    for engine in both:
        with pytest.raises(InputError) as caught:
            engine.recode(source, "sex", {"m": 1}, kind=pa.int8())
        said.append(str(caught.value))
        assert caught.value.__cause__ is None
        assert caught.value.exit_code == 2
    assert said[0] == said[1]
    assert "record 413 " in said[0]
    assert "private" not in said[0]


def test_a_guarantee_error_keeps_its_kind(make_source: Any, both: tuple[Engine, Engine]) -> None:
    def refuse(batch: pa.RecordBatch, records: Any) -> pa.RecordBatch:
        raise GuaranteeError("It cannot be kept.")

    source = people(make_source)
    for engine in both:
        with pytest.raises(GuaranteeError, match=r"^It cannot be kept\.$"):
            engine.transform(source, refuse, schema=source.schema, variables=source.variables)


def test_sample_and_keep(make_source: Any, both: tuple[Engine, Engine]) -> None:
    source = people(make_source)
    mask = np.arange(1000) % 3 == 0
    samples = [engine.sample(source, size=77, rng=np.random.default_rng(5)) for engine in both]
    assert samples[0].path.read_bytes() == samples[1].path.read_bytes()
    assert samples[1].records == samples[1].table().num_rows == 77
    kept = [engine.keep(source, mask) for engine in both]
    assert kept[0].path.read_bytes() == kept[1].path.read_bytes()
    assert kept[1].table().equals(source.table().filter(mask))
    none = [engine.keep(source, np.zeros(1000, dtype=bool)) for engine in both]
    assert none[0].path.read_bytes() == none[1].path.read_bytes()
    assert none[1].table().num_rows == none[1].records == 0


def test_transform_adds_a_column_and_variable_labels(
    make_source: Any, both: tuple[Engine, Engine]
) -> None:
    def add(batch: pa.RecordBatch, records: Any) -> pa.RecordBatch:
        old = pc.greater(batch.column("age"), 64)
        return batch.append_column("record", pa.array(records)).append_column("old", old)

    source = people(make_source)
    schema = source.schema.append(pa.field("record", pa.int64())).append(
        pa.field("old", pa.bool_())
    )
    variables = source.variables.updated({"sex": {"role": "key", "labels": {"m": "male"}}})
    results = [engine.transform(source, add, schema=schema, variables=variables) for engine in both]
    assert results[0].path.read_bytes() == results[1].path.read_bytes()
    assert results[1].table()["record"].to_pylist() == list(range(1000))


def test_queries_mean_the_same(make_source: Any, both: tuple[Engine, Engine]) -> None:
    source = people(make_source)
    query = (
        'SELECT "sex", count(*) AS n, min("age") AS low FROM people '
        'WHERE "age" > 17 GROUP BY "sex" ORDER BY "sex" NULLS LAST'
    )
    results = [engine.sql(query, people=source).to_pylist() for engine in both]
    assert results[0] == results[1]
    grown = [row for row in source.table().to_pylist() if row["age"] > 17]
    assert {row["sex"]: row["n"] for row in results[0]} == Counter(row["sex"] for row in grown)
