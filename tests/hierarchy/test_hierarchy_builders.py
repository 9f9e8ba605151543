"""The builders: codes, intervals, dates, taxonomies, orders; and the choice among them."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.hierarchy import (
    Hierarchy,
    as_text,
    choose_hierarchy,
    code_hierarchy,
    date_hierarchy,
    interval_hierarchy,
    ordered_hierarchy,
    suppression_only,
    taxonomy_hierarchy,
)

ZIPS = ["02138", "02139", "02141", "02142"]


def assert_monotone(h: Hierarchy) -> None:
    """Check the definition pair by pair, by another way than the class itself does."""
    paths = [h.ancestors(value) for value in h.values]
    assert {path[-1] for path in paths} == {h.root}
    for level in range(h.height):
        pairs = {(path[level], path[level + 1]) for path in paths}
        assert len(pairs) == len({low for low, _ in pairs})


# Codes


def test_sweeney_figure_18_by_prefix_masking() -> None:
    zips = code_hierarchy(ZIPS, minimum=3)
    assert zips.height == 2
    assert zips.root == "021**"
    assert [zips.generalise(z, 1) for z in ZIPS] == ["0213*", "0213*", "0214*", "0214*"]


def test_sweeney_figure_31_by_prefix_masking() -> None:
    zips = code_hierarchy(ZIPS, digits=(4, 3), root="*****")
    assert zips.ancestors("02138") == ("02138", "0213*", "021**", "*****")
    assert zips.distance("02138", "0213*") == 1
    assert zips.distance("02138", "*****") == 3


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({}, "02138 0213* 021** 02*** 0**** *"),
        ({"digits": (3, 2, 0)}, "02138 021** 02*** *"),
        ({"digits": (3,)}, "02138 021** *"),
        ({"minimum": 3}, "02138 0213* 021** *"),
    ],
)
def test_steps_of_digits(options: dict[str, Any], path: str) -> None:
    assert code_hierarchy(["02138", "53711"], **options).ancestors("02138") == tuple(path.split())


def test_codes_of_different_lengths_share_the_node_of_their_beginning() -> None:
    icd = code_hierarchy(["E11.91", "E11.9", "E11", "E12.0", "A00"])
    assert icd.ancestors("E11.91") == ("E11.91", "E11.9*", "E11*", "E1*", "E*", "*")
    assert icd.ancestors("E11") == ("E11", "E11", "E11*", "E1*", "E*", "*")
    assert icd.common_ancestor(["E11", "E11.9"]).label == "E11*"


def test_codes_cut_at_separators() -> None:
    nace = code_hierarchy(["A.01.11", "A.01.2", "A.02", "B"], at_separators=True)
    assert nace.ancestors("A.01.11") == ("A.01.11", "A.01*", "A*", "*")
    assert nace.ancestors("A.02") == ("A.02", "A.02*", "A*", "*")
    assert nace.ancestors("B") == ("B", "B", "B*", "*")


def test_codes_of_one_shape_keep_their_separators() -> None:
    assert code_hierarchy(["01.11", "01.12"]).ancestors("01.11")[1:4] == ("01.1*", "01.**", "0*.**")


def test_codes_that_were_masked_before_join_their_node() -> None:
    zips = code_hierarchy(["02138", "0213*", "*"])
    assert zips.ancestors("0213*")[:3] == ("0213*", "0213*", "021**")
    assert set(zips.ancestors("*")) == {"*"}
    assert code_hierarchy(["E11.9", "E1*"]).ancestors("E1*")[-3:] == ("E1*", "E*", "*")


def test_special_codes_stand_apart() -> None:
    zips = code_hierarchy([*ZIPS, "unknown"], digits=(4, 3), special=["unknown"])
    assert zips.ancestors("unknown") == ("unknown", "unknown", "unknown", "*")
    assert zips.ancestors("02138")[1] == "0213*"


@pytest.mark.parametrize(
    "options", [{"digits": (3, 4)}, {"digits": (3, -1)}, {"digits": (3,), "minimum": 2}]
)
def test_wrong_steps_of_digits(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="of 'zip' must"):
        code_hierarchy(ZIPS, name="zip", **options)


@given(st.lists(st.from_regex(r"[A-C][0-9]{1,2}(\.[0-9]{1,2})?", fullmatch=True), min_size=1))
def test_codes_are_monotone(codes: list[str]) -> None:
    assert_monotone(code_hierarchy(codes))
    assert_monotone(code_hierarchy(codes, at_separators=True))


# Intervals


def contains(label: str, number: Fraction) -> bool:
    """Read an interval label as a person would."""
    if match := re.fullmatch(r"\[(.+), (.+)\)", label):
        return Fraction(match[1]) <= number < Fraction(match[2])
    if label[0] in "<≥":
        limit = Fraction(label[1:])
        return number < limit if label[0] == "<" else number >= limit
    match = re.fullmatch(r"(-?\d+)(?:(?:-| to )(-?\d+))?", label)
    assert match is not None
    return int(match[1]) <= number <= int(match[2] or match[1])


@given(
    st.lists(st.integers(-300, 300), min_size=1),
    st.lists(st.integers(2, 4), min_size=1, max_size=3),
    st.integers(1, 12),
    st.none() | st.integers(-100, 0),
    st.none() | st.integers(1, 100),
    st.integers(-5, 5),
)
def test_integer_intervals_contain_their_values(
    values: list[int],
    factors: list[int],
    width: int,
    bottom: int | None,
    top: int | None,
    origin: int,
) -> None:
    widths = [width]
    for factor in factors:
        widths.append(widths[-1] * factor)
    h = interval_hierarchy(values, widths=widths, bottom=bottom, top=top, origin=origin)
    assert_monotone(h)
    assert h.values == tuple(str(v) for v in sorted(set(values)))
    for value in values:
        assert all(contains(str(lb), Fraction(value)) for lb in h.ancestors(value)[1:-1])


@given(
    st.lists(st.floats(-1e6, 1e6) | st.floats(-1, 1), min_size=1),
    st.sampled_from(["0.1", "0.25", "3"]),
)
def test_float_intervals_contain_their_values(values: list[float], width: str) -> None:
    widths = [Fraction(width) * k for k in (1, 2, 10)]
    h = interval_hierarchy(values, widths=[float(w) for w in widths], integers=False)
    assert_monotone(h)
    for value in values:
        written = Fraction(str(as_text(value)))
        for label, w in zip(h.ancestors(value)[1:-1], widths, strict=True):
            assert contains(str(label), written)
            low, high = (Fraction(x) for x in str(label)[1:-1].split(", "))
            assert high - low == w
            assert low % w == 0


@given(st.lists(st.integers(-50, 150), min_size=1))
def test_cut_points_contain_their_values(values: list[int]) -> None:
    h = interval_hierarchy(values, cuts=[(0, 5, 18, 40, 65, 85), (18, 65), (18,)])
    assert_monotone(h)
    for value in values:
        assert all(contains(str(lb), Fraction(value)) for lb in h.ancestors(value)[1:-1])


def test_ages_with_bottom_and_top_code() -> None:
    ages = interval_hierarchy(range(100), widths=(5, 10, 20), bottom=15, top=85)
    assert ages.ordered
    assert ages.ancestors(3) == ("3", "<15", "<15", "<15", "*")
    assert ages.ancestors(17) == ("17", "15-19", "15-19", "15-19", "*")
    assert ages.ancestors(84) == ("84", "80-84", "80-84", "80-84", "*")
    assert ages.ancestors(52) == ("52", "50-54", "50-59", "40-59", "*")
    assert ages.ancestors(85)[1] == "≥85"
    assert ages.ancestors(None) == (None, None, None, None, "*")


def test_special_numbers_stand_apart_and_order_is_numeric() -> None:
    ages = interval_hierarchy([100, 20, 3, 999], widths=(5,), special=[999])
    assert ages.values == ("3", "20", "100", "999")
    assert ages.ancestors(999) == ("999", "999", "*")
    assert not ages.ordered


def test_negative_and_decimal_labels() -> None:
    assert interval_hierarchy([-3], widths=(5,)).generalise(-3, 1) == "-5 to -1"
    assert interval_hierarchy([0.3], widths=(0.1,)).generalise(0.3, 1) == "[0.3, 0.4)"
    assert interval_hierarchy([20], widths=(5,), integers=False).generalise(20, 1) == "[20, 25)"
    assert interval_hierarchy(["1e300"], widths=(5,)).generalise("1e300", 1).endswith("4")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"widths": (5, 12)}, "multiple of the one before"),
        ({"widths": (0, 5)}, "must be positive"),
        ({"widths": ()}, "must be positive"),
        ({"widths": (5,), "bottom": 20, "top": 10}, "bottom of 'age' must lie below top"),
        ({"cuts": [(18, 65), (20,)]}, "level 2 must all be cuts at level 1"),
        ({"cuts": [(18, 5)]}, "rising"),
        ({"cuts": [(18,)], "top": 85}, "go with widths"),
        ({"widths": ("x",)}, "must be numbers"),
        ({"widths": (0.5,), "integers": True}, "whole numbers"),
    ],
)
def test_wrong_intervals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        interval_hierarchy([3, 20], name="age", **options)


def test_values_that_are_no_numbers_are_counted_not_told() -> None:
    with pytest.raises(InputError, match="1 of 2 distinct values") as caught:
        interval_hierarchy([3, "secret"], widths=(5,))
    assert "secret" not in str(caught.value)


# Dates


@pytest.mark.parametrize(
    ("months", "label"),
    [(2, "1965-07/08"), (4, "1965-05/08"), (6, "1965-07/12"), (12, "1965"), (24, "1964-1965")],
)
def test_sweeney_figure_27_windows(months: int, label: str) -> None:
    assert date_hierarchy(["1965-08-31"], windows=(months,)).generalise("1965-08-31", 1) == label


def test_windows_that_nest() -> None:
    h = date_hierarchy(["1965-03-12"], windows=("month", 2, "4 months", 12, "2 years", "10 years"))
    assert h.ancestors("1965-03-12") == (
        *("1965-03-12", "1965-03", "1965-03/04", "1965-01/04", "1965", "1964-1965", "1960-1969"),
        "*",
    )
    assert date_hierarchy(["1965-03-12"]).ancestors("1965-03-12") == (
        *("1965-03-12", "1965-03", "1965-01/06", "1965", "1965-1969", "1960-1969", "*"),
    )


@pytest.mark.parametrize("windows", [(4, 6), (6, 4), (24, 60), (12, 12)])
def test_windows_that_do_not_nest(windows: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=f"Windows of {windows[0]} and {windows[1]} months do not"):
        date_hierarchy(["1965-03-12"], windows=windows)


@pytest.mark.parametrize("window", [5, 0, -12, 18, "week", "x months", "1.5 years"])
def test_windows_of_other_lengths(window: int | str) -> None:
    with pytest.raises(InputError, match="A window of 'birth' must be"):
        date_hierarchy(["1965-03-12"], name="birth", windows=(window,))


def test_partial_dates_and_moments() -> None:
    h = date_hierarchy(["1965", "1965-03", datetime.date(1965, 3, 12)], windows=(1, 2, 12))
    assert h.ancestors("1965") == ("1965", "1965", "1965", "1965", "*")
    assert h.ancestors("1965-03") == ("1965-03", "1965-03", "1965-03/04", "1965", "*")
    assert h.ancestors("1965-03-12")[1] == "1965-03"
    moments = date_hierarchy([datetime.datetime(1965, 3, 12, 8, 30)], windows=(12,))
    assert moments.ancestors(moments.values[0])[1:] == ("1965-03-12", "1965", "*")


def test_what_is_no_date_is_counted_not_told() -> None:
    with pytest.raises(InputError, match="2 of 3 distinct values") as caught:
        date_hierarchy(["1965-03-12", "12.03.1965", "1965-02-30"], name="birth")
    assert "12.03.1965" not in str(caught.value)


@given(
    st.lists(st.dates(), min_size=1, max_size=30),
    st.sampled_from([(1, 2, 4, 12, 24, 120), (2, 6, 12, 60), (3, 12), (1, 6, 12, 60, 120)]),
)
def test_windows_contain_their_dates(dates: list[datetime.date], windows: tuple[int, ...]) -> None:
    h = date_hierarchy(dates, windows=windows)
    assert_monotone(h)
    for date in dates:
        for label, months in zip(h.ancestors(date)[1:-1], windows, strict=True):
            numbers = [int(n) for n in re.findall(r"\d+", str(label))]
            if months >= 12:
                assert numbers[0] <= date.year <= numbers[-1]
                assert numbers[-1] - numbers[0] + 1 == months // 12
            else:
                assert numbers[0] == date.year
                assert numbers[1] <= date.month <= numbers[-1]
                assert numbers[-1] - numbers[1] + 1 == months


# Taxonomies and orders


def test_taxonomy_with_leaves_at_different_depths() -> None:
    links = {"111": "11", "112": "11", "11": "1", "12": "1", "1": "*", "2": "*"}
    h = taxonomy_hierarchy(links, values=["11"])
    assert h.values == ("111", "112", "12", "2", "11")
    assert h.ancestors("111") == ("111", "11", "1", "*")
    assert h.ancestors("12") == ("12", "12", "1", "*")
    assert h.ancestors("2") == ("2", "2", "2", "*")
    assert h.ancestors("11") == ("11", "11", "1", "*")
    assert_monotone(h)


def test_taxonomy_from_a_file_says_the_line(tmp_path: Path) -> None:
    path = tmp_path / "isco.csv"
    path.write_text("111;11\n11;1\n1;\n")
    assert taxonomy_hierarchy(path).ancestors("111") == ("111", "11", "1")
    assert taxonomy_hierarchy(path).name == "isco"
    path.write_text("a,b\nc,b\na,d\n")
    with pytest.raises(InputError, match=r"'a' has two parents, 'b' \(line 1\) and 'd' \(line 3\)"):
        taxonomy_hierarchy(path)
    path.write_text("a,b\nb,c\nc,a\n")
    with pytest.raises(InputError, match="line 1 goes round in a circle, a → b → c → a"):
        taxonomy_hierarchy(path)
    path.write_text("a,b\na,b,c\n")
    with pytest.raises(InputError, match="line 2 must have two columns"):
        taxonomy_hierarchy(path)


def test_taxonomy_with_two_roots() -> None:
    with pytest.raises(InputError, match="has 2 roots: 'x', 'y'"):
        taxonomy_hierarchy({"a": "x", "b": "y"})
    assert taxonomy_hierarchy({"a": "x", "b": "y"}, root="*").ancestors("a") == ("a", "x", "*")
    with pytest.raises(InputError, match="stands within"):
        taxonomy_hierarchy({"a": "x", "b": "y"}, root="a")


@pytest.mark.parametrize("links", [[], [(None, "a")], [("a", "a")]])
def test_taxonomies_that_are_none(links: list[tuple[object, object]]) -> None:
    with pytest.raises(InputError, match="taxonomy of 'v'"):
        taxonomy_hierarchy(links, name="v")


def test_taxonomy_does_not_know_a_value() -> None:
    with pytest.raises(InputError, match="does not know 1 of the values"):
        taxonomy_hierarchy({"a": "x"}, values=["a", "z"])


@given(st.lists(st.integers(0, 30), min_size=1, max_size=30))
def test_random_trees_are_monotone(ups: list[int]) -> None:
    links = {f"n{i + 1}": f"n{min(up, i)}" for i, up in enumerate(ups)}
    h = taxonomy_hierarchy(links, values=links)
    assert set(h.values) == set(links)
    assert h.root == "n0"
    assert_monotone(h)


@given(st.integers(1, 40), st.integers(2, 5))
def test_ordered_neighbours(count: int, group: int) -> None:
    h = ordered_hierarchy([f"v{i}" for i in range(count)], group=group)
    assert_monotone(h)
    for level in range(h.height):
        assert max(h.sizes(level)) == min(group**level, count)


def test_simple_hierarchies() -> None:
    education = ordered_hierarchy(["a", "b", "c", "d", "e"])
    assert education.ancestors("e") == ("e", "e", "e", "*")
    assert education.ancestors("c") == ("c", "c – d", "a – d", "*")
    assert suppression_only([1, 2, None, 1]).values == ("1", "2")
    with pytest.raises(InputError, match="at least 2"):
        ordered_hierarchy(["a"], group=1)
    with pytest.raises(InputError, match="needs at least one value"):
        suppression_only([None])


# Choice


@pytest.mark.parametrize(
    ("name", "values", "level", "first", "word"),
    [
        ("birth", ["1965-03-12", None], None, "1965-03", "dates"),
        ("birth", [datetime.date(1965, 3, 12)], "nominal", "1965-03", "dates"),
        ("region", ["02138", "10001"], None, "0213*", "codes"),
        ("zip", [53711, 53715], None, "5371*", "codes"),
        ("diagnosis", ["E11.9", "A00"], None, "E11*", "ICD-10"),
        ("age", list(range(100)), None, "0-4", "numbers"),
        ("score", [0.5, 1.5, 9.0], None, "[0.5, 1)", "numbers"),
        ("children", [0, 1, 2, 3], None, "*", "suppressed"),
        ("children", [0, 1, 2, 3], "numeric", "0-1", "numbers"),
        ("sex", ["male", "female"], None, "*", "suppressed"),
        ("job", ["2511", "25"], "taxonomy", "251*", "codes"),
        ("year", [1900, 2000], "numeric", "1900-1904", "numbers"),
        ("constant", [5], "numeric", "*", "suppressed"),
    ],
)
def test_choice_by_content(
    name: str, values: list[object], level: Any, first: str, word: str
) -> None:
    hierarchy, reason = choose_hierarchy(name, values, level)
    assert hierarchy.name == name
    assert hierarchy.generalise(values[0], 1) == first
    assert f"'{name}' has no hierarchy file" in reason
    assert word in reason


def test_choice_tells_no_value() -> None:
    reason = choose_hierarchy("income", [123457, 7654321, 222, 333, 44, 55, 66, 77, 88]).reason
    assert "7654321" not in reason
    assert "123457" not in reason


def test_choice_with_special_and_with_nothing() -> None:
    ages = choose_hierarchy("age", [*range(90), 999], special=[999])
    assert ages.hierarchy.ancestors(999)[1:-1] == ("999",) * (ages.hierarchy.height - 1)
    assert ages.hierarchy.generalise(12, 1) == "10-14"
    assert choose_hierarchy("empty", [None, None]).hierarchy.generalise(None, 0) is None


@given(
    st.lists(
        st.integers()
        | st.floats(allow_nan=True, allow_infinity=True)
        | st.none()
        | st.text(max_size=6)
        | st.dates()
    )
)
def test_choice_never_fails_and_knows_all_values(values: list[object]) -> None:
    hierarchy, _ = choose_hierarchy("anything", values)
    assert len(hierarchy.encode(values)) == len(values)


@given(st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False), min_size=8))
def test_choice_of_numbers_never_fails(values: list[float]) -> None:
    hierarchy, _ = choose_hierarchy("amount", values, "numeric")
    assert_monotone(hierarchy)
