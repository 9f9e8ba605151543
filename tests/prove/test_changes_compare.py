from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct
from indistinct.core.errors import InputError
from indistinct.core.variables import Variable
from indistinct.files import open_table
from indistinct.households import NOBODY, Kinship
from indistinct.prove.changes import changes, expected_shares, household_shares, who


@pytest.fixture(scope="module")
def engine():
    with indistinct.open_data(pa.table({"x": [1]})) as data:
        yield data.engine


def source(engine, columns, origin="a file"):
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    return open_table(table, workspace=engine.workspace, origin=origin)


def compare(engine, before, after, **options):
    return changes(
        engine, source(engine, before, "before"), source(engine, after, "after"), **options
    )


def kinship_of_couples(pairs: int) -> Kinship:
    """Husbands and wives one after the other, each couple a household."""
    people = np.arange(2 * pairs)
    nobody = np.full(2 * pairs, NOBODY)
    return Kinship(people // 2, people // 2 * 2, people ^ 1, nobody, nobody)


def random_column(rng, kind, n):
    values = {
        "whole": rng.integers(0, 4, n).tolist(),
        "real": (rng.integers(0, 4, n) / 4).tolist(),
        "text": rng.choice(["a", "b", "c"], n).tolist(),
        "day": [datetime.date(2000, 1, 1 + int(i)) for i in rng.integers(0, 4, n)],
    }[kind]
    return [None if missing else v for v, missing in zip(values, rng.random(n) < 0.2, strict=True)]


TYPES = {"whole": pa.int64(), "real": pa.float64(), "text": pa.string(), "day": pa.date32()}


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_all_shares_equal_brute_force(engine, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    names = list(TYPES)
    before, after = (
        {name: pa.array(random_column(rng, name, n), TYPES[name]) for name in names}
        for _ in range(2)
    )
    group = rng.random(n) < 0.5
    found = compare(engine, before, after, groups={"some": group})
    rows = [
        [before[v][i].as_py() != after[v][i].as_py() for v in names] for i in range(n)
    ]  # None == None
    for members, told in ((range(n), found.everybody), (np.flatnonzero(group), found.groups[0])):
        size = max(1, len(members))
        assert told.records == len(members)
        for j, v in enumerate(names):
            assert told.variables[v] == pytest.approx(sum(rows[i][j] for i in members) / size)
        assert told.any_variable == pytest.approx(sum(any(rows[i]) for i in members) / size)
        assert told.two_or_more == pytest.approx(sum(sum(rows[i]) > 1 for i in members) / size)
    assert found.number_changed.tolist() == [sum(row) for row in rows]
    assert sum(found.by_number.values()) == n
    for v in found.variables:
        pairs = [(a.as_py(), b.as_py()) for a, b in zip(before[v.name], after[v.name], strict=True)]
        moved = [(a, b) for a, b in pairs if a != b and a is not None and b is not None]
        if v.level == "nominal":
            assert v.value is None
            assert v.rank is None
            continue
        far = [abs((a - b).days) if v.name == "day" else abs(a - b) for a, b in moved]
        assert v.unplaced == sum(a != b for a, b in pairs) - len(moved)
        assert v.value.records == len(moved)
        known = [a for a, _ in pairs if a is not None]

        def middle(x, known=known):
            return (sum(k < x for k in known) + sum(k <= x for k in known)) / 2 / len(known)

        if moved:
            assert v.value.mean == pytest.approx(np.mean(far))
            assert v.value.largest == pytest.approx(max(far))
            assert v.rank.mean == pytest.approx(
                np.mean([abs(middle(a) - middle(b)) for a, b in moved])
            )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_identical_files_have_no_change(engine, seed):
    rng = np.random.default_rng(seed)
    table = {name: pa.array(random_column(rng, name, 20), TYPES[name]) for name in TYPES}
    found = compare(engine, table, table)
    assert set(found.percent().values()) == {0.0}
    assert found.by_number == {0: 20}


def test_the_shape_of_mccaa_2013_section_4(engine):
    """A file of a thousand couples in which exactly the paper's per cents are changed."""
    people = 2000
    rng = np.random.default_rng(1)
    age = rng.integers(25, 80, people)
    husband, wife = np.arange(0, people, 2), np.arange(1, people, 2)
    moved = np.zeros(people, dtype=bool)
    moved[husband[:501]] = moved[wife[:501]] = True
    moved[husband[501:708]] = True
    moved[wife[708:913]] = True
    sex = np.tile([1, 2], people // 2)
    changed_sex = sex.copy()
    changed_sex[:272] = 3 - changed_sex[:272]
    before = {"age": age, "sex": sex}
    after = {"age": age + moved, "sex": changed_sex}
    found = compare(
        engine, before, after, kinship=kinship_of_couples(1000), woman="sex = 2",
        groups={"20plus": "age >= 20"}, levels={"sex": "nominal"},
    )  # fmt: skip
    told = found.percent()
    assert told["sex"] == pytest.approx(13.6)
    assert told["couples_both_age"] == pytest.approx(50.1)
    assert told["couples_husband_only_age"] == pytest.approx(20.7)
    assert told["couples_wife_only_age"] == pytest.approx(20.5)
    assert told["couples_at_least_one_age"] == pytest.approx(91.3)  # mcc.couples.sum
    assert 100 * found.couples["age"].expected_both == pytest.approx(50.0, abs=0.05)  # .indep
    assert told["at_least_one_20plus"] == told["any_variable"]
    assert found.household_shares("age").at_least_one == pytest.approx(0.913)
    assert found.to_dict()["couples"]["age"]["pairs"] == 1000
    text = found.details()
    assert "1,000 couples" in text
    assert "91.3 %" in text


def test_two_children_of_mccaa_2013():
    """Each child's sex is changed with 49 %: one of two with 50 %, at least one with 74 %."""
    two = expected_shares([0.49, 0.49])
    assert (round(100 * two.exactly_one), round(100 * two.at_least_one)) == (50, 74)
    rng = np.random.default_rng(3)
    changed, household = rng.random(40_000) < 0.49, np.arange(40_000) // 2
    found = household_shares(changed, household, members=2)
    assert found.exactly_one == pytest.approx(0.5, abs=0.01)
    assert found.at_least_one == pytest.approx(found.expected_at_least_one, abs=0.01)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_expected_shares_equal_a_sum_over_all_outcomes(chances):
    none = one = every = 0.0
    for outcome in np.ndindex(*(2,) * len(chances)):
        weight = np.prod([p if o else 1 - p for p, o in zip(chances, outcome, strict=True)])
        none += weight * (sum(outcome) == 0)
        one += weight * (sum(outcome) == 1)
        every += weight * (sum(outcome) == len(chances))
    found = expected_shares(chances)
    assert (found.none, found.exactly_one, found.all) == pytest.approx((none, one, every))
    assert found.at_least_one == pytest.approx(1 - none)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([None, 1, 2]))
def test_household_shares_equal_brute_force(seed, members):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    household, changed = rng.integers(0, 6, n), rng.random(n) < 0.4
    among = rng.random(n) < 0.7
    found = household_shares(changed, household, among=among, members=members)
    groups = [changed[(household == h) & among] for h in np.unique(household[among])]
    groups = [g for g in groups if members is None or len(g) == members]
    assert found.households == len(groups)
    if groups:
        p = np.concatenate(groups).mean()
        assert found.exactly_one == pytest.approx(np.mean([g.sum() == 1 for g in groups]))
        assert found.at_least_one == pytest.approx(np.mean([g.any() for g in groups]))
        expected = [expected_shares([p] * len(g)) for g in groups]
        assert found.expected_exactly_one == pytest.approx(
            np.mean([e.exactly_one for e in expected])
        )
        assert found.expected_at_least_one == pytest.approx(
            np.mean([e.at_least_one for e in expected])
        )


def test_unions_of_the_same_sex_are_set_apart(engine):
    table = {"age": [30, 31, 40, 41], "sex": [1, 2, 2, 2]}
    after = {"age": [31, 31, 50, 51], "sex": [1, 2, 2, 2]}
    found = compare(engine, table, after, kinship=kinship_of_couples(2), woman="sex = 2")
    assert found.same_sex == 1
    assert found.couples["age"].pairs == 1
    assert found.couples["age"].husband_only == 1.0
    without = compare(engine, table, after, kinship=kinship_of_couples(2))
    assert without.couples is None
    assert "woman" in without.notes[0]


def test_records_match_by_identifier_in_any_order_and_some_left_out(engine):
    before = {"id": ["a", "b", "c", "d"], "age": [1, 2, 3, 4]}
    after = {"id": ["d", "b", "a"], "age": [4, 9, 1]}
    found = compare(engine, before, after, match="id")
    assert found.records == 3
    assert found.left_out == 1
    assert found.changed["age"].tolist() == [False, True, False, False]
    assert found.percent()["age"] == pytest.approx(100 / 3)
    assert found.to_arrow().column("released").to_pylist() == [True, True, False, True]
    # whole numbers in one file, text in the other
    numbered = compare(
        engine, {"id": [1, 2], "age": [5, 6]}, {"id": ["2", "1"], "age": [6, 7]}, match="id"
    )
    assert numbered.changed["age"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("before", "after", "options", "words"),
    [
        ({"age": [1, 2]}, {"age": [1]}, {}, "before has 2 records and after 1"),
        ({"i": [1, 1], "x": [1, 2]}, {"i": [1, 2], "x": [1, 2]}, {"match": "i"}, "record 2"),
        ({"i": [1, None], "x": [1, 2]}, {"i": [1, 2], "x": [1, 2]}, {"match": "i"}, "missing in"),
        ({"i": [1, 2], "x": [1, 2]}, {"i": [1, 3], "x": [1, 2]}, {"match": "i"}, "not in before"),
        ({"age": [1]}, {"age": [1]}, {"variables": ["aeg"]}, "Did you mean 'age'"),
        ({"age": [1]}, {"age": [1]}, {"variables": []}, "at least one variable"),
        ({"age": [1]}, {"sex": [1]}, {}, "no variable in common"),
        ({"age": [1]}, {"age": [1]}, {"groups": {"old": "age older"}}, "cannot be read"),
        ({"age": [1]}, {"age": [1]}, {"groups": {"old": "age > x"}}, "cannot be compared"),
        ({"age": [1]}, {"age": [1]}, {"groups": {"old": [True, False]}}, "true or false"),
        ({"s": ["b"]}, {"s": ["b"]}, {"groups": {"old": "s > 1"}}, "has no order"),
        ({"age": [1]}, {"age": [1]}, {"kinship": kinship_of_couples(1)}, "2 people"),
        ({"x": range(99)}, {"x": range(99)}, {"by": ["x"]}, "too many for groups"),
    ],
)
def test_what_is_wrong_is_said(engine, before, after, options, words):
    with pytest.raises(InputError, match=words):
        compare(engine, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "held"),
    [
        ("age >= 20", [0, 1, 1, 0]),
        ("0 <= age <= 19", [1, 0, 0, 0]),
        ("10 < age < 20", [0, 0, 0, 0]),
        ("age != 20", [1, 0, 1, 0]),
        ("age = 20 and sex in f, x", [0, 1, 0, 0]),
        ("sex = 'm'", [1, 0, 1, 0]),
        ("born < 1990-01-01", [0, 0, 1, 1]),
        ("wage > 2.5", [0, 1, 1, 0]),
    ],
)
def test_rules_in_words(engine, rule, held):
    days = [datetime.date(year, 1, 1) for year in (2000, 1991, 1950, 1980)]
    people = source(
        engine,
        {"age": [10, 20, 60, None], "sex": ["m", "f", "m", None], "born": days,
         "wage": ["1", "3", "20", None]},
    )  # fmt: skip
    assert who(people, rule).tolist() == [bool(h) for h in held]


def test_groups_by_the_values_of_a_variable_are_those_of_the_original(engine):
    before = {"sex": ["m", "m", "f", None], "age": [1, 2, 3, 4]}
    after = {"sex": ["f", "m", "f", None], "age": [1, 0, 0, 4]}
    found = compare(engine, before, after, by=["sex"])
    assert [(g.name, g.records) for g in found.groups] == [
        ("sex: f", 1),
        ("sex: m", 2),
        ("sex: missing", 1),
    ]
    assert found.percent()["age_sex: m"] == 50.0


def test_types_may_differ_between_the_files(engine):
    before = pa.table({"age": pa.array([20, 21, 90]), "wage": pa.array([0.1, 0.5, 2.0])})
    after = pa.table(
        {"age": pa.array(["20", "21", "85+"]), "wage": pa.array([0.1, 0.25, 2.0], pa.float32())}
    )
    found = compare(engine, before, after)
    assert found.changed["age"].tolist() == [False, False, True]
    assert found.changed["wage"].tolist() == [False, True, False]
    age = found.variables[0]
    assert (age.unplaced, age.value.records) == (1, 0)
    assert found.to_dict()["variables"]["age"]["value_difference"]["mean"] is None


def test_order_of_declared_categories_and_missing_codes(engine):
    before = source(engine, {"level": ["low", "high", "middle"], "age": [30, 999, 40]})
    declared = before.variables.updated(
        {
            "level": {"level": "ordinal", "categories": ("low", "middle", "high")},
            "age": {"user_missing": (999,)},
        }
    )
    before = type(before)(before.path, before.origin, declared, before.records)
    after = source(engine, {"level": ["high", "low", "middle"], "age": [31, 30, 40]})
    level, age = changes(engine, before, after).variables
    assert level.rank.mean == pytest.approx(2 / 3)
    assert level.value is None
    assert (age.unplaced, age.value.mean) == (1, 1.0)
    assert isinstance(declared["level"], Variable)


def test_one_row_per_record_and_a_figure(engine):
    found = compare(engine, {"age": [1, 2], "sex": [1, 1]}, {"age": [2, 2], "sex": [2, 1]})
    table = found.to_arrow()
    assert table.column("variables_changed").to_pylist() == [2, 0]
    assert table.column("sex_changed").to_pylist() == [True, False]
    assert found.plot().startswith("<svg")
    assert "<table>" in found._repr_html_()
