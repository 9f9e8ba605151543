"""A project file is changed in its text: what was wanted, nothing else, and comments stay."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.project import changed_project

TEXT = """\
# a first draft
[data]
file = "people.csv"   # the records

[release]
k = 5                 # at least
# out = "elsewhere"
key = ["age",
  "sex"]
out = "release"

# name says age
[variables.age]
role = "key"
missing = [9, [97, 99]]

# quoted
[variables."Marital Status"]
role = "other"
"""


def test_a_setting_is_replaced_and_every_comment_stays():
    changed = changed_project(TEXT, {("release", "k"): 10, ("variables", "age", "role"): "other"})
    assert changed == TEXT.replace("k = 5 ", "k = 10 ").replace('role = "key"', 'role = "other"')


def test_a_setting_is_added_to_its_section_and_a_section_to_the_end():
    changed = changed_project(
        TEXT, {("release", "confirmed"): True, ("steps", "a", "kind"): "round"}
    )
    assert 'out = "release"\nconfirmed = true\n' in changed
    assert changed.endswith('[steps.a]\nkind = "round"\n')


def test_a_setting_over_several_lines_is_written_anew_without_losing_a_setting():
    changed = changed_project(TEXT, {("release", "key"): ["sex"]})
    wanted = tomllib.loads(TEXT)
    wanted["release"]["key"] = ["sex"]
    assert tomllib.loads(changed) == wanted


def test_a_section_goes_with_its_comment_and_nothing_of_its_neighbours():
    changed = changed_project(TEXT, {("variables", "age"): None})
    assert changed == TEXT.replace(
        '# name says age\n[variables.age]\nrole = "key"\nmissing = [9, [97, 99]]\n\n', ""
    )


def test_what_is_not_there_can_be_taken_out():
    assert changed_project(TEXT, {("contract", "needed"): None}) == TEXT


NAMES = st.sampled_from(["k", "out", "key", "a b", 'quo"te', "é", "role", "x.y", "[v]", "# c"])
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.lists(st.text(max_size=4), max_size=3),
)
SETTINGS = st.one_of(
    st.tuples(st.sampled_from(["release", "data"]), NAMES),
    st.tuples(st.just("variables"), st.sampled_from(["age", "Marital Status", "new one"]), NAMES),
)


@given(st.lists(st.tuples(SETTINGS, VALUES), max_size=6))
def test_whatever_is_changed_the_text_says_that_and_all_else(changes):
    text, wanted = TEXT, tomllib.loads(TEXT)
    for setting, value in changes:
        text = changed_project(text, {setting: value})
        inner = wanted
        for part in setting[:-1]:
            inner = inner.setdefault(part, {})
        inner.pop(setting[-1], None) if value is None else inner.update({setting[-1]: value})
    said = tomllib.loads(text)
    assert {n: v for n, v in said.items() if n != "variables"} == {
        n: v for n, v in wanted.items() if n != "variables"
    }
    assert {n: v for n, v in said["variables"].items() if v} == {
        n: v for n, v in wanted["variables"].items() if v
    }


@pytest.mark.parametrize("text", ["release = { k = 5 }\n", "release.k = 5\n", "[release]\n"])
def test_other_ways_of_writing_the_same_are_understood(text):
    assert tomllib.loads(changed_project(text, {("release", "k"): 7})) == {"release": {"k": 7}}
