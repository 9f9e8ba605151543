"""Minimal suppression against brute force, and what it promises of every file."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from small_data import open_small
from small_tables import keys as keys_of_file
from small_tables import tables

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import Generalisable, KeyTable
from indistinct.protect.methods.local_suppression.suppress import (
    Suppression,
    importance_weights,
    suppress,
    suppression_keys,
)
from indistinct.protect.methods.local_suppression.suppress_optimum import strict_bound
from indistinct.protect.methods.local_suppression.suppress_problem import Problem
from indistinct.protect.methods.local_suppression.suppress_step import Suppress
from indistinct.protect.methods.local_suppression.suppress_strict import suppress_strictly
from indistinct.protect.step import Context, Step

Rows = list[tuple[Any, ...]]


def keys_of(rows: Rows, width: int = 0) -> Generalisable:
    names = [f"v{j}" for j in range(width or len(rows[0]))]
    table = pa.table({name: [row[j] for row in rows] for j, name in enumerate(names)})
    with open_small(table) as data:
        return suppression_keys(data.key_table(names))


def released(found: Suppression) -> Rows:
    """Every record's key with None for no value."""
    table = found.recoding.keys.table
    values = [table.values(name) for name in table.names]
    rows = []
    for row, levels, number in zip(
        found.recoding.classes, found.recoding.levels, found.recoding.counts, strict=True
    ):
        key = tuple(None if level else v[row] for level, v in zip(levels, values, strict=True))
        rows += [key] * int(number)
    return rows


def agreeing(rows: Rows) -> list[int]:
    """How many rows agree with each when None agrees with anything."""
    return [
        sum(all(a is None or b is None or a == b for a, b in zip(r, s, strict=True)) for s in rows)
        for r in rows
    ]


def fewest_by_brute_force(rows: Rows, k: int, weights: list[float]) -> float:
    """The lightest of all ways to give each record a set of cells to give up."""
    width = len(rows[0])
    masks = list(product((False, True), repeat=width))
    choices = []
    for row in rows:
        ways = {}
        for mask in masks:
            key = tuple(None if gone else value for value, gone in zip(row, mask, strict=True))
            cost = sum(
                w
                for w, gone, value in zip(weights, mask, row, strict=True)
                if gone and value is not None
            )
            ways[key] = min(cost, ways.get(key, cost))
        choices.append(list(ways.items()))
    best = float("inf")
    for chosen in product(*choices):
        cost = sum(c for _, c in chosen)
        if cost < best and min(Counter(key for key, _ in chosen).values()) >= k:
            best = cost
    return best


@st.composite
def tiny(draw: st.DrawFn) -> tuple[Rows, int, list[float]]:
    width = draw(st.integers(1, 3))
    size = draw(st.integers(3, 5 if width == 3 else 6))
    k = draw(st.integers(2, 3))
    value = st.one_of(st.integers(0, 2), st.none()) if draw(st.booleans()) else st.integers(0, 2)
    row = st.tuples(*[value] * width)
    rows = draw(st.lists(row, min_size=max(size, k), max_size=max(size, k)))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 1.5, 3.0]), min_size=width, max_size=width))
    return rows, k, weights


@given(tiny())
@example(([(None, None), (None, None), (2, 2), (2, None), (2, 2)], 2, [1.0, 1.0]))  # joins blanks
@settings(max_examples=60, deadline=None)
def test_the_optimum_is_that_of_brute_force(case):
    rows, k, weights = case
    keys = keys_of(rows)
    by_name = dict(zip(keys.names, weights, strict=True))
    truth = fewest_by_brute_force(rows, k, weights)
    found = suppress(keys, k=k, weights=by_name, optimal=True)
    assert min(Counter(released(found)).values()) >= k
    assert found.weight == pytest.approx(truth)
    assert found.proved
    problem = Problem.of(keys, k=k, weights=by_name)
    assert strict_bound(problem)[0] <= truth + 1e-9
    assert suppress_strictly(problem).weight(problem) >= truth - 1e-9


@given(tables(), st.integers(2, 6))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_released_file_keeps_k_when_counted_by_brute_force(engine, opened, case, k):
    table, key = case
    source = opened(table)
    step = Suppress(key, k)
    if table.num_rows < k:
        with pytest.raises(GuaranteeError, match="smaller k"):
            step.apply(engine, source, Context(seed=1))
        return
    result, receipt = step.apply(engine, source, Context(seed=1))
    before, after = keys_of_file(source.path, key), keys_of_file(result.path, key)
    assert min(Counter(after).values()) >= k
    changed = {
        name: sum(b[j] != a[j] for b, a in zip(before, after, strict=True))
        for j, name in enumerate(key)
    }
    assert receipt.cells_changed == changed
    assert receipt.records_changed == sum(b != a for b, a in zip(before, after, strict=True))
    assert receipt.residual == 0
    for b, a in zip(before, after, strict=True):
        assert all(y is None or x == y for x, y in zip(b, a, strict=True))
    assert pq.read_table(result.path).schema.types == pq.read_table(source.path).schema.types
    found = receipt.private
    assert found.recoding.smallest >= k
    assert found.smallest == min(Counter(after).values())
    assert found.bound <= found.weight + 1e-9


