"""Microaggregation against the literature, sdcMicro and an exhaustive search."""

from __future__ import annotations

import csv
import itertools
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.core.variables import Variable, Variables
from indistinct.protect import Context, Plan
from indistinct.protect.methods.microaggregating.microaggregate import (
    Microaggregate,
    mdav,
    microaggregation,
    optimal_1d,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
shared = pytest.mark.skipif(not SHARED.is_dir(), reason="there is no folder 'shared' beside it")


def exhaustive(values, k):
    """MDAV as it is written down, looking at every record each time."""
    points = values[np.lexsort(values.T[::-1])]
    left = list(range(len(points)))
    clusters = []

    def away(record, point):
        return float(((points[record] - point) ** 2).sum())

    def grow(end, spare=None):
        others = [i for i in left if i not in (end, spare)]
        chosen = [end, *sorted(others, key=lambda i: (away(i, points[end]), i))[: k - 1]]
        clusters.append(chosen)
        for i in chosen:
            left.remove(i)

    while len(left) >= 3 * k:
        middle = points[left].sum(axis=0) / len(left)
        r = min(left, key=lambda i: (-away(i, middle), i))
        s = min((i for i in left if i != r), key=lambda i: (-away(i, points[r]), i))
        grow(r, spare=s)
        grow(s)
    if len(left) >= 2 * k:
        middle = points[left].sum(axis=0) / len(left)
        grow(min(left, key=lambda i: (-away(i, middle), i)))
    clusters.append(list(left))
    return points, clusters


# whole numbers, whose sums are exact in whatever order they are added
small = st.integers(1, 4).flatmap(
    lambda width: st.integers(6, 60).flatmap(
        lambda n: arrays(np.float64, (n, width), elements=st.integers(-6, 6).map(float))
    )
)


@settings(deadline=None, max_examples=150)
@given(small, st.integers(2, 6))
def test_the_clusters_of_an_exhaustive_search(values, k):
    found = mdav(values, k, standardise=False)
    points, clusters = exhaustive(values, k)
    released = sorted(map(tuple, np.round(found.values, 9).tolist()))
    means = [points[c].mean(axis=0) for c in clusters for _ in c]
    assert released == sorted(map(tuple, np.round(means, 9).tolist()))


def test_the_clusters_of_an_exhaustive_search_on_a_larger_cloud():
    values = np.rint(np.random.default_rng(5).normal(size=(700, 3)) * 40)
    found = mdav(values, 3, standardise=False)
    _, clusters = exhaustive(values, 3)
    order = np.lexsort(values.T[::-1])
    theirs = np.empty(700, dtype=int)
    for number, members in enumerate(clusters):
        theirs[members] = number
    assert (found.clusters[order] == theirs).all()


@settings(deadline=None, max_examples=60)
@given(small, st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_sizes_and_order_of_records(values, k, seed):
    found = mdav(values, k)
    assert k <= found.sizes.min()
    assert found.sizes.max() < 2 * k
    assert 0 <= found.information_loss <= 100 + 1e-9
    shuffle = np.random.default_rng(seed).permutation(len(values))
    again = mdav(values[shuffle], k)
    assert sorted(map(tuple, again.centroids)) == sorted(map(tuple, found.centroids))
    assert again.information_loss == found.information_loss


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=11), st.integers(2, 4))
def test_optimal_groups_by_trying_all(values, k):
    if len(values) < k:
        return
    ordered = np.sort(np.array(values, dtype=float))
    found = optimal_1d(values, k)
    lost = float(((np.array(values) - found.values.ravel()) ** 2).sum())
    least = np.inf
    for cuts in itertools.chain.from_iterable(
        itertools.combinations(range(1, len(values)), number) for number in range(len(values))
    ):
        groups = np.split(ordered, cuts)
        if min(map(len, groups)) >= k:
            least = min(least, sum(((g - g.mean()) ** 2).sum() for g in groups))
    assert lost == pytest.approx(least, abs=1e-9)
    assert found.sizes.min() >= k
    assert lost <= float(((np.array(values) - mdav(values, k).values.ravel()) ** 2).sum()) + 1e-9


def test_a_mean_of_equal_values_is_that_value():
    found = mdav([[0.1, 1e15 + 0.3]] * 7, 3)
    assert (found.values == [0.1, 1e15 + 0.3]).all()
    assert found.information_loss == 0.0
    assert found.sizes.tolist() == [3, 4]


def test_a_constant_variable_does_not_matter():
    line = np.arange(10.0)
    both = np.stack([line, np.full(10, 0.1)], axis=1)
    assert (mdav(both, 3).values[:, 0] == mdav(line, 3).values[:, 0]).all()


