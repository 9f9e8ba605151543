"""The three demographic tests of two files, read from their columns."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from indistinct import open_data
from indistinct.census import census_table
from indistinct.core.errors import InputError
from indistinct.households import HouseholdColumns
from indistinct.utility.demography import demographic_tests

COLUMNS = HouseholdColumns(
    "household",
    "relationship",
    "sex",
    "age",
    head=(1,),
    spouse=(2, 3),
    child=(4,),
    male=(1,),
    female=(2,),
)
NAMES = ["household", "person", "relationship", "sex", "age", "marital", "education"]


@pytest.fixture(scope="module")
def census():
    return census_table(40_000, seed=4, names=False).select(NAMES)


@pytest.fixture(scope="module")
def original(census):
    with open_data(census) as data:
        yield data.source


def changed(table, **columns):
    for name, values in columns.items():
        at = table.column_names.index(name)
        table = table.set_column(at, name, pa.array(values))
    return table


def compared(original, table, **options):
    with open_data(table) as data:
        options.setdefault("education", "education")
        return demographic_tests(original, data.source, COLUMNS, **options)


def test_a_file_against_itself_passes(original):
    found = demographic_tests(
        original, original, COLUMNS, education="education", down_from=6, gap_least=50
    )
    assert found.passed is True
    assert [r.passed for r in found.results] == [True] * 3
    assert found.age_gap.difference == found.fertility.largest == found.homogamy.difference == 0
    assert found.suggestions == ()
    assert len(repr(found).splitlines()) <= 16


def test_couples_mothers_and_levels_are_those_of_the_census(original, census):
    found = demographic_tests(original, original, COLUMNS, education="education")
    home, kin, sex, age = (
        census[n].to_numpy() for n in ("household", "relationship", "sex", "age")
    )
    has_spouse = np.isin(home, home[(kin == 2) | (kin == 3)]) & (kin == 1)
    head_sex = dict(zip(home[kin == 1], sex[kin == 1], strict=True))
    mixed = sum(
        head_sex.get(h, 0) not in (0, s)
        for h, s in zip(home[(kin == 2) | (kin == 3)], sex[(kin == 2) | (kin == 3)], strict=True)
    )
    assert has_spouse.sum() >= found.age_gap.original.couples == mixed
    assert found.homogamy.original.couples == mixed
    assert found.homogamy.levels == tuple("1234567")
    assert found.fertility.original.matched.min() > 0.8
    assert (age < 15).sum() > found.fertility.original.births.sum()


def test_ages_of_the_old_and_education_drawn_anew_are_both_found(original, census):
    rng = np.random.default_rng(0)
    age, education = (census[n].to_numpy().copy() for n in ("age", "education"))
    old, adult = np.flatnonzero(age >= 65), np.flatnonzero(age >= 25)
    education[adult] = rng.permutation(education[adult])
    age[old] = rng.permutation(age[old])
    found = compared(original, changed(census, age=age, education=education))
    assert found.age_gap.broken.age == 65
    assert found.homogamy.passed is False
    assert found.fertility.passed is True
    assert found.passed is False
    assert len(found.suggestions) == 2
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    for name in ("age_gap", "fertility", "homogamy"):
        assert {"original", "released", "difference", "threshold", "passed"} <= set(told[name])
    assert len(repr(found).splitlines()) <= 18
    drawing = ElementTree.fromstring(found.plot())
    assert sum(node.tag.endswith("svg") for node in drawing) == 3


def test_ages_of_mothers_drawn_anew_break_fertility(original, census):
    rng = np.random.default_rng(0)
    age = census["age"].to_numpy().copy()
    women = np.flatnonzero((census["sex"].to_numpy() == 2) & (age >= 18) & (age < 60))
    age[women] = rng.permutation(age[women])
    found = compared(original, changed(census, age=age))
    assert found.fertility.passed is False
    assert "mothers" in found.fertility.suggestion


def test_a_file_that_lost_its_relationships_is_given_those_of_the_original(original, census):
    bare = changed(census, relationship=np.full(len(census), 12))
    found = compared(original, bare, kinship="own")
    assert found.passed is False
    assert any("kinship" in suggestion for suggestion in found.suggestions)
    same = compared(original, bare.drop_columns(["relationship"]), kinship="original", gap_least=50)
    assert same.passed is True
    with pytest.raises(InputError, match="same records"):
        compared(original, bare.slice(0, 1000), kinship="original")


def test_missing_ages_sexes_and_education_leave_couples_out(original, census):
    n = len(census)
    age = [None if i % 7 == 0 else a for i, a in enumerate(census["age"].to_pylist())]
    sex = [None if i % 11 == 0 else s for i, s in enumerate(census["sex"].to_pylist())]
    education = [9 if i % 5 == 0 else e for i, e in enumerate(census["education"].to_pylist())]
    table = changed(census, age=age, sex=sex, education=education)
    found = compared(original, table, kinship="original")
    whole, couples = found.age_gap.original.couples, found.age_gap.released.couples
    assert found.age_gap.released.left_out > 0
    assert 0.5 * whole < couples < 0.65 * whole
    known = found.age_gap.released.left_out + couples
    # both partners' sex must be known: (10/11)²
    assert known == pytest.approx(whole * (10 / 11) ** 2, rel=0.02)
    assert found.homogamy.left_out[1] > found.homogamy.left_out[0]
    others = sum(1 for i in range(n) if i % 5 == 0)
    assert f"released: {others:,} records have an education that is none" in " ".join(found.notes)


def test_levels_that_are_text_need_an_order(census):
    words = ["none", "primary", "lower", "upper", "vocational", "degree", "higher"]
    text = [words[e - 1] for e in census["education"].to_pylist()]
    with open_data(changed(census, education=text)) as data:
        with pytest.raises(InputError, match="Give levels"):
            demographic_tests(data.source, data.source, COLUMNS, education="education")
        found = demographic_tests(
            data.source,
            data.source,
            COLUMNS,
            education="education",
            levels=words,
            down_from="degree",
        )
        assert found.homogamy.levels == tuple(words)
        assert found.homogamy.down_from == "degree"
        with pytest.raises(InputError, match="2 to 100 levels"):
            demographic_tests(data.source, data.source, COLUMNS, education="household")


def test_without_education_two_tests_are_made(original):
    found = demographic_tests(original, original, COLUMNS)
    assert found.homogamy is None
    assert len(found.results) == 2
    assert found.to_dict()["homogamy"] is None


def test_what_is_needed_is_asked_for(original):
    with pytest.raises(InputError, match="kinship"):
        demographic_tests(original, original, COLUMNS, kinship="theirs")
    bare = HouseholdColumns("household", "relationship", head=(1,))
    with pytest.raises(InputError, match="sex and age"):
        demographic_tests(original, original, bare)
    with pytest.raises(InputError, match="Did you mean 'education'"):
        demographic_tests(original, original, COLUMNS, education="eduction")
