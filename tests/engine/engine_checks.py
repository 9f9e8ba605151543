"""Brute force to hold the engines against, and a table with every type of column."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.engine import Engine, Tally
from indistinct.files import Source

Key = tuple[Any, ...]


def keys_of(source: Source, key: list[str]) -> list[Key]:
    """The key of every record; not-a-number is missing."""
    columns = [
        [None if isinstance(v, float) and v != v else v for v in source.table()[name].to_pylist()]
        for name in key
    ]
    return list(zip(*columns, strict=True))


def keys_and_counts(tally: Tally) -> dict[Key, int]:
    codes = tally.coding.unpack(tally.sorted_words())
    values = [v.decode(c) for v, c in zip(tally.coding.variables, codes, strict=True)]
    return dict(zip(zip(*values, strict=True), tally.sorted_counts().tolist(), strict=True))


def per_record(tally: Tally, values: Any) -> list[Any]:
    return [v for block in tally.per_record(values) for v in block.tolist()]


def check_count(source: Source, key: list[str], engines: Sequence[Engine]) -> None:
    """Check the engines against brute force, and against each other to the byte."""
    records = keys_of(source, key)
    expected = Counter(records)
    tallies = [engine.count(source, key) for engine in engines]
    for tally in tallies:
        assert tally.records == source.records
        assert tally.classes == len(expected)
        assert keys_and_counts(tally) == expected
        assert [f for block in tally.frequencies() for f in block.tolist()] == [
            expected[k] for k in records
        ]
    for tally in tallies[1:]:
        check_same(tallies[0], tally)


def check_same(first: Tally, second: Tally) -> None:
    assert first.coding.sizes == second.coding.sizes
    assert first.sorted_words().tobytes() == second.sorted_words().tobytes()
    assert first.sorted_counts().tobytes() == second.sorted_counts().tobytes()
    numbers = np.arange(first.classes)
    assert per_record(first, numbers) == per_record(second, numbers)


def all_types(records: int, seed: int) -> pa.Table:
    """A table with a column of every type that files bring, each with missing values."""
    rng = np.random.default_rng(seed)

    def column(values: list[Any], kind: pa.DataType) -> pa.Array:
        picks = rng.integers(0, len(values), records)
        return pa.array([values[i] for i in picks], type=kind)

    day = dt.date(1950, 2, 28)
    instant = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)
    rome = pa.timestamp("us", "Europe/Rome")
    return pa.table(
        {
            "int8": column([None, -128, 127], pa.int8()),
            "int64": column([None, -(2**63), 2**63 - 1, 0], pa.int64()),
            "uint8": column([None, 0, 255], pa.uint8()),
            "uint16": column([None, 0, 65535], pa.uint16()),
            "uint32": column([None, 2**32 - 1, 2**32 - 2], pa.uint32()),
            "uint64": column([None, 0, 2**64 - 1], pa.uint64()),
            "high": column([2**64 - 1, 2**64 - 9, None], pa.uint64()),
            "float": column([None, float("nan"), 0.0, -0.0, 0.1, -1e300], pa.float64()),
            "float32": column([None, float("nan"), 0.1], pa.float32()),
            "decimal": column([None, Decimal("-1.20"), Decimal("0.05")], pa.decimal128(9, 2)),
            "bool": column([None, True, False], pa.bool_()),
            "date": column([None, day, dt.date(2024, 2, 29)], pa.date32()),
            "moment": column([None, instant, dt.datetime(2024, 1, 1)], pa.timestamp("us")),
            "nanoseconds": column([None, 1, -1], pa.int64()).cast(pa.timestamp("ns")),
            "zoned": column([None, 0, 10**15], pa.int64()).cast(rome),
            "text": column(
                [None, "", " ", "é", "e\u0301", "日本", "😀", "a\x00b", "'\"\\"], pa.string()
            ),
            "long text": column([None, "x", "X"], pa.large_string()),
            'a.b`c"d': column(["1", "2"], pa.string()),
            "category": column([None, "p", "q"], pa.string()).dictionary_encode(),
            "always": column([None], pa.string()),
            "same": column([7], pa.int32()),
        }
    )
