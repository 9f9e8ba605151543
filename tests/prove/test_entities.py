"""Entities, collection functions and re-identification relations (Sweeney 2001, section 5)."""

from __future__ import annotations

import pytest

from indistinct.core.errors import InputError
from indistinct.prove.ads0.entities import (
    Entity,
    as_rows,
    collected_from,
    identifies_somebody,
    project,
    pseudo_entities,
    re_identification,
)

ANN, ABE, AL, DAN = (Entity.of({"name": n}) for n in ("Ann", "Abe", "Al", "Dan"))
TABLE = [
    {"name": "Ann", "birth": "10/2/61", "zip": "02139"},
    {"name": "Abe", "birth": "7/14/61", "zip": "02139"},
    {"name": "Al", "birth": "3/8/61", "zip": "02138"},
]


def linked_by(names):
    return lambda row: [
        Entity.of({"name": other["name"]})
        for other in TABLE
        if all(other[n] == row[n] for n in names)
    ]


def test_a_projection_maintains_duplicate_tuples():
    assert project(as_rows(TABLE), ["zip"]) == (
        {"zip": "02139"},
        {"zip": "02139"},
        {"zip": "02138"},
    )


def test_an_entity_is_its_pairs_in_any_order_and_type():
    assert Entity.of({"name": "Ann", "age": 40.0}) == Entity.of({"age": "40", "name": "Ann"})
    assert str(Entity.of({"name": "Ann", "address": "1 Elm St"})) == "1 Elm St, Ann"
    with pytest.raises(InputError, match="at least one attribute"):
        Entity.of({"name": None})


# Hospital example: T, visits to an emergency room; U, the people of the area


def test_hospital_visits_come_from_the_people_of_the_area():
    visits = [{"name": "Ann", "why": "burn"}, {"name": "Al", "why": "fall"}]
    fc = collected_from([ANN, ABE, AL, DAN], visits)
    assert fc.is_onto
    assert fc.every_tuple_has_an_entity(["name", "why"])
    assert fc.tuples_of(ABE) == ()
    assert fc.with_several_tuples == ()


def test_a_visit_of_nobody_makes_the_function_not_onto():
    visits = [{"name": "Ann", "why": "burn"}, {"name": "Zoe", "why": "fall"}]
    fc = collected_from([ANN, ABE], visits)
    assert not fc.is_onto
    assert fc.without_entity == (1,)
    # the theorem's other side: nobody has the name that the tuple has
    assert not fc.every_tuple_has_an_entity(["name"])


def test_who_came_twice_has_two_tuples():
    fc = collected_from([ANN, ABE], [{"name": "Ann", "why": w} for w in ("burn", "fall")])
    assert fc.with_several_tuples == (ANN,)
    assert fc.tuples_of(ANN) == (0, 1)


def test_tuples_without_names_need_to_be_told_whose_they_are():
    table = [{"zip": "02139"}, {"zip": "02139"}]
    assert not collected_from([ANN, ABE], table).is_onto
    fc = collected_from([ANN, ABE], table, whose=[ABE, ANN])
    assert (fc.tuples_of(ANN), fc.tuples_of(ABE)) == ((1,), (0,))
    with pytest.raises(InputError, match="one entity for each tuple"):
        collected_from([ANN], table, whose=[ANN])


def test_tuples_of_one_table_have_the_same_attributes():
    with pytest.raises(InputError, match="Tuple 2 has zip; tuple 1 has name"):
        as_rows([{"name": "Ann"}, {"zip": "02139"}])


# Re-identification relations


def test_link_sizes():
    fc = collected_from([ANN, ABE, AL], TABLE)
    by_zip = re_identification(fc, linked_by(["zip"]))
    assert by_zip.sizes == {ANN: 2, ABE: 2, AL: 1}
    assert by_zip.uniquely_identified == (AL,)
    assert re_identification(fc, linked_by(["birth", "zip"])).uniquely_identified == (ANN, ABE, AL)
    assert by_zip.to_dict()["sizes"] == {"Ann": 2, "Abe": 2, "Al": 1}


def test_a_relation_to_everybody_or_to_others_re_identifies_nobody():
    fc = collected_from([ANN, ABE, AL], TABLE)
    to_all = re_identification(fc, lambda row: [ANN, ABE, AL])
    assert not to_all.is_re_identification
    to_wrong = re_identification(fc, lambda row: [DAN])
    assert to_wrong.sizes == {ANN: 1, ABE: 1, AL: 1}
    assert not to_wrong.is_re_identification


def test_k_is_small_against_the_population_not_against_the_table():
    fc = collected_from([ANN, ABE, AL, DAN], TABLE)
    assert re_identification(fc, linked_by(["zip"])).re_identified == (ANN, ABE, AL)
    few = re_identification(fc, linked_by(["zip"]), much_smaller=0.25)
    assert few.re_identified == (AL,)


def test_quasi_identifiers_identify_somebody():
    fc = collected_from([ANN, ABE, AL], TABLE)
    assert identifies_somebody(fc, ["zip"], linked_by(["zip"]))
    assert not identifies_somebody(fc, ["zip"], lambda row: [ANN, ABE])


def test_pseudo_entities_of_figure_15():
    pseudo = [Entity.of({"name": n}) for n in ("Jcd", "Jwq", "Jxy")]
    assert pseudo_entities([ANN, *pseudo], [ANN]) == set(pseudo)
