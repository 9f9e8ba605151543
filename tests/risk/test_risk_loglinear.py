"""Log-linear models against closed forms, plain IPF and the likelihood's own conditions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

import indistinct
from indistinct.core.errors import InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import KeyTable
from indistinct.risk.formula import model_of, parse_model
from indistinct.risk.loglinear import fit

NAMES = ["age", "sex", "region", "job"]
relaxed = settings(deadline=None, max_examples=60)


def key_table(counts: np.ndarray) -> KeyTable:
    coding = KeyCoding(tuple(Coding(f"v{j}", size, False) for j, size in enumerate(counts.shape)))
    cells = np.nonzero(counts)
    return KeyTable(coding, np.stack(cells, axis=1), counts[cells].astype(np.int64))


def margin(array: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    return array.sum(axis=tuple(a for a in range(array.ndim) if a not in axes))


def plain_ipf(counts: np.ndarray, margins: list[tuple[int, ...]], cycles: int) -> np.ndarray:
    """The textbook's cycle, written for clarity."""
    means = np.ones(counts.shape)
    for _ in range(cycles):
        for axes in margins:
            others = tuple(a for a in range(counts.ndim) if a not in axes)
            fitted, seen = margin(means, axes), margin(counts, axes)
            ratio = np.divide(seen, fitted, out=np.zeros_like(fitted), where=fitted > 0)
            means = means * np.expand_dims(ratio, others)
    return means


# --- models ---------------------------------------------------------------------------------


def test_only_largest_margins_are_kept_and_lone_variables_get_main_effects():
    model = parse_model("age*sex + sex*age + sex + age*region", NAMES)
    assert model.margins == ((0, 1), (0, 2), (3,))
    assert model.text == "age*sex + age*region + job"
    assert model.notes == ("'job' stands in no margin and enters by its main effect.",)
    assert parse_model(model.text, NAMES).margins == model.margins


def test_named_models():
    assert parse_model("main", NAMES).is_main_effects
    assert parse_model(" Two-Way ", NAMES).margins == tuple(combinations(range(4), 2))
    assert parse_model("three-way", NAMES).margins == tuple(combinations(range(4), 3))
    assert parse_model("three-way", NAMES[:2]).margins == ((0, 1),)


def test_names_with_signs_go_between_backquotes():
    names = ["a*b", "c + d", "e"]
    model = parse_model("`a*b` * e + `c + d`", names)
    assert model.margins == ((0, 2), (1,))
    assert parse_model(model.text, names).margins == model.margins


@pytest.mark.parametrize("text", ["", "age*", "age + + sex", "*age", "age*sex +", "   "])
def test_empty_margins_are_refused(text):
    with pytest.raises(InputError, match="empty margin"):
        parse_model(text, NAMES)


def test_unknown_variable_is_refused_with_a_hint():
    with pytest.raises(
        InputError, match=r"names 'aeg', which is not in the key. Did you mean 'age'"
    ):
        parse_model("aeg*sex", NAMES)


def test_a_name_after_a_name_is_refused():
    with pytest.raises(InputError, match=r"lacks a \* or \+"):
        parse_model("`age` `sex`", NAMES)


@given(st.lists(st.integers(2, 6), min_size=4, max_size=4))
def test_parameters_equal_the_rank_of_the_design(sizes):
    model = parse_model("age*sex + sex*region + job", NAMES)
    cells = np.indices(sizes).reshape(4, -1)
    columns = []
    for axes in model.margins:
        place = np.ravel_multi_index([cells[a] for a in axes], [sizes[a] for a in axes])
        columns.append(np.eye(np.prod([sizes[a] for a in axes]))[place])
    design = np.concatenate(columns, axis=1)
    assert model.parameters(sizes) == np.linalg.matrix_rank(design.T @ design)


# --- fitting ----------------------------------------------------------------------------------

tables = arrays(
    np.int64, st.sampled_from([(3, 2, 4), (2, 2, 2, 3), (5, 4)]), elements=st.integers(0, 6)
).filter(lambda counts: counts.sum() > 0)


@relaxed
@given(tables)
def test_closed_form_of_main_effects_equals_plain_ipf(counts):
    table = key_table(counts)
    found = fit(table, parse_model("main", table.names))
    brute = plain_ipf(counts.astype(float), [(a,) for a in range(counts.ndim)], 3)
    assert_allclose(found.means, brute[tuple(table.codes.T)], rtol=1e-10)
    assert found.cycles == 0
    occurring = brute[np.ix_(*(np.unique(table.codes[:, j]) for j in range(counts.ndim)))]
    assert_allclose(found.dense, occurring, rtol=1e-10)


@relaxed
@given(tables.filter(lambda counts: counts.ndim > 2))
def test_two_way_margins_are_reproduced_and_zero_margins_stay_zero(counts):
    table = key_table(counts)
    found = fit(table, parse_model("two-way", table.names), cycles=5000, accept=True)
    observed = found.dense_counts
    assert observed.sum() == counts.sum()
    for axes in combinations(range(counts.ndim), 2):
        seen, fitted = margin(observed, axes), margin(found.dense, axes)
        assert (fitted[seen == 0] == 0).all()
        assert_allclose(fitted[seen > 0], seen[seen > 0], rtol=max(1e-7, 2 * found.deviation))
    assert (found.means > 0).all()


