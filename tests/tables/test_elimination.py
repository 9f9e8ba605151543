"""Exact disclosure by elimination against ranks in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cubes import random_cube
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.tables.suppressing.elimination import determined, eliminate, mutual, null_vectors


def rank(rows):
    """The rank of a matrix of whole numbers, in fractions."""
    left = [[Fraction(int(v)) for v in row] for row in rows]
    found = 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((r for r in range(found, len(left)) if left[r][column]), None)
        if pivot is None:
            continue
        left[found], left[pivot] = left[pivot], left[found]
        for r in range(found + 1, len(left)):
            if left[r][column]:
                factor = left[r][column] / left[found][column]
                left[r] = [a - factor * b for a, b in zip(left[r], left[found], strict=True)]
        found += 1
    return found


def told_by_rank(system, suppressed, cell, known=()):
    """Whether a cell's unit vector is in the span of the sums over what is unknown."""
    cells = np.flatnonzero(suppressed)
    cells = cells[~np.isin(cells, known)]
    rows = system.relations[:, cells].toarray()
    unit = (cells == cell).astype(float)
    return rank(rows) == rank(np.vstack([rows, unit]))


@settings(max_examples=5, deadline=None)
@given(number=st.integers(0, 10_000), share=st.floats(0.15, 0.6))
def test_determined_cells_are_those_in_the_span_of_the_sums(number, share):
    system = random_cube(5 * number)
    suppressed = np.random.default_rng(number).random(len(system)) < share
    found = determined(system.relations, suppressed)
    expected = [told_by_rank(system, suppressed, c) for c in np.flatnonzero(suppressed)]
    assert found[suppressed].tolist() == expected
    assert not found[~suppressed].any()


@settings(max_examples=3, deadline=None)
@given(number=st.integers(0, 10_000))
def test_cells_of_one_class_determine_each_other(number):
    system = random_cube(5 * number)
    suppressed = np.random.default_rng(number).random(len(system)) < 0.4
    classes = mutual(system.relations, suppressed)
    cells = np.flatnonzero(classes >= 0)
    for one in cells[:6]:
        for other in cells[:6]:
            if one != other:
                told = told_by_rank(system, suppressed, one, known=[other])
                assert (classes[one] == classes[other]) == told


def test_null_vectors_are_null_vectors():
    system = random_cube(5)
    unknown = np.random.default_rng(1).random(len(system)) < 0.7
    found = null_vectors(system.relations, unknown)
    sums = system.relations.astype(np.int64)
    assert not ((sums @ found) % (2**31 - 1)).any()
    assert found[unknown].any()
    assert not found[~unknown].any()


@pytest.mark.parametrize("number", range(5))
def test_elimination_publishes_all_that_tells_nothing(number):
    system = random_cube(number)
    rng = np.random.default_rng(number)
    sensitive = np.sort(rng.choice(len(system), 3, replace=False))
    order = rng.permutation(np.setdiff1d(np.arange(len(system)), sensitive))
    every = np.ones(len(system), dtype=bool)
    left = eliminate(system.relations, every, sensitive, order)
    assert left[sensitive].all()
    assert not determined(system.relations, left)[sensitive].any()
    for cell in np.flatnonzero(left):
        if cell not in sensitive:
            fewer = left.copy()
            fewer[cell] = False
            assert determined(system.relations, fewer)[sensitive].any()
