"""Chunks under way are few, order is kept, and what fails is withheld."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stand_ins import Counting, Deadly, RunsAway, in_thread

from indistinct.scrub import Document, treat_all
from indistinct.scrub import streaming as room
from indistinct.scrub.documents import Outcome
from indistinct.scrub.reading import Seen
from indistinct.scrub.streaming import chunks_of, groups_of, treat_chunk


def letters(texts, *, together=None):
    return [
        Document(n, "a.jsonl", n, text, line=n, together=together[n - 1] if together else None)
        for n, text in enumerate(texts, 1)
    ]


@given(
    st.lists(st.tuples(st.integers(0, 400_000), st.sampled_from(["p", "q", None])), max_size=120)
)
@settings(max_examples=30, deadline=None)
def test_chunks_hold_every_document_once_in_order_and_have_a_bound(sizes):
    documents = letters(["x" * n for n, _ in sizes], together=[who for _, who in sizes])
    chunks = list(chunks_of(documents))
    assert [d for chunk in chunks for group in chunk for d in group] == documents
    for chunk in chunks:
        one_group = len(chunk) == 1
        assert one_group or sum(map(len, chunk)) <= room.CHUNK_DOCUMENTS
        for group in chunk:
            assert len({d.together for d in group}) == 1
            assert len(group) == 1 or group[0].together is not None
            size = sum(len(d.text) for d in group)
            assert len(group) == 1 or size <= room.GROUP_CHARACTERS


def test_documents_of_a_patient_are_together_only_where_they_follow_each_other():
    documents = letters("abcde", together=["p", "p", "q", "p", None])
    assert [len(group) for group in groups_of(documents)] == [2, 1, 1, 1]


def test_a_patient_with_very_many_documents_is_cut():
    documents = letters("a" * 1201, together=["p"] * 1201)
    assert [len(group) for group in groups_of(documents)] == [500, 500, 201]


def test_unreadable_documents_are_never_handed_to_the_scrubber():
    group = [Document(1, "a", 1, None, "is binary"), Document(2, "b", 2, "text")]
    outcomes = treat_chunk(Counting(), (group,))
    assert outcomes == [Outcome(None, reason="is binary"), Outcome("4 of 1")]


def test_two_processes_give_what_one_gives_in_the_same_order():
    texts = ["SLEEP" if n % 64 == 0 and n < 300 else "x" * (n % 50) for n in range(600)]
    documents = letters(texts, together=[f"p{n // 3}" for n in range(600)])
    alone = list(treat_all(documents, Counting(), threads=1))
    several = list(treat_all(documents, Counting(), threads=2))
    assert alone == several
    assert [t.document.number for t in several] == list(range(1, 601))


def test_chunks_under_way_are_bounded_however_many_documents_there_are():
    read = 0

    def stream():
        nonlocal read
        for document in letters(["x"] * (64 * 100)):
            read += 1
            yield document

    ahead = []
    for taken, _ in enumerate(treat_all(stream(), Counting(), threads=2), 1):
        ahead.append(read - taken)
    # the chunks of two processes, two that wait for each, one being read and one being given
    assert max(ahead) <= 64 * (2 * (room.AHEAD + 1) + 2)


def test_a_process_that_dies_costs_one_document():
    texts = ["fine"] * 200
    texts[77] = "DIE here"
    done = list(treat_all(letters(texts), Deadly(), threads=2))
    withheld = [t.document.number for t in done if t.text is None]
    assert withheld == [78]
    assert "could not be treated" in done[77].reason
    assert sum(t.text == "survived" for t in done) == 199


def test_a_regular_expression_that_runs_away_is_stopped():
    texts = ["aa", "a" * 60 + "b", "aa"]
    done = list(treat_all(letters(texts), RunsAway(), threads=1))
    assert [t.text for t in done] == ["matched", None, "matched"]


def test_it_is_stopped_in_a_thread_without_alarms_too():
    texts = ["aa", "a" * 60 + "b"]
    done = in_thread(lambda: list(treat_all(letters(texts), RunsAway(), threads=1)))
    assert [t.text for t in done] == ["matched", None]


def test_the_clock_is_given_back():
    import signal

    before = signal.getsignal(signal.SIGVTALRM)
    list(treat_all(letters(["aa"]), RunsAway(), threads=1))
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_nothing_gives_nothing():
    assert list(treat_all([], Counting(), threads=2)) == []


def test_leaving_early_ends_the_processes_whatever_they_do():
    texts = ["x"] * 64 + ["SLEEP LONG"] * 300  # ten minutes for each group
    left = threading.Event()

    def leave():
        stream = treat_all(letters(texts), Counting(), threads=2)
        next(stream)
        stream.close()
        left.set()

    threading.Thread(target=leave, daemon=True).start()
    assert left.wait(120)


@pytest.mark.parametrize("size", [10, 80_000])
def test_seen_remembers_everything(size):
    seen = Seen()
    assert not any(seen.before(n) for n in range(size))
    assert all(seen.before(n) for n in range(0, size, 997))
    assert len(seen._sorted) < 20
