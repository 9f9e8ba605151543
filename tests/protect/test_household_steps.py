"""Group quarters, samples of households, and households in another order."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.protect import Draws, Plan, Step
from indistinct.protect.steps.households import (
    GroupQuarters,
    SampleHouseholds,
    ScrambleHouseholds,
)
from indistinct.protect.steps.households.groups import shuffled
from indistinct.protect.steps.households.sample import at_random

shrinking = settings(max_examples=15, deadline=None)


def run(engine, source, *steps, seed=1):
    done = Plan(steps).apply(engine, source, seed=seed)
    return done.source.table(), done.receipts[-1]


def draws(seed):
    return Draws.from_generator(np.random.default_rng(seed))


def people(sizes, *, text=False, mixed=None):
    """Households of these sizes, in strata of the households' parity, records mixed on request."""
    of = np.repeat(np.arange(len(sizes)), sizes)
    if mixed is not None:
        of = np.random.default_rng(mixed).permutation(of)
    return pa.table(
        {
            "who": np.arange(len(of)),
            "home": [f"h{n}" for n in of] if text else of + 7,
            "relation": np.full(len(of), 4, dtype=np.int8),
            "spouse": pa.array([None if n % 2 else int(n) for n in of], pa.int64()),
            "side": of % 2,
        }
    )


homes = st.lists(st.integers(1, 5), min_size=1, max_size=12)


# Group quarters


@shrinking
@given(sizes=homes, limit=st.integers(1, 4), seed=st.integers(0, 2**32), text=st.booleans())
def test_large_households_lose_their_identity_and_people_stay(
    engine, opened, sizes, limit, seed, text
):
    table = people(sizes, text=text, mixed=seed)
    source = opened(table)
    count = Counter(table["home"].to_pylist())
    large = [count[h] > limit for h in table["home"].to_pylist()]
    for identity in ("missing", "alone", "code"):
        step = GroupQuarters(
            "home",
            limit,
            identity,
            code="-1" if identity == "code" else None,
            relationship="relation",
            relationship_code="12",
            blank=("spouse",),
        )
        after, receipt = run(engine, source, step, seed=seed)
        assert after["who"] == table["who"]
        assert after["side"] == table["side"]
        assert after.schema.types == table.schema.types
        new = after["home"].to_pylist()
        gone = [h for h, was in zip(new, large, strict=True) if was]
        if identity == "alone":
            assert len(set(gone)) == len(gone)
            assert not set(gone) & set(table["home"].to_pylist())
        else:
            nothing = None if identity == "missing" else ("-1" if text else -1)
            assert gone == [nothing] * sum(large)
        for was, a, b in zip(large, after.to_pylist(), table.to_pylist(), strict=True):
            if not was:
                assert a == b
            else:
                assert (a["relation"], a["spouse"]) == (12, None)
        assert receipt.records_changed == sum(large)
        assert receipt.cells_changed["home"] == sum(large)


def test_new_identities_tell_nothing_of_who_lived_together(engine, opened):
    table = people([200, 1])
    after, receipt = run(engine, opened(table), GroupQuarters("home", 5, "alone"), seed=3)
    new = np.array(after["home"].to_pylist()[:200])
    assert sorted(new.tolist()) == list(range(9, 209))
    assert abs(np.corrcoef(new, np.arange(200))[0, 1]) < 0.3
    assert any("order of the records" in w for w in receipt.warnings)


def test_a_code_is_declared_missing_so_that_later_steps_see_no_household(engine, opened):
    source = opened(people([4, 4, 2]))
    step = GroupQuarters("home", 3, "code", code="0")
    done = Plan((step,)).apply(engine, source)
    assert done.source.variables["home"].is_missing(0)
    _, receipt = run(engine, done.source, ScrambleHouseholds("home"))
    assert "9 households" in receipt.notes[0]


def test_group_quarters_refuse_a_code_in_use_and_codes_that_do_not_fit(engine, opened):
    source = opened(people([4, 2]))
    with pytest.raises(InputError, match="identity of a household that stays"):
        run(engine, source, GroupQuarters("home", 3, "code", code="8"))
    with pytest.raises(InputError, match="does not fit the column 'home'"):
        run(engine, source, GroupQuarters("home", 3, "code", code="none"))


def test_group_quarters_without_large_households_change_nothing(engine, opened):
    table = people([1, 2, 3])
    after, receipt = run(engine, opened(table), GroupQuarters("home", 3))
    assert after == table
    assert not receipt.warnings


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"more_than": 0}, "at least 1"),
        ({"more_than": True}, "whole number"),
        ({"identity": "other"}, "missing, alone or code"),
        ({"identity": "code"}, "if and only if"),
        ({"code": "1"}, "if and only if"),
        ({"relationship": "relation"}, "both or not at all"),
        ({"blank": ("home",)}, "differ"),
    ],
)
def test_wrong_group_quarters_are_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        GroupQuarters(**({"household": "home", "more_than": 3} | wrong))


# Samples


