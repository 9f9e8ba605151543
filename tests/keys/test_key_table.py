"""The key table against counting by hand."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.keys import KeyTable, Recode, public_frequencies, wildcard_frequencies

value = st.one_of(st.none(), st.integers(-2, 3))
rows = st.lists(st.tuples(value, value, value), min_size=1, max_size=60)
relaxed = settings(deadline=None, max_examples=60)


def key_table(records: list[tuple], weights: list[float] | None = None) -> KeyTable:
    names = [f"v{j}" for j in range(len(records[0]))]
    columns = {n: pa.array([r[j] for r in records], pa.int16()) for j, n in enumerate(names)}
    if weights is not None:
        columns["w"] = pa.array(weights)
    with open_small(pa.table(columns)) as data:
        return data.key_table(names, weight="w" if weights is not None else None)


def as_dict(table: KeyTable) -> dict[tuple, int]:
    values = [table.values(name) for name in table.names]
    return dict(zip(zip(*values, strict=True), table.counts.tolist(), strict=True))


@relaxed
@given(rows)
def test_classes_equal_counting_by_hand(records):
    table = key_table(records)
    assert as_dict(table) == Counter(records)
    assert table.records == len(records)
    expected = Counter(Counter(records).values())
    assert table.frequencies_of_frequencies() == expected


@relaxed
@given(rows, st.sampled_from([["v0"], ["v1", "v2"], ["v2", "v0"], ["v0", "v1", "v2"]]))
def test_rollup_to_fewer_variables_equals_counting_those(records, keep):
    table = key_table(records)
    coarser, to = table.rollup(keep)
    positions = [int(name[1]) for name in keep]
    assert as_dict(coarser) == Counter(tuple(r[j] for j in positions) for r in records)
    again = np.zeros(coarser.classes, dtype=np.int64)
    np.add.at(again, to, table.counts)
    assert again.tolist() == coarser.counts.tolist()


@relaxed
@given(rows)
def test_rollup_to_coarser_categories_equals_counting_those(records):
    table = key_table(records)
    sizes = table.coding.variables[0].size
    halves = Recode(np.arange(sizes) // 2, [f"half {i}" for i in range((sizes + 1) // 2)])
    coarser, _ = table.rollup(recodes={"v0": halves})
    decoded = table.coding.variables[0].decode(np.arange(sizes))
    image = {v: f"half {i // 2}" for i, v in enumerate(decoded)}
    assert as_dict(coarser) == Counter((image[r[0]], r[1], r[2]) for r in records)


def test_rollup_to_nothing_is_one_class():
    table = key_table([(1, 2), (1, 3)], weights=[1.5, 2.0])
    everyone, to = table.rollup([])
    assert everyone.counts.tolist() == [2]
    assert everyone.weights.tolist() == [3.5]
    assert to.tolist() == [0, 0]


@relaxed
@given(st.lists(st.tuples(value, st.integers(1, 2**20)), min_size=1, max_size=40))
def test_weights_are_added_exactly(pairs):
    weights = [w / 1024 for _, w in pairs]
    table = key_table([(v,) for v, _ in pairs], weights=weights)
    expected = defaultdict(float)
    for (v, _), w in zip(pairs, weights, strict=True):
        expected[(v,)] += w
    found = dict(zip([(v,) for v in table.values("v0")], table.weights.tolist(), strict=True))
    assert found == dict(expected)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf"), None])
def test_bad_weight_is_refused_by_record(weight):
    with pytest.raises(InputError, match="'w' in record 2 is missing, zero, negative or infinite"):
        key_table([(1,), (1,)], weights=[1.0, weight])


@relaxed
@given(rows)
def test_wildcards_equal_comparing_every_pair(records):
    table = key_table(records)

    def agree(a: tuple, b: tuple) -> bool:
        return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))

    found = wildcard_frequencies(table).tolist()
    keys = list(as_dict(table))
    assert found == [sum(agree(key, other) for other in records) for key in keys]


def test_wildcards_beyond_one_word():
    rng = np.random.default_rng(3)
    wide = rng.integers(0, 2, (200, 4)) * ((1 << 23) - 1)
    columns = {f"v{j}": pa.array(wide[:, j], mask=rng.random(200) < 0.2) for j in range(4)}
    table = pa.table(columns)
    with open_small(table) as data:
        found = data.uniques(list(columns), k=2, missing="wildcard").frequency().tolist()
    records = list(zip(*(c.to_pylist() for c in table.columns), strict=True))
    expected = [
        sum(
            all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))
            for b in records
        )
        for a in records
    ]
    assert found == expected


@relaxed
@given(
    st.lists(st.tuples(value, value, st.booleans(), st.booleans()), min_size=1, max_size=40),
)
def test_public_for_some_equals_counting_what_each_shows(records):
    table = key_table([(a, b, int(x), int(y)) for a, b, x, y in records])
    frequencies = public_frequencies(table, {"v0": "v2", "v1": "v3"}).tolist()
    by_class = dict(zip(as_dict(table), frequencies, strict=True))
    for a, b, x, y in records:
        agree = sum((not x or a == c) and (not y or b == d) for c, d, _, _ in records)
        assert by_class[(a, b, int(x), int(y))] == agree


def test_unknown_variable_gets_a_hint():
    with pytest.raises(InputError, match="'v9' is not in the key"):
        key_table([(1, 2)]).rollup(["v9"])


def test_recode_of_the_wrong_length_is_refused():
    with pytest.raises(InputError, match="must give a code to each of its 2 categories"):
        key_table([(1,), (2,)]).rollup(recodes={"v0": Recode(np.array([0]), ["x"])})
