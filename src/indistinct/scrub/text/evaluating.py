"""How good a search for references is, on annotated text: what was removed, and what wrongly.

Labels do not count, removal does. A reference is *removed* when every letter and digit of it is
covered, whoever covered it and by whatever name; it *leaks* when one is left. Tokens are runs of
letters and digits: one that shares a character with a reference had to go, one that shares none
had to stay. Ages and what annotators left open (labels AGE and OPT) count neither way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from indistinct.results import Fact, Result, Table, facts, result
from indistinct.scrub.text.annotated import REQUIRED, TOKEN, Annotated, counted, marks, rightness
from indistinct.scrub.text.spans import Span

__all__ = ["Annotated", "Finds", "KindScore", "LabelScore", "ScrubEvaluation", "Tally", "evaluate"]

Finds = Callable[[str], Iterable[Span]]
"""What finds references in a text, such as `Finder().find`."""


@dataclass(frozen=True)
class LabelScore:
    """References of one label: how many, how many removed whole, how many touched, and tokens."""

    label: str
    references: int
    removed: int
    touched: int
    tokens: int
    tokens_removed: int

    @property
    def share_removed(self) -> float:
        """Share of the references that were removed whole."""
        return self.removed / self.references if self.references else 0.0

    @property
    def token_recall(self) -> float:
        """Share of the tokens of references that were removed."""
        return self.tokens_removed / self.tokens if self.tokens else 0.0


@dataclass(frozen=True)
class KindScore:
    """What was found of one kind: how often, and how many of its tokens had to go."""

    kind: str
    found: int
    tokens: int
    tokens_right: int

    @property
    def precision(self) -> float:
        """Share of the tokens found that had to go."""
        return self.tokens_right / self.tokens if self.tokens else 0.0


@result(eq=True)
class ScrubEvaluation(Result):
    """What a search removed of the references of an annotated corpus, and what it removed wrongly.

    `negatives` are documents without any reference; `negatives_touched` those changed all the same.
    """

    documents: int
    references: int
    removed: int
    touched: int
    tokens_right: int
    tokens_missed: int
    tokens_wrong: int
    tokens_kept: int
    leaking: int
    negatives: int
    negatives_touched: int
    labels: tuple[LabelScore, ...]
    kinds: tuple[KindScore, ...]
    method: str = "Scrub"

    FACTS = facts(
        "documents references",
        Fact("removed", "share_removed"),
        "token_recall token_precision f2",
        Fact("leaking_documents", "leaking"),
        Fact("documents_without_references", "negatives"),
        Fact("of_these_touched", "negatives_touched"),
        Fact(
            "by_label",
            lambda found: {
                s.label: {"references": s.references, "removed": s.share_removed}
                for s in found.labels
            },
        ),
        Fact(
            "by_kind",
            lambda found: {
                s.kind: {"found": s.found, "precision": s.precision} for s in found.kinds
            },
        ),
    )

    @property
    def share_removed(self) -> float:
        """Share of the references of which no letter or digit is left."""
        return self.removed / max(1, self.references)

    @property
    def share_touched(self) -> float:
        """Share of the references of which something was removed."""
        return self.touched / max(1, self.references)

    @property
    def token_recall(self) -> float:
        """Share of the tokens of references that were removed."""
        return self.tokens_right / max(1, self.tokens_right + self.tokens_missed)

    @property
    def token_precision(self) -> float:
        """Share of the removed tokens that had to go."""
        return self.tokens_right / max(1, self.tokens_right + self.tokens_wrong)

    @property
    def share_leaking(self) -> float:
        """Share of the documents with a reference that is not wholly removed."""
        return self.leaking / max(1, self.documents)

    @property
    def f2(self) -> float:
        """F₂ = 5PR / (4P + R) of the tokens: recall counts twice as much as precision."""
        precision, recall = self.token_precision, self.token_recall
        return 5 * precision * recall / max(1e-9, 4 * precision + recall)

    def _tables(self) -> Sequence[Table]:
        shares = ("references removed", "token recall", "token precision", "leaking documents")
        overall = Table.facts(
            "Overall",
            {
                "documents": self.documents,
                "references": self.references,
                "references removed": self.share_removed,
                "token recall": self.token_recall,
                "token precision": self.token_precision,
                "leaking documents": self.share_leaking,
                "documents without references": self.negatives,
                "of these touched": self.negatives_touched,
            },
            formats=dict.fromkeys(shares, ".1%"),
        )
        labels = Table(
            "By label of the reference",
            ("label", "references", "removed", "token recall"),
            [(s.label, s.references, s.share_removed, s.token_recall) for s in self.labels],
            {"removed": ".1%", "token recall": ".1%"},
        )
        kinds = Table(
            "By kind found",
            ("kind", "found", "token precision"),
            [(s.kind, s.found, s.precision) for s in self.kinds],
            {"token precision": ".1%"},
        )
        return overall, labels, kinds

    def _lines(self) -> Sequence[str]:
        first = (
            f"{self.method}: {self.share_removed:.1%} of {self.references:,} references removed in "
            f"{self.documents:,} documents, token precision {self.token_precision:.1%}, "
            f"{self.leaking:,} documents leak"
        )
        return [first, *(line for table in self._tables() for line in table.to_lines())]


@dataclass
class Tally:
    """Counts over documents as they come; counts of parts of a corpus can be merged."""

    totals: Counter[str] = field(default_factory=Counter)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, document: Annotated, found: Iterable[Span]) -> None:
        """Count one document, given what was found in it."""
        text = document.text
        spans = counted(document, found)
        covered = bytearray(len(text))
        for span in spans:
            start, end = max(0, span.start), min(span.end, len(text))
            covered[start:end] = b"\1" * max(0, end - start)
        required, left_open = marks(document)
        self._add_references(document, covered)
        for token in TOKEN.finditer(text):
            start, end = token.span()
            gone = any(covered[start:end])
            label = next(filter(None, required[start:end]), 0)
            if label:
                self.totals["right" if gone else "missed"] += 1
                self.labels[REQUIRED[label - 1], "gone" if gone else "left"] += 1
            elif not any(left_open[start:end]):
                self.totals["wrong" if gone else "kept"] += 1
        for span in spans:
            self.kinds[span.kind.value, "found"] += 1
            judged = rightness(span, text, required, left_open)
            if judged:
                self.kinds[span.kind.value, "right"] += judged[0]
                self.kinds[span.kind.value, "tokens"] += judged[1]
        self.totals["documents"] += 1
        if not document.references:
            self.totals["negatives"] += 1
            self.totals["negatives touched"] += bool(spans)

    def _add_references(self, document: Annotated, covered: bytearray) -> None:
        leaks = False
        for start, end, label in document.references:
            if label not in REQUIRED:
                continue
            places = [i for i in range(start, end) if document.text[i].isalnum()]
            if not places:
                continue
            gone = sum(covered[i] for i in places)
            counts = {"references": 1, "removed": gone == len(places), "touched": gone > 0}
            for what, one in counts.items():
                self.totals[what] += int(one)
                self.labels[label, what] += int(one)
            leaks |= gone < len(places)
        self.totals["leaking"] += leaks

    def merge(self, other: Tally) -> None:
        """Add the counts of other documents."""
        self.totals.update(other.totals)
        self.labels.update(other.labels)
        self.kinds.update(other.kinds)

    def finish(self, method: str = "Scrub") -> ScrubEvaluation:
        """Return what was counted."""
        labels = tuple(
            LabelScore(
                label,
                self.labels[label, "references"],
                self.labels[label, "removed"],
                self.labels[label, "touched"],
                self.labels[label, "gone"] + self.labels[label, "left"],
                self.labels[label, "gone"],
            )
            for label in REQUIRED
            if self.labels[label, "references"]
        )
        kinds = tuple(
            KindScore(kind, *(self.kinds[kind, what] for what in ("found", "tokens", "right")))
            for kind in sorted({kind for kind, _ in self.kinds})
        )
        t = self.totals
        return ScrubEvaluation(
            t["documents"], t["references"], t["removed"], t["touched"],
            t["right"], t["missed"], t["wrong"], t["kept"],
            t["leaking"], t["negatives"], t["negatives touched"], labels, kinds, method,
        )  # fmt: skip


def evaluate(
    documents: Iterable[Annotated], find: Finds, *, method: str = "Scrub"
) -> ScrubEvaluation:
    """Search annotated documents and compare with what their annotators marked.

    >>> from indistinct.scrub.text.annotated import Reference
    >>> letter = Annotated("Dear Dr. Lang: all is well.", [Reference(9, 13, "NAME")])
    >>> from indistinct.scrub.text.spans import Kind, Span
    >>> lang = Span(9, 13, Kind.LAST_NAME, 0.9, "titled")
    >>> evaluate([letter], lambda text: [lang]).share_removed
    1.0
    """
    tally = Tally()
    for document in documents:
        tally.add(document, find(document.text))
    return tally.finish(method)
