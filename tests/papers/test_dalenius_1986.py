"""Dalenius (1986), "Finding a needle in a haystack": every worked example of the paper.

Records are numbered from 1 as in the paper; the functions count from 0.
"""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

import indistinct
from indistinct.core.errors import InputError
from indistinct.engine import bits_needed
from indistinct.keys import (
    T1,
    T2,
    Group,
    Integers,
    RunningTally,
    best_transformation,
    find_groups,
    unique_records,
)

NAMES = ["X", "Y", "Z", "U", "V"]
SECTION_3_2 = [
    [1, 0, 1, 1, 0],
    [0, 1, 1, 0, 1],
    [1, 0, 1, 1, 0],
    [0, 1, 1, 0, 1],
    [1, 1, 1, 0, 1],
    [0, 1, 1, 0, 1],
    [0, 1, 1, 0, 1],
]
SIZES_3_2 = (2, 2, 2, 2, 2)
SECTION_3_4 = [
    [1, 3, 2, 0, 1],
    [0, 2, 2, 1, 0],
    [1, 1, 0, 0, 1],
    [1, 3, 2, 0, 1],
    [0, 2, 2, 1, 0],
    [0, 2, 2, 1, 0],
    [1, 3, 2, 0, 1],
]
SIZES_3_4 = (2, 4, 3, 2, 2)
SECTION_5_3 = [
    [1, 1, 3, 2, 2],
    [0, 0, 5, 0, 2],
    [1, 1, 3, 2, 2],
    [0, 0, 2, 1, 1],
    [1, 1, 3, 2, 1],
    [0, 0, 5, 0, 2],
    [0, 0, 2, 1, 1],
    [1, 1, 3, 2, 2],
]
APPROACHES = ("sort", "tally", "catalogue")
REPRESENTATIONS = ("integers", "T1", "T2")


def from_one(groups: list[Group]) -> list[tuple[list[int], list[int] | None, int]]:
    """The groups as the paper prints them: data, record numbers from 1, number of records."""
    return [
        (list(g.codes), None if g.records is None else [r + 1 for r in g.records], g.count)
        for g in groups
    ]


def filled(groups: list[Group]) -> list[Group]:
    return [g for g in groups if g.count]


def tally_after(matrix: list[list[int]], records: int, at_most: int | None = None) -> RunningTally:
    tally = RunningTally(at_most=at_most)
    for record, codes in enumerate(matrix[:records]):
        tally.add(record, codes)
    return tally


# 2.4.3: the two representations


def test_a_p_set_as_a_five_digit_integer():
    encoding = Integers((2, 2, 4, 3, 7), "right-to-left")
    row = np.array([[0, 1, 3, 2, 6]])
    assert encoding.text(row) == ["01326"]
    assert encoding.sums(row).tolist() == [1326]


def test_codes_of_two_digits_do_not_run_together():
    encoding = Integers((12, 12), "right-to-left")
    assert encoding.text(np.array([[1, 11], [11, 1]])) == ["0111", "1101"]


# 3.2: the first variant, two categories each


def test_approach_1_sorts_the_records():
    order = [r + 1 for g in find_groups(SECTION_3_2, SIZES_3_2, approach="sort") for r in g.records]
    assert order == [2, 4, 6, 7, 1, 3, 5]


def test_approach_1_in_decreasing_order_gives_the_same_groups():
    increasing = find_groups(SECTION_3_2, SIZES_3_2, approach="sort")
    decreasing = find_groups(SECTION_3_2, SIZES_3_2, approach="sort", decreasing=True)
    assert decreasing == increasing[::-1]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (1, [([1, 0, 1, 1, 0], [1], 1)]),
        (2, [([1, 0, 1, 1, 0], [1], 1), ([0, 1, 1, 0, 1], [2], 1)]),
        (3, [([1, 0, 1, 1, 0], [1, 3], 2), ([0, 1, 1, 0, 1], [2], 1)]),
        (
            7,
            [
                ([1, 0, 1, 1, 0], [1, 3], 2),
                ([0, 1, 1, 0, 1], [2, 4, 6, 7], 4),
                ([1, 1, 1, 0, 1], [5], 1),
            ],
        ),
    ],
)
def test_approach_2_updates_the_table_after_each_record(records, expected):
    assert from_one(tally_after(SECTION_3_2, records).groups()) == expected


def test_approach_3_fills_a_catalogue_of_32():
    groups = find_groups(SECTION_3_2, SIZES_3_2, approach="catalogue")
    assert len(groups) == 32
    assert groups[0].codes == (0, 0, 0, 0, 0)
    assert groups[31].codes == (1, 1, 1, 1, 1)
    assert from_one(filled(groups)) == [
        ([0, 1, 1, 0, 1], [2, 4, 6, 7], 4),
        ([1, 0, 1, 1, 0], [1, 3], 2),
        ([1, 1, 1, 0, 1], [5], 1),
    ]


