"""All that is known, in one hand."""

from __future__ import annotations

from functools import lru_cache

from indistinct.knowledge.lexicon import Lexicon
from indistinct.knowledge.medicine import Medicine
from indistinct.knowledge.sounds import Sounds

__all__ = ["Knowledge", "knowledge"]


class Knowledge(Lexicon, Medicine, Sounds):
    """All that is known, in one hand."""


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    """The knowledge of this process, read once."""
    return Knowledge()
