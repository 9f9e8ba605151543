"""Whatever is handed in, a figure is one whole, safe, legible SVG with its numbers in words."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indistinct.results.figures import (
    Line,
    Measure,
    Point,
    Spot,
    agreement,
    bars,
    before_after,
    candidates,
    frontier,
    gauge,
    lines,
    marginal,
    points,
    shares,
    stacked,
)
from indistinct.results.figures.letters import width_of

SVG = "{http://www.w3.org/2000/svg}"
HARMLESS = {
    *("svg", "title", "desc", "defs", "pattern", "path", "rect", "circle", "line", "polyline"),
    "text",
}
A4 = 170 / 25.4 * 96
"""CSS pixels of the width that is printed on A4."""


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check(svg: str) -> ElementTree.Element:
    """Fail unless a figure is what a page may hold; return its tree."""
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    width, height = map(int, root.get("viewBox").split()[2:])
    assert root.get("viewBox") == f"0 0 {width} {height}"
    ids = [n.get("id") for n in root.iter() if n.get("id")]
    assert len(ids) == len(set(ids))
    named = root.get("aria-labelledby").split()
    assert [root[0].get("id"), root[1].get("id")] == named
    assert [root[0].tag, root[1].tag] == [f"{SVG}title", f"{SVG}desc"]
    for use in re.findall(
        r"url\(#([^)]*)\)", "".join(v for n in root.iter() for v in n.attrib.values())
    ):
        assert use in ids
    for node in root.iter():
        assert node.tag.removeprefix(SVG) in HARMLESS
        assert not any(k.startswith("on") or "href" in k or k == "style" for k in node.attrib)
    if root.find(f"{SVG}svg") is None:
        inside(root, width, height)
    return root


def inside(root: ElementTree.Element, width: int, height: int) -> None:
    for node in root.iter(f"{SVG}rect"):
        x, y, w, h = (float(node.get(k)) for k in ("x", "y", "width", "height"))
        assert min(x, y, w, h) >= 0
        assert x + w <= width
        assert y + h <= height
    for node in root.iter(f"{SVG}circle"):
        assert 0 <= float(node.get("cx")) <= width
        assert 0 <= float(node.get("cy")) <= height
    for node in root.iter(f"{SVG}text"):
        size = float(node.get("font-size", 12))
        assert size * A4 / max(width, 640) >= 11
        for ground in ("#ffffff", "#e3eef6"):
            assert contrast(node.get("fill", root.get("fill")), ground) >= 4.5
        long = width_of(node.text or "", size=size, bold=node.get("font-weight") == "bold")
        if node.get("transform"):
            assert long <= height
            continue
        x, y = float(node.get("x")), float(node.get("y"))
        start = x - {"start": 0, "middle": long / 2, "end": long}[node.get("text-anchor", "start")]
        assert start >= -1, node.text
        assert start + long <= width + 1, node.text
        assert 8 <= y <= height, node.text


label = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["<script>alert(1)</script>", "\"'&", "שלום עולם", "x" * 300, "\x00\ufffe", ""]
    ),
)
value = st.one_of(
    st.floats(min_value=0),
    st.integers(0, 10**7),
    st.none(),
    st.sampled_from([0, 1e-9, 1, 1e7, 1e300, float("nan")]),
)
share = st.one_of(st.floats(0, 1), st.none(), st.sampled_from([0, 1, 1e-12, 0.99999]))
pairs = st.lists(st.tuples(label, value, value), max_size=30)


@settings(max_examples=20, deadline=None)
@given(pairs, label, label, st.booleans(), st.integers(0, 3))
@example([("a", 10_000_000, 3)], "t", "below", True, 1)
def test_bars_hold_whatever_is_handed_in(rows, title, word, some, below):
    labels, one, two = ([row[i] for row in rows] for i in range(3))
    check(bars(title, labels, one, beside=two if some else None, names=(word, title)))
    root = check(
        before_after(
            title, labels, one, two, names=(word, word), shares=some, below=below, below_word=word
        )
    )
    assert len(root.findall(f"{SVG}text")) >= 3 * min(25, len(rows))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(label, share, share), max_size=40), label, st.booleans())
def test_shares_and_marginals_hold_whatever_is_handed_in(rows, title, ordered):
    labels, one, two = ([row[i] for row in rows] for i in range(3))
    check(shares(title, labels, one))
    small = marginal(title, labels, one, two, ordered=ordered)
    check(small)
    check(stacked(title, [small, small, marginal("", ["a"], [1], [0])], name=title))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(label, value, value, st.booleans(), st.booleans()), max_size=12),
    st.one_of(st.none(), st.floats(0, 1e9)),
    label,
)
def test_maps_hold_whatever_is_handed_in(rows, limit, title):
    found = [
        Spot(a, *(math.nan if v is None else v for v in (x, y)), faint, marked)
        for a, x, y, faint, marked in rows
    ]
    words = (title, title, title)
    check(frontier(title, found, x=title, y=title, words=words, limit=limit, limit_word=title))
    check(points(title, [Point(p.label, p.x, p.y, p.faint) for p in found], x=title, y=title))
    x, y = [p.x for p in found], [p.y for p in found]
    check(agreement(title, [p.label for p in found], x, y, what=title))


@settings(max_examples=20, deadline=None)
@given(st.lists(value, min_size=3, max_size=3), label, st.booleans(), st.sampled_from([310, 640]))
def test_gauges_and_candidates_hold_whatever_is_handed_in(three, title, some, width):
    names = (title, title, title)
    check(gauge(title, *three, names=names, share=some, at_least=some, width=width))
    rows = [Measure(title, three, "low" if some else "high", share=some), Measure("b", [0, 0, 1])]
    check(candidates(title, rows, names))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=3, max_size=3), max_size=10),
    label,
    st.booleans(),
)
def test_lines_hold_whatever_is_handed_in(rows, title, named):
    ticks = {0: title, 1: "b", 2: title} if named else None
    found = [Line(title, [0, 1, 2], row) for row in rows]
    check(lines(title, found, x=title, y=title, ticks=ticks, marked=(1, title)))


def many() -> dict[str, str]:
    labels = [f"category {i}" for i in range(5000)]
    counts = [float(i) for i in range(5000)]
    parts = [1 / 5000] * 5000
    spots = [Spot(a, i / 5000, (i * 37 % 5000) / 5000, i > 4, i == 2) for i, a in enumerate(labels)]
    return {
        "bars": bars("t", labels, counts),
        "before_after": before_after("t", labels, counts, counts, rest="{n} larger"),
        "shares": shares("t", labels, [i / 5000 for i in range(5000)], rest="{n}, up to {most}"),
        "marginal": marginal("t", labels, parts, parts, rest="{n} rare"),
        "steps": marginal("t", labels, parts, parts, ordered=True),
        "frontier": frontier("t", spots, x="x", y="y", words=("", "", ""), rest="{n} unnamed"),
        "points": points("t", [Point(s.label, s.x, s.y) for s in spots], x="x", y="y"),
        "lines": lines("t", [Line(a, [0, 1], [0, 1]) for a in labels], x="x", y="y"),
        "candidates": candidates("t", [Measure("m", parts)] * 30, labels, rest="{n} not shown"),
    }


def test_five_thousand_categories_stay_legible():
    drawn = {name: check(svg) for name, svg in many().items()}
    heights = {name: int(root.get("viewBox").split()[3]) for name, root in drawn.items()}
    assert max(heights.values()) < 1500
    said = {name: {n.text for n in root.iter(f"{SVG}text")} for name, root in drawn.items()}
    assert {"4,976 larger", f"{sum(range(24, 5000)):,}"} <= said["before_after"]
    assert "4,975, up to 99.5 %" in said["shares"]
    assert {"4,981 rare", "99.6 %"} <= said["marginal"]
    assert "4,995 unnamed" in said["frontier"]
    assert "4,999 not shown" in said["candidates"]


def test_several_figures_on_a_page_share_no_id():
    figures = [
        gauge("a", 1, 0, name="first"),
        gauge("a", 1, 0, name="second figure"),
        gauge("a", 1, 0),
        gauge("b", 1, 0),
        before_after("c", ["1"], [1], [2], name="<3>"),
        before_after("c", ["1"], [1], [2], name="4"),
    ]
    figures.append(stacked("all", figures[:2] * 3, name="grid"))
    figures.append(stacked("all", [figures[4], figures[4]]))
    ids = [re.findall(r' id="([^"]*)"', svg) for svg in figures]
    assert all(ids)
    assert len(set(itertools.chain(*ids))) == sum(map(len, ids))
    assert ids[1][0] == "second-figure-title"
    for svg in figures:
        check(svg)


def test_figures_below_each_other_say_what_each_says_and_none_overlaps_another():
    one, two = marginal("sex", ["f"], [0.6], [0.5]), gauge("risk <1>", 0.046, 0, width=340)
    root = check(stacked("Both", [one, two, one]))
    assert "sex: f: original 60.0 %, released 50.0 %; risk <1>: original 4.6 %" in root[1].text
    boxes = []
    for n in root.findall(f"{SVG}svg"):
        x, y, w, h = (float(n.get(k)) for k in ("x", "y", "width", "height"))
        boxes.append((x, y, x + w, y + h))
    width, height = map(int, root.get("viewBox").split()[2:])
    assert max(b[2] for b in boxes) <= width
    assert max(b[3] for b in boxes) <= height
    assert all(above[3] <= below[1] for above, below in itertools.pairwise(boxes))
    with pytest.raises(ValueError, match="this package"):
        stacked("t", ["<svg/>"])


def test_numbers_that_do_not_fit_the_labels_are_refused():
    for draw in (
        lambda: bars("t", ["a"], [1, 2]),
        lambda: before_after("t", ["a"], [1], []),
        lambda: shares("t", ["a"], []),
        lambda: marginal("t", ["a"], [1], []),
        lambda: candidates("t", [Measure("m", [1])], ["a", "b"]),
    ):
        with pytest.raises(ValueError, match=r"got"):
            draw()
