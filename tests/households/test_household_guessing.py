"""What codes mean is read from roles, names and labels."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from indistinct.census import census_table, census_variables
from indistinct.core.errors import InputError
from indistinct.core.variables import Variable, Variables
from indistinct.files import open_table
from indistinct.households import HouseholdColumns, find_kin, guess_household, read_kinship
from indistinct.households.column import Column, plain_code
from indistinct.households.guessing import _KIN_WORDS, _MARITAL_WORDS, _plain


def described(table, variables, folder):
    return replace(open_table(table, workspace=folder), variables=variables)


def source_of(folder, columns, labels=None, roles=None):
    table = pa.table(columns)
    variables = Variables(
        Variable(n, labels=(labels or {}).get(n, {}), role=(roles or {}).get(n, "other"))
        for n in table.column_names
    )
    return described(table, variables, folder)


def test_the_synthetic_census_needs_no_setting(tmp_path):
    table = census_table(3_000, seed=1, names=False)
    source = described(table, census_variables(names=False), tmp_path)
    columns = guess_household(source)
    assert columns == HouseholdColumns(
        "household",
        "relationship",
        "sex",
        "age",
        "marital",
        "person",
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
    assert columns.notes == ()
    found = read_kinship(source)
    again = find_kin(columns, {n: table.column(n).to_numpy() for n in columns.names})
    assert found.mother.tolist() == again.mother.tolist()


def test_ipums_names_with_pointers(tmp_path):
    names = ("SAMPLE", "SERIAL", "PERNUM", "RELATE", "SEX", "AGE", "MARST", "MOMLOC", "POPLOC")
    columns = {name: [0, 0] for name in (*names, "SPLOC")}
    columns |= {"SERIAL": [1, 1], "PERNUM": [1, 2], "RELATE": [1, 2], "SPLOC": [2, 1]}
    found = guess_household(source_of(tmp_path, columns))
    assert (found.household, found.person, found.relationship) == ("SERIAL", "PERNUM", "RELATE")
    pointers = (found.spouse_pointer, found.mother_pointer, found.father_pointer)
    assert pointers == ("SPLOC", "MOMLOC", "POPLOC")
    assert (found.head, found.spouse, found.child) == ((1,), (2,), (3,))
    assert "the codes 1, 2 and 3 of 'RELATE' were taken as head, spouse and child" in found.notes
    assert found.marital == "MARST"
    assert found.married == ()


def test_popstan_names(tmp_path):
    names = ["HID", "LINE", "P02_REL", "P03_SEX", "P04_AGE", "P05_MS", "P06_MOTHER", "P20_BORN12"]
    found = guess_household(source_of(tmp_path, {name: ["01"] for name in names}))
    assert found.names == ("HID", "P02_REL", "P03_SEX", "P04_AGE", "P05_MS", "LINE")
    assert found.parent == (4,)
    assert found.never_married == (5,)
    assert found.mother_pointer is None


def test_roles_and_long_names_and_what_is_said_already(tmp_path):
    table = pa.table({c: ["1"] for c in ("V1", "V2", "V3", "age_group", "V4")})
    variables = Variables(
        [
            Variable("V1", role="household"),
            Variable("V2", role="relationship", labels={1: "Wife", 2: "Household head"}),
            Variable("V3", label="Sex of person", labels={5: "Male", 6: "Female"}),
            Variable("age_group"),
            Variable("V4", label="Age in completed years"),
        ]
    )
    source = described(table, variables, tmp_path)
    found = guess_household(source)
    assert (found.household, found.relationship, found.sex, found.age) == ("V1", "V2", "V3", "V4")
    assert (found.head, found.spouse, found.male) == ((2,), (1,), (5,))
    told = guess_household(source, head=(9,), age="age_group")
    assert (told.head, told.spouse, told.age) == ((9,), (), "age_group")


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Head/Householder", "head"),
        ("Reference person", "head"),
        ("Spouse of head", "spouse"),
        ("Unmarried partner", "spouse"),
        ("Child of the head", "child"),
        ("Stepchild", "child"),
        ("Adopted son or daughter", "child"),
        ("Son-in-law", "child_in_law"),
        ("Spouse of child", "child_in_law"),
        ("Grandchild", "grandchild"),
        ("Parent", "parent"),
        ("Father or mother", "parent"),
        ("Parent or parent-in-law", "parent"),
        ("Parent-in-law", "parent_in_law"),
        ("Brother or sister", "sibling"),
        ("Sibling-in-law", ""),
        ("Grandparent", ""),
        ("Other relative of head", ""),
        ("Non-relative", ""),
        ("Not related to head", ""),
        ("Foster child", ""),
        ("Lodger or flatmate", ""),
        ("Child of servant", ""),
        ("Great-grandchild", ""),
        ("Jefa de hogar", "head"),
        ("Cónyuge", "spouse"),
        ("Hijo o hija", "child"),
        ("Nieta", "grandchild"),
    ],
)
def test_labels_of_relationships(label, kind):
    found = next((k for k, words in _KIN_WORDS if re.search(words, _plain(label))), "")
    assert found == kind


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Never married/single", "never_married"),
        ("Not married", "never_married"),
        ("Married, spouse absent", "married"),
        ("Married or in union", "married"),
        ("Consensual union", "married"),
        ("Widowed", "formerly_married"),
        ("Separated/divorced", "formerly_married"),
    ],
)
def test_labels_of_marital_status(label, kind):
    found = next((k for k, words in _MARITAL_WORDS if re.search(words, _plain(label))), "")
    assert found == kind


def test_what_cannot_be_guessed_is_asked_for(tmp_path):
    with pytest.raises(InputError, match='role "household"'):
        guess_household(source_of(tmp_path, {"age": [1], "relate": [1]}))
    with pytest.raises(InputError, match='role "relationship"'):
        guess_household(source_of(tmp_path, {"hid": [1], "age": [1]}))
    with pytest.raises(InputError, match="head of the household is not known"):
        guess_household(
            source_of(tmp_path, {"hid": [1], "relate": [1]}, labels={"relate": {1: "Child"}})
        )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"relationship": "r"}, "codes of 'r' mean the head"),
        ({}, "from the relationship to the head or from pointers"),
        ({"relationship": "r", "head": (1,), "spouse": (1,)}, "cannot mean both head and spouse"),
        ({"relationship": "r", "head": 1}, "head must be a list"),
        ({"spouse_pointer": "s", "pointers": "line"}, "Got 'line'"),
    ],
)
def test_columns_that_do_not_fit_together(settings, said):
    with pytest.raises(InputError, match=said):
        HouseholdColumns("h", **settings)


def test_columns_as_plain_values():
    columns = HouseholdColumns(
        "h", spouse_pointer="s", pointers="record", male=("m",), notes=("x",)
    )
    plain = columns.to_dict()
    assert plain == {
        "household": "h",
        "spouse_pointer": "s",
        "pointers": "record",
        "male": ["m"],
        "notes": ["x"],
    }
    assert HouseholdColumns.from_dict(plain) == columns
    with pytest.raises(InputError, match=r"no setting 'hed'. Did you mean 'head'"):
        HouseholdColumns.from_dict({"household": "h", "hed": [1]})
    with pytest.raises(InputError, match="need household"):
        HouseholdColumns.from_dict({"head": [1]})


def test_a_column_of_any_kind():
    masked = np.ma.MaskedArray([1, 2], mask=[True, False])
    assert Column.of(masked).holds().tolist() == [False, True]
    assert Column.of(np.array(["a", "b"])).texts == ("a", "b")
    assert Column.of([True, False, None]).values.tolist() == [1, 0, 0]
    assert Column.of(pa.array(["b", None, "b"])).holds().tolist() == [True, False, True]
    assert plain_code("1e5") == "1e5"
    variable = Variable("x", user_missing=(9, (-3, -1)))
    assert Column.from_arrow(pa.array([9, 1, -2]), variable).holds().tolist() == [
        False,
        True,
        False,
    ]
    text = Column.from_arrow(pa.array(["?", "7"]), Variable("x", user_missing=("?",)))
    assert text.numbers()[1].tolist() == [False, True]
    with pytest.raises(InputError, match="numbers or text"):
        Column.of([1, "a"])


def test_codes_are_the_same_as_numbers_and_as_text():
    for column in (Column.of(np.array([1, 2, 3])), Column.of(["01", "2", "x"])):
        assert column.recoded({"1": 5, 2.0: 6}).tolist() == [5, 6, 0]
