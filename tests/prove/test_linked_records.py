"""Totals without the N × M matrix, against the N × M matrix."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.prove.covering import Cover, cover
from indistinct.prove.links import (
    linked_pairs,
    linked_totals,
    linking_totals,
    members_of_groups,
)

ZIPS = ["02138", "02139", "02141", "02142", None]
AGES = [20, 22, 27, 31, 38, None]
SEXES = ["m", "f"]
LABELS = (
    ["02138", "02141", "0213*", "021**", "0299*", None],
    ["20", "22", "20-29", "25-34", "≥30", "99", None],
    ["m", "f", "*"],
)
VALUES = (ZIPS, AGES, SEXES)


@st.composite
def linkages(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[Cover]]:
    """Draw released keys and register keys over one to three variables, repeated ones too."""
    count = draw(st.integers(1, 3))
    covers = [cover(LABELS[j], VALUES[j], name=f"v{j}") for j in range(count)]

    def rows(sizes: list[int]) -> np.ndarray:
        row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
        found = draw(st.lists(row, max_size=25))
        return np.array(found, dtype=np.int64).reshape(len(found), count)

    released = rows([len(c.labels) for c in covers])
    return released, rows([len(c.values) for c in covers]), covers


def by_pairs(released, known, covers, missing: str) -> np.ndarray:
    """The whole matrix: does a released key meet a key of the register?"""
    met = np.ones((len(released), len(known)), dtype=bool)
    for j, found in enumerate(covers):
        left = np.repeat(released[:, j], len(known))
        right = np.tile(known[:, j], len(released))
        here = found.meets(left, right).reshape(met.shape)
        if missing == "wildcard":
            here |= np.array([value is None for value in found.values])[known[:, j]]
        met &= here
    return met


MISSING = pytest.mark.parametrize("missing", ["own", "wildcard"])


@MISSING
@settings(max_examples=120, deadline=None)
@given(linkages(), st.randoms(use_true_random=False))
def test_linked_totals(missing, linkage, random) -> None:
    released, known, covers = linkage
    amounts = np.array([[1, random.randint(-5, 9)] for _ in known], dtype=np.int64).reshape(-1, 2)
    met = by_pairs(released, known, covers, missing).astype(np.int64)
    np.testing.assert_array_equal(
        linked_totals(released, known, covers, amounts, missing=missing), met @ amounts
    )


@MISSING
@settings(max_examples=120, deadline=None)
@given(linkages(), st.randoms(use_true_random=False))
def test_linking_totals(missing, linkage, random) -> None:
    released, known, covers = linkage
    brought = [[1, random.randint(0, 9)] for _ in released]
    amounts = np.array(brought, dtype=np.int64).reshape(-1, 2)
    met = by_pairs(released, known, covers, missing).astype(np.int64)
    np.testing.assert_array_equal(
        linking_totals(released, known, covers, amounts, missing=missing), met.T @ amounts
    )


@MISSING
@settings(max_examples=120, deadline=None)
@given(linkages())
def test_linked_pairs(missing, linkage) -> None:
    released, known, covers = linkage
    pairs = [
        pair
        for left, right in linked_pairs(released, known, covers, missing=missing)
        for pair in zip(left.tolist(), right.tolist(), strict=True)
    ]
    rows, columns = np.nonzero(by_pairs(released, known, covers, missing))
    assert sorted(pairs) == list(zip(rows.tolist(), columns.tolist(), strict=True))


@given(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8))
def test_members_of_groups(wanted, group_of) -> None:
    left, right = members_of_groups(
        np.array(wanted, dtype=np.int64), np.array(group_of, dtype=np.int64), groups=4
    )
    expected = [
        (i, j) for i, group in enumerate(wanted) for j, own in enumerate(group_of) if own == group
    ]
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == expected


@pytest.mark.parametrize("seed", range(4))
def test_thousands_of_shapes(seed: int) -> None:
    """Eight variables of four levels each: nearly every released key has a shape of its own."""
    rng = np.random.default_rng(seed)
    texts = [f"{n:03b}" for n in range(8)]
    labels = [*texts, *(f"{n:02b}*" for n in range(4)), "0*", "1*", "*"]
    covers = [cover(labels, texts, name=f"v{j}") for j in range(8)]
    assert {len(found.levels) for found in covers} == {4}
    released = rng.integers(0, len(labels), size=(600, 8))
    # people alike, so that some are left at the end: the mode is near the first values
    known = np.minimum(rng.geometric(0.5, size=(500, 8)), 8) - 1
    counts = rng.integers(1, 20, size=(500, 2))
    met = by_pairs(released, known, covers, "own").astype(np.int64)
    assert met.any()
    np.testing.assert_array_equal(linked_totals(released, known, covers, counts), met @ counts)
    people = rng.integers(1, 20, size=(600, 1))
    np.testing.assert_array_equal(linking_totals(released, known, covers, people), met.T @ people)


def test_a_coarser_label_never_links_to_fewer() -> None:
    found = cover(["02138", "0213*", "021**", "*"], ZIPS[:-1], name="zip")
    known, counts = np.arange(4)[:, None], np.array([[3], [5], [7], [11]])
    totals = linked_totals(np.arange(4)[:, None], known, [found], counts)[:, 0].tolist()
    assert totals == [3, 8, 26, 26]
    assert all(one <= other for one, other in pairwise(totals))
