"""The verdict on scrubbed text: de-identified only, and what may still tell people apart.

Scrub replaces references. It cannot see that a sequence of events, or a few plain facts together,
fit one person only; whoever knows these from elsewhere links them (Sweeney 2001, section 6.1: Scrub
is not an anonymous data system). So the verdict never is better than "de-identified".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from indistinct.results import Fact, Result, Table, facts, result
from indistinct.scrub.text.events import facts_told, find_events
from indistinct.scrub.text.rarity import Combination, RareCombinations

__all__ = ["DE_IDENTIFIED", "EventSequence", "Traces", "Verdict", "verdict"]

DE_IDENTIFIED = "de-identified only, not anonymous"
FEWEST_EVENTS = 3
MOST_LISTED = 100


@dataclass(frozen=True)
class EventSequence:
    """A sequence of events in one document (number from 1), counted and not quoted."""

    document: int
    events: int
    by_age: int
    by_time: int
    rare: int


@result(eq=True)
class Verdict(Result):
    """What is to be said of scrubbed documents before anybody receives them.

    Documents are numbered from 1. Of the sequences of events and of the combinations of facts
    the first are listed; `documents_with_sequences` counts all. Values of facts are there only
    when asked for: without them the verdict may be shared.
    """

    documents: int
    documents_with_sequences: int
    sequences: tuple[EventSequence, ...]
    combinations: float
    rare_combinations: float
    examples: tuple[Combination, ...]
    verdict: str = DE_IDENTIFIED

    FACTS = facts(
        "verdict ads0 documents",
        Fact("documents_with_sequences_of_events", "documents_with_sequences"),
        Fact(
            "sequences",
            lambda found: [
                {
                    "document": one.document,
                    "events": one.events,
                    "by_age": one.by_age,
                    "by_time": one.by_time,
                    "rare": one.rare,
                }
                for one in found.sequences
            ],
        ),
        Fact("combinations_of_facts", "combinations"),
        Fact("in_one_document_only", "rare_combinations"),
        Fact(
            "examples",
            lambda found: [
                {"document": one.document, "kinds": list(one.kinds)}
                | ({"values": list(one.values)} if one.values is not None else {})
                for one in found.examples
            ],
        ),
        "warnings",
    )

    @property
    def ads0(self) -> bool:
        """Whether scrubbed documents are an anonymous data system: they never are."""
        return False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What may single people out, in words."""
        found = [
            "Scrub replaces references to people and cannot make text anonymous: whoever knows "
            "some of what a document tells may recognise the person"
        ]
        if self.documents_with_sequences:
            found.append(
                f"{_times(self.documents_with_sequences, 'document tells', 'documents tell')} a "
                "sequence of events that probably fits one person only: withhold, or have people "
                "read before anybody receives it"
            )
        if self.rare_combinations:
            found.append(
                f"about {self.rare_combinations:,.0f} combinations of two or three facts occur in "
                "one document only"
            )
        return tuple(found)

    def _tables(self) -> Sequence[Table]:
        tables = [
            Table.facts(
                "What the documents still tell",
                {
                    "documents": self.documents,
                    "with a sequence of events": self.documents_with_sequences,
                    "combinations of facts": self.combinations,
                    "in one document only": self.rare_combinations,
                },
                formats={"combinations of facts": ",.0f", "in one document only": ",.0f"},
            )
        ]
        if self.sequences:
            tables.append(
                Table(
                    "Sequences of events",
                    ("document", "events", "by age", "by time", "rare"),
                    [(s.document, s.events, s.by_age, s.by_time, s.rare) for s in self.sequences],
                )
            )
        if self.examples:
            tables.append(
                Table(
                    "Facts that are together in one document only",
                    ("document", "facts", "values"),
                    [(e.document, e.kinds, e.values or "not shown") for e in self.examples],
                )
            )
        return tables

    def _lines(self) -> Sequence[str]:
        first = f"Verdict on {_times(self.documents, 'document', 'documents')}: {self.verdict}"
        tables = (line for table in self._tables() for line in table.to_lines())
        return [first, *(f"  warning: {text}" for text in self.warnings), *tables]


def _times(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


@dataclass
class Traces:
    """What documents still tell, gathered as they come; parts gathered elsewhere can be merged.

    Parameters
    ----------
    show_values
        Whether the values of rare facts are kept and shown, for the eyes of the data's owner.
    """

    show_values: bool = False
    documents: int = 0
    documents_with_sequences: int = 0
    sequences: list[EventSequence] = field(default_factory=list)
    rare: RareCombinations = field(init=False)

    def __post_init__(self) -> None:
        self.rare = RareCombinations(keep_values=self.show_values)

    def add(self, text: str, *, document: int | None = None) -> None:
        """Read one scrubbed document; `document` is its number, by default the next."""
        self.documents += 1
        number = self.documents if document is None else document
        told = find_events(text)
        if len(told) >= FEWEST_EVENTS:
            self.documents_with_sequences += 1
            anchors = [event.anchor for event in told]
            rare = sum(event.rare for event in told)
            self._list(
                EventSequence(number, len(told), anchors.count("age"), anchors.count("time"), rare)
            )
        self.rare.add(facts_told(text), document=number)

    def _list(self, *found: EventSequence) -> None:
        self.sequences = sorted((*self.sequences, *found), key=lambda s: s.document)[:MOST_LISTED]

    def merge(self, other: Traces) -> None:
        """Add what was gathered from other documents."""
        self.documents += other.documents
        self.documents_with_sequences += other.documents_with_sequences
        self._list(*other.sequences)
        self.rare.merge(other.rare)

    def finish(self) -> Verdict:
        """Return the verdict on all documents that were added."""
        return Verdict(
            self.documents,
            self.documents_with_sequences,
            tuple(self.sequences),
            self.rare.distinct,
            self.rare.in_one_document,
            tuple(islice(self.rare.examples(), MOST_LISTED)),
        )


def verdict(documents: Iterable[str], *, show_values: bool = False) -> Verdict:
    """Say what scrubbed documents are, and what in them may single people out.

    >>> print(verdict(["At the age of two she was stabbed. At the age of three she was adopted. "
    ...                "At the age of four she moved."]))
    Verdict on 1 document: de-identified only, not anonymous
      warning: ...
    """
    traces = Traces(show_values)
    for text in documents:
        traces.add(text)
    return traces.finish()
