"""Rates against Anonymeter and simulation; outcomes of attacks against counting by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.prove.attacks.claims import (
    CONTROL,
    NOBODY,
    RIGHT,
    TARGET,
    UNKNOWN,
    WITNESSES,
    WRONG,
    Links,
)
from indistinct.prove.attacks.outcome import Guesses, link_outcome
from indistinct.prove.attacks.rates import Rate, excess

ANONYMETER = [
    # attack of, control of; centre and half of either; risk and its error (Anonymeter 1.1.0)
    ((40, 100), (10, 100), (0.403699350, 0.094298063), (0.326368167, 0.115770971)),
    ((900, 1000), (450, 500), (0.898469297, 0.018621260), (0.014740773, 0.310209540)),
    ((30, 30), (0, 20), (0.943243303, 0.056756697), (0.938270191, 0.061966323)),
    ((35, 2000), (21, 1000), (0.018424975, 0.005815222), (-0.004511043, 0.011050126)),
]


@pytest.mark.parametrize(("attack", "control", "rate", "risk"), ANONYMETER)
def test_rates_and_risk_equal_anonymeter(attack, control, rate, risk):
    found = Rate(*attack)
    assert (found.centre, found.half) == pytest.approx(rate, abs=1e-8)
    above = excess(found, Rate(*control))
    assert (above.value, above.half) == pytest.approx(risk, abs=1e-8)


def test_wilson_interval_equals_newcombes_examples():
    # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3
    for s, n, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        rate = Rate(s, n)
        assert (rate.low, rate.high) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_the_risk_holds_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    for a, c in [(0.3, 0.3), (0.6, 0.2), (0.05, 0.02), (0.9, 0.9)]:
        true = (a - c) / (1 - c)
        drawn = zip(rng.binomial(400, a, 600), rng.binomial(300, c, 600), strict=True)
        held = [
            above.low <= true <= above.high
            for s, t in drawn
            if (above := excess(Rate(int(s), 400), Rate(int(t), 300))) is not None
        ]
        # 600 draws: 0.92 is more than three standard errors below 0.95
        assert np.mean(held) > 0.92, (a, c)


def test_no_trials_or_nothing_left_to_excel_in_is_no_risk():
    assert excess(Rate(0, 0), 0.1) is None
    assert excess(Rate(5, 9), 1.0) is None
    assert excess(Rate(5, 9), Rate(0, 0)) is None
    assert excess(Rate(9, 10), 0.0).low == pytest.approx(Rate(9, 10).low)
    assert repr(Rate(0, 0)) == "0 of 0"
    with pytest.raises(InputError, match="between 0 and the 3 trials"):
        Rate(4, 3)
    with pytest.raises(InputError, match="confidence"):
        Rate(1, 3, 1.0)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_outcome_equals_counting_by_hand(data):
    people = data.draw(st.integers(1, 8))
    n = data.draw(st.integers(1, 12))
    row = st.integers(0, people - 1)
    # nobody is a candidate of a record twice, so a record has at most as many as there are people
    sets = [data.draw(st.sets(row, max_size=3)) for _ in range(n)]
    truth = [data.draw(st.integers(-2, people - 1)) for _ in range(n)]
    pairs = [(i, p) for i, s in enumerate(sets) for p in sorted(s)]
    chances = [data.draw(st.sampled_from([0.25, 0.5, 1.0])) for _ in pairs]
    links = Links.from_pairs(
        np.array([i for i, _ in pairs], dtype=np.int64),
        np.array([p for _, p in pairs], dtype=np.int64),
        np.array(chances),
        records=n,
    )
    found = link_outcome(
        links, attack="any", register="r", attributes=["a"], people=people, truth=np.array(truth)
    )
    claims = [(next(iter(s)), t) for s, t in zip(sets, truth, strict=True) if len(s) == 1]
    assert found.unique == len(claims)
    assert found.ambiguous == sum(len(s) > 1 for s in sets) == sum(found.sizes.values())
    assert found.none == sum(not s for s in sets)
    assert found.right == sum(p == t for p, t in claims)
    assert found.wrong == sum(p != t and t != UNKNOWN for p, t in claims)
    assert found.right + found.wrong + found.unjudged == found.unique
    best = [
        max((c for (i, _), c in zip(pairs, chances, strict=True) if i == k), default=0)
        for k in range(n)
    ]
    assert found.expected == pytest.approx(sum(best))
    assert found.largest == max(best)
    if UNKNOWN not in truth:
        subjects = {t for t in truth if t >= 0}
        named = {p for p, _ in claims}
        expected = [
            (len(named & who), len(who)) for who in (subjects, set(range(people)) - subjects)
        ]
        got = [(r.successes, r.trials) if r else (0, 0) for r in (found.targets, found.controls)]
        assert got == expected
    else:
        assert found.targets is None
    json.dumps(found.to_dict())
    assert found.verdict in repr(found)


def outcome_of(unique, people=100, **options):
    """An outcome with so many records that name somebody each, and as many that name nobody."""
    candidates = np.repeat([1, 0], unique).astype(np.int64)
    person = np.concatenate([np.arange(unique), np.full(unique, NOBODY)])
    links = Links.equal_chances(candidates, person)
    return link_outcome(
        links, attack="exact", register="voters", attributes=["zip"], people=people, **options
    )


def test_claims_are_held_against_claims():
    roles = np.repeat([TARGET, CONTROL], 50).astype(np.int8)
    found = outcome_of(50, roles=roles)
    assert found.judged == "claims"
    assert (found.success, found.reference) == (Rate(50, 50), Rate(0, 50))
    assert found.risk.low > 0.8
    assert "the release tells who is in it" in found.verdict
    mixed = np.tile([TARGET, CONTROL], 50).astype(np.int8)
    even = outcome_of(50, roles=mixed)
    assert (even.success, even.reference) == (Rate(25, 50), Rate(25, 50))
    assert even.risk.value == pytest.approx(0)
    assert even.risk.low < 0 < even.risk.high
    assert "no more than chance" in even.verdict
    assert outcome_of(50).risk is None
    assert "is not known" in outcome_of(50).verdict


def test_true_persons_are_held_against_guessing():
    truth = np.concatenate([np.arange(10), np.full(90, 99)])
    guesses = Guesses(0.01, 0.1, "sex")
    found = outcome_of(50, truth=truth, guesses=guesses)
    assert (found.right, found.wrong, found.findable) == (10, 40, 100)
    assert found.success == Rate(10, 100)
    assert found.reference == 0.1
    # as often as a guess: no risk is shown
    assert not found.risk.shown
    assert found.succeeds == (Rate(10, 50).low > 0.1)
    assert (found.precision, found.recall) == (Rate(10, 50), Rate(10, 100))
    all_right = outcome_of(50, truth=np.concatenate([np.arange(50), np.full(50, NOBODY)]))
    assert (all_right.precision, all_right.recall) == (Rate(50, 50), Rate(50, 50))


def test_a_few_links_that_are_right_are_a_success_all_the_same():
    candidates = np.full(100_000, 7)
    candidates[:2] = 1
    truth = np.arange(100_000)
    links = Links.equal_chances(candidates, np.arange(100_000))
    found = link_outcome(
        links,
        attack="exact",
        register="voters",
        attributes=["zip"],
        people=100_000,
        truth=truth,
        guesses=Guesses(1e-5, 2e-5, "sex"),
    )
    assert not found.risk.shown
    assert found.succeeds
    assert found.verdict.endswith("2 of them rightly: people are found.")


def test_values_are_held_against_values_of_controls():
    roles = np.tile([TARGET, CONTROL], 50).astype(np.int8)
    verdicts = np.full(100, UNKNOWN, dtype=np.int8)
    verdicts[:50] = np.tile([RIGHT, WRONG], 25)
    found = outcome_of(50, roles=roles, values=(verdicts, 25))
    assert found.told == (Rate(25, 50), Rate(25, 50))
    assert found.risk.value == pytest.approx(0)
    without = outcome_of(50, roles=roles, values=(verdicts, None))
    assert without.told is None
    assert without.reference == 0.0
    assert without.success == Rate(25, 100)


def test_witnesses_are_few_and_the_right_ones_first():
    truth = np.concatenate([np.arange(50)[::-1], np.full(50, UNKNOWN)])
    truth[:30] = UNKNOWN
    truth[40] = 40
    found = outcome_of(50, truth=truth, names=lambda rows: [f"p{row}" for row in rows])
    assert len(found.witnesses) == WITNESSES == 20
    assert repr(found.witnesses[0]) == "record 41 is p40: right"
    assert {w.verdict for w in found.witnesses[1:]} == {"not judged"}
    assert len(found.to_dict()["witnesses"]) == 20
    assert "<table>" in found._repr_html_()


def test_a_truth_of_another_length_is_refused():
    with pytest.raises(InputError, match="each of 4 released records"):
        outcome_of(2, truth=np.array([1]))


def test_nobody_named_is_said_with_what_a_guess_among_candidates_gives():
    links = Links.equal_chances(np.array([2, 4]), np.array([-1, -1]))
    found = link_outcome(links, attack="exact", register="voters", attributes=["zip"], people=4)
    assert math.isclose(found.expected, 0.75)
    assert found.verdict == (
        "No record names a single person of voters. Whoever picks one of the candidates is right "
        "for 0.8 of 2 records."
    )
