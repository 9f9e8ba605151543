"""Generalisable key tables and recodings, against what naive code says of the records."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.hierarchy import Hierarchy, suppression_only, table_hierarchy
from indistinct.keys import DROPPED, Generalisable, Recoding

LETTERS = table_hierarchy(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], name="x"
)
REPEATED = table_hierarchy(
    [("p", "p", "*"), ("q", "qr", "*"), ("r", "qr", "*"), (None, "none", "*")], name="y"
)


def keys_of(x: list[str | None], y: list[str | None]) -> Generalisable:
    table = pa.table({"x": pa.array(x, pa.string()), "y": pa.array(y, pa.string())})
    with open_small(table) as data:
        return Generalisable.of(data.key_table(["x", "y"]), {"x": LETTERS, "y": REPEATED})


def test_two_cells_have_the_same_node_exactly_if_they_have_the_same_label():
    keys = keys_of(["a", "b", "c"], ["p", "q", None])
    for j, hierarchy in enumerate(keys.hierarchies):
        for level in hierarchy.levels:
            labels = [hierarchy.generalise(v, level) for v in keys.table.values(hierarchy.name)]
            levels = [0, 0]
            levels[j] = level
            nodes = keys.nodes(levels)[:, j]
            assert [keys.labels(j)[node] for node in nodes] == labels
    # 'p' stands at two levels and is one node
    assert keys.climb(1)[0, 0] == keys.climb(1)[1, 0]


def test_sizes_count_the_values_under_a_node():
    keys = keys_of(["a"], ["p"])
    assert dict(zip(keys.labels(0), keys.sizes(0).tolist(), strict=True)) == {
        "a": 1, "b": 1, "c": 1, "d": 1, None: 1, "ab": 2, "cd": 2, "*": 4,
    }  # fmt: skip


def test_a_variable_without_a_hierarchy_is_refused():
    with open_small({"x": ["a"]}) as data, pytest.raises(InputError, match="no hierarchy of 'x'"):
        Generalisable.of(data.key_table(["x"]), {})


def test_a_value_the_hierarchy_does_not_know_is_refused():
    with open_small({"x": ["z"]}) as data, pytest.raises(InputError, match="does not know"):
        Generalisable.of(data.key_table(["x"]), {"x": LETTERS})


@pytest.mark.parametrize("hierarchy", [LETTERS, REPEATED, suppression_only(["1"], name="n")])
def test_a_hierarchy_is_the_same_after_a_round_trip(hierarchy):
    assert Hierarchy.from_dict(hierarchy.to_dict()) == hierarchy


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c", "d", None]), st.sampled_from(["p", "q", "r"])),
        min_size=1,
        max_size=12,
    ),
    st.data(),
)
def test_clusters_climb_to_their_lowest_common_ancestors(rows, data):
    keys = keys_of([r[0] for r in rows], [r[1] for r in rows])
    clusters = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=keys.classes, max_size=keys.classes))
    )
    clusters = np.unique(clusters, return_inverse=True)[1]
    recoding = Recoding.of_clusters(
        keys, clusters, rows=np.arange(keys.classes), counts=keys.counts
    )
    for cluster in np.unique(clusters):
        members = np.flatnonzero(clusters == cluster)
        for j, hierarchy in enumerate(keys.hierarchies):
            values = [keys.table.values(hierarchy.name)[m] for m in members]
            expected = hierarchy.common_level(hierarchy.encode(values))
            assert set(recoding.levels[members, j].tolist()) == {expected}
    assert recoding.group_counts.sum() == keys.records


def test_rows_must_be_the_records_each_once():
    keys = keys_of(["a", "b"], ["p", "p"])
    levels = np.zeros((2, 2), dtype=np.int16)
    with pytest.raises(InputError, match="each once"):
        Recoding(keys, np.array([0, 1]), levels, np.array([1, 2]))
    half = np.array([[0, DROPPED], [0, 0]], dtype=np.int16)
    with pytest.raises(InputError, match="as a whole"):
        Recoding(keys, np.array([0, 1]), half, np.array([1, 1]))


def test_full_domain_counts():
    keys = keys_of(["a", "b", "c", "d"], ["p", "p", "q", "r"])
    recoding = Recoding.full_domain(keys, [1, 0], dropped=np.array([False, False, False, True]))
    assert recoding.group_counts.tolist() == [2, 1]
    assert recoding.smallest == 1
    assert recoding.records_dropped == 1
    assert recoding.full_domain_levels() == {"x": 1, "y": 0}
    assert recoding.cells_changed() == {"x": 3, "y": 0}
    assert recoding.cells_suppressed() == {"x": 0, "y": 0}