@given(tables(), st.integers(2, 6))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_by_wildcard_every_record_agrees_with_k_by_brute_force(engine, opened, case, k):
    table, key = case
    source = opened(table)
    step = Suppress(key, k, meaning="wildcard", against_elimination=False)
    if table.num_rows < k:
        with pytest.raises(GuaranteeError, match="smaller k"):
            step.apply(engine, source, Context(seed=1))
        return
    result, receipt = step.apply(engine, source, Context(seed=1))
    before, after = keys_of_file(source.path, key), keys_of_file(result.path, key)
    assert min(agreeing(after)) >= k
    assert receipt.private.smallest == min(agreeing(after))
    # exactly the records at risk give something up
    at_risk = [number < k for number in agreeing(before)]
    assert [b != a for b, a in zip(before, after, strict=True)] == at_risk
    assert receipt.private.at_risk == sum(at_risk)
    strict = Counter(after)
    assert receipt.private.strictly_at_risk == sum(1 for a in after if strict[a] < k)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(6))
def test_by_wildcard_with_alpha_the_rule_of_freqcalc_holds(alpha, seed):
    generator = np.random.default_rng(seed)
    rows = [tuple(int(v) for v in row) for row in generator.integers(0, 3, (60, 4))]
    if seed % 2:
        rows = [(None, *row[1:]) if n % 7 == 0 else row for n, row in enumerate(rows)]
    found = suppress(keys_of(rows), k=3, meaning="wildcard", alpha=alpha)
    after = released(found)
    for r in after:
        frequency = 0.0
        for s in after:
            if r == s:
                frequency += 1
            elif all(a is None or b is None or a == b for a, b in zip(r, s, strict=True)):
                frequency += 1 if None not in s else alpha
        assert frequency >= 3


@pytest.mark.heavy
@pytest.mark.parametrize("meaning", ["strict", "wildcard"])
def test_the_order_of_the_records_does_not_matter(meaning):
    generator = np.random.default_rng(3)
    rows = [tuple(int(v) for v in row) for row in generator.zipf(1.6, (300, 4)) % 5]
    found = suppress(keys_of(rows), k=4, meaning=meaning, optimal=False)
    generator.shuffle(rows)
    again = suppress(keys_of([tuple(row) for row in rows]), k=4, meaning=meaning, optimal=False)
    assert found.total > 0
    assert again.cells == found.cells
    assert Counter(map(str, released(again))) == Counter(map(str, released(found)))


def test_a_class_of_more_than_k_lends_records():
    rows: Rows = [("a", 1)] * 5 + [("b", 1)]
    found = suppress(keys_of(rows), k=3)
    # b joins two of the five; all six would be six cells
    assert found.cells == {"v0": 3, "v1": 0}
    assert Counter(released(found)) == {("a", 1): 3, (None, 1): 3}
    assert found.proved


def test_a_class_that_cannot_spare_records_goes_whole():
    found = suppress(keys_of([("a", 1)] * 3 + [("b", 1)]), k=3)
    assert found.cells == {"v0": 4, "v1": 0}
    assert found.proved


def test_what_was_missing_before_counts_with_what_is_suppressed():
    rows: Rows = [(None, 1), ("a", 1), ("b", 2), ("b", 2)]
    found = suppress(keys_of(rows), k=2)
    assert found.cells == {"v0": 1, "v1": 0}
    assert found.recoding.smallest == 2
    assert found.recoding.cells_suppressed() == {"v0": 2, "v1": 0}


def test_a_cell_that_holds_an_asterisk_is_a_value():
    found = suppress(keys_of([("*", 1), ("a", 1), ("b", 2), ("b", 2)]), k=2)
    assert found.cells == {"v0": 2, "v1": 0}


def test_weights_turn_the_choice():
    rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert suppress(keys_of(rows), k=2, weights={"v0": 3}).cells == {"v0": 0, "v1": 4}
    assert suppress(keys_of(rows), k=2, weights={"v1": 3}).cells == {"v0": 4, "v1": 0}


def test_importance_is_an_order():
    assert importance_weights({"a": 2, "b": 1, "c": 3}) == pytest.approx(
        {"a": 4 / 3, "b": 5 / 3, "c": 1}
    )
    with pytest.raises(InputError, match="1 to 2, each once"):
        importance_weights({"a": 1, "b": 1})


