"""A tagger of names, places and organisations by what stands around them."""

from __future__ import annotations

from indistinct.text.tagger.model import LABELS, Tagger, tagger
from indistinct.text.tagger.posting import Opinion, consider

__all__ = ["LABELS", "Opinion", "Tagger", "consider", "tagger"]
