"""Rounding of counts: additive, adjacent, unbiased; and random numbers by record."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from indistinct.core.errors import InputError
from indistinct.protect import Draws, round_counts

counts = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=1, max_dims=2, max_side=7), elements=st.integers(0, 40)
)


def adjacent(rounded, exact, base):
    """On a multiple next to the exact count; where that is a multiple, on itself."""
    return bool(((rounded % base == 0) & (abs(rounded - exact) < base)).all())


@settings(max_examples=300, deadline=None)
@given(counts, st.integers(2, 10), st.integers(0, 2**32))
def test_controlled_rounding_is_additive_and_adjacent(table, base, seed):
    rounded = round_counts(table, base, np.random.default_rng(seed))
    assert adjacent(rounded.cells, table, base)
    assert adjacent(rounded.rows, table.sum(axis=-1), base)
    assert adjacent(rounded.columns, table.sum(axis=0) if table.ndim > 1 else table, base)
    assert adjacent(np.array(rounded.total), table.sum(), base)
    assert rounded.rows.sum() == rounded.total
    if table.ndim == 2:
        assert rounded.columns.sum() == rounded.total


@pytest.mark.parametrize("controlled", [True, False])
def test_rounding_has_no_bias(controlled):
    table = np.array([[1, 7, 3], [12, 0, 4], [2, 2, 9]])
    rng = np.random.default_rng(3)
    many = 4000
    mean = sum(round_counts(table, 5, rng, controlled=controlled).cells for _ in range(many)) / many
    # a cell's standard deviation is at most b/2, so the mean's is 2.5/sqrt(4000) = 0.04
    assert np.abs(mean - table).max() < 4.5 * 0.04


@settings(max_examples=50, deadline=None)
@given(
    hnp.arrays(np.int64, hnp.array_shapes(max_dims=4, max_side=4), elements=st.integers(0, 40)),
    st.integers(2, 10),
)
def test_random_rounding_is_adjacent_in_any_dimension(table, base):
    rounded = round_counts(table, base, np.random.default_rng(0), controlled=False)
    assert adjacent(rounded.cells, table, base)


def test_the_same_generator_gives_the_same_rounding():
    table = np.arange(200).reshape(10, 20)
    one, two = (round_counts(table, 3, np.random.default_rng(1)).cells for _ in range(2))
    assert (one == two).all()
    assert (one != round_counts(table, 3, np.random.default_rng(2)).cells).any()


@pytest.mark.parametrize(
    ("table", "base", "message"),
    [
        ([[1, 2]], 1, "base must be"),
        ([[1, 2]], True, "base must be"),
        ([[1, 2]], 2.5, "base must be"),
        ([[1, -2]], 3, "not negative"),
        ([[1.5, 2]], 3, "whole numbers"),
        ([], 3, "whole numbers|no cells"),
        (np.zeros((0, 2), int), 3, "no cells"),
        (np.zeros((2, 2, 2), int), 3, "one or two dimensions"),
    ],
)
def test_wrong_tables_are_refused(table, base, message):
    with pytest.raises(InputError, match=message):
        round_counts(table, base, np.random.default_rng(0))


# random numbers by record


def draws(seed: int = 0) -> Draws:
    return Draws.from_generator(np.random.default_rng(seed))


@given(st.lists(st.integers(1, 50), min_size=1, max_size=20), st.integers(0, 5))
def test_draws_do_not_depend_on_how_records_are_cut(lengths, turn):
    cuts = np.cumsum([0, *lengths])
    whole = draws().uniform("age", np.arange(cuts[-1]), turn=turn)
    parts = [draws().uniform("age", np.arange(a, b), turn=turn) for a, b in pairwise(cuts)]
    assert (np.concatenate(parts) == whole).all()


@pytest.mark.parametrize("seed", range(3))
def test_draws_are_uniform(seed):
    u = draws(seed).uniform("age", np.arange(1_000_000))
    assert u.min() >= 0
    assert u.max() < 1
    # chi-square with 999 degrees of freedom: mean 999, standard deviation 44.7
    observed = np.bincount((u * 1000).astype(int), minlength=1000)
    assert abs(((observed - 1000) ** 2 / 1000).sum() - 999) < 4.5 * 44.7
    # the bits of a word are even each by itself: binomial standard deviation 0.0005
    words = draws(seed).words("age", np.arange(1_000_000))
    for bit in range(64):
        assert abs(((words >> np.uint64(bit)) & np.uint64(1)).mean() - 0.5) < 5 * 0.0005


def test_neighbours_streams_turns_and_seeds_are_not_related():
    records = np.arange(200_000)
    u = draws().uniform("a", records)
    others = [
        np.roll(u, 1),
        draws().uniform("b", records),
        draws().uniform("a", records, turn=1),
        draws(1).uniform("a", records),
    ]
    for other in others:
        # the standard deviation of a correlation of independent numbers is 1/sqrt(n)
        assert abs(np.corrcoef(u, other)[0, 1]) < 4.5 / np.sqrt(len(records))


def test_whole_numbers_stay_below_their_limit():
    limits = np.tile([1, 2, 7, 2**40], 50_000)
    drawn = draws().below(limits, "x", np.arange(len(limits)))
    assert (drawn >= 0).all()
    assert (drawn < limits).all()
    assert abs(np.bincount(drawn[limits == 7]) - 50_000 / 7).max() < 5 * np.sqrt(50_000 / 7)


def test_the_keys_of_draws_are_not_shown():
    assert repr(draws()) == "Draws()"
