from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct
from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.prove.attacks import correct_by_distance, link_by_distance
from indistinct.prove.changes import exact_matches, link_own


@pytest.fixture(scope="module")
def engine():
    with indistinct.open_data(pa.table({"x": [1]})) as data:
        yield data.engine


def sources(engine, before, after):
    return [
        open_table(
            t if isinstance(t, pa.Table) else pa.table(t), workspace=engine.workspace, origin="file"
        )
        for t in (before, after)
    ]


def random_file(rng, n, missing=0.15):
    def holes(values):
        return [None if rng.random() < missing else v for v in values]

    return pa.table(
        {
            "age": pa.array(holes(rng.integers(0, 8, n).tolist()), pa.int64()),
            "wage": pa.array(holes(rng.normal(size=n).tolist()), pa.float64()),
            "job": pa.array(holes(rng.choice(["a", "b", "c"], n).tolist()), pa.string()),
            "area": pa.array(rng.integers(0, 2, n), pa.int64()),
        }
    )


def masked(rng, table):
    """Some cells take another record's value."""
    for j, name in enumerate(table.column_names[:3]):
        n = len(table)
        taken = np.where(rng.random(n) < 0.4, rng.integers(0, n, n), np.arange(n))
        table = table.set_column(j, name, table.column(name).take(pa.array(taken)))
    return table


def middle_ranks(values):
    known = [v for v in values if v is not None]
    return [
        None
        if v is None
        else (sum(k < v for k in known) + sum(k <= v for k in known)) / 2 / len(known)
        for v in values
    ]


def distance_by_hand(before, after, names, distance, i, j, ranks):
    total = 0.0
    for name in names:
        x, y = before.column(name)[i].as_py(), after.column(name)[j].as_py()
        if name == "job" or x is None or y is None:
            gap = float(x != y)
        elif distance == "rank":
            gap = abs(ranks[name][0][i] - ranks[name][1][j])
        else:
            both = [v for t in (before, after) for v in t.column(name).to_pylist() if v is not None]
            gap = abs(x - y) / ((max(both) - min(both)) or 1.0)
        total += gap**2 if distance == "rank" else gap
    return total**0.5 if distance == "rank" else total


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["rank", "gower"]), st.booleans())
def test_linkage_equals_brute_force_with_ties_missing_values_and_blocks(
    engine, seed, distance, blocked
):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    before = random_file(rng, n)
    after = masked(rng, before)
    if blocked and n > 4:  # a block may change too
        after = after.set_column(3, "area", pa.array(np.r_[1, after["area"].to_numpy()[1:]]))
    names = ["age", "wage", "job"]
    ranks = {
        name: [middle_ranks(t.column(name).to_pylist()) for t in (before, after)]
        for name in names[:2]
    }
    found = link_own(
        engine, *sources(engine, before, after), names,
        distance=distance, within=["area"] if blocked else [], targets=None,
    )  # fmt: skip
    total = certain = chance = 0.0
    area, new_area = before["area"].to_pylist(), after["area"].to_pylist()
    for i in range(n):
        candidates = [j for j in range(n) if not blocked or new_area[j] == area[i]]
        if i not in candidates:
            continue
        far = {j: distance_by_hand(before, after, names, distance, i, j, ranks) for j in candidates}
        ties = sum(abs(d - far[i]) < 1e-9 for d in far.values())
        nearest = not any(d < far[i] - 1e-9 for d in far.values())
        total += nearest / ties
        certain += nearest and ties == 1
        chance += 1 / len(candidates)
    assert found.share == pytest.approx(total / n)
    assert found.certain == pytest.approx(certain / n)
    assert found.chance == pytest.approx(chance / n)
    rows = before.select(names + ["area"] * blocked).to_pylist()
    counts = Counter(tuple(row.values()) for row in rows)
    assert found.before == pytest.approx(len(counts) / n)
    assert found.before_certain == pytest.approx(sum(c == 1 for c in counts.values()) / n)
    assert found.low == found.share == found.high


@pytest.mark.parametrize("distance", ["rank", "gower"])
def test_numbers_are_linked_as_by_the_distance_attack(engine, distance):
    rng = np.random.default_rng(4)
    x = rng.integers(0, 12, (300, 3)).astype(float)
    y = x + rng.integers(-2, 3, x.shape)
    before, after = (pa.table({f"x{j}": side[:, j] for j in range(3)}) for side in (x, y))
    names = before.column_names
    expected = correct_by_distance(link_by_distance(before, after, names, distance=distance))
    found = link_own(
        engine, *sources(engine, before, after), names, distance=distance, targets=None
    )
    assert found.share == pytest.approx(expected.share)
    assert found.certain == pytest.approx(expected.certain / 300)
    assert found.chance == pytest.approx(expected.chance / 300)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["rank", "gower"]))
