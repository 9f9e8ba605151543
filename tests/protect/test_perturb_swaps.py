"""Rank and proximity swapping: against brute force, against sdcMicro, and what they promise."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.protect import Draws, Plan
from indistinct.protect.steps import ProximitySwap, RankSwap
from indistinct.protect.steps.pairing import ALONE, pairs_in_windows, windows_by_rank
from indistinct.protect.steps.proximity_swap import near_pairs

SHARED = Path(__file__).resolve().parents[3] / "shared"
NOBODY = np.empty(0, dtype=np.int64)


def words(records: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1 << 64, records, dtype=np.uint64)


def windows(records: int, width: int) -> np.ndarray:
    return windows_by_rank(np.array([0]), np.array([records]), np.array([width]))


def applied(engine, source, *steps, seed=1):
    return Plan(steps).apply(engine, source, seed=seed)


def values(source, name):
    return source.table([name])[name].to_pylist()


# Pairs in windows


@settings(max_examples=200, deadline=None)
@given(
    records=st.integers(1, 60),
    width=st.integers(1, 70),
    seed=st.integers(0, 999),
    spare=st.integers(0, 59),
)
def test_every_record_is_in_one_pair_within_the_window_but_one_of_an_odd_number(
    records, width, seed, spare
):
    spares = np.array([spare % records]) if records % 2 else NOBODY
    partner = pairs_in_windows(windows(records, width), words(records, seed), spares)
    places = np.arange(records)
    paired = partner != ALONE
    assert paired.sum() == records - records % 2
    assert (partner[partner[paired]] == places[paired]).all()
    distance = np.abs(partner - places)[paired]
    assert ((distance >= 1) & (distance <= width)).all()


def moore_by_brute_force(records: int, width: int, rng: np.random.Generator) -> np.ndarray:
    """Moore's algorithm as he states it: list who is free in the window, draw one of them."""
    partner = np.full(records, ALONE)
    for i in range(records):
        free = [j for j in range(i + 1, min(records, i + width + 1)) if partner[j] == ALONE]
        if partner[i] == ALONE and free:
            j = free[rng.integers(len(free))]
            partner[i], partner[j] = j, i
    return partner


@pytest.mark.parametrize(("records", "width"), [(12, 4), (10, 9), (14, 2)])
def test_pairs_are_as_likely_as_by_brute_force(records, width):
    rounds, rng = 2500, np.random.default_rng(1)
    ours, theirs = np.zeros((2, records, records))
    places = np.arange(records)
    for seed in range(rounds):
        ours[places, pairs_in_windows(windows(records, width), words(records, seed), NOBODY)] += 1
        theirs[places, moore_by_brute_force(records, width, rng)] += 1
    assert not np.triu(ours, width + 1).any()
    possible = np.triu(theirs + ours) > 0
    standardised = ((ours - theirs) / np.sqrt(np.maximum(ours + theirs, 1)))[possible]
    assert np.abs(standardised).max() < 4.5
    assert (standardised**2).mean() < 1.5


def test_who_stays_alone_is_drawn_and_not_the_extreme(engine, opened):
    """Moore's order would leave the last rank alone, the value that stands out most."""
    alone = []
    source = opened({"x": list(range(9))})
    for seed in range(40):
        new = values(applied(engine, source, RankSwap(("x",), window=1.0), seed=seed).source, "x")
        alone += [i for i, value in enumerate(new) if value == i]
    assert len(alone) == 40
    assert len(set(alone)) >= 7
    assert alone.count(8) < 15


# Rank swapping as a step


