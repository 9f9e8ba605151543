from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.prove.attacks.distance import correct_by_distance, link_by_distance

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def table(values: np.ndarray) -> pa.Table:
    return pa.table({f"x{j}": values[:, j] for j in range(values.shape[1])})


def scaled(a: np.ndarray, b: np.ndarray, distance: str) -> tuple[np.ndarray, np.ndarray]:
    """The scales by their definitions, written apart from the program's."""
    if distance == "rank":
        ranks = [
            np.array([[((x < v).sum() + (x <= v).sum()) / 2 / len(x) for v in x] for x in side.T]).T
            for side in (a, b)
        ]
        return ranks[0], ranks[1]
    if distance == "mahalanobis":
        inverse = np.linalg.inv(np.cov(b, rowvar=False, bias=True))
        half = np.linalg.cholesky(inverse)
        return a @ half, b @ half
    if distance == "robust":
        low, mid, high = np.quantile(b, [0.25, 0.5, 0.75], axis=0)
        return (a - mid) / ((high - low) / 1.349), (b - mid) / ((high - low) / 1.349)
    return (a - b.mean(0)) / b.std(0), (b - b.mean(0)) / b.std(0)


def expected_by_brute_force(far: np.ndarray, own: np.ndarray, asked: int) -> float:
    total = 0.0
    for row, mine in zip(far, own, strict=True):
        slack = 1e-9 * (1 + np.sort(row)[asked - 1])
        closer = (row < row[mine] - slack).sum()
        tied = (np.abs(row - row[mine]) <= slack).sum()
        total += float(np.clip((asked - closer) / tied, 0, 1))
    return total


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["standardised", "robust", "rank", "mahalanobis"]),
    st.integers(1, 3),
    st.booleans(),
)
def test_numbers_equal_brute_force(seed, distance, asked, rounded):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 40)), int(rng.integers(2, 4))
    original = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * 4
    if rounded and distance in ("standardised", "rank"):  # ties, and duplicates in both files
        original = np.round(original / 3)
        original[0] = original.max(axis=0) + 1
    released = original + rng.normal(size=(n, d)).round(0 if rounded else 5)
    order = rng.permutation(n)
    links = link_by_distance(
        table(released[order]), table(original), ["x0", "x1"] + ["x2"] * (d > 2),
        distance=distance, nearest=asked,
    )  # fmt: skip
    a, b = scaled(released[order], original, distance)
    far = np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2))
    ranked = np.sort(far, axis=1)
    assert links.distance == pytest.approx(ranked[:, 0], rel=1e-9, abs=1e-7)
    assert links.second == pytest.approx(ranked[:, 1], rel=1e-9, abs=1e-7)
    picked = np.take_along_axis(far, links.nearest, axis=1)
    assert picked == pytest.approx(ranked[:, :asked], rel=1e-9, abs=1e-7)
    assert correct_by_distance(links, order).expected == pytest.approx(
        expected_by_brute_force(far, order, asked)
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 2))
def test_mixed_attributes_equal_gower_by_brute_force(seed, asked):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 30))
    sides = []
    for _ in range(2):
        sides.append(
            {
                "age": rng.integers(0, 9, n).astype(float),
                "sex": rng.choice(["m", "f"], n),
                "job": rng.choice(["a", "b", "c"], n),
            }
        )
    span = np.ptp(np.concatenate([sides[0]["age"], sides[1]["age"]])) or 1.0
    far = np.abs(sides[0]["age"][:, None] - sides[1]["age"][None]) / span
    for name in ("sex", "job"):
        far = far + (sides[0][name][:, None] != sides[1][name][None])
    far = far / 3
    links = link_by_distance(
        pa.table(sides[0]), pa.table(sides[1]), ["age", "sex", "job"],
        distance="gower", nearest=asked,
    )  # fmt: skip
    assert links.distance == pytest.approx(far.min(axis=1))
    assert correct_by_distance(links).expected == pytest.approx(
        expected_by_brute_force(far, np.arange(n), asked)
    )


