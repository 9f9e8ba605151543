"""The language of rules: what it means, against a slow reading, and what it refuses."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.households import Kinship
from indistinct.rules import Rule, Rules

HOUSEHOLD = np.array([0, 1, 0, 0, 1, 2])
KIN = Kinship(
    household=HOUSEHOLD,
    head=np.array([0, 1, 0, 0, 1, -1]),
    spouse=np.array([2, -1, 0, -1, -1, -1]),
    mother=np.array([-1, -1, -1, 2, 1, -1]),
    father=np.array([-1, -1, -1, 0, -1, -1]),
)
NUMBERS = {
    "age": [40, 30, 38, 9, 2, None],
    "pay": [2.5, None, -1.0, 0.0, 7.0, 1.0],
    "Hours Worked": [40, 20, 0, 0, 0, 0],
}
TEXTS = {"job": ["baker", "smith", None, "baker", "", "potter"]}
COLUMNS = {
    name: np.array([np.nan if v is None else v for v in values]) for name, values in NUMBERS.items()
}
COLUMNS["Hours Worked"] = COLUMNS["Hours Worked"].astype(np.uint8)
COLUMNS |= {name: np.array(values, dtype=object) for name, values in TEXTS.items()}
VALUES = NUMBERS | TEXTS

COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def answers(text: str) -> list[bool]:
    return Rules([Rule("r", text)]).violations(COLUMNS, KIN).by_rule["r"].tolist()


# An expression is a tuple: its sort and its parts. `slow` reads it one record at a time.

RELATIVE = st.sampled_from(["spouse", "mother", "father", "head"])
VARIABLE = st.sampled_from(list(NUMBERS))
HOW = st.sampled_from(list(COMPARE))
text = st.one_of(
    st.tuples(st.just("text"), st.sampled_from(["baker", "potter", "no'body", ""])),
    st.tuples(st.just("variable"), st.just("job")),
    st.tuples(st.just("relative"), st.sampled_from(["mother", "head"]), st.just("job")),
)


def numbers(depth):
    leaves = [
        st.tuples(st.just("number"), st.integers(-50, 50)),
        st.tuples(st.just("variable"), VARIABLE),
        st.tuples(st.just("relative"), RELATIVE, VARIABLE),
    ]
    if not depth:
        return st.one_of(leaves)
    number = numbers(depth - 1)
    what = st.sampled_from(["minimum", "maximum", "total"])
    return st.one_of(
        *leaves,
        st.tuples(st.just("arithmetic"), st.sampled_from(list(ARITHMETIC)), number, number),
        st.tuples(st.just("aggregate"), what, number),
        st.tuples(st.just("count"), truths(depth - 1)),
        st.tuples(st.just("negative"), number),
    )


def truths(depth):
    number = numbers(depth)
    listed = st.lists(st.integers(-3, 40), min_size=1, max_size=4)
    leaves = [
        st.tuples(st.just("compare"), number, HOW, number),
        st.tuples(st.just("compare"), text, HOW, text),
        st.tuples(st.just("chain"), number, HOW, number, HOW, number),
        st.tuples(st.just("in"), number, st.booleans(), listed),
        st.tuples(st.just("missing"), st.one_of(number, text)),
        st.tuples(st.just("absent"), RELATIVE),
    ]
    if not depth:
        return st.one_of(leaves)
    truth = truths(depth - 1)
    both = st.sampled_from(["and", "or"])
    return st.one_of(*leaves, st.tuples(both, truth, truth), st.tuples(st.just("not"), truth))


def named(name):
    return f"`{name}`" if " " in name else name


def written(e) -> str:
    match e:
        case ("number", value) | ("text", value):
            return f"({value!r})" if isinstance(value, int) else repr(value)
        case ("variable", name):
            return named(name)
        case ("relative", who, name):
            return f"{who}.{named(name)}"
        case ("arithmetic", how, a, b):
            return f"({written(a)} {how} {written(b)})"
        case ("aggregate", what, a):
            return f"{what}({written(a)})"
        case ("count" | "missing" as what, a):
            return f"{what}({written(a)})"
        case ("negative", a):
            return f"-({written(a)})"
        case ("compare", a, how, b):
            return f"({written(a)} {how} {written(b)})"
        case ("chain", a, how, b, how2, c):
            return f"({written(a)} {how} {written(b)} {how2} {written(c)})"
        case ("in", a, inside, values):
            listed = ", ".join(map(str, values))
            return f"({written(a)} {'in' if inside else 'not in'} ({listed},))"
        case ("absent", who):
            return f"absent({who})"
        case ("and" | "or" as how, a, b):
            return f"({written(a)} {how} {written(b)})"
        case ("not", a):
            return f"(not {written(a)})"
    raise AssertionError(e)


def slow(e, i):
    match e:
        case ("number", value) | ("text", value):
            return value
        case ("variable", name):
            return VALUES[name][i]
        case ("relative", who, name):
            other = KIN.of(who)[i]
            return None if other < 0 else VALUES[name][other]
        case ("arithmetic", how, a, b):
            one, other = slow(a, i), slow(b, i)
            return None if one is None or other is None else ARITHMETIC[how](one, other)
        case ("negative", a):
            one = slow(a, i)
            return None if one is None else -one
        case ("aggregate", what, a):
            known = [v for j in home(i) if (v := slow(a, j)) is not None]
            if what == "total":
                return sum(known)
            return (min if what == "minimum" else max)(known) if known else None
        case ("count", a):
            return sum(slow(a, j) for j in home(i))
        case ("compare", a, how, b):
            one, other = slow(a, i), slow(b, i)
            return one is not None and other is not None and COMPARE[how](one, other)
        case ("chain", a, how, b, how2, c):
            return slow(("compare", a, how, b), i) and slow(("compare", b, how2, c), i)
        case ("in", a, inside, values):
            one = slow(a, i)
            return one is not None and (one in values) == inside
        case ("missing", a):
            return slow(a, i) is None
        case ("absent", who):
            return bool(KIN.of(who)[i] < 0)
        case ("and", a, b):
            return slow(a, i) and slow(b, i)
        case ("or", a, b):
            return slow(a, i) or slow(b, i)
        case ("not", a):
            return not slow(a, i)
    raise AssertionError(e)


def home(i):
    return np.flatnonzero(HOUSEHOLD[i] == HOUSEHOLD)


@settings(max_examples=150, deadline=None)
@given(truths(2))
def test_any_expression_as_slowly(expression):
    assert answers(written(expression)) == [bool(slow(expression, i)) for i in range(6)]


def test_examples_by_hand():
    assert answers("mother.age - age < 30") == [False, False, False, True, True, False]
    assert answers("12 <= age < 39") == [False, True, True, False, False, False]
    assert answers("count(age < 15) == 1 and age > 20") == [True, True, True, False, False, False]
    assert answers("job != 'baker'") == [False, True, False, False, True, True]
    assert answers("not job == 'baker'") == [False, True, True, False, True, True]
    assert answers("job == head.job") == [True, True, False, True, False, False]
    assert answers("age not in (40, 30)") == [False, False, True, True, True, False]
    assert answers("`Hours Worked` - 41 < 0") == [True] * 6
    assert answers("head.`Hours Worked` == 20") == [False, True, False, False, True, False]
    assert answers("  age\n  == 40  ") == [True] + [False] * 5


def test_text_written_as_numbers():
    columns = {
        "age": np.array(["07", "12", None, "40"], dtype=object),
        "n": np.array([7, 1, 2, 40]),
    }
    rules = Rules([Rule("a", "age < 10"), Rule("b", "age == n"), Rule("c", "n == '7'")])
    found = rules.violations(columns).by_rule
    assert found["a"].tolist() == [True, False, False, False]
    assert found["b"].tolist() == [True, False, False, True]
    assert found["c"].tolist() == [True, False, False, False]


def test_words_are_not_compared_with_numbers_and_the_words_are_not_told():
    with pytest.raises(InputError, match="Rule 'r': 'job' holds text and is used as a number") as e:
        answers("job < 3")
    assert "baker" not in str(e.value)
    with pytest.raises(InputError, match="a text that is no number"):
        answers("age == 'forty'")


def test_large_whole_numbers_stay_exact_and_do_not_overflow():
    big = np.array([2**62, 2**53 + 1])
    rules = Rules([Rule("r", "x * 4 > 0"), Rule("s", "x - 1 == 9007199254740992")])
    found = rules.violations({"x": big}).by_rule
    assert found["r"].tolist() == [True, True]
    assert found["s"].tolist() == [False, True]


def test_unsigned_numbers_may_fall_below_zero():
    rules = Rules([Rule("r", "a - b < 0")])
    columns = {"a": np.array([1, 5], np.uint8), "b": np.array([2, 4], np.uint8)}
    assert rules.violations(columns).any.tolist() == [True, False]


@pytest.mark.parametrize(
    ("expression", "position", "said"),
    [
        ("", 1, "an expression such as"),
        ("age", 1, "a comparison is needed here"),
        ("age < 15 and marital", 14, "a comparison is needed here"),
        ("age = 3", 5, "write == to compare"),
        ("(age < 3", 1, "brackets do not match"),
        ("age < 'x", 7, "quotes are missing"),
        ("age < 3 AND sex == 1", 9, "written small"),
        ("(age < 3) & (sex == 1)", 1, "write and for &"),
        ("age / 2 < 3", 1, r"only \+ - and \*"),
        ("age ** 2 < 3", 1, r"only \+ - and \*"),
        ("uncle.age < 3", 1, "no such relative. There are: spouse, mother"),
        ("moter.age < 3", 1, "no such relative. Did you mean 'mother'"),
        ("head.spouse.age < 3", 1, "no such relative"),
        ("cuont(age < 3) > 1", 1, "no such function. Did you mean 'count'"),
        ("age.__class__ == 1", 1, "no such relative"),
        ("(lambda: 1)() == 1", 1, "no such function"),
        ("[x for x in age] == 1", 1, "not part of the language"),
        ("f'{age}' == 'x'", 1, "not part of the language"),
        ("age[0] == 1", 1, "not part of the language"),
        ("(age if age else 1) == 1", 2, "not part of the language"),
        ("age == True", 8, "write 1 for true"),
        ("age == None", 8, "write 1 for true"),
        ("age is 3", 8, "write == or !="),
        ("age in other", 8, "a list holds numbers and texts"),
        ("age in (1, -'a')", 12, "a text has no sign"),
        ("count(age) > 1", 7, "a comparison is needed here"),
        ("minimum(age < 3) > 1", 9, "a number is needed here"),
        ("total(age, sex) > 1", 1, r"total\(…\) takes one thing"),
        ("missing(age) > 1", 1, "is true or false"),
        ("absent(uncle)", 8, "no such relative"),
        ("age < 3 # young", 9, "no comments"),
        ("age < 3; sex == 1", 8, "one expression"),
        ("`age < 3", 1, "does not end"),
        ("é == 1 and age", 12, "a comparison is needed here"),
        ("   age and sex == 1", 4, "a comparison is needed here"),
        ("x := 3", 3, "this is no expression"),
        ("(" * 300 + "age" + ")" * 300 + " < 1", None, "too deep in brackets"),
        ("age < " + "9" * 5_000, 1, "a number is too long"),
        ("age < 1 or " * 2_000 + "age < 1", 10_000, "longer than 10,000 characters"),
    ],
)
def test_what_is_not_understood_is_refused_where_it_stands(expression, position, said):
    with pytest.raises(InputError, match=said) as refused:
        Rule("my rule", expression)
    message = str(refused.value)
    assert message.startswith("Rule 'my rule' is not understood at position ")
    assert position is None or f"at position {position}:" in message
