"""The board decides once: no overlaps, nothing above the threshold left, the best wins."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.scrub.text.board import joined, resolve, weigh
from indistinct.scrub.text.spans import Kind, Span

TEXT = "Ann B. saw 12 Elm Rd, Boston, on 3/4/99 with Cy Dee."


@st.composite
def postings(draw: st.DrawFn) -> list[Span]:
    found = []
    for _ in range(draw(st.integers(0, 12))):
        start = draw(st.integers(0, len(TEXT) - 1))
        end = draw(st.integers(start + 1, len(TEXT)))
        kind = draw(st.sampled_from(list(Kind)))
        certainty = draw(st.floats(0.05, 0.99))
        detector = draw(st.sampled_from(["a", "b", "tagger"]))
        found.append(Span(start, end, kind, certainty, detector, "r"))
    return found


@given(postings(), st.sampled_from([0.5, 0.7, 0.8]))
@settings(max_examples=100)
def test_every_letter_that_was_claimed_is_held_once(spans: list[Span], threshold: float) -> None:
    held = resolve(spans, TEXT, threshold)
    assert all(a.end <= b.start for a, b in pairwise(held))
    claimed = {
        place
        for span in spans
        if span.certainty >= threshold and span.detector != "tagger"
        for place in range(span.start, span.end)
        if TEXT[place].isalnum()
    }
    covered = {place for span in held for place in range(span.start, span.end)}
    assert claimed <= covered
    assert all(TEXT[span.start : span.end].strip() for span in held)


@given(postings())
@settings(max_examples=80)
def test_a_lower_threshold_covers_no_less(spans: list[Span]) -> None:
    rules = [span for span in spans if span.detector != "tagger"]

    def covered(threshold: float) -> set[int]:
        held = resolve(rules, TEXT, threshold)
        return {p for s in held for p in range(s.start, s.end) if TEXT[p].isalnum()}

    assert covered(0.8) <= covered(0.7)


@given(postings(), st.randoms())
@settings(max_examples=80)
def test_the_order_of_posting_does_not_matter(spans: list[Span], random) -> None:  # type: ignore[no-untyped-def]
    other = list(dict.fromkeys(spans))
    shuffled = other.copy()
    random.shuffle(shuffled)

    def where(found: list[Span]) -> set[tuple[int, int]]:
        return {(s.start, s.end) for s in found}

    assert where(resolve(other, TEXT, 0.7)) == where(resolve(shuffled, TEXT, 0.7)) or len(
        {s.certainty for s in other}
    ) < len(other)


def by_pairs(spans: list[Span]) -> list[float]:
    """What agreement adds, by comparing every pair."""
    result = []
    for span in spans:
        seconds: dict[str, float] = {}
        for other in spans:
            if (
                other.detector != span.detector
                and other.label == span.label
                and other.start <= span.start
                and other.end >= span.end
            ):
                least = min(other.certainty, span.certainty)
                seconds[other.detector] = max(least, seconds.get(other.detector, 0))
        doubt = 1 - span.certainty
        for certainty in seconds.values():
            doubt *= 1 - certainty / 2
        result.append(round(1 - doubt, 9))
    return sorted(result)


@given(postings())
@settings(max_examples=100)
def test_agreement_is_counted_as_pair_by_pair(spans: list[Span]) -> None:
    assert sorted(round(span.certainty, 9) for span in weigh(spans)) == by_pairs(spans)


def test_the_best_detector_holds_the_characters() -> None:
    phone = Span(11, 20, Kind.PHONE, 0.75, "phones")
    street = Span(11, 20, Kind.STREET, 0.9, "streets")
    assert resolve([phone, street], TEXT, 0.7) == [street]


def test_a_rule_holds_what_the_tagger_claims_too() -> None:
    street = Span(11, 20, Kind.STREET, 0.75, "streets")
    tagged = Span(14, 28, Kind.PLACE, 0.99, "tagger")
    held = resolve([tagged, street], TEXT, 0.7)
    assert held[0] == street
    assert (held[1].start, held[1].end) == (20, 28)


def test_small_change_beside_a_rule_is_not_held_for_the_tagger() -> None:
    text = "Ann Long, M.D. of Ely"
    name = Span(0, 8, Kind.FULL_NAME, 0.95, "credentialed")
    tagged = Span(0, 11, Kind.FULL_NAME, 0.99, "tagger")
    assert resolve([name, tagged], text, 0.7) == [name]
    longer = Span(0, 21, Kind.FULL_NAME, 0.99, "tagger")
    assert len(resolve([name, longer], text, 0.7)) == 2


def test_only_a_title_joins_the_name_after_it() -> None:
    text = "saw Mr. Lee"
    title = Span(4, 6, Kind.FULL_NAME, 0.9, "tagger")
    name = Span(8, 11, Kind.LAST_NAME, 0.9, "titled")
    assert [(s.start, s.end) for s in joined([title, name], text)] == [(4, 11)]
    first = Span(0, 3, Kind.FIRST_NAME, 0.9, "listed")
    assert joined([first, name], text) == [first, name]
