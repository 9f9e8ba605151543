"""The tagger's say on the board: stretches of tokens that are likely part of a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span
from indistinct.scrub.text.tagger.model import LABELS, tagger

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