@shrinking
@given(
    sizes=homes,
    seed=st.integers(0, 2**32),
    strata=st.sampled_from([(), ("side",)]),
    systematic=st.booleans(),
    data=st.data(),
)
def test_samples_hold_whole_households_in_file_order(
    engine, opened, sizes, seed, strata, systematic, data
):
    table = people(sizes, mixed=seed)
    size = data.draw(st.integers(1, len(sizes)))
    step = SampleHouseholds(
        "home", size=size, strata=strata, systematic=systematic, renumber=True, weight="w"
    )
    after, _ = run(engine, opened(table), step, seed=seed)
    who = after["who"].to_pylist()
    assert who == sorted(who)
    old = np.array(table["home"].to_pylist())[who]
    drawn = Counter(old.tolist())
    assert len(drawn) == size
    before = Counter(table["home"].to_pylist())
    assert all(before[h] == n for h, n in drawn.items())
    assert len(set(zip(old.tolist(), after["home"].to_pylist(), strict=True))) == size
    assert set(after["home"].to_pylist()) == set(range(1, size + 1))
    side = dict(zip(table["home"].to_pylist(), table["side"].to_pylist(), strict=True))
    of_side = Counter(side[h] if strata else 0 for h in before)
    drawn_of = Counter(side[h] if strata else 0 for h in drawn)
    for stratum, number in of_side.items():
        assert abs(drawn_of[stratum] - number * size / len(sizes)) < 1
    for h, weight in zip(old.tolist(), after["w"].to_pylist(), strict=True):
        stratum = side[h] if strata else 0
        assert weight == pytest.approx(of_side[stratum] / drawn_of[stratum])


def test_every_tenth_household_after_a_random_start(engine, opened):
    source = opened(people([2] * 95))
    starts = set()
    for seed in range(40):
        step = SampleHouseholds("home", fraction=0.1, systematic=True)
        taken = sorted(set(run(engine, source, step, seed=seed)[0]["home"].to_pylist()))
        assert set(np.diff(taken)) == {10}
        starts.add(taken[0] - 7)
    assert starts == set(range(10))


def test_every_household_is_drawn_equally_often_whatever_its_stratum():
    strata = np.arange(9) % 2
    drawn = np.zeros(9)
    for seed in range(300):
        drawn[at_random(strata, 3, draws(seed))] += 1
    # five standard deviations of the binomial(300, 1/3)
    assert (np.abs(drawn - 100) < 5 * np.sqrt(300 * 2 / 9)).all()


def test_a_weight_that_is_there_is_multiplied(engine, opened):
    table = people([1] * 8).append_column("weight", pa.array([10, 20] * 4))
    step = SampleHouseholds("home", size=4, strata=("side",), weight="weight")
    after, _ = run(engine, opened(table), step)
    assert sum(after["weight"].to_pylist()) == sum(table["weight"].to_pylist())
    assert set(after["weight"].to_pylist()) == {20.0, 40.0}


def test_text_identities_are_renumbered_as_text(engine, opened):
    table = people([1] * 12, text=True)
    after, _ = run(engine, opened(table), SampleHouseholds("home", size=11, renumber=True))
    assert sorted(after["home"].to_pylist()) == [f"{n:02}" for n in range(1, 12)]


def test_samples_that_cannot_be_drawn_are_refused(engine, opened):
    source = opened(people([1, 1]))
    for step, why in (
        (SampleHouseholds("home", size=3), "cannot be drawn from 2 households"),
        (SampleHouseholds("home", fraction=0.01), "none of 2 households"),
    ):
        with pytest.raises(InputError, match=why):
            run(engine, source, step)
    for wrong in ({}, {"size": 1, "fraction": 0.5}, {"size": 0}, {"fraction": 2.0}):
        with pytest.raises(InputError):
            SampleHouseholds("home", **wrong)
    split = opened(pa.table({"home": [1, 1], "side": [0, 1]}))
    with pytest.raises(InputError, match="record 2 differs in its stratum"):
        run(engine, split, SampleHouseholds("home", size=1, strata=("side",)))


def test_strata_without_a_household_are_told(engine, opened):
    source = opened(pa.table({"home": list(range(20)), "side": [0] * 18 + [1, 2]}))
    step = SampleHouseholds("home", size=1, strata=("side",))
    _, receipt = run(engine, source, step)
    assert receipt.warnings[0].startswith("of 2 strata")


# Order


@shrinking
@given(sizes=homes, seed=st.integers(0, 2**32), cells=st.sampled_from([10, 1 << 20]))
def test_scrambled_households_stand_together_in_their_own_order(engine, opened, sizes, seed, cells):
    table = people(sizes, mixed=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indistinct.protect.steps.households.scramble.HEAP_CELLS", cells)
        after, _ = run(engine, opened(table), ScrambleHouseholds("home"), seed=seed)
    assert after.take(np.argsort(after["who"].to_numpy())) == table
    met = [
        h
        for i, h in enumerate(after["home"].to_pylist())
        if not i or h != after["home"][i - 1].as_py()
    ]
    assert len(met) == len(set(met))
    for home in met:
        who = [r["who"] for r in after.to_pylist() if r["home"] == home]
        assert who == sorted(who)


def test_every_order_of_households_is_equally_likely():
    orders = Counter(
        tuple(shuffled(draws(seed), "order", np.array([0, 1, 3])).tolist()) for seed in range(240)
    )
    # chi-square with 5 degrees of freedom: 25 has probability 0.0001
    assert sum((orders[o] - 40) ** 2 / 40 for o in orders) + 40 * (6 - len(orders)) < 25


# What all have in common


@pytest.mark.parametrize(
    "step",
    [
        GroupQuarters("home", 2, "alone"),
        GroupQuarters("home", 2, relationship="relation", relationship_code="9", blank=("spouse",)),
        SampleHouseholds("home", fraction=0.5, strata=("side",), renumber=True, weight="w"),
        ScrambleHouseholds("home"),
    ],
    ids=lambda step: step.kind,
)
def test_same_seed_same_records_however_they_are_cut(engine, small_batches, opened, step):
    source = opened(people([1, 3, 2, 4, 1, 3], mixed=1))
    first, _ = run(engine, source, step, seed=5)
    assert run(small_batches, source, step, seed=5)[0] == first
    assert Step.from_dict(json.loads(json.dumps(step.to_dict()))) == step
    assert "home" in step.describe()
