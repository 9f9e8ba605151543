"""Bins of numbers are named by bounds that part them, and tell no smallest or largest value."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.files import open_table, workspace
from indistinct.keys import read_coded
from indistinct.utility.analyses import compare_marginals
from indistinct.utility.analyses.marginals import roundest


def marginal_of(original, released, bins=4):
    with workspace() as folder:
        before = open_table(pa.table({"x": original}), workspace=folder)
        after = open_table(pa.table({"x": released}), workspace=folder)
        both = read_coded(before, after, levels={"x": "date"} if is_date(original) else None)
    return compare_marginals(both, bins=bins)["x"]


def is_date(values):
    return isinstance(next(v for v in values if v is not None), dt.date)


def test_ages_are_named_by_their_bounds_in_result_and_figure():
    ages = [*range(0, 100), None]
    found = marginal_of(ages, [*range(3, 100), None, None, None, None])
    assert found.labels == ("below 24", "24–48", "49–73", "74 and more", None)
    shares = found.to_dict()["original"]["shares"]
    assert shares.keys() == {"below 24", "24–48", "49–73", "74 and more", "missing"}
    assert found.at == "below 24"


def test_numbers_with_decimals_and_dates_say_where_a_bin_ends():
    money = [1000.25 * i for i in range(1, 101)]
    assert marginal_of(money, money).labels[:2] == ("below 25,000", "25,000 to below 50,000")
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=i) for i in range(100)]
    named = marginal_of(days, days, bins=2).labels
    assert named == ("before 1950-02-19", "1950-02-19 and later")


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(-50, 5000), min_size=30, max_size=80, unique=True),
    st.lists(st.integers(-50, 5000), min_size=1, max_size=30),
)
def test_names_count_what_they_say_by_brute_force(original, released):
    found = marginal_of(original, released, bins=5)
    for shares, values in ((found.p, original), (found.q, released)):
        counted = [sum(holds(name, v) for v in values) / len(values) for name in found.labels]
        assert np.allclose(counted, shares)
    told = " ".join(found.labels)
    everything = [*original, *released]
    assert str(max(everything)) not in told.replace(",", "").replace("–", " ").split() or (
        f"{max(everything)} and more" in told
    )


def holds(name, value):
    name = name.replace(",", "")
    if name.startswith("below "):
        return value < int(name.removeprefix("below "))
    if name.endswith(" and more"):
        return value >= int(name.removesuffix(" and more"))
    low, _, high = name.partition("–")
    return int(low) <= value <= int(high or low)


@pytest.mark.parametrize(
    ("below", "at", "expected"),
    [(19, 20, 20), (41, 68, 50), (999, 1203, 1000), (-12, -3, -10), (-5, 5, 0), (0.1, 0.13, 0.13)],
)
def test_the_roundest_number_between(below, at, expected):
    assert roundest(below, at) == expected