def test_units_do_not_matter_when_standardised():
    values = np.random.default_rng(1).normal(size=(60, 2))
    scaled = values * [1024.0, 0.125]  # exact powers of two
    assert (mdav(values, 4).clusters == mdav(scaled, 4).clusters).all()
    assert mdav(scaled, 4, standardise=False).information_loss != pytest.approx(
        mdav(scaled, 4).information_loss
    )


@pytest.mark.parametrize(
    ("values", "k", "words"),
    [
        ([[1.0], [2.0]], 1, "at least 2. Got 1"),
        ([[1.0], [float("nan")], [2.0]], 2, "Variable 1 of record 2 is missing"),
        ([["x"], ["y"]], 2, "numbers only"),
        ([[], []], 2, "at least one variable"),
    ],
)
def test_wrong_input(values, k, words):
    with pytest.raises(InputError, match=words):
        mdav(values, k)


def test_fewer_records_than_a_cluster():
    with pytest.raises(GuaranteeError, match="needs 5 records, and there are 3"):
        mdav([[1.0], [2.0], [3.0]], 5)
    with pytest.raises(InputError, match="takes one variable"):
        optimal_1d([[1.0, 2.0]] * 4, 2)
    with pytest.raises(InputError, match="must be mdav or optimal-1d"):
        microaggregation([1.0, 2.0], 2, method="mdaf")


def test_it_shows_itself():
    found = mdav(np.arange(10.0), 3)
    assert "largest                4" in repr(found)
    assert found.to_dict()["clusters"] == 3
    assert "<p>" in found._repr_html_()


# The step


def table(**more):
    columns = {"age": [20, 21, 22, 60, 61, 63], "pay": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]}
    return pa.table(columns | {"area": ["n", "s", "n", "s", "n", "s"]} | more)


def applied(engine, source, step):
    return step.apply(engine, source, Context())


