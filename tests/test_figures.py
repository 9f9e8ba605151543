"""Figures are whole SVG documents with their numbers in words."""

from __future__ import annotations

from xml.etree import ElementTree

from indistinct.census import census_table
from indistinct.figures import Point, bars, points
from indistinct.risk import choose_model, remove_variables, validate
from indistinct.session import open_data

KEY = ["age_group", "sex", "marital", "economic"]


def texts(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter()]


def test_labels_numbers_and_markup_are_written_out():
    svg = bars("A <title>", ["<script>", "b & c"], [1, 2.5], beside=[3, 0], names=("x", "y"))
    shown = texts(svg)
    assert "A <title>" in shown
    assert "<script>" in shown
    assert "b & c" in shown
    assert {"1", "2.5", "3", "0"} <= set(shown)


def test_no_bars_and_only_zeros_are_drawn():
    assert texts(bars("nothing", [], []))
    assert "0" in texts(bars("zeros", ["a"], [0]))


def test_results_draw_themselves():
    with open_data(census_table(4000, seed=1, names=False)) as data:
        found = data.uniques(KEY, k=3)
        risk = data.risk(KEY, fraction=0.1, model="main")
        table = data.key_table(KEY)
    assert f"{found.sizes()[0][2]:,}" in texts(found.plot())
    assert "0.9–1.0" in texts(risk.plot())
    path = choose_model(table, fraction=0.1)
    assert any(text.startswith("* ") for text in texts(path.plot()))
    assert "none" in texts(remove_variables(table, k=3).plot())
    assert "true" in texts(validate(table, fraction=0.2, repeat=2, model="main").plot())


def test_points_are_labelled_and_told_apart():
    found = [
        Point("one", 0.2, 0.91),
        Point("two", 0.2, 0.9),
        Point("<three>", 0.5, 0.1, hollow=True),
    ]
    svg = points("Map", found, x="risk", y="utility", filled="k holds", hollow="it does not")
    shown = texts(svg)
    assert {"one", "two", "<three>", "risk", "utility", "k holds", "it does not"} <= set(shown)
    lines = {n.text: float(n.get("y") or 0) for n in ElementTree.fromstring(svg).iter() if n.text}
    assert abs(lines["one"] - lines["two"]) >= 13
    assert svg.count('fill="white"') == 2


def test_no_points_and_points_at_zero_are_drawn():
    assert texts(points("none", [], x="a", y="b"))
    assert "here" in texts(points("zero", [Point("here", 0, 0)], x="a", y="b"))
