"""The tagger: exact marginals, the same whatever was read before, and no rare word in it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from indistinct.knowledge import knowledge
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import Kind, Span
from indistinct.scrub.text.tagger import LABELS, Tagger, tagged, tagger
from indistinct.scrub.text.tagger.context import context_of, feature_names, forms_of
from indistinct.scrub.text.tagger.features import COMMON_ZIPF, OFFSETS, word_features

Weights = dict[str, np.ndarray]


def made_up_tagger(seed: int, texts: list[str]) -> tuple[Tagger, Weights, np.ndarray]:
    """A tagger with random weights for the features of some texts."""
    rng = np.random.default_rng(seed)
    known = knowledge()
    names = {
        f"{offset}:{feature}"
        for text in texts
        for token in read(text).tokens
        for feature in word_features(token, known)
        for offset in OFFSETS
    }
    for text in texts:
        page = read(text)
        for row in feature_names(context_of(page, [], forms_of(page.tokens))):
            names |= set(row)
    weights = {name: rng.normal(0, 0.6, len(LABELS)).astype(np.float32) for name in sorted(names)}
    transitions = rng.normal(0, 1, (len(LABELS),) * 2).astype(np.float32)
    return Tagger(weights, transitions), weights, transitions


def by_enumeration(text: str, weights: Weights, transitions: np.ndarray) -> np.ndarray:
    """Marginals from all labellings of a short text, each scored feature by feature."""
    page = read(text)
    known = page.knowledge
    count, labels = len(page.tokens), len(LABELS)
    scores = np.zeros((count, labels))
    for t, offset in itertools.product(range(count), OFFSETS):
        if 0 <= t + offset < count:
            for feature in word_features(page.tokens[t + offset], known):
                scores[t] += weights[f"{offset}:{feature}"]
    for t, names in enumerate(feature_names(context_of(page, [], forms_of(page.tokens)))):
        for name in names:
            scores[t] += weights[name]
    total = np.zeros((count, labels))
    for path in itertools.product(range(labels), repeat=count):
        score = sum(scores[t, y] for t, y in enumerate(path))
        score += sum(transitions[a, b] for a, b in itertools.pairwise(path))
        for t, y in enumerate(path):
            total[t, y] += np.exp(score)
    return total / total.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("text", ["Ann", "Mary Jones called", "In Boston , Dr", "I saw Lee ."])
@pytest.mark.parametrize("seed", [1, 2])
def test_marginals_are_those_of_all_labellings(text: str, seed: int) -> None:
    model, weights, transitions = made_up_tagger(seed, [text])
    expected = by_enumeration(text, weights, transitions)
    np.testing.assert_allclose(model.marginals(read(text)), expected, rtol=1e-3, atol=1e-5)


def test_marginals_do_not_depend_on_what_was_read_before() -> None:
    text = "Dear Mrs. Hodgkins, we saw Virginia at Marina Corp in Boston."
    fresh = tagger.__wrapped__().marginals(read(text))
    used = tagger()
    for other in ("Nothing here.", text.upper(), "1 2 3", text[::-1]):
        used.marginals(read(other))
    np.testing.assert_array_equal(used.marginals(read(text)), fresh)


def test_a_page_without_words_has_nothing_to_tag() -> None:
    assert tagger().marginals(read("")).shape == (0, len(LABELS))
    assert tagged(read(" \n \n"), []) == []


def test_no_rare_word_is_in_the_weights() -> None:
    known = knowledge()
    words = {
        name.partition("w=")[2].partition("|")[0]
        for name in tagger()._of_word
        if name.startswith("w=")
    }
    assert len(words) > 100
    assert [word for word in words if known.word(word).zipf < COMMON_ZIPF] == []


def test_what_detectors_posted_counts() -> None:
    page = read("the note by kowalk was read")
    posted = [Span(12, 18, Kind.LAST_NAME, 0.95, "titled", "title")]
    alone = 1 - tagger().marginals(page)[3, 0]
    with_posting = 1 - tagger().marginals(page, posted)[3, 0]
    assert with_posting > alone
