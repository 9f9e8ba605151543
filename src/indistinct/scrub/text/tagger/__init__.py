"""A tagger of names, places and organisations by what stands around them."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.scrub.text.tagger.model import LABELS, Tagger, tagged, tagger

open_doorway(__name__)
