"""Kin found by rule agree with a slow search, household by household."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_kin import Person, find_slowly

from indistinct.census import census_table
from indistinct.core.errors import InputError
from indistinct.households import KIN, NOBODY, Column, HouseholdColumns, find_kin

STATUS = ("married", "formerly", "never")
COLUMNS = HouseholdColumns(
    "home",
    "kin",
    "sex",
    "age",
    "status",
    **{name: (name,) for name in KIN},
    male=("m",),
    female=("f",),
    married=("married",),
    formerly_married=("formerly",),
    never_married=("never",),
)
CENSUS = HouseholdColumns(
    "household",
    "relationship",
    "sex",
    "age",
    "marital",
    head=(1,),
    spouse=(2, 3),
    child=(4,),
    child_in_law=(5,),
    grandchild=(6,),
    parent=(7,),
    sibling=(8,),
    male=(1,),
    female=(2,),
    married=(2,),
    formerly_married=(3, 4, 5),
    never_married=(1,),
)


def fast(people: list[Person]):
    return find_kin(
        COLUMNS,
        {
            "home": np.array([p.household for p in people], dtype=np.int64),
            "kin": np.array([p.kin for p in people], dtype=object),
            "sex": np.array([p.sex or None for p in people], dtype=object),
            "age": np.array([np.nan if p.age is None else p.age for p in people]),
            "status": np.array([p.status or None for p in people], dtype=object),
        },
    )


def assert_same(kinship, people):
    for relative in ("head", "spouse", "mother", "father"):
        assert kinship.of(relative).tolist() == [getattr(p, relative) for p in people], relative


person = st.builds(
    Person,
    household=st.integers(0, 2),
    kin=st.sampled_from([*KIN[1:], "lodger"]),
    sex=st.sampled_from(["m", "f", "m", "f", ""]),
    age=st.one_of(st.none(), st.integers(0, 95)),
    status=st.sampled_from([*STATUS, ""]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(person, max_size=24), st.lists(st.booleans(), min_size=3, max_size=3))
def test_any_household_as_slowly(people, with_head):
    for household, head in enumerate(with_head):
        first = next((p for p in people if p.household == household), None)
        if head and first is not None:
            first.kin = "head"
    kinship = fast(people)
    find_slowly(people)
    assert_same(kinship, people)


def test_synthetic_census_as_slowly():
    table = census_table(20_000, seed=5, names=False)
    arrays = {name: table.column(name).to_numpy() for name in CENSUS.names}
    codes = CENSUS.codes(*KIN)
    people = [
        Person(
            int(home),
            ("", *KIN)[codes.get(int(kin), 0)],
            "mf"[sex - 1],
            int(age),
            ("never", "married", *["formerly"] * 3)[marital - 1],
        )
        for home, kin, sex, age, marital in zip(*(arrays[n] for n in CENSUS.names), strict=True)
    ]
    find_slowly(people)
    assert_same(find_kin(CENSUS, arrays), people)
    assert sum(p.mother >= 0 for p in people) > 4_000


def test_scattered_households_have_the_same_kin():
    table = census_table(5_000, seed=2, names=False)
    arrays = {name: table.column(name).to_numpy() for name in CENSUS.names}
    order = np.argsort(table.column("person").to_numpy(), kind="stable")  # heads first, and so on
    place = np.argsort(order)
    scattered = find_kin(CENSUS, {name: values[order] for name, values in arrays.items()})
    together = find_kin(CENSUS, arrays)
    for relative in ("head", "spouse", "mother", "father"):
        there = together.of(relative)[order]
        moved = np.where(there == NOBODY, NOBODY, place[there])
        assert scattered.of(relative).tolist() == moved.tolist(), relative


def test_households_are_numbered_as_they_are_met_and_ids_may_be_text():
    kinship = find_kin(
        HouseholdColumns("h", "r", head=("1",)),
        {"h": ["b", "a", "b", None, None, "a"], "r": [1, 1, 2, 1, 1, 2]},
    )
    assert kinship.household.tolist() == [0, 1, 0, 2, 3, 1]
    assert kinship.households == 4
    assert kinship.head.tolist() == [0, 1, 0, 3, 4, 1]
    assert "2 records have no household" in kinship.notes[0]


def test_two_heads_are_refused_by_record_number():
    with pytest.raises(InputError, match=r"Record 4 is a second head .* after record 2") as refused:
        find_kin(
            HouseholdColumns("h", "r", head=(77,)),
            {"h": np.array([9911, 9912, 9911, 9912]), "r": np.array([77, 77, 5, 77])},
        )
    assert refused.value.exit_code == 2
    assert "9912" not in str(refused.value)
    assert "77" not in str(refused.value)


def test_what_could_not_be_told_is_noted():
    people = [
        Person(0, "child", "m", 3, ""),
        Person(1, "head", "m", 40, ""),
        Person(1, "spouse", "f", 35, ""),
        Person(1, "spouse", "f", 30, ""),
        Person(1, "child", "f", 38, ""),
    ]
    kinship = fast(people)
    assert kinship.spouse.tolist() == [-1, 2, 1, -1, -1]
    notes = "\n".join(kinship.notes)
    assert "1 households have no head" in notes
    assert "1 people are a further spouse" in notes
    assert "2 children could not be linked" in notes


def test_two_women_the_head_is_the_mother_and_two_men_the_father():
    people = [
        Person(0, "child", "m", 3, ""),
        Person(0, "spouse", "f", 33, ""),
        Person(0, "head", "f", 30, ""),
        Person(1, "head", "m", 30, ""),
        Person(1, "spouse", "m", 33, ""),
        Person(1, "child", "f", 2, ""),
    ]
    kinship = fast(people)
    assert kinship.spouse.tolist() == [-1, 2, 1, 4, 3, -1]
    assert (kinship.mother[0], kinship.father[0]) == (2, NOBODY)
    assert (kinship.mother[5], kinship.father[5]) == (NOBODY, 3)
    women = np.array([p.sex == "f" for p in people])
    assert kinship.couples(women).same_sex.tolist() == [[1, 2], [3, 4]]


def test_a_very_large_household_keeps_head_spouse_and_children():
    people = [Person(0, "head", "f", 60, ""), Person(0, "child", "f", 30, "married")]
    people += [Person(0, "grandchild", "m", 3, "") for _ in range(100)]
    kinship = fast(people)
    assert kinship.mother.tolist() == [-1, 0] + [-1] * 100
    assert any("more than 100 people" in note for note in kinship.notes)
    people = people[:100]
    assert fast(people).mother.tolist() == [-1, 0] + [1] * 98


def test_ages_that_are_no_numbers_count_as_unknown():
    kinship = find_kin(
        HouseholdColumns("h", "r", "s", "a", head=(1,), child=(3,), female=("f",)),
        {"h": [1, 1, 1], "r": [1, 3, 3], "s": ["f", "f", "f"], "a": ["90", "old", "89"]},
    )
    assert kinship.mother.tolist() == [-1, 0, -1]
    assert any("1 ages are no numbers" in note for note in kinship.notes)


def test_no_records():
    kinship = fast([])
    assert kinship.records == kinship.households == 0


def test_columns_of_different_length_are_refused():
    with pytest.raises(InputError, match="equally long"):
        find_kin(
            HouseholdColumns("h", "r", head=(1,)), {"h": np.zeros(3), "r": Column(np.zeros(2))}
        )
    with pytest.raises(InputError, match="needs the column 'r'"):
        find_kin(HouseholdColumns("h", "r", head=(1,)), {"h": np.zeros(3)})
