"""Scrub: letters and notes without the people in them."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.scrub.text.annotated import Annotated, Reference, read_annotated
    from indistinct.scrub.text.baselines import FourRows, Known, four_rows, search, search_with_cues
    from indistinct.scrub.text.detective import identifiers
    from indistinct.scrub.text.evaluating import ScrubEvaluation, evaluate
    from indistinct.scrub.text.finding import Finder
    from indistinct.scrub.text.identities import Identities
    from indistinct.scrub.text.judging import Verdict, verdict
    from indistinct.scrub.text.memory import Memory
    from indistinct.scrub.text.page import Page
    from indistinct.scrub.text.people import Mention, Person
    from indistinct.scrub.text.reliable import Reliability, reliability
    from indistinct.scrub.text.replace import Secret
    from indistinct.scrub.text.scrubber import Change, Scrubbed, Scrubber
    from indistinct.scrub.text.spans import Kind, Span

open_doorway(__name__)
