"""A whole variable at a time says what `stands_for` says of single pairs."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indistinct.hierarchy import (
    Hierarchy,
    code_hierarchy,
    date_hierarchy,
    interval_hierarchy,
    table_hierarchy,
)
from indistinct.hierarchy.labels import common_kind, is_suppressed, stands_for
from indistinct.prove.covering import Cover, cover, texts_of

ZIPS = ["02138", "02139", "02141", "02142", "03060"]
DAYS = [datetime.date(1961, 10, 2), datetime.date(1961, 7, 14), datetime.date(1975, 3, 8)]
JOBS = table_hierarchy(
    [
        ("nurse", "care", "work", "person"),
        ("doctor", "care", "work", "person"),
        ("clerk", "office", "work", "person"),
        ("retired", "no work", "no work", "person"),
    ],
    name="job",
    ordered=False,
)
TREES: dict[str, Hierarchy | None] = {
    "zip": code_hierarchy(ZIPS, name="zip"),
    "age": interval_hierarchy(range(0, 60, 7), name="age", widths=(5, 10, 20)),
    "birth": date_hierarchy(DAYS, name="birth", windows=("month", "year", "10 years")),
    "job": JOBS,
    "none": None,
}
NOWHERE = [None, "", "*", "unheard of", "{nurse, retired}", "02*", "20-39", "≥30", "1961", "1960s"]


def labels_of(tree: Hierarchy | None) -> list[object]:
    if tree is None:
        return [*ZIPS, "0213*", "021**", *range(18, 44, 5), "20-29", "[20, 30)", *DAYS, "1961-07"]
    return [label for level in tree.labels for label in level]


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[object], list[object], Hierarchy | None]:
    """Labels and values of one variable: of the tree, of no tree, and of other variables."""
    tree = TREES[draw(st.sampled_from(sorted(TREES)))]
    pool = st.sampled_from([*labels_of(tree), *NOWHERE])
    distinct = {"unique_by": lambda cell: texts_of([cell])[0], "max_size": 12}
    return draw(st.lists(pool, **distinct)), draw(st.lists(pool, **distinct)), tree


def matrix(found: Cover) -> np.ndarray:
    labels, values = np.indices((len(found.labels), len(found.values))).reshape(2, -1)
    return found.meets(labels, values).reshape(len(found.labels), len(found.values))


def by_pairs(labels: list[object], values: list[object], tree: Hierarchy | None) -> np.ndarray:
    """The reference, but for what a cover says otherwise: who is missing meets no label."""
    kind = common_kind(labels, values)
    return np.array(
        [
            [
                is_suppressed(label, tree)
                or (not is_suppressed(value, tree) and stands_for(label, value, tree, kind=kind))
                for value in values
            ]
            for label in labels
        ],
        dtype=bool,
    ).reshape(len(labels), len(values))


@settings(max_examples=120, deadline=None)
@given(pools())
@example((["0213*", "02138"], ["021**", "02139"], TREES["zip"]))
@example((["work", "retired"], ["care", "no work", "clerk"], JOBS))
@example((["1961"], [datetime.date(1961, 7, 14), "1960s"], TREES["birth"]))
def test_all_pairs_agree_with_the_reference(pool) -> None:
    labels, values, tree = pool
    # the root tells nothing, in a register as little as in a release
    values = [value for value in values if tree is None or texts_of([value])[0] != tree.root]
    found = cover(labels, values, name="v", hierarchy=tree)
    np.testing.assert_array_equal(matrix(found), by_pairs(labels, values, tree))


@settings(max_examples=80, deadline=None)
@given(pools())
def test_groups_of_a_level_share_no_value(pool) -> None:
    labels, values, tree = pool
    found = cover(labels, values, hierarchy=tree)
    seen = set()
    for number, level in enumerate(found.levels):
        groups = set(level[level >= 0].tolist())
        assert all(found.level_of[group] == number for group in groups)
        assert not groups & seen
        seen |= groups
    assert seen == set(range(len(found.level_of)))
    met = matrix(found)
    for one in range(len(labels)):
        for other in range(len(labels)):
            same = found.group_of[one] == found.group_of[other]
            assert same == np.array_equal(met[one], met[other])


@settings(max_examples=80, deadline=None)
@given(pools())
def test_labels_that_meet_nothing(pool) -> None:
    labels, values, tree = pool
    found = cover(labels, values, hierarchy=tree)
    met = matrix(found).any(axis=1) if values else np.zeros(len(labels), dtype=bool)
    texts = texts_of(labels)
    assert found.unmet == [
        t for t, some in zip(texts, met, strict=True) if not some and t is not None
    ]
    assert set(found.unread) <= set(found.unmet)
    lenient = found.ignoring_unmet()
    expected = matrix(found)
    expected[~met] = True
    np.testing.assert_array_equal(matrix(lenient), expected)


def test_one_level_for_a_variable_recoded_as_a_whole() -> None:
    found = cover(["0213*", "0214*"], ZIPS, hierarchy=TREES["zip"])
    assert len(found.levels) == 1
    assert matrix(found).sum(axis=1).tolist() == [2, 2]


def test_cell_by_cell_has_as_many_levels_as_labels_nest() -> None:
    found = cover(["02138", "0213*", "021**", "*"], ZIPS, hierarchy=TREES["zip"])
    assert len(found.levels) == 4
    assert matrix(found).sum(axis=1).tolist() == [1, 2, 4, 5]


def test_ranges_that_overlap_are_on_different_levels() -> None:
    found = cover(["20-29", "25-34"], range(20, 35))
    assert len(found.levels) == 2
    assert matrix(found).sum(axis=1).tolist() == [10, 10]


def test_a_missing_value_meets_suppressed_labels_only() -> None:
    found = cover(["0213*", None, "*"], [None, "02138"], hierarchy=TREES["zip"])
    assert matrix(found).tolist() == [[False, True], [True, True], [True, True]]


def test_what_cannot_be_read_is_named() -> None:
    found = cover(["care", "0213*", "xyz"], ZIPS)
    assert found.unread == ("care", "xyz")
    assert not found.apart
    assert cover(["care"], ZIPS).apart
    assert cover(["care", None], []).unread == ("care",)


@pytest.mark.parametrize("values", [[], [None], ["*"]])
def test_a_register_that_says_nothing(values: list[object]) -> None:
    found = cover(["02138", None], values)
    assert matrix(found).tolist() == [[False] * len(values), [True] * len(values)]
