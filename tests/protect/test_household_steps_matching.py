"""Pairs of households, against brute force."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.protect import Draws
from indistinct.protect.steps.households.pairing import (
    FREE,
    NOT_AT_RISK,
    cover_left_over,
    level_at_risk,
    make_pool,
    pair_households,
    pair_up,
)
from indistinct.protect.steps.households.places import Places

shrinking = settings(max_examples=100, deadline=None)

crowds = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 2), st.booleans()), min_size=1, max_size=9
)
"""Group, place, and whether a household is wanted."""


def most_that_can_be_covered(crowd):
    """The largest number of wanted households in pairs, over all pairings."""

    @cache
    def most(left):
        if not left:
            return 0
        one, rest = left[0], left[1:]
        found = most(rest)
        for i, other in enumerate(rest):
            if crowd[one][0] == crowd[other][0] and crowd[one][1] != crowd[other][1]:
                gain = crowd[one][2] + crowd[other][2]
                found = max(found, gain + most(rest[:i] + rest[i + 1 :]))
        return found

    return most(tuple(range(len(crowd))))


@shrinking
@given(crowd=crowds, seed=st.integers(0, 2**32))
def test_as_many_wanted_households_have_a_partner_as_any_pairing_can_give(crowd, seed):
    group, place, wanted = (np.array(column) for column in zip(*crowd, strict=True))
    wanted = wanted.astype(bool)
    rng = np.random.default_rng(seed)
    partner = np.full(len(crowd), FREE)
    pool = make_pool(np.arange(len(crowd)), group, place, rng.random(len(crowd)))
    pair_up(pool, rng.permutation(np.flatnonzero(wanted)), partner, limit=len(crowd))
    cover_left_over(pool, wanted, partner)
    paired = np.flatnonzero(partner != FREE)
    assert (partner[partner[paired]] == paired).all()
    assert (group[partner[paired]] == group[paired]).all()
    assert (place[partner[paired]] != place[paired]).all()
    assert (wanted[paired] | wanted[partner[paired]]).all()
    assert (wanted & (partner != FREE)).sum() == most_that_can_be_covered(crowd)


@shrinking
@given(crowd=crowds, seed=st.integers(0, 2**32), limit=st.integers(0, 4))
def test_a_partner_is_the_free_household_with_the_smallest_key_elsewhere(crowd, seed, limit):
    group, place, wanted = (np.array(column) for column in zip(*crowd, strict=True))
    rng = np.random.default_rng(seed)
    key = rng.random(len(crowd))
    waiting = rng.permutation(np.flatnonzero(wanted))
    expected, made = np.full(len(crowd), FREE), 0
    for one in waiting:
        donors = [
            other
            for other in range(len(crowd))
            if expected[other] == FREE and group[other] == group[one] and place[other] != place[one]
        ]
        if made < limit and expected[one] == FREE and donors:
            other = min(donors, key=lambda i: key[i])
            expected[one], expected[other] = other, one
            made += 1
    partner = np.full(len(crowd), FREE)
    pool = make_pool(np.arange(len(crowd)), group, place, key)
    assert pair_up(pool, waiting, partner, limit=limit) == made
    assert partner.tolist() == expected.tolist()


def flat_places(place):
    place = np.array(place)
    return Places(("area",), place[:, None], (place,))


def paired(place, *, seed, classes=None, share=0.0, at_risk=(), weights=None, near=False):
    number = len(place)
    risk = np.full(number, NOT_AT_RISK)
    risk[list(at_risk)] = 0
    return pair_households(
        flat_places(place),
        classes or [np.zeros(number, dtype=np.int64)],
        share=share,
        at_risk=risk,
        weights=lambda level: np.ones(number) if weights is None else np.array(weights),
        numbers=np.arange(number),
        near=near,
        draws=Draws.from_generator(np.random.default_rng(seed)),
    )


def test_donors_are_drawn_in_proportion_to_their_weights():
    drawn = Counter(
        int(paired([0, 1, 1, 2], seed=s, at_risk=[0], weights=[1.0, 1, 2, 5]).partner[0])
        for s in range(800)
    )
    for donor, weight in ((1, 1), (2, 2), (3, 5)):
        p = weight / 8
        # five standard deviations
        assert abs(drawn[donor] - 800 * p) < 5 * np.sqrt(800 * p * (1 - p))


def test_random_swaps_are_shared_out_by_place():
    place = np.repeat(np.arange(6), [40, 40, 40, 80, 160, 40])
    found = paired(place, seed=3, share=0.2)
    assert found.swapped.sum() == 80
    swapped = np.zeros(6)
    for seed in range(40):
        swapped += np.bincount(place[paired(place, seed=seed, share=0.2).swapped], minlength=6)
    assert np.allclose(swapped / 40 / np.bincount(place), 0.2, atol=0.03)


def test_profiles_are_tried_in_turn():
    strict = np.array([0, 0, 1, 2])
    loose = np.zeros(4, dtype=np.int64)
    found = paired([0, 1, 1, 0], seed=1, classes=[strict, loose], at_risk=range(4))
    assert found.partner.tolist() == [1, 0, 3, 2]
    assert found.profile.tolist() == [0, 0, 1, 1]


def test_more_at_risk_than_donors_leaves_as_few_as_must_be():
    found = paired([0, 0, 0, 0, 1, 2], seed=1, at_risk=[0, 1, 2, 3])
    assert found.swapped.sum() == 4
    assert found.swapped[[4, 5]].all()


def test_at_risk_is_the_broadest_level():
    rarest = [np.array([9, 3, 2, 1]), np.array([3, 2, 1, 1])]
    assert level_at_risk(rarest, 3, 4).tolist() == [NOT_AT_RISK, 1, 0, 0]
    assert level_at_risk([], 0, 2).tolist() == [NOT_AT_RISK] * 2
