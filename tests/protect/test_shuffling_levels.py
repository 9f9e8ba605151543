"""Asking for a share of changed values, or for a risk, instead of a level."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from indistinct.core.errors import InputError
from indistinct.hierarchy import code_hierarchy
from indistinct.protect import Draws, Plan, Shuffle
from indistinct.protect.shuffling import levels
from indistinct.protect.shuffling.copula import Worksheet
from indistinct.protect.shuffling.levels import expected_matches, shuffle_to_shares
from indistinct.protect.shuffling.margins import Coded
from indistinct.protect.shuffling.reading import read_column

JOBS = tuple(f"{a}{b}" for a in "123456789" for b in "0123")
TREE = code_hierarchy(JOBS, name="job", digits=(1,))
HALF_A_POINT = 0.005


def people(records: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(9)
    s = rng.normal(size=records)
    group = np.clip(np.round(5 + 2 * s + rng.normal(size=records)), 1, 9).astype(int)
    last = np.minimum(rng.geometric(0.4, records) - 1, 3)
    return {
        "income": np.round(np.exp(s + rng.normal(size=records)), 3),
        "age": np.clip(40 + 15 * s + 10 * rng.normal(size=records), 0, 85).astype(int),
        "kind": np.array(list("abcdef"))[np.digitize(s + rng.normal(size=records), range(-2, 3))],
        "job": np.array([f"{a}{b}" for a, b in zip(group, last, strict=True)]),
        "region": rng.integers(0, 8, records),
        "s": s,
    }


@pytest.fixture(scope="module")
def source(opened):
    return opened(people(50_000))


def changed(before, after, name) -> float:
    return float(np.mean([a != b for a, b in zip(before[name], after[name], strict=True)]))


def run(engine, source, step, seed=1):
    done = Plan((step,)).apply(engine, source, seed=seed)
    return done.source.table().to_pydict(), done.receipts[0]


# Shares


@pytest.mark.heavy
def test_shares_are_reached_within_half_a_point(engine, source):
    """Of numbers, nominal values and codes of a taxonomy at once, with and without strata."""
    before = people(50_000)
    wanted = {"income": 0.10, "age": 0.501, "kind": 0.136, "job": 0.124}
    for within in ((), ("region",)):
        step = Shuffle(tuple(wanted), ("s",), within, shares=wanted, hierarchies={"job": TREE})
        after, receipt = run(engine, source, step)
        for name, share in wanted.items():
            assert changed(before, after, name) == pytest.approx(share, abs=HALF_A_POINT)
        told = re.findall(r"changed for ([\d.]+)%", " ".join(receipt.notes))
        assert [float(x) / 100 for x in told] == pytest.approx(list(wanted.values()), abs=0.006)


def test_a_share_of_some_and_a_level_of_others(engine, opened):
    before = people(3000)
    step = Shuffle(("income", "age", "s"), shares={"income": 0.3, "s": 0.0}, levels={"age": 0.5})
    after, receipt = run(engine, opened(before), step)
    assert changed(before, after, "income") == pytest.approx(0.3, abs=0.01)
    assert changed(before, after, "s") == 0.0
    assert receipt.private["levels"]["age"] == [0.5]
    assert receipt.private["levels"]["s"] == [0.0]


def test_a_small_share_of_many_near_values_is_reached(engine, opened):
    """A level of 10⁻⁸ moves more than a hundredth of 40,000 numbers, so lower ones are tried."""
    before = people(40_000)
    after, receipt = run(engine, opened(before), Shuffle(("s",), shares={"s": 0.01}))
    assert changed(before, after, "s") == pytest.approx(0.01, abs=0.002)
    assert receipt.private["levels"]["s"][0] < 1e-8


def test_an_unreachable_share_is_refused_with_what_can_be_reached(engine, opened):
    before = people(3000)
    step = Shuffle(("kind",), ("s",), shares={"kind": 0.95})
    with pytest.raises(InputError, match=r"'kind' cannot change for 95.0%") as refused:
        run(engine, opened(before), step)
    most = float(re.search(r"from 0 to ([\d.]+)%", str(refused.value))[1]) / 100
    after, _ = run(engine, opened(before), Shuffle(("kind",), ("s",)))
    assert changed(before, after, "kind") == pytest.approx(most, abs=0.02)


def test_shares_are_of_those_who_have_a_value(engine, opened):
    before = people(4000)
    before["job"] = np.where(np.arange(4000) < 2000, "00", before["job"])
    tree = code_hierarchy((*JOBS, "00"), name="job", digits=(1,))
    step = Shuffle(
        ("job",), ("s",), shares={"job": 0.4}, hierarchies={"job": tree}, leave={"job": ("00",)}
    )
    after, receipt = run(engine, opened(before), step)
    assert changed(before, after, "job") == pytest.approx(0.2, abs=0.005)
    told = re.match(r"job changed for ([\d.]+)% of 2,000 people", receipt.notes[0])
    assert float(told[1]) == pytest.approx(40, abs=1)
    assert after["job"][:2000] == ["00"] * 2000


@pytest.mark.parametrize("strata", [1, 4, 3000])
def test_levels_found_on_a_sample_fit_the_whole(monkeypatch, strata):
    """With many strata whole ones are drawn, since a value moves within its own only."""
    monkeypatch.setattr(levels, "SAMPLE", 4000)
    rng = np.random.default_rng(10)
    rows = 30_000
    x = rng.permutation(rows).astype(np.int32)
    y = rng.integers(0, 30, rows).astype(np.int32)
    stratum = rng.integers(0, strata, rows).astype(np.int32)
    within = np.unique(stratum, return_inverse=True)[1].astype(np.int32)
    sheet = Worksheet(
        [Coded("x", x, rows, strata=within), Coded("y", y, 30, strata=within)],
        [],
        np.arange(rows),
        Draws(1, 2),
    )
    done = shuffle_to_shares(sheet, levels={}, shares={"x": 0.4, "y": 0.25})
    assert done.changed["x"] == pytest.approx(0.4, abs=HALF_A_POINT)
    assert done.changed["y"] == pytest.approx(0.25, abs=HALF_A_POINT)


# Risk


def matches_by_hand(before, after, key) -> float:
    """Everybody looks for his own key and takes one of those who have it."""
    old, new = (list(zip(*(table[name] for name in key), strict=True)) for table in (before, after))
    counts = Counter(new)
    found = sum(1 / counts[mine] for mine, own in zip(old, new, strict=True) if mine == own)
    return found / len(old)


def test_expected_matches_by_hand():
    rng = np.random.default_rng(11)
    old = [(rng.integers(-1, 4, 80).astype(np.int32), 4) for _ in range(3)]
    new = [(np.where(rng.random(80) < 0.3, rng.permutation(c), c), size) for c, size in old]
    tables = [{str(i): c.tolist() for i, (c, _) in enumerate(t)} for t in (old, new)]
    assert expected_matches(old, new) == pytest.approx(matches_by_hand(*tables, "012"))


@pytest.mark.parametrize("within", [(), ("region",)])
def test_the_least_level_is_found_at_which_a_risk_is_reached(engine, opened, within):
    before = people(3000)
    before["job"][:300] = "x"
    before["job"][300:500] = "y"
    source, key = opened(before), ("age", "job", "kind", *within)
    start = matches_by_hand(before, before, key)
    assert start > 0.3
    step = Shuffle(
        ("age", "job"),
        ("kind",),
        within,
        max_risk=0.05,
        ordered=("job",),
        leave={"job": ("x", "y")},
    )
    after, receipt = run(engine, source, step)
    found = matches_by_hand(before, after, key)
    assert 0.035 < found <= 0.05
    level = receipt.private["levels"]["age"][0]
    less = Shuffle(
        ("age", "job"),
        ("kind",),
        within,
        level=level * 0.3,
        ordered=("job",),
        leave={"job": ("x", "y")},
    )
    assert matches_by_hand(before, run(engine, source, less)[0], key) > 0.05


def test_a_risk_that_shuffling_cannot_reach_is_refused(engine, opened):
    before = people(2000)
    step = Shuffle(("kind",), ("s",), max_risk=0.01)
    with pytest.raises(InputError, match=r"cannot come down to 1.00%.*at the highest level it is"):
        run(engine, opened(before), step)


# Taxonomies


def test_the_nearer_to_no_protection_the_more_codes_stay_in_their_branch(engine, opened):
    """Of the codes that changed, those that stay in their one-digit group."""
    before = people(8000)
    source = opened(before)

    def staying(**options):
        after, _ = run(
            engine, source, Shuffle(("job",), ("s",), hierarchies={"job": TREE}, **options)
        )
        pairs = [(a, b) for a, b in zip(before["job"], after["job"], strict=True) if a != b]
        return np.mean([a[0] == b[0] for a, b in pairs])

    shares = [staying(level=level) for level in (1.0, 0.3, 0.03, 0.003)]
    assert shares == sorted(shares)
    assert shares[-1] > shares[0] + 0.3
    assert staying(level=1.0, stay={"job": 1}) == 1.0
    shuffled, _ = run(engine, source, Shuffle(("job",), ("s",), nominal=("job",), level=0.3))
    pairs = [(a, b) for a, b in zip(before["job"], shuffled["job"], strict=True) if a != b]
    assert np.mean([a[0] == b[0] for a, b in pairs]) < shares[1]


def test_a_taxonomy_taken_for_nominal_is_warned_of(engine, opened):
    for kinds in (89, 90):
        source = opened({"job": [f"{n % kinds:02}" for n in range(200)]})
        warnings = read_column(engine, source, "job").warnings
        assert len(warnings) == (kinds == 90)
    assert "job has 90 values and no hierarchy" in warnings[0]
    assert "level taxonomy" in warnings[0]
    few = opened({"job": [f"{n % 5}" for n in range(60)], "s": list(range(60))})
    assert not run(engine, few, Shuffle(("job",), ("s",)))[1].warnings
