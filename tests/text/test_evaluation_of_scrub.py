"""Evaluation against the scorer that is used elsewhere, and by hand; calibration of certainties."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.scrub.text import certainties
from indistinct.scrub.text.annotated import REQUIRED, Annotated, Reference, read_annotated
from indistinct.scrub.text.certainties import PRIOR_CASES, Count, corrected
from indistinct.scrub.text.evaluating import Tally, evaluate
from indistinct.scrub.text.reliable import ReliabilityTally, reliability
from indistinct.scrub.text.spans import Kind, Span

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
LETTER = "Ann Lee (40) saw Dr. O'Dell in Bay City on May 3. Lee is well."
NAMED = [
    Reference(0, 7, "NAME"),
    Reference(9, 11, "AGE"),
    Reference(21, 27, "NAME"),
    Reference(31, 39, "LOCATION"),
    Reference(43, 48, "DATE"),
    Reference(50, 53, "NAME"),
]


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def span(start, end, kind=Kind.FULL_NAME, certainty=0.9):
    return Span(start, end, kind, certainty, "hand", "rule")


def found(*spans):
    return lambda text: list(spans)


def test_a_reference_is_removed_when_no_letter_or_digit_is_left():
    document = Annotated(LETTER, NAMED)
    # the apostrophe of O'Dell may stay, the l of Ann Lee may not
    seen = evaluate([document], found(span(0, 6), span(21, 22), span(23, 27)))
    names = seen.labels[0]
    assert (names.label, names.references, names.removed, names.touched) == ("NAME", 3, 1, 2)
    assert (seen.references, seen.removed, seen.touched, seen.leaking) == (5, 1, 2, 1)


def test_tokens_count_by_hand():
    document = Annotated(LETTER, NAMED)
    # Ann Lee right; 40 is left open; saw wrong; Bay right, City missed
    seen = evaluate([document], found(span(0, 16), span(31, 34, Kind.CITY)))
    assert (seen.tokens_right, seen.tokens_wrong) == (3, 1)
    assert seen.tokens_missed == 6  # O, Dell, City, May, 3, Lee
    assert seen.tokens_kept == 5  # Dr, in, on, is, well
    assert seen.token_precision == 3 / 4
    assert seen.token_recall == 3 / 9
    by_kind = {score.kind: score for score in seen.kinds}
    assert (by_kind["city"].found, by_kind["city"].precision) == (1, 1.0)
    assert by_kind["full name"].precision == 2 / 3


def test_labels_do_not_count():
    document = Annotated(LETTER, NAMED)
    assert evaluate([document], found(span(0, len(LETTER), Kind.PHONE))).share_removed == 1


def test_what_annotators_left_open_counts_neither_way():
    document = Annotated(LETTER, NAMED)
    age = evaluate([document], found(span(9, 11, Kind.AGE)))
    assert (age.tokens_right, age.tokens_wrong, age.references) == (0, 0, 5)
    open_too = Annotated(LETTER, [*NAMED, Reference(17, 19, "OPT")])
    assert evaluate([open_too], found(span(17, 19))).tokens_wrong == 0


def test_kinds_that_were_not_annotated_are_passed_over():
    date = span(43, 48, Kind.DATE)
    phone = span(13, 16, Kind.PHONE)
    plain = Annotated(LETTER, NAMED[:4])
    assert evaluate([plain], found(date, phone)).tokens_wrong == 3
    no_dates = Annotated(LETTER, NAMED[:4], dates_unlabelled=True)
    assert evaluate([no_dates], found(date, phone)).tokens_wrong == 1
    names = Annotated(LETTER, NAMED[:4], only_names=True)
    assert evaluate([names], found(date, phone)).tokens_wrong == 0


def test_documents_without_references():
    documents = [Annotated("Hodgkin's disease.", []), Annotated("Foley out.", [])]
    seen = evaluate(documents, lambda text: [span(0, 5)] if "Foley" in text else [])
    assert (seen.negatives, seen.negatives_touched, seen.leaking) == (2, 1, 0)


pieces = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 12), st.sampled_from([*REQUIRED, "AGE", "OPT"])),
    max_size=8,
)
texts = st.text(alphabet="ab1 _-'.é\n", min_size=20, max_size=60)


def annotated(text, given_pieces):
    inside = [(a, min(a + n, len(text)), label) for a, n, label in given_pieces if a < len(text)]
    return Annotated(text, [Reference(*one) for one in inside])


def claimed(text, given_pieces):
    kinds = {kind.label: kind for kind in Kind}
    return [span(a, a + n, kinds.get(label, Kind.WEB)) for a, n, label in given_pieces]


def same_as_the_other_scorer(score, documents, predictions):
    records = [
        {
            "text": d.text,
            "spans": [{"start": r.start, "end": r.end, "label": r.label} for r in d.references],
        }
        for d in documents
    ]
    plain = [[(s.start, s.end, s.label) for s in spans] for spans in predictions]
    theirs, by_label = score(records, plain)
    tally = Tally()
    for document, spans in zip(documents, predictions, strict=True):
        tally.add(document, spans)
    ours = tally.finish()
    assert ours.references == theirs["n"]
    assert ours.share_removed == theirs["ref_full"]
    assert ours.share_touched == theirs["ref_any"]
    assert ours.token_recall == theirs["tok_rec"]
    assert ours.token_precision == theirs["tok_prec"]
    assert ours.f2 == theirs["F2"]
    assert ours.leaking == theirs["docs_with_leak"]
    wrong, kept = ours.tokens_wrong, ours.tokens_kept
    assert 1000 * wrong / max(1, wrong + kept) == theirs["fp_per_1000_nonphi_tokens"]
    for label in ours.labels:
        other = by_label[label.label]
        assert (label.references, label.share_removed) == (other["n"], other["ref_full"])
        assert label.token_recall == other["tok_rec"]


@pytest.mark.shared
@settings(deadline=None, max_examples=60)
@given(documents=st.lists(st.tuples(texts, pieces, pieces), min_size=1, max_size=4))
def test_random_documents_score_as_by_the_other_scorer(documents):
    path = SHARED / "reference" / "text" / "score.py"
    if not path.exists():
        pytest.skip("the other scorer is not beside the project")
    given_documents = [annotated(text, gold) for text, gold, _ in documents]
    predictions = [claimed(text, seen) for text, _, seen in documents]
    same_as_the_other_scorer(module(path).score, given_documents, predictions)


@pytest.mark.shared
def test_random_predictions_on_letters_score_as_by_the_other_scorer():
    path, corpus = SHARED / "reference" / "text" / "score.py", SHARED / "data" / "text"
    if not path.exists() or not corpus.exists():
        pytest.skip("the other scorer and the corpora are not beside the project")
    rng = np.random.default_rng(7)
    documents = list(read_annotated(corpus / "letters.jsonl"))[:40]
    predictions = []
    for document in documents:
        right = [span(r.start, r.end - int(rng.integers(2))) for r in document.references
                 if rng.random() < 0.7]  # fmt: skip
        starts = rng.integers(0, len(document.text) - 9, 6)
        predictions.append([*right, *(span(int(a), int(a) + 9, Kind.WEB) for a in starts)])
    same_as_the_other_scorer(module(path).score, documents, predictions)


@settings(deadline=None, max_examples=40)
@given(documents=st.lists(st.tuples(texts, pieces, pieces), min_size=2, max_size=6), data=st.data())
def test_counts_of_parts_merge_to_those_of_the_whole(documents, data):
    whole, first, second = Tally(), Tally(), Tally()
    for text, gold, seen in documents:
        document, spans = annotated(text, gold), claimed(text, seen)
        whole.add(document, spans)
        (first if data.draw(st.booleans()) else second).add(document, spans)
    first.merge(second)
    assert first.finish() == whole.finish()


def test_annotated_documents_are_read_as_they_are_asked_for(tmp_path):
    path = tmp_path / "gold.jsonl"
    record = {"text": "Ann", "spans": [{"start": 0, "end": 3, "label": "NAME"}], "only_names": True}
    path.write_text(json.dumps(record) + "\n\n" + '{"text": "secret Bob"}\n', encoding="utf-8")
    lines = read_annotated(path)
    assert next(lines) == Annotated("Ann", [Reference(0, 3, "NAME")], only_names=True)
    with pytest.raises(InputError, match="line 3: not an annotated document") as error:
        next(lines)
    assert "Bob" not in str(error.value)


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        '{"text": 3, "spans": []}',
        '{"text": "ab", "spans": [{"start": 0, "end": 9, "label": "NAME"}]}',
        '{"text": "ab", "spans": [{"start": "x", "end": 1, "label": "NAME"}]}',
    ],
)
def test_what_is_no_annotated_document_is_refused(tmp_path, line):
    path = tmp_path / "gold.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        list(read_annotated(path))


def test_the_evaluation_prints_the_numbers():
    printed = str(evaluate([Annotated(LETTER, NAMED)], found(span(0, 7)), method="By hand"))
    assert printed.startswith("By hand: 20.0% of 5 references removed in 1 documents")
    assert "LOCATION" in printed


# Certainties


def test_certainties_of_a_perfectly_calibrated_search_are_found_reliable():
    rng = np.random.default_rng(3)
    tally = ReliabilityTally()
    for certainty in rng.uniform(0.05, 0.99, 20_000):
        tally.count(certainty, float(rng.random() < certainty))
    assert tally.finish().error < 0.015
    sure = ReliabilityTally()
    for certainty in rng.uniform(0.9, 0.99, 1000):
        sure.count(certainty, float(rng.random() < 0.5))
    assert sure.finish().error > 0.4


def test_reliability_judges_by_tokens():
    document = Annotated(LETTER, NAMED)
    # 'Ann Lee (40) saw': two of three tokens that count
    seen = reliability([document], found(span(0, 16, certainty=0.65)))
    assert [(b.low, b.found, b.right) for b in seen.bins] == [(0.6, 1, 2 / 3)]


@given(
    fired=st.integers(1, 400),
    share=st.floats(0, 1),
    prior=st.floats(0.05, 0.95),
)
def test_a_rule_of_one_certainty_gets_the_mean_of_its_beta_distribution(fired, share, prior):
    right = share * fired
    count = Count(right, fired, fired * prior)
    expected = (right + PRIOR_CASES * prior) / (fired + PRIOR_CASES)
    assert corrected(prior, count.shift) == pytest.approx(expected, abs=1e-3)


@given(st.floats(0.01, 0.98), st.floats(0.001, 0.01), st.floats(-4, 4))
def test_correction_keeps_the_order(certainty, more, shift):
    assert corrected(certainty, shift) < corrected(certainty + more, shift)


def test_rules_that_were_never_counted_keep_what_they_state(monkeypatch):
    monkeypatch.setattr(certainties, "_shifts", lambda: {("hand", "other"): 2.0})
    assert certainties.calibrated(span(0, 3)) == span(0, 3)
    other = Span(0, 3, Kind.FIRST_NAME, 0.5, "hand", "other")
    assert certainties.calibrated(other).certainty == pytest.approx(0.8808, abs=1e-4)


def test_the_tool_counts_a_rule_no_more_than_its_due(tmp_path):
    tool = module(ROOT / "tools" / "calibrate_scrub.py")
    one_template = [tool.Firing("a.x", "t", 0.9, 1.0)] * 100
    many = [tool.Firing("a.x", f"t{n}", 0.9, float(n % 2)) for n in range(400)]
    assert tool.counts_of(one_template)["a.x"] == pytest.approx((25, 25, 22.5))
    assert tool.counts_of(many)["a.x"] == pytest.approx((100, 200, 180))
    both = tool.together([tool.counts_of(one_template), tool.counts_of(many)])
    assert both["a.x"] == pytest.approx((125, 225, 202.5))
    path = tmp_path / "certainties.json"
    tool.write({"b.y": Count(1, 2, 1.5), "a.x": Count(3, 4, 3.2)}, path)
    assert json.loads(path.read_text())["b.y"] == [1, 2, 1.5]
    assert [p.name for p in tmp_path.iterdir()] == ["certainties.json"]


def test_the_tool_leaves_out_what_a_surer_rule_decided(monkeypatch):
    tool = module(ROOT / "tools" / "calibrate_scrub.py")
    monkeypatch.setattr(tool, "remembered", lambda page, postings, memory: [])

    class Stub:
        def postings(self, page):
            return [
                Span(0, 7, Kind.FULL_NAME, 0.9, "sure", "whole"),
                Span(0, 3, Kind.FIRST_NAME, 0.4, "weak", "first"),
                Span(13, 16, Kind.FIRST_NAME, 0.4, "weak", "first"),
                Span(50, 53, Kind.LAST_NAME, 0.4, "weak", "last"),
            ]

    fired = list(tool.firings([Annotated(LETTER, NAMED, group="g")], Stub()))
    assert [(f.rule, f.right) for f in fired] == [
        ("sure.whole", 1.0), ("weak.first", 0.0), ("weak.last", 1.0),
    ]  # fmt: skip


def test_the_tool_counts_and_checks_corpora(tmp_path, capsys):
    tool = module(ROOT / "tools" / "calibrate_scrub.py")
    text = "Dear Dr. Alcott: please write to nan@mail.example.org about Hodgkin's disease."
    spans = [
        {"start": text.index(value), "end": text.index(value) + len(value), "label": label}
        for value, label in (("Alcott", "NAME"), ("nan@mail.example.org", "EMAIL"))
    ]
    line = json.dumps({"id": "1", "group": "g", "text": text, "spans": spans}) + "\n"
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(line * 3, encoding="utf-8")
    corpora = [str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl")]
    out = tmp_path / "certainties.json"
    assert tool.main([*corpora, "--out", str(out)]) == 0
    counted = json.loads(out.read_text())
    assert counted["emails.address"][:2] == [6, 6]
    assert list(counted) == sorted(counted)
    assert tool.main([*corpora, "--check", "--every", "2", "--out", str(tmp_path / "none")]) == 0
    assert not (tmp_path / "none").exists()
    assert "as taught by the others" in capsys.readouterr().out