@settings(max_examples=40, deadline=None)
@given(
    data=st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 12)), st.integers(0, 2)),
        min_size=1,
        max_size=50,
    ),
    window=st.floats(0.01, 1),
    seed=st.integers(0, 2**32),
)
def test_ranks_stay_within_the_window_of_their_stratum(engine, opened, data, window, seed):
    source = opened({"x": pa.array([x for x, _ in data], pa.int64()), "g": [g for _, g in data]})
    step = RankSwap(("x",), window=window, within=("g",))
    new = values(applied(engine, source, step, seed=seed).source, "x")
    for g in range(3):
        pairs = [(x, y) for (x, h), y in zip(data, new, strict=True) if h == g]
        assert [x is None for x, _ in pairs] == [y is None for _, y in pairs]
        pairs = [(x, y) for x, y in pairs if x is not None]
        before, after = sorted(x for x, _ in pairs), sorted(y for _, y in pairs)
        assert before == after
        width = int(window * len(pairs) + 1e-9)
        for x, y in pairs:
            # between the last rank of the lower and the first of the higher value
            low, high = sorted((x, y))
            apart = before.index(high) - (len(before) - 1 - before[::-1].index(low))
            assert low == high or apart <= width


def test_extremes_are_left_or_become_one_value(engine, opened):
    source = opened({"x": pa.array([5, 1, 2, 3, 4, 9, 8, 7, 6, 100], pa.int8())})
    same = {"window": 0.5, "bottom": 0.2, "top": 0.2}
    left = values(applied(engine, source, RankSwap(("x",), **same)).source, "x")
    assert [left[i] for i in (1, 2, 5, 9)] == [1, 2, 9, 100]
    assert sorted(left) == sorted(values(source, "x"))
    mean = applied(engine, source, RankSwap(("x",), **same, extremes="mean")).source
    assert [values(mean, "x")[i] for i in (1, 2, 5, 9)] == [2, 2, 54, 54]  # 1.5 and 54.5, to even
    assert mean.schema.field("x").type == pa.int8()
    median = values(
        applied(engine, source, RankSwap(("x",), **same, extremes="median")).source, "x"
    )
    assert [median[i] for i in (1, 2, 5, 9)] == [1, 1, 9, 9]


def test_a_narrow_window_in_small_strata_warns_and_can_be_widened(engine, opened):
    source = opened({"x": [1, 2, 3, 4], "g": [0, 0, 1, 1]})
    done = applied(engine, source, RankSwap(("x",), window=0.1, within=("g",)))
    assert values(done.source, "x") == [1, 2, 3, 4]
    assert "4 values of x have no other within the window" in done.receipts[0].warnings[0]
    step = RankSwap(("x",), window=0.1, within=("g",), at_least=1)
    assert values(applied(engine, source, step).source, "x") == [2, 1, 4, 3]


@pytest.mark.parametrize("target", [0.5, 0.9, 0.99])
def test_the_window_is_as_wide_as_the_correlation_allows(engine, opened, target):
    x = np.random.default_rng(5).gamma(2, size=3001)
    source = opened({"x": x})
    done = applied(engine, source, RankSwap(("x",), correlation=target))
    found = np.corrcoef(x, values(done.source, "x"))[0, 1]
    assert target <= found < target + 0.1
    window = float(done.receipts[0].notes[0].split(" is ")[1].split("%")[0]) / 100
    wider = applied(engine, source, RankSwap(("x",), window=min(1.0, 1.5 * window))).source
    assert np.corrcoef(x, values(wider, "x"))[0, 1] < target


def test_correlations_of_swapped_variables_shrink_by_the_square(engine, opened):
    rng = np.random.default_rng(6)
    x = rng.normal(size=4000)
    y = 0.8 * x + 0.6 * rng.normal(size=4000)
    source = opened({"x": x, "y": y})
    done = applied(engine, source, RankSwap(("x", "y"), correlation=0.95)).source
    ratio = np.corrcoef(values(done, "x"), values(done, "y"))[0, 1] / np.corrcoef(x, y)[0, 1]
    assert ratio == pytest.approx(0.95**2, abs=0.03)


def test_subset_means_move_as_little_as_asked(engine, opened):
    x = np.random.default_rng(7).gamma(4, 10, size=5000)
    done = applied(engine, opened({"x": x}), RankSwap(("x",), subset_mean=0.1)).source
    y = np.array(values(done, "x"))
    assert 0.05 < np.sqrt(((y - x) ** 2).mean()) / x.mean() <= 0.1
    rng, size = np.random.default_rng(8), 50
    moved = [np.mean((y - x)[rng.choice(5000, size, replace=False)]) for _ in range(400)]
    assert np.mean(np.abs(moved) <= 2 * 0.1 * x.mean() / np.sqrt(size)) >= 0.92


