"""The lattice search against brute force over whole small lattices, and its manners."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import open_data
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.hierarchy import suppression_only, table_hierarchy
from indistinct.keys import Generalisable, KeyTable, Recoding, group_rows
from indistinct.keys.losses.measures import (
    average_class_size,
    discernibility,
    entropy,
    loss,
    precision_loss,
)
from indistinct.protect import optimal
from indistinct.protect.methods.whole_variables import lattice as lattice_module
from indistinct.protect.methods.whole_variables.lattice import Lattice
from indistinct.protect.models import (
    AverageRisk,
    Grouping,
    KAnonymity,
    KMap,
    LDiversity,
    MaximumRisk,
    PopulationUniques,
    SampleUniques,
    TCloseness,
    unsafe_classes,
)
from indistinct.protect.plan import Plan
from indistinct.risk.diversity import SensitiveCounts, split_table

SCORES = {
    "loss": loss,
    "precision": precision_loss,
    "entropy": entropy,
    "discernibility": discernibility,
    "aecs": average_class_size,
}

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
KEY = ["a", "b", "c"]

records = st.lists(
    st.tuples(
        st.sampled_from([*"abcdef", None]),
        st.sampled_from("uvwx"),
        st.sampled_from("012"),
        st.sampled_from("pqrs"),
    ),
    min_size=4,
    max_size=40,
)


def columns(rows):
    names = [*KEY, "s"]
    return {name: [row[j] for row in rows] for j, name in enumerate(names)}


def key_table(rows, names):
    """Count rows without an engine, which would take most of these tests' time."""
    domains = {"a": "abcdef", "b": "uvwx", "c": "012", "s": "pqrs"}
    coding = KeyCoding(
        tuple(
            Coding(n, len(domains[n]) + 1, missing=True, values=pa.array([*domains[n]]))
            for n in names
        )
    )
    places = [[*KEY, "s"].index(name) for name in names]
    codes = [
        [
            6 if row[j] is None else domains[n].index(row[j])
            for n, j in zip(names, places, strict=True)
        ]
        for row in rows
    ]
    found, counts = np.unique(np.array(codes, dtype=np.int64), axis=0, return_counts=True)
    return KeyTable(coding, found, counts)


def counted(rows):
    return Generalisable.of(key_table(rows, KEY), HIERARCHIES), key_table(rows, [*KEY, "s"])


def unsafe_rows(keys, table, levels, models, most, register=None):
    """Say of every class of the key whether it is unsafe at a point, by plain grouping."""
    groups = group_rows(keys.nodes(levels).astype(np.int64))
    sizes = np.bincount(groups, weights=keys.counts).astype(np.int64)
    split = split_table(table, KEY, "s")
    cells = {}
    classes = np.repeat(np.arange(keys.classes), np.diff(split.starts))
    for row, value, count in zip(classes, split.values, split.counts, strict=True):
        cell = (groups[row], value)
        cells[cell] = cells.get(cell, 0) + count
    order = sorted(cells)
    starts = np.searchsorted([group for group, _ in order], np.arange(len(sizes) + 1))
    values = np.array([value for _, value in order])
    counts = np.array([cells[cell] for cell in order])
    inner = type(split.table)(split.table.coding, np.empty((len(sizes), 0), int), sizes)
    merged = SensitiveCounts(
        inner, "s", split.coding, split.present, starts, values, counts, np.empty(0, int)
    )
    people = None
    if register is not None:
        own, other = keys.nodes(levels), register.nodes(levels)
        people = np.zeros(len(sizes), dtype=np.int64)
        for node, count in zip(other.tolist(), register.counts, strict=True):
            same = [row for row in range(keys.classes) if own[row].tolist() == node]
            if same:
                people[groups[same[0]]] += count
    labels = [_labels(keys, levels, row) for row in np.unique(groups, return_index=True)[1]]
    places = np.array([sorted(labels).index(label) for label in labels])
    grouping = Grouping(sizes, people, {"s": merged}, lambda: places)
    return unsafe_classes(models, grouping, most=most)[groups]


def _labels(keys, levels, row):
    """Return a class's labels as they are sorted when they are counted: no value comes last."""
    nodes = keys.nodes(levels)[row]
    labels = [keys.labels(j)[node] for j, node in enumerate(nodes)]
    return tuple((label is None, label or "") for label in labels)


