"""The tagger's say on the board: stretches of tokens that are likely part of a reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from indistinct.text.page import Page
from indistinct.text.spans import Kind, Span
from indistinct.text.tagger.model import LABELS, tagger

# A leak is weighed this many times as heavy as a word removed without need: a token that is a
# reference with probability p is posted with certainty wp / (wp + 1 - p).
LEAK_WEIGHT = 4.0
_LEAST = 0.3  # certainty from which a token is posted

_SURE = 0.85  # a rule this certain is not doubted
_UNSEEN = 0.15
_DOUBT = 0.25

_KINDS = {"NAME": Kind.FULL_NAME, "LOCATION": Kind.PLACE, "ORG": Kind.ORGANISATION}
_SMALL_WORDS = frozenset(
    "a an and as at but by for from he her his i in is it of on or she the their they to "
    "was we were who with you your".split()
)
_NAMES = tuple(_KINDS)
_BEGIN = [LABELS.index(f"B-{name}") for name in _NAMES]
_INSIDE = [LABELS.index(f"I-{name}") for name in _NAMES]


@dataclass(frozen=True)
class Opinion:
    """What the tagger makes of a page, having read what the detectors posted."""

    page: Page
    certainty: NDArray[np.float32]  # of each token, that it is part of a name, place or body
    spans: tuple[Span, ...]

    def doubt(self, postings: Iterable[Span]) -> list[Span]:
        """Postings of rules that were not sure, less certain where the tagger sees nothing.

        This is part of the false-positive reduction: a posting with a certainty below 0.85 of
        whose words the tagger believes none is halved in its odds, and again.
        """
        result = []
        for span in postings:
            if span.certainty < _SURE and span.label in _KINDS and self._unseen(span):
                odds = _DOUBT * span.certainty / (1 - span.certainty)
                span = replace(span, certainty=odds / (1 + odds))
            result.append(span)
        return result

    def _unseen(self, span: Span) -> bool:
        first = max(self.page.token_at(span.start), 0)
        last = self.page.token_at(span.end - 1)
        return float(self.certainty[first : last + 1].max(initial=0.0)) < _UNSEEN


def consider(page: Page, postings: Sequence[Span]) -> Opinion:
    """Read a page with the tagger: names, places and organisations, and how certain each is."""
    chances = tagger().marginals(page, postings)
    chance = 1 - chances[:, 0]
    certainty = LEAK_WEIGHT * chance / (LEAK_WEIGHT * chance + 1 - chance)
    return Opinion(page, certainty, tuple(_stretches(page, chances, certainty)))


def _stretches(
    page: Page, chances: NDArray[np.float32], certainty: NDArray[np.float32]
) -> Iterator[Span]:
    """Tokens in a row that are likely of one label and one reference."""
    likely = np.flatnonzero(certainty >= _LEAST).tolist()
    labels = chances[:, _BEGIN] + chances[:, _INSIDE]
    begins = chances[:, _BEGIN].sum(axis=1) > 0.5 * (1 - chances[:, 0])
    run: list[int] = []
    kind = -1
    for place in likely:
        if page.tokens[place] == "\n":
            continue
        label = int(labels[place].argmax())
        if run and place == run[-1] + 1 and label == kind and not begins[place]:
            run.append(place)
            continue
        yield from _posted(page, run, certainty, kind)
        run, kind = [place], label
    yield from _posted(page, run, certainty, kind)


def _posted(
    page: Page, run: Sequence[int], certainty: NDArray[np.float32], kind: int
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
    label = _NAMES[kind]
    sure = [place for place in words if certainty[place] >= 0.7]
    if sure and (sure[0], sure[-1]) != (words[0], words[-1]):
        yield _span(page, sure[0], sure[-1], float(certainty[sure].mean()), label)
    yield _span(page, words[0], words[-1], float(certainty[words].mean()), label)


def _span(page: Page, first: int, last: int, certainty: float, label: str) -> Span:
    rule = label.lower()
    return Span(page.starts[first], page.ends[last], _KINDS[label], certainty, "tagger", rule)
