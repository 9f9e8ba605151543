"""Requests for geographies, checked against what was published."""

from __future__ import annotations

import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables, persons
from indistinct.tables.differencing import Published, Zoning, check_request, zoning_of

PEOPLE = {"1": 40, "2": 4, "3": 50, "4": 30, "5": 60}
WARDS = Zoning("wards", "block", {"1": "A", "2": "A", "3": "B", "4": "C", "5": "C"})
CLOSE = Zoning("close to wards", "block", {"1": "P", "2": "Q", "3": "Q", "4": "R", "5": "R"})
FARTHER = Zoning("districts", "block", {"1": "X", "2": "X", "3": "X", "4": "Y", "5": "Y"})


def test_a_second_request_is_refused_and_the_first_is_not():
    assert check_request(Published(), WARDS, PEOPLE).allowed
    assert check_request(Published(), CLOSE, PEOPLE).allowed
    published = Published().and_also(WARDS)
    verdict = check_request(published, CLOSE, PEOPLE)
    assert not verdict.allowed
    assert verdict.reasons == (
        "with 'wards' it reveals 1 zone below 10 people by subtraction: 4 people",
    )
    (zone,) = verdict.pairs["wards"].zones()
    assert (zone.people, zone.how) == (4, "A of wards minus P of close to wards")
    assert check_request(published, FARTHER, PEOPLE).allowed


def test_the_same_zones_again_reveal_nothing():
    again = Zoning("wards again", "block", WARDS.zones)
    assert check_request(Published((WARDS,)), again, PEOPLE).allowed


def test_a_part_of_the_country_is_compared_as_a_part():
    own = Zoning("mine", "block", {"1": "core", "2": None})
    verdict = check_request(Published((WARDS,)), own, PEOPLE)
    assert [zone.how for zone in verdict.pairs["wards"].zones()] == [
        "A of wards minus core of mine"
    ]
    assert check_request(Published((WARDS,)), Zoning("B", "block", {"3": "B"}), PEOPLE).allowed


def test_a_zone_below_the_threshold_is_refused_by_itself():
    verdict = check_request(Published(), Zoning("mine", "block", {"2": "tiny", "3": "b"}), PEOPLE)
    assert verdict.too_small == ("tiny",)
    assert verdict.reasons == ("1 zone below 10 people",)


def test_three_zonings_are_refused_though_no_two_tell():
    # rows, columns and diagonals of a square: only together they tell the units
    square = {"1": 7, "2": 6, "3": 8, "4": 9}
    rows = Zoning("rows", "unit", {"1": "a", "2": "a", "3": "b", "4": "b"})
    columns = Zoning("columns", "unit", {"1": "c", "2": "d", "3": "c", "4": "d"})
    diagonals = Zoning("diagonals", "unit", {"1": "e", "2": "f", "3": "f", "4": "e"})
    published = Published((rows,))
    assert check_request(published, columns, square).allowed
    verdict = check_request(published.and_also(columns), diagonals, square)
    assert all(revealed.number == 0 for revealed in verdict.pairs.values())
    assert not verdict.allowed
    assert verdict.joint is not None
    assert verdict.joint.number == 4
    # what was determined before is no reason to refuse
    again = Zoning("rows again", "unit", rows.zones)
    everything = Published((rows, columns, diagonals))
    assert check_request(everything, again, square).allowed


def test_the_record_comes_back_from_its_file(tmp_path):
    path = tmp_path / "published.json"
    published = Published((WARDS, Zoning("mine", "block", {"1": "core", "2": None})))
    published.save(path)
    assert Published.load(path).to_dict() == published.to_dict()
    assert [file.name for file in tmp_path.iterdir()] == ["published.json"]
    with pytest.raises(InputError, match="published already"):
        published.and_also(WARDS)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("{", "is not JSON"),
        ("[]", "no record"),
        ('{"format": 1, "zonings": [{"name": "x"}]}', "holds a zoning that is not one"),
    ],
)
def test_a_file_that_is_no_record_is_refused(tmp_path, content, match):
    path = tmp_path / "published.json"
    path.write_text(content)
    with pytest.raises(InputError, match=match):
        Published.load(path)
    with pytest.raises(InputError, match="There is no record"):
        Published.load(tmp_path / "absent.json")


def test_zonings_of_different_variables_need_counted_tables():
    other = Zoning("schools", "school", {"s": "S"})
    with pytest.raises(InputError, match="different variables"):
        check_request(Published((WARDS,)), other, PEOPLE)
    with pytest.raises(InputError, match="covers no unit"):
        check_request(Published(), other, PEOPLE)
    table = {"block": [1] * 44 + [2] * 50, "school": ["s"] * 40 + ["t"] * 54}
    geography = Grouping("blocks", "block")
    tables = TableSet((TableSpec("all", (persons(),)),), geography, (Grouping("school", "school"),))
    with open_small(table) as data:
        counted = count_tables(data.source, data.engine, tables)
    blocks = zoning_of(counted, geography)
    assert dict(blocks.zones) == {"1": "1", "2": "2"}
    schools = zoning_of(counted, tables.also[0])
    verdict = check_request(Published((blocks,)), schools, counted)
    assert [zone.people for zone in verdict.pairs["blocks"].zones()] == [4]
    with pytest.raises(InputError, match="was not counted"):
        check_request(Published(), Zoning("parks", "park", {"p": "P"}), counted)