def test_ties_are_shared():
    register = pa.table({"x": [1.0, 1.0, 1.0, 5.0], "y": [0.0, 0.0, 0.0, 1.0]})
    links = link_by_distance(register, register, ["x", "y"])
    assert links.ties.tolist() == [3, 3, 3, 1]
    assert links.nearest[:, 0].tolist() == [0, 0, 0, 3]
    found = correct_by_distance(links)
    assert found.expected == pytest.approx(2.0)
    assert found.certain == 1


def test_missing_values_are_left_out_of_the_distance():
    register = pa.table({"x": [0.0, 10.0, 20.0], "y": [0.0, 5.0, None]})
    released = pa.table({"x": [11.0, None, 19.0, None], "y": [None, 4.0, 9.0, None]})
    links = link_by_distance(released, register, ["x", "y"])
    # the third misses the register's third record, which has no y to compare
    assert links.nearest[:, 0].tolist() == [1, 1, 1, -1]
    assert correct_by_distance(links, [1, 1, 2, 0]).expected == 2.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"attributes": ["sex"]}, "not numeric, and the standardised distance"),
        ({"attributes": ["agee"]}, "Did you mean 'age'"),
        ({"attributes": []}, "at least one attribute"),
        ({"nearest": 9}, "nearest must be between 1 and"),
        ({"distance": "ranks"}, "Did you mean 'rank'"),
    ],
)
def test_wrong_requests_are_refused(change, words):
    data = pa.table({"age": [1.0, 2.0], "sex": ["m", "f"]})
    with pytest.raises(InputError, match=words):
        link_by_distance(data, data, **{"attributes": ["age"], **change})


def test_wrong_owners_are_refused():
    data = pa.table({"age": [1.0, 2.0]})
    with pytest.raises(InputError, match="own must give"):
        correct_by_distance(link_by_distance(data, data, ["age"]), [0, 2])


def numeric_file(name: str) -> np.ndarray:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the project")
    read = csv.read_csv(path)
    columns = [c.to_numpy().astype(float) for c in read.columns if not pa.types.is_string(c.type)]
    values = np.column_stack(columns)
    return values[:, values.std(axis=0) > 0][:, -6:]


def averaged(values: np.ndarray, k: int) -> np.ndarray:
    """Averages of k records that follow each other on the first principal component."""
    z = (values - values.mean(0)) / values.std(0)
    order = np.argsort(z @ np.linalg.svd(z, full_matrices=False)[2][0])
    out = values.copy()
    for start in range(0, len(values) - len(values) % k, k):
        end = start + k if start + 2 * k <= len(values) else len(values)
        out[order[start:end]] = values[order[start:end]].mean(axis=0)
    return out


@pytest.mark.shared
@pytest.mark.parametrize("name", ["CASCrefmicrodata.csv", "Tarragona.csv"])
@pytest.mark.parametrize("distance", ["standardised", "rank", "mahalanobis"])
def test_masked_reference_files_equal_brute_force(name, distance):
    original = numeric_file(name)
    rng = np.random.default_rng(1)
    masked = {
        "little noise": original + rng.normal(size=original.shape) * original.std(0) * 0.02,
        "much noise": original + rng.normal(size=original.shape) * original.std(0) * 0.5,
        "averages of 3": averaged(original, 3),
    }
    share = {}
    for how, released in masked.items():
        links = link_by_distance(
            table(released), table(original), [f"x{j}" for j in range(6)], distance=distance
        )
        a, b = scaled(released, original, distance)
        far = np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2))
        found = correct_by_distance(links)
        assert found.expected == pytest.approx(
            expected_by_brute_force(far, np.arange(len(a)), 1), abs=1e-6
        )
        share[how] = found.share
    assert share["little noise"] > share["much noise"]
    assert 1 / len(original) < share["averages of 3"] < 1