def test_the_step_replaces_numbers_by_means(engine, opened):
    result, receipt = applied(engine, opened(table()), Microaggregate(("age", "pay"), 3))
    out = result.table()
    assert out.column("pay").to_pylist() == [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    assert out.column("age").to_pylist() == pytest.approx([21, 21, 21, 184 / 3, 184 / 3, 184 / 3])
    assert out.column("area").to_pylist() == list("nsnsns")
    assert receipt.cells_changed == {"age": 5, "pay": 4}
    assert receipt.records_changed == 5
    assert receipt.residual == 0
    assert "information loss" in receipt.notes[0]


def test_whole_numbers_stay_whole_on_request(engine, opened, small_batches):
    step = Microaggregate(("age",), 3, round=True)
    result, _ = applied(engine, opened(table()), step)
    assert result.schema.field("age").type == pa.int64()
    assert result.table().column("age").to_pylist() == [21, 21, 21, 61, 61, 61]
    other, _ = applied(small_batches, opened(table()), step)
    assert other.table().equals(result.table())


def test_clusters_stay_within_strata(engine, opened):
    result, _ = applied(engine, opened(table()), Microaggregate(("pay",), 3, strata="area"))
    north, south = (1 + 3 + 11) / 3, (2 + 10 + 12) / 3
    assert result.table().column("pay").to_pylist() == pytest.approx([north, south] * 3)
    with pytest.raises(GuaranteeError, match="2 values of 'area' have fewer"):
        applied(engine, opened(table()), Microaggregate(("pay",), 4, strata="area"))


def test_missing_values_are_refused_or_left(engine, opened):
    source = opened(table(pay=[1.0, None, 3.0, 10.0, 11.0, 12.0]))
    with pytest.raises(InputError, match=r"'pay' is missing in record 2, and 1 records"):
        applied(engine, source, Microaggregate(("age", "pay"), 2))
    step = Microaggregate(("age", "pay"), 2, missing="leave", round=True)
    result, receipt = applied(engine, source, step)
    out = result.table()
    assert out.column("pay").to_pylist()[1] is None
    assert out.column("age").to_pylist()[1] == 21
    assert receipt.residual == 1
    assert "unprotected" in receipt.warnings[0]


def test_codes_that_mean_missing_are_not_averaged(engine, opened):
    source = opened(table(age=[20, 21, 22, 999, 61, 63]))
    variables = Variables(
        Variable(v.name, user_missing=(999,)) if v.name == "age" else v
        for v in source.variables.values()
    )
    source = type(source)(source.path, source.origin, variables, source.records)
    with pytest.raises(InputError, match="'age' is missing in record 4"):
        applied(engine, source, Microaggregate(("age",), 2))
    step = Microaggregate(("age",), 2, missing="leave", round=True)
    assert applied(engine, source, step)[0].table().column("age").to_pylist()[3] == 999


def test_each_variable_by_itself(engine, opened):
    source = opened(table(pay=[12.0, 1.0, 11.0, 2.0, 10.0, 3.0]))
    step = Microaggregate(("age", "pay"), 3, method="optimal-1d", round=True)
    result, receipt = applied(engine, source, step)
    assert result.table().column("age").to_pylist() == [21, 21, 21, 61, 61, 61]
    assert result.table().column("pay").to_pylist() == [11.0, 2.0, 11.0, 2.0, 11.0, 2.0]
    assert "need not be" in receipt.notes[-1]


def test_the_step_survives_a_plan_file(engine, opened, tmp_path):
    plan = Plan((Microaggregate(("age", "pay"), 3, strata="area", round=True),))
    loaded = Plan.load(plan.save(tmp_path / "plan.json"))
    assert loaded == plan
    assert "within area" in plan.steps[0].describe()
    first = plan.apply(engine, opened(table())).source.table()
    assert loaded.apply(engine, opened(table())).source.table().equals(first)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Microaggregate(("a",), 1), "at least 2"),
        (lambda: Microaggregate((), 3), "at least one name"),
        (lambda: Microaggregate(("a", "a"), 3), "named twice"),
        (lambda: Microaggregate(("a",), 3, strata="a"), "both stratum"),
        (lambda: Microaggregate(("a",), 3, method="pca"), "must be mdav"),
        (lambda: Microaggregate(("a",), 3, missing="drop"), "refuse or leave"),
    ],
)
def test_wrong_steps(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_text_cannot_be_averaged(engine, opened):
    with pytest.raises(InputError, match="'area' must be a column of numbers"):
        applied(engine, opened(table()), Microaggregate(("area",), 2))


# The literature and sdcMicro


def columns(name, wanted=None):
    with open(SHARED / "data" / name, newline="") as file:
        head, *rows = csv.reader(file)
    at = [head.index(column) for column in wanted or head]
    return np.array([[float(row[i]) for i in at] for row in rows])


@pytest.mark.shared
@shared
@pytest.mark.parametrize(
    ("name", "k", "published"),
    [
        ("CASCrefmicrodata.csv", 3, 5.692),
        ("CASCrefmicrodata.csv", 4, 7.495),
        ("CASCrefmicrodata.csv", 5, 9.088),
        ("CASCrefmicrodata.csv", 10, 14.156),
        ("Tarragona.csv", 3, 16.933),
        ("Tarragona.csv", 4, 19.546),
        ("Tarragona.csv", 5, 22.462),
        ("Tarragona.csv", 10, 33.193),
    ],
)
def test_information_loss_of_the_literature(name, k, published):
    """All 13 variables, standardised: Census and Tarragona as the papers on MDAV report them."""
    assert round(mdav(columns(name), k).information_loss, 3) == published


SDCMICRO = {
    "CASC": (
        "CASCrefmicrodata.csv",
        [
            "AGI",
            "EMCONTRB",
            "FEDTAX",
            "STATETAX",
            "TAXINC",
            "PEARNVAL",
            "FICA",
            "WSALVAL",
            "ERNVAL",
        ],
    ),
    "Tarragona": ("Tarragona.csv", None),
    "testdata": ("testdata.csv", ["expend", "income", "savings"]),
}


@pytest.mark.shared
@shared
@pytest.mark.parametrize("name", SDCMICRO)
@pytest.mark.parametrize("k", [3, 5, 10])
def test_information_loss_of_sdcmicro(name, k):
    recorded = SHARED / "reference" / "sdcmicro" / f"mdav_{name}_aggr{k}.json"
    expected = json.loads(recorded.read_text())
    found = mdav(columns(*SDCMICRO[name]), k)
    # sdcMicro computes distances in single precision, which settles near ties otherwise
    assert found.information_loss == pytest.approx(100 * expected["SSE_over_SST"], rel=0.02)
    assert len(found.sizes) == expected["n_groups"]


@pytest.mark.shared
@shared
def test_optimal_groups_of_argus():
    folder = SHARED / "reference" / "sdcmicro"
    with open(folder / "argus_microaggregation__optimal1d.csv", newline="") as file:
        rows = np.array([[float(x) for x in row] for row in list(csv.reader(file))[1:]])
    found = optimal_1d(rows[:, 0], 3).values.ravel()
    lost = float(((rows[:, 0] - found) ** 2).sum())
    recorded = json.loads((folder / "argus_microaggregation.json").read_text())["sse1d"]
    assert lost <= recorded * (1 + 1e-12)
    assert lost == pytest.approx(recorded, rel=1e-9)
    # of records with equal values, others may be in the next group
    assert np.sort(found) == pytest.approx(np.sort(rows[:, 1]))
