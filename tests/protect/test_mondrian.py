"""Mondrian against a plain recursive version of itself, and its promises on all kinds of tables."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.hierarchy import Hierarchy, suppression_only, table_hierarchy
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect.methods.mondrian_cuts.mondrian import mondrian
from indistinct.protect.plan import Plan

AGE = table_hierarchy(
    [(f"{n}", f"<{n // 2 * 2}>", f"<<{n // 4 * 4}>>", "*") for n in range(12)],
    name="age",
    ordered=True,
)
JOB = table_hierarchy(
    [
        ("a", "ab", "abcde", "*"),
        ("b", "ab", "abcde", "*"),
        ("c", "cde", "abcde", "*"),
        ("d", "cde", "abcde", "*"),
        ("e", "cde", "abcde", "*"),
        ("f", "f", "f", "*"),
    ],
    name="job",
)
SEX = suppression_only(["0", "1"], name="sex")
HIERARCHIES = {"age": AGE, "job": JOB, "sex": SEX}

rows_of = st.lists(
    st.tuples(
        st.sampled_from([*map(str, range(12)), None]),
        st.sampled_from([*"abcdef", None]),
        st.sampled_from("01"),
    ),
    min_size=2,
    max_size=60,
)


def counted(rows, hierarchies=HIERARCHIES) -> Generalisable:
    codings, columns = [], []
    for hierarchy, column in zip(hierarchies.values(), zip(*rows, strict=True), strict=True):
        values = pa.array(hierarchy.values)
        size = len(hierarchy.values) + 1
        codings.append(Coding(hierarchy.name, size, missing=True, values=values))
        columns.append(hierarchy.encode(column))
    codes, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    table = KeyTable(KeyCoding(tuple(codings)), codes.astype(np.int64), counts.astype(np.int64))
    return Generalisable.of(table, hierarchies)


def common(hierarchy: Hierarchy, leaves) -> tuple[int, float]:
    """The common level, and the width, of some leaves."""
    level = hierarchy.common_level(leaves)
    size = hierarchy.sizes(level)[hierarchy.level_codes(level)[leaves[0]]]
    return level, (size - 1) / (len(hierarchy.values) - 1)


def plainly(records, k: int, ranges: bool) -> list[list[tuple[int, ...]]]:
    """Strict Mondrian as one would write it on paper; records are tuples of leaves."""
    tried = []
    for j, hierarchy in enumerate(HIERARCHIES.values()):
        leaves = np.array([record[j] for record in records])
        level, width = common(hierarchy, leaves)
        if level and ranges and hierarchy.ordered:
            width = int(leaves.max() - leaves.min()) / (len(hierarchy.values) - 1)
        if level:
            tried.append((-width, j, level))
    for _, j, level in sorted(tried):
        hierarchy = list(HIERARCHIES.values())[j]
        child = hierarchy.level_codes(level - 1)
        missing = len(hierarchy.values)
        if not hierarchy.ordered:
            parts = {}
            for record in records:
                parts.setdefault(hierarchy.level_labels(level - 1)[child[record[j]]], []).append(
                    record
                )
            if all(len(part) >= k for part in parts.values()):
                return [done for part in parts.values() for done in plainly(part, k, ranges)]
            continue
        cuts = []
        for cut in range(1, missing + 1):
            below = [r for r in records if r[j] < cut]
            above = [r for r in records if r[j] >= cut]
            if min(len(below), len(above)) < k:
                continue
            last, first = max(r[j] for r in below), min(r[j] for r in above)
            if ranges and any(r[j] == missing for r in records) and first != missing:
                continue
            if ranges or child[last] != child[first]:
                cuts.append((abs(len(below) - len(above)), cut, below, above))
        if cuts:
            _, _, below, above = min(cuts, key=lambda c: c[:2])
            return plainly(below, k, ranges) + plainly(above, k, ranges)
    return [records]


def parts_of(result) -> list[list[tuple[int, ...]]]:
    recoding, found = result.recoding, {}
    for row, part, count in zip(recoding.classes, result.parts, recoding.counts, strict=True):
        leaves = tuple(recoding.keys.leaves[row].tolist())
        found.setdefault(int(part), []).extend([leaves] * int(count))
    return list(found.values())


def as_set(parts) -> Counter:
    return Counter(tuple(sorted(part)) for part in parts)


@settings(max_examples=200, deadline=None)
@given(rows_of, st.integers(2, 5), st.booleans())
def test_strict_parts_are_those_of_the_plain_recursion(rows, k, ranges):
    if len(rows) < k:
        return
    keys = counted(rows)
    records = [tuple(r) for r in np.repeat(keys.leaves, keys.counts, axis=0).tolist()]
    result = mondrian(keys, k=k, ranges=ranges)
    assert as_set(parts_of(result)) == as_set(plainly(records, k, ranges))


@settings(max_examples=200, deadline=None)
@given(rows_of, st.integers(2, 5), st.booleans(), st.booleans())
def test_every_part_and_class_has_k_and_strict_parts_do_not_share_a_key(rows, k, strict, ranges):
    keys = counted(rows)
    if len(rows) < k:
        with pytest.raises(GuaranteeError):
            mondrian(keys, k=k, strict=strict)
        return
    result = mondrian(keys, k=k, strict=strict, ranges=ranges)
    parts = parts_of(result)
    assert sum(map(len, parts)) == len(rows)
    assert min(map(len, parts)) >= k
    assert result.recoding.smallest >= k
    if strict:
        owners = Counter(key for part in parts for key in set(part))
        assert max(owners.values()) == 1
        assert len(result.recoding.classes) == keys.classes


@settings(max_examples=80, deadline=None)
@given(
    rows_of,
    st.integers(2, 4),
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 1)),
    st.booleans(),
)
def test_no_cell_climbs_above_its_limit(rows, k, levels, strict):
    keys = counted(rows)
    limits = dict(zip(keys.names, levels, strict=True))
    try:
        result = mondrian(keys, k=k, limits=limits, strict=strict)
    except GuaranteeError:
        nodes = keys.nodes(levels)
        sizes = Counter()
        for node, count in zip(map(tuple, nodes.tolist()), keys.counts.tolist(), strict=True):
            sizes[node] += count
        assert min(sizes.values()) < k
        return
    assert (result.recoding.levels <= np.array(levels)).all()
    assert result.recoding.smallest >= k


def test_relaxed_parts_a_child_that_strict_must_keep_and_lends_it_records():
    # one f among many a: strict cannot part them, relaxed leaves f with as few a as k needs
    rows = [("3", "a", "0")] * 8 + [("3", "f", "0")]
    strict, relaxed = mondrian(counted(rows), k=3), mondrian(counted(rows), k=3, strict=False)
    assert sorted(map(len, parts_of(strict))) == [9]
    assert sorted(map(len, parts_of(relaxed))) == [3, 6]
    assert relaxed.recoding.cells_changed() == {"age": 0, "job": 3, "sex": 0}


def test_relaxed_ranges_part_equal_values_at_the_median_record():
    rows = [(age, "a", "0") for age in ["4"] * 7 + ["5"]]
    strict = mondrian(counted(rows), k=2, ranges=True)
    relaxed = mondrian(counted(rows), k=2, ranges=True, strict=False)
    assert set(strict.labels("age")) == {"4-5"}
    shown = Counter()
    for label, count in zip(relaxed.labels("age"), relaxed.recoding.counts, strict=True):
        shown[label] += int(count)
    assert shown == {"4": 6, "4-5": 2}


def test_ranges_hold_no_missing_value_and_the_penalty_is_counted_by_hand():
    rows = [(age, "a", "0") for age in ["1", "2", "6", "9", None, None]]
    result = mondrian(counted(rows), k=2, ranges=True)
    assert result.labels("age") == ["1-2", "1-2", "6-9", "6-9", None]
    # widths 1 and 3 of 8, two records each, one of three variables
    assert result.gcp == pytest.approx((2 * 1 / 8 + 2 * 3 / 8) / 6 / 3)
    mixed = mondrian(counted([*rows[:2], *rows[4:5]]), k=2, ranges=True)
    assert set(mixed.labels("age")) == {"*"}
    assert mixed.gcp == pytest.approx(1 / 3)
    with pytest.raises(InputError, match="no plan can release them"):
        result.plan()
    with pytest.raises(InputError, match="have no order"):
        result.labels("job")


def test_the_heavier_of_two_equally_wide_variables_is_cut_first():
    two = {"x": suppression_only(["0", "1"], name="x"), "y": suppression_only(["0", "1"], name="y")}
    keys = counted([(x, y) for x in "01" for y in "01"], two)
    changed = [
        mondrian(keys, k=2, weights=weights).recoding.cells_changed()
        for weights in ({}, {"x": 2.0}, {"y": 2.0})
    ]
    assert changed == [{"x": 0, "y": 4}, {"x": 0, "y": 4}, {"x": 4, "y": 0}]


def test_refusals_and_edges():
    keys = counted([("1", "a", "0")] * 3 + [("1", "a", "1")])
    with pytest.raises(GuaranteeError, match="'sex' at level 0"):
        mondrian(keys, k=2, limits={"sex": 0})
    with pytest.raises(InputError, match="k must be a whole number"):
        mondrian(keys, k=0)
    equal = mondrian(counted([("1", "a", "0")] * 7), k=2, strict=False)
    assert sum(equal.recoding.cells_changed().values()) == 0
    none = KeyTable(keys.table.coding, keys.table.codes[:0], keys.counts[:0])
    empty = mondrian(Generalisable.of(none, HIERARCHIES), k=2)
    assert empty.gcp == 0.0
    assert empty.to_dict()["parts"] == 0


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "relaxed"])
def test_the_plan_gives_k_whatever_the_order_of_records(engine, opened, strict):
    rng = np.random.default_rng(9)
    columns = {
        "age": rng.integers(0, 12, 80).astype(str).tolist(),
        "job": rng.choice([*"abcdef"], 80, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05]).tolist(),
        "sex": rng.choice([*"01"], 80).tolist(),
        "income": list(range(80)),
    }
    result = mondrian(
        counted(list(zip(*list(columns.values())[:3], strict=True))), k=3, strict=strict
    )
    plan = Plan.from_dict(result.plan().to_dict())
    assert plan == result.plan()
    found = []
    for order in (np.arange(80), rng.permutation(80)):
        table = pa.table({n: [v[i] for i in order] for n, v in columns.items()})
        applied = plan.apply(engine, opened(table), seed=1)
        out = pq.read_table(applied.source.path)
        found.append(Counter(zip(*(out[n].to_pylist() for n in HIERARCHIES), strict=True)))
    assert min(found[0].values()) >= 3
    assert found[0] == found[1]
    assert sorted(found[0].values()) == sorted(result.recoding.group_counts.tolist())
