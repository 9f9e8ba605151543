"""Missing values as wildcards: sdcMicro's rule, by comparing every pair and by its own numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.keys import KeyTable
from indistinct.keys.wildcards import wildcard_frequencies, wildcard_weights

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "sdcmicro"

value = st.one_of(st.none(), st.integers(0, 2))
rows = st.lists(st.tuples(value, value, value), min_size=1, max_size=40)


def by_record(columns: pa.Table, key: list[str], weight: str, alpha: float):
    with open_small(columns) as data:
        tally = data.engine.count(data.source, key)
        weights = data.engine.class_weights(data.source, tally, weight)
        table = KeyTable.from_tally(tally, weights=weights)
        found = [
            np.concatenate(list(tally.per_record(values)))
            for values in (
                wildcard_frequencies(table, alpha=alpha),
                wildcard_weights(table, alpha=alpha),
            )
        ]
    return found


@settings(deadline=None, max_examples=50)
@given(rows, st.sampled_from([0.0, 0.25, 1.0]))
def test_alpha_rule_equals_comparing_every_pair(records, alpha):
    weights = [1.0 + i / 4 for i in range(len(records))]
    columns = {f"v{j}": pa.array([r[j] for r in records], pa.int16()) for j in range(3)}
    table = pa.table({**columns, "w": weights})
    frequency, total = by_record(table, ["v0", "v1", "v2"], "w", alpha)
    for mine, f, w in zip(records, frequency, total, strict=True):
        expected_f = expected_w = 0.0
        for other, weight in zip(records, weights, strict=True):
            if not all(a is None or b is None or a == b for a, b in zip(mine, other, strict=True)):
                continue
            part = 1.0 if other == mine or None not in other else alpha
            expected_f += part
            expected_w += part * weight
        assert f == expected_f
        assert w == pytest.approx(expected_w, rel=1e-12)


def test_frequencies_are_whole_numbers_by_default():
    table = pa.table({"a": pa.array([1, None, 2], pa.int8())})
    with open_small(table) as data:
        found = wildcard_frequencies(data.key_table(["a"]))
    assert found.dtype == np.int64
    assert found.tolist() == [2, 2, 3]


def test_alpha_outside_its_range_is_refused():
    with open_small(pa.table({"a": [1, 2]})) as data:
        table = data.key_table(["a"])
    with pytest.raises(InputError, match=r"alpha must be a number from 0 to 1\. Got 2"):
        wildcard_frequencies(table, alpha=2)
    with pytest.raises(InputError, match="no weights"):
        wildcard_weights(table)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "key", "weight", "alphas"),
    [
        (
            "freqCalc_francdat_na",
            ["Key1", "Key2", "Key3", "Key4"],
            "w",
            {1.0: "alpha1", 0.5: "alpha0.5", 0.1: "alpha0.1", 0.0: "alpha0"},
        ),
        (
            "freqCalc_testdata_na5pct",
            ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"],
            "sampling_weight",
            {1.0: "a1", 0.5: "a05", 0.0: "a0"},
        ),
    ],
)
def test_equals_freq_calc_of_sdcmicro(name, key, weight, alphas):
    if not REFERENCE.is_dir():
        pytest.skip("the folder shared/reference beside the project is absent")
    options = pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=True)
    records = pyarrow.csv.read_csv(REFERENCE / f"{name}__input.csv", convert_options=options)
    expected = pyarrow.csv.read_csv(REFERENCE / f"{name}__out.csv")
    assert sum(records.column(k).null_count for k in key) > 0
    for alpha, column in alphas.items():
        frequency, total = by_record(records, key, weight, alpha)
        np.testing.assert_allclose(frequency, expected.column(f"fk_{column}"), rtol=1e-12)
        np.testing.assert_allclose(total, expected.column(f"Fk_{column}"), rtol=1e-12)
