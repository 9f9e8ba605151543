"""The blackboard: detectors post what they see, and one rule says who is right.

Detectors compete for the same characters, each with its certainty. A posting's certainty is
first set by what was measured of its rule on annotated text; detectors of one label that agree
strengthen each other; then the postings that reach the threshold are laid out so that the best
holds each character, and nothing that was found above the threshold is left uncovered.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from indistinct.knowledge import TITLES
from indistinct.scrub.text.certainties import calibrated
from indistinct.scrub.text.spans import NAME, Span

# Detectors use the same words of the same page, so that agreement counts for half.
_AGREEMENT = 0.5
TAGGER = "tagger"


def weigh(postings: Iterable[Span]) -> list[Span]:
    """Set certainties to what was measured, and strengthen what two detectors agree on.

    If detectors with certainties c and d agree on the label of the same characters, the better
    becomes 1 − (1 − c)(1 − d/2), with c ≥ d.
    """
    known = [calibrated(span) for span in postings]
    known.sort(key=lambda span: (span.start, -span.end))
    stronger: list[Span] = []
    around: list[Span] = []  # postings that began before and have not ended
    for _, group in groupby(known, key=lambda span: (span.start, span.end)):
        same = list(group)
        around = [span for span in around if span.end > same[0].start]
        holding = [span for span in around if span.end >= same[0].end]
        stronger += [_supported(span, [*holding, *same]) for span in same]
        around += same
    return stronger


def _supported(span: Span, others: Sequence[Span]) -> Span:
    """The span with what other detectors of its label add to its certainty."""
    seconds: dict[str, float] = {}
    for other in others:
        if other.label == span.label and other.detector != span.detector:
            certainty = min(other.certainty, span.certainty)
            seconds[other.detector] = max(certainty, seconds.get(other.detector, 0.0))
    if not seconds:
        return span
    doubt = 1 - span.certainty
    for certainty in seconds.values():
        doubt *= 1 - _AGREEMENT * certainty
    return Span(span.start, span.end, span.kind, 1 - doubt, span.detector, span.rule)


def resolve(postings: Iterable[Span], text: str, threshold: float) -> list[Span]:
    """Who holds which characters: the certain before the less certain, the long before the short.

    What remains of a loser outside the winner's characters stays, cut to its rest, when it
    still has a letter or digit.

    >>> from indistinct.scrub.text.spans import Kind, Span
    >>> block = Span(0, 19, Kind.ADDRESS, 0.9, "addresses")
    >>> city = Span(13, 19, Kind.CITY, 0.8, "places")
    >>> resolve([city, block], "12 Elm Road, Boston", 0.7) == [block]
    True
    """
    kept = [span for span in postings if span.certainty >= threshold]
    kept.sort(key=lambda span: (-_standing(span), span.start, span.detector, span.rule))
    starts: list[int] = []  # of the stretches that are held, in order, none overlapping
    ends: list[int] = []
    result: list[Span] = []
    for span in kept:
        for start, end in _free(span.start, min(span.end, len(text)), starts, ends):
            place = bisect_left(starts, start)
            starts.insert(place, start)
            ends.insert(place, end)
            while start < end and text[start].isspace():
                start += 1
            while start < end and text[end - 1].isspace():
                end -= 1
            if (start, end) == (span.start, span.end):
                result.append(span)
            elif _says_something(text[start:end], span):
                result.append(replace(span, start=start, end=end))
    result.sort(key=lambda span: span.start)
    return result


def _says_something(rest: str, span: Span) -> bool:
    """Whether what is left of a loser is worth holding.

    Rules mean each of their characters. The tagger's rests are often the small change beside a
    name (the M of M.D.), unless they hold a word or number, or are the title before the name.
    """
    if span.detector != TAGGER:
        return any(map(str.isalnum, rest))
    words = re.findall(r"[^\W_]+", rest)
    return any(len(word) > 2 or word.isdigit() or word.lower() in TITLES for word in words)


def _free(start: int, end: int, starts: list[int], ends: list[int]) -> list[tuple[int, int]]:
    """The parts of a stretch that nobody holds yet."""
    place = bisect_right(ends, start)  # the first held stretch that ends after the start
    free = []
    while start < end:
        if place == len(starts) or starts[place] >= end:
            free.append((start, end))
            break
        if starts[place] > start:
            free.append((start, starts[place]))
        start = ends[place]
        place += 1
    return free


def _standing(span: Span) -> float:
    """Certainty, with a little for length, so that the whole beats its own parts.

    The tagger comes after every rule: rules know better what a reference is and where it ends.
    """
    standing = span.certainty + min(span.end - span.start, 60) * 0.004
    return standing - 2 if span.detector == TAGGER else standing


def joined(spans: Sequence[Span], text: str) -> list[Span]:
    """Spans in order, a title that was found alone as part of the name that follows it.

    >>> from indistinct.scrub.text.spans import Kind, Span
    >>> title = Span(0, 3, Kind.FULL_NAME, 0.8, "tagger")
    >>> name = Span(4, 8, Kind.LAST_NAME, 0.95, "titled")
    >>> [(span.start, span.end) for span in joined([title, name], "Dr. Lang")]
    [(0, 8)]
    """
    result: list[Span] = []
    for span in spans:
        before = result[-1] if result else None
        if (
            before is not None
            and before.label == span.label == NAME
            and text[before.start : before.end].rstrip(".").lower() in TITLES
            and not text[before.end : span.start].strip(". ")
        ):
            span = replace(span, start=result.pop().start)
        result.append(span)
    return result
