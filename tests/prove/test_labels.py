"""What labels stand for, by their form: against the hierarchies that make such labels."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.hierarchy import (
    code_hierarchy,
    date_hierarchy,
    interval_hierarchy,
    suppression_only,
    table_hierarchy,
)
from indistinct.hierarchy.labels import common_kind, is_suppressed, prefix_of, span_of, stands_for


def agrees_with(hierarchy, kind):
    """The form of every label says what the tree says, of every value."""
    for value in hierarchy.values:
        for level in hierarchy.levels[:-1]:
            label = hierarchy.generalise(value, level)
            for other in hierarchy.values:
                by_tree = hierarchy.generalise(other, level) == label
                assert stands_for(label, other, kind=kind) is by_tree, (label, other)
                assert stands_for(label, other, hierarchy, kind=kind) is by_tree
                assert stands_for(other, label, kind=kind) is by_tree


numbers = st.lists(st.integers(-60, 120), min_size=1, max_size=12)


@given(numbers)
def test_intervals_of_whole_numbers(values):
    agrees_with(interval_hierarchy(values, widths=(5, 10, 40), bottom=-40, top=85), "number")


@given(st.lists(st.decimals(-3, 3, places=2), min_size=1, max_size=12))
def test_intervals_of_decimals(values):
    agrees_with(interval_hierarchy(values, widths=("0.1", "0.5"), integers=False), "number")


@given(numbers)
def test_cuts(values):
    agrees_with(interval_hierarchy(values, cuts=[(0, 18, 65), (18,)]), "number")


days = st.dates(datetime.date(1890, 1, 1), datetime.date(2035, 12, 31))


@given(st.lists(days, min_size=1, max_size=12))
def test_windows_of_months_and_years(values):
    windows = ("month", "2 months", "6 months", "year", "5 years", "10 years")
    agrees_with(date_hierarchy(values, windows=windows), "date")


@given(st.lists(st.from_regex(r"0[12][0-9]{3}", fullmatch=True), min_size=1, max_size=12))
def test_masked_codes_of_one_length(values):
    agrees_with(code_hierarchy(values), "number")


def test_masked_codes_with_separators():
    polish = ["12-345", "12-346", "13-345"]
    agrees_with(code_hierarchy(polish), common_kind(polish, polish))
    agrees_with(code_hierarchy(["E11.91", "E11.9", "E12"], digits=(4, 3, 2)), "number")


@pytest.mark.parametrize("nothing", [None, "", "*", "*****", "***-**", float("nan")])
def test_what_tells_nothing_stands_for_anything(nothing):
    assert is_suppressed(nothing)
    assert stands_for(nothing, "Ann")
    assert stands_for("02138", nothing)


def test_the_root_of_a_hierarchy_tells_nothing():
    race = suppression_only(["Black", "Asian"], name="race", root="person")
    assert stands_for("person", "nobody knew this value", race)
    assert not stands_for("person", "Asian")
    assert is_suppressed("person", race)


def test_a_hierarchy_decides_about_what_it_knows():
    work = table_hierarchy([("nurse", "health", "*"), ("tailor", "trade", "*")], name="work")
    assert stands_for("health", "nurse", work)
    assert not stands_for("health", "tailor", work)
    assert stands_for("nurse", "health", work)  # a register may be the coarser
    assert not stands_for("health", "trade", work)
    assert not stands_for("health", "nurse")
    # 02140 is not in the file that the hierarchy was made from, but in the register
    zips = code_hierarchy(["02138", "02141"], name="zip", digits=(4,))
    assert stands_for("0214*", "02140", zips)
    assert not stands_for("0213*", "02140", zips)


@pytest.mark.parametrize(
    ("label", "value", "expected"),
    [
        ("1961", "10/2/61", True),
        ("1961", "1961-10-02", True),
        ("1962", "10/2/61", False),
        ("1961-10-02", "10/2/1961", True),
        ("10/1961", "1961-10-31", True),
        ("10/1961", "1961-11-01", False),
        ("1960s", "1969-12-31", True),
        ("1960s", "1970-01-01", False),
        ("1960-1969", "10/2/61", True),
        ("<1950", "1949-12-31", True),
        ("<1950", "1950-01-01", False),
        (">1950", "1950-12-31", False),
        ("≥1985", "1985-01-01", True),
        ("1965-03-12-1966-11-01", "1966-01-01", True),
        ("1961-10-02 08:30", "1961-10-02", True),
        ("20-24", 24, True),
        ("20-24", 24.5, True),
        ("20-24", 25, False),
        ("-5--1", -3, True),
        ("[20, 30)", "25-34", True),
        ("20-29", "30-39", False),
        ("12-345", "12-346", False),  # two dashes alone may be codes
        ("555-1234", "555-1999", False),
        ("(20, 30]", 20, False),
        ("(20, 30]", 30, True),
        ("85+", 85, True),
        ("<=15", 15, True),
        ("{20-24, 85+}", 90, True),
        ("{nurse, doctor}", "doctor", True),
        ("{nurse, doctor}", "tailor", False),
        ("A*", "Ann", True),
        ("A*", "Dan", False),
        ("0213*", "021**", True),
        ("02138", "021", False),
        ("02138", "2138", False),  # a leading zero makes a code
        ("02139-4307", "3000", False),
        ("123456789012345678", "123456789012345679", False),
    ],
)
def test_forms(label, value, expected):
    assert stands_for(label, value) is expected
    assert stands_for(value, label) is expected


def test_what_digits_mean_depends_on_the_variable():
    assert common_kind(["1961", None], ["7"]) == "number"
    assert common_kind(["1961"], ["7/4/61"]) == "date"
    phones, bands = ["555-1234", "555-1999", "617-2000"], ["0-4", "5-9"]
    assert common_kind(phones, phones) == "text"
    assert common_kind(["0-9"], bands) == "number"
    assert common_kind(["0-9"], ["7", "12"]) == "number"
    assert common_kind(["0-9"], ["5-14", "85+"]) == "number"
    # a stray number among codes does not make them ranges
    assert common_kind([*phones, "5551234"], phones) == "text"
    assert stands_for("20-29", "25-34", kind="number")
    assert not stands_for("20-29", "25-34", kind="text")
    assert span_of("1961", "number") == (1961, 1961)
    assert span_of("0213*", "number") is None
    assert span_of("[30, 20)", "number") is None
    assert span_of("1965-13-01", "date") is None
    assert prefix_of("E1*.**") == "E1"
