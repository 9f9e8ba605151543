"""Post-randomisation: invariance, the estimator, strata, given matrices, and sdcMicro's results."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.protect import Plan
from indistinct.protect.steps import Pram, TransitionMatrix, pram_estimate

SHARED = Path(__file__).resolve().parents[3] / "shared" / "reference" / "sdcmicro"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def applied(engine, source, *steps, seed=1):
    return Plan(steps).apply(engine, source, seed=seed)


@settings(max_examples=100, deadline=None)
@given(
    counts=st.lists(st.integers(1, 10_000), min_size=1, max_size=12),
    keep=st.floats(0, 0.99),
    method=st.sampled_from(["redraw", "exchange", "two-stage", "plain"]),
)
def test_rows_are_probabilities_and_invariant_matrices_keep_expected_counts(counts, keep, method):
    matrix = TransitionMatrix.of_method(method, counts, keep)
    p = matrix.array
    assert (p >= 0).all()
    assert p.sum(axis=1) == pytest.approx(1)
    if method != "plain":
        assert matrix.expected(counts) == pytest.approx(counts, rel=1e-9)


def test_matrices_by_hand():
    """Shares 1/2, 1/4, 1/4 and keep = 0.6, with pencil and paper."""
    counts = [50, 25, 25]
    of = TransitionMatrix.of_method
    assert of("plain", counts, 0.6).rows[0] == pytest.approx((0.6, 0.2, 0.2))
    assert of("plain", counts, 0.6).rows[1] == pytest.approx((0.4 * 2 / 3, 0.6, 0.4 / 3))
    assert of("redraw", counts, 0.6).rows[1] == pytest.approx((0.2, 0.7, 0.1))
    assert of("exchange", counts, 0.6).rows[0] == pytest.approx((0.8, 0.1, 0.1))
    assert of("exchange", counts, 0.6).rows[1] == pytest.approx((0.2, 0.6, 0.2))
    p = of("plain", counts, 0.6).array
    t = np.array([0.5, 0.25, 0.25])
    by_hand = [
        [sum(p[k, l] * p[m, l] * t[m] / (t @ p[:, l]) for l in range(3)) for m in range(3)]
        for k in range(3)
    ]
    assert of("two-stage", counts, 0.6).array == pytest.approx(np.array(by_hand))


def test_categories_move_with_the_probabilities_of_the_matrix(engine, opened):
    original = ["a"] * 6000 + ["b"] * 3000 + ["c"] * 1000
    done = applied(engine, opened({"v": original}), Pram(("v",), 0.7, method="two-stage"))
    moved = Counter(zip(original, done.source.table()["v"].to_pylist(), strict=True))
    outcome = done.receipts[0].private[0]
    for k, n in zip("abc", outcome.before, strict=True):
        for l, p in zip("abc", outcome.matrix.rows["abc".index(k)], strict=True):
            assert moved[k, l] == pytest.approx(n * p, abs=4.5 * np.sqrt(n * p * (1 - p)))
    assert outcome.after == tuple(sum(moved[k, l] for k in "abc") for l in "abc")
    assert outcome.expected == pytest.approx(outcome.before)
    low, high = outcome.matrix.retention
    assert done.receipts[0].notes == (f"v was kept with a probability of {low:.3f} to {high:.3f}",)


def test_counts_by_stratum_are_expected_to_stay(engine, opened):
    rng = np.random.default_rng(3)
    g = rng.integers(0, 2, 4000)
    v = np.where(g == 0, rng.integers(0, 3, 4000), rng.integers(2, 5, 4000))
    source = opened({"v": v, "g": g})
    within = [
        np.array(
            applied(engine, source, Pram(("v",), 0.3, within=("g",)), seed=s).source.table()["v"]
        )
        for s in range(20)
    ]
    for stratum in (0, 1):
        before = np.bincount(v[g == stratum], minlength=5)
        after = np.mean([np.bincount(w[g == stratum], minlength=5) for w in within], axis=0)
        assert ((after == 0) == (before == 0)).all()
        assert after == pytest.approx(before, abs=25)
    everywhere = np.array(applied(engine, source, Pram(("v",), 0.3)).source.table()["v"])
    assert (everywhere[g == 0] > 2).any()


def test_whoever_knows_the_matrix_estimates_without_bias_and_knows_how_well(engine, opened):
    original = ["yes"] * 300 + ["no"] * 1700
    matrix = TransitionMatrix("smokes", ("yes", "no"), ((0.8, 0.2), (0.1, 0.9)))
    source = opened({"smokes": original})
    estimates = []
    for seed in range(60):
        new = applied(engine, source, Pram(("smokes",), matrices=(matrix,)), seed=seed).source
        counts = Counter(new.table()["smokes"].to_pylist())
        found = pram_estimate(matrix, counts)
        estimates.append(found.counts[0])
        assert sum(found.counts) == pytest.approx(2000)
    # by hand: Var T* = 300·.16 + 1700·.09 = 201, divided by det² = .49
    error = np.sqrt(201 / 0.49)
    assert found.standard_errors[0] == pytest.approx(error, rel=0.05)
    assert np.mean(estimates) == pytest.approx(300, abs=4 * error / np.sqrt(60))
    assert np.std(estimates) == pytest.approx(error, rel=0.35)


def test_estimates_are_exact_for_expected_counts():
    matrix = TransitionMatrix.of_method("plain", [10, 20, 70], 0.5)
    assert pram_estimate(matrix, matrix.expected([10, 20, 70])).counts == pytest.approx(
        (10, 20, 70)
    )
    flat = TransitionMatrix("v", ("a", "b"), ((0.5, 0.5), (0.5, 0.5)))
    with pytest.raises(InputError, match="cannot be inverted"):
        pram_estimate(flat, [1, 1])
    with pytest.raises(InputError, match="no category 'z'"):
        pram_estimate(flat, {"z": 1})


def test_what_is_missing_stays_and_nothing_becomes_missing(engine, opened):
    source = opened({"v": pa.array([1, 2, 9, None] * 50, pa.int8())})
    source = replace(source, variables=source.variables.updated({"v": {"user_missing": (9,)}}))
    new = applied(engine, source, Pram(("v",), 0.0)).source
    assert new.schema.field("v").type == pa.int8()
    values = new.table()["v"].to_pylist()
    assert values[2::4] == [9] * 50
    assert values[3::4] == [None] * 50
    assert set(values[0::4]) == set(values[1::4]) == {1, 2}


def test_a_given_matrix_may_lead_to_categories_that_did_not_occur(engine, opened):
    matrix = TransitionMatrix("v", (1, 2, 3), ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    done = applied(engine, opened({"v": [1, 2, 1]}), Pram(("v",), matrices=(matrix,)))
    assert done.source.table()["v"].to_pylist() == [3, 2, 3]
    with pytest.raises(InputError, match="1 categories of 'v' have no row"):
        applied(engine, opened({"v": [1, 7]}), Pram(("v",), matrices=(matrix,)))


def test_wrong_requests_are_refused(engine, opened):
    matrix = TransitionMatrix("v", ("a",), ((1.0,),))
    for wrong in (
        {},
        {"keep": 1.0},
        {"keep": 0.5, "matrices": (matrix,)},
        {"matrices": (replace(matrix, variable="w"),)},
        {"keep": 0.5, "within": ("v",)},
    ):
        with pytest.raises(InputError):
            Pram(("v",), **wrong)
    with pytest.raises(InputError, match="add up"):
        TransitionMatrix("v", ("a", "b"), ((0.5, 0.4), (0.0, 1.0)))
    with pytest.raises(InputError, match="1,001 different values"):
        applied(engine, opened({"v": list(range(1001))}), Pram(("v",), 0.5))


@pytest.mark.shared
def test_the_recorded_matrix_of_sdcmicro_is_invariant_as_ours_are():
    path = SHARED / "pram_testdata_transition.csv"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    theirs = TransitionMatrix("water", tuple(head), tuple(tuple(map(float, row)) for row in rows))
    counts = list(json.loads((SHARED / "pram_testdata.json").read_text())["orig_water"].values())
    assert theirs.expected(counts) == pytest.approx(counts, abs=1e-9)
    ours = TransitionMatrix.of_method("two-stage", counts, 0.85, categories=head)
    assert ours.expected(counts) == pytest.approx(counts, abs=1e-9)


@pytest.mark.shared
def test_a_given_matrix_moves_as_many_as_in_sdcmicro(engine, opened):
    path = SHARED / "pram_testdata_matrix.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    theirs = json.loads(path.read_text())
    walls = pa.csv.read_csv(DATA / "testdata.csv").select(["walls"])
    rows = ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8))
    matrix = TransitionMatrix("walls", (2, 3, 9), rows)
    new = applied(engine, opened(walls), Pram(("walls",), matrices=(matrix,))).source
    pairs = zip(walls["walls"].to_pylist(), new.table()["walls"].to_pylist(), strict=True)
    for (k, l), count in Counter(pairs).items():
        assert abs(count - theirs["mean"][f"c{k}_{l}"]) < 5 * theirs["sd"][f"c{k}_{l}"]
