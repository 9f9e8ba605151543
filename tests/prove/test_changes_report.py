from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import indistinct
from indistinct.prove.changes import protection_report


@pytest.fixture(scope="module")
def report():
    rng = np.random.default_rng(1)
    n = 2000
    before = pa.table(
        {
            "age": rng.integers(0, 86, n),
            "sex": rng.choice(["m", "f"], n),
            "job": rng.choice(list("abcdefgh"), n),
            "region": rng.choice(["north", "south"], n),
        }
    )
    age, sex = before["age"].to_numpy().copy(), before["sex"].to_pylist()
    some = np.flatnonzero(rng.random(n) < 0.5)
    age[some] = age[rng.permutation(some)]
    after = before.set_column(0, "age", pa.array(age))
    after = after.set_column(1, "sex", pa.array([sex[i] for i in rng.permutation(n)]))
    with indistinct.open_data(before) as a, indistinct.open_data(after) as b:
        return protection_report(
            a.engine, a.source, b.source, key=["age", "sex", "job"], within=["region"],
            groups={"20plus": "age >= 20", "children_0_19": "0 <= age <= 19"}, targets=500,
        )  # fmt: skip


def test_it_says_everything_in_about_twenty_lines(report):
    lines = report.details().splitlines()
    assert 12 <= len(lines) <= 25
    assert max(map(len, lines)) <= 110
    assert "20plus" in lines[1]
    assert any("unique people" in line for line in lines)
    assert any("nearest by rank" in line for line in lines)
    # and the most important of it in half of them
    for line in repr(report).splitlines()[2:]:
        assert line in lines


def test_it_becomes_json(report):
    told = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    percent = told["changes"]["percent"]
    for name in (
        "any_variable", "age", "sex", "sex_children_0_19", "two_or_more_all", "two_or_more_20plus",
        "at_least_one_20plus",
    ):  # fmt: skip
        assert 0 < percent[name] < 100
    assert percent["region"] == 0
    assert told["linkage"]["rank"]["within"] == ["region"]
    assert told["exact"]["rate_after"] < told["exact"]["rate_before"]


def test_parts_agree(report):
    assert report.permutation.nominal["sex"] == report.changes.everybody.variables["sex"]
    assert report.permutation.variables[0].noise == 0
    for linkage in report.linkage:
        assert linkage.before == report.exact.rate_before
        assert linkage.chance < linkage.share < linkage.before


def test_the_figure_tells_every_variable(report):
    figure = report.plot()
    for name in ("age", "sex", "job", "region", "any variable", "two or more"):
        assert f">{name}</text>" in figure
    assert figure in report._repr_html_()


def test_without_a_key_nothing_is_attacked():
    table = pa.table({"age": [1, 2]})
    with indistinct.open_data(table) as a, indistinct.open_data(table) as b:
        report = protection_report(a.engine, a.source, b.source)
    assert report.exact is None
    assert report.linkage == ()
    assert report.to_dict()["exact"] is None
    assert "0 %" in repr(report)
