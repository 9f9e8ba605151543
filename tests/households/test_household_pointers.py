"""Pointers to relatives are followed, or refused with the number of the record."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.core.errors import InputError
from indistinct.households import HouseholdColumns, find_kin

POINTERS = HouseholdColumns(
    "h", person="p", spouse_pointer="sp", mother_pointer="mo", father_pointer="fa"
)
PEOPLE = {
    "h": np.array([5, 8, 5, 5, 8]),
    "p": np.array([1, 1, 2, 3, 4]),
    "sp": np.array([2, 0, 1, 0, 0]),
    "mo": np.array([0, 4, 0, 2, 0]),
    "fa": np.array([0, 0, 0, 1, 0]),
}


def test_numbers_within_the_household():
    kinship = find_kin(POINTERS, PEOPLE)
    assert kinship.spouse.tolist() == [2, -1, 0, -1, -1]
    assert kinship.mother.tolist() == [-1, 4, -1, 2, -1]
    assert kinship.father.tolist() == [-1, -1, -1, 0, -1]
    assert kinship.head.tolist() == [-1] * 5
    assert "heads are not known" in kinship.notes[0]


def test_without_person_numbers_the_place_in_the_household_counts():
    columns = HouseholdColumns("h", spouse_pointer="sp")
    pointers = np.array(["02", "0", "1", None, "0"], dtype=object)
    kinship = find_kin(columns, {"h": PEOPLE["h"], "sp": pointers})
    assert kinship.spouse.tolist() == [2, -1, 0, -1, -1]


def test_record_numbers_count_from_one():
    columns = HouseholdColumns("h", spouse_pointer="sp", pointers="record")
    kinship = find_kin(columns, {"h": PEOPLE["h"], "sp": np.array([3, np.nan, 1, 0, 0])})
    assert kinship.spouse.tolist() == [2, -1, 0, -1, -1]


def test_long_person_numbers():
    long = {name: PEOPLE[name] * 10**15 for name in ("p", "sp", "mo", "fa")}
    kinship = find_kin(POINTERS, PEOPLE | long)
    assert kinship.mother.tolist() == [-1, 4, -1, 2, -1]


def test_a_given_spouse_is_used_for_the_rest():
    columns = HouseholdColumns(
        "h", "r", "s", "a", spouse_pointer="sp", head=(1,), spouse=(2,), child=(3,),
        male=(1,), female=(2,),
    )  # fmt: skip
    people = {
        "h": np.array([1, 1, 1]),
        "r": np.array([1, 9, 3]),
        "s": np.array([1, 2, 1]),
        "a": np.array([40, 40, 9]),
        "sp": np.array([2, 1, 0]),
    }
    kinship = find_kin(columns, people)
    assert kinship.spouse.tolist() == [1, 0, -1]
    assert kinship.mother.tolist() == [-1, -1, 1]


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("sp", [2, 0, 0, 0, 0], r"'sp' of record 1 points at somebody who does not point back"),
        ("mo", [0, 3, 0, 0, 0], r"'mo' of record 2 points outside its household"),
        ("mo", [0, 0, 99, 0, 0], r"'mo' of record 3 points outside its household"),
        ("fa", [0, 0, 2, 0, 0], r"'fa' of record 3 points at the record itself"),
        ("fa", ["x", "1", "0", "0", "x"], r"'fa' of record 1 is no whole number \(one of 2 such"),
        ("mo", [0, 0.5, 0, 0, 0], r"'mo' of record 2 is no whole number"),
        ("p", [1, 1, 1, 3, 4], r"Record 3 has the same number within its household"),
        ("p", [1, 1, np.nan, 3, 4], r"Record 3 has no number of the person"),
    ],
)
def test_wrong_pointers_are_refused(column, values, said):
    with pytest.raises(InputError, match=said):
        find_kin(POINTERS, PEOPLE | {column: values if column == "fa" else np.array(values)})


@pytest.mark.parametrize("pointer", [4, 6, -3])
def test_record_numbers_outside_the_household_or_file_are_refused(pointer):
    columns = HouseholdColumns("h", mother_pointer="mo", pointers="record")
    people = {"h": PEOPLE["h"], "mo": np.array([0, pointer, 0, 0, 0])}
    with pytest.raises(InputError, match="'mo' of record 2 points outside"):
        find_kin(columns, people)
