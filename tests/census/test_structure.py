"""Households, families and codes hang together, whoever is drawn."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.census import CENSUS_DAY, KEYS_20, census_table, census_variables
from indistinct.census.schema import LABELS

HEAD, CHILD, INSTITUTION = 1, 4, 12


def column(table: pa.Table, name: str) -> np.ndarray:
    return table[name].to_numpy()


@settings(max_examples=25, deadline=None)
@given(people=st.integers(1, 3000), seed=st.integers(0, 2**64))
def test_exactly_as_many_people_as_asked_in_whole_households(people: int, seed: int) -> None:
    table = census_table(people, seed, names=False)
    assert table.num_rows == people
    household, person = column(table, "household"), column(table, "person")
    relationship = column(table, "relationship")
    first = person == 1
    assert first[0]
    # Households are numbered from 1 without gaps, people within them likewise.
    np.testing.assert_array_equal(household, np.cumsum(first))
    np.testing.assert_array_equal(person[1:], np.where(first[1:], 1, person[:-1] + 1))
    assert set(relationship[first]) <= {HEAD, INSTITUTION}
    assert HEAD not in relationship[~first]
    np.testing.assert_array_equal(
        column(table, "household_size"), np.bincount(household)[household]
    )


def test_institutions_hold_residents_only_and_families_at_most_one_partner(
    census: pa.Table,
) -> None:
    frame = census.select(["household", "relationship"]).to_pandas()
    kinds = frame.groupby("household")["relationship"].agg(lambda codes: set(codes))
    assert all(codes == {INSTITUTION} for codes in kinds if INSTITUTION in codes)
    partners = frame[frame["relationship"].isin([2, 3])].groupby("household").size()
    assert partners.max() == 1


def test_spouses_are_both_married(census: pa.Table) -> None:
    frame = census.select(["household", "relationship", "marital", "age"]).to_pandas()
    spouses = frame[frame["relationship"] == 2]
    heads = frame[frame["relationship"] == HEAD].set_index("household")
    assert (spouses["marital"] == 2).all()
    assert (heads.loc[spouses["household"], "marital"] == 2).all()
    assert frame.loc[frame["marital"] != 1, "age"].min() >= 18


def test_mothers_were_between_15_and_47_at_every_birth(census: pa.Table) -> None:
    frame = census.select(["household", "relationship", "sex", "age", "date_of_birth"]).to_pandas()
    women = frame[(frame["relationship"] <= 3) & (frame["sex"] == 2)]
    # Two women: either may be the mother, so only households with one say something.
    women = women[~women["household"].duplicated(keep=False)]
    children = frame[frame["relationship"] == CHILD]
    pairs = children.merge(women, on="household", suffixes=("", "_mother"))
    assert len(pairs) > 5000
    days = (pairs["date_of_birth"] - pairs["date_of_birth_mother"]).map(lambda gap: gap.days)
    assert days.min() >= 15 * 365
    assert days.max() <= 47 * 366


def test_siblings_are_twins_or_born_nine_months_apart(census: pa.Table) -> None:
    frame = census.select(["household", "relationship", "date_of_birth"]).to_pandas()
    children = frame[frame["relationship"] == CHILD].sort_values(["household", "date_of_birth"])
    apart = children.groupby("household")["date_of_birth"].diff().dropna().map(lambda d: d.days)
    assert ((apart <= 1) | (apart >= 270)).all()
    assert (apart <= 1).any()


def test_age_is_completed_years_on_the_census_day(census: pa.Table) -> None:
    ages = column(census, "age")
    for age, born in zip(ages, census["date_of_birth"].to_pylist(), strict=True):
        had_birthday = (born.month, born.day) <= (CENSUS_DAY.month, CENSUS_DAY.day)
        completed = CENSUS_DAY.year - born.year - (not had_birthday)
        assert min(completed, 85) == age
        assert born <= CENSUS_DAY
    assert ages.min() == 0
    assert ages.max() == 85
    assert min(census["date_of_birth"].to_pylist()) > datetime.date(1915, 1, 1)


@pytest.mark.parametrize("name", list(LABELS))
def test_every_code_has_a_label_and_most_labels_are_used(census: pa.Table, name: str) -> None:
    found = set(np.unique(column(census, name)).tolist())
    labels = set(census_variables()[name].labels)
    assert found <= labels
    rare = {"country_of_residence"}
    assert name in rare or len(found) >= 0.9 * len(labels)


def test_the_taxonomies_have_the_stated_sizes() -> None:
    sizes = {name: len(labels) for name, labels in LABELS.items()}
    assert sizes["occupation"] == 90 + 1  # and 0, not applicable
    assert sizes["industry"] == 110 + 1
    assert sizes["country_of_birth"] == 90
    assert sizes["nationality"] == 75
    assert (sizes["county"], sizes["region"], sizes["geography"]) == (35, 8, 4)
    assert (sizes["age_group"], sizes["ethnic"], sizes["marital"]) == (19, 10, 5)
    assert (sizes["economic"], sizes["education"], sizes["relationship"]) == (11, 7, 12)


def test_codes_that_imply_one_another_agree(census: pa.Table) -> None:
    age, economic = column(census, "age"), column(census, "economic")
    np.testing.assert_array_equal(age < 16, economic == 11)
    np.testing.assert_array_equal(
        column(census, "occupation") == 0, column(census, "industry") == 0
    )
    assert (column(census, "occupation")[economic <= 5] > 0).all()
    np.testing.assert_array_equal(
        column(census, "country_of_birth") != 1, column(census, "region_of_birth") == 9
    )
    np.testing.assert_array_equal(
        column(census, "country_of_birth") != 1, column(census, "arrival") > 0
    )
    np.testing.assert_array_equal(column(census, "county") // 10, column(census, "region"))
    np.testing.assert_array_equal(column(census, "area") // 100_000, column(census, "county"))
    np.testing.assert_array_equal(economic <= 5, column(census, "hours") > 0)
    assert (column(census, "income")[age < 16] == 0).all()


def test_a_household_lives_in_one_area_under_one_tenure(census: pa.Table) -> None:
    frame = census.select(["household", "area", "tenure", "children"]).to_pandas()
    assert (frame.groupby("household").nunique() == 1).all(axis=None)


def test_areas_hold_a_few_hundred_people(census: pa.Table) -> None:
    _, sizes = np.unique(column(census, "area"), return_counts=True)
    assert 300 < np.mean(sizes) < 400
    assert sizes.min() > 50
    assert sizes.max() < 1200


def test_identity_numbers_are_unique_and_have_ten_digits(census: pa.Table) -> None:
    numbers = column(census, "identity_number")
    assert len(np.unique(numbers)) == len(numbers)
    assert numbers.min() >= 10**9
    assert numbers.max() < 10**10
    assert (np.diff(numbers) < 0).any()


def test_most_children_bear_the_heads_surname(census: pa.Table) -> None:
    frame = census.select(["household", "relationship", "surname"]).to_pandas()
    heads = frame[frame["relationship"] == HEAD].set_index("household")["surname"]
    children = frame[frame["relationship"] == CHILD]
    same = children["surname"].to_numpy() == heads.loc[children["household"]].to_numpy()
    assert same.mean() > 0.95


def test_the_keys_of_the_benchmark_are_small_integers(census: pa.Table) -> None:
    assert len(set(KEYS_20)) == 20
    assert all(census.schema.field(name).type == pa.uint8() for name in KEYS_20)


def test_variables_describe_the_columns_in_order(census: pa.Table) -> None:
    assert list(census_variables()) == census.column_names
    assert census_variables().names(role="household") == ["household"]
    assert census_variables().names(role="relationship") == ["relationship"]
