"""A tagger of names, places and organisations by what stands around them."""

from __future__ import annotations

from indistinct.arguments import check_arguments
from indistinct.text.tagger.model import LABELS, Tagger, tagger
from indistinct.text.tagger.posting import tagged

__all__ = ["LABELS", "Tagger", "tagged", "tagger"]

check_arguments(__name__)
