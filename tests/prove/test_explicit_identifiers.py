"""Explicit identifiers: the seven examples of Sweeney (2001), section 5, and the lemma."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.core.errors import InputError
from indistinct.prove.ads0.entities import as_rows, project
from indistinct.prove.ads0.explicit import (
    EMAIL,
    METHODS,
    TELEPHONE,
    Method,
    explicit_identifiers,
    is_explicit_identifier,
    reach_of,
)

KEY = ("email", "name", "address", "phone", "ssn")


def town(households: int = 60) -> list[dict[str, str]]:
    """Two or three people a household, who share address and phone; first names come again."""
    rng = np.random.default_rng(19)
    names = ["Ann", "Abe", "Al", "Dan", "Don", "Dave"]
    people = []
    for home in range(households):
        for name in rng.choice(names, size=2 + home % 2, replace=False):
            number = len(people)
            people.append(
                {
                    "name": str(name),
                    "address": f"{home} Elm St",
                    "phone": f"555-{home:04}",
                    "email": f"person{number}@town.org",
                    "ssn": f"{number:09}",
                    "diagnosis": "cardiac",
                }
            )
    return people


TOWN = town()
PATIENTS = TOWN[::3]


@pytest.mark.parametrize("attributes", [["email"], ["name", "address"], ["name", "phone"]])
def test_examples_that_are_explicit_identifiers(attributes):
    assert is_explicit_identifier(attributes, PATIENTS, TOWN)


@pytest.mark.parametrize("attributes", [["name"], ["ssn"], ["phone"], ["phone", "ssn"]])
def test_examples_that_are_not(attributes):
    assert not is_explicit_identifier(attributes, PATIENTS, TOWN)


def test_why_they_are_not():
    # a number of nine digits carries no message, though it is unique
    assert reach_of(["ssn"], PATIENTS, TOWN, TELEPHONE).expected == 0
    # a call reaches the household, and nobody answers to a number of nine digits
    for attributes in (["phone"], ["phone", "ssn"]):
        assert reach_of(attributes, PATIENTS, TOWN, TELEPHONE).expected >= 2
    # a method that worked by name would reach everybody who has it
    assert reach_of(["name"], PATIENTS, TOWN, Method("shout", frozenset({"name"}))).expected > 10


def test_expected_value_and_sigma_by_hand():
    people = [{"email": e} for e in ("a", "a", "b", "c")]
    found = reach_of(["email"], [{"email": e} for e in ("a", "b", "c", "d")], people, EMAIL)
    assert found.expected == 1.0  # 2, 1, 1, 0
    assert found.sigma == pytest.approx(0.5**0.5)
    # the expected value alone would pass
    assert not is_explicit_identifier(["email"], [{"email": e} for e in "abcd"], people)


@pytest.mark.parametrize(("shared", "expected"), [(1, True), (2, False)])
def test_almost_perfect_is_one_of_a_hundred(shared, expected):
    people = [{"email": str(n)} for n in range(100)]
    doubles = [{"email": str(n)} for n in range(shared)]
    assert is_explicit_identifier(["email"], people, people + doubles) is expected


def test_a_missing_value_reaches_nobody():
    assert reach_of(["email"], [{"email": None}], TOWN, EMAIL).expected == 0


def test_lemma_the_explicit_identifiers_of_a_table_are_those_of_its_quasi_identifier():
    of_table = explicit_identifiers(PATIENTS, TOWN, key=KEY)
    of_key = explicit_identifiers(project(as_rows(PATIENTS), KEY), TOWN, key=KEY)
    assert of_table == of_key
    assert all(found <= set(KEY) for found in of_table)
    minimal = {e for e in of_table if not any(smaller < e for smaller in of_table)}
    assert minimal == {
        frozenset({"email"}),
        frozenset({"name", "address"}),
        frozenset({"name", "phone"}),
    }


def test_no_method_no_explicit_identifier():
    assert explicit_identifiers(PATIENTS, TOWN, key=KEY, methods=()) == frozenset()
    assert len(METHODS) == 3


def test_mistakes():
    with pytest.raises(InputError, match=r"'fone' is no attribute of the table\. Did you mean"):
        reach_of(["fone"], PATIENTS, TOWN, TELEPHONE)
    with pytest.raises(InputError, match="needs a table with tuples"):
        reach_of(["phone"], [], TOWN, TELEPHONE)
    with pytest.raises(InputError, match="at most 12 attributes"):
        explicit_identifiers(PATIENTS, TOWN, key=[f"a{n}" for n in range(13)])
