"""The class: levels, nodes, codes; numbers from Sweeney's figures and from brute force."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.hierarchy import Hierarchy, as_text, as_texts, table_hierarchy

ZIPS = ["02138", "02139", "02141", "02142"]
FIGURE_18 = [
    ("02138", "0213*", "021**"),
    ("02139", "0213*", "021**"),
    ("02141", "0214*", "021**"),
    ("02142", "0214*", "021**"),
]
FIGURE_31 = [(*row, "*****") for row in FIGURE_18]


@pytest.fixture
def zips() -> Hierarchy:
    return table_hierarchy(FIGURE_31, name="zip")


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Draw a random tree as a table: from the root down, each node under one of the level above."""
    height = draw(st.integers(1, 4))
    rows: list[tuple[str, ...]] = [("*",)]
    for level in range(height, 0, -1):
        count = draw(st.integers(len(rows), len(rows) + 6))
        above = list(range(len(rows)))
        above += [draw(st.integers(0, len(rows) - 1)) for _ in range(count - len(rows))]
        rows = [(f"L{level}n{i}", *rows[up]) for i, up in enumerate(above)]
    return draw(st.permutations(rows))


def test_sweeney_figure_18_zip_has_height_2_and_its_own_root() -> None:
    zips = table_hierarchy(FIGURE_18, name="zip")
    assert zips.height == 2
    assert zips.root == "021**"
    assert [zips.generalise(z, 1) for z in ZIPS] == ["0213*", "0213*", "0214*", "0214*"]
    assert {zips.generalise(z, 2) for z in ZIPS} == {"021**"}


def test_sweeney_figure_31_distances(zips: Hierarchy) -> None:
    assert zips.height == 3
    assert zips.distance("02138", "0213*") == 1
    assert zips.distance("02138", "021**") == 2
    assert zips.distance("02138", "*****") == 3
    assert zips.distance("02138", "02138") == 0
    assert zips.distance("02138", "02139") == 1
    assert zips.distance("02138", "02142") == 2
    assert zips.distance("0213*", "02142") == 1


def test_sweeney_figure_18_ethnicity() -> None:
    rows = [(e, "person") for e in ("Asian", "Black", "White")]
    ethnicity = table_hierarchy(rows, name="ethnicity")
    assert ethnicity.ancestors("Black") == ("Black", "person")
    assert ethnicity.sizes(1).tolist() == [3]


def test_nodes(zips: Hierarchy) -> None:
    node = zips.common_ancestor(["02138", "02139"])
    assert (node.label, node.level, node.size) == ("0213*", 1, 2)
    assert zips.common_ancestor(["02138"]).level == 0
    assert zips.common_ancestor(["0213*", "02139"]).label == "0213*"
    assert zips.common_ancestor(["0213*", "02142"]).label == "021**"
    assert zips.parent("02138") == "0213*"
    assert zips.parent("021**") == "*****"
    assert zips.parent("*****") is None
    assert zips.find("0214*").size == 2
    assert zips.common_level(zips.encode(["02138", "02142"])) == 2


def test_parent_passes_over_repeated_labels() -> None:
    days = table_hierarchy([("99", "99", "99", "*"), ("1", "0-8", "0-16", "*")])
    assert days.parent("99") == "*"
    assert days.generalise("99", 2) == "99"


def test_arrays(zips: Hierarchy) -> None:
    assert zips.encode(["02142", None, "02138"]).tolist() == [3, 4, 0]
    assert zips.level_codes(1).tolist() == [0, 0, 1, 1, 2]
    assert zips.level_labels(1) == ("0213*", "0214*", None)
    assert zips.parents(1).tolist() == [0, 0, 1]
    assert zips.sizes(2).tolist() == [4, 1]
    assert zips.sizes(3).tolist() == [4]
    assert zips.node_count(1) == 2
    with pytest.raises(ValueError, match="read-only"):
        zips.level_codes(1)[0] = 9


def test_missing_stays_missing_up_to_the_root(zips: Hierarchy) -> None:
    assert zips.ancestors(None) == (None, None, None, "*****")
    assert zips.recode([None, "02138", float("nan"), ""], 1) == [None, "0213*", None, None]


def test_a_row_without_value_says_what_becomes_of_missing() -> None:
    rows = [("a", "known", "*"), (None, "unknown", "*")]
    assert table_hierarchy(rows).ancestors(None) == (None, "unknown", "*")
    rows = [("a", "known", "x", "*"), ("", "", "unknown", "*")]
    assert table_hierarchy(rows).ancestors(None) == (None, None, "unknown", "*")


def test_unknown_values_of_the_data_are_told_by_record_and_not_shown(zips: Hierarchy) -> None:
    values = ["02138", "north", "south", "east", "west", "north"]
    with pytest.raises(InputError) as caught:
        zips.encode(values, first_record=10)
    message = str(caught.value)
    assert "'zip' does not know 4 values of the data (record 12, 13, 14, …)" in message
    assert not any(value in message for value in values)
    assert zips.unknown(values) == ["north", "south", "east", "west"]
    for ask in (zips.find, zips.ancestors, zips.parent):
        with pytest.raises(InputError, match="does not know '9'"):
            ask("9")


def test_wrong_levels_are_refused(zips: Hierarchy) -> None:
    for level in (-1, 4):
        with pytest.raises(InputError, match=f"from 0 .* to 3 .* Got {level}"):
            zips.generalise("02138", level)
    with pytest.raises(InputError, match="no parent"):
        zips.parents(3)
    with pytest.raises(InputError, match="at least one value"):
        zips.common_ancestor([])


