"""Openshaw, Duke-Williams and Rees (1997), "Measuring confidentiality risks in census data",
section 2 and the worked example of section 5 for microdata (Tables 3, 4 and 5).

Three slips of the paper are followed where they are right and not where they are wrong: Table 4
prints 1 for the relative uniqueness of person 10 of group B, whose twin, person 5, has .88; the
definition of δ ("if equation (4) is zero") must mean the first equation (5); and equation (7) is
worked out as the mean of D although it is defined by δ. Two equations are numbered (5), none (6).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct
from indistinct.core.errors import InputError
from indistinct.keys import KeyTable, Recode
from indistinct.results import MOST_LINES
from indistinct.risk.openshaw import WORST_CASE, coding_effect, match_matrix, openshaw_risk

# Table 3: sex, age, ethnic group
GROUP_A = [
    (1, 27, 1),
    (2, 40, 4),
    (1, 11, 1),
    (2, 59, 1),
    (1, 52, 1),
    (1, 38, 2),
    (2, 5, 2),
    (1, 13, 1),
    (2, 68, 1),
    (2, 57, 3),
]
GROUP_B = [*GROUP_A[:9], (1, 52, 1)]
NAMES = ["sex", "age", "ethnic"]


def counted(rows: list[tuple]) -> tuple[KeyTable, indistinct.keys.Uniques]:
    columns = {name: [row[j] for row in rows] for j, name in enumerate(NAMES)}
    with indistinct.open_data(pa.table(columns)) as data:
        found = data.uniques(NAMES, k=2)
        return found.key_table, found


def by_person(found: indistinct.keys.Uniques, values: np.ndarray) -> list:
    return np.concatenate(list(found.tally.per_record(values))).tolist()


def test_table_4_equation_2_sums_of_differences():
    for group, expected in ((GROUP_A, [9] * 10), (GROUP_B, [9, 9, 9, 9, 8, 9, 9, 9, 9, 8])):
        table, found = counted(group)
        assert by_person(found, openshaw_risk(table).difference) == expected


def test_table_4_equation_4_relative_uniqueness_of_person_10_is_that_of_its_twin():
    table, found = counted(GROUP_A)
    assert by_person(found, openshaw_risk(table).relative) == [1.0] * 10
    table, found = counted(GROUP_B)
    # printed .88 for person 5 and, wrongly, 1 for person 10
    expected = [1, 1, 1, 1, 8 / 9, 1, 1, 1, 1, 8 / 9]
    assert by_person(found, openshaw_risk(table).relative) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("group", "share", "mean"), [(GROUP_A, 1.0, 1.0), (GROUP_B, 0.8, 0.9777777777777777)]
)
def test_equation_7_in_both_readings(group, share, mean):
    risk = openshaw_risk(counted(group)[0])
    assert risk.share_unique == share
    assert risk.mean_difference == pytest.approx(mean, abs=1e-9)
    assert risk.risk == share
    chosen = openshaw_risk(counted(group)[0], reading="mean difference")
    assert chosen.risk == risk.mean_difference


@pytest.mark.parametrize(
    ("group", "unique"), [(GROUP_A, list(range(1, 11))), (GROUP_B, [1, 2, 3, 4, 6, 7, 8, 9])]
)
def test_persons_unique_as_microdata(group, unique):
    table, found = counted(group)
    risk = openshaw_risk(table)
    flags = by_person(found, risk.difference == risk.records - 1)
    assert [i for i, flag in enumerate(flags, start=1) if flag] == unique
    assert risk.unique == len(unique)


def test_near_uniques_of_group_b_are_eight_and_two():
    assert dict(openshaw_risk(counted(GROUP_B)[0]).near_unique) == {1: 8, 2: 2, 3: 0}


def test_equation_5_minimum_when_all_are_identical_with_a_word_on_small_n():
    risk = openshaw_risk(counted([(1, 30, 1)] * 5)[0])
    assert risk.all_identical
    assert risk.mean_difference == 0
    assert risk.relative.tolist() == [0.0]
    assert any("only 5 records" in note for note in risk.notes)
    many = openshaw_risk(counted([(1, 30, 1)] * 60)[0])
    assert not any("only" in note for note in many.notes)


def test_table_5_coarser_ages_lower_equation_7():
    table, _ = counted(GROUP_A)
    low, size = table.coding.variables[1].low, table.coding.variables[1].size
    fives = Recode((np.arange(low, low + size) // 5), [f"{5 * i}" for i in range(14)])
    coarser = table.rollup(recodes={"age": fives})[0]
    # Age1 of persons 3 and 8 is 3 for both; 4 and 10 share 12 but not the ethnic group
    effect = coding_effect(table, coarser)
    assert (effect.before.unique, effect.after.unique) == (10, 8)
    assert effect.after.mean_difference == pytest.approx(88 / 90)


rows = st.lists(
    st.tuples(st.integers(1, 2), st.integers(0, 6), st.one_of(st.none(), st.integers(1, 2))),
    min_size=1,
    max_size=40,
)
relaxed = settings(deadline=None, max_examples=30)


@relaxed
@given(rows)
def test_sums_without_the_matrix_equal_the_full_matrix(records):
    table, _ = counted(records)
    risk = openshaw_risk(table)
    matrix = match_matrix(table)
    n = len(records)
    per_record = np.repeat(risk.difference, table.counts)
    assert matrix.sum(axis=1).tolist() == per_record.tolist()
    if n > 1:
        assert risk.mean_difference == pytest.approx(matrix.sum() / (n * (n - 1)))
        assert risk.share_unique == np.mean(matrix.sum(axis=1) == n - 1)


@relaxed
@given(rows)
def test_coarser_coding_never_raises_either_reading(records):
    table, _ = counted(records)
    size = table.coding.variables[1].size
    halves = Recode(np.arange(size) // 2, list(range((size + 1) // 2)))
    effect = coding_effect(table, table.rollup(recodes={"age": halves})[0])
    assert effect.after.share_unique <= effect.before.share_unique
    assert effect.after.mean_difference <= effect.before.mean_difference + 1e-12


def test_hundred_thousand_records_need_no_matrix():
    ages = np.arange(100_000) % 50_000
    with indistinct.open_data(pa.table({"age": ages})) as data:
        table = data.key_table(["age"])
    risk = openshaw_risk(table)
    assert risk.near_unique[2] == 100_000
    assert risk.mean_difference == pytest.approx((100_000 - 2) / (100_000 - 1))
    with pytest.raises(InputError, match=r"at most 5,000 records. Got 100,000"):
        match_matrix(table)


def test_every_assumption_can_be_discounted_and_scales_the_risk():
    table, _ = counted(GROUP_B)
    assert len(WORST_CASE) == 8
    for name in WORST_CASE:
        risk = openshaw_risk(table, discounts={name: 0.25})
        assert risk.risk == pytest.approx(0.2)
        assert sum("probability 0.25" in text for text in risk.assumptions) == 1
    both = openshaw_risk(table, discounts={"accuracy": 0.5, "date": 0.5}, threshold=0.1)
    assert both.risk == pytest.approx(0.2)
    assert both.class_risk.max() == 0.25
    assert both.exceeds is True
    assert openshaw_risk(table, discounts={"date": 0.0}, threshold=0.1).exceeds is False
    assert openshaw_risk(table).exceeds is None


def test_wrong_options_are_told_together():
    table, _ = counted(GROUP_B)
    with pytest.raises(InputError) as told:
        openshaw_risk(table, discounts={"accurracy": 0.5, "date": 2}, threshold=-1)
    text = str(told.value)
    assert "Did you mean 'accuracy'?" in text
    assert "'date' must be a probability from 0 to 1. Got 2." in text
    assert "The threshold must be from 0 to 1. Got -1." in text


def test_both_sets_of_variables_are_declared():
    risk = openshaw_risk(counted(GROUP_A)[0], other_variables=("income",))
    assert risk.to_dict()["match_variables"] == NAMES
    assert risk.to_dict()["other_variables"] == ["income"]
    assert len(repr(risk).splitlines()) <= MOST_LINES
