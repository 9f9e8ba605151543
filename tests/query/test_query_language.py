"""What can be asked, what cannot, and that nothing of a question's text is ever shown raw."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.query import read_question
from indistinct.query.language import Comparison, Item, Joined, Negated, Order


def test_a_question_is_read_as_a_tree():
    asked = read_question(
        'select "my town", count(*) n, mean(income) as "m" from data where age between 30 and 39.5 '
        "and (sex in ('f', 'o''x') or not ill is null) "
        'group by "my town" order by n desc limit 3;'
    )
    assert asked.items == (
        Item("", "my town", "my town"),
        Item("count", "*", "n"),
        Item("mean", "income", "m"),
    )
    age = (Comparison("age", ">=", (30,)), Comparison("age", "<=", (39.5,)))
    either = (Comparison("sex", "in", ("f", "o'x")), Negated(Comparison("ill", "is null")))
    assert asked.where == Joined("and", (Joined("and", age), Joined("or", either)))
    assert (asked.by, asked.order, asked.limit) == (("my town",), (Order(1, True),), 3)
    assert asked.conditioned == ("age", "sex", "ill")
    assert not asked.lists
    assert read_question("SELECT * FROM Data").lists


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("drop table data", "should have 'select'"),
        ("select count(*) from people", "called 'data'"),
        ("select distinct sex from data", "GROUP BY"),
        ("select count(distinct sex) from data", "DISTINCT inside count"),
        ("select sum(income * 2) from data", "Nothing is computed|nothing is computed"),
        ("select sum(income, age) from data", "of one variable"),
        ("select sum(*) from data", "sum is of a variable"),
        ("select share(sex) from data", "share is of the records"),
        ("select median(income) from data", "There are: count, share, sum, mean"),
        ("select sex, count(*) from data", "'sex' must be in GROUP BY"),
        ("select *, count(*) from data", "must be in GROUP BY"),
        ("select count(*) as n, sum(x) as n from data", "Two columns"),
        ("select count(*) from data where age", "A condition is"),
        ("select count(*) from data where age = sex", "not compared with each other"),
        ("select count(*) from data where age + 1 = 2", "cannot be read|A condition is"),
        ("select count(*) from data where lower(sex) = 'f'", "Functions are not asked"),
        ("select count(*) from data where age like 'a%'", "A condition is"),
        ("select count(*) from data where age in (select age from data)", "stand in the question"),
        (
            "select count(*) from data group by sex having count(*) > 3",
            "cannot be read from 'having'",
        ),
        ("select count(*) from data union select 1", "cannot be read from 'union'"),
        ("select count(*) from data join data", "cannot be read from 'join'"),
        ("select count(*) from data order by age", "a column of the answer"),
        ("select count(*) from data limit 1.5", "whole number"),
        ("select count(*) from data; select 1", "cannot be read from its character"),
        ("select count(*) from data -- where", "cannot be read from its character"),
        ('select count(*) as "a\'; --" from data', "one plain word"),
        ('select count(*) as "\x1b[31mred" from data', "cannot be shown"),
        ("select count(*) from data where sex = '\u202egnp'", "cannot be shown"),
        ("select count(*) from data where sex = 'a\x00b'", "cannot be shown"),
        (f"select count(*) from data where {'(' * 30}age = 1{')' * 30}", "brackets deep"),
        (f"select count(*) from data where {'not ' * 300}age = 1", "brackets deep"),
        (f"select count(*) from data where age = {'9' * 5000}", "longer than"),
        (f"select count(*) from data where age = {'9' * 500}", "cannot be read"),
        ("select count(*) from data where age = 1e400", "cannot be read"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(question, said):
    with pytest.raises(InputError, match=said) as refused:
        read_question(question)
    assert str(refused.value).isprintable()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_in_words_that_can_be_shown(text):
    said = ""
    try:
        read_question(text)
    except InputError as refused:
        said = str(refused)
    assert said.isprintable()


words = st.sampled_from(
    "select count ( * ) sum mean x y from data where group by order limit and or not in is null = "
    "<> < > <= >= between 1 2.5 'a' \"b\" , as desc ; + distinct case union".split()
)


@settings(max_examples=500, deadline=None)
@given(st.lists(words, max_size=30))
def test_any_words_are_read_or_refused(chosen):
    try:
        asked = read_question(" ".join(["select", *chosen]))
    except InputError:
        return
    assert asked.items
