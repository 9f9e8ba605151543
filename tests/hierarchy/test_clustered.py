"""Categories without a hierarchy are joined as counts of the data say, the most alike first."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.core import InputError
from indistinct.hierarchy import clustered_hierarchy, members_of


def information(groups, table):
    """Return the mutual information of groups and columns, times the records, in nats."""
    counts = np.array([table[list(group)].sum(axis=0) for group in groups], dtype=float)
    total = counts.sum()
    found = 0.0
    for row, column in itertools.product(range(len(counts)), range(counts.shape[1])):
        cell = counts[row, column]
        if cell:
            expected = counts[row].sum() * counts[:, column].sum() / total
            found += cell * np.log(cell / expected)
    return found


def level(tree, values, height):
    groups = {}
    for place, value in enumerate(values):
        groups.setdefault(tree.ancestors(value)[height], []).append(place)
    return sorted(groups.values())


TABLES = st.integers(4, 7).flatmap(
    lambda rows: st.lists(
        st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any),
        min_size=rows,
        max_size=rows,
    )
)


@settings(max_examples=60)
@given(rows=TABLES)
def test_every_join_loses_the_least_information_by_brute_force(rows):
    table = np.array(rows, dtype=float)
    values = [f"v{place}" for place in range(len(rows))]
    tree = clustered_hierarchy(values, table, name="v")
    groups = [[place] for place in range(len(rows))]
    for height in range(1, tree.height):
        wanted = level(tree, values, height)
        while len(groups) > len(wanted):
            before = information(groups, table)
            lost = {}
            for one, two in itertools.combinations(range(len(groups)), 2):
                joined = [g for at, g in enumerate(groups) if at not in (one, two)]
                joined.append(sorted(groups[one] + groups[two]))
                lost[one, two] = (before - information(joined, table), joined)
            least = min(loss for loss, _ in lost.values())
            inside = [
                joined
                for loss, joined in lost.values()
                if loss <= least + 1e-5
                and all(any(set(g) <= set(w) for w in wanted) for g in joined)
            ]
            assert inside, "none of the cheapest joins leads to the groups of the level"
            groups = inside[0]
        assert sorted(groups) == wanted


@pytest.mark.parametrize("categories", [2, 3, 4, 5, 9, 16, 40])
def test_levels_halve_and_nest_and_labels_name_their_members(categories):
    rng = np.random.default_rng(categories)
    values = [f"c{place:02}" for place in range(categories)]
    tree = clustered_hierarchy(values, rng.integers(0, 50, (categories, 6)), name="v")
    sizes = [len(level(tree, values, height)) for height in range(tree.height + 1)]
    assert sizes[0] == categories
    assert sizes[-1] == 1
    for finer, coarser in itertools.pairwise(sizes[:-1]):
        assert coarser == -(-finer // 2)
    for height in range(1, tree.height):
        for group in level(tree, values, height):
            label = tree.ancestors(values[group[0]])[height]
            members = members_of(label)
            if members is not None:
                assert sorted(members) == [values[place] for place in group]


def test_what_is_missing_stands_apart_and_long_labels_are_short():
    values = [f"a rather long name of an occupation, number {n}" for n in range(12)] + ["99"]
    tree = clustered_hierarchy(values, np.ones((13, 2)), name="job", special=["99"])
    assert tree.ancestors("99")[:-1] == ("99",) * tree.height
    labels = {tree.ancestors(v)[h] for v in values for h in range(1, tree.height)}
    assert all(len(label) < 80 for label in labels)
    assert any(label.endswith(" others") for label in labels)


def test_rows_must_be_those_of_the_values():
    with pytest.raises(InputError, match="a row for each of its values"):
        clustered_hierarchy(["a", "b"], np.ones((1, 1)), name="v")


def people(seed=1):
    rng = random.Random(seed)
    town = [rng.choice("abcdef") for _ in range(900)]
    job = [("n" if rng.random() < 0.9 else "w") if t in "abc" else "w" for t in town]
    return pa.table({"town": town, "job": job, "age": [rng.randint(20, 60) for _ in town]})


def test_towns_that_are_alike_climb_together_on_every_engine_and_it_is_said():
    with ind.open(people()) as data:
        found = data.hierarchies(["town", "job"])
    assert {found["town"].ancestors(t)[2] for t in "abc"} == {found["town"].ancestors("a")[2]}
    assert found["town"].ancestors("a")[2] != found["town"].ancestors("f")[2]
    assert "as counts of the data say" in found.notes["town"]
    assert found["job"].height == 1
    shuffled = people().take(random.Random(2).sample(range(900), 900))
    with ind.open(shuffled) as data:
        again = data.hierarchies(["town", "job"])
    assert [again["town"].ancestors(t) for t in "abcdef"] == [
        found["town"].ancestors(t) for t in "abcdef"
    ]


def test_few_numbers_that_nobody_calls_amounts_are_categories():
    rng = random.Random(1)
    rows = {
        "marital": [rng.randint(1, 5) for _ in range(200)],
        "sex": [rng.randint(1, 2) for _ in range(200)],
    }
    with ind.open(pa.table(rows)) as data:
        found = data.hierarchies(["marital", "sex"])
    assert "categories" in found.notes["marital"]
    assert "-" not in "".join(found["marital"].ancestors(1))