@given(tables())
def test_every_value_reaches_the_root_and_levels_are_monotone(rows: list[tuple[str, ...]]) -> None:
    h = table_hierarchy(rows)
    assert h.values == tuple(row[0] for row in rows)
    assert {h.generalise(v, h.height) for v in h.values} == {h.root}
    for level in range(h.height):
        above: dict[str | None, str | None] = {}
        for value in h.values:
            up = h.generalise(value, level + 1)
            assert above.setdefault(h.generalise(value, level), up) == up


@given(tables())
def test_codes_agree_with_generalise_row_by_row(rows: list[tuple[str, ...]]) -> None:
    h = table_hierarchy(rows)
    values = [*h.values, None]
    codes = h.encode(values)
    for level in h.levels:
        labels = h.level_labels(level)
        found = [labels[c] for c in h.level_codes(level)[codes]]
        assert found == [h.generalise(v, level) for v in values]
        assert found[:-1] == [row[level] for row in rows]
        sizes = {label: found[:-1].count(label) for label in found[:-1]}
        assert {n: s for n, s in zip(labels, h.sizes(level), strict=True) if n} == sizes
        if level < h.height:
            assert np.array_equal(h.parents(level)[h.level_codes(level)], h.level_codes(level + 1))


@given(tables(), st.data())
def test_common_ancestor_by_brute_force(rows: list[tuple[str, ...]], data: st.DataObject) -> None:
    h = table_hierarchy(rows)
    chosen = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=4))
    level = next(i for i in h.levels if len({row[i] for row in chosen}) == 1)
    node = h.common_ancestor([row[0] for row in chosen])
    assert (node.label, node.level) == (chosen[0][level], level)
    assert node.size == sum(row[level] == node.label for row in rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no rows"),
        ([("a",)], "one column"),
        ([("a", "x"), ("b", "y")], "row 2 ends with 'y', but row 1 with 'x'. A hierarchy has one"),
        ([("a", "*"), ("b", "x", "*")], "row 2 has 3 columns, but row 1 has 2"),
        ([("a", "x", "*"), ("a", "y", "*")], "row 2 gives 'a' other ancestors than row 1"),
        (
            [("a", "x", "p", "*"), ("b", "x", "q", "*")],
            "row 2 puts 'x' .level 1. under 'q', but row 1 under 'p'",
        ),
        ([("a", "b", "a", "*")], "row 1 goes round in a circle: 'a' stands at level 0 and"),
        (
            [("x", "p", "*"), ("a", "x", "*")],
            "'x' stands at level 0 in row 1 and at level 1 in row 2 for other values",
        ),
        ([("a", "", "*")], "row 1 has no label at level 1"),
        ([("a", "*"), ("", "")], "row 2 is empty"),
        ([("", "*")], "no value"),
        ([("", "x", "*"), ("a", "x", "*"), ("", "y", "*")], "the missing value other ancestors"),
    ],
)
def test_what_is_no_hierarchy_is_refused(rows: list[tuple[str, ...]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        table_hierarchy(rows)


def test_all_problems_are_told_at_once() -> None:
    rows = [("a", "x", "*"), *(("a", f"y{i}", "*") for i in range(12))]
    with pytest.raises(InputError) as caught:
        table_hierarchy(rows, name="v")
    lines = str(caught.value).splitlines()
    assert lines[0] == "The hierarchy of 'v' has 12 problems:"
    assert lines[-1] == "- and 2 more."
    assert len(lines) == 12


def test_equal_rows_may_repeat_and_equality_is_by_content() -> None:
    one = table_hierarchy([("a", "*"), ("b", "*"), ("a", "*")], name="v")
    two = table_hierarchy([("a", "*"), ("b", "*")], name="v")
    assert one == two
    assert hash(one) == hash(two)
    assert one != table_hierarchy([("b", "*"), ("a", "*")], name="v")
    assert one != table_hierarchy([("a", "x"), ("b", "x")], name="v")


def test_it_prints_itself(zips: Hierarchy) -> None:
    assert repr(zips) == "Hierarchy('zip', 4 values, height 3)"
    assert str(zips) == "zip: 4 → 2 → 1 → 1 (*****)"
    assert "<td>0213*</td>" in table_hierarchy(FIGURE_31)._repr_html_()
    assert "&lt;50K" in table_hierarchy([("<50K", "*")])._repr_html_()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("02138", "02138"),
        (12, "12"),
        (12.0, "12"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
        (np.int64(3), "3"),
        (np.float64(2.5), "2.5"),
        (np.float64("nan"), None),
        (True, "true"),
        (np.bool_(False), "false"),
        (Decimal("12.50"), "12.5"),
        (Decimal("1200"), "1200"),
        (Decimal("-0.0"), "0"),
        (Decimal("NaN"), None),
        (datetime.date(1965, 3, 12), "1965-03-12"),
        (datetime.datetime(1965, 3, 12), "1965-03-12"),
        (datetime.datetime(1965, 3, 12, 8, 30), "1965-03-12T08:30:00"),
        (np.datetime64("1965-03-12"), "1965-03-12"),
        (np.datetime64("NaT"), None),
        (pd.NaT, None),
        (pd.NA, None),
        (pd.Timestamp("1965-03-12"), "1965-03-12"),
        ("", None),
        (None, None),
    ],
)
def test_canonical_text(value: object, text: str | None) -> None:
    assert as_text(value) == text


def test_canonical_text_of_columns() -> None:
    dates = np.array(["1965-03-12", "NaT"], dtype="datetime64[ns]")
    assert as_texts(dates) == ["1965-03-12", None]
    assert as_texts(pd.Series([1, None])) == ["1", None]
    assert as_texts(pa.array([1, None, 3])) == ["1", None, "3"]
    assert as_texts(pa.array([datetime.date(1965, 3, 12)])) == ["1965-03-12"]
