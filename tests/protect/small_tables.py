"""Small tables for the tests of protection, and counting by brute force."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from indistinct.engine.duckdb import DuckDBEngine
from indistinct.files import Source, parquet_writer

MATRIX_32 = ["10110", "01101", "10110", "01101", "11101", "01101", "01101"]
MATRIX_34 = ["13201", "02210", "11001", "13201", "02210", "02210", "13201"]
DALENIUS_KEY = ("X", "Y", "Z", "U", "V")


class SmallBatches(DuckDBEngine):
    """The engine with batches of a few records, as another engine might cut them."""

    size = 3

    def transform(self, source: Source, change: Any, *, schema: Any, variables: Any) -> Source:
        path = self.new_path()
        start = kept = 0
        with parquet_writer(path, schema, variables=variables) as writer:
            for batch in source.batches(batch_records=self.size):
                numbers = np.arange(start, start + batch.num_rows)
                changed = change(batch, numbers)
                writer.write(changed)
                start += batch.num_rows
                kept += changed.num_rows
        return Source(path, source.origin, variables, kept, source.notes)


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def dalenius(rows: Sequence[str]) -> pa.Table:
    """The paper's matrix, with a column that is not in the key."""
    columns = {name: [int(row[j]) for row in rows] for j, name in enumerate(DALENIUS_KEY)}
    return pa.table(columns | {"income": [100 * n for n in range(len(rows))]})


def keys(path: Path, key: Sequence[str]) -> list[tuple[Any, ...]]:
    """The key of every record, read from the file without any of our code."""
    return [tuple(row[name] for name in key) for row in pq.read_table(path).to_pylist()]


def small(path: Path, key: Sequence[str], k: int) -> list[int]:
    """The records in classes smaller than k, counted by brute force."""
    found = keys(path, key)
    counts = Counter(found)
    return [n for n, values in enumerate(found) if counts[values] < k]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, tuple[str, ...]]:
    """A small table whose key has numbers, texts and missing values."""
    records = draw(st.integers(1, 30))
    width = draw(st.integers(1, 4))
    columns: dict[str, pa.Array] = {}
    for j in range(width):
        categories = draw(st.integers(1, 4))
        missing = draw(st.booleans())
        choice = st.integers(0, categories - 1)
        cell = st.one_of(st.none(), choice) if missing else choice
        codes = draw(st.lists(cell, min_size=records, max_size=records))
        if draw(st.booleans()):
            columns[f"v{j}"] = pa.array(codes, pa.int32())
        else:
            texts = [None if c is None else f"é{c}" for c in codes]
            columns[f"v{j}"] = pa.array(texts, pa.string())
    columns["income"] = pa.array([n / 7 for n in range(records)])
    return pa.table(columns), tuple(columns)[:width]