@pytest.mark.heavy
@relaxed
@given(tables.filter(lambda counts: counts.ndim > 2))
def test_no_likelihood_above_the_one_found(counts):
    """Plain IPF raises the likelihood with every cycle towards the same maximum."""
    table = key_table(counts)
    model = parse_model("two-way", table.names)
    found = fit(table, model, cycles=5000, accept=True)
    brute = plain_ipf(counts.astype(float), list(model.margins), 400)[tuple(table.codes.T)]
    ours, theirs = (float((table.counts * np.log(m)).sum()) for m in (found.means, brute))
    assert ours >= theirs - 1e-6 * max(1.0, abs(theirs))
    assert_allclose(found.means, brute, rtol=0.05, atol=0.02)


def test_a_table_without_interaction_of_three_equals_long_plain_ipf():
    counts = np.random.default_rng(3).poisson(4, (4, 3, 5, 2)) + 1
    table = key_table(counts)
    found = fit(table, parse_model("two-way", table.names), tolerance=1e-12)
    brute = plain_ipf(counts.astype(float), list(combinations(range(4), 2)), 500)
    assert_allclose(found.dense, brute, rtol=1e-9)
    assert found.vanishing == found.structural_zeros == 0


def test_cells_that_vanish_at_the_maximum_are_found():
    """Haberman's table: no margin is zero, yet two opposite corners go to zero."""
    counts = np.array([[[0, 1], [1, 1]], [[1, 1], [1, 0]]])
    table = key_table(counts)
    found = fit(table, parse_model("two-way", table.names))
    assert found.vanishing == 2
    assert found.structural_zeros == 0
    assert_allclose(found.dense, counts, atol=1e-6)
    slow = plain_ipf(counts.astype(float), [(0, 1), (0, 2), (1, 2)], 3000)
    assert_allclose(slow, counts, atol=2e-3)
    assert np.abs(slow - counts).max() > 1e-5


def test_mixed_margins_equal_plain_ipf():
    counts = np.random.default_rng(4).poisson(2, (3, 4, 2, 3))
    table = key_table(counts)
    model = model_of([(0, 1, 2), (2, 3)], table.names)
    found = fit(table, model)
    brute = plain_ipf(counts.astype(float), list(model.margins), 50)
    assert_allclose(found.means, brute[tuple(table.codes.T)], rtol=1e-8)


def test_categories_that_do_not_occur_change_nothing():
    counts = np.random.default_rng(5).poisson(3, (3, 3, 3)) + 1
    padded = np.zeros((6, 4, 3), dtype=int)
    padded[np.ix_([0, 3, 5], [1, 2, 3], [0, 1, 2])] = counts
    plain, spaced = (
        fit(t, parse_model("two-way", t.names)) for t in (key_table(counts), key_table(padded))
    )
    assert_allclose(plain.means, spaced.means, rtol=1e-12)
    assert (spaced.cells, spaced.parameters) == (27, plain.parameters)


def test_a_missing_value_is_a_category():
    data = pa.table({"a": [1, 1, None, 2], "b": [1, 2, 2, None]})
    with indistinct.open_data(data) as opened:
        table = opened.key_table(["a", "b"])
    assert_allclose(fit(table, parse_model("main", table.names)).means, [0.5, 1.0, 0.25, 0.5])


def test_main_effects_need_no_cross_product():
    rng = np.random.default_rng(6)
    codes = np.unique(rng.integers(0, 50, (500, 12)), axis=0)
    coding = KeyCoding(tuple(Coding(f"v{j}", 50, False) for j in range(12)))
    table = KeyTable(coding, codes, np.ones(len(codes), dtype=np.int64))
    found = fit(table, parse_model("main", table.names))
    assert found.cells > 10**18
    assert found.dense is None
    by_hand = len(codes) * np.prod(
        [np.bincount(codes[:, j])[codes[:, j]] / len(codes) for j in range(12)], axis=0
    )
    assert_allclose(found.means, by_hand, rtol=1e-12)
    with pytest.raises(InputError, match="more than the 5,000,000 that are held"):
        fit(table, parse_model("two-way", table.names))


def test_what_does_not_converge_is_refused_and_says_what_remained():
    counts = np.random.default_rng(7).poisson(1, (4, 5, 6))
    table = key_table(counts)
    model = parse_model("two-way", table.names)
    with pytest.raises(InputError, match=r"after 2 cycles a fitted margin still deviates by \d"):
        fit(table, model, cycles=2)
    taken = fit(table, model, cycles=2, accept=True)
    assert not taken.converged
    assert taken.deviation > taken.tolerance
    assert "NOT converged" in repr(taken)


@pytest.mark.parametrize("options", [{"tolerance": 0.0}, {"cycles": 0}])
def test_impossible_settings_are_refused(options):
    table = key_table(np.ones((2, 2), dtype=int))
    with pytest.raises(InputError, match="IPF needs"):
        fit(table, parse_model("two-way", table.names), **options)


def test_the_answer_says_what_was_done():
    counts = np.random.default_rng(8).poisson(0.5, (5, 6, 7))
    table = key_table(counts)
    found = fit(table, parse_model("two-way", table.names))
    zero = sum(int((margin(counts, axes) == 0).sum()) for axes in combinations(range(3), 2))
    assert found.zero_margins == zero > 0
    assert found.zero_cells == found.cells - table.classes
    facts = found.to_dict()
    assert facts["converged"] is True
    assert facts["margin_cells"] == 5 * 6 + 5 * 7 + 6 * 7
    assert "cycles" in repr(found)
