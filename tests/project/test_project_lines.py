"""The line finder, against hand-counted lines and against tomllib's own parsing."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from indistinct.options.lines import find_lines
from indistinct.options.tomltext import toml_comment, toml_header, toml_key, toml_value

TEXT = '''# a comment with [not.a.section]
title = "x" # k = 5

[release]   # trailing
k = 5
key = [
    "age",  # the first
    "sex",
]
note = """
[fake]
k = 9 \\""" still
"""
path = 'C:\\dir'
[variables."Marital Status"]
labels = { 1 = "a,b}", "2" = 'c' }
hierarchy.kind = "dates"
[variables]
age.role = "key"
[[table]]
x = 1
[[table]]
x = [[1, 2], [3,
 4]]
[table.inner]
y = 2026-01-02 03:04:05
'''


def test_lines_counted_by_hand():
    lines = find_lines(TEXT)
    assert lines["title",] == 2
    assert lines["release",] == 4
    assert lines["release", "k"] == 5
    assert (lines["release", "key", 0], lines["release", "key", 1]) == (7, 8)
    assert lines["release", "note"] == 10
    assert lines["release", "path"] == 14
    assert lines["variables", "Marital Status"] == 15
    assert lines["variables", "Marital Status", "labels", "2"] == 16
    assert lines["variables", "Marital Status", "hierarchy", "kind"] == 17
    assert lines["variables",] == 18
    assert lines["variables", "age", "role"] == 19
    assert (lines["table", 0, "x"], lines["table", 1, "x"]) == (21, 23)
    assert lines["table", 1, "x", 1, 1] == 24
    assert lines["table", 1, "inner", "y"] == 26
    assert ("fake",) not in lines


def test_what_has_no_line_stands_where_its_parent_does():
    lines = find_lines("\n[a]\nb = 1\n")
    assert lines["a", "nothing", 3] == 2
    assert lines["nothing",] == 1


def _paths(value: Any, at: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = {at} if at else set()
    for step, child in inner:
        if isinstance(child, (dict, list)):
            found |= _paths(child, (*at, step))
        else:
            found.add((*at, step))
    return found


names = st.text(min_size=1, max_size=6)
scalars = st.one_of(
    st.text(max_size=8), st.integers(-(10**9), 10**9), st.booleans(), st.floats(allow_nan=False)
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=6,
)


@given(
    st.dictionaries(names, st.dictionaries(names, values, max_size=4), max_size=4),
    st.text(max_size=10),
)
def test_every_key_that_tomllib_finds_has_its_line(content, remark):
    text, expected = [toml_comment(remark)], {}
    for section, settings in content.items():
        text.append(toml_header("variables", section))
        expected["variables", section] = len(text)
        for key, value in settings.items():
            text.append(f"{toml_key(key)} = {toml_value(value)}  {toml_comment(remark)}")
            expected["variables", section, key] = len(text)
    joined = "\n".join(text)
    assert tomllib.loads(joined).get("variables", {}) == content
    lines = find_lines(joined)
    for path, line in expected.items():
        assert path in lines
        assert lines[path] == line
    for path in _paths({"variables": content}) - {("variables",)}:
        assert path in lines
