"""Counts over documents as they come, of one size however many there are.

What goes with the letters: what was done to them, and what they are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from indistinct.scrub.asked import Asked
from indistinct.scrub.documents import Treated
from indistinct.scrub.limits import TookTooLong, at_most, seconds_for
from indistinct.scrub.text.judging import DE_IDENTIFIED, Traces, Verdict
from indistinct.scrub.treating import SUPPRESSED

__all__ = ["ABOUT", "MOST_FOUND", "Tally", "Withheld", "about", "told_verdict"]

MOST_FOUND = 10_000
"""References that are listed one by one; of more, the private list of spans has them all."""

MOST_WITHHELD = 10_000


@dataclass(frozen=True, slots=True)
class Withheld:
    """A document that was not written, by its place, and why."""

    document: str
    reason: str


@dataclass
class Tally:
    """What was found and done so far."""

    documents: int = 0
    empty: int = 0
    written: int = 0
    untold: int = 0
    not_written: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    references: Counter[str] = field(default_factory=Counter)
    detectors: Counter[str] = field(default_factory=Counter)
    withheld: list[Withheld] = field(default_factory=list)
    found: list[dict[str, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    less: int = 0
    renamed: int = 0
    traces: Traces = field(default_factory=Traces)

    def add(self, treated: Treated) -> None:
        """Count one document."""
        self.documents += 1
        if treated.text is None:
            self.not_written += 1
            if len(self.withheld) < MOST_WITHHELD:
                self.withheld.append(Withheld(treated.document.place, treated.reason))
            return
        self.written += 1
        self.empty += not treated.text.strip()
        self.left_out.update(treated.document.left_out)
        self.less += bool(treated.document.left_out)
        self._trace(treated.text, treated.document.number)
        for one in treated.outcome.found:
            self.actions[one.action] += 1
            self.references[one.kind] += 1
            self.detectors[one.detector] += 1
            if len(self.found) <= MOST_FOUND:
                told = one.to_dict()
                # what stood there, who it was and what stands there now is for the list of spans
                del told["replacement"], told["person"]
                self.found.append({"document": treated.document.number, **told})

    def notes(self) -> Iterator[str]:
        """Give what was left out of documents, and which of them lost their names, for people."""
        if self.less:
            documents = "1 document" if self.less == 1 else f"{self.less:,} documents"
            parts = [f"{words}: {count:,}" for words, count in sorted(self.left_out.items())]
            yield f"left out of {documents}, besides properties of files: {'; '.join(parts)}"
        if self.renamed:
            files = "1 file was" if self.renamed == 1 else f"{self.renamed:,} files were"
            yield f"{files} given a number for a name that names somebody, or is taken"

    def _trace(self, text: str, number: int) -> None:
        """Look for what the text still tells, as long as a document may take."""
        try:
            with at_most(seconds_for(text)):
                self.traces.add(text, document=number)
        except TookTooLong:
            self.untold += 1

    def verdict(self) -> Verdict:
        """Return what the documents so far are, and what in them may single people out."""
        return self.traces.finish()

    @property
    def total(self) -> int:
        """References that were found."""
        return sum(self.references.values())

    @property
    def suppressed(self) -> int:
        """References that were taken out without anything in their place."""
        return self.actions[SUPPRESSED]

    @property
    def replaced(self) -> int:
        """References that were replaced."""
        return self.total - self.suppressed


# What goes with the letters ----------------------------------------------------------------------


ABOUT = "about.md"

_DATES = {
    "month": "Dates are given by month and year.",
    "year": "Dates are given by year.",
    "shift": "Dates are shifted, all dates of a person by the same number of days: intervals are "
    "right, dates are not.",
}
_SCOPES = {
    "project": "The same person has the same made-up name in all of them.",
    "patient": "The same person has the same made-up name in the documents about one patient, and "
    "another one elsewhere.",
}


_LEFT_OUT = (
    "Comments, deletions, pictures and other parts that are not the text of a letter were left out."
)


def about(tally: Tally, asked: Asked) -> str:
    """Return the note that goes with scrubbed letters. It tells no count of what was found."""
    lines = [
        "# About these documents",
        "",
        f"{tally.written:,} {'document' if tally.written == 1 else 'documents'}. Names, "
        "addresses, numbers and other references to people were looked for by a program "
        "and replaced by made-up ones; what could not be replaced "
        f"safely was left out. {_DATES[asked.dates]} {_SCOPES[asked.scope]}",
        "",
        *([_LEFT_OUT, ""] if tally.less else []),
        f"They are {DE_IDENTIFIED}: whoever knows from elsewhere some of what a document tells, "
        "such as a sequence of events, may still recognise the person. Nobody is to try.",
        "",
    ]
    return "\n".join(lines)


def told_verdict() -> dict[str, Any]:
    """Return what the certificate of scrubbed letters says of them: never that they are proved."""
    sentence = f"the letters are {DE_IDENTIFIED}: what Scrub did not find is in them"
    return {
        "state": "reservations",
        "reservations": [{"code": "text-scrubbed", "sentence": sentence}],
        "accepted": [],
    }
