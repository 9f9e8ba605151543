"""What each form must show: bars that stay visible, round numbers, labels that touch nothing."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from indistinct.results.figures import (
    Line,
    Measure,
    Spot,
    agreement,
    before_after,
    candidates,
    frontier,
    gauge,
    lines,
    marginal,
    points,
    shares,
)
from indistinct.results.figures.letters import cut, width_of, wrapped
from indistinct.results.figures.numbers import percent, root_ticks, round_ticks, shown, tick
from indistinct.results.figures.places import beside, overlap
from indistinct.results.figures.scatter import Point

SVG = "{http://www.w3.org/2000/svg}"
ROUND = re.compile(r"-?(0|[1-9]\d{0,2}(,?\d{3})*)(\.\d+)?( %)?")


def tree(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def words(svg: str) -> list[str]:
    return [node.text or "" for node in tree(svg).iter(f"{SVG}text")]


def bars_of(svg: str) -> list[tuple[float, bool]]:
    """Return the lengths of the bars, without those of the key, and whether they are hatched."""
    found = []
    for node in tree(svg).iter(f"{SVG}rect"):
        hatched = node.get("fill").startswith("url")
        found.append((float(node.get("width")) + 0.8 * hatched, hatched))
    return found[2:]


def test_three_people_stay_visible_beside_ten_million():
    svg = before_after("t", ["1", "2", "3+"], [3, 0, 10_000_000], [0, 1, 10_000_002])
    lengths = bars_of(svg)
    assert [hatched for _, hatched in lengths] == [False, True, False, True]
    assert all(long >= 1.4 for long, _ in lengths)
    assert {"3", "0", "1", "10,000,000", "10,000,002"} <= set(words(svg))


def test_bars_are_as_long_as_their_numbers():
    lengths = [long for long, _ in bars_of(before_after("t", ["a", "b"], [100, 50], [25, 75]))]
    assert np.allclose(np.array(lengths) / lengths[0], [1, 0.25, 0.5, 0.75], atol=0.005)


def test_counts_come_with_shares_of_their_own_total_or_of_the_one_given():
    assert {"3 (75.0 %)", "1 (25.0 %)", "5 (100 %)", "0 (0 %)"} <= set(
        words(before_after("t", ["a", "b"], [3, 1], [5, 0], shares=True))
    )
    told = before_after("t", ["a"], [3], [None], shares=True, totals=(30, 30), none="under 10")
    assert {"3 (10.0 %)", "under 10"} <= set(words(told))


def test_rows_below_the_threshold_are_bracketed_and_named_in_words():
    svg = before_after("t", ["1", "2", "3"], [1, 2, 3], [0, 0, 6], below=2, below_word="small")
    assert "small" in words(svg)
    assert "; small: 1, 2" in tree(svg)[1].text
    rows = {n.text: float(n.get("y")) for n in tree(svg).iter(f"{SVG}text")}
    assert rows["2"] < rows["small"] < rows["3"]
    assert "stroke-dasharray" not in before_after("t", ["1"], [1], [2])


def test_only_the_largest_shares_are_drawn_in_the_order_given():
    values = [0.01 * (i % 30) for i in range(60)]
    svg = shares("t", [f"v{i}" for i in range(60)], values, most=4, rest="{n} at most {most}")
    assert words(svg)[1::2] == ["v28", "v29", "v58", "v59", "56 at most 27.0 %"]


def test_a_cut_label_is_whole_on_pointing_and_in_the_description():
    whole = "occupation of the head of the household, three digits of the classification"
    svg = shares("t", [whole], [0.5])
    first, second = tree(svg).findall(f"{SVG}text")[1:3]
    assert first.text.startswith("occupation")
    assert re.fullmatch(r".*….*classification", second.text)
    assert first[0].text == second[0].text == whole
    assert whole in tree(svg)[1].text


def test_steps_stand_as_high_as_the_shares():
    svg = marginal("t", ["a", "b", "c"], [0.1, 0.2, 0.4], [0.4, 0.2, 0.1], ordered=True)
    runs = [
        [tuple(map(float, place.split(","))) for place in node.get("points").split()]
        for node in tree(svg).iter(f"{SVG}polyline")
    ]
    first, second = runs[2:]  # after those of the key
    ground = {n.text: float(n.get("y")) - 4 for n in tree(svg).iter(f"{SVG}text")}["0 %"]
    heights = [ground - y for _, y in first]
    assert np.allclose(np.array(heights) / heights[0], [1, 1, 2, 2, 4, 4], atol=0.02)
    assert [y for _, y in second] == [y for _, y in first[::-1]]
    assert {"a", "b", "c"} <= set(words(svg))


def test_rare_values_are_added_up_and_nothing_is_lost():
    p = [0.5, 0.3, 0.1, 0.06, 0.04]
    svg = marginal("t", list("abcde"), p, p[::-1], most=3, rest="{n} others")
    assert "3 others: original 60.0 %, released 20.0 %" not in svg
    told = dict(
        re.findall(r"(\w[\w ]*): original ([\d.]+) %", tree(svg)[1].text),
    )
    assert math.isclose(sum(map(float, told.values())), 100)
    assert "3 others" in words(svg)


@pytest.mark.parametrize("seed", range(6))
def test_labels_of_thirty_points_touch_neither_each_other_nor_a_point(seed):
    rng = np.random.default_rng(seed)
    spots = [
        Spot(f"mondrian k={i} share {i} %", *rng.beta(0.4, 3, 2), i % 3 > 0, i == 6)
        for i in range(27)
    ]
    spots += [Spot(f"the same {i}", 0.0, 0.5) for i in range(3)]
    root = tree(
        frontier("t", spots, x="x", y="y", words=("a", "b", "c"), limit=0.05, limit_word="allowed")
    )
    labels = {}
    for node in root.iter(f"{SVG}text"):
        if node.get("font-size") == "11":
            x, y = float(node.get("x")), float(node.get("y"))
            long = width_of(node.text, size=11, bold=node.get("font-weight") == "bold")
            labels[node[0].text if len(node) else node.text] = (x, y - 8, x + long, y)
    assert labels.keys() == {spot.label for spot in spots}
    for one, other in itertools.combinations(labels.values(), 2):
        assert not overlap(one, other)
    for node in list(root.iter(f"{SVG}circle"))[4:]:  # after those of the key
        x, y, r = (float(node.get(k)) for k in ("cx", "cy", "r"))
        dot = (x - min(r, 4), y - min(r, 4), x + min(r, 4), y + min(r, 4))
        assert not any(overlap(dot, box) for box in labels.values())


def test_the_allowed_band_ends_where_the_limit_is():
    spots = [Spot("a", 0.01, 1), Spot("b", 0.04, 2), Spot("c", 0.09, 3)]
    svg = frontier("t", spots, x="x", y="y", words=("", "", ""), limit=0.04, limit_word="allowed")
    at = {float(node.get("cx")) for node in tree(svg).iter(f"{SVG}circle")}
    end = re.search(r'stroke-dasharray="5 3"/>.*?<line x1="([\d.]+)"[^>]*stroke-dasharray', svg)
    assert float(end[1]) == sorted(at)[1]
    assert "; allowed: 0.04" in tree(svg)[1].text
    # the square root: 0.01, 0.04 and 0.09 stand equally far apart
    one, two, three = sorted(at)
    assert math.isclose(two - one, three - two, abs_tol=0.2)


def test_a_label_without_room_is_left_out_rather_than_put_over_another():
    found = beside([(50, 50)] * 30, [60] * 30, (0, 0, 130, 100))
    assert 0 < sum(place is not None for place in found) < 30


@pytest.mark.parametrize(
    "svg",
    [
        points("t", [Point("a", 0.0277, 0.913)], x="x", y="y"),
        points("t", [Point("a", 0.0277, 1e7 / 3)], x="x", y="y", shares=(True, False)),
        frontier("t", [Spot("a", 0.0277, 0.913)], x="x", y="y", words=("", "", "")),
        frontier(
            "t", [Spot("a", 1 / 3, 0.9)], x="x", y="y", words=("", "", ""), shares=(True, True)
        ),
        agreement("t", ["a"], [0.1234], [-0.777], what="x"),
        lines("t", [Line("a", [1.234, 7.891], [0.0277, 0.913])], x="x", y="y"),
        gauge("t", 0.0277, 0.0),
        candidates("t", [Measure("m", [0.0277])], ["a"]),
    ],
)
def test_numbers_at_axes_are_round(svg):
    found = [text for text in words(svg) if ROUND.fullmatch(text)]
    assert len(found) >= 2
    for text in found:
        digits = text.removesuffix(" %").replace(",", "").replace(".", "").strip("-0")
        if text == "2.8 %":
            continue  # the value itself, written out
        assert digits == "" or len(digits) <= 2, text


def test_ticks_enclose_and_stand_apart():
    assert round_ticks([0.0, 0.0277], 5) == [0.0, 0.01, 0.02, 0.03]
    assert round_ticks([3, 3])[0] < 3 < round_ticks([3, 3])[-1]
    assert round_ticks([1e7, 3.3e7])[-1] == 3.5e7
    for most in (1e-5, 0.003, 0.0277, 0.46, 1.0, 17, 12_345_678):
        found = root_ticks(most, 560)
        places = [560 * math.sqrt(v / most) for v in found]
        assert len(found) >= 4
        assert min(np.diff(places)) >= 40
        assert found[-1] <= most


def test_a_year_has_no_comma_and_a_million_has():
    svg = lines("t", [Line("a", [1966, 1980], [0, 2e6])], x="year", y="y")
    assert {"1966", "1980", "2,000,000"} <= set(words(svg))
    assert tick(0.25, share=True) == "25 %"


def test_little_is_not_written_as_nothing_nor_almost_all_as_all():
    for share in (1e-12, 1e-7, 1e-5, 0.0004, 0.9996, 0.99999, 1 - 1e-12):
        assert percent(share) not in ("0 %", "100 %", "100.0 %", "0.0 %")
    assert [percent(0.9994), percent(0.9996), percent(1.5)] == ["99.9 %", "99.96 %", "150.0 %"]
    assert [shown(0.04), shown(99.96), shown(1e300), shown(1e20)] == ["0.04", "100.0", "–", "1e+20"]


def test_a_gauge_places_its_marks_on_the_root_scale():
    svg = gauge("t", 0.04, 0.0, 0.01, names=("was", "is", "may be"))
    assert {"was 4.0 %", "is 0 %", "may be 1.0 %"} <= set(words(svg))
    rings = [float(n.get("cx")) for n in tree(svg).iter(f"{SVG}circle")][2:]
    zero = rings[1]
    goal = re.findall(r'd="M([\d.]+) [\d.]+v20"', svg)[1]
    assert math.isclose((float(goal) - zero) / (rings[0] - zero), 0.5, abs_tol=0.01)
    assert "may be" not in gauge("t", 0.04, 0.0, names=("was", "is", "may be"))
    assert "is –" in words(gauge("t", 1, None, names=("was", "is", "")))


def test_every_release_has_a_marker_of_its_own():
    values = [0.1 * i for i in range(9)]
    root = tree(candidates("t", [Measure("m", values)], [f"r{i}" for i in range(9)]))
    drawn = [n for n in root if n.get("stroke-width") == "1.5"]
    looks = {(n.tag, n.get("fill"), n.get("stroke")) for n in drawn[:9]}
    assert len(drawn) == 18
    assert len(looks) == 9


def test_texts_are_cut_and_wrapped_to_their_room():
    for room in (20, 60, 200):
        assert width_of(cut("the number of people who share it", room)) <= room
        assert all(width_of(line) <= room for line in wrapped("how many people there are", room))
    assert wrapped("a b c d", 1000) == ["a b c d"]
    assert len(wrapped("word " * 400, 100, most=2)) == 2
    assert wrapped("", 100) == []
