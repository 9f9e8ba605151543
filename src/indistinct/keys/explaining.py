"""Dalenius' missing cost function, as a table that people can read before they count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from indistinct.engine import (
    Approach,
    Engine,
    Estimate,
    cheapest,
    estimates,
    key_coding,
    show_size,
)
from indistinct.files import Source
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Explanation", "explain"]


@result(eq=True)
class Explanation(Result):
    """What each way of counting would cost, and which one is chosen."""

    records: int
    key: tuple[str, ...]
    sizes: tuple[int, ...]
    memory: int
    estimates: tuple[Estimate, ...]
    chosen: Approach

    FACTS = facts(
        "records",
        "key",
        Fact("categories", "sizes"),
        "memory",
        "chosen",
        Fact("estimates", lambda found: [asdict(e) for e in found.estimates]),
    )

    def sentence(self) -> str:
        """Say what was counted, and the way chosen."""
        return f"{self.records:,} records by {', '.join(self.key)}: {self.chosen}"

    def rows(self) -> list[tuple[str, str, str, str, str, str]]:
        """Return the table's rows as text: representation, approach, bits, time, memory, note."""
        found: list[tuple[str, str, str, str, str, str]] = []
        for e in self.estimates:
            chosen = e.representation == "T2" and e.approach == self.chosen
            note = "chosen" if chosen else e.why
            found.append(
                (
                    e.representation,
                    e.approach,
                    str(e.bits),
                    f"{e.seconds:.3g} s",
                    show_size(e.memory),
                    note,
                )
            )
        return found

    def plot(self) -> str:
        """Draw what each way of counting is expected to take, of those that can be, as SVG."""
        possible = [e for e in self.estimates if not e.why]
        return bars(
            "Milliseconds to count, as expected",
            [f"{e.representation}, {e.approach}" for e in possible],
            [1000 * e.seconds for e in possible],
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"What counting {self.records:,} records by {', '.join(self.key)} would cost",
                ("number", "approach", "bits", "seconds", "bytes of memory", "chosen", "why not"),
                [
                    (
                        e.representation,
                        e.approach,
                        e.bits,
                        e.seconds,
                        e.memory,
                        e.representation == "T2" and e.approach == self.chosen,
                        e.why,
                    )
                    for e in self.estimates
                ],
            )
        ]


def explain(engine: Engine, source: Source, key: Sequence[str]) -> Explanation:
    """Estimate time and memory of every way of counting a file by a key, before doing so."""
    coding = key_coding(source, key)
    sizes = coding.sizes
    return Explanation(
        records=source.records,
        key=tuple(key),
        sizes=sizes,
        memory=engine.memory,
        estimates=tuple(estimates(records=source.records, sizes=sizes, memory=engine.memory)),
        chosen=cheapest(records=source.records, sizes=sizes, memory=engine.memory),
    )
