"""The synthetic census stands out about as much as the populations of two papers."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.census import (
    KEYS_12,
    MCCAA_KEY,
    SKINNER_HOLMES_KEY,
    census_table,
    skinner_holmes_key,
)

SHAPE = (19, 2, 10, 5, 11, 4)
# Skinner and Holmes (1998), Table 1: cells by population frequency 0 to 5.
TABLE_1 = (74_067, 3_232, 1_263, 618, 433, 336)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [1, 2])
def test_skinner_and_holmes_table_1_within_a_quarter(seed: int) -> None:
    census = census_table(450_000, seed, names=False)
    key = skinner_holmes_key(census)
    assert np.prod(SHAPE) == 83_600
    columns = [key[name].to_numpy() - 1 for name in key.column_names]
    frequency = np.bincount(np.ravel_multi_index(columns, SHAPE), minlength=83_600)
    found = np.bincount(np.minimum(frequency, 6), minlength=7)[:6]
    np.testing.assert_allclose(found, TABLE_1, rtol=0.25)
    np.testing.assert_allclose(83_600 - found[0], 83_600 - TABLE_1[0], rtol=0.25)

    # The stored recodes are the same ones.
    for stored, recoded in zip(SKINNER_HOLMES_KEY, key.column_names, strict=True):
        assert census[stored].to_pylist() == key[recoded].to_pylist()

    # Without associations the margins alone would promise far more uniques, and so do
    # main-effects models fitted to a sample.
    expected = np.array([450_000.0])
    for column, categories in zip(columns, SHAPE, strict=True):
        share = np.bincount(column, minlength=categories) / 450_000
        expected = np.outer(expected, share).ravel()
    assert (expected * np.exp(-expected)).sum() > 2 * found[1]


@pytest.mark.heavy
def test_mccaas_conservative_key_leaves_78_per_cent_in_classes_below_3() -> None:
    census = census_table(474_535, seed=1, names=False)
    assert KEYS_12 == MCCAA_KEY
    classes = census.group_by(list(MCCAA_KEY)).aggregate([([], "count_all")])
    sizes = classes["count_all"].to_numpy()
    assert sizes.sum() == 474_535
    assert sizes[sizes < 3].sum() / 474_535 == pytest.approx(0.78, abs=0.04)
