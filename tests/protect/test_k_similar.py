"""k-Similar on tables of all kinds: what it promises, against brute force and the other methods."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import open_data
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.hierarchy import Hierarchy, csv_hierarchy, table_hierarchy
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect.methods.k_similarity.k_similar import KSimilar, KSimilarStep, k_similar
from indistinct.protect.methods.k_similarity.k_similar_bound import cheapest_groups
from indistinct.protect.methods.k_similarity.k_similar_optimum import k_similar_optimum
from indistinct.protect.methods.k_similarity.k_similar_space import build_space
from indistinct.protect.plan import Plan
from indistinct.protect.step import Step

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
PATHS = [(f"{n}", f"<{n // 2 * 2}>", f"<<{n // 4 * 4}>>", "*") for n in range(8)]


def eight(name: str) -> Hierarchy:
    """Eight values, in pairs, in fours."""
    return table_hierarchy(PATHS, name=name)


def two(name: str) -> Hierarchy:
    return table_hierarchy([("0", "*"), ("1", "*")], name=name)


KINDS = {"a": eight("a"), "b": two("b"), "c": eight("c")}


def generalisable(columns: dict[str, list[Any]]) -> Generalisable:
    """The key table of a few records, counted here, whose missing values have the last code."""
    rows = Counter(
        tuple(8 if value is None else int(value) for value in row)
        for row in zip(*columns.values(), strict=True)
    )
    values = pa.array([str(n) for n in range(8)])
    coding = KeyCoding(tuple(Coding(name, 9, missing=True, values=values) for name in columns))
    codes = np.array(sorted(rows), dtype=np.int64).reshape(len(rows), len(columns))
    counts = np.array([rows[row] for row in sorted(rows)], dtype=np.int64)
    return Generalisable.of(KeyTable(coding, codes, counts), KINDS)


@st.composite
def tables(draw: st.DrawFn, most: int = 40) -> dict[str, list[Any]]:
    records = draw(st.integers(1, most))
    value = st.one_of(st.none(), st.sampled_from([str(n) for n in range(8)]))
    bit = st.sampled_from(["0", "1"])
    return {
        name: draw(st.lists(bit if name == "b" else value, min_size=records, max_size=records))
        for name in ("a", "b", "c")
    }


def check(result: KSimilar, k: int, limits: dict[str, int] | None = None) -> None:
    """Count the released keys without the recoding's own groups."""
    recoding = result.recoding
    seen: Counter[tuple[int, ...]] = Counter()
    for nodes, count in zip(recoding.nodes.tolist(), recoding.counts.tolist(), strict=True):
        seen[tuple(nodes)] += count
    assert sum(seen.values()) == recoding.keys.records
    assert min(seen.values()) >= k
    for name, limit in (limits or {}).items():
        assert (recoding.levels[:, recoding.keys.names.index(name)] <= limit).all()


@settings(deadline=None, max_examples=60)
@given(
    tables(), st.integers(2, 5), st.sampled_from(["precision", "loss"]), st.booleans(), st.data()
)
def test_every_released_key_appears_k_times(columns, k, loss, improve, data):
    keys = generalisable(columns)
    method = data.draw(st.sampled_from(["auto", "greedy", "sweep"]))
    if keys.records < k:
        with pytest.raises(GuaranteeError, match="smaller k"):
            k_similar(keys, k=k)
        return
    result = k_similar(keys, k=k, loss=loss, improve=improve, method=method)
    check(result, k)
    assert result.bound <= result.distortion + 1e-9


