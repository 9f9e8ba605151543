"""Regressions against plain least squares and a general optimiser; intervals by their formula."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from analyses_files import coded, people
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from indistinct.core.errors import InputError
from indistinct.utility.analyses import (
    compare_regression,
    compare_regressions,
    interval_overlap,
)


def dense(frame, reference):
    """Constant, age, and indicators of region against the reference, as a matrix."""
    region = frame["region"].fillna("missing")
    columns = {"(constant)": np.ones(len(frame)), "age": frame["age"].astype(float)}
    for value in [v for v in ("north", "east", "south", "missing") if v != reference]:
        columns[f"region = {value}"] = (region == value).astype(float)
    return pd.DataFrame(columns)


def test_least_squares_against_numpy():
    first, second = people(400), people(300, seed=1)
    found = compare_regression(coded(first, second), "income", ["age", "region"])
    assert found.family == "linear"
    assert found.left_out == (first["income"].isna().sum(), second["income"].isna().sum())
    for n, frame in enumerate((first, second)):
        frame = frame.dropna(subset=["income"]).reset_index(drop=True)
        x = dense(frame, "north")
        beta, *_ = np.linalg.lstsq(x.to_numpy(), frame["income"], rcond=None)
        rest = frame["income"] - x.to_numpy() @ beta
        cov = rest @ rest / (len(x) - x.shape[1]) * np.linalg.inv(x.T @ x)
        expected = dict(zip(x.columns, beta, strict=True))
        errors = dict(zip(x.columns, np.sqrt(np.diag(cov)), strict=True))
        assert {c.name for c in found.coefficients} == set(expected)
        for c in found.coefficients:
            value, se = ((c.original, c.se_original), (c.released, c.se_released))[n]
            assert value == pytest.approx(expected[c.name], rel=1e-8, abs=1e-10)
            assert se == pytest.approx(errors[c.name], rel=1e-8)


def test_logistic_against_a_general_optimiser():
    frame = people(500)
    found = compare_regression(coded(frame), "married", ["age", "region"])
    assert found.family == "logistic"
    assert found.formula == "(married = yes) ~ age + region"
    x = dense(frame, "north")
    scaled = x.to_numpy() / np.where(x.columns == "age", 50.0, 1.0)
    y = (frame["married"] == "yes").to_numpy().astype(float)

    def cost(beta):
        eta = scaled @ beta
        return np.logaddexp(0, eta).sum() - y @ eta

    best = minimize(cost, np.zeros(scaled.shape[1]), method="BFGS", options={"gtol": 1e-8}).x
    mu = 1 / (1 + np.exp(-scaled @ best))
    cov = np.linalg.inv(scaled.T @ (scaled * (mu * (1 - mu))[:, None]))
    for j, name in enumerate(x.columns):
        c = next(c for c in found.coefficients if c.name == name)
        unit = 50.0 if name == "age" else 1.0
        assert c.original == pytest.approx(best[j] / unit, rel=1e-4, abs=1e-6)
        assert c.se_original == pytest.approx(np.sqrt(cov[j, j]) / unit, rel=1e-4)
    assert found.converged == (True, True)


def test_weighted_least_squares_has_sandwich_errors():
    frame = people(300).dropna().reset_index(drop=True)
    frame["w"] = np.random.default_rng(1).uniform(1, 5, len(frame))
    found = compare_regression(coded(frame, weights="w"), "income", ["age"])
    x = np.column_stack([np.ones(len(frame)), frame["age"]])
    w = frame["w"].to_numpy()
    bread = np.linalg.inv(x.T @ (x * w[:, None]))
    beta = bread @ x.T @ (w * frame["income"])
    rest = frame["income"].to_numpy() - x @ beta
    cov = bread @ (x.T @ (x * ((w * rest) ** 2)[:, None])) @ bread
    for j, name in enumerate(("(constant)", "age")):
        c = next(c for c in found.coefficients if c.name == name)
        assert c.original == pytest.approx(beta[j])
        assert c.se_original == pytest.approx(np.sqrt(cov[j, j]))


interval = st.tuples(st.floats(-50, 50), st.floats(0.01, 50)).map(lambda t: (t[0], t[0] + t[1]))


@given(interval, interval)
def test_overlap_is_symmetric_and_between_0_and_1(first, second):
    found = interval_overlap(first, second)
    assert 0 <= found <= 1
    assert found == pytest.approx(interval_overlap(second, first))


def test_overlap_by_the_formula_of_karr():
    assert interval_overlap((0, 2), (0, 2)) == 1
    assert interval_overlap((0, 2), (1, 5)) == pytest.approx((1 / 2 + 1 / 4) / 2)
    # equal widths: one less the shift over the width
    assert interval_overlap((0, 2), (0.5, 2.5)) == pytest.approx(1 - 0.5 / 2)


def test_the_same_file_gives_the_same_results():
    found = compare_regressions(coded(people(300)))
    assert found.overlap == 1
    assert all(c.same_sign and c.standardised == 0 for c in found.coefficients)
    assert "nobody named outcomes" in found.chosen


def test_a_broken_association_is_found():
    first = people(2000)
    second = first.assign(age=np.random.default_rng(0).permutation(first["age"]))
    found = compare_regression(coded(first, second), "married", ["age", "sex"])
    age = next(c for c in found.coefficients if c.name == "age")
    assert age.significant == (True, False)
    assert age.overlap == 0
    assert found.worst == age


def test_aliased_and_absent_categories_are_not_compared():
    first = people(300)
    first["copy"] = first["sex"]
    second = first[first["region"] != "south"]
    found = compare_regression(coded(first, second), "age", ["sex", "copy", "region"])
    assert "region = south" in found.not_compared
    assert sum(name.startswith(("sex", "copy")) for name in found.not_compared) == 1
    assert np.isfinite(found.overlap)


def test_a_perfectly_separated_outcome_does_not_stop_the_comparison():
    frame = pd.DataFrame({"y": ["a", "b"] * 50, "x": ["p", "q"] * 50, "z": [*"uuvv"] * 25})
    found = compare_regression(coded(frame), "y", ["x", "z"])
    json.dumps(found.to_dict(), allow_nan=False)


def test_rare_categories_are_put_together_and_it_is_said():
    rng = np.random.default_rng(0)
    frame = {"y": rng.normal(size=400), "code": rng.choice(50, 400).astype(str)}
    found = compare_regression(coded(frame), "y", ["code"], most_categories=5)
    names = [c.name for c in found.coefficients]
    assert len(names) == 5
    assert "code = other" in names
    assert any("4 commonest" in note for note in found.notes)


def test_results_have_the_fixed_fields_and_are_plain():
    found = compare_regressions(
        coded(people(200), people(150, seed=2)), outcomes=["income", "married"], predictors=["sex"]
    )
    assert [m.family for m in found.models] == ["linear", "logistic"]
    for result in (found, found.models[0]):
        told = result.to_dict()
        assert {"original", "released", "difference"} <= told.keys()
        json.dumps(told, allow_nan=False)
        assert result.plot().startswith("<svg")


def test_wrong_models_are_refused():
    both = coded(people(50))
    with pytest.raises(InputError, match="other than itself"):
        compare_regression(both, "age", ["age"])
    with pytest.raises(InputError, match="above 0 and below 1"):
        compare_regression(both, "age", ["sex"], level=95)
    with pytest.raises(InputError, match="numeric or ordinal outcome"):
        compare_regression(both, "sex", ["age"], family="linear")
    with pytest.raises(InputError, match="no such value"):
        compare_regression(both, "sex", ["age"], success="x")
