"""What scrubbed text still tells: sequences of events, and facts that are rare together."""

from __future__ import annotations

import timeit
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.scrub.text.events import Fact, facts_told, find_events
from indistinct.scrub.text.judging import DE_IDENTIFIED, Traces, verdict
from indistinct.scrub.text.rarity import RareCombinations

LIFE = (
    "In 1961 his family emigrated. Two years later his father died. "
    "The following year he dropped out and enlisted."
)


def test_the_verdict_is_never_better_than_de_identified():
    for documents in ([], ["Nothing here."], [LIFE]):
        said = verdict(documents)
        assert said.verdict == DE_IDENTIFIED == "de-identified only, not anonymous"
        assert not said.ads0
        assert "cannot make text anonymous" in said.warnings[0]
        assert said.to_dict()["verdict"] == DE_IDENTIFIED


@pytest.mark.parametrize(
    ("text", "sequence"),
    [
        (LIFE, True),
        (
            "When she was 9 she lost an eye; at age 11 she ran away; by the age of 14 she sang.",
            True,
        ),
        ("He was arrested twice. He was stabbed in a bar. He has since been jailed.", True),
        ("In 1961 the family moved. Two years later his father died.", False),
        (
            "A 40-year-old man with asthma since 1990. Flare in June 2001. Seen two weeks ago.",
            False,
        ),
        ("Diagnosed in 1993. Echo in 2001. Surgery in May of 2004. Stable since 2005.", False),
        ("", False),
    ],
)
def test_sequences_of_events(text, sequence):
    assert bool(verdict([text]).documents_with_sequences) is sequence


def test_events_say_how_they_are_anchored():
    told = find_events("At the age of five he was kidnapped. In 1990 they moved. She was adopted.")
    assert [(e.anchor, e.rare) for e in told] == [("age", True), ("time", False), ("", True)]


def test_sequences_are_counted_and_not_quoted():
    said = verdict(["Well.", LIFE])
    assert [(s.document, s.events) for s in said.sequences] == [(2, 3)]
    assert "emigrated" not in said.details()
    assert "emigrated" not in str(said.to_dict())


def test_facts_of_a_document():
    text = (
        "This 7 and 6/12 year old girl of Greek descent is an only child. She has cystic fibrosis "
        "and gastritis since June of 1993. Her father, who works as a stonemason, is well."
    )
    found = {(fact.kind, fact.value) for fact in facts_told(text)}
    assert {
        ("age", "7"), ("sex", "F"), ("origin", "greek"), ("family", "only child"),
        ("diagnosis", "cystic fibrosis"), ("diagnosis", "gastritis"), ("month and year", "1993-06"),
    } <= found  # fmt: skip
    assert ("occupation", "bus driver") in facts_told("He is a bus driver.")
    assert not [f for f in facts_told("She is a former smoker.") if f.kind == "occupation"]


def test_values_are_shown_only_when_asked_for():
    text = "She is a 64-year-old woman of Thai origin with lupus."
    shareable, own = verdict([text]), verdict([text], show_values=True)
    assert ("age", "diagnosis") in [one.kinds for one in own.examples]
    assert "lupus" in str(own.to_dict())
    assert "lupus" in own.details()
    for shown in (shareable.details(), str(shareable.to_dict()), repr(shareable)):
        assert "lupus" not in shown
        assert "thai" not in shown.lower()
    assert len(shareable.examples) == len(own.examples)


fact = st.builds(Fact, st.sampled_from(["age", "sex", "origin"]), st.sampled_from("abcd"))
documents = st.lists(st.lists(fact, unique=True, max_size=6), max_size=12)


def by_brute_force(given_documents):
    times = Counter()
    for held in given_documents:
        for size in (2, 3):
            times.update(frozenset(one) for one in combinations(held, size))
    return len(times), sum(1 for n in times.values() if n == 1)


@settings(deadline=None, max_examples=50)
@given(documents)
def test_counts_equal_brute_force_while_all_combinations_fit(given_documents):
    rare = RareCombinations()
    for number, held in enumerate(given_documents, start=1):
        rare.add(held, document=number)
    assert (rare.distinct, rare.in_one_document) == by_brute_force(given_documents)


@settings(deadline=None, max_examples=50)
@given(documents, st.data())
def test_parts_merge_to_the_whole_when_not_all_fit(given_documents, data):
    whole, parts = RareCombinations(kept=20), [RareCombinations(kept=20) for _ in range(3)]
    for number, held in enumerate(given_documents, start=1):
        whole.add(held, document=number)
        parts[data.draw(st.integers(0, 2))].add(held, document=number)
    merged = RareCombinations(kept=20)
    for part in parts:
        merged.merge(part)
    assert merged.distinct == whole.distinct
    assert merged.in_one_document == whole.in_one_document
    assert list(merged.examples()) == list(whole.examples())


def test_the_sample_estimates_what_it_cannot_hold():
    rng = np.random.default_rng(1)
    drawn = [
        [
            Fact(kind, str(value))
            for kind, value in zip("abcde", rng.integers(0, 40, 5), strict=True)
        ]
        for _ in range(600)
    ]
    rare = RareCombinations(kept=1000)
    for number, held in enumerate(drawn, start=1):
        rare.add(held, document=number)
    distinct, alone = by_brute_force(drawn)
    assert len(rare._found) == 1000
    assert distinct > 8000
    assert rare.distinct == pytest.approx(distinct, rel=0.1)
    assert rare.in_one_document == pytest.approx(alone, rel=0.1)


def test_traces_of_parts_merge_to_those_of_the_whole():
    texts = [LIFE, "A 40-year-old man, divorced, with lupus.", "A 40-year-old man with lupus."] * 3
    whole, first, second = Traces(), Traces(), Traces()
    for number, text in enumerate(texts, start=1):
        whole.add(text)
        (first if number % 2 else second).add(text, document=number)
    second.merge(first)
    assert second.finish() == whole.finish()
    assert whole.finish().documents == 9


@pytest.mark.parametrize("piece", ["at age ", "in 19", "x", "two ", "june of ", "a-", "is a ab "])
def test_time_grows_with_the_length_of_hostile_text(piece):
    def seconds(times):
        text = piece * times
        return min(timeit.repeat(lambda: verdict([text]), number=1, repeat=3))

    # four times the text; sixteen times the work would be quadratic
    assert seconds(8000) < 12 * seconds(2000) + 0.005


def test_letters_that_grow_in_lower_case_are_read():
    assert verdict(["\u0130. " * 50 + LIFE]).documents_with_sequences == 1


def test_a_line_may_end_within_an_event():
    assert [event.anchor for event in find_events("At the\nage of nine she fell ill.")] == ["age"]
    wrapped = "She moved to the coast with her mother and her brothers,\nin 1990. He eats."
    assert [event.anchor for event in find_events(wrapped)] == ["time"]
    listed = "Moved in 1990\nMarried in 1995\nDivorced in 1997\n"
    assert len(find_events(listed)) == 3
    assert Fact("family", "two children") in facts_told("She is divorced, with two\nchildren.")