def test_texts_are_ranked_by_their_categories(engine, opened):
    source = opened({"g": ["low", "high", "middle", "low", "none", None]})
    with pytest.raises(InputError, match="needs an order"):
        applied(engine, source, RankSwap(("g",), window=0.5))
    change = {"categories": ("low", "middle", "high", "none"), "user_missing": ("none",)}
    source = replace(source, variables=source.variables.updated({"g": change}))
    new = values(applied(engine, source, RankSwap(("g",), window=1.0)).source, "g")
    assert new[4:] == ["none", None]
    assert sorted(new[:4]) == ["high", "low", "low", "middle"]


def test_wrong_requests_are_refused():
    for wrong in (
        {"window": 0.0},
        {"window": 5.0},
        {},
        {"window": 0.1, "correlation": 0.9},
        {"window": 0.1, "top": 0.6, "bottom": 0.5},
        {"window": 0.1, "within": ("x",)},
        {"subset_mean": -1.0},
    ):
        with pytest.raises(InputError):
            RankSwap(("x",), **wrong)
    with pytest.raises(InputError):
        ProximitySwap(("x",), 0.0)
    with pytest.raises(InputError):
        ProximitySwap(("x",), 1.0, near=(("x", 1.0),))


def test_a_correlation_that_the_extremes_forbid_is_refused(engine, opened):
    source = opened({"x": [1.0, 2.0, 3.0, 4.0, 1000.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    step = RankSwap(("x",), correlation=0.999, top=0.5, extremes="mean")
    with pytest.raises(GuaranteeError, match="extremes of 'x' alone"):
        applied(engine, source, step)


# Proximity swapping


def most_pairs(x: np.ndarray, bound: float) -> int:
    """The most pairs there can be: neighbours in order, each with the next if it is near."""
    ordered, pairs, i = np.sort(x), 0, 0
    while i + 1 < len(ordered):
        near = ordered[i + 1] - ordered[i] <= bound
        pairs, i = pairs + near, i + (2 if near else 1)
    return pairs


@settings(max_examples=60, deadline=None)
@given(
    x=st.lists(st.integers(0, 40), min_size=1, max_size=40),
    bound=st.integers(1, 10),
    seed=st.integers(0, 999),
)
def test_near_pairs_are_near_and_hardly_fewer_than_possible(x, bound, seed):
    places = np.array(x, dtype=np.float64)
    draws = Draws.from_generator(np.random.default_rng(seed))
    numbers = np.arange(len(x))
    pairs = near_pairs([places], [bound], np.zeros_like(numbers), numbers, draws, "x")
    assert len(set(pairs.reshape(-1).tolist())) == 2 * len(pairs)
    assert (np.abs(places[pairs[:, 0]] - places[pairs[:, 1]]) <= bound).all()
    assert len(pairs) >= most_pairs(places, bound) - max(1, len(x) // 15)


def test_few_records_stay_alone_that_could_be_paired():
    left = possible = 0
    for seed in range(30):
        x = np.random.default_rng(seed).lognormal(size=400)
        draws = Draws.from_generator(np.random.default_rng(seed))
        numbers = np.arange(400)
        pairs = near_pairs([x], [0.02], np.zeros_like(numbers), numbers, draws, "x")
        possible += most_pairs(x, 0.02)
        left += most_pairs(x, 0.02) - len(pairs)
    assert left / possible < 0.02


def test_swapped_values_are_near_on_every_variable(engine, opened):
    rng = np.random.default_rng(2)
    x, age = rng.normal(size=600), rng.integers(20, 60, 600)
    place = rng.integers(0, 2, 600)
    source = opened({"n": np.arange(600), "x": x, "age": age, "place": place})
    step = ProximitySwap(("n", "x"), 1e9, near=(("age", 2.0),), within=("place",), together=True)
    step = replace(step, variables=("n",))
    done = applied(engine, source, step)
    other = np.array(values(done.source, "n"))  # the record that was swapped with
    assert (other != np.arange(600)).mean() > 0.95
    assert (other[other] == np.arange(600)).all()
    assert (np.abs(age - age[other]) <= 2).all()
    assert set(np.abs(age - age[other])) == {0, 1, 2}
    assert (place == place[other]).all()
    both = applied(engine, source, ProximitySwap(("x", "age"), 0.2, unit="range", together=True))
    new_x, new_age = np.array(values(both.source, "x")), np.array(values(both.source, "age"))
    assert (np.abs(new_x - x) <= 0.2 * np.ptp(x)).all()
    assert (np.abs(new_age - age) <= 0.2 * np.ptp(age)).all()
    joint = sorted(zip(x, age, strict=True))
    assert sorted(zip(new_x, new_age, strict=True)) == joint
    assert not np.array_equal(new_x, x)


def test_a_lonely_value_stays_and_is_told(engine, opened):
    source = opened({"x": [1.0, 1.5, 50.0, None], "near": [1, 1, 1, 1]})
    done = applied(engine, source, ProximitySwap(("x",), 1.0))
    assert values(done.source, "x") == [1.5, 1.0, 50.0, None]
    assert done.receipts[0].notes == ("1 records found no free partner near on x, and stayed",)
    assert done.receipts[0].cells_changed == {"x": 2}


# sdcMicro's recorded results


def recorded(name: str) -> dict:
    path = SHARED / "reference" / "sdcmicro" / f"{name}.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    return json.loads(path.read_text())


def survey(opened, names):
    path = SHARED / "data" / "testdata.csv"
    if not path.exists():
        pytest.skip("testdata.csv is not beside the project")
    return opened(pa.csv.read_csv(path).select(names))


@pytest.mark.shared
@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_rank_swapping_moves_as_far_as_sdcmicro_does(engine, opened, share):
    """Its P is a share of the records that are not extreme: 0.9 of them here."""
    theirs = recorded(f"rankSwap_testdata_Pfrac{share:g}")
    source = survey(opened, ["expend", "income", "savings"])
    step = RankSwap(
        ("expend", "income", "savings"),
        window=0.9 * share,
        bottom=0.05,
        top=0.05,
        extremes="mean",
    )
    done = applied(engine, source, step).source
    x, y = (np.array(values(s, "expend"), dtype=float) for s in (source, done))
    n = len(x)
    rank = np.argsort(np.argsort(x, kind="stable"), kind="stable") + 1
    shift = np.abs(rank - np.searchsorted(np.sort(x), y, side="right"))
    middle = (rank > 0.05 * n + 1) & (rank < 0.95 * n - 1)
    mean, sd = theirs["mean"], theirs["sd"]
    found = shift[middle].mean() / n * 100
    apart = abs(found - mean["mean_rank_shift_pct_middle"])
    assert apart < 5 * sd["mean_rank_shift_pct_middle"]
    assert shift[middle].max() / n * 100 <= mean["max_rank_shift_pct_middle"] + 0.1
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(
        mean["cor_orig_masked1"], abs=6 * sd["cor_orig_masked1"]
    )
    # whole numbers stay whole, so the mean of the extremes is rounded
    assert y.mean() == pytest.approx(mean["mean_expend"], rel=1e-7)
    assert y.std(ddof=1) == pytest.approx(mean["sd_expend"], rel=1e-4)


@pytest.mark.shared
def test_the_percentage_of_mu_argus_is_our_window(engine, opened):
    theirs = recorded("argus_rankswap_testdata_p5")
    source = survey(opened, ["expend"])
    x = np.array(values(source, "expend"), dtype=float)
    y = np.array(
        values(applied(engine, source, RankSwap(("expend",), window=0.05)).source, "expend")
    )
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(theirs["cor"], abs=0.002)
