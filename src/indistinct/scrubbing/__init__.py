"""Scrub from beginning to end: letters read, the people in them replaced, written, and told."""

from indistinct.arguments import check_arguments
from indistinct.scrubbing.asked import Asked
from indistinct.scrubbing.columns import TableLetters
from indistinct.scrubbing.documents import Document, Found, Outcome, Treated
from indistinct.scrubbing.evaluating import compare_with_gold
from indistinct.scrubbing.front import scrub
from indistinct.scrubbing.reading import Letters
from indistinct.scrubbing.result import ScrubResult
from indistinct.scrubbing.step import ScrubText, scrub_as_declared, scrubbed_columns
from indistinct.scrubbing.streaming import Treater, Treatment, treat_all
from indistinct.scrubbing.tallying import Withheld
from indistinct.scrubbing.treating import Scrubbing

__all__ = [
    "Asked",
    "Document",
    "Found",
    "Letters",
    "Outcome",
    "ScrubResult",
    "ScrubText",
    "Scrubbing",
    "TableLetters",
    "Treated",
    "Treater",
    "Treatment",
    "Withheld",
    "compare_with_gold",
    "scrub",
    "scrub_as_declared",
    "scrubbed_columns",
    "treat_all",
]

check_arguments(__name__)
