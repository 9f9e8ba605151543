"""What came of scrubbing: counts, what is withheld and why, and what the result is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.scrub.tallying import MOST_FOUND, Tally, Withheld
from indistinct.scrub.text.baselines import FourRows
from indistinct.scrub.text.judging import DE_IDENTIFIED, Verdict

__all__ = ["ScrubResult"]


@result
class ScrubResult(Result):
    """Documents that were scrubbed, and those that were not.

    Parameters
    ----------
    documents
        How many were read, the withheld among them.
    references
        How many references were found, by kind.
    replaced, suppressed
        How many were replaced, and how many taken out without anything in their place.
    actions
        The same in more detail: dates and ages are generalised or shifted, the rest made up.
    threshold
        The certainty from which a reference was taken for one.
    withheld
        Documents that were not written, by their place, and why; `not_written` counts them all.
    found
        Every reference without what it says; none where there are too many to list.
    told
        What the documents still tell, and may single people out by.
    out, spans, identifiers
        What was written.
    evaluation
        How good the search is on letters that people have marked.
    """

    documents: int
    references: Mapping[str, int]
    replaced: int
    suppressed: int
    threshold: float
    actions: Mapping[str, int] = field(default_factory=dict)
    withheld: tuple[Withheld, ...] = ()
    not_written: int = 0
    empty: int = 0
    found: tuple[dict[str, Any], ...] | None = field(default=None, repr=False)
    told: Verdict | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    out: Path | None = None
    spans: Path | None = None
    identifiers: Path | None = None
    evaluation: FourRows | None = None
    seconds: float = 0.0

    FACTS = facts(
        "documents references replaced suppressed actions threshold",
        Fact("withheld", lambda found: [asdict(one) for one in found.withheld]),
        "not_written empty verdict warnings",
        Fact("still_tells", "told"),
        "notes out spans identifiers",
        Fact("seconds", lambda found: round(found.seconds, 3)),
        Fact("*", "_asked_for", spread=True),
    )

    @classmethod
    def of(cls, tally: Tally, **rest: Any) -> ScrubResult:
        """Return what was counted."""
        many = tally.total > MOST_FOUND
        notes = list(rest.pop("notes", ()))
        if tally.empty:
            notes.append(
                "1 document is empty, and was passed on empty"
                if tally.empty == 1
                else f"{tally.empty:,} documents are empty, and were passed on empty"
            )
        if many:
            notes.append(
                f"{tally.total:,} references are too many to list here: --spans FILE has them all"
            )
        return cls(
            documents=tally.documents,
            references=dict(sorted(tally.references.items(), key=lambda n: (-n[1], n[0]))),
            replaced=tally.replaced,
            suppressed=tally.suppressed,
            actions=dict(sorted(tally.actions.items())),
            withheld=tuple(tally.withheld),
            not_written=tally.not_written,
            empty=tally.empty,
            found=None if many else tuple(tally.found),
            notes=tuple(notes),
            **rest,
        )

    @property
    def verdict(self) -> str:
        """What the result is, and what it is not."""
        return DE_IDENTIFIED

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the holder should think about before passing the documents on."""
        return () if self.told is None else self.told.warnings

    @property
    def holds(self) -> bool:
        """Whether every document was scrubbed."""
        return not self.not_written

    @property
    def _asked_for(self) -> dict[str, Any]:
        asked = {"found": self.found, "evaluation": self.evaluation}
        return {name: value for name, value in asked.items() if value is not None}

    def plot(self) -> str:
        """Draw the references of each kind, as SVG."""
        return bars("References by kind", list(self.references), list(self.references.values()))

    def _lines(self) -> list[str]:
        total = self.replaced + self.suppressed
        lines = [
            f"{self.documents - self.not_written:,} of {self.documents:,} documents scrubbed: "
            f"{total:,} {'reference' if total == 1 else 'references'} at certainty "
            f"{self.threshold:g} or more, {self.replaced:,} replaced and "
            f"{self.suppressed:,} suppressed"
        ]
        lines += self._tables()[1].to_lines() if self.references else []
        lines += [f"  withheld: {one.document} {one.reason}" for one in self.withheld]
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return [*lines, f"verdict: {self.verdict}"]

    def _tables(self) -> list[Table]:
        facts = {
            "documents": self.documents,
            "withheld": self.not_written,
            "references": self.replaced + self.suppressed,
            "replaced": self.replaced,
            "suppressed": self.suppressed,
            "threshold": self.threshold,
        }
        tables = [
            Table.facts("Letters and notes", facts),
            Table("References", ("kind", "references"), list(self.references.items())),
        ]
        if self.withheld:
            rows = [(one.document, one.reason) for one in self.withheld]
            tables.append(Table("Withheld", ("document", "why"), rows))
        return tables
