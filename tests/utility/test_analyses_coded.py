"""Two files as codes with shared categories, and numbers in bins of the original's quantiles."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from analyses_files import coded, people
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.files import open_table, workspace
from indistinct.keys import read_coded
from indistinct.utility.analyses.binning import as_factor, percentile_bins


def test_codes_decode_to_the_values_of_both_files():
    first, second = people(300), people(200, seed=1)
    found = coded(first, second)
    for name in first:
        labels = np.array(found[name].labels(), dtype=object)
        for frame, codes in ((first, found[name].original), (second, found[name].released)):
            assert [None if pd.isna(v) else v for v in frame[name]] == labels[codes].tolist()


def test_categories_are_shared_and_sorted_and_missing_is_last():
    column = coded({"x": ["b", None, "a"]}, {"x": ["c", "a", "a"]})["x"]
    assert column.labels() == ["a", "b", "c", None]
    assert column.original.tolist() == [1, 3, 0]
    assert column.released.tolist() == [2, 0, 0]


def test_not_a_number_is_missing_and_minus_zero_is_zero():
    column = coded({"x": [0.0, np.nan, 1.5]}, {"x": [-0.0, 1.5, np.nan]})["x"]
    assert column.labels() == [0.0, 1.5, None]
    assert column.released.tolist() == [0, 1, 2]


def test_a_generalised_column_is_compared_as_text_and_said_to_be():
    found = coded({"age": [30, 41]}, {"age": ["30-39", "41"]})
    assert found["age"].labels() == ["30", "30-39", "41"]
    assert found["age"].original.tolist() == [0, 2]
    assert any("compared as text" in note for note in found.notes)


def test_few_whole_numbers_are_codes_unless_somebody_says_otherwise():
    frame = {"sex": [1, 2, 1], "pay": [1.5, 2.5, 3.5]}
    assert coded(frame)["sex"].level == "nominal"
    assert coded(frame)["pay"].level == "numeric"
    assert coded(frame, levels={"sex": "numeric"})["sex"].is_numeric
    with pytest.raises(InputError, match="Did you mean 'ordinal'"):
        coded(frame, levels={"sex": "ordnal"})


def test_dates_are_days():
    days = [datetime.date(1970, 1, 2), datetime.date(1970, 1, 11)]
    column = coded({"born": days})["born"]
    assert column.numbers.tolist() == [1, 10]
    assert column.is_numeric


def test_declared_missing_codes_are_categories_but_not_numbers():
    with workspace() as folder:
        source = open_table(pd.DataFrame({"x": range(1, 60)}), workspace=folder)
        known = source.variables.updated({"x": {"user_missing": ((50, 59),)}})
        marked = type(source)(source.path, source.origin, known, source.records)
        column = read_coded(marked, marked)["x"]
    assert np.isnan(column.numbers[49:]).all()
    assert not np.isnan(column.numbers[:49]).any()
    factor = as_factor(column, bins=5)
    # ten codes that mean missing stay apart from the five bins and from each other
    assert factor.size == 15
    assert len(set(factor.original[49:].tolist())) == 10


def test_identifiers_weights_and_texts_of_single_records_are_left_out():
    with workspace() as folder:
        n = 1200
        frame = {"id": range(n), "note": [f"t{i}" for i in range(n)], "w": [2.0] * n}
        source = open_table(pd.DataFrame(frame | {"a": ["x", "y"] * 600}), workspace=folder)
        known = source.variables.updated({"id": {"role": "identifier"}})
        marked = type(source)(source.path, source.origin, known, n)
        found = read_coded(marked, marked, weights="w")
    assert found.names == ["a"]
    assert any(note.startswith("note is left out") for note in found.notes)
    assert found.weights_original.tolist() == [2.0] * n


def test_bad_weights_are_refused_by_record_number_without_the_value():
    with pytest.raises(InputError, match="record 2 is not a positive number") as told:
        coded({"a": ["x", "y"], "w": [1.0, -777.0]}, weights="w")
    assert "777" not in str(told.value)


def test_a_column_that_was_emptied_has_only_missing_values():
    column = coded({"x": [1.5, 2.5]}, {"x": pd.Series([None, None], dtype=object)})["x"]
    assert column.labels() == [1.5, 2.5, None]
    assert column.released.tolist() == [2, 2]


def nist_bins(values: pd.Series, bins: int) -> pd.Series:
    """The percentile bins as SDNist writes them down."""
    return values.rank(pct=True).apply(lambda x: int(bins * x) if x < 1 else bins - 1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=80), st.lists(st.integers(-5, 50)))
def test_percentile_bins_are_those_of_sdnist(original, released):
    column = coded({"x": original}, {"x": released or [0]}, levels={"x": "numeric"})["x"]
    table, used = percentile_bins(column, bins=10)
    target = pd.Series(original)
    bins = nist_bins(target, 10)
    kept = sorted(bins.unique())
    assert used == len(kept)
    assert table[column.original].tolist() == [kept.index(b) for b in bins]
    tops = [target[bins == b].max() for b in kept]
    for value, code in zip(released, table[column.released], strict=False):
        expected = next((i for i, top in enumerate(tops) if value <= top), len(tops) - 1)
        assert code == expected


def test_errors_name_what_there_is():
    found = coded({"age": [1, 2]})
    with pytest.raises(InputError, match="Did you mean 'age'"):
        found["aeg"]
    with pytest.raises(InputError, match="no variables to compare"):
        coded({"a": [1]}, {"b": [1]})
    with pytest.raises(InputError, match="at least one variable"):
        coded({"a": [1]}, variables=[])
