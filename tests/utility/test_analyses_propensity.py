"""The pMSE against a general optimiser, its nulls against simulation."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from analyses_files import coded, people
from scipy.optimize import minimize

from indistinct.core.errors import InputError
from indistinct.utility.analyses import compare_propensity, expected_pmse

FACTORS = ["sex", "region", "married"]


def categorical(n, seed=0):
    return people(n, seed)[FACTORS].fillna("none")


def fitted(stacked, columns, y):
    x = np.column_stack([np.ones(len(stacked)), *columns]).astype(float)

    def cost(beta):
        eta = x @ beta
        return np.logaddexp(0, eta).sum() - y @ eta

    def slope(beta):
        return x.T @ (1 / (1 + np.exp(-x @ beta)) - y)

    best = minimize(cost, np.zeros(x.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9})
    return 1 / (1 + np.exp(-x @ best.x))


@pytest.mark.parametrize("interactions", [False, True])
def test_pmse_against_a_general_optimiser(interactions):
    first, second = categorical(300), categorical(200, seed=3)
    found = compare_propensity(coded(first, second), interactions=interactions)
    stacked = pd.concat([first, second])
    y = np.repeat([0.0, 1.0], [300, 200])
    dummies = [
        [(stacked[n] == v).to_numpy() for v in sorted(stacked[n].unique())[1:]] for n in FACTORS
    ]
    columns = [d for group in dummies for d in group]
    if interactions:
        for i, j in ((0, 1), (0, 2), (1, 2)):
            columns += [a & b for a in dummies[i] for b in dummies[j]]
    p = fitted(stacked, columns, y)
    assert found.pmse == pytest.approx(((p - 0.4) ** 2).mean(), rel=1e-4)
    assert found.parameters == len(columns) + 1
    assert found.expected == pytest.approx(len(columns) * 0.6**2 * 0.4 / 500)


def drawn_ratio(null, draw, times=25, n=800):
    """The mean ratio of pMSE to its expectation, over releases that are as the null says."""
    ratios = []
    for seed in range(times):
        first, second = draw(seed, n)
        ratios.append(compare_propensity(coded(first, second), null=null).ratio)
    return float(np.mean(ratios)), float(np.std(ratios) / np.sqrt(times))


def bootstrap(seed, n):
    """Draws from the shares of the original: a correct synthesis."""
    first = categorical(n, seed)
    return first, first.sample(n, replace=True, random_state=seed)


def two_samples(seed, n):
    return categorical(n, seed), categorical(n // 2, 1000 + seed)


def part(seed, n):
    first = categorical(n, seed)
    return first, first.sample(frac=0.3, random_state=seed)


@pytest.mark.parametrize(
    ("null", "draw"), [("synthesis", bootstrap), ("samples", two_samples), ("subsample", part)]
)
def test_each_null_holds_for_its_kind_of_release(null, draw):
    ratio, error = drawn_ratio(null, draw)
    assert ratio == pytest.approx(1, abs=3.5 * error)


def test_the_nulls_in_closed_form():
    k, o, r = 9, 600, 200
    total, c = 800, 0.25
    assert expected_pmse(k, o, r) == pytest.approx(8 * 0.75**2 * c / total)
    assert expected_pmse(k, o, r, null="samples") == pytest.approx(8 * 0.75 * c / total)
    assert expected_pmse(k, o, r, null="subsample") == pytest.approx(8 * 0.75 * 0.5 * c / total)


def test_permuted_labels_give_the_null_of_two_samples():
    both = coded(categorical(800), categorical(600, seed=1))
    dealt = compare_propensity(both, null="permutation", permutations=400)
    formula = compare_propensity(both, null="samples")
    assert dealt.expected == pytest.approx(formula.expected, rel=0.1)
    assert dealt.sd == pytest.approx(formula.sd, rel=0.25)
    again = compare_propensity(both, null="permutation", permutations=400)
    assert dealt.expected == again.expected


def test_pairs_of_records_that_did_not_change_are_expected_to_add_nothing():
    first = categorical(1000)
    second = first.copy()
    few = np.arange(0, 1000, 20)
    second.loc[few, "region"] = first["region"].to_numpy()[few[::-1]]
    pairs = compare_propensity(coded(first, second), null="pairs", permutations=200)
    free = compare_propensity(coded(first, second), null="permutation", permutations=200)
    assert 0 < pairs.expected < free.expected / 10


def test_shuffling_is_seen_by_interactions_only():
    first = people(2000)[["age", "sex", "region", "married"]]
    second = first.assign(age=np.random.default_rng(2).permutation(first["age"]))
    both = coded(first, second)
    main = compare_propensity(both)
    assert main.pmse == pytest.approx(0, abs=1e-12)
    assert main.ratio == pytest.approx(0, abs=1e-6)
    assert compare_propensity(both, interactions=True).ratio > 5


def test_files_with_nothing_in_common_are_told_apart():
    first = {"a": ["x", "y"] * 50, "b": ["u", "v"] * 50}
    second = {"a": ["z", "w"] * 50, "b": ["u", "v"] * 50}
    found = compare_propensity(coded(first, second))
    assert found.pmse == pytest.approx(0.25, abs=0.01)
    assert found.groups[1] - found.groups[0] > 0.9
    json.dumps(found.to_dict(), allow_nan=False)


def test_rare_categories_are_put_together_and_records_sampled_and_it_is_said():
    rng = np.random.default_rng(0)
    frame = {name: rng.choice(30, 2000).astype(str) for name in "abcd"}
    found = compare_propensity(
        coded(frame), interactions=True, most_parameters=120, most_records=500
    )
    assert found.parameters <= 120
    assert found.records == (500, 500)
    assert len(found.notes) == 2
    assert found.plot().startswith("<svg")


def test_wrong_nulls_are_refused():
    both = coded(categorical(30), categorical(20))
    with pytest.raises(InputError, match="Did you mean 'samples'"):
        compare_propensity(both, null="sample")
    with pytest.raises(InputError, match="same records"):
        compare_propensity(both, null="pairs")