def test_identical_files_link_everybody_but_those_who_are_alike(engine, seed, distance):
    rng = np.random.default_rng(seed)
    table = random_file(rng, 20)
    files = sources(engine, table, table)
    found = link_own(engine, *files, distance=distance, targets=None)
    assert found.share == pytest.approx(found.before)
    assert found.certain == pytest.approx(found.before_certain)
    exact = exact_matches(engine, *files, table.column_names)
    assert exact.rate_after == pytest.approx(exact.rate_before)
    assert exact.uniques_identified == exact.uniques


def test_records_in_random_order_are_linked_as_by_chance(engine):
    rng = np.random.default_rng(6)
    table = random_file(rng, 1500, missing=0.0)
    mixed = table.take(pa.array(rng.permutation(1500)))
    found = link_own(engine, *sources(engine, table, mixed), targets=None)
    # Poisson with mean 1: six and more have a chance of 0.06 %
    assert found.share * 1500 < 6
    assert found.chance == pytest.approx(1 / 1500)
    assert found.before > 0.99


def test_targets_are_drawn_by_seed_and_the_interval_holds_the_truth(engine):
    rng = np.random.default_rng(7)
    table = random_file(rng, 800)
    files = sources(engine, table, masked(rng, table))
    truth = link_own(engine, *files, targets=None)
    drawn = [link_own(engine, *files, targets=200, seed=seed) for seed in (1, 1, 2, 3, 4, 5)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert sum(d.low <= truth.share <= d.high for d in drawn[1:]) >= 4
    assert drawn[0].targets == 200
    assert drawn[0].before == truth.before
    assert "drawn at random" in repr(drawn[0])
    assert drawn[0].to_dict()["within"] == []


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_exact_matches_equal_brute_force(engine, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    before = random_file(rng, n).select(["age", "job", "area"])
    after = masked(rng, before)
    found = exact_matches(engine, *sources(engine, before, after), ["age", "job", "area"])
    x, y = ([tuple(row.values()) for row in t.to_pylist()] for t in (before, after))
    f, released = Counter(x), Counter(y)
    assert found.before == pytest.approx(sum(1 / f[k] for k in x))
    assert found.after == pytest.approx(
        sum(1 / released[a] for a, b in zip(x, y, strict=True) if a == b)
    )
    assert found.own_key_kept == sum(a == b for a, b in zip(x, y, strict=True))
    assert found.nobody == sum(released[k] == 0 for k in x)
    alone = [(a, b) for a, b in zip(x, y, strict=True) if f[a] == 1]
    assert found.uniques == len(alone)
    assert found.uniques_present == sum(released[a] > 0 for a, _ in alone)
    assert found.uniques_unchanged == sum(a == b for a, b in alone)
    assert found.uniques_identified == sum(a == b and released[a] == 1 for a, b in alone)
    assert found.misled == sum(a != b and released[a] == 1 for a, b in alone)
    assert found.to_dict()["rate_after"] == pytest.approx(found.after / n)


def test_those_left_out_of_the_release_are_never_found(engine):
    before = {"id": [1, 2, 3, 4], "age": [10, 20, 30, 40]}
    after = {"id": [4, 2, 1], "age": [40, 20, 11]}
    files = sources(engine, before, after)
    found = link_own(engine, *files, ["age"], distance="gower", targets=None, match="id")
    assert found.share == 0.75
    exact = exact_matches(engine, *files, ["age"], match="id")
    assert (exact.after, exact.nobody, exact.uniques_unchanged) == (2.0, 2, 2)
    assert "looked for" in repr(exact)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"distance": "euclid"}, "distance must be rank or gower"),
        ({"targets": 0}, "targets must be"),
        ({"confidence": 1.0}, "confidence"),
        ({"within": ["age"]}, "none is left"),
        ({"within": ["aeg"]}, "Did you mean 'age'"),
    ],
)
def test_what_is_wrong_is_said(engine, options, words):
    with pytest.raises(InputError, match=words):
        link_own(engine, *sources(engine, {"age": [1, 2]}, {"age": [1, 2]}), ["age"], **options)
