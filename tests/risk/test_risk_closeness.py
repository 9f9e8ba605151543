"""t-closeness, β-likeness and δ-disclosure against the papers, pycanon, ARX and brute force."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import indistinct
from indistinct.core.errors import InputError
from indistinct.engine import KeyCoding, coding_of_values
from indistinct.hierarchy import csv_hierarchy, table_hierarchy, taxonomy_hierarchy
from indistinct.keys import KeyTable
from indistinct.risk.closeness import t_closeness
from indistinct.risk.likenesses import likeness

SHARED = Path(__file__).resolve().parents[3] / "shared"
relaxed = settings(deadline=None, max_examples=40)


def counted(rows, names=("key", "s")):
    """Count rows without a file, which is quicker for many small examples."""
    columns = [pa.array([r[j] for r in rows]) for j in range(len(names))]
    columns = [c.cast(pa.int64()) if pa.types.is_null(c.type) else c for c in columns]
    coding = KeyCoding(
        tuple(
            coding_of_values(name, column.unique().drop_null(), column.null_count > 0)
            for name, column in zip(names, columns, strict=True)
        )
    )
    codes = np.stack([v.encode(c) for v, c in zip(coding.variables, columns, strict=True)], axis=1)
    return KeyTable(coding, *np.unique(codes, axis=0, return_counts=True))


def earth_mover(p, q, ground):
    """The definition: the cheapest way to move shares p to shares q, as a linear programme."""
    m = len(p)
    rows = np.kron(np.eye(m), np.ones(m))
    columns = np.kron(np.ones(m), np.eye(m))
    found = linprog(ground.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    assert found.status == 0
    return found.fun


def shares_by_hand(rows):
    """The values, their shares in the file, and their shares in every class by key order."""
    values = sorted({s for _, s in rows}, key=lambda v: (v is None, v))
    classes = defaultdict(Counter)
    for key, s in rows:
        classes[key][s] += 1
    total = Counter(s for _, s in rows)
    p = np.array([total[v] for v in values]) / len(rows)
    by_key = [classes[key] for key in sorted(classes)]
    return values, p, [np.array([c[v] for v in values]) / sum(c.values()) for c in by_key]


def rows_of(values):
    return st.lists(st.tuples(st.integers(0, 4), values), min_size=1, max_size=40)


@relaxed
@given(rows_of(st.sampled_from([*"abcdef", None])))
def test_equal_distance_equals_the_linear_programme(rows):
    values, p, classes = shares_by_hand(rows)
    ground = 1.0 - np.eye(len(values))
    expected = [earth_mover(p, q, ground) for q in classes]
    found = t_closeness(counted(rows), ["key"], "s").distances
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


@relaxed
@given(rows_of(st.sampled_from([-7, 0, 1, 2, 10, 11, 500])))
def test_ordered_distance_equals_the_linear_programme(rows):
    values, p, classes = shares_by_hand(rows)
    m = len(values)
    ground = np.abs(np.subtract.outer(np.arange(m), np.arange(m))) / max(m - 1, 1)
    expected = [earth_mover(p, q, ground) for q in classes]
    found = t_closeness(counted(rows), ["key"], "s", distance="ordered").distances
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


@relaxed
@given(rows_of(st.sampled_from([1, 2, 3, 4, 5, None])))
def test_ordered_distance_with_missing_values_equals_the_linear_programme(rows):
    """A missing value is ½ from the middle of the order; from a single value it is 1."""
    values, p, classes = shares_by_hand(rows)
    m = sum(v is not None for v in values)
    ground = np.abs(np.subtract.outer(np.arange(len(values)), np.arange(len(values)))) * 1.0
    if m > 1:
        ground /= m - 1
    if None in values:
        to_middle = np.abs(np.arange(m) - (m - 1) / 2) / (m - 1) + 0.5 if m > 1 else np.ones(m)
        ground[-1, :-1] = ground[:-1, -1] = to_middle
        assert ground.max() <= 1
    expected = [earth_mover(p, q, ground) for q in classes]
    found = t_closeness(counted(rows), ["key"], "s", distance="ordered").distances
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


TREE = table_hierarchy(
    [
        ("a", "ab", "abc", "*"),
        ("b", "ab", "abc", "*"),
        ("c", "c", "abc", "*"),
        ("d", "de", "de", "*"),
        ("e", "de", "de", "*"),
        ("f", "f", "f", "*"),
    ],
    name="s",
)


@relaxed
@given(rows_of(st.sampled_from([*"abcdef", None])))
def test_hierarchical_distance_equals_the_linear_programme(rows):
    values, p, classes = shares_by_hand(rows)
    ground = np.array(
        [[TREE.common_ancestor([u, v]).level / TREE.height for v in values] for u in values]
    )
    expected = [earth_mover(p, q, ground) for q in classes]
    found = t_closeness(counted(rows), ["key"], "s", hierarchy=TREE).distances
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


@relaxed
@given(rows_of(st.sampled_from("abcd")))
def test_likeness_equals_the_definitions(rows):
    _, p, classes = shares_by_hand(rows)
    found = likeness(counted(rows), ["key"], "s", beta=1.0, delta=1.0)
    failing = found.failing()
    for i, q in enumerate(classes):
        gains = [(b - a) / a for a, b in zip(p, q, strict=True) if b > a]
        assert found.gain[i] == pytest.approx(max(gains, default=0.0), abs=1e-12)
        basic = all(gain <= 1.0 + 1e-12 for gain in gains)
        enhanced = all(
            (b - a) / a <= min(1.0, -math.log(a)) + 1e-12
            for a, b in zip(p, q, strict=True)
            if b > a
        )
        assert failing["basic"][i] == (not basic)
        assert failing["enhanced"][i] == (not enhanced)
        ratios = [abs(math.log(b / a)) if b else math.inf for a, b in zip(p, q, strict=True)]
        assert found.log_ratio[i] == pytest.approx(max(ratios), abs=1e-12)
        assert failing["delta"][i] == (not found.log_ratio[i] < 1.0)
        assert found.absent[i] == (q == 0).sum()


@relaxed
@given(rows_of(st.integers(0, 5)), st.permutations(range(6)))
def test_a_declared_order_is_the_order_of_its_ranks(rows, order):
    ranked = [(key, order.index(s)) for key, s in rows]
    # the domain is all that is declared: values that do not occur keep their places
    m = len(order)
    _, p, classes = shares_by_hand(ranked)
    occurring = sorted({s for _, s in ranked})
    ground = np.abs(np.subtract.outer(occurring, occurring)) / (m - 1)
    expected = [earth_mover(p, q, ground) for q in classes]
    found = t_closeness(counted(rows), ["key"], "s", order=order)
    assert found.distance == "ordered"
    assert found.distances.tolist() == pytest.approx(expected, abs=1e-9)


# The papers

SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]


@pytest.mark.parametrize(("inside", "printed"), [((3, 4, 5), 0.375), ((6, 8, 11), 0.167)])
def test_li_2007_salaries(inside, printed):
    """Section 5.2: Q = 3k … 11k; EMD of {3k,4k,5k} is 0.375, of {6k,8k,11k} 0.167."""
    rows = [(int(s not in inside), s) for s in SALARIES]
    found = t_closeness(counted(rows), ["key"], "s", distance="ordered")
    assert round(float(found.distances[0]), 3) == printed
    assert found.table.counts.tolist() == [3, 6]


def li_2007_diseases():
    return taxonomy_hierarchy(
        {
            "flu": "respiratory infection",
            "pneumonia": "respiratory infection",
            "bronchitis": "respiratory infection",
            "pulmonary edema": "vascular lung disease",
            "pulmonary embolism": "vascular lung disease",
            "gastric ulcer": "stomach disease",
            "stomach cancer": "stomach disease",
            "colitis": "colon disease",
            "colon cancer": "colon disease",
            "respiratory infection": "respiratory system",
            "vascular lung disease": "respiratory system",
            "stomach disease": "digestive system",
            "colon disease": "digestive system",
            "respiratory system": "respiratory and digestive",
            "digestive system": "respiratory and digestive",
        },
        name="disease",
    )


@pytest.mark.parametrize(
    ("other", "thirds"), [("bronchitis", 1), ("pulmonary embolism", 2), ("stomach cancer", 3)]
)
def test_li_2007_distances_between_diseases(other, thirds):
    """Figure 1: flu is 1/3 from bronchitis, 2/3 from pulmonary embolism, 1 from stomach cancer."""
    found = t_closeness(
        counted([(0, "flu"), (1, other)]), ["key"], "s", hierarchy=li_2007_diseases()
    )
    # all of a class's share that is elsewhere in the file, one half, goes that far
    assert found.distances.tolist() == pytest.approx([thirds / 6] * 2)


def test_a_class_like_the_file_is_at_no_distance():
    rows = [(key, s) for key in range(3) for s in "aabc"]
    table = counted(rows)
    assert t_closeness(table, ["key"], "s", t=0).records_failing() == 0
    found = likeness(table, ["key"], "s")
    assert found.gain.tolist() == [0, 0, 0]
    assert found.log_ratio.tolist() == [0, 0, 0]


def test_a_hundred_thousand_different_incomes_take_no_more_than_their_cells():
    """Every record its own income: a dense sum would need classes × values."""
    rng = np.random.default_rng(1)
    income = rng.permutation(100_000) * 1.5
    area = rng.integers(0, 20_000, 100_000)
    with indistinct.open_data(pa.table({"area": area, "income": income})) as data:
        found = t_closeness(
            data.key_table(["area", "income"]), ["area"], "income", distance="ordered"
        )
    rank = pd.Series(income).rank().to_numpy() - 1
    file = np.arange(1, 100_000) / 100_000
    for at in (0, 7, len(found.distances) - 1):
        inside = np.sort(rank[area == found.table.values("area")[at]])
        own = np.searchsorted(inside, np.arange(99_999), side="right") / len(inside)
        assert found.distances[at] == pytest.approx(np.abs(own - file).sum() / 99_999, abs=1e-12)


def test_results_print_themselves_and_become_dicts():
    table = counted([(0, "a"), (0, "b"), (1, "a"), (1, "a")])
    close = t_closeness(table, ["key"], "s", t=0.1)
    assert "Closeness of s (equal distance) in 2 classes" in repr(close)
    assert close.to_dict()["records_failing"] == 4
    like = likeness(table, ["key"], "s", beta=0.5, delta=1)
    facts = like.to_dict()
    assert facts["delta"] is None
    assert facts["basic_records_failing"] == 2
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert list(like.to_frame()["basic_beta"]) == pytest.approx([1.0, 1 / 3])
    assert list(close.to_frame()["distance"]) == [0.25, 0.25]
    assert "<p>" in close._repr_html_() + like._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t": 1.5}, "t must be a number from 0 to 1. Got 1.5"),
        ({"distance": "order"}, "distance must be .* Got 'order'. Did you mean 'ordered'"),
        ({"distance": "ordered"}, "'s' is text, whose order is not known"),
        ({"order": ["a"]}, "The order does not name 1 of the 2 values of 's'"),
        ({"distance": "hierarchical"}, "needs the hierarchy of 's'"),
        ({"hierarchy": table_hierarchy([("a", "*")])}, "does not know 1 of the 2 values of 's'"),
    ],
)
def test_wrong_requests_are_refused_in_a_sentence(options, message):
    with pytest.raises(InputError, match=message):
        t_closeness(counted([(0, "a"), (1, "b")]), ["key"], "s", **options)


def test_wrong_bounds_are_refused_in_a_sentence():
    table = counted([(0, "a"), (1, "b")])
    with pytest.raises(InputError, match="beta must be a number above 0"):
        likeness(table, ["key"], "s", beta=0)
    with pytest.raises(InputError, match="There is no t to compare with"):
        t_closeness(table, ["key"], "s").failing()


# What other programs answer


def need(path):
    if not path.exists():
        pytest.skip("the folder shared beside the project is absent")
    return path


def pycanon(task):
    runs = json.loads(need(SHARED / "reference" / "arx" / "peers.json").read_text())
    wanted = ("pycanon", task, "adult")
    return next(run for run in runs if (run["tool"], run["task"], run["dataset"]) == wanted)


@pytest.mark.shared
def test_adult_equals_pycanon():
    run = pycanon("t_closeness")
    with indistinct.open_data(need(SHARED / "data" / "adult.csv")) as data:
        table = data.key_table([*run["qis"], run["sensitive"]])
    close = t_closeness(table, run["qis"], run["sensitive"])
    assert close.largest == pytest.approx(run["value"], rel=1e-12)
    like = likeness(table, run["qis"], run["sensitive"])
    assert like.gain.max() == pytest.approx(pycanon("basic_beta_likeness")["value"], rel=1e-12)
    # pycanon leaves out the values that a class lacks, for which |ln(q/p)| is infinite
    delta = pycanon("delta_disclosure")["value"]
    assert like.log_ratio_present.max() == pytest.approx(delta, rel=1e-12)


def arx_runs(word):
    folder = need(SHARED / "reference" / "arx")
    for name in ("arx_models_adult_s002.json", "arx_models_adult_s005_s1.json"):
        for run in json.loads((folder / name).read_text())["runs"]:
            if word in run["privacy"]:
                yield run


def hierarchy(name):
    path = SHARED / "data" / "hierarchies" / f"adult_hierarchy_{name}.csv"
    return csv_hierarchy(path, name=name)


def generalised_adult(run, sensitive):
    """Adult at the levels that ARX chose, counted with the sensitive variable as it was."""
    frame = pd.read_csv(need(SHARED / "data" / "adult.csv"))
    columns = {"sensitive": frame[sensitive]}
    for name, level in run["optimum"].items():
        values = frame[name].unique()
        labels = hierarchy(name).recode(values, level)
        columns[name] = frame[name].map(dict(zip(values, labels, strict=True)))
    with indistinct.open_data(pa.Table.from_pandas(pd.DataFrame(columns))) as data:
        return data.key_table([*run["optimum"], "sensitive"])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("distance", "sensitive"),
    [("equal", "occupation"), ("hierarchical", "occupation"), ("ordered", "age")],
)
def test_classes_that_are_not_close_are_those_arx_suppresses(distance, sensitive):
    runs = list(arx_runs(f"0.2-closeness {distance}"))
    assert runs
    for run in runs:
        found = t_closeness(
            generalised_adult(run, sensitive),
            list(run["optimum"]),
            "sensitive",
            distance=distance,
            hierarchy=hierarchy(sensitive) if distance == "hierarchical" else None,
            t=0.2,
        )
        suppressed = found.failing() | (found.table.counts < 5)
        assert found.table.counts[suppressed].sum() == run["suppressed"]
        assert (~suppressed).sum() == run["classes"]


@pytest.mark.shared
@pytest.mark.parametrize("kind", ["basic", "enhanced"])
def test_classes_that_are_not_alike_are_those_arx_suppresses(kind):
    runs = list(arx_runs(f"{kind} 1-likeness"))
    assert runs
    for run in runs:
        table = generalised_adult(run, "occupation")
        found = likeness(table, list(run["optimum"]), "sensitive", beta=1)
        failing = found.failing()[kind]
        assert found.table.counts[failing].sum() == run["suppressed"]
        assert (~failing).sum() == run["classes"]


@pytest.mark.shared
def test_delta_of_values_present_in_bits_is_that_of_arx():
    """ARX takes logarithms to base 2 and leaves out values that a class lacks."""
    runs = [run for run in arx_runs("1-disclosure") if run["classes"]]
    assert runs
    for run in runs:
        table = generalised_adult(run, "occupation")
        found = likeness(table, list(run["optimum"]), "sensitive")
        failing = found.log_ratio_present / math.log(2) >= 1
        assert found.table.counts[failing].sum() == run["suppressed"]
        assert (~failing).sum() == run["classes"]
