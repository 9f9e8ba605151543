"""Figures are whole SVG documents with their numbers in words."""

from __future__ import annotations

from xml.etree import ElementTree

from indistinct import open_data
from indistinct.census import census_table
from indistinct.results.figures import Line, Point, bars, lines, points, stacked
from indistinct.risk import choose_model, remove_variables, validate

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


def test_lines_differ_without_colour_and_say_their_numbers():
    x = [20, 21, 22]
    found = [Line("original", x, [2.0, 2.5, 3.0]), Line("<released>", x, [2.1, 2.4, -1.0])]
    svg = lines("Gap", found, x="age", y="years", marked=(21, "break at 21"))
    shown = texts(svg)
    assert {"original", "<released>", "age", "years", "break at 21", "-1", "3"} <= set(shown)
    assert "original: 20 2, 21 2.5, 22 3; <released>: 20 2.1, 21 2.4, 22 -1" in shown
    strokes = [n for n in ElementTree.fromstring(svg).iter() if n.tag.endswith("polyline")]
    assert len({n.get("stroke-dasharray") for n in strokes}) == 2
    assert len({n.get("stroke") for n in strokes}) == 2


def test_a_line_is_drawn_where_it_is_and_broken_where_it_is_not_known():
    svg = lines("t", [Line("a", [0, 1, 2, 3, 4], [0, 10, float("nan"), 10, 0])], x="", y="")
    strokes = [n for n in ElementTree.fromstring(svg).iter() if n.tag.endswith("polyline")]
    runs = [n.get("points").split() for n in strokes]
    assert sorted(len(run) for run in runs) == [2, 2, 2]  # the first of them is the key's
    (x0, low), (x1, high) = (map(float, p.split(",")) for p in runs[1])
    frame = next(n for n in ElementTree.fromstring(svg).iter() if n.tag.endswith("rect"))
    assert x0 < x1
    assert high == float(frame.get("y"))
    assert low == float(frame.get("y")) + float(frame.get("height"))


def test_named_places_and_no_lines_are_drawn():
    named = lines(
        "t", [Line("a", [1, 2], [5, 5])], x="", y="", ticks={1: "low", 2: "h&h"}, zero=True
    )
    assert {"low", "h&h", "0"} <= set(texts(named))
    assert texts(lines("none", [], x="a", y="b"))


def test_stacked_figures_do_not_overlap():
    one, two = bars("one", ["a"], [1]), lines("two", [], x="", y="")
    whole = ElementTree.fromstring(stacked("both", [one, two]))
    inner = [n for n in whole if n.tag.endswith("svg")]
    assert [n.get("y") for n in inner] == ["0", str(int(inner[0].get("height")) + 24)]
    assert whole.get("viewBox").endswith(f" {int(inner[1].get('y')) + int(inner[1].get('height'))}")
