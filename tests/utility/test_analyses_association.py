"""Rank correlations and Cramér's V against pandas and scipy."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from analyses_files import coded, people
from scipy import stats

from indistinct.core.errors import InputError
from indistinct.core.variables import Variable
from indistinct.utility.analyses import compare_associations, compare_correlations

ORDERED = {"school": "ordinal"}


def test_spearman_against_pandas_over_pairs_that_are_there():
    first, second = people(400), people(300, seed=1)
    found = compare_correlations(coded(first, second, levels=ORDERED))
    names = ["age", "school", "income"]
    assert found.names == tuple(names)
    for frame, matrix in ((first, found.original), (second, found.released)):
        assert matrix == pytest.approx(frame[names].corr(method="spearman").to_numpy(), abs=1e-12)
    gaps = np.abs(found.original - found.released)[np.triu_indices(3, 1)]
    assert found.largest == pytest.approx(gaps.max())
    assert found.mean == pytest.approx(gaps.mean())
    assert found.left_out == {
        "income": (first["income"].isna().sum(), second["income"].isna().sum())
    }


def test_weighted_spearman_of_whole_weights_is_that_of_repeated_records():
    frame = people(120)[["age", "school"]]
    frame["w"] = np.random.default_rng(0).integers(1, 5, 120).astype(float)
    found = compare_correlations(coded(frame, levels=ORDERED, weights="w"))
    many = frame.loc[frame.index.repeat(frame["w"].astype(int))]
    expected = many[["age", "school"]].corr(method="spearman").to_numpy()
    assert found.original == pytest.approx(expected, abs=1e-12)


def test_declared_order_of_texts_is_used():
    known = Variable("grade", level="ordinal", categories=("low", "mid", "high"))
    from indistinct.files import open_table, workspace
    from indistinct.keys import read_coded

    with workspace() as folder:
        frame = pd.DataFrame({"grade": ["low", "mid", "high", "high"], "x": [1.5, 2.5, 3.5, 4.5]})
        source = open_table(frame, workspace=folder)
        told = source.variables.updated(
            {"grade": {"level": "ordinal", "categories": known.categories}}
        )
        marked = type(source)(source.path, source.origin, told, 4)
        found = compare_correlations(read_coded(marked, marked))
    assert found.original[0, 1] == pytest.approx(stats.spearmanr([0, 1, 2, 2], [1, 2, 3, 4])[0])


def test_cramers_v_against_scipy():
    first, second = people(500), people(200, seed=2)
    found = compare_associations(coded(first, second), variables=["sex", "region", "married"])
    for frame, matrix in ((first, found.original), (second, found.released)):
        filled = frame.fillna({"region": "none"})
        for i, j in itertools.combinations(range(3), 2):
            table = pd.crosstab(filled[found.names[i]], filled[found.names[j]])
            expected = stats.contingency.association(table.to_numpy(), method="cramer")
            assert matrix[i, j] == pytest.approx(expected, abs=1e-12)


def test_corrected_v_by_bergsmas_formula_and_near_zero_for_independent_variables():
    rng = np.random.default_rng(3)
    frame = {"a": rng.choice(10, 400).astype(str), "b": rng.choice(12, 400).astype(str)}
    found = compare_associations(coded(frame))
    table = pd.crosstab(pd.Series(frame["a"]), pd.Series(frame["b"])).to_numpy()
    phi2 = stats.chi2_contingency(table, correction=False)[0] / 400
    r, c = table.shape
    less = max(0.0, phi2 - (r - 1) * (c - 1) / 399)
    small = min(r - (r - 1) ** 2 / 399, c - (c - 1) ** 2 / 399) - 1
    assert found.corrected[0][0, 1] == pytest.approx(np.sqrt(less / small), abs=1e-12)
    assert found.original[0, 1] > 0.12
    assert found.corrected[0][0, 1] < 0.07


def test_what_was_torn_apart_is_named():
    first = people(2000)
    second = first.assign(income=np.random.default_rng(0).permutation(first["income"]))
    both = coded(first, second, levels=ORDERED)
    assert "income" in compare_correlations(both).worst
    assert "income" in compare_associations(both).worst


def test_the_same_file_differs_in_nothing_and_results_are_plain():
    both = coded(people(150), levels=ORDERED)
    for found in (compare_correlations(both), compare_associations(both)):
        assert found.largest == found.mean == 0
        told = found.to_dict()
        assert {"original", "released", "difference"} <= told.keys()
        json.dumps(told, allow_nan=False)
        assert found.plot().startswith("<svg")


def test_a_constant_has_no_correlation_and_does_not_hide_others():
    frame = people(80)
    both = coded(frame.assign(age=7.5), levels={"age": "numeric", "school": "ordinal"})
    found = compare_correlations(both)
    assert np.isnan(found.original[0, 1])
    assert found.worst == ("school", "income")
    json.dumps(found.to_dict(), allow_nan=False)


def test_nothing_ordered_is_refused():
    with pytest.raises(InputError, match="two numeric or ordinal"):
        compare_correlations(coded(people(20), variables=["sex", "married"]))
