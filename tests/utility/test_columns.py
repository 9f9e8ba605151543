"""Distances between an original and a released column, technique by technique."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from indistinct.core.errors import InputError
from indistinct.hierarchy import code_hierarchy
from indistinct.utility import column_distance, techniques

ZIPS = code_hierarchy(["02138", "02139", "02141", "02142"], name="zip", digits=(4, 3))


def test_generalisation_is_levels_over_height():
    found = column_distance(
        ["02138", "02138", "02141", "02142", None],
        ["02138", "0213*", "021**", "*", None],
        technique="generalisation",
        hierarchy=ZIPS,
    )
    assert found == pytest.approx([0, 1 / 3, 2 / 3, 1, 0])


def test_a_blank_cell_is_suppressed_whatever_the_technique():
    for technique in techniques():
        before = [1.0, 2.0, None] if technique != "generalisation" else ["02138", "02139", None]
        found = column_distance(before, [None, None, None], technique=technique, hierarchy=ZIPS)
        assert found.tolist() == [1, 1, 0]


def test_a_label_that_does_not_stand_for_the_value_is_refused_without_naming_it():
    with pytest.raises(InputError, match="does not stand for") as told:
        column_distance(["02138"], ["0214*"], technique="generalisation", hierarchy=ZIPS)
    assert "0213" not in str(told.value)
    with pytest.raises(InputError, match="needs the variable's hierarchy"):
        column_distance(["02138"], ["0214*"], technique="generalisation")


@pytest.mark.parametrize("technique", ["noise", "rounding", "microaggregation"])
def test_numbers_are_measured_by_the_range_of_the_original(technique):
    found = column_distance(
        np.array([0.0, 10.0, 20.0, 40.0]), np.array([4.0, 10.0, 16.0, 140.0]), technique=technique
    )
    assert found == pytest.approx([0.1, 0, 0.1, 1])


def test_a_constant_column():
    assert column_distance([5, 5], [5, 6], technique="noise").tolist() == [0, 1]


def test_the_range_is_that_of_the_whole_column():
    assert column_distance([10, 20, 30], [10, 25, None], technique="noise").tolist() == [0, 0.25, 1]


def test_substitution_and_swap():
    assert column_distance(["x", "y"], ["x", "z"], technique="substitution").tolist() == [0, 1]
    assert column_distance(["x", "y"], ["y", "x"], technique="swap").tolist() == [1, 1]
    assert column_distance([1, 3, 5], [1, 5, 3], technique="swap").tolist() == [0, 0.5, 0.5]
    # a number that became text is still the same value
    assert column_distance([1, 2], ["1", "*"], technique="suppression").tolist() == [0, 1]


def test_arrow_columns_of_any_kind():
    text = pa.chunked_array([["x", "y"], ["y"]])
    coded = text.dictionary_encode()
    assert column_distance(text, coded, technique="substitution").tolist() == [0, 0, 0]
    days = pa.array([0, 10, 20], type=pa.date32())
    later = pa.array([0, 15, 20], type=pa.date32())
    assert column_distance(days, later, technique="noise").tolist() == [0, 0.25, 0]


def test_not_a_number_is_a_missing_value():
    found = column_distance([1.0, float("nan"), 3.0], [1.0, float("nan"), 2.0], technique="noise")
    assert found.tolist() == [0, 0, 0.5]


def test_wrong_requests():
    with pytest.raises(InputError, match="Did you mean 'noise'"):
        column_distance([1], [1], technique="noisy")
    with pytest.raises(InputError, match="same records"):
        column_distance([1, 2], [1], technique="noise")
    with pytest.raises(InputError, match="numbers or dates"):
        column_distance(["a"], ["b"], technique="noise")
