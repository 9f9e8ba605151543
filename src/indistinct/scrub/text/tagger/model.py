"""The tagger: a linear-chain conditional random field, its weights ready-made per word.

For a page of tokens x₁…x_T with labels y₁…y_T the model is

    P(y | x) ∝ exp Σ_t (Σ_o w[o, f(x_{t+o}), y_t] + pairs + page + a[y_{t−1}, y_t])

(Lafferty, McCallum & Pereira 2001). Weights of a word at each offset are added up once and
kept; a page then costs a few additions per token, and the marginals one forward and one
backward pass.

The tagger's say on the board: stretches of tokens that are likely part of a reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numba
import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from indistinct.knowledge import Knowledge
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span
from indistinct.scrub.text.tagger.context import ContextWeights, context_of, form_of
from indistinct.scrub.text.tagger.features import CLASSES, OFFSETS, word_class, word_features

LABELS = ("O", "B-NAME", "I-NAME", "B-LOCATION", "I-LOCATION", "B-ORG", "I-ORG")
_KEPT_WORDS = 200_000  # words whose weights are kept; then the store is begun anew

Floats = NDArray[np.float32]


class Tagger:
    """Marginal probabilities of labels for every token of a page."""

    def __init__(self, weights: dict[str, Floats], transitions: Floats) -> None:
        """`weights`: by feature, a vector over labels; `transitions`: from label to label."""
        self._transitions = transitions.astype(np.float64)
        labels, classes = len(LABELS), len(CLASSES)
        self._before = np.zeros((classes, classes, labels), np.float32)
        self._after = np.zeros((classes, classes, labels), np.float32)
        self._around = np.zeros((classes, classes, classes, labels), np.float32)
        self._of_word: dict[str, Floats] = {}
        for name, vector in weights.items():
            kind, _, rest = name.partition("=")
            if kind == "c-1":
                self._before[tuple(map(int, rest.split(",")))] = vector
            elif kind == "c+1":
                self._after[tuple(map(int, rest.split(",")))] = vector
            elif kind == "c3":
                self._around[tuple(map(int, rest.split(",")))] = vector
            elif kind[:1] in "-0123456789":
                offset, _, feature = name.partition(":")
                if feature not in self._of_word:
                    self._of_word[feature] = np.zeros((len(OFFSETS), labels), np.float32)
                self._of_word[feature][OFFSETS.index(int(offset))] = vector
        self._contexts = ContextWeights(weights, labels)
        self._rows: dict[str, int] = {}
        self._store = np.zeros((1024, len(OFFSETS), labels), np.float32)
        self._classes = np.zeros(1024, np.intp)
        self._forms = np.zeros(1024, np.intp)

    def marginals(self, page: Page, postings: Sequence[Span] = ()) -> Floats:
        """Array of tokens by labels, each row adding up to one.

        `postings` are what the detectors said of the page.
        """
        count = len(page.tokens)
        if not count:
            return np.zeros((0, len(LABELS)), np.float32)
        scores = self._scores(page, postings, count)
        found: Floats = _marginals(scores, self._transitions)
        return found

    def _scores(self, page: Page, postings: Sequence[Span], count: int) -> NDArray[np.float64]:
        rows = self._rows_of(page)
        scores = np.zeros((count, len(LABELS)), np.float64)
        for column, offset in enumerate(OFFSETS):
            part = self._store[rows, column]
            if offset < 0:
                scores[-offset:] += part[:offset]
            elif offset > 0:
                scores[:-offset] += part[offset:]
            else:
                scores += part
        classes = self._classes[rows]
        left = np.concatenate(([0], classes[:-1]))
        right = np.concatenate((classes[1:], [0]))
        scores += self._before[left, classes]
        scores += self._after[classes, right]
        scores += self._around[left, classes, right]
        scores += self._contexts.scores(context_of(page, postings, self._forms[rows]))
        return scores

    def _rows_of(self, page: Page) -> NDArray[np.intp]:
        if len(self._rows) > _KEPT_WORDS:
            self._rows.clear()
        rows, known = self._rows, page.knowledge
        found = []
        for token in page.tokens:
            row = rows.get(token)
            found.append(self._add(token, known) if row is None else row)
        return np.array(found, np.intp)

    def _add(self, token: str, known: Knowledge) -> int:
        row = len(self._rows)
        if row == len(self._store):
            self._store = np.concatenate((self._store, np.zeros_like(self._store)))
            self._classes = np.concatenate((self._classes, np.zeros_like(self._classes)))
            self._forms = np.concatenate((self._forms, np.zeros_like(self._forms)))
        total = np.zeros((len(OFFSETS), len(LABELS)), np.float32)
        for feature in word_features(token, known):
            weights = self._of_word.get(feature)
            if weights is not None:
                total += weights
        self._store[row] = total
        self._classes[row] = word_class(token, known)
        self._forms[row] = form_of(token)
        self._rows[token] = row
        return row


@numba.njit(cache=True)
def _marginals(scores, transitions):  # type: ignore[no-untyped-def]
    """Forward and backward sums, each step normalised."""
    count, labels = scores.shape
    moves = np.exp(transitions)
    emit = np.empty((count, labels))
    for t in range(count):
        emit[t] = np.exp(scores[t] - scores[t].max())
    ahead = np.empty((count, labels))
    back = np.empty((count, labels))
    ahead[0] = emit[0] / emit[0].sum()
    for t in range(1, count):
        for y in range(labels):
            total = 0.0
            for z in range(labels):
                total += ahead[t - 1, z] * moves[z, y]
            ahead[t, y] = total * emit[t, y]
        ahead[t] /= ahead[t].sum()
    back[count - 1] = 1.0
    for t in range(count - 2, -1, -1):
        for z in range(labels):
            total = 0.0
            for y in range(labels):
                total += moves[z, y] * emit[t + 1, y] * back[t + 1, y]
            back[t, z] = total
        back[t] /= back[t].sum()
    found = np.empty((count, labels), np.float32)
    for t in range(count):
        row = ahead[t] * back[t]
        found[t] = (row / row.sum()).astype(np.float32)
    return found


@lru_cache(maxsize=1)
def tagger() -> Tagger:
    """The tagger of this process, with the weights of the package."""
    with resources.as_file(resources.files(__package__) / "weights.parquet") as path:
        return load(path)


def load(path: Path) -> Tagger:
    """A tagger with the weights of a file that `tools/train_tagger.py` wrote."""
    table = pq.read_table(path)
    names = table.column("feature").to_pylist()
    vectors = np.column_stack([table.column(label).to_numpy() for label in LABELS])
    weights = dict(zip(names, vectors.astype(np.float32), strict=True))
    transitions = np.stack([weights.pop(f"from={label}") for label in LABELS])
    return Tagger(weights, transitions)


# The tagger's say on the board -------------------------------------------------------------------


# A leak is weighed this many times as heavy as a word removed without need: a token that is a
# reference with probability p is posted with certainty wp / (wp + 1 - p).
LEAK_WEIGHT = 4.0
_LEAST = 0.3  # certainty from which a token is posted

_KINDS = {"NAME": Kind.FULL_NAME, "LOCATION": Kind.PLACE, "ORG": Kind.ORGANISATION}
_SMALL_WORDS = frozenset(
    "a an and as at but by for from he her his i in is it of on or she the their they to "
    "was we were who with you your".split()
)
_NAMES = tuple(_KINDS)
_BEGIN = [LABELS.index(f"B-{name}") for name in _NAMES]
_INSIDE = [LABELS.index(f"I-{name}") for name in _NAMES]


def tagged(page: Page, postings: Sequence[Span]) -> list[Span]:
    """Read a page with the tagger: names, places and organisations, and how certain each is."""
    chances = tagger().marginals(page, postings)
    chance = 1 - chances[:, 0]
    certainty = (LEAK_WEIGHT * chance / (LEAK_WEIGHT * chance + 1 - chance)).tolist()
    kinds = (chances[:, _BEGIN] + chances[:, _INSIDE]).argmax(axis=1).tolist()
    begins = (chances[:, _BEGIN].sum(axis=1) > 0.5 * chance).tolist()
    spans: list[Span] = []
    run: list[int] = []  # tokens in a row that are likely of one label and one reference
    for place, sure in enumerate(certainty):
        if sure < _LEAST or page.tokens[place] == "\n":
            continue
        goes_on = run and place == run[-1] + 1 and kinds[place] == kinds[run[-1]]
        if not goes_on or begins[place]:
            spans += _posted(page, run, certainty, kinds)
            run = []
        run.append(place)
    spans += _posted(page, run, certainty, kinds)
    return spans


def _posted(
    page: Page, run: Sequence[int], certainty: Sequence[float], kinds: Sequence[int]
) -> Iterator[Span]:
    """The stretch without marks at its ends, and its sure part where only a part is sure."""
    words = [place for place in run if page.tokens[place][0].isalnum()]
    # A reference neither begins nor ends with a small word such as "in" or "of".
    while words and page.tokens[words[0]] in _SMALL_WORDS:
        del words[0]
    while words and page.tokens[words[-1]] in _SMALL_WORDS:
        del words[-1]
    if not words:
        return
    label = _NAMES[kinds[words[0]]]
    sure = [place for place in words if certainty[place] >= 0.7]
    for part in (sure, words) if 0 < len(sure) < len(words) else (words,):
        mean = sum(certainty[place] for place in part) / len(part)
        yield _span(page, part[0], part[-1], mean, label)


def _span(page: Page, first: int, last: int, certainty: float, label: str) -> Span:
    rule = label.lower()
    return Span(page.starts[first], page.ends[last], _KINDS[label], certainty, "tagger", rule)
