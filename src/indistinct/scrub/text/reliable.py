"""Whether certainties can be believed: of what is found with certainty 0.8, 80 % had to go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from indistinct.results import Fact, Result, Table, facts, result
from indistinct.scrub.text.annotated import Annotated, counted, marks, rightness
from indistinct.scrub.text.evaluating import Finds
from indistinct.scrub.text.spans import Span

__all__ = ["Bin", "Reliability", "ReliabilityTally", "reliability"]

BINS = 10


@dataclass(frozen=True)
class Bin:
    """What was found with certainties from `low` up: how often, mean certainty, share right."""

    low: float
    found: int
    certainty: float
    right: float


@result(eq=True)
class Reliability(Result):
    """Certainty by certainty, the share of what was found that had to go.

    The share of a finding that is right is that of its tokens, so that a certainty is the
    probability that removing a word of it is right.
    """

    bins: tuple[Bin, ...]

    FACTS = facts(
        "error",
        Fact(
            "bins",
            lambda found: [
                {"low": b.low, "found": b.found, "certainty": b.certainty, "right": b.right}
                for b in found.bins
            ],
        ),
    )

    @property
    def found(self) -> int:
        """Number of findings that could be judged."""
        return sum(one.found for one in self.bins)

    @property
    def error(self) -> float:
        """Expected calibration error: Σ nᵢ |cᵢ − rᵢ| / n over the bins."""
        total = sum(one.found * abs(one.certainty - one.right) for one in self.bins)
        return total / max(1, self.found)

    def _tables(self) -> Sequence[Table]:
        rows = [
            (f"{one.low:.1f} to {one.low + 1 / BINS:.1f}", one.found, one.certainty, one.right)
            for one in self.bins
        ]
        return [
            Table(
                "By certainty",
                ("certainty", "found", "mean certainty", "share right"),
                rows,
                {"mean certainty": ".3f", "share right": ".3f"},
            )
        ]

    def _lines(self) -> Sequence[str]:
        first = f"{self.found:,} findings: calibration error {self.error:.3f}"
        return [first, *self._tables()[0].to_lines()]


@dataclass
class ReliabilityTally:
    """Findings by certainty, counted as they come."""

    found: list[int] = field(default_factory=lambda: [0] * BINS)
    certainty: list[float] = field(default_factory=lambda: [0.0] * BINS)
    right: list[float] = field(default_factory=lambda: [0.0] * BINS)

    def add(self, document: Annotated, spans: Iterable[Span]) -> None:
        """Count what was found in a document."""
        required, left_open = marks(document)
        for span in counted(document, spans):
            judged = rightness(span, document.text, required, left_open)
            if judged is not None:
                self.count(span.certainty, judged[0] / judged[1])

    def count(self, certainty: float, right: float, times: int = 1) -> None:
        """Count a finding and how much of it was right."""
        place = min(int(certainty * BINS), BINS - 1)
        self.found[place] += times
        self.certainty[place] += times * certainty
        self.right[place] += times * right

    def finish(self) -> Reliability:
        """Return the bins that have findings."""
        return Reliability(
            tuple(
                Bin(place / BINS, n, self.certainty[place] / n, self.right[place] / n)
                for place, n in enumerate(self.found)
                if n
            )
        )


def reliability(documents: Iterable[Annotated], find: Finds) -> Reliability:
    """Compare the certainties of what is found with the share that had to go.

    >>> from indistinct.scrub.text.annotated import Reference
    >>> from indistinct.scrub.text.spans import Kind
    >>> letter = Annotated("Ann saw Lily.", [Reference(0, 3, "NAME")])
    >>> found = [Span(s, e, Kind.FIRST_NAME, 0.75, "names") for s, e in ((0, 3), (8, 12))]
    >>> reliability([letter], lambda text: found).bins
    (Bin(low=0.7, found=2, certainty=0.75, right=0.5),)
    """
    tally = ReliabilityTally()
    for document in documents:
        tally.add(document, find(document.text))
    return tally.finish()
