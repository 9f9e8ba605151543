"""Datafly against a naive one on records, and what it refuses."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import open_data
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.hierarchy import table_hierarchy
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect import Deidentify, Plan
from indistinct.protect.methods.datafly_ii.datafly import average_class_size, datafly
from indistinct.protect.methods.datafly_ii.datafly_outliers import DropOutliers, outliers
from indistinct.protect.methods.datafly_ii.datafly_profile import (
    CARETAKER,
    CONTRACT_BOUND,
    PRESETS,
    PUBLIC_USE,
    Profile,
)
from indistinct.protect.methods.datafly_ii.datafly_request import check_tags, datafly_request
from indistinct.protect.methods.datafly_ii.datafly_table import anonymity_table
from indistinct.protect.select import Select
from indistinct.protect.step import Context, Step

ROWS = {
    "a": [("a0", "A0", "*"), ("a1", "A0", "*"), ("a2", "A1", "*"), ("a3", "A1", "*")],
    "b": [("b0", "B", "B", "*"), ("b1", "B", "B", "*"), ("b2", "b2", "B", "*")],
    "c": [("c0", "*"), ("c1", "*")],
}
HIERARCHIES = {name: table_hierarchy(rows, name=name) for name, rows in ROWS.items()}
UP = {
    name: [{None: None, **{row[0]: row[level] for row in rows}} for level in range(len(rows[0]))]
    for name, rows in ROWS.items()
}
for name in UP:
    UP[name][-1][None] = "*"  # at the root a missing value is like any other
NAMES = tuple(ROWS)


def keys_of(records: list[tuple]) -> Generalisable:
    """Make the key table of records without an engine."""
    codings, columns = [], []
    for j, name in enumerate(NAMES):
        values = [row[0] for row in ROWS[name]]
        codings.append(Coding(name, len(values) + 1, True, values=pa.array(values)))
        columns.append([values.index(r[j]) if r[j] is not None else len(values) for r in records])
    codes = np.array(columns, dtype=np.int64).reshape(len(NAMES), len(records)).T
    distinct, counts = (
        np.unique(codes, axis=0, return_counts=True) if records else (codes, np.zeros(0, int))
    )
    table = KeyTable(KeyCoding(tuple(codings)), distinct, counts.astype(np.int64))
    return Generalisable.of(table, HIERARCHIES)


def naive_core(rows: list[tuple], groups: list[tuple[str, ...]], k: int) -> list[int]:
    """Return the rows that stay, taking out one unsafe row after the other."""
    kept = list(range(len(rows)))
    while True:
        for group in groups:
            at = [NAMES.index(name) for name in group]
            sizes = Counter(tuple(rows[i][j] for j in at) for i in kept)
            bad = [i for i in kept if sizes[tuple(rows[i][j] for j in at)] < k]
            if bad:
                kept.remove(bad[0])
                break
        else:
            return kept


def naive_datafly(records, k, most, tolerance, linking, groups, ties):
    """Datafly record by record, as section 6.2 describes it."""
    levels = dict.fromkeys(NAMES, 0)
    groups = [g for g in (tuple(n for n in group if linking[n] > 0) for group in groups) if g]
    path = []
    while groups:
        rows = [tuple(UP[n][levels[n]][r[j]] for j, n in enumerate(NAMES)) for r in records]
        kept = naive_core(rows, groups, k)
        if len(records) - len(kept) <= most and kept:
            return levels, path, sorted(set(range(len(records))) - set(kept))
        able = []
        for group in groups:
            at = [NAMES.index(name) for name in group]
            if min(Counter(tuple(row[j] for j in at) for row in rows).values()) < k:
                able += group
        distinct = {n: len({row[j] for row in rows}) for j, n in enumerate(NAMES)}
        able = [n for n in able if levels[n] < len(UP[n]) - 1 and distinct[n] > 1]
        best = max(able, key=lambda n: (tolerance[n], linking[n], distinct[n], -ties.index(n)))
        levels[best] += 1
        path.append(best)
    return levels, path, []


cells = [st.sampled_from([row[0] for row in ROWS[n]] + [None]) for n in NAMES]
values = st.sampled_from([0.0, 0.5, 1.0])
per_name = st.fixed_dictionaries(dict.fromkeys(NAMES, values))
groupings = st.sampled_from([[NAMES], [("a", "b"), ("b", "c")], [("a",), ("b", "c")], [("c", "a")]])


@settings(max_examples=300, deadline=None)
@given(
    records=st.lists(st.tuples(*cells), min_size=4, max_size=14),
    k=st.integers(2, 4),
    most=st.integers(0, 3),
    tolerance=per_name,
    linking=per_name,
    groups=groupings,
    ties=st.permutations(NAMES),
)
def test_the_same_as_record_by_record(records, k, most, tolerance, linking, groups, ties):
    keys = keys_of(records)
    found = datafly(
        keys,
        k=k,
        max_drop=most,
        profile=tolerance,
        linking=linking,
        quasi_identifiers=groups,
        ties=ties,
    )
    levels, path, gone = naive_datafly(records, k, most, tolerance, linking, groups, list(ties))
    assert found.levels == levels
    assert list(found.path) == path
    rows = list(zip(*map(keys.table.values, NAMES), strict=True))
    dropped = {rows[c]: int(keys.counts[c]) for c in np.flatnonzero(found.left_out)}
    assert dropped == Counter(records[i] for i in gone)
    if found.k:
        assert found.smallest >= k
        assert found.records_dropped <= most


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 3)), max_size=9),
    st.integers(1, 5),
)
def test_what_stays_is_the_largest_set_that_holds(rows, k):
    """By brute force over all sets of rows, for two quasi-identifiers of one column each."""
    codes = np.array([row[:2] for row in rows], dtype=np.int32).reshape(-1, 2)
    counts = np.array([row[2] for row in rows], dtype=np.int64)
    gone = outliers(codes, counts, [[0], [1]], k)

    def holds(chosen):
        for column in (0, 1):
            sizes = Counter()
            for i in chosen:
                sizes[codes[i, column]] += counts[i]
            if any(size < k for size in sizes.values()):
                return False
        return True

    subsets = [[i for i in range(len(rows)) if mask >> i & 1] for mask in range(1 << len(rows))]
    largest = max((s for s in subsets if holds(s)), key=len)
    assert sorted(np.flatnonzero(~gone)) == largest


PEOPLE = [("a0", "b0", "c0")] * 3 + [("a1", "b1", "c0")] * 2 + [("a2", "b2", "c1")]


def test_profile_zero_is_left_alone_as_long_as_possible_and_one_goes_first():
    records = [(a, b, "c0") for a in ("a0", "a1", "a2", "a3") for b in ("b0", "b1", "b2")]
    keys = keys_of(records)
    assert datafly(keys, k=2).path == ("a",)
    assert datafly(keys, k=2, profile={"a": 0.0}).path == ("b", "b")
    assert datafly(keys, k=12, profile={"a": 0.0}).path == ("b", "b", "a", "a")
    assert datafly(keys, k=2, profile={"a": 0.9, "b": 0.2}).path == ("a",)
    assert datafly(keys, k=2, linking={"a": 0.3}).path == ("b", "b")


def test_an_attribute_with_linking_zero_does_not_count():
    keys = keys_of(PEOPLE)
    found = datafly(keys, k=3, linking={"a": 0.0, "b": 0.0})
    assert found.quasi_identifiers == (("c",),)
    assert found.levels == {"a": 0, "b": 0, "c": 1}


def test_k_of_each_attribute_by_itself_as_in_the_first_datafly():
    records = [(f"a{i // 3}", f"b{i % 3}", "c0") for i in range(9)]
    keys = keys_of(records)
    alone = datafly(keys, k=3, per_attribute=True)
    assert not any(alone.levels.values())
    assert any(datafly(keys, k=3).levels.values())
    assert "not for combinations" in repr(alone)
    assert alone.plan().steps == (DropOutliers((("a",), ("b",), ("c",)), 3),)


def test_the_three_recipients():
    keys = keys_of(PEOPLE * 2)
    caretaker = datafly(keys, k=3, profile=CARETAKER)
    assert caretaker.k is None
    assert not any(caretaker.levels.values())
    assert not caretaker.left_out.any()
    assert len(caretaker.plan()) == 0
    researcher = datafly(keys, k=3, profile=CONTRACT_BOUND)
    public = datafly(keys, k=3, profile=PUBLIC_USE)
    assert researcher.profile.per_attribute
    assert researcher.smallest >= 3
    assert public.recoding.smallest >= 3
    assert {profile.name for profile in PRESETS.values()} == {
        "caretaker",
        "contract-bound researcher",
        "public use",
    }
    for profile in PRESETS.values():
        assert Profile.from_dict(json.loads(json.dumps(profile.to_dict()))) == profile


TABLE = pa.table(
    {
        "ward": ["x", "x", "x", "x", "y", "x"],
        "a": [p[0] for p in PEOPLE],
        "b": [p[1] for p in PEOPLE],
        "c": [p[2] for p in PEOPLE],
        "ssn": [str(i) for i in range(6)],
    }
)


def test_two_roles_get_two_outputs_from_one_private_file():
    with open_data(TABLE) as data:
        released = {}
        for profile in (CARETAKER, PUBLIC_USE):
            answer = datafly_request(
                data.engine,
                data.source,
                HIERARCHIES,
                eligible=["a", "b", "c"],
                where={"ward": ("x",)},
                k=2,
                max_drop=1,
                profile=profile,
            )
            applied = answer.plan().apply(data.engine, data.source)
            released[profile.name] = applied.source.table().to_pylist()
    assert released["caretaker"] == [
        dict(zip(NAMES, p, strict=True)) for i, p in enumerate(PEOPLE) if i != 4
    ]
    public = released["public use"]
    assert set(public[0]) == set(NAMES)
    assert len(public) == 4
    assert min(Counter(tuple(row.values()) for row in public).values()) >= 2


def test_an_untagged_attribute_is_refused():
    with open_data(TABLE) as data:
        with pytest.raises(InputError, match=r"'ward', 'ssn' have neither a substitution nor"):
            datafly_request(data.engine, data.source, HIERARCHIES, k=2)
        step = Deidentify(("ssn",))
        answer = datafly_request(
            data.engine,
            data.source,
            HIERARCHIES,
            eligible=["a", "b", "ssn"],
            substitutions={"ssn": step},
            k=2,
            max_drop=1,
        )
        assert answer.plan().steps[0] == Select(("a", "b", "ssn"))
        assert answer.plan().steps[-1] == step
        with pytest.raises(InputError, match="'c' is in a quasi-identifier but is not"):
            datafly_request(
                data.engine,
                data.source,
                HIERARCHIES,
                eligible=["a", "b"],
                quasi_identifiers=[["a", "c"]],
                k=2,
            )
    with pytest.raises(InputError, match="both a substitution and a hierarchy"):
        check_tags(["a"], hierarchies=HIERARCHIES, substitutions={"a": step})


def test_the_plan_does_what_the_result_says_and_survives_json():
    records = [*PEOPLE, ("a3", "b0", "c1"), (None, "b2", "c1"), ("a2", None, "c0")]
    table = pa.table({n: [r[j] for r in records] for j, n in enumerate(NAMES)})
    with open_data(table) as data:
        keys = Generalisable.of(data.key_table(list(NAMES)), HIERARCHIES)
        for groups in ([NAMES], [("a", "b"), ("b", "c")]):
            found = datafly(keys, k=2, max_drop=3, quasi_identifiers=groups)
            plan = Plan.from_dict(json.loads(json.dumps(found.plan().to_dict())))
            released = plan.apply(data.engine, data.source).source.table()
            assert len(released) == len(records) - found.records_dropped
            for group in groups:
                sizes = Counter(zip(*(released[n].to_pylist() for n in group), strict=True))
                assert min(sizes.values()) >= 2
                assert len(released) / len(sizes) == found.average_class_size(group)
            assert json.dumps(found.to_dict())


def test_replayed_on_other_data_the_plan_drops_no_more_than_allowed():
    with open_data(TABLE) as data:
        step = DropOutliers((("a", "b"),), 2, 1)
        kept, receipt = step.apply(data.engine, data.source, Context())
        assert (kept.records, receipt.records_lost) == (5, 1)
        with pytest.raises(GuaranteeError, match=r"1 of 6 records .* at most 0"):
            DropOutliers((("a", "b"),), 2).apply(data.engine, data.source, Context())
        with pytest.raises(GuaranteeError, match="none would be left"):
            DropOutliers((("ssn",),), 2, 6).apply(data.engine, data.source, Context())
        share = DropOutliers((("a", "b"),), 2, max_share=0.2)
        assert share.apply(data.engine, data.source, Context())[0].records == 5
    assert Step.from_dict(share.to_dict()) == share


def test_a_limit_that_blocks_is_named_with_the_max_drop_that_would_do():
    keys = keys_of(PEOPLE)
    with pytest.raises(GuaranteeError) as caught:
        datafly(keys, k=2, limits={"c": 0})
    message = str(caught.value)
    assert "'c' (level 0)" in message
    assert "max_drop=1" in message
    assert "c1" not in message
    assert datafly(keys, k=2, limits={"c": 0}, max_drop=1).records_dropped == 1
    with pytest.raises(GuaranteeError, match="all 6 records"):
        datafly(keys, k=6, limits={"c": 0}, max_drop=6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({}, "either k or an anonymity level"),
        ({"k": 2, "anonymity": 0.5}, "either k or an anonymity level"),
        ({"anonymity": 1.2}, "must be a number from 0 to 1. Got 1.2"),
        ({"k": 2, "profile": {"a": 1.1}}, "tolerance of 'a' must be from 0 to 1"),
        ({"k": 2, "linking": {"a": -0.1}}, "linking of 'a' must be from 0 to 1"),
        ({"k": 2, "profile": {"aa": 1.0}}, "Did you mean 'a'"),
        ({"k": 2, "max_drop": -1}, "max_drop must not be negative"),
        ({"k": 2, "max_drop": 1.5}, "as a share must be from 0 to 1"),
        ({"k": 2, "ties": "right"}, "Did you mean 'rightmost'"),
        ({"k": 2, "quasi_identifiers": []}, "at least one list"),
        ({"k": 2, "quasi_identifiers": ["a"]}, "list of lists|list of at least one list"),
        ({"k": 2, "limits": {"c": 5}}, "level of 'c' must be from 0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InputError, match=message):
        datafly(keys_of(PEOPLE), **options)


def test_k_larger_than_the_file_is_refused_and_an_empty_file_has_nothing_to_protect():
    with pytest.raises(GuaranteeError, match="the file has 6 records"):
        datafly(keys_of(PEOPLE), k=7)
    empty = datafly(keys_of([]), k=2)
    assert (empty.records_dropped, empty.smallest, empty.average_class_size()) == (0, 0, 0.0)
    assert average_class_size(keys_of([])) == 0


def test_all_equal_and_all_unique():
    equal = datafly(keys_of([("a0", "b0", "c0")] * 4), k=4)
    assert equal.path == ()
    unique = [(a, b, c) for a in ("a0", "a1") for b in ("b0", "b2") for c in ("c0", "c1")]
    assert datafly(keys_of(unique), k=8).recoding.smallest == 8


def test_a_table_of_levels_without_names():
    table = anonymity_table(
        keys_of(PEOPLE * 100), levels=(0.9, 0.5), mapping=lambda a, n: round(a * n / 2)
    )
    assert [row.k for row in table.rows] == [270, 150]
    assert all(set(row.recoding) == set(NAMES) for row in table.rows)
    assert "level" in repr(table)
    assert json.dumps(table.to_dict())


def test_select_keeps_eligible_attributes_and_records():
    table = pa.table({"n": [1, 2, None, 12], "x": ["p", None, "p", "q"], "y": [1.0, 2.5, 3.0, 1.0]})
    step = Select(("x", "n"), {"y": ("1", "3"), "x": ("p", "q")})
    with open_data(table) as data:
        kept, receipt = step.apply(data.engine, data.source, Context())
        assert kept.table().to_pylist() == [
            {"n": 1, "x": "p"},
            {"n": None, "x": "p"},
            {"n": 12, "x": "q"},
        ]
        assert (receipt.records_before, receipt.records_after) == (4, 3)
        with pytest.raises(InputError, match="zz"):
            Select(("zz",)).apply(data.engine, data.source, Context())
    assert Step.from_dict(json.loads(json.dumps(step.to_dict()))) == step
    for wrong in ({}, {"variables": ("x", "x")}, {"where": {"x": "p"}}, {"where": {"x": ()}}):
        with pytest.raises(InputError):
            Select(**wrong)
