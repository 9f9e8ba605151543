"""Classes of a sample found in a population."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.keys import KeyTable, counts_in

value = st.one_of(st.none(), st.integers(0, 4))
records = st.lists(st.tuples(value, value), min_size=1, max_size=40)


def key_table(rows: list[tuple], names: list[str], kind: pa.DataType) -> KeyTable:
    columns = {
        n: pa.array([None if r[j] is None else r[j] for r in rows]).cast(kind)
        for j, n in enumerate(names)
    }
    with open_small(pa.table(columns)) as data:
        return data.key_table(names)


@settings(deadline=None, max_examples=40)
@given(records, records)
def test_counts_equal_counting_by_hand(sample, population):
    mine = key_table(sample, ["a", "b"], pa.int16())
    theirs = key_table([(b, a) for a, b in population], ["b", "a"], pa.string())
    found = counts_in(mine, theirs)
    expected = Counter(population)
    keys = zip(mine.values("a"), mine.values("b"), strict=True)
    assert found.tolist() == [expected[key] for key in keys]


def test_different_variables_are_refused():
    mine = key_table([(1, 2)], ["a", "b"], pa.int16())
    theirs = key_table([(1, 2)], ["a", "c"], pa.int16())
    with pytest.raises(InputError, match="b, c are in one of them only"):
        counts_in(mine, theirs)
