"""Dalenius' procedures on random matrices: representations invert, approaches agree."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.engine import bits_needed, cheapest, estimates
from indistinct.engine.cost import UnitCosts
from indistinct.keys import T1, T2, Integers, RunningTally, find_groups, threshold, unique_records

COSTS = UnitCosts(pack=1.0, sort=3.0, tally=30.0, cell_near=1.5, cell_far=8.0)


@st.composite
def matrices(draw, largest=13):
    sizes = draw(st.lists(st.integers(1, largest), min_size=1, max_size=6))
    rows = draw(
        st.lists(st.tuples(*(st.integers(0, c - 1) for c in sizes)), min_size=1, max_size=40)
    )
    return tuple(sizes), rows


@given(matrices(largest=90), st.sampled_from([T1, T2, Integers]), st.booleans())
def test_representations_are_one_to_one_and_invert(matrix, kind, backwards):
    sizes, rows = matrix
    encoding = kind(sizes, "right-to-left" if backwards else "left-to-right")
    codes = np.array(rows)
    sums = encoding.sums(codes)
    assert (encoding.invert(sums) == codes).all()
    assert len(set(sums.tolist())) == len(set(rows))
    assert max(int(s) for s in sums) <= encoding.largest


@given(matrices(), st.sampled_from([T1, T2, Integers]))
def test_bits_needed_hold_the_largest_number(matrix, kind):
    sizes, _ = matrix
    name = "integers" if kind is Integers else kind.__name__
    assert kind(sizes).largest.bit_length() <= bits_needed(sizes, name)


@settings(deadline=None, max_examples=40)
@given(matrices(largest=4))
def test_all_approaches_and_representations_agree_with_counting(matrix):
    sizes, rows = matrix
    expected = {
        (row, count, tuple(i for i, other in enumerate(rows) if other == row))
        for row, count in Counter(rows).items()
    }
    for approach in ("sort", "tally", "catalogue"):
        for representation in ("integers", "T1", "T2"):
            groups = find_groups(rows, sizes, approach=approach, representation=representation)
            found = {(g.codes, g.count, g.records) for g in groups if g.count}
            assert found == expected


@settings(deadline=None, max_examples=25)
@given(matrices(), st.integers(1, 4))
def test_engine_agrees_with_the_paper_by_every_approach(matrix, at_most):
    sizes, rows = matrix
    names = [f"v{j}" for j in range(len(sizes))]
    table = pa.table({n: [r[j] for r in rows] for j, n in enumerate(names)})
    expected = unique_records(find_groups(rows, sizes), at_most=at_most)
    with open_small(table) as data:
        for approach in ("sort", "tally", "catalogue"):
            found = data.uniques(names, at_most=at_most, approach=approach)
            assert found.records_at_risk().tolist() == expected


@given(matrices(), st.integers(1, 3))
def test_forgetting_loses_nothing_that_is_wanted(matrix, at_most):
    _, rows = matrix
    tally = RunningTally(at_most=at_most)
    for record, row in enumerate(rows):
        tally.add(record, row)
    counts = Counter(rows)
    assert {g.codes: g.count for g in tally.groups()} == counts
    for group in tally.groups():
        assert (group.records is None) == (counts[group.codes] > at_most)
    assert unique_records(tally.groups(), at_most=at_most) == [
        i for i, row in enumerate(rows) if counts[row] <= at_most
    ]
    assert tally.remembered <= at_most * len(counts)


@given(
    st.integers(1, 10**9),
    st.lists(st.integers(2, 100), min_size=1, max_size=20),
    st.integers(2, 100),
)
def test_estimates_grow_with_records_and_variables(records, sizes, another):
    def seconds(n: int, s: list[int]) -> list[float]:
        return [e.seconds for e in estimates(records=n, sizes=s, memory=10**9, costs=COSTS)]

    now = seconds(records, sizes)
    assert all(
        later >= early for early, later in zip(now, seconds(2 * records, sizes), strict=True)
    )
    assert all(
        later >= early
        for early, later in zip(now, seconds(records, [*sizes, another]), strict=True)
    )


def test_choice_follows_the_estimates():
    assert cheapest(records=10**6, sizes=[10] * 4, memory=10**9, costs=COSTS) == "catalogue"
    assert cheapest(records=10**6, sizes=[10] * 12, memory=10**9, costs=COSTS) == "tally"
    slow_tally = UnitCosts(pack=1.0, sort=0.1, tally=900.0, cell_near=1.5, cell_far=8.0)
    assert cheapest(records=10**6, sizes=[10] * 12, memory=10**9, costs=slow_tally) == "sort"
    # a catalogue that does not fit in memory is not chosen
    assert cheapest(records=10**6, sizes=[10] * 8, memory=5 * 10**8, costs=COSTS) == "tally"


def test_estimate_says_when_words_go_to_disk():
    ways = estimates(records=10**8, sizes=[10] * 12, memory=2 * 10**9, costs=COSTS)
    tally = next(e for e in ways if (e.representation, e.approach) == ("T2", "tally"))
    assert tally.possible
    assert tally.why == "words on disk"
    assert tally.memory < 2 * 10**9


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: threshold(1, None), "k must be a whole number of at least 2"),
        (lambda: threshold(None, 0), "at_most must be a whole number of at least 1"),
        (lambda: threshold(3, 2), "either k or at_most"),
        (lambda: T2(()), "at least one variable"),
        (lambda: T2((2, 0)), "at least one category"),
        (lambda: T2((2,), "sideways"), "left-to-right or right-to-left"),
        (lambda: T2((2, 2)).invert([4]), "not the sum of any key"),
        (lambda: find_groups([]), "at least one record"),
        (lambda: find_groups([[0]], representation="T3"), "integers, T1 or T2"),
        (lambda: find_groups([[0]], approach="guess"), "sort, tally or catalogue"),
        (lambda: find_groups([[0] * 12], [10] * 12, approach="catalogue"), "1e\\+12 entries"),
        (lambda: unique_records([], at_most=0), "at least 1"),
    ],
)
def test_wrong_calls_are_refused(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
