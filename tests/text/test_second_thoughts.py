"""The false-positive reduction: what it takes back, and what it must leave."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.scrub.text.page import read
from indistinct.scrub.text.reducing import OBJECTIONS, SURE, reduced
from indistinct.scrub.text.spans import Kind, Span

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "text"


def remains(text: str, words: str, kind: Kind = Kind.LAST_NAME, certainty: float = 0.8) -> float:
    """What is left of a guess that the first occurrence of the words is of that kind."""
    start = text.index(words)
    guess = Span(start, start + len(words), kind, certainty, "guess")
    (after,) = reduced(read(text), [guess])
    return after.certainty


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("She takes Lily Human Insulin and Metformin.", "Metformin"),
        ("No Babinski. Reflexes brisk.", "Babinski"),
        ("Worked up for Crohn's disease last spring.", "Crohn"),
        ("A Swan-Ganz was floated on arrival.", "Swan-Ganz"),
        ("He began Trelvora 20 mg at bedtime.", "Trelvora"),
        ("Tender at McBurney's point on the right.", "McBurney's point"),
        ("Will return if worse. He will call us.", "Will"),
        ("Long talk about diet. It took too long.", "Long"),
        ("He was well until March, on a Tuesday.", "March"),
        ("She was well in April of that year.", "April"),
        ("The nurse, RN, was told.", "RN"),
        ("What a night it was.", "What"),
        ("We spent Christmas on the ward.", "Christmas"),
        ("Speaks Portuguese and some English.", "Portuguese"),
        ("Impression: stable.", "Impression"),
        ("PAST MEDICAL HISTORY: none", "PAST MEDICAL HISTORY"),
        ("LIVING SITUATION: alone with a dog", "LIVING SITUATION"),
        ("Heart murmur grade II at the apex.", "II"),
        ("Power lost during Hurricane Delphine.", "Delphine"),
    ],
)
def test_taken_back(text: str, words: str) -> None:
    assert remains(text, words) < 0.5


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("Hurt his hip in the Vietnam War.", "Vietnam", Kind.PLACE),
        ("Born before the Korean War.", "Korean", Kind.PLACE),
    ],
)
def test_wars_are_not_where_somebody_lives(text: str, words: str, kind: Kind) -> None:
    assert remains(text, words, kind) < 0.7


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("Virginia came with her mother.", "Virginia", Kind.FIRST_NAME),
        ("Brian did well.\nWrite to brian at brian@post.example", "Brian", Kind.FIRST_NAME),
        ("I saw Mark Graves today.", "Mark Graves", Kind.FULL_NAME),
        ("Spoke with Bell about the plan.", "Bell", Kind.LAST_NAME),
        ("I met Will again, and he will call.", "Will", Kind.FIRST_NAME),
        ("JOHN HARPER: I feel fine.", "JOHN HARPER", Kind.FULL_NAME),
        ("Admitted to General Hospital overnight.", "General Hospital", Kind.HOSPITAL),
        ("Typed copy\nHB:kw", "HB", Kind.INITIALS),
        ("Moved to Vietnam as a child.", "Vietnam", Kind.PLACE),
        ("patient childs walked to the gym", "childs", Kind.LAST_NAME),
        ("Rita called at 5 pm.", "Rita", Kind.FIRST_NAME),
        ("Bed 4: Colon, seen at noon.", "Colon", Kind.LAST_NAME),
        ("April was here with her son.", "April", Kind.FIRST_NAME),
        ("I told Don that we agree.", "Don", Kind.FIRST_NAME),
    ],
)
def test_left_alone(text: str, words: str, kind: Kind) -> None:
    assert remains(text, words, kind) == 0.8


def test_sure_rules_memory_and_numbers_are_not_reconsidered() -> None:
    page = read("Insulin 5 mg on March 3")
    spans = [
        Span(0, 7, Kind.LAST_NAME, SURE, "titled"),
        Span(0, 7, Kind.LAST_NAME, 0.75, "memory"),
        Span(16, 23, Kind.DATE, 0.75, "dates"),
        Span(8, 9, Kind.ACCOUNT, 0.75, "accounts"),
    ]
    assert reduced(page, spans) == spans


def test_the_tagger_is_asked_however_certain_it_is() -> None:
    page = read("Clark level III, seen by Clark.")
    first, second = reduced(
        page,
        [Span(0, 5, Kind.FULL_NAME, 0.98, "tagger"), Span(25, 30, Kind.FULL_NAME, 0.98, "tagger")],
    )
    assert first.certainty < 0.5
    assert second.certainty == 0.98


@given(
    st.text(alphabet="Aa Bell's Insulin 5mg.\n:-II Mr", max_size=80),
    st.lists(
        st.tuples(
            st.integers(0, 80), st.integers(1, 12), st.sampled_from(Kind), st.floats(0.0, 1.0)
        ),
        max_size=6,
    ),
)
def test_nothing_becomes_more_certain_and_nothing_moves(
    text: str, guesses: list[tuple[int, int, Kind, float]]
) -> None:
    page = read(text)
    end = len(page.text)
    spans = [
        Span(start, min(start + length, end), kind, certainty, "guess")
        for start, length, kind, certainty in guesses
        if start < end
    ]
    after = reduced(page, spans)
    assert [(s.start, s.end, s.kind) for s in after] == [(s.start, s.end, s.kind) for s in spans]
    for old, new in zip(spans, after, strict=True):
        assert new.certainty <= old.certainty
        if old.certainty >= SURE or old.label not in ("NAME", "LOCATION", "ORG"):
            assert new == old


def test_every_objection_lowers() -> None:
    assert all(0 < factor < 1 for factor, _ in OBJECTIONS.values())


@pytest.mark.shared
@pytest.mark.heavy
def test_guessing_every_capital_becomes_more_precise() -> None:
    """A detector that takes each capitalised word for a name: what the reduction makes of it."""
    file = SHARED / "letters.jsonl"
    if not file.exists():
        pytest.skip("the annotated letters are not here")
    right = [0, 0]
    fired = [0, 0]
    for line in file.read_text().splitlines()[::4]:
        document = json.loads(line)
        page = read(document["text"])
        if page.text != document["text"]:
            continue
        gold = [(s["start"], s["end"]) for s in document["spans"] if s["label"] == "NAME"]
        guesses = [
            Span(m.start(), m.end(), Kind.LAST_NAME, 0.8, "guess")
            for m in re.finditer(r"\b[A-Z][A-Za-z]+", page.text)
        ]
        after = [span for span in reduced(page, guesses) if span.certainty >= 0.7]
        for which, spans in enumerate((guesses, after)):
            fired[which] += len(spans)
            right[which] += sum(any(a < s.end and s.start < b for a, b in gold) for s in spans)
    precision = [right[which] / fired[which] for which in (0, 1)]
    assert precision[1] > precision[0] + 0.08
    assert right[1] > 0.98 * right[0]
