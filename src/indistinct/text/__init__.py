"""Scrub: letters and notes without the people in them."""

from indistinct.arguments import check_arguments
from indistinct.text.annotated import Annotated, Reference, read_annotated
from indistinct.text.baselines import FourRows, Known, four_rows, search, search_with_cues
from indistinct.text.detective import identifiers
from indistinct.text.evaluate import ScrubEvaluation, evaluate
from indistinct.text.finding import Finder
from indistinct.text.identities import Identities
from indistinct.text.memory import Memory, Patients
from indistinct.text.people import Mention, Person
from indistinct.text.reliability import Reliability, reliability
from indistinct.text.replace import Secret
from indistinct.text.scrubber import Change, Scrubbed, Scrubber
from indistinct.text.spans import Kind, Span
from indistinct.text.verdict import Verdict, verdict

__all__ = [
    "Annotated",
    "Change",
    "Finder",
    "FourRows",
    "Identities",
    "Kind",
    "Known",
    "Memory",
    "Mention",
    "Patients",
    "Person",
    "Reference",
    "Reliability",
    "ScrubEvaluation",
    "Scrubbed",
    "Scrubber",
    "Secret",
    "Span",
    "Verdict",
    "evaluate",
    "four_rows",
    "identifiers",
    "read_annotated",
    "reliability",
    "search",
    "search_with_cues",
    "verdict",
]

check_arguments(__name__)
