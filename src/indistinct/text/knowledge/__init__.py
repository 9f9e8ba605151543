"""What Scrub knows: names, words, places, medicine, and what a word sounds like."""

from __future__ import annotations

from functools import lru_cache

from indistinct.arguments import check_arguments
from indistinct.text.knowledge.lexicon import Lexicon, Place, Word, plain
from indistinct.text.knowledge.medicine import Medicine
from indistinct.text.knowledge.sounds import Sounds


class Knowledge(Lexicon, Medicine, Sounds):
    """All that is known, in one hand."""


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    """The knowledge of this process, read once."""
    return Knowledge()


__all__ = ["Knowledge", "Lexicon", "Medicine", "Place", "Sounds", "Word", "knowledge", "plain"]

check_arguments(__name__)
