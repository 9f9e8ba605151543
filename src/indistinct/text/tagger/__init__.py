"""A tagger of names, places and organisations by what stands around them."""

from __future__ import annotations

from indistinct.text.tagger.model import LABELS, Tagger, tagger
from indistinct.text.tagger.posting import tagged

__all__ = ["LABELS", "Tagger", "tagged", "tagger"]