def brute_force(keys, table, models, most, name, *, limits=None, register=None, weights=None):
    """Return the least score over all points of the lattice; None if no point is allowed."""
    tops = [(limits or {}).get(n, h) for n, h in zip(keys.names, keys.heights, strict=True)]
    scores = []
    for levels in itertools.product(*(range(top + 1) for top in tops)):
        dropped = unsafe_rows(keys, table, levels, models, most, register)
        if keys.counts[dropped].sum() <= most:
            recoding = Recoding.full_domain(keys, levels, dropped=dropped)
            options = {"weights": weights} if weights else {}
            scores.append(SCORES[name](recoding, **options))
    return min(scores, default=None)


MODELS = {
    "2-anonymity": [KAnonymity(2)],
    "3-anonymity": [KAnonymity(3)],
    "risk": [MaximumRisk(0.4)],
    "distinct": [LDiversity("s", 2)],
    "entropy": [LDiversity("s", 2.2, form="entropy")],
    "recursive": [KAnonymity(2), LDiversity("s", 2, form="recursive", c=1.5)],
    "close": [TCloseness("s", 0.3)],
    "k and close": [KAnonymity(2), TCloseness("s", 0.4)],
    "average": [AverageRisk(0.3)],
    "k and average": [KAnonymity(2), AverageRisk(0.25)],
    "uniques": [SampleUniques(0.1)],
    "population": [PopulationUniques(0.05, 0.2, estimator="zayatz")],
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("asked", MODELS)
@settings(max_examples=12, deadline=None)
@given(rows=records, share=st.sampled_from([0.0, 0.1, 0.3, 0.9]))
def test_the_optimum_is_that_of_brute_force(name, asked, rows, share):
    """Every point of the lattice of 24, scored by `indistinct.utility`."""
    keys, table = counted(rows)
    most = int(share * len(rows))
    best = brute_force(keys, table, MODELS[asked], most, name)
    if best is None:
        with pytest.raises(GuaranteeError):
            optimal(keys, models=MODELS[asked], loss=name, max_drop=most, sensitive=table)
        return
    found = optimal(keys, models=MODELS[asked], loss=name, max_drop=most, sensitive=table)
    assert found.proved
    assert found.score == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert found.bound == found.score
    assert SCORES[name](found.recoding) == pytest.approx(found.score, rel=1e-9, abs=1e-9)
    assert found.records_dropped <= most
    # what is left out is exactly what the models forbid there
    levels = [found.levels[n] for n in KEY]
    assert (found.dropped == unsafe_rows(keys, table, levels, MODELS[asked], most)).all()


@pytest.mark.parametrize("name", ["loss", "precision", "entropy"])
@settings(max_examples=30, deadline=None)
@given(
    rows=records,
    limits=st.fixed_dictionaries({}, optional={n: st.integers(0, 1) for n in KEY}),
    weights=st.fixed_dictionaries({n: st.sampled_from([0.5, 1.0, 7.0]) for n in KEY}),
)
def test_limits_and_weights_hold_in_brute_force_too(name, rows, limits, weights):
    keys, table = counted(rows)
    most = len(rows) // 5
    best = brute_force(keys, table, [KAnonymity(2)], most, name, limits=limits, weights=weights)
    options = {"k": 2, "loss": name, "max_drop": most, "limits": limits, "weights": weights}
    if best is None:
        with pytest.raises(GuaranteeError, match="cannot be reached"):
            optimal(keys, **options)
        return
    found = optimal(keys, **options)
    assert found.score == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert all(found.levels[n] <= limit for n, limit in limits.items())


@settings(max_examples=40, deadline=None)
@given(
    rows=records,
    people=records,
    share=st.sampled_from([0.0, 0.2, 1.0]),
    name=st.sampled_from(list(SCORES)),
)
def test_k_map_counts_people_of_the_register_that_no_record_is_like(rows, people, share, name):
    keys, table = counted(rows)
    register, _ = counted(people)
    most = int(share * len(rows))
    asked = [KMap(3), KAnonymity(2)]
    best = brute_force(keys, table, asked, most, name, register=register)
    options = {"models": asked, "loss": name, "max_drop": most, "register": register.table}
    if best is None:
        with pytest.raises(GuaranteeError):
            optimal(keys, **options)
        return
    assert optimal(keys, **options).score == pytest.approx(best, rel=1e-9, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(rows=records, checks=st.integers(1, 12), name=st.sampled_from(list(SCORES)))
def test_a_search_that_is_stopped_tells_a_true_bound(rows, checks, name):
    keys, table = counted(rows)
    best = brute_force(keys, table, [KAnonymity(2)], len(rows), name)
    found = optimal(keys, k=2, loss=name, max_drop=len(rows), checks=checks)
    assert found.bound <= best * (1 + 1e-9) + 1e-9
    assert found.score >= best * (1 - 1e-9) - 1e-9
    assert found.proved == (found.gap == 0)
    if not found.proved:
        assert f"within {found.gap:.1%} of optimal" in repr(found)
        assert found.score * (1 - found.gap) == pytest.approx(found.bound)


@settings(max_examples=30, deadline=None)
@given(rows=records, seed=st.integers(0, 9))
def test_the_lattice_counts_as_plain_grouping_does(rows, seed):
    keys, _ = counted(rows)
    lattice = Lattice(keys)
    points = list(itertools.product(*(range(h + 1) for h in keys.heights)))
    np.random.default_rng(seed).shuffle(points)
    for levels in points:
        sizes = np.bincount(group_rows(keys.nodes(levels).astype(np.int64)), weights=keys.counts)
        lattice.rolled(tuple(levels), keep=True)
        assert sorted(lattice.counts(levels)) == sorted(sizes)
        assert lattice.suppressed(levels, k=3) == sizes[sizes < 3].sum()
        own = np.bincount(lattice.groups(levels), weights=keys.counts)
        assert sorted(own) == sorted(sizes)


def test_words_that_are_only_hashes_are_told_apart(monkeypatch):
    """With more labels than fit into a word, groups are compared label by label."""
    rng = np.random.default_rng(3)
    rows = [
        (rng.choice([*"abcdef"]), rng.choice([*"uvwx"]), rng.choice([*"012"]), "p")
        for _ in range(300)
    ]
    keys, _ = counted(rows)
    monkeypatch.setattr(lattice_module, "EXACT", 8)
    monkeypatch.setattr(lattice_module, "DIRECT_PER_ROW", 0)
    monkeypatch.setattr(lattice_module, "ALWAYS_DIRECT", 0)
    lattice = Lattice(keys)
    monkeypatch.setattr(lattice, "_codes", _coinciding(lattice._codes))
    for levels in itertools.product(*(range(h + 1) for h in keys.heights)):
        sizes = np.bincount(group_rows(keys.nodes(levels).astype(np.int64)), weights=keys.counts)
        assert sorted(lattice.roll(lattice.base, levels)[0].sizes) == sorted(sizes)


def _coinciding(codes):
    """Make words coincide often: all of a node's bits but the low ones lose their meaning."""
    numbers, places, lengths = codes
    return numbers << np.uint64(56), places, lengths


def test_tables_that_no_longer_fit_give_way(monkeypatch):
    monkeypatch.setattr(lattice_module, "ROOM", 0)
    monkeypatch.setattr(lattice_module, "KEPT_TIMES", 1)
    rng = np.random.default_rng(4)
    rows = [
        (rng.choice([*"abcdef"]), rng.choice([*"uvwx"]), rng.choice([*"012"]), "p")
        for _ in range(60)
    ]
    keys, table = counted(rows)
    for name in SCORES:
        best = brute_force(keys, table, [KAnonymity(4)], 6, name)
        assert optimal(keys, k=4, loss=name, max_drop=6).score == pytest.approx(best)


ROWS = [
    ("a", "u", "0", "p"),
    ("a", "u", "0", "q"),
    ("b", "v", "0", "p"),
    ("b", "u", "1", "p"),
    ("c", "w", "1", "q"),
    ("d", "w", "1", "q"),
    ("e", "x", "1", "r"),
]


def test_the_order_of_records_changes_nothing():
    keys, _ = counted(ROWS)
    other, _ = counted(ROWS[::-1])
    first, second = (optimal(k, k=2, max_drop=1) for k in (keys, other))
    assert first.levels == second.levels
    assert first.to_dict() == second.to_dict()


@pytest.mark.parametrize("limits", [None, {"b": 1}])
def test_the_plan_releases_what_was_decided(limits):
    keys, _ = counted(ROWS)
    found = optimal(keys, k=2, max_drop=2, limits=limits)
    plan = Plan.from_dict(found.plan().to_dict())
    assert plan == found.plan()
    with open_data(columns(ROWS)) as data:
        released = plan.apply(data.engine, data.source).source
        assert released.records == len(ROWS) - found.records_dropped
        tally = data.engine.count(released, KEY)
        assert sorted(tally.sorted_counts()) == sorted(found.recoding.group_counts)


def test_the_result_tells_what_it_is():
    keys, _ = counted(ROWS)
    found = optimal(keys, k=2, max_drop=2)
    facts = found.to_dict()
    assert facts["proved"]
    assert facts["gap"] == 0.0
    assert facts["records"] == 7
    assert facts["models"] == [{"kind": "k-anonymity", "k": 2}]
    assert "optimal" in repr(found)
    assert "<table>" in found._repr_html_()


def test_an_empty_file_needs_no_generalisation():
    keys, _ = counted(ROWS)
    none = Generalisable(
        type(keys.table)(keys.table.coding, keys.table.codes[:0], keys.table.counts[:0]),
        keys.hierarchies,
        keys.leaves[:0],
    )
    found = optimal(none, k=2)
    assert found.score == 0.0
    assert found.proved
    assert set(found.levels.values()) == {0}


def test_one_record_cannot_hide():
    keys, _ = counted(ROWS[:1])
    with pytest.raises(GuaranteeError, match="the file has only 1"):
        optimal(keys, k=2)
    assert optimal(keys, k=2, max_drop=1).records_dropped == 1


def test_equal_records_stay_as_they_are():
    keys, _ = counted(ROWS[:1] * 5)
    found = optimal(keys, k=5)
    assert found.score == 0.0
    assert set(found.levels.values()) == {0}


def test_the_locked_variable_that_alone_breaks_k_is_named():
    keys, _ = counted([*ROWS, ("f", "x", "2", "r")])
    with pytest.raises(GuaranteeError) as told:
        optimal(keys, k=2, limits={"c": 0, "b": 1})
    assert str(told.value) == (
        "With no record left out, k=2 cannot be reached while 'c' stays at level 0: even if every "
        "other variable were suppressed, 1 records would be in classes that are not safe. Allow "
        "1 records to be left out, or 'c' to climb."
    )


def test_locks_that_only_break_k_together_are_told_with_what_would_help():
    keys, _ = counted([(a, b, "0", "p") for a in "ab" for b in "uv"] * 2)
    with pytest.raises(GuaranteeError, match=r"let 'a', 'b' climb higher") as told:
        optimal(keys, k=3, limits={"a": 0, "b": 0})
    need = int(str(told.value).split("max_drop=")[1].split(")")[0])
    assert optimal(keys, k=3, limits={"a": 0, "b": 0}, max_drop=need).records_dropped <= need
    with pytest.raises(GuaranteeError):
        optimal(keys, k=3, limits={"a": 0, "b": 0}, max_drop=need - 1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Nothing is asked for"),
        ({"k": 1}, "k must be a whole number of at least 2. Got 1"),
        ({"k": 2, "max_drop": -1}, "max_drop must be a number of records from 0 to 7"),
        ({"k": 2, "max_drop": 8}, "max_drop must be a number of records from 0 to 7"),
        ({"k": 2, "max_drop": 1.5}, "max_drop must be"),
        ({"k": 2, "limits": {"a": 4}}, "The level of 'a' must be from 0"),
        ({"k": 2, "limits": {"aa": 1}}, "'aa' is not in the key"),
        ({"k": 2, "weights": {"a": -1}}, "The weight of 'a' must be a number of at least 0"),
        ({"k": 2, "weights": {"z": 1}}, "'z' is not in the key"),
        ({"k": 2, "weights": {"a": 0, "b": 0, "c": 0}}, "At least one variable"),
        ({"k": 2, "weights": {"a": 2}, "loss": "aecs"}, "weights mean nothing to it"),
        ({"k": 2, "loss": "los"}, "loss must be one of .* Got 'los'. Did you mean"),
        ({"k": 2, "checks": 0}, "checks must be a whole number of at least 1"),
        ({"models": [LDiversity("s", 2)]}, "Give sensitive="),
        ({"models": [KMap(2)]}, "k-map needs a register"),
        ({"models": ["k"]}, "models must be a list of PrivacyModel"),
    ],
)
def test_what_is_wrong_is_said(options, words):
    keys, _ = counted(ROWS)
    with pytest.raises(InputError, match=words):
        optimal(keys, **options)


def test_sensitive_values_of_other_records_are_refused():
    keys, _ = counted(ROWS)
    _, other = counted(ROWS[:5])
    with pytest.raises(InputError, match="Count both from the same file"):
        optimal(keys, models=[LDiversity("s", 2)], sensitive=other)


@pytest.mark.parametrize("loss", ["loss", "precision", "entropy", "discernibility", "aecs"])
def test_of_equal_scores_the_lower_levels_are_taken(loss):
    twins = table_hierarchy([("1", "a", "*"), ("2", "b", "*")], name="s")
    with open_data({"s": ["1", "2"] * 3}) as data:
        keys = Generalisable.of(data.key_table(["s"]), {"s": twins})
    assert dict(optimal(keys, k=2, loss=loss).levels) == {"s": 0}