@settings(deadline=None, max_examples=40)
@given(tables(), st.integers(2, 4), st.sampled_from(["greedy", "sweep"]))
def test_limits_hold_or_are_refused(columns, k, method):
    keys = generalisable(columns)
    limits = {"a": 2, "b": 0}
    by_locked: Counter[tuple[Any, ...]] = Counter()
    for a, b in zip(columns["a"], columns["b"], strict=True):
        by_locked[(None if a is None else int(a) // 4, b)] += 1
    if min(by_locked.values()) < k:
        with pytest.raises(GuaranteeError):
            k_similar(keys, k=k, limits=limits, method=method)
    else:
        for improve in (False, True):
            result = k_similar(keys, k=k, limits=limits, method=method, improve=improve)
            check(result, k, limits)


@settings(deadline=None, max_examples=40)
@given(tables(), st.integers(2, 4), st.sampled_from(["greedy", "sweep"]))
def test_improving_never_adds_distortion(columns, k, method):
    keys = generalisable(columns)
    if keys.records < k:
        return
    plain = k_similar(keys, k=k, method=method, improve=False)
    assert k_similar(keys, k=k, method=method).units <= plain.units


def least_by_brute_force(keys: Generalisable, k: int, loss: str) -> int:
    """The least distortion over all partitions of the records, set by set."""
    space = build_space(keys, k=k, loss=loss)
    records = np.repeat(np.arange(keys.classes), keys.counts).tolist()

    def cost(members: tuple[int, ...]) -> int:
        total = 0
        for j, hierarchy in enumerate(keys.hierarchies):
            leaves = keys.leaves[[records[m] for m in members], j]
            level = hierarchy.common_level(leaves)
            total += int(space.costs[space.nodes[j][level, leaves[0]]])
        return total * len(members)

    def best(free: tuple[int, ...]) -> float:
        if not free:
            return 0
        least = np.inf
        rest = free[1:]
        for chosen in range(1 << len(rest)):
            members = (free[0], *(m for i, m in enumerate(rest) if chosen >> i & 1))
            if k <= len(members) < 2 * k:
                others = tuple(m for i, m in enumerate(rest) if not chosen >> i & 1)
                if not others or len(others) >= k:
                    least = min(least, cost(members) + best(others))
        return least

    return int(best(tuple(range(len(records)))))


@settings(deadline=None, max_examples=25)
@given(tables(most=7), st.integers(2, 3), st.sampled_from(["precision", "loss"]))
def test_optimum_is_that_of_brute_force(columns, k, loss):
    keys = generalisable(columns)
    if keys.records < k:
        return
    found = k_similar_optimum(keys, k=k, loss=loss)
    check(found, k)
    assert found.proved
    assert found.units == least_by_brute_force(keys, k, loss)
    floor = cheapest_groups(build_space(keys, k=k, loss=loss), k=k)
    assert int((floor * keys.counts).sum()) <= found.units


@settings(deadline=None, max_examples=25)
@given(tables(), st.integers(2, 4), st.sampled_from(["precision", "loss"]))
def test_cheapest_group_by_brute_force(columns, k, loss):
    keys = generalisable(columns)
    if keys.records < k:
        return
    space = build_space(keys, k=k, loss=loss)
    expected = np.full(keys.classes, np.iinfo(np.int64).max)
    for vector in np.ndindex(*(height + 1 for height in keys.heights)):
        cells = np.stack([space.nodes[j][vector[j]][space.leaves[j]] for j in range(3)], axis=1)
        sizes: Counter[tuple[int, ...]] = Counter()
        for row, count in zip(cells.tolist(), keys.counts.tolist(), strict=True):
            sizes[tuple(row)] += count
        for unit, row in enumerate(cells.tolist()):
            if sizes[tuple(row)] >= k:
                expected[unit] = min(expected[unit], int(space.costs[row].sum()))
    assert cheapest_groups(space, k=k).tolist() == expected.tolist()
    # a search that stops early gives a lower bound still
    assert (cheapest_groups(space, k=k, work=0) <= expected).all()


def test_records_of_one_class_may_go_different_ways():
    # seven records agree; one of them can serve its neighbour at k = 2, the others stay
    keys = generalisable({"a": ["0"] * 7 + ["1"], "b": ["0"] * 8, "c": ["0"] * 8})
    result = k_similar(keys, k=2)
    assert result.distortion == pytest.approx(2 / 3)
    assert sorted(result.recoding.counts.tolist()) == [1, 1, 6]
    assert k_similar_optimum(keys, k=2).units == result.units


def test_weights_decide_between_equals():
    # (0, 0) can lose its a with a spare (4, 0) or its b with a spare (0, 1), for two either way
    keys = generalisable({"a": ["0", *"444", *"000"], "b": ["0", *"000", *"111"], "c": ["0"] * 7})
    for spared, other in (("a", "b"), ("b", "a")):
        changed = k_similar(keys, k=2, weights={spared: 1.01}).recoding.cells_changed()
        assert changed[spared] == 0
        assert changed[other] > 0


def test_all_equal_all_unique_and_nothing():
    same = generalisable({"a": ["3"] * 5, "b": ["0"] * 5, "c": ["1"] * 5})
    assert k_similar(same, k=5).precision == 1.0
    apart = generalisable({"a": [str(n) for n in range(8)], "b": ["0"] * 8, "c": ["1"] * 8})
    assert k_similar(apart, k=8).distortion == pytest.approx(8.0)
    empty = generalisable({"a": [], "b": [], "c": []})
    for method in ("greedy", "sweep"):
        result = k_similar(empty, k=2, method=method)
        assert (result.precision, result.clusters) == (1.0, 0)


def test_result_does_not_depend_on_the_order_of_records():
    rng = np.random.default_rng(5)
    columns = {
        "a": [str(n) for n in rng.integers(0, 8, 300)],
        "b": [str(n) for n in rng.integers(0, 2, 300)],
        "c": [str(n) for n in rng.integers(0, 8, 300)],
    }
    order = rng.permutation(300)
    first = k_similar(generalisable(columns), k=4).recoding
    shuffled = {name: [values[i] for i in order] for name, values in columns.items()}
    second = k_similar(generalisable(shuffled), k=4).recoding
    assert first.levels.tolist() == second.levels.tolist()
    assert first.counts.tolist() == second.counts.tolist()


@pytest.mark.heavy
def test_an_optimum_that_stops_early_says_how_far_it_may_be():
    rng = np.random.default_rng(1)
    columns = {
        "a": [str(n) for n in rng.integers(0, 8, 40)],
        "b": [str(n) for n in rng.integers(0, 2, 40)],
        "c": [str(n) for n in rng.integers(0, 8, 40)],
    }
    keys = generalisable(columns)
    stopped = k_similar_optimum(keys, k=4, nodes=0)
    check(stopped, 4)
    done = k_similar_optimum(keys, k=4)
    assert done.proved
    assert stopped.bound <= done.distortion <= stopped.distortion
    assert 0 <= stopped.gap < 1


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"k": 1}, "at least 2"),
        ({"k": 2, "limits": {"d": 1}}, "not in the key"),
        ({"k": 2, "limits": {"a": 9}}, "from 0"),
        ({"k": 2, "weights": {"a": 0}}, "above 0"),
        ({"k": 2, "weights": {"aa": 1}}, "Did you mean"),
        ({"k": 2, "loss": "entropy"}, "precision'? or '?loss"),
        ({"k": 2, "method": "gredy"}, "Did you mean 'greedy'"),
    ],
)
def test_wrong_options_are_told(options, word):
    keys = generalisable({"a": ["0", "1"], "b": ["0", "0"], "c": ["0", "0"]})
    with pytest.raises(InputError, match=word):
        k_similar(keys, **options)


