"""Exact answers, held against plain Python over the same records."""

from __future__ import annotations

import datetime as dt

import pytest
from asked import session
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError

DATA = {
    "town": ["a", "b", None, "a", "c", "b", "a"],
    "age": [30, 41, 30, None, 55, 30, 41],
    "pay": [1.5, 2.0, float("nan"), 4.0, 0.5, None, 3.0],
    "ok": [True, False, None, True, True, False, False],
    "day": [dt.date(2020, 1, n) for n in range(1, 8)],
}


@pytest.fixture(scope="module")
def asked():
    with session(DATA) as started:
        yield started


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("select count(*) from data", [(7,)]),
        ("select count(age), count(town) from data", [(6, 6)]),
        (
            "select town, count(*) from data group by town",
            [("a", 3), ("b", 2), ("c", 1), (None, 1)],
        ),
        ("select sum(age), min(age), max(age) from data", [(227, 30, 55)]),
        ("select mean(pay) from data", [(2.2,)]),
        ("select avg(pay), sum(pay) from data where town = 'a'", [(17 / 6, 8.5)]),
        (
            "select town, sum(pay) from data group by town order by town desc limit 2",
            [("c", 0.5), ("b", 2.0)],
        ),
        ("select count(*) from data where not town = 'a'", [(3,)]),
        ("select count(*) from data where town is null or age is null", [(2,)]),
        ("select count(*) from data where age > 30 and age <= 41", [(2,)]),
        ("select count(*) from data where age = 30.5", [(0,)]),
        ("select count(*) from data where age between 30 and 40", [(3,)]),
        ("select count(*) from data where town in ('a', 'nowhere')", [(3,)]),
        ("select count(*) from data where ok = true", [(3,)]),
        ("select count(*) from data where day >= '2020-01-05'", [(3,)]),
        (
            "select share(*), town from data where town > 'a' group by town",
            [(2 / 3, "b"), (1 / 3, "c")],
        ),
        ("select min(town), max(day) from data where age = 41", [("a", "2020-01-07")]),
        ("select sum(age) from data where town = 'nowhere'", [(None,)]),
        ("select TOWN, age from data where Age > 40", [("b", 41), ("c", 55), ("a", 41)]),
        (
            "select age, town from data where age > 30 order by age desc, town",
            [(55, "c"), (41, "a"), (41, "b")],
        ),
        ("select age from data limit 2", [(30,), (41,)]),
        (
            "select town, age, count(*) from data where town = 'b' group by age, town",
            [("b", 30, 1), ("b", 41, 1)],
        ),
    ],
)
def test_answers_are_those_of_the_records(asked, question, rows):
    assert list(asked.ask(question).rows) == [
        pytest.approx(row, nan_ok=True) if any(isinstance(v, float) for v in row) else row
        for row in rows
    ]


def test_all_columns_are_listed_and_rows_of_few_can_be_left_out(asked):
    listed = asked.ask("select * from data")
    assert listed.columns == tuple(DATA)
    assert len(listed.rows) == 7
    with session(DATA, smallest=2) as started:
        answer = started.ask("select town, count(*) from data group by town")
    assert (answer.rows, answer.withheld) == ((("a", 3), ("b", 2)), 2)
    assert answer.summary == "2 rows, 2 withheld (exact; no row of fewer than 2)"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("select count(*) from data where town = 3", "'town' is compared with text"),
        ("select count(*) from data where age = 'x'", "'age' is compared with numbers"),
        ("select count(*) from data where ok = 3", "true or false"),
        ("select sum(town) from data", "holds text"),
        ("select aeg from data", "Did you mean 'age'"),
        ("select *, age from data order by age", "Name the variables"),
    ],
)
def test_what_does_not_fit_is_told(asked, question, said):
    with pytest.raises(InputError, match=said):
        asked.ask(question)


values = st.sampled_from([None, "a", "b", "c"])
numbers = st.sampled_from([None, 0, 1, 2, 5])
conditions = st.recursive(
    st.one_of(
        st.tuples(st.just("t"), st.sampled_from(["=", "<>", "<", ">="]), st.sampled_from("abc")),
        st.tuples(st.just("n"), st.sampled_from(["=", "<>", ">", "<="]), st.integers(0, 5)),
        st.tuples(st.sampled_from("tn"), st.just("is null"), st.none()),
    ),
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=5,
)


def written(condition) -> str:
    if condition[0] == "not":
        return f"not ({written(condition[1])})"
    if condition[0] in ("and", "or"):
        return f"({written(condition[1])} {condition[0]} {written(condition[2])})"
    name, operator, value = condition
    return f"{name} {operator} {'' if value is None else repr(value)}"


def true_of(condition, record):
    """True, False, or None where it is not known: SQL's three values, by hand."""
    if condition[0] == "not":
        found = true_of(condition[1], record)
        return None if found is None else not found
    if condition[0] in ("and", "or"):
        both = [true_of(part, record) for part in condition[1:]]
        decisive = condition[0] == "or"
        return decisive if decisive in both else None if None in both else not decisive
    name, operator, value = condition
    have = record[name]
    if operator == "is null":
        return have is None
    if have is None:
        return None
    return {
        "=": have == value,
        "<>": have != value,
        "<": have < value,
        ">": have > value,
        ">=": have >= value,
        "<=": have <= value,
    }[operator]


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.tuples(values, numbers), min_size=1, max_size=12),
    st.lists(conditions, min_size=20, max_size=20),
)
def test_conditions_mean_what_they_mean_in_sql(records, asked_for):
    # a column of nothing but missing values has no type of its own
    records = [*records, ("a", 1)]
    data = {"t": [t for t, _ in records], "n": [n for _, n in records]}
    with session(data) as started:
        for condition in asked_for:
            found = started.ask(f"select count(*) from data where {written(condition)}").rows
            wanted = [true_of(condition, {"t": t, "n": n}) for t, n in records].count(True)
            assert found == ((wanted,),)