@pytest.mark.parametrize("meaning", ["strict", "wildcard"])
def test_locked_variables_stay(meaning):
    generator = np.random.default_rng(5)
    rows = [tuple(int(v) for v in row) for row in generator.integers(0, 4, (80, 3))]
    found = suppress(keys_of(rows), k=3, meaning=meaning, limits={"v1": 0})
    assert found.cells["v1"] == 0
    assert found.total > 0
    by_stratum = {v: [r for r in released(found) if r[1] == v] for v in range(4)}
    for stratum in by_stratum.values():
        assert min(agreeing(stratum)) >= 3


def test_locked_variables_that_break_k_are_named_without_their_values():
    rows = [("secret", 1), ("a", 1), ("a", 1), ("a", 2), ("a", 2)]
    with pytest.raises(GuaranteeError, match="'v0' has 1 records") as error:
        suppress(keys_of(rows), k=2, limits={"v0": 0})
    assert "secret" not in str(error.value)
    with pytest.raises(GuaranteeError, match="a combination of the locked variables 'v0', 'v1'"):
        suppress(keys_of([(0, 0), (0, 1), (1, 0), (1, 1)]), k=2, limits={"v0": 0, "v1": 0})


def test_edges():
    assert suppress(keys_of([(1, 1)] * 3), k=3).total == 0
    whole = suppress(keys_of([(n, n) for n in range(3)]), k=3)
    assert whole.total == 6
    assert whole.proved
    with pytest.raises(GuaranteeError, match="has 2 records"):
        suppress(keys_of([(1, 1), (2, 2)]), k=3)
    empty = KeyTable(
        KeyCoding((Coding("v0", 1, False),)), np.empty((0, 1), np.int64), np.empty(0, np.int64)
    )
    nothing = suppress(suppression_keys(empty), k=2)
    assert (nothing.total, nothing.proved) == (0, True)
    only_missing = suppress(keys_of([(None, 1), (None, 1), (None, 2)]), k=2, optimal=True)
    assert only_missing.cells == {"v0": 0, "v1": 3}


def test_wrong_options_are_refused():
    keys = keys_of([(1, 1)] * 3)
    for options, words in [
        ({"k": 1}, "at least 2"),
        ({"k": 2, "meaning": "loose"}, "strict or wildcard"),
        ({"k": 2, "weights": {"v0": 0}}, "above 0"),
        ({"k": 2, "weights": {"v7": 1}}, "not in the key"),
        ({"k": 2, "limits": {"v0": 5}}, "from 0"),
        ({"k": 2, "alpha": 0.5}, "wildcard"),
        ({"k": 2, "meaning": "wildcard", "alpha": 2}, "a number from 0 to 1"),
        ({"k": 2, "meaning": "wildcard", "optimal": True}, "strict"),
    ]:
        with pytest.raises(InputError, match=words):
            suppress(keys, **options)


@pytest.mark.heavy
def test_sixteen_variables_are_searched_in_part_and_the_promise_holds():
    generator = np.random.default_rng(9)
    rows = [tuple(int(v) for v in row) for row in (generator.random((60, 16)) < 0.15)]
    for meaning in ("strict", "wildcard"):
        found = suppress(keys_of(rows), k=3, meaning=meaning)
        after = released(found)
        counts = agreeing(after) if meaning == "wildcard" else Counter(after).values()
        assert min(counts) >= 3
        assert found.bound <= found.weight


def test_the_step_goes_through_its_dictionary():
    step = Suppress(
        ("a", "b"), 3, meaning="wildcard", weights={"a": 2.0}, limits={"b": 0}, alpha=0.5
    )
    assert Step.from_dict(step.to_dict()) == step
    assert step.describe() == (
        "suppress few cells of a, b (none of b) until k=3 holds, a blank agreeing with anything"
    )
    with pytest.raises(InputError, match="'c' is not in the key"):
        Suppress(("a",), 3, limits={"c": 0})


def test_by_wildcard_a_warning_says_what_a_strict_recount_finds(engine, opened):
    source = opened(pa.table({"a": [1, 1, 1, 2], "b": [1, 1, 1, 1]}))
    step = Suppress(("a", "b"), 3, meaning="wildcard", against_elimination=False)
    _, receipt = step.apply(engine, source, Context(seed=1))
    found = receipt.private
    assert found.strictly_at_risk == 1
    assert "1 record is in a class smaller than 3" in receipt.warnings[0]
    assert found.to_dict()["strictly_at_risk"] == found.strictly_at_risk


def test_whoever_prints_a_suppression_sees_the_numbers():
    found = suppress(keys_of([("a", 1)] * 5 + [("b", 1)]), k=3)
    assert repr(found).splitlines()[0] == (
        "Suppression to k=3 (strict): 3 cells of 3 records, the fewest possible"
    )
    assert "v0" in found._repr_html_()
