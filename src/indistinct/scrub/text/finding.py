"""Find the references to people in a document.

All detectors post what they see; the tagger reads the page and the postings; the memory looks
for the people found elsewhere on the page; second thoughts; then the board decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indistinct.scrub.text.board import joined, resolve, weigh
from indistinct.scrub.text.certainties import calibrated
from indistinct.scrub.text.detectors import all_detectors
from indistinct.scrub.text.memory import Memory, remembered
from indistinct.scrub.text.page import Page, read
from indistinct.scrub.text.reducing import reduced
from indistinct.scrub.text.spans import Span
from indistinct.scrub.text.tagger import tagged

THRESHOLD = 0.7


@dataclass(frozen=True)
class Finder:
    """How references are found: from which certainty, with or without second thoughts.

    `reduce` is the paper's false-positive reduction (Figure 24: threshold 0.8 without,
    0.7 with). `detectors` narrows the competition to some, by name, without the tagger.
    """

    threshold: float = THRESHOLD
    reduce: bool = True
    detectors: Sequence[str] | None = None

    def find(self, text: str, *, memory: Memory | None = None) -> list[Span]:
        """References in a text, in order, none overlapping, at positions of the text itself.

        `memory` knows people from elsewhere (a table of identities, other letters of the same
        patient) and learns those of this document.
        """
        page = read(text)
        found = self.on_page(page, memory if memory is not None else Memory())
        return [_at_source(span, page) for span in found]

    def on_page(self, page: Page, memory: Memory) -> list[Span]:
        """References on a page, at positions of its folded text."""
        postings = weigh(self.postings(page))
        if self.detectors is None:
            postings += map(calibrated, tagged(page, postings))
        postings += map(calibrated, remembered(page, postings, memory))
        if self.reduce:
            postings = reduced(page, postings)
        return joined(resolve(postings, page.text, self.threshold), page.text)

    def postings(self, page: Page) -> list[Span]:
        """Everything that the detectors say of a page."""
        chosen = all_detectors()
        names = chosen if self.detectors is None else self.detectors
        return [span for name in names for span in chosen[name](page)]


def _at_source(span: Span, page: Page) -> Span:
    start, end = page.folded.original(span.start, span.end)
    return replace(span, start=start, end=end)
