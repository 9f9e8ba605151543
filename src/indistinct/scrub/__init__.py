"""Scrub from beginning to end: letters read, the people in them replaced, written, and told."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.scrub.asked import Asked
    from indistinct.scrub.columns import TableLetters
    from indistinct.scrub.correcting import Correction, read_corrections
    from indistinct.scrub.documents import Document, Found, Outcome, Treated
    from indistinct.scrub.evaluating import compare_with_gold
    from indistinct.scrub.reading import Letters
    from indistinct.scrub.result import ScrubResult
    from indistinct.scrub.scrubbing import scrub
    from indistinct.scrub.step import ScrubText, scrub_as_declared, scrubbed_columns
    from indistinct.scrub.streaming import Treater, Treatment, treat_all
    from indistinct.scrub.tallying import Withheld
    from indistinct.scrub.treating import Scrubbing

open_doorway(__name__)
