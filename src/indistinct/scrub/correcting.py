"""What a person says of references that were found: what they are, and what refers to nobody.

What is decided here: a correction is of words, wherever they stand as words of their own in the
letters that it is for. So what was said once of a letter holds for the patient's other letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indistinct.core import InputError, did_you_mean
from indistinct.core.doors import read_text
from indistinct.scrub.documents import Document
from indistinct.scrub.text.spans import Kind, Span

__all__ = ["Correction", "corrected", "corrections_for", "read_corrections"]

BY_HAND = "you"
"""The detector of references that a person said."""
LARGEST = 50_000_000


@dataclass(frozen=True)
class Correction:
    """What a person says of some words.

    Parameters
    ----------
    words
        The words as they stand in the letter.
    kind
        What they are, as `Kind` calls it; None where they refer to nobody and stay.
    of
        The patient, or else the id of the letter, for which this holds; None for all letters.

    >>> Correction("Rose", "first name", "17").holds_for(Document(1, "a.txt", "17", "…"))
    True
    """

    words: str
    kind: str | None
    of: str | None = None

    def __post_init__(self) -> None:
        """Refuse no words, and a kind that there is not."""
        if not self.words.strip():
            raise InputError("A correction must name the words that it is of.")
        if self.kind is not None and self.kind not in set(Kind):
            raise InputError(
                f"A correction must have a kind of reference. Got {self.kind[:40]!r}. "
                f"{did_you_mean(self.kind, list(Kind))}"
            )

    def holds_for(self, document: Document) -> bool:
        """Say whether it is for a document."""
        whose = document.id if document.patient is None else document.patient
        return self.of is None or self.of == str(whose)

    def to_dict(self) -> dict[str, Any]:
        """Return it as it stands in a file."""
        return {"words": self.words, "kind": self.kind, "of": self.of}


def read_corrections(path: Path) -> tuple[Correction, ...]:
    """Read a file of corrections: a JSON object with a list of them."""
    told = f"{path} is no file of corrections: it must be JSON with a list 'corrections'."
    try:
        content = json.loads(read_text(path, "file of corrections", limit=LARGEST))
        return tuple(
            Correction(str(one["words"]), one["kind"], one.get("of"))
            for one in content["corrections"]
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(told) from None


def corrections_for(
    document: Document, corrections: Iterable[Correction]
) -> tuple[Correction, ...]:
    """Return those that are for a document; the last that is said of some words holds."""
    found = {one.words: one for one in corrections if one.holds_for(document)}
    return tuple(found.values())


def corrected(text: str, spans: Sequence[Span], corrections: Iterable[Correction]) -> list[Span]:
    """Return references of a text as a person says they are; longer words come first.

    >>> rose = Span(0, 4, Kind.FIRST_NAME, 0.8, "names")
    >>> corrected("Rose bloomed in May.", [rose], [Correction("Rose", None)])
    []
    >>> [one.kind for one in corrected("Seen by QX.", [], [Correction("QX", "initials")])]
    [<Kind.INITIALS: 'initials'>]
    """
    held: list[Span] = []
    settled: list[tuple[int, int]] = []
    for one in sorted(corrections, key=lambda one: -len(one.words)):
        for match in re.finditer(rf"(?<!\w){re.escape(one.words)}(?!\w)", text):
            start, end = match.span()
            if any(start < other_end and other < end for other, other_end in settled):
                continue
            settled.append((start, end))
            if one.kind is not None:
                held.append(Span(start, end, Kind(one.kind), 1.0, BY_HAND, "corrected"))
    rest = []
    for span in spans:
        within = [(s, e) for s, e in settled if s < span.end and span.start < e]
        rest += _outside(text, span, within)
    return sorted([*held, *rest], key=lambda span: (span.start, -span.end))


def _outside(text: str, span: Span, settled: Sequence[tuple[int, int]]) -> list[Span]:
    """Return what remains of a reference beside the words that somebody spoke of."""
    parts, start = [], span.start
    for s, e in [*sorted(settled), (span.end, span.end)]:
        if start < s and any(map(str.isalnum, text[start:s])):
            gap = text[start:s]
            first = start + len(gap) - len(gap.lstrip())
            last = s - (len(gap) - len(gap.rstrip()))
            parts.append(Span(first, last, span.kind, span.certainty, span.detector, span.rule))
        start = max(start, e)
    return parts if settled else [span]