@pytest.mark.parametrize("approach", APPROACHES)
@pytest.mark.parametrize(("at_most", "records"), [(1, [5]), (2, [1, 3, 5]), (3, [1, 3, 5])])
def test_unique_records_of_section_3_2(approach, at_most, records):
    groups = find_groups(SECTION_3_2, SIZES_3_2, approach=approach)
    assert [r + 1 for r in unique_records(groups, at_most=at_most)] == records


# 3.4: the general case


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("approach", APPROACHES)
def test_groups_of_the_general_case(approach, representation):
    groups = filled(
        find_groups(SECTION_3_4, SIZES_3_4, approach=approach, representation=representation)
    )
    assert sorted(from_one(groups)) == [
        ([0, 2, 2, 1, 0], [2, 5, 6], 3),
        ([1, 1, 0, 0, 1], [3], 1),
        ([1, 3, 2, 0, 1], [1, 4, 7], 3),
    ]


def test_catalogue_of_the_general_case_has_96_entries():
    assert len(find_groups(SECTION_3_4, SIZES_3_4, approach="catalogue")) == 96


@pytest.mark.parametrize(("at_most", "records"), [(2, [3]), (3, [1, 2, 3, 4, 5, 6, 7])])
def test_unique_records_of_section_3_4(at_most, records):
    groups = find_groups(SECTION_3_4, SIZES_3_4)
    assert [r + 1 for r in unique_records(groups, at_most=at_most)] == records


# 4: the second variant


def test_t1_takes_the_next_unused_power_of_two():
    used = sorted({v for table in T1(SIZES_3_4).tables for v in table})
    assert used == [0, 1, 2, 4, 8, 16, 32, 64, 128]


def test_t1_of_section_4_1_2():
    encoding = T1(SIZES_3_2)
    assert encoding.tables == [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]
    codes = np.array(SECTION_3_2)
    assert encoding.transform(codes).tolist() == [
        [1, 0, 4, 8, 0],
        [0, 2, 4, 0, 16],
        [1, 0, 4, 8, 0],
        [0, 2, 4, 0, 16],
        [1, 2, 4, 0, 16],
        [0, 2, 4, 0, 16],
        [0, 2, 4, 0, 16],
    ]
    assert encoding.sums(codes).tolist() == [13, 22, 13, 22, 23, 22, 22]


def test_t1_from_right_to_left():
    sums = T1(SIZES_3_2, "right-to-left").sums(np.array(SECTION_3_2))
    assert sums.tolist() == [22, 13, 22, 13, 29, 13, 13]


def test_t1_of_the_general_case():
    encoding = T1(SIZES_3_4)
    assert encoding.tables == [[0, 1], [0, 2, 4, 8], [0, 16, 32], [0, 64], [0, 128]]
    sums = encoding.sums(np.array(SECTION_3_4))
    assert sums.tolist() == [169, 100, 131, 169, 100, 100, 169]


def test_t2_of_the_general_case():
    encoding = T2(SIZES_3_4)
    assert [table[1] for table in encoding.tables] == [1, 2, 8, 24, 48]
    assert encoding.tables == [[0, 1], [0, 2, 4, 6], [0, 8, 16], [0, 24], [0, 48]]
    assert encoding.sums(np.array(SECTION_3_4)).tolist() == [71, 44, 51, 71, 44, 44, 71]


def test_t2_equals_t1_when_every_variable_has_two_categories():
    assert T2(SIZES_3_2).tables == T1(SIZES_3_2).tables


@pytest.mark.parametrize("kind", [T1, T2, Integers])
@pytest.mark.parametrize("direction", ["left-to-right", "right-to-left"])
def test_sums_are_one_to_one_over_all_96_p_sets(kind, direction):
    every = np.array(list(itertools.product(*map(range, SIZES_3_4))))
    encoding = kind(SIZES_3_4, direction)
    sums = encoding.sums(every)
    assert len(set(sums.tolist())) == 96
    assert (encoding.invert(sums) == every).all()


@pytest.mark.parametrize(
    ("matrix", "sizes", "kind", "total", "records"),
    [
        (SECTION_3_2, SIZES_3_2, T1, 23, [5]),
        (SECTION_3_2, SIZES_3_2, T1, 13, [1, 3]),
        (SECTION_3_4, SIZES_3_4, T1, 131, [3]),
        (SECTION_3_4, SIZES_3_4, T2, 51, [3]),
    ],
)
def test_unique_sums_point_to_unique_records(matrix, sizes, kind, total, records):
    sums = kind(sizes).sums(np.array(matrix))
    assert [i + 1 for i in np.flatnonzero(sums == total)] == records


# 5: applications


def test_largest_sums_and_the_choice_of_transformation():
    assert (T1(SIZES_3_4).largest, T2(SIZES_3_4).largest) == (233, 95)
    assert best_transformation(SIZES_3_4) is T1
    assert best_transformation([10] * 20) is T2


