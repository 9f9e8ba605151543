"""Correlated and multiplicative noise, noise on outliers: moments, and sdcMicro's results."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from indistinct.core.errors import InputError
from indistinct.protect import Plan
from indistinct.protect.steps import (
    CorrelatedNoise,
    MultiplyNoise,
    NoiseOnOutliers,
    robust_distances,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
NAMES = ("x", "y", "z")


def applied(engine, source, *steps, seed=1):
    return Plan(steps).apply(engine, source, seed=seed)


def related(records: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    mix = np.array([[5.0, 4.0, 0.0], [0.0, 2.0, -0.3], [0.0, 0.0, 0.1]])
    return rng.normal(size=(records, 3)) @ mix + np.array([100.0, -20.0, 3.0])


def matrix(source, names=NAMES) -> np.ndarray:
    table = source.table(list(names))
    return np.stack([table[n].to_numpy().astype(float) for n in names], axis=1)


def opened_matrix(opened, x):
    return opened({name: x[:, j] for j, name in enumerate(NAMES)})


def test_noise_is_related_as_the_variables_are(engine, opened):
    x = related(20_000)
    z = matrix(
        applied(engine, opened_matrix(opened, x), CorrelatedNoise(NAMES, 0.5, keep="none")).source
    )
    e = z - x
    assert np.corrcoef(e.T) == pytest.approx(np.corrcoef(x.T), abs=0.03)
    assert e.std(axis=0) == pytest.approx(0.5 * x.std(axis=0), rel=0.03)
    assert np.corrcoef(x[:, 0], e[:, 0])[0, 1] == pytest.approx(0, abs=0.03)


def test_kim_keeps_means_and_covariances_in_expectation(engine, opened):
    x = related(2000)
    source = opened_matrix(opened, x)
    found = [
        matrix(applied(engine, source, CorrelatedNoise(NAMES, 0.8), seed=s).source)
        for s in range(60)
    ]
    means = np.mean([z.mean(axis=0) for z in found], axis=0)
    spreads = np.mean([np.cov(z.T) for z in found], axis=0)
    tolerance = 5 * x.std(axis=0) / np.sqrt(2000 * 60)
    assert (np.abs(means - x.mean(axis=0)) < tolerance).all()
    # a mean of 60 covariances of 2,000 records each: within about three standard errors
    scale = np.sqrt(np.outer(np.diag(np.cov(x.T)), np.diag(np.cov(x.T))))
    assert np.abs((spreads - np.cov(x.T)) / scale).max() < 0.015


def test_exact_noise_keeps_means_and_covariances_of_this_file(engine, opened):
    x = related(300)
    done = applied(engine, opened_matrix(opened, x), CorrelatedNoise(NAMES, 0.8, keep="exact"))
    z = matrix(done.source)
    assert z.mean(axis=0) == pytest.approx(x.mean(axis=0), rel=1e-12)
    assert np.cov(z.T) == pytest.approx(np.cov(x.T), rel=1e-10)
    correlation = [np.corrcoef(x[:, j], z[:, j])[0, 1] for j in range(3)]
    assert correlation == pytest.approx([1 / np.sqrt(1 + 0.64)] * 3, rel=1e-9)


def test_collinear_and_constant_variables_are_no_obstacle(engine, opened):
    x = related(200)
    x[:, 1] = 2 * x[:, 0] + 1
    x[:, 2] = 0.1
    source = opened_matrix(opened, x)
    z = matrix(applied(engine, source, CorrelatedNoise(NAMES, 0.5, keep="exact")).source)
    assert z[:, 1] == pytest.approx(2 * z[:, 0] + 1)
    assert (z[:, 2] == 0.1).all()
    assert np.cov(z[:, :2].T) == pytest.approx(np.cov(x[:, :2].T), rel=1e-9)
    assert not np.array_equal(z[:, 0], x[:, 0])


def test_whole_numbers_and_decimals_keep_their_type(engine, opened):
    source = opened(
        {
            "n": pa.array(range(100), pa.int16()),
            "d": pa.array([Decimal(n) / 100 for n in range(100)], pa.decimal128(8, 2)),
        }
    )
    new = applied(engine, source, CorrelatedNoise(("n", "d"), 0.2)).source
    assert new.schema.field("n").type == pa.int16()
    assert new.schema.field("d").type == pa.decimal128(8, 2)
    with pytest.raises(InputError, match="cannot keep their covariances"):
        applied(engine, source, CorrelatedNoise(("n",), 0.2, keep="exact"))


def test_records_that_miss_a_variable_get_noise_where_they_have_one(engine, opened):
    x = related(500)
    y = pa.array(x[:, 1], mask=np.arange(500) < 50)
    source = opened({"x": x[:, 0], "y": y})
    done = applied(engine, source, CorrelatedNoise(("x", "y"), 0.5, keep="exact"))
    z = done.source.table()
    assert z["y"].null_count == 50
    assert (z["x"].to_numpy() != x[:, 0]).all()
    inside = np.stack([z["x"].to_numpy()[50:], z["y"].to_numpy()[50:]])
    assert np.cov(inside) == pytest.approx(np.cov(x[50:, :2].T), rel=1e-9)
    assert "50 records miss a variable" in done.receipts[0].notes[0]
    with pytest.raises(InputError, match="too few"):
        applied(
            engine,
            opened({"x": [1.0, 2.0, 3.0, 5.0], "y": [1.0, 3.0, 2.0, 4.0]}),
            CorrelatedNoise(("x", "y"), 0.5, keep="exact"),
        )


# Multiplicative noise


def test_no_multiplier_is_near_one_and_their_moments_are_as_told(engine, opened):
    x = np.random.default_rng(2).lognormal(10, 1, 20_000)
    source = opened({"x": x, "y": 3 * x})
    new = applied(engine, source, MultiplyNoise(("x", "y"), 0.05, 0.2)).source
    m = matrix(new, ("x", "y")) / np.stack([x, 3 * x], axis=1)
    assert np.abs(m - 1).min() >= 0.05 - 1e-12
    assert np.abs(m - 1).max() <= 0.2 + 1e-12
    assert m.mean(axis=0) == pytest.approx(1, abs=0.004)
    variance = (0.05**2 + 0.05 * 0.2 + 0.2**2) / 3
    assert m.var(axis=0) == pytest.approx(variance, rel=0.03)
    assert np.corrcoef(m.T)[0, 1] == pytest.approx(0, abs=0.03)
    same = applied(engine, source, MultiplyNoise(("x", "y"), 0.05, 0.2, together=True)).source
    z = matrix(same, ("x", "y"))
    assert z[:, 1] / z[:, 0] == pytest.approx(3)


def test_zero_and_small_whole_numbers_stay_and_are_told(engine, opened):
    source = opened({"x": [0, 1, 2, 1000]})
    done = applied(engine, source, MultiplyNoise(("x",), 0.1, 0.2))
    values = done.source.table()["x"].to_pylist()
    assert values[:3] == [0, 1, 2]
    assert 100 <= abs(values[3] - 1000) <= 200
    assert done.receipts[0].notes == ("3 numbers of x are 0 or too small to change",)
    for least, most in ((0.2, 0.1), (-0.1, 0.1), (0.1, 1.0)):
        with pytest.raises(InputError):
            MultiplyNoise(("x",), least, most)


# Noise on outliers


def test_only_outlying_records_are_changed(engine, opened):
    x = related(2000)
    x[:5] += np.array([60.0, -80.0, 0.0])
    x[5] += np.array([6.0, -9.0, 0.0])  # usual in each variable, unusual together
    done = applied(engine, opened_matrix(opened, x), NoiseOnOutliers(NAMES, 1.0, level=0.999))
    changed = np.flatnonzero((matrix(done.source) != x).any(axis=1))
    assert set(range(6)) <= set(changed)
    assert len(changed) < 20
    assert done.receipts[0].records_changed == len(changed)


def test_robust_distances_are_those_of_mahalanobis_for_normal_variables():
    x = related(20_000)
    squared, spread = robust_distances(x)
    centred = x - x.mean(axis=0)
    classical = np.einsum("ij,jk,ik->i", centred, np.linalg.inv(np.cov(x.T)), centred)
    assert np.corrcoef(squared, classical)[0, 1] > 0.98
    assert spread == pytest.approx(x.std(axis=0), rel=0.05)
    # a third of the records elsewhere would carry the classical centre with them
    x[: len(x) // 3] += 1000
    contaminated = robust_distances(x)[0]
    assert contaminated[: len(x) // 3].min() > contaminated[len(x) // 3 :].max()


def test_a_variable_that_mostly_has_one_value_is_refused(engine, opened):
    source = opened({"x": [0.0] * 20 + [1.0, 2.0, 3.0], "y": list(range(23))})
    with pytest.raises(InputError, match="equal, so all others would be"):
        applied(engine, source, NoiseOnOutliers(("x", "y"), 0.5))


# sdcMicro's recorded moments


@pytest.mark.shared
@pytest.mark.parametrize(
    ("recorded", "scale", "keep"),
    # its covariance is 0.5 Σ; and its δ = 0.1 in √(1−δ²)·x + δ·e, which is a² = δ²/(1−δ²)
    [("correlated", np.sqrt(0.5), "none"), ("correlated2", 0.1 / np.sqrt(0.99), "expected")],
)
def test_moments_are_those_of_sdcmicro(engine, opened, recorded, scale, keep):
    path = SHARED / "reference" / "sdcmicro" / f"addNoise_testdata_{recorded}.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    theirs = json.loads(path.read_text())
    names = ("expend", "income", "savings")
    table = pa.csv.read_csv(SHARED / "data" / "testdata.csv").select(list(names))
    z = matrix(
        applied(engine, opened(table), CorrelatedNoise(names, scale, keep=keep)).source, names
    )
    x = np.stack([table[n].to_numpy() for n in names], axis=1).astype(float)
    found = {f"mean_{n}": z[:, j].mean() for j, n in enumerate(names)}
    found |= {f"sd_{n}": z[:, j].std(ddof=1) for j, n in enumerate(names)}
    found |= {
        "cor12": np.corrcoef(z.T)[0, 1],
        "cor13": np.corrcoef(z.T)[0, 2],
        "cor_orig_masked1": np.corrcoef(x[:, 0], z[:, 0])[0, 1],
    }
    for name, value in found.items():
        assert abs(value - theirs["mean"][name]) < 4.5 * theirs["sd"][name], name
