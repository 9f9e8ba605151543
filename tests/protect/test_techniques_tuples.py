"""Techniques that add, leave out and reorder tuples."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import tables

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.protect import Plan
from indistinct.protect.steps import (
    AddRecords,
    Sample,
    ScrambleOrder,
    SuppressRecords,
    scramble,
)

shrinking = settings(max_examples=30, deadline=None)


def apply(engine, source, *steps, seed=1):
    return Plan(steps).apply(engine, source, seed=seed).source.table()


def test_suppressed_records_are_those_named(engine, opened):
    source = opened({"v": [10, 11, 12, 13]})
    assert apply(engine, source, SuppressRecords((1, 3)))["v"].to_pylist() == [10, 12]
    with pytest.raises(GuaranteeError, match="All 4 records"):
        apply(engine, source, SuppressRecords((0, 1, 2, 3)))
    with pytest.raises(InputError, match="no record 5"):
        apply(engine, source, SuppressRecords((4,)))


# Sampling


@shrinking
@given(records=st.integers(1, 60), seed=st.integers(0, 2**32), data=st.data())
def test_a_sample_has_its_size_and_keeps_the_order(engine, opened, records, seed, data):
    size = data.draw(st.integers(1, records))
    source = opened({"v": list(range(records))})
    taken = apply(engine, source, Sample(size=size), seed=seed)["v"].to_pylist()
    assert len(taken) == size
    assert taken == sorted(set(taken))


@pytest.mark.heavy
def test_every_record_is_drawn_equally_often(engine, opened):
    source = opened({"v": list(range(10))})
    drawn = Counter()
    for seed in range(300):
        drawn.update(apply(engine, source, Sample(fraction=0.3), seed=seed)["v"].to_pylist())
    assert sum(drawn.values()) == 900
    # five standard deviations of the binomial(300, 0.3)
    assert all(abs(drawn[v] - 90) < 5 * math.sqrt(63) for v in range(10))


def test_households_stay_whole(engine, opened):
    homes = [1, 1, 2, 3, 3, 3, None, None, 4, 1]
    source = opened(pa.table({"home": pa.array(homes, pa.int32()), "v": range(10)}))
    for seed in range(20):
        new = apply(engine, source, Sample(size=3, household="home"), seed=seed)
        there = Counter(h for h in new["home"].to_pylist() if h is not None)
        alone = new["home"].null_count
        assert len(there) + alone == 3
        assert all(homes.count(home) == n for home, n in there.items())
    with pytest.raises(InputError, match="from 6 households"):
        apply(engine, source, Sample(size=7, household="home"))
    with pytest.raises(InputError, match="is none"):
        apply(engine, source, Sample(fraction=0.01))


# Scrambling


@shrinking
@given(table=tables(), seed=st.integers(0, 2**32))
def test_scrambling_is_a_permutation(engine, opened, table, seed):
    data, _ = table
    new = apply(engine, opened(data), ScrambleOrder(), seed=seed)
    assert new.schema.equals(data.schema)
    before, after = (sorted(map(repr, t.to_pylist())) for t in (data, new))
    assert before == after


def test_the_order_does_not_depend_on_the_number_of_heaps(engine, opened, monkeypatch):
    source = opened({"v": list(range(5000)), "word": ["x"] * 5000})
    one = apply(engine, source, ScrambleOrder(), seed=6)
    monkeypatch.setattr(scramble, "HEAP_CELLS", 1000)
    many = apply(engine, source, ScrambleOrder(), seed=6)
    assert one.equals(many)
    order = one["v"].to_numpy()
    assert sorted(order) == list(range(5000))
    # the correlation of old and new place has standard deviation 1/√n
    assert abs(np.corrcoef(order, np.arange(5000))[0, 1]) < 5 / math.sqrt(5000)


@pytest.mark.heavy
def test_every_order_is_equally_likely(engine, opened):
    source = opened({"v": [0, 1, 2]})
    orders = Counter(
        tuple(apply(engine, source, ScrambleOrder(), seed=seed)["v"].to_pylist())
        for seed in range(600)
    )
    assert len(orders) == 6
    # chi-squared with 5 degrees of freedom exceeds 25.7 once in ten thousand times
    assert sum((n - 100) ** 2 / 100 for n in orders.values()) < 25.7


# Added tuples


@shrinking
@given(table=tables(), seed=st.integers(0, 2**32), times=st.integers(1, 3))
def test_shares_stay_exactly_with_a_multiple_and_real_records_stay(
    engine, opened, table, seed, times
):
    data, key = table
    records = times * data.num_rows
    step = AddRecords(records, shares=(key,), exact=True, flag="made_up")
    new = apply(engine, opened(data), step, seed=seed)
    rows = [Counter(zip(*(t[n].to_pylist() for n in key), strict=True)) for t in (data, new)]
    assert {k: n * (1 + times) for k, n in rows[0].items()} == rows[1]
    real = new.filter(pa.compute.invert(new["made_up"])).drop_columns("made_up")
    assert real.to_pydict() == data.to_pydict()
    assert sum(new["made_up"].to_pylist()) == records


@shrinking
@given(
    values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=30),
    records=st.integers(1, 40),
    seed=st.integers(0, 2**32),
)
def test_means_stay(engine, opened, values, records, seed):
    source = opened({"whole": values, "real": [v / 7 for v in values]})
    new = apply(engine, source, AddRecords(records, means=("whole", "real")), seed=seed)
    both = len(values) + records
    assert new.num_rows == both
    assert abs(sum(new["whole"].to_pylist()) / both - np.mean(values)) <= 1 / both
    assert np.mean(new["real"].to_pylist()) == pytest.approx(np.mean(values) / 7, abs=1e-9)


def test_exact_says_which_number_would_do(engine, opened):
    source = opened({"sex": ["m", "m", "m", "f"], "v": [1, 2, 3, 4]})
    with pytest.raises(GuaranteeError, match="multiple of 4"):
        apply(engine, source, AddRecords(3, shares=(("sex",),), exact=True))
    with pytest.raises(GuaranteeError, match=r"mean of v .* multiple of 2"):
        apply(engine, source, AddRecords(3, means=("v",), exact=True))
    new = apply(engine, source, AddRecords(2, means=("v",), exact=True))
    assert sum(new["v"].to_pylist()) / 6 == 2.5
    near = Plan((AddRecords(3, shares=(("sex",),)),)).apply(engine, source, seed=1)
    assert "moved by more than" in near.receipts[0].notes[0]


def test_made_up_records_stand_anywhere_and_are_mixtures(engine, opened):
    source = opened({"a": list(range(50)), "b": list(range(50))})
    new = apply(engine, source, AddRecords(50, flag="made_up"))
    flags = new["made_up"].to_pylist()
    assert not all(flags[50:])
    made = [r for r in new.to_pylist() if r["made_up"]]
    assert any(r["a"] != r["b"] for r in made)


def test_a_flag_and_identifiers_are_warned_of(engine, opened):
    source = opened({"v": [1, 2]})
    done = Plan((AddRecords(1, flag="fake"),)).apply(engine, source, seed=1)
    assert "leave it out" in done.receipts[0].warnings[0]
    assert done.source.variables["fake"].role == "identifier"
    with pytest.raises(InputError, match="already"):
        apply(engine, source, AddRecords(1, flag="v"))