def test_twenty_variables_of_ten_categories_need_more_than_64_bits():
    sizes = [10] * 20
    assert (bits_needed(sizes, "T1"), bits_needed(sizes, "T2")) == (180, 67)
    high = np.full((1, 20), 9)
    for kind in (T1, T2):
        total = kind(tuple(sizes)).sums(high)
        assert int(total[0]) == kind(tuple(sizes)).largest > 2**63
        assert (kind(tuple(sizes)).invert(total) == high).all()


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (1, [([1, 1, 3, 2, 2], [1], 1)]),
        (3, [([1, 1, 3, 2, 2], [1, 3], 2), ([0, 0, 5, 0, 2], [2], 1)]),
        (
            8,
            [
                ([1, 1, 3, 2, 2], [1, 3, 8], 3),
                ([0, 0, 5, 0, 2], [2, 6], 2),
                ([0, 0, 2, 1, 1], [4, 7], 2),
                ([1, 1, 3, 2, 1], [5], 1),
            ],
        ),
    ],
)
def test_running_tally_of_section_5_3(records, expected):
    assert from_one(tally_after(SECTION_5_3, records).groups()) == expected


@pytest.mark.parametrize("by_sum", [False, True])
def test_records_are_forgotten_once_a_key_is_seen_more_than_k_times(by_sum):
    sums = T2((2, 2, 6, 3, 3)).sums(np.array(SECTION_5_3)).tolist()
    tally = RunningTally(at_most=2)
    for record, codes in enumerate(SECTION_5_3):
        tally.add(record, codes, key=sums[record] if by_sum else None)
    forgotten = [list(g.codes) for g in tally.groups() if g.records is None]
    kept = [[r + 1 for r in g.records] for g in tally.groups() if g.records is not None]
    assert forgotten == [[1, 1, 3, 2, 2]]
    assert kept == [[2, 6], [4, 7], [5]]
    assert tally.remembered == 5
    # a forgotten key that comes again is not new
    tally.add(8, SECTION_5_3[0], key=sums[0] if by_sum else None)
    assert [g.count for g in tally.groups()] == [4, 2, 2, 1]


# The same examples through the engine, as a user meets them


@pytest.mark.parametrize("approach", APPROACHES)
@pytest.mark.parametrize(
    ("matrix", "at_most", "case_i", "case_ii"),
    [
        (SECTION_3_2, 2, [5], [1, 3]),
        (SECTION_3_2, 1, [5], []),
        (SECTION_3_4, 2, [3], []),
        (SECTION_3_4, 3, [3], [1, 2, 4, 5, 6, 7]),
        (SECTION_5_3, 2, [5], [2, 4, 6, 7]),
    ],
)
def test_engine_tells_case_i_from_case_ii(matrix, at_most, case_i, case_ii, approach):
    table = pa.table(dict(zip(NAMES, map(list, zip(*matrix, strict=True)), strict=True)))
    with indistinct.open_data(table) as data:
        found = data.uniques(NAMES, at_most=at_most, approach=approach)
        cases = [c for batch in found.per_record() for c in batch.column("case").to_pylist()]
    assert [i + 1 for i, c in enumerate(cases) if c == "i"] == case_i
    assert [i + 1 for i, c in enumerate(cases) if c == "ii"] == case_ii
    assert (found.unique, found.at_risk) == (len(case_i), len(case_i) + len(case_ii))
    assert (found.records, found.k) == (len(matrix), at_most + 1)


def test_catalogue_too_large_is_refused():
    table = pa.table({f"v{i}": np.arange(100) % 10 for i in range(12)})
    with (
        indistinct.open_data(table) as data,
        pytest.raises(InputError, match="catalogue of all possible keys would need 1e\\+12"),
    ):
        data.uniques(table.column_names, approach="catalogue")


def test_code_outside_its_categories_is_refused_by_variable_and_record():
    with pytest.raises(InputError, match="variable 2 in record 2 is outside its categories 0 to 1"):
        T2((2, 2)).sums(np.array([[0, 1], [1, 2]]))


def test_variable_not_public_for_a_record_is_ignored_in_its_p_set():
    # Section 2.2. The last person's income is not public: on age alone, three agree.
    table = pa.table({"age": [30, 30, 30, 41], "income": [1, 1, 2, 1], "known": [1, 1, 0, 1]})
    with indistinct.open_data(table) as data:
        everyone = data.uniques(["age", "income"], k=2)
        some = data.uniques(["age", "income"], k=2, public={"income": "known"})
        assert everyone.frequency().tolist() == [2, 2, 1, 1]
        assert some.frequency().tolist() == [2, 2, 3, 1]
    assert (some.unique, some.at_risk, some.classes) == (1, 1, 3)


def test_category_of_small_populations_is_flagged():
    # Section 2.3: places of residence should be large.
    table = pa.table({"place": ["city"] * 60 + ["hamlet"] * 3, "sex": [1, 2, 1] * 21})
    with indistinct.open_data(table) as data:
        warnings = data.uniques(["place", "sex"], k=2, floor=50).warnings
    assert len(warnings) == 2
    assert "'place' has a category with fewer than 50 records (the smallest 3)" in warnings[0]
    assert not any("hamlet" in warning for warning in warnings)
