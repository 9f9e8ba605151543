"""Local recoding: its promises on small tables of all kinds, and its loss beside ARX's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import open_data
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.hierarchy import csv_hierarchy, suppression_only, table_hierarchy
from indistinct.keys import Generalisable, KeyTable, Recoding
from indistinct.keys.losses.measures import granularity, loss, precision, precision_loss
from indistinct.protect import local_recoding
from indistinct.protect.methods.recoding_locally import local_recoding_costs
from indistinct.protect.methods.recoding_locally.local_recoding import LocalRecodingStep
from indistinct.protect.methods.recoding_locally.local_recoding_costs import Ladders
from indistinct.protect.methods.recoding_locally.local_recoding_search import Search, schedule
from indistinct.protect.plan import Plan
from indistinct.protect.step import Step

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SCORES = {"loss": loss, "precision": precision_loss}

A = table_hierarchy(
    [
        ("a", "ab", "abcde", "*"),
        ("b", "ab", "abcde", "*"),
        ("c", "cde", "abcde", "*"),
        ("d", "cde", "abcde", "*"),
        ("e", "cde", "abcde", "*"),
        ("f", "f", "f", "*"),
    ],
    name="a",
)
B = table_hierarchy([(v, "uv" if v in "uv" else "wx", "*") for v in "uvwx"], name="b")
C = suppression_only(["0", "1", "2"], name="c")
HIERARCHIES = {"a": A, "b": B, "c": C}

Row = tuple[str | None, str, str]
rows_of = st.lists(
    st.tuples(st.sampled_from([*"abcdef", None]), st.sampled_from("uvwx"), st.sampled_from("012")),
    min_size=2,
    max_size=40,
)


def counted(rows: list[Row]) -> Generalisable:
    """The key table of some records, counted here."""
    codings, columns = [], []
    for hierarchy, column in zip(HIERARCHIES.values(), zip(*rows, strict=True), strict=True):
        values = pa.array(hierarchy.values)
        size = len(hierarchy.values) + 1
        codings.append(Coding(hierarchy.name, size, missing=True, values=values))
        columns.append(hierarchy.encode(column))
    codes, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    table = KeyTable(KeyCoding(tuple(codings)), codes.astype(np.int64), counts.astype(np.int64))
    return Generalisable.of(table, HIERARCHIES)


def released(recoding: Recoding) -> Counter[tuple[str | None, ...]]:
    """Count the released labels, by way of the hierarchies alone."""
    found: Counter[tuple[str | None, ...]] = Counter()
    keys = recoding.keys
    for row, levels, count in zip(recoding.classes, recoding.levels, recoding.counts, strict=True):
        label = tuple(
            h.level_labels(int(levels[j]))[h.level_codes(int(levels[j]))[keys.leaves[row, j]]]
            for j, h in enumerate(keys.hierarchies)
        )
        found[label] += int(count)
    return found


def least(rows: list[Row], k: int) -> float:
    """The least loss of any partition into groups of k and more, by brute force."""

    def price(group: list[Row]) -> float:
        total = 0.0
        for j, hierarchy in enumerate(HIERARCHIES.values()):
            leaves = hierarchy.encode([row[j] for row in group])
            level = hierarchy.common_level(leaves)
            node = hierarchy.level_codes(level)[leaves[0]]
            total += (hierarchy.sizes(level)[node] - 1) / (len(hierarchy.values) - 1)
        return total * len(group)

    def best(rest: list[Row], groups: list[list[Row]]) -> float:
        if not rest:
            return sum(map(price, groups)) if all(len(g) >= k for g in groups) else np.inf
        first, others = rest[0], rest[1:]
        tried = [best(others, [*groups, [first]])]
        for i, group in enumerate(groups):
            tried.append(best(others, [*groups[:i], [*group, first], *groups[i + 1 :]]))
        return min(tried)

    return best(rows, []) / len(rows) / 3


@settings(max_examples=150, deadline=None)
@given(rows_of, st.integers(2, 6), st.sampled_from(["loss", "precision"]))
def test_k_holds_and_the_value_is_the_loss_of_the_recoding(rows, k, name):
    keys = counted(rows)
    if len(rows) < k:
        with pytest.raises(GuaranteeError):
            local_recoding(keys, k=k)
        return
    result = local_recoding(keys, k=k, loss=name)
    counts = released(result.recoding)
    assert sum(counts.values()) == len(rows)
    assert min(counts.values()) >= k
    assert result.recoding.group_counts.min() >= k
    # a label that fills several levels is charged at its lowest by both
    assert result.value == pytest.approx(SCORES[name](result.recoding))


@settings(max_examples=100, deadline=None)
@given(
    rows_of,
    st.integers(2, 5),
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)),
    st.sampled_from(["loss", "precision"]),
)
def test_never_worse_than_the_start_and_never_above_it(rows, k, levels, name):
    keys = counted(rows)
    start = Recoding.full_domain(keys, levels)
    given_levels = dict(zip(keys.names, levels, strict=True))
    if start.smallest < k:
        with pytest.raises(GuaranteeError, match="cannot be reached"):
            local_recoding(keys, k=k, start=given_levels)
        return
    result = local_recoding(keys, k=k, start=given_levels, loss=name)
    assert result.recoding.smallest >= k
    assert (result.recoding.levels <= np.array(levels)).all()
    assert SCORES[name](result.recoding) <= SCORES[name](start) + 1e-12
    limited = local_recoding(keys, k=k, limits=given_levels, loss=name)
    assert (limited.recoding.levels == result.recoding.levels).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(rows_of.map(lambda rows: rows[0]), min_size=4, max_size=7), st.integers(2, 3))
def test_the_value_is_never_below_the_least_of_all_partitions(rows, k):
    result = local_recoding(counted(rows), k=k)
    assert least(rows, k) - 1e-12 <= result.value <= result.ceiling_value


@settings(max_examples=60, deadline=None)
@given(rows_of, st.integers(2, 4))
def test_words_that_collide_change_nothing(rows, k):
    keys = counted(rows)
    if len(rows) < k:
        return
    weights, ceiling = np.ones(3), keys.heights
    ladders = Ladders.of(keys, loss="loss", weights=weights)
    assert ladders.exact
    all_equal = replace(ladders, words=np.zeros_like(ladders.words), exact=False)
    found = []
    for each in (ladders, all_equal):
        search = Search(keys, each, ceiling, k=k)
        assert search.sweep(schedule(keys, each, ceiling))
        found.append(search.finished())
    assert (found[0].levels == found[1].levels).all()
    assert (found[0].counts == found[1].counts).all()


@settings(max_examples=60, deadline=None)
@given(rows_of, st.integers(2, 5), st.integers(1, 30), st.integers(0, 200))
def test_k_holds_where_the_work_ends_before_all_levels_were_tried(rows, k, most, work):
    keys = counted(rows)
    if len(rows) < k:
        return
    ladders = Ladders.of(keys, loss="loss", weights=np.ones(3))
    tried = schedule(keys, ladders, keys.heights, most=most)
    search = Search(keys, ladders, keys.heights, k=k)
    search.sweep(tried, work=work)
    search.descend()
    recoding = search.finished()
    assert min(released(recoding).values()) >= k
    assert loss(recoding) <= loss(Recoding.full_domain(keys, keys.heights))


def test_a_key_too_wide_for_one_word_gives_the_same(monkeypatch):
    rows = [("abcdef"[i % 6], "uvwx"[i % 4], "012"[i % 3]) for i in range(0, 90, 7)]
    keys = counted(rows)
    exact = local_recoding(keys, k=2)
    monkeypatch.setattr(local_recoding_costs, "_fits", lambda rooms: False)
    hashed = local_recoding(keys, k=2)
    assert (exact.recoding.levels == hashed.recoding.levels).all()


def test_the_cheapest_of_few_levels_are_the_cheapest_of_all():
    keys = counted([("a", "u", "0"), ("b", "v", "1"), ("f", "w", "2"), (None, "x", "2")])
    ladders = Ladders.of(keys, loss="precision", weights=np.array([3.0, 2.0, 1.0]))
    whole = schedule(keys, ladders, keys.heights)
    few = schedule(keys, ladders, keys.heights, most=7)
    assert whole.complete
    assert not few.complete

    def means(plan):
        distinct = np.unique(plan.vectors, axis=0)
        paid = [
            ladders.paid(Recoding.full_domain(keys, vector)) @ keys.counts for vector in distinct
        ]
        return sorted(np.round(paid, 12))

    assert len(np.unique(whole.vectors, axis=0)) == 4 * 3 * 2
    assert means(few) == means(whole)[:7]


def test_weights_decide_which_of_two_variables_climbs():
    rows = [("a", b, c) for b in "uv" for c in "01"]
    left_b = local_recoding(counted(rows), k=2, weights={"b": 10.0})
    assert left_b.recoding.cells_changed() == {"a": 0, "b": 0, "c": 4}
    left_c = local_recoding(counted(rows), k=2, weights={"c": 10.0})
    assert left_c.recoding.cells_changed() == {"a": 0, "b": 4, "c": 0}
    # of the weights 1 + 1 + 10, b's 4 cells pay 1/3 each
    assert left_c.value == pytest.approx(1 / 3 / 12)


def test_leftovers_are_lent_records_so_that_nothing_is_weaker():
    # five equal records, and one that stands alone: one of the five must go with it, only one
    # because k = 2 needs no more
    result = local_recoding(counted([("a", "u", "0")] * 5 + [("f", "x", "2")]), k=2)
    assert sorted(released(result.recoding).items()) == [(("*", "*", "*"), 2), (("a", "u", "0"), 4)]
    # with just k equal records nothing can be lent, so that all go together
    joined = local_recoding(counted([("a", "u", "0")] * 2 + [("f", "x", "2")]), k=2)
    assert released(joined.recoding) == {("*", "*", "*"): 3}


def test_all_equal_all_unique_one_class_and_no_record():
    equal = local_recoding(counted([("a", "u", "0")] * 7), k=3)
    assert equal.value == 0.0
    assert len(equal.recoding.group_counts) == 1
    every = [(a, b, c) for a in "abcdef" for b in "uvwx" for c in "012"]
    unique = local_recoding(counted(every), k=4)
    assert unique.recoding.smallest >= 4
    some = counted(every)
    none = KeyTable(some.table.coding, some.table.codes[:0], some.counts[:0])
    empty = Generalisable.of(none, HIERARCHIES)
    nothing = local_recoding(empty, k=2)
    assert nothing.value == 0.0
    assert nothing.recoding.records_dropped == 0


def test_refusals_say_what_stands_in_the_way():
    keys = counted([("a", "u", "0"), ("a", "u", "1"), ("b", "u", "1")])
    with pytest.raises(InputError, match="k must be a whole number of at least 2"):
        local_recoding(keys, k=1)
    with pytest.raises(GuaranteeError, match="k=4 cannot be reached with 3 records"):
        local_recoding(keys, k=4)
    with pytest.raises(GuaranteeError, match="limits hold 'c' at level 0: there 1 records"):
        local_recoding(keys, k=2, limits={"c": 0})
    with pytest.raises(InputError, match="above its limit 1"):
        local_recoding(keys, k=2, start={"a": 2, "c": 1}, limits={"a": 1})
    with pytest.raises(InputError, match="weight of 'a'"):
        local_recoding(keys, k=2, weights={"a": -1})
    with pytest.raises(InputError, match="Did you mean"):
        local_recoding(keys, k=2, weights={"aa": 1})
    with pytest.raises(InputError, match="loss or precision"):
        local_recoding(keys, k=2, loss="entropy")


def test_the_plan_releases_k_records_per_class_and_survives_json(engine, opened):
    rng = np.random.default_rng(4)
    columns = {
        "a": rng.choice([*"abcdef"], 60).tolist(),
        "b": rng.choice([*"uvwx"], 60).tolist(),
        "c": rng.choice([*"012"], 60).tolist(),
        "income": list(range(60)),
    }
    columns["a"][3] = None
    result = local_recoding(counted(list(zip(*list(columns.values())[:3], strict=True))), k=4)
    plan = Plan.from_dict(result.plan().to_dict())
    assert plan == result.plan()
    tables = []
    for order in (np.arange(60), np.arange(60)[::-1]):
        table = pa.table({n: [v[i] for i in order] for n, v in columns.items()})
        applied = plan.apply(engine, opened(table), seed=1)
        assert applied.receipts[0].residual == 0
        tables.append(pq.read_table(applied.source.path))
    keys = [Counter(zip(*(t[n].to_pylist() for n in "abc"), strict=True)) for t in tables]
    assert min(keys[0].values()) >= 4
    assert keys[0] == keys[1] == released(result.recoding)
    assert sorted(tables[0]["income"].to_pylist()) == list(range(60))


def test_the_step_tells_what_is_wrong_with_it():
    with pytest.raises(InputError, match="must be one of loss, precision"):
        Step.from_dict({"kind": "local-recoding", "key": ["c"], "k": 2,
                        "hierarchies": [C.to_dict()], "loss": "aecs"})  # fmt: skip
    step = LocalRecodingStep(("c",), 2, (C,), start={"c": 1})
    assert Step.from_dict(step.to_dict()) == step
    assert "local recoding" in step.describe()


@pytest.mark.shared
@pytest.mark.heavy
@pytest.mark.parametrize(
    ("k", "arx_precision", "arx_granularity"),
    [(2, 0.941157, 0.965819), (5, 0.891850, 0.932260), (10, 0.858163, 0.905238)],
)
def test_adult_is_released_finer_than_by_arx_in_both_its_measures(
    k, arx_precision, arx_granularity
):
    if not SHARED.is_dir():
        pytest.skip("the shared data are not beside the project")
    files = sorted((SHARED / "hierarchies").glob("adult_hierarchy_*.csv"))
    names = [file.stem.removeprefix("adult_hierarchy_") for file in files]
    hierarchies = {n: csv_hierarchy(f, name=n) for n, f in zip(names, files, strict=True)}
    with open_data(SHARED / "adult.csv") as data:
        keys = Generalisable.of(data.key_table(names), hierarchies)
    result = local_recoding(keys, k=k)
    assert result.complete
    assert result.recoding.smallest >= k
    assert precision(result.recoding) > arx_precision
    assert granularity(result.recoding) > arx_granularity
