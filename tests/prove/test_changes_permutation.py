from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct
from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.prove.changes import permutation_distances, rank_displacement, reverse_mapped


@pytest.fixture(scope="module")
def engine():
    with indistinct.open_data(pa.table({"x": [1]})) as data:
        yield data.engine


def distances(engine, before, after, **options):
    files = [
        open_table(pa.table(t), workspace=engine.workspace, origin="file") for t in (before, after)
    ]
    return permutation_distances(engine, *files, **options)


def spans(values):
    """First and last rank of every value, by counting."""
    known = [v for v in values if v is not None]
    return [
        (None, None) if v is None else (sum(k < v for k in known) + 1, sum(k <= v for k in known))
        for v in values
    ], len(known)


def by_counting(x, y, ties):
    (mine, n), (theirs, m) = spans(x), spans(y)
    found = []
    for (a, b), (c, d) in zip(mine, theirs, strict=True):
        if a is None or c is None:
            found.append(np.nan)
        elif ties == "middle":
            found.append(abs((a + b) / 2 / n - (c + d) / 2 / m))
        else:
            found.append(max(0.0, a / n - d / m, c / m - b / n))
    return found


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["interval", "middle"]), st.booleans())
def test_displacement_equals_brute_force_with_ties_and_missing_values(engine, seed, ties, shuffled):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    x, z = (
        [None if rng.random() < 0.2 else int(v) for v in rng.integers(0, 6, n)] for _ in range(2)
    )
    y = [x[i] for i in rng.permutation(n)] if shuffled else z
    w = rng.normal(size=n).tolist()
    u = (rng.normal(size=n)).tolist()
    s, t = (rng.choice(["a", "b"], n).tolist() for _ in range(2))
    whole = pa.int64()
    found = distances(
        engine,
        {"x": pa.array(x, whole), "w": w, "s": s},
        {"x": pa.array(y, whole), "w": u, "s": t},
        ties=ties, d=0.3,
    )  # fmt: skip
    expected = np.array([by_counting(x, y, ties), by_counting(w, u, ties)])
    assert found.largest == pytest.approx(np.nanmax(expected, axis=0), abs=1e-6, nan_ok=True)
    assert found.mean == pytest.approx(np.nanmean(expected, axis=0), abs=1e-6, nan_ok=True)
    first = expected[0][np.isfinite(expected[0])]
    assert found.variables[0].displacement.records == len(first)
    if len(first):
        assert found.variables[0].displacement.mean == pytest.approx(first.mean())
    assert found.moved == pytest.approx((np.nanmax(expected, axis=0) >= 0.3 - 1e-12).mean())
    assert found.nominal["s"] == pytest.approx(np.mean(np.array(s) != np.array(t)))
    if shuffled:
        assert found.variables[0].noise == 0
    assert rank_displacement(w, u, ties=ties) == pytest.approx(expected[1])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_reverse_mapping_is_a_permutation_in_the_order_of_the_released_values(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    x, y = rng.integers(0, 9, n), rng.integers(0, 5, n)
    z = reverse_mapped(x, y)
    assert sorted(z) == sorted(x)
    order = np.argsort(y, kind="stable")
    for i, j in pairwise(order):
        if y[i] < y[j]:
            assert z[i] <= z[j]
    assert (reverse_mapped(x, x) == x).all()


def test_the_example_of_a_transformed_variable():
    """Whatever keeps the order is no permutation, and protects nobody."""
    x = np.array([3.0, 1.0, 2.0])
    assert rank_displacement(x, 10 * x + 4).tolist() == [0, 0, 0]
    assert reverse_mapped(x, 10 * x + 4).tolist() == x.tolist()


def test_least_variance_within_d_equals_brute_force(engine):
    rng = np.random.default_rng(5)
    y = rng.normal(size=40)
    found = distances(engine, {"y": rng.permutation(y)}, {"y": y}, d=0.1)
    ordered = np.sort(y)
    windows = [ordered[max(0, k - 4) : k + 5].var() for k in range(40)]
    assert found.variables[0].variance == pytest.approx(min(windows) / y.var())


def test_suppressed_values_have_no_rank_and_noise_compares_shares(engine):
    found = distances(engine, {"x": [1, 2, 3, 4]}, {"x": [1, None, 3, 5]})
    x = found.variables[0]
    assert x.unplaced == 1
    # sorted 1 2 3 4 in quarters against 1 3 5 in thirds: the area between the two step functions
    assert x.noise == pytest.approx(1 / 12 + 1 / 6 + 2 / 12 + 1 / 4)
    assert np.isnan(found.largest[1])


def test_printed_and_as_a_dict(engine):
    found = distances(
        engine, {"x": [1, 2, 3], "s": ["a", "b", "c"]}, {"x": [2, 1, 3], "s": ["a", "b", "b"]}
    )
    assert "a permutation" in repr(found)
    assert "s 33.3 %" in repr(found)
    told = found.to_dict()
    assert told["variables"]["x"]["residual_noise"] == 0
    assert told["f"] == pytest.approx(2 / 3)
    assert found.to_arrow().column("nominal_changed").to_pylist() == [0, 0, 1]


@pytest.mark.parametrize(("options", "words"), [({"ties": "mid"}, "ties"), ({"d": 2}, "share")])
def test_what_is_wrong_is_said(engine, options, words):
    with pytest.raises(InputError, match=words):
        distances(engine, {"x": [1]}, {"x": [1]}, **options)
