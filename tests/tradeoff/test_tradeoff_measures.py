"""Risk and utility of any release, against brute force and against the measures of plain files."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

import indistinct
from indistinct.hierarchy import interval_hierarchy, suppression_only, table_hierarchy
from indistinct.keys import read_coded
from indistinct.protect import (
    AddNoise,
    Destroy,
    Generalise,
    Plan,
    Pram,
    RankSwap,
    Request,
    ScrambleOrder,
    SuppressAttribute,
)
from indistinct.prove.changes import exact_matches
from indistinct.utility.analyses import k_marginal
from indistinct.utility.tradeoff import Candidate, risk_utility_map
from indistinct.utility.tradeoff.labelled import read_labelled, read_original
from indistinct.utility.tradeoff.mapping import Tables, intruder_finds

KEY = ["age", "town", "sex"]
TREE = table_hierarchy([(t, "north" if t in "ab" else "south", "*") for t in "abcd"], name="town")


def people(n=160, seed=3):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    town = rng.choice(list("abcd"), n)
    return pa.table(
        {
            "age": age,
            "town": pa.array([None if i % 23 == 0 else t for i, t in enumerate(town)]),
            "sex": rng.choice(["m", "f"], n),
            "wage": age * 100.0 + rng.normal(0, 300, n).round(1),
        }
    )


@pytest.fixture(scope="module")
def data():
    with indistinct.open_data(people()) as opened:
        yield opened


@pytest.fixture(scope="module")
def trees():
    return {
        "age": interval_hierarchy(range(20, 60), name="age", widths=[10]),
        "town": TREE,
        "sex": suppression_only(["m", "f"], name="sex"),
    }


def stands_for(name, label, values, suppressed):
    """Say by hand what a label of these hierarchies stands for."""
    if label is None and not suppressed:
        return {None}
    if label is None or label == "*":
        return set(values)
    if name == "age" and "-" in str(label):
        low, high = map(int, label.split("-"))
        return {v for v in values if v is not None and low <= v <= high}
    if label in ("north", "south"):
        return {"a", "b"} if label == "north" else {"c", "d"}
    return {v for v in values if str(v) == str(label)}


def by_hand(original, released, partner):
    values = {name: set(original[name]) for name in KEY}
    blank = {name: released[name].count(None) > original[name].count(None) for name in KEY}
    rows = list(zip(*(released[name] for name in KEY), strict=True))
    found = 0.0
    for i, true in enumerate(zip(*(original[name] for name in KEY), strict=True)):
        meets = [
            all(
                v in stands_for(name, label, values[name], blank[name])
                for name, v, label in zip(KEY, true, row, strict=True)
            )
            for row in rows
        ]
        if partner[i] >= 0 and meets[partner[i]]:
            found += 1 / sum(meets)
    return found / len(partner)


@pytest.mark.parametrize(
    ("method", "k"), [("local-recoding", 3), ("suppress", 4), ("datafly", 2), ("optimal", 5)]
)
def test_expected_finds_among_labels_by_brute_force(data, trees, method, k):
    found = risk_utility_map(
        data.engine,
        data.source,
        [Candidate("it", method=method, request=Request(k=k))],
        key=KEY,
        seed=1,
        hierarchies=trees,
    )
    done = data.protect(KEY, method=method, k=k, hierarchies=trees, seed=1)
    released = done.source.table().to_pydict()
    expected = by_hand(data.source.table().to_pydict(), released, np.arange(data.records))
    assert found["it"].risk == pytest.approx(expected)
    assert 0 < found["it"].risk <= 1 / k


@pytest.mark.parametrize("step", [Pram(("town", "sex"), keep=0.7), RankSwap(("age",), window=0.2)])
def test_plain_releases_as_the_protection_report_counts_them(data, step):
    plan = Plan((step,))
    found = risk_utility_map(
        data.engine, data.source, [Candidate("it", plan)], key=KEY, seed=5, risk="uniques"
    )["it"]
    released = plan.apply(data.engine, data.source, seed=5).source
    theirs = exact_matches(data.engine, data.source, released, KEY)
    assert found.expected == pytest.approx(theirs.rate_after)
    assert found.risk == found.unchanged == pytest.approx(theirs.uniques_unchanged / theirs.uniques)
    assert found.present == pytest.approx(theirs.uniques_present / theirs.uniques)


def test_records_are_known_again_when_left_out_or_reordered(data):
    drop = Plan((Destroy(key=("town", "sex"), k=25),))
    mixed = Plan((Pram(("sex",), keep=0.5), ScrambleOrder()))
    found = risk_utility_map(
        data.engine,
        data.source,
        [Candidate("drop", drop), Candidate("mixed", mixed), Candidate("all", Plan(()))],
        key=KEY,
        seed=2,
    )
    kept = data.source.table().to_pydict()
    rows = list(zip(*(kept[name] for name in KEY), strict=True))
    sizes = {pair: [r[1:] for r in rows].count(pair) for pair in {r[1:] for r in rows}}
    stays = [r for r in rows if sizes[r[1:]] >= 25]
    assert 0 < found["drop"].records == len(stays) < len(rows)
    assert found["drop"].expected == pytest.approx(len(set(stays)) / len(rows))
    assert found["drop"].changed == pytest.approx(1 - len(stays) / len(rows))
    straight = Plan(mixed.steps[:1]).apply(data.engine, data.source, seed=2).source
    theirs = exact_matches(data.engine, data.source, straight, KEY)
    assert found["mixed"].expected == pytest.approx(theirs.rate_after)
    assert found["all"].expected == pytest.approx(len(set(rows)) / len(rows))


def both(data, plan, names, trees=None, seed=4):
    released = plan.apply(data.engine, data.source, seed=seed).source
    original = read_original(data.source, names)
    columns = read_labelled(original, released, names, hierarchies=trees)
    return released, original, columns


@pytest.mark.parametrize(
    "step",
    [
        AddNoise(("wage",), scale=400.0),
        AddNoise(("age",), scale=4.0),
        Pram(("town", "sex"), keep=0.3),
    ],
)
def test_k_marginal_is_that_of_utility(data, step):
    names = [*KEY, "wage"]
    released, original, columns = both(data, Plan((step,)), names)
    kept, score = Tables(original, names).closeness(columns)
    assert score == pytest.approx(k_marginal(read_coded(data.source, released), fractions=()).score)
    assert kept == pytest.approx(score / 1000)


def test_labels_are_dealt_out_over_their_values_by_brute_force(data, trees):
    done = data.protect(KEY, method="local-recoding", k=6, hierarchies=trees, seed=1)
    original = read_original(data.source, ["town", "sex"])
    columns = read_labelled(original, done.source, ["town", "sex"], hierarchies=trees)
    before, after = data.source.table().to_pydict(), done.source.table().to_pydict()
    values = {name: set(before[name]) for name in ("town", "sex")}
    p, q, plain = {}, {}, {}
    for pair in zip(before["town"], before["sex"], strict=True):
        p[pair] = p.get(pair, 0) + 1 / data.records
    for a, b in zip(after["town"], after["sex"], strict=True):
        plain[a, b] = plain.get((a, b), 0) + 1 / data.records
        sides = []
        for name, label in (("town", a), ("sex", b)):
            blank = after[name].count(None) > before[name].count(None)
            inside = stands_for(name, label, values[name], blank)
            sides.append(sorted(inside - {None}) or [None])
        for cell in itertools.product(*sides):
            q[cell] = q.get(cell, 0) + 1 / data.records / len(sides[0]) / len(sides[1])
    kept, score = Tables(original, ["town", "sex"]).closeness(columns)
    apart = sum(abs(p.get(c, 0) - q.get(c, 0)) for c in {*p, *q}) / 2
    strict = sum(abs(p.get(c, 0) - plain.get(c, 0)) for c in {*p, *plain}) / 2
    assert kept == pytest.approx(1 - apart)
    assert score == pytest.approx(1000 * (1 - strict))
    assert score < 1000 * kept < 1000


def test_a_variable_left_out_and_cells_that_climb(data, trees):
    plan = Plan((SuppressAttribute(("sex",)),))
    _, original, columns = both(data, plan, KEY, trees)
    finds = intruder_finds(columns, np.arange(data.records))
    pairs = data.source.table(["age", "town"]).to_pylist()
    # whoever shares age and town is as good as alike
    assert finds.expected == pytest.approx(len({tuple(p.values()) for p in pairs}) / data.records)
    kept, score = Tables(original, KEY).closeness(columns)
    assert 0 < score < 1000 * kept < 1000
    _, original, columns = both(data, Plan((Generalise(trees["age"], 1),)), KEY, trees)
    decades = {(p["age"] // 10, p["town"], s) for p, s in zip(pairs, sexes(data), strict=True)}
    finds = intruder_finds(columns, np.arange(data.records))
    assert finds.expected == pytest.approx(len(decades) / data.records)
    assert (finds.changed, finds.unchanged) == (1, 0)


def sexes(data):
    return data.source.table(["sex"]).column(0).to_pylist()