def test_a_locked_category_that_is_too_small_is_told_without_its_name():
    keys = generalisable({"a": ["6", "6", "6"], "b": ["0", "0", "1"], "c": ["5", "5", "5"]})
    with pytest.raises(GuaranteeError, match="'b' at level 0: 1 of the 2 categories") as refused:
        k_similar(keys, k=2, limits={"b": 0})
    assert "6" not in str(refused.value)


def test_step_protects_a_file_and_is_replayed(engine, opened):
    rng = np.random.default_rng(3)
    columns = {
        "a": pa.array([str(n) for n in rng.integers(0, 8, 200)]),
        "b": pa.array([str(n) for n in rng.integers(0, 2, 200)]),
        "income": pa.array(rng.integers(0, 9, 200)),
    }
    source = opened(pa.table(columns))
    step = KSimilarStep(
        ("a", "b"), 5, (eight("a"), two("b")), limits={"a": 2}, weights={"b": 2.0}, loss="loss"
    )
    assert Step.from_dict(step.to_dict()) == step
    released = []
    for plan in (Plan((step,)), Plan((Step.from_dict(step.to_dict()),))):
        protected = plan.apply(engine, source, seed=8)
        table = pq.read_table(protected.source.path)
        released.append(table.to_pylist())
        seen = Counter((row["a"], row["b"]) for row in table.to_pylist())
        assert min(seen.values()) >= 5
        assert table["income"].to_pylist() == columns["income"].to_pylist()
    assert released[0] == released[1]


@pytest.mark.shared
@pytest.mark.heavy
@pytest.mark.parametrize(
    ("k", "loss", "precision"), [(5, "precision", 0.8919), (10, "precision", 0.8582)]
)
def test_adult_keeps_more_than_arx_local_recoding(k, loss, precision):
    if not SHARED.is_dir():
        pytest.skip("the shared data are not beside the project")
    with open_data(SHARED / "adult.csv") as data:
        names = list(data.variables)
        kinds = {
            name: csv_hierarchy(SHARED / "hierarchies" / f"adult_hierarchy_{name}.csv", name=name)
            for name in names
        }
        keys = Generalisable.of(data.key_table(names), kinds)
    result = k_similar(keys, k=k, loss=loss)
    check(result, k)
    assert result.precision > precision
    assert result.bound < result.distortion
