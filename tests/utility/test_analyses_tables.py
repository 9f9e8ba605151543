"""Marginals and tables against counting with pandas and scipy."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from analyses_files import coded, people
from scipy import stats

from indistinct.core.errors import InputError
from indistinct.utility.analyses import compare_marginals, compare_tables
from indistinct.utility.analyses.binning import as_factors
from indistinct.utility.analyses.cells import joint_cells


def shares(frame, names, weights=None):
    keys = [frame[n].astype(object).where(frame[n].notna(), "none") for n in names]
    w = pd.Series(np.ones(len(frame)) if weights is None else weights)
    table = w.groupby(keys).sum()
    return table / table.sum()


def distance(first, second, names, weights=(None, None)):
    p, q = shares(first, names, weights[0]), shares(second, names, weights[1])
    p, q = p.align(q, fill_value=0.0)
    return (p - q).abs().sum() / 2, np.sqrt(1 - min(1.0, np.sqrt(p * q).sum()))


def test_marginals_of_categories_against_pandas():
    first, second = people(500), people(300, seed=4)
    found = compare_marginals(coded(first, second))
    for name in ("sex", "region", "married"):
        tv, hellinger = distance(first, second, [name])
        assert found[name].total_variation == pytest.approx(tv, abs=1e-12)
        assert found[name].hellinger == pytest.approx(hellinger, abs=1e-9)
        assert not found[name].same
    region = found["region"]
    p, q = shares(first, ["region"]).align(shares(second, ["region"]), fill_value=0.0)
    gap = (p - q).abs()
    assert region.largest == pytest.approx(gap.max())
    assert (region.at or "none") == gap.idxmax()


def test_marginals_of_numbers_against_pandas_and_scipy():
    first, second = people(500), people(300, seed=4)
    income = compare_marginals(coded(first, second))["income"]
    x, y = first["income"].dropna(), second["income"].dropna()
    assert income.original.mean == pytest.approx(x.mean())
    assert income.released.sd == pytest.approx(y.std())
    assert income.ks == pytest.approx(stats.ks_2samp(x, y).statistic)
    expected = np.quantile(x, [0.05, 0.25, 0.5, 0.75, 0.95], method="inverted_cdf")
    assert income.original.quantiles == pytest.approx(expected)
    assert income.original.left_out == first["income"].isna().sum()
    assert income.bins == 20


def test_weighted_marginals():
    first, second = people(400).assign(w=1.0), people(400, seed=2)
    first["w"] = np.random.default_rng(0).uniform(1, 9, 400)
    second["w"] = 2.0
    found = compare_marginals(coded(first, second, weights="w"))
    tv, _ = distance(first, second, ["region"], (first["w"], second["w"]))
    assert found["region"].total_variation == pytest.approx(tv)
    mean = np.average(first["age"], weights=first["w"])
    assert found["age"].original.mean == pytest.approx(mean)
    assert found.weighted


@pytest.mark.parametrize("ways", [2, 3])
def test_tables_against_pandas(ways):
    first, second = people(400), people(250, seed=5)
    both = coded(first, second)
    found = compare_tables(both, ways=ways, bins=6)
    binned = [pd.DataFrame({}), pd.DataFrame({})]
    for factor in as_factors(both, bins=6):
        binned[0][factor.name], binned[1][factor.name] = factor.original, factor.released
    names = list(itertools.combinations(first.columns, ways))
    assert [t.names for t in found.found] == names
    for table in found.found:
        tv, hellinger = distance(*binned, list(table.names))
        assert table.total_variation == pytest.approx(tv, abs=1e-12)
        assert table.hellinger == pytest.approx(hellinger, abs=1e-7)
        cells = binned[0].groupby(list(table.names)).size()
        assert table.cells_original == (cells > 0).sum()
    assert found.worst == max(found.found, key=lambda t: t.total_variation)
    assert found.binned == ("age", "income")


def test_tables_too_large_to_hold_are_counted_by_sorting(monkeypatch):
    both = coded(people(300), people(200, seed=5))
    before = compare_tables(both, ways=3)
    monkeypatch.setattr("indistinct.utility.analyses.cells._DENSE", 0)
    factors = as_factors(both, ["age", "school", "income"], bins=10)
    assert len(joint_cells(factors).sizes) == 3
    after = compare_tables(both, ways=3)
    for a, b in zip(before.found, after.found, strict=True):
        assert a.total_variation == pytest.approx(b.total_variation, abs=1e-12)


def test_the_pmse_of_a_table_by_its_definition():
    first, second = people(300), people(200, seed=3)
    table = compare_tables(coded(first, second), tables=[("sex", "married")]).found[0]
    stacked = pd.concat([first.assign(released=0), second.assign(released=1)])
    p = stacked.groupby(["sex", "married"])["released"].transform("mean")
    c = 200 / 500
    expected = (4 - 1) * (1 - c) ** 2 * c / 500
    assert table.pmse_ratio == pytest.approx(((p - c) ** 2).mean() / expected)


def test_a_synthesis_from_the_true_shares_has_a_pmse_ratio_of_one():
    rng = np.random.default_rng(7)
    n, ratios = 2000, []
    x = rng.choice(8, n)
    for _ in range(30):
        drawn = {"a": x[rng.integers(0, n, n)].astype(str), "b": ["k"] * n}
        found = compare_tables(coded({"a": x.astype(str), "b": ["k"] * n}, drawn))
        ratios.append(found.worst.pmse_ratio)
    # mean of χ²₇/7 over 30 draws: sd √(2/7/30) = 0.098
    assert np.mean(ratios) == pytest.approx(1, abs=0.3)


def test_the_planted_pair_is_found():
    first = people(2000)
    second = first.copy()
    second["married"] = np.random.default_rng(1).permutation(second["married"])
    both = coded(first, second)
    assert compare_marginals(both).same
    found = compare_tables(both)
    assert found.worst.names == ("age", "married")
    assert all(t.total_variation == 0 for t in found.found if "married" not in t.names)


def test_the_same_file_differs_in_nothing():
    both = coded(people(200))
    marginals, pairs = compare_marginals(both), compare_tables(both, ways=3)
    assert marginals.same
    assert marginals.mean == pairs.mean == pairs.mean_hellinger == 0
    assert all(t.pmse_ratio == 0 for t in pairs.found)


def test_drawn_tables_depend_on_the_seed_alone():
    both = coded(people(50))
    drawn = [compare_tables(both, ways=3, most=5, seed=s) for s in (1, 1, 2)]
    assert drawn[0].found == drawn[1].found != drawn[2].found
    assert drawn[0].possible == 20
    assert "of 20, drawn" in repr(drawn[0])


def test_results_have_the_fixed_fields_and_are_plain():
    both = coded(people(100), people(80, seed=1))
    for found in (compare_marginals(both), compare_tables(both)):
        told = found.to_dict()
        assert {"original", "released", "difference"} <= told.keys()
        json.dumps(told, allow_nan=False)
        assert found.plot().startswith("<svg")
        assert "<table>" in found._repr_html_()


def test_wrong_tables_are_refused():
    both = coded(people(30))
    with pytest.raises(InputError, match="2 or 3"):
        compare_tables(both, ways=4)
    with pytest.raises(InputError, match="must have 2 variables"):
        compare_tables(both, tables=[("age", "age")])
    with pytest.raises(InputError, match="at least 2"):
        compare_tables(both, bins=1)
