"""Linking on a cluster: the same people as on one machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from indistinct.census import census_table, hierarchy_rows
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, table_hierarchy
from indistinct.prove.exposure import expose
from indistinct.prove.registers import Register
from indistinct.prove.varying import sensitivity

pytestmark = [pytest.mark.spark, pytest.mark.heavy]

KEY = ["sex", "marital", "county", "ethnic"]


@pytest.fixture(scope="module")
def trees() -> dict[str, Hierarchy]:
    return {name: table_hierarchy(hierarchy_rows(name), name=name) for name in KEY}


@pytest.fixture(scope="module")
def sources(make_source: Any, trees: dict[str, Hierarchy]) -> tuple[Source, Source]:
    """A register, and a tenth of its people recoded cell by cell, with some cells suppressed."""
    people = census_table(20_000, seed=5, names=False).select([*KEY, "economic"])
    chosen = people.take(pa.array(range(0, len(people), 10)))
    rng = np.random.default_rng(5)
    columns = {"economic": chosen.column("economic")}
    for name, tree in trees.items():
        levels = rng.integers(0, tree.height + 1, len(chosen))
        values = chosen.column(name).to_pylist()
        cells = [tree.generalise(v, level) for v, level in zip(values, levels, strict=True)]
        columns[name] = pa.array([None if cell == tree.root else cell for cell in cells])
    return make_source(pa.table(columns)), make_source(people)


def test_expose(
    sources: tuple[Source, Source],
    trees: dict[str, Hierarchy],
    duckdb_engine: Engine,
    spark_engine: Engine,
) -> None:
    release, people = sources
    here, there = (
        expose(engine, release, Register(people, "people"), KEY, hierarchies=trees)
        for engine in (duckdb_engine, spark_engine)
    )
    assert here.smallest >= 1
    for name in ("people", "subjects", "subject"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
    np.testing.assert_array_equal(here.released.codes, there.released.codes)
    np.testing.assert_array_equal(
        here.released.per_record(here.people), there.released.per_record(there.people)
    )
    assert here.people_of(0, at_most=9) == there.people_of(0, at_most=9)


def test_sensitivity(
    sources: tuple[Source, Source],
    trees: dict[str, Hierarchy],
    duckdb_engine: Engine,
    spark_engine: Engine,
) -> None:
    release, people = sources
    here, there = (
        sensitivity(
            *(engine, release), key=KEY, k=5, register=Register(people, "people"), hierarchies=trees
        )
        for engine in (duckdb_engine, spark_engine)
    )
    assert here.added
    assert here.to_dict() == there.to_dict()
